package notefile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// readXML reads a note of i2b2 2014 or MEDDOCAN. Anything in the file besides the note would go
// unexamined and is therefore refused: comments, processing instructions, a document type,
// attributes of the root, TEXT and TAGS, text, and elements other than TEXT and TAGS. The file is
// written in the encoding that it declares.
func readXML(dialect i2b2.Dialect) func(*base.Source, Options) Records {
	return func(in *base.Source, o Options) Records {
		return base.One(in, false, func(raw []byte) (*Record, error) {
			raw, cs, err := xmlText(in, raw)
			if err != nil {
				return nil, err
			}
			record, err := xmlRecord(in, raw, dialect, o)
			if err == nil {
				record.Charset = cs
			}
			return record, err
		})
	}
}

// xmlText converts an XML file from the encoding that it declares, and returns the encoding to write. It returns an error for bytes
// and characters that XML cannot contain.
func xmlText(s *base.Source, raw []byte) ([]byte, base.Encoding, error) {
	var declaredCode *base.ByteCode
	if declared := xmlnotes.Encoding(raw); declared != "" && s.Encoding == nil {
		var err error
		if declaredCode, err = base.Charset(declared); err != nil {
			return nil, nil, s.Defect(1, -1, "the declared encoding is not UTF-8, US-ASCII, ISO-8859-1 or windows-1252")
		}
	}
	if declaredCode != nil {
		raw = declaredCode.ToUTF8(raw)
	}
	if err := s.CheckUTF8(raw, 1, 0); err != nil {
		return nil, nil, err
	}
	if at, char, illegal := xmlnotes.Illegal(string(raw)); illegal {
		return nil, nil, s.Defect(1+bytes.Count(raw[:at], []byte("\n")), at, fmt.Sprintf("XML does not allow the character %U", char))
	}
	if declaredCode == nil {
		return raw, s.Encoding, nil
	}
	return raw, declaredCode, nil
}

func xmlRecord(in *base.Source, raw []byte, dialect i2b2.Dialect, o Options) (*Record, error) {
	file := string(raw)
	r := xmlnotes.NewReader(file)
	x := xmlNote{view: markup.View{Encode: markup.EscapeText, Others: []func(string) string{escapeCDATA}}}
	var tags []xmlnotes.Tag
	read, err := xmlnotes.Read(r, func(t xmlnotes.Token) { x.add(r, t) }, func(t xmlnotes.Token) { tags = append(tags, xmlnotes.NewTag(t)) })
	x.Note = read
	if read.Hidden != nil { // report it first, because it precedes the error in the file
		err = read.Hidden
	}
	if e, ok := errors.AsType[*xmlnotes.Error](err); ok {
		return nil, in.Defect(e.Line, e.Offset, e.Reason)
	}
	doc := &data.Document{ID: in.ID(), Text: x.view.Text.String()}
	doc.Patient = data.PatientOf(doc.ID)
	if o.Marked {
		if !x.HasTags {
			return nil, in.Defect(x.TextLine, -1, "a note without TAGS, so its PHI is not marked")
		}
		if doc.Spans, err = i2b2.Spans(in.Name, doc.Text, tags, data.ReadOptions{Types: o.Types}); err != nil {
			return nil, err
		}
	}
	note := &Note{Document: doc, Line: x.TextLine, Below: func(edits []Edit) []Edit {
		return markup.SplitCDATAEnd(file, x.view.Below(edits), x.inCDATA)
	}}
	return &Record{Raw: raw, Line: 1, Notes: []*Note{note}, Beside: func(edits [][]Edit) []Edit {
		if !x.HasTags || len(edits[0]) == 0 && len(tags) == 0 {
			return nil
		}
		return []Edit{x.newTags(dialect.Tags(note.Replaced(edits[0]), o.Types))}
	}}, nil
}

// xmlNote is the note of a file, and its text as written there.
type xmlNote struct {
	*xmlnotes.Note
	view     markup.View
	sections [][2]int // the contents of CDATA sections
}

// add adds character data to the view.
func (x *xmlNote) add(r *xmlnotes.Reader, t xmlnotes.Token) {
	x.view.Syntax = 0
	if t.Kind == xmlnotes.CDATA {
		from, to := t.Content()
		x.view.Syntax, x.sections = 1, append(x.sections, [2]int{from, to})
	}
	for p := range r.Pieces(t) {
		if p.Verbatim {
			x.view.Verbatim(p.From, p.Text)
		} else {
			x.view.Stands(markup.Escape, p.From, p.To-p.From, p.Text)
		}
	}
}

// inCDATA reports whether a position of the file is in a CDATA section.
func (x *xmlNote) inCDATA(at int) bool {
	k, found := slices.BinarySearchFunc(x.sections, at, func(section [2]int, at int) int { return cmp.Compare(section[0], at) })
	return found || k > 0 && at < x.sections[k-1][1]
}

// newTags returns the edit that replaces the tags of the file.
func (x *xmlNote) newTags(tags string) Edit {
	tags = "\n" + tags
	if x.TagsEmpty {
		tags = "<TAGS>" + tags + "</TAGS>"
	}
	return Edit{Start: x.TagsFrom, End: x.TagsTo, New: tags}
}

// escapeCDATA encodes text for a CDATA section. It starts a second section between characters that
// would end the first.
func escapeCDATA(text string) string {
	return strings.ReplaceAll(xmlnotes.Legal(text), "]]>", "]]]]><![CDATA[>")
}
