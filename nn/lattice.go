package nn

import (
	"math"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// The linear-chain CRF (section 2.2.4, with the reference's START and END):
// the score of labels y over unaries u is
//
//	A[START][y_1] + sum_t u_t[y_t] + sum_t A[y_t-1][y_t] + A[y_n][END].
//
// lattice runs forward-backward over packed sentences in probability space,
// each row scaled to sum 1 (Rabiner 1989, section V.A), so that a step over the
// whole batch is one matrix product. A sentence whose scale leaves float32's
// range is computed again in log space.
type lattice struct {
	labels   int
	moves    *moves // the transitions that are possible; all if nil
	e        buffer // exp(A - its maximum), real labels only
	alphaBuf buffer
	betaBuf  buffer
	expATBuf buffer
	qBuf     buffer
	start    []float32
	end      []float32
	scale    []float32           // of each row
	logZ     []float64           // of each sentence, in packed order
	broken   []bool              // whether a sentence requires log space
	logs     map[int]*logLattice // of the sentences that require it
	trans    kernel.Matrix
	unaries  kernel.Matrix
	expA     kernel.Matrix
	legal    transitions   // those of expA
	forward  kernel.Factor // legal.common
	backward kernel.Factor // legal.common, transposed
	alpha    kernel.Matrix
	beta     kernel.Matrix
	q        kernel.Matrix // exp(u - the maximum of its row), and once beta is known the product of that and beta / scale, which is passed on to the element before

	each func(row int, alpha, beta []float32) // called for each row of a sentence that is not broken; nil in training
}

// run computes logZ and the scaled alphas and betas. The labels of u and trans are in the order of the moves.
func (l *lattice) run(pk *packing, u, trans kernel.Matrix) {
	k := u.Cols
	if l.moves == nil {
		all := allMoves(k)
		l.moves = &all
	}
	l.labels, l.trans, l.unaries = k, trans, u
	a := trans.Slice(0, k).Columns(0, k)
	shiftA := l.exponentiate(a)
	shiftStart := expRow(&l.start, trans.Row(k)[:k])
	last := make([]float32, k)
	for i := range k {
		last[i] = trans.Row(i)[k+1]
	}
	shiftEnd := expRow(&l.end, last)

	sentences := len(pk.lengths)
	l.logZ, l.broken, l.logs = make([]float64, sentences), make([]bool, sentences), nil
	l.alpha, l.beta, l.q = l.alphaBuf.resize(pk.rows, k), l.betaBuf.resize(pk.rows, k), l.qBuf.resize(pk.rows, k)
	if cap(l.scale) < pk.rows {
		l.scale = make([]float32, pk.rows)
	}
	l.scale = l.scale[:pk.rows]
	expAT := l.expATBuf.resize(l.legal.common.Cols, l.legal.common.Rows) // for any number of rows, so that a sentence has the same bits in every batch
	kernel.Transpose(expAT, l.legal.common)
	l.backward.Set(expAT)
	l.runForward(pk, shiftStart, shiftA)
	l.runBackward(pk, shiftEnd)
	l.check(pk)
	for s, broken := range l.broken {
		if broken {
			l.logZ[s] = l.log(pk, s).logZ
		}
	}
}

// runForward computes the alphas.
func (l *lattice) runForward(pk *packing, shiftStart, shiftA float32) {
	for t, active := range pk.active {
		first := pk.offset[t]
		if t > 0 {
			from := pk.offset[t-1]
			l.step(cleared(l.alpha.Slice(first, first+active)), l.alpha.Slice(from, from+active))
		}
		for s := range active {
			r := first + s
			p, alpha := l.q.Row(r), l.alpha.Row(r)
			shift := kernel.ExpLess(p, l.unaries.Row(r))
			if t == 0 {
				copy(alpha, l.start)
				shift += shiftStart
			} else {
				shift += shiftA
			}
			l.scale[r] = kernel.Dot(alpha, p)
			kernel.MultiplyScaled(alpha, 1/l.scale[r], p)
			l.logZ[s] += math.Log(float64(l.scale[r])) + float64(shift)
		}
	}
}

// runBackward computes the betas, given the alphas.
func (l *lattice) runBackward(pk *packing, shiftEnd float32) {
	for t := len(pk.active) - 1; t >= 0; t-- {
		active, first := pk.active[t], pk.offset[t]
		going := 0
		if t+1 < len(pk.active) {
			going = pk.active[t+1]
			next := pk.offset[t+1]
			l.stepBack(cleared(l.beta.Slice(first, first+going)), l.q.Slice(next, next+going))
		}
		for s := range active {
			r := first + s
			beta, alpha := l.beta.Row(r), l.alpha.Row(r)
			if s >= going { // the sentence's last token
				sum := kernel.Dot(alpha, l.end)
				l.logZ[s] += math.Log(float64(sum)) + float64(shiftEnd)
				for j, v := range l.end {
					beta[j] = v / sum
				}
				if z := l.logZ[s]; math.IsNaN(z) || math.IsInf(z, 0) {
					l.broken[s] = true
				}
			}
			if l.broken[s] {
				clear(alpha)
				clear(beta)
				clear(l.q.Row(r))
				continue
			}
			if l.each != nil {
				l.each(r, alpha, beta)
			}
			kernel.MultiplyScaled(l.q.Row(r), 1/l.scale[r], beta)
		}
	}
}

// step adds to the rows of next what the labels before, whose alphas are given, pass on to those after them.
func (l *lattice) step(next, alpha kernel.Matrix) {
	common := l.moves.common
	l.forward.AddMul(common.to.of(next), common.from.of(alpha))
	for i, p := range l.moves.pairs {
		w := l.legal.pairs[i]
		for r := range next.Rows {
			to, from := next.Row(r)[p.to:][:p.n], alpha.Row(r)
			kernel.AddProduct(to, from[p.first:], w[0])
			kernel.AddProduct(to, from[p.second:], w[1])
		}
	}
}

// stepBack is step in the other direction.
func (l *lattice) stepBack(beta, q kernel.Matrix) {
	common := l.moves.common
	l.backward.AddMul(common.from.of(beta), common.to.of(q))
	for i, p := range l.moves.pairs {
		w := l.legal.pairs[i]
		for r := range beta.Rows {
			to, from := beta.Row(r), q.Row(r)[p.to:][:p.n]
			kernel.AddProduct(to[p.first:][:p.n], from, w[0])
			kernel.AddProduct(to[p.second:][:p.n], from, w[1])
		}
	}
}

// cleared sets the elements of m, whose rows are contiguous, to zero while they are about to be used. To clear the
// matrices of the whole batch first takes five times as long.
func cleared(m kernel.Matrix) kernel.Matrix {
	clear(m.Data[:m.Rows*m.Cols])
	return m
}

// check finds the sentences whose sums are finite but wrong. If a label whose alpha underflowed
// wins in the end, its beta overflows and alpha·beta is no longer 1. Any other loss is below e^-12
// of the whole.
func (l *lattice) check(pk *packing) {
	for s := range l.broken {
		var sum float64
		alpha, beta := l.alpha.Row(s), l.beta.Row(s)
		for j, v := range alpha {
			sum += float64(v) * float64(beta[j])
		}
		if l.broken[s] || math.Abs(sum-1) < 1e-2 {
			continue
		}
		l.broken[s] = true
		for t := 0; t < len(pk.active) && s < pk.active[t]; t++ {
			r := pk.row(s, t)
			clear(l.alpha.Row(r))
			clear(l.beta.Row(r))
			clear(l.q.Row(r))
		}
	}
}

func (l *lattice) exponentiate(a kernel.Matrix) (shift float32) {
	shift = kernel.Max(a.Row(0))
	for i := range a.Rows {
		shift = max(shift, kernel.Max(a.Row(i)))
	}
	l.expA = l.e.resize(a.Rows, a.Cols)
	for i := range a.Rows {
		kernel.ExpMinus(l.expA.Row(i), a.Row(i), shift)
	}
	l.legal.take(l.expA, l.moves)
	l.forward.Set(l.legal.common)
	return shift
}

// expRow sets dst to exp(src - max src) and returns that maximum.
func expRow(dst *[]float32, src []float32) float32 {
	if len(*dst) != len(src) {
		*dst = make([]float32, len(src))
	}
	return kernel.ExpLess(*dst, src)
}

// sentence copies the unaries of the sentence in place s out of the packing.
func (l *lattice) sentence(pk *packing, s int) kernel.Matrix {
	n := pk.lengths[s]
	u := kernel.NewMatrix(n, l.labels, make([]float32, n*l.labels))
	for t := range n {
		copy(u.Row(t), l.unaries.Row(pk.row(s, t)))
	}
	return u
}

// log returns the lattice in log space of the sentence in place s, which it computes once.
func (l *lattice) log(pk *packing, s int) *logLattice {
	if l.logs[s] == nil {
		if l.logs == nil {
			l.logs = map[int]*logLattice{}
		}
		l.logs[s] = newLogLattice(l.sentence(pk, s), l.trans)
	}
	return l.logs[s]
}

// pathScore returns the score of a label for each row, for the whole sentence in place s.
func (l *lattice) pathScore(pk *packing, s int, labels []int32) float64 {
	k, n := l.labels, pk.lengths[s]
	last := labels[pk.row(s, n-1)]
	score := float64(l.trans.Row(k)[labels[pk.row(s, 0)]]) + float64(l.trans.Row(int(last))[k+1])
	for t := range n {
		r := pk.row(s, t)
		score += float64(l.unaries.Row(r)[labels[r]])
		if t > 0 {
			score += float64(l.trans.Row(int(labels[pk.row(s, t-1)]))[labels[r]])
		}
	}
	return score
}

// probability returns the probability of the labels y[from:to] in that place, summed over all other
// labels.
func (l *lattice) probability(pk *packing, s int, y []int32, from, to int) float64 {
	if l.broken[s] {
		return l.log(pk, s).probability(y, from, to)
	}
	first := pk.row(s, from)
	beta := l.beta.Row(first)[y[from]]
	p := float64(l.alpha.Row(first)[y[from]]) * float64(beta)
	for t := from + 1; t < to && p > 0; t++ { // by the probability of each label after the one before
		r := pk.row(s, t)
		p *= float64(l.expA.Row(int(y[t-1]))[y[t]]) * float64(l.q.Row(r)[y[t]]) / float64(beta)
		beta = l.beta.Row(r)[y[t]]
	}
	return min(max(p, 0), 1)
}

// logLattice is forward-backward over one sentence in float64 log space. It is slow, and used for
// sentences that exceed the range of lattice.
type logLattice struct {
	u, a        kernel.Matrix
	alpha, beta [][]float64
	logZ        float64
}

func newLogLattice(u, a kernel.Matrix) *logLattice {
	n, k := u.Rows, u.Cols
	l := &logLattice{u: u, a: a}
	terms := make([]float64, k)
	for t := range n {
		row := make([]float64, k)
		for j := range k {
			into := float64(a.Row(k)[j])
			if t > 0 {
				for i := range k {
					terms[i] = l.alpha[t-1][i] + float64(a.Row(i)[j])
				}
				into = logSumExp(terms)
			}
			row[j] = into + float64(u.Row(t)[j])
		}
		l.alpha = append(l.alpha, row)
	}
	l.beta = make([][]float64, n)
	for t := n - 1; t >= 0; t-- {
		l.beta[t] = make([]float64, k)
		for i := range k {
			if t == n-1 {
				l.beta[t][i] = float64(a.Row(i)[k+1])
				continue
			}
			for j := range k {
				terms[j] = float64(a.Row(i)[j]) + float64(u.Row(t + 1)[j]) + l.beta[t+1][j]
			}
			l.beta[t][i] = logSumExp(terms)
		}
	}
	for i := range k {
		terms[i] = l.alpha[n-1][i] + l.beta[n-1][i]
	}
	l.logZ = logSumExp(terms)
	return l
}

// gradient adds the gradient of logZ to the gradients of the unaries and transitions.
func (l *logLattice) gradient(du func(t int) []float32, da kernel.Matrix) {
	n, k := l.u.Rows, l.u.Cols
	for t := range n {
		row := du(t)
		for j := range k {
			m := float32(math.Exp(l.alpha[t][j] + l.beta[t][j] - l.logZ))
			row[j] += m
			if t == 0 {
				da.Row(k)[j] += m
			}
			if t == n-1 {
				da.Row(j)[k+1] += m
			}
			if t > 0 {
				for i := range k {
					da.Row(i)[j] += float32(math.Exp(l.alpha[t-1][i] + float64(l.a.Row(i)[j]) + float64(l.u.Row(t)[j]) + l.beta[t][j] - l.logZ))
				}
			}
		}
	}
}

func (l *logLattice) probability(y []int32, from, to int) float64 {
	if math.IsInf(l.logZ, -1) { // no path is possible
		return 0
	}
	p := l.alpha[from][y[from]]
	for t := from + 1; t < to; t++ {
		p += float64(l.a.Row(int(y[t-1]))[y[t]]) + float64(l.u.Row(t)[y[t]])
	}
	return min(math.Exp(p+l.beta[to-1][y[to-1]]-l.logZ), 1)
}

func logSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, 0) {
		return top
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}
