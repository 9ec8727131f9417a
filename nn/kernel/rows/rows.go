// Package rows computes sums of rows of float64 values, for models with sparse features. A row
// contains the weights of one feature; its length is the number of labels, rounded up by Width. The
// package has assembly for AVX2 and AVX-512, and pure Go, and uses the same one as package kernel.
package rows

//go:generate go run -C ../gen ./rows -out ../rows/rows_amd64.s -stubs ../rows/rows_amd64.go -pkg rows

import (
	"fmt"
	"math"
)

// Width rounds n up to a valid length of a row, a multiple of eight.
func Width(n int) int { return (n + 7) &^ 7 }

// Sum adds rows of a table to dst: dst += Σ_k table[at[k]]. Row i of the table begins at
// i*len(dst). The length of dst must be a result of Width.
func Sum(dst, table []float64, at []int32) {
	check(dst)
	if len(at) > 0 {
		sum(dst, table, at)
	}
}

// AddTo adds src to rows of a table: table[at[k]] += src for each k. Row i of the table begins at
// i*len(src).
func AddTo(table []float64, at []int32, src []float64) {
	check(src)
	if len(at) > 0 {
		addTo(table, at, src)
	}
}

// MulAdd adds the sum of n weighted rows to dst: dst += Σ_k x[k*stride] m[k].
func MulAdd(dst, x []float64, stride, n int, m []float64) {
	check(dst)
	if n > 0 {
		_, _ = x[(n-1)*stride], m[n*len(dst)-1]
		mulAdd(dst, x, stride, n, m)
	}
}

// ExpLess sets dst to e^(src - top), where top is the maximum of src, and returns top. Each value
// is accurate to 2 ulp, and at least e^-708.
func ExpLess(dst, src []float64) (top float64) {
	check(src)
	return expLess(dst[:len(src)], src)
}

func check(row []float64) {
	if len(row) == 0 || len(row)%8 != 0 {
		panic(fmt.Sprintf("rows: a row of %d values", len(row)))
	}
}

func sumGeneric(dst, table []float64, at []int32) {
	for _, k := range at {
		row := table[int(k)*len(dst):][:len(dst)]
		for i, x := range row {
			dst[i] += x
		}
	}
}

func addToGeneric(table []float64, at []int32, src []float64) {
	for _, k := range at {
		row := table[int(k)*len(src):][:len(src)]
		for i, x := range src {
			row[i] += x
		}
	}
}

func mulAddGeneric(dst, x []float64, stride, n int, m []float64) {
	for k := range n {
		factor := x[k*stride]
		if factor == 0 {
			continue
		}
		for i, y := range m[k*len(dst):][:len(dst)] {
			dst[i] += factor * y
		}
	}
}

func expLessGeneric(dst, src []float64) (top float64) {
	top = src[0]
	for _, x := range src {
		if x > top {
			top = x
		}
	}
	for i, x := range src {
		dst[i] = math.Exp(max(x-top, -708))
	}
	return top
}
