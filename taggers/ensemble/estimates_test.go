package ensemble_test

import (
	"math"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/ensemble"
)

// The estimates of networks and CRFs are probabilities, agree with the doubts of a probe,
// and lead method mean to the spans of which a single member is sure. The other spans may
// differ: a span that is more probable than any other is often less probable than none.
func TestEstimatesOfRealTaggers(t *testing.T) {
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := data.Collect(synth.Notes(16, 1, synth.Train))
	if err != nil {
		t.Fatal(err)
	}
	for name, node := range map[string]taggers.Node{
		"ann": network(), "crf": features(data.BIO, false), "crf BIOES": features(data.BIOES, false), "crf by type": features(data.IO, true),
	} {
		t.Run(name, func(t *testing.T) {
			member, err := node.Fit(t.Context(), taggers.Task{Name: "x", Types: types, Train: docs, Dev: docs, Seed: 1, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			estimates, err := member.(data.Estimator).Estimate(t.Context(), docs)
			if err != nil {
				t.Fatal(err)
			}
			found, doubts, err := member.(data.Prober).Probe(t.Context(), docs, 0.01)
			if err != nil {
				t.Fatal(err)
			}
			for i := range docs {
				inside := map[int]float64{} // by start of the token: the probability of any type
				end := 0
				for _, e := range estimates[i] {
					sum := 0.0
					for _, c := range e.Chances {
						sum += c.Begin + c.Inside
					}
					if e.Start < end || e.End <= e.Start || sum > 1+1e-6 {
						t.Fatalf("note %d: a token [%d,%d) after %d with %v", i, e.Start, e.End, end, sum)
					}
					inside[e.Start], end = sum, e.End
				}
				if name == "crf by type" {
					continue // its doubts are of single models
				}
				for _, d := range doubts[i] {
					if math.Abs(inside[d.Start]-d.Score) > 0.01 {
						t.Errorf("note %d: a doubt of %v, but an estimate of %v", i, d.Score, inside[d.Start])
					}
				}
			}
			mean, err := ensemble.New(ensemble.Config{Method: ensemble.Mean, Members: []ensemble.Member{{Name: "a"}}}, []data.Tagger{member}).Tag(t.Context(), docs)
			if err != nil {
				t.Fatal(err)
			}
			sure := 0
			for i := range docs {
				for _, s := range found[i] {
					if s.Score < 0.9 {
						continue
					}
					sure++
					if !slices.ContainsFunc(mean[i], func(m data.Span) bool { return m.Start == s.Start && m.End == s.End && m.Type == s.Type }) {
						t.Errorf("note %d: %s [%d,%d) with %.2f is not found by the mean", i, s.Type, s.Start, s.End, s.Score)
					}
				}
				for _, m := range mean[i] {
					if m.Score < 0.5 {
						t.Errorf("note %d: a span with %.2f", i, m.Score)
					}
				}
			}
			if sure < 20 {
				t.Errorf("%d sure spans", sure)
			}
		})
	}
}

func network() taggers.Node {
	c := ann.DefaultConfig()
	c.Tokenizer, c.Sentences = "letters-digits", "line"
	n := &c.Network
	n.CharacterEmbedding, n.CharacterLSTM, n.TokenEmbedding, n.TokenLSTM, n.Hidden = 8, 8, 16, tagger.Units{24}, 24
	c.Optimizer.Method, c.Optimizer.LearningRate = "adam", 0.02
	c.Training.Batch, c.Training.Epochs = 2, 10
	return &c
}

func features(scheme data.Scheme, perType bool) taggers.Node {
	c := crf.DefaultConfig()
	c.Scheme, c.PerType = scheme, perType
	c.Features = []feature.Spec{{Family: "word", Window: 1}, {Family: "shape"}, {Family: "label"}}
	c.Training.Iterations = 30
	return &c
}
