package checkpoints

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/tensorfile"
)

func model() *Model {
	return &Model{
		Tensors:      sorted(weights()),
		Metadata:     map[string]string{"epoch": "12"},
		Tokens:       []string{"[UNK]", "Dr", ".", "José", "<b>", `"`, "naïve\u2028", ". . ."},
		UnknownToken: "[UNK]",
		Characters:   []string{"", "a", "é", "😀"},
		Types:        data.CoNLL,
		Scheme:       data.BIOES,
		Tokenizer:    "letters-digits",
		Labels:       data.BIOES.Labels([]string{"PER", "LOC"}),
		Config:       []byte("seed: 1\n"),
		README:       []byte("# A model\n"),
	}
}

func mustSave(t testing.TB, dir string, m *Model) {
	t.Helper()
	if err := Save(dir, m); err != nil {
		t.Fatal(err)
	}
}

// names returns the names of the files in a folder.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// sameTypes compares type sets, which have unexported fields.
var sameTypes = cmp.Comparer(func(a, b *data.TypeSet) bool { return a.Difference(b) == "" })

func TestModelRoundTrip(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "runs", "best")
	mustSave(t, dir, model())
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(model(), m, sameTypes); d != "" {
		t.Error(d)
	}
	if got := names(t, filepath.Dir(dir)); !slices.Equal(got, []string{"best"}) {
		t.Errorf("beside the model lie %v", got)
	}
	if want := []string{"README.md", "config.yaml", "labels.json", "tokenizer.json", "weights.safetensors"}; !slices.Equal(names(t, dir), want) {
		t.Errorf("the folder holds %v", names(t, dir))
	}

	again := filepath.Join(parent, "again")
	mustSave(t, again, m)
	for _, name := range names(t, dir) {
		if !bytes.Equal(mustRead(t, filepath.Join(dir, name)), mustRead(t, filepath.Join(again, name))) {
			t.Errorf("%s differs when a loaded model is saved", name)
		}
	}
}

// TestHalfRoundTrip saves a model as float16. Its numbers change by at most one part in
// 2048, or by half of the smallest float16 number, and its other files stay the same.
func TestHalfRoundTrip(t *testing.T) {
	want, half := model(), model()
	half.Half = true
	for i, tensor := range half.Tensors {
		for k, x := range tensor.Data {
			if math.Abs(float64(x)) > tensorfile.MaxHalf {
				tensor.Data[k], want.Tensors[i].Data[k] = 1, 1
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "half")
	mustSave(t, dir, half)
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, tensor := range got.Tensors {
		for k, x := range tensor.Data {
			exact := float64(want.Tensors[i].Data[k])
			if math.Abs(float64(x)-exact) > max(math.Abs(exact)/2048, 0x1p-25) {
				t.Errorf("%s: value %d is %v, was %v", tensor.Name, k, x, exact)
			}
		}
		want.Tensors[i].Data = tensor.Data
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	half.Tensors[0].Data[0] = 70000
	if err := Save(dir, half); err == nil || !strings.Contains(err.Error(), "too large for float16") {
		t.Errorf("a number beyond float16: error %v", err)
	}
}

func TestVocabularyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfNDistinct(rapid.String(), 1, 20, rapid.ID[string]).Draw(t, "tokens")
		unknown := rapid.SampledFrom(tokens).Draw(t, "unknown")
		b, err := encodeTokenizer(tokens, unknown, rapid.SampledFrom([]string{"letters-digits", "ptb"}).Draw(t, "tokenizer"))
		if err != nil {
			t.Fatal(err)
		}
		got, unk, err := decodeTokenizer(b)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, tokens) || unk != unknown {
			t.Fatal("the vocabulary changed")
		}
	})
}

func TestSaveReplaces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "last")
	mustSave(t, dir, model())
	second := model()
	second.Tokens = []string{"new", "[UNK]"}
	second.README = nil
	mustSave(t, dir, second)
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Tokens, second.Tokens) || len(m.README) != 0 {
		t.Error("the older model is still there")
	}
	if got := names(t, filepath.Dir(dir)); !slices.Equal(got, []string{"last"}) {
		t.Errorf("beside the model lie %v", got)
	}
}

// A program that is killed at any step of Save leaves a folder that Load can
// read, and the next Save cleans up.
func TestSaveCutOff(t *testing.T) {
	for _, c := range []struct {
		name string
		cut  func(t *testing.T, dir string)
	}{
		{"while writing", func(t *testing.T, dir string) {
			os.Mkdir(beside(dir, "new"), 0o755)
			os.WriteFile(filepath.Join(beside(dir, "new"), "tokenizer.json"), []byte("{"), 0o600)
		}},
		{"between the renames", func(t *testing.T, dir string) {
			os.Mkdir(beside(dir, "new"), 0o755)
			if err := os.Rename(dir, beside(dir, "old")); err != nil {
				t.Fatal(err)
			}
		}},
		{"before removing the old one", func(t *testing.T, dir string) { mustSave(t, beside(dir, "old"), model()) }},
	} {
		dir := filepath.Join(t.TempDir(), "last")
		mustSave(t, dir, model())
		c.cut(t, dir)
		m, err := Load(dir)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if d := cmp.Diff(model(), m, sameTypes); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		mustSave(t, dir, model())
		if got := names(t, filepath.Dir(dir)); !slices.Equal(got, []string{"last"}) {
			t.Errorf("%s: after the next Save, %v", c.name, got)
		}
	}
}

// A wrong path must not destroy anyone's files.
func TestSaveLeavesOtherFoldersAlone(t *testing.T) {
	dir := t.TempDir()
	thesis := filepath.Join(dir, "thesis.txt")
	os.WriteFile(thesis, []byte("years of work"), 0o600)
	if err := Save(dir, model()); err == nil || !strings.Contains(err.Error(), `contains "thesis.txt", which is not part of a model`) {
		t.Errorf("a folder with other files: %v", err)
	}
	if err := Save(thesis, model()); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("a file: %v", err)
	}
	if string(mustRead(t, thesis)) != "years of work" || len(names(t, dir)) != 1 {
		t.Error("the folder changed")
	}
}

func TestSaveRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Model)
		want string
	}{
		{"NaN", func(m *Model) { m.Tensors[0] = Tensor{"w", nil, []float32{float32(math.NaN())}} }, `tensor "w": value 0 is NaN`},
		{"token twice", func(m *Model) { m.Tokens[3] = "Dr" }, "tokens 1 and 3 are the same"},
		{"token not UTF-8", func(m *Model) { m.Tokens[3] = "\xff" }, "token 3 is not UTF-8"},
		{"unknown token missing", func(m *Model) { m.UnknownToken = "?" }, "the unknown token is not one of the tokens"},
		{"character twice", func(m *Model) { m.Characters[2] = "a" }, "characters 1 and 2 are the same"},
		{"type set", func(m *Model) { m.Types = nil }, "no type set"},
		{"scheme", func(m *Model) { m.Scheme = "BILOU" }, `no label scheme "BILOU"`},
		{"scheme in lower case", func(m *Model) { m.Scheme = "bioes" }, `no label scheme "bioes": did you mean BIOES?`},
		{"label of another type set", func(m *Model) { m.Labels[1] = "B-DATE" }, `label 1, "B-DATE", is not one of BIOES over the types conll`},
		{"label of another scheme", func(m *Model) { m.Scheme = data.BIO }, `label 2, "E-PER", is not one of BIO over the types conll`},
		{"label twice", func(m *Model) { m.Labels[1] = m.Labels[2] }, "labels 1 and 2 are the same"},
		{"no labels", func(m *Model) { m.Labels = nil }, "no labels"},
		{"metadata key", func(m *Model) { m.Metadata["sha256:labels.json"] = "" }, "keys that start with sha256 are reserved"},
	} {
		dir := t.TempDir()
		m := model()
		c.edit(m)
		if err := Save(filepath.Join(dir, "m"), m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if got := names(t, dir); len(got) != 0 {
			t.Errorf("%s: left %v behind", c.name, got)
		}
	}
}

func TestLoadNoticesEveryEdit(t *testing.T) {
	for _, c := range []struct {
		file, old, new string // an empty old: remove the file
		want           string
	}{
		{"labels.json", "B-PER", "B-LOC", "labels.json: unusable: does not match the sha256 in weights.safetensors"},
		{"tokenizer.json", "Dr", "Mr", "tokenizer.json: unusable: does not match the sha256"},
		{"config.yaml", "1", "2", "config.yaml: unusable: does not match the sha256"},
		{"weights.safetensors", "step", "stop", "weights.safetensors: not an intact model or state file: the contents do not match the sha256"},
		{"labels.json", "", "", "labels.json: no such file"},
		{"weights.safetensors", "", "", "weights.safetensors: no such file"},
	} {
		dir := filepath.Join(t.TempDir(), "m")
		mustSave(t, dir, model())
		path := filepath.Join(dir, c.file)
		b := mustRead(t, path)
		if c.old == "" {
			os.Remove(path)
		} else if !bytes.Contains(b, []byte(c.old)) {
			t.Fatalf("%s does not hold %s", c.file, c.old)
		} else {
			os.WriteFile(path, bytes.Replace(b, []byte(c.old), []byte(c.new), 1), 0o600)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s for %s: %v", c.file, c.new, c.old, err)
		}
	}

	dir := filepath.Join(t.TempDir(), "m")
	mustSave(t, dir, model())
	os.Remove(filepath.Join(dir, "README.md"))
	if _, err := Load(dir); err != nil {
		t.Errorf("without the card: %v", err)
	}
	// A folder with the name of the card made Load fail for a good model.
	if err := os.Mkdir(filepath.Join(dir, "README.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if m, err := Load(dir); err != nil || m.README != nil {
		t.Errorf("with a folder for a card: %v", err)
	}
	if err := WriteTensors(filepath.Join(dir, "weights.safetensors"), weights(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "not the weights of a model folder") {
		t.Errorf("a state file for weights: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

// A folder with correct digests can still contain nonsense, which errors must not
// quote.
func TestDecodeTokenizerRefuses(t *testing.T) {
	const secret = "Zebediah"
	for _, c := range []struct{ name, json, want string }{
		{"empty", "", "unexpected end of JSON input"},
		{"null", "null", "model.type is not WordLevel"},
		{"another model", `{"model":{"type":"BPE","vocab":{"Zebediah":0},"merges":[]}}`, "model.type is not WordLevel"},
		{"no type", `{"model":{"vocab":{"Zebediah":0},"unk_token":"Zebediah"}}`, "model.type is not WordLevel"},
		{"a list", `{"model":{"type":"WordLevel","vocab":["Zebediah"]}}`, "model is not a WordLevel whose vocab maps tokens to ids"},
		{"no vocabulary", `{"model":{"type":"WordLevel","unk_token":"Zebediah"}}`, "model.unk_token is not in model.vocab"},
		{"no tokens", `{"model":{"type":"WordLevel","vocab":{},"unk_token":"Zebediah"}}`, "model.unk_token is not in model.vocab"},
		{"a hole", `{"model":{"type":"WordLevel","vocab":{"Zebediah":0,"b":2},"unk_token":"b"}}`, "model.vocab: the ids are not 0 to 1, each once"},
		{"an id twice", `{"model":{"type":"WordLevel","vocab":{"Zebediah":1,"b":1},"unk_token":"b"}}`, "model.vocab: the ids are not 0 to 1, each once"},
		{"a fraction", `{"model":{"type":"WordLevel","vocab":{"Zebediah":0.5,"b":1},"unk_token":"b"}}`, "model is not a WordLevel whose vocab maps tokens to ids"},
		{"a negative id", `{"model":{"type":"WordLevel","vocab":{"Zebediah":-1},"unk_token":"Zebediah"}}`, "model.vocab: the ids are not 0 to 0, each once"},
		{"an id as text", `{"model":{"type":"WordLevel","vocab":{"Zebediah":"0"},"unk_token":"b"}}`, "model is not a WordLevel whose vocab maps tokens to ids"},
		{"unknown missing", `{"model":{"type":"WordLevel","vocab":{"Zebediah":0},"unk_token":"b"}}`, "model.unk_token is not in model.vocab"},
		{"a token twice", `{"model":{"type":"WordLevel","vocab":{"Zebediah":0,"Zebediah":1},"unk_token":"Zebediah"}}`, "model.vocab: tokens 0 and 1 are the same"},
		{"a broken escape", `{"model":{"type":"WordLevel","vocab":{"Zeb\ud800del":0,"b":1}}}`, "invalid surrogate pair"},
		{"a broken vocabulary", `{"model":{"type":"WordLevel","vocab":{"Zebediah":0;"b":1}}}`, "invalid character ';' after object value (expecting ',' or '}')"},
		{"a truncated vocabulary", `{"model":{"type":"WordLevel","vocab":{"Zebediah":0`, "unexpected end of JSON input"},
		{"two values", `{"model":{"type":"WordLevel","vocab":{"Zebediah":0},"unk_token":"Zebediah"}} 1`, "more than one JSON value"},
		{"unknown null", `{"model":{"type":"WordLevel","vocab":{"Zebediah":0,"":1},"unk_token":null}}`, "model.unk_token is missing"},
	} {
		_, _, err := decodeTokenizer([]byte(c.json))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error quotes a token", c.name)
		}
	}
}

func TestDecodeLabelsRefuses(t *testing.T) {
	const rest = `"types":"conll","scheme":"BIO","tokenizer":"ptb","characters":[]`
	for _, c := range []struct{ name, json, want string }{
		{"unknown field", `{` + rest + `,"labels":["O"],"x":1}`, `unknown field "x"`},
		{"two values", `{` + rest + `,"labels":["O"]} {}`, "more than one JSON value"},
		{"wrong type", `{` + rest + `,"labels":"O"}`, "cannot unmarshal string"},
		{"label", `{` + rest + `,"labels":["O","B-"]}`, `label 1, "B-", is not one of BIO`},
		{"long prefix", `{` + rest + `,"labels":["O","BI-PER"]}`, `label 1, "BI-PER", is not one of BIO`},
		{"empty", `{}`, `no type set ""`},
	} {
		if _, err := decodeLabels([]byte(c.json)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := decodeLabels([]byte(`{` + rest + `,"labels":["O","B-PER","I-PER"]}`)); err != nil {
		t.Error(err)
	}
}

func FuzzTokenizerJSON(f *testing.F) {
	b, err := encodeTokenizer(model().Tokens, "[UNK]", "letters-digits")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"model":{"type":"WordLevel","vocab":{"a":1,"b":0},"unk_token":"b"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		tokens, unknown, err := decodeTokenizer(b)
		if err == nil && (!slices.Contains(tokens, unknown) || checkDistinct("token", tokens) != nil) {
			t.Fatal("a vocabulary that cannot be saved")
		}
	})
}

func FuzzLabelsJSON(f *testing.F) {
	f.Add([]byte(`{"types":"conll","scheme":"BIO","tokenizer":"ptb","labels":["O","B-PER"],"characters":["","a"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := decodeLabels(b)
		if err == nil && l.check() != nil {
			t.Fatal("labels that cannot be saved")
		}
	})
}

func card() Card {
	return Card{
		Name: "demo: net", Language: "en", Dataset: "generated notes", Documents: 120, Tokens: 34567,
		Split: "dev", Measure: "strict type and span, micro-averaged",
		Overall:        Score{"", 0.98765, 0.9, 0.94, 321},
		Types:          []Score{{"DATE", 1, 0.95, 0.97436, 200}, {"PATIENT", 0.96, 0.8, 0.87273, 121}},
		VocabularyNote: "Its 3 words occur in at least 5 notes each.",
		Limits:         "Invented notes only.",
	}
}

func TestCard(t *testing.T) {
	b, err := card().Markdown()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitN(string(b), "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatal("no front matter")
	}
	var front frontMatter
	if err := yaml.UnmarshalWithOptions([]byte(parts[1]), &front, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	want := frontMatter{
		Library: "lethe", Pipeline: "token-classification", Language: "en",
		Tags:     []string{"token-classification", "de-identification", "clinical"},
		Datasets: []string{"generated notes"}, Metrics: []string{"precision", "recall", "f1"},
		ModelIndex: []modelIndex{{"demo: net", []result{{
			Task:    map[string]string{"type": "token-classification"},
			Dataset: resultDataset{"generated notes", "generated notes", "dev"},
			Metrics: []metric{{"precision", "precision", 0.9877}, {"recall", "recall", 0.9}, {"f1", "F1", 0.94}},
		}}}},
	}
	if d := cmp.Diff(want, front); d != "" {
		t.Error(d)
	}
	if strings.Contains(parts[1], "license") {
		t.Error("an empty licence is written")
	}
	for _, line := range []string{
		"Trained on generated notes, 120 notes, 34567 tokens.",
		"On the dev split: strict type and span, micro-averaged. In percent",
		"| **all** | 98.77 | 90.00 | 94.00 | 321 |\n| DATE | 100.00 | 95.00 | 97.44 | 200 |\n| PATIENT | 96.00 | 80.00 | 87.27 | 121 |\n",
		"those can be names. Its 3 words occur in at least 5 notes each.",
		"Invented notes only.",
	} {
		if !strings.Contains(parts[2], line) {
			t.Errorf("the card lacks %q", line)
		}
	}
}

func TestCardRefuses(t *testing.T) {
	for _, edit := range []func(*Card){
		func(c *Card) { c.VocabularyNote = "" },
		func(c *Card) { c.Name = "" },
		func(c *Card) { c.Overall.F1 = 94 },
		func(c *Card) { c.Types[0].Recall = math.NaN() },
	} {
		c := card()
		edit(&c)
		if _, err := c.Markdown(); err == nil {
			t.Error("accepted")
		}
	}
}

func Example() {
	dir, _ := os.MkdirTemp("", "model")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "best")

	err := Save(path, &Model{
		Tensors:      []Tensor{{Name: "crf.start", Shape: []int{3}, Data: []float32{0.5, -1, 2}}},
		Tokens:       []string{"[UNK]", "admitted"},
		UnknownToken: "[UNK]",
		Types:        data.I2B2,
		Scheme:       data.BIO,
		Tokenizer:    "letters-digits",
		Labels:       []string{"O", "B-DATE", "I-DATE"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := Load(path)
	fmt.Println(m.Tensors[0], m.Labels, err)

	os.WriteFile(filepath.Join(path, "labels.json"), []byte("{}"), 0o600)
	_, err = Load(path)
	fmt.Println(strings.TrimPrefix(err.Error(), path))
	// Output:
	// {crf.start [3] [0.5 -1 2]} [O B-DATE I-DATE] <nil>
	// /labels.json: unusable: does not match the sha256 in weights.safetensors: damaged, edited, or from another model
}

func TestSetOperatingPoints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	mustSave(t, dir, model())
	card := filepath.Join(dir, CardFile)
	for _, tc := range []struct{ name, before, want string }{
		{"made by a training", "# A\n\n## Scores\n\n1\n\n## Limits\n\n- 2\n", "# A\n\n## Scores\n\n1\n\n## Operating points\n\n| R |\n\n## Limits\n\n- 2\n"},
		{"with earlier ones", "# A\n\n## Operating points\n\n| old |\n\nold\n\n## Limits\n", "# A\n\n## Operating points\n\n| R |\n\n## Limits\n"},
		{"moved to the end by hand", "# A\n\n## Limits\n\n- 2\n\n## Operating points\n\n| old |\n", "# A\n\n## Operating points\n\n| R |\n\n## Limits\n\n- 2\n\n"},
		{"written by hand", "About the model\nand its operating points", "About the model\nand its operating points\n\n## Operating points\n\n| R |\n"},
		{"with CRLF", "# A\r\n\r\n## Operating points\r\n\r\nold\r\n# B\r\n", "# A\r\n\r\n# B\n\n## Operating points\n\n| R |\n"},
		{"empty", "", "\n\n## Operating points\n\n| R |\n"},
	} {
		if err := os.WriteFile(card, []byte(tc.before), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time changes nothing
			if err := SetOperatingPoints(dir, []byte("\n| R |\n\n")); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(card)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, string(got)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
	// A copy of the model has no operating points, and its card does not mention
	// any.
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.README = []byte("# A\n\n## Operating points\n\n| R |\n\n## Limits\n")
	mustSave(t, dir, m)
	if m, err = Load(dir); err != nil || string(m.README) != "# A\n\n## Limits\n" {
		t.Errorf("saved again: %q, %v", m.README, err)
	}
	if err := os.Remove(card); err != nil {
		t.Fatal(err)
	}
	if err := SetOperatingPoints(dir, []byte("| R |")); err != nil || slices.Contains(names(t, dir), CardFile) {
		t.Errorf("without a card: %v, %v", err, names(t, dir))
	}
}
