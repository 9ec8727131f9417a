// Package deid2006 reads and writes the XML of the i2b2 2006 de-identification challenge (Uzuner et al. 2007), with
// many notes per file and the PHI marked within the text:
//
//	<?xml version="1.0" encoding="UTF-8"?>
//	<ROOT>
//	<RECORD ID="641">
//	<TEXT>
//	Seen by Dr. <PHI TYPE="DOCTOR">Amundsen</PHI> &amp; discharged.
//	</TEXT>
//	</RECORD>
//	</ROOT>
//
// The text of a note is the text that an XML parser returns, without the marks: CR LF and CR in the file become LF, and
// references become characters. It begins with the line end after <TEXT>, if there is one. Spans refer to that text.
package deid2006

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".xml"

// Read reads one file, or the .xml files of a folder in the order of their names; it skips hidden files and subfolders.
// The ID of a note is that of its RECORD. IDs such as 110-04 contain the patient, 110. Other attributes, and elements
// of a RECORD other than TEXT, are ignored.
//
// A bad record yields a *data.Error, and reading continues with the next. A record is refused if
//
//   - it has no ID, the ID of an earlier record of these files, or not exactly one TEXT
//   - a PHI has no TYPE, one that is not in the type set, or no text, or is within another PHI
//   - TEXT contains another element, or the record contains text outside of TEXT
//
// If a file is not XML, as one whose tags do not match, has another root than ROOT, or has an encoding other than
// UTF-8, US-ASCII and ISO-8859-1, the records before the defect are yielded, and then one error.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Files(path, []string{Ext}, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return decode(r, name, types, seen, yield)
	})
}

// Decode reads the notes of a stream. name replaces the path of a file in errors.
func Decode(r io.Reader, name string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) { decode(r, name, types, map[string]bool{}, yield) }
}

// decode yields the notes of a stream. It returns false if yield did.
func decode(in io.Reader, name string, types *data.TypeSet, seen map[string]bool, yield notes.Yield) bool {
	raw, err := notes.ReadAll(in, name)
	if err != nil {
		return yield(nil, err)
	}
	file, err := notes.XML(name, raw)
	if err != nil {
		return yield(nil, err)
	}
	r := xmlnotes.NewReader(file)
	all, broken := xmlnotes.ReadRecords(r)
	for _, rec := range all.Records {
		doc, err := Document(name, r, rec, types)
		if err == nil && seen[doc.ID] {
			doc, err = nil, Defect(name, rec, rec.Line, "duplicate ID: an earlier record of these files has the same")
		}
		if err == nil {
			seen[doc.ID] = true
		}
		if !yield(doc, err) {
			return false
		}
	}
	return broken == nil || yield(nil, notes.Located(name, broken))
}

// Document returns the note of a record that r has read. Without types, it has no spans.
func Document(name string, r *xmlnotes.Reader, rec *xmlnotes.Record, types *data.TypeSet) (*data.Document, error) {
	if rec.Defect != nil {
		return nil, Defect(name, rec, rec.Defect.Line, notes.Advice(rec.Defect))
	}
	var text strings.Builder
	at := make([]int, len(rec.Text)+1) // where each part begins
	for i, t := range rec.Text {
		text.WriteString(r.Characters(t))
		at[i+1] = text.Len()
	}
	doc := &data.Document{ID: rec.ID, Patient: data.PatientOf(rec.ID), Text: text.String()}
	if types == nil {
		return doc, nil
	}
	for _, m := range rec.Marks {
		if !types.Has(m.Type) {
			return nil, Defect(name, rec, m.Open.Line, types.Lacks(m.Type))
		}
		if at[m.First] == at[m.Next] { // an empty CDATA section
			return nil, Defect(name, rec, m.Open.Line, "a PHI without text: leave it out")
		}
		doc.Spans = append(doc.Spans, data.Span{Start: at[m.First], End: at[m.Next], Type: m.Type, Score: 1})
	}
	return doc, nil
}

// Defect returns the error of a record. It has the number of the record and not its ID, which may identify a patient.
func Defect(path string, rec *xmlnotes.Record, line int, reason string) *data.Error {
	return notes.Defect(path, line, -1, fmt.Sprintf("record no. %d: %s", rec.Number, reason))
}

const (
	head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ROOT>\n"
	tail = "</ROOT>\n"
)

// Create returns a writer of all notes into one file, which appears at Close. It refuses a note whose spans overlap, because
// the marks of the challenge do not contain one another, and text with a character that XML 1.0 does not allow. Scores
// are not written, nor is a patient that differs from the one in the ID.
func Create(path string, types *data.TypeSet) (data.Writer, error) {
	return notes.NewFramed(path, head, tail, types, encode)
}

// Holds reports whether a RECORD can have an ID.
func Holds(id string) bool {
	_, _, illegal := xmlnotes.Illegal(id)
	return !illegal && strings.TrimSpace(id) != ""
}

func encode(doc *data.Document) ([]byte, error) {
	if at, char, illegal := xmlnotes.Illegal(doc.Text); illegal {
		return nil, fmt.Errorf("XML does not allow the character %U at byte %d of the text", char, at)
	}
	if !Holds(doc.ID) {
		return nil, errors.New("the id is blank or has a character that XML does not allow")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<RECORD ID=\"%s\">\n<TEXT>", xmlnotes.EscapeAttribute(doc.ID))
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	at := 0
	for _, s := range spans {
		if s.Start < at {
			return nil, errors.New("two spans overlap, which this format cannot represent")
		}
		b.WriteString(xmlnotes.EscapeText(doc.Text[at:s.Start]))
		b.WriteString(Mark(s.Type, xmlnotes.EscapeText(doc.Text[s.Start:s.End])))
		at = s.End
	}
	b.WriteString(xmlnotes.EscapeText(doc.Text[at:]))
	b.WriteString("</TEXT>\n</RECORD>\n")
	return b.Bytes(), nil
}

// Mark returns the PHI element of a type around text that is escaped.
func Mark(typ, escaped string) string {
	return fmt.Sprintf("<PHI TYPE=\"%s\">%s</PHI>", xmlnotes.EscapeAttribute(typ), escaped)
}
