package nn

import (
	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Convolution applies filters to each window of width consecutive elements of a sequence of x
// [rows, d]: the output, [rows, filters], has a row for each element (Collobert et al. 2011, section
// 3.2.2). The window of element t goes from t-(width-1)/2 to t+width/2, rounded down, so that one of
// even width has one more element after t than before it. Elements beyond the ends of a sequence are
// zeros. The parameters are name.W [width*d, filters], whose row k*d+j is for column j of the k-th
// element of a window, initialised by Glorot, and name.b [1, filters], initialised to zeros.
//
// Over the characters of each token, with MaxPool, it is the character part of Ma and Hovy 2016,
// section 2.1.
func (g *Graph) Convolution(name string, x *G.Node, width, filters int) *G.Node {
	axis, d := g.Rows(name, x)
	g.positive(name, filters)
	if width < 1 {
		g.Fail(name, "expected a width of at least one element, given %d", width)
	}
	w, b := g.Param(name+".W", width*d, filters, Glorot), g.Param(name+".b", 1, filters, Zeros)
	return g.Apply(name, &convolution{axis: axis, width: width}, axis, filters, x, w, b)
}

// convolution has the inputs x, W and b. It gathers each window in a row, so that the filters are
// one linear layer.
type convolution struct {
	axis     *Axis
	width    int
	linear   linear
	windows  buffer
	dwindows buffer
}

func (l *convolution) Forward(in []kernel.Matrix) kernel.Matrix {
	x := in[0]
	windows := l.windows.zeroed(x.Rows, l.width*x.Cols)
	l.each(x.Cols, func(row, from, to, neighbour int) {
		copy(windows.Row(row)[from:to], x.Row(neighbour))
	})
	return l.linear.Forward([]kernel.Matrix{windows, in[1], in[2]})
}

func (l *convolution) Backward(in []kernel.Matrix, out, dout kernel.Matrix, din []kernel.Matrix) {
	d := in[0].Cols
	windows := l.windows.resize(dout.Rows, l.width*d)
	dwindows := l.dwindows.zeroed(dout.Rows, l.width*d)
	l.linear.Backward([]kernel.Matrix{windows, in[1], in[2]}, out, dout, []kernel.Matrix{dwindows, din[1], din[2]})
	l.each(d, func(row, from, to, neighbour int) {
		kernel.Add(din[0].Row(neighbour), dwindows.Row(row)[from:to])
	})
}

// each calls f for each element of each window: columns [from, to) of the row of the window are
// those of the row neighbour of x, which has d columns.
func (l *convolution) each(d int, f func(row, from, to, neighbour int)) {
	before := (l.width - 1) / 2
	for t, active := range l.axis.active {
		for k := range l.width {
			at := t + k - before
			if at < 0 || at >= len(l.axis.active) {
				continue
			}
			for s := range min(active, l.axis.active[at]) {
				f(l.axis.row(s, t), k*d, (k+1)*d, l.axis.row(s, at))
			}
		}
	}
}

func (l *convolution) work() (forward, backward float64) { return l.linear.work() }
