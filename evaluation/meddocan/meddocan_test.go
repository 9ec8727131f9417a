package meddocan

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/shared"
)

// score is an evaluation as written in golden/meddocan.
type score struct {
	TP, FP, FN            int
	Precision, Recall, F1 float64
	Leak                  float64
	Sentences             int `json:"num_sentences"`
	Docs                  map[string][3]int
}

// TestGolden compares the scores with those that the script gave 10 systems, in
// brat and in XML.
func TestGolden(t *testing.T) {
	root := shared.Path(t, "golden/meddocan")
	type tag [4]any
	var in struct {
		Docs map[string]struct {
			Text      string
			Sentences int
			Gold      []tag
		}
		Systems map[string]map[string][]tag
	}
	var expected map[string]map[string]struct {
		Text   string `json:"scores_txt"`
		NER    score  `json:"subtask1_ner"`
		Strict score  `json:"subtask2_strict"`
		Merged score  `json:"subtask2_merged"`
	}
	shared.ReadJSON(t, filepath.Join(root, "inputs.json"), &in)
	shared.ReadJSON(t, filepath.Join(root, "expected.json"), &expected)

	source := func(format string, tags func(id string) []tag) Source {
		return func(yield func(*Document, error) bool) {
			for id, doc := range in.Docs {
				d := &Document{ID: id, Text: doc.Text}
				for _, t := range tags(id) {
					start, end := int(t[1].(float64)), int(t[2].(float64))
					tag := NewTag(t[3].(string), start, end)
					var err error
					if format == "xml" {
						tag, err = NewXMLTag(t[0].(string), t[3].(string), strconv.Itoa(start), strconv.Itoa(end))
					}
					if err != nil {
						yield(nil, err)
						return
					}
					d.Tags = append(d.Tags, tag)
				}
				if !yield(d, nil) {
					return
				}
			}
		}
	}
	opt := Options{Documents: true, Sentences: func(id string) (int, bool, error) { return in.Docs[id].Sentences, true, nil }}
	n := 0
	for name, formats := range expected {
		for format, want := range formats {
			gold := source(format, func(id string) []tag { return in.Docs[id].Gold })
			system := source(format, func(id string) []tag { return in.Systems[name][id] })
			r, err := Compare(gold, system, opt)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			again := *r
			again.NER.Documents = nil // as the script prints it
			if err := again.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Text, b.String()); diff != "" {
				t.Errorf("%s, %s: text (-script +got):\n%s", name, format, diff)
			}
			for _, e := range []struct {
				name string
				got  Evaluation
				want score
			}{{"ner", r.NER, want.NER}, {"strict", r.Strict, want.Strict}, {"merged", r.Merged, want.Merged}} {
				what := fmt.Sprint(name, " ", format, " ", e.name)
				n += 6 + len(e.want.Docs)
				if got, want := e.got.Counts, (evaluation.Counts{TP: e.want.TP, FP: e.want.FP, FN: e.want.FN}); got != want {
					t.Errorf("%s: %+v, script %+v", what, got, want)
				}
				s := e.got.PRF()
				for _, v := range [][2]float64{{s.Precision, e.want.Precision}, {s.Recall, e.want.Recall}, {s.F1, e.want.F1}} {
					if math.Abs(v[0]-v[1]) > 1e-12 {
						t.Errorf("%s: %v, script %v", what, v[0], v[1])
					}
				}
				docs := map[string][3]int{}
				for _, d := range e.got.Documents {
					docs[d.ID] = [3]int{d.TP, d.FP, d.FN}
				}
				if diff := cmp.Diff(e.want.Docs, docs); diff != "" {
					t.Errorf("%s: documents (-script +got):\n%s", what, diff)
				}
			}
			n += 2
			if leak, known := r.Leak(); !known || math.Abs(leak-want.NER.Leak) > 1e-12 || r.Sentences != want.NER.Sentences {
				t.Errorf("%s, %s: leak %v (%v) of %d sentences, script %v of %d", name, format, leak, known, r.Sentences, want.NER.Leak, want.NER.Sentences)
			}
		}
	}
	if t.Logf("%d numbers compared", n); n != 2800 {
		t.Errorf("%d numbers compared, want 2800", n)
	}
}

func doc(text string, tags ...Tag) *Document { return &Document{ID: "a", Text: text, Tags: tags} }

func xmlTag(t *testing.T, element, typ, start, end string) Tag {
	t.Helper()
	tag, err := NewXMLTag(element, typ, start, end)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

func TestCount(t *testing.T) {
	const text = "Ana Gil, Roy y Lund"
	ana, gil, roy, lund := NewTag("N", 0, 3), NewTag("N", 4, 7), NewTag("N", 9, 12), NewTag("N", 15, 19)
	type c = evaluation.Counts
	for _, tc := range []struct {
		name              string
		gold, system      *Document
		official, correct counts
	}{
		{"nothing", doc(text), doc(text), counts{}, counts{}},
		// Three adjacent spans and one other: five true positives.
		{"perfect", doc(text, ana, gil, roy, lund), doc(text, ana, gil, roy, lund),
			counts{c{TP: 4}, c{TP: 4}, c{TP: 5}}, counts{c{TP: 4}, c{TP: 4}, c{TP: 2}}},
		{"twice", doc(text, lund), doc(text, lund, lund), counts{c{TP: 1}, c{TP: 1}, c{TP: 1}}, counts{c{TP: 1}, c{TP: 1}, c{TP: 1}}},
		{"in one", doc(text, ana, gil), doc(text, NewTag("N", 0, 7)),
			counts{c{FP: 1, FN: 2}, c{FP: 1, FN: 2}, c{TP: 1}}, counts{c{FP: 1, FN: 2}, c{FP: 1, FN: 2}, c{TP: 1}}},
		{"another type", doc(text, lund), doc(text, NewTag("M", 15, 19)),
			counts{c{FP: 1, FN: 1}, c{TP: 1}, c{TP: 1}}, counts{c{FP: 1, FN: 1}, c{TP: 1}, c{TP: 1}}},
		// Of two spans with the same start, the longer one comes last.
		{"nested", doc(text, NewTag("N", 0, 7), ana), doc(text, NewTag("N", 0, 7)),
			counts{c{TP: 1, FN: 1}, c{TP: 1, FN: 1}, c{TP: 1}}, counts{c{TP: 1, FN: 1}, c{TP: 1, FN: 1}, c{TP: 1}}},
		// The merged span of the gold standard ends where the inner one does.
		{"nested within", doc(text, NewTag("N", 0, 7), NewTag("N", 1, 3)), doc(text, NewTag("N", 0, 3)),
			counts{c{FP: 1, FN: 2}, c{FP: 1, FN: 2}, c{TP: 1, FN: 1}}, counts{c{FP: 1, FN: 2}, c{FP: 1, FN: 2}, c{FP: 1, FN: 1}}},
		{"XML: leading zeros and another element", doc(text, xmlTag(t, "A", "N", "0", "3"), xmlTag(t, "A", "N", "15", "19")),
			doc(text, xmlTag(t, "A", "N", "00", "3"), xmlTag(t, "B", "N", "15", "19")),
			counts{c{FP: 2, FN: 2}, c{TP: 2}, c{TP: 2}}, counts{c{TP: 2}, c{TP: 2}, c{TP: 2}}},
		{"each side's own text", doc("a.b", NewTag("N", 0, 1), NewTag("N", 2, 3)), doc("axb", NewTag("N", 0, 1), NewTag("N", 2, 3)),
			counts{c{TP: 2}, c{TP: 2}, c{TP: 2}}, counts{c{TP: 2}, c{TP: 2}, c{FP: 2, FN: 1}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := count(tc.gold, tc.system, false); got != tc.official {
				t.Errorf("%+v, want %+v", got, tc.official)
			}
			if got := count(tc.gold, tc.system, true); got != tc.correct {
				t.Errorf("corrected: %+v, want %+v", got, tc.correct)
			}
		})
	}
}

// Merging and containment, compared with plain implementations of the rules.
func TestMergedBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("a é²,.中 ")), 1, 12, -1).Draw(t, "text")
		tags := rapid.Custom(func(t *rapid.T) Tag {
			return NewTag("X", rapid.IntRange(-2, 14).Draw(t, "from"), rapid.IntRange(-2, 14).Draw(t, "to"))
		})
		gold, system := doc(text, rapid.SliceOfN(tags, 0, 6).Draw(t, "gold")...), doc(text, rapid.SliceOfN(tags, 0, 6).Draw(t, "system")...)
		strict := func(d *Document) (all []span) {
			for _, tag := range d.Tags {
				all = append(all, tag.span)
			}
			slices.SortFunc(all, func(a, b span) int {
				if a.from != b.from {
					return a.from - b.from
				}
				return a.to - b.to
			})
			return all
		}
		merged := func(d *Document) (all []span) {
			for _, s := range strict(d) {
				if len(all) == 0 {
					all = append(all, s)
					continue
				}
				last := all[len(all)-1]
				from, to := last.to, s.from
				runes := []rune(text)
				if from < 0 {
					from += len(runes)
				}
				if to < 0 {
					to += len(runes)
				}
				apart := false
				for i, r := range runes {
					apart = apart || i >= from && i < to && (unicode.IsLetter(r) || unicode.IsNumber(r))
				}
				if apart {
					all = append(all, s)
				} else {
					all[len(all)-1] = span{last.from, s.to}
				}
			}
			return all
		}
		var both []span
		for _, lists := range [][2][]span{{strict(gold), strict(system)}, {merged(gold), merged(system)}} {
			for _, s := range lists[0] {
				if slices.Contains(lists[1], s) && !slices.Contains(both, s) {
					both = append(both, s)
				}
			}
		}
		only := func(in, out []span) (n int) {
			slices.SortFunc(in, span.compare)
			for _, s := range slices.Compact(in) {
				held := slices.ContainsFunc(both, func(b span) bool { return s.from >= b.from && s.to <= b.to })
				if !slices.Contains(out, s) && !held {
					n++
				}
			}
			return n
		}
		want := evaluation.Counts{TP: len(both), FP: only(strict(system), strict(gold)), FN: only(strict(gold), strict(system))}
		if got := count(gold, system, false).merged; got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}

func TestReadBrat(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("b.txt", "Ana\r\nGil\rRoy\n")
	write("b.ann", "T1\tNAME 0 3\tAna\r\n#1\tAnnotatorNotes T1\tx\nR1\tx\n\nT2\tNAME  4\u00a0007 \tGil\n  T3\tAGE 8 1_1 9\nT4 NAME 0 3\nT5\tNAME 4\nT\t\nTx\tNAME -1 +9")
	write("a.txt", "\uFEFFx")
	write("a.ann", "\uFEFFT1\tNAME 0 3\tAna\n")
	write("left.alone", "")
	source, err := ReadBrat(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []*Document
	for d, err := range source {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d)
	}
	skipped := func(n int) error {
		return &data.Error{Path: filepath.Join(dir, "b.ann"), Line: n, Offset: -1, Reason: "too few fields for a tag"}
	}
	want := []*Document{
		{ID: "a", Text: "\uFEFFx"},
		{
			ID: "b", Text: "Ana\nGil\nRoy\n", Skipped: []error{skipped(7), skipped(8), skipped(9)},
			Tags: []Tag{NewTag("NAME", 0, 3), NewTag("NAME", 4, 7), NewTag("AGE", 8, 11), NewTag("NAME", -1, 9)},
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Tag{}, span{})); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}

	for content, want := range map[string]string{
		"T1\tNAME 0 3;5 7\tZebulon":      "bad.ann:1: the span is in fragments",
		"\nT1\tNAME Zebulon":             "bad.ann:2: start: not a whole number",
		"T1\tNAME 0 Zebulon\tx":          "bad.ann:1: end: not a whole number",
		"T1\tNAME 0 3\n\xff":             "bad.ann: invalid UTF-8",
		"T1\tNAME 0 3\nT2\tNAME 0 3;4 5": "bad.ann:2: the span is in fragments",
	} {
		write("bad.txt", "Zebulon")
		write("bad.ann", content)
		if _, err := one(ReadBrat(filepath.Join(dir, "bad.ann"))); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", content, err, want)
		}
	}
	write("alone.ann", "")
	if _, err := one(ReadBrat(filepath.Join(dir, "alone.ann"))); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "alone.txt") {
		t.Errorf("without a text: error %v", err)
	}
	if _, err := ReadBrat(t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), "the folder holds no .ann file") {
		t.Errorf("an empty folder: error %v", err)
	}
	if _, err := ReadBrat(filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
}

// one returns the first document of a source.
func one(source Source, err error) (*Document, error) {
	if err != nil {
		return nil, err
	}
	for d, err := range source {
		return d, err
	}
	return nil, errors.New("no document")
}

func TestReadXML(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.b.xml")
	read := func(tags string) (*Document, error) {
		file := "<MEDDOCAN>\n<TEXT><![CDATA[Ana\r\nGil]]></TEXT>\n<TAGS>\n" + tags + "</TAGS></MEDDOCAN>"
		if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		return one(ReadXML(dir))
	}
	got, err := read(`<NAME id="T1" start="04" end=" 7" text="x" TYPE="n"/><name start="x"/><ID start="0" end="3"/>`)
	if err != nil {
		t.Fatal(err)
	}
	want := &Document{ID: "a.b", Text: "Ana\nGil", Ignored: 1, Tags: []Tag{xmlTag(t, "NAME", "n", "04", " 7"), xmlTag(t, "ID", "", "0", "3")}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Tag{}, span{})); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	for tags, want := range map[string]string{
		`<NAME start="Zebulon" end="7"/>`: "a.b.xml:5: start: not a whole number",
		`<NAME start="0"/>`:               "a.b.xml:5: end: not a whole number",
		`<NAME start="0" Zebulon`:         "a.b.xml:5: not well-formed XML",
	} {
		if _, err := read(tags); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func of(docs ...*Document) Source {
	return func(yield func(*Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Documents that do not match, and what is reported about them.
func TestUnmatched(t *testing.T) {
	tag := NewTag("N", 0, 3)
	a, b := &Document{ID: "a", Text: "Ana", Tags: []Tag{tag}}, &Document{ID: "b", Text: "Gil", Tags: []Tag{tag}}
	const failed = "You did not annotate all data\n" +
		"Subtask1_Leak : ERROR \nSubtask1_Precision : ERROR\nSubtask1_Recall : ERROR\nSubtask1_F1 : ERROR\n" +
		"Subtask2Strict_Precision : ERROR\nSubtask2Strict_Recall : ERROR\nSubtask2Strict_F1 : ERROR\n" +
		"Subtask2Merged_Precision : ERROR\nSubtask2Merged_Recall : ERROR\nSubtask2Merged_F1 : ERROR\n"
	for _, tc := range []struct {
		name         string
		gold, system Source
		opt          Options
		text         string // its start
		warnings     []string
		err          string
	}{
		{name: "missing", gold: of(a, b), system: of(a), text: failed,
			warnings: []string{"gold documents that the system does not have, so that there are no scores: 1, first b"}},
		{name: "missing, corrected", gold: of(a, b), system: of(a), opt: Options{Corrected: true},
			text:     "Subtask1_Leak : NA \nSubtask1_Precision : 1.0\nSubtask1_Recall : 0.5\nSubtask1_F1 : 0.6666666666666666\n",
			warnings: []string{"gold documents that the system does not have, counted as missed: 1, first b"}},
		{name: "extra", gold: of(a), system: of(b, a), text: "Subtask1_Leak : NA \nSubtask1_Precision : 1.0\nSubtask1_Recall : 1.0\n",
			warnings: []string{"system documents without a gold standard, not scored: 1, first b"}},
		{name: "other text", gold: of(a), system: of(&Document{ID: "a", Text: "Roy", Tags: []Tag{tag}}), text: "Subtask1_Leak : NA \nSubtask1_Precision : 1.0\n",
			warnings: []string{"documents whose gold text and system text differ, scored all the same: 1, first a"}},
		{name: "other text, corrected", gold: of(a), system: of(&Document{ID: "a", Text: "Roy"}), opt: Options{Corrected: true},
			err: "document a: gold text (3 bytes) and system text (3 bytes) differ from byte 0 on"},
		{name: "passed over", gold: of(a), system: of(&Document{ID: "a", Text: "Ana", Skipped: []error{errors.New("a.ann:3: x")}, Ignored: 2}),
			text: "Subtask1_Leak : NA \nSubtask1_Precision : 0.0\n", warnings: []string{
				"lines that look like tags and have too few fields, not scored: 1, first in system document a",
				"tags of elements that the script does not know, not scored: 2, first in system document a"}},
		{name: "passed over, corrected", gold: of(a), system: of(&Document{ID: "a", Text: "Ana", Skipped: []error{errors.New("a.ann:3: x")}}),
			opt: Options{Corrected: true}, err: "a.ann:3: x"},
		{name: "twice", gold: of(a), system: of(a, a), err: "system document a: duplicate id"},
		{name: "sentences of one only", gold: of(a, b), system: of(a, b), text: "Subtask1_Leak : NA \n",
			opt: Options{Sentences: func(id string) (int, bool, error) { return 3, id == "a", nil }}},
		{name: "no sentences", gold: of(a), system: of(&Document{ID: "a", Text: "Ana"}), text: "Subtask1_Leak : 0.0 \n",
			opt: Options{Sentences: func(string) (int, bool, error) { return 0, true, nil }}},
		{name: "sentences that cannot be read", gold: of(a), system: of(a), err: "no disk",
			opt: Options{Sentences: func(string) (int, bool, error) { return 0, false, errors.New("no disk") }}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := Compare(tc.gold, tc.system, tc.opt)
			if err != nil || tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("error %v, want %s", err, tc.err)
				}
				return
			}
			var b strings.Builder
			if err := r.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(b.String(), tc.text) {
				t.Errorf("text\n%s\nwant\n%s", b.String(), tc.text)
			}
			if corrections := strings.Count(b.String(), "\n- "); corrections != len(r.Corrections) || tc.opt.Corrected != (corrections > 0) {
				t.Errorf("%d corrections", corrections)
			}
			if diff := cmp.Diff(tc.warnings, r.Warnings()); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	tag := NewTag("N", 0, 3)
	a, b := &Document{ID: "a", Text: "Ana", Tags: []Tag{tag}}, &Document{ID: "b", Text: "Gil", Tags: []Tag{tag}}
	const score = `"tp":1,"fp":0,"fn":0,"precision":1,"recall":1,"f1":1`
	const null = `"tp":null,"fp":null,"fn":null,"precision":null,"recall":null,"f1":null`
	for _, tc := range []struct {
		system []*Document
		opt    Options
		want   string
	}{
		{[]*Document{a}, Options{Documents: true, Sentences: func(string) (int, bool, error) { return 4, true, nil }},
			`{"n_docs":1,"missing":[],"extra":[],"warnings":[],"subtask1_ner":{` + score + `,"docs":{"a":[1,0,0]},"leak":0,"num_sentences":4},` +
				`"subtask2_strict":{` + score + `,"docs":{"a":[1,0,0]}},"subtask2_merged":{` + score + `,"docs":{"a":[1,0,0]}}}`},
		{[]*Document{b}, Options{},
			`{"n_docs":0,"missing":["a"],"extra":["b"],"warnings":["gold documents that the system does not have, so that there are no scores: 1, first a",` +
				`"system documents without a gold standard, not scored: 1, first b"],` +
				`"subtask1_ner":{` + null + `,"leak":null,"num_sentences":null},"subtask2_strict":{` + null + `},"subtask2_merged":{` + null + `}}`},
	} {
		r, err := Compare(of(a), of(tc.system...), tc.opt)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tc.want {
			t.Errorf("JSON\n got %s\nwant %s", got, tc.want)
		}
	}
}

func TestSentences(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"none": "", "two": "a\r\nb", "three": "a\rb\n\n"} {
		if err := os.WriteFile(filepath.Join(dir, name+".ann"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	count := Sentences(dir)
	for id, want := range map[string]int{"none": 0, "two": 2, "three": 3} {
		if n, known, err := count(id); n != want || !known || err != nil {
			t.Errorf("%s: %d, %v, %v", id, n, known, err)
		}
	}
	if n, known, err := count("nowhere"); n != 0 || known || err != nil {
		t.Errorf("no file: %d, %v, %v", n, known, err)
	}
}

// Numbers are written as in Python.
func TestRepr(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.0", 1: "1.0", 0.1: "0.1", 2.0 / 3: "0.6666666666666666", 12: "12.0", 1e-4: "0.0001", 0.00001234: "1.234e-05", 123456789: "123456789.0", 1e16: "1e+16",
	} {
		if got := repr(x); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Documents have the same scores as the brat files made of them.
func TestMetrics(t *testing.T) {
	const text = "Señora Ana Gil, Roy y Lund"
	gold := &data.Document{ID: "a", Text: text, Spans: []data.Span{{Start: 8, End: 11, Type: "N"}, {Start: 12, End: 15, Type: "N"}, {Start: 23, End: 27, Type: "N"}}}
	system := &data.Document{ID: "a", Text: text, Spans: []data.Span{{Start: 8, End: 15, Type: "N"}, {Start: 23, End: 27, Type: "M"}}}
	want := map[string][]float64{"meddocan/ner": {0, 2, 3}, "meddocan/strict": {1, 1, 2}, "meddocan/merged": {2, 0, 0}}
	for _, m := range Metrics() {
		if got := m.Tally(gold, system); !slices.Equal(got, want[m.Name]) {
			t.Errorf("%s: %v, want %v", m.Name, got, want[m.Name])
		}
		if got := m.Score(m.Tally(gold, &data.Document{})); got != (evaluation.PRF{}) {
			t.Errorf("%s: of nothing %+v", m.Name, got)
		}
	}
	docs := data.Each([]*data.Document{gold})
	r, err := Compare(FromDocuments(docs), FromDocuments(data.Each([]*data.Document{system})), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Merged.TP != 2 || r.Strict.FN != 2 || r.NER.FP != 2 {
		t.Errorf("%+v", r)
	}
	bad := data.Each([]*data.Document{{ID: "a", Text: "x", Spans: []data.Span{{Start: 0, End: 2}}}})
	if _, err := Compare(FromDocuments(bad), FromDocuments(docs), Options{}); err == nil {
		t.Error("no error for a span beyond the text")
	}
}

// No tags and text cause a panic or a score out of bounds.
func FuzzCompare(f *testing.F) {
	f.Add("Ana Gil\n", "T1\tN 0 3\tAna\nT2\tN 4 7\n", "T1\tN -1 1_0\nT2\nT3\tM 9 2")
	f.Fuzz(func(t *testing.T, text, gold, system string) {
		side := func(lines string) *Document {
			d := &Document{ID: "a", Text: text}
			for line := range strings.Lines(lines) {
				if tag, ok, _ := parseLine(strings.TrimFunc(line, space)); ok {
					d.Tags = append(d.Tags, tag)
				}
			}
			return d
		}
		for _, corrected := range []bool{false, true} {
			r, err := Compare(of(side(gold)), of(side(system)), Options{Corrected: corrected})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []Evaluation{r.NER, r.Strict, r.Merged} {
				if s := e.PRF(); s.Precision > 1 || s.Recall > 1 || s.F1 > 1 || e.FP < 0 || e.FN < 0 {
					t.Fatalf("%+v", e)
				}
			}
		}
	})
}
