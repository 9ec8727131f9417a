//go:build openblas && cgo

// Package openblas contains the functions of OpenBLAS that package kernel uses if it is built for
// the comparison. It is a separate package because Go assembly and cgo cannot be in the same one.
package openblas

// #cgo LDFLAGS: -lopenblas
// #include <cblas.h>
import "C"

import "unsafe"

// One thread, like our own products: more cores are used by running more workers.
func init() { C.openblas_set_num_threads(1) }

func transposed(t bool) uint32 {
	if t {
		return C.CblasTrans
	}
	return C.CblasNoTrans
}

// Gemm adds the product of a [m, k] and b [k, n], each transposed first if ta or tb is set, to c
// [m, n]. as, bs and cs are the distances between rows.
func Gemm(ta, tb bool, m, n, k int, a []float32, as int, b []float32, bs int, c []float32, cs int) {
	C.cblas_sgemm(C.CblasRowMajor, transposed(ta), transposed(tb), C.int(m), C.int(n), C.int(k),
		1, pointer(a), C.int(as), pointer(b), C.int(bs), 1, pointer(c), C.int(cs))
}

// Gemv adds b [m, n], transposed first if tb is set, times x to y. The values of x are xs apart.
func Gemv(tb bool, m, n int, b []float32, bs int, x []float32, xs int, y []float32) {
	C.cblas_sgemv(C.CblasRowMajor, transposed(tb), C.int(m), C.int(n), 1, pointer(b), C.int(bs),
		pointer(x), C.int(xs), 1, pointer(y), 1)
}

func pointer(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }
