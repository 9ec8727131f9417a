package nn

import (
	"math"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// moves is a step of Viterbi's algorithm over the legal transitions alone. In BIOES half of the
// labels, those that begin a span or are outside, follow all labels that end one or are outside, and
// each of the others follows two labels, so that only a quarter of the transitions is read.
type moves struct {
	common []common
	few    []few

	score, next []float32 // reused for each step
	back        []int32
}

// common is the step to labels that have the same legal predecessors.
type common struct {
	from, to []int32       // labels in ascending order
	trans    kernel.Matrix // [len(from), len(to)]
}

// few is the step to a label that has at most two legal predecessors.
type few struct {
	to, first, second int32
	a, b              float32 // the transitions from first and from second; -Inf where there is none
}

// newMoves divides the labels by their legal predecessors.
func newMoves(labels int, legal func(a, b int) bool) moves {
	var m moves
	for b := range int32(labels) {
		var from []int32
		for a := range int32(labels) {
			if legal(int(a), int(b)) {
				from = append(from, a)
			}
		}
		switch len(from) {
		case 0:
			m.few = append(m.few, few{to: b, first: -1, second: -1})
			continue
		case 1:
			m.few = append(m.few, few{to: b, first: from[0], second: -1})
			continue
		case 2:
			m.few = append(m.few, few{to: b, first: from[0], second: from[1]})
			continue
		}
		i := slices.IndexFunc(m.common, func(c common) bool { return slices.Equal(c.from, from) })
		if i < 0 {
			i = len(m.common)
			m.common = append(m.common, common{from: from})
		}
		m.common[i].to = append(m.common[i].to, b)
	}
	for i := range m.common {
		c := &m.common[i]
		c.trans = kernel.NewMatrix(len(c.from), len(c.to), make([]float32, len(c.from)*len(c.to)))
	}
	return m
}

// set takes the transitions for all steps until the next call.
func (m *moves) set(trans kernel.Matrix) {
	for i := range m.common {
		c := &m.common[i]
		for k, a := range c.from {
			row, all := c.trans.Row(k), trans.Row(int(a))
			for j, b := range c.to {
				row[j] = all[b]
			}
		}
	}
	for i := range m.few {
		f := &m.few[i]
		f.a, f.b = float32(math.Inf(-1)), float32(math.Inf(-1))
		if f.first >= 0 {
			f.a = trans.Row(int(f.first))[f.to]
		}
		if f.second >= 0 {
			f.b = trans.Row(int(f.second))[f.to]
		}
	}
}

// step sets next[b] to the highest score of label b after one of the labels before, whose scores are
// given, and back[b] to that label; of equal ones, the first. It does the same as kernel.ViterbiStep
// does if the illegal transitions are -Inf, except that back is arbitrary where next is -Inf.
func (m *moves) step(next []float32, back []int32, score []float32) {
	for i := range m.few {
		f := &m.few[i]
		best, by := score[max(f.first, 0)]+f.a, max(f.first, 0)
		if s := score[max(f.second, 0)] + f.b; s > best {
			best, by = s, f.second
		}
		next[f.to], back[f.to] = best, by
	}
	for i := range m.common {
		c := &m.common[i]
		m.score = slices.Grow(m.score[:0], len(c.from))[:len(c.from)]
		for k, a := range c.from {
			m.score[k] = score[a]
		}
		n := len(c.to)
		m.next, m.back = slices.Grow(m.next[:0], n)[:n], slices.Grow(m.back[:0], n)[:n]
		kernel.ViterbiStep(m.next, m.back, m.score, c.trans)
		for j, b := range c.to {
			next[b], back[b] = m.next[j], c.from[m.back[j]]
		}
	}
}
