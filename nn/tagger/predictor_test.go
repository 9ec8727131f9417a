package tagger

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/lethe-deid/lethe/nn"
)

// logitsOf returns the logits of the last batch.
func logitsOf(p *Predictor) []float32 {
	return slices.Clone(p.machine.Value(p.machine.Model.logits).Data)
}

// Forbidden paths are never taken, however high their score, also by the predictor.
func TestViterbiKeepsToLegalPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	cfg := small("coupled")
	net := newNetwork(t, cfg, smallSizes, 1)
	transitions := net.Get("crf.transitions")
	for i := range transitions.Data {
		transitions.Data[i] = float32(rng.NormFloat64() * 5)
	}
	const k = 4 // START is k, END k+1; label 3 must not come first or last, 1 only after 0
	legal := func(a, b int) bool { return (a != k || b != 3) && (a != 3 || b != k+1) && (b != 1 || a == 0) }
	p := newPredictor(t, net, legal)
	free := newPredictor(t, net, nil)
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

func TestPredictMeanOfTwoReadings(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	p := newPredictor(t, newNetwork(t, small("coupled"), smallSizes, 1), nil)
	sentences := []Sentence{randomSentences(rng, smallSizes, 5)[0], {}, randomSentences(rng, smallSizes, 3)[0], randomSentences(rng, smallSizes, 7)[0]}
	other := randomSentences(rng, smallSizes, 3)[0]
	logits := func(sentence, tokens int) (all []float32) {
		for t := range tokens {
			all = append(all, p.Logits(sentence, t)...)
		}
		return all
	}
	if _, err := p.Predict([]Sentence{other}); err != nil {
		t.Fatal(err)
	}
	second := logits(0, 3)
	alone, err := p.Predict(sentences)
	if err != nil {
		t.Fatal(err)
	}
	var before [][]float32
	for i, s := range sentences {
		before = append(before, logits(i, len(s.Tokens)))
	}
	found, err := p.PredictMean(sentences, map[int]Sentence{2: other})
	if err != nil || len(found) != len(sentences) {
		t.Fatal(len(found), err)
	}
	for i, s := range sentences {
		if len(found[i].Labels) != len(s.Tokens) || i != 2 && !slices.Equal(found[i].Labels, alone[i].Labels) {
			t.Errorf("sentence %d: labels %v, alone %v", i, found[i].Labels, alone[i].Labels)
		}
		for k, v := range logits(i, len(s.Tokens)) {
			want := before[i][k]
			if i == 2 {
				want = (want + second[k]) / 2
			}
			if math.Abs(float64(v-want)) > 1e-5 {
				t.Errorf("sentence %d: logit %d is %v, want %v", i, k, v, want)
			}
		}
	}
	if slices.Equal(before[2], second) {
		t.Error("the readings do not differ")
	}
}

// A predictor created before training must decode with the trained transitions. It once kept a copy
// of the initial ones.
func TestPredictorFollowsTraining(t *testing.T) {
	net := newNetwork(t, small("coupled"), smallSizes, 1)
	early := newPredictor(t, net, nil)
	rng := rand.New(rand.NewPCG(3, 3))
	transitions := net.Get("crf.transitions")
	for i := range transitions.Data {
		transitions.Data[i] = float32(rng.NormFloat64() * 5)
	}
	late := newPredictor(t, net, nil)
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
	for _, kind := range []Characters{CharacterLSTM, CharacterCNN} {
		t.Run(string(kind), func(t *testing.T) { testSpellings(t, kind) })
	}
}

func testSpellings(t *testing.T, kind Characters) {
	cfg := small("coupled")
	cfg.Characters = kind
	net := newNetwork(t, cfg, smallSizes, 1)
	old := newPredictor(t, net, nil)
	changed := []*nn.Param{net.Get("character_embedding"), net.Get("character_cnn.W"), net.Get("character_lstm.forward.W")}
	changed = slices.DeleteFunc(changed, func(p *nn.Param) bool { return p == nil })
	rng := rand.New(rand.NewPCG(3, 3))
	for round := range 20 {
		s := randomSentences(rng, smallSizes, 8, 3)
		if round%5 == 4 {
			nn.Normal(3)(rng, changed[round%len(changed)])
		}
		got, err := old.Predict(s)
		if err != nil {
			t.Fatal(err)
		}
		logits := logitsOf(old)
		without := *net
		without.spellings = nil
		fresh := newPredictor(t, &without, nil)
		want, _ := fresh.Predict(s)
		if !slices.Equal(got[0].Labels, want[0].Labels) || !slices.Equal(logits, logitsOf(fresh)) {
			t.Fatalf("round %d: the cache shows", round)
		}
		if round == 9 {
			net.spellings.most = 10 // fewer than there are
		}
	}
	if n := net.spellings.latest.rows.Len(); n == 0 || n > 10 {
		t.Errorf("the full cache has %d spellings, want at most 10", n)
	}
}

// Predictors of a network share the cache, of which one may fill or replace what another reads.
func TestPredictorsShareSpellings(t *testing.T) {
	net := newNetwork(t, small("coupled"), smallSizes, 1)
	var predictors []*Predictor
	for range 3 {
		predictors = append(predictors, newPredictor(t, net, nil))
	}
	net.spellings.most = 20
	s := randomSentences(rand.New(rand.NewPCG(3, 3)), smallSizes, 8, 40)
	var want [][]int32
	for i := range s {
		found, err := predictors[0].Predict(s[i : i+1])
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, slices.Clone(found[0].Labels))
	}
	var wg sync.WaitGroup
	for _, p := range predictors {
		wg.Go(func() {
			for i := range s {
				if found, err := p.Predict(s[i : i+1]); err != nil || !slices.Equal(found[0].Labels, want[i]) {
					t.Errorf("sentence %d: %v, want the labels %v (%v)", i, found, want[i], err)
				}
			}
		})
	}
	wg.Wait()
}

// Products of integers change logits a little, and weights that change are rounded again.
func TestInt8IsClose(t *testing.T) {
	cfg := small("coupled")
	cfg.TokenLSTM, cfg.Hidden = Units{20}, 30
	exact := newNetwork(t, cfg, smallSizes, 1)
	cfg.Int8 = true
	rounded := newNetwork(t, cfg, smallSizes, 1)
	p, q := newPredictor(t, exact, nil), newPredictor(t, rounded, nil)
	rng := rand.New(rand.NewPCG(3, 3))
	for round, name := range []string{"", "token_lstm.forward.W", "hidden.W", "logits.W"} {
		if name != "" {
			nn.Normal(0.5)(rng, exact.Get(name))
			copy(rounded.Get(name).Data, exact.Get(name).Data)
		}
		s := randomSentences(rng, smallSizes, 30, 5, 1)
		for _, p := range []*Predictor{p, q} {
			if _, err := p.Predict(s); err != nil {
				t.Fatal(err)
			}
		}
		a, b := logitsOf(p), logitsOf(q)
		var difference, size float64
		for i := range a {
			difference += math.Pow(float64(a[i]-b[i]), 2)
			size += math.Pow(float64(a[i]), 2)
		}
		if share := math.Sqrt(difference / size); share == 0 || share > 0.03 {
			t.Errorf("round %d: the logits differ by %.4f of their size", round, share)
		}
	}
}

// A shard of notes must give the same bits as all of them, so a sentence must not depend on those that are tagged together with it. A sum over
// labels once depended on how many tokens they had.
func TestASentenceHasTheSameBitsInEveryBatch(t *testing.T) {
	sizes := Sizes{Characters: 5, Tokens: 7, Labels: 61}
	p := newPredictor(t, newNetwork(t, small("coupled"), sizes, 1), nil)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		sentences := randomSentences(rng, sizes, slices.Repeat([]int{4, 11, 7, 2}, 10)...)
		alone, err := p.Predict(sentences[1:2])
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for token := range sentences[1].Tokens {
			want = append(want, alone[0].Marginal(token, alone[0].Labels[token]))
		}
		together, err := p.Predict(sentences)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(together[1].Labels, alone[0].Labels) {
			t.Fatal("the labels differ")
		}
		for token, p := range want {
			if got := together[1].Marginal(token, alone[0].Labels[token]); got != p {
				t.Fatalf("token %d: %v, and alone %v", token, got, p)
			}
		}
	}
}
