// Package metrics is the table of all metrics by name.
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

// What stands before the names of the plain measures over HIPAA's types only, and
// of averages over types.
const (
	hipaa = "hipaa/"
	macro = "macro/"
)

// scorers have metrics whose names say all.
var scorers = []func() []evaluation.Metric{
	evaluation.Metrics,
	conlleval.Metrics,
	i2b2.Metrics,
	meddocan.Metrics,
}

// Names lists all metrics. Those that start with "hipaa/" want a type set that
// says which types HIPAA names, those that start with "macro/" one that names its
// types.
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

// Lookup finds a metric by its exact name, or a plain measure over one type, as
// in strict/PATIENT; of an unfinished name, the error lists
// those that begin with it. types is of use for those that start
// with "hipaa/" or "macro/", or name a type.
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
	if strings.HasPrefix(name, macro) {
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

// Overview lists the metrics for people: of many that share what stands before
// the first slash only that and their number.
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

// LookupAll finds several metrics. Without names they are the two that say most:
// strict, and the binary token measure of Dernoncourt et al. 2016, over HIPAA's
// types only where the type set says which these are. It is an error when a name
// is there twice.
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
			return nil, fmt.Errorf("metric %s is there twice", name)
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
