package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// paths returns splits of one file or folder each.
func paths(of map[string]string) map[string]Sources {
	splits := map[string]Sources{}
	for name, path := range of {
		splits[name] = Sources{{Path: path}}
	}
	return splits
}

// named writes a file of JSON Lines with a note of one name.
func named(t *testing.T, path, id, typ string) string {
	t.Helper()
	return write(t, path, fmt.Sprintf(`{"id":"%s","text":"Zoe","spans":[{"start":0,"end":3,"type":"%s"}]}`+"\n", id, typ))
}

// A split was one path. It can be several, patterns among them, each with its own format.
func TestSplitOfSeveralPaths(t *testing.T) {
	dir := t.TempDir()
	a, b := named(t, filepath.Join(dir, "a.jsonl"), "a", "PATIENT"), named(t, filepath.Join(dir, "b-1.jsonl"), "b", "PATIENT")
	named(t, filepath.Join(dir, "b-2.jsonl"), "c", "PATIENT")
	brat := filepath.Join(dir, "brat")
	if err := os.Mkdir(brat, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(brat, "d.txt"), "Zoe")
	write(t, filepath.Join(brat, "d.ann"), "T1\tPATIENT 0 3\tZoe\n")
	config := func(train string) string {
		return write(t, filepath.Join(dir, "x.yaml"), "name: x\ncorpus: {format: jsonl, types: mimic, splits: {train: "+train+"}}\nsystem: {rules: {set: english}}\n")
	}
	for train, want := range map[string]string{
		a: "a", "[" + a + "]": "a", "[" + b + ", " + a + "]": "b a", "[" + dir + "/b-*.jsonl, " + a + "]": "b c a",
		"[" + a + ", {path: " + brat + ", format: brat}]": "a d", "{path: " + brat + ", format: brat}": "d",
	} {
		c, err := Load(config(train), nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := c.With(); err != nil || again.Corpus.Splits["train"].String() != c.Corpus.Splits["train"].String() {
			t.Errorf("%s: written and read again: %v, %v", train, again, err)
		}
		if got := strings.Join(loaded(t, &c.Corpus, "train"), " "); got != want {
			t.Errorf("%s: notes %s, want %s", train, got, want)
		}
	}
	c, err := Load(config(a), []string{"corpus.splits.train[0]=" + b, "corpus.splits.dev=[" + a + "]"})
	if err != nil || c.Corpus.Splits["train"].String() != b || c.Corpus.Splits["dev"].String() != a {
		t.Errorf("set: %v, %v", c, err)
	}

	same := named(t, filepath.Join(dir, "same.jsonl"), "a", "PATIENT")
	for train, want := range map[string]string{
		"[" + a + ", " + same + "]":              "corpus.splits.train: a note of " + a + " and one of " + same + " have the same ID a: rename one of them",
		"[" + a + ", " + dir + "/a*.jsonl]":      "corpus.splits.train[1]: " + a + " is read twice",
		dir + "/z*.jsonl":                        "corpus.splits.train: " + dir + "/z*.jsonl: no file or folder matches",
		"[" + a + ", " + dir + "/nowhere.jsonl]": "corpus.splits.train[1]: stat " + dir + "/nowhere.jsonl: no such file or directory",
	} {
		c, err := Load(config(train), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Corpus.Load("train", nil); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", train, err, want)
		}
	}
	for train, want := range map[string]string{
		"[]":                           "corpus.splits.train: the list is empty",
		"[" + a + ", \"\"]":            "corpus.splits.train[1]: the path is empty",
		"{path: x, format: jsonn}":     `corpus.splits.train.format: no format "jsonn"`,
		"[x, {path: x, format: text}]": "corpus.splits.train[1].format: text and the corpus's jsonl cannot be in one split",
	} {
		if _, err := Load(config(train), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", train, err, want)
		}
	}
}

// The types could be mapped only to those of a built-in set.
func TestOwnTypesAndMap(t *testing.T) {
	dir := t.TempDir()
	a, b := named(t, filepath.Join(dir, "a.jsonl"), "a", "NURSE"), named(t, filepath.Join(dir, "b.jsonl"), "b", "PROFESSION")
	own := write(t, filepath.Join(dir, "ward.yaml"), "base: mimic\ntypes: {NURSE: clinician, PROFESSION}\n")
	raw := "name: x\ncorpus:\n  format: jsonl\n  types: " + own + "\n  map:\n    types: {NURSE: NAME, DOCTOR: NAME, PROFESSION: drop}\n    others: keep\n  splits: {train: [" + a + ", " + b + "]}\nsystem: {rules: {set: english}}\n"
	c, err := Load(write(t, filepath.Join(dir, "x.yaml"), raw), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(own); err != nil { // the configuration contains what was in it
		t.Fatal(err)
	}
	if c, err = c.With("seed=3"); err != nil {
		t.Fatal(err)
	}
	set := c.Corpus.TypeSet()
	if name, ok := set.Lookup("NAME"); !ok || name != (data.Type{Name: "NAME", Category: "NAME", Sort: data.Person, Clinician: true}) || set.Has("NURSE") || !set.Has("PATIENT") || set.Name != "ward.own" {
		t.Errorf("%+v", set)
	}
	docs, err := c.Corpus.Load("train", nil)
	if err != nil || len(docs) != 2 || docs[0].Spans[0].Type != "NAME" || docs[1].Spans != nil {
		t.Errorf("%v, %v", docs, err)
	}
	lines, err := c.Corpus.MapLines()
	if want := []string{"map own, train: NAME of NURSE 1; dropped PROFESSION 1", "map own: types that occur in no split: DOCTOR"}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("%q, %v", lines, err)
	}
	for setting, want := range map[string]string{
		"corpus.map.types.NURS=NAME":   "map: types: NURS is not in the type set ward",
		"corpus.map.types.NAME=DOCTOR": "map: types.DOCTOR: becomes NAME, which becomes DOCTOR: give both the type DOCTOR",
		"corpus.map.others=al":         `map: others: "al" is not keep, drop or refuse`,
		"corpus.types=null":            "types: must be given",
	} {
		if _, err := c.With(setting); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", setting, err, want)
		}
	}
	if without, err := c.With("corpus.map=null"); err != nil || !without.Corpus.TypeSet().Has("NURSE") {
		t.Errorf("without the map: %v", err)
	}
	if to, err := c.With("corpus.types=null", "corpus.map.to=anonym", "corpus.map.others=drop"); err != nil || to.Corpus.TypeSet() != data.Anonym {
		t.Errorf("to another set: %v", err)
	}
	// A run and a model of an earlier version name a built-in set.
	if kept, err := c.With("corpus.types=any", "corpus.map=null"); err != nil || kept.Corpus.TypeSet() != data.Any {
		t.Errorf("%v", err)
	}
	if types, err := (&Corpus{Format: "jsonl", Types: data.TypeSetConfig{Name: "any"}, Splits: paths(map[string]string{"train": a})}).MetricTypes([]string{"macro/strict"}, nil); err != nil || len(types.Types) != 1 {
		t.Errorf("types for averages: %+v, %v", types, err)
	}
}

// The counts of a map were those of all notes of train, although hold_out made dev of a part of them.
func TestCountsOfMapBeforeHoldOut(t *testing.T) {
	dir := t.TempDir()
	var notes strings.Builder
	for i := range 8 {
		fmt.Fprintf(&notes, `{"id":"%d","text":"Ada","spans":[{"start":0,"end":3,"type":"DOCTOR"}]}`+"\n", i)
	}
	train := write(t, filepath.Join(dir, "train.jsonl"), notes.String())
	raw := "name: x\ncorpus:\n  format: jsonl\n  types: i2b2-2014\n  map: {types: {DOCTOR: NAME}, others: keep}\n  splits: {train: " + train + "}\n" +
		"  hold_out: {fraction: 0.25, by: document}\n  subset: {documents: 5, by: document}\nsystem: {rules: {set: english}}\n"
	c, err := Load(write(t, filepath.Join(dir, "x.yaml"), raw), nil)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := c.Corpus.MapLines()
	if want := []string{"map own, dev: NAME of DOCTOR 2", "map own, train: NAME of DOCTOR 5"}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("%q, %v", lines, err)
	}
}
