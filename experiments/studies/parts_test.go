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
