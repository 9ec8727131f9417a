package trees

import (
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/taggers"
)

func init() { taggers.Register("trees", func() taggers.Node { return new(DefaultConfig()) }) }

// Of returns the settings of all systems of this kind in a tree.
func Of(s taggers.System) []*Config {
	_, root := s.Root()
	if c, ok := root.(*Config); ok {
		return []*Config{c}
	}
	var all []*Config
	for _, child := range taggers.Children(root) {
		all = append(all, Of(child.System)...)
	}
	return all
}

// Describe implements taggers.Node.
func (c Config) Describe() string {
	learner := fmt.Sprintf("%d boosted trees", c.Rounds)
	if c.Rounds == 1 {
		learner = "a tree"
	}
	return fmt.Sprintf("%s on %s attributes, triggers %s, iterations: %d", learner, c.Attributes, strings.Join(c.sets(), ", "), c.Iterations)
}

// Labelling implements taggers.Labeller.
func (c Config) Labelling() check.Labelling {
	return check.Labelling{Tokenizer: c.Tokenizer, Sentences: c.Sentences, MaxTokens: c.MaxTokens, Scheme: c.Scheme}
}

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	var all []taggers.Path
	for _, p := range c.Resources.Gazetteers.Paths() {
		all = append(all, taggers.Path{Key: "resources.gazetteers", Value: p})
	}
	for i := range c.Resources.Rules {
		if f := &c.Resources.Rules[i].File; *f != "" {
			all = append(all, taggers.Path{Key: fmt.Sprintf("resources.rules[%d].file", i), Value: f})
		}
	}
	for i := range c.Resources.Text {
		all = append(all, taggers.Path{Key: fmt.Sprintf("resources.text[%d]", i), Value: &c.Resources.Text[i]})
	}
	return all
}

// Check implements taggers.Checker.
func (c Config) Check(_ *data.TypeSet, workers int) error {
	_, err := openResources(c.Resources, workers)
	return err
}

// Load implements taggers.Node.
func (c Config) Load(dir string, types *data.TypeSet, workers int, _ ...taggers.Model) (data.Tagger, error) {
	return load(dir, c, types, workers)
}
