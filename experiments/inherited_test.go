package experiments

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A model that a system contains or starts from was scored on its own training notes without a word, as in a cross-validation of an ensemble with it.
func TestScoresOnTrainingNotesOfAModelInside(t *testing.T) {
	dir := t.TempDir()
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, `{"id":"n%02d","patient":"%d","text":"Seen by Dr. Vega in %d.","spans":[{"start":12,"end":16,"type":"DOCTOR"}]}`+"\n", i, i, i)
		}
		return b.String()
	}
	notes := write(t, filepath.Join(dir, "notes.jsonl"), lines(0, 30))
	others := write(t, filepath.Join(dir, "others.jsonl"), lines(30, 40))
	head := "name: x\ncorpus:\n  format: jsonl\n  types: i2b2-2014\n"
	load := func(corpus, system string) *Config {
		t.Helper()
		c, err := Load(write(t, filepath.Join(dir, "x.yaml"), head+corpus+"system: "+system+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	network := "{tokenizer: letters-digits, network: {character_lstm: 4, token_embedding: 8, token_lstm: 8, hidden: 8}, training: {epochs: 1, patience: 0}"
	inner, outer := filepath.Join(dir, "inner"), filepath.Join(dir, "outer")
	if _, err := Train(t.Context(), load("  splits: {train: "+notes+"}\n", "{ann: "+network+"}}"), TrainOptions{Dir: inner, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	contains := func(model string) string { return "{trained: {model: " + model + "}}" }
	if _, err := Train(t.Context(), load("  splits: {train: "+others+"}\n", contains(inner)), TrainOptions{Dir: outer, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	const known = "corpus: 10 of the 10 notes of split test are among those that "
	folds := "  splits: {train: " + notes + "}\n  fold: {number: 1, of: 3}\n"
	for _, c := range []struct{ corpus, system, want string }{
		{folds, contains(inner), known + inner + " (system.trained.model) was trained on, so its scores would be meaningless (such as n"},
		{folds, contains(filepath.Join(inner, "model", "best")), known},
		{folds, contains(outer), known + inner}, // two steps away
		{folds, "{second_pass: {system: {ann: " + network + ", start: " + inner + "}}}}", known + inner + " (system.second_pass.system.ann.start)"},
		{folds + "  allow_overlap: true\n", contains(inner), ""},
		{"  splits: {train: " + others + "}\n  fold: {number: 1, of: 3}\n", contains(inner), ""},
	} {
		report, err := load(c.corpus, c.system).Check(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(report.Problems, "\n"); !strings.HasPrefix(got, c.want) || (got != "") != (c.want != "") || len(report.Warnings) > 0 && strings.Contains(report.Warnings[0], "not known") {
			t.Errorf("%s%s: problems %q, want %q; warnings %q", c.corpus, c.system, got, c.want, report.Warnings)
		}
	}
	write(t, notes, lines(1, 30)) // a note was withdrawn
	report, err := load("  splits: {train: "+others+"}\n", contains(inner)).Check(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(report.Warnings, "\n"); !strings.Contains(got, "the notes that "+inner+" (system.trained.model) was trained on are not known") || !strings.Contains(got, "they have changed since the training") {
		t.Errorf("warnings %q", got)
	}
}

// A run folder with the name of the run that its own model started from was opened without end, and the notes of a model that two others contain were
// loaded twice.
func TestRunFolderHasTheNameOfItsOwnOrigin(t *testing.T) {
	dir := t.TempDir()
	run := func(name, system string) string {
		folder := filepath.Join(dir, name)
		write(t, filepath.Join(folder, ConfigFile), "name: x\ncorpus: {format: synth, types: i2b2-2014, notes: {train: 4}}\nsystem: "+system+"\n")
		write(t, filepath.Join(folder, machineFile), `{"notes": "sha256:x"}`)
		return folder
	}
	contains := func(name string) string { return "{trained: {model: " + filepath.Join(dir, name) + "}}" }
	shared := run("shared", "{rules: {set: english}}")
	a, b := run("a", contains("shared")), run("b", contains("shared"))
	both := run("both", "{ensemble: {members: [{name: a, system: "+contains("a")+"}, {name: b, system: "+contains("b")+"}]}}")
	for folder, want := range map[string][]string{run("own", contains("own")): {"own"}, both: {both, a, shared, b}} {
		r, err := OpenRun(folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
		r.Dir = filepath.Base(folder)
		all, err := r.TrainedOn(nil)
		if err != nil || len(all) != len(want) {
			t.Errorf("%s: %d models, want %q; error %v", folder, len(all), want, err)
		}
	}
}

// The notes of a model whose run an earlier version had made, without a digest of them, were left out without a word, and its seeds were systems of
// their own beside newer ones.
func TestRunsWithoutADigestOfTheirNotes(t *testing.T) {
	dir := t.TempDir()
	run := func(name, machine string) *Run {
		folder := filepath.Join(dir, name)
		write(t, filepath.Join(folder, ConfigFile), "name: x\ncorpus: {format: synth, types: i2b2-2014, notes: {train: 4}}\nsystem: {rules: {set: english}}\n")
		write(t, filepath.Join(folder, machineFile), machine)
		r, err := OpenRun(folder)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	earlier, pretraining := run("earlier", "{}"), run("pretraining", "{}")
	write(t, filepath.Join(pretraining.Dir, "model", "best", "labels.json"), `{"labels": []}`)
	for r, want := range map[*Run]int{earlier: 1, pretraining: 0} {
		path := write(t, filepath.Join(dir, "x.yaml"), "name: x\ncorpus: {format: synth, notes: {train: 4}}\nsystem: {trained: {model: "+r.Dir+"}}\n")
		c, err := Load(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if all := c.inherited(nil); len(all) != want || want > 0 && len(all[0].Notes) != 4 {
			t.Errorf("%s: %d models with known notes, want %d", r.Dir, len(all), want)
		}
	}
	one, other := run("one", `{"notes": "sha256:a"}`), run("other", `{"notes": "sha256:b"}`)
	for _, c := range []struct {
		a, b *Run
		want bool
	}{{earlier, one, true}, {one, earlier, true}, {one, other, false}} {
		if same, err := SameSystem(c.a, c.b); same != c.want || err != nil {
			t.Errorf("%s and %s: the same system: %v, error %v", c.a.Dir, c.b.Dir, same, err)
		}
	}
}
