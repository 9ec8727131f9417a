// Package toy is a minimal corpus format that shows how to add one. A file contains one note: a
// line with the spans, then the text. Offsets count bytes.
//
//	12-19:DOCTOR
//	Seen by Dr. Vance.
package toy

import (
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".toy"

// Read reads one file, or the .toy files of a folder.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Each(path, Ext, func(file string) (*data.Document, error) {
		raw, err := notes.ReadText(file)
		if err != nil {
			return nil, err
		}
		marks, text, _ := strings.Cut(raw, "\n")
		id := notes.ID(file)
		doc := &data.Document{ID: id, Patient: data.PatientOf(id), Text: text}
		for _, mark := range strings.Fields(marks) {
			s := data.Span{Score: 1}
			if _, err := fmt.Sscanf(mark, "%d-%d:%s", &s.Start, &s.End, &s.Type); err != nil || !types.Has(s.Type) {
				return nil, notes.Defect(file, 1, -1, "not a span")
			}
			doc.Spans = append(doc.Spans, s)
		}
		return doc, nil
	})
}

// Create writes notes into a folder as ID.toy.
func Create(dir string, types *data.TypeSet) (data.Writer, error) {
	return notes.NewFolder(dir, types, func(doc *data.Document) ([]notes.Part, error) {
		var b strings.Builder
		for _, s := range doc.Spans {
			fmt.Fprintf(&b, "%d-%d:%s ", s.Start, s.End, s.Type)
		}
		return []notes.Part{{Ext: Ext, Content: []byte(b.String() + "\n" + doc.Text)}}, nil
	})
}
