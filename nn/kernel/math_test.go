package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// ulps returns the error of got in units in the last place of the true value.
func ulps(got float32, want float64) float64 {
	w := float32(math.Abs(want))
	return math.Abs(float64(got)-want) / float64(math.Nextafter32(w, float32(math.Inf(1)))-w)
}

// each runs a test with every kernel that this processor supports.
func each(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for _, name := range available() {
		t.Run(name, func(t *testing.T) {
			defer force(name)()
			f(t)
		})
	}
}

// Compares Exp and Tanh with package math, in units in the last place, over their range.
func TestExpTanhAccuracy(t *testing.T) {
	each(t, func(t *testing.T) {
		var worstExp, worstTanh float64
		x, y := make([]float32, 1000), make([]float32, 1000)
		for from := float32(-87); from < 88; from += 0.5 {
			for i := range x {
				x[i] = from + 0.5*float32(i)/1000
			}
			Exp(y, x)
			for i := range x {
				worstExp = max(worstExp, ulps(y[i], math.Exp(float64(x[i]))))
			}
			for i := range x {
				x[i] /= 8
			}
			Tanh(y, x)
			for i := range x {
				if x[i] != 0 {
					worstTanh = max(worstTanh, ulps(y[i], math.Tanh(float64(x[i]))))
				}
			}
		}
		t.Logf("exp %.2f ulp, tanh %.2f ulp", worstExp, worstTanh)
		if worstExp > 2 || worstTanh > 5 {
			t.Errorf("exp is off by %.2f ulp (at most 2 is promised), tanh by %.2f (at most 5)", worstExp, worstTanh)
		}
	})
}

func TestExpTanhSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	each(t, func(t *testing.T) {
		for _, c := range []struct{ x, exp, tanh float32 }{{0, 1, 0}, {inf, inf, 1}, {-inf, 0, -1}, {200, inf, 1}, {-200, 0, -1}, {-1000, 0, -1}} {
			for n := 1; n < 40; n++ { // at every position of a vector and its rest
				x, e, h := make([]float32, n), make([]float32, n), make([]float32, n)
				x[n-1] = c.x
				Exp(e, x)
				Tanh(h, x)
				if e[n-1] != c.exp || math.Abs(float64(h[n-1]-c.tanh)) > 3e-7 {
					t.Errorf("exp(%v) = %v, tanh = %v; want %v, %v", c.x, e[n-1], h[n-1], c.exp, c.tanh)
				}
			}
		}
		for n := 1; n < 40; n++ {
			x, e, h := make([]float32, n), make([]float32, n), make([]float32, n)
			x[n-1] = nan
			Exp(e, x)
			Tanh(h, x)
			if e[n-1] == e[n-1] || h[n-1] == h[n-1] {
				t.Errorf("of NaN: exp %v, tanh %v", e[n-1], h[n-1])
			}
			for i := range n - 1 {
				if e[i] != 1 || h[i] != 0 {
					t.Errorf("a NaN at %d shows at %d", n-1, i)
				}
			}
		}
	})
}

// Compares the gates of every cell with pure Go, forward and backward, for every length of the
// rest, and checks that nothing beyond it is written.
func TestGates(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * 3)
		}
		return x
	}
	close := func(t *testing.T, what string, got, want []float32, n int) {
		t.Helper()
		for i := range want {
			tol := 2e-6 * max(1, math.Abs(float64(want[i])))
			if i >= n {
				tol = 0 // beyond the row
			}
			if d := math.Abs(float64(got[i] - want[i])); d > tol || d != d {
				t.Fatalf("%s[%d] of %d is %v, want %v", what, i, n, got[i], want[i])
			}
		}
	}
	clone := func(x []float32) []float32 { return append([]float32{}, x...) }
	each(t, func(t *testing.T) {
		for _, cell := range []Cell{Coupled, Peephole, Standard} {
			for n := 1; n < 70; n++ {
				g := cell.Gates() * n
				z, before := random(g), random(n)
				c, tc, h := random(n+5), random(n+5), random(n+5)
				first, wantZ, wantC, wantT, wantH := clone(z), clone(z), clone(c), clone(tc), clone(h)
				cell.forwardGeneric(wantZ, before, wantC[:n], wantT[:n], wantH[:n])
				cell.Forward(z, before, c[:n], tc[:n], h[:n])
				close(t, "z", z, wantZ, g)
				close(t, "c", c, wantC, n)
				close(t, "tanh c", tc, wantT, n)
				close(t, "h", h, wantH, n)

				c, h = random(n+5), random(n+5)
				copy(c[n:], wantC[n:])
				copy(h[n:], wantH[n:])
				cell.Predict(first, before, c[:n], h[:n])
				close(t, "predicted c", c, wantC, n)
				close(t, "predicted h", h, wantH, n)

				dz, dh, dc := random(g+5), random(n), random(n+5)
				wantDZ, wantDC := clone(dz), clone(dc)
				cell.backwardGeneric(wantDZ[:g], wantZ, before, wantT[:n], dh, wantDC[:n])
				cell.Backward(dz[:g], wantZ, before, wantT[:n], dh, dc[:n])
				close(t, "dz", dz, wantDZ, g)
				close(t, "dc", dc, wantDC, n)
			}
		}
	})
}

// Predict joins fractions, whose parts must neither overflow nor vanish if gates are saturated.
func TestPredictOfLargeValues(t *testing.T) {
	nan := float32(math.NaN())
	each(t, func(t *testing.T) {
		for _, cell := range []Cell{Coupled, Peephole, Standard} {
			for _, v := range []float32{-1e30, -100, -8, -1e-30, 0, 1e-30, 8, 100, 1e30} {
				for _, other := range []float32{-1e30, -20, 0, 20, 1e30} {
					for _, cellBefore := range []float32{-50, 0, 50} {
						z := make([]float32, cell.Gates())
						for i := range z {
							z[i] = v
							if i%2 == 1 {
								z[i] = other
							}
						}
						before, c, tc, h, gotC, gotH := []float32{cellBefore}, make([]float32, 1), make([]float32, 1), make([]float32, 1), make([]float32, 1), make([]float32, 1)
						cell.Predict(slices.Clone(z), before, gotC, gotH)
						cell.forwardGeneric(z, before, c, tc, h)
						most := 1e-6 * max(1, math.Abs(float64(cellBefore)))
						if !(math.Abs(float64(c[0]-gotC[0])) <= most && math.Abs(float64(h[0]-gotH[0])) <= most) {
							t.Errorf("cell %d, %v and %v after %v: c %v and h %v, want %v and %v", cell, v, other, cellBefore, gotC, gotH, c, h)
						}
					}
				}
			}
			z, c, h := make([]float32, cell.Gates()), make([]float32, 1), make([]float32, 1)
			z[0] = nan
			cell.Predict(z, []float32{1}, c, h)
			if c[0] == c[0] || h[0] == h[0] {
				t.Errorf("cell %d: c %v and h %v of NaN", cell, c, h)
			}
		}
	})
}

func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	each(t, func(t *testing.T) {
		for n := range 70 {
			m := randomMatrix(rng, 2, n+3)
			y, x := m.Row(0), m.Row(1)
			a := float32(rng.NormFloat64())
			var dot float64
			for i := range n {
				dot += float64(x[i]) * float64(y[i])
			}
			if got := Dot(y[:n], x); math.Abs(float64(got)-dot) > 1e-4 {
				t.Fatalf("Dot of %d is %v, want %v", n, got, dot)
			}
			for name, c := range map[string]struct {
				got  func(y []float32)
				want func(y, x float32) float32
			}{
				"Axpy":           {func(y []float32) { Axpy(y, a, x) }, func(y, x float32) float32 { return y + a*x }},
				"Add":            {func(y []float32) { Add(y, x) }, func(y, x float32) float32 { return y + x }},
				"Multiply":       {func(y []float32) { Multiply(y, x) }, func(y, x float32) float32 { return y * x }},
				"MultiplyScaled": {func(y []float32) { MultiplyScaled(y, 0.3, x) }, func(y, x float32) float32 { return y * x * 0.3 }},
				"AddProduct":     {func(y []float32) { AddProduct(y, x, x) }, func(y, x float32) float32 { return y + x*x }},
				"Approach":       {func(y []float32) { Approach(y, a, x) }, func(y, x float32) float32 { return y + a*(x-y) }},
				"Clamp":          {func(y []float32) { Clamp(y, 0.7) }, func(y, _ float32) float32 { return min(max(y, -0.7), 0.7) }},
			} {
				got := append([]float32{}, y...)
				c.got(got[:n])
				for i := range got {
					want := y[i]
					if i < n {
						want = c.want(y[i], x[i])
					}
					if math.Abs(float64(got[i]-want)) > 2e-6 {
						t.Fatalf("%s of %d: value %d is %v, want %v", name, n, i, got[i], want)
					}
				}
			}
			nan := []float32{float32(math.NaN())}
			if Clamp(nan, 1); nan[0] == nan[0] {
				t.Fatal("Clamp hides a NaN")
			}
		}
	})
}

func TestExpLess(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	each(t, func(t *testing.T) {
		for n := 1; n < 80; n++ {
			x, y := randomMatrix(rng, 1, n).Row(0), make([]float32, n)
			x[rng.IntN(n)] += 5
			want := x[0]
			for _, v := range x {
				want = max(want, v)
			}
			if top := ExpLess(y, x); top != want {
				t.Fatalf("of %d values the greatest is %v, not %v", n, want, top)
			}
			for i, v := range y {
				if e := math.Exp(float64(x[i] - want)); math.Abs(float64(v)-e) > 1e-6 {
					t.Fatalf("of %d: value %d is %v, want %v", n, i, v, e)
				}
			}
		}
	})
}

func TestTranspose(t *testing.T) { each(t, testTranspose) }

func testTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 80 {
		a := randomMatrix(rng, 1+rng.IntN(50), 1+rng.IntN(50))
		b := randomMatrix(rng, a.Cols, a.Rows)
		Transpose(b, a)
		for i := range a.Rows {
			for j := range a.Cols {
				if b.Row(j)[i] != a.Row(i)[j] {
					t.Fatalf("%dx%d: [%d,%d] differs", a.Rows, a.Cols, i, j)
				}
			}
		}
	}
}

// A step of Viterbi is exact: all kernels produce the same bits, also with ties and infinities.
func TestViterbiStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	each(t, func(t *testing.T) {
		for n := 1; n < 140; n++ {
			k := 1 + rng.IntN(40)
			a, score := randomMatrix(rng, k, n), make([]float32, k)
			for i := range a.Data {
				a.Data[i] = float32(rng.IntN(4))
				if rng.IntN(5) == 0 {
					a.Data[i] = float32(math.Inf(-1))
				}
			}
			for i := range score {
				score[i] = float32(rng.IntN(4))
			}
			next, back := make([]float32, n+3), make([]int32, n+3)
			wantNext, wantBack := make([]float32, n+3), make([]int32, n+3)
			viterbiStepGeneric(wantNext[:n], wantBack[:n], score, a)
			ViterbiStep(next[:n], back[:n], score, a)
			if !slices.Equal(next, wantNext) || !slices.Equal(back, wantBack) {
				t.Fatalf("from %d to %d labels: %v %v, want %v %v", k, n, next, back, wantNext, wantBack)
			}
		}
	})
}

func BenchmarkGates(b *testing.B) {
	const n = 100
	z, before, c, tc, h := make([]float32, 3*n), make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for b.Loop() {
		Coupled.Forward(z, before, c, tc, h)
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s")
}

// A step may replace the cell before by the new one.
func TestCellInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	each(t, func(t *testing.T) {
		for _, cell := range []Cell{Coupled, Peephole, Standard, FullPeephole} {
			for n := 1; n < 40; n++ {
				z, before := randomMatrix(rng, 1, cell.Gates()*n).Row(0), randomMatrix(rng, 1, n).Row(0)
				c, tanhC, h := make([]float32, n), make([]float32, n), make([]float32, n)
				inPlace, z2, tanhC2, h2 := slices.Clone(before), slices.Clone(z), make([]float32, n), make([]float32, n)
				first := slices.Clone(z)
				cell.Forward(z, before, c, tanhC, h)
				cell.Forward(z2, inPlace, inPlace, tanhC2, h2)
				if !slices.Equal(c, inPlace) || !slices.Equal(z, z2) || !slices.Equal(tanhC, tanhC2) || !slices.Equal(h, h2) {
					t.Fatalf("cell %d of %d units differs in place", cell, n)
				}
				if cell != FullPeephole {
					predicted, again := make([]float32, n), slices.Clone(before)
					cell.Predict(slices.Clone(first), before, predicted, h2)
					cell.Predict(first, again, again, h2)
					if !slices.Equal(predicted, again) {
						t.Fatalf("cell %d of %d units predicts other cells in place", cell, n)
					}
				}
			}
		}
	})
}

func TestSameBits(t *testing.T) {
	nan, zero := float32(math.NaN()), float32(0)
	for _, test := range []struct {
		x, y []float32
		same bool
	}{
		{nil, nil, true}, {[]float32{}, nil, true}, {[]float32{1, nan}, []float32{1, nan}, true},
		{[]float32{1}, []float32{1, 2}, false}, {[]float32{zero}, []float32{float32(math.Copysign(0, -1))}, false}, {[]float32{1, 2}, []float32{1, 3}, false},
	} {
		if got := SameBits(test.x, test.y); got != test.same {
			t.Errorf("%v and %v: %v", test.x, test.y, got)
		}
	}
}
