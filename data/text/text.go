// Package text reads and writes plain notes: one UTF-8 file per note, without
// spans. The text is the file, byte for byte: a byte order mark is its first
// character, and line ends are kept.
package text

import (
	"io"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".txt"

// Read reads one file, or the .txt files of a folder and its subfolders in the order of
// their paths. It ignores hidden files and folders, and links to folders. The ID is the path
// within the folder without extension, as in ward/110-04; from names such as 110-04.txt it
// takes the patient, 110. A note that
// is not UTF-8 yields a *data.Error with the line and byte offset, and reading
// continues with the next note. A missing path, or a folder without notes, yields
// one error.
func Read(path string) data.Documents {
	return notes.Each(path, Ext, func(file string) (*data.Document, error) {
		text, err := notes.ReadText(file)
		if err != nil {
			return nil, err
		}
		return newDocument(file, text), nil
	})
}

// Decode reads one note from a stream. name is used as the file's path in errors
// and for the ID.
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

// Create returns a writer of notes into a folder, as ID.txt. It writes only the
// text; spans are not stored.
func Create(dir string) (data.Writer, error) {
	return notes.NewFolder(dir, nil, func(doc *data.Document) ([]notes.Part, error) {
		return []notes.Part{{Ext: Ext, Content: []byte(doc.Text)}}, nil
	})
}

// CreateFile returns a writer of a single note into the file at path, which
// appears at Close. Like Create, it writes only the text.
func CreateFile(path string) (data.Writer, error) {
	return notes.NewNote(path, nil, func(doc *data.Document) ([]byte, error) { return []byte(doc.Text), nil })
}
