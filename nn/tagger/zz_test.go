package tagger

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/nn"
)

func rs(rng *rand.Rand, s Sizes, lengths ...int) []Sentence {
	var out []Sentence
	for _, n := range lengths {
		var sent Sentence
		for range n {
			chars := make([]int32, 1+rng.IntN(9))
			for i := range chars {
				chars[i] = rng.Int32N(int32(s.Characters))
			}
			sent.Tokens = append(sent.Tokens, rng.Int32N(int32(s.Tokens)))
			sent.Characters = append(sent.Characters, chars)
			sent.Labels = append(sent.Labels, rng.Int32N(int32(s.Labels)))
		}
		out = append(out, sent)
	}
	return out
}

func BenchmarkT(b *testing.B) {
	for _, size := range []int{1, 32} {
		b.Run(fmt.Sprintf("batch%d", size), func(b *testing.B) {
			net, _ := New(DefaultConfig(), Sizes{100, 20000, 89}, 1)
			tr, _ := net.NewTrainer(nn.DefaultOptimizer(), 1, nil)
			batch := rs(rand.New(rand.NewPCG(1, 1)), net.Sizes, slices.Repeat([]int{30}, size)...)
			for b.Loop() {
				if _, err := tr.Step(batch, 1, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(30*size*b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
	b.Run("predict", func(b *testing.B) {
		net, _ := New(DefaultConfig(), Sizes{100, 20000, 89}, 1)
		tr, _ := net.NewPredictor(nil)
		batch := rs(rand.New(rand.NewPCG(1, 1)), net.Sizes, slices.Repeat([]int{30}, 32)...)
		for b.Loop() {
			if _, err := tr.Predict(batch); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(30*32*b.N)/b.Elapsed().Seconds(), "tokens/s")
	})
}
