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

// without leaves out some labels.
func without(labels []string, drop func(string) bool) ([]string, func(a, b int) bool) {
	labels = slices.DeleteFunc(labels, drop)
	return labels, func(a, b int) bool { return data.BIOES.Legal(labels[a], labels[b]) }
}

// The labels of BIOES are divided into a group that follows a group and two rows that follow two rows.
func TestMovesOfBIOES(t *testing.T) {
	labels, legal := bioes(29)
	m := newMoves(len(labels), legal)
	if m.common.from != (places{0, 59}) || m.common.to != (places{29, 88}) {
		t.Errorf("%+v", m.common)
	}
	want := []pairs{{to: 0, first: 59, second: 88, n: 29}, {to: 88, first: 59, second: 88, n: 29}}
	if !slices.Equal(m.pairs, want) {
		t.Errorf("%+v, want %+v", m.pairs, want)
	}
}

// A step over the legal transitions finds the same as one over all of them, of which the illegal ones
// are -Inf. Where no label can precede, only the score matters.
func TestMovesLikeOneStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	inPairs := 0
	for range 300 {
		labels, legal := bioes(1 + rng.IntN(8))
		switch rng.IntN(4) {
		case 0:
			odd := rng.IntN(len(labels))
			legal = func(a, b int) bool { return b != odd && (a*7+b*3)%4 != 0 }
		case 1:
			labels, legal = without(labels, func(string) bool { return rng.IntN(3) == 0 })
		}
		k := len(labels)
		if k == 0 {
			continue
		}
		score, trans := randomStep(rng, k, legal)
		m := newMoves(k, legal)
		inPairs += len(m.pairs)
		placed, arranged := make([]float32, k), kernel.NewMatrix(k, k, make([]float32, k*k))
		m.arrange(arranged, trans, make([]bool, k*k))
		for p, label := range m.order {
			placed[p] = score[label]
		}
		next, back := make([]float32, k), make([]int32, k)
		kernel.ViterbiStep(next, back, placed, arranged)
		v := viterbi{moves: &m}
		v.legal.take(arranged, &m)
		got, raw := make([]float32, k), make([]int32, k)
		v.step(got, raw, placed)
		if !slices.Equal(got, next) {
			t.Fatalf("scores %v, want %v", got, next)
		}
		for p := range back {
			from := v.from(int32(p), raw[p])
			if !math.IsInf(float64(next[p]), -1) && placed[from]+arranged.Row(int(from))[p] != next[p] {
				t.Fatalf("label in place %d comes from %d, want %d", p, from, back[p])
			}
		}
	}
	if inPairs == 0 {
		t.Error("no labels in pairs: the test is of no use")
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
		v := viterbi{moves: &m}
		v.legal.take(trans, &m)
		for b.Loop() {
			v.step(next, back, score)
		}
	})
}
