package ann

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/checkpoints/neuroner"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/nn/tagger"
)

// NeuroNER says how FromNeuroNER makes a tagger of a released model.
type NeuroNER struct {
	Name string // of the model, for its card
	// Vectors are those that the network was trained with. A release contains only the vectors of the
	// words that its training changed, often none.
	Vectors *embeddings.Vectors
	// Clean leaves out the words of the training notes that Vectors does not have, because they can be
	// names.
	Clean   bool
	Workers int // cores that Tag uses
}

// FromNeuroNER makes a tagger of a model that the authors of NeuroNER released. It computes what
// NeuroNER computes, except that characters that the network does not know are all the same to it, where
// NeuroNER draws one at random. Tokens and sentences are those of ptb and rules, the nearest to
// CoreNLP's.
func FromNeuroNER(r *neuroner.Release, opt NeuroNER) (*Tagger, error) {
	labels, types, err := releasedLabels(r.Labels)
	if err != nil {
		return nil, err
	}
	cfg := DefaultConfig()
	cfg.Constrain = false
	cfg.Vectors.Freeze = false
	if cfg.Scheme, err = data.ParseScheme(strings.ToUpper(r.Parameters["tagging_format"])); err != nil {
		return nil, fmt.Errorf("tagging_format: %w", err)
	}
	if r.Parameters["use_character_lstm"] == "False" || r.Parameters["use_crf"] == "False" {
		return nil, errors.New("the network lacks characters or the CRF, which no release does")
	}
	if err := releasedSizes(r, &cfg.Network); err != nil {
		return nil, err
	}
	if opt.Vectors.Dim() != cfg.Network.TokenEmbedding {
		return nil, fmt.Errorf("the vectors have %d numbers, but the network reads %d", opt.Vectors.Dim(), cfg.Network.TokenEmbedding)
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	own := r.Tensor(tokenTable)
	if len(r.Tokens) != own.Shape[0] {
		return nil, fmt.Errorf("%d tokens, but %d vectors of tokens", len(r.Tokens), own.Shape[0])
	}
	if row, ok := opt.Vectors.Index("unk"); ok && len(r.Tokens) == 1 && !slices.EqualFunc(opt.Vectors.Row(row), own.Data, near) {
		return nil, errors.New("the vectors are not those that the network was trained with: the vector of the word \"unk\" differs")
	}
	tokens, rows := releasedTokens(r, own, opt)
	v := newVocabulary(tokens, r.Characters, false)
	net, err := cfg.network(v, labels, nil, 0)
	if err != nil {
		return nil, err
	}
	if err := fillReleased(net, r); err != nil {
		return nil, err
	}
	table := net.TokenEmbedding()
	for i, row := range rows {
		copy(table.Data[i*table.Cols:(i+1)*table.Cols], row)
	}
	t, err := newTagger(cfg, types, labels, v, nil, net, opt.Workers)
	if err != nil {
		return nil, err
	}
	t.card = checkpoints.Card{
		Name: opt.Name, Language: types.Language, Dataset: "the corpus of a model that the authors of NeuroNER released (" + r.Parameters["experiment_name"] + ")",
		VocabularyNote: releasedNote(r, opt.Clean),
		Limits: "- It was imported and is not scored. The weights were trained on notes whose use requires an agreement; they are yours to use only by that agreement and by the licence of the release.\n" +
			"- It was trained on the tokens of " + r.Parameters["tokenizer"] + ". Others are read here, which costs an unknown part of its accuracy.",
	}
	return t, nil
}

// releasedLabels returns the labels in the spelling of a built-in type set, the smallest that has all
// of their types.
func releasedLabels(theirs []string) ([]string, *data.TypeSet, error) {
	labels := make([]string, len(theirs))
	used := map[string]bool{}
	for i, l := range theirs {
		labels[i] = strings.ReplaceAll(l, "_", "-")
		if prefix, name, ok := strings.Cut(labels[i], "-"); ok && prefix != "" {
			used[name] = true
		} else if l != "O" {
			return nil, nil, fmt.Errorf("label %d is neither O nor of the form B-TYPE", i)
		}
	}
	var best *data.TypeSet
	for _, set := range data.TypeSets() {
		fits := set.Language == "en" && !slices.ContainsFunc(slices.Collect(maps.Keys(used)), func(name string) bool { return !set.Has(name) })
		if fits && len(set.Types) > 0 && (best == nil || len(set.Types) < len(best.Types)) {
			best = set
		}
	}
	if best == nil {
		return nil, nil, fmt.Errorf("no built-in type set has all of the types %s", strings.Join(slices.Sorted(maps.Keys(used)), ", "))
	}
	return labels, best, nil
}

// releasedTokens returns the vocabulary and the vector of each token: first the release's own, then
// those of the vectors that it does not have.
func releasedTokens(r *neuroner.Release, own *checkpoints.Tensor, opt NeuroNER) (tokens []string, rows [][]float32) {
	dim := own.Shape[1]
	known := map[string]bool{}
	for i, token := range r.Tokens {
		if i == 0 {
			token = unknownToken
		} else if _, ok := opt.Vectors.Index(token); !ok && opt.Clean {
			continue
		}
		known[token] = true
		tokens, rows = append(tokens, token), append(rows, own.Data[i*dim:(i+1)*dim])
	}
	for i := range opt.Vectors.Len() {
		if token := opt.Vectors.Word(i); !known[token] {
			tokens, rows = append(tokens, token), append(rows, opt.Vectors.Row(i))
		}
	}
	return tokens, rows
}

func releasedNote(r *neuroner.Release, clean bool) string {
	switch {
	case len(r.Tokens) == 1:
		return "Its vocabulary holds the words of the vectors that it was imported with, and none of the training notes."
	case clean:
		return "Its vocabulary holds the words of the vectors that it was imported with. Words that only the training notes had were left out, but the weights were trained with them."
	}
	return "Its vocabulary holds every token of the training notes, names among them: keep it as you would keep the notes, or import it with --clean."
}

// near reports whether two numbers are equal but for the last digit that a text file has.
func near(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-6 }

const (
	tokenTable  = "token_embedding/token_embedding_weights"
	releaseCell = "/coupled_input_forget_gate_lstm_cell/"
)

// released pairs the names of a release's tensors with those of the network.
func released() map[string]string {
	names := map[string]string{
		"character_embedding/character_embedding_weights": "character_embedding",
		"crf/transitions":             "crf.transitions",
		"feedforward_after_lstm/W":    "hidden.W",
		"feedforward_after_lstm/bias": "hidden.b",
		"feedforward_before_crf/W":    "logits.W", "feedforward_before_crf/bias": "logits.b",
	}
	for _, lstm := range []string{"character_lstm", "token_lstm"} {
		scope := lstm + "/bidirectional_LSTM/"
		for _, direction := range [][2]string{{"forward", "fw"}, {"backward", "bw"}} {
			ours, cell := lstm+"."+direction[0]+".", scope+"bidirectional_rnn/"+direction[1]+releaseCell
			names[cell+"W_0"], names[cell+"B"] = ours+"W", ours+"b"
			names[scope+direction[0]+"/initial_cell_state"], names[scope+direction[0]+"/initial_output_state"] = ours+"c0", ours+"h0"
		}
	}
	return names
}

// releasedSizes sets the sizes of the network to those of the tensors.
func releasedSizes(r *neuroner.Release, c *tagger.Config) error {
	for _, size := range []struct {
		tensor string
		into   *int
	}{
		{"character_embedding/character_embedding_weights", &c.CharacterEmbedding},
		{tokenTable, &c.TokenEmbedding},
		{"character_lstm/bidirectional_LSTM/forward/initial_cell_state", &c.CharacterLSTM},
		{"token_lstm/bidirectional_LSTM/forward/initial_cell_state", &c.TokenLSTM[0]},
		{"feedforward_after_lstm/W", &c.Hidden},
	} {
		t := r.Tensor(size.tensor)
		if t == nil || len(t.Shape) != 2 {
			return fmt.Errorf("the matrix %s is missing", size.tensor)
		}
		*size.into = t.Shape[1]
	}
	return nil
}

// fillReleased copies the tensors of a release, but not those of tokens, into the network. It is an
// error if one is missing, left over, or of another shape.
func fillReleased(net *tagger.Network, r *neuroner.Release) error {
	names := released()
	tensors := []checkpoints.Tensor{net.TokenEmbedding().Tensor(net.TokenEmbedding().Name, net.TokenEmbedding().Data)}
	for _, t := range r.Tensors {
		if t.Name == tokenTable {
			continue
		}
		ours, ok := names[t.Name]
		if !ok {
			return fmt.Errorf("the tensor %s belongs to no network of NeuroNER", t.Name)
		}
		if len(t.Shape) == 1 { // a bias, which is a matrix of one row here
			t.Shape = []int{1, t.Shape[0]}
		}
		t.Name = ours
		tensors = append(tensors, t)
	}
	return net.Fill(tensors)
}
