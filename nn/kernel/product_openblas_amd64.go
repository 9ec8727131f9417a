//go:build openblas && cgo

package kernel

import "github.com/lethe-deid/lethe/nn/kernel/internal/openblas"

// This file replaces our products by OpenBLAS's, to compare the two:
//
//	go test -tags openblas -bench Mul ./nn/kernel
//
// Everything else is the same as without the tag. LETHE_KERNEL does not affect these products.

// Name returns the name of the products in use.
func Name() string { return "openblas" }

func addMulNN(c, a, b Matrix) {
	if a.Rows == 1 {
		gemv(true, b, a, 1, c)
		return
	}
	gemm(false, false, c, a, b, a.Cols)
}

func addMulFactor(c, a Matrix, f *Factor) { addMulNN(c, a, f.b) }

func pack(b Matrix) []float32 { return packGeneric(b) }

func addMulPacked(c, a Matrix, packed []float32) {
	addMulNN(c, a, NewMatrix(a.Cols, c.Cols, packed))
}

func addMulTN(c, a, b Matrix) {
	if a.Cols == 1 {
		gemv(true, b, a, a.Stride, c)
		return
	}
	gemm(true, false, c, a, b, a.Rows)
}

func addMulNT(c, a, b Matrix) {
	if a.Rows == 1 {
		gemv(false, b, a, 1, c)
		return
	}
	gemm(false, true, c, a, b, a.Cols)
}

func gemm(ta, tb bool, c, a, b Matrix, k int) {
	if c.Rows > 0 && c.Cols > 0 && k > 0 {
		openblas.Gemm(ta, tb, c.Rows, c.Cols, k, a.Data, a.Stride, b.Data, b.Stride, c.Data, c.Stride)
	}
}

func gemv(tb bool, b, x Matrix, step int, y Matrix) {
	if b.Rows > 0 && b.Cols > 0 {
		openblas.Gemv(tb, b.Rows, b.Cols, b.Data, b.Stride, x.Data, step, y.Data)
	}
}
