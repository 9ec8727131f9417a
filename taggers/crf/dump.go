package crf

import (
	"cmp"
	"math"
	"slices"
)

// Weight is a feature and what it says: how much it speaks for a label, or for a
// label after another.
type Weight struct {
	From   string  `json:"from,omitempty"`   // of a transition: the label before
	Column string  `json:"column,omitempty"` // of an attribute: what kind of value
	Offset int     `json:"offset"`           // and of which token, counted from the labelled one
	Value  string  `json:"value,omitempty"`  // can be a word of the training notes
	Label  string  `json:"label"`
	Weight float64 `json:"weight"`
}

// Weights lists the transitions, and the features of attributes, the strongest
// first: at most limit of each, unless it is 0. What shows words of the training
// notes is left out unless showText.
func (t *Tagger) Weights(limit int, showText bool) (transitions, features []Weight) {
	attributes := t.extractor.Attributes()
	for _, m := range t.models {
		L := len(m.labels)
		for i, w := range m.chain.Transition {
			transitions = append(transitions, Weight{From: m.labels[i/L], Label: m.labels[i%L], Weight: w})
		}
		for a, at := range attributes {
			if !showText {
				at.Value = ""
			}
			for f := m.chain.First[a]; f < m.chain.First[a+1]; f++ {
				features = append(features, Weight{Column: at.Column, Offset: at.Offset, Value: at.Value, Label: m.labels[m.chain.Label[f]], Weight: m.chain.Weight[f]})
			}
		}
	}
	strongest := func(all []Weight) []Weight {
		slices.SortStableFunc(all, func(a, b Weight) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
		if limit > 0 && len(all) > limit {
			all = all[:limit:limit]
		}
		return all
	}
	return strongest(transitions), strongest(features)
}
