package nn

import (
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
