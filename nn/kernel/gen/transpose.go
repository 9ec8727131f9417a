package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// transpose generates func(dst, ds, src, ss, n) for n blocks of 8x8 values, which are below one
// another in src and side by side in dst. AVX-512 would not be faster, because loads and stores
// take most of the time.
func transpose() {
	TEXT("transpose8AVX2", NOSPLIT, "func(dst *float32, ds int, src *float32, ss int, n int)")
	Pragma("noescape")
	dst := rows(Load(Param("dst"), GP64()), Load(Param("ds"), GP64()), 8)
	stride := Load(Param("ss"), GP64())
	src := rows(Load(Param("src"), GP64()), stride, 8)
	n := Load(Param("n"), GP64())
	eight := GP64()
	MOVQ(stride, eight)
	SHLQ(Imm(3), eight)
	step := GP64()
	MOVQ(U32(32), step)
	Label("loop")
	pairs := func(in []VecVirtual, f func(a, b, out VecVirtual), g func(a, b, out VecVirtual), order [][2]int) (out []VecVirtual) {
		for _, p := range order {
			x, y := YMM().(VecVirtual), YMM().(VecVirtual)
			f(in[p[0]], in[p[1]], x)
			g(in[p[0]], in[p[1]], y)
			out = append(out, x, y)
		}
		return out
	}
	var r []VecVirtual
	for i := range 8 {
		v := YMM().(VecVirtual)
		VMOVUPS(src.at(i), v)
		r = append(r, v)
	}
	// Interleave rows, then pairs of rows, then halves.
	r = pairs(r, func(a, b, out VecVirtual) { VUNPCKLPS(b, a, out) }, func(a, b, out VecVirtual) { VUNPCKHPS(b, a, out) },
		[][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}})
	r = pairs(r, func(a, b, out VecVirtual) { VSHUFPS(Imm(0x44), b, a, out) }, func(a, b, out VecVirtual) { VSHUFPS(Imm(0xee), b, a, out) },
		[][2]int{{0, 2}, {1, 3}, {4, 6}, {5, 7}})
	r = pairs(r, func(a, b, out VecVirtual) { VPERM2F128(Imm(0x20), b, a, out) }, func(a, b, out VecVirtual) { VPERM2F128(Imm(0x31), b, a, out) },
		[][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}})
	for i, column := range []int{0, 4, 1, 5, 2, 6, 3, 7} {
		VMOVUPS(r[i], dst.at(column))
	}
	dst.advance(step)
	src.advance(eight)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// largest generates func(x, n) float32: the maximum of n values, n at least 1.
func largest(i isa) {
	TEXT("largest"+i.name(), NOSPLIT, "func(x *float32, n int) float32")
	Pragma("noescape")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	top := i.vec()
	VBROADCASTSS(Mem{Base: x}, top)
	Label("loop")
	CMPQ(n, U8(i.width()))
	JL(LabelRef("tail"))
	VMAXPS(Mem{Base: x}, top, top)
	ADDQ(U8(4*i.width()), x)
	SUBQ(U8(i.width()), n)
	JMP(LabelRef("loop"))
	Label("tail")
	fold := top.AsY()
	if top.Size() == 64 {
		high := YMM()
		VEXTRACTF64X4(Imm(1), top, high)
		VMAXPS(high, fold, fold)
	}
	four, high := top.AsX(), XMM()
	VEXTRACTF128(Imm(1), fold, high)
	VMAXPS(high, four, four)
	VPERMILPS(Imm(0x0e), four, high)
	VMAXPS(high, four, four)
	VPERMILPS(Imm(0x01), four, high)
	VMAXSS(high, four, four)
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	VMAXSS(Mem{Base: x}, four, four)
	ADDQ(U8(4), x)
	DECQ(n)
	JMP(LabelRef("rest"))
	Label("done")
	VZEROUPPER()
	Store(four, ReturnIndex(0))
	RET()
}

// pack generates func(dst, src, ss, n, last). It copies n rows of nv vectors, the last of which has
// `last` values, to consecutive rows of dst, which are two vectors wide.
func pack(i isa, nv int) {
	TEXT(fmt.Sprintf("pack%d%s", nv, i.name()), NOSPLIT, "func(dst, src *float32, ss, n, last int)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	ss, n := Load(Param("ss"), GP64()), Load(Param("n"), GP64())
	i.mask(Load(Param("last"), GP64()))
	Label("loop")
	for v := range nv {
		x, m := i.vec(), Mem{Base: src, Disp: 4 * i.width() * v}
		if v == nv-1 {
			i.load(m, x)
		} else {
			VMOVUPS(m, x)
		}
		VMOVUPS(x, Mem{Base: dst, Disp: 4 * i.width() * v})
	}
	ADDQ(ss, src)
	ADDQ(Imm(uint64(8*i.width())), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
