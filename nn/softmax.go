package nn

import (
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// SoftmaxLoss is the cross-entropy of the gold classes, averaged over the rows of a sequence and
// summed over the sequences: a scalar. The logits are [rows, classes]. A graph that is not built for
// training has no loss: SoftmaxLoss returns nil.
func (g *Graph) SoftmaxLoss(logits *G.Node, gold *Index) *G.Node {
	axis, _ := g.Rows("softmax_loss", logits)
	g.sameAxis("softmax_loss", logits, gold)
	if !g.Training {
		return nil
	}
	return g.ApplyScalar("softmax_loss", &softmaxLoss{axis: axis, gold: gold}, logits)
}

type softmaxLoss struct {
	axis *Axis
	gold *Index
	sum  float64
	p    buffer
}

func (l *softmaxLoss) Forward(in []kernel.Matrix) kernel.Matrix {
	p := l.p.resize(in[0].Rows, in[0].Cols)
	gold := l.gold.below(in[0].Cols)
	l.sum = 0
	for s := range l.axis.order {
		var sum float64
		n := l.axis.lengths[s]
		for t := range n {
			r := l.axis.row(s, t)
			sum += softmax(p.Row(r), in[0].Row(r)) - float64(in[0].Row(r)[gold[r]])
		}
		l.sum += sum / float64(n)
	}
	return scalar(l.sum)
}

// Exact returns the loss before the graph rounds it to float32.
func (l *softmaxLoss) Exact() float64 { return l.sum }

func (l *softmaxLoss) Backward(in []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	p := l.p.resize(in[0].Rows, in[0].Cols)
	for s := range l.axis.order {
		n := l.axis.lengths[s]
		weight := dout.Data[0] / float32(n)
		for t := range n {
			r := l.axis.row(s, t)
			d := din[0].Row(r)
			for j, v := range p.Row(r) {
				d[j] = weight * v
			}
			d[l.gold.rows[r]] -= weight
		}
	}
}

// Softmax turns each row of logits into probabilities that sum to 1.
func (g *Graph) Softmax(logits *G.Node) *G.Node {
	axis, columns := g.Rows("softmax", logits)
	return g.Apply("softmax", &softmaxLayer{}, axis, columns, logits)
}

type softmaxLayer struct{ out buffer }

func (l *softmaxLayer) Forward(in []kernel.Matrix) kernel.Matrix {
	out := l.out.resize(in[0].Rows, in[0].Cols)
	for r := range out.Rows {
		softmax(out.Row(r), in[0].Row(r))
	}
	return out
}

func (l *softmaxLayer) Backward(_ []kernel.Matrix, out, dout kernel.Matrix, din []kernel.Matrix) {
	for r := range out.Rows {
		p, d := out.Row(r), dout.Row(r)
		dot := kernel.Dot(p, d)
		for j, v := range p {
			din[0].Row(r)[j] = v * (d[j] - dot)
		}
	}
}

// softmax sets dst to the softmax of src and returns the log of its normaliser.
func softmax(dst, src []float32) float64 {
	top := kernel.ExpLess(dst, src)
	var sum float64
	for _, v := range dst {
		sum += float64(v)
	}
	for j := range dst {
		dst[j] = float32(float64(dst[j]) / sum)
	}
	return float64(top) + math.Log(sum)
}
