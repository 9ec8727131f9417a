// Package recipe is an example of a new kind of tagger. Its test takes it through a
// configuration, a training and a model folder. It shows all that a kind requires; in
// the program, its import would be a line of kinds.go in package system.
package recipe

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers"
)

func init() {
	taggers.Register("remembered", func() taggers.Node { return &Config{MinDocuments: 2} })
}

// Config has all settings of the tagger.
type Config struct {
	MinDocuments int `yaml:"min_documents"` // number of training notes in which a word must be PHI; default 2
}

// Validate implements taggers.Node.
func (c Config) Validate() error {
	if c.MinDocuments < 1 {
		return fmt.Errorf("min_documents: %d is not positive", c.MinDocuments)
	}
	return nil
}

// Describe implements taggers.Node.
func (c Config) Describe() string { return fmt.Sprintf("words of %d notes", c.MinDocuments) }

// Fit implements taggers.Node. It remembers the last type of each word.
func (c Config) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	types, documents := tagger{}, map[string]int{}
	for _, d := range task.Train {
		seen := map[string]bool{}
		for _, s := range d.Spans {
			word := d.Text[s.Start:s.End]
			if !seen[word] {
				documents[word]++
			}
			seen[word], types[word] = true, s.Type
		}
	}
	for word, n := range documents {
		if n < c.MinDocuments {
			delete(types, word)
		}
	}
	if task.Report.Epoch != nil {
		task.Report.Epoch(taggers.Epoch{Epoch: 1})
	}
	return types, nil
}

const wordsFile = "words.json"

// Load implements taggers.Node.
func (c Config) Load(dir string, _ *data.TypeSet, _ int, _ ...taggers.Model) (data.Tagger, error) {
	raw, err := bounded.ReadFile(filepath.Join(dir, wordsFile), bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	t := tagger{}
	return t, json.Unmarshal(raw, &t)
}

// tagger maps words to their types.
type tagger map[string]string

// Save implements taggers.Model.
func (t tagger) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	raw, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return wholefile.WriteFile(filepath.Join(dir, wordsFile), raw, 0o666)
}

// Tag implements data.Tagger.
func (t tagger) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		for _, token := range (tokenize.LettersDigits{}).Tokens(d.Text, nil) {
			if typ, ok := t[d.Text[token.Start:token.End]]; ok {
				found[i] = append(found[i], data.Span{Start: token.Start, End: token.End, Type: typ, Score: 1})
			}
		}
	}
	return found, nil
}
