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
// left. Labels of fields at the start of replaced lines stay.
func Graft(d *data.Document, lines []string) (Grafted, []string) {
	spans := data.Flatten(d.Spans)
	labels := map[int]int{} // ends by start
	for _, l := range Labels(d) {
		labels[l[0]] = l[1]
	}
	var edits []edit
	length := 0
	for start := 0; start < len(d.Text); {
		end := start + len(d.Text[start:])
		if i := strings.IndexByte(d.Text[start:], '\n'); i >= 0 {
			end = start + i
		}
		from := start
		if labels[start] > 0 {
			from = labels[start]
		}
		if isNarrative(d, spans, from, end) {
			edits = append(edits, edit{from, end, ""})
			length += end - from
		}
		start = end + 1
	}
	if len(edits) == 0 {
		edits = []edit{{len(d.Text), len(d.Text), ""}}
		length = narrativeLength
	}
	kept := spans[:0:0]
	for _, s := range spans {
		inside := false
		for _, e := range edits {
			inside = inside || s.Start < e.end && e.start < s.End
		}
		if !inside {
			kept = append(kept, s)
		}
	}
	// The lines are divided among the places in proportion to their length.
	var g Grafted
	var b strings.Builder
	moved := 0 // the end of what is copied
	g.Document = &data.Document{ID: d.ID, Patient: d.Patient}
	next, used, due := 0, 0, 0
	copyUpTo := func(to int) {
		shift := b.Len() - moved
		for next < len(kept) && kept[next].Start < to {
			s := kept[next]
			s.Start, s.End = s.Start+shift, s.End+shift
			g.Spans = append(g.Spans, s)
			next++
		}
		b.WriteString(d.Text[moved:to])
	}
	for _, e := range edits {
		copyUpTo(e.start)
		moved = e.end
		start := b.Len()
		for due += max(1, e.end-e.start); used < due && len(lines) > 0; lines = lines[1:] {
			if b.Len() > start {
				b.WriteByte('\n')
			}
			b.WriteString(lines[0])
			used += len(lines[0])
		}
		g.Unknown = append(g.Unknown, data.Span{Start: start, End: b.Len()})
	}
	copyUpTo(len(d.Text))
	g.Text = b.String()
	return g, lines
}

func isNarrative(d *data.Document, spans []data.Span, from, to int) bool {
	if utf8.RuneCountInString(d.Text[from:to]) < narrativeLength {
		return false
	}
	inSpans := 0
	for _, s := range spans {
		if s.Start < to && from < s.End {
			inSpans += min(s.End, to) - max(s.Start, from)
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
