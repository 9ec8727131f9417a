package base

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// ValueNote returns a note for a field whose whole value is PHI, or false if the value is missing (see field.IsNull) or the type set of the run has no type for the action. The
// label, such as "Date of birth: ", stands before the value and tells what it is; edits do not concern it.
func (o Options) ValueNote(action field.Action, id, patient, label, value string) (*Note, bool) {
	types := o.Types
	if types == nil {
		types = data.Any
	}
	typ := action.Type(types)
	if typ == "" || value == "" || field.IsNull(value) {
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
// date in the form 2071-04-03 is known as a date. Dates in other forms are not searched for, because they would be known as identifiers.
func (r *Record) Learn(action field.Action, text string) {
	value := safetynet.Value{Kind: safetynet.ID, Text: text, Guessed: true}
	m := isoDate.FindStringSubmatch(text)
	switch {
	case m != nil:
		value.Kind, value.Text = safetynet.Date, m[1]
	case otherDate.MatchString(text), action != "" && dayOfDigits.MatchString(text):
		return
	case action == field.Drop && !safetynet.MayIdentify(text), !safetynet.IsIdentifier(text):
		return
	}
	r.learned = append(r.learned, value)
}

// ShareValues makes the values of the fields of a record known values of its notes of the same patient.
func (r *Record) ShareValues(types *data.TypeSet) {
	values := map[string][]safetynet.Value{} // by patient
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
		values[f.Patient] = append(values[f.Patient], safetynet.Value{Kind: kind, Text: f.Text[s.Start:s.End], Type: s.Type})
	}
	for _, n := range r.Notes {
		own := values[n.Patient]
		if n.IsValue() || len(own)+len(r.learned) == 0 {
			continue
		}
		known, texts, all := map[safetynet.Value]bool{}, map[string]bool{}, slices.Clone(n.Known)
		for _, v := range all {
			known[v], texts[v.Text] = true, true
		}
		for _, v := range own {
			if !known[v] {
				all, known[v], texts[v.Text] = append(all, v), true, true
			}
		}
		for _, v := range r.learned {
			if !texts[v.Text] {
				all, texts[v.Text] = append(all, v), true
			}
		}
		n.Known = all
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

// PersonalCodes are the codes of LOINC for values that are no results: the patient's age, date of birth and postal code.
var PersonalCodes = append(slices.Clip(AgeCodes), "21112-8", "45401-7")

// zone matches a time zone: Z, +02:00, -0500, UTC.
const zone = `z|[+-]\d{2}(?::?\d{2})?|utc|gmt|[aecmp][sd]t|akst|akdt|hst|bst|wet|west|cet|cest|eet|eest`

var (
	isoDate     = lazyregexp.New(`^(\d{4}-\d{2}(?:-\d{2})?)([T ]\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?(?: ?(?i:[ap]m|` + zone + `))?)?$`)
	compactDate = lazyregexp.New(`^((?:1[89]|2[01])\d{2}|9999|0001)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])?((?:[01]\d|2[0-4])[0-9:.+-]*)?$`)
)

// Forms of dates that Learn does not take for identifiers.
const (
	dayOrMonth = `(?:0?[1-9]|[12]\d|3[01])`
	longYear   = `(?:1[89]|2[01])\d{2}`
	monthName  = `(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic)\pL{0,7}\.?`
	timeBehind = `(?:(?:T|,? )\d{1,2}:?\d{2}.*)?`
)

var (
	// otherDate matches dates with separators or names of months: 03/04/2071, 3.4.71, 2071/04/03, 03-04-2071, 3-Mar-2071, Mar 3, 2071.
	otherDate = lazyregexp.New(`^(?:` + dayOrMonth + `(?:[/.]` + dayOrMonth + `[/.](?:` + longYear + `|\d{2})|-` + dayOrMonth + `-` + longYear + `)|` +
		longYear + `[/.]` + dayOrMonth + `[/.]` + dayOrMonth + `|` + dayOrMonth + `[- ]?` + monthName + `[- ]?(?:` + longYear + `|\d{2})|` +
		monthName + ` ?` + dayOrMonth + `,? ` + longYear + `)` + timeBehind + `$`)
	// dayOfDigits matches a date as machines write it without separators, perhaps with a time. The key of a patient may be such a number.
	dayOfDigits = lazyregexp.New(`^` + longYear + `(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-4])[0-5]\d[0-9:.+-]*)?$`)
)

// OnlyYear matches a date that is only a year.
var OnlyYear = lazyregexp.New(`^\d{4}$`)

// MachineDate reads a date as machines write it: 2071-04-03, 2071-04 and 20710403, perhaps with a time behind it. It returns the date in
// the form 2071-04-03, in which it can be replaced, and a function that returns the value with a new date in the form of the original. If
// the new date is only a year, so is the new value. The function reports false if the new date is neither a date of the same form nor a year.
func MachineDate(value string) (date string, back func(date string) (string, bool), ok bool) {
	m, separator := isoDate.FindStringSubmatch(value), "-"
	if m == nil {
		c := compactDate.FindStringSubmatch(value)
		if c == nil || c[3] == "" && len(value) != len("207104") || (c[1] == "9999" || c[1] == "0001") && !surrogate.IsSentinel(c[1]+c[2]+c[3]) {
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
