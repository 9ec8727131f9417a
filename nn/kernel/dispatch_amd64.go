package kernel

import (
	"iter"
	"os"

	"golang.org/x/sys/cpu"
)

// vectors is a set of assembly kernels: see gen for what they compute.
type vectors struct {
	name                                     string
	width                                    int                                             // values in a register
	product                                  [][]productFunc                                 // [rows-1][vectors of columns-1]
	pack                                     [2]func(dst, src *float32, ss, n, last int)     // [vectors of columns-1]
	dots                                     [][2]dotsFunc                                   // [rows-1][0: one row of b, 1: four]
	forward                                  [3]func(z, before, c, tanhC, h *float32, n int) // by Cell
	predict                                  [3]func(z, before, c, h *float32, n int)
	backward                                 [3]func(dz, z, before, tanhC, dh, dc *float32, n int)
	exp, tanh, gelu, geluTanh, silu          func(dst, src *float32, n int)
	normalize                                func(dst, src, scale, shift *float32, n int, epsilon float32)
	softmax                                  func(dst, src *float32, top float32, n int)
	axpy, approach, multiply, clamp, expLess func(y, x *float32, a float32, n int)
	addProduct                               func(y, x, w *float32, n int)
	largest                                  func(x *float32, n int) float32
	sumRows                                  [8]sumRowsFunc // [vectors of columns-1]
	viterbi                                  []viterbiFunc  // [vectors of columns-1]
}

type (
	productFunc func(a *float32, ar, ak int, b *float32, bs int, c *float32, cs int, k, last int)
	viterbiFunc func(a *float32, as int, score *float32, k int, next *float32, back *int32, last int)
	sumRowsFunc func(m *float32, ms int, numbers *int32, k int, dst *float32, last int)
	dotsFunc    func(a *float32, ar int, b *float32, br int, c *float32, cs int, k, last int)
)

var avx2 = &vectors{
	name: "avx2", width: 8,
	product: [][]productFunc{
		{product1x1AVX2, product1x2AVX2, product1x3AVX2, product1x4AVX2, product1x5AVX2, product1x6AVX2, product1x7AVX2, product1x8AVX2},
		{product2x1AVX2, product2x2AVX2, product2x3AVX2, product2x4AVX2},
		{product3x1AVX2, product3x2AVX2, product3x3AVX2},
		{product4x1AVX2, product4x2AVX2},
		{product5x1AVX2, product5x2AVX2},
		{product6x1AVX2, product6x2AVX2},
	},
	pack:     [2]func(dst, src *float32, ss, n, last int){pack1AVX2, pack2AVX2},
	dots:     [][2]dotsFunc{{dots1x1AVX2, dots1x4AVX2}, {dots2x1AVX2, dots2x4AVX2}},
	forward:  [3]func(z, before, c, tanhC, h *float32, n int){coupledForwardAVX2, peepholeForwardAVX2, standardForwardAVX2},
	predict:  [3]func(z, before, c, h *float32, n int){coupledPredictAVX2, peepholePredictAVX2, standardPredictAVX2},
	backward: [3]func(dz, z, before, tanhC, dh, dc *float32, n int){coupledBackwardAVX2, peepholeBackwardAVX2, standardBackwardAVX2},
	exp:      expAVX2, tanh: tanhAVX2, gelu: geluAVX2, geluTanh: geluTanhAVX2, silu: siluAVX2, normalize: normalizeAVX2, softmax: softmaxAVX2,
	axpy: axpyAVX2, approach: approachAVX2, multiply: multiplyAVX2, clamp: clampAVX2, expLess: expLessAVX2, addProduct: addProductAVX2, largest: largestAVX2,
	sumRows: [8]sumRowsFunc{sumRows1AVX2, sumRows2AVX2, sumRows3AVX2, sumRows4AVX2, sumRows5AVX2, sumRows6AVX2, sumRows7AVX2, sumRows8AVX2},
	viterbi: []viterbiFunc{viterbi1AVX2, viterbi2AVX2, viterbi3AVX2},
}

var avx512 = &vectors{
	name: "avx512", width: 16,
	product: [][]productFunc{
		{product1x1AVX512, product1x2AVX512, product1x3AVX512, product1x4AVX512, product1x5AVX512, product1x6AVX512, product1x7AVX512, product1x8AVX512},
		{product2x1AVX512, product2x2AVX512, product2x3AVX512, product2x4AVX512},
		{product3x1AVX512, product3x2AVX512, product3x3AVX512, product3x4AVX512},
		{product4x1AVX512, product4x2AVX512, product4x3AVX512, product4x4AVX512},
		{product5x1AVX512, product5x2AVX512},
		{product6x1AVX512, product6x2AVX512},
		{product7x1AVX512, product7x2AVX512},
		{product8x1AVX512, product8x2AVX512},
	},
	pack:     [2]func(dst, src *float32, ss, n, last int){pack1AVX512, pack2AVX512},
	dots:     [][2]dotsFunc{{dots1x1AVX512, dots1x4AVX512}, {dots2x1AVX512, dots2x4AVX512}, {dots3x1AVX512, dots3x4AVX512}},
	forward:  [3]func(z, before, c, tanhC, h *float32, n int){coupledForwardAVX512, peepholeForwardAVX512, standardForwardAVX512},
	predict:  [3]func(z, before, c, h *float32, n int){coupledPredictAVX512, peepholePredictAVX512, standardPredictAVX512},
	backward: [3]func(dz, z, before, tanhC, dh, dc *float32, n int){coupledBackwardAVX512, peepholeBackwardAVX512, standardBackwardAVX512},
	exp:      expAVX512, tanh: tanhAVX512, gelu: geluAVX512, geluTanh: geluTanhAVX512, silu: siluAVX512, normalize: normalizeAVX512, softmax: softmaxAVX512,
	axpy: axpyAVX512, approach: approachAVX512, multiply: multiplyAVX512, clamp: clampAVX512, expLess: expLessAVX512, addProduct: addProductAVX512, largest: largestAVX512,
	sumRows: [8]sumRowsFunc{sumRows1AVX512, sumRows2AVX512, sumRows3AVX512, sumRows4AVX512, sumRows5AVX512, sumRows6AVX512, sumRows7AVX512, sumRows8AVX512},
	viterbi: []viterbiFunc{viterbi1AVX512, viterbi2AVX512, viterbi3AVX512, viterbi4AVX512, viterbi5AVX512, viterbi6AVX512},
}

// inUse is the set of kernels in use; nil stands for pure Go.
var inUse = choose(os.Getenv("LETHE_KERNEL"))

// choose returns the best kernels that the processor supports, or the named ones if it supports
// them.
func choose(name string) *vectors {
	has512 := cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2
	has2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA
	switch {
	case name == "generic":
		return nil
	case has512 && name != "avx2":
		return avx512
	case has2:
		return avx2
	}
	return nil
}

func gatesForward(k Cell, z, before, c, tanhC, h []float32) {
	if inUse == nil || len(c) == 0 {
		k.forwardGeneric(z, before, c, tanhC, h)
		return
	}
	inUse.forward[k](&z[0], &before[0], &c[0], &tanhC[0], &h[0], len(c))
}

func gatesPredict(k Cell, z, before, c, h []float32) {
	if inUse == nil || len(c) == 0 {
		k.forwardGeneric(z, before, c, z[:len(c)], h)
		return
	}
	inUse.predict[k](&z[0], &before[0], &c[0], &h[0], len(c))
}

func gatesBackward(k Cell, dz, z, before, tanhC, dh, dc []float32) {
	if inUse == nil || len(dc) == 0 {
		k.backwardGeneric(dz, z, before, tanhC, dh, dc)
		return
	}
	inUse.backward[k](&dz[0], &z[0], &before[0], &tanhC[0], &dh[0], &dc[0], len(dc))
}

func vectorExp(dst, src []float32) {
	if inUse == nil || len(dst) == 0 {
		expGeneric(dst, src)
		return
	}
	inUse.exp(&dst[0], &src[0], len(dst))
}

func vectorTanh(dst, src []float32) {
	if inUse == nil || len(dst) == 0 {
		tanhGeneric(dst, src)
		return
	}
	inUse.tanh(&dst[0], &src[0], len(dst))
}

func vectorGelu(dst, src []float32) {
	if inUse == nil || len(dst) == 0 {
		geluGeneric(dst, src)
		return
	}
	inUse.gelu(&dst[0], &src[0], len(dst))
}

func vectorGeluTanh(dst, src []float32) {
	if inUse == nil || len(dst) == 0 {
		geluTanhGeneric(dst, src)
		return
	}
	inUse.geluTanh(&dst[0], &src[0], len(dst))
}

func vectorSilu(dst, src []float32) {
	if inUse == nil || len(dst) == 0 {
		siluGeneric(dst, src)
		return
	}
	inUse.silu(&dst[0], &src[0], len(dst))
}

func normalize(dst, src, scale, shift []float32, epsilon float32) {
	if inUse == nil || len(dst) == 0 {
		normalizeGeneric(dst, src, scale, shift, epsilon)
		return
	}
	inUse.normalize(&dst[0], &src[0], &scale[0], &shift[0], len(dst), epsilon)
}

func softmax(dst, src []float32, top float32) {
	if inUse == nil {
		softmaxGeneric(dst, src, top)
		return
	}
	inUse.softmax(&dst[0], &src[0], top, len(dst))
}

func viterbiStep(next []float32, back []int32, score []float32, a Matrix) {
	if inUse == nil || len(next) == 0 {
		viterbiStepGeneric(next, back, score, a)
		return
	}
	v := inUse
	for j := 0; j < len(next); {
		nv := min((len(next)-j+v.width-1)/v.width, len(v.viterbi))
		cols := min(len(next)-j, nv*v.width)
		v.viterbi[nv-1](&a.Data[j], 4*a.Stride, &score[0], len(score), &next[j], &back[j], cols-(nv-1)*v.width)
		j += cols
	}
}

func sumRows(dst []float32, m Matrix, numbers []int32) {
	if inUse == nil || len(dst) == 0 || len(numbers) == 0 {
		sumRowsGeneric(dst, m, numbers)
		return
	}
	for j := 0; j < len(dst); {
		nv := min((len(dst)-j+inUse.width-1)/inUse.width, len(inUse.sumRows))
		cols := min(len(dst)-j, nv*inUse.width)
		inUse.sumRows[nv-1](&m.Data[j], 4*m.Stride, &numbers[0], len(numbers), &dst[j], cols-(nv-1)*inUse.width)
		j += cols
	}
}

func axpy(y []float32, a float32, x []float32) {
	if inUse == nil || len(y) == 0 {
		axpyGeneric(y, a, x)
		return
	}
	inUse.axpy(&y[0], &x[0], a, len(y))
}

func approach(y []float32, a float32, x []float32) {
	if inUse == nil || len(y) == 0 {
		approachGeneric(y, a, x)
		return
	}
	inUse.approach(&y[0], &x[0], a, len(y))
}

func multiply(y []float32, a float32, x []float32) {
	if inUse == nil || len(y) == 0 {
		multiplyGeneric(y, a, x)
		return
	}
	inUse.multiply(&y[0], &x[0], a, len(y))
}

func clamp(y []float32, a float32, x []float32) {
	if inUse == nil || len(y) == 0 {
		clampGeneric(y, a, x)
		return
	}
	inUse.clamp(&y[0], &x[0], a, len(y))
}

func expLess(y []float32, a float32, x []float32) {
	if inUse == nil || len(y) == 0 {
		expLessGeneric(y, a, x)
		return
	}
	inUse.expLess(&y[0], &x[0], a, len(y))
}

func addProduct(y, x, w []float32) {
	if inUse == nil || len(y) == 0 {
		addProductGeneric(y, x, w)
		return
	}
	inUse.addProduct(&y[0], &x[0], &w[0], len(y))
}

// dot calls the kernels by name: what is passed to a function in a variable is allocated.
func dot(a, b []float32) (sum float32) {
	if inUse == nil || len(a) == 0 {
		return dotGeneric(a, b)
	}
	k, last := len(a)/inUse.width, len(a)%inUse.width
	if inUse == avx512 {
		dots1x1AVX512(&a[0], 0, &b[0], 0, &sum, 0, k, last)
	} else {
		dots1x1AVX2(&a[0], 0, &b[0], 0, &sum, 0, k, last)
	}
	return sum
}

func largest(x []float32) float32 {
	if inUse == nil {
		return largestGeneric(x)
	}
	return inUse.largest(&x[0], len(x))
}

// transposeBlocks transposes the part of src that can be divided into blocks of 8x8. It returns the
// number of rows and columns of that part.
func transposeBlocks(dst, src Matrix) (rows, cols int) {
	if inUse == nil || src.Rows < 8 {
		return 0, 0
	}
	rows, cols = src.Rows&^7, src.Cols&^7
	for j := 0; j < cols; j += 8 {
		transpose8AVX2(&dst.Data[j*dst.Stride], 4*dst.Stride, &src.Data[j], 4*src.Stride, rows/8)
	}
	return rows, cols
}

// evenParts divides n indices into the fewest parts of at most this many, of nearly equal size.
func evenParts(n, most int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		parts := (n + most - 1) / most
		for p := range parts {
			if !yield(p*n/parts, (p+1)*n/parts) {
				return
			}
		}
	}
}
