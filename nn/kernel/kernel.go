// Package kernel computes float32 products, also with factors that are rounded to 8 bits, and functions
// of slices. It alone knows how a product is computed; all other packages work with matrices and gates.
package kernel

import "fmt"

// Matrix is a view of Rows x Cols values. Row i starts at Data[i*Stride].
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float32
}

// NewMatrix returns a dense view of data. It panics unless the length of data is rows*cols.
func NewMatrix(rows, cols int, data []float32) Matrix {
	if len(data) != rows*cols {
		panic(fmt.Sprintf("kernel: %d values for a %dx%d matrix", len(data), rows, cols))
	}
	return Matrix{rows, cols, cols, data}
}

// Row returns row i.
func (m Matrix) Row(i int) []float32 { return m.Data[i*m.Stride:][:m.Cols] }

// Slice returns a view of rows [i, j).
func (m Matrix) Slice(i, j int) Matrix {
	if i == j {
		return Matrix{0, m.Cols, m.Stride, nil}
	}
	return Matrix{j - i, m.Cols, m.Stride, m.Data[i*m.Stride : (j-1)*m.Stride+m.Cols]}
}

// Columns returns a view of columns [i, j).
func (m Matrix) Columns(i, j int) Matrix {
	if m.Rows == 0 || i == j {
		return Matrix{m.Rows, j - i, m.Stride, nil}
	}
	return Matrix{m.Rows, j - i, m.Stride, m.Data[i : (m.Rows-1)*m.Stride+j]}
}

// AddMul adds the product a·b to c: c[i,j] += sum_k a[i,k] b[k,j].
func AddMul(c, a, b Matrix) {
	check(c, a.Rows, a.Cols, b.Rows, b.Cols)
	addMulNN(c, a, b)
}

// Factor is the right factor of many products, such as the weights of a recurrence. It keeps a copy
// in the order in which products of many rows read it, where that pays off.
type Factor struct {
	b      Matrix
	copied bool
	panels []float32
}

// Set sets the factor to b, which must not change until the last product.
func (f *Factor) Set(b Matrix) { f.b, f.copied = b, false }

// AddMul does what AddMul(c, a, b) does, to the same bits.
func (f *Factor) AddMul(c, a Matrix) {
	check(c, a.Rows, a.Cols, f.b.Rows, f.b.Cols)
	addMulFactor(c, a, f)
}

// Packed is a right factor that does not change, such as the weights of an encoder: a copy in the order
// in which products of any number of rows read it. Several goroutines can use it at once.
type Packed struct {
	rows, cols int
	values     []float32
}

// Pack returns a copy of b. It belongs to the kernels in use.
func Pack(b Matrix) *Packed { return &Packed{b.Rows, b.Cols, pack(b)} }

// AddMul does what AddMul(c, a, b) does with the packed b, to the same bits.
func (p *Packed) AddMul(c, a Matrix) {
	check(c, a.Rows, a.Cols, p.rows, p.cols)
	addMulPacked(c, a, p.values)
}

// AddMulTN adds aᵀ·b to c: c[i,j] += sum_k a[k,i] b[k,j].
func AddMulTN(c, a, b Matrix) {
	check(c, a.Cols, a.Rows, b.Rows, b.Cols)
	addMulTN(c, a, b)
}

// AddMulNT adds a·bᵀ to c: c[i,j] += sum_k a[i,k] b[j,k].
func AddMulNT(c, a, b Matrix) {
	check(c, a.Rows, a.Cols, b.Cols, b.Rows)
	addMulNT(c, a, b)
}

// TransposeFor reports whether it pays off to transpose b once for products a·bᵀ with this many
// rows of a in total. The assembly processes the rows of b twice as fast as inner products; pure Go
// does not.
func TransposeFor(rows int) bool { return rows >= 24 && Name() != "generic" }

func check(c Matrix, m, k, k2, n int) {
	if k != k2 || c.Rows != m || c.Cols != n {
		panic(fmt.Sprintf("kernel: a product of %dx%d and %dx%d does not fit %dx%d", m, k, k2, n, c.Rows, c.Cols))
	}
}
