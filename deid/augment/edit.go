package augment

import (
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// edit is a replacement of a piece of text.
type edit struct {
	start, end int
	text       string
}

// apply makes the edits. An edit must be inside of a span, outside of all, or replace
// whole spans, and edits must not overlap. A value of a column moves with its text; if its text is removed, so is
// the value. It is an error if a value belongs to a part of a text that another one replaces.
func apply(d *data.Document, spans []data.Span, edits []edit) (*data.Document, error) {
	at := map[int]edit{} // by start, which is unique because no edit is empty
	for _, e := range edits {
		at[e.start] = e
	}
	var b strings.Builder
	moved := make([]int, len(d.Text)+1) // new offset of each byte
	within := map[int]bool{}            // bytes, but the first, of replaced text
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
			if d.Columns != nil && k > e.start && e.text != "" {
				within[k] = true
			}
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
	if d.Columns != nil {
		out.Columns = map[string][]data.Label{}
	}
	for _, name := range d.ColumnNames() {
		out.Columns[name] = []data.Label{}
		for _, l := range d.Columns[name] {
			if within[l.Start] || within[l.End] {
				return nil, fmt.Errorf("document %s: the column %s has a value for a part of a text that is replaced, and the values of the new text are unknown", d.ID, name)
			}
			if l.Start, l.End = moved[l.Start], moved[l.End]; l.Start < l.End {
				out.Columns[name] = append(out.Columns[name], l)
			}
		}
	}
	return out, nil
}
