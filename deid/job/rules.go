package job

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// setRules gives d its safety net, its rules and its lists of phrases. It returns the known values of the patients, or
// nil if there are none.
func (c *checked) setRules(d *deid.Deidentifier, types *data.TypeSet) (known *safetynet.Values, err error) {
	if d.Net, err = newNet(c.SafetyNet, types); err != nil {
		return nil, err
	}
	var own []*rules.Set
	for _, path := range c.Rules {
		set, err := ownRules("--rules", path, types)
		if err != nil {
			return nil, err
		}
		own = append(own, set)
	}
	if len(own) > 0 {
		d.Rules = func(text string) []data.Span { return spansOf(own, text) }
	}
	if d.Deny, err = readPhrases("--deny", c.Deny, types, safetynet.OtherType(types)); err != nil {
		return nil, err
	}
	if d.Allow, err = readPhrases("--allow", c.Allow, types, ""); err != nil {
		return nil, err
	}
	if n := d.Deny.Shared(d.Allow); n > 0 {
		return nil, fmt.Errorf("--deny and --allow have %d entries in common", n)
	}
	if c.Known != "" {
		return safetynet.Read(c.Known, types)
	}
	return nil, nil
}

func readPhrases(flag string, paths []string, types *data.TypeSet, other string) (*safetynet.Phrases, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	list := safetynet.NewPhrases()
	for _, path := range paths {
		if err := list.Read(path, types, other); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	return list, nil
}

// ownRules reads a file of the user's rules. A type that the model does not have is an error, because it could be
// neither replaced by the plan nor scored.
func ownRules(flag, path string, types *data.TypeSet) (*rules.Set, error) {
	set, err := rules.Load(path)
	if err == nil {
		err = set.Check(types)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return set, nil
}

func spansOf(sets []*rules.Set, text string) []data.Span {
	var found []data.Span
	for _, set := range sets {
		found = append(found, set.Spans(text)...)
	}
	return found
}

// newNet returns the safety net for a value of --safety-net, or nil for "off". The error says which values there are.
func newNet(name string, types *data.TypeSet) (*safetynet.Net, error) {
	n := &safetynet.Net{Types: types}
	var builtin []string
	switch name {
	case "off":
		return nil, nil
	case "none":
		return n, nil
	case "auto":
		switch {
		case types.Name == "meddocan":
			builtin = []string{"spanish"}
		case strings.HasPrefix(types.Name, "i2b2"), types.Name == "mimic":
			builtin = []string{"english"}
		default:
			builtin = []string{"english", "spanish"}
		}
	default:
		if !slices.Contains(rules.BuiltinNames(), name) {
			if _, err := os.Stat(name); err != nil {
				return nil, fmt.Errorf("--safety-net: %q is neither a file nor one of auto, none, off, %s", name, strings.Join(rules.BuiltinNames(), ", "))
			}
			set, err := ownRules("--safety-net", name, types)
			if err != nil {
				return nil, err
			}
			n.Formulaic = func(text string) []data.Span { return set.Spans(text) }
			return n, nil
		}
		builtin = []string{name}
	}
	var sets []*rules.Set
	for _, name := range builtin {
		all, err := rules.Builtin(name)
		if err != nil {
			return nil, err // cannot happen: the rules are embedded in the program
		}
		only := slices.DeleteFunc(all.Types(), func(typ string) bool { return !slices.Contains(formulaicCategories, categoryOf(typ)) })
		sets = append(sets, all.Only(only))
	}
	n.Formulaic = func(text string) []data.Span {
		var found []data.Span
		for _, s := range spansOf(sets, text) {
			if category := categoryOf(s.Type); formulaic(category, text[s.Start:s.End]) {
				s.Type = typeIn(types, s.Type, category)
				found = append(found, s)
			}
		}
		return found
	}
	return n, nil
}

// formulaicCategories are the categories of types whose values can be recognized by their form.
var formulaicCategories = []string{"CONTACT", "ID", "DATE"}

// formulaic reports whether a value that a rule has found is recognizable by its form alone. This holds for internet
// addresses, for telephone and other numbers, and for dates with a digit that are at least as long as 1/1/99.
func formulaic(category, text string) bool {
	switch category {
	case "CONTACT", "ID":
		return true
	case "DATE":
		return strings.ContainsFunc(text, unicode.IsDigit) && len(text) >= len("1/1/99")
	}
	return false
}

// categoryOf returns the category of a type of the built-in rules, or "" if it is unknown.
func categoryOf(typ string) string {
	for _, name := range []string{"i2b2-2014", "meddocan"} {
		if set, err := data.LookupTypeSet(name); err == nil {
			if t, ok := set.Lookup(typ); ok {
				return t.Category
			}
		}
	}
	return ""
}

// typeIn returns typ if the set has it, otherwise the first type of the category, or typ if there is none.
func typeIn(types *data.TypeSet, typ, category string) string {
	if !types.Has(typ) {
		for _, t := range types.Types {
			if t.Category == category {
				return t.Name
			}
		}
	}
	return typ
}
