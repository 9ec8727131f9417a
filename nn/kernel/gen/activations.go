package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// magnitude is |x|, at most limit. A NaN stays.
func magnitude(i isa, x VecVirtual, limit float64) VecVirtual {
	a := i.vec()
	VXORPS(a, a, a)
	VSUBPS(x, a, a)
	VMAXPS(x, a, a)
	VMINPS(a, i.broadcast(limit), a)
	return a
}

// positive is max(x, 0). A NaN stays.
func positive(i isa, x VecVirtual) VecVirtual {
	y := i.vec()
	VXORPS(y, y, y)
	VMAXPS(x, y, y)
	return y
}

// gelu is x Φ(x) = max(x, 0) - a Φ(-a) with a = |x|, where Φ(-a) = e^(-a²/2) P(t), t = 1/(1 + 0.3a).
// P is a polynomial of degree 8 without a constant, fitted by minimax to a relative error of 1.5e-7
// for a <= 14.
func gelu(i isa, x VecVirtual) VecVirtual {
	a := magnitude(i, x, 13)
	e := i.vec()
	VMULPS(a, a, e)
	VMULPS(constant(-0.5), e, e)
	e = exp(i, e)
	VMULPS(a, e, e)
	t := i.broadcast(1)
	VFMADD231PS(constant(0.3), a, t)
	one := i.broadcast(1)
	VDIVPS(t, one, t)
	p := polynomial(i, t, 0.03567414636322626, -0.1572004561923847, 0.20634896356876262, -0.053679448873676074,
		0.12855940045450115, 0.0999141684263645, 0.12075384743837869, 0.11962930592347001)
	VMULPS(t, p, p)
	y := positive(i, x)
	VFNMADD231PS(p, e, y)
	return y
}

// logistic is x σ(u) = max(x, 0) - a σ(-|u|), where u has the sign of x, a = |x| and u is -|u| on
// entry.
func logistic(i isa, x, a, u VecVirtual) VecVirtual {
	e := exp(i, u)
	d := i.vec()
	VADDPS(constant(1), e, d)
	VMULPS(a, e, e)
	VDIVPS(d, e, e)
	y := positive(i, x)
	VSUBPS(e, y, y)
	return y
}

// geluTanh is x σ(2√(2/π) (x + 0.044715 x³)).
func geluTanh(i isa, x VecVirtual) VecVirtual {
	a := magnitude(i, x, 8)
	s, u := i.vec(), i.broadcast(-1.5957691216057308)
	VMULPS(a, a, s)
	VFMADD132PS(constant(-0.07135481282553506), u, s)
	VMULPS(a, s, s)
	return logistic(i, x, a, s)
}

// silu is x σ(x).
func silu(i isa, x VecVirtual) VecVirtual {
	a := magnitude(i, x, 87)
	u := i.vec()
	VXORPS(u, u, u)
	VSUBPS(a, u, u)
	return logistic(i, x, a, u)
}

// total adds all values of a register, and repeats the sum in one.
func total(i isa, v VecVirtual) VecVirtual {
	sum := fold(v)
	VHADDPS(sum, sum, sum)
	VHADDPS(sum, sum, sum)
	all := i.vec()
	VBROADCASTSS(sum, all)
	return all
}

// copies returns registers with the same contents, which a loop can change.
func copies(in ...Register) []Register {
	var out []Register
	for _, r := range in {
		p := GP64()
		MOVQ(r, p)
		out = append(out, p)
	}
	return out
}

// normalize generates func(dst, src, scale, shift, n, epsilon): dst = (src - mean)/√(variance +
// epsilon)·scale + shift, in three loops over the row.
func normalize(i isa) {
	TEXT("normalize"+i.name(), NOSPLIT, "func(dst, src, scale, shift *float32, n int, epsilon float32)")
	Pragma("noescape")
	var p []Register
	for _, name := range []string{"dst", "src", "scale", "shift"} {
		p = append(p, Load(Param(name), GP64()))
	}
	n := Load(Param("n"), GP64())
	count := XMM()
	VXORPS(count, count, count)
	VCVTSI2SSQ(n, count, count)
	number := i.vec()
	VBROADCASTSS(count, number)

	mean := i.vec()
	VXORPS(mean, mean, mean)
	r := copies(p[1], n)
	eachVector(i, "sum", r[1], r[:1], func(load func(Mem) VecVirtual, _ func(VecVirtual, Mem), _ func(VecVirtual)) {
		VADDPS(load(Mem{Base: r[0]}), mean, mean)
	})
	mean = total(i, mean)
	VDIVPS(number, mean, mean)

	variance := i.vec()
	VXORPS(variance, variance, variance)
	s := copies(p[1], n)
	eachVector(i, "squares", s[1], s[:1], func(load func(Mem) VecVirtual, _ func(VecVirtual, Mem), keep func(VecVirtual)) {
		x := load(Mem{Base: s[0]})
		VSUBPS(mean, x, x)
		keep(x)
		VFMADD231PS(x, x, variance)
	})
	variance = total(i, variance)
	VDIVPS(number, variance, variance)
	epsilon := i.vec()
	VBROADCASTSS(NewParamAddr("epsilon", 40), epsilon)
	VADDPS(epsilon, variance, variance)
	VSQRTPS(variance, variance)
	inverse := i.broadcast(1)
	VDIVPS(variance, inverse, inverse)

	elementwise(i, n, p, func(load func(Mem) VecVirtual, store func(VecVirtual, Mem)) {
		x := load(Mem{Base: p[1]})
		VSUBPS(mean, x, x)
		VMULPS(inverse, x, x)
		VFMADD213PS(load(Mem{Base: p[3]}), load(Mem{Base: p[2]}), x)
		store(x, Mem{Base: p[0]})
	})
}

// softmax generates func(dst, src, top, n): dst = e^(src - top), divided by the sum of these.
func softmax(i isa) {
	TEXT("softmax"+i.name(), NOSPLIT, "func(dst, src *float32, top float32, n int)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	top := i.vec()
	VBROADCASTSS(NewParamAddr("top", 16), top)
	n := Load(Param("n"), GP64())

	sum := i.vec()
	VXORPS(sum, sum, sum)
	r := copies(dst, n)
	eachVector(i, "exponentials", r[1], []Register{r[0], src}, func(load func(Mem) VecVirtual, store func(VecVirtual, Mem), keep func(VecVirtual)) {
		x := load(Mem{Base: src})
		VSUBPS(top, x, x)
		x = exp(i, x)
		keep(x)
		VADDPS(x, sum, sum)
		store(x, Mem{Base: r[0]})
	})
	sum = total(i, sum)
	inverse := i.broadcast(1)
	VDIVPS(sum, inverse, inverse)

	elementwise(i, n, []Register{dst}, func(load func(Mem) VecVirtual, store func(VecVirtual, Mem)) {
		x := load(Mem{Base: dst})
		VMULPS(inverse, x, x)
		store(x, Mem{Base: dst})
	})
}

// keep sets the values outside of the mask to zero.
func (avx2) keep(v VecVirtual)   { VANDPS(avx2Mask, v, v) }
func (avx512) keep(v VecVirtual) { VMOVAPS_Z(v, avx512Mask, v) }
