package chain

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// sums is the forward and backward sums of one sequence, and the memory for
// them. Rows are tokens, of L labels each. In place of the sums themselves stand
// those of each row divided by their total (Rabiner 1989, section V.A), so that
// none leaves the range of float64.
type sums struct {
	L       int
	scores  []float64 // of the states
	states  []float64 // exp(score - the row's maximum)
	forward []float64 // each row sums to 1
	scale   []float64 // of each row: one divided by what it summed to
	back    []float64 // forward * back is the probability of the label
	after   []float64 // of a row t: states * back * scale, what the row before sums over
	LogZ    float64
}

func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n, n+n/4)
	}
	return s[:n]
}

// compute takes all sums of a sequence; trans is exp of the transition weights,
// first and last say which labels may begin and end the sequence (nil: all).
func (u *sums) compute(m *Model, s *Sequence, trans []float64, first, last []bool) {
	u.scores = grow(u.scores, s.Len()*m.Labels)
	m.states(s, u.scores)
	u.sum(m.Labels, s.Len(), trans, first, last)
}

// computeShrunk is compute for state weights that are shrunk*m.Weight.
func (u *sums) computeShrunk(m *Model, s *Sequence, trans []float64, shrunk float64) {
	u.scores = grow(u.scores, s.Len()*m.Labels)
	m.states(s, u.scores)
	floats.Scale(shrunk, u.scores)
	u.sum(m.Labels, s.Len(), trans, nil, nil)
}

// sum is compute after the scores of the states, for L labels and n tokens.
func (u *sums) sum(L, n int, trans []float64, first, last []bool) {
	u.L = L
	u.states, u.forward, u.back, u.after = grow(u.states, n*L), grow(u.forward, n*L), grow(u.back, n*L), grow(u.after, n*L)
	u.scale = grow(u.scale, n)
	u.LogZ = 0
	for t := range n {
		row, e, f := u.scores[t*L:(t+1)*L], u.states[t*L:(t+1)*L], u.forward[t*L:(t+1)*L]
		top := floats.Max(row)
		for j, x := range row {
			e[j] = math.Exp(x - top)
		}
		if t == 0 {
			copy(f, e)
			forbid(f, first)
		} else {
			clear(f)
			for i, p := range u.forward[(t-1)*L : t*L] {
				if p != 0 {
					floats.AddScaled(f, p, trans[i*L:(i+1)*L])
				}
			}
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
		b := u.back[t*L : (t+1)*L]
		if t == n-1 {
			for i := range b {
				b[i] = 1
			}
			forbid(b, last)
		} else {
			next := u.after[(t+1)*L : (t+2)*L]
			for i := range b {
				b[i] = floats.Dot(trans[i*L:(i+1)*L], next)
			}
		}
		v := u.after[t*L : (t+1)*L]
		floats.MulTo(v, u.states[t*L:(t+1)*L], b)
		floats.Scale(u.scale[t], v)
	}
}

// forbid makes the sums of labels that are not allowed zero.
func forbid(row []float64, allowed []bool) {
	for i, ok := range allowed {
		if !ok {
			row[i] = 0
		}
	}
}

// marginal is the probability of each label of token t.
func (u *sums) marginal(t int, into []float64) {
	floats.MulTo(into, u.forward[t*u.L:(t+1)*u.L], u.back[t*u.L:(t+1)*u.L])
}

// negligible is the probability of a label below which its transitions add
// nothing to the expected counts.
const negligible = 1e-10

// addPairs adds, for each pair of labels i, j, the probability that the
// transitions of the sequence are this one, but for the factor trans[i*L+j].
func (u *sums) addPairs(into []float64) {
	L := u.L
	for t := 1; t < len(u.scale); t++ {
		f, b, v := u.forward[(t-1)*L:t*L], u.back[(t-1)*L:t*L], u.after[t*L:(t+1)*L]
		for i := range f {
			if f[i]*b[i] > negligible {
				floats.AddScaled(into[i*L:(i+1)*L], f[i], v)
			}
		}
	}
}

// score is that of given labels.
func (u *sums) score(m *Model, labels []int32) float64 {
	total := 0.0
	for t, y := range labels {
		total += u.scores[t*u.L+int(y)]
		if t > 0 {
			total += m.Transition[int(labels[t-1])*u.L+int(y)]
		}
	}
	return total
}

// exp writes exp(x) of each x.
func exp(into, of []float64) {
	for i, x := range of {
		into[i] = math.Exp(x)
	}
}
