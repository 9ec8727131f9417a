package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// paths calls f with every label sequence of length n.
func paths(n, k int, f func(y []int32)) {
	y := make([]int32, n)
	for {
		f(y)
		i := n - 1
		for ; i >= 0; i-- {
			if y[i]++; y[i] < int32(k) {
				break
			}
			y[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func score(y []int32, u, a kernel.Matrix) float64 {
	k := u.Cols
	s := float64(a.Row(k)[y[0]]) + float64(a.Row(int(y[len(y)-1]))[k+1])
	for t, label := range y {
		s += float64(u.Row(t)[label])
		if t > 0 {
			s += float64(a.Row(int(y[t-1]))[label])
		}
	}
	return s
}

// bruteForce sums over all paths. It returns logZ, the best path, and a function for the
// probability of labels y[from:to].
func bruteForce(u, a kernel.Matrix) (logZ float64, best []int32, stretch func(y []int32, from, to int) float64) {
	var all []float64
	top := math.Inf(-1)
	paths(u.Rows, u.Cols, func(y []int32) {
		s := score(y, u, a)
		all = append(all, s)
		if s > top {
			top, best = s, append([]int32{}, y...)
		}
	})
	logZ = logSumExp(all)
	stretch = func(want []int32, from, to int) float64 {
		var p float64
		paths(u.Rows, u.Cols, func(y []int32) {
			for t := from; t < to; t++ {
				if y[t] != want[t] {
					return
				}
			}
			p += math.Exp(score(y, u, a) - logZ)
		})
		return p
	}
	return logZ, best, stretch
}

func randomCRF(rng *rand.Rand, n, k int, spread float64) (u, a kernel.Matrix) {
	u, a = kernel.NewMatrix(n, k, make([]float32, n*k)), kernel.NewMatrix(k+2, k+2, make([]float32, (k+2)*(k+2)))
	for _, m := range []kernel.Matrix{u, a} {
		for i := range m.Data {
			m.Data[i] = float32(rng.NormFloat64() * spread)
		}
	}
	return u, a
}

// packed returns the packing of one sequence of n elements.
func packed(n int) *packing {
	a := &Axis{name: "tokens"}
	a.Pack(1, func(int) int { return n })
	return &a.packing
}

// newCRF returns the layer for a batch with these gold labels.
func newCRF(labels ...[]int32) *crf {
	a := &Axis{name: "tokens"}
	a.Pack(len(labels), func(i int) int { return len(labels[i]) })
	l := &crf{axis: a, gold: a.Index()}
	l.gold.Fill(func(i int) []int32 { return labels[i] })
	return l
}

// crfGradient returns the gradients of the unaries u and the transitions a.
func crfGradient(l *crf, u, a kernel.Matrix) []kernel.Matrix {
	in := []kernel.Matrix{u, a}
	din := new(gradients).zeroed(in)
	l.Backward(in, scalar(l.sum), kernel.NewMatrix(1, 1, []float32{1}), din)
	return din
}

// Up to five tokens and four labels. The wide spreads exceed the range of float32, so that log
// space is used, too.
func TestCRFAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	logSpace := 0
	for round := range 400 {
		n, k := 1+rng.IntN(5), 1+rng.IntN(4)
		spread := []float64{0.5, 2, 10, 150}[round%4]
		u, a := randomCRF(rng, n, k, spread)
		logZ, best, stretch := bruteForce(u, a)
		var l lattice
		pk := packed(n)
		l.run(pk, u, a)
		if l.broken[0] {
			logSpace++
		}
		tol := 1e-5 * max(1, math.Abs(logZ))
		if math.Abs(l.logZ[0]-logZ) > tol {
			t.Fatalf("round %d: logZ %v, want %v", round, l.logZ[0], logZ)
		}
		if z := newLogLattice(u, a).logZ; math.Abs(z-logZ) > 1e-9*max(1, math.Abs(logZ)) {
			t.Fatalf("round %d: log space logZ %v, want %v", round, z, logZ)
		}
		all := allMoves(k)
		v := viterbi{moves: &all}
		v.legal.take(a, &all)
		y := v.best(pk, 0, u, a)
		if s := score(y, u, a); math.Abs(s-score(best, u, a)) > tol {
			t.Fatalf("round %d: Viterbi path scores %v, the best %v", round, s, score(best, u, a))
		}
		for from := range n {
			for to := from + 1; to <= n; to++ {
				want := stretch(best, from, to)
				for name, got := range map[string]float64{"scaled": l.probability(pk, 0, best, from, to), "log space": newLogLattice(u, a).probability(best, from, to)} {
					if math.Abs(got-want) > 1e-4 {
						t.Fatalf("round %d: %s probability of [%d,%d) is %v, want %v", round, name, from, to, got, want)
					}
				}
			}
		}
	}
	if logSpace == 0 {
		t.Error("no round took the log-space way")
	}
}

// A label whose alpha underflows wins in the end. logZ was finite but wrong, and marginals were
// NaN, because log space was not used.
func TestCRFNoticesUnderflow(t *testing.T) {
	for _, depth := range []float32{-60, -80, -90, -110, -200} {
		a := kernel.NewMatrix(4, 4, make([]float32, 16))
		a.Row(0)[1], a.Row(1)[0] = -1000, -1000
		u := kernel.NewMatrix(4, 2, []float32{0, depth, -60, 0, -60, 0, 0, 0})
		logZ, best, stretch := bruteForce(u, a)
		var l lattice
		pk := packed(4)
		l.run(pk, u, a)
		if math.Abs(l.logZ[0]-logZ) > 1e-3 {
			t.Errorf("depth %v: logZ %v, want %v", depth, l.logZ[0], logZ)
		}
		for _, y := range [][]int32{best, {0, 0, 0, 0}, {1, 1, 1, 1}} {
			if got, want := l.probability(pk, 0, y, 0, 4), stretch(y, 0, 4); !(math.Abs(got-want) < 1e-4) {
				t.Errorf("depth %v: probability of %v is %v, want %v", depth, y, got, want)
			}
		}
		loss := newCRF([]int32{1, 1, 1, 1})
		loss.Forward([]kernel.Matrix{u, a})
		for _, g := range crfGradient(loss, u, a) {
			for _, v := range g.Data {
				if v != v || math.Abs(float64(v)) > 3.01 { // a pair of labels occurs three times at most
					t.Fatalf("depth %v: a gradient is %v", depth, v)
				}
			}
		}
	}
}

// Compares the gradient in log space with the scaled one where both are valid, and for a batch in
// which one of three sentences is broken.
func TestCRFLogSpaceGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const k = 4
	u, a := randomCRF(rng, 9, k, 1)
	labels := [][]int32{{0, 1, 2, 3}, {3, 3, 0}, {1, 2}}
	scaled := newCRF(labels...)
	want := scaled.Forward([]kernel.Matrix{u, a}).Data[0]
	grads := crfGradient(scaled, u, a)

	broken := newCRF(labels...)
	broken.Forward([]kernel.Matrix{u, a})
	const s = 1 // the state in which lattice.run leaves a sentence beyond its range
	broken.lattice.broken[s] = true
	for p := range labels[broken.axis.Order()[s]] {
		r := broken.axis.row(s, p)
		clear(broken.lattice.alpha.Row(r))
		clear(broken.lattice.beta.Row(r))
		clear(broken.lattice.q.Row(r))
	}
	got := crfGradient(broken, u, a)
	if math.IsNaN(float64(want)) {
		t.Fatal("loss is not a number")
	}
	for i := range grads {
		for j, v := range grads[i].Data {
			if math.Abs(float64(v-got[i].Data[j])) > 1e-5 {
				t.Errorf("gradient %d[%d]: %v in log space, %v scaled", i, j, got[i].Data[j], v)
			}
		}
	}
}
