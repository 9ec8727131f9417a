// Package format is the table of corpus formats by name.
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
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/data/text"
	"github.com/lethe-deid/lethe/internal/table"
)

// Format is a way to keep a corpus in files. Another one is another value in the table below.
type Format struct {
	Name string
	// Exts are the extensions of its files in a folder: others are left out.
	Exts []string
	// OneNote reports whether a file (of brat, a pair of files) holds one note.
	OneNote bool
	// TextOnly reports whether spans are neither read nor written.
	TextOnly bool
	// Read reads a file or a folder.
	Read func(path string, types *data.TypeSet) data.Documents
	// Pieces reads files of any size, plain or gzipped, in pieces for what needs the text but not the notes. It is nil
	// for most formats: see text.Pieces.
	Pieces func(path string) data.Documents
	// Decode reads a stream; name stands for the path in errors and IDs. It is
	// nil for brat, which needs two files.
	Decode func(r io.Reader, name string, types *data.TypeSet) data.Documents
	// Create writes into a folder, which is made if need be. A format that has
	// all documents in one file calls it "corpus" with the format's extension; a
	// path that has this extension already, and is no folder, is the file itself.
	Create func(path string, types *data.TypeSet) (data.Writer, error)
	// CreateFile writes the file itself, whatever its extension: a second document
	// is refused if OneNote is set. It is nil for brat.
	CreateFile func(path string, types *data.TypeSet) (data.Writer, error)
	// Encode makes what a stream holds of a document; if OneNote is set, that is the whole stream. It is nil for
	// formats that are written to files only.
	Encode func(doc *data.Document) ([]byte, error)
}

var formats = []*Format{
	ofXML("i2b2", i2b2.I2B2),
	ofXML("meddocan", i2b2.MEDDOCAN),
	{Name: "brat", Exts: brat.Exts, OneNote: true, Read: brat.Read, Create: brat.Create},
	{
		Name: "conll", Exts: []string{conll.Ext},
		Read: conll.Read, Decode: conll.Decode, Create: inFile(conll.Ext, conll.Create), CreateFile: conll.Create,
	},
	{
		Name: "jsonl", Exts: []string{jsonl.Ext},
		Read: jsonl.Read, Decode: jsonl.Decode, Create: inFile(jsonl.Ext, jsonl.Create), CreateFile: jsonl.Create, Encode: jsonl.Encode,
	},
	{
		Name: "text", Exts: []string{text.Ext}, OneNote: true, TextOnly: true,
		Read: func(path string, _ *data.TypeSet) data.Documents { return text.Read(path) }, Pieces: text.Pieces,
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
		Read: i2b2.Read, Decode: one(i2b2.Decode),
		Create: func(dir string, types *data.TypeSet) (data.Writer, error) { return i2b2.Create(dir, dialect, types) },
		CreateFile: func(path string, types *data.TypeSet) (data.Writer, error) {
			return i2b2.CreateFile(path, dialect, types)
		},
	}
}

// LeftOut returns, sorted, the names in the folder at path that Read does not
// read, those of folders with a slash at the end. Of a file it returns none.
func (f *Format) LeftOut(path string) ([]string, error) { return notes.LeftOut(path, f.Exts...) }

// one makes documents of the only document in a stream.
func one(decode func(io.Reader, string, *data.TypeSet) (*data.Document, error)) func(io.Reader, string, *data.TypeSet) data.Documents {
	return func(r io.Reader, name string, types *data.TypeSet) data.Documents {
		return func(yield func(*data.Document, error) bool) { yield(decode(r, name, types)) }
	}
}

// inFile names the one file of a folder.
func inFile(ext string, create func(string, *data.TypeSet) (data.Writer, error)) func(string, *data.TypeSet) (data.Writer, error) {
	return func(path string, types *data.TypeSet) (data.Writer, error) {
		info, err := os.Stat(path)
		if folder := err == nil && info.IsDir(); folder || !strings.EqualFold(filepath.Ext(path), ext) {
			path = filepath.Join(path, "corpus"+ext)
		}
		return create(path, types)
	}
}

func nameOf(f *Format) string { return f.Name }

// Lookup finds a format by its name.
func Lookup(name string) (*Format, error) { return table.Lookup(formats, nameOf, "format", name) }

// Names lists the formats: i2b2, meddocan, brat, conll, jsonl, text.
func Names() []string { return table.Names(formats, nameOf) }

// Annotated lists the formats that keep spans: all but text.
func Annotated() []string {
	return table.Names(slices.DeleteFunc(slices.Clone(formats), func(f *Format) bool { return f.TextOnly }), nameOf)
}

// TextOnly reports whether the named format has no place for spans.
func TextOnly(name string) bool {
	f, err := Lookup(name)
	return err == nil && f.TextOnly
}

// Read reads a file or folder in the named format. An unknown name yields one
// error.
func Read(name, path string, types *data.TypeSet) data.Documents {
	f, err := Lookup(name)
	if err != nil {
		return func(yield func(*data.Document, error) bool) { yield(nil, err) }
	}
	return f.Read(path, types)
}

// Create opens a writer of the named format; see Format.Create for path.
func Create(name, path string, types *data.TypeSet) (data.Writer, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	return f.Create(path, types)
}
