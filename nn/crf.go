package nn

import (
	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// CRF is the negative log-likelihood of the gold labels of a linear-chain CRF, summed over the
// sequences (not divided by their lengths, as in the reference): a scalar. The unaries are
// [rows, labels]. The parameter is name.transitions [labels+2, labels+2], initialised by Glorot:
// START is row labels, END column labels+1. gold has a label for each row.
//
// A graph that is not built for training has the parameter, but no loss: CRF returns nil.
func (g *Graph) CRF(name string, unaries *G.Node, gold *Index) *G.Node {
	axis, labels := g.Rows(name, unaries)
	g.sameAxis(name, unaries, gold)
	transitions := g.Param(name+".transitions", labels+2, labels+2, Glorot)
	if !g.Training {
		return nil
	}
	return g.ApplyScalar(name, &crf{axis: axis, gold: gold}, unaries, transitions)
}

// sameAxis checks that gold labels are for the rows of x.
func (g *Graph) sameAxis(name string, x *G.Node, gold *Index) {
	switch axis := g.AxisOf(x); {
	case gold == nil:
		g.Fail(name, "expected labels for the rows of %s, given none", axis.name)
	case axis != gold.axis:
		g.Fail(name, "expected labels for the rows of %s, given labels for %s", axis.name, gold.axis.name)
	}
}

type crf struct {
	axis    *Axis
	gold    *Index
	sum     float64
	lattice lattice
	before  buffer
	pairs   buffer
}

func (l *crf) Forward(in []kernel.Matrix) kernel.Matrix {
	pk, gold := &l.axis.packing, l.gold.below(in[0].Cols)
	l.lattice.run(pk, in[0], in[1])
	l.sum = 0
	for s := range l.axis.order {
		l.sum += l.lattice.logZ[s] - l.lattice.pathScore(pk, s, gold)
	}
	return scalar(l.sum)
}

// Exact returns the loss before the graph rounds it to float32.
func (l *crf) Exact() float64 { return l.sum }

func (l *crf) Backward(in []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	pk, lat := &l.axis.packing, &l.lattice
	k, du, da := in[0].Cols, din[0], din[1]
	start := da.Row(k)
	// Marginals, and the expected count of each pair of labels.
	before := l.before.zeroed(pk.rows, k)
	for t, active := range pk.active {
		for s := range active {
			r := pk.row(s, t)
			marginal, alpha, beta := du.Row(r), lat.alpha.Row(r), lat.beta.Row(r)
			for j := range marginal {
				marginal[j] = alpha[j] * beta[j]
			}
			if t > 0 {
				copy(before.Row(r), lat.alpha.Row(pk.row(s, t-1)))
			}
		}
	}
	pairs := l.pairs.zeroed(k, k)
	kernel.AddMulTN(pairs, before, lat.q)
	for i := range k {
		row, e, d := pairs.Row(i), lat.expA.Row(i), da.Row(i)
		for j := range row {
			d[j] = row[j] * e[j]
		}
	}
	for s := range l.axis.order {
		n := pk.lengths[s]
		first, last := pk.row(s, 0), pk.row(s, n-1)
		if lat.broken[s] {
			lat.log(pk, s).gradient(func(t int) []float32 { return du.Row(pk.row(s, t)) }, da)
		} else {
			for j, v := range du.Row(first) {
				start[j] += v
			}
			for j, v := range du.Row(last) {
				da.Row(j)[k+1] += v
			}
		}
		start[l.gold.rows[first]]--
		da.Row(int(l.gold.rows[last]))[k+1]--
		for t := range n {
			r := pk.row(s, t)
			du.Row(r)[l.gold.rows[r]]--
			if t > 0 {
				da.Row(int(l.gold.rows[pk.row(s, t-1)]))[l.gold.rows[r]]--
			}
		}
	}
	for i := range du.Data {
		du.Data[i] *= dout.Data[0]
	}
	for i := range da.Data {
		da.Data[i] *= dout.Data[0]
	}
}

// The forward products are alpha and beta, the backward one the pairs.
func (l *crf) work() (forward, backward float64) {
	k := float64(l.lattice.labels)
	f := 4 * k * k * float64(l.axis.rows)
	return f, f / 2
}
