package hl7

import (
	"cmp"
	_ "embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/lethe-deid/lethe/internal/archived"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// fieldRules applies Options.Fields to the fields of a message. See deid/field/tables/hl7.txt and hl7-types.txt for the built-in rules.
type fieldRules struct {
	options  base.Options
	types    *field.Table   // the rules for data types
	seen     map[string]int // how often each segment has occurred
	text     openText       // the texts of the current segment
	replaced []markup.Edit  // pseudonyms, and values that are removed
	counts   map[field.Action]int
	hashed   map[string]bool // the identifiers that have become pseudonyms
	codes    []keptCode      // the codes that stay, unless they are identifiers
}

// keptCode is a code at raw[from:to].
type keptCode struct {
	from, to int
	text     string
}

// place is the place of a value in a message: the name of the segment, and the numbers of the field, the repetition, the component and
// the subcomponent, from 1.
type place struct {
	segment                            string
	nth, field, repeat, component, sub int
}

func (p place) String() string {
	return fmt.Sprintf("%s[%d]-%d[%d].%d.%d", p.segment, p.nth, p.field, p.repeat, p.component, p.sub)
}

// path returns the elements of the path for which rules are written.
func (p place) path() []string {
	return []string{p.segment, strconv.Itoa(p.field), strconv.Itoa(p.component), strconv.Itoa(p.sub)}
}

// The program contains segments.txt and types.txt as an archive, which is a fraction of their size. TestArchive makes it.
//
//go:embed lists.zip.br
var archive []byte

// segmentFields contains the types of the fields of each segment, and typeComponents those of the components of each type.
var (
	segmentFields  = sync.OnceValue(func() map[string][]string { return readLists("segments.txt") })
	typeComponents = sync.OnceValue(func() map[string][]string { return readLists("types.txt") })
)

// readLists returns the lists of a file of the archive.
func readLists(file string) map[string][]string {
	text, err := fs.ReadFile(archived.Open(archive), file)
	if err != nil {
		panic(err) // the file is embedded
	}
	lists := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); words[0] != "#" {
			lists[words[0]] = words[1:]
		}
	}
	return lists
}

// olderType contains the types whose components are those of a later type.
var olderType = map[string]string{"PN": "XPN", "CN": "XCN", "CK": "CX", "AD": "XAD", "TN": "XTN", "TS": "DTM", "CE": "CWE", "CNE": "CWE", "CF": "CWE"}

// laterType returns the type whose rules apply to a type.
func laterType(name string) string {
	if later, ok := olderType[name]; ok {
		return later
	}
	return name
}

// typeOf returns the data type of a field, or "" if no version of HL7 has the field.
func typeOf(segment string, number int) string {
	types := segmentFields()[segment]
	if number < 1 || number > len(types) || types[number-1] == "-" {
		return ""
	}
	return laterType(types[number-1])
}

// segmentFields applies the rules to the fields of a segment. It calls note for the field with a note.
func (h *message) segmentFields(name string, fields [][2]int, note func(from, to int) error) error {
	f := h.fieldRules
	first := 1
	if name == "MSH" || name == "BHS" || name == "FHS" {
		first = 2 // the first field is the separator, and the second one contains the other separators
	}
	if f != nil {
		f.seen[name]++
	}
	for i := first; i < len(fields); i++ {
		number := i + first - 1
		if name == "NTE" && number == 3 || name == "OBX" && number == 5 {
			if err := note(fields[i][0], fields[i][1]); err != nil {
				return err
			}
		} else if f != nil {
			h.fieldAt(h.place(name, number), typeOf(name, number), fields[i][0], fields[i][1])
		}
	}
	if f != nil {
		h.closeText(h.person, &f.text, fmt.Sprintf("#%s[%d]", name, f.seen[name]), "")
	}
	return nil
}

// place returns the place of the first value in a field of the current segment.
func (h *message) place(segment string, number int) place {
	return place{segment: segment, nth: h.fieldRules.seen[segment], field: number, component: 1, sub: 1}
}

// fieldAt applies the rules to the field raw[from:to] of a data type, which is "" if it is unknown.
func (h *message) fieldAt(at place, typ string, from, to int) {
	for r := from; r <= to; {
		end := h.next(r, to, h.rep)
		at.repeat++
		h.repetition(at, typ, r, end)
		r = end + 1
	}
}

// repetition applies the rules to one value of a field.
func (h *message) repetition(at place, typ string, from, to int) {
	if at.component, at.sub = 1, 1; h.isFreeText(at, typ) { // separators in it may be text
		h.value(at, typ, from, to, nil)
		return
	}
	var parts []string
	for c := from; c <= to; {
		end := h.next(c, to, h.comp)
		parts = append(parts, string(h.raw[c:end]))
		c = end + 1
	}
	for c := from; c <= to; {
		end := h.next(c, to, h.comp)
		at.sub = 0
		for s := c; s <= end; {
			last := h.next(s, end, h.sub)
			at.sub++
			h.value(at, typ, s, last, parts)
			s = last + 1
		}
		at.component++
		c = end + 1
	}
	h.learnName(at, typ, string(h.raw[from:to]))
}

// isFreeText reports whether a field is a text without components.
func (h *message) isFreeText(at place, typ string) bool {
	if typ != "TX" && typ != "FT" && typ != "ST" {
		return false
	}
	action, _ := h.actionFor(at, typ)
	return action == field.Text
}

// actionFor returns the action for a value, and the simple data type that the value must keep. Values for which there is neither a rule nor
// a known data type are dropped.
func (h *message) actionFor(at place, typ string) (field.Action, string) {
	byType, simple := h.fieldRules.byType(typ, at.component, at.sub)
	if action, ok := h.fieldRules.options.Fields.Action(at.path()...); ok {
		return action, simple
	}
	return byType, simple
}

// byType returns the action for a component of a data type, and the simple data type of the component.
func (f *fieldRules) byType(typ string, component, sub int) (field.Action, string) {
	action, found := field.Drop, false
	rule := func(at ...string) {
		if a, ok := f.types.Action(at...); ok && !found {
			action, found = a, true
		}
	}
	for {
		components, composite := typeComponents()[typ]
		if !composite {
			if component == 1 && sub == 1 || typ == "ST" || typ == "TX" || typ == "FT" {
				rule(typ)
			} else if typ == "DTM" && component == 2 && sub == 1 { // the precision in older versions
				rule("ID")
				typ = "ID"
			}
			return action, typ
		}
		rule(typ, strconv.Itoa(component), strconv.Itoa(sub))
		rule(typ, strconv.Itoa(component))
		rule(typ)
		if component > len(components) {
			return action, ""
		}
		typ, component, sub = laterType(components[component-1]), sub, 1
	}
}

// newTypeRules returns the rules for data types, or nil if there are no rules for fields.
func newTypeRules(o base.Options) *field.Table {
	if o.Fields == nil {
		return nil
	}
	return field.NewTable(field.Builtin("hl7" + field.OfTypes))
}

// null is the value that tells a receiver to delete what it has.
const null = `""`

// value applies the rules to raw[from:to]. parts are the components of its field.
func (h *message) value(at place, typ string, from, to int, parts []string) {
	raw := string(h.raw[from:to])
	if strings.TrimSpace(raw) == "" || raw == null {
		return
	}
	action, simple := h.actionFor(at, typ)
	if action == field.Keep && !h.isRuled(at) && !hasForm(simple, raw) {
		action = field.Text
	}
	if action == field.Known && !h.isRuled(at) {
		action = knownCode(typ, at, simple, raw, parts)
	}
	f := h.fieldRules
	switch {
	case action == field.Keep && hasDigit(raw):
		f.codes = append(f.codes, keptCode{from, to, h.plain(raw)})
	case action == field.Keep:
	case action == field.Drop:
		h.remove(from, to)
	case action == field.Hash:
		if slices.Contains(shortIDs, at.segment+"-"+strconv.Itoa(at.field)) {
			simple = "ID"
		}
		h.hash(simple, from, to)
	case action == field.Text && at.segment == "OBX" && at.field == 5:
		h.text(from, to)
	case action == field.Text:
		h.addText(&f.text, from, to, "\n")
	case action == field.Known:
		h.addText(&h.person.terms, from, to, ";\n")
	default:
		h.whole(at, action, simple, from, to)
	}
}

// isRuled reports whether a policy, an option or hl7.txt has a rule for the place.
func (h *message) isRuled(at place) bool {
	_, ok := h.fieldRules.options.Fields.Action(at.path()...)
	return ok
}

// hasForm reports whether a value has the form of its simple data type, as far as the form excludes text.
func hasForm(simple, raw string) bool {
	form := plainValues[simple]
	return form == nil || form.MatchString(strings.TrimSpace(raw))
}

// registered matches the names of code systems of which the displays are not free text.
var registered = regexp.MustCompile(`(?i)^(?:LN|LOINC|SCT|SNM3?|SNOMED.*|I9C?|I10\w*|ICD\w*|CVX|MVX|NDC|RXNORM|C4|C5|CPT\w*|UCUM|ISO\+?|HL7\d{4})$`)

// knownCode returns the action for a code or a display. A code with a digit stays, a code of letters could be a name, and anything else is
// text, such as a display without a code. So is the display of an observed value, unless its code system is known.
func knownCode(typ string, at place, simple, raw string, parts []string) field.Action {
	coded := at.component
	if typ != "CWE" {
		coded = at.sub
	}
	if (coded == 2 || coded == 5 || coded == 11) && (typ == "CWE" || simple == "ST") {
		part := func(i int) string {
			if typ != "CWE" || i >= len(parts) {
				return ""
			}
			return strings.TrimSpace(parts[i])
		}
		if typ == "CWE" && part(coded-2) == "" || at.segment == "OBX" && at.field == 5 && !registered.MatchString(part(coded)) {
			return field.Text
		}
		return field.Known
	}
	switch {
	case !codeForm.MatchString(raw):
		return field.Text
	case hasDigit(raw):
		return field.Keep
	}
	return field.Known
}

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }

// plain returns the text of a value without escapes.
func (h *message) plain(raw string) string {
	v, loose := &markup.View{}, h.loose
	h.unescape(v, 0, raw)
	h.loose = loose
	return v.Text.String()
}

// remove empties a value.
func (h *message) remove(from, to int) {
	h.fieldRules.replaced = append(h.fieldRules.replaced, markup.Edit{Start: from, End: to})
	h.fieldRules.counts[field.Drop]++
}

// shortIDs are the fields with ids of messages, files, batches and facilities that are short in older versions.
var shortIDs = []string{"PV1-39", "RQD-7", "MSH-10", "MSA-2", "BHS-9", "BHS-11", "BHS-12", "FHS-9", "FHS-11", "FHS-12"}

// maxShort is the maximum length of values of some simple types, of the names of facilities and of the ids of messages in older versions.
const maxShort = 20

// hash replaces an identifier with its pseudonym.
func (h *message) hash(simple string, from, to int) {
	f, text := h.fieldRules, strings.TrimSpace(h.plain(string(h.raw[from:to])))
	if simple == "NM" || simple == "SI" || simple == "DTM" || simple == "DT" || simple == "TM" { // a pseudonym does not fit
		h.remove(from, to)
		return
	}
	f.replaced = append(f.replaced, markup.Edit{Start: from, End: to, New: f.pseudonym(simple, text)})
	f.counts[field.Hash]++
	f.hashed[text] = true
	if len(text) >= 4 && hasDigit(text) && !base.OID.MatchString(text) && simple != "IS" {
		h.know(safetynet.ID, text)
	}
}

// pseudonym returns the pseudonym of an identifier. That of an OID is an OID, and that of a short type is cut off.
func (f *fieldRules) pseudonym(simple, text string) string {
	made := f.options.Pseudonym(text)
	switch {
	case base.OID.MatchString(text):
		return base.OIDOf(made)
	case simple == "IS" || simple == "ID":
		return made[:min(len(made), maxShort)]
	}
	return made
}

// whole makes a note of a value that is PHI as a whole.
func (h *message) whole(at place, action field.Action, simple string, from, to int) {
	text := strings.TrimSpace(h.plain(string(h.raw[from:to])))
	back := func(made string) (string, bool) {
		if simple == "ID" || simple == "IS" {
			return made, len(made) <= maxShort
		}
		return made, hasForm(simple, made)
	}
	if action == "date" || action == field.Shift {
		text, back = dateOf(text)
	}
	label := ""
	if slices.Contains(births, at.segment+"-"+strconv.Itoa(at.field)) {
		label = "Date of birth: "
	}
	note, ok := h.fieldRules.options.ValueNote(action, "#"+at.String(), "", label, text)
	if !ok {
		h.remove(from, to)
		return
	}
	note.Line = h.line
	note.Below = func(edits []markup.Edit) []markup.Edit {
		if len(edits) == 0 {
			return nil
		}
		made, ok := back(note.NewValue(edits))
		if !ok {
			made = ""
		}
		return []markup.Edit{{Start: from, End: to, New: h.escape(made)}}
	}
	h.person.values = append(h.person.values, note)
}

// births are the fields with dates of birth.
var births = []string{"PID-7", "NK1-16", "GT1-8", "IN1-18", "STF-6"}

var timestamp = regexp.MustCompile(`^(\d{4}(?:\d{2}){0,2})((?:\d{2}){0,3}(?:\.\d+)?(?:[-+]\d{4})?)$`)

// dateOf returns the date in a value that can be replaced, and a function that returns the value with a new date. The function reports
// false if the new date is neither of the same form nor a year.
func dateOf(text string) (string, func(string) (string, bool)) {
	onlyAYear := func(made string) (string, bool) { return made, base.OnlyYear.MatchString(made) }
	m := timestamp.FindStringSubmatch(text)
	if m == nil || base.OnlyYear.MatchString(m[1]) {
		return strings.TrimSuffix(text, rest(m)), onlyAYear
	}
	date, back, ok := base.MachineDate(m[1])
	if !ok {
		return text, onlyAYear
	}
	return date, func(made string) (string, bool) {
		value, ok := back(made)
		if ok && !base.OnlyYear.MatchString(value) {
			value += m[2]
		}
		return value, ok
	}
}

// rest returns what follows the date in a match of timestamp.
func rest(m []string) string {
	if m == nil {
		return ""
	}
	return m[2]
}

// learnName adds the full name in a value to the known values, if its parts are replaced as names.
func (h *message) learnName(at place, typ, raw string) {
	first := 0
	switch typ {
	case "XPN":
	case "XCN", "PPN":
		first = 1
	default:
		return
	}
	at.component, at.sub = first+1, 1
	switch action, _ := h.actionFor(at, typ); action {
	case "person":
		h.fullName(safetynet.Name, raw, first)
	case field.Clinician:
		h.fullName(safetynet.Clinician, raw, first)
	}
}

// observationFields applies the rules to OBX-5 at raw[from:to], which is not ED. It reports whether there is nothing more to do, because the
// value is not a text.
func (h *message) observationFields(kind, code string, from, to int) bool {
	f := h.fieldRules
	at := h.place("OBX", 5)
	typ := laterType(kind)
	_, composite := typeComponents()[typ]
	action, ruled := f.options.Fields.Action(at.path()...)
	examined := action == field.Keep || action == field.Known || action == field.Text // also with a rule, if the value is a text
	if ruled && examined && typ == "CWE" {
		return false
	}
	if form := plainValues[kind]; form == nil && !composite || form != nil && !h.all(string(h.raw[from:to]), form.MatchString) {
		if !ruled || examined {
			return false
		}
		typ = "TX"
	}
	if typ == "NM" && !ruled && slices.Contains(base.PersonalCodes, code) {
		h.whole(at, cmp.Or(personalSorts[code], "age"), typ, from, to)
		return true
	}
	if ruled || !slices.Contains(numbers, typ) {
		h.fieldAt(at, typ, from, to)
	}
	return true
}

// personalSorts are the sorts of base.PersonalCodes that are no ages.
var personalSorts = map[string]field.Action{"21112-8": "date", "45401-7": "zip"}

// numbers are the types of observed values that stay.
var numbers = []string{"NM", "SN", "NA", "MA", "SI", "TM"}

// noteRule applies a rule that removes or replaces the text NTE-3. It reports whether there is nothing more to do.
func (h *message) noteRule(from, to int) bool {
	if h.fieldRules == nil {
		return false
	}
	at := h.place("NTE", 3)
	action, ok := h.fieldRules.options.Fields.Action(at.path()...)
	if !ok || action == field.Keep || action == field.Known || action == field.Text {
		return false
	}
	h.fieldAt(at, "FT", from, to)
	return true
}

// dropsObservation reports whether a rule removes OBX-5.
func (h *message) dropsObservation() bool {
	if h.fieldRules == nil {
		return false
	}
	action, _ := h.fieldRules.options.Fields.Action("OBX", "5", "1", "1")
	return action == field.Drop
}

// finishFields completes the record of a message.
func (h *message) finishFields(record *base.Record) {
	f := h.fieldRules
	for _, code := range f.codes {
		if f.hashed[code.text] && len(code.text) >= 4 {
			h.hash("ST", code.from, code.to)
		}
	}
	record.ID, record.Fields = h.id, f.counts
	if h.hasOwnID && f.hashed[h.plain(h.id)] {
		record.ID = f.pseudonym("ID", h.plain(h.id))
	}
	for _, n := range record.Notes {
		n.Alias = record.ID + strings.TrimPrefix(n.ID, h.id)
	}
	edits := f.replaced
	record.Beside = func([][]markup.Edit) []markup.Edit { return slices.Clone(edits) }
}
