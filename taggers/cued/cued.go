// Package cued keeps the spans of another tagger only in sentences that contain a cue:
// an entry of a list, such as "works in" for organizations. Dehghan et al. 2015, section
// 2 (III), apply a general recognizer in this way. The sentence "She runs Acme Freight"
// has the cue "runs", so that an organization found there is kept; one that the
// recognizer finds in a sentence about a drug is not.
package cued

import (
	"context"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

func init() { taggers.Register("cued", func() taggers.Node { return new(DefaultConfig()) }) }

// Config has all settings of the tagger.
type Config struct {
	Lists     gazetteer.Lists `yaml:"lists"`     // the cues; their types are ignored; at least one list is required
	Sentences string          `yaml:"sentences"` // how notes are split into sentences: line, blank-line, rules (default) or note
	System    taggers.System  `yaml:"system"`    // tagger whose spans are kept near cues; required
}

// DefaultConfig returns the settings without lists.
func DefaultConfig() Config { return Config{Sentences: "rules"} }

// Validate implements taggers.Node.
func (c Config) Validate() error {
	if err := c.Lists.Validate(); err != nil {
		return err
	}
	_, err := c.reader()
	return err
}

// Describe implements taggers.Node.
func (c Config) Describe() string {
	return "in sentences with an entry of " + strings.Join(c.Lists.Names(), ", ")
}

// Children implements taggers.Parent.
func (c Config) Children() []taggers.Child {
	return []taggers.Child{{Name: "cued", Key: "system", System: c.System}}
}

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	var all []taggers.Path
	for _, p := range c.Lists.Paths() {
		all = append(all, taggers.Path{Key: "lists", Value: p})
	}
	return all
}

// Check implements taggers.Checker.
func (c Config) Check(*data.TypeSet, int) error {
	_, err := gazetteer.NewDictionary(c.Lists)
	return err
}

// Subfolder implements taggers.Subfolder.
func (Config) Subfolder() string { return "cues" }

// Fit implements taggers.Node: cues learn nothing.
func (c Config) Fit(_ context.Context, _ taggers.Task, below ...taggers.Model) (data.Tagger, error) {
	return c.open(below[0])
}

// Load implements taggers.Node.
func (c Config) Load(dir string, _ *data.TypeSet, _ int, below ...taggers.Model) (data.Tagger, error) {
	c.Lists = c.Lists.Saved(dir)
	return c.open(below[0])
}

func (c Config) open(first data.Tagger) (data.Tagger, error) {
	cues, err := gazetteer.NewDictionary(c.Lists)
	if err != nil {
		return nil, err
	}
	r, err := c.reader()
	return tagger{cues, r, first}, err
}

// maxTokens is the length in tokens at which a sentence is split, for texts without
// sentences.
const maxTokens = 1000

func (c Config) reader() (reader.Reader, error) {
	const tokenizer = "letters-digits" // splits text as the lists do
	if err := reader.Check(tokenizer, c.Sentences, maxTokens, data.BIO); err != nil {
		return reader.Reader{}, err
	}
	return reader.New(tokenizer, c.Sentences, maxTokens)
}

// tagger keeps the spans of another tagger in sentences with a cue.
type tagger struct {
	cues   *gazetteer.Dictionary
	reader reader.Reader
	first  data.Tagger
}

var (
	_ taggers.Model = tagger{}
	_ data.Prober   = tagger{}
)

// Save implements taggers.Model. It saves the lists; the other tagger is saved by its
// own node.
func (t tagger) Save(dir string) error { return t.cues.Save(dir) }

// Tag implements data.Tagger.
func (t tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := t.first.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	return found, t.keep(ctx, docs, found)
}

// Probe implements data.Prober. There are no doubts in sentences without a cue.
func (t tagger) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	found, doubts, err = reader.Probe(ctx, t.first, docs, from)
	if err != nil {
		return nil, nil, err
	}
	return found, doubts, t.keep(ctx, docs, found, doubts)
}

// keep removes the spans outside of sentences with a cue from each of all.
func (t tagger) keep(ctx context.Context, docs []*data.Document, all ...[][]data.Span) error {
	for i, doc := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		var sentences []data.Span
		for k, spans := range all {
			if len(spans[i]) == 0 {
				continue
			}
			if sentences == nil {
				sentences = t.sentences(doc)
			}
			all[k][i] = slices.DeleteFunc(slices.Clone(spans[i]), func(s data.Span) bool {
				from, to := data.Overlapping(sentences, s)
				return from == to
			})
		}
	}
	return nil
}

// sentences returns the sentences of a note that contain a whole cue, sorted.
func (t tagger) sentences(doc *data.Document) []data.Span {
	all := []data.Span{}
	for x := range t.reader.Cut(doc) {
		cues := t.cues.Match(doc.Text, x.Tokens) // sorted by start
		for _, r := range x.Sentences {
			cued := false
			for len(cues) > 0 && cues[0].Start < r.End {
				cued = cued || cues[0].Start >= r.Start && cues[0].End <= r.End
				cues = cues[1:]
			}
			if cued {
				all = append(all, data.Span{Start: x.Tokens[r.Start].Start, End: x.Tokens[r.End-1].End})
			}
		}
	}
	return all
}
