package text_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/text"
)

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	docs := []*data.Document{
		{ID: "a", Text: ""},
		{ID: "b", Text: "\uFEFFZoë\r\n\x00\v\rend"},
		{ID: "c.v2", Text: "no line end"},
	}
	w, err := text.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		withSpan := *doc
		if doc.ID != "a" {
			withSpan.Spans = []data.Span{{Start: 0, End: 3, Type: "of any set", Score: 1}}
		}
		if err := w.Write(&withSpan); err != nil {
			t.Fatal(err)
		}
	}
	got, err := data.Collect(text.Read(dir))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(docs, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadGoesOn(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a.txt": "x", "b.txt": "Zebulon\nV\xff", "c.txt": "y", "d.ann": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for doc, err := range text.Read(dir) {
		if err != nil {
			got = append(got, strings.TrimPrefix(err.Error(), dir+"/"))
		} else {
			got = append(got, doc.ID)
		}
	}
	if diff := cmp.Diff([]string{"a", "b.txt:2: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 9)", "c"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Zoë\r\n")
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, note string) {
		doc, err := text.Decode(strings.NewReader(note), "stdin")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "stdin:") || strings.ToValidUTF8(note, "") == note {
				t.Fatal(err)
			}
			return
		}
		if doc.Text != note || doc.ID != "stdin" || doc.Check() != nil {
			t.Fatal("the text is not the stream's")
		}
	})
}
