// Package metrics is the table of all metrics by name.
package metrics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/i2b2"
)

// hipaa stands before the name of a plain measure over HIPAA's types only.
const hipaa = "hipaa/"

// scorers have metrics whose names say all.
var scorers = []func() []evaluation.Metric{
	evaluation.Metrics,
	i2b2.Metrics,
}

// Names lists all metrics. Those that start with "hipaa/" want a type set that
// says which types HIPAA names.
func Names() []string {
	var names []string
	for _, m := range evaluation.Metrics() {
		names = append(names, hipaa+m.Name)
	}
	for _, m := range all() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

// Lookup finds a metric by its exact name. types is of use for those that start
// with "hipaa/" only.
func Lookup(name string, types *data.TypeSet) (evaluation.Metric, error) {
	if plain, ok := strings.CutPrefix(name, hipaa); ok {
		for _, m := range evaluation.Metrics() {
			if m.Name == plain {
				return m.HIPAA(types)
			}
		}
	}
	for _, m := range all() {
		if m.Name == name {
			return m, nil
		}
	}
	return evaluation.Metric{}, fmt.Errorf("no metric %q (have %s)", name, strings.Join(Names(), ", "))
}

// Defaults are the names of the two metrics that say most: strict, and the
// binary token measure of Dernoncourt et al. 2016, over HIPAA's types only where
// the type set says which these are.
func Defaults(types *data.TypeSet) []string {
	if _, err := Lookup("hipaa/binary_token", types); err != nil {
		return []string{"strict", "binary_token"}
	}
	return []string{"strict", "hipaa/binary_token"}
}

func all() []evaluation.Metric {
	var all []evaluation.Metric
	for _, metrics := range scorers {
		all = append(all, metrics()...)
	}
	return all
}
