package embeddings

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

func table(all []entry) *Vectors {
	var words []string
	var values []float32
	for _, e := range all {
		words = append(words, e.word)
		values = append(values, e.row...)
	}
	return New(words, len(all[0].row), values)
}

func TestSaveThenLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	for _, name := range []string{"v.txt", "v.bin", "v.txt.gz", "v.bin.gz", "v.glove"} {
		path := filepath.Join(dir, name)
		format := FormatOf(path)
		if name == "v.glove" {
			format = GloVe
		}
		f, err := Create(path, format)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is there before Save", name)
		}
		if err := f.Save(table(people)); err != nil {
			t.Fatal(err)
		}
		if err := f.Abort(); err != nil {
			t.Error(err)
		}
		v, err := Load(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !same(entries(v), people) {
			t.Errorf("%s: %v", name, entries(v))
		}
		want := Stats{Format: format, Gzipped: strings.HasSuffix(name, ".gz"), Records: len(people)}
		if v.Stats() != want {
			t.Errorf("%s: %+v, want %+v", name, v.Stats(), want)
		}
	}
	if FormatOf("a.bin") != Word2vecBinary || FormatOf("a.bin.gz") != Word2vecBinary || FormatOf("bin") != Word2vecText {
		t.Error("the format of a name")
	}
}

// The bytes equal those of the independent writer of the formats in this
// package's tests.
func TestLayouts(t *testing.T) {
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := table(people).write(&b, format); err != nil {
			t.Fatal(err)
		}
		if b.String() != write(format, people) {
			t.Errorf("%s: %q", format, b.String())
		}
	}
}

func TestNothingLeftBehind(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "v.txt"), GloVe)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Abort(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	if _, err := Create(filepath.Join(dir, "v.txt"), "hdf5"); err == nil || err.Error() != `no vector format "hdf5" (have glove, word2vec-text, word2vec-binary)` {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(dir, "file", "v.txt"), GloVe); err == nil || !strings.Contains(err.Error(), "v.txt: cannot be written: ") {
		t.Error(err)
	}
}

func TestNewRefusesWordsThatCannotBe(t *testing.T) {
	for _, words := range [][]string{{"a", "a"}, {"a", "\xff"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q: no panic", words)
				}
			}()
			New(words, 2, make([]float32, 4))
		}()
	}
}

func TestCover(t *testing.T) {
	v := table([]entry{{"dr", []float32{1, 2}}, {".", []float32{1, 2}}, {"Zoe", []float32{1, 2}}, {"0", []float32{1, 2}}, {"b00", []float32{1, 2}}, {"x", []float32{1, 2}}})
	doc := &data.Document{Text: "Dr . Zoe Vance B12 7 x Zoe", Spans: []data.Span{{Start: 5, End: 14, Type: "DOCTOR"}, {Start: 15, End: 17, Type: "ID"}}}
	docs := func(yield func(*data.Document, error) bool) {
		_ = yield(doc, nil) && yield(&data.Document{Text: "Zoe"}, nil)
	}
	got, err := v.Cover(docs, tokenize.Whitespace{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Coverage{
		{Everything, Found{Total: 9, Exact: 5, Lower: 1, Zeroed: 1, LowerZeros: 1}, Found{Total: 7, Exact: 3, Lower: 1, Zeroed: 1, LowerZeros: 1}},
		{NotPHI, Found{Total: 6, Exact: 4, Lower: 1, Zeroed: 1}, Found{Total: 5, Exact: 3, Lower: 1, Zeroed: 1}},
		{"DOCTOR", Found{Total: 2, Exact: 1}, Found{Total: 2, Exact: 1}},
		{"ID", Found{Total: 1, LowerZeros: 1}, Found{Total: 1, LowerZeros: 1}}, // B12, whose last character is outside of the span
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := got[0].Tokens.Share(); math.Abs(s-8.0/9) > 1e-12 {
		t.Error(s)
	}
	if s := (Found{}).Share(); s != 0 {
		t.Error(s)
	}
	broken := &data.Error{Path: "x", Offset: -1, Reason: "broken"}
	if _, err := v.Cover(func(yield func(*data.Document, error) bool) { yield(nil, broken) }, tokenize.Whitespace{}); err != broken {
		t.Error(err)
	}
}

func TestNearest(t *testing.T) {
	v := table([]entry{
		{"north", []float32{0, 2}}, {"north-east", []float32{3, 3}}, {"east", []float32{0.1, 0}}, {"nowhere", []float32{0, 0}},
		{"south", []float32{0, -1}}, {"further-north", []float32{0, 9}},
	})
	near := v.Nearest(0, 3)
	var words []string
	for i, n := range near {
		words = append(words, n.Word)
		if want := []float64{1, math.Sqrt2 / 2, 0}[i]; math.Abs(n.Cosine-want) > 1e-7 {
			t.Errorf("%s: %v, want %v", n.Word, n.Cosine, want)
		}
	}
	if !slices.Equal(words, []string{"further-north", "north-east", "east"}) {
		t.Error(words)
	}
	if all := v.Nearest(0, 99); len(all) != 4 || all[3].Word != "south" { // a vector of zeros has no direction
		t.Errorf("%v", all)
	}
}
