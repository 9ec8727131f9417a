package i2b2

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

func decode(path string, raw []byte, opt data.ReadOptions) (*data.Document, error) {
	file, err := notes.XML(path, raw)
	if err != nil {
		return nil, err
	}
	r := xmlnotes.NewReader(file)
	var text strings.Builder
	var tags []xmlnotes.Tag
	_, err = xmlnotes.Read(r, func(t xmlnotes.Token) {
		text.WriteString(r.Characters(t))
	}, func(t xmlnotes.Token) {
		tags = append(tags, xmlnotes.NewTag(t))
	})
	if err != nil {
		return nil, notes.Located(path, err)
	}
	id := notes.ID(path)
	doc := &data.Document{ID: id, Patient: data.PatientOf(id), Text: text.String()}
	doc.Spans, err = Spans(path, doc.Text, tags, opt)
	if err != nil {
		return nil, err
	}
	return doc, nil
}

// Spans converts the tags of a note to spans, sorted by data.SortSpans. An error, of type *data.Error, is for a tag that Read
// refuses.
func Spans(path, text string, tags []xmlnotes.Tag, opt data.ReadOptions) ([]data.Span, error) {
	offsets := notes.Counting(text, opt.Offsets)
	var spans []data.Span
	for _, t := range tags {
		span, err := newSpan(t, offsets, opt.Types)
		if err != nil {
			if err.Offset >= 0 {
				err.Reason += notes.LikelyCause(text, quotations(tags), opt.Offsets)
			}
			err.Path = path
			return nil, err
		}
		spans = append(spans, span)
	}
	data.SortSpans(spans)
	return spans, nil
}

// quotations returns what the tags quote.
func quotations(tags []xmlnotes.Tag) (all []notes.Quotation) {
	for _, t := range tags {
		start, err1 := notes.Offset(t.Start)
		end, err2 := notes.Offset(t.End)
		if t.Text != nil && err1 == nil && err2 == nil {
			all = append(all, notes.Quotation{Start: start, End: end, Text: *t.Text})
		}
	}
	return all
}

// newSpan checks a tag against the text and the type set. Offsets in errors are in the unit of the file.
func newSpan(t xmlnotes.Tag, offsets *notes.Offsets, types *data.TypeSet) (data.Span, *data.Error) {
	none := func(offset int, reason string) (data.Span, *data.Error) {
		return data.Span{}, notes.Defect("", t.Line, offset, reason)
	}
	if t.Type == "" {
		return none(-1, "a tag without a TYPE: the attribute TYPE, in capitals, is required")
	}
	known, ok := types.Lookup(t.Type)
	if !ok {
		return none(-1, types.Lacks(t.Type))
	}
	if open := len(types.Types) == 0; !open && t.Element != known.Category && t.Element != "PHI" {
		return none(-1, "a tag's element is not "+known.Category+", the category of its TYPE "+known.Name)
	}
	start, err := notes.Offset(t.Start)
	if err != nil {
		return none(-1, "start: "+err.Error())
	}
	end, err := notes.Offset(t.End)
	if err != nil {
		return none(-1, "end: "+err.Error())
	}
	from, to, err := offsets.Bytes(start, end)
	if err != nil {
		return none(start, err.Error())
	}
	if t.Text != nil && !notes.Quotes(*t.Text, offsets.Text()[from:to]) {
		return none(start, "a tag's text differs from the note at its offsets, in "+offsets.Unit())
	}
	return data.Span{Start: from, End: to, Type: known.Name, Score: 1}, nil
}
