package nn

import (
	"math"
	"math/rand/v2"
	"slices"
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
		var pk packing
		pk.pack(1, func(int) int { return n })
		l.run(&pk, u, a)
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
		y := new(viterbi).best(&pk, 0, u, a)
		if s := score(y, u, a); math.Abs(s-score(best, u, a)) > tol {
			t.Fatalf("round %d: Viterbi path scores %v, the best %v", round, s, score(best, u, a))
		}
		for from := range n {
			for to := from + 1; to <= n; to++ {
				want := stretch(best, from, to)
				for name, got := range map[string]float64{"scaled": l.probability(&pk, 0, best, from, to), "log space": newLogLattice(u, a).probability(best, from, to)} {
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
		var pk packing
		pk.pack(1, func(int) int { return 4 })
		l.run(&pk, u, a)
		if math.Abs(l.logZ[0]-logZ) > 1e-3 {
			t.Errorf("depth %v: logZ %v, want %v", depth, l.logZ[0], logZ)
		}
		for _, y := range [][]int32{best, {0, 0, 0, 0}, {1, 1, 1, 1}} {
			if got, want := l.probability(&pk, 0, y, 0, 4), stretch(y, 0, 4); !(math.Abs(got-want) < 1e-4) {
				t.Errorf("depth %v: probability of %v is %v, want %v", depth, y, got, want)
			}
		}
		var b batch
		b.set([]Sentence{{Tokens: make([]int32, 4), Labels: []int32{1, 1, 1, 1}}}, nil, 1, false, nil)
		loss := &crfLoss{batch: &b}
		loss.forward([]kernel.Matrix{u, a})
		for _, g := range loss.backward([]kernel.Matrix{u, a}, kernel.NewMatrix(1, 1, []float32{1})) {
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
	sentences := []Sentence{{Labels: []int32{0, 1, 2, 3}}, {Labels: []int32{3, 3, 0}}, {Labels: []int32{1, 2}}}
	for i := range sentences {
		sentences[i].Tokens = make([]int32, len(sentences[i].Labels))
	}
	var b batch
	b.set(sentences, nil, 1, false, nil)
	scaled := &crfLoss{batch: &b}
	want := scaled.forward([]kernel.Matrix{u, a}).Data[0]
	grads := scaled.backward([]kernel.Matrix{u, a}, kernel.NewMatrix(1, 1, []float32{1}))

	broken := &crfLoss{batch: &b}
	broken.forward([]kernel.Matrix{u, a})
	const s = 1 // the state in which lattice.run leaves a sentence beyond its range
	broken.lattice.broken[s] = true
	for p := range sentences[b.order[s]].Labels {
		r := b.tokens.row(s, p)
		clear(broken.lattice.alpha.Row(r))
		clear(broken.lattice.beta.Row(r))
		clear(broken.lattice.q.Row(r))
	}
	got := broken.backward([]kernel.Matrix{u, a}, kernel.NewMatrix(1, 1, []float32{1}))
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

// Forbidden paths are never taken, however high their score, also by the predictor.
func TestViterbiKeepsToLegalPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	cfg := small("coupled")
	net, _ := New(cfg, smallSizes, 1)
	for i := range net.transitions.Data {
		net.transitions.Data[i] = float32(rng.NormFloat64() * 5)
	}
	const k = 4 // START is k, END k+1; label 3 must not come first or last, 1 only after 0
	legal := func(a, b int) bool { return (a != k || b != 3) && (a != 3 || b != k+1) && (b != 1 || a == 0) }
	p, err := NewPredictor(net, legal)
	if err != nil {
		t.Fatal(err)
	}
	free, _ := NewPredictor(net, nil)
	differs := false
	for range 200 {
		sentence := randomSentences(rng, smallSizes, 1+rng.IntN(6))
		found, err := p.Predict(sentence)
		if err != nil {
			t.Fatal(err)
		}
		before := k
		for _, y := range append(found[0].Labels, k+1) {
			if !legal(before, int(y)) {
				t.Fatalf("label %d after %d", y, before)
			}
			before = int(y)
		}
		any, _ := free.Predict(sentence)
		for i := range any[0].Labels {
			differs = differs || any[0].Labels[i] != found[0].Labels[i]
		}
	}
	if !differs {
		t.Error("the constraint never mattered")
	}
}

// A predictor created before training must decode with the trained transitions. It once kept a copy
// of the initial ones.
func TestPredictorFollowsTraining(t *testing.T) {
	net, _ := New(small("coupled"), smallSizes, 1)
	early, _ := NewPredictor(net, nil)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range net.transitions.Data {
		net.transitions.Data[i] = float32(rng.NormFloat64() * 5)
	}
	late, _ := NewPredictor(net, nil)
	for range 50 {
		s := randomSentences(rng, smallSizes, 8)
		a, err := early.Predict(s)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := late.Predict(s)
		if !slices.Equal(a[0].Labels, b[0].Labels) {
			t.Fatal("a predictor made earlier finds other labels")
		}
	}
}

// The cache of spellings must not affect results: labels and probabilities are the same as from a
// new predictor, also after training and after the cache was full.
func TestSpellingsAreForgottenWhenTheNetworkChanges(t *testing.T) {
	net, _ := New(small("coupled"), smallSizes, 1)
	old, _ := NewPredictor(net, nil)
	rng := rand.New(rand.NewPCG(3, 3))
	for round := range 20 {
		s := randomSentences(rng, smallSizes, 8, 3)
		if round%5 == 4 {
			for i := range net.charEmbedding.Data {
				net.charEmbedding.Data[i] = float32(rng.NormFloat64() * 3)
			}
		}
		got, err := old.Predict(s)
		if err != nil {
			t.Fatal(err)
		}
		logits := slices.Clone(old.machine.logits.last.Data)
		fresh, _ := NewPredictor(net, nil)
		want, _ := fresh.Predict(s)
		if !slices.Equal(got[0].Labels, want[0].Labels) || !slices.Equal(logits, fresh.machine.logits.last.Data) {
			t.Fatalf("round %d: the cache shows", round)
		}
		if len(old.machine.cache.row)*old.machine.cache.dim != len(old.machine.cache.vectors) {
			t.Fatal("the cache's rows and vectors do not agree")
		}
	}
}
