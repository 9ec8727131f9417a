package crf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/taggers"
	_ "github.com/lethe-deid/lethe/taggers/ann" // reads the network of resources.entities
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

func init() { taggers.Register("crf", func() taggers.Node { return new(DefaultConfig()) }) }

// Describe implements taggers.Node.
func (c Config) Describe() string {
	var parts []string
	if c.Preset != "" {
		parts = append(parts, "features of "+c.Preset)
	}
	if len(c.Without) > 0 {
		parts[0] += " without " + strings.Join(c.Without, ", ")
	}
	for _, s := range c.Features {
		parts = append(parts, s.String())
	}
	labels := string(c.Scheme) + " labels"
	if len(c.Types) > 0 {
		labels += " of " + strings.Join(c.Types, ", ")
	}
	if c.PerType {
		labels += ", one model per type"
		if len(c.Priority) > 0 {
			labels += " (" + strings.Join(c.Priority, " > ") + ")"
		}
	}
	return strings.Join(append(parts, labels, "by "+c.Training.Method), ", ")
}

// TypeNames implements taggers.Typed.
func (c Config) TypeNames() []taggers.Types {
	return []taggers.Types{{Key: "types", Names: c.Types}, {Key: "subsets", Names: slices.Sorted(maps.Keys(c.Subsets))}, {Key: "priority", Names: c.Priority}}
}

// Labelling implements taggers.Labeller.
func (c Config) Labelling() check.Labelling {
	return check.Labelling{Tokenizer: c.Tokenizer, Sentences: c.Sentences, MaxTokens: c.MaxTokens, Scheme: c.Scheme}
}

// Columns implements taggers.Columned.
func (c Config) Columns() []string { return feature.Columns(c.Features) }

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	all := c.Resources.Paths()
	for i := range all {
		all[i].Key = "resources." + all[i].Key
	}
	return all
}

// Check implements taggers.Checker.
func (c Config) Check(_ *data.TypeSet, workers int) error {
	_, err := feature.Open(c.Resources, workers)
	return err
}

// Load implements taggers.Node.
func (c Config) Load(dir string, types *data.TypeSet, workers int, _ ...taggers.Model) (data.Tagger, error) {
	t, err := Load(dir, workers)
	if err == nil && t.types != types.Name {
		err = fmt.Errorf("%s: the CRF has the type set %q, and the system %s", dir, t.types, types.Name)
	}
	return t, err
}
