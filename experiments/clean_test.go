package experiments

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Words that are planted in training notes. frequent has as many patients as a clean model requires, the others have one less.
var planted = struct{ name, word, frequent string }{"Qzvxkwort", "wjpflumk", "hvoltrimp"}

// rareCharacter is one of a single patient.
const rareCharacter = "𝔔"

// noted returns generated notes with the planted words: the name in three notes of one patient, so that min_documents would let it
// pass, the word in notes of two patients, and the frequent word in those of three.
func noted(t *testing.T) []*data.Document {
	t.Helper()
	docs, err := data.Collect(synth.Notes(18, 1, synth.Train))
	if err != nil {
		t.Fatal(err)
	}
	add := func(d *data.Document, before, value, typ string) {
		from := len(d.Text) + len(before)
		d.Text += before + value + ".\n"
		if typ != "" {
			d.Spans = append(d.Spans, data.Span{Start: from, End: from + len(value), Type: typ, Score: 1})
		}
	}
	for i, d := range docs {
		d.Patient = fmt.Sprintf("p%d", i/3)
		switch i {
		case 0, 1, 2:
			add(d, "\nPatient: "+rareCharacter+rareCharacter+" ", planted.name, "PATIENT")
		case 3, 6:
			add(d, "\nThe patient has ", planted.word, "")
		}
		if i == 9 || i == 12 || i == 15 {
			add(d, "\nThe patient has ", planted.frequent, "")
		}
	}
	return docs
}

// allFamilies is the families of features without resources, as a YAML list.
func allFamilies(t *testing.T) string {
	t.Helper()
	var all []string
	for name := range feature.Families() {
		if _, err := feature.Check([]feature.Spec{{Family: name}}, feature.Sources{}); err == nil {
			all = append(all, "{family: "+name+"}")
		}
	}
	if slices.Sort(all); len(all) < 10 {
		t.Fatalf("%d families", len(all))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// holds lists the words whose bytes are in a file of a folder, as they are or compressed, in any case.
func holds(t *testing.T, dir string, words ...string) (found []string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if z, err := gzip.NewReader(bytes.NewReader(raw)); err == nil {
			content, err := io.ReadAll(z)
			if err != nil {
				return err
			}
			raw = append(raw, content...)
		}
		raw = append(raw, entry.Name()...)
		for _, w := range words {
			if bytes.Contains(bytes.ToLower(raw), bytes.ToLower([]byte(w))) && !slices.Contains(found, w) {
				found = append(found, w)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
	slices.Sort(found)
	return found
}

// A clean model has no word of fewer patients than it says in any of its files, whatever it consists of; a model that is not clean
// has them, except trees, which never have names.
func TestCleanModels(t *testing.T) {
	network := `ann: {tokenizer: letters-digits, sentences: line, network: {character_lstm: 4, token_embedding: 8, token_lstm: 8, hidden: 8}, ` +
		`optimizer: {method: adam, learning_rate: 0.02}, training: {batch: 4, epochs: 2, patience: 0}}`
	crf := `crf: {features: ` + allFamilies(t) + `, training: {iterations: 2}}`
	trees := `trees: {rounds: 2, min_documents: 2, min_gain: 0, iterations: 2}`
	for name, system := range map[string]string{
		"network":  network,
		"crf":      crf,
		"per type": `crf: {per_type: true, features: [{family: word}, {family: prefix, size: 9}], training: {iterations: 3, l1: 0.01, l2: 0}}`,
		"trees":    trees,
		"tree": `second_pass: {system: {corrected: {rules: {set: english}, system: {cued: {lists: [{builtin: en-organization-cues}], system: {` +
			`ensemble: {method: learned, folds: 2, members: [{name: a, system: {` + crf + `}}, {name: b, system: {` + network + `}}, {name: c, system: {` + trees + `}}, ` +
			`{name: d, system: {rules: {set: english}}}]}}}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.yaml")
			if err := os.WriteFile(path, []byte("name: x\ncorpus: {format: synth, notes: {train: 1, dev: 1}}\nsystem: {"+system+"}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, setting := range []string{"clean=false", "clean.patients=3"} {
				c, err := Load(path, []string{setting})
				if err != nil {
					t.Fatal(err)
				}
				model, err := c.Fit(t.Context(), noted(t), nil, 2, taggers.Report{})
				if err != nil {
					t.Fatal(err)
				}
				dir := filepath.Join(t.TempDir(), "model")
				if err := model.(taggers.Model).Save(dir); err != nil {
					t.Fatal(err)
				}
				found := holds(t, dir, planted.name, planted.word, planted.frequent, rareCharacter)
				clean := c.Clean.Patients > 0
				switch {
				case clean:
					if !slices.Equal(found, []string{planted.frequent}) {
						t.Errorf("a clean model has %q, want only the word of three patients", found)
					}
				case name == "trees": // a word of two patients outside of PHI, and nothing else
					if slices.Contains(found, planted.name) || !slices.Contains(found, planted.word) {
						t.Errorf("trees have %q", found)
					}
				case !slices.Contains(found, planted.name) || !slices.Contains(found, planted.word) || !slices.Contains(found, rareCharacter) && name == "network":
					t.Errorf("a model that is not clean has %q, so this test shows nothing", found)
				}
				checkContents(t, dir, c.Clean.Patients)
			}
		})
	}
}

// checkContents loads a model and checks what it says about itself and which words it has.
func checkContents(t *testing.T, dir string, least int) {
	t.Helper()
	model, _, err := system.Load(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	for place, leaf := range system.Leaves(model) {
		c := leaf.(taggers.Inventory).Contents()
		if c.Unlearned != (c.Kind == "rules") || !c.Unlearned && c.MinPatients != least {
			t.Errorf("%s: %s: unlearned %v, words of %d patients, want %d", place, c.Kind, c.Unlearned, c.MinPatients, least)
		}
		if v, ok := leaf.(taggers.Verbatim); ok && least > 0 {
			if says := fmt.Sprintf("at least %d patients", least); !strings.Contains(c.Privacy, says) {
				t.Errorf("%s: %q does not say %s", place, c.Privacy, says)
			}
			n := 0
			for word := range v.Texts {
				n++
				if strings.Contains(strings.ToLower(word), strings.ToLower(planted.name)) || strings.Contains(word, planted.word) {
					t.Errorf("%s has a planted word", place)
				}
			}
			if n == 0 {
				t.Errorf("%s has no words at all", place)
			}
		} else if c.Unlearned == ok {
			t.Errorf("%s: %s learns from notes and does not list its words", place, c.Kind)
		}
	}
}

// The vectors of a file were trained further, so that a change showed which of its words the notes have. In a clean training, those
// of words of few patients stay as they are.
func TestChangedVectorsShowedRareWords(t *testing.T) {
	dir := t.TempDir()
	row := map[string]string{planted.name: "1 2 3 4", strings.ToLower(planted.name): "2 3 4 5", planted.word: "3 4 5 6", planted.frequent: "4 5 6 7", "elsewhere": "5 6 7 8"}
	var file strings.Builder
	for word, v := range row {
		fmt.Fprintln(&file, word, v)
	}
	vectors := filepath.Join(dir, "v.txt")
	config := `name: x
corpus: {format: synth, notes: {train: 1, dev: 1}}
system:
  ann: {tokenizer: letters-digits, sentences: line, vectors: {file: ` + vectors + `}, network: {character_lstm: 4, token_embedding: 4, token_lstm: 8, hidden: 8}, ` +
		`optimizer: {method: adam, learning_rate: 0.02, average: 0.9, clip_norm: 1, clip_value: 0}, training: {batch: 4, epochs: 2, patience: 0, unknown_singletons: 0}}
`
	path := filepath.Join(dir, "x.yaml")
	for name, content := range map[string]string{vectors: file.String(), path: config} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for setting, changed := range map[string][]string{
		"clean=null":       {planted.name, planted.frequent, planted.word},
		"clean.patients=3": {planted.frequent},
		"clean.patients=2": {planted.frequent, planted.word},
	} {
		c, err := Load(path, []string{setting})
		if err != nil {
			t.Fatal(err)
		}
		model, err := c.Fit(t.Context(), noted(t), nil, 2, taggers.Report{})
		if err != nil {
			t.Fatal(err)
		}
		tokens, _ := model.(*ann.Tagger).Embeddings()
		var got []string
		for word, v := range row {
			at := slices.Index(tokens.Names, word)
			if at < 0 {
				t.Fatalf("%s: no vector for %s", setting, word)
			}
			var is []string
			for _, x := range tokens.Vectors[at*tokens.Width:][:tokens.Width] {
				is = append(is, fmt.Sprint(x))
			}
			if strings.Join(is, " ") != v {
				got = append(got, word)
			}
		}
		if slices.Sort(got); !slices.Equal(got, changed) {
			t.Errorf("%s: the vectors of %q changed, want %q", setting, got, changed)
		}
	}
}

// Settings that would break the promise of a clean model, and what the error says.
func TestCleanIsRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	base := "name: x\ncorpus: {format: synth, notes: {train: 10, dev: 1}}\n"
	network := "{tokenizer: letters-digits, network: {character_lstm: 4, token_embedding: 8, token_lstm: 8, hidden: 8}, training: {epochs: 1, patience: 0}"
	path := write("ann.yaml", base+"system: {ann: "+network+"}}\n")
	models := map[string]string{}
	for name, setting := range map[string]string{"dirty": "clean=null", "three": "clean.patients=3", "five": "clean=true"} {
		c, err := Load(path, []string{setting})
		if err != nil {
			t.Fatal(err)
		}
		model, err := c.Fit(t.Context(), noted(t), nil, 1, taggers.Report{})
		if err != nil {
			t.Fatal(err)
		}
		models[name] = filepath.Join(dir, name)
		if err := model.(taggers.Model).Save(models[name]); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"dirty": "words of the notes of fewer than 5 patients", "three": "words of the notes of fewer than 5 patients", "five": ""} {
		for _, system := range []string{
			"{ann: " + network + ", start: " + models[name] + "}}",
			"{second_pass: {system: {trained: {model: " + models[name] + "}}}}",
		} {
			c, err := Load(write("start.yaml", base+"system: "+system+"\nclean: true\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Fit(t.Context(), noted(t), nil, 1, taggers.Report{})
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: error %v, want %q", system, err, want)
			}
		}
	}

	for config, want := range map[string]string{
		"clean: 5":             "x.yaml:3:8: clean: a number where true, false or a mapping is expected",
		"clean: {patients: 1}": "x.yaml:3:9: clean.patients: 1 is not at least 2",
		"clean: {notes: 5}":    "clean.notes: unknown key (have patients)",
		"system: {ann: {vocabulary: {min_patients: 3}}}":                            "system.ann: min_patients is decided for all parts at once: use clean.patients",
		"system: {crf: {min_patients: 3, features: [{family: word}]}}\nclean: true": "system.crf: min_patients is not clean.patients, 5",
		"system: {crf: {min_patients: -1, features: [{family: word}]}}":             "min_patients",
	} {
		if !strings.Contains(config, "system") {
			config += "\nsystem: {ann: {}}"
		}
		_, err := Load(write("x.yaml", base+config+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", config, err, want)
		}
	}
	if _, err := Load(path, []string{"system.ann.vocabulary.min_patients=3"}); err == nil || !strings.Contains(err.Error(), "use clean.patients") {
		t.Errorf("error %v", err)
	}

	// A clean experiment can be made unclean again, as an ablation does.
	c, err := Load(path, []string{"clean=true"})
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]int{"clean=null": 0, "clean=false": 0, "clean.patients=7": 7, "seed=2": 5} {
		other, err := c.With(setting)
		if err != nil {
			t.Fatal(err)
		}
		if got := ann.Of(other.System).Vocabulary.MinPatients; got != want {
			t.Errorf("%s: words of %d patients, want %d", setting, got, want)
		}
	}
}
