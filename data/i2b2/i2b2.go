// Package i2b2 reads and writes the XML of the i2b2/UTHealth 2014
// de-identification track, and MEDDOCAN's variant of it: one note a file,
//
//	<deIdi2b2>
//	<TEXT><![CDATA[...]]></TEXT>
//	<TAGS>
//	<NAME id="P0" start="10" end="19" text="..." TYPE="DOCTOR" comment="" />
//	</TAGS>
//	</deIdi2b2>
//
// The text is what an XML parser sees: CR LF and CR in the file are LF. Offsets
// count its code points, a U+FEFF at its start too. A tag's element is the
// category of its TYPE (see data.Type).
package i2b2

import (
	"io"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".xml"

// Read reads one file, or the .xml files of a folder in the order of their
// names; hidden files and subfolders are left out. The root may be that of
// either dialect. A bad note yields a *data.Error and reading goes on with the
// next; a missing path or a folder without a note yields one error.
//
// The ID is the file's name without extension; names such as 110-04.xml give
// the patient, 110, as they do to the official scorer. No TAGS means no spans.
// The attributes id and comment are not read, as the official scorer does not use
// them either. Refused are: a tag whose text, if it has one, is not that of the
// note at its offsets, but for white space, which real corpora alter; a tag whose
// TYPE is not in the type set, or whose element is
// neither PHI nor the category of its TYPE (the open set takes any element);
// empty and reversed spans and those beyond the text; text outside of TEXT, and
// encodings other than UTF-8, US-ASCII and ISO-8859-1. Unknown children of the
// root are ignored.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Each(path, Ext, func(file string) (*data.Document, error) {
		raw, err := notes.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return decode(file, raw, types)
	})
}

// Decode reads one note from a stream; name stands for a file's path in errors,
// ID and patient.
func Decode(r io.Reader, name string, types *data.TypeSet) (*data.Document, error) {
	raw, err := notes.ReadAll(r, name)
	if err != nil {
		return nil, err
	}
	return decode(name, raw, types)
}

// Dialect is a variant of the format.
type Dialect struct {
	root  string
	tag   string // what a tag's id starts with
	first int    // number of the first tag
}

// The dialects.
var (
	I2B2     = Dialect{root: "deIdi2b2", tag: "P", first: 0}
	MEDDOCAN = Dialect{root: "MEDDOCAN", tag: "T", first: 1}
)

// Create writes notes into a folder as ID.xml, in UTF-8, tags in reading order.
// A text with a character that XML 1.0 cannot hold, such as U+000B, is refused.
// Scores are not kept, nor is a patient that the ID does not tell.
func Create(dir string, dialect Dialect, types *data.TypeSet) (data.Writer, error) {
	return notes.NewFolder(dir, types, func(doc *data.Document) ([]notes.Part, error) {
		content, err := encode(doc, dialect, types)
		return []notes.Part{{Ext: Ext, Content: content}}, err
	})
}

// CreateFile writes the only note of a file, which appears at Close, as Create
// does.
func CreateFile(path string, dialect Dialect, types *data.TypeSet) (data.Writer, error) {
	return notes.NewNote(path, types, func(doc *data.Document) ([]byte, error) { return encode(doc, dialect, types) })
}
