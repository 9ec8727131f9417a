package memory

import (
	"context"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/taggers"
)

// belief is how probable a tagger considers the gold type of a token, or that it has none.
type belief struct {
	data.Token
	log  float64 // logarithm of the probability
	odds float64 // logarithm of the odds, which distinguishes probabilities near 1
}

// limit bounds logarithms of probabilities and of odds. Probabilities beyond it are rounding errors.
const limit = 200

// beliefs returns what a tagger believes of the gold annotations of notes, by note and token. Sentences do not matter.
func beliefs(ctx context.Context, t data.Tagger, docs []*data.Document) ([][]belief, error) {
	switch t := t.(type) {
	case taggers.Scorer:
		return ofScorer(ctx, t, docs)
	case data.Estimator:
		all, err := t.Estimate(ctx, docs)
		return ofEstimates(docs, all), err
	}
	// A tagger without probabilities of all types has those of what it finds.
	found, err := t.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	all := make([][]data.Estimate, len(docs))
	for i, d := range docs {
		for _, tok := range (tokenize.LettersDigits{}).Tokens(d.Text, nil) {
			e := data.Estimate{Start: tok.Start, End: tok.End}
			s := data.Span{Start: tok.Start, End: tok.End}
			for _, span := range found[i] {
				if span.Start < s.End && s.Start < span.End {
					e.Chances = []data.Chance{{Type: span.Type, Begin: span.Score}}
				}
			}
			all[i] = append(all[i], e)
		}
	}
	return ofEstimates(docs, all), nil
}

// ofScorer reads the probabilities of all labels. The probability of a type at a token is the sum of those of its
// labels. A tagger with several chains, one per type, considers a type as probable as its chain does, times the
// probabilities that the other chains find nothing.
func ofScorer(ctx context.Context, t taggers.Scorer, docs []*data.Document) ([][]belief, error) {
	scores, err := t.Scores(ctx, docs)
	if err != nil {
		return nil, err
	}
	chains := t.Chains()
	types := make([][]string, len(chains)) // by chain and label
	for c, chain := range chains {
		for _, label := range chain.Labels {
			_, name := data.SplitLabel(label)
			types[c] = append(types[c], name)
		}
	}
	all := make([][]belief, len(docs))
	for i, d := range docs {
		for c := range chains {
			for k, s := range scores[i][c] {
				if c == 0 {
					all[i] = append(all[i], belief{Token: s.Token})
				}
				want := typeAt(d, s.Token)
				if !slices.Contains(types[c], want) {
					want = ""
				}
				right, wrong := 0.0, 0.0
				for l, p := range s.Marginals {
					if types[c][l] == want {
						right += p
					} else {
						wrong += p
					}
				}
				all[i][k].log += logOf(right, wrong)
			}
		}
		for k := range all[i] {
			all[i][k].setOdds()
		}
	}
	return all, nil
}

// logOf returns the logarithm of a probability, given what is left to 1. The smaller of both is the exact one.
func logOf(right, wrong float64) float64 {
	if wrong < 0.5 {
		return math.Log1p(-wrong)
	}
	return math.Log(max(right, math.Exp(-limit)))
}

// setOdds sets the odds by the probability.
func (b *belief) setOdds() {
	b.log = max(b.log, -limit)
	rest := -math.Expm1(b.log)
	if rest <= 0 {
		b.odds = limit
		return
	}
	b.odds = min(max(b.log-math.Log(rest), -limit), limit)
}

// ofEstimates reads the probabilities of types.
func ofEstimates(docs []*data.Document, all [][]data.Estimate) [][]belief {
	out := make([][]belief, len(all))
	for i, estimates := range all {
		for _, e := range estimates {
			want, right, wrong := typeAt(docs[i], data.Token{Start: e.Start, End: e.End}), 0.0, 0.0
			for _, c := range e.Chances {
				if c.Type == want {
					right += c.Begin + c.Inside
				} else {
					wrong += c.Begin + c.Inside
				}
			}
			if want == "" {
				right = max(0, 1-wrong)
			} else {
				wrong = max(0, 1-right)
			}
			b := belief{Token: data.Token{Start: e.Start, End: e.End}, log: logOf(right, wrong)}
			b.setOdds()
			out[i] = append(out[i], b)
		}
	}
	return out
}

// typeAt returns the gold type of a token, or "".
func typeAt(d *data.Document, tok data.Token) string {
	for _, s := range d.Spans { // which may overlap
		if s.Start < tok.End && tok.Start < s.End {
			return s.Type
		}
	}
	return ""
}

// loss returns the mean negative logarithm of the probability of the gold types of a note.
func loss(tokens []belief) float64 {
	sum := 0.0
	for _, b := range tokens {
		sum -= b.log
	}
	return sum / float64(max(1, len(tokens)))
}

// confidence returns the mean logarithm of the odds of the tokens in a span. ok is false if there are none.
func confidence(tokens []belief, s data.Span) (mean float64, ok bool) {
	n := 0
	for _, b := range tokens {
		if b.Start < s.End && s.Start < b.End {
			mean += b.odds
			n++
		}
	}
	return mean / float64(max(1, n)), n > 0
}
