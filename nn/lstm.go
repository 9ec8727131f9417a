package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Cell names an LSTM cell: see kernel.Cell for the equations.
type Cell string

// The cells.
const (
	Coupled  Cell = "coupled"  // coupled input and forget gates, as in the reference implementation
	Peephole Cell = "peephole" // as printed in Dernoncourt et al. 2016, section 2.2.1
	Standard Cell = "standard" // separate input and forget gates
	// FullPeephole has separate gates that see the cell through full matrices, as printed in Liu et
	// al. 2017, equation 1.
	FullPeephole Cell = "full-peephole"
)

// Validate returns an error if there is no such cell.
func (c Cell) Validate() error {
	_, err := c.kernel()
	return err
}

func (c Cell) kernel() (kernel.Cell, error) {
	switch c {
	case Coupled:
		return kernel.Coupled, nil
	case Peephole:
		return kernel.Peephole, nil
	case Standard:
		return kernel.Standard, nil
	case FullPeephole:
		return kernel.FullPeephole, nil
	}
	return 0, fmt.Errorf("cell: %q is not coupled, peephole, full-peephole or standard", string(c))
}

// LSTM runs a long short-term memory over each sequence of x [rows, d]. The output, [rows, units],
// has the hidden state after each element. gates is 3 for Coupled and Peephole, and 4 for the
// others. All parameters are initialised by Glorot except name.b:
//
//   - name.W [d+units, gates*units], the weights of x and of the hidden state before;
//   - name.b [1, gates*units], initialised to zeros;
//   - name.c0 and name.h0 [1, units], the cell and the hidden state before the first element, of
//     Coupled and Standard; the other cells start from zeros;
//   - name.P, the weights of the cell before: [units, units] for Peephole, and [units, 2*units] for
//     FullPeephole;
//   - name.Po [units, units], the weights of the new cell, of FullPeephole.
func (g *Graph) LSTM(name string, x *G.Node, units int, cell Cell) *G.Node {
	return g.recurrent(name, x, units, cell, []lstm{{}}, "")
}

// ReverseLSTM is LSTM from the last element of a sequence to the first.
func (g *Graph) ReverseLSTM(name string, x *G.Node, units int, cell Cell) *G.Node {
	return g.recurrent(name, x, units, cell, []lstm{{reverse: true}}, "")
}

// BiLSTM joins the states of two LSTMs: columns [0, units) of the output are those of
// LSTM(name.forward), columns [units, 2*units) those of ReverseLSTM(name.backward).
func (g *Graph) BiLSTM(name string, x *G.Node, units int, cell Cell) *G.Node {
	return g.recurrent(name, x, units, cell, []lstm{{}, {reverse: true}}, ".forward", ".backward")
}

func (g *Graph) recurrent(name string, x *G.Node, units int, cell Cell, directions []lstm, suffixes ...string) *G.Node {
	axis, d := g.Rows(name, x)
	g.positive(name, units)
	kind, err := cell.kernel()
	if err != nil {
		g.Fail(name, "%w", err)
	}
	in, parts := g.pieces(x)
	for i, suffix := range suffixes {
		name := name + suffix
		in = append(in, g.Param(name+".W", d+units, kind.Gates()*units, Glorot), g.Param(name+".b", 1, kind.Gates()*units, Zeros))
		switch kind {
		case kernel.Peephole:
			in = append(in, g.Param(name+".P", units, units, Glorot))
		case kernel.FullPeephole:
			in = append(in, g.Param(name+".P", units, 2*units, Glorot), g.Param(name+".Po", units, units, Glorot))
		default:
			in = append(in, g.Param(name+".c0", 1, units, Glorot), g.Param(name+".h0", 1, units, Glorot))
		}
		directions[i].cell, directions[i].lstmMemory = kind, g.memory
		for range parts.list {
			directions[i].input = append(directions[i].input, g.weights())
		}
		directions[i].hidden = g.weights()
		if g.memory == nil {
			directions[i].lstmMemory = &lstmMemory{}
		}
	}
	return g.Apply(name, &recurrent{axis: axis, pieces: parts, units: units, directions: directions}, axis, units*len(directions), in...)
}

// recurrent has the pieces of x as inputs, in training x itself, and the parameters of one or two directions.
type recurrent struct {
	axis       *Axis
	pieces     *pieces
	units      int
	directions []lstm
	h          buffer
	products   float64 // multiplications of the last run
}

func (l *recurrent) Forward(in []kernel.Matrix) kernel.Matrix {
	n := len(l.pieces.list)
	l.pieces.take(in[:n], l.axis.rows)
	rest := in[n:]
	h := l.h.resize(l.axis.rows, l.units*len(l.directions))
	l.products = 0
	for i := range l.directions {
		var w lstmWeights
		w, rest = split(l.directions[i].cell, rest)
		l.products += l.pieces.multiplications(w.w.Cols) + float64(l.axis.rows*l.units*w.w.Cols)
		l.directions[i].forward(&l.axis.packing, l.pieces, w, h.Columns(i*l.units, (i+1)*l.units))
	}
	return h
}

func (l *recurrent) Backward(in []kernel.Matrix, h, dout kernel.Matrix, din []kernel.Matrix) {
	rest, restG := in[1:], din[1:]
	for i := range l.directions {
		var p, g lstmWeights
		p, rest = split(l.directions[i].cell, rest)
		g, restG = split(l.directions[i].cell, restG)
		from, to := i*l.units, (i+1)*l.units
		l.directions[i].backward(&l.axis.packing, in[0], p, h.Columns(from, to), dout.Columns(from, to), g, din[0])
	}
}

func (l *recurrent) work() (forward, backward float64) {
	f := 2 * l.products
	return f, 2 * f
}

// split takes the matrices of one direction off the front of a list of inputs.
func split(cell kernel.Cell, in []kernel.Matrix) (lstmWeights, []kernel.Matrix) {
	switch cell {
	case kernel.Peephole:
		return lstmWeights{w: in[0], b: in[1], p: in[2]}, in[3:]
	case kernel.FullPeephole:
		return lstmWeights{w: in[0], b: in[1], p: in[2], po: in[3]}, in[4:]
	}
	return lstmWeights{w: in[0], b: in[1], c0: in[2], h0: in[3]}, in[4:]
}

// lstmWeights contains the parameters, or the gradients, of one direction as matrices. Optional
// ones have no rows if they are missing.
type lstmWeights struct{ w, b, c0, h0, p, po kernel.Matrix }

// lstm runs one direction over packed sequences.
type lstm struct {
	cell    kernel.Cell
	reverse bool
	*lstmMemory

	input  []weights // of each piece of x
	hidden weights   // of the hidden state before
}

// lstmMemory contains what forward stores for backward. In prediction, where there is no backward,
// all LSTMs of a machine share one, with the rows of one step only.
type lstmMemory struct {
	brief            bool   // whether it has the rows of one step
	factors          buffer // see pieces.times
	z, c, tanhC      buffer // activations of the gates, cells and their tanh, one row per token
	dz, dh, dc, prev buffer
	wxT, whT         buffer
	h0z              buffer
	recurrent        kernel.Factor // the transposed recurrent weights, in backward
}

// step returns the rows of step i in the direction of the recurrence. Rows [first, first+active)
// are computed. The first `going` of them continue the sequences whose rows start at `from`; the
// others begin a sequence.
func (l *lstm) step(pk *packing, i int) (first, active, from, going int) {
	t := i
	if l.reverse {
		t = len(pk.active) - 1 - i
		if t+1 < len(pk.active) {
			from, going = pk.offset[t+1], pk.active[t+1]
		}
	} else if t > 0 {
		from, going = pk.offset[t-1], pk.active[t]
	}
	return pk.offset[t], pk.active[t], from, going
}

// forward computes the hidden states h [rows, n] of x.
func (l *lstm) forward(pk *packing, x *pieces, p lstmWeights, h kernel.Matrix) {
	n, gates := h.Cols, p.w.Cols
	d := p.w.Rows - n
	wh := p.w.Slice(d, d+n)
	xw := x.times(p.w.Slice(0, d), p.b.Data, l.input, &l.factors)
	rows := pk.rows
	if l.brief && rows > 0 {
		rows = pk.active[0]
	}
	z, c, tanhC := l.z.resize(rows, gates), l.c.resize(rows, n), l.tanhC.resize(rows, n)
	if !l.brief {
		xw.set(z, 0)
	}
	zero := l.prev.zeroed(1, n) // the cell before the first token if it is not trained
	c0 := zero
	h0z := l.h0z.zeroed(1, gates) // h0.Wh, the same for every sequence
	if p.c0.Rows > 0 {
		c0 = p.c0
		kernel.AddMul(h0z, p.h0, wh)
	}
	l.hidden.set(wh)
	fast := l.brief && !l.cell.SplitsOutput()
	for i := range pk.active {
		first, active, from, going := l.step(pk, i)
		at, before := first, from // the rows of z, c and tanhC
		if l.brief {
			at, before = 0, 0
			xw.set(z.Slice(0, active), first)
		}
		if going > 0 {
			l.hidden.addMul(z.Slice(at, at+going), h.Slice(from, from+going))
		}
		if p.p.Rows > 0 && going > 0 {
			kernel.AddMul(z.Slice(at, at+going).Columns(n, n+p.p.Cols), c.Slice(before, before+going), p.p)
		}
		for s := range active {
			cell := c0.Data
			if s < going {
				cell = c.Row(before + s)
			} else {
				kernel.Add(z.Row(at+s), h0z.Data)
			}
			if fast {
				l.cell.Predict(z.Row(at+s), cell, c.Row(at+s), h.Row(first+s))
			} else {
				l.cell.Forward(z.Row(at+s), cell, c.Row(at+s), tanhC.Row(at+s), h.Row(first+s))
			}
		}
		if l.cell.SplitsOutput() {
			kernel.AddMul(z.Slice(at, at+active).Columns(3*n, 4*n), c.Slice(at, at+active), p.po)
			for s := range active {
				l.cell.ForwardOutput(z.Row(at+s), tanhC.Row(at+s), h.Row(first+s))
			}
		}
	}
}

// backward adds the gradients of the parameters to g and the gradient of x to dx, given dh, the
// gradient of h. It must follow forward with the same arguments.
func (l *lstm) backward(pk *packing, x kernel.Matrix, p lstmWeights, h, dh kernel.Matrix, g lstmWeights, dx kernel.Matrix) {
	n, d, gates := h.Cols, x.Cols, p.w.Cols
	wx, wh := p.w.Slice(0, d), p.w.Slice(d, d+n)
	z, c, tanhC := l.z.resize(pk.rows, gates), l.c.resize(pk.rows, n), l.tanhC.resize(pk.rows, n)
	dz, dc := l.dz.resize(pk.rows, gates), l.dc.zeroed(pk.rows, n)
	total := l.dh.resize(pk.rows, n) // dh plus the gradient from the later step
	for r := range pk.rows {
		copy(total.Row(r), dh.Row(r))
	}
	c0 := p.c0.Data
	if c0 == nil {
		c0 = make([]float32, n)
	}
	wxT, whT := l.wxT.transposed(wx, pk.rows), l.whT.transposed(wh, pk.rows)
	l.recurrent.Set(whT)
	for i := len(pk.active) - 1; i >= 0; i-- {
		first, active, from, going := l.step(pk, i)
		if l.cell.SplitsOutput() {
			for r := first; r < first+active; r++ {
				l.cell.BackwardOutput(dz.Row(r), z.Row(r), tanhC.Row(r), total.Row(r), dc.Row(r))
			}
			kernel.AddMulNT(dc.Slice(first, first+active), dz.Slice(first, first+active).Columns(3*n, 4*n), p.po)
		}
		for s := range active {
			r, before := first+s, c0
			if s < going {
				before = c.Row(from + s)
			}
			l.cell.Backward(dz.Row(r), z.Row(r), before, tanhC.Row(r), total.Row(r), dc.Row(r))
			if s < going {
				kernel.Add(dc.Row(from+s), dc.Row(r))
			} else if g.c0.Rows > 0 {
				kernel.Add(g.c0.Data, dc.Row(r))
			}
		}
		if going > 0 {
			if before, d := total.Slice(from, from+going), dz.Slice(first, first+going); whT.Rows > 0 {
				l.recurrent.AddMul(before, d)
			} else {
				kernel.AddMulNT(before, d, wh)
			}
			if p.p.Rows > 0 {
				kernel.AddMulNT(dc.Slice(from, from+going), dz.Slice(first, first+going).Columns(n, n+p.p.Cols), p.p)
			}
		}
	}

	// The gradient of the recurrent weights requires the states before each row, beside its dz.
	begins := l.h0z.zeroed(1, gates) // sum of dz over the rows that begin a sequence
	before := l.prev.zeroed(pk.rows, n)
	cells := p.p.Rows > 0
	for i := range pk.active {
		first, active, from, going := l.step(pk, i)
		for s := range active {
			if s < going {
				copy(before.Row(first+s), h.Row(from+s))
			} else {
				if p.h0.Rows > 0 {
					copy(before.Row(first+s), p.h0.Data)
				}
				kernel.Add(begins.Data, dz.Row(first+s))
			}
		}
	}
	kernel.AddMulTN(g.w.Slice(d, d+n), before, dz)
	kernel.AddMulTN(g.w.Slice(0, d), x, dz)
	for r := range pk.rows {
		kernel.Add(g.b.Data, dz.Row(r))
	}
	if p.h0.Rows > 0 {
		kernel.AddMulNT(g.h0, begins, wh)
	}
	if cells {
		clear(before.Data)
		for i := range pk.active {
			first, _, from, going := l.step(pk, i)
			for s := range going {
				copy(before.Row(first+s), c.Row(from+s))
			}
		}
		kernel.AddMulTN(g.p, before, dz.Columns(n, n+p.p.Cols))
	}
	if l.cell.SplitsOutput() {
		kernel.AddMulTN(g.po, c, dz.Columns(3*n, 4*n))
	}
	addMulTransposed(dx, dz, wx, wxT)
}
