// Package field says what must happen to the fields of a record. A field is a value that is PHI because of its place, such as the name
// of a patient in FHIR or in a column of a table, and not because of what a tagger finds in it.
//
// A table is a list of rules, each of which is a path and an action:
//
//	**.family = person
//	Patient.photo = drop
//	Patient.contact = keep
//
// The last rule that matches a field decides. Built-in tables contain the rules for the formats with fields, and policies and options add
// rules to them: see Builtin and Table.With.
package field

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/counted"
)

// An Action says what happens to a field. Every Action that is not one of these constants is the sort of the field's value (data.Sort),
// Clinician, or a type of the model: then the whole value is PHI of this sort or type, and is replaced as the policy says and as it is
// replaced in the notes of the same patient.
type Action string

// The actions.
const (
	Keep  Action = "keep"  // the value stays and is not examined
	Drop  Action = "drop"  // the value is removed
	Text  Action = "text"  // the value is a note, and examined like every other note
	Known Action = "known" // the value stays unless it contains a value that is known of the patient or has the form of PHI; for terms of a code system
	Hash  Action = "hash"  // the value, such as an identifier, becomes a pseudonym that is derived from the key
	Shift Action = "shift" // the value, a date, moves by the patient's number of days

	Clinician Action = "clinician" // the name of a person who treats patients
)

// fixed lists the actions that are not sorts or types.
var fixed = []Action{Keep, Drop, Text, Known, Hash, Shift}

// ParseAction checks the name of an action. Names in lower case must be actions or sorts. Whether the model has a type is checked by
// Table.Check.
func ParseAction(name string) (Action, error) {
	a := Action(name)
	switch {
	case name == "":
		return "", errors.New("the action is missing")
	case slices.Contains(fixed, a), a == Clinician, slices.Contains(data.Sorts(), data.Sort(name)):
		return a, nil
	case name == strings.ToLower(name):
		return "", fmt.Errorf("no action %q (have %s, %s, the sorts %s, and the types of the model)", name, counted.List(fixed), Clinician, counted.List(data.Sorts()))
	}
	return a, nil
}

// Whole reports whether the whole value is PHI of a sort or type.
func (a Action) Whole() bool { return !slices.Contains(fixed, a) }

// Type returns the type of types for the values of a, or "" if there is none. The type for a shifted value is that of dates.
func (a Action) Type(types *data.TypeSet) string {
	switch {
	case a == Shift:
		return types.OfSort(data.Date)
	case !a.Whole():
		return ""
	case a == Clinician || a == Action(data.Person):
		return types.OfPerson(a == Clinician)
	case slices.Contains(data.Sorts(), data.Sort(a)):
		return types.OfSort(data.Sort(a))
	}
	return string(a)
}

// Rule is the action for the fields that a path matches. The elements of a path are separated by dots; * and ? in an element match any
// characters and any character, and an element ** matches any number of elements, also none. The path of an object can only have the action
// Drop; with .** at its end it matches everything in the object. An element that contains dots is written in double quotes.
type Rule struct {
	Path   string
	Action Action

	elements []string
	own      bool // from a policy or an option, not from a built-in table
	anyCase  bool // elements are in lower case and match names in any case
}

// matches reports whether the rule is for the field at a path.
func (r Rule) matches(at []string) bool {
	if r.anyCase {
		at = lowerCase(at)
	}
	return matches(r.elements, at)
}

// ParseRule parses PATH=ACTION. Spaces around both are ignored.
func ParseRule(text string) (Rule, error) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return Rule{}, fmt.Errorf("%q is not of the form PATH=ACTION", text)
	}
	r := Rule{Path: strings.TrimSpace(text[:at])}
	var err error
	if r.Action, err = ParseAction(strings.TrimSpace(text[at+1:])); err != nil {
		return Rule{}, fmt.Errorf("%q: %w", r.Path, err)
	}
	if r.elements, err = split(r.Path); err != nil {
		return Rule{}, fmt.Errorf("%q: %w", r.Path, err)
	}
	return r, nil
}

// ParseRules parses rules of the form PATH=ACTION for the fields of a format. In hl7, paths may be written as in PID-5.1, and must be
// places of a message. In fhir, they begin with a type of resource or a pattern. In csv, a path is the name of a column, so it is one
// element, whether or not it contains dots.
func ParseRules(format string, texts []string) ([]Rule, error) {
	rules := make([]Rule, len(texts))
	for i, text := range texts {
		var err error
		if rules[i], err = ParseRule(text); err != nil {
			return nil, err
		}
		switch format {
		case "hl7":
			rules[i].elements, err = hl7Elements(rules[i].Path)
		case "fhir":
			err = checkResource(rules[i].elements[0])
		case "csv":
			rules[i].elements = []string{strings.Join(rules[i].elements, ".")}
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", rules[i].Path, err)
		}
	}
	return rules, nil
}

// split splits a path at its dots, except those in double quotes.
func split(text string) ([]string, error) {
	var elements []string
	for rest, more := text, true; more; {
		var element string
		if strings.HasPrefix(rest, `"`) {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, errors.New("a quote is not closed")
			}
			element, rest = rest[1:1+end], rest[end+2:]
			if more = strings.HasPrefix(rest, "."); rest != "" && !more {
				return nil, errors.New("text after a closing quote")
			}
			rest = strings.TrimPrefix(rest, ".")
		} else {
			element, rest, more = strings.Cut(rest, ".")
		}
		if element == "" {
			return nil, errors.New("the path has an empty element")
		}
		elements = append(elements, element)
	}
	return elements, nil
}

// matches reports whether elements match a path.
func matches(elements, at []string) bool {
	if len(elements) == 0 {
		return len(at) == 0
	}
	if elements[0] == "**" {
		return matches(elements[1:], at) || len(at) > 0 && matches(elements, at[1:])
	}
	if len(at) == 0 {
		return false
	}
	return matchesName(elements[0], at[0]) && matches(elements[1:], at[1:])
}

// matchesName reports whether an element matches a name, in which * stands for any characters and ? for one.
func matchesName(element, name string) bool {
	before, after, star := strings.Cut(element, "*")
	for _, want := range before {
		r, size := utf8.DecodeRuneInString(name)
		if size == 0 || want != '?' && want != r {
			return false
		}
		name = name[size:]
	}
	if !star {
		return name == ""
	}
	for at := range name {
		if matchesName(after, name[at:]) {
			return true
		}
	}
	return matchesName(after, "")
}

// A Table contains the rules for a format. It is not safe for concurrent use, because it remembers which rules have matched.
type Table struct {
	rules   []Rule
	decided map[string]int    // the index of the rule that decides about a path, or -1
	near    map[string]string // see NearMiss
	used    []bool            // whether each rule has matched a field, even if a later one decided
	root    *Place            // nil before Root
	folded  [][]string        // the elements of the rules in lower case, for places
	places  int               // number of places that are remembered
}

// NewTable returns a table of rules.
func NewTable(rules []Rule) *Table {
	return &Table{rules: rules, decided: map[string]int{}, near: map[string]string{}, used: make([]bool, len(rules))}
}

//go:embed tables
var tables embed.FS

// Builtin returns the rules of the built-in table for a format, or nil if it has none. Formats without a table have no fields, or keep
// them unless rules say otherwise.
func Builtin(format string) []Rule {
	text, ok := Source(format)
	if !ok {
		return nil
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	rules, err := ParseRules(format, lines)
	if err != nil {
		panic(fmt.Sprintf("the built-in fields of %s: %v", format, err)) // a test reads all of them
	}
	return rules
}

// Copy returns another table of the same rules, for use in another goroutine. It has matched nothing.
func (t *Table) Copy() *Table {
	if t == nil {
		return nil
	}
	return NewTable(t.rules)
}

// OMOP returns the rules for the columns of the table NOTE of OMOP that name the day of a note. They match names in any case.
func OMOP() []Rule {
	return []Rule{
		{Path: "note_date", Action: "date", elements: []string{"note_date"}, anyCase: true},
		{Path: "note_datetime", Action: "date", elements: []string{"note_datetime"}, anyCase: true},
	}
}

// InAnyCase returns the rule for fields whose names may differ in case from those of its path.
func (r Rule) InAnyCase() Rule {
	r.elements, r.anyCase = lowerCase(r.elements), true
	return r
}

// OfTypes follows the name of a format in the name of the table for the format's data types.
const OfTypes = "-types"

// Source returns the text of the built-in table for a format, or false if it has none.
func Source(format string) (string, bool) {
	raw, err := fs.ReadFile(tables, "tables/"+format+".txt")
	return string(raw), err == nil
}

// Formats lists the formats with a built-in table.
func Formats() []string {
	files, err := fs.ReadDir(tables, "tables")
	if err != nil {
		panic(err) // the tables are embedded
	}
	var names []string
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".txt"); !strings.HasSuffix(name, OfTypes) {
			names = append(names, name)
		}
	}
	return names
}

// With returns a table with further rules, which take precedence.
func With(builtin, own []Rule) *Table {
	all := slices.Clone(builtin)
	for _, r := range own {
		r.own = true
		all = append(all, r)
	}
	return NewTable(all)
}

// Action returns the action for the field at a path, and false if no rule matches it.
func (t *Table) Action(at ...string) (Action, bool) {
	if k := t.decide(at); k >= 0 {
		return t.rules[k].Action, true
	}
	return "", false
}

// ActionWithin returns the action for the field at a path that may be in objects. A rule that drops one of these is a rule for the field,
// too, and the last rule decides. It is an error if that rule is one of a policy or an option that has another action for an object.
func (t *Table) ActionWithin(at ...string) (Action, bool, error) {
	k, object := t.decide(at), false
	for n := 1; n < len(at); n++ {
		if outer := t.decide(at[:n]); outer > k {
			k, object = outer, true
		}
	}
	if object {
		drop, err := t.drops(k)
		if drop || err != nil {
			return Drop, drop, err
		}
		k = t.decide(at)
	}
	if k < 0 {
		return "", false, nil
	}
	return t.rules[k].Action, true, nil
}

// NearMiss returns the path of a rule that would match a path if the case of letters did not count, or "" if there is none or another rule
// matches: somebody wanted the field changed, or there are two fields of one name.
func (t *Table) NearMiss(at ...string) string {
	if t.decide(at) >= 0 {
		return ""
	}
	key := strings.Join(at, "\x00")
	near, ok := t.near[key]
	if !ok {
		lower := lowerCase(at)
		if k := slices.IndexFunc(t.rules, func(r Rule) bool { return r.own && matches(lowerCase(r.elements), lower) }); k >= 0 {
			near = t.rules[k].Path
		}
		if len(t.near) < maxDecided {
			t.near[key] = near
		}
	}
	return near
}

// lowerCase returns the elements of a path in lower case.
func lowerCase(path []string) []string {
	lower := slices.Clone(path)
	for i := range lower {
		lower[i] = strings.ToLower(lower[i])
	}
	return lower
}

// Drops reports whether the object or list at a path is dropped with everything in it. It is an error if a rule of a policy or an option has
// another action for it.
func (t *Table) Drops(at ...string) (bool, error) {
	return t.drops(t.decide(at))
}

// drops is Drops for a place that a rule decides about, or none if k is negative.
func (t *Table) drops(k int) (bool, error) {
	if k < 0 {
		return false, nil
	}
	r := t.rules[k]
	if r.own && r.Action != Drop && r.elements[len(r.elements)-1] != "**" {
		return false, fmt.Errorf("the field %s is an object: write %s.** for everything in it, or the path of one of its values", r.Path, r.Path)
	}
	return r.Action == Drop, nil
}

// Own reports whether a rule of a policy or an option decides about a place.
func (t *Table) Own(at ...string) bool {
	k := t.decide(at)
	return k >= 0 && t.rules[k].own
}

// decide returns the index of the rule that decides about a path, or -1.
func (t *Table) decide(at []string) int {
	key := strings.Join(at, "\x00")
	if k, ok := t.decided[key]; ok {
		return k
	}
	k := -1
	for i, r := range t.rules {
		if r.matches(at) {
			k, t.used[i] = i, true
		}
	}
	if len(t.decided) < maxDecided {
		t.decided[key] = k
	}
	return k
}

// maxDecided bounds the memory of a table. Records have some hundreds of different paths, but hostile ones any number.
const maxDecided = 1 << 16

// Unused returns the paths of the rules of policies and options that have matched nothing.
func (t *Table) Unused() []string {
	var unused []string
	for i, r := range t.rules {
		if r.own && !t.used[i] {
			unused = append(unused, r.Path)
		}
	}
	return unused
}

// Missing returns the paths of the rules of policies and options that match none of the paths of a file.
func (t *Table) Missing(all [][]string) []string {
	var missing []string
	for _, r := range t.rules {
		if r.own && !slices.ContainsFunc(all, func(at []string) bool { return r.matches(at) }) {
			missing = append(missing, r.Path)
		}
	}
	return missing
}

// Renamed returns a table whose rules for paths that names returns another path for are rules for that one. It shares what Unused reports.
func (t *Table) Renamed(names func(at []string) []string) *Table {
	renamed := NewTable(slices.Clone(t.rules))
	renamed.used = t.used
	for i, r := range renamed.rules {
		if other := names(r.elements); other != nil {
			renamed.rules[i].elements = other
		}
	}
	return renamed
}

// Rules returns the rules in their order.
func (t *Table) Rules() []Rule { return t.rules }

// Uses reports whether a rule has an action.
func (t *Table) Uses(a Action) bool {
	return slices.ContainsFunc(t.rules, func(r Rule) bool { return r.Action == a })
}

// Check returns an error if a rule of a policy or an option names a sort or a type that the set does not have.
func (t *Table) Check(types *data.TypeSet) error {
	for _, r := range t.rules {
		if !r.own || !r.Action.Whole() {
			continue
		}
		if typ := r.Action.Type(types); typ == "" || !types.Has(typ) {
			return fmt.Errorf("%s: the model has no type for %s (the set %s)", r.Path, r.Action, types.Name)
		}
	}
	return nil
}
