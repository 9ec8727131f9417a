package reader

import "github.com/lethe-deid/lethe/data"

// Wanted tells what to find besides spans.
type Wanted struct {
	Doubts    float64 // tokens that are PHI at least with this probability; 0: none
	Estimates bool
}

// Result is what a tagger found in a document or in a part of one.
type Result struct {
	Spans, Doubts []data.Span
	Estimates     []data.Estimate
}

// Read returns the result for a sentence whose spans are known. marginal writes the
// probabilities of a token's first labels, as many as into has room for.
func (w Wanted) Read(spans []data.Span, tokens []data.Token, found []int32, labels []string, scheme data.Scheme, marginal func(token int, into []float64)) Result {
	r := Result{Spans: spans}
	if w.Doubts > 0 {
		r.Doubts = doubts(tokens, found, labels, w.Doubts, marginal)
	}
	if w.Estimates {
		r.Estimates = estimates(tokens, labels, scheme, marginal)
	}
	return r
}

// Add appends the result for the next part of the document.
func (r *Result) Add(next Result) {
	r.Spans = append(r.Spans, next.Spans...)
	r.Doubts = append(r.Doubts, next.Doubts...)
	r.Estimates = append(r.Estimates, next.Estimates...)
}

// Spans returns the spans of each document.
func Spans(all []Result) [][]data.Span {
	return column(all, func(r Result) []data.Span { return r.Spans })
}

// AllDoubts returns the doubts of each document.
func AllDoubts(all []Result) [][]data.Span {
	return column(all, func(r Result) []data.Span { return r.Doubts })
}

// AllEstimates returns the estimates of each document.
func AllEstimates(all []Result) [][]data.Estimate {
	return column(all, func(r Result) []data.Estimate { return r.Estimates })
}

// column returns one part of each result, or nil if there are no results.
func column[T any](all []Result, part func(Result) []T) [][]T {
	if all == nil {
		return nil
	}
	parts := make([][]T, len(all))
	for i, r := range all {
		parts[i] = part(r)
	}
	return parts
}
