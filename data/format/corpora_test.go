package format_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/internal/shared"
)

func collect(t testing.TB, name, path string, types *data.TypeSet) []*data.Document {
	t.Helper()
	docs, err := data.Collect(format.Read(name, path, format.Options{Types: types}))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// same compares documents without quoting their text.
func same(t *testing.T, want, got []*data.Document) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d documents, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.ID != w.ID || g.Patient != w.Patient {
			t.Errorf("document %d: id %s of patient %q, want %s of %q", i, g.ID, g.Patient, w.ID, w.Patient)
		}
		if g.Text != w.Text {
			t.Errorf("document %s: the text differs", w.ID)
		}
		if !slices.Equal(g.Spans, w.Spans) {
			t.Errorf("document %s: the spans differ", w.ID)
		}
	}
}

func countSpans(docs []*data.Document) (n int) {
	for _, doc := range docs {
		n += len(doc.Spans)
	}
	return n
}

// The XML and the brat form of MEDDOCAN contain the same documents, and every format that keeps
// white space preserves them.
func TestMEDDOCAN(t *testing.T) {
	for _, split := range []struct {
		name        string
		docs, spans int
	}{{"train", 500, 11333}, {"dev", 250, 5801}, {"dev_hard", 250, 0}} {
		t.Run(split.name, func(t *testing.T) {
			t.Parallel()
			docs := collect(t, "meddocan", shared.Path(t, "corpora/meddocan/"+split.name+"/xml"), data.MEDDOCAN)
			if n := countSpans(docs); len(docs) != split.docs || split.spans > 0 && n != split.spans {
				t.Errorf("%d documents with %d spans, want %d with %d", len(docs), n, split.docs, split.spans)
			}
			same(t, docs, collect(t, "brat", shared.Path(t, "corpora/meddocan/"+split.name+"/brat"), data.MEDDOCAN))
			if testing.Short() {
				t.Skip("no round trips with -short")
			}
			for _, name := range []string{"i2b2", "meddocan", "brat", "jsonl"} {
				t.Run(name, func(t *testing.T) {
					t.Parallel() // most of the time goes into syncing files
					same(t, docs, roundTrip(t, name, data.MEDDOCAN, docs))
				})
			}
			t.Run("text", func(t *testing.T) {
				t.Parallel()
				same(t, without(docs, true), roundTrip(t, "text", data.MEDDOCAN, docs))
			})
			t.Run("conll", func(t *testing.T) {
				t.Parallel()
				once := roundTrip(t, "conll", data.MEDDOCAN, docs)
				for i, doc := range docs {
					if once[i].ID != doc.ID || !slices.Equal(phrases(once[i]), phrases(doc)) {
						t.Errorf("document %s: the phrases differ", doc.ID)
					}
				}
				same(t, once, roundTrip(t, "conll", data.MEDDOCAN, once))
			})
		})
	}
}

// phrases returns the types and texts of the spans, and the whole text, without white space.
func phrases(doc *data.Document) []string {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, s)
	}
	all := []string{bare(doc.Text)}
	for _, s := range doc.Spans {
		all = append(all, s.Type, bare(doc.Text[s.Start:s.End]))
	}
	return all
}

func TestCoNLL(t *testing.T) {
	for _, file := range []struct {
		path                string
		docs, spans, tokens int
	}{
		{"conll2003/train.txt", 946, 23499, 203621},
		{"conll2003/valid.txt", 216, 5942, 51362},
		{"conll2002-es/esp.train", 1, 18798, 264715},
		{"conll2002-es/esp.testa", 1, 4352, 52923},
	} {
		t.Run(file.path, func(t *testing.T) {
			docs := collect(t, "conll", shared.Path(t, "corpora", file.path), data.CoNLL)
			tokens := 0
			for _, doc := range docs {
				tokens += len(strings.FieldsFunc(doc.Text, func(r rune) bool { return r == ' ' || r == '\n' }))
			}
			if n := countSpans(docs); len(docs) != file.docs || n != file.spans || tokens != file.tokens {
				t.Errorf("%d documents, %d spans, %d tokens; want %d, %d, %d", len(docs), n, tokens, file.docs, file.spans, file.tokens)
			}
			for _, name := range []string{"conll", "jsonl"} {
				same(t, docs, roundTrip(t, name, data.CoNLL, docs))
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for name, path := range map[string]string{"meddocan": "meddocan/train/xml", "brat": "meddocan/train/brat"} {
		b.Run(name, func(b *testing.B) {
			path := shared.Path(b, "corpora", path)
			b.ReportAllocs()
			for b.Loop() {
				bytes := 0
				for _, doc := range collect(b, name, path, data.MEDDOCAN) {
					bytes += len(doc.Text)
				}
				b.SetBytes(int64(bytes))
			}
		})
	}
}
