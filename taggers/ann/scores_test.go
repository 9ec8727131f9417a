package ann

import (
	"context"
	"math"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/taggers"
)

// Without a CRF, the probabilities are the softmax of the logits. The tokens are those of the note, in their order, and their
// labels those that the spans come from.
func TestScores(t *testing.T) {
	docs := append(notes(t, 4, synth.Dev), &data.Document{ID: "empty"})
	for _, crf := range []bool{true, false} {
		cfg := small()
		cfg.Network.CRF = crf
		tagger := fit(t, cfg, taggers.Task{Workers: 2})
		labels := tagger.Chains()[0].Labels
		scores, err := tagger.Scores(context.Background(), docs)
		if err != nil {
			t.Fatal(err)
		}
		if len(scores) != len(docs) || len(scores[len(docs)-1]) != 0 {
			t.Fatalf("scores of %d documents, of the empty one %v", len(scores), scores[len(docs)-1])
		}
		other := 0
		for d := range docs[:len(docs)-1] {
			end, sentence := 0, 0
			for _, x := range scores[d][0] {
				if x.Start < end || x.Sentence < sentence || x.Sentence > sentence+1 || len(x.Marginals) != len(labels) || len(x.Logits) != len(labels) {
					t.Fatalf("document %d: %+v after %d in sentence %d", d, x, end, sentence)
				}
				end, sentence = x.End, x.Sentence
				z, sum := 0.0, 0.0
				for k, v := range x.Logits {
					z += math.Exp(v)
					sum += x.Marginals[k]
				}
				if math.Abs(sum-1) > 1e-4 {
					t.Fatalf("probabilities add up to %v", sum)
				}
				if x.Label > 0 {
					other++
				}
				for k, v := range x.Logits {
					if p := math.Exp(v) / z; !crf && math.Abs(p-x.Marginals[k]) > 1e-4 {
						t.Fatalf("label %s has the probability %v, by the logits %v", labels[k], x.Marginals[k], p)
					}
				}
			}
			if sentence == 0 {
				t.Error("one sentence only")
			}
		}
		if other == 0 {
			t.Error("all labels are O")
		}
	}
}

func TestEmbeddings(t *testing.T) {
	cfg := small()
	cfg.Training.Epochs = 1
	tokens, characters := fit(t, cfg, taggers.Task{Workers: 2}).Embeddings()
	for _, e := range []Embedding{tokens, characters} {
		if e.Width == 0 || len(e.Names)*e.Width != len(e.Vectors) || e.Names[0] != unknownToken {
			t.Errorf("%d names, %d values of width %d", len(e.Names), len(e.Vectors), e.Width)
		}
	}
}
