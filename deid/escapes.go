package deid

import (
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// lineEscape matches the end of a line as some exports write it, with a backslash and a letter instead of the character.
var lineEscape = regexp.MustCompile(`\\r\\n|\\n`)

// notLineEnd matches what follows the backslash and the n of a path or a login, such as WARD\n48291.
var notLineEnd = regexp.MustCompile(`^(?:[a-z]|[0-9]{4})`)

// dateAfter matches a date at the beginning of a line.
var dateAfter = regexp.MustCompile(`^(?:19|20)[0-9]{2}-[0-9]{2}`)

// inPath matches what stands before a backslash of a path.
var inPath = regexp.MustCompile(`(?:[A-Za-z]:|\\)[^\s]*$`)

// lineEscapes returns the places of escapes for line ends in a text. The backslash of a path or a login, as in C:\notes, begins none, unless another escape shows that
// the text has them.
func lineEscapes(text string) []data.Span {
	if !strings.Contains(text, `\n`) {
		return nil
	}
	var all, unsure []data.Span
	for _, m := range lineEscape.FindAllStringIndex(text, -1) {
		s, after := data.Span{Start: m[0], End: m[1]}, text[m[1]:]
		switch {
		case m[1]-m[0] > len(`\n`) || !notLineEnd.MatchString(after) || dateAfter.MatchString(after):
			all = append(all, s)
		case !inPath.MatchString(text[max(0, m[0]-128):m[0]]):
			unsure = append(unsure, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	all = append(all, unsure...)
	data.SortSpans(all)
	return all
}

// withLineEnds returns notes in which white space of the same length stands instead of escapes for line ends, so that these are not found as parts of words, and the dates
// behind them are. The notes that have no escapes are the same, and so are those whose spans are given.
func withLineEnds(notes []Note) []Note {
	var changed []Note
	for i, n := range notes {
		escapes := lineEscapes(n.Text)
		if len(escapes) == 0 || n.Search == Marked {
			continue
		}
		text := []byte(n.Text)
		for _, e := range escapes {
			copy(text[e.Start:e.End], "    ")
			text[e.End-1] = '\n'
		}
		doc := *n.Document
		doc.Text = string(text)
		if changed == nil {
			changed = slices.Clone(notes)
		}
		changed[i].Document, changed[i].written, changed[i].escapes = &doc, n.Document, escapes
	}
	if changed == nil {
		return notes
	}
	return changed
}

// outsideEscapes returns the parts of spans that are not escapes for line ends.
func (n Note) outsideEscapes(spans []data.Span) []data.Span {
	if len(n.escapes) == 0 {
		return spans
	}
	var parts []data.Span
	for _, s := range spans {
		for _, part := range data.Subtract(s, n.escapes) {
			if hasWord(n.Text[part.Start:part.End]) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// document returns the note as it was given.
func (n Note) document() *data.Document {
	if n.written != nil {
		return n.written
	}
	return n.Document
}
