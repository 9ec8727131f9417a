// Package deid takes protected health information out of documents: it puts
// something else in the place of the spans that a tagger found.
package deid

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// Replacer gives what stands in the place of a span of the document.
type Replacer func(doc *data.Document, span data.Span) string

// Tag replaces a span by its type in brackets: [PATIENT].
func Tag(_ *data.Document, span data.Span) string { return "[" + span.Type + "]" }

// Replace returns a new document with every span, in any order, replaced in its
// text. The Spans of the new document are where the replacements stand, with the
// type and score of what they replaced (none where the replacement is empty);
// doc.Spans plays no part. ID and Patient are kept as they are.
//
// Not one byte inside a span is copied, and every byte outside of all spans
// is. Overlapping spans are therefore replaced as one, over all that they
// cover, with the type and score of the longest (of equals the first in reading
// order). Spans that only touch, or that have but a space between them, are
// replaced one by one.
//
// The error says, without content, that the text is not UTF-8 or that a span
// does not fit it (see data.Document.Check).
func Replace(doc *data.Document, spans []data.Span, with Replacer) (*data.Document, error) {
	if err := (&data.Document{ID: doc.ID, Text: doc.Text, Spans: spans}).Check(); err != nil {
		return nil, err
	}
	return replace(doc, merge(spans), func(s data.Span) (string, error) { return with(doc, s), nil }, func(data.Span) {})
}

// replace does it for spans that are sorted and disjoint. done hears, after each
// call of with, where the replacement stands, be it empty.
func replace(doc *data.Document, spans []data.Span, with func(data.Span) (string, error), done func(data.Span)) (*data.Document, error) {
	out := &data.Document{ID: doc.ID, Patient: doc.Patient}
	var text strings.Builder
	at := 0
	for _, s := range spans {
		text.WriteString(doc.Text[at:s.Start])
		value, err := with(s)
		if err != nil {
			return nil, fmt.Errorf("document %s: span [%d,%d) of type %s: %w", doc.ID, s.Start, s.End, s.Type, err)
		}
		placed := data.Span{Start: text.Len(), End: text.Len() + len(value), Type: s.Type, Score: s.Score}
		text.WriteString(value)
		if value != "" {
			out.Spans = append(out.Spans, placed)
		}
		done(placed)
		at = s.End
	}
	text.WriteString(doc.Text[at:])
	out.Text = text.String()
	return out, nil
}

// merge joins spans that overlap. The result is sorted and disjoint.
func merge(spans []data.Span) []data.Span {
	sorted := slices.Clone(spans)
	data.SortSpans(sorted)
	var merged []data.Span
	longest := 0 // length of the longest span in the last of merged
	for _, s := range sorted {
		length := s.End - s.Start
		k := len(merged) - 1
		if k < 0 || s.Start >= merged[k].End {
			merged, longest = append(merged, s), length
			continue
		}
		merged[k].End = max(merged[k].End, s.End)
		if length > longest {
			merged[k].Type, merged[k].Score, longest = s.Type, s.Score, length
		}
	}
	return merged
}
