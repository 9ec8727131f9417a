package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Decoder finds the best labels of sequences, given the unaries and transitions of a CRF. It must
// be used by one goroutine at a time.
type Decoder struct {
	forbidden []bool // of each transition
	moves     moves
	trans     kernel.Matrix // the transitions in the order of the moves, with -Inf where forbidden
	free      kernel.Matrix // zeros, in the place of missing transitions
	lattice   lattice
	viterbi   viterbi
	likely    likely
}

// NewDecoder returns a decoder for this many labels. legal reports whether label b may follow label
// a, where a is labels before the first element and b is labels+1 after the last; nil allows all.
// It must allow at least one path for every sequence.
func NewDecoder(labels int, legal func(a, b int) bool) *Decoder {
	k := labels + 2
	d := &Decoder{forbidden: make([]bool, k*k), trans: kernel.NewMatrix(k, k, make([]float32, k*k)), free: kernel.NewMatrix(k, k, make([]float32, k*k))}
	for a := range labels + 1 {
		for b := range k {
			d.forbidden[a*k+b] = legal != nil && b != labels && !legal(a, b)
		}
	}
	d.moves = newMoves(labels, legal)
	d.viterbi.moves = &d.moves
	if labels > 0 {
		d.likely.usual = d.moves.place[0]
	}
	d.lattice.each = d.likely.take
	return d
}

// Order returns the label of each column of the unaries that Decode reads. It is the order in which decoding is fastest,
// and 0, 1, 2 and so on if all transitions are legal. Graph.LinearOrder computes unaries in an order.
func (d *Decoder) Order() []int32 { return slices.Clone(d.moves.order) }

// Labeling contains the labels of one sequence.
type Labeling struct {
	Labels []int32
	// Probability returns the probability that elements [from, to) have exactly these labels, summed
	// over all labels of the others: the CRF's marginal, or without a CRF the product of the
	// probabilities of the elements. It is valid until the next Decode.
	Probability func(from, to int) float64
	// Marginal returns the probability of one label at one element. It is valid until the next
	// Decode.
	Marginal func(element int, label int32) float64
}

// Decode returns the labelings of the sequences of an axis, in the order of the batch. The unaries
// are [rows, labels], with the columns in the order of Order, and the transitions [labels+2, labels+2] as in Graph.CRF. Without
// transitions (nil), each element is labelled on its own, by a softmax. Decode panics if a shape does not
// fit.
//
// To classify whole sequences, pass the axis of Graph.Sequences: each labeling then has one label.
func (d *Decoder) Decode(axis *Axis, unaries kernel.Matrix, transitions *Param) []Labeling {
	k := d.trans.Rows
	if unaries.Rows != axis.rows || unaries.Cols != k-2 {
		panic(fmt.Errorf("nn: decoder: expected unaries [%d, %d] for the axis %s, given [%d, %d]", axis.rows, k-2, axis.name, unaries.Rows, unaries.Cols))
	}
	if transitions != nil && (transitions.Rows != k || transitions.Cols != k) {
		panic(fmt.Errorf("nn: decoder: expected transitions [%d, %d], given [%d, %d]", k, k, transitions.Rows, transitions.Cols))
	}
	crf := d.free
	if transitions != nil {
		crf = transitions.matrix()
	}
	d.moves.arrange(d.trans, crf, d.forbidden) // each time, because a trainer may have changed them
	d.viterbi.legal.take(d.trans, &d.moves)
	pk := &axis.packing
	d.likely.clear(pk.rows)
	if transitions != nil {
		d.lattice.moves = &d.moves
		d.lattice.run(pk, unaries, d.trans)
	} else {
		d.lattice.moves = nil
		d.lattice.run(pk, unaries, d.free) // a softmax at each element
	}
	found := make([]Labeling, len(axis.order))
	for s, i := range axis.order {
		y, ok := d.likely.best(pk, s, &d.lattice, d.trans)
		if !ok {
			y = d.viterbi.best(pk, s, unaries, d.trans)
		}
		found[i] = d.labeling(pk, s, y)
	}
	return found
}

// labeling returns the labeling of the sentence in place s, given the places of its labels.
func (d *Decoder) labeling(pk *packing, s int, y []int32) Labeling {
	labels, other := make([]int32, len(y)), make([]int32, len(y))
	for t, place := range y {
		labels[t] = d.moves.order[place]
	}
	return Labeling{
		labels,
		func(from, to int) float64 { return d.lattice.probability(pk, s, y, from, to) },
		func(t int, label int32) float64 {
			other[t] = d.moves.place[label]
			return d.lattice.probability(pk, s, other, t, t+1)
		},
	}
}

// negligible is the marginal probability below which likely leaves out a label.
const negligible = 1e-4

// mostMoves is the mean number of moves between likely labels from one element to the next, at most, for likely to be
// faster than viterbi.
const mostMoves = 100

// likely finds the labels with the highest score among those whose marginal probability is not negligible, of
// which most elements have one or two. The marginal of a label is the sum over all paths through it. A path with a
// label that is left out thus has a negligible probability, so the path that is found is the best one of all if its own
// is higher.
type likely struct {
	usual    int32   // label 0, which in most schemes is that of nearly all elements; like all labels here, by its place: see moves
	labels   []int32 // of one row after the other
	from, to []int32 // by row: its labels

	score, next []float32 // by label of an element and of the one after it
	back        []int32   // by label of one element after the other: the one before, by its number among those of the element
}

func (v *likely) clear(rows int) {
	v.labels = v.labels[:0]
	v.from, v.to = slices.Grow(v.from[:0], rows)[:rows], slices.Grow(v.to[:0], rows)[:rows]
}

// take collects the labels of a row, given the lattice's alphas and betas.
func (v *likely) take(row int, alpha, beta []float32) {
	v.from[row] = int32(len(v.labels))
	beta = beta[:len(alpha)]
	if u := v.usual; alpha[u]*beta[u] > 1-negligible/2 { // so all others are negligible, as for most elements
		v.labels = append(v.labels, u)
		v.to[row] = int32(len(v.labels))
		return
	}
	for label, a := range alpha {
		if a*beta[label] >= negligible {
			v.labels = append(v.labels, int32(label))
		}
	}
	v.to[row] = int32(len(v.labels))
}

// best returns the labels of the sentence in place s, and whether they are sure to be the same that viterbi finds.
func (v *likely) best(pk *packing, s int, l *lattice, trans kernel.Matrix) (y []int32, ok bool) {
	if l.broken[s] {
		return nil, false
	}
	k, n := l.labels, pk.lengths[s]
	v.back = v.back[:0]
	var before []int32
	moves := 0
	for t := range n {
		row := pk.row(s, t)
		now, u := v.labels[v.from[row]:v.to[row]], l.unaries.Row(row)
		if moves += len(before) * len(now); len(now) == 0 || moves > mostMoves*n {
			return nil, false
		}
		v.next = v.next[:0]
		for _, label := range now {
			score, from := float32(0), int32(-1)
			if t == 0 {
				score = trans.Row(k)[label]
			}
			for b, other := range before {
				if next := v.score[b] + trans.Data[int(other)*trans.Stride+int(label)]; from < 0 || next > score {
					score, from = next, int32(b)
				}
			}
			v.next, v.back = append(v.next, score+u[label]), append(v.back, from)
		}
		before = now
		v.score, v.next = v.next, v.score
	}
	best := 0
	for i, label := range before {
		v.score[i] += trans.Row(int(label))[k+1]
		if v.score[i] > v.score[best] {
			best = i
		}
	}
	if !(math.Exp(float64(v.score[best])-l.logZ[s]) > 2*negligible) { // twice, because the score is rounded; false for NaN
		return nil, false
	}
	y = make([]int32, n)
	end := len(v.back)
	for t := n - 1; t >= 0; t-- {
		row := pk.row(s, t)
		now := v.labels[v.from[row]:v.to[row]]
		end -= len(now)
		y[t], best = now[best], int(v.back[end+best])
	}
	return y, true
}

// viterbi finds the labels with the highest score, by their places: see moves. It reuses its memory for each sentence.
type viterbi struct {
	moves       *moves
	legal       transitions
	score, next []float32 // by label
	back        []int32   // of one element after the other, by label: what from requires
}

// best returns the labels of the sentence in place s of the unaries. If scores are equal, the first label wins.
func (v *viterbi) best(pk *packing, s int, u, trans kernel.Matrix) []int32 {
	k, n := u.Cols, pk.lengths[s]
	v.score, v.next = slices.Grow(v.score[:0], k)[:k], slices.Grow(v.next[:0], k)[:k]
	v.back = slices.Grow(v.back[:0], n*k)[:n*k]
	copy(v.score, trans.Row(k))
	kernel.Add(v.score, u.Row(pk.row(s, 0)))
	for t := 1; t < n; t++ {
		v.step(v.next, v.back[t*k:][:k], v.score)
		kernel.Add(v.next, u.Row(pk.row(s, t)))
		v.score, v.next = v.next, v.score
	}
	last := int32(0)
	for p := range v.score {
		v.score[p] += trans.Row(p)[k+1]
		if v.score[p] > v.score[last] {
			last = int32(p)
		}
	}
	y := make([]int32, n)
	for t := n - 1; t >= 0; t-- {
		y[t] = last
		if t > 0 {
			last = v.from(last, v.back[t*k+int(last)])
		}
	}
	return y
}

// step sets next to the highest score of each label after one of those before, whose scores are given, and back to what
// from requires. It does the same as kernel.ViterbiStep does if the illegal transitions are -Inf, except that back is
// arbitrary where next is -Inf.
func (v *viterbi) step(next []float32, back []int32, score []float32) {
	for i, p := range v.moves.pairs {
		next, back, first, second, w := next[p.to:][:p.n], back[p.to:][:p.n], score[p.first:][:p.n], score[p.second:][:p.n], v.legal.pairs[i]
		for j := range next {
			a, b := first[j]+w[0][j], second[j]+w[1][j]
			next[j], back[j] = a, 0
			if b > a {
				next[j], back[j] = b, 1
			}
		}
	}
	from, to := v.moves.common.from, v.moves.common.to
	if v.legal.common.Rows > 0 {
		kernel.ViterbiStep(next[to.low:to.high], back[to.low:to.high], score[from.low:from.high], v.legal.common)
	}
}

// from returns the label before another, for which a step has set back.
func (v *viterbi) from(label, back int32) int32 {
	if to := v.moves.common.to; to.low <= int(label) && int(label) < to.high {
		return int32(v.moves.common.from.low) + back
	}
	for _, p := range v.moves.pairs {
		if j := int(label) - p.to; 0 <= j && j < p.n {
			return int32([2]int{p.first, p.second}[back] + j)
		}
	}
	panic("nn: there is no such label")
}
