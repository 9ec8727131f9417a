package system

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

// unseen returns Task.Unseen for a node, or nil if the node does not require it. The
// folds keep the documents of a patient together. If task.Dir is set, each child's
// training is in Dir/folds/FOLD, so that an interrupted run can be resumed.
func unseen(ctx context.Context, n taggers.Node, task taggers.Task, place string) ([][][]data.Span, error) {
	stacked, ok := n.(taggers.Stacked)
	if !ok || stacked.TrainingFolds() == 0 {
		return nil, nil
	}
	folds, err := data.Folds(task.Train, stacked.TrainingFolds(), true, task.Seed)
	if err != nil {
		return nil, fmt.Errorf("folds: %w", err)
	}
	children := stacked.Children()
	all := make([][][]data.Span, len(children))
	for c := range all {
		all[c] = make([][]data.Span, len(task.Train))
	}
	at := map[*data.Document]int{}
	for i, d := range task.Train {
		at[d] = i
	}
	for f, held := range folds {
		name := strconv.Itoa(f + 1)
		rest := without(task, held)
		rest.Seed = rand.New(rand.NewPCG(task.Seed, hash("fold "+name))).Uint64()
		if task.Dir != "" {
			rest.Dir = filepath.Join(task.Dir, foldsFolder, name)
		}
		for c, child := range children {
			found, err := fitAndTag(ctx, child, rest, path.Join(place, foldsFolder, name, child.Name), held)
			if err != nil {
				return nil, fmt.Errorf("fold %s: %s: %w", name, child.Name, err)
			}
			for i, d := range held {
				all[c][at[d]] = found[i]
			}
		}
	}
	return all, nil
}

func fitAndTag(ctx context.Context, c taggers.Child, task taggers.Task, place string, held []*data.Document) ([][]data.Span, error) {
	m, err := fitBelow(ctx, c, task, place)
	if err != nil {
		return nil, err
	}
	found, err := m.Tag(ctx, held)
	if err == nil && len(found) != len(held) {
		err = fmt.Errorf("results for %d of %d notes", len(found), len(held))
	}
	return found, err
}

// without leaves documents and their copies out of a training. Copies have the patient
// and the ID of their documents.
func without(task taggers.Task, held []*data.Document) taggers.Task {
	groups := map[string]bool{}
	for _, d := range held {
		groups[d.Group()] = true
	}
	in := func(d *data.Document) bool { return groups[d.Group()] }
	task.Train = slices.DeleteFunc(slices.Clone(task.Train), in)
	if copies := task.Copies; copies != nil {
		task.Copies = func(epoch int) ([]*data.Document, error) {
			all, err := copies(epoch)
			return slices.DeleteFunc(slices.Clone(all), in), err
		}
	}
	return task
}
