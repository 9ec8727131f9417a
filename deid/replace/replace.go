// Package replace puts something else in the place of protected health information: a tag, a
// number, a hash, nothing, or an invented value of the same sort (package surrogate). A Plan says what
// stands in the place of each type.
//
//	replacer, err := replace.New(replace.Plan{Default: replace.Surrogate}, replace.Options{Key: key, Types: types})
//	patient := replacer.Patient("110", notes)
//	clean, changes, err := patient.Replace(notes[0], notes[0].Spans)
//
// Package deid decides what is replaced, and calls this one.
package replace

import (
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// rewrite returns a new document in which each of the spans, which are sorted and disjoint, is
// replaced by what with returns for it. The Spans of the new document are where the replacements
// stand, with the type and score of what they replaced (none where the replacement is empty);
// doc.Spans plays no part. ID and Patient are kept as they are.
//
// Not one byte inside a span is copied, and every byte outside of all spans is. Spans that
// only touch are replaced one by one. done is called after each call of with, and is told where the
// replacement stands, even if it is empty.
func rewrite(doc *data.Document, spans []data.Span, with func(data.Span) (string, error), done func(data.Span)) (*data.Document, error) {
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
