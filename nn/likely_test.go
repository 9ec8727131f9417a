package nn

import (
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
