package unseen

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/shared"
)

func TestNotes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("# ward list\né <<EMAIL:z@x.example>> K <3.5, <CITY:Zürich>\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	notes, err := Notes(dir, data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	want := []Text{{Kind: "ward list", Document: &data.Document{ID: "a", Patient: "a", Text: "é <z@x.example> K <3.5, Zürich\n", Spans: []data.Span{
		{Start: 4, End: 15, Type: "EMAIL", Score: 1}, {Start: 25, End: 32, Type: "CITY", Score: 1},
	}}}}
	if !reflect.DeepEqual(notes, want) {
		t.Errorf("%+v, not %+v", notes[0].Document, want[0].Document)
	}
	for content, message := range map[string]string{
		"Seen <CITY:Zürich>\n":    "a.txt:1: expected # and the kind of note",
		"# x\n\nin <TOWN:Ixby>\n": "a.txt: line 3: TOWN is not a type of the set i2b2-2014",
	} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Notes(dir, data.I2B2); err == nil || !strings.HasSuffix(err.Error(), message) {
			t.Errorf("error %v, not %s", err, message)
		}
	}
}

// The notes and phrases that the box is measured on must be as many, and as different, as the documentation says.
func TestOwnTexts(t *testing.T) {
	const folder = "../../checkpoints/testdata"
	for _, test := range []struct {
		folder, lang          string
		types                 *data.TypeSet
		notes, items, phrases int
	}{{"", "en", data.I2B2, 30, 450, 2000}, {"", "es", data.MEDDOCAN, 15, 225, 500}, {"ordinary", "en", data.I2B2, 50, 900, 250}, {"ordinary", "es", data.MEDDOCAN, 70, 900, 50}} {
		folder := filepath.Join(folder, test.folder)
		notes, err := Notes(filepath.Join(folder, "notes", test.lang), test.types)
		if err != nil {
			t.Fatal(err)
		}
		kinds, items := map[string]bool{}, 0
		for _, n := range notes {
			if err := n.Check(); err != nil {
				t.Error(err)
			}
			if strings.Contains(n.Text, "<DATE") || strings.Contains(n.Text, "|>") {
				t.Errorf("%s contains a broken mark", n.ID)
			}
			kinds[n.Kind] = true
			items += len(n.Spans)
		}
		if len(kinds) != test.notes || len(notes) != test.notes || items < test.items {
			t.Errorf("%s: %d notes of %d kinds with %d items", test.lang, len(notes), len(kinds), items)
		}
		phrases, err := Phrases(filepath.Join(folder, "phrases-"+test.lang+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		distinct := map[string]bool{}
		for _, p := range phrases {
			distinct[strings.ToLower(p.Text)] = true
		}
		if len(distinct) != test.phrases || len(phrases) != test.phrases {
			t.Errorf("%s: %d phrases, %d distinct", test.lang, len(phrases), len(distinct))
		}
	}
}

func TestSentences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dataset.json")
	const item = `{"full_text":"Dr. é Ixby","masked":"%","spans":[{"entity_type":"TITLE","start_position":0,"end_position":3},{"entity_type":"PERSON","start_position":4,"end_position":10}]}`
	masked := []string{"{{TITLE}} {{PERSON}}", "a", "b", "c", "d", "e", "f", "g"}
	var items []string
	for _, m := range masked {
		items = append(items, strings.Replace(item, "%", m, 1))
	}
	if err := os.WriteFile(path, []byte("["+strings.Join(items, ",")+"]"), 0o666); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, test := range []bool{false, true} {
		texts, err := Sentences(path, test)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(texts)
		if len(texts) == 0 {
			t.Errorf("test %t: no texts", test)
		}
		for _, text := range texts {
			if s := text.Spans[0]; len(text.Spans) != 1 || text.Text[s.Start:s.End] != "é Ixby" || text.Text[text.Neutral[0].Start:text.Neutral[0].End] != "Dr." {
				t.Errorf("%+v", text)
			}
		}
	}
	if seen != len(masked) {
		t.Errorf("%d of %d texts", seen, len(masked))
	}
}

// A template and the sentences made of it must be in the same half, in which templates that differ in their placeholders are, too.
func TestTestTemplate(t *testing.T) {
	for _, same := range [][]string{
		{`My name is {{prefix_male}} {{name}}\nBye – now`, "My name is {{PERSON}}\nBye ג€“ now", "my name is {{x}} bye now"},
		{"How do I open my {{thing}}?", "How do I open my {{CREDIT_CARD}}?"},
	} {
		for _, s := range same[1:] {
			if TestTemplate(s) != TestTemplate(same[0]) {
				t.Errorf("%q is in another half", s)
			}
		}
	}
	raw, err := os.ReadFile(shared.Path(t, "corpora", "presidio-research", "templates.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines, test := 0, 0
	for line := range strings.Lines(string(raw)) {
		lines++
		if TestTemplate(line) {
			test++
		}
	}
	if test*5 < lines*2 || test*5 > lines*3 {
		t.Errorf("%d of %d templates are for tests", test, lines)
	}
}

// fixed is a tagger that finds the same values in all texts.
type fixed []string

func (f fixed) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		for _, value := range f {
			if at := strings.Index(d.Text, value); at >= 0 {
				found[i] = append(found[i], data.Span{Start: at, End: at + len(value), Type: "PATIENT", Score: 1})
			}
		}
		data.SortSpans(found[i])
	}
	return found, nil
}

func TestMeasure(t *testing.T) {
	span := func(text, value, typ string) data.Span {
		at := strings.Index(text, value)
		return data.Span{Start: at, End: at + len(value), Type: typ, Score: 1}
	}
	note := "Mr. Zora Ixby, 67yo, of Quux: acute chest pain, a nurse, 120/80"
	texts := []Text{
		{Kind: "note", Neutral: []data.Span{span(note, "nurse", "PROFESSION")}, Document: &data.Document{ID: "1", Text: note, Spans: []data.Span{
			span(note, "Zora Ixby", "PATIENT"), span(note, "67", "AGE"), span(note, "Quux", "CITY"),
		}}},
		{Document: &data.Document{ID: "2", Text: "Foley in situ"}},
		{Document: &data.Document{ID: "3", Text: "Ixby left", Spans: []data.Span{{Start: 0, End: 4, Type: "PATIENT", Score: 1}}}},
	}
	// Ixby is left in the first text, 67yo is removed with its unit, Quux is left; acute chest and 120 are lost.
	tagger := fixed{"Mr. Zora", "67yo", "acute chest", "nurse", "120", "Foley", "Ixby left", "stays"}
	is := func(value string) func(text string, s data.Span) bool {
		return func(text string, s data.Span) bool { return text[s.Start:s.End] == value }
	}
	m, err := Measure(t.Context(), tagger, texts, Options{Types: data.I2B2, Stays: is("stays"), Keeps: is("120")})
	if err != nil {
		t.Fatal(err)
	}
	want := Counts{
		Items: 4, Whole: 1, Part: 1, PHICharacters: 8 + 2 + 4 + 4, PHIRemoved: 4 + 2 + 4,
		Removed: 2 + 4 + 4 + 10 + 3 + 5 + 8, Words: 8 + 3 + 1, LostWords: 4 + 1 + 1, LostPhrases: 3 + 1 + 1, Changed: 2 + 1 + 1,
	}
	if m.Counts != want {
		t.Errorf("%+v, not %+v", m.Counts, want)
	}
	if got := [...]int{m.Texts, m.WithPHI, m.NoLeak, m.Clean, m.Touched, m.CleanCharacters, m.CleanRemoved, m.LostTo["PATIENT"], len(m.Each)}; got != [...]int{3, 2, 1, 1, 1, 11, 5, 5, 3} {
		t.Errorf("%v", got)
	}
	if c := m.Types["PATIENT"]; c.Items != 2 || c.Part != 1 || c.Whole != 0 {
		t.Errorf("%+v", c)
	}
	if m.Strict.TP != 0 || m.Strict.FP != 7 || m.Strict.FN != 4 {
		t.Errorf("%+v", m.Strict)
	}
}
