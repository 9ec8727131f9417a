package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// int8Kernels generates what package kernel's Int8 needs. A step multiplies four bytes of a row of a,
// which are four values of 8 bits plus 128 for AVX-512 VNNI, and two of 16 bits for AVX2, by as many
// rows of b. Sums of few rows wait for one another, so that two steps at once, with sums of their own, take
// little longer than one.
func int8Kernels(i isa) {
	for mr := 1; mr <= i.int8Rows(); mr++ {
		for nv := 1; nv <= 2; nv++ {
			quantized(i, mr, nv)
		}
	}
	magnitudeBits(i)
	quantize(i)
}

// quantized generates func(a, ar, b, start, scale, rowScale, c, cs, k, last): c[i,j] += float32(start[j]
// + sum_k a[i,k] b[k,j])·(rowScale[i]·scale[j]) for mr rows and nv vectors of columns, the last of which
// has `last` values. Each step reads two vectors of columns of b. k is the number of steps. ar and cs are
// in bytes.
func quantized(i isa, mr, nv int) {
	TEXT(fmt.Sprintf("quantized%dx%d%s", mr, nv, i.name()), NOSPLIT,
		"func(a *byte, ar int, b *int8, start *int32, scale, rowScale, c *float32, cs int, k, last int)")
	Pragma("noescape")
	a := rows(Load(Param("a"), GP64()), Load(Param("ar"), GP64()), mr)
	b, start, k := Load(Param("b"), GP64()), Load(Param("start"), GP64()), Load(Param("k"), GP64())
	four := GP64()
	MOVQ(U32(4), four)

	sets := 1 // of sums
	if mr*nv <= i.width()/2 {
		sets = 2
	}
	acc, more := make([][]VecVirtual, mr), make([][]VecVirtual, mr)
	for r := range acc {
		for v := range nv {
			x := i.vec()
			VMOVUPS(Mem{Base: start, Disp: 4 * i.width() * v}, x)
			acc[r] = append(acc[r], x)
			if sets == 2 {
				y := i.vec()
				VPXOR(y.AsX(), y.AsX(), y.AsX()) // clears all of the register
				more[r] = append(more[r], y)
			}
		}
	}
	step := func(acc [][]VecVirtual) {
		row := make([]VecVirtual, nv)
		for v := range row {
			row[v] = i.loadInt8(b, v)
		}
		for r := range acc {
			x := i.vec()
			VPBROADCASTD(a.at(r), x)
			for v := range row {
				i.addProducts(x, row[v], acc[r][v])
			}
		}
		a.advance(four)
		ADDQ(Imm(uint64(2*i.int8Bytes())), b)
	}
	if sets == 2 {
		Label("two")
		CMPQ(k, Imm(2))
		JL(LabelRef("rest"))
		step(acc)
		step(more)
		SUBQ(Imm(2), k)
		JMP(LabelRef("two"))
		Label("rest")
		TESTQ(k, k)
		JZ(LabelRef("sum"))
		step(acc)
		Label("sum")
		for r := range acc {
			for v := range nv {
				VPADDD(more[r][v], acc[r][v], acc[r][v])
			}
		}
	} else {
		Label("loop")
		step(acc)
		DECQ(k)
		JNZ(LabelRef("loop"))
	}

	i.mask(Load(Param("last"), GP64()))
	scale, rowScale := Load(Param("scale"), GP64()), Load(Param("rowScale"), GP64())
	c := rows(Load(Param("c"), GP64()), Load(Param("cs"), GP64()), mr)
	for r := range acc {
		factor := i.vec()
		VBROADCASTSS(Mem{Base: rowScale, Disp: 4 * r}, factor)
		for v := range nv {
			both := i.vec()
			VMULPS(Mem{Base: scale, Disp: 4 * i.width() * v}, factor, both)
			x := acc[r][v]
			VCVTDQ2PS(x, x)
			VMULPS(both, x, x)
			m := c.at(r)
			m.Disp += 4 * i.width() * v
			if v == nv-1 {
				y := i.vec()
				i.load(m, y)
				VADDPS(y, x, x)
				i.store(x, m)
			} else {
				VADDPS(m, x, x)
				VMOVUPS(x, m)
			}
		}
	}
	VZEROUPPER()
	RET()
}

// magnitudeBits generates func(x, n) uint32: the maximum of the bits of |x[i]|, which is in the order of
// the values, and greater than that of infinity if there is a NaN.
func magnitudeBits(i isa) {
	TEXT("magnitudeBits"+i.name(), NOSPLIT, "func(x *float32, n int) uint32")
	Pragma("noescape")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	top, bits := i.vec(), i.vec()
	VXORPS(top, top, top)
	VMOVUPS(withoutSign, bits)
	eachVector(i, "", n, []Register{x}, func(load func(Mem) VecVirtual, _ func(VecVirtual, Mem), _ func(VecVirtual)) {
		v := load(Mem{Base: x})
		VANDPS(bits, v, v)
		VPMAXSD(v, top, top)
	})
	if top.Size() == 64 {
		high := YMM()
		VEXTRACTF64X4(Imm(1), top, high)
		VPMAXSD(high, top.AsY(), top.AsY())
	}
	four, high := top.AsX(), XMM()
	VEXTRACTF128(Imm(1), top.AsY(), high)
	VPMAXSD(high, four, four)
	VPSHUFD(Imm(0x0e), four, high)
	VPMAXSD(high, four, four)
	VPSHUFD(Imm(0x01), four, high)
	VPMAXSD(high, four, four)
	result := GP32()
	VMOVD(four, result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

// quantize generates func(dst, src, inverse, n): dst = src·inverse, rounded to the nearest integer, to
// even if there are two, in the form that quantized reads. It writes whole vectors.
func quantize(i isa) {
	TEXT("quantize"+i.name(), NOSPLIT, "func(dst *byte, src *float32, inverse float32, n int)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	inverse := i.vec()
	VBROADCASTSS(NewParamAddr("inverse", 16), inverse)
	elementwise(i, Load(Param("n"), GP64()), []Register{src}, func(load func(Mem) VecVirtual, _ func(VecVirtual, Mem)) {
		x := load(Mem{Base: src})
		VMULPS(inverse, x, x)
		VCVTPS2DQ(x, x)
		i.storeInt8(x, Mem{Base: dst})
		ADDQ(U8(16), dst)
	})
}

var withoutSign, offset128 Mem // integers 0x7fffffff and 128

func (avx2) int8Rows() int   { return 6 }
func (avx512) int8Rows() int { return 8 }

// int8Bytes is the length of a vector of columns of b in bytes: for each column the values of a step.
func (avx2) int8Bytes() int   { return 16 }
func (avx512) int8Bytes() int { return 64 }

func (i avx2) loadInt8(b Register, v int) VecVirtual {
	x := i.vec()
	VPMOVSXBW(Mem{Base: b, Disp: i.int8Bytes() * v}, x)
	return x
}

func (i avx512) loadInt8(b Register, v int) VecVirtual {
	x := i.vec()
	VMOVUPS(Mem{Base: b, Disp: i.int8Bytes() * v}, x)
	return x
}

func (avx2) addProducts(a, b, acc VecVirtual) {
	t := YMM()
	VPMADDWD(b, a, t)
	VPADDD(t, acc, acc)
}

func (avx512) addProducts(a, b, acc VecVirtual) { VPDPBUSD(b, a, acc) }

func (avx2) storeInt8(x VecVirtual, m Mem) {
	high := XMM()
	VEXTRACTF128(Imm(1), x.AsY(), high)
	VPACKSSDW(high, x.AsX(), high)
	VMOVUPS(high, m)
}

func (avx512) storeInt8(x VecVirtual, m Mem) {
	VPADDD(offset128, x, x)
	VPMOVDB(x, m)
}
