package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// int8Cases calls f with products of all shapes that the kernels divide differently: heights and widths of
// blocks and their rests, odd inner indices, views with strides, and values of different magnitude.
func int8Cases(f func(c, a, b Matrix)) {
	rng := rand.New(rand.NewPCG(5, 1))
	scaled := func(rows, cols int) Matrix {
		from := rng.IntN(4)
		m := randomMatrix(rng, rows, cols+3).Columns(from, from+cols)
		for i := range rows {
			by := float32(math.Exp(4 * rng.NormFloat64()))
			for j := range m.Row(i) {
				m.Row(i)[j] *= by
			}
		}
		return m
	}
	for m := 1; m < 20; m++ {
		for range 6 {
			k, n := 1+rng.IntN(140), 1+rng.IntN(140)
			f(scaled(m, n), scaled(m, k), scaled(k, n))
		}
	}
	for _, s := range [][3]int{{1, 1, 1}, {3, 2, 16}, {700, 5, 33}, {130, 3072, 40}, {12, 768, 96}, {2, 4096, 3}} {
		f(scaled(s[0], s[2]), scaled(s[0], s[1]), scaled(s[1], s[2]))
	}
}

func clone(m Matrix) Matrix { return Matrix{m.Rows, m.Cols, m.Stride, slices.Clone(m.Data)} }

// All kernels give the bits of pure Go, and write nothing beyond the view.
func TestInt8IsTheSameOnAllKernels(t *testing.T) {
	type result struct{ c, a, b, want Matrix }
	var cases []result
	func() {
		defer force("generic")()
		int8Cases(func(c, a, b Matrix) {
			want := clone(c)
			Quantize(b).AddMul(want, a)
			cases = append(cases, result{c, a, b, want})
		})
	}()
	each(t, func(t *testing.T) {
		for _, r := range cases {
			got := clone(r.c)
			Quantize(r.b).AddMul(got, r.a)
			if !slices.Equal(got.Data, r.want.Data) {
				t.Fatalf("%dx%d times %dx%d: other bits than pure Go", r.a.Rows, r.a.Cols, r.b.Rows, r.b.Cols)
			}
		}
	})
}

// The result is within what rounding both factors can change.
func TestInt8Accuracy(t *testing.T) {
	magnitude := func(n int, at func(i int) float32) (top float64) {
		for i := range n {
			top = max(top, math.Abs(float64(at(i))))
		}
		return top
	}
	each(t, func(t *testing.T) {
		int8Cases(func(c, a, b Matrix) {
			got := clone(c)
			Quantize(b).AddMul(got, a)
			sb := make([]float64, c.Cols)
			for j := range sb {
				sb[j] = magnitude(b.Rows, func(p int) float32 { return b.Row(p)[j] }) / 127
			}
			for i := range min(c.Rows, 20) {
				sa := magnitude(a.Cols, func(p int) float32 { return a.Row(i)[p] }) / 127
				for j := range c.Cols {
					want := float64(c.Row(i)[j])
					bound := 1e-6 * math.Abs(want)
					for p := range a.Cols {
						x, y := float64(a.Row(i)[p]), float64(b.Row(p)[j])
						want += x * y
						bound += 0.5001 * (math.Abs(x)*sb[j] + math.Abs(y)*sa + sa*sb[j]/2)
					}
					if !(math.Abs(float64(got.Row(i)[j])-want) <= bound) {
						t.Fatalf("%dx%dx%d: [%d,%d] is %v, want %v within %v", c.Rows, a.Cols, c.Cols, i, j, got.Row(i)[j], want, bound)
					}
				}
			}
		})
	})
}

// Factors that are integers times one scale are exact, also the greatest sums, where an instruction
// that limits them would differ.
func TestInt8IsExactForIntegers(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, sign := range []float32{1, -1} {
			for _, k := range []int{1, 2, 3, 5, 64, 1041} { // 127·127·1041 is exact in float32
				a, b := NewMatrix(9, k, make([]float32, 9*k)), NewMatrix(k, 37, make([]float32, 37*k))
				c := NewMatrix(9, 37, make([]float32, 9*37))
				for i := range a.Data {
					a.Data[i] = 127 * sign
				}
				for i := range b.Data {
					b.Data[i] = 127
				}
				Quantize(b).AddMul(c, a)
				for _, got := range c.Data {
					if want := sign * 127 * 127 * float32(k); got != want {
						t.Fatalf("of %d: %v, want %v", k, got, want)
					}
				}
			}
		}
	})
}

func TestInt8SpecialValues(t *testing.T) {
	const m, k, n = 7, 21, 35
	inf, nan := float32(math.Inf(-1)), float32(math.NaN())
	rng := rand.New(rand.NewPCG(5, 2))
	each(t, func(t *testing.T) {
		for _, x := range []float32{0, 1e-40, inf, nan} {
			bad := x != x || x == inf
			a, b := randomMatrix(rng, m, k), randomMatrix(rng, k, n)
			for p := range k {
				if !bad || p == 11 {
					a.Row(3)[p], b.Row(p)[20] = x, x
				}
			}
			c := NewMatrix(m, n, make([]float32, m*n))
			Quantize(b).AddMul(c, a)
			for i := range m {
				for j := range n {
					got, special := c.Row(i)[j], i == 3 || j == 20
					switch {
					case special && bad && got == got, special && !bad && got != 0, !special && (got != got || got == 0):
						t.Fatalf("%v in row 3 and column 20: [%d,%d] is %v", x, i, j, got)
					}
				}
			}
		}
	})
}

func TestEmptyProductsOfPackedAndInt8(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, s := range [][3]int{{0, 5, 7}, {5, 0, 7}, {5, 7, 0}, {0, 0, 0}} {
			a, b := NewMatrix(s[0], s[1], make([]float32, s[0]*s[1])), NewMatrix(s[1], s[2], make([]float32, s[1]*s[2]))
			c := NewMatrix(s[0], s[2], make([]float32, s[0]*s[2]))
			for i := range c.Data {
				c.Data[i] = 3
			}
			Pack(b).AddMul(c, a)
			Quantize(b).AddMul(c, a)
			for _, v := range c.Data {
				if v != 3 {
					t.Fatalf("%v: %v is added", s, v-3)
				}
			}
		}
	})
}

// Several goroutines that use one factor get what one gets.
func TestPackedAndInt8InGoroutines(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	a, b := randomMatrix(rng, 400, 96), randomMatrix(rng, 96, 70)
	each(t, func(t *testing.T) {
		for name, f := range map[string]interface{ AddMul(c, a Matrix) }{"Packed": Pack(b), "Int8": Quantize(b)} {
			want := NewMatrix(400, 70, make([]float32, 400*70))
			f.AddMul(want, a)
			got := NewMatrix(400, 70, make([]float32, 400*70))
			var wait sync.WaitGroup
			for i := 0; i < 400; i += 25 {
				wait.Go(func() { f.AddMul(got.Slice(i, i+25), a.Slice(i, i+25)) })
			}
			wait.Wait()
			if !slices.Equal(got.Data, want.Data) {
				t.Errorf("%s: other values in parts", name)
			}
		}
	})
}

func TestInt8RefusesSumsBeyond32Bits(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("133145 rows pass")
		}
	}()
	Quantize(NewMatrix(133145, 1, make([]float32, 133145)))
}
