// Package labelstudio reads what Label Studio exports as JSON or JSON-MIN, and writes tasks that it imports. A file is an
// array of tasks:
//
//	[{"id":7,"data":{"text":"Seen by Amundsen.","note_id":"110-04","patient_id":"110"},
//	  "annotations":[{"result":[{"type":"labels","from_name":"label","to_name":"text",
//	    "value":{"start":8,"end":16,"text":"Amundsen","labels":["DOCTOR"]}}]}]}]
//
// In JSON-MIN, a task is one object with the keys of its data, and the regions are in lists that have the names of Labels tags:
//
//	[{"id":7,"text":"Seen by Amundsen.","label":[{"start":8,"end":16,"labels":["DOCTOR"]}],"annotation_id":12}]
//
// Offsets count code points, and CR LF is two; that is how Label Studio's editor counts, whatever the language of its
// programs. The labels are the types, so they must have the same names; a region with several labels becomes a span of each.
// The text is under the key text, or is the only string of the data. The ID is data.note_id, data.id or the number of the task,
// and the patient data.patient_id or data.patient.
//
// The spans are those of the annotation of the task. Annotations of people who cancelled (skipped) the task do not count, nor
// do drafts and the scores of regions that came from a prediction. If there are several annotations, they must be equal, or one
// must be marked as ground truth; any others would have to be reconciled first. A task that nobody has annotated is an error, because
// it would be read as a note free of PHI. Only if a task has no key annotations, as in a file for import, its only prediction
// is read, with its scores.
//
// Choices, ratings and other results that are not about a part of the text are left unread. Regions of HyperText and
// Paragraphs, regions without a label, and regions of a second text are errors.
package labelstudio

import (
	"fmt"
	"io"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".json"

// Read reads one file, or the .json files of a folder in the order of their names. It ignores hidden files and subfolders. A
// document without an ID gets the file's name and the number of its task, as in "tasks-0007".
//
// A bad task, or one with a duplicate ID, yields a *data.Error with the line and the byte at which the task begins, and reading
// continues with the next. Text that is not JSON ends the file with such an error.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Files(path, []string{Ext}, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return (&file{name: name, types: types, seen: seen}).read(r, yield)
	})
}

// Decode reads the documents of a stream. name is used as the file's path in errors and IDs.
func Decode(r io.Reader, name string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		(&file{name: name, types: types, seen: map[string]bool{}}).read(r, yield)
	}
}

// file is a file that is being read.
type file struct {
	name  string
	types *data.TypeSet
	seen  map[string]bool // IDs
}

// read yields the documents. It returns false if yield did.
func (f *file) read(r io.Reader, yield notes.Yield) bool {
	return notes.Values(r, f.name, "tasks", func(v notes.Value, broken *data.Error) bool {
		if broken != nil {
			return yield(nil, broken)
		}
		doc, err := f.document(v.Raw, v.Number)
		if err != nil {
			err = notes.Defect(f.name, v.Line, v.Offset, fmt.Sprintf("task %d: %v", v.Number, err))
		}
		return yield(doc, err)
	})
}
