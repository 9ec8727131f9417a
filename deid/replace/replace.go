// Package replace replaces spans of text with a tag, a number, asterisks, nothing, a hash, or an invented value of the same
// sort (package surrogate), or keeps them. A Plan chooses the kind of replacement for each type.
//
//	replacer, err := replace.New(replace.Plan{Default: replace.Surrogate}, replace.Options{Key: key, Types: types})
//	patient := replacer.Patient("110", notes)
//	clean, changes, err := patient.Replace(notes[0], notes[0].Spans)
//
// Package deid finds the spans to replace and calls this package.
package replace

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// rewrite returns a copy of a document in which each span is replaced by the text that with(span) returns. The
// spans must be sorted and disjoint; adjacent spans are replaced separately. No byte inside a span is copied, and every byte
// outside of all spans is. ID and Patient stay the same, and doc.Spans is ignored.
//
// The Spans of the new document are the replacements, without empty ones, with the type and score of the original
// spans. After each call to with, rewrite passes the span of the replacement to done, even if it is empty.
func rewrite(doc *data.Document, spans []data.Span, with func(data.Span) string, done func(data.Span)) *data.Document {
	out := &data.Document{ID: doc.ID, Patient: doc.Patient}
	var text strings.Builder
	at := 0
	for _, s := range spans {
		text.WriteString(doc.Text[at:s.Start])
		value := with(s)
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
	return out
}
