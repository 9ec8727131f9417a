package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Viterbi's algorithm over the likely labels finds what it finds over all labels, or says that it is not sure.
func TestLikelyLabelsHaveTheBestPath(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(rows, cols int, scale float64) kernel.Matrix {
		m := kernel.NewMatrix(rows, cols, make([]float32, rows*cols))
		for i := range m.Data {
			m.Data[i] = float32(rng.NormFloat64() * scale)
		}
		return m
	}
	sure, unsure := 0, 0
	for range 60 {
		labels, bioes := bioes(1 + rng.IntN(6))
		k := len(labels)
		legal := func(a, b int) bool { return a >= k || b >= k || bioes(a, b) }
		if rng.IntN(3) == 0 {
			legal = nil
		}
		axis := &Axis{name: "tokens"}
		axis.Pack(8, func(i int) int { return 1 + i*i })
		unaries, transitions := random(axis.rows, k, []float64{0.1, 3, 30}[rng.IntN(3)]), random(k+2, k+2, 2)
		d := NewDecoder(k, legal)
		d.Decode(axis, unaries, &Param{Rows: k + 2, Cols: k + 2, Data: transitions.Data})
		for s := range axis.lengths {
			want := d.viterbi.best(&axis.packing, s, unaries, d.trans)
			got, ok := d.likely.best(&axis.packing, s, &d.lattice, d.trans)
			switch {
			case !ok:
				unsure++
			case !slices.Equal(got, want):
				t.Fatalf("labels %v, want %v", got, want)
			default:
				sure++
			}
		}
	}
	if sure == 0 || unsure == 0 {
		t.Errorf("%d sure, %d unsure: the test needs both", sure, unsure)
	}
	t.Log(sure, unsure)
}

// A single element with many likely labels made the whole sequence slow to decode.
func TestOneUnsureElementDoesNotNeedAllLabels(t *testing.T) {
	const k, n = 40, 50
	axis := &Axis{name: "tokens"}
	axis.Pack(1, func(int) int { return n })
	unaries := kernel.NewMatrix(n, k, make([]float32, n*k))
	for i := range n {
		if i != 20 {
			unaries.Row(i)[0] = 20
		}
	}
	unaries.Row(20)[7] = 0.5
	d := NewDecoder(k, nil)
	d.Decode(axis, unaries, &Param{Rows: k + 2, Cols: k + 2, Data: make([]float32, (k+2)*(k+2))})
	y, ok := d.likely.best(&axis.packing, 0, &d.lattice, d.trans)
	if !ok || y[20] != 7 {
		t.Errorf("found %t, labels %v", ok, y)
	}
}

// The probabilities are those among the legal labelings, whatever labels there are, and do not depend on the order in
// which the decoder computes.
func TestProbabilitiesAmongLegalLabelings(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for round := range 200 {
		labels, _ := bioes(1 + rng.IntN(2))
		labels, between := without(labels, func(l string) bool { return l != "O" && rng.IntN(4) == 0 })
		k, n := len(labels), 1+rng.IntN(4)
		legal := func(a, b int) bool { return a >= k || b >= k || between(a, b) } // also at the borders, so that there always is a path
		u, a := randomCRF(rng, n, k, []float64{0.5, 2, 150}[round%3])
		masked := kernel.NewMatrix(k+2, k+2, slices.Clone(a.Data))
		for i := range k {
			for j := range k {
				if !between(i, j) {
					masked.Row(i)[j] = -1e6
				}
			}
		}
		_, best, stretch := bruteForce(u, masked)
		d := NewDecoder(k, legal)
		columns := kernel.NewMatrix(n, k, make([]float32, n*k))
		for r := range n {
			for i, label := range d.Order() {
				columns.Row(r)[i] = u.Row(r)[label]
			}
		}
		axis := &Axis{name: "tokens"}
		axis.Pack(1, func(int) int { return n })
		got := d.Decode(axis, columns, &Param{Rows: k + 2, Cols: k + 2, Data: a.Data})[0]
		if s, want := score(got.Labels, u, masked), score(best, u, masked); math.Abs(s-want) > 1e-4*max(1, math.Abs(want)) {
			t.Fatalf("round %d: labels %v score %v, %v score %v", round, got.Labels, s, best, want)
		}
		for from := range n {
			if got, want := got.Probability(from, n), stretch(got.Labels, from, n); math.Abs(got-want) > 1e-4 {
				t.Fatalf("round %d: probability from %d is %v, want %v", round, from, got, want)
			}
			for label := range int32(k) {
				y := slices.Clone(best)
				y[from] = label
				if got, want := got.Marginal(from, label), stretch(y, from, from+1); math.Abs(got-want) > 1e-4 {
					t.Fatalf("round %d: probability of label %d at %d is %v, want %v", round, label, from, got, want)
				}
			}
		}
	}
}

// Where no labels are legal, the probabilities were no numbers.
func TestNoLegalLabels(t *testing.T) {
	d := NewDecoder(2, func(a, b int) bool { return false })
	axis := &Axis{name: "tokens"}
	axis.Pack(1, func(int) int { return 3 })
	got := d.Decode(axis, kernel.NewMatrix(3, 2, make([]float32, 6)), &Param{Rows: 4, Cols: 4, Data: make([]float32, 16)})[0]
	if p, m := got.Probability(0, 3), got.Marginal(1, 1); p != 0 || m != 0 {
		t.Errorf("probabilities %v and %v, want 0", p, m)
	}
	NewDecoder(0, nil) // panicked
}
