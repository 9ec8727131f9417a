package jsonl

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// record is a line in any of the supported formats.
type record struct {
	ID       name            `json:"id"`
	Patient  name            `json:"patient"`
	Text     *string         `json:"text"`
	Meta     json.RawMessage `json:"meta"` // only that of obi is used
	Spans    []span          `json:"spans"`
	Entities []span          `json:"entities"`
	Label    []triple        `json:"label"`
	Labels   []triple        `json:"labels"`

	Columns map[string][]label `json:"columns"`
}

// span has the keys of all formats.
type span struct {
	Start       *int     `json:"start"`
	StartOffset *int     `json:"start_offset"`
	End         *int     `json:"end"`
	EndOffset   *int     `json:"end_offset"`
	Type        string   `json:"type"`
	Label       string   `json:"label"`
	EntityGroup string   `json:"entity_group"` // of the pipelines of transformers
	Entity      string   `json:"entity"`       // of these without an aggregation: the label of a single token
	EntityType  string   `json:"entity_type"`  // of Presidio's analyzer
	Score       *float64 `json:"score"`
	Text        *string  `json:"text"` // the quoted text; nil: none
}

// triple is [start, end, type].
type triple span

func (t *triple) UnmarshalJSON(raw []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil || len(parts) != 3 {
		return errBadTriple
	}
	if json.Unmarshal(parts[0], &t.Start) != nil || json.Unmarshal(parts[1], &t.End) != nil || json.Unmarshal(parts[2], &t.Type) != nil {
		return errBadTriple
	}
	return nil
}

var errBadTriple = errors.New("a label is not [start, end, type]")

// label is [start, end, value], of a column.
type label struct {
	start, end int
	value      string
}

// MarshalJSON implements json.Marshaler.
func (l label) MarshalJSON() ([]byte, error) { return marshal([]any{l.start, l.end, l.value}) }

// UnmarshalJSON implements json.Unmarshaler. The value may be a number, which is kept as it is written.
func (l *label) UnmarshalJSON(raw []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil || len(parts) != 3 {
		return errBadLabel
	}
	var value name
	if json.Unmarshal(parts[0], &l.start) != nil || json.Unmarshal(parts[1], &l.end) != nil || json.Unmarshal(parts[2], &value) != nil || value == "" {
		return errBadLabel
	}
	l.value = string(value)
	return nil
}

var errBadLabel = errors.New("a value of a column is not [start, end, value], with a string or number that is not empty")

// IsColumns reports whether a JSON value is what the key columns has: an object with lists of values of ranges.
func IsColumns(value []byte) bool {
	var columns map[string][]label
	return json.Unmarshal(value, &columns) == nil && columns != nil
}

// name is a string, or a number as it is written.
type name string

func (n *name) UnmarshalJSON(raw []byte) error {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	var number json.Number // also accepts a string that looks like a number
	if raw[0] != '"' && json.Unmarshal(raw, &number) == nil {
		*n = name(number)
		return nil
	}
	if json.Unmarshal(raw, (*string)(n)) != nil {
		return errBadName
	}
	return nil
}

var errBadName = errors.New("an id or patient is neither a string nor a number")

// line is one line of a file.
type line struct {
	file   string
	number int
	offset int // of its first byte
	raw    []byte
}

// record parses the line. It does not pass on the JSON package's messages, which
// may quote it.
func (l line) record() (*record, error) {
	if e, bad := errors.AsType[*data.Error](notes.CheckUTF8(l.file, l.raw)); bad {
		return nil, notes.Defect(l.file, l.number, l.offset+e.Offset, e.Reason)
	}
	var rec record
	err := json.Unmarshal(l.raw, &rec)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, notes.Defect(l.file, l.number, l.offset+int(e.Offset)-1, "not valid JSON"+l.mistake(e)) // Offset counts the bad byte
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field == "" {
			return nil, notes.Defect(l.file, l.number, -1, "not a JSON object")
		}
		return nil, notes.Defect(l.file, l.number, -1, fmt.Sprintf("the key %q has a value of the wrong kind%s", e.Field, wanted(e)))
	}
	if err != nil {
		return nil, notes.Defect(l.file, l.number, -1, err.Error())
	}
	if err := checkKeys(l.raw); err != nil {
		return nil, notes.Defect(l.file, l.number, -1, err.Error())
	}
	if at := duplicateKey(l.raw); at != "" {
		return nil, notes.Defect(l.file, l.number, -1, notes.DuplicateKey(at))
	}
	if at := loneSurrogate(l.raw); at >= 0 {
		return nil, notes.Defect(l.file, l.number, l.offset+at, "half of a surrogate pair: a character was probably cut in two")
	}
	return &rec, nil
}

// mistake says what is wrong with JSON, after a colon, or returns "".
func (l line) mistake(e *json.SyntaxError) string {
	at := int(e.Offset) - 1
	switch {
	case e.Offset >= int64(len(bytes.TrimRight(l.raw, "\r\n"))) && bytes.HasPrefix(bytes.TrimSpace(l.raw), []byte("{")):
		return ": the line ends within the object, because the file is truncated or the object is in several lines"
	case at >= 0 && l.raw[at] == '\'':
		return ": strings are in double quotes, as json.dumps writes them in Python"
	case at >= 0 && l.raw[at] < ' ':
		return ": a control character in a string must be escaped, as \\u0000 is"
	}
	return ""
}

// wanted says what a value must be, after a colon, or returns "".
func wanted(e *json.UnmarshalTypeError) string {
	switch {
	case e.Field == "entities" || e.Field == "spans":
		return ": each span is an object (lists such as [12,20,\"DOCTOR\"] belong under the key label)"
	case e.Type.Kind() == reflect.Int:
		return ": it must be a whole number, without quotes and without a decimal point"
	case e.Type.Kind() == reflect.String:
		return ": it must be a string"
	}
	return ""
}

// loneSurrogate returns the offset of the first escape in valid JSON of a
// surrogate without its other half, or -1.
func loneSurrogate(raw []byte) int {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		unit, ok := escaped(raw[i:])
		if !ok {
			i++ // the escaped character may be a backslash
			continue
		}
		if utf16.IsSurrogate(unit) {
			low, ok := escaped(raw[i+6:])
			if !ok || utf16.DecodeRune(unit, low) == '\uFFFD' {
				return i
			}
			i += 6
		}
		i += 5
	}
	return -1
}

// escaped returns the code unit of a \uXXXX at the start of raw.
func escaped(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(unit), err == nil
}

// isObject reports whether the line is a JSON object, with any keys.
func (l line) isObject() bool {
	return bytes.HasPrefix(bytes.TrimSpace(l.raw), []byte("{")) && json.Valid(l.raw)
}

// beginsArray reports whether the line is the first of an array in several.
func (l line) beginsArray() bool {
	return bytes.HasPrefix(bytes.TrimSpace(l.raw), []byte("[")) && !json.Valid(l.raw)
}

// document parses and checks the line and returns its document. It returns an
// error if the ID has been seen.
func (l line) document(opt data.ReadOptions, seen map[string]bool) (*data.Document, error) {
	rec, err := l.record()
	if err != nil {
		return nil, err
	}
	if rec.Text == nil {
		return nil, notes.Defect(l.file, l.number, -1, `the key "text", which has the note, is missing`)
	}
	var meta struct {
		Note    name `json:"note_id"`
		Patient name `json:"patient_id"`
	}
	if json.Unmarshal(rec.Meta, &meta) != nil {
		meta.Note, meta.Patient = "", "" // written by another tool
	}
	doc := &data.Document{
		ID:      string(cmp.Or(rec.ID, meta.Note, name(fmt.Sprintf("%s-%04d", notes.ID(l.file), l.number)))),
		Patient: string(cmp.Or(rec.Patient, meta.Patient)),
		Text:    *rec.Text,
	}
	if seen[doc.ID] {
		return nil, notes.Defect(l.file, l.number, -1, "duplicate id: an earlier line of these files has the same")
	}
	all := slices.Concat(rec.Spans, rec.Entities)
	for _, t := range slices.Concat(rec.Label, rec.Labels) {
		all = append(all, span(t))
	}
	offsets := notes.Counting(doc.Text, opt.Offsets)
	for i, s := range all {
		converted, offset, err := s.convert(offsets, opt.Types)
		if err != nil {
			cause := ""
			if offset >= 0 {
				cause = notes.LikelyCause(doc.Text, quotations(all), opt.Offsets)
			}
			return nil, notes.Defect(l.file, l.number, offset, fmt.Sprintf("span %d: %v%s", i, err, cause))
		}
		doc.Spans = append(doc.Spans, converted)
	}
	data.SortSpans(doc.Spans)
	for _, name := range slices.Sorted(maps.Keys(rec.Columns)) {
		if doc.Columns == nil {
			doc.Columns = map[string][]data.Label{}
		}
		doc.Columns[name] = []data.Label{}
		for i, given := range rec.Columns[name] {
			from, to, err := offsets.Bytes(given.start, given.end)
			if err != nil {
				return nil, notes.Defect(l.file, l.number, given.start, fmt.Sprintf("the column %q: value %d: %v", name, i, err))
			}
			doc.Columns[name] = append(doc.Columns[name], data.Label{Start: from, End: to, Value: given.value})
		}
	}
	seen[doc.ID] = true
	return doc, nil
}

// quotations returns what the spans quote.
func quotations(spans []span) (all []notes.Quotation) {
	for _, s := range spans {
		if start, end := cmp.Or(s.Start, s.StartOffset), cmp.Or(s.End, s.EndOffset); s.Text != nil && start != nil && end != nil {
			all = append(all, notes.Quotation{Start: *start, End: *end, Text: *s.Text})
		}
	}
	return all
}

// convert checks and converts a span. With an error it returns the offset in the
// text that the error concerns, or -1.
func (s span) convert(offsets *notes.Offsets, types *data.TypeSet) (data.Span, int, error) {
	start, end := cmp.Or(s.Start, s.StartOffset), cmp.Or(s.End, s.EndOffset)
	if start == nil || end == nil {
		return data.Span{}, -1, errors.New("start or end is missing: a span has the keys start and end, or start_offset and end_offset")
	}
	name := cmp.Or(s.Type, s.Label, s.EntityGroup, s.EntityType)
	if name == "" && s.Entity != "" {
		return data.Span{}, -1, errors.New("its key entity is the label of a token: let the pipeline of transformers join tokens with aggregation_strategy=\"first\"")
	}
	typ, ok := types.Lookup(name)
	if !ok {
		return data.Span{}, -1, errors.New(types.Lacks(name))
	}
	score := 1.0
	if s.Score != nil {
		score = *s.Score
	}
	if !isScore(score) {
		return data.Span{}, -1, errBadScore
	}
	from, to, err := offsets.Bytes(*start, *end)
	if err != nil {
		return data.Span{}, *start, err
	}
	if s.Text != nil && !notes.Quotes(*s.Text, offsets.Text()[from:to]) {
		return data.Span{}, *start, errors.New("its text differs from the note at its offsets, in " + offsets.Unit())
	}
	return data.Span{Start: from, End: to, Type: typ.Name, Score: score}, -1, nil
}
