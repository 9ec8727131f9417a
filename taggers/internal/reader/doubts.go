package reader

import (
	"cmp"
	"context"
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// doubts returns the tokens that are labelled O, the first label, but have another
// label with a probability of at least from: see data.Prober. marginal writes the
// probabilities of a token's first labels. Nearly all tokens are surely O, so it is
// asked for the other labels only where they matter.
func doubts(tokens []data.Token, found []int32, labels []string, from float64, marginal func(token int, into []float64)) []data.Span {
	var unsure []data.Span
	var rest *types
	var outside [1]float64
	for i, label := range found {
		if label != 0 {
			continue
		}
		if marginal(i, outside[:]); 1-outside[0] < from {
			continue
		}
		if rest == nil {
			rest = newTypes(labels)
		}
		marginal(i, rest.labels)
		unsure = append(unsure, data.Span{Start: tokens[i].Start, End: tokens[i].End, Type: rest.likeliest(), Score: min(1, 1-outside[0])})
	}
	return unsure
}

// types sums the probabilities of labels by type.
type types struct {
	labels []float64 // by label; the first is O
	of     []int     // by label: its type; unused for O
	names  []string
	sums   []float64 // by type
}

func newTypes(labels []string) *types {
	t := &types{labels: make([]float64, len(labels)), of: make([]int, len(labels))}
	for l, label := range labels[1:] {
		_, name := data.SplitLabel(label)
		k := slices.Index(t.names, name)
		if k < 0 {
			k, t.names = len(t.names), append(t.names, name)
		}
		t.of[l+1] = k
	}
	t.sums = make([]float64, len(t.names))
	return t
}

// likeliest returns the most probable type; of equal ones, the one that reaches the
// probability first, in the order of the labels. There must be a label besides O.
func (t *types) likeliest() string {
	clear(t.sums)
	best := 0
	for l, p := range t.labels[1:] {
		k := t.of[l+1]
		if t.sums[k] += p; t.sums[k] > t.sums[best] {
			best = k
		}
	}
	return t.names[best]
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
