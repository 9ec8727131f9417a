package replace

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

func span(start, end int, typ string, score float64) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: score}
}

// replaceAll replaces spans, which may overlap and have any order.
func replaceAll(doc *data.Document, spans []data.Span, with func(data.Span) string) (*data.Document, error) {
	if err := (&data.Document{ID: doc.ID, Text: doc.Text, Spans: spans}).Check(); err != nil {
		return nil, err
	}
	return rewrite(doc, data.Merge(spans), with, func(data.Span) {}), nil
}

func inBrackets(s data.Span) string { return "[" + s.Type + "]" }

func TestReplace(t *testing.T) {
	const text = "Íñigo Vega, 12/03, Ward 7"
	name := span(0, 12, "PATIENT", 0.9)
	for _, tc := range []struct {
		name  string
		spans []data.Span
		text  string
		out   []data.Span
	}{
		{"nothing", nil, text, nil},
		{"one", []data.Span{name}, "[PATIENT], 12/03, Ward 7", []data.Span{span(0, 9, "PATIENT", 0.9)}},
		{"in any order", []data.Span{span(14, 19, "DATE", 1), name}, "[PATIENT], [DATE], Ward 7",
			[]data.Span{span(0, 9, "PATIENT", 0.9), span(11, 17, "DATE", 1)}},
		// A known tool leaves the second of two such entities in the text.
		{"with a space between", []data.Span{span(0, 7, "FIRST", 1), span(8, 12, "LAST", 1)}, "[FIRST] [LAST], 12/03, Ward 7",
			[]data.Span{span(0, 7, "FIRST", 1), span(8, 14, "LAST", 1)}},
		{"touching", []data.Span{span(14, 16, "DAY", 1), span(16, 19, "MONTH", 1)}, "Íñigo Vega, [DAY][MONTH], Ward 7",
			[]data.Span{span(14, 19, "DAY", 1), span(19, 26, "MONTH", 1)}},
		{"touching, one type", []data.Span{span(14, 16, "DATE", 1), span(16, 19, "DATE", 1)}, "Íñigo Vega, [DATE][DATE], Ward 7",
			[]data.Span{span(14, 20, "DATE", 1), span(20, 26, "DATE", 1)}},
		{"twice", []data.Span{name, name}, "[PATIENT], 12/03, Ward 7", []data.Span{span(0, 9, "PATIENT", 0.9)}},
		{"nested", []data.Span{span(8, 12, "CITY", 1), name}, "[PATIENT], 12/03, Ward 7", []data.Span{span(0, 9, "PATIENT", 0.9)}},
		{"overlapping, second longer", []data.Span{span(0, 8, "DOCTOR", 1), span(7, 19, "DATE", 0.5)}, "[DATE], Ward 7",
			[]data.Span{span(0, 6, "DATE", 0.5)}},
		{"a chain", []data.Span{span(0, 8, "A", 1), span(7, 14, "B", 1), span(13, 20, "C", 1)}, "[A] Ward 7",
			[]data.Span{span(0, 3, "A", 1)}},
		{"one stretch, two types", []data.Span{span(14, 19, "PHONE", 0.3), span(14, 19, "DATE", 0.4)}, "Íñigo Vega, [DATE], Ward 7",
			[]data.Span{span(14, 20, "DATE", 0.4)}},
		{"all", []data.Span{span(0, len(text), "OTHER", 1)}, "[OTHER]", []data.Span{span(0, 7, "OTHER", 1)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := &data.Document{ID: "a", Patient: "p", Text: text, Spans: []data.Span{name}}
			given := slices.Clone(tc.spans)
			got, err := replaceAll(doc, tc.spans, inBrackets)
			if err != nil {
				t.Fatal(err)
			}
			want := &data.Document{ID: "a", Patient: "p", Text: tc.text, Spans: tc.out}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !slices.Equal(tc.spans, given) || doc.Text != text || !slices.Equal(doc.Spans, []data.Span{name}) {
				t.Error("what was given has been changed")
			}
		})
	}
}

func TestReplaceWithNothing(t *testing.T) {
	nothing := func(data.Span) string { return "" }
	got, err := replaceAll(&data.Document{Text: "Seen by Oda."}, []data.Span{span(8, 11, "DOCTOR", 1)}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(&data.Document{Text: "Seen by ."}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReplaceErrors(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		span       data.Span
		want       string
	}{
		{"beyond the text", "Oda", span(0, 4, "X", 1), "document a: span 0 [0,4) lies beyond the text of 3 bytes"},
		{"before the text", "Oda", span(-1, 2, "X", 1), "document a: span 0 [-1,2) lies beyond the text of 3 bytes"},
		{"empty", "Oda", span(1, 1, "X", 1), "document a: span 0 [1,1) is empty or reversed"},
		{"reversed", "Oda", span(2, 1, "X", 1), "document a: span 0 [2,1) is empty or reversed"},
		{"inside a character", "é", span(0, 1, "X", 1), "document a: span 0 [0,1) cuts a code point"},
		{"not UTF-8", "Oda\xff", span(0, 3, "X", 1), "document a: invalid UTF-8 at byte 3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := replaceAll(&data.Document{ID: "a", Text: tc.text}, []data.Span{tc.span}, inBrackets)
			if got != nil || err == nil || err.Error() != tc.want {
				t.Errorf("document %v, error %v, want error %q", got, err, tc.want)
			}
		})
	}
}

// checkReplaced checks a replacement against its definition, byte by byte: the new text consists of the bytes of the old
// text outside of all spans, in order, with one replacement for each group of overlapping spans.
func checkReplaced(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, spans []data.Span, got *data.Document) {
	t.Helper()
	// joined[i] is true if bytes i-1 and i are in the same span, and so in the same replacement.
	covered, joined := make([]bool, len(text)), make([]bool, len(text)+1)
	for _, s := range spans {
		for i := s.Start; i < s.End; i++ {
			covered[i] = true
			joined[i] = joined[i] || i > s.Start
		}
	}
	var want strings.Builder
	var wantSpans []data.Span
	for i := range len(text) {
		switch {
		case !covered[i]:
			want.WriteByte(text[i])
		case !joined[i]:
			end := i + 1
			for end < len(text) && joined[end] {
				end++
			}
			in := slices.DeleteFunc(slices.Clone(spans), func(s data.Span) bool { return s.Start < i || s.End > end })
			top := slices.MinFunc(in, func(a, b data.Span) int {
				return cmp.Or(cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Type, b.Type))
			})
			start := want.Len()
			want.WriteString("[" + top.Type + "]")
			wantSpans = append(wantSpans, data.Span{Start: start, End: want.Len(), Type: top.Type, Score: top.Score})
		}
	}
	if got.Text != want.String() {
		t.Fatalf("text %q, want %q", got.Text, want.String())
	}
	if !slices.Equal(got.Spans, wantSpans) {
		t.Fatalf("spans %v, want %v", got.Spans, wantSpans)
	}
	if err := got.Check(); err != nil {
		t.Fatalf("the result is no legal document: %v", err)
	}
}

func TestReplaceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aé王 \n")), 1, 20, -1).Draw(t, "text")
		var borders []int
		for i := range text {
			borders = append(borders, i)
		}
		borders = append(borders, len(text))
		spans := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) data.Span {
			i := rapid.IntRange(0, len(borders)-2).Draw(t, "start")
			j := rapid.IntRange(i+1, len(borders)-1).Draw(t, "end")
			typ := rapid.SampledFrom([]string{"A", "BB", "CCC"}).Draw(t, "type")
			return data.Span{Start: borders[i], End: borders[j], Type: typ, Score: 1}
		}), 0, 6).Draw(t, "spans")
		got, err := replaceAll(&data.Document{Text: text}, spans, inBrackets)
		if err != nil {
			t.Fatal(err)
		}
		checkReplaced(t, text, spans, got)
	})
}

// FuzzReplace checks any text with any spans. A span is a pair of bytes: its start, and its length plus 8, so that
// lengths can be negative. There are at most 20 spans, because the check is quadratic.
func FuzzReplace(f *testing.F) {
	f.Add("Oda Lund, 12/03", []byte{0, 16, 10, 13, 4, 12})
	f.Add("é\xff", []byte{0, 9})
	f.Add("", []byte{0, 8})
	f.Add("Íñigo", []byte{0, 10, 0, 11, 200, 255})
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		var spans []data.Span
		for i := 0; i+1 < min(len(raw), 40); i += 2 {
			start := int(raw[i])
			spans = append(spans, data.Span{Start: start, End: start + int(raw[i+1]) - 8, Type: string(rune('A' + raw[i]%3)), Score: 1})
		}
		got, err := replaceAll(&data.Document{Text: text}, spans, inBrackets)
		legal := utf8.ValidString(text)
		for _, s := range spans {
			legal = legal && s.Start < s.End && s.End <= len(text) &&
				utf8.RuneStart(text[s.Start]) && (s.End == len(text) || utf8.RuneStart(text[s.End]))
		}
		if legal != (err == nil) {
			t.Fatalf("legal input: %v, error: %v", legal, err)
		}
		if err == nil {
			checkReplaced(t, text, spans, got)
		}
	})
}
