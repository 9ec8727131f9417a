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
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".json"

// Read reads one file, or the .json files of a folder in the order of their names. It ignores hidden files and subfolders. A
// document without an ID gets the file's name and the number of its task, as in "tasks-0007".
//
// A bad task, or one with a duplicate ID, yields a *data.Error with the byte at which the task begins, and reading
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
	start int64           // offset of the JSON: after a byte order mark, if there is one
}

// read yields the documents. It returns false if yield did.
func (f *file) read(r io.Reader, yield notes.Yield) bool {
	in := &meter{in: bufio.NewReader(r), left: bounded.MaxNote}
	if mark, _ := in.in.Peek(len(notes.BOM)); string(mark) == notes.BOM {
		_, _ = in.in.Discard(len(notes.BOM))
		f.start = int64(len(notes.BOM))
	}
	d := jsontext.NewDecoder(in)
	if d.PeekKind() != '[' {
		return yield(nil, f.defect(d.InputOffset(), errors.New("not a JSON array of tasks")))
	}
	_, _ = d.ReadToken()
	for number := 1; d.PeekKind() != ']'; number++ {
		in.left = bounded.MaxNote
		raw, err := d.ReadValue()
		if err != nil {
			return yield(nil, f.broken(err))
		}
		at := d.InputOffset() - int64(len(raw))
		doc, err := f.document(bytes.Clone(raw), number)
		if err != nil {
			err = f.defect(at, fmt.Errorf("task %d: %w", number, err))
		}
		if !yield(doc, err) {
			return false
		}
	}
	_, _ = d.ReadToken()
	if _, err := d.ReadToken(); err != io.EOF {
		return yield(nil, f.defect(d.InputOffset(), errors.New("something follows the array of tasks")))
	}
	return true
}

// broken returns the error of a file that is not JSON, or cannot be read.
func (f *file) broken(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return f.defect(e.ByteOffset, errors.New("not valid JSON"))
	}
	return notes.Unreadable(f.name, err)
}

func (f *file) defect(at int64, err error) error {
	return notes.Defect(f.name, 0, int(f.start+at), err.Error())
}

// meter fails when a task is too large to be held in memory.
type meter struct {
	in   *bufio.Reader
	left int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	if m.left -= int64(n); m.left < 0 {
		return n, bounded.ErrTooLarge
	}
	return n, err
}
