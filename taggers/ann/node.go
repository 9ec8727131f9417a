package ann

import (
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

const kind = "ann"

func init() { taggers.Register(kind, func() taggers.Node { return new(DefaultConfig()) }) }

var (
	_ taggers.Standalone = (*Config)(nil)
	_ taggers.Tuned      = (*Config)(nil)
	_ taggers.Effective  = (*Config)(nil)
)

// Of returns the settings of a system whose root is a network, or nil for other
// systems.
func Of(s taggers.System) *Config {
	c, _ := s[kind].(*Config)
	return c
}

// Describe implements taggers.Node.
func (c Config) Describe() string {
	var parts []string
	for _, p := range []struct {
		has  bool
		name string
	}{{c.Network.ReadsCharacters(), "characters"}, {c.Network.TokenEmbedding > 0, "tokens"},
		{c.Vectors.File != "", "pretrained vectors"}, {c.Start != "", "a network to start from"},
		{!c.Features.IsZero(), "features (" + strings.Join(c.Features.names(), ", ") + ")"}, {c.Network.CRF, "CRF"}} {
		if p.has {
			parts = append(parts, p.name)
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("up to %d epochs", c.Training.Epochs)), ", ")
}

// Labelling implements taggers.Labeller.
func (c Config) Labelling() check.Labelling {
	return check.Labelling{Tokenizer: c.Tokenizer, Sentences: c.Sentences, MaxTokens: c.MaxTokens, Scheme: c.Scheme}
}

// Paths implements taggers.Files.
func (c *Config) Paths() []taggers.Path {
	var all []taggers.Path
	if c.Vectors.File != "" {
		all = append(all, taggers.Path{Key: "vectors.file", Value: &c.Vectors.File})
	}
	if c.Start != "" {
		all = append(all, taggers.Path{Key: "start", Value: &c.Start})
	}
	for _, p := range c.Features.Resources.Paths() {
		all = append(all, taggers.Path{Key: "features.resources." + p.Key, Value: p.Value})
	}
	return all
}

// Columns implements taggers.Columned.
func (c Config) Columns() []string { return feature.Columns(c.Features.Families) }

// NeedsDev implements taggers.Tuned. Only Training.Patience and a schedule by plateaus
// require scores on dev: a network that is trained for a fixed number of epochs keeps the
// last one if there is no dev.
func (c Config) NeedsDev() bool {
	return c.Training.Patience > 0 || c.Optimizer.Schedule.Method == plateau
}

// Check implements taggers.Checker.
func (c Config) Check(types *data.TypeSet, workers int) error {
	if _, err := c.Training.metric(types); err != nil {
		return err
	}
	if _, err := feature.Open(c.Features.Resources, workers); err != nil {
		return fmt.Errorf("features.%w", err)
	}
	if err := c.checkStart(); err != nil {
		return err
	}
	if c.Vectors.File == "" {
		return nil
	}
	_, err := embeddings.Load(c.Vectors.File, embeddings.Options{Dim: c.Network.TokenEmbedding})
	return err
}

// Load implements taggers.Node. The types are the model's own.
func (c Config) Load(dir string, _ *data.TypeSet, workers int, _ ...taggers.Model) (data.Tagger, error) {
	return Load(dir, workers)
}

// IsModel implements taggers.Standalone.
func (Config) IsModel(dir string) bool {
	return checkpoints.IsModel(dir)
}

// Open implements taggers.Standalone.
func (Config) Open(dir string, workers int) (taggers.Model, *data.TypeSet, error) {
	t, err := Load(dir, workers)
	if err != nil {
		return nil, nil, err
	}
	return t, t.Types(), nil
}
