// Package presidio reads and writes the data sets of Presidio's evaluator (presidio-evaluator, presidio-research), which are JSON
// arrays of samples:
//
//	[{"full_text":"Seen by Amundsen.","masked":"Seen by {{PERSON}}.","template_id":7,"metadata":{"note_id":"110-04"},
//	  "spans":[{"entity_type":"PERSON","entity_value":"Amundsen","start_position":8,"end_position":16}]}]
//
// Offsets count code points. The entity types are the types. The ID is note_id in the metadata, sample_id, or the file's name
// with the number of the sample, as in "samples-0007"; the patient is patient_id in the metadata. Everything else is not read.
package presidio

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".json"

// Read reads one file, or the .json files of a folder in the order of their names. It ignores hidden files and subfolders.
//
// A bad sample, or one with a duplicate ID, yields a *data.Error with the line and the byte at which the sample begins, and reading
// continues with the next. Samples without a list of spans are bad, because nobody has annotated them. Text that is not JSON
// ends the file with such an error.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Files(path, []string{Ext}, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return read(r, name, types, seen, yield)
	})
}

// Decode reads the documents of a stream. name is used as the file's path in errors and IDs.
func Decode(r io.Reader, name string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) { read(r, name, types, map[string]bool{}, yield) }
}

// read yields the documents. It returns false if yield did.
func read(r io.Reader, name string, types *data.TypeSet, seen map[string]bool, yield notes.Yield) bool {
	return notes.Values(r, name, "samples", func(v notes.Value, broken *data.Error) bool {
		if broken != nil {
			return yield(nil, broken)
		}
		doc, err := document(v.Raw, types)
		if err == nil {
			doc.ID = cmp.Or(doc.ID, fmt.Sprintf("%s-%04d", notes.ID(name), v.Number))
			if seen[doc.ID] {
				err = errors.New("duplicate id")
			}
			seen[doc.ID] = true
		}
		if err != nil {
			return yield(nil, notes.Defect(name, v.Line, v.Offset, fmt.Sprintf("sample %d: %v", v.Number, err)))
		}
		return yield(doc, nil)
	})
}

// The JSON forms of a sample. Samples that are written have exactly the keys of InputSample.to_dict, because others are errors
// in Presidio.
type (
	sample struct {
		Text     *string        `json:"full_text"`
		Masked   jsontext.Value `json:"masked"`
		Spans    *[]span        `json:"spans"`
		Template jsontext.Value `json:"template_id"`
		Metadata metadata       `json:"metadata"`
		ID       jsontext.Value `json:"sample_id,omitzero"`
	}
	span struct {
		Type  *string `json:"entity_type"`
		Value *string `json:"entity_value"`
		Start *int    `json:"start_position"`
		End   *int    `json:"end_position"`
	}
	metadata struct {
		Note    jsontext.Value `json:"note_id,omitzero"`
		Patient jsontext.Value `json:"patient_id,omitzero"`
	}
)

// document returns the document of a sample, perhaps without an ID.
func document(raw jsontext.Value, types *data.TypeSet) (*data.Document, error) {
	var s sample
	if raw.Kind() != '{' {
		return nil, errors.New("it is not an object")
	}
	if json.Unmarshal(raw, &s) != nil {
		return nil, errors.New("a value has the wrong kind")
	}
	if s.Text == nil || s.Spans == nil {
		return nil, errors.New("full_text or spans is missing")
	}
	doc := &data.Document{ID: cmp.Or(notes.Word(s.Metadata.Note), notes.Word(s.ID)), Patient: notes.Word(s.Metadata.Patient), Text: *s.Text}
	offsets := notes.NewOffsets(doc.Text)
	for i, s := range *s.Spans {
		if s.Type == nil || s.Start == nil || s.End == nil {
			return nil, fmt.Errorf("span %d: its type, start or end is missing", i)
		}
		if !types.Has(*s.Type) {
			return nil, fmt.Errorf("span %d: %s", i, types.Lacks(*s.Type))
		}
		from, to, err := offsets.Bytes(*s.Start, *s.End)
		if err != nil {
			return nil, fmt.Errorf("span %d: %w", i, err)
		}
		if s.Value != nil && !notes.Quotes(*s.Value, doc.Text[from:to]) {
			return nil, fmt.Errorf("span %d: its value differs from the text at its offsets, in code points", i)
		}
		doc.Spans = append(doc.Spans, data.Span{Start: from, End: to, Type: *s.Type, Score: 1})
	}
	data.SortSpans(doc.Spans)
	return doc, nil
}

// Create returns a writer of all documents into one file, which appears at Close. Scores are not written.
func Create(path string, types *data.TypeSet) (data.Writer, error) {
	separator := "\n"
	return notes.NewFramed(path, "[", "\n]\n", types, func(doc *data.Document) ([]byte, error) {
		raw, err := encode(doc)
		if err != nil {
			return nil, err
		}
		raw = append([]byte(separator), raw...)
		separator = ",\n"
		return raw, nil
	})
}

func encode(doc *data.Document) ([]byte, error) {
	if !utf8.ValidString(doc.ID) || !utf8.ValidString(doc.Patient) {
		return nil, errors.New("the id or patient is not UTF-8")
	}
	null := jsontext.Value("null")
	list := []span{}
	s := sample{Text: &doc.Text, Masked: null, Spans: &list, Template: null}
	s.Metadata.Note, _ = jsontext.AppendQuote(nil, doc.ID)
	if doc.Patient != "" {
		s.Metadata.Patient, _ = jsontext.AppendQuote(nil, doc.Patient)
	}
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	offsets := notes.NewOffsets(doc.Text)
	for _, s := range spans {
		value := doc.Text[s.Start:s.End]
		start, end := offsets.CodePoint(s.Start), offsets.CodePoint(s.End)
		list = append(list, span{&s.Type, &value, &start, &end})
	}
	var b bytes.Buffer
	err := json.MarshalWrite(&b, s)
	return b.Bytes(), err
}
