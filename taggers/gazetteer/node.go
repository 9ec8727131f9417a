package gazetteer

import (
	"context"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

func init() { taggers.Register("gazetteer", func() taggers.Node { return &Config{} }) }

// Describe implements taggers.Node.
func (c Config) Describe() string { return strings.Join(c.Lists.Names(), ", ") }

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	var all []taggers.Path
	for _, p := range c.Lists.Paths() {
		all = append(all, taggers.Path{Key: "lists", Value: p})
	}
	return all
}

// Fixed implements taggers.Fixed.
func (Config) Fixed() {}

// Check implements taggers.Checker.
func (c Config) Check(types *data.TypeSet, workers int) error {
	_, err := New(c, types, workers)
	return err
}

// Fit implements taggers.Node: lists learn nothing. It returns a *Tagger.
func (c Config) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	return New(c, task.Types, task.Workers)
}

// Load implements taggers.Node. The types are the model's own.
func (c Config) Load(dir string, _ *data.TypeSet, workers int, _ ...taggers.Model) (data.Tagger, error) {
	return Open(dir, workers)
}
