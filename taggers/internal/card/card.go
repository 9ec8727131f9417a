// Package card adds scores to model cards.
package card

import (
	"slices"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Score adds the scores of the spans found in dev to a card.
func Score(c checkpoints.Card, gold, system [][]data.Span) checkpoints.Card {
	score := func(name string, n evaluation.Counts) checkpoints.Score {
		return checkpoints.Score{Type: name, Precision: n.Precision(), Recall: n.Recall(), F1: n.F1(), Support: n.TP + n.FN}
	}
	of := func(docs [][]data.Span, name string) [][]data.Span {
		out := make([][]data.Span, len(docs))
		for i, spans := range docs {
			for _, s := range spans {
				if s.Type == name {
					out[i] = append(out[i], s)
				}
			}
		}
		return out
	}
	names := map[string]bool{}
	for _, spans := range slices.Concat(gold, system) {
		for _, s := range spans {
			names[s.Type] = true
		}
	}
	c.Overall, c.Types = score("", evaluation.Strict(gold, system)), nil
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		c.Types = append(c.Types, score(name, evaluation.Strict(of(gold, name), of(system, name))))
	}
	return c
}
