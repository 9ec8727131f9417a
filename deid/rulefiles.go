package deid

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// RuleFiles names the files from which a Deidentifier gets its rules and phrases. All fields except
// SafetyNet may be empty.
type RuleFiles struct {
	SafetyNet string   // safety net, as a name for NewNet
	Rules     []string // rule files (see package rules), with types of the tagger's set
	Deny      []string // lists of words and phrases that are always PHI (see safetynet.Phrases)
	Allow     []string // lists of words and phrases that are not PHI (see Deidentifier.Allow)
}

// Set reads the files and sets the fields Net, Rules, Correct, Deny and Allow of d. types is the type set of d's tagger. Errors start
// with the name of the field that is at fault: safety-net, rules, deny or allow.
func (f *RuleFiles) Set(d *Deidentifier, types *data.TypeSet) (err error) {
	if d.Net, err = NewNet(f.SafetyNet, types); err != nil {
		return fmt.Errorf("safety-net: %w", err)
	}
	own, err := ownRules(types, f.Rules...)
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	d.Rules, d.Correct = joined(own), corrected(own)
	if d.Deny, err = safetynet.ReadPhrases(f.Deny, types, safetynet.OtherType(types)); err != nil {
		return fmt.Errorf("deny: %w", err)
	}
	if d.Allow, err = safetynet.ReadPhrases(f.Allow, types, ""); err != nil {
		return fmt.Errorf("allow: %w", err)
	}
	if n := d.Deny.Shared(d.Allow); n > 0 {
		return fmt.Errorf("deny: entries that are also in --allow: %d; each must be in one of the two lists only", n)
	}
	return nil
}

// NewNet returns a safety net for notes with PHI of the given types. name chooses the rules that recognize PHI by its
// form:
//
//   - auto: the rules of the type set
//   - a name of rules.BuiltinNames: these built-in rules
//   - a path: the rules in this file
//   - none: no such rules
//   - off: no safety net; then NewNet returns nil
//
// The net uses only those built-in rules whose values are recognizable by their form: internet addresses, telephone and
// other numbers, and dates with digits. If the set lacks the type of a rule, the values get the set's type for their
// sort, if it has one.
func NewNet(name string, types *data.TypeSet) (*safetynet.Net, error) {
	net := &safetynet.Net{Types: types}
	var err error
	switch {
	case name == "off":
		return nil, nil
	case name == "none":
	case name == "auto":
		err = setBuiltin(net, types.Rules...)
	case slices.Contains(rules.BuiltinNames(), name):
		err = setBuiltin(net, name)
	default:
		if _, err := os.Stat(name); err != nil {
			return nil, fmt.Errorf("%q is neither a file nor one of auto, none, off, %s", name, strings.Join(rules.BuiltinNames(), ", "))
		}
		var own []*rules.Set
		if own, err = ownRules(types, name); err == nil && own[0].Corrects() {
			err = fmt.Errorf("%s: has corrections, which have no effect in a safety net: give the file as rules", name)
		}
		net.Formulaic = joined(own)
	}
	if err != nil {
		return nil, err
	}
	return net, nil
}

// finder returns spans of PHI in a text. A nil finder means that there is nothing to search for.
type finder = func(text string) []data.Span

// ownRules reads rule files of the user. It is an error if a type is not in the set, because its spans could be neither
// replaced by the plan nor scored.
func ownRules(types *data.TypeSet, paths ...string) (sets []*rules.Set, err error) {
	for _, path := range paths {
		set, err := rules.Load(path)
		if err == nil {
			err = set.Check(types)
		}
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// corrected returns a function that applies the corrections of the sets one after the other, or nil if there are none.
func corrected(sets []*rules.Set) func(string, []data.Span) []data.Span {
	sets = slices.DeleteFunc(slices.Clone(sets), func(set *rules.Set) bool { return !set.Corrects() })
	if len(sets) == 0 {
		return nil
	}
	return func(text string, spans []data.Span) []data.Span {
		for _, set := range sets {
			spans = set.Correct(text, spans)
		}
		return spans
	}
}

// joined returns a finder with all rules of the sets, or nil if there are no sets.
func joined(sets []*rules.Set) finder {
	if len(sets) == 0 {
		return nil
	}
	return func(text string) []data.Span {
		var found []data.Span
		for _, set := range sets {
			found = append(found, set.Spans(text)...)
		}
		return found
	}
}

// setBuiltin sets the finder of a net, with those of the named built-in rules whose values are recognizable by their form, and with the rules and corrections that the
// safety net has beside them; without names it sets nothing. It translates types that the net's set lacks. In a note whose languages are known, only rules for these count; a value
// that the rules of several languages find has the type of the first. The rules of a language are compiled when they are first asked for, which takes as long as opening a
// model; Expect asks for them beforehand.
func setBuiltin(net *safetynet.Net, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	var sets lazyRules
	for _, name := range names {
		if err := (rules.Config{Set: name}).Validate(); err != nil {
			return err
		}
		sets = append(sets, lazySet{languageOf(name), sync.OnceValue(func() builtinRules { return newBuiltinRules(name, net.Types) })})
	}
	of := func(text string) iter.Seq[builtinRules] {
		if net.Languages == nil {
			return sets.in(nil)
		}
		return sets.in(net.Languages(text))
	}
	net.Expect = func(languages []string) {
		for range sets.in(languages) {
		}
	}
	if len(names) == 1 { // it is known which ones are needed
		go net.Expect(nil)
	}
	net.Formulaic = func(text string) []data.Span { return formulaic(text, of(text)) }
	net.Correct = func(text string, spans []data.Span) []data.Span {
		for b := range of(text) {
			spans = b.beside.Correct(text, spans)
			if b.language == "es" {
				spans = withoutClauses(text, spans, net.Types)
			}
		}
		var left []data.Span
		for _, s := range spans {
			if !safetynet.IsDoseAbbreviation(text, s) && !safetynet.IsBrand(text, s) && !safetynet.IsClinical(text, s) && (net.Types.SortOf(s.Type) != data.Street || !safetynet.IsTooth(text, s)) {
				left = append(left, correctedName(text, s, net.Types)...)
			}
		}
		return withoutMistakes(text, left, net.Types)
	}
	return nil
}

// lazyRules are built-in rules that are compiled when they are first asked for.
type lazyRules []lazySet

type lazySet struct {
	language string // empty for any
	compiled func() builtinRules
}

// in returns the rules for some languages, or for all if there are none.
func (l lazyRules) in(languages []string) iter.Seq[builtinRules] {
	return func(yield func(builtinRules) bool) {
		for _, set := range l {
			if (set.language == "" || len(languages) == 0 || slices.Contains(languages, set.language)) && !yield(set.compiled()) {
				return
			}
		}
	}
}

// formulaic returns what the rules of several languages find in a text. What those of one find that of an earlier one have found, too, is left out.
func formulaic(text string, sets iter.Seq[builtinRules]) (found []data.Span) {
	columns := slices.Concat(safetynet.Columns(text), safetynet.Names(text), safetynet.Titled(text), safetynet.SaidNames(text), safetynet.DividedNames(text), safetynet.ShiftRows(text), safetynet.Handles(text))
	seen := map[[2]int]bool{}
	for b := range sets {
		earlier := len(found)
		for _, s := range b.find(text, columns) {
			if !seen[[2]int{s.Start, s.End}] {
				found = append(found, s)
			}
		}
		for _, s := range found[earlier:] {
			seen[[2]int{s.Start, s.End}] = true
		}
	}
	return found
}

// withoutClauses returns what is PHI of sorted spans in a Spanish note, without the words that the network takes for a town or a person because of a postcode or a street beside them, and
// with the names of institutions that it takes for the days of saints.
func withoutClauses(text string, spans []data.Span, types *data.TypeSet) (left []data.Span) {
	for i, s := range spans {
		if n := len(left) - 1; n >= 0 && types.SortOf(s.Type) == data.Date && slices.Contains(addresses, types.SortOf(left[n].Type)) && safetynet.IsSaintOfInstitution(text, left[n], s) {
			left[n].End = s.End
			continue
		}
		switch sort := types.SortOf(s.Type); {
		case slices.Contains(places, sort):
			left = append(left, safetynet.WithoutSentenceBehindPostcode(text, s)...)
			continue
		case sort == data.Person && i+1 < len(spans) && slices.Contains(addresses, types.SortOf(spans[i+1].Type)) && strings.TrimSpace(text[s.End:spans[i+1].Start]) == "":
			s = safetynet.WithoutClauseBeforeStreet(text, s)
		}
		if s.Start < s.End {
			left = append(left, s)
		}
	}
	return left
}

// addresses are the sorts of what a clause leads to: a network takes some streets for institutions.
var addresses = []data.Sort{data.Street, data.Hospital, data.Organization}

// places are the sorts of towns, states and postcodes.
var places = []data.Sort{data.City, data.State, data.Place, data.Zip}

// correctedName returns what is PHI of a span: that which is no kind of document, no word that is no name, and no sentence behind a name.
func correctedName(text string, s data.Span, types *data.TypeSet) []data.Span {
	sort := types.SortOf(s.Type)
	if !slices.Contains(namesAndPlaces, sort) {
		return []data.Span{s}
	}
	s = safetynet.WithoutKinds(text, s)
	switch {
	case s.Start == s.End || safetynet.NoName(text, s) || sort != data.Family && safetynet.AreFunctionWords(text, s):
		return nil
	case sort != data.Department && sort != data.Family && !slices.Contains(places, sort) && safetynet.IsDisease(text, s):
		return nil
	case sort == data.Person:
		return safetynet.WithoutSentences(text, s)
	}
	return []data.Span{s}
}

// namesAndPlaces are the sorts whose values are names of people, institutions or places, and those whose values may be anything.
var namesAndPlaces = []data.Sort{data.Person, data.Hospital, data.Organization, data.Department, data.City, data.State, data.Place, data.Landmark, data.Other, data.Number, data.Username, data.Family}

// withoutMistakes returns what is PHI of sorted spans, as notations of medicine and the headings of tables tell.
func withoutMistakes(text string, spans []data.Span, types *data.TypeSet) []data.Span {
	isPerson := func(typ string) bool { return types.SortOf(typ) == data.Person }
	return safetynet.CorrectCells(text, safetynet.WithoutNotation(text, spans, types.SortOf), isPerson)
}

// builtinRules are the built-in rules for a language.
type builtinRules struct {
	formulaic *rules.Set        // those whose values are recognizable by their form
	beside    *rules.Set        // those of the safety net alone, with its corrections
	become    map[string]string // type of a rule -> type of the net's set
	columns   map[string]string // the same for types of columns of tables
	language  string            // of the rules; empty if there is none
	date      string            // the type of dates in the net's set
}

func newBuiltinRules(name string, types *data.TypeSet) builtinRules {
	set, err := rules.Builtin(name)
	if err != nil {
		panic(err) // the program would have been built with a broken set
	}
	b := builtinRules{become: map[string]string{}, columns: map[string]string{}, language: languageOf(name)}
	if b.language != "" {
		if b.date = typesFor(name).OfSort(data.Date); !types.Has(b.date) {
			b.date = cmp.Or(types.OfSort(data.Date), safetynet.OtherType(types))
		}
	}
	b.formulaic = set.Only(slices.DeleteFunc(set.Types(), func(typ string) bool { return !slices.Contains(withForm, data.Any.SortOf(typ)) }))
	if b.beside, err = rules.Net(name); err != nil {
		panic(err)
	}
	add := func(set *rules.Set, other func(typ string) string) {
		for _, typ := range set.Types() {
			if b.become[typ] = typ; !types.Has(typ) {
				b.become[typ] = cmp.Or(types.OfSort(data.Any.SortOf(typ)), other(typ))
			}
		}
	}
	add(b.formulaic, func(typ string) string { return typ })
	b.beside.Prepare()
	add(b.beside, func(string) string { return safetynet.OtherType(types) })
	for _, typ := range append(safetynet.ColumnTypes(), "ORGANIZATION") {
		if b.columns[typ] = typesFor(name).Counterpart(typ); !types.Has(b.columns[typ]) {
			b.columns[typ] = cmp.Or(types.Counterpart(typ), safetynet.OtherType(types))
		}
	}
	return b
}

// inSentences are the names in short sentences without a label, by the language of a text.
var inSentences = map[string]finder{"en": safetynet.PlainNames, "es": safetynet.AskedNames}

// find returns the spans in a text, the values in columns of its tables, names in short sentences, and the days and months without a year that words tell.
func (b builtinRules) find(text string, columns []data.Span) []data.Span {
	var found []data.Span
	if names := inSentences[b.language]; names != nil {
		known := data.Disjoint(slices.Clone(columns))
		for _, name := range withoutMistakes(text, b.beside.Correct(text, names(text)), data.Any) {
			if !data.Covered(name, known) {
				columns = append(columns[:len(columns):len(columns)], name)
			}
		}
	}
	for _, s := range columns {
		s.Type = b.columns[s.Type]
		found = append(found, s)
	}
	days := safetynet.DaysAndMonths(text, b.language)
	for i := range days {
		days[i].Type = b.date
	}
	found = append(found, safetynet.WithoutNotation(text, b.beside.Correct(text, days), data.Any.SortOf)...)
	for _, set := range []*rules.Set{b.formulaic, b.beside} {
		for _, s := range withoutMistakes(text, b.beside.Correct(text, set.Spans(text)), data.Any) {
			if set == b.formulaic && data.Any.SortOf(s.Type) == data.Date && !dated(text, s) {
				continue
			}
			s.Type = b.become[s.Type]
			found = append(found, s)
		}
	}
	return found
}

// languageOf returns the language that built-in rules are for, or "" if there is none.
func languageOf(rules string) string {
	if set := typesFor(rules); set != nil {
		return set.Language
	}
	return ""
}

// typesFor returns the type set of a language that names built-in rules, or nil if there is none.
func typesFor(rules string) *data.TypeSet {
	for _, name := range data.TypeSetNames() {
		if set, err := data.LookupTypeSet(name); err == nil && set.Language != "" && slices.Contains(set.Rules, rules) {
			return set
		}
	}
	return nil
}

// withForm are the sorts whose values are recognizable by their form.
var withForm = []data.Sort{data.Number, data.Phone, data.Email, data.URL, data.IP, data.Date}

// dated reports whether a date is recognizable by its form: it contains a digit and is at least as long as 1/1/99.
func dated(text string, s data.Span) bool {
	value := text[s.Start:s.End]
	return strings.ContainsFunc(value, unicode.IsDigit) && len(value) >= len("1/1/99") && !isClock(text, s)
}
