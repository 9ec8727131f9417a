package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

var activations = []struct {
	name string
	f    func(dst, src []float32)
	want func(x float64) float64
}{
	{"Gelu", Gelu, func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) }},
	{"GeluTanh", GeluTanh, func(x float64) float64 { return x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) }},
	{"Silu", Silu, func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
}

// Compares the activations with float64, over the range where they differ from 0 and x, and beyond.
func TestActivationsAccuracy(t *testing.T) {
	each(t, func(t *testing.T) {
		const n = 1 << 16
		x, y := make([]float32, n), make([]float32, n)
		for _, a := range activations {
			for _, limit := range []float32{1e-30, 1e-3, 2, 6, 20, 120, 3e38} {
				for i := range x {
					x[i] = limit * (float32(i)/(n/2) - 1)
				}
				a.f(y, x)
				worst := 0.0
				for i, v := range x {
					worst = max(worst, math.Abs(float64(y[i])-a.want(float64(v)))/max(1, math.Abs(float64(v))/2))
				}
				t.Logf("%s to %v: %.2e", a.name, limit, worst)
				if !(worst < 1.3e-7) {
					t.Errorf("%s is off by %.2e within %v", a.name, worst, limit)
				}
			}
		}
	})
}

// Every position of a vector and its rest, in place and not, without a write beyond the end.
func TestActivationsLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	each(t, func(t *testing.T) {
		for _, a := range activations {
			for n := range 70 {
				src, dst := randomMatrix(rng, 1, n+3).Row(0), make([]float32, n+3)
				dst[n] = 7
				a.f(dst[:n], src)
				for i, v := range src[:n] {
					if want := a.want(float64(v)); math.Abs(float64(dst[i])-want) > 5e-7 {
						t.Fatalf("%s of %d: value %d is %v, want %v", a.name, n, i, dst[i], want)
					}
				}
				a.f(src[:n], src[:n])
				for i := range n {
					if src[i] != dst[i] {
						t.Fatalf("%s of %d in place: value %d differs", a.name, n, i)
					}
				}
				if dst[n] != 7 {
					t.Fatalf("%s of %d wrote beyond the end", a.name, n)
				}
				if n == 0 {
					continue
				}
				for _, c := range []struct{ x, want float32 }{{inf, inf}, {nan, nan}, {-100, 0}, {0, 0}, {3e38, 3e38}} {
					src[n-1] = c.x
					a.f(dst[:n], src[:n])
					if got := dst[n-1]; math.Abs(float64(got-c.want)) > 1e-20 || (got == got) != (c.want == c.want) {
						t.Fatalf("%s(%v) is %v", a.name, c.x, got)
					}
				}
			}
		}
	})
}

func TestNormalize(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	each(t, func(t *testing.T) {
		for n := range 100 {
			for _, offset := range []float32{0, 30} {
				src, dst := randomMatrix(rng, 1, n+2).Row(0), make([]float32, n+2)
				scale, shift := randomMatrix(rng, 1, n+2).Row(0), randomMatrix(rng, 1, n+2).Row(0)
				const epsilon = 1e-5
				var mean, variance float64
				for i := range n {
					src[i] += offset
					mean += float64(src[i]) / float64(n)
				}
				for _, x := range src[:n] {
					variance += (float64(x) - mean) * (float64(x) - mean) / float64(n)
				}
				dst[n] = 7
				Normalize(dst[:n], src, scale, shift, epsilon)
				for i := range n {
					want := (float64(src[i])-mean)/math.Sqrt(variance+epsilon)*float64(scale[i]) + float64(shift[i])
					if !(math.Abs(float64(dst[i])-want) < 2e-6*float64(2+offset)*(1+math.Abs(want))) {
						t.Fatalf("row of %d at %v: value %d is %v, want %v", n, offset, i, dst[i], want)
					}
				}
				Normalize(src[:n], src[:n], scale, shift, epsilon)
				for i := range n {
					if src[i] != dst[i] {
						t.Fatalf("row of %d in place: value %d differs", n, i)
					}
				}
				if dst[n] != 7 {
					t.Fatalf("row of %d: wrote beyond the end", n)
				}
			}
		}
	})
}

// A row of equal values has no variance, so that only the shift is left.
func TestNormalizeEqualValues(t *testing.T) {
	each(t, func(t *testing.T) {
		const n = 37
		src, scale, shift := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range src {
			src[i], scale[i], shift[i] = 0.5, 3, float32(i)
		}
		Normalize(src, src, scale, shift, 1e-12)
		for i, v := range src {
			if math.Abs(float64(v-shift[i])) > 1e-4 {
				t.Errorf("value %d is %v", i, v)
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	inf := math.Inf(-1)
	each(t, func(t *testing.T) {
		for n := range 100 {
			for _, spread := range []float32{1, 30, 1e4} {
				src, dst := randomMatrix(rng, 1, n+2).Row(0), make([]float32, n+2)
				top, sum := inf, 0.0
				for i := range n {
					src[i] *= spread
					if i%5 == 1 {
						src[i] = float32(inf) // hidden by a mask
					}
					top = max(top, float64(src[i]))
				}
				for _, x := range src[:n] {
					sum += math.Exp(float64(x) - top)
				}
				dst[n] = 7
				Softmax(dst[:n], src)
				for i := range n {
					want := math.Exp(float64(src[i])-top) / sum
					if !(math.Abs(float64(dst[i])-want) <= 1e-7*want*(5+min(top-float64(src[i]), 200))+1.2e-38) { // denormal values may be 0
						t.Fatalf("row of %d: value %d is %v, want %v", n, i, dst[i], want)
					}
				}
				Softmax(src[:n], src[:n])
				for i := range n {
					if src[i] != dst[i] {
						t.Fatalf("row of %d in place: value %d differs", n, i)
					}
				}
				if dst[n] != 7 {
					t.Fatalf("row of %d: wrote beyond the end", n)
				}
			}
		}
	})
}

func BenchmarkRow(b *testing.B) {
	const rows, n = 100, 768 // many rows, because the clock is not exact enough for one
	rng := rand.New(rand.NewPCG(4, 4))
	x, y, scale, shift := randomMatrix(rng, 1, n).Row(0), make([]float32, n), make([]float32, n), make([]float32, n)
	all := map[string]func(){
		"Normalize": func() { Normalize(y, x, scale, shift, 1e-5) },
		"Softmax":   func() { Softmax(y, x) },
	}
	for _, a := range activations {
		all[a.name] = func() { a.f(y, x) }
	}
	for name, f := range all {
		b.Run(name, func(b *testing.B) {
			measure(b, rows*n, "Gvalues/s", func() {
				for range rows {
					f()
				}
			})
		})
	}
}
