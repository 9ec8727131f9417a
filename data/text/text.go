// Package text reads and writes plain notes: a UTF-8 file a note, without
// spans. The text is the file, byte for byte: a byte order mark is its first
// character, and line ends stay as they are.
package text

import (
	"io"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".txt"

// Read reads one file, or the .txt files of a folder in the order of their
// names; hidden files and subfolders are left out. The name without extension
// is the ID; names such as 110-04.txt give the patient, 110. A note that is not UTF-8 yields a *data.Error with line and byte
// offset, and reading goes on with the next; a missing path or a folder without
// a note yields one error.
func Read(path string) data.Documents {
	return notes.Each(path, Ext, func(file string) (*data.Document, error) {
		text, err := notes.ReadText(file)
		if err != nil {
			return nil, err
		}
		return newDocument(file, text), nil
	})
}

// Decode reads one note from a stream; name stands for a file's path in errors
// and in the ID.
func Decode(r io.Reader, name string) (*data.Document, error) {
	raw, err := notes.ReadAll(r, name)
	if err != nil {
		return nil, err
	}
	if err := notes.CheckUTF8(name, raw); err != nil {
		return nil, err
	}
	return newDocument(name, string(raw)), nil
}

func newDocument(path, text string) *data.Document {
	id := notes.ID(path)
	return &data.Document{ID: id, Patient: data.PatientOf(id), Text: text}
}

// Create writes notes into a folder as ID.txt: the text only, spans are not
// kept.
func Create(dir string) (data.Writer, error) {
	return notes.NewFolder(dir, nil, func(doc *data.Document) ([]notes.Part, error) {
		return []notes.Part{{Ext: Ext, Content: []byte(doc.Text)}}, nil
	})
}

// CreateFile writes the only note of a file, which appears at Close, as Create
// does.
func CreateFile(path string) (data.Writer, error) {
	return notes.NewNote(path, nil, func(doc *data.Document) ([]byte, error) { return []byte(doc.Text), nil })
}
