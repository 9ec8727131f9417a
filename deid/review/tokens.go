package review

import (
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// phiTokens returns the tokens of spans, which must be disjoint: the runs of letters and digits in each, or the whole span if
// it has none. So evaluation.Leak counts them, too.
func phiTokens(text string, spans []data.Span) []data.Span {
	var all []data.Span
	for _, s := range spans {
		before := len(all)
		for t := range evaluation.Tokens(text[s.Start:s.End]) {
			all = append(all, data.Span{Start: s.Start + t.Start, End: s.Start + t.End, Type: s.Type, Score: 1})
		}
		if len(all) == before {
			all = append(all, s)
		}
	}
	return all
}

// outside returns the tokens that are not completely covered by the spans, which must be disjoint and sorted.
func outside(tokens, spans []data.Span) []data.Span {
	return slices.DeleteFunc(slices.Clone(tokens), func(t data.Span) bool { return data.Covered(t, spans) })
}

// labels returns the type of each token of a text, or "" for a token outside of the spans. A token that is partly in a span
// has its type.
func labels(text string, spans []data.Span) []string {
	var all []string
	for t := range evaluation.Tokens(text) {
		label := ""
		if from, to := data.Overlapping(spans, data.Span{Start: t.Start, End: t.End}); from < to {
			label = spans[from].Type
		}
		all = append(all, label)
	}
	return all
}
