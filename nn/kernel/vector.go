package kernel

import (
	"bytes"
	"fmt"
	"unsafe"
)

// Axpy adds a·x to y.
func Axpy(y []float32, a float32, x []float32) { axpy(y, a, x[:len(y)]) }

// Add adds x to y.
func Add(y, x []float32) { axpy(y, 1, x[:len(y)]) }

// SumRows sets dst to the sum of the rows of m with these numbers, in their order.
func SumRows(dst []float32, m Matrix, numbers []int32) {
	for _, n := range numbers {
		if uint(n) >= uint(m.Rows) {
			panic(fmt.Sprintf("kernel: row %d of %d", n, m.Rows))
		}
	}
	sumRows(dst[:m.Cols], m, numbers)
}

// Multiply multiplies y by x, value by value.
func Multiply(y, x []float32) { multiply(y, 1, x[:len(y)]) }

// MultiplyScaled multiplies y by x, value by value, and then by a.
func MultiplyScaled(y []float32, a float32, x []float32) { multiply(y, a, x[:len(y)]) }

// AddProduct adds the product of x and w to y, value by value.
func AddProduct(y, x, w []float32) { addProduct(y, x[:len(y)], w[:len(y)]) }

// Approach moves y towards x by the fraction f of the distance.
func Approach(y []float32, f float32, x []float32) { approach(y, f, x[:len(y)]) }

// Clamp limits y to [-limit, limit]. A NaN stays.
func Clamp(y []float32, limit float32) { clamp(y, limit, y) }

// SameBits reports whether x and y have the same bits. It takes a fraction of the time in which their numbers are compared.
func SameBits(x, y []float32) bool { return bytes.Equal(bytesOf(x), bytesOf(y)) }

func bytesOf(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// Dot returns the inner product.
func Dot(a, b []float32) float32 { return dot(a, b[:len(a)]) }

// ExpLess sets dst to e^(src - top), where top is the maximum of src, and returns top. This is the
// numerator of a softmax, and cannot overflow.
func ExpLess(dst, src []float32) (top float32) {
	top = Max(src)
	ExpMinus(dst, src, top)
	return top
}

// ExpMinus sets dst to e^(src - shift).
func ExpMinus(dst, src []float32, shift float32) { expLess(dst[:len(src)], shift, src) }

// Max returns the greatest value.
func Max(x []float32) float32 { return largest(x) }

// Transpose sets dst to srcᵀ.
func Transpose(dst, src Matrix) {
	check(dst, src.Cols, src.Rows, src.Rows, src.Rows)
	rows, cols := transposeBlocks(dst, src)
	transposeRest(dst.Columns(rows, dst.Cols), src.Slice(rows, src.Rows))
	transposeRest(dst.Slice(cols, dst.Rows).Columns(0, rows), src.Slice(0, rows).Columns(cols, src.Cols))
}

// transposeRest works in blocks, so that the values it reads and writes stay in the cache.
func transposeRest(dst, src Matrix) {
	const block = 16
	if src.Rows == 0 || src.Cols == 0 {
		return
	}
	for i := 0; i < src.Rows; i += block {
		rows := src.Slice(i, min(i+block, src.Rows))
		for c := range src.Cols {
			to := dst.Data[c*dst.Stride+i:][:rows.Rows]
			from := rows.Data[c:]
			for r := range to {
				to[r] = from[r*rows.Stride]
			}
		}
	}
}
