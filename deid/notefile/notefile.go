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
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/brat"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/fhir"
	"github.com/lethe-deid/lethe/deid/notefile/internal/hl7"
	"github.com/lethe-deid/lethe/deid/notefile/internal/parquetfile"
	"github.com/lethe-deid/lethe/internal/table"
)

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

	read     func(in *base.Source, o Options) Records
	write    func(out io.Writer, path string, o Options) (Writer, error) // nil if the bytes of the records are the file
	delimits bool                                                        // Options.Comma separates its fields
	paths    bool                                                        // columns are paths of keys, such as a.b
	content  string                                                      // the result of markup.ContentKind that its files may have
	alsoExts []string                                                    // other extensions of its files, which are not searched for in a folder
	// recognizes reports whether a file that begins like this is certainly of the format, among those with the
	// same extension. The start is in UTF-8, without blanks and a byte order mark before it; whole reports whether
	// it is the whole file. Formats that share an extension require it.
	recognizes func(start []byte, whole bool) bool
}

var formats = []*Format{
	{Name: "text", Exts: []string{".txt"}, Parts: true, Unchanged: "names of files", read: readText},
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
		Unchanged: "names of files and folders, ids, all other columns, and the metadata of the file", read: parquetfile.Read, write: parquetfile.NewWriter,
	},
	{
		Name: "fhir", Exts: []string{".json", ".ndjson"}, alsoExts: []string{".jsonl"}, content: "json", read: fhir.Read, recognizes: isResource, Fields: true, Parts: true,
		Unchanged: "names of files, numbers, and codes of code systems",
	},
	{
		Name: "hl7", Exts: []string{".hl7"}, content: "hl7", read: hl7.Read, Fields: true, Parts: true,
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
	if _, err := base.LookupEncoding(o.Encoding); err != nil {
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
		enc, err := base.LookupEncoding(o.Encoding)
		if err != nil {
			yield(nil, &Broken{Err: err})
			return
		}
		in := base.NewSource(r, name, enc)
		if err := f.checkKind(in); err != nil {
			yield(nil, &Broken{Err: err})
			return
		}
		for record, err := range f.read(in, o) {
			if record != nil && record.Charset == nil {
				record.Charset = in.Encoding
			}
			if record != nil {
				record.ShareValues(o.Types)
			}
			if record != nil && f.Parts {
				if err = readHTML(in, record, o); err != nil {
					record = nil
				}
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// Writer returns the writer of a file that was read from path, or nil if the bytes of the records, one after another, are the
// file. It reads the input again.
func (f *Format) Writer(out io.Writer, path string, o Options) (Writer, error) {
	if f.write == nil {
		return nil, nil
	}
	return f.write(out, path, o)
}

// readText reads a file that is a note.
func readText(in *base.Source, _ Options) Records {
	return base.One(in, false, func(raw []byte) (*Record, error) {
		if err := in.CheckUTF8(raw, 1, 0); err != nil {
			return nil, err
		}
		id := in.ID()
		doc := &data.Document{ID: id, Patient: data.PatientOf(id), Text: string(raw)}
		note := &Note{Document: doc, Line: 1, Below: slices.Clone[[]Edit]}
		return &Record{Raw: raw, Line: 1, Notes: []*Note{note}}, nil
	})
}
