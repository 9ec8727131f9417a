package labelstudio

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// task is a task of a JSON export or of a file for import.
type task struct {
	ID          jsontext.Value            `json:"id"`
	Data        map[string]jsontext.Value `json:"data"`
	Annotations *[]annotation             `json:"annotations"`
	Predictions []jsontext.Value          `json:"predictions"` // objects, or in exports only their numbers
}

// annotation is the work of a person, or a prediction.
type annotation struct {
	Result      []result `json:"result"`
	Cancelled   bool     `json:"was_cancelled"`
	GroundTruth bool     `json:"ground_truth"`
}

// result is a region of the text, or something about the whole task.
type result struct {
	Type  string         `json:"type"`
	To    string         `json:"to_name"`
	Score *float64       `json:"score"`
	Value jsontext.Value `json:"value"`
}

// region is the value of a result of the type labels.
type region struct {
	Start  *int     `json:"start"`
	End    *int     `json:"end"`
	Text   *string  `json:"text"`
	Labels []string `json:"labels"`
}

// placeError is an error about the place of a region in the text.
type placeError struct{ error }

var errRegion = errors.New("start, end or labels is missing or has the wrong kind: start and end are whole numbers, and labels is a list of strings")

var errKind = errors.New("a value is missing or has the wrong kind")

// about lists the types of results that are not about a part of the text.
var about = []string{"choices", "textarea", "rating", "number", "datetime", "taxonomy", "pairwise", "ranker", "relation"}

// document returns the document of a task.
func (f *file) document(raw jsontext.Value, number int) (*data.Document, error) {
	if raw.Kind() != '{' {
		return nil, errors.New("it is not an object")
	}
	var t task
	if json.Unmarshal(raw, &t) != nil {
		return nil, errKind
	}
	read := f.full
	if t.Data == nil {
		read = f.minimal
	}
	text, given, err := read(raw, &t)
	if err != nil {
		return nil, err
	}
	doc := &data.Document{
		ID:      cmp.Or(notes.Word(t.Data["note_id"]), notes.Word(t.Data["id"]), notes.Word(t.ID), fmt.Sprintf("%s-%04d", notes.ID(f.name), number)),
		Patient: cmp.Or(notes.Word(t.Data["patient_id"]), notes.Word(t.Data["patient"])),
		Text:    text,
		Spans:   given,
	}
	if f.seen[doc.ID] {
		return nil, errors.New("duplicate id: an earlier task has the same, as in JSON-MIN if a task has several annotations")
	}
	f.seen[doc.ID] = true
	return doc, nil
}

// full reads a task with data and annotations.
func (f *file) full(_ jsontext.Value, t *task) (string, []data.Span, error) {
	text, err := textOf(t.Data)
	if err != nil {
		return "", nil, err
	}
	if t.Annotations == nil {
		spans, err := f.prediction(text, t.Predictions)
		return text, spans, err
	}
	spans, err := f.annotated(text, *t.Annotations)
	return text, spans, err
}

// prediction returns the spans of a task's only prediction.
func (f *file) prediction(text string, predictions []jsontext.Value) ([]data.Span, error) {
	if len(predictions) != 1 {
		return nil, fmt.Errorf("nobody has annotated it: it has no annotations, and %d predictions instead of one", len(predictions))
	}
	var p annotation
	if predictions[0].Kind() != '{' || json.Unmarshal(predictions[0], &p) != nil {
		return nil, errKind
	}
	return f.spans(text, p.Result, true)
}

// annotated returns the spans on which the annotations agree, or those of the ground truth.
func (f *file) annotated(text string, all []annotation) ([]data.Span, error) {
	done := slices.DeleteFunc(slices.Clone(all), func(a annotation) bool { return a.Cancelled })
	if len(done) == 0 {
		return nil, errors.New("nobody has annotated it, or everybody has cancelled: annotate it, or leave it out")
	}
	if truth := slices.DeleteFunc(slices.Clone(done), func(a annotation) bool { return !a.GroundTruth }); len(truth) == 1 {
		done = truth
	}
	first, err := f.spans(text, done[0].Result, false)
	if err != nil {
		return nil, err
	}
	for _, a := range done[1:] {
		if other, err := f.spans(text, a.Result, false); err != nil {
			return nil, err
		} else if !slices.Equal(first, other) {
			return nil, fmt.Errorf("it has %d annotations that differ, and not one of them is marked as ground truth: mark one in Label Studio", len(done))
		}
	}
	return first, nil
}

// spans returns the spans of results, sorted.
func (f *file) spans(text string, results []result, scored bool) ([]data.Span, error) {
	var spans []data.Span
	to := ""
	offsets := notes.Counting(text, f.opt.Offsets)
	for i, r := range results {
		if slices.Contains(about, r.Type) {
			continue
		}
		if r.Type != "labels" {
			return nil, fmt.Errorf("result %d: it is not of the type labels (regions of HyperText and Paragraphs have no offsets into a text)", i)
		}
		if to = cmp.Or(to, r.To); r.To != to {
			return nil, fmt.Errorf("result %d: it is about a second text", i)
		}
		score := 1.0
		if scored && r.Score != nil {
			score = *r.Score
		}
		own, err := f.region(offsets, r.Value, score)
		if err != nil {
			return nil, fmt.Errorf("result %d: %w%s", i, err, f.cause(err, text, results))
		}
		spans = append(spans, own...)
	}
	data.SortSpans(spans)
	return spans, nil
}

// cause returns the likely cause of an error about the text of a region.
func (f *file) cause(err error, text string, results []result) string {
	var values []jsontext.Value
	for _, r := range results {
		values = append(values, r.Value)
	}
	return f.likely(err, text, values)
}

// likely returns the likely cause of an error about the place of a region.
func (f *file) likely(err error, text string, regions []jsontext.Value) string {
	if _, ok := errors.AsType[placeError](err); !ok {
		return ""
	}
	var all []notes.Quotation
	for _, value := range regions {
		var r region
		if json.Unmarshal(value, &r) == nil && r.Start != nil && r.End != nil && r.Text != nil {
			all = append(all, notes.Quotation{Start: *r.Start, End: *r.End, Text: *r.Text})
		}
	}
	return notes.LikelyCause(text, all, f.opt.Offsets)
}

// region returns the spans of a region, one for each of its labels.
func (f *file) region(offsets *notes.Offsets, raw jsontext.Value, score float64) ([]data.Span, error) {
	var r region
	if json.Unmarshal(raw, &r) != nil || r.Start == nil || r.End == nil {
		return nil, errRegion
	}
	if len(r.Labels) == 0 {
		return nil, errors.New("the region has no label")
	}
	if !(score >= 0 && score <= 1) {
		return nil, errors.New("its score is not in [0,1]")
	}
	from, to, err := offsets.Bytes(*r.Start, *r.End)
	if err != nil {
		return nil, placeError{err}
	}
	if r.Text != nil && !notes.Quotes(*r.Text, offsets.Text()[from:to]) {
		return nil, placeError{errors.New("its text differs from the note at its offsets, in " + offsets.Unit())}
	}
	var spans []data.Span
	for _, label := range r.Labels {
		if !f.opt.Types.Has(label) {
			return nil, errors.New(f.opt.Types.Lacks(label))
		}
		spans = append(spans, data.Span{Start: from, End: to, Type: label, Score: score})
	}
	return spans, nil
}

// textOf returns the text of a task: the value of the key text or the only string.
func textOf(values map[string]jsontext.Value) (string, error) {
	raw, ok := values["text"]
	if !ok {
		n := 0
		for key, value := range values {
			if value.Kind() == '"' && !slices.Contains(identifying, key) {
				raw = value
				n++
			}
		}
		if n != 1 {
			return "", fmt.Errorf(`its data has no key "text", and %d other strings instead of one: name the key of the note "text"`, n)
		}
	}
	if raw.Kind() != '"' {
		return "", errors.New("its text is not a string")
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	return string(text), err
}

// identifying lists the keys of strings that are not the text.
var identifying = []string{"note_id", "id", "patient_id", "patient", "created_at", "updated_at"}

// added lists the keys that JSON-MIN has besides those of the data and of the annotation.
var added = []string{"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history"}

// minimal reads a task of JSON-MIN, whose keys become the data of the task.
func (f *file) minimal(raw jsontext.Value, t *task) (string, []data.Span, error) {
	if json.Unmarshal(raw, &t.Data) != nil {
		return "", nil, errKind
	}
	text, err := textOf(t.Data)
	if err != nil {
		return "", nil, err
	}
	if t.Data["annotation_id"].Kind() != '0' {
		return "", nil, errors.New("nobody has annotated it (it has no annotation_id)")
	}
	var spans []data.Span
	offsets := notes.Counting(text, f.opt.Offsets)
	for _, key := range slices.Sorted(maps.Keys(t.Data)) {
		if slices.Contains(added, key) || !isRegions(t.Data[key]) {
			continue
		}
		var regions []jsontext.Value
		_ = json.Unmarshal(t.Data[key], &regions) // a list: see isRegions
		for i, r := range regions {
			own, err := f.region(offsets, r, 1)
			if err != nil {
				return "", nil, fmt.Errorf("region %d: %w%s", i, err, f.likely(err, text, regions))
			}
			spans = append(spans, own...)
		}
	}
	delete(t.Data, "id") // the number of the task
	data.SortSpans(spans)
	return text, spans, nil
}

// isRegions reports whether a value is a list of objects of which one has a start.
func isRegions(value jsontext.Value) bool {
	var list []map[string]jsontext.Value
	if value.Kind() != '[' || json.Unmarshal(value, &list) != nil {
		return false
	}
	return slices.ContainsFunc(list, func(o map[string]jsontext.Value) bool {
		_, ok := o["start"]
		return ok || strings.Contains(strings.ToLower(notes.Word(o["type"])), "labels")
	})
}
