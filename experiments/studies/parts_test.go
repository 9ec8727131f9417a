package studies

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
)

// The scores of runs with fold or hold_out were compared on other parts than those that were predicted, which contained training notes.
func TestRunsWereScoredOnOtherParts(t *testing.T) {
	notes := t.TempDir()
	c := counting(t, notes, "corpus.splits.test=null", "corpus.splits.dev=null", "corpus.fold={number: 1, of: 3}")
	dir := t.TempDir()
	run := trainedOn(t, c, filepath.Join(dir, "run"))
	model, err := models.Open(run.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Predict(t.Context(), model, "test", experiments.PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, study := range map[string]func() error{
		"compare": func() error {
			_, err := Compare(t.Context(), NewSystems(nil, nil, []*experiments.Run{run}), Options{Split: "test", Workers: 1, Shuffles: 20})
			return err
		},
		"cross": func() error {
			_, err := Cross(t.Context(), NewSystems(nil, nil, []*experiments.Run{run}), CrossOptions{Workers: 1})
			return err
		},
	} {
		lines := counted(0, 24)
		path := store(t, filepath.Join(notes, "train.jsonl"), lines)
		if err := study(); err != nil {
			t.Errorf("%s of the same parts: %v", name, err)
		}
		slices.Reverse(lines)
		store(t, path, lines)
		if err := study(); err == nil || !strings.Contains(err.Error(), "have changed since the training") {
			t.Errorf("%s of other parts: error %v", name, err)
		}
	}
}

// Models were tested on notes that they were trained on, without a word.
func TestModelsWereTestedOnTheirTrainingNotes(t *testing.T) {
	notes := t.TempDir()
	c := counting(t, notes)
	run := trainedOn(t, c, filepath.Join(t.TempDir(), "run"))
	known := counting(t, notes, "name=known", "corpus.splits.test="+store(t, filepath.Join(notes, "known.jsonl"), counted(20, 30)))
	cross := func() *Crossing {
		t.Helper()
		crossing, err := Cross(t.Context(), NewSystems([]string{"known.yaml"}, []*experiments.Config{known}, []*experiments.Run{run}), CrossOptions{Metrics: []string{"strict"}, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		return crossing
	}
	crossing := cross()
	if own, other := crossing.Cells[0].Known, crossing.Cells[1].Known; len(own) != 0 || len(other) != 1 || other[0].Notes != 4 || len(crossing.Unknown) != 0 {
		t.Errorf("known notes: %v and %v; %q", own, other, crossing.Unknown)
	}
	var text strings.Builder
	if err := writeText(&text, crossing); err != nil {
		t.Fatal(err)
	}
	if want := "* counting on known: the scores are too high, because 4 of the 10 documents are among those that " + run.Dir + " was trained on."; strings.Count(text.String(), " *\n") != 1 || !strings.Contains(text.String(), want) {
		t.Errorf("the table does not say which documents the model knew:\n%s", text.String())
	}
	store(t, filepath.Join(notes, "train.jsonl"), counted(0, 20))
	if unknown := cross().Unknown; len(unknown) != 1 || !strings.Contains(unknown[0], "they have changed since the training") {
		t.Errorf("changed training notes: %q", unknown)
	}
}

// Notes that were added to a split after its predictions counted as missed without a word.
func TestNotesWithoutPredictionsCountedAsMissed(t *testing.T) {
	notes := t.TempDir()
	run := trainedOn(t, counting(t, notes), filepath.Join(t.TempDir(), "run"))
	store(t, filepath.Join(notes, "dev.jsonl"), counted(30, 38))
	var warnings []string
	opt := Options{Workers: 1, Shuffles: 20, Warn: func(err error) { warnings = append(warnings, err.Error()) }}
	if _, err := Compare(t.Context(), NewSystems(nil, nil, []*experiments.Run{run}), opt); err != nil {
		t.Fatal(err)
	}
	if want := run.Dir + ": missing in the system's output, all their spans counted as missed: 2 of 8 documents (n36, n37)"; !slices.Equal(warnings, []string{want}) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
}
