package hf

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/checkpoints/huggingface"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

// models are small networks with random weights.
const models = "../../checkpoints/huggingface/testdata"

// model copies a small network into a folder and gives it a tokenizer of single letters. It returns settings that map all
// labels to NAME.
func model(t *testing.T, name string) Config {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(models, name))); err != nil {
		t.Fatal(err)
	}
	folder, err := huggingface.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	words := strings.Fields("[PAD] [UNK] [CLS] [SEP] [MASK]")
	for _, r := range "aeimnoruwyASR3.,:" {
		words = append(words, string(r))
		if r > ':' {
			words = append(words, "##"+string(r))
		}
	}
	words = words[:min(len(words), folder.Config().VocabularySize)]
	if err := os.WriteFile(filepath.Join(dir, "vocab.txt"), []byte(strings.Join(words, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig()
	c.Model, c.Types = dir, map[string]Type{}
	for _, typ := range modelTypes(folder.Config().Labels) {
		c.Types[typ] = Type{"NAME"}
	}
	return c
}

// A model that is saved and loaded finds the same, with the same probabilities, whatever files it came from. Only safetensors are
// saved.
func TestSavedModels(t *testing.T) {
	text := strings.Repeat("Mary Roe, seen on 3. ", 40)
	for _, name := range []string{"bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "deberta-v2", "modernbert", "parts", "torch", "torch-parts", "unprefixed"} {
		c := model(t, name)
		fitted, err := c.Fit(t.Context(), taggers.Task{Types: someTypes, Workers: 2})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		dir := filepath.Join(t.TempDir(), "saved")
		if err := fitted.(taggers.Model).Save(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(c.Model); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if n := f.Name(); strings.Contains(n, ".bin") || n == "expected.json" {
				t.Errorf("%s: saved %s", name, n)
			}
		}
		loaded, err := c.Load(dir, someTypes, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		found, doubts, err := fitted.(data.Prober).Probe(t.Context(), docs(text, "Roe"), 0.01)
		if err != nil {
			t.Fatal(err)
		}
		again, doubtsAgain, err := loaded.(data.Prober).Probe(t.Context(), docs(text, "Roe"), 0.01)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][][]data.Span{found, doubts}, [][][]data.Span{again, doubtsAgain}); diff != "" {
			t.Errorf("%s: -fitted +loaded\n%s", name, diff)
		}
		if len(found[0])+len(doubts[0]) == 0 {
			t.Errorf("%s: finds nothing", name)
		}
		if n := fitted.(taggers.Inventory).Contents(); n.Parameters < 100 || n.Vocabulary < 5 {
			t.Errorf("%s: contents %+v", name, n)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for want, change := range map[string]func(c *Config) error{
		"config.json: no such file":                     func(c *Config) error { return os.Remove(filepath.Join(c.Model, "config.json")) },
		"contains neither tokenizer.json nor vocab.txt": func(c *Config) error { return os.Remove(filepath.Join(c.Model, "vocab.txt")) },
		"types.VENDOR: the model has no such label":     func(c *Config) error { c.Types["VENDOR"] = Type{}; return nil },
		"subwords, but the network only": func(c *Config) error {
			var words strings.Builder
			for i := range 5000 {
				fmt.Fprintf(&words, "w%d\n", i)
			}
			return os.WriteFile(filepath.Join(c.Model, "vocab.txt"), []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"+words.String()), 0o666)
		},
	} {
		c := model(t, "bert")
		if err := change(&c); err != nil {
			t.Fatal(err)
		}
		if err := c.Check(someTypes, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
