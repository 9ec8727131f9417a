package rules

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/evaluation"
)

// The Spanish set on MEDDOCAN, strict: type and both ends. docs/rules.md has the
// figures by type; the bounds here are slightly lower.
func TestSpanishOnMEDDOCAN(t *testing.T) {
	root := os.Getenv("LETHE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	types := data.MEDDOCAN
	for split, want := range map[string]struct{ precision, recall float64 }{
		"train": {0.98, 0.935}, "dev": {0.98, 0.925}, "dev_hard": {0.98, 0.91},
	} {
		path := filepath.Join(root, "corpora", "meddocan", split, "xml")
		if _, err := os.Stat(path); err != nil {
			t.Skipf("no %s (set LETHE_SHARED): %v", path, err)
		}
		got := score(t, "spanish", format.Read("meddocan", path, format.Options{Types: types}))
		if got.Precision() < want.precision || got.Recall() < want.recall {
			t.Errorf("%s: precision %.4f, recall %.4f, want at least %v", split, got.Precision(), got.Recall(), want)
		}
	}
}

// The English set on notes with names and places that no other split has.
func TestEnglishOnGeneratedNotes(t *testing.T) {
	got := score(t, "english", synth.Notes(40, 3, synth.Test))
	if got.Precision() < 0.98 || got.Recall() < 0.75 {
		t.Errorf("precision %.4f, recall %.4f", got.Precision(), got.Recall())
	}
}

func score(t *testing.T, set string, docs data.Documents) evaluation.Counts {
	t.Helper()
	rules, err := Builtin(set)
	if err != nil {
		t.Fatal(err)
	}
	var gold, system [][]data.Span
	for d, err := range docs {
		if err != nil {
			t.Fatal(err)
		}
		gold = append(gold, d.Spans)
		system = append(system, rules.Spans(d.Text))
	}
	return evaluation.Strict(gold, system)
}
