package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

// Predictions are read with their scores, although brat does not support scores.
func TestFound(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	corpus(t, notes, 3)
	r := &Run{Dir: filepath.Join(dir, "run"), Config: &Config{Corpus: Corpus{Format: "brat", Types: "i2b2-2014", Splits: map[string]string{"x": notes}}}}
	_, _, err := r.Found("x")
	if want := r.Dir + ": contains no predictions for split x: create them with lethe predict " + r.Dir + " --split x"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	for _, read := range []func() error{
		func() error { _, err := r.Gold("y", nil); return err },
		func() error { _, _, err := r.Found("y"); return err },
	} {
		if err := read(); err == nil || err.Error() != r.Dir+": the run's corpus has no split y (have x)" {
			t.Errorf("no split y: error %v", err)
		}
	}
	if _, err := r.Predict(t.Context(), &years{}, "x", PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	want := []data.Span{{Start: 3, End: 7, Type: "DATE", Score: 0.9}}
	docs, scored, err := r.Found("x")
	if err != nil || !scored || len(docs) != 3 || !cmp.Equal(docs[2].Spans, want) {
		t.Fatalf("found %d notes, scored %v, error %v", len(docs), scored, err)
	}
	gold, err := r.Gold("x", nil)
	if err != nil || len(gold) != 3 || gold[0].ID != docs[0].ID || gold[0].Text != docs[0].Text {
		t.Errorf("gold: %d notes, error %v", len(gold), err)
	}

	path := filepath.Join(r.Dir, "predictions", "x.scores.jsonl")
	for content, reason := range map[string]string{
		"{}\n{":                                 ":2: not a line of scores",
		`{"id":"note-00","scores":[0.9,0.1]}`:   "contains 2 scores for document note-00, which has 1 spans",
		`{"id":"note-00","scores":[1.5]}`:       ":1: score 1.5 is not in [0, 1]",
		`{"id":"note-00","scores":["Ms Lund"]}`: ":1: not a line of scores",
	} {
		write(t, path, content)
		if _, _, err := r.Found("x"); err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), path) {
			t.Errorf("scores %s: error %v, want %s", content, err, reason)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if docs, scored, err := r.Found("x"); err != nil || scored || docs[0].Spans[0].Score != 1 {
		t.Errorf("without scores: scored %v, error %v", scored, err)
	}
}
