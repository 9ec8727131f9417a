// Package corrected applies the corrections of rules, which grow, remove, cut and retype
// spans, to the spans of another tagger (Dehghan et al. 2015, section 2).
package corrected

import (
	"context"
	"errors"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
	"github.com/lethe-deid/lethe/taggers/rules"
)

func init() { taggers.Register("corrected", func() taggers.Node { return &Config{} }) }

// Config has all settings of the tagger.
type Config struct {
	Rules  rules.Config   `yaml:"rules"`  // rules whose corrections are applied; their other rules are ignored; required
	System taggers.System `yaml:"system"` // tagger whose spans are corrected; required
}

// Validate implements taggers.Node.
func (c Config) Validate() error { return inRules(".", c.Rules.Validate()) }

// Describe implements taggers.Node.
func (c Config) Describe() string { return "by rules " + c.Rules.Describe() }

// Children implements taggers.Parent.
func (c Config) Children() []taggers.Child {
	return []taggers.Child{{Name: "corrected", Key: "system", System: c.System}}
}

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	all := c.Rules.Paths()
	for i := range all {
		all[i].Key = "rules." + all[i].Key
	}
	return all
}

// Check implements taggers.Checker.
func (c Config) Check(types *data.TypeSet, workers int) error {
	t, err := c.Rules.Fit(context.Background(), taggers.Task{Types: types, Workers: workers})
	if err == nil && !t.(*rules.Tagger).Corrects() {
		err = errors.New("there are no corrections for the types in use")
	}
	return inRules(": ", err)
}

func inRules(separator string, err error) error {
	if err != nil {
		return fmt.Errorf("rules%s%w", separator, err)
	}
	return nil
}

// Subfolder implements taggers.Subfolder.
func (Config) Subfolder() string { return "corrections" }

// Fit implements taggers.Node: corrections learn nothing.
func (c Config) Fit(ctx context.Context, task taggers.Task, below ...taggers.Model) (data.Tagger, error) {
	r, err := c.Rules.Fit(ctx, task)
	if err != nil {
		return nil, err
	}
	return tagger{r.(*rules.Tagger), below[0]}, nil
}

// Load implements taggers.Node.
func (c Config) Load(dir string, types *data.TypeSet, workers int, below ...taggers.Model) (data.Tagger, error) {
	r, err := c.Rules.Load(dir, types, workers)
	if err != nil {
		return nil, err
	}
	t := tagger{r.(*rules.Tagger), below[0]}
	go t.rules.Prepare() // while the rest of the model is opened and the other tagger tags
	return t, nil
}

// tagger applies the corrections to the spans of another tagger.
type tagger struct {
	rules *rules.Tagger
	first data.Tagger
}

// Save implements taggers.Model. It saves the rules; the other tagger is saved by its
// own node.
func (t tagger) Save(dir string) error { return t.rules.Save(dir) }

// Tag implements data.Tagger.
func (t tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := t.first.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	return found, t.correct(ctx, docs, found)
}

// Probe implements data.Prober. A span that a correction removes does not become a
// doubt.
func (t tagger) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	found, doubts, err = reader.Probe(ctx, t.first, docs, from)
	if err != nil {
		return nil, nil, err
	}
	if err := t.correct(ctx, docs, found); err != nil {
		return nil, nil, err
	}
	for i := range docs {
		doubts[i] = reader.MergeDoubts(found[i], doubts[i])
	}
	return found, doubts, nil
}

func (t tagger) correct(ctx context.Context, docs []*data.Document, found [][]data.Span) error {
	for i, doc := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		found[i] = t.rules.Correct(doc.Text, found[i])
	}
	return nil
}
