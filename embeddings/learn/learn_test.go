package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings"
)

// corpus returns one document per text.
func corpus(texts ...string) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		for i, text := range texts {
			if !yield(&data.Document{ID: fmt.Sprint(i), Text: text}, nil) {
				return
			}
		}
	}
}

// small returns settings for corpora of a few words.
func small(m Method) Config {
	c := DefaultConfig()
	c.Method, c.Dim, c.Window, c.MinCount, c.Epochs, c.Negatives, c.Sample = m, 12, 3, 1, 12, 4, 0
	c.Tokenizer, c.Sentences = "whitespace", "line"
	if m == GloVe {
		c.Epochs = 60
	}
	return c
}

// kitchenAndGarden returns sentences of two sets of words that never occur
// together, and of two words that occur with both.
func kitchenAndGarden() string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range 600 {
		words := [][]string{strings.Fields("pan pot stove salt oven spoon"), strings.Fields("rake soil rose hedge lawn spade")}[i%2]
		for range 8 {
			b.WriteString(words[rng.IntN(len(words))] + " ")
			if rng.IntN(3) == 0 {
				b.WriteString([]string{"the", "and"}[rng.IntN(2)] + " ")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestWordsThatMeetEndTogether(t *testing.T) {
	text := kitchenAndGarden()
	for _, m := range Methods() {
		v, _, err := Vectors(t.Context(), corpus(text), small(m), nil)
		if err != nil {
			t.Fatal(err)
		}
		kitchen := strings.Fields("pan pot stove salt oven spoon")
		garden := strings.Fields("rake soil rose hedge lawn spade")
		for i, words := range [][]string{kitchen, garden} {
			for _, w := range words {
				row, _ := v.Index(w)
				for _, n := range v.Nearest(row, 5) {
					if slices.Contains([][]string{garden, kitchen}[i], n.Word) {
						t.Errorf("%s: %s is among the 5 nearest words of %s", m, n.Word, w)
					}
				}
			}
		}
	}
}

func values(v *embeddings.Vectors) []float32 {
	var all []float32
	for i := range v.Len() {
		all = append(all, v.Row(i)...)
	}
	return all
}

func TestSeedDecidesEveryBit(t *testing.T) {
	text := kitchenAndGarden()
	for _, m := range Methods() {
		c := small(m)
		c.Epochs = 2
		run := func(seed uint64) []float32 {
			c.Seed = seed
			v, _, err := Vectors(t.Context(), corpus(text), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			return values(v)
		}
		first := run(1)
		if !slices.Equal(first, run(1)) {
			t.Errorf("%s: two runs differ", m)
		}
		if slices.Equal(first, run(2)) {
			t.Errorf("%s: two seeds do not differ", m)
		}
	}
}

func TestVocabulary(t *testing.T) {
	c := small(SkipGram)
	c.MinCount, c.MinDocuments, c.Lowercase, c.ZeroDigits = 2, 2, true, true
	c.Tokenizer = "ptb"
	text := corpus(
		"Ana came 12 times. 7 of 12.\nRosa Rosa Rosa", // rosa in one document only
		"Call (617) 555-0199 or ana 34",               // a token that contains a space
		"Call (617) 555-0199 or CALL",
		"\u00a0\n", // no token at all
	)
	v, s, err := Vectors(t.Context(), text, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for i := range v.Len() {
		words = append(words, v.Word(i))
	}
	// call and 00 three times; ana and or twice; . three times, but in one document
	if diff := cmp.Diff([]string{"00", "call", "ana", "or"}, words); diff != "" {
		t.Error(diff)
	}
	want := Summary{Documents: 3, Sentences: 4, Tokens: 21, Kept: 10, Words: 11, Unwritable: 1}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func TestRefused(t *testing.T) {
	broken := &data.Error{Path: "x.txt", Line: 3, Offset: -1, Reason: "broken"}
	with := func(change func(*Config)) Config {
		c := small(SkipGram)
		change(&c)
		return c
	}
	for name, tc := range map[string]struct {
		corpus data.Documents
		cfg    Config
		want   string
	}{
		"empty":       {corpus(), small(SkipGram), "no tokens in the corpus"},
		"white space": {corpus(" \n"), small(GloVe), "no tokens in the corpus"},
		"rare":        {corpus("a b c a"), with(func(c *Config) { c.MinCount = 2 }), "of 3 distinct words, 1 occur 2 times or more in 1 documents or more: too few to learn from"},
		"broken": {func(yield func(*data.Document, error) bool) {
			_ = yield(&data.Document{Text: "a b"}, nil) && yield(nil, broken)
		},
			small(SkipGram), "x.txt:3: broken"},
		"method":    {corpus("a b"), with(func(c *Config) { c.Method = "lda" }), `no method "lda" (have skip-gram, cbow, glove)`},
		"dim":       {corpus("a b"), with(func(c *Config) { c.Dim = 1 }), "dimension 1 is not in [2, 4096]"},
		"window":    {corpus("a b"), with(func(c *Config) { c.Window = 0 }), "window 0 is not in [1, 100]"},
		"count":     {corpus("a b"), with(func(c *Config) { c.MinCount = 0 }), "minimum count 0 is not positive"},
		"documents": {corpus("a b"), with(func(c *Config) { c.MinDocuments = 0 }), "minimum number of documents 0 is not positive"},
		"epochs":    {corpus("a b"), with(func(c *Config) { c.Epochs = 0 }), "0 epochs: not positive"},
		"negatives": {corpus("a b"), with(func(c *Config) { c.Negatives = 0 }), "0 negative samples: not in [1, 100]"},
		"sample":    {corpus("a b"), with(func(c *Config) { c.Sample = math.NaN() }), "sample NaN is not in [0, 1)"},
		"rate":      {corpus("a b"), with(func(c *Config) { c.Rate = -1 }), "learning rate -1 is not in [0, 1]"},
		"tokenizer": {corpus("a b"), with(func(c *Config) { c.Tokenizer = "bpe" }), `no tokenizer "bpe" (have letters-digits, ptb, whitespace)`},
		"sentences": {corpus("a b"), with(func(c *Config) { c.Sentences = "page" }), `no sentence splitter "page" (have line, blank-line, rules, note)`},
	} {
		v, _, err := Vectors(t.Context(), tc.corpus, tc.cfg, nil)
		if v != nil || err == nil || err.Error() != tc.want {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}

// A training that is cancelled in any stage ends, and so does the goroutine that
// reads ahead.
func TestCancelled(t *testing.T) {
	text := kitchenAndGarden()
	for _, m := range Methods() {
		stages := map[string]bool{}
		c := small(m)
		c.Epochs = 1
		if _, _, err := Vectors(t.Context(), corpus(text, text), c, func(stage string, _, _ int) { stages[stage] = true }); err != nil {
			t.Fatal(err)
		}
		if !stages["learning"] {
			t.Errorf("%s: stages %v", m, stages)
		}
		for at := range stages {
			ctx, cancel := context.WithCancel(t.Context())
			c.Epochs = 1000
			v, _, err := Vectors(ctx, corpus(text, text), c, func(stage string, _, _ int) {
				if stage == at {
					cancel()
				}
			})
			if v != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled while %s: %v", m, at, err)
			}
			cancel()
		}
	}
}

func TestAliasDrawsByWeight(t *testing.T) {
	for _, weights := range [][]float64{{1}, {1, 1, 1}, {5, 3, 1, 0.5, 0.25}, {0, 1, 99}, {1e-9, 1e9}} {
		a := newAlias(weights)
		got := make([]float64, len(weights)) // worked out from the table
		for i := range weights {
			got[i] += float64(a.keep[i])
			got[a.other[i]] += 1 - float64(a.keep[i])
		}
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		for i, w := range weights {
			if math.Abs(got[i]/float64(len(weights))-w/sum) > 1e-6 {
				t.Errorf("%v: %d is drawn with %v", weights, i, got[i]/float64(len(weights)))
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	a, count := newAlias([]float64{1, 2, 5}), [3]int{}
	for range 80_000 {
		count[a.draw(rng)]++
	}
	for i, want := range []int{10_000, 20_000, 50_000} {
		if d := count[i] - want; d*d > 16*want { // 4 standard deviations
			t.Errorf("%d drawn %d times of 80,000, expected %d", i, count[i], want)
		}
	}
}

// Steps that are too long result in an error rather than a file of NaNs.
func TestDivergence(t *testing.T) {
	for _, m := range Methods() {
		c := small(m)
		c.Rate, c.Window, c.Negatives, c.Epochs = 1, 30, 30, 6
		v, _, err := Vectors(t.Context(), corpus(kitchenAndGarden()), c, nil)
		if v != nil || err == nil || err.Error() != "the vectors diverged: lower the learning rate, 1" {
			t.Errorf("%s: %v", m, err)
		}
	}
}
