package rules

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

func TestConfigErrors(t *testing.T) {
	for want, c := range map[string]Config{
		"set or file: exactly one of the two is required":                                          {},
		"set, file: exactly one of the two is required":                                            {Set: "english", File: "x.yaml"},
		`set: no built-in rules "x" (have anonym, english, liu2017, spanish)`:                      {Set: "x"},
		"only, except: both contain DATE":                                                          {Set: "english", Only: []string{"AGE", "DATE"}, Except: []string{"DATE"}},
		"only: liu2017.yaml has no rule for the type AGE (have EMAIL, FAX, LICENSE, PHONE, URL)":   {Set: "liu2017", Only: []string{"AGE"}},
		"except: liu2017.yaml has no rule for the type AGE (have EMAIL, FAX, LICENSE, PHONE, URL)": {Set: "liu2017", Except: []string{"AGE"}},
		"open nowhere.yaml: no such file or directory":                                             {File: "nowhere.yaml"},
	} {
		if _, err := New(c, 1); err == nil || err.Error() != want {
			t.Errorf("%+v:\n got %v\nwant %s", c, err, want)
		}
	}
}

func TestTagger(t *testing.T) {
	docs, err := data.Collect(synth.Notes(30, 1, synth.Dev))
	if err != nil {
		t.Fatal(err)
	}
	docs = append(docs, &data.Document{ID: "empty"})
	config := Config{Set: "english", Except: []string{"DATE"}}
	tagger, err := New(config, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tagger.Tag(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	set, err := Builtin("english")
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range docs {
		legal(t, data.Document{Text: d.Text, Spans: got[i]})
		all += len(got[i])
		for _, s := range got[i] {
			if s.Type == "DATE" {
				t.Fatal("a rule for DATE was used")
			}
		}
	}
	if all == 0 || len(set.Spans(docs[0].Text)) == 0 {
		t.Fatal("no spans")
	}

	one, err := New(config, 0)
	if err != nil {
		t.Fatal(err)
	}
	same, err := one.Tag(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, same); diff != "" {
		t.Error("one worker and two:", diff)
	}

	dir := filepath.Join(t.TempDir(), "a", "model")
	if err := tagger.Save(dir); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := opened.Save(again); err != nil {
		t.Fatal(err)
	}
	if opened, err = Open(again, 1); err != nil {
		t.Fatal(err)
	}
	if same, err = opened.Tag(context.Background(), docs); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, same); diff != "" {
		t.Error("saved and opened twice:", diff)
	}

	if spans, err := tagger.Tag(context.Background(), nil); err != nil || len(spans) != 0 {
		t.Error(spans, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tagger.Tag(ctx, docs); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want string) {
		t.Helper()
		if _, err := Open(dir, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	check("config.yaml: no such file")
	write("config.yaml", "file: other.yaml")
	check("config.yaml: file: the rules of a model must be in its rules.yaml")
	write("config.yaml", "set: english")
	check("config.yaml: file: the rules of a model must be in its rules.yaml")
	write("config.yaml", "file: rules.yaml")
	check("rules.yaml: no such file")
	write("rules.yaml", "rules: 1")
	check("rules.yaml:1:8: rules: a number where a list is expected")
}

// The rules of the safety net pass their own examples, and find types of the sets that they are beside.
func TestNetSets(t *testing.T) {
	for name, typeSet := range map[string]string{"english": "i2b2-2014", "spanish": "meddocan"} {
		beside, err := Net(name)
		if err != nil {
			t.Fatal(err)
		}
		set, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		types, _ := data.LookupTypeSet(typeSet)
		if err := beside.Check(types); err != nil {
			t.Error(err)
		}
		if len(set.rules) == 0 || len(beside.rules) == 0 {
			t.Errorf("%s: %d rules, and %d beside", name, len(set.rules), len(beside.rules))
		}
	}
}

// Definitions that no rule uses any more stayed in the files of the safety net.
func TestNetSetsUseTheirDefinitions(t *testing.T) {
	for _, name := range []string{"english", "spanish"} {
		raw, err := os.ReadFile("sets/net/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var f file
		if err := strictyaml.Decode(name, raw, &f); err != nil {
			t.Fatal(err)
		}
		for _, definition := range slices.Concat(slices.Collect(maps.Keys(f.Lexicons)), slices.Collect(maps.Keys(f.Patterns))) {
			if !bytes.Contains(raw, []byte("{"+definition+"}")) && !bytes.Contains(raw, []byte("{!"+definition+"}")) {
				t.Errorf("%s: nothing uses %s", name, definition)
			}
		}
	}
}
