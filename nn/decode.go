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
	forbidden []bool        // of each transition
	trans     kernel.Matrix // the transitions with -Inf where forbidden; viterbi adds these
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
	d.viterbi.moves = newMoves(labels, func(a, b int) bool { return !d.forbidden[a*k+b] })
	return d
}

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
// are [rows, labels], the transitions [labels+2, labels+2] as in Graph.CRF. Without transitions
// (nil), each element is labelled on its own, by a softmax. Decode panics if a shape does not fit.
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
	for i, v := range crf.Data { // copied each time, because a trainer may have changed them
		if d.forbidden[i] {
			v = float32(math.Inf(-1))
		}
		d.trans.Data[i] = v
	}
	d.viterbi.moves.set(d.trans)
	pk := &axis.packing
	d.lattice.run(pk, unaries, crf) // with transitions of 0 it is a softmax at each element
	found := make([]Labeling, len(axis.order))
	for s, i := range axis.order {
		y, ok := d.likely.best(pk, s, &d.lattice, d.trans)
		if !ok {
			y = d.viterbi.best(pk, s, unaries, d.trans)
		}
		other := make([]int32, len(y))
		found[i] = Labeling{
			y, func(from, to int) float64 { return d.lattice.probability(pk, s, y, from, to) },
			func(t int, label int32) float64 {
				other[t] = label
				return d.lattice.probability(pk, s, other, t, t+1)
			},
		}
	}
	return found
}

// negligible is the marginal probability below which likely leaves out a label.
const negligible = 1e-4

// likely finds the labels with the highest score among those whose marginal probability is not negligible, of
// which most elements have one or two. The marginal of a label is the sum over all paths through it. A path with a
// label that is left out thus has a negligible probability, so the path that is found is the best one of all if its own
// is higher.
type likely struct {
	labels []int32   // of one element after the other
	start  []int32   // by element, its first label
	back   []int32   // by label, the index of the one before
	score  []float32 // by label
}

// best returns the labels of the sentence in place s, and whether they are sure to be the same that viterbi finds.
func (v *likely) best(pk *packing, s int, l *lattice, trans kernel.Matrix) (y []int32, ok bool) {
	if l.broken[s] {
		return nil, false
	}
	k, n := l.labels, pk.lengths[s]
	v.labels, v.start, v.back, v.score = v.labels[:0], append(v.start[:0], 0), v.back[:0], v.score[:0]
	for t := range n {
		r := pk.row(s, t)
		alpha, beta, u := l.alpha.Row(r), l.beta.Row(r), l.unaries.Row(r)
		before, first := 0, int(v.start[t])
		if t > 0 {
			before = int(v.start[t-1])
		}
		beta = beta[:len(alpha)]
		for label, a := range alpha {
			if a*beta[label] < negligible {
				continue
			}
			var score float32
			back := int32(-1)
			if t == 0 {
				score = trans.Row(k)[label]
			}
			for b := before; b < first; b++ {
				if next := v.score[b] + trans.Data[int(v.labels[b])*trans.Stride+label]; back < 0 || next > score {
					score, back = next, int32(b)
				}
			}
			v.labels, v.back, v.score = append(v.labels, int32(label)), append(v.back, back), append(v.score, score+u[label])
		}
		if len(v.labels) == first {
			return nil, false
		}
		v.start = append(v.start, int32(len(v.labels)))
	}
	best, top := int32(-1), float32(0)
	for i := v.start[n-1]; i < v.start[n]; i++ {
		if score := v.score[i] + trans.Row(int(v.labels[i]))[k+1]; best < 0 || score > top {
			best, top = i, score
		}
	}
	if !(math.Exp(float64(top)-l.logZ[s]) > 2*negligible) { // twice, because the score is rounded; false for -Inf
		return nil, false
	}
	y = make([]int32, n)
	for t := n - 1; t >= 0; t-- {
		y[t], best = v.labels[best], v.back[best]
	}
	return y, true
}

// viterbi finds the labels with the highest score. It reuses its memory for each sentence.
type viterbi struct {
	score, next []float32 // by place: see moves
	back        []int32
	moves       moves
}

// best returns the labels of the sentence in place s of the unaries. If scores are equal, the lower
// label wins.
func (v *viterbi) best(pk *packing, s int, u, trans kernel.Matrix) []int32 {
	k, n, order := u.Cols, pk.lengths[s], v.moves.order
	v.score, v.next = slices.Grow(v.score[:0], k)[:k], slices.Grow(v.next[:0], k)[:k]
	v.back = slices.Grow(v.back[:0], n*k)[:n*k]
	first, row := trans.Row(k), u.Row(pk.row(s, 0))
	for p, label := range order {
		v.score[p] = first[label] + row[label]
	}
	for t := 1; t < n; t++ {
		v.moves.step(v.next, v.back[t*k:][:k], v.score)
		row, next := u.Row(pk.row(s, t)), v.next[:len(order)]
		for p, label := range order {
			next[p] += row[label]
		}
		v.score, v.next = v.next, v.score
	}
	last := int32(0)
	for p, label := range order {
		v.score[p] += trans.Row(int(label))[k+1]
		if v.score[p] > v.score[last] || v.score[p] == v.score[last] && label < order[last] {
			last = int32(p)
		}
	}
	y := make([]int32, n)
	for t := n - 1; t >= 0; t-- {
		y[t] = order[last]
		if t > 0 {
			last = v.moves.from(last, v.back[t*k+int(last)])
		}
	}
	return y
}
