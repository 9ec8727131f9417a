package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random(rng *rand.Rand, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = rng.NormFloat64()
	}
	return all
}

func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-14*max(1, math.Abs(want[i])) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// Compares all kernels with loops over single values, for all lengths of rows that require one call
// and some that require more.
func TestRows(t *testing.T) {
	each(func(name string) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, width := range []int{8, 16, 24, 32, 40, 48, 56, 64, 72, 104, 128, 136} {
			for _, n := range []int{0, 1, 2, 7, 30} {
				what := fmt.Sprintf("%s, %d rows of %d", name, n, width)
				const many = 11
				table, dst := random(rng, many*width), random(rng, width)
				at := make([]int32, n)
				for i := range at {
					at[i] = int32(rng.IntN(many)) // some of them repeated
				}
				got, want := slices.Clone(dst), slices.Clone(dst)
				for _, k := range at {
					for i := range width {
						want[i] += table[int(k)*width+i]
					}
				}
				Sum(got, table, at)
				compare(t, what+": Sum", got, want)

				got, want = slices.Clone(table), slices.Clone(table)
				for _, k := range at {
					for i := range width {
						want[int(k)*width+i] += dst[i]
					}
				}
				AddTo(got, at, dst)
				compare(t, what+": AddTo", got, want)

				stride := 1 + rng.IntN(3)
				x, m := random(rng, max(1, n*stride)), random(rng, n*width)
				got, want = slices.Clone(dst), slices.Clone(dst)
				for k := range n {
					for i := range width {
						want[i] += x[k*stride] * m[k*width+i]
					}
				}
				MulAdd(got, x, stride, n, m)
				compare(t, what+": MulAdd", got, want)
			}
		}
	})
}

func TestExpLess(t *testing.T) {
	each(func(name string) {
		rng := rand.New(rand.NewPCG(3, 4))
		for range 2000 {
			src := random(rng, 8*(1+rng.IntN(9)))
			spread := math.Exp(8 * rng.Float64())
			for i := range src {
				src[i] *= spread
			}
			src[rng.IntN(len(src))] = math.Inf(-1)
			dst := make([]float64, len(src))
			if top := ExpLess(dst, src); top != slices.Max(src) {
				t.Fatalf("%s: the greatest is %v, want %v", name, top, slices.Max(src))
			}
			for i, x := range src {
				want := math.Exp(max(x-slices.Max(src), -708))
				if math.Abs(dst[i]-want) > 4.5e-16*want {
					t.Fatalf("%s: e^%v is %v, want %v", name, x-slices.Max(src), dst[i], want)
				}
			}
		}
		row := make([]float64, 8)
		row[3] = math.NaN()
		if ExpLess(row, row); !math.IsNaN(row[3]) {
			t.Errorf("%s: a NaN becomes %v", name, row[3])
		}
	})
}

func TestARowMustBeWholeEights(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a row of 7 values passed")
		}
	}()
	Sum(make([]float64, 7), nil, nil)
}

// The sizes are those of MEDDOCAN: 42 labels, 30 attributes per token.
func BenchmarkSum(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	table, dst := random(rng, 2000*48), random(rng, 48)
	at := make([]int32, 30)
	for i := range at {
		at[i] = int32(rng.IntN(2000))
	}
	for b.Loop() {
		Sum(dst, table, at)
	}
}

func BenchmarkMulAdd(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	m, x, dst := random(rng, 42*48), random(rng, 42), random(rng, 48)
	for b.Loop() {
		MulAdd(dst, x, 1, 42, m)
	}
}

func BenchmarkExpLess(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	src, dst := random(rng, 48), make([]float64, 48)
	for b.Loop() {
		ExpLess(dst, src)
	}
}
