package system

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/taggers"
)

// memory is a leaf that finds a span in the notes that it was trained on, and another
// one in the rest.
type memory struct {
	settings
	fits *[]taggers.Task // all its trainings
}

// settings implements what nodes of this test do not use.
type settings struct{}

func (settings) Validate() error  { return nil }
func (settings) Describe() string { return "" }
func (settings) Load(string, *data.TypeSet, int, ...taggers.Model) (data.Tagger, error) {
	return nil, errors.New("not supported")
}

func (m memory) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	*m.fits = append(*m.fits, task)
	known := map[string]bool{}
	copies, err := task.CopiesOf(1)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(task.Train, copies) {
		known[d.Patient] = true
	}
	return remembers(known), nil
}

type remembers map[string]bool

func (r remembers) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		found[i] = []data.Span{{Start: 0, End: len(d.ID), Type: map[bool]string{true: "KNOWN", false: "NEW"}[r[d.Patient]]}}
	}
	return found, nil
}

// stack is a node that learns from what its children find.
type stack struct {
	settings
	folds    int
	children []taggers.Child
	task     *taggers.Task // with which it was trained
}

func (s stack) Children() []taggers.Child { return s.children }
func (s stack) TrainingFolds() int        { return s.folds }

func (s stack) Fit(_ context.Context, task taggers.Task, below ...taggers.Model) (data.Tagger, error) {
	*s.task = task
	return below[0], nil
}

// For each fold, the children of a stacked node are trained without the patients of the
// fold and their copies, with a seed of its own. The spans are in the order of the
// training notes. The children of the model are trained on everything.
func TestUnseen(t *testing.T) {
	job := taggers.Task{Name: "x", Types: typeSet(t), Seed: 3}
	var copies []*data.Document
	for i := range 11 {
		d := &data.Document{ID: strings.Repeat("x", i+1), Patient: fmt.Sprint(i / 2), Text: strings.Repeat("x", i+1)}
		job.Train = append(job.Train, d)
		copies = append(copies, &data.Document{ID: d.ID, Patient: d.Patient, Text: "copy"})
	}
	job.Copies = func(int) ([]*data.Document, error) { return copies, nil }
	var fits []taggers.Task
	var stacked taggers.Task
	leaf := taggers.System{"memory": memory{fits: &fits}}
	s := stack{folds: 3, children: []taggers.Child{{Name: "a", System: leaf}, {Name: "b", System: leaf}}, task: &stacked}
	if _, err := Fit(t.Context(), taggers.System{"stack": s}, job); err != nil {
		t.Fatal(err)
	}
	if len(fits) != 2+3*2 || len(fits[6].Train) != 11 || len(fits[7].Train) != 11 {
		t.Fatalf("%d trainings", len(fits))
	}
	seeds := map[uint64]bool{}
	for _, f := range fits {
		seeds[f.Seed] = true
		if f.Unseen != nil {
			t.Error("a child has spans of its siblings")
		}
	}
	if len(seeds) != len(fits) {
		t.Errorf("%d seeds", len(seeds))
	}
	for _, f := range fits[:6] {
		left := map[string]int{}
		for _, d := range f.Train {
			left[d.Patient]++
		}
		theirs, err := f.CopiesOf(2)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range theirs {
			left[d.Patient]--
		}
		if len(left) == 0 || len(left) > 5 || len(f.Train) < 6 || len(f.Train) > 8 {
			t.Errorf("trained on %d notes of %d patients", len(f.Train), len(left))
		}
		for patient, n := range left {
			if n != 0 {
				t.Errorf("patient %s: %d notes more than copies", patient, n)
			}
		}
	}
	for c := range 2 {
		for i, d := range job.Train {
			if want := []data.Span{{Start: 0, End: len(d.ID), Type: "NEW"}}; !slices.Equal(stacked.Unseen[c][i], want) {
				t.Errorf("child %d, note %d: %v", c, i, stacked.Unseen[c][i])
			}
		}
	}

	s.folds = 0
	if _, err := Fit(t.Context(), taggers.System{"stack": s}, job); err != nil || stacked.Unseen != nil || len(fits) != 8+2 {
		t.Errorf("without folds: %d trainings, error %v", len(fits), err)
	}
	s.folds = 7
	if _, err := Fit(t.Context(), taggers.System{"stack": s}, job); err == nil || err.Error() != "folds: 7 folds require as many patients, but there are only 6" {
		t.Errorf("error %v", err)
	}
}

const learned = `{ensemble: {method: learned, folds: 2, members: [{name: a, system: ` + features + `}, {name: b, system: ` + network + `},
  {name: rules, system: {rules: {set: english}}}]}}`

// byMember compares the members of two steps.
func byMember(a, b string) int {
	a, _, _ = strings.Cut(a, " ")
	b, _, _ = strings.Cut(b, " ")
	return strings.Compare(a, b)
}

// A learned ensemble trains its members on all notes and on each fold, is saved with its
// machine, and after an interruption continues with the fold in progress.
func TestLearnedEnsemble(t *testing.T) {
	run := func(ctx context.Context, dir string, resume bool, stop func(e taggers.Epoch) bool) (steps []string, tagger data.Tagger, err error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		job := task(t, dir)
		job.Resume = resume
		job.Report.Epoch = func(e taggers.Epoch) {
			if !e.Resumed {
				steps = append(steps, fmt.Sprint(e.Member, " ", e.Epoch))
			}
			if stop(e) {
				cancel()
			}
		}
		tagger, err = Fit(ctx, decode(t, learned), job)
		return steps, tagger, err
	}
	never := func(taggers.Epoch) bool { return false }
	whole, uninterrupted, err := run(t.Context(), t.TempDir(), false, never)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole) != 3*(10+3) || whole[0] != "folds/1/a 1" || whole[13] != "folds/2/a 1" {
		t.Fatalf("%d steps: %q", len(whole), whole)
	}

	dir := t.TempDir()
	if _, _, err := run(t.Context(), dir, false, func(e taggers.Epoch) bool { return e.Member == "folds/1/b" && e.Epoch == 2 }); !errors.Is(err, context.Canceled) {
		t.Fatalf("cut off: error %v", err)
	}
	if n, err := StateWorkers(dir); n != 2 || err != nil {
		t.Errorf("%d workers, error %v", n, err)
	}
	steps, tagger, err := run(t.Context(), dir, true, never)
	if err != nil {
		t.Fatal(err)
	}
	// The members of the model itself are trained side by side, so only the order within each is certain.
	slices.SortStableFunc(whole[26:], byMember)
	slices.SortStableFunc(steps[max(0, len(steps)-13):], byMember)
	if diff := cmp.Diff(whole[12:], steps); diff != "" {
		t.Errorf("steps of the resumed run: -want +got\n%s", diff)
	}
	docs := notes(t, 4, synth.Test)
	want := tag(t, uninterrupted, docs)
	if diff := cmp.Diff(want, tag(t, tagger, docs)); diff != "" {
		t.Errorf("resumed: -want +got\n%s", diff)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, want best alone; error %v", entries, err)
	}
	loaded, _, err := Load(filepath.Join(dir, "best"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tag(t, loaded, docs)); diff != "" {
		t.Errorf("loaded: -want +got\n%s", diff)
	}
	if spans := len(slices.Concat(want...)); spans == 0 {
		t.Error("it finds nothing")
	}

	svm := filepath.Join(dir, "best", "svm.json")
	if err := os.Remove(svm); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(filepath.Join(dir, "best"), 1); err == nil || !strings.Contains(err.Error(), svm) {
		t.Errorf("without the machine: error %v", err)
	}
}
