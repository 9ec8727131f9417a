package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/shared"
)

// found labels a document's spans, and decodes the labels again, as sequence labellers do. It is an
// independent count of what the labels lose.
func found(l Labelling, doc *data.Document) map[data.Span]bool {
	tokenizer, _ := tokenize.Lookup(l.Tokenizer)
	splitter, _ := tokenize.LookupSplitter(l.Sentences)
	tokens := tokenizer.Tokens(doc.Text, nil)
	spans := data.AlignSpans(tokens, doc.Spans)
	all := map[data.Span]bool{}
	for _, r := range tokenize.Limit(splitter, l.MaxTokens).Sentences(doc.Text, tokens, nil) {
		var inside []data.TokenSpan
		for _, s := range spans {
			if s.Start < r.End && s.End > r.Start {
				inside = append(inside, data.TokenSpan{Start: max(s.Start, r.Start) - r.Start, End: min(s.End, r.End) - r.Start, Type: s.Type})
			}
		}
		for _, s := range l.Scheme.Decode(l.Scheme.Encode(r.End-r.Start, inside)) {
			all[data.Span{Start: tokens[r.Start+s.Start].Start, End: tokens[r.Start+s.End-1].End, Type: s.Type}] = true
		}
	}
	return all
}

// missed counts the different spans of a document that are not found exactly.
func missed(l Labelling, doc *data.Document) (n int) {
	got, seen := found(l, doc), map[data.Span]bool{}
	for _, s := range doc.Spans {
		s.Score = 0
		if !got[s] && !seen[s] {
			n++
		}
		seen[s] = true
	}
	return n
}

func lostOf(l Labelling, docs ...*data.Document) Lost {
	c := New(Options{Labellings: []Labelling{l}})
	s := c.Split("train")
	for _, d := range docs {
		s.Add(d, nil)
	}
	return s.Lost[0]
}

var labellings = []Labelling{
	Default,
	{"letters-digits", "line", 1000, data.BIO},
	{"whitespace", "blank-line", 7, data.BIOES},
	{"letters-digits", "line", 1000, data.IO},
	{"ptb", "line", 5, data.IO},
}

func TestReasons(t *testing.T) {
	const text = "Mr. Roe-Doe of 12ab Elm St.\nOak House  \n  called 555-1234 5."
	at := func(part, typ string) data.Span {
		i := strings.Index(text, part)
		return data.Span{Start: i, End: i + len(part), Type: typ, Score: 1}
	}
	line := Labelling{"letters-digits", "line", 1000, data.BIO}
	for name, tc := range map[string]struct {
		spans     []data.Span
		labelling Labelling
		want      string
	}{
		"all is well":           {[]data.Span{at("Roe-Doe", "NAME"), at("12", "ID")}, line, ""},
		"twice":                 {[]data.Span{at("Roe", "NAME"), at("Roe", "NAME")}, line, "duplicate 1"},
		"with two types":        {[]data.Span{at("Roe", "NAME"), at("Roe", "PLACE")}, line, "overlapping 1"},
		"nested":                {[]data.Span{at("12ab Elm", "PLACE"), at("Elm", "NAME"), at("12", "ID")}, line, "overlapping 2"},
		"white space":           {[]data.Span{at("  \n  ", "ID")}, line, "blank 1"},
		"over a line end":       {[]data.Span{at("St.\nOak House", "PLACE")}, line, "crossing 1"},
		"in a paragraph":        {[]data.Span{at("St.\nOak House", "PLACE")}, Labelling{"letters-digits", "blank-line", 1000, data.BIO}, ""},
		"longer than sentences": {[]data.Span{at("St.\nOak House", "PLACE")}, Labelling{"letters-digits", "blank-line", 2, data.BIO}, "crossing 1"},
		"part of a word":        {[]data.Span{at("oe", "NAME")}, line, "inside 1"},
		"part of a ptb token":   {[]data.Span{at("Roe", "NAME")}, Default, "inside 1"},
		"two in a word":         {[]data.Span{at("Ro", "NAME"), at("e", "ID")}, line, "inside 1, shared 1"},
		"with a blank":          {[]data.Span{at(" Elm", "NAME"), at("Oak House  \n", "PLACE")}, line, "padded 2"},
		"adjacent":              {[]data.Span{at("Elm ", "NAME"), at("St", "NAME")}, line, "padded 1"},
		"adjacent, IO":          {[]data.Span{at("Elm", "NAME"), at("St", "NAME")}, Labelling{"letters-digits", "line", 1000, data.IO}, "adjacent 2"},
		"adjacent lines, IO":    {[]data.Span{at("St.", "NAME"), at("Oak", "NAME")}, Labelling{"letters-digits", "line", 1000, data.IO}, ""},
		"another type, IO":      {[]data.Span{at("Elm", "NAME"), at("St", "PLACE")}, Labelling{"letters-digits", "line", 1000, data.IO}, ""},
	} {
		doc := &data.Document{ID: "a", Text: text, Spans: tc.spans}
		data.SortSpans(doc.Spans)
		lost := lostOf(tc.labelling, doc)
		var got []string
		for why := range exact {
			if n := lost.Spans(why); n > 0 {
				key, _ := why.MarshalText()
				got = append(got, fmt.Sprintf("%s %d", key, n))
			}
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s: %v, want %s", name, got, tc.want)
		}
		if n := missed(tc.labelling, doc); n != lost.Missed() {
			t.Errorf("%s: %d are missed, and %d by decoding", name, lost.Missed(), n)
		}
	}
}

// Random spans of random texts: what is counted as lost is what labels lose.
func TestLostIsWhatLabelsLose(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"Roe", "12", "-", " ", "  ", "\n", "\n\n", ".", "St. ", "ñandú", "a", "\u00a0", "😀"}
	for range 500 {
		var text strings.Builder
		for range random.IntN(14) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		doc := &data.Document{ID: "a", Text: text.String()}
		for range random.IntN(6) {
			var borders []int
			for i := range doc.Text {
				borders = append(borders, i)
			}
			borders = append(borders, len(doc.Text))
			a, b := borders[random.IntN(len(borders))], borders[random.IntN(len(borders))]
			if a != b {
				doc.Spans = append(doc.Spans, data.Span{Start: min(a, b), End: max(a, b), Type: string("AB"[random.IntN(2)])})
			}
		}
		data.SortSpans(doc.Spans)
		for _, l := range labellings {
			// A span that overlaps a longer one may be what labels make of the longer one.
			lost := lostOf(l, doc)
			if got, want := lost.Missed(), missed(l, doc); got < want || got-want > lost.Spans(Overlapping) {
				t.Fatalf("%q %v, %s: %d are missed, and %d by decoding", doc.Text, doc.Spans, l, got, want)
			}
		}
	}
}

func corpus(t *testing.T, name string, elem ...string) []*data.Document {
	t.Helper()
	docs, err := data.Collect(format.Read(name, shared.Path(t, elem...), format.Options{Types: data.Any}))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func TestLostOfMEDDOCAN(t *testing.T) {
	docs := corpus(t, "brat", "corpora", "meddocan", "dev", "brat")
	for _, l := range labellings {
		want := 0
		for _, d := range docs {
			want += missed(l, d)
		}
		if got := lostOf(l, docs...).Missed(); got != want || want == 0 {
			t.Errorf("%s: %d are missed, and %d by decoding", l, got, want)
		}
	}
}

func report(t *testing.T, opt Options, splits ...[]*data.Document) *Report {
	t.Helper()
	c := New(opt)
	for i, docs := range splits {
		s := c.Split([]string{"train", "dev", "test", "other"}[i])
		for _, d := range docs {
			s.Add(d, nil)
		}
	}
	return c.Report()
}

func TestSizes(t *testing.T) {
	r := report(t, Options{}, []*data.Document{
		{ID: "a", Patient: "1", Text: "In 2087 and 2088.", Spans: []data.Span{{Start: 0, End: 7, Type: "X"}, {Start: 12, End: 16, Type: "DATE"}}},
		{ID: "b", Patient: "1", Text: "and and"}, {ID: "c"},
	}, []*data.Document{{ID: "d", Patient: "2", Text: "In 2089", Spans: []data.Span{{Start: 3, End: 7, Type: "DATE"}}}})
	// "In 2087 and 2088 ." and "and and". The span [0,7) touches two tokens.
	want := "train: 3 notes, 2 spans of 2 types; 7 tokens, 5 distinct, 3 in spans; 2 notes without spans"
	if got := r.Splits[0].String(); got != want {
		t.Errorf("%s", got)
	}
	if s := r.Splits[0]; s.Patients != 1 || s.NoPatient != 1 {
		t.Errorf("%+v", s)
	}
	all := *r.Total
	all.Types = nil
	if want := (Split{Name: "train+dev", Notes: 4, Empty: 2, Patients: 2, NoPatient: 1, Characters: 31, Tokens: 9, Distinct: 6, SpanTokens: 4, Spans: 3}); fmt.Sprint(all) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", all, want)
	}
}

func TestUnreadable(t *testing.T) {
	var u Unreadable
	if u.Err() != nil {
		t.Error(u.Err())
	}
	at := func(file string, line, offset int, reason string) error {
		return &data.Error{Path: file, Line: line, Offset: offset, Reason: reason}
	}
	for i := range 11 {
		u.Add(at(fmt.Sprintf("%02d.ann", i), 3, i, fmt.Sprintf("the span [%d,9) is reversed", 10+i)))
	}
	u.Add(fmt.Errorf("no file"))
	if lines := strings.Split(u.Err().Error(), "\n"); len(lines) != 12 || lines[1] != "01.ann:3: the span [11,9) is reversed (offset 1)" {
		t.Errorf("%s", u.Err())
	}
	for i := range 9 {
		u.Add(at("a.ann", 1+i, -1, "not a brat annotation line"))
	}
	want := `21 notes cannot be read:
  11 notes: the span [N,N) is reversed: 00.ann:3, 01.ann:3, 02.ann:3, 03.ann:3, 04.ann:3, 05.ann:3, 06.ann:3, 07.ann:3, 08.ann:3, 09.ann:3 and 1 more
  9 notes: not a brat annotation line: a.ann:1, a.ann:2, a.ann:3, a.ann:4, a.ann:5, a.ann:6, a.ann:7, a.ann:8, a.ann:9
  1 note: no file`
	if got := u.Err().Error(); got != want {
		t.Errorf("%s", got)
	}
}

// The names of files in a message about many notes lost their numbers: tr2.jsonl became trN.jsonl.
func TestNumbersInNamesWereReplaced(t *testing.T) {
	var u Unreadable
	for i := range maxListed + 1 {
		u.Add(&data.Error{Path: "a.jsonl", Line: i + 1, Offset: -1, Reason: fmt.Sprintf("note %d is also in tr2.jsonl", i)})
	}
	if got, want := u.Err().Error(), "21 notes: note N is also in tr2.jsonl: a.jsonl:1, "; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
