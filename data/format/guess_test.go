package format_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
)

// simple is what all formats can contain.
var simple = []*data.Document{
	{ID: "a", Text: "Zoë Vance left", Spans: []data.Span{{Start: 0, End: 10, Type: "PATIENT", Score: 1}}},
	{ID: "b", Text: "on 3 May", Spans: []data.Span{{Start: 3, End: 8, Type: "DATE", Score: 1}}},
}

// written writes the simple documents and returns the folder.
func written(t *testing.T, f *format.Format) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	w, err := f.Create(dir, format.Options{Types: data.I2B2.Open()})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range simple {
		if err := w.Write(doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Corpora could not be gzipped: a.xml.gz was left out, and train.jsonl.gz was invalid UTF-8.
func TestGzippedCorpora(t *testing.T) {
	for _, name := range format.Names() {
		t.Run(name, func(t *testing.T) {
			f, err := format.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := written(t, f)
			want := collect(t, name, dir, data.Any)
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				path := filepath.Join(dir, e.Name())
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				_, _ = z.Write(raw)
				_ = z.Close()
				if err := os.WriteFile(path+".gz", b.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, collect(t, name, dir, data.Any)); diff != "" {
				t.Error(diff)
			}
			if left, err := f.LeftOut(dir, format.Options{}); err != nil || left != nil {
				t.Errorf("left out: %v, %v", left, err)
			}
			if guessed, err := format.Guess(dir); err != nil || guessed != f {
				t.Errorf("guessed %v, %v", guessed, err)
			}
			if f.CreateFile == nil || name == "spacy" { // a DocBin is compressed already
				return
			}
			path := filepath.Join(dir, "one"+f.Exts[0]+".gz")
			w, err := f.CreateFile(path, format.Options{Types: data.I2B2.Open()})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(simple[0]); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
				t.Errorf("the file is not gzipped: %v", err)
			}
			if got := collect(t, name, path, data.Any); got[0].Text != simple[0].Text {
				t.Error("the text differs")
			}
			if err := os.WriteFile(path, raw[:len(raw)-9], 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := data.Collect(f.Read(path, format.Options{Types: data.Any})); err == nil || !strings.Contains(err.Error(), "the gzipped file is incomplete") {
				t.Errorf("an incomplete file: %v", err)
			}
		})
	}
}

func TestGuess(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct{ content, want string }{
		"a.txt":   {"-DOCSTART- -X- O\n\nZoë NNP B-PER\nleft VBD O\n", "conll"},
		"b.txt":   {"Zoë left.\n", "text"},
		"c.tsv":   {"1\tZoë\tB-PER\n", "conll"},
		"d.xml":   {"\uFEFF<?xml version='1.0'?>\n<!-- x -->\n<deIdi2b2>", "i2b2"},
		"e.xml":   {"<MEDDOCAN >", "meddocan"},
		"f.xml":   {"<ROOT>\n<RECORD ID='1'>", "i2b2-2006"},
		"g.json":  {`[{"id":1,"data":{"text":"x"}}]`, "labelstudio"},
		"h.json":  {`[{"tokens":["x"],"labels":["O"]}]`, "hf"},
		"i.jsonl": {`{"id":"1","text":"` + strings.Repeat("x", 100_000) + `"}`, "jsonl"},
		"j.jsonl": {`{"tokens":["x"],"ner_tags":[0]}`, "hf"},
		"k.xml":   {"<html>", "error: is in no format that can be recognized"},
		"l.json":  {`{"x":1}`, "error: is in no format that can be recognized"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tc.content), 0o666); err != nil {
			t.Fatal(err)
		}
		got := ""
		if f, err := format.Guess(path); err != nil {
			got = "error" + strings.TrimPrefix(err.Error(), path)
		} else {
			got = f.Name
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	if _, err := format.Guess(dir); err == nil || !strings.Contains(err.Error(), ": may be ") {
		t.Errorf("a folder of all: %v", err)
	}
}
