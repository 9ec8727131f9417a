package reader

import (
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

// Wanted tells what to find besides spans.
type Wanted struct {
	Doubts    float64 // tokens that are PHI at least with this probability; 0: none
	Estimates bool
	Scores    bool // of all labels of each token
}

// Result is what a tagger found in a document or in a part of one.
type Result struct {
	Spans, Doubts []data.Span
	Estimates     []data.Estimate
	Scores        [][]taggers.TokenScores // by chain
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
	for k, scores := range next.Scores {
		if k == len(r.Scores) {
			r.Scores = append(r.Scores, nil)
		}
		r.Scores[k] = append(r.Scores[k], scores...)
	}
}

// Score returns the scores of a sentence, whose tokens have the labels found. marginal and logits write those of
// a token.
func Score(sentence int, tokens []data.Token, found []int32, labels int, marginal, logits func(token int, into []float64)) []taggers.TokenScores {
	all := make([]taggers.TokenScores, len(tokens))
	for i, token := range tokens {
		s := taggers.TokenScores{Token: token, Sentence: sentence, Label: found[i], Marginals: make([]float64, labels), Logits: make([]float64, labels)}
		marginal(i, s.Marginals)
		logits(i, s.Logits)
		all[i] = s
	}
	return all
}

// Spans returns the spans of each document.
func Spans(all []Result) [][]data.Span {
	return column(all, func(r Result) []data.Span { return r.Spans })
}

// AllDoubts returns the doubts of each document.
func AllDoubts(all []Result) [][]data.Span {
	return column(all, func(r Result) []data.Span { return r.Doubts })
}

// AllScores returns the scores of each document, by chain.
func AllScores(all []Result) [][][]taggers.TokenScores {
	return column(all, func(r Result) [][]taggers.TokenScores { return r.Scores })
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
