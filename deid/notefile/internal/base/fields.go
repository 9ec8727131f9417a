package base

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// ValueNote returns a note for a field whose whole value is PHI, or false if the type set of the run has no type for the action. The
// label, such as "Date of birth: ", stands before the value and tells what it is; edits do not concern it.
func (o Options) ValueNote(action field.Action, id, patient, label, value string) (*Note, bool) {
	types := o.Types
	if types == nil {
		types = data.Any
	}
	typ := action.Type(types)
	if typ == "" || value == "" {
		return nil, false
	}
	span := data.Span{Start: len(label), End: len(label) + len(value), Type: typ, Score: 1}
	doc := &data.Document{ID: id, Patient: patient, Text: label + value, Spans: []data.Span{span}}
	return &Note{Document: doc, Field: action}, true
}

// kindOfSort is the kind of known value that a field of a sort is. The other sorts, such as states, say little about one patient.
var kindOfSort = map[data.Sort]safetynet.Kind{
	data.Person: safetynet.Name, data.Number: safetynet.ID, data.Phone: safetynet.Phone, data.Email: safetynet.Email, data.Hospital: safetynet.Hospital,
	data.Street: safetynet.Street, data.City: safetynet.City, data.Zip: safetynet.ZIP,
}

// Learn remembers the value of a field that identifies its patient because it names the patient (the action is ""), or that goes because
// of field.Hash or field.Drop. ShareValues makes it a known value of the notes if it can be searched for: see safetynet.IsIdentifier. A
// dropped date is one, too.
func (r *Record) Learn(action field.Action, text string) {
	value := safetynet.Value{Kind: safetynet.ID, Text: text, Guessed: true}
	if action == field.Drop {
		if isoDate.MatchString(text) {
			value.Kind, value.Text = safetynet.Date, isoDate.FindStringSubmatch(text)[1]
		} else if !safetynet.MayIdentify(text) {
			return
		}
	} else if !safetynet.IsIdentifier(text) {
		return
	}
	if !slices.Contains(r.learned, value) {
		r.learned = append(r.learned, value)
	}
}

// ShareValues makes the values of the fields of a record known values of its notes of the same patient.
func (r *Record) ShareValues(types *data.TypeSet) {
	for _, f := range r.Notes {
		if !f.IsValue() {
			continue
		}
		s := f.Spans[0]
		typ := types.Describe(s.Type)
		kind, ok := kindOfSort[typ.Sort]
		if !ok {
			continue
		}
		if typ.Clinician {
			kind = safetynet.Clinician
		}
		value := safetynet.Value{Kind: kind, Text: f.Text[s.Start:s.End], Type: s.Type}
		for _, n := range r.Notes {
			if n.Patient == f.Patient && !n.IsValue() && !slices.Contains(n.Known, value) {
				n.Known = append(slices.Clip(n.Known), value)
			}
		}
	}
	for _, value := range r.learned {
		for _, n := range r.Notes {
			known := func(other safetynet.Value) bool { return other.Text == value.Text }
			if !n.IsValue() && !slices.ContainsFunc(n.Known, known) {
				n.Known = append(slices.Clip(n.Known), value)
			}
		}
	}
}

// IsValue reports whether the note is a field whose whole value is PHI.
func (n *Note) IsValue() bool { return n.Field == field.Shift || n.Field != "" && n.Field.Whole() }

// NewValue returns the value of a field after the edits of its note.
func (n *Note) NewValue(edits []markup.Edit) string {
	text := markup.Apply(n.Text, edits)
	return text[n.Spans[0].Start:]
}

// NearRule says that a column has no rule, but one whose name differs only in case has. path is that of a rule for the column.
func NearRule(column, near, path string) string {
	return fmt.Sprintf("the column %q differs only in case from %q, for which there is a rule: write --field %s=ACTION, or %s=keep if the column may stay", column, near, path, path)
}

// Count counts a field that Encode changes.
func (r *Record) Count(a field.Action) {
	if r.Fields == nil {
		r.Fields = map[field.Action]int{}
	}
	r.Fields[a]++
}

// AgeCodes are the codes of LOINC for the patient's age.
var AgeCodes = []string{"30525-0", "21612-7", "29553-5", "35659-2"}

// zone matches a time zone: Z, +02:00, -0500, UTC.
const zone = `z|[+-]\d{2}(?::?\d{2})?|utc|gmt|[aecmp][sd]t|akst|akdt|hst|bst|wet|west|cet|cest|eet|eest`

var (
	isoDate     = regexp.MustCompile(`^(\d{4}-\d{2}(?:-\d{2})?)([T ]\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?(?: ?(?i:[ap]m|` + zone + `))?)?$`)
	compactDate = regexp.MustCompile(`^((?:1[89]|2[01])\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])?((?:[01]\d|2[0-4])[0-9:.+-]*)?$`)
)

// OnlyYear matches a date that is only a year.
var OnlyYear = regexp.MustCompile(`^\d{4}$`)

// MachineDate reads a date as machines write it: 2071-04-03, 2071-04 and 20710403, perhaps with a time behind it. It returns the date in
// the form 2071-04-03, in which it can be replaced, and a function that returns the value with a new date in the form of the original. If
// the new date is only a year, so is the new value. The function reports false if the new date is neither a date of the same form nor a year.
func MachineDate(value string) (date string, back func(date string) (string, bool), ok bool) {
	m, separator := isoDate.FindStringSubmatch(value), "-"
	if m == nil {
		c := compactDate.FindStringSubmatch(value)
		if c == nil || c[3] == "" && len(value) != len("207104") {
			return "", nil, false
		}
		separator = ""
		m = []string{"", c[1] + "-" + c[2], c[4]}
		if c[3] != "" {
			m[1] += "-" + c[3]
		}
	}
	return m[1], func(date string) (string, bool) {
		switch {
		case OnlyYear.MatchString(date):
			return date, true
		case len(date) == len(m[1]) && isoDate.MatchString(date):
			return strings.ReplaceAll(date, "-", separator) + m[2], true
		}
		return "", false
	}, true
}
