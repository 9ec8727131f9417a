package nn

import (
	"math"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// moves is a step of Viterbi's algorithm over the legal transitions alone. In BIOES half of the
// labels, those that begin a span or are outside, follow all labels that end one or are outside, and
// each of the others follows two labels, so that only a quarter of the transitions is read. The labels
// have places of their own, in which those with the same predecessors are adjacent, so that a step
// writes its results where the next one reads them.
type moves struct {
	order  []int32 // the label in each place
	few    []few   // of the first places
	common []common
	score  []float32 // reused for each step
}

// few is the step to a label that has at most two legal predecessors.
type few struct {
	first, second int32   // places; 0 where there is none
	a, b          float32 // the transitions from first and from second; -Inf where there is none
	from          [2]int  // labels, or -1
}

// common is the step to adjacent labels, in the places from low to high, that have the same legal predecessors.
type common struct {
	from      []int // labels in ascending order
	places    []int32
	low, high int
	trans     kernel.Matrix // [len(from), high-low]
}

// newMoves divides the labels by their legal predecessors.
func newMoves(labels int, legal func(a, b int) bool) moves {
	var m moves
	var to [][]int32 // by group: its labels
	for b := range labels {
		var from []int
		for a := range labels {
			if legal(a, b) {
				from = append(from, a)
			}
		}
		if len(from) <= 2 {
			from = append(from, -1, -1)
			m.few, m.order = append(m.few, few{from: [2]int(from)}), append(m.order, int32(b))
			continue
		}
		i := slices.IndexFunc(m.common, func(c common) bool { return slices.Equal(c.from, from) })
		if i < 0 {
			i = len(m.common)
			m.common, to = append(m.common, common{from: from}), append(to, nil)
		}
		to[i] = append(to[i], int32(b))
	}
	for i := range m.common {
		c := &m.common[i]
		c.low = len(m.order)
		m.order = append(m.order, to[i]...)
		c.high = len(m.order)
		c.trans = kernel.NewMatrix(len(c.from), len(to[i]), make([]float32, len(c.from)*len(to[i])))
	}
	place := make([]int32, labels)
	for p, label := range m.order {
		place[label] = int32(p)
	}
	for i := range m.common {
		c := &m.common[i]
		for _, label := range c.from {
			c.places = append(c.places, place[label])
		}
	}
	for i := range m.few {
		f := &m.few[i]
		f.first, f.second = place[max(f.from[0], 0)], place[max(f.from[1], 0)]
	}
	return m
}

// set takes the transitions for all steps until the next call.
func (m *moves) set(trans kernel.Matrix) {
	for i := range m.common {
		c := &m.common[i]
		for k, a := range c.from {
			row, all := c.trans.Row(k), trans.Row(a)
			for j, b := range m.order[c.low:c.high] {
				row[j] = all[b]
			}
		}
	}
	for i := range m.few {
		f := &m.few[i]
		f.a, f.b = float32(math.Inf(-1)), float32(math.Inf(-1))
		if f.from[0] >= 0 {
			f.a = trans.Row(f.from[0])[m.order[i]]
		}
		if f.from[1] >= 0 {
			f.b = trans.Row(f.from[1])[m.order[i]]
		}
	}
}

// step sets next[p] to the highest score of the label in place p after one of the labels before, whose scores are
// given, and back[p] to what from requires; of equal ones, the first label counts. It does the same as kernel.ViterbiStep
// does if the illegal transitions are -Inf, except that back is arbitrary where next is -Inf.
func (m *moves) step(next []float32, back []int32, score []float32) {
	for i := range m.few {
		f := &m.few[i]
		a, b := score[f.first]+f.a, score[f.second]+f.b
		next[i], back[i] = a, 0
		if b > a {
			next[i], back[i] = b, 1
		}
	}
	for i := range m.common {
		c := &m.common[i]
		m.score = slices.Grow(m.score[:0], len(c.places))[:len(c.places)]
		for k, p := range c.places {
			m.score[k] = score[p]
		}
		kernel.ViterbiStep(next[c.low:c.high], back[c.low:c.high], m.score, c.trans)
	}
}

// from returns the place of the label before the one in place p, to which a step has set back.
func (m *moves) from(p, back int32) int32 {
	if int(p) < len(m.few) {
		return [2]int32{m.few[p].first, m.few[p].second}[back]
	}
	for i := range m.common {
		if c := &m.common[i]; int(p) < c.high {
			return c.places[back]
		}
	}
	panic("nn: there is no such place")
}
