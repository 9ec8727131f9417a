package deid

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/plain"
)

// A note is examined in a reading of it, which has plain characters (see package plain), line ends where the note has escapes for them, and words in one piece that a hyphen divides at the end of
// a line. What is found is replaced in
// the text as it was written.

// substitution is where a reading and its text as it was written differ.
type substitution struct{ read, written data.Token }

// inverse returns the substitutions of the reading by the written text.
func inverse(all []substitution) []substitution {
	back := make([]substitution, len(all))
	for i, s := range all {
		back[i] = substitution{s.written, s.read}
	}
	return back
}

// asWritten returns where a range of the reading is in the text as it was written. A range that has a part of a substitution gets all of it.
func asWritten(all []substitution, start, end int) (int, int) {
	i, _ := slices.BinarySearchFunc(all, start, func(s substitution, at int) int { return cmp.Or(cmp.Compare(s.read.End, at), -1) })
	switch { // the first one that ends behind the start
	case i < len(all) && all[i].read.Start <= start:
		start = all[i].written.Start
	case i > 0:
		start += all[i-1].written.End - all[i-1].read.End
	}
	i, _ = slices.BinarySearchFunc(all, end, func(s substitution, at int) int { return cmp.Compare(s.read.Start, at) })
	switch { // the first one that does not start before the end
	case i > 0 && all[i-1].read.End >= end:
		end = all[i-1].written.End
	case i > 0:
		end += all[i-1].written.End - all[i-1].read.End
	}
	return start, end
}

// spansAsWritten is asWritten for spans.
func spansAsWritten(all []substitution, spans []data.Span) []data.Span {
	if len(all) == 0 {
		return spans
	}
	spans = slices.Clone(spans)
	for i, s := range spans {
		spans[i].Start, spans[i].End = asWritten(all, s.Start, s.End)
	}
	return spans
}

// read returns the notes with the texts in which they are examined. Those whose spans are given stay as they are.
func read(notes []Note) []Note {
	var changed []Note
	for i, n := range notes {
		if n.Search == Marked {
			continue
		}
		text, all, lineEnds, joined := readAs(n.Text, true)
		if len(all) == 0 {
			continue
		}
		doc := *n.Document
		doc.Text, doc.Spans = text, spansAsWritten(inverse(all), n.Spans)
		if len(doc.Columns) > 0 {
			doc.Columns = map[string][]data.Label{}
			for name, labels := range n.Columns {
				labels = slices.Clone(labels)
				for k, l := range labels {
					labels[k].Start, labels[k].End = asWritten(inverse(all), l.Start, l.End)
				}
				doc.Columns[name] = labels
			}
		}
		if changed == nil {
			changed = slices.Clone(notes)
		}
		changed[i].Document, changed[i].written, changed[i].substitutions, changed[i].lineEnds = &doc, n.Document, all, lineEnds
		if joined {
			changed[i].divided, changed[i].inDivided, _, _ = readAs(n.Text, false)
		}
	}
	if changed == nil {
		return notes
	}
	return changed
}

// found returns where spans of the reading are in the note as it was written, without its escapes for line ends.
func (n Note) found(spans []data.Span) []data.Span {
	spans = spansAsWritten(n.substitutions, spans)
	if len(n.lineEnds) == 0 {
		return spans
	}
	var parts []data.Span
	for _, s := range spans {
		for _, part := range data.Subtract(s, n.lineEnds) {
			if hasWord(n.written.Text[part.Start:part.End]) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// document returns the note as it was written.
func (n Note) document() *data.Document {
	if n.written != nil {
		return n.written
	}
	return n.Document
}

// reading returns the reading of a text, where the two differ, and the escapes for line ends in the text.
func reading(written string) (text string, all []substitution, lineEnds []data.Span) {
	text, all, lineEnds, _ = readAs(written, true)
	return text, all, lineEnds
}

// readAs is reading with or without divided words in one piece. It also reports whether there are any in one piece.
func readAs(written string, inOnePiece bool) (text string, all []substitution, lineEnds []data.Span, joined bool) {
	lineEnds = lineEscapes(written)
	var b strings.Builder
	from, ends := 0, lineEnds // what is not yet in b
	substitute := func(start, end int, by string) {
		b.WriteString(written[from:start])
		s := substitution{written: data.Token{Start: start, End: end}}
		s.read.Start = b.Len()
		b.WriteString(by)
		s.read.End = b.Len()
		all, from = append(all, s), end
	}
	for i := 0; i < len(written); {
		if b := written[i]; b < utf8.RuneSelf && b != '&' && b != '-' && b != '\\' { // as nearly all characters
			i++
			continue
		}
		by, size, differ := plain.At(written, i)
		if len(ends) > 0 && ends[0].Start == i {
			by, size, differ = "\n", ends[0].End-i, true
			ends = ends[1:]
		}
		if n := brokenAt(written, i); inOnePiece && n > 0 {
			by, size, differ, joined = "", n, true, true
		}
		if differ {
			substitute(i, i+size, by)
		}
		i += size
	}
	if len(all) == 0 {
		return written, nil, nil, false
	}
	b.WriteString(written[from:])
	return b.String(), all, lineEnds, joined
}

// withoutTags returns where spans that are found in the reading of the text with tags are in the document.
func (n Note) withoutTags(find func(text string) []data.Span) []data.Span {
	text, all, _ := reading(n.Tags)
	return spansAsWritten(inverse(n.substitutions), n.Without(spansAsWritten(all, find(text))))
}

// withoutDivided returns where spans of the reading with divided words are in the document.
func (n Note) withoutDivided(spans []data.Span) []data.Span {
	return spansAsWritten(inverse(n.substitutions), spansAsWritten(n.inDivided, spans))
}

// united returns disjoint spans with all words of two lists of spans of a text. A span that overlaps one of the first list enlarges it.
func united(text string, first, second []data.Span) []data.Span {
	all := slices.Clone(first)
	for _, s := range second {
		if from, to := data.Overlapping(first, s); to-from == 1 {
			all[from].Start, all[from].End = min(all[from].Start, s.Start), max(all[from].End, s.End)
			continue
		}
		for _, part := range data.Subtract(s, first) {
			if hasWord(text[part.Start:part.End]) {
				all = append(all, part)
			}
		}
	}
	return data.Merge(all)
}
