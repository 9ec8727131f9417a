package fhir

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/jsontree"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// fieldRules applies Options.Fields to the elements of a record. See deid/field/tables/fhir.txt for the built-in rules.
type fieldRules struct {
	options  base.Options
	root, at *field.Place // at is the path of the element, from the type of its resource on
	gone     map[int]bool
	hashes   map[int]bool  // the hashes of data that is examined
	types    map[int]bool  // the types of resources that a rule drops: they go with the last other element
	replaced []markup.Edit // pseudonyms
	values   []value
	strings  map[*base.Note]int // the strings that are notes as they are
	counts   map[field.Action]int
	people   []safetynet.Value // names of people other than patients
}

func newFieldRules(o base.Options) *fieldRules {
	root := o.Fields.Root()
	return &fieldRules{options: o, root: root, at: root, gone: map[int]bool{}, hashes: map[int]bool{}, types: map[int]bool{}, strings: map[*base.Note]int{}, counts: map[field.Action]int{}}
}

// value is an element whose whole value is PHI. back returns the new value as JSON, or false if the element must be removed, because
// the new value would not be valid.
type value struct {
	i    int
	note *base.Note
	back func(made string) (string, bool)
}

// enter moves the path to a member of an object and returns a function that moves it back. The extensions of a string, under _family, have
// the path of the string.
func (f *reader) enter(key string) func() {
	if f.fields == nil {
		return func() {}
	}
	before := f.fields.at
	f.fields.at = before.Child(strings.TrimPrefix(key, "_"))
	return func() { f.fields.at = before }
}

// enterObject extends the path with the name of an extension, or begins it anew for a resource. It returns a function that moves it back.
func (f *reader) enterObject(i int) func() {
	if f.fields == nil {
		return func() {}
	}
	before := f.fields.at
	if kind := f.j.First(i, "resourceType"); kind != "" {
		f.fields.at = f.fields.root.Child(kind)
	} else if before.Name() == "extension" || before.Name() == "modifierextension" {
		url := f.j.First(i, "url")
		f.fields.at = before.Child(extensionName(url))
	}
	return func() { f.fields.at = before }
}

// extensionName returns the element of a path that stands for the extensions with an url.
func extensionName(url string) string { return url[strings.LastIndexAny(url, "/:#")+1:] }

// field applies the rule for a value. It reports whether nothing else is to be done with the value. key is as for reader.value.
func (f *reader) field(i int, r resource, key string) bool {
	if f.fields == nil || f.fields.at.IsRoot() {
		return false
	}
	if f.fields.gone[i] || f.isMasked(i) {
		return true
	}
	switch f.j.Kind(i) {
	case '{', '[':
		drops, err := f.fields.at.Drops()
		if err != nil && !strings.HasPrefix(key, "_") {
			f.fail(i, err.Error())
			return true
		}
		if drops && f.j.Values[i].Key > 0 { // an element of a list goes with the list
			f.drop(i)
		}
		if !drops && f.j.Kind(i) == '{' && f.dropsIncomplete(i, key) {
			f.drop(i)
			return true
		}
		return drops
	}
	action := f.action(i, key)
	if f.fields.hashes[i] && (action != field.Drop || !f.fields.at.Own()) {
		return true // computed anew with the data
	}
	if f.j.Kind(i) == 'n' || action == "" {
		return key == "data"
	}
	if (key == "div" || isBase64(key) || key == "data") && action != field.Drop {
		return key == "data" // examined as a text, or with its object
	}
	switch {
	case action == field.Drop && key == "resourcetype":
		f.fields.types[i] = true
	case action == field.Drop:
		f.drop(i)
	case action == field.Keep && !f.fields.at.Own() && f.isLocal(i, key):
		f.hash(i, key)
	case action == field.Keep:
		return f.j.Kind(i) != '"' || !mayBeData(f.j, i)
	case f.j.Kind(i) != '"' && !action.Whole():
		if action == field.Hash {
			f.drop(i)
		}
	case action == field.Hash:
		f.hash(i, key)
	case action == field.Text:
		return f.hasNoText(i)
	case action == field.Known:
		f.term(i, r)
	default:
		f.whole(i, r, action, key)
	}
	return true
}

// term makes a note of a term of a code system.
func (f *reader) term(i int, r resource) {
	if f.hasNoText(i) {
		return
	}
	n := len(f.notes)
	if f.text(i, r, nil); len(f.notes) > n {
		f.notes[n].Field = field.Known
	}
}

// mayBeData reports whether a string begins like a URL that contains data.
func mayBeData(j *jsontree.Tree, i int) bool {
	raw := j.Raw[j.From(i)+1:]
	return strings.IndexByte("dD \t\\", raw[0]) >= 0
}

// hasNoText reports whether a string has no letters and digits.
func (f *reader) hasNoText(i int) bool {
	return !strings.ContainsFunc(f.j.Text(i), markup.LetterOrDigit)
}

// action returns the action for a string, number or boolean, or "" if it stays or is examined as without rules.
func (f *reader) action(i int, key string) field.Action {
	at := f.fields.at
	action, ok := at.Action()
	if ok && at.Own() {
		return action
	}
	isAge := !ok && (key == "value" || key == "valueinteger") && f.observes(i, base.AgeCodes)
	if f.j.Kind(i) != '"' {
		inherited := at.Inherited()
		switch {
		case !ok && inherited != "" && !strings.Contains(at.Path(), ".extension."):
			return inherited
		case isAge:
			return "age"
		case !ok && isNumber(f.j.Kind(i)) && allElements().isDate(key, at.Path()):
			return field.Drop
		}
		return action
	}
	text := f.j.Text(i)
	switch {
	case isAge:
		return "age"
	case key == "display" && (f.isCoding(i)):
		return field.Known
	case action == field.Drop && key == "display" && f.namesClinical(i):
		return field.Text
	case key == "text" && f.repeatsDisplay(i, text):
		return field.Known
	case (!ok || action == field.Text) && slices.Contains(results, at.Path()) && base.IsResult(text) && !f.observes(i, base.PersonalCodes):
		return field.Known
	case ok && (at.Path() == "familymemberhistory.name" || at.Path() == "account.name") && noName.MatchString(text):
		return field.Text
	case (!ok || (key == "valueuri" || key == "valueurl") && action == field.Hash) && isPublic(text):
		return field.Keep
	case !ok && f.isLocal(i, key):
		return field.Hash
	case action == field.Action("phone"):
		return telecomSort(f.j.First(f.j.Parent(i), "system"))
	case ok:
		return action
	case key == "type" && field.IsResource(text):
		return field.Keep
	case allElements().codes[key] && codeForm.MatchString(text):
		return field.Keep
	case allElements().codes[key], allElements().sometimes[key] && codeForm.MatchString(text):
		return field.Known
	case timeForm.MatchString(text) || base.OnlyYear.MatchString(text) && datedKey.MatchString(key):
		return "date"
	case at.Inherited() != "":
		return at.Inherited()
	case clockTime.MatchString(text):
		return field.Keep
	case isURI(text):
		return field.Hash
	}
	return field.Text
}

// isNumber reports whether a value that begins with a byte is a number.
func isNumber(c byte) bool { return c == '-' || c >= '0' && c <= '9' }

// results are the elements, in lower case, with measured values and their ranges as strings. Models take a bare number for an identifier or a date.
var results = []string{
	"observation.valuestring", "observation.component.valuestring", "observation.referencerange.text", "observation.component.referencerange.text",
}

// noName matches what is not only a name, in elements that have no names of their own type: words for relatives and for accounts, and numbers.
var noName = lazyregexp.New(`(?i)\d|\b(?:(?:grand|step|half|god)?-?(?:mother|father|parent|brother|sister|sibling|son|daughter|child|uncle|aunt)s?|mom|mum|dad|cousin|nephew|` +
	`niece|twin|wife|husband|spouse|maternal|paternal|(?:bis)?abuel[oa]|padre|madre|herman[oa]|hij[oa]|t[ií][oa]|prim[oa]|sobrin[oa]|matern[oa]|patern[oa]|` +
	`accounts?|billing|pay|payer|insurance|compensation|medica(?:re|id|l)|plan|hospital|clinic|(?:in|out)?patients?|visits?|fund(?:ed|s)?|charity|research|` +
	`coverage|primary|credit|care|for|of|cuenta|seguro|para)\b`)

// observes reports whether a value, such as valueInteger or valueQuantity.value, belongs to an Observation, or a component of one, with one of
// the codes.
func (f *reader) observes(i int, codes []string) bool {
	for f.j.Key(i) == "value" || f.j.Key(i) == "low" || f.j.Key(i) == "high" {
		i = f.j.Parent(i)
	}
	if i <= 0 || !strings.HasPrefix(f.j.Key(i), "value") {
		return false
	}
	found := false
	f.j.Find(f.j.Parent(i), []string{"code"}, func(code int) {
		for _, coding := range f.each(code, "coding", '{') {
			found = found || slices.Contains(codes, f.j.First(coding, "code"))
		}
	})
	return found
}

// isCoding reports whether a display belongs to a code, and not to a reference.
func (f *reader) isCoding(i int) bool {
	parent := f.j.Parent(i)
	return f.j.First(parent, "code") != "" && f.j.First(parent, "reference") == "" && len(f.each(parent, "identifier", '{')) == 0
}

// repeatsDisplay reports whether the text of a CodeableConcept is the display of one of its codes.
func (f *reader) repeatsDisplay(i int, text string) bool {
	return slices.ContainsFunc(f.each(f.j.Parent(i), "coding", '{'), func(coding int) bool {
		return f.j.First(coding, "code") != "" && strings.EqualFold(f.j.First(coding, "display"), text)
	})
}

var (
	timeForm  = lazyregexp.New(`^\d{4}-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[-+]\d{2}:\d{2})?)?)?$`)
	clockTime = lazyregexp.New(`^\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$`)
	datedKey  = lazyregexp.New(`(?:date|datetime|start|end|issued|recorded|created|authored|authoredon|time|instant|event)$`) // keys are in lower case
	codeForm  = lazyregexp.New(`^(?:[a-z]+(?:-[a-z]+)*|[A-Z]{1,5}(?:\.[a-z]+)?)$`)
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
func (f *reader) namesClinical(i int) bool {
	parent := f.j.Parent(i)
	ref := referenceForm.FindStringSubmatch(f.j.First(parent, "reference"))
	kind := f.j.First(parent, "type")
	if ref != nil {
		kind = ref[2]
	}
	return kind != "" && !slices.Contains(people, kind)
}

// whole makes a note of an element whose whole value is PHI.
func (f *reader) whole(i int, r resource, action field.Action, key string) {
	text, quote := f.j.Text(i), f.j.Kind(i) == '"'
	if f.j.Kind(i) == 't' || f.j.Kind(i) == 'f' {
		f.drop(i)
		return
	}
	label, back := "", func(made string) (string, bool) {
		return `"` + jsontree.Escape(made) + `"`, strings.TrimSpace(made) != ""
	}
	if !quote {
		back = func(made string) (string, bool) { return made, json.Valid([]byte(made)) }
	}
	if action == "date" || action == field.Shift {
		var ok bool
		if text, back, ok = dateForm(text, f.fields.at.Path()); !ok {
			f.drop(i)
			return
		}
	}
	if key == "birthdate" || strings.Contains(f.fields.at.Path(), ".patient-birthtime.") {
		label = "Date of birth: "
	}
	path := strings.TrimPrefix(strings.Join(f.path[r.depth:], ""), ".")
	note, ok := f.fields.options.ValueNote(action, r.name+"#"+path, r.patient, label, text)
	if !ok {
		f.drop(i)
		return
	}
	note.Line, note.Resource = f.lineAt(f.j.From(i)), r.whole
	note.Below = func([]markup.Edit) []markup.Edit { return nil } // see besideFHIR
	f.notes = append(f.notes, note)
	f.fields.values = append(f.fields.values, value{i, note, back})
}

// dateForm returns the date in an element that can be replaced, and a function that returns a new value for the element. Elements with
// the type instant must have a time, so the year 2071 becomes the beginning of that year.
func dateForm(text, path string) (string, func(string) (string, bool), bool) {
	back := func(made string) (string, bool) { return made, base.OnlyYear.MatchString(made) }
	if !base.OnlyYear.MatchString(text) {
		var ok bool
		if text, back, ok = base.MachineDate(text); !ok {
			return "", nil, false
		}
	}
	return text, func(made string) (string, bool) {
		value, ok := back(made)
		if ok && base.OnlyYear.MatchString(value) && allElements().has(allElements().instants, path) {
			value += "-01-01T00:00:00Z"
		}
		return `"` + value + `"`, ok
	}, true
}

// beside returns the edits of all elements that change.
func (f *reader) beside(edits [][]markup.Edit) []markup.Edit {
	out, gone := slices.Concat(f.fields.replaced, f.masks), maps.Clone(f.fields.gone)
	next := 0
	for n, note := range f.notes {
		if i, ok := f.fields.strings[note]; ok && isBlank(note, edits[n]) {
			gone[i] = true
		}
		if next == len(f.fields.values) || f.fields.values[next].note != note {
			continue
		}
		v := f.fields.values[next]
		next++
		if len(edits[n]) == 0 {
			continue
		}
		if raw, ok := v.back(note.NewValue(edits[n])); ok {
			out = append(out, markup.Edit{Start: f.j.From(v.i), End: f.j.To(v.i), New: raw})
		} else {
			gone[v.i] = true
		}
	}
	removed := f.remove(gone)
	markup.SortEdits(removed)
	return append(outside(out, removed), removed...)
}

// isBlank reports whether edits leave nothing of a text, which no string of FHIR may be.
func isBlank(n *base.Note, edits []markup.Edit) bool {
	return len(edits) > 0 && strings.TrimSpace(markup.Apply(n.Text, edits)) == ""
}

// outside returns the edits that are not within removed ones, which are sorted.
func outside(edits, removed []markup.Edit) []markup.Edit {
	return slices.DeleteFunc(edits, func(e markup.Edit) bool {
		k, _ := slices.BinarySearchFunc(removed, e.Start, func(r markup.Edit, at int) int { return cmp.Compare(r.Start, at+1) })
		return k > 0 && e.End <= removed[k-1].End
	})
}

// finishFields sets what the record must know about its fields.
func (f *reader) finishFields(record *base.Record) {
	record.Fields, record.Beside, record.Fixed = f.fields.counts, f.beside, nil
	record.ID = f.alias(f.root())
	aliases := map[string]string{}
	for _, n := range f.notes {
		name, path, _ := strings.Cut(n.ID, "#")
		alias, ok := aliases[name]
		if !ok {
			alias = f.alias(name)
			aliases[name] = alias
		}
		if alias != name {
			n.Alias = alias + "#" + path
		}
		if !n.IsValue() {
			n.Known = append(slices.Clip(n.Known), f.fields.people...)
		}
	}
}

// learnPerson adds the names of a person who is no patient to the known values of all notes of the record.
func (f *reader) learnPerson(i int, kind safetynet.Kind) {
	for _, name := range f.each(i, "name", '{') {
		parts := append(f.strings(name, "given"), f.j.First(name, "family"))
		for _, text := range []string{f.j.First(name, "text"), strings.TrimSpace(strings.Join(parts, " "))} {
			if text != "" {
				f.fields.people = append(f.fields.people, safetynet.Value{Kind: kind, Text: text})
			}
		}
	}
}
