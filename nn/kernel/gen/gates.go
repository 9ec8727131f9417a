package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

var ones Mem // integers 1

// constants are vectors of one value repeated, in memory.
var constants = map[float32]Mem{}

func constant(x float64) Mem {
	v := float32(x)
	m, ok := constants[v]
	if !ok {
		m = GLOBL(fmt.Sprintf("constant%08x", math.Float32bits(v)), RODATA|NOPTR)
		for n := range 16 {
			DATA(4*n, U32(math.Float32bits(v))) // as bits, because the assembler has no literal for infinity
		}
		constants[v] = m
	}
	return m
}

// elementwise generates a function over n values: body is emitted for whole vectors and again for
// the masked rest. The pointers that body uses are advanced in between.
func elementwise(i isa, n Register, pointers []Register, body func(load func(Mem) VecVirtual, store func(VecVirtual, Mem))) {
	eachVector(i, "", n, pointers, func(load func(Mem) VecVirtual, store func(VecVirtual, Mem), _ func(VecVirtual)) { body(load, store) })
	VZEROUPPER()
	RET()
}

// eachVector is the loop of elementwise, which a function with several loops gives different names.
// body can set what it computed of values beyond the rest to zero with keep.
func eachVector(i isa, name string, n Register, pointers []Register, body func(load func(Mem) VecVirtual, store func(VecVirtual, Mem), keep func(VecVirtual))) {
	whole := func(m Mem) VecVirtual { v := i.vec(); VMOVUPS(m, v); return v }
	part := func(m Mem) VecVirtual { v := i.vec(); i.load(m, v); return v }
	Label(name + "loop")
	CMPQ(n, U8(i.width()))
	JL(LabelRef(name + "tail"))
	body(whole, func(v VecVirtual, m Mem) { VMOVUPS(v, m) }, func(VecVirtual) {})
	for _, p := range pointers {
		ADDQ(U8(4*i.width()), p)
	}
	SUBQ(U8(i.width()), n)
	JMP(LabelRef(name + "loop"))
	Label(name + "tail")
	TESTQ(n, n)
	JZ(LabelRef(name + "done"))
	i.mask(n)
	body(part, i.store, i.keep)
	Label(name + "done")
}

// polynomial is c[0] s^(n-1) + ... + c[n-1].
func polynomial(i isa, s VecVirtual, c ...float64) VecVirtual {
	p := i.vec()
	VMOVUPS(constant(c[0]), p)
	for _, a := range c[1:] {
		VFMADD213PS(constant(a), s, p)
	}
	return p
}

// tanh is the rational approximation x P(x²)/Q(x²) of degrees 13 and 6, with x clamped to the range
// outside of which float32's tanh is ±1 (coefficients as in Eigen). The order of the clamp's
// operands keeps a NaN.
func tanh(i isa, x VecVirtual) VecVirtual {
	p, q := tanhFraction(i, x)
	VDIVPS(q, p, p)
	return p
}

// tanhFraction returns the numerator and the denominator of tanh, which is at least 0.0048.
func tanhFraction(i isa, x VecVirtual) (p, q VecVirtual) {
	VMINPS(x, i.broadcast(7.90531110763549805), x)
	VMAXPS(x, i.broadcast(-7.90531110763549805), x)
	s := i.vec()
	VMULPS(x, x, s)
	p = polynomial(i, s, -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
		1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03)
	VMULPS(x, p, p)
	q = polynomial(i, s, 1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
	return p, q
}

// sigmoid is (1 + tanh(x/2))/2.
func sigmoid(i isa, x VecVirtual) VecVirtual {
	VMULPS(constant(0.5), x, x)
	t := tanh(i, x)
	h := i.broadcast(0.5)
	VFMADD213PS(h, h, t)
	return t
}

func unary(i isa, name string, f func(i isa, x VecVirtual) VecVirtual) {
	TEXT(name+i.name(), NOSPLIT, "func(dst, src *float32, n int)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	elementwise(i, Load(Param("n"), GP64()), []Register{dst, src}, func(load func(Mem) VecVirtual, store func(VecVirtual, Mem)) {
		store(f(i, load(Mem{Base: src})), Mem{Base: dst})
	})
}

// binary generates func(y, x, a, n): y[i] = f(y[i], x[i], a).
func binary(i isa, name string, f func(y, x, a VecVirtual)) {
	TEXT(name+i.name(), NOSPLIT, "func(y, x *float32, a float32, n int)")
	Pragma("noescape")
	y, x := Load(Param("y"), GP64()), Load(Param("x"), GP64())
	a := i.vec()
	VBROADCASTSS(NewParamAddr("a", 16), a)
	elementwise(i, Load(Param("n"), GP64()), []Register{y, x}, func(load func(Mem) VecVirtual, store func(VecVirtual, Mem)) {
		v := load(Mem{Base: y})
		f(v, load(Mem{Base: x}), a)
		store(v, Mem{Base: y})
	})
}

func vectorOps(i isa) {
	binary(i, "expLess", func(y, x, a VecVirtual) { // y = e^(x-a); the old y is not used
		VSUBPS(a, x, x)
		VMOVUPS(exp(i, x), y)
	})
	binary(i, "axpy", func(y, x, a VecVirtual) { VFMADD231PS(x, a, y) })
	binary(i, "approach", func(y, x, a VecVirtual) { VSUBPS(y, x, x); VFMADD231PS(x, a, y) })
	binary(i, "multiply", func(y, x, a VecVirtual) { VMULPS(x, y, y); VMULPS(a, y, y) })
	binary(i, "clamp", func(y, x, a VecVirtual) { // x is not used; a NaN stays
		VMINPS(y, a, y)
		low := i.vec()
		VXORPS(low, low, low)
		VSUBPS(a, low, low)
		VMAXPS(y, low, y)
	})
	addProduct(i)
}

// addProduct generates func(y, x, w, n): y[i] += x[i]·w[i].
func addProduct(i isa) {
	TEXT("addProduct"+i.name(), NOSPLIT, "func(y, x, w *float32, n int)")
	Pragma("noescape")
	y, x, w := Load(Param("y"), GP64()), Load(Param("x"), GP64()), Load(Param("w"), GP64())
	elementwise(i, Load(Param("n"), GP64()), []Register{y, x, w}, func(load func(Mem) VecVirtual, store func(VecVirtual, Mem)) {
		v := load(Mem{Base: y})
		VFMADD231PS(load(Mem{Base: x}), load(Mem{Base: w}), v)
		store(v, Mem{Base: y})
	})
}

// sumRows generates func(m, ms, numbers, k, dst, last): dst[j] = sum_k m[numbers[k], j] for nv vectors of columns, the
// last of which has `last` values. The rows of m are ms bytes apart, and there is at least one number.
func sumRows(i isa, nv int) {
	TEXT(fmt.Sprintf("sumRows%d%s", nv, i.name()), NOSPLIT, "func(m *float32, ms int, numbers *int32, k int, dst *float32, last int)")
	Pragma("noescape")
	m, ms := Load(Param("m"), GP64()), Load(Param("ms"), GP64())
	numbers, k := Load(Param("numbers"), GP64()), Load(Param("k"), GP64())
	i.mask(Load(Param("last"), GP64()))
	acc := make([]VecVirtual, nv)
	for v := range acc {
		acc[v] = i.vec()
		VXORPS(acc[v], acc[v], acc[v])
	}
	Label("loop")
	row := GP64()
	MOVLQSX(Mem{Base: numbers}, row)
	IMULQ(ms, row)
	ADDQ(m, row)
	for v := range acc {
		at := Mem{Base: row, Disp: 4 * i.width() * v}
		if v == nv-1 {
			x := i.vec()
			i.load(at, x)
			VADDPS(x, acc[v], acc[v])
		} else {
			VADDPS(at, acc[v], acc[v])
		}
	}
	ADDQ(U8(4), numbers)
	DECQ(k)
	JNZ(LabelRef("loop"))
	dst := Load(Param("dst"), GP64())
	for v := range acc {
		at := Mem{Base: dst, Disp: 4 * i.width() * v}
		if v == nv-1 {
			i.store(acc[v], at)
		} else {
			VMOVUPS(acc[v], at)
		}
	}
	VZEROUPPER()
	RET()
}

// exp is 2^n·e^r with |r| <= ln2/2, as in the pure Go version, except that it returns denormal
// numbers between -104 and -87.
func exp(i isa, x VecVirtual) VecVirtual {
	VMINPS(x, i.broadcast(89), x)
	VMAXPS(x, i.broadcast(-104), x)
	n := i.vec()
	VMULPS(constant(math.Log2E), x, n)
	i.round(n)
	r := i.vec()
	VMOVUPS(x, r)
	VFNMADD231PS(constant(0.693359375), n, r)
	VFNMADD231PS(constant(-2.12194440e-4), n, r)
	p := polynomial(i, r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
	s := i.vec()
	VMULPS(r, r, s)
	VFMADD213PS(r, s, p)
	VADDPS(constant(1), p, p)
	i.scale(p, n)
	return p
}

// cell describes the blocks of a cell in z, as in package kernel.
type cell struct {
	name  string
	gates int
}

var cells = []cell{{"coupled", 3}, {"peephole", 3}, {"standard", 4}}

// predictGates generates func(z, before, c, h, n), which is forwardGates for networks that are not trained. It keeps
// no gate, and joins the fractions of all gates into one for the cell and one for the state, because divisions are slow.
func predictGates(i isa, k cell) {
	TEXT(k.name+"Predict"+i.name(), NOSPLIT, "func(z, before, c, h *float32, n int)")
	Pragma("noescape")
	z, n := Load(Param("z"), GP64()), Load(Param("n"), GP64())
	var p []Register
	for _, name := range []string{"before", "c", "h"} {
		p = append(p, Load(Param(name), GP64()))
	}
	j, g, f, o, pointers := blocks(z, n, k.gates)
	elementwise(i, n, append(pointers, p...), func(load func(Mem) VecVirtual, store func(VecVirtual, Mem)) {
		// gate returns the numerators of a sigmoid and of its distance from 1, whose denominator is 2q.
		gate := func(m Mem, bias bool) (on, off, q VecVirtual) {
			x := load(m)
			if bias {
				VADDPS(constant(1), x, x)
			}
			VMULPS(constant(0.5), x, x)
			on, q = tanhFraction(i, x)
			off = i.vec()
			VSUBPS(on, q, off)
			VADDPS(q, on, on)
			return on, off, q
		}
		c := load(Mem{Base: p[0]})
		top, bottom := tanhFraction(i, load(j))
		switch k.name {
		case "coupled", "peephole": // c = (f c' q_j + (1-f) p_j) / q_j
			on, off, q := gate(g, k.name == "coupled")
			if k.name == "peephole" {
				on, off = off, on
			}
			VMULPS(bottom, c, c)
			VMULPS(on, c, c)
			VFMADD231PS(off, top, c)
			VMULPS(q, bottom, bottom)
		case "standard": // c = f c' + i p_j / q_j
			on, _, q := gate(g, false)
			VMULPS(on, top, top)
			VMULPS(q, bottom, bottom)
			on, _, q = gate(f, true)
			VMULPS(on, c, c)
			VMULPS(bottom, c, c)
			VFMADD231PS(q, top, c)
			VMULPS(q, bottom, bottom)
		}
		VADDPS(bottom, bottom, bottom)
		VDIVPS(bottom, c, c)
		store(c, Mem{Base: p[1]})
		top, bottom = tanhFraction(i, c)
		on, _, q := gate(o, false)
		VMULPS(on, top, top)
		VMULPS(q, bottom, bottom)
		VADDPS(bottom, bottom, bottom)
		VDIVPS(bottom, top, top)
		store(top, Mem{Base: p[2]})
	})
}

// blocks returns the addresses of a row's gates: j, g (f or i), then f for the standard cell, and o
// last.
func blocks(z, n Register, gates int) (j, g, f, o Mem, pointers []Register) {
	size := GP64()
	MOVQ(n, size)
	SHLQ(Imm(2), size)
	third, last := GP64(), GP64()
	LEAQ(Mem{Base: z, Index: size, Scale: 2}, third)
	MOVQ(third, last)
	if gates == 4 {
		ADDQ(size, last)
	}
	second := GP64()
	MOVQ(z, second)
	ADDQ(size, second)
	pointers = []Register{z, second, last}
	if gates == 4 {
		pointers = append(pointers, third)
	}
	return Mem{Base: z}, Mem{Base: second}, Mem{Base: third}, Mem{Base: last}, pointers
}

func forwardGates(i isa, k cell) {
	TEXT(k.name+"Forward"+i.name(), NOSPLIT, "func(z, before, c, tanhC, h *float32, n int)")
	Pragma("noescape")
	z, n := Load(Param("z"), GP64()), Load(Param("n"), GP64())
	var p []Register
	for _, name := range []string{"before", "c", "tanhC", "h"} {
		p = append(p, Load(Param(name), GP64()))
	}
	j, g, f, o, pointers := blocks(z, n, k.gates)
	elementwise(i, n, append(pointers, p...), func(load func(Mem) VecVirtual, store func(VecVirtual, Mem)) {
		gate := func(m Mem, bias bool) VecVirtual {
			x := load(m)
			if bias {
				VADDPS(constant(1), x, x)
			}
			y := sigmoid(i, x)
			store(y, m)
			return y
		}
		tj := tanh(i, load(j))
		store(tj, j)
		c := load(Mem{Base: p[0]})
		switch k.name {
		case "coupled": // c = j + f (c' - j)
			a := gate(g, true)
			VSUBPS(tj, c, c)
			VFMADD213PS(tj, a, c)
		case "peephole": // c = c' + i (j - c')
			a := gate(g, false)
			VSUBPS(c, tj, tj)
			VFMADD231PS(a, tj, c)
		case "standard":
			a := gate(g, false)
			VMULPS(a, tj, tj)
			b := gate(f, true)
			VFMADD213PS(tj, b, c)
		}
		store(c, Mem{Base: p[1]})
		t := tanh(i, c)
		store(t, Mem{Base: p[2]})
		out := gate(o, false)
		VMULPS(out, t, t)
		store(t, Mem{Base: p[3]})
	})
}

func backwardGates(i isa, k cell) {
	TEXT(k.name+"Backward"+i.name(), NOSPLIT, "func(dz, z, before, tanhC, dh, dc *float32, n int)")
	Pragma("noescape")
	dz, z, n := Load(Param("dz"), GP64()), Load(Param("z"), GP64()), Load(Param("n"), GP64())
	var p []Register
	for _, name := range []string{"before", "tanhC", "dh", "dc"} {
		p = append(p, Load(Param(name), GP64()))
	}
	// dz is addressed by its distance from z, which saves its own pointers.
	SUBQ(z, dz)
	j, g, f, o, pointers := blocks(z, n, k.gates)
	d := func(m Mem) Mem { return Mem{Base: m.Base, Index: dz, Scale: 1} }
	elementwise(i, n, append(pointers, p...), func(load func(Mem) VecVirtual, store func(VecVirtual, Mem)) {
		// slope multiplies x by y(1-y).
		slope := func(x, y VecVirtual) {
			t := i.vec()
			VMOVUPS(y, t)
			VFNMADD213PS(y, y, t) // y - y·y
			VMULPS(t, x, x)
		}
		// curve multiplies x by 1-y².
		curve := func(x, y VecVirtual) {
			t := i.broadcast(1)
			VFNMADD231PS(y, y, t)
			VMULPS(t, x, x)
		}
		out, t, dh := load(o), load(Mem{Base: p[1]}), load(Mem{Base: p[2]})
		do := i.vec()
		VMULPS(dh, t, do)
		slope(do, out)
		store(do, d(o))
		VMULPS(out, dh, dh)
		curve(dh, t)
		dc := load(Mem{Base: p[3]})
		VADDPS(dh, dc, dc)

		tj, a, before := load(j), load(g), load(Mem{Base: p[0]})
		switch k.name {
		case "coupled":
			VSUBPS(tj, before, before)
			VMULPS(dc, before, before)
			slope(before, a)
			store(before, d(g))
			VMULPS(dc, a, a) // dc' = dc f, and dj = (dc - dc f)(1 - j²)
			VSUBPS(a, dc, dc)
			curve(dc, tj)
			store(dc, d(j))
			store(a, Mem{Base: p[3]})
		case "peephole":
			t := i.vec()
			VSUBPS(before, tj, t)
			VMULPS(dc, t, t)
			slope(t, a)
			store(t, d(g))
			VMULPS(dc, a, a) // dj = dc i (1 - j²), and dc' = dc - dc i
			VSUBPS(a, dc, dc)
			curve(a, tj)
			store(a, d(j))
			store(dc, Mem{Base: p[3]})
		case "standard":
			dg := i.vec()
			VMULPS(dc, tj, dg)
			slope(dg, a)
			store(dg, d(g))
			VMULPS(dc, a, a)
			curve(a, tj)
			store(a, d(j))
			forget := load(f)
			VMULPS(dc, before, before)
			slope(before, forget)
			store(before, d(f))
			VMULPS(dc, forget, forget)
			store(forget, Mem{Base: p[3]})
		}
	})
}

// viterbi generates func(a, as, score, k, next, back, last) for nv vectors of columns, the last of
// which has `last` values: next[j] is the maximum of score[i] + a[i,j], and back[j] the smallest i
// that reaches it. Several vectors at a time hide the latency of comparisons.
func viterbi(i isa, nv int) {
	TEXT(fmt.Sprintf("viterbi%d%s", nv, i.name()), NOSPLIT, "func(a *float32, as int, score *float32, k int, next *float32, back *int32, last int)")
	Pragma("noescape")
	a, as, score, k := Load(Param("a"), GP64()), Load(Param("as"), GP64()), Load(Param("score"), GP64()), Load(Param("k"), GP64())
	i.mask(Load(Param("last"), GP64()))
	at, one := i.vec(), i.vec()
	VXORPS(at, at, at)
	VMOVUPS(ones, one)
	best, from := make([]VecVirtual, nv), make([]VecVirtual, nv)
	for v := range nv {
		best[v], from[v] = i.broadcast(math.Inf(-1)), i.vec()
		VXORPS(from[v], from[v], from[v])
	}
	Label("loop")
	base := i.vec()
	VBROADCASTSS(Mem{Base: score}, base)
	for v := range nv {
		x, m := i.vec(), Mem{Base: a, Disp: 4 * i.width() * v}
		if v == nv-1 {
			i.load(m, x)
			VADDPS(base, x, x)
		} else {
			VADDPS(m, base, x)
		}
		i.keepGreater(x, at, best[v], from[v])
	}
	VPADDD(one, at, at)
	ADDQ(as, a)
	ADDQ(U8(4), score)
	DECQ(k)
	JNZ(LabelRef("loop"))
	next, back := Load(Param("next"), GP64()), Load(Param("back"), GP64())
	for v := range nv {
		for _, out := range []struct {
			v VecVirtual
			p Register
		}{{best[v], next}, {from[v], back}} {
			m := Mem{Base: out.p, Disp: 4 * i.width() * v}
			if v == nv-1 {
				i.store(out.v, m)
			} else {
				VMOVUPS(out.v, m)
			}
		}
	}
	VZEROUPPER()
	RET()
}

// keepGreater replaces best by x, and from by at, where x is greater.
func (avx2) keepGreater(x, at, best, from VecVirtual) {
	greater := YMM()
	VCMPPS(Imm(0x1e), best, x, greater) // GT_OQ
	VBLENDVPS(greater, x, best, best)
	VBLENDVPS(greater, at, from, from)
}

func (avx512) keepGreater(x, at, best, from VecVirtual) {
	greater := K()
	VCMPPS(Imm(0x1e), best, x, greater)
	VMOVAPS(x, greater, best)
	VMOVAPS(at, greater, from)
}

func (avx2) broadcast(x float64) VecVirtual {
	v := YMM().(VecVirtual)
	VMOVUPS(constant(x), v)
	return v
}

func (avx512) broadcast(x float64) VecVirtual {
	v := ZMM().(VecVirtual)
	VMOVUPS(constant(x), v)
	return v
}

func (avx2) round(n VecVirtual)   { VROUNDPS(Imm(8), n, n) }
func (avx512) round(n VecVirtual) { VRNDSCALEPS(Imm(8), n, n) }

// scale multiplies p by 2^n. AVX-512 has an instruction that is correct for very large and very
// small n. AVX2 adds to the exponent in two halves, neither of which can overflow.
func (avx512) scale(p, n VecVirtual) { VSCALEFPS(n, p, p) }

func (avx2) scale(p, n VecVirtual) {
	half, rest := YMM().(VecVirtual), YMM().(VecVirtual)
	VCVTPS2DQ(n, n)
	VPSRAD(Imm(1), n, half)
	VPSUBD(half, n, rest)
	bias := YMM()
	VMOVUPS(constant(1), bias) // its bits are 127 << 23
	for _, e := range []VecVirtual{half, rest} {
		VPSLLD(Imm(23), e, e)
		VPADDD(bias, e, e)
		VMULPS(e, p, p)
	}
}
