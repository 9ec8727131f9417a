package experiments

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const valid = `name: x
corpus:
  format: meddocan
  splits: {train: /a, dev: /b, dev_hard: /c}
system:
  ann:
    network: {dropout: 0.25}
    training:
      epochs: 3
`

func TestLoad(t *testing.T) {
	t.Setenv("LETHE_TEST_A", "/data")
	t.Setenv("LETHE_TEST_B", "train")
	path := write(t, filepath.Join(t.TempDir(), "x.yaml"), valid)
	got, err := Load(path, []string{
		"system.ann.training.batch=4", "corpus.splits.train=${LETHE_TEST_A}/$x/${LETHE_TEST_B}", "corpus.splits.dev=here",
		"system.ann.network.crf=false", "system.ann.optimizer={method: adam, learning_rate: 1}", `name="2016"`, "seed=18446744073709551615",
	})
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("here")
	if err != nil {
		t.Fatal(err)
	}
	network := ann.DefaultConfig()
	network.Network.Dropout, network.Network.CRF = 0.25, false
	network.Training.Epochs, network.Training.Batch = 3, 4
	network.Optimizer.Method, network.Optimizer.LearningRate = "adam", 1
	want := &Config{
		Name: "2016", Seed: 1<<64 - 1,
		Corpus: Corpus{
			Format: "meddocan", Types: data.TypeSetConfig{Name: "meddocan"}, Seed: 1, Fold: Fold{By: "patient"}, HoldOut: HoldOut{By: "patient"}, Subset: Subset{By: "patient", Seed: 1},
			Splits: map[string]Sources{"train": {{Path: "/data/$x/train"}}, "dev": {{Path: here}}, "dev_hard": {{Path: "/c"}}},
		},
		System: taggers.System{"ann": &network},
	}
	if diff := cmp.Diff(want, got, asRead); diff != "" {
		t.Error("-want +got", diff)
	}

	encoded, err := yaml.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	again, err := read(write(t, path, string(encoded)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, again, asRead); diff != "" {
		t.Error("written and read again: -want +got", diff)
	}
}

// asRead compares configurations without the paths as they were written.
var asRead = cmpopts.IgnoreUnexported(Config{})

// With does not change the configuration that it starts from.
func TestWith(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "x.yaml"), valid+"ablations: [{name: a, set: [seed=2]}]\n")
	c, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := c.With("seed=2", "system.ann.network.dropout=0", "corpus.splits.dev=/elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	if changed.Seed != 2 || ann.Of(changed.System).Network.Dropout != 0 || changed.Corpus.Splits["dev"].String() != "/elsewhere" || changed.Ablations != nil {
		t.Errorf("changed to %+v", changed)
	}
	again, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again, c, asRead); diff != "" {
		t.Error("With changed what it was given: -want +got", diff)
	}
	for setting, want := range map[string]string{
		"seed":                           "seed: not of the form path=value, as in seed=2 or system.ensemble.members[0].name=first",
		"sed=2":                          "sed: unknown key (have name, seed, seeds, corpus, system, clean, ablations)",
		"system.ann.network.dropout=1.5": "system.ann.network.dropout: 1.5 is not in [0, 1)",
	} {
		if _, err := c.With(setting); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", setting, err, want)
		}
	}
}

// An ablation may take nodes away: a member of an ensemble, and a second pass, whose own system takes
// its place. Settings are applied to what remains.
func TestVariant(t *testing.T) {
	const tree = `name: x
corpus: {format: synth, notes: {train: 3, dev: 3}}
system:
  ensemble:
    method: priority
    priority: [DATE, PATIENT]
    members:
    - name: rules
      system: {rules: {set: english}}
    - name: learned
      types: [PATIENT]
      system:
        second_pass:
          by: document
          system:
            corrected:
              rules: {set: english}
              system: {crf: {features: [{family: lower}]}}
ablations:
- {name: alone, without: [system.ensemble.members.rules]}
- {name: one-pass, without: [system.ensemble.members.learned.system.second_pass], set: [corpus.seed=5]}
- name: bare
  without:
  - system.ensemble.members.rules
  - system.ensemble.members.learned.system.second_pass
  - system.ensemble.members.learned.system.corrected
`
	c, err := Load(write(t, filepath.Join(t.TempDir(), "x.yaml"), tree), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := c.System.Tree()
	for i, want := range []string{
		"ensemble: priority, DATE > PATIENT\n└─ learned (PATIENT): second_pass: by document\n   └─ corrected: by rules english\n      └─ crf: ",
		"ensemble: priority, DATE > PATIENT\n├─ rules: rules: english\n└─ learned (PATIENT): corrected: by rules english\n   └─ crf: ",
		"ensemble: priority, DATE > PATIENT\n└─ learned (PATIENT): crf: ",
	} {
		changed, err := c.Variant(c.Ablations[i])
		if err != nil {
			t.Fatalf("%s: %v", c.Ablations[i].Name, err)
		}
		if got := changed.System.Tree(); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != strings.Count(want, "\n")+1 {
			t.Errorf("%s:\n%swant\n%s", c.Ablations[i].Name, got, want)
		}
		if seed := changed.Corpus.Seed; seed != uint64([]int{1, 5, 1}[i]) || changed.Ablations != nil {
			t.Errorf("%s: seed %d, ablations %v", c.Ablations[i].Name, seed, changed.Ablations)
		}
	}
	if c.System.Tree() != before {
		t.Error("a variant changed what it was made from")
	}
	if got, want := c.Ablations[1].Changes(), []string{"without system.ensemble.members.learned.system.second_pass", "corpus.seed=5"}; !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
	for path, want := range map[string]string{
		"system.crf":                      "without system.crf: unknown key (have ensemble)",
		"system.ensemble.members.ann":     "without system.ensemble.members.ann: unknown key (have rules, learned)",
		"system.ensemble.members[2]":      "without system.ensemble.members[2]: unknown key (have rules, learned)",
		"system.ensemble.method.x":        "without system.ensemble.method.x: unknown key (have none)",
		"system.ensemble":                 "system: must have exactly one key (" + strings.Join(taggers.Kinds(), ", ") + ")",
		"system.ensemble.members.learned": "",
		"system.ensemble.members[1]":      "",
		"seed":                            "",
		"":                                `without "" is not a path of keys, such as corpus.seed`,
	} {
		if _, err := c.Variant(Ablation{Name: "a", Without: []string{path}}); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
}

// A setting can reach into a list by position, replace a tagger by one of another kind, and take a key,
// an element of a list or a split away.
func TestSettingsOfNodes(t *testing.T) {
	const tree = `name: x
seed: 7
corpus: {format: synth, notes: {train: 3, dev: 3, test: 2}}
system:
  ensemble:
    members:
    - {name: one, system: {crf: {features: [{family: lower}, {family: word, window: 2}]}}}
    - {name: two, system: {second_pass: {by: document, system: {crf: {features: [{family: shape}], training: {l2: 3}}}}}}
`
	const crf = "system.ensemble.members[1].system.second_pass.system"
	for settings, want := range map[string]string{
		"system.ensemble.members[0].system.crf.features[1].window=4": "system.ensemble.members[0].system.crf.features[1].window",
		crf + ".crf.training.l2=4":                                   "system.ensemble.members[1].system.second_pass.system.crf.training.l2",
		crf + ".crf.training.l2=null":                                "system.ensemble.members[1].system.second_pass.system.crf.training.l2",
		"seed=null":                                                  "seed",
		"corpus.notes.test=null":                                     "corpus.notes.test",
		"system.ensemble.members.one=null":                           "system.ensemble.members",
		"system.ensemble.members[0].name=first":                      "system.ensemble.members[0].name",
		"system={rules: {set: english}}":                             "system.ensemble",
		crf + "={rules: {set: english}}":                             "system.ensemble.members[1].system.second_pass.system.crf",
		"system.ensemble.members[1].system.second_pass=null":         "system.ensemble.members[1].system.crf",
	} {
		c, err := Load(write(t, filepath.Join(t.TempDir(), "x.yaml"), tree), nil)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := c.With(settings)
		if err != nil {
			t.Errorf("%s: %v", settings, err)
			continue
		}
		if key, _, _ := strictyaml.Difference(c, changed); key != want {
			t.Errorf("%s changes %s, want %s", settings, key, want)
		}
	}
	c, err := Load(write(t, filepath.Join(t.TempDir(), "x.yaml"), tree), []string{"system=null", "system={crf: {preset: meddocan}}"})
	if err != nil || !strings.HasPrefix(c.System.Tree(), "crf: ") {
		t.Errorf("a new system: %v", err)
	}
	for setting, want := range map[string]string{
		"system.crf.training.l2=2":    "--set system: must have exactly one key",
		"system.ensemble.member=null": "--set system.ensemble.member: unknown key (have method, ",
		"corpus.notes.tests=null":     "--set corpus.notes.tests: unknown key (have dev, test, train)",
	} {
		if _, err := Load(write(t, filepath.Join(t.TempDir(), "x.yaml"), tree), []string{setting}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", setting, err, want)
		}
	}
}

func TestSettingsOfMembersByName(t *testing.T) {
	tree := `name: x
corpus: {format: synth, notes: {train: 1}}
system:
  ensemble:
    members:
    - {name: one, system: {crf: {features: [{family: lower}]}}}
    - {name: two, system: {crf: {features: [{family: shape}]}}}
`
	path := write(t, filepath.Join(t.TempDir(), "x.yaml"), tree)
	iterations := "system.ensemble.members.two.system.crf.training.iterations"
	got, err := Load(path, []string{iterations + "=7"})
	if err != nil {
		t.Fatal(err)
	}
	named := strings.Replace(tree, "{family: shape}]", "{family: shape}], training: {iterations: 7}", 1)
	want, err := Load(write(t, path, named), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, asRead); diff != "" {
		t.Error("-want +got", diff)
	}
	unknown := strings.Replace(iterations, "two", "three", 1)
	if _, err := Load(path, []string{unknown + "=7"}); err == nil ||
		err.Error() != "--set system.ensemble.members.three: unknown key (have one, two)" {
		t.Errorf("unknown member: error %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Setenv("LETHE_TEST_EMPTY", "")
	const file = "FILE"
	replace := func(old, new string) string {
		if !strings.Contains(valid, old) {
			t.Fatal("the test has no " + old)
		}
		return strings.Replace(valid, old, new, 1)
	}
	generated := func(corpus, types string) string {
		at, end := strings.Index(valid, "corpus:"), strings.Index(valid, "system:")
		if types != "" {
			types = ", types: " + types
		}
		return valid[:at] + "corpus: {format: synth, generated: " + corpus + types + ", notes: {train: 3, dev: 3}}\n" + valid[end:]
	}
	for _, test := range []struct {
		name, yaml, set string
		want            string // the whole error, or its beginning if it ends in "..."
	}{
		{"unknown key", replace("dropout", "droput"), "",
			"FILE:7:15: system.ann.network.droput: unknown key (have characters, character_embedding, ..."},
		{"unknown key at the top", valid + "sed: 1\n", "", "FILE:10:1: sed: unknown key (have name, seed, seeds, corpus, system, clean, ablations)"},
		{"duplicate key", replace("      epochs: 3\n", "      epochs: 3\n      epochs: 4\n"), "",
			`FILE:10:7: mapping key "epochs" already defined at [9:7]`},
		{"text for a whole number", replace("epochs: 3", "epochs: many"), "",
			"FILE:9:15: system.ann.training.epochs: text where a whole number is expected"},
		{"digits in quotes", replace("epochs: 3", `epochs: "3"`), "",
			"FILE:9:15: system.ann.training.epochs: text where a whole number is expected"},
		{"fraction for a whole number", replace("epochs: 3", "epochs: 3.5"), "",
			"FILE:9:15: system.ann.training.epochs: a number where a whole number is expected"},
		{"text for a number", replace("0.25", "high"), "", "FILE:7:24: system.ann.network.dropout: text where a number is expected"},
		{"number for text", replace("name: x", "name: 7"), "", "FILE:1:7: name: a number where text is expected"},
		{"list for text", replace("name: x", "name: [x]"), "", "FILE:1:7: name: a list where text is expected"},
		{"text for a mapping", replace("{dropout: 0.25}", "wide"), "", "FILE:7:14: system.ann.network: text where a mapping is expected"},
		{"nothing", replace("{dropout: 0.25}", ""), "", "FILE:7:13: system.ann.network: nothing where a mapping is expected"},
		{"alias", replace("name: x", "name: *x"), "", "FILE:1:7: name: YAML's alias where text is expected"},
		{"negative seed", replace("name: x", "seed: -1\nname: x"), "", "FILE:1:7: seed: -1 is out of range"},
		{"large number", replace("epochs: 3", "epochs: 9223372036854775808"), "",
			"FILE:9:15: system.ann.training.epochs: 9223372036854775808 is out of range"},
		{"not a number", replace("0.25", ".nan"), "", "FILE:7:24: system.ann.network.dropout: .nan is not a finite number"},
		{"longer seed", replace("name: x", "seed: 123456789012345678901\nname: x"), "", "FILE:1:7: seed: 123456789012345678901 is out of range"},
		{"exponent for a whole number", replace("epochs: 3", "epochs: 1e3"), "",
			"FILE:9:15: system.ann.training.epochs: a number where a whole number is expected"},
		{"two documents", valid + "---\nname: y\n", "", "FILE: requires one YAML document, but has 2"},
		{"no document", "# nothing\n", "", "FILE: requires one YAML document, but has 0"},

		{"bad value", replace("0.25", "1.5"), "", "FILE: system.ann.network.dropout: 1.5 is not in [0, 1)"},
		{"no name", replace("name: x\n", ""), "", "FILE: name: must be 1 to 100 letters, digits, '_', '-', '+' and '.', the first a letter or digit"},
		{"name with a path", replace("name: x", "name: ../x"), "", "FILE: name: must be 1 to 100 letters, digits, '_', '-', '+' and '.', the first a letter or digit"},
		{"no system", valid[:strings.Index(valid, "system:")], "", "FILE: system: must have exactly one key (ann, corrected, crf, cued, ensemble, gazetteer, hf, predicted, rules, second_pass, trained, trees)"},
		{"unknown format", replace("meddocan", "xml"), "", `FILE: corpus.format: no format "xml" (have i2b2, meddocan, i2b2-2006, brat, conll, jsonl, hf, labelstudio, spacy, presidio, xmi, webanno, text, synth)`},
		{"no types", replace("meddocan", "brat"), "", `FILE: corpus.types: must be given for format brat (have ` + strings.Join(data.TypeSetNames(), ", ") + ", or the path of a file: see lethe types)"},
		{"unknown map", replace("  splits", "  map: x\n  splits"), "", `FILE: corpus.map: no type map "x" (have ` + strings.Join(data.TypeMapNames(), ", ") + "), and there is no such file"},
		{"map to other types", replace("  splits", "  types: meddocan\n  map: anonym\n  splits"), "", "FILE: corpus.map: the types that result are not corpus.types: anonym and meddocan"},
		{"dev twice", replace("  splits", "  hold_out: {fraction: 0.1}\n  splits"), "", "FILE: corpus.hold_out: creates the split dev, which is also given"},
		{"test twice", replace("dev_hard: /c}", "test: /c}\n  fold: {of: 2, number: 1}"), "", "FILE: corpus.fold: creates the split test, which is also given"},
		{"dev given and held out from merged notes", replace("  splits", "  hold_out: {fraction: 0.1}\n  merge: [train, dev_hard]\n  splits"), "", "FILE: corpus.hold_out: creates the split dev, which is also given"},
		{"merge of test", replace("dev_hard: /c}", "test: /c}\n  merge: [train, test]"), "", "FILE: corpus.merge: test cannot be merged, because a system must not learn from the notes that it is scored on"},
		{"merge of a fold", replace("  splits", "  fold: {of: 2, number: 1}\n  merge: [train, test]\n  splits"), "", "FILE: corpus.merge: test cannot be merged, ..."},
		{"merge of a part", replace("dev: /b, dev_hard: /c}", "dev_hard: /c}\n  hold_out: {fraction: 0.1}\n  merge: [train, dev]"), "", `FILE: corpus.merge: no split "dev" is given (have dev_hard, train)`},
		{"merge twice", replace("  splits", "  merge: [train, dev, dev]\n  splits"), "", "FILE: corpus.merge: duplicate split dev"},
		{"merge of train", replace("  splits", "  merge: [train]\n  splits"), "", "FILE: corpus.merge: [train] is not train and at least one other split"},
		{"merge without train", replace("  splits", "  merge: [dev, dev_hard]\n  splits"), "", "FILE: corpus.merge: [dev, dev_hard] is not train and at least one other split"},
		{"merge of text", replace("  splits", "  merge: train\n  splits"), "", "FILE:4:10: corpus.merge: text where a list is expected"},
		{"one fold", replace("  splits", "  fold: {of: 1, number: 1}\n  splits"), "", "FILE: corpus.fold.of: 1 is neither 0 nor at least 2"},
		{"no such fold", replace("  splits", "  fold: {of: 3, number: 4}\n  splits"), "", "FILE: corpus.fold.number: 4 of 3"},
		{"which fold", replace("  splits", "  fold: {of: 3}\n  splits"), "", "FILE: corpus.fold.number: 0 of 3"},
		{"fold of nothing", replace("  splits", "  fold: {number: 3}\n  splits"), "", "FILE: corpus.fold.number: 3 of 0"},
		{"folds by page", replace("  splits", "  fold: {of: 3, number: 1, by: page}\n  splits"), "", `FILE: corpus.fold.by: "page" is not document or patient`},
		{"subset by page", replace("  splits", "  subset: {documents: 3, by: page}\n  splits"), "", `FILE: corpus.subset.by: "page" is not document or patient`},
		{"negative subset", replace("  splits", "  subset: {documents: -3}\n  splits"), "", "FILE: corpus.subset.documents: -3 is negative"},
		{"ablation without a name", valid + "ablations: [{set: [seed=1]}]\n", "", "FILE: ablations[0].name: must be 1 to 100 letters, digits, '_', '-', '+' and '.', the first a letter or digit"},
		{"ablation twice", valid + "ablations: [{name: a, set: [seed=2]}, {name: a, set: [seed=3]}]\n", "", "FILE: ablations[1].name: duplicate name a"},
		{"ablation of nothing", valid + "ablations: [{name: a}]\n", "", "FILE: ablations[0].set: a changes nothing"},
		{"ablation of two", valid + "ablations: [{name: a, set: seed=2}]\n", "", "FILE:10:28: ablations[0].set: text where a list is expected"},
		{"notes per patient of a real corpus", replace("  splits", "  notes_per_patient: 3\n  splits"), "", "FILE: corpus.notes_per_patient: only allowed with format synth"},
		{"generated corpus of a real corpus", replace("  splits", "  generated: en\n  splits"), "", "FILE: corpus.generated: only allowed with format synth"},
		{"unknown generated corpus", generated("fr", ""), "", `FILE: corpus.generated: no generated corpus "fr" (have demo, en, es)`},
		{"types of another generated corpus", generated("en", "meddocan"), "", "FILE: corpus.types: meddocan, but generated notes have i2b2-2014"},
		{"notes of a real corpus", replace("  splits", "  notes: {test: 1}\n  splits"), "", "FILE: corpus.notes: only allowed with format synth"},
		{"unset variable", replace("/a", "\"${LETHE_TEST_EMPTY}/a\""), "", "FILE: corpus.splits.train: the environment variable LETHE_TEST_EMPTY is not set"},
		{"empty path", replace("/a", `""`), "", "FILE: corpus.splits.train: the path is empty"},

		{"set: unknown key", valid, "system.ann.trainin.epochs=2",
			"--set system.ann.trainin: unknown key (have tokenizer, ..."},
		{"set: wrong type", valid, "system.ann.training.epochs=x", "--set system.ann.training.epochs: text where a whole number is expected"},
		{"set: nothing", valid, "name=", "--set name: nothing where text is expected"},
		{"set: no value", valid, "name", "--set name: not of the form path=value, as in seed=2 or system.ensemble.members[0].name=first"},
		{"set: bad value", valid, "system.ann.training.batch=0", "--set system.ann.training.batch: 0 is not in [1, 1048576]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "x.yaml"), test.yaml)
			var settings []string
			if test.set != "" {
				settings = []string{test.set}
			}
			_, err := Load(path, settings)
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.ReplaceAll(err.Error(), path, file)
			if strings.HasPrefix(test.want, file+": ") { // TestErrorsOfMeaningHaveALine compares positions
				got = regexp.MustCompile(`^FILE(:\d+:\d+)?: `).ReplaceAllString(got, file+": ")
			}
			begin, cut := strings.CutSuffix(test.want, "...")
			if ok := got == test.want || cut && strings.HasPrefix(got, begin); !ok {
				t.Errorf("error\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// An error such as "system.ann.network.dropout: 1.5 is not in [0, 1)" named neither the line nor the
// setting of the value.
func TestErrorsOfMeaningHaveALine(t *testing.T) {
	for _, test := range []struct{ yaml, set, want string }{
		{strings.Replace(valid, "0.25", "1.5", 1), "", "FILE:7:15: system.ann.network.dropout: 1.5 is not in [0, 1)"},
		{strings.Replace(valid, "name: x", "name: a/b", 1), "", "FILE:1:1: name: must be"},
		{strings.Replace(valid, "meddocan", "brat", 1), "", "FILE:2:1: corpus.types: must be given"},
		{valid + "ablations: [{name: a, set: [seed=2]}, {name: a, set: [seed=3]}]\n", "", "FILE:10:40: ablations[1].name: duplicate name a"},
		{strings.Replace(valid, "name: x\n", "", 1), "", "FILE: name: must be"},
		{strings.Replace(valid, "0.25", "1.5", 1), "seed=3", "FILE:7:15: system.ann.network.dropout: 1.5"},
		{valid, "system.ann.network={dropout: 1.5}", "--set system.ann.network.dropout: 1.5"},
	} {
		path := write(t, filepath.Join(t.TempDir(), "x.yaml"), test.yaml)
		var settings []string
		if test.set != "" {
			settings = []string{test.set}
		}
		_, err := Load(path, settings)
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), path, "FILE"), test.want) {
			t.Errorf("%s: error %v, want %s", test.set, err, test.want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(valid, "seed=1")
	f.Add("a: &x {b: *x}\n<<: *x\n? [c]\n: d", "a.b=[{")
	f.Fuzz(func(t *testing.T, text, setting string) {
		path := write(t, filepath.Join(t.TempDir(), "x.yaml"), text)
		c, err := Load(path, []string{setting})
		if err == nil && c.Validate() != nil {
			t.Error("loaded, but not valid")
		}
	})
}

// "learning_rate=1e-3" was refused as text. With a rate below 1e-4 a run could be trained but never
// opened again, because its config.yaml says 1e-05.
func TestSmallNumbersSurviveTheRunFolder(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "x.yaml"), valid)
	for setting, want := range map[string]float64{"1e-3": 1e-3, "5e-4": 5e-4, "1E-3": 1e-3, "0.00001": 1e-5, "1e-05": 1e-5, "1e3": 1e3} {
		c, err := Load(path, []string{"system.ann.optimizer.learning_rate=" + setting})
		if err != nil {
			t.Errorf("%s: %v", setting, err)
			continue
		}
		run := &Run{Dir: filepath.Join(dir, "run-"+setting), Config: c}
		if err := run.begin(false); err != nil {
			t.Fatal(err)
		}
		again, err := OpenRun(run.Dir)
		if err != nil {
			t.Errorf("%s: %v", setting, err)
			continue
		}
		if got := ann.Of(again.Config.System).Optimizer.LearningRate; got != want {
			t.Errorf("%s: %v, want %v", setting, got, want)
		}
		if err := run.begin(true); err != nil {
			t.Errorf("%s: resumed: %v", setting, err)
		}
	}
}

// Windows editors put a byte order mark before the text, and it became part of the first key.
func TestByteOrderMark(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "x.yaml"), "\uFEFF"+strings.ReplaceAll(valid, "\n", "\r\n"))
	if c, err := Load(path, nil); err != nil || c.Name != "x" || ann.Of(c.System).Training.Epochs != 3 {
		t.Errorf("%+v, %v", c, err)
	}
}
