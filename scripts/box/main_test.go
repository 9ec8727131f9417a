package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/evaluation/unseen"
)

// measure runs the command and decodes its JSON.
func measure(t *testing.T, args ...string) map[string]unseen.Named {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), append(args, "--json", "--corpora", "", "--testdata", "../../checkpoints/testdata"), &out); err != nil {
		t.Fatal(err)
	}
	var sets []unseen.Named
	if err := json.Unmarshal(out.Bytes(), &sets); err != nil {
		t.Fatal(err)
	}
	byName := map[string]unseen.Named{}
	for _, s := range sets {
		byName[s.Set] = s
	}
	return byName
}

// Whoever finds the gold spans leaves and loses nothing.
func TestSpansOfAnotherTool(t *testing.T) {
	for _, lang := range []string{"en", "es"} {
		dir := t.TempDir()
		if err := run(t.Context(), []string{"--write", dir, "--lang", lang, "--corpora", "", "--testdata", "../../checkpoints/testdata"}, nil); err != nil {
			t.Fatal(err)
		}
		sets := measure(t, "--spans", dir, "--lang", lang)
		notes := sets["notes"]
		if notes.Items == 0 || notes.Whole+notes.Part+notes.LostWords != 0 || notes.CharacterRecall != 1 || notes.CharacterPrecision != 1 || notes.NoLeak != notes.Texts || notes.Strict.TP != notes.Items {
			t.Errorf("%s: %+v", lang, notes.Counts)
		}
		if phrases := sets["phrases"]; phrases.Clean == 0 || phrases.Touched != 0 {
			t.Errorf("%s: %d of %d phrases are touched", lang, phrases.Touched, phrases.Clean)
		}
	}
}

func TestRulesAlone(t *testing.T) {
	sets := measure(t, "--rules")
	if notes := sets["notes"]; notes.Types["EMAIL"].Whole != 0 || notes.Whole < notes.Items/3 {
		t.Errorf("the rules leave %d of %d items, %d of them e-mail addresses", notes.Whole, notes.Items, notes.Types["EMAIL"].Whole)
	}
}

func TestSafeHarborAllows(t *testing.T) {
	for _, test := range []struct {
		value, typ string
		want       bool
	}{
		{"89", "AGE", true}, {"90", "AGE", false}, {"67-year-old", "AGE", true}, {"forty", "AGE", true}, {"Ninety-one", "AGE", false},
		{"2019", "DATE", true}, {"in 2019", "DATE", false}, {"May 2019", "DATE", false}, {"2019", "PATIENT", false},
	} {
		if got := safeHarborAllows(test.value, test.typ); got != test.want {
			t.Errorf("%s %q: %t", test.typ, test.value, got)
		}
	}
}

// The table has a line per set and system, and the details of the first system only.
func TestSeveralSystems(t *testing.T) {
	dir := t.TempDir()
	texts := []string{"--corpora", "", "--testdata", "../../checkpoints/testdata"}
	if err := run(t.Context(), append(texts, "--write", dir), nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), append(texts, "--spans", dir, "--rules", "--failures"), &out); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"\nnotes ": 2, "\nphrases ": 2, "notes: type": 1} {
		if n := strings.Count(out.String(), text); n != want {
			t.Errorf("%d lines %q, not %d", n, text, want)
		}
	}
	if !strings.Contains(out.String(), "\nnotes\tnursing-lower\tleft\tPATIENT\t") {
		t.Error("the failures of the rules are not listed")
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"--model", "x"}, {"--spans", "x/a", "--spans", "y/a"}, {"--rules", "--lang", "fr"}, {"--rules", "--queries", "all", "--corpora", t.TempDir()}} {
		args = append(args, "--testdata", "../../checkpoints/testdata")
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
