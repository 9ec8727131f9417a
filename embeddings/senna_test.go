package embeddings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// senna writes the two files of SENNA, with no words if they are "", and returns the path of the
// vectors.
func senna(t testing.TB, words, vectors string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "embeddings.txt")
	for name, content := range map[string]string{path: vectors, filepath.Join(dir, SENNAWords): words} {
		if content == "" {
			continue
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestLoadSENNA(t *testing.T) {
	want := []entry{{"PADDING", []float32{-1.25, 0.5}}, {"0000", []float32{1e-3, 2}}, {"ward's", []float32{0, 3}}}
	for name, path := range map[string]string{
		"plain":   senna(t, "PADDING\n0000\nward's\n", "-1.25 0.5\n1e-3 2\n0 3\n"),
		"Windows": senna(t, "PADDING\r\n0000\r\nward's", "-1.25\t0.5\r\n1e-3\t2\r\n0\t3"),
	} {
		v, err := Load(path, Options{Dim: 2})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, entries(v), cmp.AllowUnexported(entry{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if want := (Stats{Format: SENNA, Records: 3}); v.Stats() != want {
			t.Errorf("%s: %+v, want %+v", name, v.Stats(), want)
		}
	}
	v, err := Load(senna(t, "b\nb\na\n", "1.5 2\n3 4\n5 6\n"), Options{Want: func(w string) bool { return w == "b" }})
	if err != nil || v.Len() != 1 || v.Stats().Duplicates != 1 {
		t.Errorf("one word wanted: %v, %v", v, err)
	}
}

// A file with words of its own, or with a header of numbers alone, is read as it would be in
// another folder.
func TestWordsBesideAnotherFile(t *testing.T) {
	for _, content := range []string{"ward 1 2\n", "1 2\nward 1 2\n"} {
		v, err := Load(senna(t, "PADDING\n", content), Options{})
		if err != nil || v.Len() != 1 || v.Word(0) != "ward" {
			t.Errorf("%q: %v, %v", content, v, err)
		}
	}
}

func TestErrorsOfSENNA(t *testing.T) {
	for want, files := range map[string][2]string{
		"words.lst:3: a word without a vector: embeddings.txt ends at line 2":                            {"a\nb\nc\n", "1.5 2\n3 4\n"},
		"embeddings.txt:3: a vector without a word: words.lst ends at line 2":                            {"a\nb\n", "1.5 2\n3 4\n5 6\n"},
		"embeddings.txt:2: fewer than 2 numbers after the word":                                          {"a\nb\n", "1.5 2\n3\n"},
		"embeddings.txt:2: more than 2 numbers after the word":                                           {"a\nb\n", "1.5 2\n3 4 5\n"},
		"embeddings.txt:2: field 1 from the right is not a finite number, or the width is not 2":         {"a\nb\n", "1.5 2\n3 x\n"},
		"embeddings.txt:1: 2 numbers without a word: the vectors of SENNA require words.lst in the same": {"", "1.5 2\n3 4\n"},
	} {
		_, err := Load(senna(t, files[0], files[1]), Options{Dim: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func FuzzSENNA(f *testing.F) {
	f.Add("a\nb\n", "1.5 2\n3 4\n")
	f.Add("a\n\nb", "1.5 2\n3\n")
	f.Fuzz(func(t *testing.T, words, vectors string) {
		v, err := Load(senna(t, words, vectors), Options{})
		if err != nil {
			return
		}
		for i := range v.Len() {
			if len(v.Row(i)) != v.Dim() {
				t.Errorf("row %d has %d numbers", i, len(v.Row(i)))
			}
		}
	})
}
