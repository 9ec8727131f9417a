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
		if c.By == ByToken {
			parts = append(parts, "by token")
		}
	}
	if c.Method == Learned {
		parts = append(parts, fmt.Sprintf("%d folds", c.Folds))
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
		if len(m.Types) > 0 {
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

// TrainingFolds implements taggers.Stacked.
func (c Config) TrainingFolds() int {
	if c.Method == Learned {
		return c.Folds
	}
	return 0
}

// Fit implements taggers.Node. Only method learned learns something itself.
func (c Config) Fit(ctx context.Context, task taggers.Task, members ...taggers.Model) (data.Tagger, error) {
	t := c.join(members)
	if c.Method != Learned {
		return t, nil
	}
	var err error
	t.judge, err = c.fitJudge(ctx, task)
	return t, err
}

// Load implements taggers.Node. Only method learned has files of its own.
func (c Config) Load(dir string, types *data.TypeSet, _ int, members ...taggers.Model) (data.Tagger, error) {
	t := c.join(members)
	if c.Method != Learned {
		return t, nil
	}
	var err error
	t.judge, err = loadJudge(dir, c.Members, types)
	return t, err
}

// Save implements taggers.Model.
func (t *Tagger) Save(dir string) error {
	if t.judge == nil {
		return nil
	}
	return t.judge.save(dir)
}

func (c Config) join(members []taggers.Model) *Tagger {
	var all []data.Tagger
	for _, m := range members {
		all = append(all, m)
	}
	return New(c, all)
}
