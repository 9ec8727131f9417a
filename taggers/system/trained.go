package system

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

func init() { taggers.Register("trained", func() taggers.Node { return &Trained{} }) }

// Trained is an existing model, which is not trained further. The new model contains a
// copy of it.
type Trained struct {
	Model string `yaml:"model"` // run folder, or model folder such as RUN/model/best; required
	// Types maps types of a model with another type set to types of the corpus. Spans
	// of types that it does not list are left out. Default none: the model must have
	// the corpus's type set.
	Types map[string]string `yaml:"types,omitempty"`
	// MinPatients refuses a model that has words of the notes of fewer patients. A model that comes with the program may have them. Default 0: any model.
	MinPatients int `yaml:"min_patients,omitempty"`
}

// SetMinPatients implements taggers.Cleaner.
func (c *Trained) SetMinPatients(n int) (before int) {
	before, c.MinPatients = c.MinPatients, n
	return before
}

// checkClean returns an error if the model has words of the notes of fewer patients than MinPatients.
func (c Trained) checkClean(dir string, m taggers.Model) error {
	if c.MinPatients == 0 || bounded.IsBuiltin(dir) {
		return nil
	}
	for _, leaf := range Leaves(m) {
		of := taggers.Contents{Kind: "tagger"}
		if t, ok := leaf.(taggers.Inventory); ok {
			of = t.Contents()
		}
		if !of.Unlearned && of.MinPatients < c.MinPatients {
			return fmt.Errorf("model: %s has words of the notes of fewer than %d patients, in its %s: a clean training can only contain models that were trained clean", dir, c.MinPatients, of.Kind)
		}
	}
	return nil
}

// Validate implements taggers.Node.
func (c Trained) Validate() error {
	switch {
	case c.Model == "":
		return errors.New("model: is required")
	case c.MinPatients < 0:
		return fmt.Errorf("min_patients: %d is negative", c.MinPatients)
	}
	return nil
}

// Describe implements taggers.Node.
func (c Trained) Describe() string {
	parts := []string{c.Model}
	for _, own := range slices.Sorted(maps.Keys(c.Types)) {
		parts = append(parts, own+" as "+c.Types[own])
	}
	return strings.Join(parts, ", ")
}

// TypeNames implements taggers.Typed.
func (c Trained) TypeNames() []taggers.Types {
	return []taggers.Types{{Key: "types", Names: slices.Sorted(maps.Values(c.Types))}}
}

// Paths implements taggers.Files.
func (c *Trained) Paths() []taggers.Path {
	if c.Model == "" {
		return nil
	}
	return []taggers.Path{{Key: "model", Value: &c.Model}}
}

// Fixed implements taggers.Fixed.
func (Trained) Fixed() {}

// Check implements taggers.Checker.
func (c Trained) Check(types *data.TypeSet, workers int) error {
	_, err := c.open(types, workers)
	return err
}

// modelOf returns the model folder of a run folder, or the folder itself. Package models, which knows
// run folders, is above this one.
func modelOf(dir string) string {
	best := checkpoints.Locate(filepath.Join(dir, "model", bestFolder))
	if info, err := os.Stat(best); err == nil && info.IsDir() {
		return best
	}
	return dir
}

// trainedFolder contains the copy, which includes its own digests.
const trainedFolder = "trained"

// Subfolder implements taggers.Subfolder.
func (Trained) Subfolder() string { return trainedFolder }

// Fit implements taggers.Node. It returns the existing model's tagger.
func (c Trained) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	return c.open(task.Types, task.Workers)
}

// open reads the existing model.
func (c Trained) open(types *data.TypeSet, workers int) (data.Tagger, error) {
	dir := modelOf(c.Model)
	t, err := c.Load(dir, types, workers)
	if err != nil {
		return nil, err
	}
	return t, c.checkClean(dir, untranslated(t).(taggers.Model)) // all that Load returns
}

// Load implements taggers.Node.
func (c Trained) Load(dir string, types *data.TypeSet, workers int, _ ...taggers.Model) (data.Tagger, error) {
	if len(c.Types) == 0 {
		return loadFor(types, dir, workers)
	}
	m, own, err := Load(dir, workers)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Types)) {
		if !own.Has(name) {
			return nil, fmt.Errorf("types: %s is not a type of %s, the type set of %s", name, own.Name, dir)
		}
	}
	return translated{m, c.Types}, nil
}

// translated is a model whose types are mapped to others.
type translated struct {
	taggers.Model
	types map[string]string
}

var _ data.Prober = translated{}

// Tag implements data.Tagger.
func (t translated) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := t.Model.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	return t.translate(found), nil
}

// Probe implements data.Prober.
func (t translated) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	found, doubts, err = reader.Probe(ctx, t.Model, docs, from)
	return t.translate(found), t.translate(doubts), err
}

// Estimate implements data.Estimator.
func (t translated) Estimate(ctx context.Context, docs []*data.Document) ([][]data.Estimate, error) {
	all, err := reader.Estimate(ctx, t.Model, docs)
	for _, estimates := range all {
		for i, e := range estimates {
			estimates[i].Chances = nil
			for _, c := range e.Chances {
				if typ, ok := t.types[c.Type]; ok {
					c.Type = typ
					estimates[i].Chances = append(estimates[i].Chances, c)
				}
			}
		}
	}
	return all, err
}

// untranslated returns the model below a map of types, and any other tagger itself.
func untranslated(t data.Tagger) data.Tagger {
	if mapped, ok := t.(translated); ok {
		return mapped.Model
	}
	return t
}

func (t translated) translate(all [][]data.Span) [][]data.Span {
	out := make([][]data.Span, len(all))
	for i, spans := range all {
		for _, s := range spans {
			if typ, ok := t.types[s.Type]; ok {
				s.Type = typ
				out[i] = append(out[i], s)
			}
		}
	}
	return out
}

// loadFor reads a model whose type set must be that of the task.
func loadFor(types *data.TypeSet, dir string, workers int) (taggers.Model, error) {
	m, own, err := Load(dir, workers)
	if err != nil {
		return nil, err
	}
	if differs := own.Difference(types); differs != "" {
		return nil, fmt.Errorf("%s: the model has another type set: %s", dir, differs)
	}
	return m, nil
}
