package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// peepholeActive is the number of sequences at each step: three sequences of 5, 3 and 2 steps.
// Rows are packed by step, as in package nn.
var peepholeActive = []int{3, 3, 2, 1, 1}

const peepholeRows = 10

// peepholeValues returns random inputs, parameters and initial states of a layer of n units, and
// the weights of h in a loss.
func peepholeValues(rng *rand.Rand, n int) map[string][]float32 {
	random := func(size int, scale float64) []float32 {
		x := make([]float32, size)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * scale)
		}
		return x
	}
	s := 1 / math.Sqrt(float64(n))
	return map[string][]float32{
		"x": random(peepholeRows*4*n, 1), "Wh": random(n*4*n, s),
		"P": random(n*2*n, s), "Po": random(n*n, s), // P = [Pi Pf]
		"c0": random(peepholeActive[0]*n, 1), "h0": random(peepholeActive[0]*n, 1),
		"dh": random(peepholeRows*n, 1),
	}
}

// peepholeReference computes h by equation 1 of Liu et al. 2017, one value after the other, and the
// loss, the sum of dh*h.
func peepholeReference(n int, v map[string][]float64) (h []float64, loss float64) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	h = make([]float64, peepholeRows*n)
	for s := range peepholeActive[0] {
		hs, cs := v["h0"][s*n:][:n], v["c0"][s*n:][:n]
		first := 0
		for _, active := range peepholeActive {
			if s >= active {
				break
			}
			row := first + s
			c, next := make([]float64, n), h[row*n:][:n]
			for u := range n {
				z := [3]float64{v["x"][row*4*n+u], v["x"][row*4*n+n+u], v["x"][row*4*n+2*n+u]}
				for k := range n {
					for b := range z {
						z[b] += hs[k] * v["Wh"][k*4*n+b*n+u]
					}
					z[1] += cs[k] * v["P"][k*2*n+u]
					z[2] += cs[k] * v["P"][k*2*n+n+u]
				}
				c[u] = sigmoid(z[2])*cs[u] + sigmoid(z[1])*math.Tanh(z[0])
			}
			for u := range n {
				zo := v["x"][row*4*n+3*n+u]
				for k := range n {
					zo += hs[k]*v["Wh"][k*4*n+3*n+u] + c[k]*v["Po"][k*n+u]
				}
				next[u] = sigmoid(zo) * math.Tanh(c[u])
				loss += v["dh"][row*n+u] * next[u]
			}
			hs, cs = next, c
			first += active
		}
	}
	return h, loss
}

// peepholeLayer computes h and the gradients of the loss with the package, as a caller would.
func peepholeLayer(n int, v map[string][]float32) (h []float32, grad map[string][]float32) {
	grad = map[string][]float32{}
	for name := range v {
		grad[name] = make([]float32, len(v[name]))
	}
	wh, p, po := NewMatrix(n, 4*n, v["Wh"]), NewMatrix(n, 2*n, v["P"]), NewMatrix(n, n, v["Po"])
	z := NewMatrix(peepholeRows, 4*n, slices.Clone(v["x"]))
	hm, cm, tanhC := newRows(n), newRows(n), newRows(n)
	before := func(t, first int, initial []float32, m Matrix) Matrix {
		if t == 0 {
			return NewMatrix(peepholeActive[0], n, initial)
		}
		from := first - peepholeActive[t-1]
		return m.Slice(from, from+peepholeActive[t])
	}
	first := 0
	for t, active := range peepholeActive {
		hb, cb := before(t, first, v["h0"], hm), before(t, first, v["c0"], cm)
		zt := z.Slice(first, first+active)
		AddMul(zt, hb, wh)
		AddMul(zt.Columns(n, 3*n), cb, p)
		for s := range active {
			FullPeephole.Forward(zt.Row(s), cb.Row(s), cm.Row(first+s), tanhC.Row(first+s), nil)
		}
		AddMul(zt.Columns(3*n, 4*n), cm.Slice(first, first+active), po)
		for s := range active {
			FullPeephole.ForwardOutput(zt.Row(s), tanhC.Row(first+s), hm.Row(first+s))
		}
		first += active
	}

	dz, dc := NewMatrix(peepholeRows, 4*n, grad["x"]), newRows(n)
	dh := NewMatrix(peepholeRows, n, slices.Clone(v["dh"]))
	for i := range dz.Data {
		dz.Data[i] = float32(math.NaN()) // every value must be set
	}
	for t := len(peepholeActive) - 1; t >= 0; t-- {
		active := peepholeActive[t]
		first -= active
		hb, cb := before(t, first, v["h0"], hm), before(t, first, v["c0"], cm)
		dhb, dcb := before(t, first, grad["h0"], dh), before(t, first, grad["c0"], dc)
		zt, dzt, dct := z.Slice(first, first+active), dz.Slice(first, first+active), dc.Slice(first, first+active)
		for s := range active {
			FullPeephole.BackwardOutput(dzt.Row(s), zt.Row(s), tanhC.Row(first+s), dh.Row(first+s), dct.Row(s))
		}
		AddMulNT(dct, dzt.Columns(3*n, 4*n), po)
		for s := range active {
			FullPeephole.Backward(dzt.Row(s), zt.Row(s), cb.Row(s), nil, nil, dct.Row(s))
			Add(dcb.Row(s), dct.Row(s))
		}
		AddMulNT(dcb, dzt.Columns(n, 3*n), p)
		AddMulNT(dhb, dzt, wh)

		AddMulTN(NewMatrix(n, 4*n, grad["Wh"]), hb, dzt)
		AddMulTN(NewMatrix(n, 2*n, grad["P"]), cb, dzt.Columns(n, 3*n))
		AddMulTN(NewMatrix(n, n, grad["Po"]), cm.Slice(first, first+active), dzt.Columns(3*n, 4*n))
	}
	grad["dh"] = hm.Data // the loss is linear in dh
	return hm.Data, grad
}

func newRows(n int) Matrix { return NewMatrix(peepholeRows, n, make([]float32, peepholeRows*n)) }

// Compares several steps of FullPeephole, chained through full matrices, with the paper's equations
// in float64, and all gradients with finite differences of those.
func TestFullPeephole(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, n := range []int{1, 3, 16, 33} {
			t.Run(fmt.Sprint(n), func(t *testing.T) { testFullPeephole(t, n) })
		}
	})
}

func testFullPeephole(t *testing.T, n int) {
	rng := rand.New(rand.NewPCG(20, uint64(n)))
	v := peepholeValues(rng, n)
	exact := map[string][]float64{}
	for name := range v {
		for _, x := range v[name] {
			exact[name] = append(exact[name], float64(x))
		}
	}
	h, grad := peepholeLayer(n, v)
	want, _ := peepholeReference(n, exact)
	for i := range want {
		if d := math.Abs(float64(h[i]) - want[i]); !(d < 2e-6) {
			t.Fatalf("h[%d] is %v, want %v", i, h[i], want[i])
		}
	}
	const step = 1e-5
	for name, x := range exact {
		for _, i := range rng.Perm(len(x))[:min(len(x), 30)] {
			value := x[i]
			x[i] = value + step
			_, up := peepholeReference(n, exact)
			x[i] = value - step
			_, down := peepholeReference(n, exact)
			x[i] = value
			want := (up - down) / (2 * step)
			if d := math.Abs(float64(grad[name][i]) - want); !(d < 1e-5*max(1, math.Abs(want))) {
				t.Errorf("the gradient of %s[%d] is %v, want %v", name, i, grad[name][i], want)
			}
		}
	}
}

// Forward leaves z_o and h to ForwardOutput, and Backward leaves dz_o to BackwardOutput.
func TestFullPeepholeParts(t *testing.T) {
	const n = 5
	ones := func(size int) []float32 { return slices.Repeat([]float32{1}, size) }
	each(t, func(t *testing.T) {
		z, c, tanhC, h := ones(4*n), ones(n), ones(n), ones(n)
		FullPeephole.Forward(z, ones(n), c, tanhC, h)
		if !slices.Equal(z[3*n:], ones(n)) || !slices.Equal(h, ones(n)) {
			t.Errorf("Forward changes z_o to %v and h to %v", z[3*n:], h)
		}
		gates := slices.Clone(z[:3*n])
		FullPeephole.ForwardOutput(z, tanhC, h)
		if !slices.Equal(z[:3*n], gates) {
			t.Error("ForwardOutput changes z_j, z_i or z_f")
		}
		dz, dc := ones(4*n), ones(n)
		FullPeephole.BackwardOutput(dz, z, tanhC, ones(n), dc)
		if !slices.Equal(dz[:3*n], ones(3*n)) {
			t.Error("BackwardOutput changes dz_j, dz_i or dz_f")
		}
		do := slices.Clone(dz[3*n:])
		FullPeephole.Backward(dz, z, ones(n), nil, nil, dc)
		if !slices.Equal(dz[3*n:], do) {
			t.Error("Backward changes dz_o")
		}
	})
}

// A gate of a large z is exactly 0 or 1, and a NaN shows in its own unit only.
func TestFullPeepholeSpecialValues(t *testing.T) {
	nan := float32(math.NaN())
	each(t, func(t *testing.T) {
		for n := 1; n < 40; n++ { // at every position of a vector and its rest
			z, before := make([]float32, 4*n), make([]float32, n)
			c, tanhC, h := make([]float32, n), make([]float32, n), make([]float32, n)
			at := func(block int) *float32 { return &z[block*n+n-1] }
			*at(0), *at(1), *at(2), *at(3), before[n-1] = 1, -200, 200, 200, 7
			FullPeephole.Forward(z, before, c, tanhC, h)
			FullPeephole.ForwardOutput(z, tanhC, h)
			if *at(1) != 0 || *at(2) != 1 || *at(3) != 1 || c[n-1] != 7 || h[n-1] != tanhC[n-1] {
				t.Errorf("of %d: i %v, f %v, o %v, c %v, h %v", n, *at(1), *at(2), *at(3), c[n-1], h[n-1])
			}
			clear(z)
			*at(1) = nan
			FullPeephole.Forward(z, before, c, tanhC, h)
			FullPeephole.ForwardOutput(z, tanhC, h)
			for i, v := range h {
				if v != v != (i == n-1) {
					t.Errorf("of %d with a NaN at the end: h[%d] is %v", n, i, v)
				}
			}
		}
	})
}

// ForwardOutput and BackwardOutput belong to the cells that split the output, and every method
// refuses a z of the wrong length.
func TestOutputPanics(t *testing.T) {
	panics := func(what string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s does not panic", what)
			}
		}()
		f()
	}
	x, long := make([]float32, 8), make([]float32, 9)
	y := make([]float32, 2)
	for _, cell := range []Cell{Coupled, Peephole, Standard} {
		if cell.SplitsOutput() {
			t.Errorf("cell %d splits the output", cell)
		}
		z := x[:2*cell.Gates()]
		panics("ForwardOutput of another cell", func() { cell.ForwardOutput(z, y, y) })
		panics("BackwardOutput of another cell", func() { cell.BackwardOutput(z, z, y, y, y) })
	}
	if !FullPeephole.SplitsOutput() {
		t.Error("FullPeephole does not split the output")
	}
	panics("Forward of a long z", func() { FullPeephole.Forward(long, y, y, y, nil) })
	panics("ForwardOutput of a long z", func() { FullPeephole.ForwardOutput(long, y, y) })
	panics("BackwardOutput of a long z", func() { FullPeephole.BackwardOutput(x, long, y, y, y) })
	panics("BackwardOutput of a long dz", func() { FullPeephole.BackwardOutput(long, x, y, y, y) })
	panics("Backward of a long dz", func() { FullPeephole.Backward(long, x, y, nil, nil, y) })
}

func BenchmarkFullPeephole(b *testing.B) {
	const n = 100
	row := func() []float32 { return make([]float32, n) }
	z, dz, before, c, tanhC, h, dc := make([]float32, 4*n), make([]float32, 4*n), row(), row(), row(), row(), row()
	report := func(b *testing.B) { b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s") }
	b.Run("forward", func(b *testing.B) {
		for b.Loop() {
			FullPeephole.Forward(z, before, c, tanhC, h)
			FullPeephole.ForwardOutput(z, tanhC, h)
		}
		report(b)
	})
	b.Run("backward", func(b *testing.B) {
		for b.Loop() {
			FullPeephole.BackwardOutput(dz, z, tanhC, h, dc)
			FullPeephole.Backward(dz, z, before, tanhC, h, dc)
		}
		report(b)
	})
}
