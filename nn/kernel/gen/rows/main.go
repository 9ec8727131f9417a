// Command rows writes the assembly of package rows. Run it with go generate in
// nn/kernel/rows.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	for _, i := range []isa{{"AVX2", 4}, {"AVX512", 8}} {
		for nv := 8 / i.width; nv <= 8; nv += 8 / i.width { // the length of a row is a multiple of eight
			sum(i, nv)
			addTo(i, nv)
			mulAdd(i, nv)
		}
		expLess(i)
	}
	Generate()
}

// isa stands for 4 values in a YMM, or 8 in a ZMM register.
type isa struct {
	name  string
	width int
}

func (i isa) vec() VecVirtual {
	if i.width == 8 {
		return ZMM().(VecVirtual)
	}
	return YMM().(VecVirtual)
}

func (i isa) text(name string, nv int, params string) {
	TEXT(fmt.Sprintf("%s%d%s", name, nv, i.name), NOSPLIT, "func("+params+")")
	Pragma("noescape")
}

// vectors loads nv vectors.
func (i isa) vectors(from Register, nv int) []VecVirtual {
	all := make([]VecVirtual, nv)
	for v := range all {
		all[v] = i.vec()
		VMOVUPD(Mem{Base: from, Disp: 8 * i.width * v}, all[v])
	}
	return all
}

func (i isa) store(all []VecVirtual, to Register) {
	for v := range all {
		VMOVUPD(all[v], Mem{Base: to, Disp: 8 * i.width * v})
	}
	VZEROUPPER()
	RET()
}

// eachRow emits body for each of the n rows of the table whose numbers are at `at`. Strides are in
// bytes.
func eachRow(table, stride, at, n Register, body func(row Register)) {
	Label("loop")
	row := GP64()
	MOVLQSX(Mem{Base: at}, row)
	IMULQ(stride, row)
	ADDQ(table, row)
	body(row)
	ADDQ(U8(4), at)
	DECQ(n)
	JNZ(LabelRef("loop"))
}

// sum generates dst += the rows of the table.
func sum(i isa, nv int) {
	i.text("sum", nv, "dst, table *float64, stride int, at *int32, n int")
	dst, table, stride := Load(Param("dst"), GP64()), Load(Param("table"), GP64()), Load(Param("stride"), GP64())
	at, n := Load(Param("at"), GP64()), Load(Param("n"), GP64())
	acc := i.vectors(dst, nv)
	eachRow(table, stride, at, n, func(row Register) {
		for v := range acc {
			VADDPD(Mem{Base: row, Disp: 8 * i.width * v}, acc[v], acc[v])
		}
	})
	i.store(acc, dst)
}

// addTo generates each of the rows += src.
func addTo(i isa, nv int) {
	i.text("addTo", nv, "table *float64, stride int, at *int32, n int, src *float64")
	table, stride := Load(Param("table"), GP64()), Load(Param("stride"), GP64())
	at, n, src := Load(Param("at"), GP64()), Load(Param("n"), GP64()), Load(Param("src"), GP64())
	add := i.vectors(src, nv)
	eachRow(table, stride, at, n, func(row Register) {
		for v := range add {
			x, m := i.vec(), Mem{Base: row, Disp: 8 * i.width * v}
			VADDPD(m, add[v], x)
			VMOVUPD(x, m)
		}
	})
	VZEROUPPER()
	RET()
}

// mulAdd generates dst += sum_k x[k] m[k], for rows m[k] and k values of x.
func mulAdd(i isa, nv int) {
	i.text("mulAdd", nv, "dst, x *float64, xs int, m *float64, ms int, k int")
	dst, x, xs := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("xs"), GP64())
	m, ms, k := Load(Param("m"), GP64()), Load(Param("ms"), GP64()), Load(Param("k"), GP64())
	acc := i.vectors(dst, nv)
	Label("loop")
	factor := i.vec()
	VBROADCASTSD(Mem{Base: x}, factor)
	for v := range acc {
		VFMADD231PD(Mem{Base: m, Disp: 8 * i.width * v}, factor, acc[v])
	}
	ADDQ(xs, x)
	ADDQ(ms, m)
	DECQ(k)
	JNZ(LabelRef("loop"))
	i.store(acc, dst)
}

// expLess generates dst = e^(src - top), where top is the maximum of src, which it returns; n is
// the number of vectors.
func expLess(i isa) {
	TEXT("expLess"+i.name, NOSPLIT, "func(dst, src *float64, n int) float64")
	Pragma("noescape")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())

	p, left := GP64(), GP64()
	MOVQ(src, p)
	MOVQ(n, left)
	top := i.vec()
	VMOVUPD(Mem{Base: p}, top)
	Label("greatest")
	VMAXPD(Mem{Base: p}, top, top)
	ADDQ(U8(8*i.width), p)
	DECQ(left)
	JNZ(LabelRef("greatest"))
	if i.width == 8 {
		high := YMM()
		VEXTRACTF64X4(Imm(1), top, high)
		VMAXPD(high, top.AsY(), top.AsY())
	}
	high := XMM()
	VEXTRACTF128(Imm(1), top.AsY(), high)
	VMAXPD(high, top.AsX(), top.AsX())
	VPERMILPD(Imm(1), top.AsX(), high)
	VMAXSD(high, top.AsX(), top.AsX())
	Store(top.AsX(), ReturnIndex(0))
	VBROADCASTSD(top.AsX(), top)

	// With n the nearest whole number to x/ln 2, e^x = 2^n e^r. e^r is computed by Taylor's
	// series, whose remainder is below 1e-17 for |r| <= ln 2 / 2.
	Label("loop")
	x, whole, series := i.vec(), i.vec(), i.vec()
	VMOVUPD(Mem{Base: src}, x)
	VSUBPD(top, x, x)
	least := i.constant(-708)
	VMAXPD(x, least, x) // a NaN stays
	VMULPD(i.constant(math.Log2E), x, whole)
	if i.width == 8 {
		VRNDSCALEPD(Imm(8), whole, whole)
	} else {
		VROUNDPD(Imm(8), whole, whole)
	}
	VFNMADD231PD(i.constant(6.93147180369123816490e-01), whole, x) // ln 2 is split into two parts for precision
	VFNMADD231PD(i.constant(1.90821492927058770002e-10), whole, x)
	factorial := 6227020800.0 // 13!
	VMOVUPD(i.constant(1/factorial), series)
	for k := 13; k > 0; k-- {
		factorial /= float64(k)
		VFMADD213PD(i.constant(1/factorial), x, series)
	}
	if i.width == 8 {
		VSCALEFPD(whole, series, series)
	} else {
		VCVTPD2DQY(whole, whole.AsX())
		VPMOVSXDQ(whole.AsX(), whole)
		VPSLLQ(Imm(52), whole, whole)
		VPADDQ(whole, series, series)
	}
	VMOVUPD(series, Mem{Base: dst})
	ADDQ(U8(8*i.width), src)
	ADDQ(U8(8*i.width), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// constants are vectors of one value repeated, in memory.
var constants = map[float64]Mem{}

func (i isa) constant(x float64) VecVirtual {
	m, ok := constants[x]
	if !ok {
		m = GLOBL(fmt.Sprintf("constant%016x", math.Float64bits(x)), RODATA|NOPTR)
		for n := range 8 {
			DATA(8*n, U64(math.Float64bits(x)))
		}
		constants[x] = m
	}
	v := i.vec()
	VMOVUPD(m, v)
	return v
}
