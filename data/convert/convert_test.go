package convert_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/conll"
	"github.com/lethe-deid/lethe/data/convert"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/hf"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/internal/shared"
)

// awkward contains documents that some format cannot contain as they are.
var awkward = []*data.Document{
	{ID: "110-01", Patient: "110", Text: ""},
	{ID: "110-02", Patient: "110", Text: "\uFEFFDr. Ödön Vance\r\nsaw Zoë\rVance 😀 on\t02/20/2087]]>\n\n", Spans: []data.Span{
		{Start: 7, End: 19, Type: "DOCTOR", Score: 1},
		{Start: 14, End: 19, Type: "DOCTOR", Score: 1},
		{Start: 25, End: 35, Type: "PATIENT", Score: 0.5},
		{Start: 36, End: 40, Type: "IDNUM", Score: 1},
		{Start: 44, End: 54, Type: "DATE", Score: 1},
		{Start: 44, End: 54, Type: "MEDICALRECORD", Score: 1},
	}},
	{ID: "111-01", Patient: "222", Text: "a <tag> & \"quotes\" of Zoë-Maria,\u00a0x\n", Spans: []data.Span{
		{Start: 2, End: 7, Type: "LOCATION-OTHER", Score: 1},
		{Start: 23, End: 27, Type: "PATIENT", Score: 0.25},
	}},
	{ID: "112-01", Text: "one\ntwo\n\nthree\n"},
	{ID: ".. a/b\u2028c", Patient: "p", Text: "form\ffeed, \uFFFF and  spaces", Spans: []data.Span{{Start: 0, End: 4, Type: "OTHER", Score: 1}, {Start: 18, End: 24, Type: "OTHER", Score: 1}}},
	{ID: "O", Text: "Li Na", Spans: []data.Span{{Start: 0, End: 5, Type: "Own.type-1", Score: 1}}},
}

// corpora returns documents of all kinds.
func corpora(t *testing.T) map[string][]*data.Document {
	t.Helper()
	all := map[string][]*data.Document{"awkward": awkward}
	var err error
	if all["synth"], err = data.Collect(synth.Config{Corpus: "en", Split: "train", Seed: 1}.Notes(4)); err != nil {
		t.Fatal(err)
	}
	return all
}

// real adds the first documents of corpora, if they are present.
func real(t *testing.T, name, path string) []*data.Document {
	t.Helper()
	var docs []*data.Document
	for doc, err := range format.Read(name, shared.Path(t, "corpora", path), format.Options{Types: data.Any}) {
		if err != nil {
			t.Fatal(err)
		}
		if docs = append(docs, doc); len(docs) == 4 {
			break
		}
	}
	return docs
}

func TestPairs(t *testing.T) {
	for what, docs := range corpora(t) {
		t.Run(what, func(t *testing.T) { pairs(t, docs) })
	}
	t.Run("MEDDOCAN", func(t *testing.T) { pairs(t, real(t, "meddocan", "meddocan/dev/xml")) })
	t.Run("CoNLL-2003", func(t *testing.T) { pairs(t, real(t, "conll", "conll2003/valid.txt")) })
}

// pairs converts documents from each format into each other and back. What is read must be what the converter says, its
// counts must be those of the differences, and without any, the files must be the same again.
func pairs(t *testing.T, docs []*data.Document) {
	for _, a := range format.Annotated() {
		t.Run(a, func(t *testing.T) {
			t.Parallel()
			first, _, files := through(t, a, docs)
			for _, b := range format.Names() {
				second, there, _ := through(t, b, first)
				if there.Any() || a == b {
					continue
				}
				third, back, again := through(t, a, second)
				if back.Any() {
					t.Errorf("%s by %s: lossless there, and %+v back", a, b, *back)
				}
				same(t, a+" by "+b, first, third)
				if diff := cmp.Diff(files, again); diff != "" {
					t.Errorf("%s by %s: the files differ", a, b)
				}
			}
		})
	}
}

// through writes documents in a format, and reads them.
func through(t *testing.T, name string, docs []*data.Document) ([]*data.Document, *convert.Losses, map[string]string) {
	t.Helper()
	to, err := format.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	writing, err := conll.NewWriting("", "ptb", "rules")
	if slices.ContainsFunc(docs, func(d *data.Document) bool { return d.Text != strings.Join(strings.Fields(d.Text), " ") }) {
		writing, err = conll.NewWriting("BILOU", "", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &convert.Converter{To: to, Options: format.Options{Types: data.I2B2.Open(), Writing: writing}}
	dir := filepath.Join(t.TempDir(), "out")
	w, err := to.Create(dir, c.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	ids := map[string]int{} // number of the document that has the ID
	var want []*data.Document
	for i, doc := range docs {
		converted, err := c.Document(doc)
		if err == nil {
			err = w.Write(converted)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if ids[converted.ID] = i; to.Limits.Tokens {
			if converted, _, err = writing.Rebuilt(converted); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, converted)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := make([]*data.Document, len(docs))
	for doc, err := range to.Read(dir, format.Options{Types: data.Any}) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got[ids[doc.ID]] = doc
	}
	l := c.Losses
	changed := convert.Losses{Inside: l.Inside, Characters: l.Characters, Overlapping: l.Overlapping, Spans: l.Spans}
	lost := 0
	for i, g := range got {
		w, d := want[i], docs[i]
		if g == nil {
			t.Fatalf("%s: document %d was not read", name, i)
		}
		if g.Text != w.Text || g.ID != w.ID || !slices.Equal(g.Spans, w.Spans) {
			t.Errorf("%s: document %s is not read as the converter made it:\n%s", name, d.ID, cmp.Diff(w, g))
		}
		if g.ID != d.ID {
			changed.IDs++
		}
		if g.Text != d.Text && to.Limits.Tokens {
			changed.Texts++
		} else if g.Text != d.Text && l.Characters == 0 {
			t.Errorf("%s: the text of document %s changed", name, d.ID)
		}
		switch {
		case g.Patient == d.Patient:
		case d.Patient == "":
			changed.Added++
		default:
			changed.Patients++
		}
		lost += len(d.Spans) - len(g.Spans)
		for k, s := range g.Spans {
			if len(g.Spans) == len(d.Spans) && s.Score != d.Spans[k].Score {
				changed.Scores++
			}
		}
	}
	changed.Blank = lost - l.Overlapping - l.Spans
	if l.Overlapping > 0 { // the spans cannot be compared one by one
		changed.Scores = l.Scores
	}
	l.Others = nil
	if diff := cmp.Diff(changed, l); diff != "" {
		t.Errorf("%s: counts (-differences +counted):\n%s", name, diff)
	}
	return got, &c.Losses, read(t, dir)
}

// read returns the files in a folder.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(raw)
	}
	return files
}

// same compares documents without quoting their text.
func same(t *testing.T, what string, want, got []*data.Document) {
	t.Helper()
	for i, w := range want {
		if g := got[i]; g.ID != w.ID || g.Patient != w.Patient || g.Text != w.Text || !slices.Equal(g.Spans, w.Spans) {
			t.Errorf("%s: document %s differs", what, w.ID)
		}
	}
}

// Columns go from CoNLL through JSON Lines and hf and back, and the files are the same again.
func TestColumnsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	const given = "-DOCSTART- 1 O\n\nSeen\tB-VP\tVBN\tO\nby\t_\tIN\tO\nZoë\t_\tNNP\tB-PER\n\nstable\t_\t_\tO\n\n-DOCSTART- 2 O\n\n"
	if err := os.WriteFile(path("a.conll"), []byte(given), 0o600); err != nil {
		t.Fatal(err)
	}
	read := format.Options{Types: data.Any, CoNLL: conll.Options{Columns: map[string]int{"pos": 3, "chunk": 2}}, HF: hf.Options{Columns: []string{"chunk", "pos"}}}
	var first []*data.Document
	for i, step := range [][2]string{{"a.conll", "b.jsonl"}, {"b.jsonl", "c.json"}, {"c.json", "d.conll"}} {
		names := map[string]string{".conll": "conll", ".jsonl": "jsonl", ".json": "hf"}
		docs, err := data.Collect(format.Read(names[filepath.Ext(step[0])], path(step[0]), read))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = docs
		} else if diff := cmp.Diff(first, docs); diff != "" {
			t.Error(step, diff)
		}
		to, err := format.Lookup(names[filepath.Ext(step[1])])
		if err != nil {
			t.Fatal(err)
		}
		c := &convert.Converter{To: to}
		out, err := to.CreateFile(path(step[1]), format.Options{Types: data.Any})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			d, err = c.Document(d)
			if err == nil {
				err = out.Write(d)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if c.Losses.Columns+c.Losses.Values > 0 {
			t.Errorf("%v: %+v", step, c.Losses)
		}
	}
	if got, err := os.ReadFile(path("d.conll")); err != nil || string(got) != given {
		t.Errorf("%v\n%s", err, got)
	}
	want := map[string][]data.Label{"chunk": {{Start: 0, End: 4, Value: "B-VP"}}, "pos": {{Start: 0, End: 4, Value: "VBN"}, {Start: 5, End: 7, Value: "IN"}, {Start: 8, End: 12, Value: "NNP"}}}
	if diff := cmp.Diff(want, first[0].Columns); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]data.Label{"chunk": {}, "pos": {}}, first[1].Columns); diff != "" {
		t.Error(diff)
	}
}

// What a format does not contain of columns is counted.
func TestColumnsAreLost(t *testing.T) {
	doc := &data.Document{ID: "1", Text: "Seen today", Columns: map[string][]data.Label{
		"a": {{Start: 0, End: 4, Value: "x"}, {Start: 0, End: 4, Value: "y"}, {Start: 2, End: 4, Value: "z"}}, "section": {{Start: 0, End: 10, Value: "s"}}}}
	for name, want := range map[string]convert.Losses{"conll": {Values: 2}, "jsonl": {}, "brat": {Columns: 2}} {
		to, err := format.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		c := &convert.Converter{To: to}
		if _, err := c.Document(doc); err != nil {
			t.Error(err)
		}
		if c.Losses.Columns != want.Columns || c.Losses.Values != want.Values || c.Losses.Any() != (want.Columns+want.Values > 0) {
			t.Errorf("%s: %+v", name, c.Losses)
		}
	}
}
