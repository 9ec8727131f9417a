package hf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// outside is the label of text that is not PHI.
const outside = "O"

// labels is what the labels of a model mean.
type labels struct {
	scheme data.Scheme
	names  []string // labels of scheme over types of the corpus, outside first
	of     []int32  // by label of the model: its index in names
}

// split divides a label of a model into the prefix of its scheme and its type. have reports whether the model has a
// label. BILOU's prefixes are returned as those of BIOES. A label without a prefix is all type.
func split(label string, have func(string) bool) (prefix, typ string) {
	prefix, typ, ok := strings.Cut(label, "-")
	if !ok || typ == "" {
		return "", label
	}
	switch prefix {
	case "B", "I":
		return prefix, typ
	case "E", "L", "S", "U":
		if have("B-"+typ) || have("I-"+typ) { // otherwise it is a type such as E-MAIL
			return map[string]string{"E": "E", "L": "E", "S": "S", "U": "S"}[prefix], typ
		}
	}
	return "", label
}

// newLabels maps the labels of a model to types of the corpus. Its errors begin with "types".
func newLabels(model []string, given map[string]Type, types *data.TypeSet) (*labels, error) {
	have := func(label string) bool { return slices.Contains(model, label) }
	l := &labels{scheme: data.IO, names: []string{outside}}
	used := map[string]bool{}
	var missing []string
	isOutside := false
	for _, label := range model {
		if label == outside {
			l.of, isOutside = append(l.of, 0), true
			continue
		}
		prefix, typ := split(label, have)
		to, known := given[label]
		if known {
			used[label] = true
		} else if to, known = given[typ]; known {
			used[typ] = true
		} else if types.Has(typ) {
			to, known = Type{typ}, true
		}
		switch {
		case !known:
			if !slices.Contains(missing, typ) {
				missing = append(missing, typ)
			}
		case to.Name == "":
			isOutside = true
			l.of = append(l.of, 0)
		default:
			if prefix == "E" || prefix == "S" {
				l.scheme = data.BIOES
			} else if prefix == "B" && l.scheme == data.IO {
				l.scheme = data.BIO
			}
			if prefix == "" {
				prefix = "I"
			}
			name := prefix + "-" + to.Name
			at := slices.Index(l.names, name)
			if at < 0 {
				at = len(l.names)
				l.names = append(l.names, name)
			}
			l.of = append(l.of, int32(at))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		// A key that another, more exact one makes superfluous is no mistake.
		if !used[key] && !slices.ContainsFunc(model, func(label string) bool { _, typ := split(label, have); return label == key || typ == key }) {
			return nil, fmt.Errorf("types.%s: the model has no such label (have %s)", key, strings.Join(modelTypes(model), ", "))
		}
	}
	switch {
	case given[outside].Name != "":
		return nil, fmt.Errorf("types.%s: is the label of text that is not PHI", outside)
	case len(missing) > 0:
		return nil, fmt.Errorf("types: labels of the model without a type of %s: %s (map each to a type of the corpus, or to null to leave it out)", types.Name, strings.Join(missing, ", "))
	case !isOutside:
		return nil, fmt.Errorf("types: the model has no label %s for text that is not PHI: map the label that means it to null", outside)
	case len(l.names) == 1:
		return nil, errors.New("types: all labels of the model are left out")
	}
	return l, nil
}

// modelTypes lists the labels of a model without their prefixes.
func modelTypes(model []string) []string {
	var all []string
	for _, label := range model {
		_, typ := split(label, func(other string) bool { return slices.Contains(model, other) })
		if label != outside && !slices.Contains(all, typ) {
			all = append(all, typ)
		}
	}
	return all
}

// merge adds the probabilities of the model's labels to those of the labels that they mean.
func (l *labels) merge(into []float64, of []float64) {
	clear(into)
	for k, p := range of {
		into[l.of[k]] += p
	}
}
