package deid

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

func TestReading(t *testing.T) {
	for written, want := range map[string]string{
		"Lund's wound":                           "Lund's wound",
		"Lund&#39;s wound":                       "Lund's wound",
		"Mu&#241;oz, Jos&eacute; &#x26; R&amp;D": "Muñoz, José & R&D",
		"R&D; AT&T; &Mercer; &;":                 "R&D; AT&T; &Mercer; &;",
		"Oda&nbsp;Lund":                          "Oda Lund",
		"03−04−2071":                             "03-04-2071",
		"123\u00a045\u20096789":                  "123 45 6789",
		"1–2":                                    "1–2",
		"Amund\u00adsen":                         "Amundsen",
		"Oda \u200bLund":                         "Oda \u200bLund",
		"\ufeffOda Lund":                         "Oda Lund", // a byte order mark changed what was found
		`Oda\r\nLund\nBob`:                       "Oda\nLund\nBob",
	} {
		got, all, _ := reading(written)
		if got != want || (len(all) > 0) != (written != want) {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
}

// TestSpansOfReadings compares asWritten with the substitutions one by one.
func TestSpansOfReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"a", "7", "é", "&eacute;", "\u00a0", "−", "\u00ad", " ", "&NotEqualTilde;", `\n `})).Draw(t, "pieces")
		written := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + strings.Join(pieces, "")
		text, all, _ := reading(written)
		at := 0 // in the text as it was written
		for i, s := range all {
			if i > 0 && text[all[i-1].read.End:s.read.Start] != written[at:s.written.Start] {
				t.Fatalf("%q: the texts between substitutions differ", written)
			}
			at = s.written.End
		}
		for start, c := range text {
			end := start + len(string(c))
			from, to := asWritten(all, start, end)
			if got, _, _ := reading(written[from:to]); !strings.Contains(got, string(c)) || from >= to {
				t.Fatalf("%q: %q is %q", written, c, written[from:to])
			}
			for _, s := range all {
				if s.written.Start < from && from < s.written.End || s.written.Start < to && to < s.written.End {
					t.Fatalf("%q: %d-%d divides a substitution", written, from, to)
				}
			}
		}
	})
}

// Numbers between no-break spaces or minus signs stayed in part, and names with character references of HTML as well.
func TestPlainCharactersAreFoundInAnyForm(t *testing.T) {
	net, err := NewNet("english", data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	d := engine(t, replace.Plan{Default: replace.Tag})
	d.Net = net
	known := []safetynet.Value{{Kind: safetynet.Name, Text: "Oda Lund"}, {Kind: safetynet.Name, Text: "José Muñoz"}}
	for text, want := range map[string]string{
		"SSN 123−45−6789 verified":             "SSN [SSN] verified",
		"SSN 123\u00a045\u00a06789 verified":   "SSN [SSN] verified",
		"DOB: 03&#8722;14&#8722;1950 ok":       "DOB: [DATE] ok",
		"Lund&#39;s wound":                     "[PATIENT]&#39;s wound",
		"Dr. Mu&#241;oz and Jos&#xe9;, 5&lt;6": "Dr. [PATIENT] and [PATIENT], 5&lt;6",
		"Mu\u00adñoz":                          "[PATIENT]",
		"5&nbsp;mg &#43; 3 − 1":                "5&nbsp;mg &#43; 3 − 1",
	} {
		if got := clean(t, d, known, text)[0]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The spans of notes without a tagger are those of the text as it was written.
func TestSpansOfTheNoteItself(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	if got := clean(t, d, nil, "A&amp;E: «PATIENT|Jos&eacute;» 5\u00a0mg; José")[0]; got != "A&amp;E: [PATIENT] 5\u00a0mg; [PATIENT]" {
		t.Error(got)
	}
	spans, err := d.Tag(t.Context(), []*data.Document{{Text: "&amp; José", Spans: []data.Span{{Start: 6, End: 11, Type: "PATIENT"}}}})
	if want := (data.Span{Start: 6, End: 11, Type: "PATIENT"}); err != nil || len(spans) != 1 || !slices.Equal(spans[0], []data.Span{want}) {
		t.Error(spans, err)
	}
}

// wordsBetween finds words that stand between blanks or tags.
type wordsBetween struct{ data.Tagger }

func (wordsBetween) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	all := make([][]data.Span, len(docs))
	for i, doc := range docs {
		for _, word := range []string{"Oda", "Lund", "Ragnhild"} {
			for _, around := range []string{" " + word + " ", ">" + word + "<"} {
				if at := strings.Index(doc.Text, around); at >= 0 {
					all[i] = append(all[i], data.Span{Start: at + 1, End: at + 1 + len(word), Type: "PATIENT", Score: 1})
				}
			}
		}
		data.SortSpans(all[i])
	}
	return all, nil
}

// A name that only the text with its tags, or only the text without them, shows was not found.
func TestNamesInOneOfTwoReadings(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	d.Tagger = wordsBetween{}
	const tags, text = "Mu&ntilde;oz: <b>Oda</b>was, Ragn<b>hild</b> and Lund saw Tor", "Mu&ntilde;oz: Odawas, Ragnhild and Lund saw Tor"
	without := func(spans []data.Span) []data.Span {
		var found []data.Span
		for _, s := range spans {
			word := tags[s.Start:s.End]
			s.Start = strings.Index(text, word)
			s.End = s.Start + len(word)
			found = append(found, s)
		}
		return found
	}
	n := Note{Document: &data.Document{Text: text}, Tags: tags, Without: without, Known: []safetynet.Value{{Kind: safetynet.Name, Text: "Tor"}}}
	if r := d.Notes(t.Context(), []Note{n})[0]; r.Err != nil || r.Clean.Text != "Mu&ntilde;oz: [PATIENT], [PATIENT] and [PATIENT] saw [PATIENT]" {
		t.Errorf("%v: %v", r.Clean, r.Err)
	}
}

func TestUnitedSpans(t *testing.T) {
	const text = "Oda Lund, Tor Berg seen"
	first := []data.Span{{Start: 0, End: 3, Type: "A"}, {Start: 10, End: 13, Type: "A"}, {Start: 14, End: 18, Type: "A"}}
	second := []data.Span{{Start: 0, End: 8, Type: "B"}, {Start: 8, End: 18, Type: "B"}, {Start: 19, End: 23, Type: "B"}}
	want := []data.Span{{Start: 0, End: 8, Type: "A"}, {Start: 10, End: 13, Type: "A"}, {Start: 14, End: 18, Type: "A"}, {Start: 19, End: 23, Type: "B"}}
	if got := united(text, first, second); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
