package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Embedding looks up rows of a table [rows, dimension]: the output is [axis of ids, dimension]. The
// table never enters the graph, so that no gradient of its size is ever allocated: only the rows in
// use have a gradient, and only they are updated. For a small table, Gather on a Param does the
// same with an ordinary gradient.
func (g *Graph) Embedding(name string, ids *Index, rows, dimension int, init Init) *G.Node {
	l := &embedding{lookup: g.lookup(name, rows, dimension, init), index: ids}
	return g.Apply(name, l, ids.axis, dimension, l.tap)
}

// lookup is the use of some rows of a table outside of the graph by a layer. The layer has a dummy
// scalar as an input, the tap, so that it has a place in the gradient.
type lookup struct {
	table *Param
	tap   *G.Node
	ids   []int32       // the rows that the layer uses in the current batch, set by Forward
	dout  kernel.Matrix // the gradient of each of them, set by Backward
}

func (g *Graph) lookup(name string, rows, columns int, init Init) *lookup {
	table, err := g.params.get(name, rows, columns, true, init)
	if err != nil {
		g.Fail(name, "%w", err)
	}
	tap := G.NewScalar(g.ExprGraph, G.Float32, G.WithName(fmt.Sprintf("%s.tap%d", name, len(g.lookups))), G.WithValue(float32(0)))
	l := &lookup{table: table, tap: tap}
	g.lookups = append(g.lookups, l)
	return l
}

// copyRows copies the rows in use to the first rows of a matrix.
func (l *lookup) copyRows(dst kernel.Matrix) {
	table := l.table.matrix()
	for r, id := range l.ids {
		copy(dst.Row(r), table.Row(int(id)))
	}
}

type embedding struct {
	*lookup
	index *Index
	out   buffer
}

func (l *embedding) Forward([]kernel.Matrix) kernel.Matrix {
	l.ids = l.index.below(l.table.Rows)
	out := l.out.resize(len(l.ids), l.table.Cols)
	l.copyRows(out)
	return out
}

func (l *embedding) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, _ []kernel.Matrix) {
	l.dout = dout
}

// Gather returns the rows of x whose numbers are in index: the output is [axis of index, columns of
// x]. For example, each token takes the vector of its spelling. The gradient of a row of x is the sum
// over its uses.
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

// Sum returns, for each bag, the sum of the rows of x whose numbers are in it: the output is [axis of
// the bags, columns of x]. For example, a token takes the sum of the vectors of its features.
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
