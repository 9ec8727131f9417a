package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// bioes returns the labels of a number of types, and which may follow which.
func bioes(types int) (labels []string, legal func(a, b int) bool) {
	labels = []string{"O"}
	for i := range types {
		for _, part := range []string{"B-", "I-", "E-", "S-"} {
			labels = append(labels, part+strings.Repeat("X", i+1))
		}
	}
	return labels, func(a, b int) bool { return data.BIOES.Legal(labels[a], labels[b]) }
}

// randomStep returns a step of Viterbi's algorithm with random scores, of which many are equal.
func randomStep(rng *rand.Rand, k int, legal func(a, b int) bool) (score []float32, trans kernel.Matrix) {
	score, trans = make([]float32, k), kernel.NewMatrix(k, k, make([]float32, k*k))
	for a := range k {
		score[a] = float32(rng.IntN(4))
		if rng.IntN(5) == 0 {
			score[a] = float32(math.Inf(-1))
		}
		for b := range k {
			trans.Row(a)[b] = float32(rng.IntN(4))
			if !legal(a, b) {
				trans.Row(a)[b] = float32(math.Inf(-1))
			}
		}
	}
	return score, trans
}

// A step over the legal transitions finds the same as one over all of them, of which the illegal ones
// are -Inf. Where no label can precede, only the score matters.
func TestMovesLikeOneStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		labels, legal := bioes(1 + rng.IntN(8))
		k := len(labels)
		if rng.IntN(3) == 0 {
			odd := rng.IntN(k)
			legal = func(a, b int) bool { return b != odd && (a*7+b*3)%4 != 0 }
		}
		score, trans := randomStep(rng, k, legal)
		next, back := make([]float32, k), make([]int32, k)
		kernel.ViterbiStep(next, back, score, trans)
		gotNext, gotBack := make([]float32, k), make([]int32, k)
		m := newMoves(k, legal)
		m.set(trans)
		before, after, raw := make([]float32, k), make([]float32, k), make([]int32, k)
		for p, label := range m.order {
			before[p] = score[label]
		}
		m.step(after, raw, before)
		for p, label := range m.order {
			gotNext[label], gotBack[label] = after[p], m.order[m.from(int32(p), raw[p])]
		}
		if !slices.Equal(gotNext, next) {
			t.Fatalf("scores %v, want %v", gotNext, next)
		}
		for b := range back {
			if !math.IsInf(float64(next[b]), -1) && gotBack[b] != back[b] {
				t.Fatalf("label %d comes from %d, want %d", b, gotBack[b], back[b])
			}
		}
	}
}

func BenchmarkMoves(b *testing.B) {
	labels, legal := bioes(29)
	k := len(labels)
	score, trans := randomStep(rand.New(rand.NewPCG(1, 2)), k, legal)
	next, back := make([]float32, k), make([]int32, k)
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			kernel.ViterbiStep(next, back, score, trans)
		}
	})
	b.Run("legal", func(b *testing.B) {
		m := newMoves(k, legal)
		m.set(trans)
		for b.Loop() {
			m.step(next, back, score)
		}
	})
}
