package experiments

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation/significance"
)

// silent finds nothing.
type silent struct{}

func (silent) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	return make([][]data.Span, len(docs)), nil
}

func TestSignificance(t *testing.T) {
	dir := t.TempDir()
	run := func(name, notes string) *Run {
		splits := paths(map[string]string{"x": filepath.Join(dir, notes)})
		return &Run{Dir: filepath.Join(dir, name), Config: &Config{Corpus: Corpus{Format: "brat", Types: data.TypeSetConfig{Name: "i2b2-2014"}, Splits: splits}}}
	}
	corpus(t, filepath.Join(dir, "notes"), 6)
	a, b := run("a", "notes"), run("b", "notes")
	test := func(a, b *Run, names ...string) (*significance.Report, error) {
		return Significance(t.Context(), a, b, "x", names, significance.Options{}, nil)
	}
	if _, err := a.Predict(t.Context(), &years{}, "x", PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := test(a, b); err == nil || !strings.HasPrefix(err.Error(), b.Dir+": contains no predictions for split x") {
		t.Errorf("without predictions: error %v", err)
	}
	if _, err := b.Predict(t.Context(), silent{}, "x", PredictOptions{}); err != nil {
		t.Fatal(err)
	}

	// A finds one of two dates in each of six notes, and B finds none: of the 2^6 ways to swap,
	// two give such a large difference.
	r, err := test(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if r.A != a.Dir || r.B != b.Dir || r.Split != "x" || r.Documents != 6 || len(r.Metrics) != 2 || r.Metrics[1].Metric != "hipaa/binary_token" {
		t.Errorf("%+v", r)
	}
	for _, m := range r.Metrics {
		if m.Recall.A != 0.5 || m.Recall.B != 0 || m.Recall.P != 2./64 {
			t.Errorf("%s: %+v", m.Metric, m.Recall)
		}
	}

	// The same notes in another folder are the same test set; other notes are not.
	corpus(t, filepath.Join(dir, "again"), 6)
	corpus(t, filepath.Join(dir, "fewer"), 5)
	corpus(t, filepath.Join(dir, "edited"), 6)
	edited := filepath.Join(dir, "edited", "note-03.ann")
	raw, err := os.ReadFile(edited)
	if err != nil {
		t.Fatal(err)
	}
	write(t, edited, strings.Replace(string(raw), "DATE", "AGE", 1))
	otherTypes := run("b", "notes")
	otherTypes.Config.Corpus.Types = data.TypeSetConfig{Name: "mimic"}
	for _, tc := range []struct {
		b    *Run
		want string
	}{
		{run("c", "again"), ""},
		{run("d", "fewer"), "different test sets: only in " + a.Dir + ": 1 of 6 (note-05)"},
		{run("e", "edited"), "document note-03: the gold standards of " + a.Dir + " and " + filepath.Join(dir, "e") + " have different spans"},
		{otherTypes, a.Dir + " and " + b.Dir + " have different type sets: i2b2-2014 and mimic"},
	} {
		if _, err := tc.b.Predict(t.Context(), silent{}, "x", PredictOptions{}); err != nil {
			t.Fatal(err)
		}
		_, err := test(a, tc.b)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
		// lethe errors used the gold standard of the first run for both.
		if _, err := SharedGold(t.Context(), a, tc.b, "x", nil); tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("shared gold: error %v, want %q", err, tc.want)
		}
	}
	if _, err := test(a, b, "strict", "F1"); err == nil || !strings.HasPrefix(err.Error(), `no metric "F1" (have `) {
		t.Errorf("error %v", err)
	}
}
