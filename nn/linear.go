package nn

import (
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Linear is x.W + b: x is [rows, d], the output [rows, units]. The parameters are name.W [d, units],
// initialised by Glorot, and name.b [1, units], initialised to zeros.
func (g *Graph) Linear(name string, x *G.Node, units int) *G.Node {
	rows, d := g.Rows(name, x)
	g.positive(name, units)
	w, b := g.Param(name+".W", d, units, Glorot), g.Param(name+".b", 1, units, Zeros)
	return g.Apply(name, &linear{weights: g.weights()}, rows, units, x, w, b)
}

// LinearOrder is Linear, except that column i of the output is column order[i] of Linear's, for a Decoder that reads
// unaries in an order. The graph must not be for training.
func (g *Graph) LinearOrder(name string, x *G.Node, order []int32) *G.Node {
	if g.Training {
		g.Fail(name, "expected a graph that is not for training")
	}
	y := g.Linear(name, x, len(order))
	y.Op().(*op).layer.(*linear).order = order
	return y
}

func (g *Graph) positive(name string, units int) {
	if units < 1 {
		g.Fail(name, "expected at least one unit, given %d", units)
	}
}

func (g *Graph) some(layer string, in []*G.Node) {
	if len(in) == 0 || slices.Contains(in, nil) {
		g.Fail(layer, "expected at least one input and no nil")
	}
}

// linear has the inputs x, W and b.
type linear struct {
	out        buffer
	wT         buffer
	rows, size int
	weights    weights

	order       []int32 // see LinearOrder; nil in others
	orderedW    buffer
	orderedBias buffer
}

// ordered copies the columns of a parameter in the order.
func (l *linear) ordered(memory *buffer, m kernel.Matrix) kernel.Matrix {
	if l.order == nil {
		return m
	}
	out := memory.resize(m.Rows, m.Cols)
	for r := range m.Rows {
		from, to := m.Row(r), out.Row(r)
		for i, column := range l.order {
			to[i] = from[column]
		}
	}
	return out
}

func (l *linear) Forward(in []kernel.Matrix) kernel.Matrix {
	x, w, bias := in[0], l.ordered(&l.orderedW, in[1]), l.ordered(&l.orderedBias, in[2])
	l.rows, l.size = x.Rows, len(w.Data)
	out := l.out.resize(x.Rows, w.Cols)
	for r := range out.Rows {
		copy(out.Row(r), bias.Data)
	}
	l.weights.set(w)
	l.weights.addMul(out, x)
	return out
}

func (l *linear) Backward(in []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	addMulTransposed(din[0], dout, in[1], l.wT.transposed(in[1], dout.Rows))
	kernel.AddMulTN(din[1], in[0], dout)
	for r := range dout.Rows {
		kernel.Add(din[2].Data, dout.Row(r))
	}
}

func (l *linear) work() (forward, backward float64) {
	f := 2 * float64(l.rows) * float64(l.size)
	return f, 2 * f
}

// Tanh is the hyperbolic tangent of each value.
func (g *Graph) Tanh(x *G.Node) *G.Node {
	rows, columns := g.Rows("tanh", x)
	return g.Apply("tanh", &tanh{}, rows, columns, x)
}

type tanh struct{ out buffer }

func (l *tanh) Forward(in []kernel.Matrix) kernel.Matrix {
	out := l.out.resize(in[0].Rows, in[0].Cols)
	kernel.Tanh(out.Data, in[0].Data)
	return out
}

func (l *tanh) Backward(_ []kernel.Matrix, out, dout kernel.Matrix, din []kernel.Matrix) {
	d := din[0].Data
	for i, v := range out.Data {
		d[i] = dout.Data[i] * (1 - v*v)
	}
}

// Add returns the sum of matrices of the same shape. Adding the input of a layer to its output makes a
// residual connection.
func (g *Graph) Add(x ...*G.Node) *G.Node {
	g.some("add", x)
	rows, columns := g.Rows("add", x[0])
	for _, n := range x[1:] {
		if g.Matrix("add", n) != columns || g.AxisOf(n) != rows {
			g.Fail("add", "expected %s, given %s", g.Shape(x[0]), g.Shape(n))
		}
	}
	return g.Apply("add", &sum{}, rows, columns, x...)
}

type sum struct{ out buffer }

func (l *sum) Forward(in []kernel.Matrix) kernel.Matrix {
	out := l.out.resize(in[0].Rows, in[0].Cols)
	copy(out.Data, in[0].Data)
	for _, m := range in[1:] {
		kernel.Add(out.Data, m.Data)
	}
	return out
}

func (l *sum) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	for _, d := range din {
		copy(d.Data, dout.Data)
	}
}

// Concat joins the columns of matrices over one axis.
func (g *Graph) Concat(x ...*G.Node) *G.Node {
	g.some("concat", x)
	if len(x) == 1 {
		return x[0]
	}
	rows, width := g.Rows("concat", x[0])
	for _, n := range x[1:] {
		width += g.Matrix("concat", n)
		if g.AxisOf(n) != rows {
			g.Fail("concat", "expected [%s, columns], given %s", rows.name, g.Shape(n))
		}
	}
	return g.Apply("concat", &concat{}, rows, width, x...)
}

type concat struct{ out buffer }

func (l *concat) Forward(in []kernel.Matrix) kernel.Matrix {
	width := 0
	for _, m := range in {
		width += m.Cols
	}
	out := l.out.resize(in[0].Rows, width)
	for r := range out.Rows {
		row := out.Row(r)
		for _, m := range in {
			row = row[copy(row, m.Row(r)):]
		}
	}
	return out
}

func (l *concat) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	for r := range dout.Rows {
		row := dout.Row(r)
		for _, d := range din {
			row = row[copy(d.Row(r), row):]
		}
	}
}

// Total is the sum of losses. In a graph that is not built for training it returns nil.
func (g *Graph) Total(losses ...*G.Node) *G.Node {
	if !g.Training {
		return nil
	}
	g.some("total", losses)
	l := &total{}
	for _, n := range losses {
		if !n.IsScalar() {
			g.Fail("total", "expected a scalar, given %s", g.Shape(n))
		}
		var e exact
		if o, ok := n.Op().(*op); ok {
			e, _ = o.layer.(exact)
		}
		l.exact = append(l.exact, e)
	}
	return g.ApplyScalar("total", l, losses...)
}

type total struct {
	exact []exact
	value float64
}

func (l *total) Forward(in []kernel.Matrix) kernel.Matrix {
	l.value = 0
	for i, m := range in {
		if e := l.exact[i]; e != nil {
			l.value += e.Exact()
		} else {
			l.value += float64(m.Data[0])
		}
	}
	return scalar(l.value)
}

func (l *total) Exact() float64 { return l.value }

func (l *total) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	for _, d := range din {
		d.Data[0] += dout.Data[0]
	}
}
