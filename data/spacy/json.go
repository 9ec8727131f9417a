package spacy

import (
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

// record is a document as Doc.to_json makes it, or the second half of a pair for training.
type record struct {
	ID         jsontext.Value            `json:"id"`
	Patient    jsontext.Value            `json:"patient"`
	Text       *string                   `json:"text"`
	Ents       *[]mark                   `json:"ents"`
	Entities   *[]mark                   `json:"entities"`
	Groups     map[string][]mark         `json:"spans"`
	Extensions map[string]jsontext.Value `json:"_"`
}

// mark is a span: {"start":8,"end":16,"label":"DOCTOR"} or [8,16,"DOCTOR"], in both cases perhaps with IDs.
type mark struct {
	Start *int    `json:"start"`
	End   *int    `json:"end"`
	Label *string `json:"label"`
}

func (m *mark) UnmarshalJSON(raw []byte) error {
	type object mark // without this method
	if jsontext.Value(raw).Kind() == '{' {
		return json.Unmarshal(raw, (*object)(m))
	}
	var list []jsontext.Value
	if json.Unmarshal(raw, &list) != nil || len(list) < 3 {
		return errKind
	}
	return errors.Join(json.Unmarshal(list[0], &m.Start), json.Unmarshal(list[1], &m.End), json.Unmarshal(list[2], &m.Label))
}

var errKind = errors.New("a value is missing or has the wrong kind")

func (f *file) readJSON(r io.Reader, yield notes.Yield) bool {
	return notes.Values(r, f.name, "", func(v notes.Value, broken *data.Error) bool {
		if broken != nil {
			return yield(nil, broken)
		}
		got, err := fromJSON(v.Raw)
		var doc *data.Document
		if err == nil {
			doc, err = f.document(got, v.Number)
		}
		if err != nil {
			return yield(nil, notes.Defect(f.name, v.Line, -1, fmt.Sprintf("document %d: %v", v.Number, err)))
		}
		return yield(doc, nil)
	})
}

func fromJSON(raw jsontext.Value) (found, error) {
	var rec record
	switch raw.Kind() {
	case '{':
		if json.Unmarshal(raw, &rec) != nil {
			return found{}, errKind
		}
	case '[':
		var pair []jsontext.Value
		if json.Unmarshal(raw, &pair) != nil || len(pair) != 2 || pair[1].Kind() != '{' || json.Unmarshal(pair[1], &rec) != nil || rec.Text != nil || json.Unmarshal(pair[0], &rec.Text) != nil {
			return found{}, errors.New("it is not a pair of a text and an object with entities")
		}
	default:
		return found{}, errors.New("it is neither an object nor a pair of a text and an object")
	}
	if rec.Text == nil {
		return found{}, errors.New(`the key "text" is missing`)
	}
	if rec.Ents != nil && rec.Entities != nil {
		return found{}, errors.New(`it has both keys "ents" and "entities"`)
	}
	got := found{
		id:      cmp.Or(notes.Word(rec.Extensions[noteAttribute]), notes.Word(rec.ID)),
		patient: cmp.Or(notes.Word(rec.Extensions[patientAttribute]), notes.Word(rec.Patient)),
		text:    *rec.Text,
		groups:  map[string][]data.Span{},
	}
	offsets := notes.NewOffsets(got.text)
	if ents := cmp.Or(rec.Ents, rec.Entities); ents != nil {
		var err error
		if got.ents, err = spansOf(offsets, *ents); err != nil {
			return found{}, err
		}
		got.entsAreSet = true
	}
	for name, marks := range rec.Groups {
		spans, err := spansOf(offsets, marks)
		if err != nil {
			return found{}, fmt.Errorf("in a span group: %w", err)
		}
		got.groups[name] = spans
	}
	return got, nil
}

func spansOf(offsets *notes.Offsets, marks []mark) ([]data.Span, error) {
	var spans []data.Span
	for i, m := range marks {
		if m.Start == nil || m.End == nil || m.Label == nil {
			return nil, fmt.Errorf("span %d: its start, end or label is missing", i)
		}
		from, to, err := offsets.Bytes(*m.Start, *m.End)
		if err != nil {
			return nil, fmt.Errorf("span %d: %w", i, err)
		}
		spans = append(spans, data.Span{Start: from, End: to, Type: *m.Label, Score: 1})
	}
	return spans, nil
}

// The JSON forms of a document. Doc.from_json requires tokens, and refuses extension attributes that are not registered.
type (
	written struct {
		ID      string                   `json:"id"`
		Patient string                   `json:"patient,omitempty"`
		Text    string                   `json:"text"`
		Ents    []writtenSpan            `json:"ents,omitzero"`
		Groups  map[string][]writtenSpan `json:"spans,omitempty"`
		Tokens  []writtenToken           `json:"tokens"`
	}
	writtenSpan struct {
		Start int     `json:"start"`
		End   int     `json:"end"`
		Label string  `json:"label"`
		Link  *string `json:"kb_id,omitzero"`
	}
	writtenToken struct {
		ID    int `json:"id"`
		Start int `json:"start"`
		End   int `json:"end"`
	}
)

// encodeJSON returns the object of a document, with something before and after it.
func encodeJSON(doc *data.Document, before, after string) ([]byte, error) {
	if err := checkNames(doc); err != nil {
		return nil, err
	}
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	offsets := notes.NewOffsets(doc.Text)
	w := written{ID: doc.ID, Patient: doc.Patient, Text: doc.Text, Tokens: []writtenToken{}}
	for i, t := range tokensOf(doc.Text, spans) {
		w.Tokens = append(w.Tokens, writtenToken{i, offsets.CodePoint(t.Start), offsets.CodePoint(t.End)})
	}
	marks := make([]writtenSpan, len(spans))
	for i, s := range spans {
		marks[i] = writtenSpan{Start: offsets.CodePoint(s.Start), End: offsets.CodePoint(s.End), Label: s.Type}
	}
	if overlap(spans) {
		for i := range marks {
			marks[i].Link = new(string) // Doc.from_json requires it in a span group
		}
		w.Groups = map[string][]writtenSpan{group: marks}
	} else {
		w.Ents = marks
	}
	raw, err := json.Marshal(w, json.Deterministic(true))
	return slices.Concat([]byte(before), raw, []byte(after)), err
}

func checkNames(doc *data.Document) error {
	if !utf8.ValidString(doc.ID) || !utf8.ValidString(doc.Patient) {
		return errors.New("the id or patient is not UTF-8")
	}
	return nil
}
