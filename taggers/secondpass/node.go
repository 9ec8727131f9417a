package secondpass

import (
	"context"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

func init() { taggers.Register("second_pass", func() taggers.Node { return new(DefaultConfig()) }) }

// Describe implements taggers.Node.
func (c Config) Describe() string {
	if c.Standardize {
		return "by " + c.By + ", standardized"
	}
	return "by " + c.By
}

// Children implements taggers.Parent.
func (c Config) Children() []taggers.Child {
	return []taggers.Child{{Name: "first", Key: "system", System: c.System}}
}

// TypeNames implements taggers.Typed.
func (c Config) TypeNames() []taggers.Types {
	return []taggers.Types{{Key: "types", Names: c.Types}, {Key: "parts", Names: c.Parts}}
}

// Fit implements taggers.Node: a second pass learns nothing itself.
func (c Config) Fit(_ context.Context, _ taggers.Task, below ...taggers.Model) (data.Tagger, error) {
	return New(c, below[0]), nil
}

// Load implements taggers.Node. A second pass has no files of its own.
func (c Config) Load(_ string, _ *data.TypeSet, _ int, below ...taggers.Model) (data.Tagger, error) {
	return New(c, below[0]), nil
}
