// Package notefile reads files that contain notes, and writes them again with edited notes and
// every other byte unchanged.
//
// A file is a sequence of records: the lines of JSON Lines, the rows of CSV, the messages of HL7,
// or the file itself. A record has raw bytes and, somewhere in them, the texts of notes, which may
// be escaped and contain markup. To change a record, edit these texts:
//
//	format, err := notefile.Lookup("csv")
//	...
//	for record, err := range format.Read(file, "notes.csv", notefile.Options{Columns: []string{"note"}}) {
//		...
//		edits := make([][]notefile.Edit, len(record.Notes)) // edits[i] belong to record.Notes[i]
//		...
//		raw, err := record.Encode(edits)
//
// Without edits a record does not change, with one exception: lists of the places of PHI in the
// text, such as <TAGS> of i2b2 XML and spans of JSON Lines. They would be wrong after the edits and
// quote the PHI, so they are computed from the edits.
//
// A record that cannot be examined completely, such as one with a comment in XML or a PDF in FHIR,
// is an error rather than a record. Options.Drop removes such a part from the record instead, if the
// format allows it.
package notefile

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/brat"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/parquet"
	"github.com/lethe-deid/lethe/internal/table"
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

	beside  func(edits [][]Edit) []Edit // edits of Raw outside of the notes; may be nil
	charset encoding                    // the encoding that Encode writes; nil for UTF-8
	table   *parquet.File               // the file of Parquet that the record is from
	fixed   []Edit                      // edits of Raw that do not depend on the notes
	joint   *joint                      // if the record is an element of an array, otherwise nil
	number  int                         // of that element, from 1
	comma   int                         // number of bytes of Raw before the element, with the comma between it and the one before
}

// Note is one text of a record. The document has no spans, unless Options.Marked asks for them or the note is a field.
type Note struct {
	*data.Document
	// Field is the action for a field, or empty for a text. If it is field.Known, the text is a term of a code system, which is PHI only in
	// rare cases. Otherwise, it is field.Shift or a sort or type, and the only span of the document is the value to replace.
	Field field.Action
	Alias string            // ID of the note in the output, if that is another one, because ids are replaced
	Line  int               // the line of the file on which the text or, in CSV, its row begins
	Known []safetynet.Value // values of the patient elsewhere in the record
	// Column is the column of a table that contains the text, as an index of Options.Columns, or 0.
	Column int

	below  func([]Edit) []Edit // translates edits of the text into edits of the record
	always bool                // below returns edits even if the text has none
}

// Encode returns the bytes of the record with the edits applied, in the encoding of the file. edits
// has one element per element of Notes; an element may be nil, and must be sorted and disjoint. Records must be
// encoded in the order in which they were read, because the first element of a JSON array that is written has no comma before it.
// Encode fails if it is not, or if two edits change the same place of the record.
func (r *Record) Encode(edits [][]Edit) ([]byte, error) {
	all := slices.Clone(r.fixed)
	for i, n := range r.Notes {
		if len(edits[i]) == 0 && !n.always {
			continue
		}
		if err := checkEdits(edits[i], len(n.Text)); err != nil {
			return nil, err
		}
		all = append(all, n.below(edits[i])...)
	}
	if r.beside != nil {
		all = append(all, r.beside(edits)...)
	}
	raw := r.Raw
	if len(all) > 0 {
		sortEdits(all)
		if err := checkEdits(all, len(raw)); err != nil {
			return nil, err
		}
		raw = []byte(apply(string(raw), all))
	}
	if r.joint != nil && !r.joint.hasComma(r.number) {
		raw = raw[r.comma:]
	}
	if r.charset == nil {
		return raw, nil
	}
	return r.charset.fromUTF8(raw), nil
}

// Replaced returns the document after the edits of a note. Its spans are the places of the new
// text.
func (n *Note) Replaced(edits []Edit) *data.Document {
	doc := &data.Document{ID: n.ID, Patient: n.Patient, Text: apply(n.Text, edits)}
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
	// windows-1252. A file that begins with the byte order mark of UTF-16 is in UTF-16, whatever the option.
	Encoding string
	Columns  []string // columns of CSV, or keys of JSON Lines (a.b: b in a), that contain notes; default for JSON Lines: text
	ID       string   // column or key of the note's id; default for JSON Lines: id, then meta.note_id; else file and line
	Patient  string   // column or key of the patient; default for JSON Lines: patient, then meta.patient_id
	Comma    byte     // the delimiter of the fields of CSV; default ',', in .tsv a tab
	// Fields contains the rules for the fields of the records; nil means that fields stay. Pseudonym makes the pseudonyms of field.Hash,
	// and is required if Fields uses that action.
	Fields    *field.Table
	Pseudonym func(value string) string
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

// Format is a kind of file. To add a format, add a value to the table below.
type Format struct {
	Name string
	Exts []string // extensions of its files in a folder; each may be followed by .gz
	// Sidecar describes the second file of each note, which lists the PHI of the first, as in
	// brat. It is nil for formats without one. Read ignores the second file; it has to be written
	// anew.
	Sidecar *Sidecar
	// Marks reports whether a file says where its PHI is, in the way in which Encode writes it.
	Marks bool
	// Columns reports whether notes are in columns or keys, which Options may name. NeedsColumn
	// reports whether Options must name one.
	Columns, NeedsColumn bool
	// Tables reports whether a file is a table, so that it may be one of a data model: see Options.OMOP.
	Tables bool
	// Seeks reports whether files are not read from beginning to end: they must be regular files, and are never gzipped.
	Seeks bool
	// Parts reports whether a record may contain parts, such as a PDF, that Options.Drop removes.
	Parts bool
	// Unchanged names the parts of a file that are not examined and do not change.
	Unchanged string
	// Fields reports whether records have fields, for which Options.Fields may have rules.
	Fields bool

	read     func(in *source, o Options) Records
	write    func(out io.Writer, path string, o Options) (Writer, error) // nil if the bytes of the records are the file
	delimits bool                                                        // Options.Comma separates its fields
	paths    bool                                                        // columns are paths of keys, such as a.b
	content  string                                                      // the result of contentKind that its files may have
	alsoExts []string                                                    // other extensions of its files, which are not searched for in a folder
	// recognizes reports whether a file that begins like this is certainly of the format, among those with the
	// same extension. The start is in UTF-8, without blanks and a byte order mark before it; whole reports whether
	// it is the whole file. Formats that share an extension require it.
	recognizes func(start []byte, whole bool) bool
}

var formats = []*Format{
	{Name: "text", Exts: []string{".txt"}, Unchanged: "names of files", read: readText},
	{Name: "i2b2", Exts: []string{".xml"}, Marks: true, Unchanged: "names of files", read: readXML(i2b2.I2B2), content: "xml", recognizes: hasRoot("deIdi2b2")},
	{Name: "meddocan", Exts: []string{".xml"}, Marks: true, Unchanged: "names of files", read: readXML(i2b2.MEDDOCAN), content: "xml", recognizes: hasRoot("MEDDOCAN")},
	{Name: "i2b2-2006", Exts: []string{".xml"}, Marks: true, Unchanged: "names of files and IDs of records", read: readRecords, content: "xml", recognizes: hasRoot("ROOT")},
	{
		Name: "brat", Exts: []string{".txt"}, Sidecar: &Sidecar{Ext: ".ann", Encode: brat.Encode, Decode: brat.Decode}, Marks: true, Unchanged: "names of files",
		read: readText,
	},
	{
		Name: "jsonl", Exts: []string{".jsonl", ".ndjson", ".json"}, Columns: true, Parts: true, Fields: true, Marks: true, paths: true, content: "json", recognizes: isRow,
		Unchanged: "names of files, ids, and all other keys", read: readJSONL,
	},
	{
		Name: "csv", Exts: []string{".csv", ".tsv"}, Columns: true, NeedsColumn: true, Tables: true, Parts: true, Fields: true, delimits: true,
		Unchanged: "names of files, ids, the header, and all other columns", read: readCSV,
	},
	{
		Name: "parquet", Exts: []string{".parquet", ".parq"}, Columns: true, NeedsColumn: true, Fields: true, Tables: true, Seeks: true, Parts: true, paths: true, content: "parquet",
		Unchanged: "names of files and folders, ids, all other columns, and the metadata of the file", read: readParquet, write: writeParquet,
	},
	{
		Name: "fhir", Exts: []string{".json", ".ndjson"}, alsoExts: []string{".jsonl"}, content: "json", read: readFHIR, recognizes: isResource, Fields: true, Parts: true,
		Unchanged: "names of files, numbers, and codes of code systems",
	},
	{
		Name: "hl7", Exts: []string{".hl7"}, content: "hl7", read: readHL7, Fields: true, Parts: true,
		Unchanged: "names of files, numbers, and codes of code systems",
	},
	{
		Name: "ccda", Exts: []string{".xml"}, content: "xml", read: readCCDA, recognizes: hasRoot("ClinicalDocument"), Fields: true, Parts: true,
		Unchanged: "names of files, templates, numbers without a unit of time, and codes of code systems",
	},
	{Name: "rtf", Exts: []string{".rtf"}, content: "rtf", read: readRTF, Parts: true, Unchanged: "names of files, fonts, styles, lists and groups"},
}

func nameOf(f *Format) string { return f.Name }

// Lookup finds a format by its name.
func Lookup(name string) (*Format, error) { return table.Lookup(formats, nameOf, "format", name) }

// Names lists the formats: text, i2b2, meddocan, i2b2-2006, brat, jsonl, csv, parquet, fhir, hl7, ccda, rtf.
func Names() []string { return names(formats) }

// Default returns the format text, which is that of files whose names do not say what they are.
func Default() *Format { return formats[0] }

func names(formats []*Format) []string { return table.Names(formats, nameOf) }

// marking lists the formats with Marks.
func marking() []string {
	return names(slices.DeleteFunc(slices.Clone(formats), func(f *Format) bool { return !f.Marks }))
}

// Sidecar is the second file of a note.
type Sidecar struct {
	Ext    string                          // its extension, which replaces the extension of the note
	Encode func(doc *data.Document) []byte // returns the content for the written note with its spans
	// Decode returns the spans of a note with this text.
	Decode func(path string, raw []byte, text string, types *data.TypeSet) ([]data.Span, error)
}

// Path returns the path of the second file for the note at a path, or "" if s is nil. The second
// file is never gzipped.
func (s *Sidecar) Path(note string) string {
	if s == nil {
		return ""
	}
	if ext := filepath.Ext(note); strings.EqualFold(ext, ".gz") {
		note = strings.TrimSuffix(note, ext)
	}
	return strings.TrimSuffix(note, filepath.Ext(note)) + s.Ext
}

// Takes reports whether a file with this name belongs to the format.
func (f *Format) Takes(name string) bool {
	name = strings.ToLower(name)
	if !f.Seeks {
		name = strings.TrimSuffix(name, ".gz")
	}
	return !strings.HasPrefix(filepath.Base(name), ".") && slices.Contains(f.Exts, filepath.Ext(name))
}

// Check returns an error for the first option that is invalid or does not suit the format.
func (f *Format) Check(o Options) error {
	if _, err := lookupEncoding(o.Encoding); err != nil {
		return err
	}
	switch {
	case o.OMOP && !f.Tables:
		return fmt.Errorf("%s has no tables of OMOP", f.Name)
	case o.OMOP && (len(o.Columns) > 0 || o.ID != "" || o.Patient != ""):
		return errors.New("the columns of the table NOTE of OMOP are known and cannot be named")
	case f.Seeks && o.Encoding != "" && !strings.EqualFold(o.Encoding, "utf-8"):
		return fmt.Errorf("texts in %s are always in UTF-8", f.Name)
	case f.NeedsColumn && len(o.Columns) == 0 && !o.OMOP && !o.FieldsOnly:
		return fmt.Errorf("%s requires the name of the column with the notes, or rules for fields", f.Name)
	case !f.Columns && (len(o.Columns) > 0 || o.ID != "" || o.Patient != ""):
		return fmt.Errorf("%s has no columns", f.Name)
	case o.Marked && !f.Marks:
		return fmt.Errorf("%s has no marks of PHI (have %s)", f.Name, strings.Join(marking(), ", "))
	case o.Marked && len(o.Columns) > 0:
		return fmt.Errorf("the marks of %s are those of the default column", f.Name)
	case o.Drop && !f.Parts:
		return fmt.Errorf("%s has no parts that could be dropped", f.Name)
	case !f.delimits && o.Comma != 0:
		return fmt.Errorf("%s has no delimiter", f.Name)
	case o.Comma == '"' || o.Comma == '\n' || o.Comma == '\r' || o.Comma >= 0x80:
		return fmt.Errorf("a delimiter is one ASCII character, and neither a quote nor a line end")
	}
	return f.checkColumns(o)
}

// checkColumns returns an error if a column is used twice or contains another: their edits would
// overlap, and the text of a note would be used as its id or patient. It also refuses names that
// are empty or have empty parts.
func (f *Format) checkColumns(o Options) error {
	for _, name := range append(slices.Clone(o.Columns), o.ID, o.Patient) {
		switch {
		case name == "" && slices.Contains(o.Columns, ""):
			return errors.New("the name of a column is empty")
		case f.paths && name != "" && slices.Contains(columnPath(name), ""):
			return fmt.Errorf("the key %q has an empty part: separate its names with single dots", name)
		}
	}
	for _, name := range []string{o.ID, o.Patient} {
		if f.paths && strings.Contains(name, "[]") {
			return fmt.Errorf("the key %q is in a list: an id or a patient must be a single value of the object", name)
		}
	}
	same := func(a, b string) bool {
		if f.paths {
			a, b = strings.Join(columnPath(a), ".")+".", strings.Join(columnPath(b), ".")+"."
			return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
		}
		return a == b
	}
	for i, column := range o.Columns {
		for _, other := range o.Columns[:i] {
			if column == other {
				return fmt.Errorf("duplicate column %q", column)
			}
			if same(column, other) {
				return fmt.Errorf("one of the columns %q and %q contains the other", other, column)
			}
		}
		switch {
		case o.Patient != "" && same(column, o.Patient):
			return fmt.Errorf("%q cannot contain both the notes and their patient", column)
		case o.ID != "" && same(column, o.ID):
			return fmt.Errorf("%q cannot contain both the notes and their id", column)
		}
	}
	return nil
}

// Read reads a stream that is not compressed. The name replaces the path in errors, and the id of a
// note if the file has none. The options must have passed Check.
func (f *Format) Read(r io.Reader, name string, o Options) Records {
	return func(yield func(*Record, error) bool) {
		enc, err := lookupEncoding(o.Encoding)
		if err != nil {
			yield(nil, &Broken{err})
			return
		}
		in := newSource(r, name, enc)
		if err := f.checkKind(in); err != nil {
			yield(nil, &Broken{err})
			return
		}
		for record, err := range f.read(in, o) {
			if record != nil && record.charset == nil {
				record.charset = in.encoding
			}
			if record != nil && o.Fields != nil {
				record.shareValues(o.Types)
			}
			if !yield(record, err) {
				return
			}
		}
	}
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

// Writer returns the writer of a file that was read from path, or nil if the bytes of the records, one after another, are the
// file. It reads the input again.
func (f *Format) Writer(out io.Writer, path string, o Options) (Writer, error) {
	if f.write == nil {
		return nil, nil
	}
	return f.write(out, path, o)
}

// one reads a file that is a single record. See checkTexts for encoded.
func one(in *source, encoded bool, parse func(raw []byte) (*Record, error)) Records {
	return func(yield func(*Record, error) bool) {
		raw, err := in.all()
		if err != nil {
			yield(nil, &Broken{err})
			return
		}
		record, err := parse(raw)
		if err == nil {
			err = in.checkTexts(record, encoded)
		}
		if err != nil {
			yield(nil, &Broken{err})
			return
		}
		yield(record, nil)
	}
}

// readText reads a file that is a note.
func readText(in *source, _ Options) Records {
	return one(in, false, func(raw []byte) (*Record, error) {
		if err := in.checkUTF8(raw, 1, 0); err != nil {
			return nil, err
		}
		id := in.id()
		doc := &data.Document{ID: id, Patient: data.PatientOf(id), Text: string(raw)}
		note := &Note{Document: doc, Line: 1, below: slices.Clone[[]Edit]}
		return &Record{Raw: raw, Line: 1, Notes: []*Note{note}}, nil
	})
}
