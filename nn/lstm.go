package nn

import (
	"github.com/lethe-deid/lethe/nn/kernel"
)

// buffer is a matrix whose memory is reused for each batch.
type buffer struct{ data []float32 }

// resize returns a rows x cols matrix with arbitrary content.
func (b *buffer) resize(rows, cols int) kernel.Matrix {
	if n := rows * cols; cap(b.data) < n {
		b.data = make([]float32, n+n/4)
	}
	return kernel.NewMatrix(rows, cols, b.data[:rows*cols])
}

// zeroed returns a rows x cols matrix of zeros.
func (b *buffer) zeroed(rows, cols int) kernel.Matrix {
	m := b.resize(rows, cols)
	clear(m.Data)
	return m
}

// addMulTransposed adds a·bᵀ to c. t is the transposed b, or empty.
func addMulTransposed(c, a, b, t kernel.Matrix) {
	if t.Rows == 0 {
		kernel.AddMulNT(c, a, b)
		return
	}
	kernel.AddMul(c, a, t)
}

// transposed returns bᵀ if it pays off for this many rows, else an empty matrix.
func (b *buffer) transposed(m kernel.Matrix, rows int) kernel.Matrix {
	if !kernel.TransposeFor(rows) {
		return kernel.Matrix{}
	}
	t := b.resize(m.Cols, m.Rows)
	kernel.Transpose(t, m)
	return t
}

// lstmWeights contains the parameters, or the gradients, of one direction as matrices. Optional
// ones have no rows if they are missing.
type lstmWeights struct{ w, b, c0, h0, p kernel.Matrix }

// lstm runs one direction over packed sequences.
type lstm struct {
	cell    kernel.Cell
	reverse bool
	*lstmMemory
}

// lstmMemory contains what forward stores for backward. In prediction, where there is no backward,
// all LSTMs of a machine share one.
type lstmMemory struct {
	z, c, tanhC      buffer // activations of the gates, cells and their tanh, one row per token
	dz, dh, dc, prev buffer
	wxT, whT         buffer
	h0z              buffer
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

// forward computes the hidden states h [rows, n] of x [rows, d].
func (l *lstm) forward(pk *packing, x kernel.Matrix, p lstmWeights, h kernel.Matrix) {
	n, d, gates := h.Cols, x.Cols, p.w.Cols
	wx, wh := p.w.Slice(0, d), p.w.Slice(d, d+n)
	z, c, tanhC := l.z.resize(pk.rows, gates), l.c.resize(pk.rows, n), l.tanhC.resize(pk.rows, n)
	for r := range pk.rows {
		copy(z.Row(r), p.b.Data)
	}
	kernel.AddMul(z, x, wx)
	zero := l.prev.zeroed(1, n) // the cell before the first token if it is not trained
	c0 := zero
	h0z := l.h0z.zeroed(1, gates) // h0.Wh, the same for every sequence
	if p.c0.Rows > 0 {
		c0 = p.c0
		kernel.AddMul(h0z, p.h0, wh)
	}
	for i := range pk.active {
		first, active, from, going := l.step(pk, i)
		if going > 0 {
			kernel.AddMul(z.Slice(first, first+going), h.Slice(from, from+going), wh)
		}
		if p.p.Rows > 0 && going > 0 {
			kernel.AddMul(z.Slice(first, first+going).Columns(n, 2*n), c.Slice(from, from+going), p.p)
		}
		for s := range active {
			before := c0.Data
			if s < going {
				before = c.Row(from + s)
			} else {
				kernel.Add(z.Row(first+s), h0z.Data)
			}
			l.cell.Forward(z.Row(first+s), before, c.Row(first+s), tanhC.Row(first+s), h.Row(first+s))
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
	for i := len(pk.active) - 1; i >= 0; i-- {
		first, active, from, going := l.step(pk, i)
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
			addMulTransposed(total.Slice(from, from+going), dz.Slice(first, first+going), wh, whT)
			if p.p.Rows > 0 {
				kernel.AddMulNT(dc.Slice(from, from+going), dz.Slice(first, first+going).Columns(n, 2*n), p.p)
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
		kernel.AddMulTN(g.p, before, dz.Columns(n, 2*n))
	}
	addMulTransposed(dx, dz, wx, wxT)
}
