package reader

import (
	"context"

	"github.com/lethe-deid/lethe/data"
)

// improbable is the probability below which a type is left out of an estimate.
const improbable = 1e-4

// Estimate returns the estimates of a tagger. A tagger that is not a data.Estimator has
// an opinion only where it finds something: the score of a span is the probability of
// its type.
func Estimate(ctx context.Context, t data.Tagger, docs []*data.Document) ([][]data.Estimate, error) {
	if e, ok := t.(data.Estimator); ok {
		return e.Estimate(ctx, docs)
	}
	found, err := t.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	all := make([][]data.Estimate, len(found))
	for i, spans := range found {
		for _, s := range spans {
			all[i] = append(all[i], data.Estimate{Start: s.Start, End: s.End, Chances: []data.Chance{{Type: s.Type, Begin: s.Score}}})
		}
	}
	return all, nil
}

// estimates returns the estimates for the tokens of a sentence from the probabilities of
// labels of any scheme. marginal writes the probabilities of a token's labels. Labels of
// scheme IO do not tell where spans begin. Adjacent tokens of one type are nearly always in
// one span, so the probability that a span begins at a token is the amount by which its type
// is more probable there than for the token before.
func estimates(tokens []data.Token, labels []string, scheme data.Scheme, marginal func(token int, into []float64)) []data.Estimate {
	all := make([]data.Estimate, len(tokens))
	p := make([]float64, len(labels))
	before, now := map[string]float64{}, map[string]float64{} // probability of each type, for IO
	for i, token := range tokens {
		e := data.Estimate{Start: token.Start, End: token.End}
		marginal(i, p)
		clear(now)
		for l, name := range labels {
			prefix, typ := data.SplitLabel(name)
			if typ == "" || p[l] < improbable {
				continue
			}
			begin, inside := p[l], 0.0
			switch {
			case scheme == data.IO:
				now[typ] = p[l]
				inside = min(p[l], before[typ])
				begin = p[l] - inside
			case prefix == "I" || prefix == "E":
				begin, inside = 0, p[l]
			}
			e.Chances = add(e.Chances, data.Chance{Type: typ, Begin: begin, Inside: inside})
		}
		all[i] = e
		before, now = now, before
	}
	return all
}

func add(all []data.Chance, c data.Chance) []data.Chance {
	for i := range all {
		if all[i].Type == c.Type {
			all[i].Begin += c.Begin
			all[i].Inside += c.Inside
			return all
		}
	}
	return append(all, c)
}

// MergeEstimates combines the estimates for the same tokens by models of different types.
// Probabilities that add up to more than 1 are scaled down.
func MergeEstimates(of ...[]data.Estimate) []data.Estimate {
	merged := of[0]
	for _, others := range of[1:] {
		for i, e := range others {
			merged[i].Chances = append(merged[i].Chances, e.Chances...)
		}
	}
	if len(of) == 1 {
		return merged
	}
	for _, e := range merged {
		sum := 0.0
		for _, c := range e.Chances {
			sum += c.Begin + c.Inside
		}
		for k := range e.Chances {
			e.Chances[k].Begin /= max(1, sum)
			e.Chances[k].Inside /= max(1, sum)
		}
	}
	return merged
}
