package trees

import "github.com/lethe-deid/lethe/data"

// voter tags notes with the models of one iteration. It is used by one goroutine.
type voter struct {
	*Tagger
	models []model
	row    []float32
}

func newVoter(t *Tagger, models []model) *voter {
	size := 0
	for _, m := range models {
		size = max(size, len(m.schema.columns))
	}
	return &voter{t, models, make([]float32, size)}
}

// ballot is what one model says about a token.
type ballot struct {
	label int32
	share float64
}

func (v *voter) tag(doc *data.Document, list *trusted) (spans []data.Span, phrases []finding) {
	for r := range v.reader.Cut(doc) {
		x := newStretch(r, v.learned)
		x.trusted = list
		ballots := make([][]ballot, len(v.models))
		for i, m := range v.models {
			ballots[i] = v.classify(m, x)
		}
		winners := elect(ballots)
		for _, s := range x.Sentences {
			labels := make([]string, s.End-s.Start)
			for t := range labels {
				labels[t] = v.learned.labels[winners[s.Start+t].label]
			}
			found := v.config.Scheme.Decode(labels)
			for i := range found {
				found[i].Start += s.Start
				found[i].End += s.Start
			}
			x.trustedSpans(v.learned, found, v.classes, func(f finding) { phrases = append(phrases, f) })
			for _, f := range found {
				spans = append(spans, data.Span{Start: x.Tokens[f.Start].Start, End: x.Tokens[f.End-1].End, Type: f.Type, Score: mean(winners[f.Start:f.End])})
			}
		}
	}
	return spans, phrases
}

// classify classifies the tokens of a text from left to right: the classes of the tokens
// before are attributes.
func (v *voter) classify(m model, x *stretch) []ballot {
	values := m.schema.view(x)
	row := v.row[:len(m.schema.columns)]
	all := make([]ballot, values.tokens)
	for t := range all {
		values.row(t, row)
		class, share := m.trees.Classify(row)
		all[t] = ballot{int32(class), share}
		values.set(t, int32(class))
	}
	return all
}

// elect chooses the label of each token: that of at least two models, otherwise O
// ("Combination of the classifiers"). A single model decides by itself. The share of the
// result is the mean over all models of the share that the label has from a model.
func elect(ballots [][]ballot) []ballot {
	needed := min(2, len(ballots))
	all := make([]ballot, len(ballots[0]))
	for t := range all {
		for _, candidate := range ballots {
			c, votes, share := candidate[t].label, 0, 0.0
			for _, b := range ballots {
				if b[t].label == c {
					votes++
					share += b[t].share
				}
			}
			if votes >= needed {
				all[t] = ballot{c, share / float64(len(ballots))}
				break
			}
		}
	}
	return all
}

func mean(all []ballot) float64 {
	sum := 0.0
	for _, b := range all {
		sum += b.share
	}
	return min(1, sum/float64(len(all)))
}
