// Package i2b2 reads and writes the XML of the i2b2/UTHealth 2014 de-identification track, and
// MEDDOCAN's variant of it, with one note per file:
//
//	<deIdi2b2>
//	<TEXT><![CDATA[...]]></TEXT>
//	<TAGS>
//	<NAME id="P0" start="10" end="19" text="..." TYPE="DOCTOR" comment="" />
//	</TAGS>
//	</deIdi2b2>
//
// The text is the text that an XML parser returns: CR LF and CR in the file become LF. Offsets
// count its code points (or what data.ReadOptions.Offsets says), including a U+FEFF at its start. The element of a tag is the category of
// its TYPE (see data.Type).
package i2b2

import (
	"io"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".xml"

// Read reads one file, or the .xml files of a folder and its subfolders in the order of their
// paths; it skips hidden files and folders, and links to folders. The root may be the root of either dialect. A bad note yields a
// *data.Error, and reading continues with the next. A missing path, or a folder without notes,
// yields one error.
//
// The ID is the path within the folder without extension, as in ward/110-04. Names such as 110-04.xml contain the patient, 110,
// as for the official scorer. A note without TAGS has no spans. The attributes id and comment are
// ignored, as by the official scorer. Unknown children of the root are ignored. A note is refused
// if it has
//
//   - a tag whose text, if any, differs from the note at its offsets by more than white space,
//     which real corpora alter
//   - a tag whose TYPE is not in the type set
//   - a tag whose element is neither PHI nor the category of its TYPE (the open set accepts any
//     element)
//   - a span that is empty, reversed, or beyond the text
//   - text outside of TEXT
//   - an encoding other than UTF-8, US-ASCII and ISO-8859-1
func Read(path string, opt data.ReadOptions) data.Documents {
	return notes.Each(path, Ext, func(file string) (*data.Document, error) {
		raw, err := notes.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return decode(file, raw, opt)
	})
}

// Decode reads one note from a stream. name replaces the path of a file in errors, ID and patient.
func Decode(r io.Reader, name string, opt data.ReadOptions) (*data.Document, error) {
	raw, err := notes.ReadAll(r, name)
	if err != nil {
		return nil, err
	}
	return decode(name, raw, opt)
}

// Dialect is a variant of the format.
type Dialect struct {
	root  string
	tag   string // prefix of the ids of tags
	first int    // number of the first tag
}

// The dialects.
var (
	I2B2     = Dialect{root: "deIdi2b2", tag: "P", first: 0}
	MEDDOCAN = Dialect{root: "MEDDOCAN", tag: "T", first: 1}
)

// Create returns a writer of notes into a folder as ID.xml, in UTF-8, with tags in reading order.
// It refuses text with a character that XML 1.0 does not allow, such as U+000B. Scores are not
// written, nor is a patient that differs from the one in the ID.
func Create(dir string, dialect Dialect, types *data.TypeSet) (data.Writer, error) {
	return notes.NewFolder(dir, types, func(doc *data.Document) ([]notes.Part, error) {
		content, err := encode(doc, dialect, types)
		return []notes.Part{{Ext: Ext, Content: content}}, err
	})
}

// CreateFile returns a writer like that of Create for a file with a single note. The file appears
// at Close.
func CreateFile(path string, dialect Dialect, types *data.TypeSet) (data.Writer, error) {
	return notes.NewNote(path, types, func(doc *data.Document) ([]byte, error) { return encode(doc, dialect, types) })
}
