package carrier

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// readJSONL reads JSON Lines, an object a line. Notes are the strings under the keys of
// Options.Columns. Where the object says what stood where in the text, as
// data/jsonl reads it, spans becomes what stands there now, and the lists of other
// tools (label, labels, entities) become empty. All else stays, and blank lines do.
func readJSONL(in *source, o Options) Records {
	columns := o.Columns
	if len(columns) == 0 {
		columns = []string{"text"}
	}
	return lines(in, func(raw []byte, line, offset int) (*Record, error) {
		j, start, err := object(in, raw, line, offset)
		if err != nil {
			return nil, err
		}
		doc := func(n int) *data.Document {
			d := &data.Document{ID: fmt.Sprintf("%s-%04d", in.id(), line)}
			if o.ID != "" {
				d.ID = cmp.Or(j.first(start, strings.Split(o.ID, ".")...), d.ID)
			} else {
				d.ID = cmp.Or(j.first(start, "id"), j.first(start, "meta", "note_id"), d.ID)
			}
			if n > 0 {
				d.ID = fmt.Sprintf("%s/%s", d.ID, columns[n])
			}
			for _, key := range patientKeys(o) {
				d.Patient = cmp.Or(d.Patient, j.first(start, strings.Split(key, ".")...))
			}
			return d
		}
		r := &Record{Raw: raw, Line: line}
		for n, column := range columns {
			found := false
			j.find(start, strings.Split(column, "."), func(from, _ int) {
				found = true
				if err != nil || bytes.HasPrefix(j[from:], []byte("null")) {
					return
				}
				if j[from] != '"' {
					err = in.defect(line, offset+from, fmt.Sprintf("the key %q has a value of the wrong kind", column))
					return
				}
				v, at, e := j.stringView(from)
				if e != nil {
					err = in.defect(line, offset+at, e.Error())
					return
				}
				note := &Note{Document: doc(n), Line: line, below: v.below}
				note.Text = v.text.String()
				r.Notes = append(r.Notes, note)
			})
			if !found {
				err = in.defect(line, -1, fmt.Sprintf("the key %q is missing", column))
			}
			if err != nil {
				return nil, err
			}
		}
		r.beside = func(edits [][]Edit) []Edit {
			out := newSpans(j, start, r.Notes, edits)
			if o.NoPatient {
				for _, key := range patientKeys(o) {
					j.find(start, strings.Split(key, "."), func(from, to int) { out = append(out, Edit{Start: from, End: to, New: "null"}) })
				}
			}
			return out
		}
		return r, nil
	})
}

// patientKeys are where JSON Lines say whose note it is.
func patientKeys(o Options) []string {
	if o.Patient != "" {
		return []string{o.Patient}
	}
	return []string{"patient", "meta.patient_id"}
}

// newSpans says what becomes of lists of spans.
func newSpans(j jsonWalk, start int, notes []*Note, edits [][]Edit) []Edit {
	var out []Edit
	j.members(start, func(key string, from, to int) {
		if j[from] != '[' {
			return
		}
		filled := j[j.skipBlank(from+1)] != ']'
		switch {
		case key == "spans" && len(notes) > 0 && (filled || len(edits[0]) > 0): // spans are those of the first column
			out = append(out, Edit{Start: from, End: to, New: spanList(notes[0].Replaced(edits[0]))})
		case slices.Contains([]string{"spans", "label", "labels", "entities"}, key) && filled:
			out = append(out, Edit{Start: from, End: to, New: "[]"})
		}
	})
	return out
}

// spanList writes spans as data/jsonl does: offsets count code points.
func spanList(doc *data.Document) string {
	type span struct {
		Start int      `json:"start"`
		End   int      `json:"end"`
		Type  string   `json:"type"`
		Score *float64 `json:"score,omitempty"` // nil is 1
	}
	spans := make([]span, len(doc.Spans))
	done, points := 0, 0
	point := func(at int) int {
		points += utf8.RuneCountInString(doc.Text[done:at])
		done = at
		return points
	}
	for i, s := range doc.Spans {
		spans[i] = span{Start: point(s.Start), Type: s.Type}
		spans[i].End = point(s.End)
		if s.Score != 1 {
			spans[i].Score = &s.Score
		}
	}
	raw, _ := json.Marshal(spans) // scores are numbers
	return string(raw)
}

// object is the JSON object of a record, and where it begins.
func object(in *source, raw []byte, line, offset int) (jsonWalk, int, error) {
	if err := in.checkUTF8(raw, line, offset); err != nil {
		return nil, 0, err
	}
	body := bytes.TrimPrefix(raw, []byte(utf8BOM))
	skip := 0
	if line == 1 {
		skip = len(raw) - len(body)
	}
	if at, ok := validJSON(raw[skip:]); !ok {
		return nil, 0, in.defect(line+bytes.Count(raw[:skip+at], []byte("\n")), offset+skip+at, "not valid JSON")
	}
	j := jsonWalk(raw)
	start := j.skipBlank(skip)
	if j[start] != '{' {
		return nil, 0, in.defect(line, offset+start, "not a JSON object")
	}
	return j, start, nil
}

// hopeless is how many bad lines at the start of a file are named one by one: it is
// then taken for one of another format.
const hopeless = 10

// lines reads a record a line; parse is told the line's number and offset. Blank lines
// are records without notes.
func lines(in *source, parse func(raw []byte, line, offset int) (*Record, error)) Records {
	return func(yield func(*Record, error) bool) {
		good, bad := 0, 0
		for {
			line, offset := in.line, in.offset
			raw, end := in.readLine()
			if end != nil && end != io.EOF {
				yield(nil, &Broken{end})
				return
			}
			if len(raw) > 0 {
				record, err := &Record{Raw: raw, Line: line}, error(nil)
				if text := bytes.TrimSpace(raw); len(text) > 0 && (line > 1 || string(text) != utf8BOM) {
					record, err = parse(raw, line, offset)
					if err == nil {
						good++
					} else if bad++; good == 0 && bad == hopeless {
						err = &Broken{err}
					}
				}
				if !yield(record, err) || err != nil && good == 0 && bad == hopeless {
					return
				}
			}
			if end == io.EOF {
				return
			}
		}
	}
}
