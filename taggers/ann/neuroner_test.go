package ann

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/checkpoints/neuroner"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/internal/shared"
	"github.com/lethe-deid/lethe/nn/tagger"
)

// release opens a released model.
func release(t *testing.T, name string) *neuroner.Release {
	t.Helper()
	r, err := neuroner.Open(shared.Path(t, "neuroner", name))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// vectorsOf makes vectors of 100 numbers.
func vectorsOf(rows map[string][]float32) *embeddings.Vectors {
	var words []string
	var values []float32
	for word, row := range rows {
		words, values = append(words, word), append(values, row...)
	}
	return embeddings.New(words, 100, values)
}

// An imported release has the ids, labels and probabilities that two independent implementations of
// NeuroNER's network have computed.
func TestImportedReleaseAgreesWithNeuroNER(t *testing.T) {
	var golden struct {
		SeededVectors map[string][]float32 `json:"seeded_vectors"`
		Labels        []string
		Sentences     []struct {
			Tokens  []string
			CharIDs [][]int32 `json:"char_ids"`
			Modes   map[string]struct {
				ViterbiIDs []int32   `json:"viterbi_ids"`
				Marginal   []float64 `json:"marginal_of_viterbi_label"`
			}
		}
	}
	raw, err := os.ReadFile(shared.Path(t, "neuroner/golden_i2b2_stanford.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	r := release(t, "i2b2_2014_glove_stanford_bioes")
	if !slices.Equal(r.Labels, golden.Labels) {
		t.Fatal("the labels differ")
	}
	for mode, vectors := range map[string]*embeddings.Vectors{
		"seeded": vectorsOf(golden.SeededVectors),
		"unk":    vectorsOf(map[string][]float32{"no token of the sentences": make([]float32, 100)}),
	} {
		made, err := FromNeuroNER(r, NeuroNER{Name: "x", Vectors: vectors, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := made.Save(dir); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := loaded.Types().Name; got != "i2b2-2014" {
			t.Errorf("types %s", got)
		}
		p := <-loaded.predictors
		for i, s := range golden.Sentences {
			x := tagger.Sentence{}
			for k, token := range s.Tokens {
				ids := p.ids(token)
				if !slices.Equal(ids.characters, s.CharIDs[k]) {
					t.Errorf("%s: sentence %d: token %d: characters %v, want %v", mode, i, k, ids.characters, s.CharIDs[k])
				}
				x.Tokens, x.Characters = append(x.Tokens, ids.token), append(x.Characters, ids.characters)
			}
			found, err := p.Predict([]tagger.Sentence{x})
			if err != nil {
				t.Fatal(err)
			}
			want := s.Modes[mode]
			for k, id := range found[0].Labels {
				if got, want := loaded.labels[id], strings.ReplaceAll(golden.Labels[want.ViterbiIDs[k]], "_", "-"); got != want {
					t.Errorf("%s: sentence %d: label %d is %s, want %s", mode, i, k, got, want)
				}
				if got := found[0].Probability(k, k+1); !(math.Abs(got-want.Marginal[k]) <= 1e-4) {
					t.Errorf("%s: sentence %d: probability %d is %v, want %v", mode, i, k, got, want.Marginal[k])
				}
			}
		}
	}
}

func TestImportRefuses(t *testing.T) {
	fits := map[string][]float32{"word": make([]float32, 100)}
	for _, test := range []struct {
		name   string
		change func(r *neuroner.Release) *embeddings.Vectors
		want   string
	}{
		{"other vectors", func(*neuroner.Release) *embeddings.Vectors {
			return vectorsOf(map[string][]float32{"unk": make([]float32, 100)})
		}, `the vectors are not those that the network was trained with: the vector of the word "unk" differs`},
		{"width", func(*neuroner.Release) *embeddings.Vectors {
			return embeddings.New([]string{"a"}, 2, make([]float32, 2))
		},
			"the vectors have 2 numbers, but the network reads 100"},
		{"a tensor that is missing", func(r *neuroner.Release) *embeddings.Vectors {
			r.Tensors = slices.Clone(r.Tensors[1:])
			return vectorsOf(fits)
		}, "the matrix character_embedding/character_embedding_weights is missing"},
		{"a tensor too many", func(r *neuroner.Release) *embeddings.Vectors {
			r.Tensors[0].Name = "another"
			r.Tensors = append(r.Tensors, r.Tensors[0])
			r.Tensors[0].Name = "character_embedding/character_embedding_weights"
			return vectorsOf(fits)
		}, "the tensor another belongs to no network of NeuroNER"},
		{"a type", func(r *neuroner.Release) *embeddings.Vectors {
			r.Labels[0] = "B-PLANET"
			return vectorsOf(fits)
		}, "no built-in type set has all of the types "},
		{"a label", func(r *neuroner.Release) *embeddings.Vectors {
			r.Labels[0] = "PLANET"
			return vectorsOf(fits)
		}, "label 0 is neither O nor of the form B-TYPE"},
		{"labels and weights", func(r *neuroner.Release) *embeddings.Vectors {
			r.Labels = append(r.Labels, "B-EMAIL")
			return vectorsOf(fits)
		}, "tensor logits.W has shape [100 93], not [100 94]"},
		{"scheme", func(r *neuroner.Release) *embeddings.Vectors {
			r.Parameters["tagging_format"] = "iobes"
			return vectorsOf(fits)
		}, "tagging_format: "},
	} {
		r := release(t, "i2b2_2014_glove_spacy_bioes")
		vectors := test.change(r)
		if _, err := FromNeuroNER(r, NeuroNER{Name: "x", Vectors: vectors, Workers: 1}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}

// With a whole vocabulary, the words of the training notes come first, and --clean leaves out those that
// the vectors do not have.
func TestImportOfAWholeVocabulary(t *testing.T) {
	r := release(t, "i2b2_2014_glove_spacy_bioes")
	table := r.Tensor(tokenTable)
	r.Tokens = []string{"UNK", "Zyxwv", "ward"}
	table.Shape = []int{3, 100}
	table.Data = append(table.Data, make([]float32, 200)...)
	table.Data[100], table.Data[200] = 1, 2
	vectors := vectorsOf(map[string][]float32{"ward": make([]float32, 100), "nurse": slices.Repeat([]float32{3}, 100)})
	for clean, want := range map[bool]map[string]float32{false: {"Zyxwv": 1, "ward": 2, "nurse": 3}, true: {"ward": 2, "nurse": 3}} {
		made, err := FromNeuroNER(r, NeuroNER{Name: "x", Vectors: vectors, Clean: clean, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(made.vocabulary.tokens); got != len(want)+1 {
			t.Errorf("clean %v: %d tokens", clean, got)
		}
		rows := made.network.TokenEmbedding()
		for token, value := range want {
			if id := made.vocabulary.token(token); id == unknown || rows.Data[int(id)*rows.Cols] != value {
				t.Errorf("clean %v: %s has the id %d", clean, token, id)
			}
		}
	}
}
