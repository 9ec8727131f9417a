package rules

import (
	"context"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

func init() { taggers.Register("rules", func() taggers.Node { return &Config{} }) }

// Describe implements taggers.Node.
func (c Config) Describe() string { return c.Set + c.File }

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	if c.File == "" {
		return nil
	}
	return []taggers.Path{{Key: "file", Value: &c.File}}
}

// Fixed implements taggers.Fixed.
func (Config) Fixed() {}

// Check implements taggers.Checker.
func (c Config) Check(types *data.TypeSet, workers int) error {
	t, err := c.Fit(context.Background(), taggers.Task{Types: types, Workers: workers})
	if err == nil && len(t.(*Tagger).rules) == 0 {
		return fmt.Errorf("%s has no rules for the types in use, only corrections, which the kind corrected applies", t.(*Tagger).path)
	}
	return err
}

// Fit implements taggers.Node: rules learn nothing. It returns a *Tagger.
func (c Config) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	t, err := New(c, task.Workers)
	if err != nil {
		return nil, err
	}
	return t, t.Check(task.Types)
}

// Load implements taggers.Node.
func (c Config) Load(dir string, types *data.TypeSet, workers int, _ ...taggers.Model) (data.Tagger, error) {
	t, err := Open(dir, workers)
	if err != nil {
		return nil, err
	}
	return t, t.Check(types)
}
