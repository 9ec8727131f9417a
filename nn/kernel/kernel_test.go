package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomMatrix(rng *rand.Rand, rows, cols int) Matrix {
	stride := cols + rng.IntN(5)
	m := Matrix{rows, cols, stride, make([]float32, rows*stride)}
	for i := range m.Data {
		m.Data[i] = float32(rng.NormFloat64())
	}
	return m
}

// Compares the three products with a float64 triple loop, on odd sizes, strided views, and added to
// existing values of c.
func TestProducts(t *testing.T) { each(t, testProducts) }

func testProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m, k, n := 1+rng.IntN(40), 1+rng.IntN(70), 1+rng.IntN(70)
		a, b := randomMatrix(rng, m, k), randomMatrix(rng, k, n)
		at, bt := randomMatrix(rng, k, m), randomMatrix(rng, n, k)
		for i := range m {
			for j := range k {
				at.Row(j)[i] = a.Row(i)[j]
			}
		}
		for i := range k {
			for j := range n {
				bt.Row(j)[i] = b.Row(i)[j]
			}
		}
		base := randomMatrix(rng, m, n)
		for name, mul := range map[string]func(Matrix){
			"NN": func(c Matrix) { AddMul(c, a, b) },
			"TN": func(c Matrix) { AddMulTN(c, at, b) },
			"NT": func(c Matrix) { AddMulNT(c, a, bt) },
		} {
			c := Matrix{m, n, base.Stride, append([]float32{}, base.Data...)}
			mul(c)
			for i := range m {
				for j := range n {
					want, size := float64(base.Row(i)[j]), math.Abs(float64(base.Row(i)[j]))
					for p := range k {
						x := float64(a.Row(i)[p]) * float64(b.Row(p)[j])
						want += x
						size += math.Abs(x)
					}
					if got := float64(c.Row(i)[j]); math.Abs(got-want) > 1e-6*size {
						t.Fatalf("%s %dx%dx%d: [%d,%d] is %v, want %v", name, m, k, n, i, j, got, want)
					}
				}
				for j := n; j < base.Stride && i < m-1; j++ {
					if c.Data[i*base.Stride+j] != base.Data[i*base.Stride+j] {
						t.Fatalf("%s wrote beyond the view", name)
					}
				}
			}
		}
	}
}

// A product of more rows than are processed at once has the bits of products of a few rows each.
func TestProductsOfManyRows(t *testing.T) { each(t, testManyRows) }

func testManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, s := range [][3]int{{257, 70, 40}, {600, 200, 33}, {1030, 3, 5}} {
		a, b := randomMatrix(rng, s[0], s[1]), randomMatrix(rng, s[1], s[2])
		at := randomMatrix(rng, s[1], s[0])
		Transpose(at, a)
		random := randomMatrix(rng, s[0], s[2])
		want := clone(random)
		for i := 0; i < s[0]; i += 13 {
			end := min(i+13, s[0])
			AddMul(want.Slice(i, end), a.Slice(i, end), b)
		}
		for name, f := range map[string]func(c Matrix){
			"NN":     func(c Matrix) { AddMul(c, a, b) },
			"TN":     func(c Matrix) { AddMulTN(c, at, b) },
			"Packed": func(c Matrix) { Pack(b).AddMul(c, a) },
		} {
			got := clone(random)
			f(got)
			for i := range got.Data {
				if name == "TN" && Name() == "generic" { // adds in another order
					if math.Abs(float64(got.Data[i]-want.Data[i])) > 1e-4 {
						t.Fatalf("%s %v: value %d is %v, want %v", name, s, i, got.Data[i], want.Data[i])
					}
				} else if got.Data[i] != want.Data[i] {
					t.Fatalf("%s %v: value %d is %v, want %v", name, s, i, got.Data[i], want.Data[i])
				}
			}
		}
	}
}

func BenchmarkMul(b *testing.B) {
	for _, s := range []struct {
		name    string
		m, k, n int
	}{{"30x150x800", 30, 150, 800}, {"1x100x400", 1, 100, 400}, {"32x100x400", 32, 100, 400}, {"512x512x512", 512, 512, 512}} {
		x, y, z := NewMatrix(s.m, s.k, make([]float32, s.m*s.k)), NewMatrix(s.k, s.n, make([]float32, s.k*s.n)), NewMatrix(s.m, s.n, make([]float32, s.m*s.n))
		xt, yt := NewMatrix(s.k, s.m, x.Data), NewMatrix(s.n, s.k, y.Data)
		for name, mul := range map[string]func(){"NN": func() { AddMul(z, x, y) }, "TN": func() { AddMulTN(z, xt, y) }, "NT": func() { AddMulNT(z, x, yt) }} {
			b.Run(s.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					mul()
				}
				b.ReportMetric(2*float64(s.m*s.k*s.n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

// A Factor and a Packed give the same bits as AddMul, for few rows and for many, also when the Factor
// is set again. The rows are more than one block of the largest of them, and divided unevenly.
func TestFactorAndPackedAreAddMul(t *testing.T) { each(t, testFactor) }

func testFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(rows, cols int) Matrix {
		m := NewMatrix(rows, cols, make([]float32, rows*cols))
		for i := range m.Data {
			m.Data[i] = float32(rng.NormFloat64())
		}
		return m
	}
	var f Factor
	for _, size := range [][2]int{{100, 300}, {400, 89}, {1, 1}, {25, 75}, {193, 33}, {7, 17}, {768, 40}, {1000, 65}} {
		k, n := size[0], size[1]
		b := random(k+3, n+5).Slice(2, k+2).Columns(3, n+3)
		f.Set(b)
		packed := Pack(b)
		for _, m := range []int{0, 1, 16, 17, 40, 3, 100, 533} {
			a, c := random(m, k+1).Columns(0, k), random(m, n)
			want, again := NewMatrix(m, n, slices.Clone(c.Data)), NewMatrix(m, n, slices.Clone(c.Data))
			AddMul(want, a, b)
			f.AddMul(c, a)
			packed.AddMul(again, a)
			if !slices.Equal(c.Data, want.Data) || !slices.Equal(again.Data, want.Data) {
				t.Fatalf("%dx%d times %dx%d: other values than AddMul", m, k, k, n)
			}
		}
	}
}

// The sum of rows has the same bits with all kernels, for any width, because each value is one chain of additions.
func TestSumRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	each(t, func(t *testing.T) {
		for cols := range 300 {
			m := Matrix{7, cols, cols + 3, make([]float32, 7*(cols+3))}
			for i := range m.Data {
				m.Data[i] = float32(rng.NormFloat64())
			}
			numbers := []int32{3, 0, 6, 6, 1}[:rng.IntN(6)]
			want := make([]float32, cols)
			for _, n := range numbers {
				for j, v := range m.Row(int(n)) {
					want[j] += v
				}
			}
			got := make([]float32, cols+1) // with a value after the end, which must stay
			got[cols] = 9
			SumRows(got[:cols], m, numbers)
			if !slices.Equal(got[:cols], want) || got[cols] != 9 {
				t.Fatalf("%d columns: the sum of the rows %v is wrong", cols, numbers)
			}
		}
	})
	defer func() {
		if recover() == nil {
			t.Error("a row beyond the matrix is no panic")
		}
	}()
	SumRows(make([]float32, 1), NewMatrix(1, 1, []float32{1}), []int32{1})
}
