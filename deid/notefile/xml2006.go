package notefile

import (
	"errors"
	"strings"

	"github.com/lethe-deid/lethe/data/deid2006"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// readRecords reads a file of the i2b2 2006 challenge. Each RECORD is a record. As in readXML, it refuses anything that would
// go unexamined. The marks within the texts are removed, and each replacement is marked instead.
func readRecords(in *base.Source, o Options) Records {
	return func(yield func(*Record, error) bool) {
		raw, err := in.All()
		var cs base.Encoding
		if err == nil {
			raw, cs, err = xmlText(in, raw)
		}
		if err != nil {
			yield(nil, &Broken{Err: err})
			return
		}
		file := string(raw)
		r := xmlnotes.NewReader(file)
		all, err := xmlnotes.ReadRecords(r)
		if all.Hidden != nil {
			err = all.Hidden
		}
		if e, ok := errors.AsType[*xmlnotes.Error](err); ok {
			yield(nil, &Broken{Err: in.Defect(e.Line, e.Offset, e.Reason)})
			return
		}
		at := all.End // of the first record, or of the tag that ends the root
		if len(all.Records) > 0 {
			at = all.Records[0].From
		}
		if !yield(&Record{Raw: raw[:at], Line: 1, Frame: true, Charset: cs}, nil) {
			return
		}
		for i, rec := range all.Records {
			next := all.End
			if i+1 < len(all.Records) {
				next = all.Records[i+1].From
			}
			record, err := newRecord(in, file, r, rec, o)
			if err == nil {
				record.Raw, record.Charset = raw[rec.From:next], cs
				err = in.CheckTexts(record, false)
			}
			if err != nil {
				record = nil
			}
			if !yield(record, err) {
				return
			}
		}
		if line := 1 + strings.Count(file[:all.End], "\n"); all.End < len(file) {
			yield(&Record{Raw: raw[all.End:], Line: line, Frame: true, Charset: cs}, nil)
		}
	}
}

// newRecord makes a record, without its bytes.
func newRecord(in *base.Source, file string, r *xmlnotes.Reader, rec *xmlnotes.Record, o Options) (*Record, error) {
	defect := rec.Hidden // it precedes any defect, or is as bad
	if defect == nil {
		defect = rec.Defect
	}
	if defect != nil {
		return nil, deid2006.Defect(in.Name, rec, defect.Line, defect.Reason)
	}
	types := o.Types
	if !o.Marked {
		types = nil
	}
	doc, err := deid2006.Document(in.Name, r, rec, types)
	if err != nil {
		return nil, err
	}
	var x xmlNote
	for _, t := range rec.Text {
		x.add(r, t)
	}
	note := &Note{Document: doc, Line: rec.TextLine, Below: func([]Edit) []Edit { return nil }} // beside makes all edits
	return &Record{Line: rec.Line, Notes: []*Note{note}, Beside: func(edits [][]Edit) []Edit {
		return newMarks(file, &x, rec, edits[0])
	}}, nil
}

// newMarks returns the edits of a record that replace its marks.
func newMarks(file string, x *xmlNote, rec *xmlnotes.Record, edits []Edit) []Edit {
	var out []Edit
	for _, m := range rec.Marks {
		out = append(out, Edit{Start: m.Open.From, End: m.Open.To}, Edit{Start: m.Close.From, End: m.Close.To})
	}
	for _, e := range edits {
		mark := func(text string) string {
			if text == "" {
				return ""
			}
			return deid2006.Mark(e.Type, markup.EscapeText(text))
		}
		x.view.Encode = mark
		x.view.Others = []func(string) string{func(text string) string {
			if text == "" {
				return ""
			}
			return markup.CDATAEnd + mark(text) + "<![CDATA["
		}}
		out = append(out, x.view.Below([]Edit{e})...)
	}
	markup.SortEdits(out)
	out = markup.SplitCDATAEnd(file, out, x.inCDATA)
	for i := range out {
		out[i].Start -= rec.From
		out[i].End -= rec.From
	}
	return out
}
