// Package format contains the table of corpus formats by name.
package format

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/brat"
	"github.com/lethe-deid/lethe/data/conll"
	"github.com/lethe-deid/lethe/data/deid2006"
	"github.com/lethe-deid/lethe/data/hf"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/data/inception"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/data/labelstudio"
	"github.com/lethe-deid/lethe/data/patients"
	"github.com/lethe-deid/lethe/data/presidio"
	"github.com/lethe-deid/lethe/data/spacy"
	"github.com/lethe-deid/lethe/data/text"
	"github.com/lethe-deid/lethe/internal/table"
)

// Options say how files are read and written. Readers and writers ignore those that do not concern their format, which Check refuses.
type Options struct {
	Types *data.TypeSet // of the spans; a span of another type is an error
	// Patients says whose the notes are, in place of what the format itself says. A note or file
	// that it does not match is an error. Default nil.
	Patients  *patients.Rule
	Fragments data.Fragments // what becomes of discontinuous spans
	Offsets   data.Offsets   // what offsets count
	CoNLL     conll.Options  // how files of the format conll are laid out
	HF        hf.Options     // how those of the format hf are
	// INCEpTION chooses the annotations in files of the formats xmi and webanno.
	INCEpTION inception.Options
	// Writing says how formats that contain tokens divide a text.
	Writing conll.Writing
}

// Check returns an error for options that are impossible, or that none of the formats has.
func (o Options) Check(formats ...*Format) error {
	for _, option := range []struct {
		name, before string // before its key in errors
		given        bool
		check        func() error
	}{
		{"fragments", ": ", o.Fragments != "", o.Fragments.Check},
		{"offsets", ": ", o.Offsets != "", o.Offsets.Check},
		{"conll", ".", !reflect.ValueOf(o.CoNLL).IsZero(), o.CoNLL.Check},
		{"hf", ".", !reflect.ValueOf(o.HF).IsZero(), o.HF.Check},
		{"inception", ".", o.INCEpTION != (inception.Options{}), o.INCEpTION.Check},
	} {
		if !option.given {
			continue
		}
		if !slices.ContainsFunc(formats, func(f *Format) bool { return slices.Contains(f.Options, option.name) }) {
			return fmt.Errorf("%s: only allowed with %s, not with the format %s", option.name, strings.Join(with(option.name), ", "), strings.Join(namesOf(formats), " or "))
		}
		if err := option.check(); err != nil {
			return fmt.Errorf("%s%s%w", option.name, option.before, err)
		}
	}
	return nil
}

// with returns the names of the formats that have an option.
func with(option string) []string {
	var names []string
	for _, f := range formats {
		if slices.Contains(f.Options, option) {
			names = append(names, f.Name)
		}
	}
	return names
}

// namesOf returns the names of formats, each once.
func namesOf(formats []*Format) []string { return slices.Compact(table.Names(formats, nameOf)) }

// read returns the options that many readers share.
func (o Options) read() data.ReadOptions {
	return data.ReadOptions{Types: o.Types, Fragments: o.Fragments, Offsets: o.Offsets}
}

// Format is a file format of corpora. To add a format, add a value to the table below.
type Format struct {
	Name string
	// Exts are the extensions of its files in a folder. Other files are skipped.
	Exts []string
	// Options are the options of its own that a reader or writer of the format has, as Check names them.
	Options []string
	// OneNote reports whether a file (in brat, a pair of files) contains one note.
	OneNote bool
	// TextOnly reports whether spans are neither read nor written.
	TextOnly bool
	// Columns reports whether columns of documents are read and written.
	Columns bool
	// Read reads a file or a folder.
	Read func(path string, opt Options) data.Documents
	// Pieces reads files of any size, plain or gzipped, in pieces, for callers that require the
	// text but not the notes. It is nil for most formats: see text.Pieces.
	Pieces func(path string) data.Documents
	// Decode reads a stream. name replaces the path in errors and IDs. It is nil for brat, which
	// requires two files.
	Decode func(r io.Reader, name string, opt Options) data.Documents
	// Create returns a writer into a folder, which is created if necessary. A format with all
	// documents in one file names it "corpus" with the format's first extension. A path that already
	// has one of the extensions, perhaps with .gz after it, and is not a folder, is the file itself.
	Create func(path string, opt Options) (data.Writer, error)
	// CreateFile returns a writer of the file itself, whatever its extension. It refuses a second
	// document if OneNote is true. It is nil for brat.
	CreateFile func(path string, opt Options) (data.Writer, error)
	// Fit changes the spans found in a document that was read from this format so that it can be
	// written without changing its text. It is nil for formats that can represent all spans.
	Fit func(doc *data.Document)
	// Encode returns the bytes of a document in a stream, which are the whole stream if OneNote is
	// true. It is nil for formats that are written only to files.
	Encode func(doc *data.Document) ([]byte, error)
	// Limits say what the format cannot contain.
	Limits Limits
	// Project reports whether a path is one of a project or archive with many notes, although OneNote is
	// true; ProjectLeftOut is LeftOut for it. Both are nil for formats without such paths.
	Project        func(path string) bool
	ProjectLeftOut func(path string, opt Options) ([]string, error)
	// Recognize reports whether a file is in this format, from its path and the first bytes of its
	// content, decompressed. If it is nil, the extension decides.
	Recognize func(path string, head []byte) bool
}

// Limits say what a format cannot contain. Those of a format without limits are zero.
type Limits struct {
	Patients Patients
	Scores   bool // scores of spans are not written
	Overlaps bool // spans that overlap are refused
	XML      bool // characters that XML does not allow are refused
	Tokens   bool // instead of the text, its tokens are written, as Options.Writing divides it
	// ID reports whether an ID can be written, besides what Format.Holds requires of names of files.
	// It is nil if all can.
	ID func(id string) bool
}

// Patients says how a format identifies the patients of documents.
type Patients int

// The ways to identify patients.
const (
	Named  Patients = iota // by a field of their own
	ByID                   // by the ID of the document, as data.PatientOf does
	Unkept                 // not at all
)

var formats = complete([]*Format{
	ofXML("i2b2", i2b2.I2B2, "deIdi2b2"),
	ofXML("meddocan", i2b2.MEDDOCAN, "MEDDOCAN"),
	{
		Name: "i2b2-2006", Exts: []string{deid2006.Ext},
		Read: typed(deid2006.Read), Decode: decoded(deid2006.Decode),
		Create: inFile(typedWriter(deid2006.Create), deid2006.Ext), CreateFile: typedWriter(deid2006.Create),
		Limits:    Limits{Patients: ByID, Scores: true, Overlaps: true, XML: true, ID: deid2006.Holds},
		Recognize: rooted("ROOT"),
	},
	{
		Name: "brat", Exts: brat.Exts, OneNote: true, Options: []string{"fragments", "offsets"},
		Read: shared(brat.Read), Create: typedWriter(brat.Create),
		Limits:    Limits{Patients: ByID, Scores: true},
		Recognize: func(path string, _ []byte) bool { return brat.Annotated(path) },
	},
	{
		Name: "conll", Exts: []string{conll.Ext}, Columns: true, Options: []string{"conll"},
		Read: func(path string, opt Options) data.Documents { return conll.Read(path, opt.Types, opt.CoNLL) },
		Decode: func(r io.Reader, name string, opt Options) data.Documents {
			return conll.Decode(r, name, opt.Types, opt.CoNLL)
		},
		Create: inFile(createCoNLL, conll.Ext), CreateFile: createCoNLL,
		Fit: conll.Fit,
		Limits: Limits{
			Patients: Unkept, Scores: true, Overlaps: true, Tokens: true, ID: conll.Holds,
		},
		Recognize: func(_ string, head []byte) bool { return conll.Recognize(head) },
	},
	{
		Name: "jsonl", Exts: []string{jsonl.Ext}, Columns: true, Options: []string{"offsets"},
		Read: shared(jsonl.Read), Decode: sharedStream(jsonl.Decode),
		Create: inFile(typedWriter(jsonl.Create), jsonl.Ext), CreateFile: typedWriter(jsonl.Create), Encode: jsonl.Encode,
		Recognize: func(path string, head []byte) bool {
			keys := notes.FirstKeys(head)
			return Ext(path) == jsonl.Ext && slices.Contains(keys, "text") && !slices.Contains(keys, "ents")
		},
	},
	{
		Name: "hf", Exts: hf.Exts, Columns: true, Options: []string{"hf"},
		Read: func(path string, opt Options) data.Documents { return hf.Read(path, opt.Types, opt.HF) },
		Decode: func(r io.Reader, name string, opt Options) data.Documents {
			return hf.Decode(r, name, opt.Types, opt.HF)
		},
		Create: inFile(createHF, hf.Exts...), CreateFile: createHF,
		Fit: conll.Fit,
		Limits: Limits{
			Scores: true, Overlaps: true, Tokens: true,
		},
		Recognize: hf.Recognize,
	},
	{
		Name: "labelstudio", Exts: []string{labelstudio.Ext}, Options: []string{"offsets"},
		Read: shared(labelstudio.Read), Decode: sharedStream(labelstudio.Decode),
		Create: inFile(typedWriter(labelstudio.Create), labelstudio.Ext), CreateFile: typedWriter(labelstudio.Create),
		Recognize: func(path string, head []byte) bool {
			keys := notes.FirstKeys(head)
			return Ext(path) == labelstudio.Ext && (slices.Contains(keys, "data") || slices.Contains(keys, "annotation_id"))
		},
	},
	{
		Name: "spacy", Exts: spacy.Exts,
		Read: typed(spacy.Read), Decode: decoded(spacy.Decode),
		Create: inFile(typedWriter(spacy.Create), spacy.Exts...), CreateFile: typedWriter(spacy.Create),
		Limits:    Limits{Scores: true},
		Recognize: spacy.Recognize,
	},
	{
		Name: "presidio", Exts: []string{presidio.Ext},
		Read: typed(presidio.Read), Decode: decoded(presidio.Decode),
		Create: inFile(typedWriter(presidio.Create), presidio.Ext), CreateFile: typedWriter(presidio.Create),
		Limits: Limits{Scores: true},
		Recognize: func(path string, head []byte) bool {
			return Ext(path) == presidio.Ext && slices.Contains(notes.FirstKeys(head), "full_text")
		},
	},
	ofINCEpTION("xmi", inception.XMI, Limits{Patients: ByID, Scores: true, XML: true}),
	ofINCEpTION("webanno", inception.TSV, Limits{Patients: ByID, Scores: true}),
	{
		Name: "text", Exts: []string{text.Ext}, OneNote: true, TextOnly: true,
		Read: func(path string, _ Options) data.Documents { return text.Read(path) }, Pieces: text.Pieces,
		Decode: one(func(r io.Reader, name string, _ data.ReadOptions) (*data.Document, error) {
			return text.Decode(r, name)
		}),
		Create:     func(dir string, _ Options) (data.Writer, error) { return text.Create(dir) },
		CreateFile: func(path string, _ Options) (data.Writer, error) { return text.CreateFile(path) },
		Encode:     func(doc *data.Document) ([]byte, error) { return []byte(doc.Text), nil },
		Limits:     Limits{Patients: ByID},
	},
})

func ofXML(name string, dialect i2b2.Dialect, root string) *Format {
	return &Format{
		Name: name, Exts: []string{i2b2.Ext}, OneNote: true, Options: []string{"offsets"},
		Read: shared(i2b2.Read), Decode: one(i2b2.Decode),
		Create: func(dir string, opt Options) (data.Writer, error) { return i2b2.Create(dir, dialect, opt.Types) },
		CreateFile: func(path string, opt Options) (data.Writer, error) {
			return i2b2.CreateFile(path, dialect, opt.Types)
		},
		Limits:    Limits{Patients: ByID, Scores: true, XML: true},
		Recognize: rooted(root),
	}
}

func ofINCEpTION(name string, f inception.Format, limits Limits) *Format {
	return &Format{
		Name: name, Exts: []string{f.Ext}, OneNote: true, Options: []string{"inception"},
		Read: func(path string, opt Options) data.Documents { return f.Read(path, opt.Types, opt.INCEpTION) },
		Decode: func(r io.Reader, name string, opt Options) data.Documents {
			return func(yield func(*data.Document, error) bool) { yield(f.Decode(r, name, opt.Types, opt.INCEpTION)) }
		},
		Create: func(dir string, opt Options) (data.Writer, error) { return f.Create(dir, opt.Types, opt.INCEpTION) },
		CreateFile: func(path string, opt Options) (data.Writer, error) {
			return f.CreateFile(path, opt.Types, opt.INCEpTION)
		},
		Project:        f.Project,
		ProjectLeftOut: func(path string, opt Options) ([]string, error) { return f.LeftOut(path, opt.INCEpTION) },
		Limits:         limits,
		Recognize:      func(path string, head []byte) bool { return f.Recognize(head) || f.InProject(path) },
	}
}

func createCoNLL(path string, opt Options) (data.Writer, error) {
	return conll.Create(path, opt.Types, opt.Writing)
}

func createHF(path string, opt Options) (data.Writer, error) {
	return hf.Create(path, opt.Types, opt.Writing)
}

// Holds reports whether a document with this ID can be written. If there is one file per note, the ID
// must be possible as its name.
func (f *Format) Holds(id string) bool {
	return (!f.OneNote || notes.CheckName(id) == nil) && (f.Limits.ID == nil || f.Limits.ID(id))
}

// Single reports whether the file or folder at path contains only one note, whatever is in it.
func (f *Format) Single(path string) bool {
	info, err := os.Stat(path)
	return f.OneNote && err == nil && !info.IsDir() && (f.Project == nil || !f.Project(path))
}

// LeftOut returns the paths in the folder at path that Read skips, sorted, with a slash at the end
// of those of folders. If path is a file, it returns none. Of a project, it returns the names of documents.
func (f *Format) LeftOut(path string, opt Options) ([]string, error) {
	if f.Project != nil && f.Project(path) {
		return f.ProjectLeftOut(path, opt)
	}
	return notes.LeftOut(path, f.OneNote, f.exts(opt)...)
}

// exts returns the extensions of the files that Read reads in a folder.
func (f *Format) exts(opt Options) []string {
	if f.Name == "conll" {
		return opt.CoNLL.Exts()
	}
	return f.Exts
}

// one yields the only document in a stream.
func one(decode func(io.Reader, string, data.ReadOptions) (*data.Document, error)) func(io.Reader, string, Options) data.Documents {
	return func(r io.Reader, name string, opt Options) data.Documents {
		return func(yield func(*data.Document, error) bool) { yield(decode(r, name, opt.read())) }
	}
}

// shared and sharedStream adapt readers that have no options but those of many.
func shared(read func(string, data.ReadOptions) data.Documents) func(string, Options) data.Documents {
	return func(path string, opt Options) data.Documents { return read(path, opt.read()) }
}

func sharedStream(decode func(io.Reader, string, data.ReadOptions) data.Documents) func(io.Reader, string, Options) data.Documents {
	return func(r io.Reader, name string, opt Options) data.Documents { return decode(r, name, opt.read()) }
}

// typed, decoded and typedWriter adapt readers and writers that have no options but the types.
func typed(read func(string, *data.TypeSet) data.Documents) func(string, Options) data.Documents {
	return func(path string, opt Options) data.Documents { return read(path, opt.Types) }
}

func decoded(decode func(io.Reader, string, *data.TypeSet) data.Documents) func(io.Reader, string, Options) data.Documents {
	return func(r io.Reader, name string, opt Options) data.Documents { return decode(r, name, opt.Types) }
}

func typedWriter(create func(string, *data.TypeSet) (data.Writer, error)) func(string, Options) (data.Writer, error) {
	return func(path string, opt Options) (data.Writer, error) { return create(path, opt.Types) }
}

// inFile makes a format that writes one file, with one of the extensions, accept a folder as path.
func inFile(create func(string, Options) (data.Writer, error), exts ...string) func(string, Options) (data.Writer, error) {
	return func(path string, opt Options) (data.Writer, error) {
		info, err := os.Stat(path)
		if folder := err == nil && info.IsDir(); folder || !slices.Contains(exts, Ext(path)) {
			path = filepath.Join(path, "corpus"+exts[0])
		}
		return create(path, opt)
	}
}

// Ext returns the extension of a path in lower case, without the .gz that may follow it.
func Ext(path string) string { return notes.Ext(path) }

// ID returns the ID of a note in a file of its own: its name without the extension.
func ID(path string) string { return notes.ID(path) }

func nameOf(f *Format) string { return f.Name }

// Lookup finds a format by its name.
func Lookup(name string) (*Format, error) { return table.Lookup(formats, nameOf, "format", name) }

// Fit applies the Fit of a format, if it has one, to the spans found in a document. Any name that is
// not one of a format, such as that of generated notes, has none.
func Fit(name string, found *data.Document) {
	if f, err := Lookup(name); err == nil && f.Fit != nil {
		f.Fit(found)
	}
}

// Names lists the formats: i2b2, meddocan, i2b2-2006, brat, conll, jsonl, hf, labelstudio, spacy,
// presidio, xmi, webanno, text.
func Names() []string { return table.Names(formats, nameOf) }

// Annotated lists the formats that support spans: all except text.
func Annotated() []string {
	return table.Names(slices.DeleteFunc(slices.Clone(formats), func(f *Format) bool { return f.TextOnly }), nameOf)
}

// TextOnly reports whether the named format does not support spans. It is false for an unknown
// name.
func TextOnly(name string) bool {
	f, err := Lookup(name)
	return err == nil && f.TextOnly
}

// Read reads a file or folder in the named format. An unknown name yields one error.
func Read(name, path string, opt Options) data.Documents {
	f, err := Lookup(name)
	if err != nil {
		return func(yield func(*data.Document, error) bool) { yield(nil, err) }
	}
	return f.Read(path, opt)
}

// Create opens a writer of the named format, or returns an error for an unknown name. See
// Format.Create for path.
func Create(name, path string, types *data.TypeSet) (data.Writer, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	return f.Create(path, Options{Types: types})
}
