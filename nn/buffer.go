package nn

import "github.com/lethe-deid/lethe/nn/kernel"

// buffer is a matrix whose memory is reused for each batch.
type buffer struct{ data []float32 }

// resize returns a rows x cols matrix with arbitrary content.
func (b *buffer) resize(rows, cols int) kernel.Matrix {
	if n := rows * cols; cap(b.data) < n {
		b.data = make([]float32, n) // without room to spare: batches are rarely larger than all before
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
