package hf

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/data/internal/sequence"
)

// Writing says how documents become tokens with labels: see conll.NewWriting.
type Writing = sequence.Writing

// Create returns a writer of all documents into one file, which appears at Close: one array if its extension is .json, and
// otherwise JSON Lines. There is one row per sentence, with the keys id, document_id, patient (if it is known), tokens and
// ner_tags, and of a document with columns their names. The spans and the text are changed and refused as by conll.Create.
func Create(path string, types *data.TypeSet, w Writing) (data.Writer, error) {
	if notes.Ext(path) != ".json" {
		return notes.NewFile(path, types, func(doc *data.Document) ([]byte, error) { return encode(doc, w, "", "\n") })
	}
	first := true
	return notes.NewFramed(path, "[", "\n]\n", types, func(doc *data.Document) ([]byte, error) {
		raw, err := encode(doc, w, ",\n", "")
		if err == nil && first {
			raw, first = raw[1:], false
		}
		return raw, err
	})
}

// written is the JSON form of a sentence.
type written struct {
	ID       string   `json:"id"`
	Document string   `json:"document_id"`
	Patient  string   `json:"patient,omitempty"`
	Tokens   []string `json:"tokens"`
	Tags     []string `json:"ner_tags"`

	Columns map[string][]*string `json:",embed"` // nil: no value
}

// encode returns the rows of a document, each between two separators. A document without tokens has one row.
func encode(doc *data.Document, w Writing, before, after string) ([]byte, error) {
	if !utf8.ValidString(doc.ID) || !utf8.ValidString(doc.Patient) {
		return nil, errors.New("the id or patient is not UTF-8")
	}
	tokens, _, err := w.Tokens(doc)
	if err != nil {
		return nil, err
	}
	names := doc.ColumnNames()
	for _, name := range names {
		if slices.Contains(ownKeys, name) {
			return nil, fmt.Errorf("the column %s has the name of a key of the format", name)
		}
	}
	empty := func() written {
		r := written{Tokens: []string{}, Tags: []string{}, Columns: map[string][]*string{}}
		for _, name := range names {
			r.Columns[name] = []*string{}
		}
		return r
	}
	rows := []written{empty()}
	for i, t := range tokens {
		if t.First && i > 0 {
			rows = append(rows, empty())
		}
		last := &rows[len(rows)-1]
		last.Tokens, last.Tags = append(last.Tokens, t.Text), append(last.Tags, t.Label)
		for k, name := range names {
			var value *string
			if t.Values[k] != "" {
				value = &t.Values[k]
			}
			last.Columns[name] = append(last.Columns[name], value)
		}
	}
	var b bytes.Buffer
	for i, r := range rows {
		r.ID, r.Document, r.Patient = fmt.Sprintf("%s-%04d", doc.ID, i+1), doc.ID, doc.Patient
		b.WriteString(before)
		if err := json.MarshalWrite(&b, r, json.Deterministic(true)); err != nil {
			return nil, err
		}
		b.WriteString(after)
	}
	return b.Bytes(), nil
}
