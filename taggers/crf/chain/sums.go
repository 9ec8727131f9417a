package chain

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/lethe-deid/lethe/nn/kernel/rows"
)

// sums holds the forward and backward sums of one sequence, and the memory for them.
// There is one row of L labels per token. Each row is divided by its total (Rabiner
// 1989, section V.A), so that no value leaves the range of float64.
type sums struct {
	L       int
	P       int       // length of a row for package rows; values beyond L are ignored
	scores  []float64 // scores of the states
	states  []float64 // exp(score - the row's maximum)
	forward []float64 // each row sums to 1
	scale   []float64 // of each row: 1 divided by its sum before scaling
	back    []float64 // forward * back is the probability of the label
	after   []float64 // row t: states * back * scale, which the backward sums of row t-1 add up
	pairs   []float64
	own     transitions
	LogZ    float64
}

// transitions holds exp of the transition weights, in rows for package rows.
type transitions struct {
	from []float64 // a row for each label before
	to   []float64 // a row for each label after
}

// set copies trans, exp(weight) of each pair of L labels, into rows.
func (x *transitions) set(trans []float64, L int) {
	P := rows.Width(L)
	x.from, x.to = grow(x.from, L*P), grow(x.to, L*P)
	for i := range L {
		copy(x.from[i*P:], trans[i*L:(i+1)*L])
		clear(x.from[i*P+L : (i+1)*P])
		for j := range L {
			x.to[i*P+j] = trans[j*L+i]
		}
		clear(x.to[i*P+L : (i+1)*P])
	}
}

func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n, n+n/4)
	}
	return s[:n]
}

// compute computes all sums of a sequence. trans is exp of the transition weights.
// first and last tell which labels may begin and end the sequence; nil allows all.
func (u *sums) compute(m *Model, s *Sequence, trans []float64, first, last []bool) {
	u.computeShrunk(m, s, trans, first, last, 1)
}

// computeShrunk is compute for state weights that are shrunk*m.Weight.
func (u *sums) computeShrunk(m *Model, s *Sequence, trans []float64, first, last []bool, shrunk float64) {
	u.begin(m.Labels, s.Len())
	m.states(s, u.scores, u.P)
	if shrunk != 1 {
		floats.Scale(shrunk, u.scores)
	}
	u.own.set(trans, u.L)
	u.sum(&u.own, first, last)
}

// begin allocates room for n tokens of L labels.
func (u *sums) begin(L, n int) {
	u.L, u.P = L, rows.Width(L)
	size := n * u.P
	u.scores, u.states, u.forward = grow(u.scores, size), grow(u.states, size), grow(u.forward, size)
	u.back, u.after, u.scale = grow(u.back, size), grow(u.after, size), grow(u.scale, n)
}

// row returns the row of token t.
func (u *sums) row(of []float64, t int) []float64 { return of[t*u.P : (t+1)*u.P] }

// sum computes all sums once the scores of the states are set.
func (u *sums) sum(trans *transitions, first, last []bool) {
	n := len(u.scale)
	u.LogZ = 0
	for t := range n {
		e, f, scores := u.row(u.states, t), u.row(u.forward, t), u.row(u.scores, t)
		for i := u.L; i < u.P; i++ {
			scores[i] = math.Inf(-1)
		}
		top := rows.ExpLess(e, scores)
		if t == 0 {
			copy(f, e)
			clear(f[u.L:])
			forbid(f, first)
		} else {
			clear(f)
			rows.MulAdd(f, u.row(u.forward, t-1), 1, u.L, trans.from)
			floats.Mul(f, e)
		}
		if t == n-1 {
			forbid(f, last)
		}
		total := floats.Sum(f)
		u.scale[t] = 1 / total
		floats.Scale(u.scale[t], f)
		u.LogZ += top + math.Log(total)
	}
	for t := n - 1; t >= 0; t-- {
		b := u.row(u.back, t)
		clear(b)
		if t == n-1 {
			for i := range u.L {
				b[i] = 1
			}
			forbid(b, last)
		} else {
			rows.MulAdd(b, u.row(u.after, t+1), 1, u.L, trans.to)
		}
		v := u.row(u.after, t)
		floats.MulTo(v, u.row(u.states, t), b)
		floats.Scale(u.scale[t], v)
	}
}

// forbid sets the sums of labels that are not allowed to zero.
func forbid(row []float64, allowed []bool) {
	for i, ok := range allowed {
		if !ok {
			row[i] = 0
		}
	}
}

// marginal writes the probability of each label of token t.
func (u *sums) marginal(t int, into []float64) {
	floats.MulTo(into, u.row(u.forward, t)[:len(into)], u.row(u.back, t)[:len(into)])
}

// addPairs adds, for each pair of labels i, j, the expected number of transitions from
// i to j in the sequence, without the factor trans[i*L+j].
func (u *sums) addPairs(into []float64) {
	if len(u.scale) < 2 {
		return
	}
	u.pairs = grow(u.pairs, u.P)
	for i := range u.L {
		clear(u.pairs)
		rows.MulAdd(u.pairs, u.forward[i:], u.P, len(u.scale)-1, u.after[u.P:])
		floats.Add(into[i*u.L:(i+1)*u.L], u.pairs[:u.L])
	}
}

// score returns the score of the given labels.
func (u *sums) score(m *Model, labels []int32) float64 {
	total := 0.0
	for t, y := range labels {
		total += u.row(u.scores, t)[y]
		if t > 0 {
			total += m.Transition[int(labels[t-1])*u.L+int(y)]
		}
	}
	return total
}

// exp writes exp(x) for each x of of into into.
func exp(into, of []float64) {
	for i, x := range of {
		into[i] = math.Exp(x)
	}
}
