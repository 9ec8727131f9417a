package notefile

import (
	"bytes"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/notefile/internal/rtf"
)

// readRTF reads a document in the Rich Text Format (version 1.9.1). The note is its text: first the body, then, each
// after an empty line, the text of other places in the order of the file: headers, footers, footnotes, comments, text boxes,
// instructions of fields with the targets of links, and everything in groups that are unknown. Hidden text and deleted
// revisions are text as well. An edit replaces characters only; formatting never changes.
//
// What says who wrote the document is removed, whatever the note: see destinations. A picture or an
// embedded object refuses the document, or is removed with Options.Drop. Names of fonts, styles and
// lists are not examined.
func readRTF(in *base.Source, o Options) Records {
	return base.One(in, false, func(raw []byte) (*Record, error) {
		if markup.MarksUTF16(raw) {
			return nil, in.CheckUTF8(raw, 1, 0)
		}
		x, err := rtf.Read(string(raw), o.Drop)
		if err != nil {
			e := err.(*rtf.Error) //nolint:errorlint,forcetypeassert // rtf.Read returns no other errors
			return nil, in.Defect(1+bytes.Count(raw[:e.At], []byte("\n")), e.At, e.Reason)
		}
		doc := &data.Document{ID: in.ID(), Patient: data.PatientOf(in.ID()), Text: x.Text}
		note := &Note{Document: doc, Line: 1, Known: x.Known, Below: x.Below, Always: x.Always}
		return &Record{Raw: raw, Line: 1, Notes: []*Note{note}, Dropped: x.Dropped}, nil
	})
}
