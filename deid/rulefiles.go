package deid

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// RuleFiles name what a Deidentifier looks for besides what its tagger finds.
type RuleFiles struct {
	SafetyNet string   // the name that NewNet takes
	Rules     []string // rule files (see package rules), of types of the set
	Deny      []string // lists of words and phrases that are always PHI, see safetynet.Phrases
	Allow     []string // lists of words and phrases that are never PHI
	Known     string   // file of values that are known of patients, see safetynet.Read; empty for none
}

// Set reads the files, gives them to d, and returns the known values, nil if there
// are none. Types is the type set of d's tagger. Errors begin with the field that
// is wrong: safety-net, rules, deny, allow or known.
func (f *RuleFiles) Set(d *Deidentifier, types *data.TypeSet) (known *safetynet.Values, err error) {
	if d.Net, err = NewNet(f.SafetyNet, types); err != nil {
		return nil, fmt.Errorf("safety-net: %w", err)
	}
	if d.Rules, err = ownRules(types, f.Rules...); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	if d.Deny, err = safetynet.ReadPhrases(f.Deny, types, safetynet.OtherType(types)); err != nil {
		return nil, fmt.Errorf("deny: %w", err)
	}
	if d.Allow, err = safetynet.ReadPhrases(f.Allow, types, ""); err != nil {
		return nil, fmt.Errorf("allow: %w", err)
	}
	if n := d.Deny.Shared(d.Allow); n > 0 {
		return nil, fmt.Errorf("deny: %d entries are also in allow", n)
	}
	if f.Known == "" {
		return nil, nil
	}
	if known, err = safetynet.Read(f.Known, types); err != nil {
		return nil, fmt.Errorf("known: %w", err)
	}
	return known, nil
}

// NewNet returns a safety net for notes with PHI of the given types. The rules by
// which it recognizes the form of PHI are the set's own (auto), built-in ones
// (rules.BuiltinNames), or those of a file; or it has none. For off the net is nil.
//
// Of built-in rules only those are used that find what can be told by its form:
// addresses on the internet, telephone and other numbers, and dates in digits.
// What they find has the set's type for its sort.
func NewNet(name string, types *data.TypeSet) (*safetynet.Net, error) {
	net := &safetynet.Net{Types: types}
	var err error
	switch {
	case name == "off":
		return nil, nil
	case name == "none":
	case name == "auto":
		net.Formulaic, err = formulaicRules(types, types.Rules...)
	case slices.Contains(rules.BuiltinNames(), name):
		net.Formulaic, err = formulaicRules(types, name)
	default:
		if _, err := os.Stat(name); err != nil {
			return nil, fmt.Errorf("%q is neither a file nor one of auto, none, off, %s", name, strings.Join(rules.BuiltinNames(), ", "))
		}
		net.Formulaic, err = ownRules(types, name)
	}
	if err != nil {
		return nil, err
	}
	return net, nil
}

// finder returns what it finds in a text. A nil finder finds nothing.
type finder = func(text string) []data.Span

// ownRules reads rule files of a user, whose types must be in the set: a tagger's
// output could not be scored with others.
func ownRules(types *data.TypeSet, paths ...string) (finder, error) {
	var sets []*rules.Set
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
	return joined(sets), nil
}

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

// formulaicRules returns what the built-in rules of these names find that can be
// told by its form, with types of the set.
func formulaicRules(types *data.TypeSet, names ...string) (finder, error) {
	var sets []*rules.Set
	become := map[string]string{} // the set's type for each of the rules' types
	for _, name := range names {
		set, err := rules.Builtin(name)
		if err != nil {
			return nil, err
		}
		formulaic := slices.DeleteFunc(set.Types(), func(typ string) bool { return !hasForm(sortOfRule(typ)) })
		for _, typ := range formulaic {
			if become[typ] = typ; !types.Has(typ) {
				become[typ] = cmp.Or(types.OfSort(sortOfRule(typ)), typ)
			}
		}
		sets = append(sets, set.Only(formulaic))
	}
	all := joined(sets)
	if all == nil {
		return nil, nil
	}
	return func(text string) []data.Span {
		var found []data.Span
		for _, s := range all(text) {
			if sortOfRule(s.Type) != data.Date || inDigits(text[s.Start:s.End]) {
				s.Type = become[s.Type]
				found = append(found, s)
			}
		}
		return found
	}, nil
}

// sortOfRule returns the sort of a type of the built-in rules, whichever set it is of.
func sortOfRule(typ string) data.Sort { return data.Any.Describe(typ).Sort }

// hasForm reports whether values of a sort can be told by their form.
func hasForm(sort data.Sort) bool {
	switch sort {
	case data.Number, data.Phone, data.Email, data.URL, data.IP, data.Date:
		return true
	}
	return false
}

// inDigits reports whether a date is written out, at least as 1/1/99.
func inDigits(date string) bool {
	return strings.ContainsFunc(date, unicode.IsDigit) && len(date) >= len("1/1/99")
}
