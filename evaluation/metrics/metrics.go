// Package metrics finds all metrics by their names.
package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/conlleval"
	"github.com/lethe-deid/lethe/evaluation/i2b2"
	"github.com/lethe-deid/lethe/evaluation/meddocan"
)

// Prefixes of the names of plain measures restricted to HIPAA's types, and of
// averages over types.
const (
	hipaa = "hipaa/"
	macro = "macro/"
)

// OverTypes reports whether a name is that of an average over types, which requires a type set that
// lists the types.
func OverTypes(name string) bool { return strings.HasPrefix(name, macro) }

// scorers return the metrics that have complete names.
var scorers = []func() []evaluation.Metric{
	evaluation.Metrics,
	conlleval.Metrics,
	i2b2.Metrics,
	meddocan.Metrics,
}

// Names returns the names of all metrics. Names that start with "hipaa/" require
// a type set that marks HIPAA's types; names that start with "macro/" require one
// that lists its types.
func Names() []string {
	names := []string{macro + "strict", macro + "token"}
	for _, m := range evaluation.Metrics() {
		names = append(names, hipaa+m.Name)
	}
	for _, m := range all() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

// Lookup finds a metric by its exact name, or a plain measure restricted to one
// type, such as strict/PATIENT. If name is only the beginning of names, the error
// lists those. types is used only for names that start with "hipaa/" or "macro/",
// or that contain a type.
func Lookup(name string, types *data.TypeSet) (evaluation.Metric, error) {
	if plain, ok := strings.CutPrefix(name, hipaa); ok {
		for _, m := range evaluation.Metrics() {
			if m.Name == plain {
				return m.HIPAA(types)
			}
		}
	}
	if plain, typ, ok := strings.Cut(name, "/"); ok && typ != "" {
		for _, m := range evaluation.Metrics() {
			if m.Name == plain {
				return m.Type(typ, types)
			}
		}
	}
	others := all()
	if OverTypes(name) {
		averages, err := evaluation.Macro(types)
		if err != nil {
			return evaluation.Metric{}, err
		}
		others = averages
	}
	for _, m := range others {
		if m.Name == name {
			return m, nil
		}
	}
	unfinished := slices.DeleteFunc(Names(), func(n string) bool { return name == "" || !strings.HasPrefix(n, name) })
	return evaluation.Metric{}, fmt.Errorf("no metric %q (have %s)", name, cmp.Or(strings.Join(unfinished, ", "), Overview()))
}

// Overview lists the metrics for people. Metrics that share a prefix up to the
// first slash are shown as the prefix and their number.
func Overview() string {
	const large = 8
	families := map[string][]string{}
	for _, name := range Names() {
		f, _, _ := strings.Cut(name, "/")
		families[f] = append(families[f], name)
	}
	var listed []string
	for _, f := range slices.Sorted(maps.Keys(families)) {
		if members := families[f]; len(members) > large {
			listed = append(listed, fmt.Sprintf("%s/... (%d)", f, len(members)))
		} else {
			listed = append(listed, members...)
		}
	}
	return strings.Join(listed, ", ")
}

// LookupAll finds several metrics. Without names it returns the two most
// informative ones: strict, and the binary token measure of Dernoncourt et al.
// 2016, restricted to HIPAA's types if the type set marks them. It returns an
// error for a duplicate name.
func LookupAll(names []string, types *data.TypeSet) ([]evaluation.Metric, error) {
	if len(names) == 0 {
		names = []string{"strict", hipaa + "binary_token"}
		if _, err := Lookup(names[1], types); err != nil {
			names[1] = "binary_token"
		}
	}
	var found []evaluation.Metric
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("duplicate metric %s", name)
		}
		m, err := Lookup(name, types)
		if err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, nil
}

func all() []evaluation.Metric {
	var all []evaluation.Metric
	for _, metrics := range scorers {
		all = append(all, metrics()...)
	}
	return all
}
