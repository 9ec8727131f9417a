package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/card"
)

// Files of a training in the folder of a task, or in that of a member while others are
// trained.
const (
	bestFolder  = "best"
	epochsFile  = "epochs.json" // next to best, for a leaf that is not standalone
	foldsFolder = "folds"       // trainings of the children of a stacked node, by fold; each folder has membersFolder
)

// Fit trains a system. Each learning node is trained separately, on all of task.Train.
// The model is saved in task.Dir as best. If task.Resume is set, nodes that an
// interrupted run has saved in task.Dir are not trained again.
func Fit(ctx context.Context, s taggers.System, task taggers.Task) (data.Tagger, error) {
	if err := s.Validate(task.Types); err != nil {
		return nil, err
	}
	_, root := s.Root()
	if own, ok := root.(taggers.Standalone); ok {
		return own.Fit(ctx, task)
	}
	best := filepath.Join(task.Dir, bestFolder)
	if task.Resume && task.Dir != "" && IsModel(best) {
		m, _, err := Load(best, task.Workers)
		return m, err
	}
	if len(taggers.Children(root)) > 0 {
		if err := s.Check(task.Types, task.Workers); err != nil {
			return nil, err
		}
	}
	n, err := fit(ctx, s, task, "")
	if err != nil {
		return nil, err
	}
	if n.readme, err = readme(ctx, n, task); err != nil {
		return nil, err
	}
	if task.Dir == "" {
		return n, nil
	}
	if err := checkpoints.Replace(best, n.Save); err != nil {
		return nil, err
	}
	for _, done := range []string{membersFolder, foldsFolder} { // best contains copies of the members
		if err := os.RemoveAll(filepath.Join(task.Dir, done)); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// fit trains a node that is not standalone. place is its position in the tree.
func fit(ctx context.Context, s taggers.System, task taggers.Task, place string) (*node, error) {
	n := &node{types: task.Types, system: s}
	_, root := s.Root()
	unseen, err := unseen(ctx, root, task, place) // first, because it fails at once if there are too few notes for the folds
	if err != nil {
		return nil, err
	}
	below, err := fitAllBelow(ctx, taggers.Children(root), task, place)
	if err != nil {
		return nil, err
	}
	return n, n.join(func(c taggers.Child) (taggers.Model, error) {
		return below[c.Name], nil
	}, func(own taggers.Node, below []taggers.Model) (data.Tagger, error) {
		task.Unseen, task.Report = unseen, named(task.Report, place)
		return own.Fit(ctx, task, below...)
	})
}

// fitAllBelow trains the nodes below another, and returns them by name. Those that learn are
// trained side by side, each with its part of the workers, because a network gains less from
// a second core than from having one for itself.
func fitAllBelow(ctx context.Context, children []taggers.Child, task taggers.Task, place string) (map[string]taggers.Model, error) {
	learners := 0
	for _, c := range children {
		if learns(c.System) {
			learners++
		}
	}
	if len(children) > 1 {
		task.Report = serial(task.Report)
	}
	part := max(1, task.Workers/max(1, learners))
	places := make(chan struct{}, max(1, task.Workers/part)) // of trainings at the same time
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	models := make([]taggers.Model, len(children))
	errs := make([]error, len(children))
	var running sync.WaitGroup
	for i, c := range children {
		places <- struct{}{} // here rather than in the goroutine, so that the children start in their order
		if errs[i] = ctx.Err(); errs[i] != nil {
			break
		}
		running.Go(func() {
			defer func() { <-places }()
			own := task
			own.Workers = part
			if models[i], errs[i] = fitBelow(ctx, c, own, path.Join(place, c.Name)); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	all := map[string]taggers.Model{}
	var first error // in the order of the children; errors that are due to cancel come last
	for i, c := range children {
		all[c.Name] = models[i]
		if err := errs[i]; err != nil && (first == nil || errors.Is(first, context.Canceled) && !errors.Is(err, context.Canceled)) {
			first = fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return all, first
}

// learns reports whether the training of a system takes time: whether a leaf is not [taggers.Fixed].
func learns(s taggers.System) bool {
	_, root := s.Root()
	children := taggers.Children(root)
	if len(children) == 0 {
		_, fixed := root.(taggers.Fixed)
		return !fixed
	}
	return slices.ContainsFunc(children, func(c taggers.Child) bool { return learns(c.System) })
}

// serial makes a Report that several trainings may use at the same time.
func serial(r taggers.Report) taggers.Report {
	var mu sync.Mutex
	if step := r.Step; step != nil {
		r.Step = func(epoch, done, total int) {
			mu.Lock()
			defer mu.Unlock()
			step(epoch, done, total)
		}
	}
	if epoch := r.Epoch; epoch != nil {
		r.Epoch = func(e taggers.Epoch) {
			mu.Lock()
			defer mu.Unlock()
			epoch(e)
		}
	}
	return r
}

// fitBelow trains a node below another, or loads it if an earlier run has saved it. Its
// seed follows from the experiment's and its name, so that two nodes with the same
// settings differ.
func fitBelow(ctx context.Context, c taggers.Child, task taggers.Task, place string) (taggers.Model, error) {
	task.Seed = rand.New(rand.NewPCG(task.Seed, hash(c.Name))).Uint64()
	if task.Dir != "" {
		task.Dir = filepath.Join(task.Dir, membersFolder, c.Name)
	}
	_, root := c.System.Root()
	if own, ok := root.(taggers.Standalone); ok {
		task.Report = named(task.Report, place)
		t, err := own.Fit(ctx, task)
		if err != nil {
			return nil, err
		}
		return t.(taggers.Model), nil // as Standalone promises
	}
	if task.Dir != "" && len(taggers.Children(root)) == 0 {
		return fitLeaf(ctx, c.System, task, place)
	}
	return fit(ctx, c.System, task, place)
}

// fitLeaf trains a leaf that learns, and saves it with its epochs in the task's folder.
// If both are already there, it loads them.
func fitLeaf(ctx context.Context, s taggers.System, task taggers.Task, place string) (taggers.Model, error) {
	best, epochs := filepath.Join(task.Dir, bestFolder), filepath.Join(task.Dir, epochsFile)
	if task.Resume && IsModel(best) {
		if err := retell(epochs, task.Report); err != nil {
			return nil, err
		}
		return loadFor(task.Types, best, task.Workers)
	}
	var told []taggers.Epoch
	tell := task.Report.Epoch
	task.Report.Epoch = func(e taggers.Epoch) {
		told = append(told, e)
		if tell != nil {
			tell(e)
		}
	}
	n, err := fit(ctx, s, task, place)
	if err != nil || told == nil {
		return n, err
	}
	raw, err := json.Marshal(told)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(task.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := wholefile.WriteFile(epochs, raw, 0o666); err != nil {
		return nil, err
	}
	return n, checkpoints.Replace(best, n.Save)
}

// retell reports the epochs of an earlier run.
func retell(path string, to taggers.Report) error {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return err
	}
	var epochs []taggers.Epoch
	if err := json.Unmarshal(raw, &epochs); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, e := range epochs {
		e.Resumed = true
		if to.Epoch != nil {
			to.Epoch(e)
		}
	}
	return nil
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// named reports the progress of a member under its name.
func named(r taggers.Report, name string) taggers.Report {
	if tell := r.Epoch; tell != nil && name != "" {
		r.Epoch = func(e taggers.Epoch) {
			e.Member = path.Join(name, e.Member)
			tell(e)
		}
	}
	return r
}

// leastPatients returns the number of patients in whose notes each word of a model's parts occurs at least; 0: there is none.
func leastPatients(m data.Tagger) int {
	least := 0
	for _, leaf := range Leaves(m) {
		t, ok := leaf.(taggers.Inventory)
		if !ok {
			return 0
		}
		c := t.Contents()
		switch {
		case c.Unlearned:
		case c.MinPatients == 0:
			return 0
		case least == 0 || c.MinPatients < least:
			least = c.MinPatients
		}
	}
	return least
}

// readme returns the model card.
func readme(ctx context.Context, n *node, task taggers.Task) ([]byte, error) {
	note := "Its parts, each in a folder of its own or in this one, contain words of the training notes as their configurations say: " +
		"`min_documents` keeps out those of few notes."
	if least := leastPatients(n); least > 0 {
		note = fmt.Sprintf("Its parts, each in a folder of its own or in this one, contain words of the training notes only if they occur in the notes of at least %d patients.", least)
	}
	c := checkpoints.Card{
		Name: task.Name, Dataset: task.Name, Documents: len(task.Train), Split: "dev", Measure: "strict type and span, micro-averaged",
		VocabularyNote: note,
		Limits:         "The system:\n\n```\n" + n.system.Tree() + "```\n",
	}
	if len(task.Dev) == 0 {
		return c.Markdown()
	}
	system, err := n.Tag(ctx, task.Dev)
	if err != nil {
		return nil, err
	}
	gold := make([][]data.Span, len(task.Dev))
	for i, d := range task.Dev {
		gold[i] = d.Spans
	}
	return card.Score(c, gold, system).Markdown()
}
