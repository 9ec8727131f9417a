package system

import (
	"context"
	"errors"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

func init() { taggers.Register("trained", func() taggers.Node { return &Trained{} }) }

// Trained is an existing model, which is not trained further. The new model contains a
// copy of it.
type Trained struct {
	Model string `yaml:"model"` // model folder, such as RUN/model/best; required
}

// Validate implements taggers.Node.
func (c Trained) Validate() error {
	if c.Model == "" {
		return errors.New("model: is required")
	}
	return nil
}

// Describe implements taggers.Node.
func (c Trained) Describe() string { return c.Model }

// Paths implements taggers.Files.
func (c *Trained) Paths() []taggers.Path {
	if c.Model == "" {
		return nil
	}
	return []taggers.Path{{Key: "model", Value: &c.Model}}
}

// Check implements taggers.Checker.
func (c Trained) Check(types *data.TypeSet, workers int) error {
	_, err := c.Load(c.Model, types, workers)
	return err
}

// trainedFolder contains the copy, which includes its own digests.
const trainedFolder = "trained"

// Subfolder implements taggers.Subfolder.
func (Trained) Subfolder() string { return trainedFolder }

// Fit implements taggers.Node. It returns the existing model's tagger.
func (c Trained) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	return c.Load(c.Model, task.Types, task.Workers)
}

// Load implements taggers.Node.
func (c Trained) Load(dir string, types *data.TypeSet, workers int, _ ...taggers.Model) (data.Tagger, error) {
	return loadFor(types, dir, workers)
}

// loadFor reads a model whose type set must be that of the task.
func loadFor(types *data.TypeSet, dir string, workers int) (taggers.Model, error) {
	m, own, err := Load(dir, workers)
	if err != nil {
		return nil, err
	}
	if own.Name != types.Name {
		return nil, fmt.Errorf("%s: the model has the type set %s, not %s", dir, own.Name, types.Name)
	}
	return m, nil
}
