package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
)

// TestSurrogatesThroughTheProgram checks that surrogates depend only on the key and the set of a patient's notes, and not
// on the order of the notes, the number of workers or the format, and that all other text stays.
func TestSurrogatesThroughTheProgram(t *testing.T) {
	dir, model := t.TempDir(), rulesModel(t)
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	var docs []*data.Document
	for d, err := range synth.Notes(120, 21, synth.Dev) {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	reversed := slices.Clone(docs)
	slices.Reverse(reversed)
	lines := func(name string, docs []*data.Document) string {
		var b strings.Builder
		for _, d := range docs {
			raw, err := json.Marshal(map[string]any{"id": d.ID, "patient": d.Group(), "text": d.Text, "spans": []int{}})
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(raw, '\n'))
		}
		return write(t, filepath.Join(dir, name), b.String())
	}
	key, another := write(t, filepath.Join(dir, "key"), "a key of sixteen\n"), write(t, filepath.Join(dir, "another"), "another sixteen.\n")
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("lethe", append([]string{"deidentify", "--model", model, "--quiet", "--replace", "surrogate"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	type note struct {
		ID, Text string
		Spans    []struct{ Start, End int }
	}
	clean := func(input string, args ...string) map[string]note {
		t.Helper()
		out := input + ".clean.jsonl"
		run(append(args, "--format", "jsonl", "--output", out, input)...)
		defer os.Remove(out)
		notes := map[string]note{}
		for line := range strings.Lines(string(read(t, out))) {
			var n note
			if err := json.Unmarshal([]byte(line), &n); err != nil {
				t.Fatal(err)
			}
			notes[n.ID] = n
		}
		return notes
	}
	one := clean(lines("a.jsonl", docs), "--key-file", key, "--workers", "1")
	other := clean(lines("b.jsonl", reversed), "--key-file", key, "--workers", "3")
	with := clean(lines("c.jsonl", docs), "--key-file", another, "--workers", "2")
	spans := 0
	for _, d := range docs {
		n := one[d.ID]
		if n.Text != other[d.ID].Text {
			t.Errorf("note %s: another text in another order with other workers", d.ID)
		}
		if len(n.Spans) > 0 && n.Text == with[d.ID].Text {
			t.Errorf("note %s: the same text with another key", d.ID)
		}
		// The texts between surrogates occur in the original note in the same order, and at its start and end.
		rest, runes, at := d.Text, []rune(n.Text), 0
		for i, s := range n.Spans {
			between := string(runes[at:s.Start])
			k := strings.Index(rest, between)
			if k < 0 || i == 0 && k > 0 {
				t.Fatalf("note %s: text before surrogate %d is not in the note", d.ID, i)
			}
			rest = rest[k+len(between):]
			at = s.End
			spans++
		}
		if !strings.HasSuffix(rest, string(runes[at:])) {
			t.Errorf("note %s: text after the last surrogate is none of the note's", d.ID)
		}
	}
	if spans < 10*len(docs) {
		t.Errorf("only %d surrogates", spans)
	}

	// The same notes as XML, with the patient in the name of the file.
	in, out := filepath.Join(dir, "xml"), filepath.Join(dir, "clean")
	w, err := format.Create("i2b2", in, types)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if err := w.Write(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run("--key-file", key, "--format", "i2b2", "--output", out, in)
	found := 0
	for d, err := range format.Read("i2b2", out, format.Options{Types: types}) {
		if err != nil {
			t.Fatal(err)
		}
		found++
		if d.Text != one[d.ID].Text || len(d.Spans) != len(one[d.ID].Spans) {
			t.Errorf("note %s: another text, or %d spans and not %d, in XML", d.ID, len(d.Spans), len(one[d.ID].Spans))
		}
	}
	if found != len(docs) {
		t.Errorf("%d notes of %d", found, len(docs))
	}
}

// TestNameThatOnlyTheNetFoundDependedOnTheOrder: if "Zuriel" alone came first, it was mistaken for a surname, also in
// "Zuriel Quintanar".
func TestNameThatOnlyTheNetFoundDependedOnTheOrder(t *testing.T) {
	dir, model := t.TempDir(), rulesModel(t)
	key := write(t, filepath.Join(dir, "key"), "a key of sixteen")
	known := write(t, filepath.Join(dir, "known.csv"), "patient,name\n7,Zuriel Quintanar\n")
	notes := []string{`{"id":"a","patient":"7","text":"Zuriel agrees with the plan."}` + "\n", `{"id":"b","patient":"7","text":"Today Zuriel Quintanar came."}` + "\n"}
	first := func(order ...string) string {
		t.Helper()
		in := write(t, filepath.Join(dir, "notes.jsonl"), strings.Join(order, ""))
		out, err := exec.Command("lethe", "deidentify", "--model", model, "--quiet", "--replace", "surrogate", "--key-file", key, "--known", known, "--format", "jsonl", in).Output()
		if err != nil || strings.Contains(string(out), "Zuriel") || strings.Contains(string(out), "Quintanar") {
			t.Fatalf("%v\n%s", err, out)
		}
		lines := slices.Sorted(strings.Lines(string(out)))
		return strings.Join(lines, "")
	}
	if a, b := first(notes[0], notes[1]), first(notes[1], notes[0]); a != b {
		t.Errorf("in one order\n%sin the other\n%s", a, b)
	}
}
