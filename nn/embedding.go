package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Embedding looks rows of a table [rows, dimension] up: the output is [axis of ids, dimension]. The
// table never enters the graph, so that no gradient of its size is ever allocated: only the rows in
// use have a gradient, and only they are updated. For a small table, Gather on a Param does the
// same with an ordinary gradient.
func (g *Graph) Embedding(name string, ids *Index, rows, dimension int, init Init) *G.Node {
	table, err := g.params.get(name, rows, dimension, true, init)
	if err != nil {
		g.Fail(name, "%w", err)
	}
	l := &embedding{table: table, index: ids}
	l.tap = G.NewScalar(g.ExprGraph, G.Float32, G.WithName(fmt.Sprintf("%s.tap%d", name, len(g.lookups))), G.WithValue(float32(0)))
	g.lookups = append(g.lookups, l)
	return g.Apply(name, l, ids.axis, dimension, l.tap)
}

// embedding has a dummy scalar as its input, the tap, so that it has a place in the gradient.
type embedding struct {
	table *Param
	index *Index
	tap   *G.Node
	out   buffer
	dout  kernel.Matrix
}

func (l *embedding) Forward([]kernel.Matrix) kernel.Matrix {
	ids := l.index.below(l.table.Rows)
	out := l.out.resize(len(ids), l.table.Cols)
	table := l.table.matrix()
	for r, id := range ids {
		copy(out.Row(r), table.Row(int(id)))
	}
	return out
}

func (l *embedding) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, _ []kernel.Matrix) {
	l.dout = dout
}

// Gather returns the rows of x that index has: the output is [axis of index, columns of x]. A token
// takes the vector of its spelling with it. The gradient of a row of x is the sum over its uses.
func (g *Graph) Gather(x *G.Node, index *Index) *G.Node {
	columns := g.Matrix("gather", x)
	return g.Apply("gather", &gather{index: index}, index.axis, columns, x)
}

type gather struct {
	index *Index
	out   buffer
}

func (l *gather) Forward(in []kernel.Matrix) kernel.Matrix {
	rows := l.index.below(in[0].Rows)
	out := l.out.resize(len(rows), in[0].Cols)
	for r, row := range rows {
		copy(out.Row(r), in[0].Row(int(row)))
	}
	return out
}

func (l *gather) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	for r, row := range l.index.rows {
		kernel.Add(din[0].Row(int(row)), dout.Row(r))
	}
}

// Sum returns the sum of the rows of x that each bag has: the output is [axis of the bags, columns of
// x]. A token with several values of a feature takes the sum of their vectors with it.
func (g *Graph) Sum(x *G.Node, bags *Bags) *G.Node {
	columns := g.Matrix("sum", x)
	return g.Apply("sum", &bagSum{bags: bags}, bags.axis, columns, x)
}

type bagSum struct {
	bags *Bags
	out  buffer
}

func (l *bagSum) Forward(in []kernel.Matrix) kernel.Matrix {
	l.bags.axis.check(l.bags.batch, l.bags.values, in[0].Rows)
	out := l.out.zeroed(len(l.bags.start)-1, in[0].Cols)
	for r := range out.Rows {
		for _, row := range l.bags.of(r) {
			kernel.Add(out.Row(r), in[0].Row(int(row)))
		}
	}
	return out
}

func (l *bagSum) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	for r := range dout.Rows {
		for _, row := range l.bags.of(r) {
			kernel.Add(din[0].Row(int(row)), dout.Row(r))
		}
	}
}
