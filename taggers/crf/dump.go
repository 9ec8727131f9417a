package crf

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// Dump is the weights of a chain, label by label, as crfsuite dump shows them. Other programs may rely on the keys of its JSON form.
type Dump struct {
	Attributes int     `json:"attributes"` // attributes that have a feature
	Features   int     `json:"features"`   // pairs of an attribute and a label
	Labels     []Label `json:"labels"`
}

// Label has the transitions and features of a label with the largest absolute weights first.
type Label struct {
	Label       string       `json:"label"`
	Transitions []Transition `json:"transitions"` // to the label after it
	Features    []Feature    `json:"features"`
}

// Transition is the weight of a label after another.
type Transition struct {
	To     string  `json:"to"`
	Weight float64 `json:"weight"`
}

// Feature is the weight of an attribute for a label.
type Feature struct {
	Column string  `json:"column"`
	Offset int     `json:"offset"` // position of the token that has the value, relative to the token with the label
	Value  *string `json:"value"`  // nil: hidden, because it can be words of the training notes; "": a position beyond the sentence
	Weight float64 `json:"weight"`
}

// Dump returns one Dump per chain of the tagger: a single one, or one per type. Each lists at most limit transitions and features per label, or all
// if limit is 0. Values that can be words of the training notes are hidden unless showText is set.
func (t *Tagger) Dump(limit int, showText bool) []Dump {
	var all []Dump
	attributes := t.extractor.Attributes()
	for _, m := range t.models {
		all = append(all, m.dump(attributes, limit, showText))
	}
	return all
}

func (m model) dump(attributes []feature.Attribute, limit int, showText bool) Dump {
	d := Dump{Features: len(m.chain.Label)}
	of := make([][]ref, len(m.labels))
	for a := range attributes {
		from, to := m.chain.First[a], m.chain.First[a+1]
		if from < to {
			d.Attributes++
		}
		for f := from; f < to; f++ {
			l := m.chain.Label[f]
			of[l] = append(of[l], ref{a, m.chain.Weight[f]})
		}
	}
	for i, name := range m.labels {
		l := Label{Label: name, Transitions: m.transitions(i), Features: []Feature{}}
		strongest(l.Transitions, func(t Transition) float64 { return t.Weight })
		strongest(of[i], func(r ref) float64 { return r.weight })
		if limit > 0 {
			l.Transitions, of[i] = l.Transitions[:min(limit, len(l.Transitions))], of[i][:min(limit, len(of[i]))]
		}
		for _, r := range of[i] {
			a := attributes[r.attribute]
			f := Feature{Column: a.Column, Offset: a.Offset, Weight: r.weight}
			if showText || a.Closed || a.Value == "" {
				f.Value = &a.Value
			}
			l.Features = append(l.Features, f)
		}
		d.Labels = append(d.Labels, l)
	}
	return d
}

// ref is a feature of a label.
type ref struct {
	attribute int
	weight    float64
}

func (m model) transitions(from int) []Transition {
	all := []Transition{}
	L := len(m.labels)
	for to, w := range m.chain.Transition[from*L : (from+1)*L] {
		all = append(all, Transition{m.labels[to], w})
	}
	return all
}

// strongest sorts by the absolute weight, and keeps the order of equal weights.
func strongest[T any](all []T, weight func(T) float64) {
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(math.Abs(weight(b)), math.Abs(weight(a))) })
}

// WriteText writes the weights as text, preceded by the name of a member of a system, which may be empty. It reports whether any values are hidden;
// they are written as *.
func (d *Dump) WriteText(w *bufio.Writer, member string) (hidden bool) {
	if member != "" {
		member += ": "
	}
	fmt.Fprintf(w, "%s%d labels, %d attributes, %d features\n", member, len(d.Labels), d.Attributes, d.Features)
	for _, l := range d.Labels {
		fmt.Fprintf(w, "\n%s\n", l.Label)
		for _, t := range l.Transitions {
			fmt.Fprintf(w, "%12.4f  --> %s\n", t.Weight, t.To)
		}
		for _, f := range l.Features {
			value := "*"
			switch {
			case f.Value == nil:
				hidden = true
			case *f.Value == "":
				value = "(beyond the sentence)"
			default:
				value = *f.Value
			}
			fmt.Fprintf(w, "%12.4f  %s[%d]=%s\n", f.Weight, f.Column, f.Offset, value)
		}
	}
	fmt.Fprintln(w)
	return hidden
}
