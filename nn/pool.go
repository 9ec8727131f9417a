package nn

import (
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// LastStates takes from the output h [rows, 2*units] of a BiLSTM the state of each direction after
// it has read a whole sequence: the forward state of the last element and the backward state of the
// first. The output is [sequences of rows, 2*units].
func (g *Graph) LastStates(h *G.Node) *G.Node {
	axis, columns := g.Rows("last_states", h)
	if columns%2 != 0 {
		g.Fail("last_states", "expected the output of a BiLSTM, given %s", g.Shape(h))
	}
	return g.Apply("last_states", &lastStates{axis: axis, units: columns / 2}, g.Sequences(axis), columns, h)
}

type lastStates struct {
	axis  *Axis
	units int
	out   buffer
}

func (l *lastStates) Forward(in []kernel.Matrix) kernel.Matrix {
	out := l.out.resize(len(l.axis.order), 2*l.units)
	for s := range out.Rows {
		row := out.Row(s)
		copy(row[:l.units], in[0].Row(l.last(s)))
		copy(row[l.units:], in[0].Row(l.axis.row(s, 0))[l.units:])
	}
	return out
}

func (l *lastStates) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	for s := range dout.Rows {
		d := dout.Row(s)
		kernel.Add(din[0].Row(l.last(s))[:l.units], d[:l.units])
		kernel.Add(din[0].Row(l.axis.row(s, 0))[l.units:], d[l.units:])
	}
}

func (l *lastStates) last(s int) int { return l.axis.row(s, l.axis.lengths[s]-1) }

// MaxPool takes the maximum of each column of x [rows, d] over the rows of a sequence: the output is
// [sequences of rows, d] (Collobert et al. 2011, section 3.2.2). The gradient goes to the first of
// equal maxima.
func (g *Graph) MaxPool(x *G.Node) *G.Node {
	axis, columns := g.Rows("max_pool", x)
	return g.Apply("max_pool", &maxPool{axis: axis}, g.Sequences(axis), columns, x)
}

type maxPool struct {
	axis *Axis
	from []int32 // the row of each maximum
	out  buffer
}

func (l *maxPool) Forward(in []kernel.Matrix) kernel.Matrix {
	x := in[0]
	out := l.out.resize(len(l.axis.order), x.Cols)
	l.from = slices.Grow(l.from[:0], len(out.Data))[:len(out.Data)]
	for t, active := range l.axis.active {
		for s := range active {
			r := l.axis.row(s, t)
			top, from := out.Row(s), l.from[s*x.Cols:]
			for j, v := range x.Row(r) {
				if t == 0 || v > top[j] {
					top[j], from[j] = v, int32(r)
				}
			}
		}
	}
	return out
}

func (l *maxPool) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	for s := range dout.Rows {
		for j, v := range dout.Row(s) {
			din[0].Row(int(l.from[s*dout.Cols+j]))[j] += v
		}
	}
}
