package nn

import (
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// pieces are the parts of the input of a layer that multiplies its input by weights. In a graph for prediction,
// the columns that Gather or Sum makes of a matrix need not exist: each row of the matrix that is in use is
// multiplied once for the whole batch, and each row of the product is a sum of these. A batch has far fewer distinct tokens,
// characters and features than tokens.
//
// The product of a row does not depend on the other rows of the batch.
type pieces struct {
	list []*piece
	// numbers are the rows of factors that are summed for each row of the product: those of row r are
	// numbers[start[r]:start[r+1]], of which the first is 0, the bias.
	start, numbers []int32
	factors        int // number of rows, with the bias
}

// piece is some columns of the input.
type piece struct {
	index    *Index // of Gather; nil for others
	bags     *Bags  // of Sum; nil for others
	from, to int    // the columns

	rows    kernel.Matrix // the rows of the input or, unless the piece is direct, those of the matrix that are in use
	first   int           // the factor of the first row
	factor  []int32       // of each row of the matrix, or -1
	used    []int32       // the rows that have one
	compact buffer
}

// pieces returns what the input x of a layer consists of, and the nodes that the layer reads in its place: in
// training, x itself. machine.computed says what happens to the nodes between.
func (g *Graph) pieces(x *G.Node) (nodes []*G.Node, all *pieces) {
	all = &pieces{}
	columns := 0
	add := func(n *G.Node, p *piece) {
		p.from, p.to = columns, columns+n.Shape()[1]
		columns = p.to
		nodes, all.list = append(nodes, n), append(all.list, p)
	}
	var look func(n *G.Node)
	look = func(n *G.Node) {
		o, ours := n.Op().(*op)
		if !ours || g.Training {
			add(n, &piece{})
			return
		}
		switch l := o.layer.(type) {
		case *concat:
			for _, in := range o.in {
				look(in)
			}
		case *gather:
			add(o.in[0], &piece{index: l.index})
		case *bagSum:
			add(o.in[0], &piece{bags: l.bags})
		default:
			add(n, &piece{})
			return
		}
		g.bypassed[n] = true
	}
	look(x)
	return nodes, all
}

// direct reports whether the rows of the piece are those of the input.
func (p *piece) direct() bool { return p.index == nil && p.bags == nil }

// take takes the matrices of a batch, one for each piece, whose input has this many rows.
func (a *pieces) take(in []kernel.Matrix, rows int) {
	a.factors = 1
	for i, p := range a.list {
		p.rows, p.first = in[i], a.factors
		if !p.direct() {
			p.collect(in[i])
			a.factors += len(p.used)
		}
	}
	a.start, a.numbers = append(a.start[:0], 0), a.numbers[:0]
	for r := range rows {
		a.numbers = append(a.numbers, 0)
		for _, p := range a.list {
			switch {
			case p.index != nil:
				a.numbers = append(a.numbers, p.factor[p.index.rows[r]])
			case p.bags != nil:
				for _, row := range p.bags.of(r) {
					a.numbers = append(a.numbers, p.factor[row])
				}
			}
		}
		a.start = append(a.start, int32(len(a.numbers)))
	}
}

// collect copies the rows of the matrix that are in use, and numbers them.
func (p *piece) collect(x kernel.Matrix) {
	var rows []int32
	if p.index != nil {
		rows = p.index.below(x.Rows)
	} else {
		p.bags.axis.check(p.bags.batch, p.bags.values, x.Rows)
		rows = p.bags.values
	}
	p.factor = slices.Grow(p.factor[:0], x.Rows)[:x.Rows]
	for i := range p.factor {
		p.factor[i] = -1
	}
	p.used = p.used[:0]
	for _, row := range rows {
		if p.factor[row] < 0 {
			p.factor[row] = int32(p.first + len(p.used))
			p.used = append(p.used, row)
		}
	}
	if len(p.used) == x.Rows { // nothing to leave out, as of the distinct tokens of a batch
		for i := range p.factor {
			p.factor[i] = int32(p.first + i)
		}
		p.rows = x
		return
	}
	p.rows = p.compact.resize(len(p.used), x.Cols)
	for i, row := range p.used {
		copy(p.rows.Row(i), x.Row(int(row)))
	}
}

// product is the product of pieces and weights.
type product struct {
	*pieces
	weights []weights // of each piece
	factors kernel.Matrix
}

// times prepares the product, for which it needs memory. There are weights for each piece, which it sets.
func (a *pieces) times(matrix kernel.Matrix, bias []float32, w []weights, memory *buffer) product {
	m := product{a, w, memory.zeroed(a.factors, matrix.Cols)}
	copy(m.factors.Row(0), bias)
	for i, p := range a.list {
		w[i].set(matrix.Slice(p.from, p.to))
		if !p.direct() {
			w[i].addMul(m.factors.Slice(p.first, p.first+p.rows.Rows), p.rows)
		}
	}
	return m
}

// set sets z to rows of the product, with the bias, from the given row on.
func (m product) set(z kernel.Matrix, from int) {
	for r := range z.Rows {
		kernel.SumRows(z.Row(r), m.factors, m.numbers[m.start[from+r]:m.start[from+r+1]])
	}
	for i, p := range m.list {
		if p.direct() {
			m.weights[i].addMul(z, p.rows.Slice(from, from+z.Rows))
		}
	}
}

// multiplications is the number of multiplications for weights of this many columns.
func (a *pieces) multiplications(columns int) float64 {
	n := 0
	for _, p := range a.list {
		n += p.rows.Rows * (p.to - p.from)
	}
	return float64(n * columns)
}
