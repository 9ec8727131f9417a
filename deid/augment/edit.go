package augment

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// edit is a replacement of a piece of text.
type edit struct {
	start, end int
	text       string
}

// apply makes the edits. An edit must be inside of a span, outside of all, or replace
// whole spans, and edits must not overlap.
func apply(d *data.Document, spans []data.Span, edits []edit) *data.Document {
	at := map[int]edit{} // by start, which is unique because no edit is empty
	for _, e := range edits {
		at[e.start] = e
	}
	var b strings.Builder
	moved := make([]int, len(d.Text)+1) // new offset of each byte
	for i := 0; i < len(d.Text); {
		moved[i] = b.Len()
		e, ok := at[i]
		if !ok {
			b.WriteByte(d.Text[i])
			i++
			continue
		}
		for k := e.start; k < e.end; k++ {
			moved[k] = b.Len()
		}
		b.WriteString(e.text)
		i = e.end
	}
	moved[len(d.Text)] = b.Len()
	out := &data.Document{ID: d.ID, Patient: d.Patient, Text: b.String()}
	for _, s := range spans {
		s.Start, s.End = moved[s.Start], moved[s.End]
		out.Spans = append(out.Spans, s)
	}
	return out
}
