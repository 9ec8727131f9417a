// Package base contains what the packages of all formats share: records and their notes, the options, and the stream that they are read from.
package base

import (
	"bytes"
	"errors"
	"iter"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// Record is a part of a file that is written completely or not at all.
type Record struct {
	Raw   []byte // its bytes, converted to UTF-8 from any encoding of the file
	Line  int    // of its first byte, from 1
	Notes []*Note
	// Frame means that the record is none of the file's records, but what surrounds them and makes the file valid: the
	// header of CSV, the brackets of a JSON array, the headers and trailers of HL7 batches, and the XML around the records of i2b2-2006.
	Frame bool
	// Dropped is the number of parts that Encode removes because they cannot be examined: see Options.Drop.
	Dropped int
	// ID identifies the record among others of the file, in the output: it is a pseudonym if ids are replaced. It may be empty.
	ID string
	// Fields is the number of fields that Encode changes whatever the edits are, by action: field.Drop and field.Hash. It may be nil.
	Fields map[field.Action]int
	// Named says which of the keys of Options.ID and Options.Patient the record has. Only formats whose records may have other keys than
	// their file set it; nil means that neither option is given, or that the file has the columns.
	Named *Named
	// Known are the values that the record knows about patients, by patient, also about those without notes in it. It may be nil.
	Known map[string][]safetynet.Value
	// Aliases are other names of these patients, which references in other records may have. It may be nil.
	Aliases map[string]string

	// The following fields are for the packages of formats. They say how Encode changes the record.

	Fixed   []markup.Edit                             // edits of Raw that do not depend on the notes
	Beside  func(edits [][]markup.Edit) []markup.Edit // edits of Raw outside of the notes; may be nil
	Finish  func(raw []byte) []byte                   // changes Raw after all edits; may be nil
	Charset Encoding                                  // the encoding that Encode writes; nil for UTF-8
	Origin  any                                       // what the Writer of the format must know

	learned []safetynet.Value // see Learn
}

// Named says which of the keys that the options name a record has. A key that is not given counts as there.
type Named struct{ ID, Patient bool }

// Note is one text of a record. The document has no spans, unless Options.Marked asks for them or the note is a field.
type Note struct {
	*data.Document
	// Field is the action for a field, or empty for a text. If it is field.Known, the text is a term of a code system, which is PHI only in
	// rare cases. Otherwise, it is field.Shift or a sort or type, and the only span of the document is the value to replace.
	Field field.Action
	Alias string            // ID of the note in the output, if that is another one, because ids are replaced
	Line  int               // the line of the file on which the text or, in CSV, its row begins
	Known []safetynet.Value // values of the patient elsewhere in the record
	// Resource is the resource of FHIR that contains the note, or the message of HL7 and, if it has several, the number of the patient in it. If the
	// patient is not known, the notes and fields of a resource are still those of one.
	Resource string
	// Column is the column of a table that contains the text, as an index of Options.Columns, or 0.
	Column int
	// Tags is the text with its tags, if it is HTML that is not declared as such. It is examined as well, and Without returns where its spans are in Text.
	Tags    string
	Without func([]data.Span) []data.Span

	// The following fields are for the packages of formats.

	Below  func([]markup.Edit) []markup.Edit // translates edits of the text into edits of the record
	Always bool                              // Below returns edits even if the text has none
	Refuse func([]markup.Edit) error         // says why edits cannot be written; may be nil
}

// Encode returns the bytes of the record with the edits applied, in the encoding of the file. edits
// has one element per element of Notes; an element may be nil, and must be sorted and disjoint. Records must be
// encoded in the order in which they were read, because the first element of a JSON array that is written has no comma before it.
// Encode fails if it is not, if two edits change the same place of the record, if the encoding lacks a character of the new text, or if a
// column that requires a value would lose it.
func (r *Record) Encode(edits [][]markup.Edit) ([]byte, error) {
	all := slices.Clone(r.Fixed)
	for i, n := range r.Notes {
		if len(edits[i]) == 0 && !n.Always {
			continue
		}
		if err := markup.CheckEdits(edits[i], len(n.Text)); err != nil {
			return nil, err
		}
		if n.Refuse != nil {
			if err := n.Refuse(edits[i]); err != nil {
				return nil, err
			}
		}
		all = append(all, n.Below(edits[i])...)
	}
	if r.Beside != nil {
		all = append(all, r.Beside(edits)...)
	}
	raw := r.Raw
	if len(all) > 0 {
		markup.SortEdits(all)
		if err := markup.CheckEdits(all, len(raw)); err != nil {
			return nil, err
		}
		raw = markup.ApplyBytes(raw, all)
	}
	if r.Finish != nil {
		raw = r.Finish(raw)
	}
	if r.Charset == nil {
		return raw, nil
	}
	encoded := r.Charset.FromUTF8(raw)
	if _, ok := r.Charset.(*ByteCode); ok && bytes.Count(encoded, []byte("?")) != bytes.Count(raw, []byte("?")) {
		return nil, errors.New("a replacement has a character that the encoding of the file lacks; --encoding and the lists of --surrogates must suit each other")
	}
	return encoded, nil
}

// Replaced returns the document after the edits of a note. Its spans are the places of the new
// text.
func (n *Note) Replaced(edits []markup.Edit) *data.Document {
	doc := &data.Document{ID: n.ID, Patient: n.Patient, Text: markup.Apply(n.Text, edits)}
	moved := 0
	for _, e := range edits {
		if e.New != "" {
			doc.Spans = append(doc.Spans, data.Span{Start: e.Start + moved, End: e.Start + moved + len(e.New), Type: e.Type, Score: e.Score})
		}
		moved += len(e.New) - (e.End - e.Start)
	}
	return doc
}

// Records yields the records of a file. A *data.Error concerns one record, and reading continues
// with the next. A *Broken is the last item.
type Records = iter.Seq2[*Record, error]

// Broken means that the rest of a file cannot be read.
type Broken struct{ Err error }

func (b *Broken) Error() string { return b.Err.Error() }

func (b *Broken) Unwrap() error { return b.Err }

// Options describe properties of a file that it does not declare itself. The zero value selects the
// defaults.
type Options struct {
	Types *data.TypeSet // determines the category of tags in XML; nil: the type itself
	// Marked reads the PHI that the files mark, as the spans of the notes. Only formats with Marks support
	// it, with the default column, and it requires Types. A note without a list of marks is an error. The marks
	// of a format with a Sidecar are read by Sidecar.Decode.
	Marked bool
	// Encoding is the encoding in which the file is read and written: utf-8 (default), utf-16le, utf-16be, latin1 or
	// windows-1252. A file that begins with the byte order mark of UTF-16 is in UTF-16, whatever the option, and one that begins with that of
	// UTF-8 is in UTF-8 unless the option is UTF-16, which is an error.
	Encoding string
	Columns  []string // columns of CSV, or keys of JSON Lines (a.b: b in a), that contain notes; default for JSON Lines: text
	ID       string   // column or key of the note's id; default for JSON Lines: id, then meta.note_id; else file and line
	Patient  string   // column or key of the patient; default for JSON Lines: patient, then meta.patient_id
	Comma    byte     // the delimiter of the fields of CSV; default ',', in .tsv a tab
	// Fields contains the rules for the fields of the records; nil means that fields stay. Pseudonym makes the pseudonyms of field.Hash,
	// and is required if Fields uses that action.
	Fields    *field.Table
	Pseudonym func(value string) string
	// StaysDate reports whether the run replaces the dates of a type by dates or their years, or keeps them. Columns that require a date can
	// have a rule for such a type. Nil means that dates do not stay dates.
	StaysDate func(typ string) bool
	// FieldsOnly allows a table to have no column with notes, because rules for fields say what changes.
	FieldsOnly bool
	// NoPatient makes Encode empty the column Patient, or set the key to null.
	NoPatient bool
	// OMOP says that the file is the table NOTE of the OMOP Common Data Model: the notes are in note_text and, if there is
	// one, in note_title, the id is note_id, and the patient is person_id, whatever the case of these names.
	OMOP bool
	// Drop makes Encode remove the parts of a record that cannot be examined, such as a PDF or a
	// picture. By default, such a record is an error. Only formats with Parts support it.
	Drop bool
}

// Writer writes the records of a file whose format has more than these, such as a footer.
type Writer interface {
	// Write writes a record. encoded is what its Encode returned. Records come in the order in which they were read, and
	// those that do not come are left out.
	Write(r *Record, encoded []byte) error
	// Close writes what follows the last record. Without it, the file is incomplete.
	Close() error
	// Discard releases what the writer needed. It must be called in the end, also after Close.
	Discard()
}

// One reads a file that is a single record. See CheckTexts for encoded.
func One(in *Source, encoded bool, parse func(raw []byte) (*Record, error)) Records {
	return func(yield func(*Record, error) bool) {
		raw, err := in.All()
		if err != nil {
			yield(nil, &Broken{Err: err})
			return
		}
		record, err := parse(raw)
		if err == nil {
			err = in.CheckTexts(record, encoded)
		}
		if err != nil {
			yield(nil, &Broken{Err: err})
			return
		}
		yield(record, nil)
	}
}
