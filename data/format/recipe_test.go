package format

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format/internal/toy"
)

// Adding a format requires a package and one value of the table.
func TestRecipe(t *testing.T) {
	before := formats
	defer func() { formats = before }()
	formats = append(slices.Clone(formats), &Format{Name: "toy", Exts: []string{toy.Ext}, OneNote: true, Read: typed(toy.Read), Create: typedWriter(toy.Create)})

	if !slices.Contains(Names(), "toy") || !slices.Contains(Annotated(), "toy") {
		t.Errorf("%v and %v do not list it", Names(), Annotated())
	}
	f, err := Lookup("toy")
	if err != nil {
		t.Fatal(err)
	}
	types, err := data.LookupTypeSet("i2b2-2014")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "corpus")
	w, err := Create("toy", dir, types)
	if err != nil {
		t.Fatal(err)
	}
	want := []*data.Document{
		{ID: "110-01", Patient: "110", Text: "Seen by Dr. Zoë\nVance", Spans: []data.Span{{Start: 12, End: 22, Type: "DOCTOR", Score: 1}}},
		{ID: "x", Text: ""},
	}
	for _, doc := range want {
		if err := w.Write(doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := data.Collect(Read("toy", dir, Options{Types: types}))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if left, err := f.LeftOut(dir, Options{}); err != nil || !slices.Equal(left, []string{"x.txt"}) {
		t.Error(left, err)
	}
}
