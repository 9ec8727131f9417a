// Package format contains the table of corpus formats by name.
package format

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/brat"
	"github.com/lethe-deid/lethe/data/conll"
	"github.com/lethe-deid/lethe/data/deid2006"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/data/inception"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/data/labelstudio"
	"github.com/lethe-deid/lethe/data/spacy"
	"github.com/lethe-deid/lethe/data/text"
	"github.com/lethe-deid/lethe/internal/table"
)

// Options say how files are read. A format ignores the options that do not concern it.
type Options struct {
	Types     *data.TypeSet // of the spans; a span of another type is an error
	INCEpTION inception.Options
}

// Format is a file format of corpora. To add a format, add a value to the table below.
type Format struct {
	Name string
	// Exts are the extensions of its files in a folder. Other files are skipped.
	Exts []string
	// OneNote reports whether a file (in brat, a pair of files) contains one note.
	OneNote bool
	// TextOnly reports whether spans are neither read nor written.
	TextOnly bool
	// Read reads a file or a folder.
	Read func(path string, opt Options) data.Documents
	// Pieces reads files of any size, plain or gzipped, in pieces, for callers that require the
	// text but not the notes. It is nil for most formats: see text.Pieces.
	Pieces func(path string) data.Documents
	// Decode reads a stream. name replaces the path in errors and IDs. It is nil for brat, which
	// requires two files.
	Decode func(r io.Reader, name string, opt Options) data.Documents
	// Create returns a writer into a folder, which is created if necessary. A format with all
	// documents in one file names it "corpus" with the format's first extension. A path that already has
	// one of the extensions, and is not a folder, is the file itself.
	Create func(path string, types *data.TypeSet) (data.Writer, error)
	// CreateFile returns a writer of the file itself, whatever its extension. It refuses a second
	// document if OneNote is true. It is nil for brat.
	CreateFile func(path string, types *data.TypeSet) (data.Writer, error)
	// Fit changes the spans found in a document that was read from this format so that it can be
	// written without changing its text. It is nil for formats that can represent all spans.
	Fit func(doc *data.Document)
	// Encode returns the bytes of a document in a stream, which are the whole stream if OneNote is
	// true. It is nil for formats that are written only to files.
	Encode func(doc *data.Document) ([]byte, error)
}

var formats = []*Format{
	ofXML("i2b2", i2b2.I2B2),
	ofXML("meddocan", i2b2.MEDDOCAN),
	{
		Name: "i2b2-2006", Exts: []string{deid2006.Ext},
		Read: typed(deid2006.Read), Decode: decoded(deid2006.Decode), Create: inFile(deid2006.Create, deid2006.Ext), CreateFile: deid2006.Create,
	},
	{Name: "brat", Exts: brat.Exts, OneNote: true, Read: typed(brat.Read), Create: brat.Create},
	{
		Name: "conll", Exts: []string{conll.Ext},
		Read: typed(conll.Read), Decode: decoded(conll.Decode), Create: inFile(conll.Create, conll.Ext), CreateFile: conll.Create,
		Fit: conll.Fit,
	},
	{
		Name: "jsonl", Exts: []string{jsonl.Ext},
		Read: typed(jsonl.Read), Decode: decoded(jsonl.Decode), Create: inFile(jsonl.Create, jsonl.Ext), CreateFile: jsonl.Create, Encode: jsonl.Encode,
	},
	{
		Name: "labelstudio", Exts: []string{labelstudio.Ext},
		Read: typed(labelstudio.Read), Decode: decoded(labelstudio.Decode), Create: inFile(labelstudio.Create, labelstudio.Ext), CreateFile: labelstudio.Create,
	},
	{
		Name: "spacy", Exts: spacy.Exts,
		Read: typed(spacy.Read), Decode: decoded(spacy.Decode), Create: inFile(spacy.Create, spacy.Exts...), CreateFile: spacy.Create,
	},
	{
		Name: "xmi", Exts: []string{inception.XMIExt}, OneNote: true,
		Read: func(path string, opt Options) data.Documents {
			return inception.ReadXMI(path, opt.Types, opt.INCEpTION)
		},
		Decode: func(r io.Reader, name string, opt Options) data.Documents {
			return func(yield func(*data.Document, error) bool) {
				yield(inception.DecodeXMI(r, name, opt.Types, opt.INCEpTION))
			}
		},
		Create: func(dir string, types *data.TypeSet) (data.Writer, error) {
			return inception.CreateXMI(dir, types, inception.Options{})
		},
		CreateFile: func(path string, types *data.TypeSet) (data.Writer, error) {
			return inception.CreateXMIFile(path, types, inception.Options{})
		},
	},
	{
		Name: "text", Exts: []string{text.Ext}, OneNote: true, TextOnly: true,
		Read: func(path string, _ Options) data.Documents { return text.Read(path) }, Pieces: text.Pieces,
		Decode: one(func(r io.Reader, name string, _ *data.TypeSet) (*data.Document, error) {
			return text.Decode(r, name)
		}),
		Create:     func(dir string, _ *data.TypeSet) (data.Writer, error) { return text.Create(dir) },
		CreateFile: func(path string, _ *data.TypeSet) (data.Writer, error) { return text.CreateFile(path) },
		Encode:     func(doc *data.Document) ([]byte, error) { return []byte(doc.Text), nil },
	},
}

func ofXML(name string, dialect i2b2.Dialect) *Format {
	return &Format{
		Name: name, Exts: []string{i2b2.Ext}, OneNote: true,
		Read: typed(i2b2.Read), Decode: one(i2b2.Decode),
		Create: func(dir string, types *data.TypeSet) (data.Writer, error) { return i2b2.Create(dir, dialect, types) },
		CreateFile: func(path string, types *data.TypeSet) (data.Writer, error) {
			return i2b2.CreateFile(path, dialect, types)
		},
	}
}

// LeftOut returns the names in the folder at path that Read skips, sorted, with a slash at the end
// of the names of folders. If path is a file, it returns none.
func (f *Format) LeftOut(path string) ([]string, error) { return notes.LeftOut(path, f.Exts...) }

// one yields the only document in a stream.
func one(decode func(io.Reader, string, *data.TypeSet) (*data.Document, error)) func(io.Reader, string, Options) data.Documents {
	return func(r io.Reader, name string, opt Options) data.Documents {
		return func(yield func(*data.Document, error) bool) { yield(decode(r, name, opt.Types)) }
	}
}

// typed and decoded adapt readers that have no options but the types.
func typed(read func(string, *data.TypeSet) data.Documents) func(string, Options) data.Documents {
	return func(path string, opt Options) data.Documents { return read(path, opt.Types) }
}

func decoded(decode func(io.Reader, string, *data.TypeSet) data.Documents) func(io.Reader, string, Options) data.Documents {
	return func(r io.Reader, name string, opt Options) data.Documents { return decode(r, name, opt.Types) }
}

// inFile makes a format that writes one file, with one of the extensions, accept a folder as path.
func inFile(create func(string, *data.TypeSet) (data.Writer, error), exts ...string) func(string, *data.TypeSet) (data.Writer, error) {
	return func(path string, types *data.TypeSet) (data.Writer, error) {
		info, err := os.Stat(path)
		if folder := err == nil && info.IsDir(); folder || !slices.Contains(exts, strings.ToLower(filepath.Ext(path))) {
			path = filepath.Join(path, "corpus"+exts[0])
		}
		return create(path, types)
	}
}

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

// Names lists the formats: i2b2, meddocan, i2b2-2006, brat, conll, jsonl, labelstudio, spacy, xmi, text.
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
	return f.Create(path, types)
}
