package ensemble

import (
	"context"
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

func init() { taggers.Register("ensemble", func() taggers.Node { return new(DefaultConfig()) }) }

// Describe implements taggers.Node.
func (c Config) Describe() string {
	parts := []string{string(c.Method)}
	if c.Method == Vote {
		parts = append(parts, fmt.Sprintf("%d votes", c.Votes))
	}
	if len(c.Priority) > 0 {
		parts = append(parts, strings.Join(c.Priority, " > "))
	}
	return strings.Join(parts, ", ")
}

// Children implements taggers.Parent.
func (c Config) Children() []taggers.Child {
	var all []taggers.Child
	for i, m := range c.Members {
		label := m.Name
		if m.Types != nil {
			label += " (" + strings.Join(m.Types, ", ") + ")"
		}
		if m.MinScore > 0 {
			label += fmt.Sprintf(" (score from %v)", m.MinScore)
		}
		all = append(all, taggers.Child{Name: m.Name, Key: fmt.Sprintf("members[%d].system", i), Label: label, System: m.System})
	}
	return all
}

// TypeNames implements taggers.Typed.
func (c Config) TypeNames() []taggers.Types {
	all := []taggers.Types{{Key: "priority", Names: c.Priority}}
	for i, m := range c.Members {
		all = append(all, taggers.Types{Key: fmt.Sprintf("members[%d].types", i), Names: m.Types})
	}
	return all
}

// Fit implements taggers.Node: an ensemble learns nothing itself.
func (c Config) Fit(_ context.Context, _ taggers.Task, members ...taggers.Model) (data.Tagger, error) {
	return c.join(members), nil
}

// Load implements taggers.Node. An ensemble has no files of its own.
func (c Config) Load(_ string, _ *data.TypeSet, _ int, members ...taggers.Model) (data.Tagger, error) {
	return c.join(members), nil
}

func (c Config) join(members []taggers.Model) *Tagger {
	var all []data.Tagger
	for _, m := range members {
		all = append(all, m)
	}
	return New(c, all)
}
