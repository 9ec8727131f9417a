package reader

import (
	"cmp"
	"context"
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// doubts returns the tokens that are labelled O, the first label, but have another
// label with a probability of at least from: see data.Prober. marginal writes the
// probabilities of a token's labels.
func doubts(tokens []data.Token, found []int32, labels []string, from float64, marginal func(token int, into []float64)) []data.Span {
	var unsure []data.Span
	p := make([]float64, len(labels))
	byType := map[string]float64{}
	types := make([]string, len(labels)-1)
	for l, name := range labels[1:] {
		_, types[l] = data.SplitLabel(name)
	}
	for i, label := range found {
		if label != 0 {
			continue
		}
		marginal(i, p)
		if 1-p[0] < from {
			continue
		}
		clear(byType)
		likeliest := ""
		for l, typ := range types {
			byType[typ] += p[l+1]
			if likeliest == "" || byType[typ] > byType[likeliest] {
				likeliest = typ
			}
		}
		unsure = append(unsure, data.Span{Start: tokens[i].Start, End: tokens[i].End, Type: likeliest, Score: min(1, 1-p[0])})
	}
	return unsure
}

// MergeDoubts combines doubts of several origins for a document with the sorted spans
// found. Of several doubts about one token it keeps the most probable. It drops doubts
// that overlap a span.
func MergeDoubts(found []data.Span, doubts ...[]data.Span) []data.Span {
	all := slices.Concat(doubts...)
	slices.SortFunc(all, func(a, b data.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Type, b.Type))
	})
	var merged []data.Span
	for _, d := range all {
		if from, to := data.Overlapping(found, d); from < to {
			continue
		}
		if k := len(merged) - 1; k < 0 || merged[k].Start != d.Start || merged[k].End != d.End {
			merged = append(merged, d)
		}
	}
	return merged
}

// Probe probes a tagger. If the tagger is not a data.Prober, it tags and returns no
// doubts.
func Probe(ctx context.Context, t data.Tagger, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	if p, ok := t.(data.Prober); ok {
		return p.Probe(ctx, docs, from)
	}
	found, err = t.Tag(ctx, docs)
	return found, make([][]data.Span, len(docs)), err
}
