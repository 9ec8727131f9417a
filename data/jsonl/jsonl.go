// Package jsonl reads and writes JSON Lines, with one document per line:
//
//	{"id":"110-04","patient":"110","text":"...","spans":[{"start":10,"end":19,"type":"DOCTOR","score":0.98}]}
//
// Offsets count code points, unless data.ReadOptions.Offsets says otherwise. A span without a score has score 1. Two other
// formats can be read as well:
//
//	{"text":"...","meta":{"note_id":"110-04"},"spans":[{"id":"0","start":10,"end":19,"label":"DOCTOR"}]}
//	{"id":7,"text":"...","label":[[10,19,"DOCTOR"]]}
//
// The first one is that of the obi deidentification models; the second that of
// doccano, whose exports may also name the list labels, or entities with
// start_offset and end_offset. The type of a span may also be under entity_group, as a
// pipeline of transformers writes it, or entity_type, as Presidio's analyzer does. A span may quote its text under the key text; the
// quote must then be correct.
//
// Columns of the document (data.Document.Columns) are under the key columns, by their
// names, with the same offsets: "columns":{"pos":[[10,19,"NNP"]]}.
//
// A line that seems to have annotations under any other key (ents and annotations
// of other tools, pairs of offsets, labels of tokens) is an error, because
// without them it would be read as a note free of PHI; so is a line that an
// annotator of Prodigy has rejected or ignored. The tokens and sentences
// of spaCy and Prodigy are not annotations. Duplicate keys, at any depth, are
// errors, too.
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
// names. It ignores hidden files, subfolders, blank lines, and unknown keys
// without annotations. A document without an ID gets the file's name and its line
// number, as in "notes-0007". A missing list of spans means no spans.
//
// A bad line, or one with a duplicate ID, yields a *data.Error with the line, and
// reading continues with the next. If no line of a file is a JSON object, the
// file is in another format and yields a single error. Half of a surrogate pair
// in an escape is an error, because JSON readers treat it differently.
func Read(path string, opt data.ReadOptions) data.Documents {
	return notes.Files(path, []string{Ext}, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return readLines(r, name, opt, seen, yield)
	})
}

// Decode reads the documents of a stream. name is used as the file's path in
// errors and IDs.
func Decode(r io.Reader, name string, opt data.ReadOptions) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		readLines(r, name, opt, map[string]bool{}, yield)
	}
}

// DecodeLine reads the document of a single line, which has the number and the byte
// offset in the named file.
func DecodeLine(raw []byte, name string, number, offset int, types *data.TypeSet) (*data.Document, error) {
	return line{file: name, number: number, offset: offset, raw: raw}.document(data.ReadOptions{Types: types}, map[string]bool{})
}

// readLines yields the documents of the lines. It returns false if yield did.
func readLines(r io.Reader, name string, opt data.ReadOptions, seen map[string]bool, yield func(*data.Document, error) bool) bool {
	in := bufio.NewReader(r)
	next := 0        // offset of the next line
	var held []error // errors of the lines before the first JSON object
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
		if number == 1 && l.beginsArray() {
			return yield(nil, notes.Defect(name, 1, -1, "a JSON array in several lines, instead of an object in each line: another format, such as labelstudio, or one object a line is required"))
		}
		if len(bytes.TrimSpace(l.raw)) > 0 {
			doc, err := l.document(opt, seen)
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

// ofAll returns the error of a file without a JSON object: the first error of its
// lines.
func ofAll(lines []error) error {
	if e, ok := errors.AsType[*data.Error](lines[0]); ok && len(lines) > 1 {
		return &data.Error{Path: e.Path, Line: e.Line, Offset: e.Offset, Reason: e.Reason + ", and no other line is a JSON object, of which each must be in one line"}
	}
	return lines[0]
}

// Create returns a writer of all documents into one file, which appears at Close.
func Create(path string, types *data.TypeSet) (data.Writer, error) {
	return notes.NewFile(path, types, encode)
}

// Encode returns the line of a document, as Create writes it, including the line
// end.
func Encode(doc *data.Document) ([]byte, error) { return encode(doc) }

// written is the JSON form of a document.
type written struct {
	ID      string        `json:"id"`
	Patient string        `json:"patient,omitempty"`
	Text    string        `json:"text"`
	Spans   []writtenSpan `json:"spans"`

	Columns map[string][]label `json:"columns,omitempty"`
}

type writtenSpan struct {
	Start int      `json:"start"`
	End   int      `json:"end"`
	Type  string   `json:"type"`
	Score *float64 `json:"score,omitempty"` // nil: 1
}

func encode(doc *data.Document) ([]byte, error) {
	if !utf8.ValidString(doc.ID) || !utf8.ValidString(doc.Patient) {
		return nil, errors.New("the id or patient is not UTF-8")
	}
	spans, err := writtenSpans(doc)
	if err != nil {
		return nil, err
	}
	return marshal(written{ID: doc.ID, Patient: doc.Patient, Text: doc.Text, Spans: spans, Columns: writtenColumns(doc)})
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

func writtenColumns(doc *data.Document) map[string][]label {
	offsets := notes.NewOffsets(doc.Text)
	all := map[string][]label{}
	for name, labels := range doc.Columns {
		all[name] = []label{}
		for _, l := range labels {
			all[name] = append(all[name], label{offsets.CodePoint(l.Start), offsets.CodePoint(l.End), l.Value})
		}
	}
	return all
}

func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // writes a line end at the end
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return b.Bytes(), err
}

var errBadScore = errors.New("a span's score is not in [0,1]")

func isScore(score float64) bool { return score >= 0 && score <= 1 }
