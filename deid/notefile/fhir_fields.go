package notefile

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// fhirFields applies Options.Fields to the elements of a record. See deid/field/tables/fhir.txt for the built-in rules.
type fhirFields struct {
	options  Options
	at       []string // the path of the element, from the type of its resource on
	gone     map[int]bool
	replaced []Edit // pseudonyms
	values   []fhirValue
	counts   map[field.Action]int
	people   []safetynet.Value // names of people other than patients
}

// fhirValue is an element whose whole value is PHI. back returns the new value as JSON, or false if the element must be removed, because
// the new value would not be valid.
type fhirValue struct {
	i    int
	note *Note
	back func(made string) (string, bool)
}

// enter moves the path to a member of an object and returns a function that moves it back.
func (f *fhir) enter(key string) func() {
	if f.fields == nil {
		return func() {}
	}
	n := len(f.fields.at)
	f.fields.at = append(f.fields.at, key)
	return func() { f.fields.at = f.fields.at[:n] }
}

// enterObject extends the path with the name of an extension, or begins it anew for a resource. It returns a function that moves it back.
func (f *fhir) enterObject(i int) func() {
	if f.fields == nil {
		return func() {}
	}
	before := f.fields.at
	if kind := f.j.first(i, "resourceType"); kind != "" {
		f.fields.at = []string{kind}
	} else if last := len(before) - 1; last >= 0 && (before[last] == "extension" || before[last] == "modifierExtension") {
		url := f.j.first(i, "url")
		f.fields.at = append(slices.Clip(before), url[strings.LastIndexAny(url, "/:#")+1:])
	}
	return func() { f.fields.at = before }
}

// field applies the rule for a value. It reports whether nothing else is to be done with the value. key and outer are as for fhir.value.
func (f *fhir) field(i int, r resource, key, outer string) bool {
	if f.fields == nil || len(f.fields.at) == 0 {
		return false
	}
	switch f.j.kind(i) {
	case '{', '[':
		drops, err := f.fields.options.Fields.Drops(f.fields.at...)
		if err != nil {
			f.fail(i, err.Error())
			return true
		}
		if drops && f.j.values[i].key > 0 { // an element of a list goes with the list
			f.drop(i)
		}
		return drops
	}
	action := f.action(i, key)
	if f.j.kind(i) == 'n' || action == "" {
		return key == "data"
	}
	if (key == "div" || isBase64(key) || key == "data") && action != field.Drop {
		return key == "data" // examined as a text, or with its object
	}
	switch {
	case action == field.Drop:
		f.drop(i)
	case action == field.Keep:
		return f.j.kind(i) != '"' || !mayBeData(f.j, i)
	case f.j.kind(i) != '"' && !action.Whole():
		if action == field.Hash {
			f.drop(i)
		}
	case action == field.Hash:
		f.hash(i, key)
	case action == field.Text:
		return f.hasNoText(i)
	case action == field.Known:
		if !f.hasNoText(i) {
			f.text(i, r, nil)
			if n := len(f.notes); f.err == nil && n > 0 {
				f.notes[n-1].Field = field.Known
			}
		}
	default:
		f.whole(i, r, action, key)
	}
	return true
}

// mayBeData reports whether a string begins like a URL that contains data.
func mayBeData(j *jsonTree, i int) bool {
	raw := j.raw[j.from(i)+1:]
	return strings.IndexByte("dD \t\\", raw[0]) >= 0
}

// hasNoText reports whether a string has no letters and digits.
func (f *fhir) hasNoText(i int) bool {
	return !strings.ContainsFunc(f.j.text(i), letterOrDigit)
}

// action returns the action for a string, number or boolean, or "" if it stays or is examined like before.
func (f *fhir) action(i int, key string) field.Action {
	action, ok := f.fields.options.Fields.Action(f.fields.at...)
	text := ""
	if f.j.kind(i) == '"' {
		text = f.j.text(i)
	}
	switch {
	case ok && action == field.Drop && key == "display" && f.namesClinical(i):
		return field.Text
	case ok && action == field.Action("phone"):
		return telecomSort(f.j.first(f.j.parent(i), "system"))
	case ok:
		return action
	case f.j.kind(i) != '"':
		return ""
	case fhirTime.MatchString(text) || onlyYear.MatchString(text) && datedKey.MatchString(key):
		return "date"
	case fhirCode.MatchString(text):
		return field.Known
	}
	return field.Text
}

var (
	fhirTime = regexp.MustCompile(`^\d{4}-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[-+]\d{2}:\d{2})?)?)?$`)
	datedKey = regexp.MustCompile(`(?:date|datetime|start|end|issued|recorded|created|authored|authoredon|time|instant)$`) // keys are in lower case
	fhirCode = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)*$`)
	clock    = regexp.MustCompile(`T.*$`)
)

// telecomSort returns the sort of the value of a ContactPoint with a system.
func telecomSort(system string) field.Action {
	switch system {
	case "email", "url":
		return field.Action(system)
	}
	return "phone"
}

// people are types of resources whose names and displays tell who or where the patient is.
var people = []string{
	"Patient", "Practitioner", "PractitionerRole", "RelatedPerson", "Person", "Organization", "OrganizationAffiliation", "Location", "Group", "CareTeam",
	"Encounter", "EpisodeOfCare", "Device", "HealthcareService", "Endpoint", "Account", "Coverage", "Appointment", "Schedule", "Slot", "InsurancePlan",
}

// namesClinical reports whether a display belongs to a reference to a resource that is neither a person nor a place.
func (f *fhir) namesClinical(i int) bool {
	parent := f.j.parent(i)
	ref := fhirReference.FindStringSubmatch(f.j.first(parent, "reference"))
	kind := f.j.first(parent, "type")
	if ref != nil {
		kind = ref[2]
	}
	return kind != "" && !slices.Contains(people, kind)
}

// drop removes an element.
func (f *fhir) drop(i int) {
	f.fields.gone[i] = true
	f.fields.counts[field.Drop]++
}

// whole makes a note of an element whose whole value is PHI.
func (f *fhir) whole(i int, r resource, action field.Action, key string) {
	text, quote := f.j.text(i), f.j.kind(i) == '"'
	if f.j.kind(i) == 't' || f.j.kind(i) == 'f' {
		f.drop(i)
		return
	}
	label, back := "", func(made string) (string, bool) { return `"` + jsonString(made) + `"`, strings.TrimSpace(made) != "" }
	if !quote {
		back = func(made string) (string, bool) { return made, json.Valid([]byte(made)) }
	}
	if action == "date" || action == field.Shift {
		var ok bool
		if text, back, ok = fhirDate(text, key); !ok {
			f.drop(i)
			return
		}
	}
	if key == "birthdate" || slices.Contains(f.fields.at, "patient-birthTime") {
		label = "Date of birth: "
	}
	path := strings.TrimPrefix(strings.Join(f.path[r.depth:], ""), ".")
	note, ok := f.fields.options.valueNote(action, r.name+"#"+path, r.patient, label, text)
	if !ok {
		f.drop(i)
		return
	}
	note.Line = f.lineAt(f.j.from(i))
	note.below = func([]Edit) []Edit { return nil } // see besideFHIR
	f.notes = append(f.notes, note)
	f.fields.values = append(f.fields.values, fhirValue{i, note, back})
}

// fhirDate returns the date in an element that can be replaced, and a function that returns a new value for the element. Elements with
// the type instant must have a time, so the year 2071 becomes the beginning of that year.
func fhirDate(text, key string) (string, func(string) (string, bool), bool) {
	back := func(made string) (string, bool) { return made, onlyYear.MatchString(made) }
	if !onlyYear.MatchString(text) {
		var ok bool
		if text, back, ok = machineDate(text); !ok {
			return "", nil, false
		}
	}
	return text, func(made string) (string, bool) {
		value, ok := back(made)
		if ok && onlyYear.MatchString(value) && slices.Contains(instants, key) {
			value += "-01-01T00:00:00Z"
		}
		return `"` + value + `"`, ok
	}, true
}

// instants are the keys, in lower case, of elements that have or may have the type instant. A dateTime may be written in the same form.
var instants = []string{"lastupdated", "issued", "timestamp", "recorded", "when", "lastmodified", "valueinstant", "effectiveinstant", "indexed"}

// hash replaces an identifier, or the ids in a reference, with pseudonyms.
func (f *fhir) hash(i int, key string) {
	text := f.j.text(i)
	made := f.pseudonym(text)
	if key == "reference" || key == "url" || key == "fullurl" || key == "location" {
		made = f.reference(text)
	}
	f.fields.replaced = append(f.fields.replaced, Edit{Start: f.j.from(i), End: f.j.to(i), New: `"` + jsonString(made) + `"`})
	f.fields.counts[field.Hash]++
}

// fhirReference matches a reference: the base, the type, the id and perhaps a version.
var fhirReference = regexp.MustCompile(`^((?:[a-z]+://[^?#]*/)?)([A-Z][A-Za-z]+)/([-A-Za-z0-9.]{1,64})(?:/_history/([-A-Za-z0-9.]{1,64}))?$`)

var (
	uuid     = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	typeOnly = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
)

// reference returns a reference with pseudonyms instead of its ids, so that it refers to the same resource as before.
func (f *fhir) reference(text string) string {
	if m := fhirReference.FindStringSubmatch(text); m != nil {
		made := m[1] + m[2] + "/" + f.pseudonym(m[3])
		if m[4] != "" {
			made += "/_history/" + f.pseudonym(m[4])
		}
		return made
	}
	kind, query, search := strings.Cut(text, "?")
	switch {
	case typeOnly.MatchString(text):
		return text // the type of a resource to create
	case strings.HasPrefix(text, "#"):
		return "#" + f.pseudonym(text[1:])
	case strings.HasPrefix(text, "urn:uuid:"):
		return "urn:uuid:" + f.pseudonym(text[len("urn:uuid:"):])
	case strings.HasPrefix(text, "urn:oid:"):
		return "urn:oid:" + oidOf(f.fields.options.Pseudonym(text))
	case search && typeOnly.MatchString(kind):
		return kind + "?identifier=" + f.pseudonym(query)
	}
	return f.pseudonym(text)
}

// pseudonym returns the pseudonym of an identifier, in the form of a UUID if it is one.
func (f *fhir) pseudonym(text string) string {
	made := f.fields.options.Pseudonym(text)
	if !uuid.MatchString(text) {
		return made
	}
	return uuidOf(made)
}

// oidOf returns a pseudonym in the form of an object identifier.
func oidOf(made string) string {
	number, _ := new(big.Int).SetString(made, 16)
	return "2.25." + number.String()
}

// uuidOf returns a pseudonym in the form of a UUID.
func uuidOf(made string) string {
	raw, err := hex.DecodeString(made)
	if err != nil || len(raw) != 16 {
		return made
	}
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80 // version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
}

// besideFHIR returns the edits of all elements that change.
func (f *fhir) besideFHIR(edits [][]Edit) []Edit {
	out, gone := slices.Concat(f.fields.replaced, f.masks), map[int]bool{}
	for i := range f.fields.gone {
		gone[i] = true
	}
	next := 0
	for n, note := range f.notes {
		if next == len(f.fields.values) || f.fields.values[next].note != note {
			continue
		}
		v := f.fields.values[next]
		next++
		if len(edits[n]) == 0 {
			continue
		}
		if raw, ok := v.back(note.newValue(edits[n])); ok {
			out = append(out, Edit{Start: f.j.from(v.i), End: f.j.to(v.i), New: raw})
		} else {
			gone[v.i] = true
		}
	}
	removed := f.j.removals(gone)
	within := func(e Edit) bool {
		return slices.ContainsFunc(removed, func(r Edit) bool { return r.Start <= e.Start && e.End <= r.End })
	}
	if len(removed) > 0 {
		sortEdits(removed)
		out = slices.DeleteFunc(out, within)
	}
	return append(out, removed...)
}

// finishFields sets what the record must know about its fields.
func (f *fhir) finishFields(record *Record) {
	record.Fields, record.beside, record.fixed = f.fields.counts, f.besideFHIR, nil
	record.ID = f.alias(f.root())
	for _, n := range f.notes {
		name, path, _ := strings.Cut(n.ID, "#")
		if alias := f.alias(name); alias != name {
			n.Alias = alias + "#" + path
		}
		if !n.isValue() {
			n.Known = append(slices.Clip(n.Known), f.fields.people...)
		}
	}
}

// root returns the name of the resource that is the record.
func (f *fhir) root() string {
	kind, id := f.j.first(0, "resourceType"), f.j.first(0, "id")
	if id == "" {
		return kind
	}
	return kind + "/" + id
}

// alias returns the name of a resource in the output: ResourceType/id, with the pseudonym of the id if the ids are replaced.
func (f *fhir) alias(name string) string {
	kind, id, ok := strings.Cut(name, "/")
	if f.fields == nil || !ok {
		return name
	}
	if action, ok := f.fields.options.Fields.Action(kind, "id"); !ok || action != field.Hash {
		return name
	}
	return kind + "/" + f.pseudonym(id)
}

// learnPerson adds the names of a person who is no patient to the known values of all notes of the record.
func (f *fhir) learnPerson(i int, kind safetynet.Kind) {
	for _, name := range f.each(i, "name", '{') {
		parts := append(f.strings(name, "given"), f.j.first(name, "family"))
		for _, text := range []string{f.j.first(name, "text"), strings.TrimSpace(strings.Join(parts, " "))} {
			if text != "" {
				f.fields.people = append(f.fields.people, safetynet.Value{Kind: kind, Text: text})
			}
		}
	}
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
