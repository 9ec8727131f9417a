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
	if s, ok := t.(taggers.Scorer); ok {
		return ofScorer(ctx, s, docs)
	}
	found, err := t.Tag(ctx, docs)
	return ofSpans(docs, found), err
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
				want := typeAt(d.Spans, s.Token)
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

// ofSpans reads what a tagger finds, if it has no probabilities of labels. It has an opinion only where it finds something: the score
// of a span is the probability of its type.
func ofSpans(docs []*data.Document, found [][]data.Span) [][]belief {
	all := make([][]belief, len(found))
	for i, spans := range found {
		for _, tok := range (tokenize.LettersDigits{}).Tokens(docs[i].Text, nil) {
			want := typeAt(docs[i].Spans, tok)
			p := 0.0
			if want == "" {
				p = 1
			}
			for _, s := range spans {
				switch {
				case s.End <= tok.Start || tok.End <= s.Start:
				case s.Type == want:
					p = s.Score
				case want == "":
					p = 1 - s.Score
				}
			}
			b := belief{Token: tok, log: logOf(p, 1-p)}
			b.setOdds()
			all[i] = append(all[i], b)
		}
	}
	return all
}

// typeAt returns the gold type of a token, or "".
func typeAt(spans []data.Span, tok data.Token) string {
	for _, s := range spans { // which may overlap
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
