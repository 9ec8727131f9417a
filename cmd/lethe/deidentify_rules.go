package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// ruleOptions say what is PHI besides what the model finds.
type ruleOptions struct {
	safetyNet          []string // one, or none for auto
	rules, deny, allow []string // files
	known              string   // a file
}

const netHelp = "auto (those for the model's types), english, spanish, a FILE of rules in their place, none (only what is replaced elsewhere in a patient's notes, and --known), or off"

func (o *ruleOptions) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.safetyNet, "safety-net", nil, "`RULES` by which the safety net knows the form of PHI: "+netHelp+" (default auto)")
	flags.StringArrayVar(&o.rules, "rules", nil, "`FILE` of rules of your own, for any type, in addition to all others: see docs/rules.md; repeatable (default none)")
	flags.StringArrayVar(&o.deny, "deny", nil, "`FILE` of words and phrases that are always replaced, one per line; repeatable (default none)")
	flags.StringArrayVar(&o.allow, "allow", nil, "`FILE` of words and phrases that are no PHI, one per line; repeatable (default none)")
	flags.StringVar(&o.known, "known", "", "`FILE` (csv or JSON) of what is known of each patient or note: see docs/deidentification.md (default none)")
}

// net is the value of --safety-net.
func (o *ruleOptions) net() string {
	if len(o.safetyNet) == 0 {
		return "auto"
	}
	return o.safetyNet[0]
}

func (o *ruleOptions) check() error {
	switch {
	case len(o.safetyNet) > 1:
		return errors.New("--safety-net can be given only once; --rules adds rules to the built-in ones")
	case o.known != "" && o.net() == "off":
		return errors.New("--known is what the safety net looks for: it cannot go with --safety-net off")
	}
	return nil
}

// set gives a Deidentifier its rules, and returns what is known of the patients.
func (o *ruleOptions) set(d *deid.Deidentifier, types *data.TypeSet) (known *safetynet.Values, err error) {
	if d.Net, err = newNet(o.net(), types); err != nil {
		return nil, err
	}
	var own []*rules.Set
	for _, path := range o.rules {
		set, err := ownRules("--rules", path, types)
		if err != nil {
			return nil, err
		}
		own = append(own, set)
	}
	if len(own) > 0 {
		d.Rules = func(text string) []data.Span { return spansOf(own, text) }
	}
	if d.Deny, err = readPhrases("--deny", o.deny, types, safetynet.OtherType(types)); err != nil {
		return nil, err
	}
	if d.Allow, err = readPhrases("--allow", o.allow, types, ""); err != nil {
		return nil, err
	}
	if n := d.Deny.Shared(d.Allow); n > 0 {
		return nil, fmt.Errorf("%d entries are both in --deny and in --allow", n)
	}
	if o.known != "" {
		return safetynet.Read(o.known, types)
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

// ownRules reads rules of the user's. Types that the model does not know could be neither replaced as
// asked nor scored, and are an error.
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

// newNet makes the safety net.
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
			return nil, err // it is part of the program
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

// formulaicCategories are those of types whose values can be told by their form.
var formulaicCategories = []string{"CONTACT", "ID", "DATE"}

// formulaic reports whether what rules find can be told by its form: net addresses, telephone and all
// other numbers, and dates that are written out.
func formulaic(category, text string) bool {
	switch category {
	case "CONTACT", "ID":
		return true
	case "DATE":
		return strings.ContainsFunc(text, unicode.IsDigit) && len(text) >= len("1/1/99")
	}
	return false
}

// categoryOf is the category of a type in the type set of the built-in rules.
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

// typeIn is the type itself where the set has it, else the set's first of its category.
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
