package data

import "context"

// A Tagger finds PHI: documents go in, spans come out. Every system of every paper is one, and so
// is every combination of systems.
type Tagger interface {
	// Tag returns, for each document, the spans found: sorted, not overlapping,
	// each with a score. It looks at the text only, never at the spans that a
	// document already has. Many documents at once let a tagger batch them and
	// use all cores.
	Tag(ctx context.Context, docs []*Document) ([][]Span, error)
}

// A Prober is a tagger that also tells where PHI may be that it does not find.
type Prober interface {
	Tagger
	// Probe returns what Tag does, and the doubts of each document: single tokens
	// outside of the spans found that are PHI with a probability of at least from,
	// each with that probability as its score and its likeliest type. They are sorted by
	// their start. Where several taggers disagree they may be spans, too, and overlap.
	Probe(ctx context.Context, docs []*Document, from float64) (found, doubts [][]Span, err error)
}

// TagEach tags documents together or, if the tagger fails on them, those of each patient by
// themselves. It returns what was found in each document, or the error of the document.
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
