package augment

import (
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// A line of a note is narrative, rather than a field or a signature, if it has at least
// narrativeLength characters, of which at most narrativeShare are in spans.
const (
	narrativeLength = 80
	narrativeShare  = 0.2
)

// A Grafted note has the fields of an annotated note and the narrative of a text without
// annotations.
type Grafted struct {
	*data.Document             // its spans are those of the annotated note
	Unknown        []data.Span // the ranges of the other text, in which spans are not known
}

// Graft replaces the narrative of a note with lines of another text, of about the same
// length; a note without narrative gets them at its end. It returns the lines that are
// left. The grafted note has no columns. Labels of fields at the start of replaced lines stay.
func Graft(d *data.Document, lines []string) (g Grafted, left []string) {
	spans := data.Flatten(d.Spans)
	places := narrative(d, spans)
	g.Document = &data.Document{ID: d.ID, Patient: d.Patient}
	var b strings.Builder
	copied := 0 // bytes of the note
	copyUpTo := func(to int) {
		for len(spans) > 0 && spans[0].Start < to {
			s := spans[0]
			s.Start, s.End = s.Start+b.Len()-copied, s.End+b.Len()-copied
			g.Spans = append(g.Spans, s)
			spans = spans[1:]
		}
		b.WriteString(d.Text[copied:to])
		copied = to
	}
	used, due := 0, 0 // bytes of lines: each place gets as many as it has itself
	for _, p := range places {
		copyUpTo(p.start)
		if p.start == p.end && len(lines) > 0 && b.Len() > 0 && !strings.HasSuffix(d.Text, "\n") { // the lines are added to the note
			b.WriteByte('\n')
		}
		start := b.Len()
		for due += max(narrativeLength, p.end-p.start); used < due && len(lines) > 0; lines = lines[1:] {
			if b.Len() > start {
				b.WriteByte('\n')
			}
			b.WriteString(lines[0])
			used += len(lines[0])
		}
		if b.Len() > start {
			g.Unknown = append(g.Unknown, data.Span{Start: start, End: b.Len()})
		}
		copied = p.end
		for len(spans) > 0 && spans[0].Start < p.end {
			spans = spans[1:]
		}
	}
	copyUpTo(len(d.Text))
	g.Text = b.String()
	return g, lines
}

// place is a range of a note that other text replaces.
type place struct{ start, end int }

// narrative returns the places of a note's narrative or, if it has none, its end.
func narrative(d *data.Document, spans []data.Span) []place {
	labels := map[int]int{} // ends by start
	for _, l := range fieldLabels(d) {
		labels[l[0]] = l[1]
	}
	var places []place
	for start, end := range lines(d.Text) {
		if from := max(start, labels[start]); isNarrative(d, spans, from, end) {
			places = append(places, place{from, end})
		}
	}
	if places == nil {
		places = []place{{len(d.Text), len(d.Text)}}
	}
	return places
}

func isNarrative(d *data.Document, spans []data.Span, from, to int) bool {
	if utf8.RuneCountInString(d.Text[from:to]) < narrativeLength {
		return false
	}
	inSpans := 0
	for _, s := range spans {
		switch {
		case s.End <= from || to <= s.Start:
		case s.Start < from || to < s.End:
			return false // a part of the span would be left
		default:
			inSpans += s.End - s.Start
		}
	}
	return float64(inSpans) <= narrativeShare*float64(to-from)
}

// Label returns the spans of a grafted note: those that are known, and those found in the
// unknown parts.
func (g Grafted) Label(found []data.Span) []data.Span {
	all := append([]data.Span(nil), g.Spans...)
	for _, s := range found {
		for _, u := range g.Unknown {
			if u.Start <= s.Start && s.End <= u.End {
				all = append(all, s)
			}
		}
	}
	data.SortSpans(all)
	return all
}
