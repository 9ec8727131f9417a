package tagger

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/gradcheck"
)

const (
	words = 6 // ids of tokens, which are classes as well; class 0 is the border
	pairs = 5 // ids of characters
)

func newLanguage(t *testing.T, cfg Config, samples int) *Language {
	t.Helper()
	l, err := NewLanguage(cfg, Sizes{Characters: pairs, Tokens: words, Labels: 1}, words, samples, 3)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// passage has the tokens' own ids as classes.
func passage(tokens ...int32) Passage {
	p := Passage{Sentence: Sentence{Tokens: tokens, Labels: append(slices.Clone(tokens[1:]), 0)}, Previous: append([]int32{0}, tokens[:len(tokens)-1]...)}
	for _, id := range tokens {
		p.Characters = append(p.Characters, []int32{id % pairs, id / pairs})
	}
	return p
}

// text returns passages that a Markov chain generates.
func text(n int, next func(rng *rand.Rand, last int32) int32) (passages []Passage) {
	rng := rand.New(rand.NewPCG(uint64(n), 2))
	for range n {
		tokens := []int32{1 + rng.Int32N(words-1)}
		for range 3 + rng.IntN(9) {
			tokens = append(tokens, next(rng, tokens[len(tokens)-1]))
		}
		passages = append(passages, passage(tokens...))
	}
	return passages
}

func TestLanguageModelGradients(t *testing.T) {
	for _, cell := range []nn.Cell{nn.Coupled, nn.Peephole} {
		for _, samples := range []int{2, words} {
			l := newLanguage(t, small(cell), samples)
			rng := rand.New(rand.NewPCG(1, 1))
			for _, p := range l.All() {
				nn.Normal(0.6)(rng, p)
			}
			batch := []Passage{passage(1, 2, 3, 2), passage(4), passage(5, 5)}
			if err := gradcheck.Check(l.Params, l.assemble, batch, []uint64{4, 5, 6}); err != nil {
				t.Errorf("%s, %d samples: %v", cell, samples, err)
			}
		}
	}
}

// perplexities trains on some passages and returns the perplexities of others.
func perplexities(t *testing.T, samples int, next func(rng *rand.Rand, last int32) int32) (forward, backward float64) {
	t.Helper()
	cfg := small(nn.Coupled)
	cfg.Dropout, cfg.TokenLSTM = 0, Units{12}
	l := newLanguage(t, cfg, samples)
	trainer, err := l.NewTrainer(nn.Optimizer{Method: "adam", LearningRate: 0.02, Decay: 1}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	passages, held := text(400, next), text(80, next)
	for step := range 300 {
		at := step * 8 % len(passages)
		if _, err := trainer.Step(passages[at:at+8], uint64(step), 0); err != nil {
			t.Fatal(err)
		}
	}
	s, err := l.NewScorer()
	if err != nil {
		t.Fatal(err)
	}
	forward, backward, err = s.Score(held)
	if err != nil {
		t.Fatal(err)
	}
	tokens := 0.0
	for _, p := range held {
		tokens += float64(p.Len())
	}
	return math.Exp(forward / tokens), math.Exp(backward / tokens)
}

// In a text where each token follows from its neighbours, only the length is uncertain. The samples
// are fewer than half of the classes, so that the softmax is really sampled.
func TestLanguageModelLearns(t *testing.T) {
	cycle := func(_ *rand.Rand, last int32) int32 { return last%(words-1) + 1 }
	for _, samples := range []int{2, words} {
		if f, b := perplexities(t, samples, cycle); f > 1.8 || b > 1.8 {
			t.Errorf("%d samples: the perplexities are %.2f forward and %.2f backward", samples, f, b)
		}
	}
}

// In a text where the tokens are independent, a perplexity below the number of words means that a
// direction sees the tokens that it predicts.
func TestLanguageModelDoesNotSeeTheAnswer(t *testing.T) {
	random := func(rng *rand.Rand, _ int32) int32 { return 1 + rng.Int32N(words-1) }
	if f, b := perplexities(t, words, random); f < words-1.5 || b < words-1.5 {
		t.Errorf("the perplexities are %.2f forward and %.2f backward", f, b)
	}
}

// Scoring passages together, in any order, and one by one gives the same sum.
func TestScoreIsASum(t *testing.T) {
	l := newLanguage(t, small(nn.Coupled), 2)
	s, err := l.NewScorer()
	if err != nil {
		t.Fatal(err)
	}
	passages := text(50, func(rng *rand.Rand, _ int32) int32 { return rng.Int32N(words) })
	var sum [2]float64
	for _, p := range passages {
		f, b, err := s.Score([]Passage{p})
		if err != nil {
			t.Fatal(err)
		}
		sum[0] += f
		sum[1] += b
	}
	f, b, err := s.Score(passages)
	if err != nil || math.Abs(f-sum[0]) > 1e-4*f || math.Abs(b-sum[1]) > 1e-4*b {
		t.Errorf("%v and %v together, %v one by one, %v", f, b, sum, err)
	}
}

// A network can start from the parameters that it shares with a language model.
func TestSharedParametersAreTheNetworks(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"all":              func(*Config) {},
		"no characters":    func(c *Config) { c.Characters = NoCharacters },
		"CNN":              func(c *Config) { c.Characters = CharacterCNN },
		"no token vectors": func(c *Config) { c.TokenEmbedding = 0 },
		"peephole":         func(c *Config) { c.Cell = nn.Peephole },
		"two LSTMs":        func(c *Config) { c.TokenLSTM, c.LayerNorm = Units{3, 2}, true },
	} {
		cfg := small(nn.Coupled)
		change(&cfg)
		l := newLanguage(t, cfg, 2)
		n, err := New(cfg, Sizes{Characters: pairs, Tokens: words, Labels: 3}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Shared()) == 0 || len(l.Shared()) != len(l.All())-2 {
			t.Errorf("%s: %d of %d parameters are shared", name, len(l.Shared()), len(l.All()))
		}
		for _, p := range l.Shared() {
			if q := n.Get(p.Name); q == nil || q.Rows != p.Rows || q.Cols != p.Cols {
				t.Errorf("%s: the network has no %s [%d, %d]", name, p.Name, p.Rows, p.Cols)
			}
		}
	}
}

func TestLanguageModelNeedsATokenLSTM(t *testing.T) {
	cfg := small(nn.Coupled)
	cfg.TokenLSTM = Units{0}
	if _, err := NewLanguage(cfg, Sizes{Characters: pairs, Tokens: words, Labels: 1}, words, 2, 1); err == nil {
		t.Error("no error")
	}
}
