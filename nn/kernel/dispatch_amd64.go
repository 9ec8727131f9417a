package kernel

import (
	"os"

	"golang.org/x/sys/cpu"
)

// vectors is a set of assembly kernels: see gen for what they compute.
type vectors struct {
	name      string
	width     int                                             // values in a register
	product   [][]productFunc                                 // [rows-1][vectors of columns-1]
	dots      [][2]dotsFunc                                   // [rows-1][0: one row of b, 1: four]
	forward   [3]func(z, before, c, tanhC, h *float32, n int) // by Cell
	backward  [3]func(dz, z, before, tanhC, dh, dc *float32, n int)
	exp, tanh func(dst, src *float32, n int)
	viterbi   []viterbiFunc // [vectors of columns-1]
}

type (
	productFunc func(a *float32, ar, ak int, b *float32, bs int, c *float32, cs int, k, last int)
	viterbiFunc func(a *float32, as int, score *float32, k int, next *float32, back *int32, last int)
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
	dots:     [][2]dotsFunc{{dots1x1AVX2, dots1x4AVX2}, {dots2x1AVX2, dots2x4AVX2}},
	forward:  [3]func(z, before, c, tanhC, h *float32, n int){coupledForwardAVX2, peepholeForwardAVX2, standardForwardAVX2},
	backward: [3]func(dz, z, before, tanhC, dh, dc *float32, n int){coupledBackwardAVX2, peepholeBackwardAVX2, standardBackwardAVX2},
	exp:      expAVX2, tanh: tanhAVX2, viterbi: []viterbiFunc{viterbi1AVX2, viterbi2AVX2, viterbi3AVX2},
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
	dots:     [][2]dotsFunc{{dots1x1AVX512, dots1x4AVX512}, {dots2x1AVX512, dots2x4AVX512}, {dots3x1AVX512, dots3x4AVX512}},
	forward:  [3]func(z, before, c, tanhC, h *float32, n int){coupledForwardAVX512, peepholeForwardAVX512, standardForwardAVX512},
	backward: [3]func(dz, z, before, tanhC, dh, dc *float32, n int){coupledBackwardAVX512, peepholeBackwardAVX512, standardBackwardAVX512},
	exp:      expAVX512, tanh: tanhAVX512, viterbi: []viterbiFunc{viterbi1AVX512, viterbi2AVX512, viterbi3AVX512, viterbi4AVX512, viterbi5AVX512, viterbi6AVX512},
}

// inUse is nil for pure Go.
var inUse = choose(os.Getenv("LETHE_KERNEL"))

// choose takes the best that the processor has, or the one that is asked for
// if the processor has it.
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

// Name is that of the kernels in use: generic, avx2 or avx512. The environment
// variable LETHE_KERNEL forces one, if the processor has it.
func Name() string {
	if inUse == nil {
		return "generic"
	}
	return inUse.name
}

func mulNN(c, a, b Matrix) {
	if inUse == nil {
		mulNNGeneric(c, a, b)
		return
	}
	inUse.mul(c, a, a.Stride, 1, a.Cols, b)
}

func mulTN(c, a, b Matrix) {
	if inUse == nil {
		mulTNGeneric(c, a, b)
		return
	}
	inUse.mul(c, a, 1, a.Stride, a.Rows, b)
}

func mulNT(c, a, b Matrix) {
	if inUse == nil {
		mulNTGeneric(c, a, b)
		return
	}
	inUse.mulNT(c, a, b)
}

// mul cuts c into blocks of as many rows as registers allow. Row i of a begins
// at ar*i, and its values stand ak apart.
func (v *vectors) mul(c, a Matrix, ar, ak, k int, b Matrix) {
	if k == 0 || c.Rows == 0 || c.Cols == 0 {
		return
	}
	most := len(v.product)
	blocks := (c.Rows + most - 1) / most
	for n := range blocks {
		i, end := n*c.Rows/blocks, (n+1)*c.Rows/blocks // of nearly equal height
		funcs := v.product[end-i-1]
		for j := 0; j < c.Cols; {
			need := (c.Cols - j + v.width - 1) / v.width
			nv := min(need, len(funcs))
			cols := min(c.Cols-j, nv*v.width)
			funcs[nv-1](&a.Data[i*ar], 4*ar, 4*ak, &b.Data[j], 4*b.Stride, &c.Data[i*c.Stride+j], 4*c.Stride, k, cols-(nv-1)*v.width)
			j += cols
		}
	}
}

func (v *vectors) mulNT(c, a, b Matrix) {
	k := a.Cols
	if k == 0 {
		return
	}
	blocks := (c.Rows + len(v.dots) - 1) / len(v.dots)
	for n := range blocks {
		i, end := n*c.Rows/blocks, (n+1)*c.Rows/blocks
		funcs := v.dots[end-i-1]
		for j := 0; j < c.Cols; {
			cols, f := 4, funcs[1]
			if c.Cols-j < 4 {
				cols, f = 1, funcs[0]
			}
			f(&a.Data[i*a.Stride], 4*a.Stride, &b.Data[j*b.Stride], 4*b.Stride, &c.Data[i*c.Stride+j], 4*c.Stride, k/v.width, k%v.width)
			j += cols
		}
	}
}

func gatesForward(k Cell, z, before, c, tanhC, h []float32) {
	if inUse == nil || len(c) == 0 {
		k.forwardGeneric(z, before, c, tanhC, h)
		return
	}
	inUse.forward[k](&z[0], &before[0], &c[0], &tanhC[0], &h[0], len(c))
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
