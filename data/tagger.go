package data

import "context"

// A Tagger finds PHI in documents. Trained models, rules and word lists implement
// it, and so do combinations of them.
type Tagger interface {
	// Tag returns the spans found in each document: sorted, without overlaps,
	// each with a score. It uses the text, and may use the patient, but never the
	// spans that a document already has. Passing many documents at once lets a
	// tagger batch them and use all cores.
	Tag(ctx context.Context, docs []*Document) ([][]Span, error)
}

// A Prober is a Tagger that also reports where it may have missed PHI.
type Prober interface {
	Tagger
	// Probe returns the spans that Tag finds, and the doubts of each document:
	// single tokens outside of the found spans whose probability of being PHI
	// is at least the parameter from. Each doubt has that probability as its score,
	// and its likeliest type. Doubts are sorted by start. If several taggers disagree,
	// doubts may be longer spans and may overlap.
	Probe(ctx context.Context, docs []*Document, from float64) (found, doubts [][]Span, err error)
}

// An Estimator is a Tagger that also tells how probable each type is for each token.
type Estimator interface {
	Tagger
	// Estimate returns the estimates for each document: sorted by start, without
	// overlaps. A token for which the tagger has no opinion is missing.
	Estimate(ctx context.Context, docs []*Document) ([][]Estimate, error)
}

// Estimate tells how probable the types are for the token text[Start:End]. The
// probabilities of all types add up to at most 1; the rest is the probability that the
// token is outside of any span.
type Estimate struct {
	Start, End int
	Chances    []Chance // of the types that are at all probable, in no particular order; those of one type add up
}

// Chance is the probability of one type for a token, divided by whether a span of the
// type begins at the token or began before.
type Chance struct {
	Type          string
	Begin, Inside float64
}

// TagEach tags all documents together or, if the tagger fails, the consecutive
// documents of each patient by themselves. For each document it returns the spans
// found or an error.
func TagEach(ctx context.Context, tagger Tagger, docs []*Document) ([][]Span, []error) {
	errs := make([]error, len(docs))
	found, err := tagger.Tag(ctx, docs)
	if err == nil {
		return found, errs
	}
	found = make([][]Span, len(docs))
	for from := 0; from < len(docs); {
		to := from + 1
		for to < len(docs) && docs[to].Patient != "" && docs[to].Patient == docs[from].Patient {
			to++
		}
		some, err := tagger.Tag(ctx, docs[from:to])
		for i := from; i < to; i++ {
			if errs[i] = err; err == nil {
				found[i] = some[i-from]
			}
		}
		from = to
	}
	return found, errs
}
