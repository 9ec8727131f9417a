package reader

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

var someLabels = []string{"O", "B-NAME", "I-NAME", "B-DATE", "I-DATE", "B-CITY"}

// table returns n tokens with random probabilities of their labels.
func table(rng *rand.Rand, n int) (tokens []data.Token, found []int32, marginal func(token int, into []float64)) {
	var all [][]float64
	for i := range n {
		p := make([]float64, len(someLabels))
		left := 1.0
		for l := range p {
			p[l] = left * rng.Float64()
			if l == 0 {
				p[l] = left * (1 - rng.Float64()*rng.Float64())
			}
			left -= p[l]
		}
		all = append(all, p)
		tokens = append(tokens, data.Token{Start: 2 * i, End: 2*i + 1})
		found = append(found, int32(rng.IntN(2)))
	}
	return tokens, found, func(token int, into []float64) { copy(into, all[token]) }
}

// The doubts are the same as when all probabilities of all tokens are read.
func TestDoubts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	some := 0
	for _, from := range []float64{0.001, 0.1, 0.4, 0.9} {
		tokens, found, marginal := table(rng, 300)
		var want []data.Span
		for i, token := range tokens {
			p := make([]float64, len(someLabels))
			marginal(i, p)
			if found[i] != 0 || 1-p[0] < from {
				continue
			}
			typ, most := "NAME", p[1]+p[2]
			for _, other := range []struct {
				typ string
				p   float64
			}{{"DATE", p[3] + p[4]}, {"CITY", p[5]}} {
				if other.p > most {
					typ, most = other.typ, other.p
				}
			}
			want = append(want, data.Span{Start: token.Start, End: token.End, Type: typ, Score: 1 - p[0]})
		}
		some += len(want)
		if got := doubts(tokens, found, someLabels, from, marginal); !slices.Equal(got, want) {
			t.Errorf("from %v: doubts %v, want %v", from, got, want)
		}
	}
	if some == 0 {
		t.Error("the test has no doubts")
	}
}

func BenchmarkDoubts(b *testing.B) {
	tokens, found, marginal := table(rand.New(rand.NewPCG(1, 2)), 1000)
	for b.Loop() {
		doubts(tokens, found, someLabels, 0.9, marginal)
	}
}
