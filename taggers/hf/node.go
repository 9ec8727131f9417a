package hf

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lethe-deid/lethe/checkpoints/huggingface"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/subword"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/encoder"
	"github.com/lethe-deid/lethe/taggers"
)

const kind = "hf"

func init() { taggers.Register(kind, func() taggers.Node { return new(DefaultConfig()) }) }

// Describe implements taggers.Node.
func (c Config) Describe() string {
	text := c.Model
	if c.Int8 {
		text += ", int8"
	}
	return text
}

// TypeNames implements taggers.Typed.
func (c Config) TypeNames() []taggers.Types {
	var names []string
	for _, label := range slices.Sorted(maps.Keys(c.Types)) {
		if to := c.Types[label].Name; to != "" {
			names = append(names, to)
		}
	}
	return []taggers.Types{{Key: "types", Names: names}}
}

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	if c.Model == "" {
		return nil
	}
	return []taggers.Path{{Key: "model", Value: &c.Model}}
}

// Fixed implements taggers.Fixed.
func (Config) Fixed() {}

// Subfolder implements taggers.Subfolder.
func (Config) Subfolder() string { return kind }

// Check implements taggers.Checker.
func (c Config) Check(types *data.TypeSet, workers int) error {
	_, err := c.open(c.Model, types, workers)
	return err
}

// Fit implements taggers.Node: the model is not trained. It returns a *Tagger.
func (c Config) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	return c.open(c.Model, task.Types, task.Workers)
}

// Load implements taggers.Node.
func (c Config) Load(dir string, types *data.TypeSet, workers int, _ ...taggers.Model) (data.Tagger, error) {
	return c.open(dir, types, workers)
}

// open reads the model in a folder.
func (c Config) open(dir string, types *data.TypeSet, workers int) (*Tagger, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	folder, err := huggingface.Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	l, err := newLabels(folder.Config().Labels, c.Types, types)
	if err != nil {
		return nil, err
	}
	tok, err := openTokenizer(dir, folder)
	if err != nil {
		return nil, err
	}
	workers = max(1, workers)
	net, err := encoder.New(folder.Config(), folder, encoder.Options{Int8: c.Int8, Workers: workers})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	var transitions *nn.Param
	if m, ok := net.Transitions(); ok {
		transitions = &nn.Param{Name: "crf.transitions", Rows: m.Rows, Cols: m.Cols, Data: m.Data}
	}
	t, err := newTagger(c, types, l, transitions, tok, net)
	if err != nil {
		return nil, err
	}
	t.dir, t.contents = dir, contents(folder, tok)
	return t, nil
}

// openTokenizer opens the tokenizer of a model, which must not have more subwords than the network.
func openTokenizer(dir string, folder *huggingface.Folder) (*subword.Tokenizer, error) {
	tok, err := subword.Open(dir)
	if err != nil {
		return nil, err
	}
	if rows := folder.Config().VocabularySize; tok.Size() > rows {
		return nil, fmt.Errorf("%s: the tokenizer has %d subwords, but the network only %d: they are not of the same model", dir, tok.Size(), rows)
	}
	return tok, nil
}
