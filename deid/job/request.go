package job

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// request is a line that a worker answers: a note, or all notes of a patient.
type request struct {
	line    int // number, from 1
	bytes   int
	id      json.RawMessage // of the note or of the request; nil if it has none or cannot be read
	hello   bool            // the line asks who the worker is
	whole   bool            // the line is of the form {"notes":[…]}
	entries []*entry        // the objects with notes: one, unless whole is true
	err     error           // why the line cannot be processed at all
}

// entry is an object that contains notes, as a line of the format jsonl does.
type entry struct {
	raw    []byte
	record *notefile.Record
	notes  []*result
	err    error // why the object cannot be read
}

// workerInput stands for the input in errors and in the default ids of notes, as if stdin were read as a file.
var workerInput = noteFile{in: "stdin", name: "stdin"}

func defect(line int, reason string) *data.Error {
	return &data.Error{Path: workerInput.in, Line: line, Offset: -1, Reason: reason}
}

// request parses a line.
func (w *Worker) request(raw []byte, number int) *request {
	q := &request{line: number, bytes: len(raw)}
	var keys map[string]json.RawMessage
	if bytes.Contains(raw, []byte(`"hello"`)) || bytes.Contains(raw, []byte(`"notes"`)) {
		_ = json.Unmarshal(raw, &keys) // if this fails, reading the line as a note reports the error
	}
	switch _, hello := keys["hello"]; {
	case keys != nil && repeats(raw):
		if q.id = keys["id"]; !bytes.HasPrefix(keys["notes"], []byte("[")) {
			q.id = w.idOf(raw) // of a note
		}
		q.err = defect(number, "a key occurs twice")
	case hello && len(keys) == 1:
		q.hello = true
	case bytes.HasPrefix(keys["notes"], []byte("[")):
		q.whole, q.id = true, keys["id"]
		if q.err = w.patientRequest(q, keys); q.err != nil {
			q.entries = nil
		}
	default:
		e := w.parse(raw, number)
		q.entries = []*entry{e}
		if e.err == nil && e.record.Named != nil && !e.record.Named.Patient {
			e.err = defect(number, fmt.Sprintf("the key %q of --patient is missing; if the patient is unknown, give it the value null", w.options.Patient))
		}
		if e.err == nil {
			w.examine(e)
		}
	}
	return q
}

// patientRequest reads the notes of a patient.
func (w *Worker) patientRequest(q *request, keys map[string]json.RawMessage) error {
	var objects []json.RawMessage
	if err := json.Unmarshal(keys["notes"], &objects); err != nil {
		return defect(q.line, "not valid JSON")
	}
	for _, column := range w.columns() {
		name, _, _ := strings.Cut(column, ".")
		if _, beside := keys[name]; beside && name != "notes" {
			return defect(q.line, fmt.Sprintf("a request has both \"notes\" and %q", name))
		}
	}
	patient, err := patientOf(keys["patient"])
	if err != nil {
		return defect(q.line, err.Error())
	}
	for _, object := range objects {
		e := w.parse(object, q.line)
		q.entries = append(q.entries, e)
		if e.err != nil {
			continue
		}
		for _, n := range e.record.Notes {
			switch {
			case patient == "":
				patient = n.Patient
			case n.Patient != "" && n.Patient != patient:
				return defect(q.line, "the notes of a request have different patients")
			}
		}
	}
	if patient == "" && len(objects) > 0 {
		return defect(q.line, `a request with "notes" requires their "patient"`)
	}
	for _, e := range q.entries {
		if e.err != nil {
			continue
		}
		for _, n := range e.record.Notes {
			n.Patient = patient
		}
		e.record.Learn("", patient) // as if it stood in each object
		e.record.ShareValues(w.options.Types)
		w.examine(e)
	}
	return nil
}

// columns returns the names of the keys that contain notes.
func (w *Worker) columns() []string {
	if len(w.options.Columns) == 0 {
		return []string{"text"}
	}
	return w.options.Columns
}

// repeats reports whether a key of an object, which is valid JSON, occurs twice.
func repeats(object []byte) bool {
	in := json.NewDecoder(bytes.NewReader(object))
	_, err := in.Token() // the brace
	seen := map[json.Token]bool{}
	for err == nil && in.More() {
		var key json.Token
		if key, err = in.Token(); seen[key] {
			return true
		}
		seen[key] = true
		var value json.RawMessage
		err = cmp.Or(err, in.Decode(&value))
	}
	return false
}

// patientOf returns the patient of a request, which is a string or a number.
func patientOf(value json.RawMessage) (string, error) {
	var text string
	switch {
	case len(value) == 0 || string(value) == "null":
		return "", nil
	case json.Unmarshal(value, &text) == nil:
		return text, nil
	case strings.IndexByte("-0123456789", value[0]) >= 0:
		return string(value), nil
	}
	return "", errors.New(`the "patient" of a request is neither a string nor a number`)
}

// parse reads an object as a line of the format jsonl.
func (w *Worker) parse(raw []byte, line int) *entry {
	e := &entry{raw: raw}
	e.record, e.err = notefile.JSONLine(raw, workerInput.in, line, w.options)
	return e
}

// examine prepares the notes of an object that could be read.
func (w *Worker) examine(e *entry) {
	e.notes = w.run.results(workerInput, e.record)
}

// encode returns the object with its edits.
func (e *entry) encode() ([]byte, error) {
	edits := make([][]notefile.Edit, len(e.notes))
	for i, n := range e.notes {
		edits[i] = n.edits
	}
	return e.record.Encode(edits)
}

// idOf returns the id of a note from an object that contains it, as it is written there, or nil if there is none or if a rule
// says that it must change.
func (w *Worker) idOf(raw []byte) json.RawMessage {
	keys := []string{"id", "meta.note_id"}
	if id := w.run.config.ID; id != "" {
		keys = []string{id}
	}
	for _, key := range keys {
		path := strings.Split(key, ".")
		if w.changes(path) {
			continue
		}
		value := json.RawMessage(raw)
		for _, name := range path {
			var object map[string]json.RawMessage
			if json.Unmarshal(value, &object) != nil {
				return nil
			}
			value = object[name]
		}
		if len(value) > 0 {
			return value
		}
	}
	return nil
}

// changes reports whether a rule says that the field at a path must change.
func (w *Worker) changes(path []string) bool {
	rules := w.options.Fields
	if rules == nil {
		return false
	}
	action, ok := rules.Action(path...)
	return ok && action != field.Keep
}

// size returns what a request adds to the size of a batch.
func (q *request) size() data.BatchSize {
	s := data.BatchSize{Bytes: q.bytes}
	for _, e := range q.entries {
		for _, n := range e.notes {
			s.First = cmp.Or(s.First, n.note.Group)
			if s.Last = n.note.Group; !n.field {
				s.Notes++
			}
		}
	}
	return s
}

// lineReader reads lines of limited length.
type lineReader struct{ in *bufio.Reader }

func newLineReader(in io.Reader) *lineReader { return &lineReader{bufio.NewReaderSize(in, 1<<20)} }

// ready reports whether a complete line can be read without waiting.
func (r *lineReader) ready() bool {
	some, _ := r.in.Peek(r.in.Buffered())
	return bytes.IndexByte(some, '\n') >= 0
}

var errTooLong = fmt.Errorf("longer than %d MiB, the maximum", bounded.MaxNote>>20)

// next returns the next line, which may lack a line end only at the end of the input. If the line is too long, it skips it
// and returns errTooLong.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > bounded.MaxNote; !tooLong {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil && (err != io.EOF || len(line) == 0 && !tooLong):
			return nil, err
		case tooLong:
			return nil, errTooLong
		default:
			return line, nil
		}
	}
}
