package safetynet

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Kind is the kind of a known value of a patient.
type Kind string

// The kinds. They are also the names of columns or keys in a file of known values.
const (
	Name      Kind = "name" // of the patient or a relative
	Clinician Kind = "clinician"
	ID        Kind = "id_number"
	Phone     Kind = "phone"
	Email     Kind = "email"
	Hospital  Kind = "hospital"
	Street    Kind = "street"
	City      Kind = "city"
	ZIP       Kind = "zip"
	Date      Kind = "date"
	Other     Kind = "other"
)

// sorts contains the sort of each kind's values.
var sorts = map[Kind]data.Sort{
	Name: data.Person, Clinician: data.Person, ID: data.Number, Phone: data.Phone, Email: data.Email, Hospital: data.Hospital, Street: data.Street,
	City: data.City, ZIP: data.Zip, Date: data.Date, Other: data.Other,
}

// Value is a known value of a patient, such as a name.
type Value struct {
	Kind Kind
	Text string
	Type string // its type of PHI; "": the type that the type set has for the kind
	// Guessed means that the kind is a guess, so that the value does not decide the type of what a tagger finds.
	Guessed bool
}

func (v Value) how() how {
	if h := howOf(sorts[v.Kind]); h != notAtAll {
		return h
	}
	return asPhrase
}

// searched reports whether the value is searched for: see [Values.Short].
func (v Value) searched() bool {
	return valueOf(v.Text).searched(v.how())
}

// typeIn returns the value's type in a set. If the set has no type for the kind, it is the name of
// the kind in capitals.
func (v Value) typeIn(types *data.TypeSet) string {
	typ := v.Type
	switch {
	case typ != "":
	case sorts[v.Kind] == data.Person:
		typ = types.OfPerson(v.Kind == Clinician)
	default:
		typ = types.OfSort(sorts[v.Kind])
	}
	return cmp.Or(typ, strings.ToUpper(string(v.Kind)))
}

// OtherType returns the type that a set has for PHI of an unknown sort, or "OTHER" if there is
// none.
func OtherType(types *data.TypeSet) string { return Value{Kind: Other}.typeIn(types) }

// kindOf returns the kind whose values are searched for like values of a sort.
func kindOf(sort data.Sort) Kind {
	switch howOf(sort) {
	case asName:
		return Name
	case asNumber:
		if sort == data.Username {
			return Name // it may contain parts of a name
		}
		return ID
	}
	return Other
}

// columns contains other names of kinds in a file.
var columns = map[string]Kind{
	"full_name": Name, "first_name": Name, "last_name": Name, "given": Name, "family": Name, "surname": Name, "nombre": Name, "apellidos": Name,
	"doctor": Clinician, "physician": Clinician, "medico": Clinician,
	"mrn": ID, "ssn": ID, "account": ID, "nhc": ID, "dni": ID, "nass": ID,
	"telephone": Phone, "telefono": Phone, "fax": Phone, "address": Street, "direccion": Street, "calle": Street,
	"postcode": ZIP, "postal_code": ZIP, "dob": Date, "birth_date": Date, "date_of_birth": Date,
}

// Values are known values, by patient and by note.
type Values struct {
	byPatient, byNote map[string][]Value
	patients          map[string]string // other names of patients
	short             int
}

// NewValues returns values to which Add adds some.
func NewValues() *Values {
	return &Values{byPatient: map[string][]Value{}, byNote: map[string][]Value{}, patients: map[string]string{}}
}

// Short returns the number of values that are too short to search for, such as a record number of
// three digits, which would match doses and laboratory values. Values of more than 1,000 bytes, which are no
// names or numbers, are not searched for either, and count.
func (v *Values) Short() int { return v.short }

// Add adds values of a patient.
func (v *Values) Add(patient string, values []Value) { v.put(v.byPatient, patient, values) }

// Alias lets notes name a patient differently. The first patient with a name has it.
func (v *Values) Alias(name, patient string) {
	if _, ok := v.patients[name]; !ok {
		v.patients[name] = patient
	}
}

// Join adds the values of other, and its other names of patients.
func (v *Values) Join(other *Values) {
	for patient, values := range other.byPatient {
		v.byPatient[patient] = append(v.byPatient[patient], values...)
	}
	for note, values := range other.byNote {
		v.byNote[note] = append(v.byNote[note], values...)
	}
	for name, patient := range other.patients {
		v.Alias(name, patient)
	}
	v.short += other.short
}

func (v *Values) put(of map[string][]Value, key string, values []Value) {
	v.short += TooShort(values)
	of[key] = append(of[key], values...)
}

// TooShort returns how many of the values are too short to search for: see [Values.Short].
func TooShort(values []Value) int {
	n := 0
	for _, v := range values {
		if !v.searched() {
			n++
		}
	}
	return n
}

// Of returns the known values for a note: those of its patient and those of the note.
func (v *Values) Of(doc *data.Document) []Value {
	if v == nil {
		return nil
	}
	known := v.byNote[doc.ID]
	if doc.Patient != "" {
		of, ok := v.byPatient[doc.Patient]
		if !ok {
			of = v.byPatient[v.patients[doc.Patient]]
		}
		known = slices.Concat(known, of)
	}
	return known
}

// Read reads a file of known values: CSV with a header, one object per line (JSON Lines), or an
// array of objects. The column or key patient names the patient of the values, or id their note.
// The others contain values, by their names: name, clinician, id_number, phone, email, hospital,
// street, city, zip, date, one of their usual other names (mrn, address, dob, ...), or a type of
// the set. Values under any other name are searched for literally. In JSON a value may be a list. A
// patient may have several rows.
//
// Errors name the file and the line or row. A file that is not UTF-8 is refused, because its names
// would never be found in the notes, and so is a file without values.
func Read(path string, types *data.TypeSet) (*Values, error) {
	raw, err := bounded.ReadFile(path, maxKnown)
	if err != nil {
		return nil, err
	}
	v := NewValues()
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		return nil, &data.Error{Path: path, Line: 1 + bytes.Count(raw[:notText(raw)], []byte("\n")), Offset: -1, Reason: "a file of known values must be text in UTF-8" + insteadOf(raw)}
	}
	if first := bytes.TrimSpace(raw); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		err = v.readJSON(path, raw, types)
	} else {
		err = v.readCSV(path, raw, types)
	}
	if err == nil && len(v.byPatient)+len(v.byNote) == 0 {
		err = &data.Error{Path: path, Offset: -1, Reason: "contains no value"}
	}
	return v, err
}

// insteadOf says what a file is that is not text in UTF-8, or returns "".
func insteadOf(raw []byte) string {
	switch {
	case bytes.HasPrefix(raw, []byte("\x1f\x8b")):
		return ", but it is gzipped: unzip it first"
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")), bytes.IndexByte(raw[:min(len(raw), 1<<10)], 0) >= 0:
		return ", but it is UTF-16 or not text: convert it first"
	}
	return ""
}

// maxKnown is the largest file of known values, in bytes.
const maxKnown = 1 << 30

// notText returns the offset of the first byte that text in UTF-8 does not contain, or len(raw) if there is
// none.
func notText(raw []byte) int {
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(raw)
}

func (v *Values) readCSV(path string, raw []byte, types *data.TypeSet) error {
	in := csv.NewReader(bytes.NewReader(raw))
	var header []string
	hint := func() string {
		if len(header) == 1 {
			return ", but the header has only one column: is the delimiter another than a comma?"
		}
		return ""
	}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil { // the error names the line and does not quote the file
			if e, ok := errors.AsType[*csv.ParseError](err); ok {
				return &data.Error{Path: path, Line: e.Line, Offset: -1, Reason: e.Err.Error() + hint()}
			}
			return err
		}
		if header == nil {
			header = row
			continue
		}
		line, _ := in.FieldPos(0)
		fields := map[string][]string{}
		for i, text := range row {
			fields[header[i]] = append(fields[header[i]], text)
		}
		if err := v.add(fields, types); err != nil {
			return &data.Error{Path: path, Line: line, Offset: -1, Reason: err.Error() + hint()}
		}
	}
}

func (v *Values) readJSON(path string, raw []byte, types *data.TypeSet) error {
	in := json.NewDecoder(bytes.NewReader(raw))
	for {
		at := int(in.InputOffset())
		fail := func(reason string) error {
			at += len(raw[at:]) - len(bytes.TrimLeft(raw[at:], " \t\r\n"))
			return &data.Error{Path: path, Line: 1 + bytes.Count(raw[:at], []byte("\n")), Offset: at, Reason: reason}
		}
		var one json.RawMessage
		if err := in.Decode(&one); err == io.EOF {
			return nil
		} else if err != nil {
			return fail("not valid JSON")
		}
		var rows []map[string]any
		if one[0] == '[' {
			if unmarshal(one, &rows) != nil {
				return fail("not an array of objects")
			}
		} else if rows = make([]map[string]any, 1); unmarshal(one, &rows[0]) != nil {
			return fail("not an object")
		}
		for i, row := range rows {
			if _, ok := row["resourceType"]; ok {
				return fail("a resource of FHIR: the Patients must be a Bundle or one per line, and the name of the file must end in .json or .ndjson")
			}
			fields := map[string][]string{}
			for key, value := range row {
				list, ok := value.([]any)
				if !ok {
					list = []any{value}
				}
				for _, item := range list {
					switch x := item.(type) {
					case nil:
					case string:
						fields[key] = append(fields[key], x)
					case json.Number:
						fields[key] = append(fields[key], x.String())
					default:
						return fail(fmt.Sprintf("object %d: a value is not a string, a number, or a list of these", i+1))
					}
				}
			}
			if err := v.add(fields, types); err != nil {
				return fail(fmt.Sprintf("object %d: %v", i+1, err))
			}
		}
	}
}

// unmarshal decodes JSON, keeping numbers as written.
func unmarshal(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(into)
}

// add adds the values of a row.
func (v *Values) add(fields map[string][]string, types *data.TypeSet) error {
	last := func(name string) string { // of the values in all columns of this name, without regard to its case; it removes them
		text := ""
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if all := fields[key]; columnName(key) == name && len(all) > 0 {
				text = all[len(all)-1]
			}
		}
		maps.DeleteFunc(fields, func(key string, _ []string) bool { return columnName(key) == name })
		return text
	}
	patient, note := last("patient"), last("id")
	values := ValuesOf(fields, types)
	switch {
	case patient != "":
		v.put(v.byPatient, patient, values)
	case note != "":
		v.put(v.byNote, note, values)
	default:
		return errors.New("patient or id is required")
	}
	return nil
}

// ValuesOf returns the values of one patient from lists of texts, whose keys are those of a file (see [Read]) without patient and id,
// which are names like any other here. Blank texts are ignored.
func ValuesOf(fields map[string][]string, types *data.TypeSet) []Value {
	var values []Value
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		name := columnName(key)
		value := Value{Kind: Kind(name)}
		switch kind, known := columns[name]; {
		case known:
			value.Kind = kind
		case sorts[value.Kind] != "":
		case len(types.Types) > 0 && types.Has(key):
			value.Kind, value.Type = kindOf(types.SortOf(key)), key
		default:
			value.Kind = Other
		}
		for _, text := range fields[key] {
			if value.Text = text; strings.TrimSpace(text) != "" {
				values = append(values, value)
			}
		}
	}
	return values
}

// columnName returns the name of a column or key without regard to case.
func columnName(key string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), " ", "_")
}
