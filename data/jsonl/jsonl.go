// Package jsonl reads and writes JSON Lines: a document a line, as
//
//	{"id":"110-04","patient":"110","text":"...","spans":[{"start":10,"end":19,"type":"DOCTOR","score":0.98}]}
//
// Offsets count code points. A span without score has score 1. Read as well are
// the shapes of two other tools:
//
//	{"text":"...","meta":{"note_id":"110-04"},"spans":[{"id":"0","start":10,"end":19,"label":"DOCTOR"}]}
//	{"id":7,"text":"...","label":[[10,19,"DOCTOR"]]}
//
// the first of the obi deidentification models, the second of doccano, whose
// exports may call the list labels, or entities with start_offset and end_offset.
// A span may quote the note under the key text, and must do so rightly then.
//
// A line that seems to have marks under any other key (ents and annotations of
// other tools, pairs of offsets, labels of tokens) is an error, since without its
// marks it would be a note free of PHI; tokens and sentences of spaCy and Prodigy
// are no marks. So is a line that gives a key of these twice.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".jsonl"

// Read reads one file, or the .jsonl files of a folder in the order of their
// names; hidden files and subfolders are left out. Blank lines are ignored, as are
// unknown keys that hold no marks. A document without id has the file's name and the number of its
// line, as in "notes-0007". No list of spans means no spans.
//
// A bad line, or one that repeats an id, yields a *data.Error with the line, and
// reading goes on with the next; but a file without any line that is a JSON
// object, one of another format, yields a single error. Half of a surrogate pair in
// an escape is an error, since JSON readers differ in what they make of it.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Files(path, Ext, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return readLines(r, name, types, seen, yield)
	})
}

// Decode reads the documents of a stream; name stands for a file's path in
// errors and ids.
func Decode(r io.Reader, name string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		readLines(r, name, types, map[string]bool{}, yield)
	}
}

// readLines returns false when yield wants no more.
func readLines(r io.Reader, name string, types *data.TypeSet, seen map[string]bool, yield func(*data.Document, error) bool) bool {
	in := bufio.NewReader(r)
	next := 0        // offset of the next line
	var held []error // of the lines before the first that is a JSON object
	found := false
	for number := 1; ; number++ {
		raw, readErr := bounded.ReadLine(in, bounded.MaxNote)
		if readErr != nil && readErr != io.EOF {
			return yield(nil, notes.Unreadable(name, readErr))
		}
		l := line{file: name, number: number, offset: next, raw: raw}
		next += len(raw)
		if number == 1 && bytes.HasPrefix(raw, []byte(notes.BOM)) {
			l.raw, l.offset = raw[len(notes.BOM):], len(notes.BOM)
		}
		if len(bytes.TrimSpace(l.raw)) > 0 {
			doc, err := l.document(types, seen)
			if found = found || l.isObject(); !found {
				held = append(held, err)
			} else {
				for _, e := range held {
					if !yield(nil, e) {
						return false
					}
				}
				held = nil
				if !yield(doc, err) {
					return false
				}
			}
		}
		if readErr == io.EOF {
			return len(held) == 0 || yield(nil, ofAll(held))
		}
	}
}

// ofAll is the error of a file without a JSON object: its first.
func ofAll(lines []error) error {
	if e, ok := errors.AsType[*data.Error](lines[0]); ok && len(lines) > 1 {
		return &data.Error{Path: e.Path, Line: e.Line, Offset: e.Offset, Reason: e.Reason + ", and no other line is a JSON object"}
	}
	return lines[0]
}

// Create writes all documents into one file, which appears at Close.
func Create(path string, types *data.TypeSet) (data.Writer, error) {
	return notes.NewFile(path, types, encode)
}

// Encode makes the line of a document, as Create writes it, with its line end.
func Encode(doc *data.Document) ([]byte, error) { return encode(doc) }

// written is a document as this package writes it.
type written struct {
	ID      string        `json:"id"`
	Patient string        `json:"patient,omitempty"`
	Text    string        `json:"text"`
	Spans   []writtenSpan `json:"spans"`
}

type writtenSpan struct {
	Start int      `json:"start"`
	End   int      `json:"end"`
	Type  string   `json:"type"`
	Score *float64 `json:"score,omitempty"` // nil is 1
}

func encode(doc *data.Document) ([]byte, error) {
	if !utf8.ValidString(doc.ID) || !utf8.ValidString(doc.Patient) {
		return nil, errors.New("the id or patient is not UTF-8")
	}
	spans, err := writtenSpans(doc)
	if err != nil {
		return nil, err
	}
	return marshal(written{ID: doc.ID, Patient: doc.Patient, Text: doc.Text, Spans: spans})
}

// EncodeSpans makes the list that a line of the document has under the key spans.
func EncodeSpans(doc *data.Document) ([]byte, error) {
	spans, err := writtenSpans(doc)
	if err != nil {
		return nil, err
	}
	list, err := marshal(spans)
	return bytes.TrimSuffix(list, []byte("\n")), err
}

func writtenSpans(doc *data.Document) ([]writtenSpan, error) {
	list := []writtenSpan{}
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	offsets := notes.NewOffsets(doc.Text)
	for _, s := range spans {
		if !isScore(s.Score) {
			return nil, errBadScore
		}
		out := writtenSpan{Start: offsets.CodePoint(s.Start), End: offsets.CodePoint(s.End), Type: s.Type}
		if s.Score != 1 {
			out.Score = &s.Score
		}
		list = append(list, out)
	}
	return list, nil
}

func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // ends with a line end
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return b.Bytes(), err
}

var errBadScore = errors.New("a span's score is not in [0,1]")

func isScore(score float64) bool { return score >= 0 && score <= 1 }
