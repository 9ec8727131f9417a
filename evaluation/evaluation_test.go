package evaluation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

func doc(id, text string, spans ...data.Span) *data.Document {
	return &data.Document{ID: id, Text: text, Spans: spans}
}

func span(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

func compare(gold, system []*data.Document) (*Report, error) {
	return Compare(data.Each(gold), data.Each(system))
}

func TestCounts(t *testing.T) {
	for _, tc := range []struct {
		c        Counts
		p, r, f1 float64
	}{
		{Counts{}, 0, 0, 0},
		{Counts{FP: 3}, 0, 0, 0},
		{Counts{FN: 3}, 0, 0, 0},
		{Counts{TP: 3}, 1, 1, 1},
		{Counts{TP: 3, FP: 1, FN: 3}, 0.75, 0.5, 0.6},
	} {
		if p, r, f1 := tc.c.Precision(), tc.c.Recall(), tc.c.F1(); p != tc.p || r != tc.r || f1 != tc.f1 {
			t.Errorf("%+v: P, R, F1 = %v, %v, %v, want %v, %v, %v", tc.c, p, r, f1, tc.p, tc.r, tc.f1)
		}
	}
}

// The text of most cases: "Ana Gómez saw Dr. O'Neil on 01/02." The ó makes
// bytes and code points differ.
const text = "Ana Gómez saw Dr. O'Neil on 01/02."

func TestCompare(t *testing.T) {
	patient, doctor, date := span(0, 10, "PATIENT"), span(19, 25, "DOCTOR"), span(29, 34, "DATE")
	for _, tc := range []struct {
		name                      string
		gold, system              []data.Span
		strict, spans, token, bin Counts
	}{
		{"nothing to find", nil, nil, Counts{}, Counts{}, Counts{}, Counts{}},
		{"perfect", []data.Span{patient, doctor, date}, []data.Span{date, patient, doctor},
			Counts{TP: 3}, Counts{TP: 3}, Counts{TP: 6}, Counts{TP: 6}},
		{"duplicates count once", []data.Span{patient, patient}, []data.Span{patient, doctor, doctor},
			Counts{TP: 1, FP: 1}, Counts{TP: 1, FP: 1}, Counts{TP: 2, FP: 2}, Counts{TP: 2, FP: 2}},
		{"a score is not compared", []data.Span{date}, []data.Span{{Start: 29, End: 34, Type: "DATE", Score: 0.2}},
			Counts{TP: 1}, Counts{TP: 1}, Counts{TP: 2}, Counts{TP: 2}},
		{"wrong type", []data.Span{date}, []data.Span{span(29, 34, "PHONE")},
			Counts{FP: 1, FN: 1}, Counts{TP: 1}, Counts{FP: 2, FN: 2}, Counts{TP: 2}},
		{"two types on one span", []data.Span{date}, []data.Span{date, span(29, 34, "PHONE")},
			Counts{TP: 1, FP: 1}, Counts{TP: 1}, Counts{TP: 2, FP: 2}, Counts{TP: 2}},
		{"half found", []data.Span{patient}, []data.Span{span(4, 10, "PATIENT")},
			Counts{FP: 1, FN: 1}, Counts{FP: 1, FN: 1}, Counts{TP: 1, FN: 1}, Counts{TP: 1, FN: 1}},
		{"a token in two spans", []data.Span{patient}, []data.Span{span(0, 3, "PATIENT"), span(0, 10, "PATIENT")},
			Counts{TP: 1, FP: 1}, Counts{TP: 1, FP: 1}, Counts{TP: 2}, Counts{TP: 2}},
		{"half a word is another token", []data.Span{patient}, []data.Span{span(0, 9, "PATIENT")},
			Counts{FP: 1, FN: 1}, Counts{FP: 1, FN: 1}, Counts{TP: 1, FP: 1, FN: 1}, Counts{TP: 1, FP: 1, FN: 1}},
		{"a span without letters", []data.Span{span(33+1, 35, "OTHER")}, nil,
			Counts{FN: 1}, Counts{FN: 1}, Counts{FN: 1}, Counts{FN: 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := compare([]*data.Document{doc("a", text, tc.gold...)}, []*data.Document{doc("a", text, tc.system...)})
			if err != nil {
				t.Fatal(err)
			}
			got := []Counts{r.Strict.Counts, r.Spans.Counts, r.Token.Counts, r.BinaryToken.Counts}
			want := []Counts{tc.strict, tc.spans, tc.token, tc.bin}
			if !slices.Equal(got, want) {
				t.Errorf("strict, spans, token, binary token:\n got %+v\nwant %+v", got, want)
			}
			if got := Strict([][]data.Span{tc.gold}, [][]data.Span{tc.system}); got != tc.strict {
				t.Errorf("Strict = %+v, want %+v", got, tc.strict)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string][]string{
		"O'Neil-Ramos":          {"O", "Neil", "Ramos"},
		" 01/02/2087 ":          {"01", "02", "2087"},
		"Room12B":               {"Room12B"},
		"José":                  {"José"},
		"Jose\u0301 Nuñez":      {"Jose\u0301", "Nuñez"}, // combining accent
		"\uFEFFAna_Gil":         {"Ana", "Gil"},
		"王小明（Wáng）":             {"王小明", "Wáng"},
		"\U0001D54Fa\U0001F600": {"\U0001D54Fa"}, // a letter beyond the BMP; an emoji is no letter
		"--":                    {""},
	} {
		d := doc("a", "> "+text+" <", span(2, 2+len(text), "X"))
		var got []string
		for _, m := range tokens(d) {
			got = append(got, d.Text[m.start:m.end])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: tokens %q, want %q", text, got, want)
		}
	}
	if got, want := tokens(doc("a", "a -- b", span(2, 4, "X"))), []mark{{4, 4, "X"}}; !slices.Equal(got, want) {
		t.Errorf("a span of hyphens gives %v, want one empty token at its end: %v", got, want)
	}
}

func TestByType(t *testing.T) {
	gold := []*data.Document{
		doc("a", text, span(0, 10, "PATIENT"), span(29, 34, "DATE")),
		doc("b", text, span(29, 34, "DATE")),
	}
	system := []*data.Document{
		doc("b", text, span(29, 34, "DATE"), span(19, 25, "DOCTOR")),
		doc("a", text, span(0, 3, "PATIENT"), span(29, 34, "DATE")),
	}
	r, err := compare(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	want := &Report{
		Matching: Matching{Documents: 2, Missing: []string{}, Extra: []string{}},
		Strict:   Score{Counts{2, 2, 1}, map[string]Counts{"DATE": {2, 0, 0}, "DOCTOR": {0, 1, 0}, "PATIENT": {0, 1, 1}}},
		Spans:    Score{Counts{2, 2, 1}, nil},
		Token: Score{Counts{5, 2, 1},
			map[string]Counts{"DATE": {4, 0, 0}, "DOCTOR": {0, 2, 0}, "PATIENT": {1, 0, 1}}},
		BinaryToken: Score{Counts{5, 2, 1}, nil},
	}
	r.Leak = nil // has tests of its own
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// Adding documents one by one gives the same scores as comparing all of them.
func TestScorer(t *testing.T) {
	gold := []*data.Document{doc("a", text, span(0, 10, "PATIENT")), doc("b", text, span(19, 25, "DOCTOR"), span(29, 34, "DATE")), doc("c", text)}
	system := []*data.Document{doc("a", text, span(0, 3, "PATIENT")), doc("c", text, span(29, 34, "DATE"))}
	want, err := compare(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Options{}.Scorer()
	if err == nil {
		err = errors.Join(s.Add(gold[0], system[0]), s.Add(gold[1], nil), s.Add(gold[2], system[1]))
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.Report()); diff != "" {
		t.Errorf("report (-together +one after another):\n%s", diff)
	}

	outside := doc("d", "Ana", span(0, 4, "PATIENT"))
	for _, tc := range []struct {
		gold, system *data.Document
		want         string
	}{
		{outside, nil, "gold document d: span 0 [0,4)"},
		{doc("d", "Ana"), outside, "system document d: span 0 [0,4)"},
		{doc("d", "Ana"), doc("d", "Anna"), "document d: gold text (3 bytes) and system text (4 bytes) differ from byte 2 on"},
	} {
		if err := s.Add(tc.gold, tc.system); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
	if got := s.Report().Documents; got != 3 {
		t.Errorf("%d documents are scored: refused ones, too", got)
	}
}

func TestUnmatchedDocuments(t *testing.T) {
	gold := []*data.Document{
		doc("a", text, span(0, 10, "PATIENT")),
		doc("b", text, span(19, 25, "DOCTOR"), span(29, 34, "DATE")),
		doc("c", text),
	}
	system := []*data.Document{
		doc("z", text, span(0, 10, "PATIENT")),
		doc("a", text, span(0, 10, "PATIENT")),
	}
	r, err := compare(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{TP: 1, FN: 2}); r.Strict.Counts != want || r.Documents != 3 {
		t.Errorf("%d documents, strict %+v, want 3, %+v", r.Documents, r.Strict.Counts, want)
	}
	if want := []string{"b", "c"}; !slices.Equal(r.Missing, want) {
		t.Errorf("missing %v, want %v", r.Missing, want)
	}
	if want := []string{"z"}; !slices.Equal(r.Extra, want) {
		t.Errorf("extra %v, want %v", r.Extra, want)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"missing in the system's output, all their spans counted as missed: 2 (b, c)\n",
		"in the system's output without a gold standard, not scored: 1 (z)\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, b.String())
		}
	}
}

func TestCompareErrors(t *testing.T) {
	docs := func(d ...*data.Document) []*data.Document { return d }
	for _, tc := range []struct {
		name         string
		gold, system []*data.Document
		want         string
	}{
		{"no gold", nil, docs(doc("a", text)), "no gold documents to compare with"},
		{"no common document", docs(doc("a", text), doc("b", text)), docs(doc("a.xml", text)),
			"none of the 2 gold documents is among the 1 of the system: their IDs differ"},
		{"gold twice", docs(doc("a", text), doc("a", text)), docs(doc("a", text)), "gold document a: duplicate id"},
		{"system twice", docs(doc("a", text)), docs(doc("a", text), doc("a", text)), "system document a: duplicate id"},
		{"other text", docs(doc("a", "Ana Gil")), docs(doc("a", "Ana Ruiz")),
			"document a: gold text (7 bytes) and system text (8 bytes) differ from byte 4 on"},
		{"shorter text", docs(doc("a", "Ana Gil")), docs(doc("a", "Ana")),
			"document a: gold text (7 bytes) and system text (3 bytes) differ from byte 3 on"},
		{"span beyond the text", docs(doc("a", "Ana")), docs(doc("a", "Ana", span(0, 4, "PATIENT"))),
			"system document a: span 0 [0,4) lies beyond the text of 3 bytes"},
		{"span cuts a character", docs(doc("a", "é", span(0, 1, "PATIENT"))), docs(doc("a", "é")),
			"gold document a: span 0 [0,1) cuts a code point"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := compare(tc.gold, tc.system)
			if err == nil || r != nil {
				t.Fatal("no error")
			}
			if err.Error() != tc.want {
				t.Errorf("error %q, want %q", err, tc.want)
			}
		})
	}
}

func TestStrictPanicsOnLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Strict(make([][]data.Span, 2), make([][]data.Span, 1))
}

func TestHIPAA(t *testing.T) {
	i2b2 := data.I2B2
	d := doc("a", text, span(0, 10, "PATIENT"), span(19, 25, "DOCTOR"), span(29, 34, "DATE"))
	d.Patient = "p"
	kept, err := ofHIPAA(d, i2b2)
	if err != nil {
		t.Fatal(err)
	}
	want := &data.Document{ID: "a", Patient: "p", Text: text, Spans: []data.Span{span(0, 10, "PATIENT"), span(29, 34, "DATE")}}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if len(d.Spans) != 3 {
		t.Error("the document given was changed")
	}

	// The patient's name was removed as a doctor's: not found, but not left either.
	system := doc("a", text, span(0, 10, "DOCTOR"), span(29, 34, "DATE"))
	opt := Options{Types: i2b2, HIPAA: true}
	r, err := opt.Compare(data.Each([]*data.Document{d}), data.Each([]*data.Document{system}))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{TP: 1, FN: 1}); r.Strict.Counts != want || r.Leak.Instances.Left != 0 || r.Leak.Instances.Total != 2 {
		t.Errorf("strict %+v, left %+v, want %+v, 0 of 2", r.Strict.Counts, r.Leak.Instances, want)
	}

	foreign := []*data.Document{doc("a", text, span(0, 3, "PER"))}
	for side, docs := range map[string][2][]*data.Document{"gold": {foreign, {d}}, "system": {{d}, foreign}} {
		want := side + " document a: span 0 [0,3) has a type that is not in the type set i2b2-2014"
		if _, err := opt.Compare(data.Each(docs[0]), data.Each(docs[1])); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, types := range []*data.TypeSet{data.CoNLL, data.Any} {
		one := data.Each([]*data.Document{d})
		if _, err := (Options{Types: types, HIPAA: true}).Compare(one, one); err == nil {
			t.Errorf("no error with the type set %s, which has no HIPAA types", types.Name)
		}
	}
}

// Other programs read the keys: a change here is a breaking change.
func TestJSON(t *testing.T) {
	types := data.I2B2
	r, err := Options{Types: types}.Compare(
		data.Each([]*data.Document{doc("a", "Ana Gil", span(0, 7, "PATIENT")), doc("b", "x")}),
		data.Each([]*data.Document{doc("a", "Ana Gil", span(0, 3, "PATIENT"))}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const none = `"precision":0,"recall":0,"f1":0,"tp":0,"fp":1,"fn":1`
	const half = `"precision":1,"recall":0.5,"f1":0.6666666666666666,"tp":1,"fp":0,"fn":1`
	const left = `"tokens":{"left":1,"total":2,"share":0.5,"low":0.5,"high":0.5},` +
		`"instances":{"left":1,"total":1,"share":1,"low":1,"high":1},` +
		`"notes":{"left":1,"total":2,"share":0.5,"low":0,"high":1}`
	want := `{"documents":2,"missing":["b"],"extra":[],` +
		`"leak":{"resamples":1999,` + left + `,"categories":{"NAME":{` + left + `}},"types":{"PATIENT":{"category":"NAME",` + left + `}}},` +
		`"strict":{` + none + `,"macro":{"precision":0,"recall":0,"f1":0},"types":{"PATIENT":{` + none + `}}},` +
		`"spans":{` + none + `},` +
		`"token":{` + half + `,"macro":{"precision":1,"recall":0.5,"f1":0.6666666666666666},"types":{"PATIENT":{` + half + `}}},` +
		`"binary_token":{` + half + `}}`
	if string(got) != want {
		t.Errorf("JSON\n got %s\nwant %s", got, want)
	}
	back := new(Report)
	if err := json.Unmarshal(got, back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// failing is a writer with a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }

func TestWriteTextError(t *testing.T) {
	if err := new(Report).WriteText(failing{}); err == nil {
		t.Error("no error from a writer that fails")
	}
}

func TestWriteTextNamesFewDocuments(t *testing.T) {
	var b bytes.Buffer
	r := &Report{Matching: Matching{Documents: 9, Missing: strings.Split("abcdefg", "")}}
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if want := "counted as missed: 7 (a, b, c, d, e, ...)\n"; !strings.Contains(b.String(), want) {
		t.Errorf("the table does not say %q:\n%s", want, b.String())
	}
}

// TestBruteForce checks the counts by their definition: one pair of spans, or
// one byte position, at a time.
func TestBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab1é- ")), 1, 12, -1).Draw(t, "text")
		borders := []int{len(text)}
		for i := range text {
			borders = append(borders, i)
		}
		slices.Sort(borders)
		side := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) data.Span {
			i := rapid.IntRange(0, len(borders)-2).Draw(t, "start")
			j := rapid.IntRange(i+1, len(borders)-1).Draw(t, "end")
			return span(borders[i], borders[j], rapid.SampledFrom([]string{"A", "B"}).Draw(t, "type"))
		}), 0, 6)
		gold, system := side.Draw(t, "gold"), side.Draw(t, "system")
		r, err := compare([]*data.Document{doc("a", text, gold...)}, []*data.Document{doc("a", text, system...)})
		if err != nil {
			t.Fatal(err)
		}
		for name, tc := range map[string]struct {
			got  Score
			want Counts
		}{
			"strict":       {r.Strict, bruteSpans(text, gold, system, true)},
			"spans":        {r.Spans, bruteSpans(text, gold, system, false)},
			"token":        {r.Token, bruteTokens(text, gold, system, true)},
			"binary token": {r.BinaryToken, bruteTokens(text, gold, system, false)},
		} {
			if tc.got.Counts != tc.want {
				t.Fatalf("%s: %+v, by brute force %+v", name, tc.got.Counts, tc.want)
			}
		}
		for name, s := range map[string]Score{"strict": r.Strict, "token": r.Token} {
			var sum Counts
			for _, c := range s.Types {
				sum = Counts{sum.TP + c.TP, sum.FP + c.FP, sum.FN + c.FN}
			}
			if sum != s.Counts {
				t.Fatalf("%s: types sum up to %+v, all is %+v", name, sum, s.Counts)
			}
		}
	})
}

// bruteSpans asks of every possible span whether each side has it.
func bruteSpans(text string, gold, system []data.Span, types bool) Counts {
	return brute(text, types, func(start, end int, typ string) (bool, bool) {
		has := func(spans []data.Span) bool {
			for _, s := range spans {
				if s.Start == start && s.End == end && (typ == "" || s.Type == typ) {
					return true
				}
			}
			return false
		}
		return has(gold), has(system)
	})
}

// bruteTokens asks of every possible token whether each side has it.
func bruteTokens(text string, gold, system []data.Span, types bool) Counts {
	word := func(s string) bool { return s != "" && strings.Trim(s, "ab1é") == "" }
	return brute(text, types, func(start, end int, typ string) (bool, bool) {
		has := func(spans []data.Span) bool {
			for _, s := range spans {
				if typ != "" && s.Type != typ {
					continue
				}
				inner := text[s.Start:s.End]
				switch {
				case start == end:
					if s.End == end && strings.Trim(inner, "- ") == "" {
						return true
					}
				case s.Start <= start && end <= s.End && word(text[start:end]):
					left := start == s.Start || !word(text[start-1:start]) && text[start-1] < 0x80
					right := end == s.End || !word(text[end:end+1]) && text[end] < 0x80
					if left && right {
						return true
					}
				}
			}
			return false
		}
		return has(gold), has(system)
	})
}

func brute(text string, types bool, has func(start, end int, typ string) (gold, system bool)) Counts {
	names := []string{""}
	if types {
		names = []string{"A", "B"}
	}
	var c Counts
	for start := 0; start <= len(text); start++ {
		for end := start; end <= len(text); end++ {
			for _, typ := range names {
				switch g, s := has(start, end, typ); {
				case g && s:
					c.TP++
				case s:
					c.FP++
				case g:
					c.FN++
				}
			}
		}
	}
	return c
}

func BenchmarkCompare(b *testing.B) {
	var docs []*data.Document
	note := strings.Repeat(text+"\n", 40)
	for i := range 100 {
		d := doc(fmt.Sprint(i), note)
		for at := 0; at < len(note); at += len(text) + 1 {
			d.Spans = append(d.Spans, span(at, at+10, "PATIENT"), span(at+29, at+34, "DATE"))
		}
		docs = append(docs, d)
	}
	for b.Loop() {
		if _, err := compare(docs, docs); err != nil {
			b.Fatal(err)
		}
	}
}
