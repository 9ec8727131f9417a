// Command gen writes the assembly of package kernel. Run it with go generate
// in nn/kernel.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	counts = GLOBL("counts", RODATA|NOPTR)
	for n := range 8 {
		DATA(4*n, U32(n))
	}
	ones = GLOBL("ones", RODATA|NOPTR)
	for n := range 16 {
		DATA(4*n, U32(1))
	}
	withoutSign = GLOBL("withoutSign", RODATA|NOPTR)
	for n := range 16 {
		DATA(4*n, U32(0x7fffffff))
	}
	offset128 = GLOBL("offset128", RODATA|NOPTR)
	for n := range 16 {
		DATA(4*n, U32(128))
	}
	for _, i := range []isa{avx2{}, avx512{}} {
		for mr, most := range i.blocks() {
			for nv := 1; nv <= most; nv++ {
				product(i, mr+1, nv)
			}
		}
		pack(i, 1)
		pack(i, 2)
		for mr := 1; mr <= i.dotRows(); mr++ {
			dots(i, mr, 4)
			dots(i, mr, 1)
		}
		for _, k := range cells {
			forwardGates(i, k)
			predictGates(i, k)
			backwardGates(i, k)
		}
		for nv := 1; nv <= i.viterbi(); nv++ {
			viterbi(i, nv)
		}
		vectorOps(i)
		for nv := 1; nv <= 8; nv++ {
			sumRows(i, nv)
		}
		largest(i)
		unary(i, "exp", exp)
		unary(i, "tanh", tanh)
		unary(i, "gelu", gelu)
		unary(i, "geluTanh", geluTanh)
		unary(i, "silu", silu)
		normalize(i)
		softmax(i)
		int8Kernels(i)
	}
	transpose()
	Generate()
}

// isa hides the difference between 8 values in a YMM and 16 in a ZMM register, and how each masks
// the last vector of a row.
type isa interface {
	name() string
	width() int                // values in a register
	blocks() []int             // for products of 1, 2, ... rows: the maximum number of vectors per row
	dotRows() int              // for inner products: the maximum number of rows at once
	viterbi() int              // for a step of Viterbi: the maximum number of vectors at once
	vec() VecVirtual           // a register
	mask(m Register)           // creates the mask for the number of values in m
	load(m Mem, v VecVirtual)  // through the mask, zero elsewhere
	store(v VecVirtual, m Mem) // through the mask
	keep(v VecVirtual)         // what the mask covers, zero elsewhere
	broadcast(x float64) VecVirtual
	round(n VecVirtual)    // to the nearest whole number
	scale(p, n VecVirtual) // p times 2^n
	keepGreater(x, at, best, from VecVirtual)
	int8Rows() int                         // for products of 8-bit integers: the maximum number of rows
	int8Bytes() int                        // of a vector of columns, for one step
	loadInt8(b Register, v int) VecVirtual // a vector of columns
	addProducts(a, b, acc VecVirtual)      // of one step
	storeInt8(x VecVirtual, m Mem)         // 16 bytes of integers in the form of a
}

// product generates func(a, ar, ak, b, bs, c, cs, k, last): c[i,j] += sum_k a[i,k] b[k,j] for mr
// rows and nv vectors of columns, the last of which has `last` values. All strides are in bytes; a
// has one between rows and one along k, so that the same code serves a and aᵀ. Each value of c is
// one chain of fused multiply-adds in the order of k, whatever the block, so a result does not
// depend on how a matrix is divided into blocks.
func product(i isa, mr, nv int) {
	TEXT(fmt.Sprintf("product%dx%d%s", mr, nv, i.name()), NOSPLIT,
		"func(a *float32, ar, ak int, b *float32, bs int, c *float32, cs int, k int, last int)")
	Pragma("noescape")
	a := rows(Load(Param("a"), GP64()), Load(Param("ar"), GP64()), mr)
	ak := Load(Param("ak"), GP64())
	b, bs := Load(Param("b"), GP64()), Load(Param("bs"), GP64())
	k := Load(Param("k"), GP64())
	i.mask(Load(Param("last"), GP64()))

	acc := make([][]VecVirtual, mr)
	for r := range acc {
		for range nv {
			v := i.vec()
			VXORPS(v, v, v)
			acc[r] = append(acc[r], v)
		}
	}
	Label("loop")
	loadB := func(v int) VecVirtual {
		x, m := i.vec(), Mem{Base: b, Disp: 4 * i.width() * v}
		if v == nv-1 {
			i.load(m, x)
		} else {
			VMOVUPS(m, x)
		}
		return x
	}
	if mr == 1 { // AVX2 has only one register left for b, which is enough
		x := i.vec()
		VBROADCASTSS(a.at(0), x)
		for v := range nv {
			VFMADD231PS(loadB(v), x, acc[0][v])
		}
	} else {
		row := make([]VecVirtual, nv)
		for v := range row {
			row[v] = loadB(v)
		}
		for r := range acc {
			x := i.vec()
			VBROADCASTSS(a.at(r), x)
			for v := range row {
				VFMADD231PS(row[v], x, acc[r][v])
			}
		}
	}
	a.advance(ak)
	ADDQ(bs, b)
	DECQ(k)
	JNZ(LabelRef("loop"))

	c := rows(Load(Param("c"), GP64()), Load(Param("cs"), GP64()), mr)
	for r := range acc {
		for v := range nv {
			m := c.at(r)
			m.Disp += 4 * i.width() * v
			if v == nv-1 {
				x := i.vec()
				i.load(m, x)
				VADDPS(x, acc[r][v], acc[r][v])
				i.store(acc[r][v], m)
			} else {
				VADDPS(m, acc[r][v], acc[r][v])
				VMOVUPS(acc[r][v], m)
			}
		}
	}
	VZEROUPPER()
	RET()
}

// dots generates func(a, ar, b, br, c, cs, k, last): c[i,j] += sum_k a[i,k] b[j,k] for mr rows of a
// and nr of b. k is the number of whole vectors, last the number of values of the partial vector
// after them, which may be 0.
func dots(i isa, mr, nr int) {
	TEXT(fmt.Sprintf("dots%dx%d%s", mr, nr, i.name()), NOSPLIT,
		"func(a *float32, ar int, b *float32, br int, c *float32, cs int, k int, last int)")
	Pragma("noescape")
	a := rows(Load(Param("a"), GP64()), Load(Param("ar"), GP64()), mr)
	b := rows(Load(Param("b"), GP64()), Load(Param("br"), GP64()), nr)
	k := Load(Param("k"), GP64())
	last := Load(Param("last"), GP64())
	step := GP64()
	MOVQ(U32(4*i.width()), step)

	acc := make([][]VecVirtual, mr)
	for r := range acc {
		for range nr {
			v := i.vec()
			VXORPS(v, v, v)
			acc[r] = append(acc[r], v)
		}
	}
	body := func(load func(m Mem, v VecVirtual)) {
		x := make([]VecVirtual, mr)
		for r := range x {
			x[r] = i.vec()
			load(a.at(r), x[r])
		}
		for s := range nr {
			y := i.vec()
			load(b.at(s), y)
			for r := range x {
				VFMADD231PS(y, x[r], acc[r][s])
			}
		}
	}
	TESTQ(k, k)
	JZ(LabelRef("tail"))
	Label("loop")
	body(func(m Mem, v VecVirtual) { VMOVUPS(m, v) })
	a.advance(step)
	b.advance(step)
	DECQ(k)
	JNZ(LabelRef("loop"))
	Label("tail")
	TESTQ(last, last)
	JZ(LabelRef("sum"))
	i.mask(last)
	body(i.load)
	Label("sum")
	c := rows(Load(Param("c"), GP64()), Load(Param("cs"), GP64()), mr)
	for r := range acc {
		halves := make([]VecVirtual, nr) // each accumulator folded to four sums
		for s, v := range acc[r] {
			halves[s] = fold(v)
		}
		sum := halves[0]
		if nr == 4 {
			VHADDPS(halves[1], halves[0], halves[0])
			VHADDPS(halves[3], halves[2], halves[2])
			VHADDPS(halves[2], halves[0], sum)
			VADDPS(c.at(r), sum, sum)
			VMOVUPS(sum, c.at(r))
			continue
		}
		VHADDPS(sum, sum, sum)
		VHADDPS(sum, sum, sum)
		VADDSS(c.at(r), sum, sum)
		VMOVSS(sum, c.at(r))
	}
	VZEROUPPER()
	RET()
}

// fold adds the four-value parts of a register.
func fold(v VecVirtual) VecVirtual {
	if v.Size() == 64 {
		high := YMM()
		VEXTRACTF64X4(Imm(1), v.(VecVirtual), high)
		VADDPS(high, v.AsY(), high)
		v = high.(VecVirtual)
	}
	high := XMM()
	VEXTRACTF128(Imm(1), v.AsY(), high)
	VADDPS(high, v.AsX(), high)
	return high.(VecVirtual)
}

// strided addresses up to nine rows with three pointers and one stride.
type strided struct {
	base   []Register
	stride Register
	n      int
}

func rows(first, stride Register, n int) strided {
	s := strided{base: []Register{first}, stride: stride, n: n}
	for 3*len(s.base) < n {
		p := GP64()
		LEAQ(Mem{Base: s.base[len(s.base)-1], Index: stride, Scale: 2}, p)
		ADDQ(stride, p)
		s.base = append(s.base, p)
	}
	return s
}

func (s strided) at(r int) Mem {
	m := Mem{Base: s.base[r/3]}
	if r%3 > 0 {
		m.Index, m.Scale = s.stride, uint8(r%3)
	}
	return m
}

func (s strided) advance(by Register) {
	for _, p := range s.base {
		ADDQ(by, p)
	}
}

type avx2 struct{}

func (avx2) name() string    { return "AVX2" }
func (avx2) width() int      { return 8 }
func (avx2) blocks() []int   { return []int{8, 4, 3, 2, 2, 2} }
func (avx2) dotRows() int    { return 2 }
func (avx2) viterbi() int    { return 3 }
func (avx2) vec() VecVirtual { return YMM().(VecVirtual) }

type avx512 struct{}

func (avx512) name() string    { return "AVX512" }
func (avx512) width() int      { return 16 }
func (avx512) blocks() []int   { return []int{8, 4, 4, 4, 2, 2, 2, 2} }
func (avx512) dotRows() int    { return 3 }
func (avx512) viterbi() int    { return 6 }
func (avx512) vec() VecVirtual { return ZMM().(VecVirtual) }

// avx2Mask is the register with the mask of avx2, which is made by comparing 0..7 with the count.
var avx2Mask VecVirtual

var counts Mem // 0..7

func (avx2) mask(m Register) {
	avx2Mask = YMM().(VecVirtual)
	MOVQ(m, avx2Mask.AsX())
	VPBROADCASTD(avx2Mask.AsX(), avx2Mask)
	VPCMPGTD(counts, avx2Mask, avx2Mask)
}

func (avx2) load(m Mem, v VecVirtual)  { VMASKMOVPS(m, avx2Mask, v) }
func (avx2) store(v VecVirtual, m Mem) { VMASKMOVPS(v, avx2Mask, m) }

var avx512Mask Register

func (avx512) mask(m Register) {
	all := GP32()
	MOVL(U32(0xffff), all)
	BZHIL(m.(GPVirtual).As32(), all, all)
	k := K()
	KMOVW(all, k)
	avx512Mask = k
}

func (avx512) load(m Mem, v VecVirtual)  { VMOVUPS_Z(m, avx512Mask, v) }
func (avx512) store(v VecVirtual, m Mem) { VMOVUPS(v, avx512Mask, m) }
