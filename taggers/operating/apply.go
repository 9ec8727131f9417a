package operating

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// Tagger runs a tagger at an operating point.
type Tagger struct {
	first     data.Prober
	curve     *Curve
	threshold float64 // doubts with at least this probability become spans
	from      float64 // minimum score of the doubts that the tagger is asked for
}

var _ data.Tagger = (*Tagger)(nil)

// New returns a tagger that runs first at a point of its curve.
func New(first data.Prober, curve *Curve, point Point) *Tagger {
	if point.Target == 0 {
		return AtProbability(first, curve, math.Inf(1))
	}
	return AtProbability(first, curve, point.Threshold)
}

// AtProbability returns a tagger that runs first and makes spans of the doubts that are PHI with at least this
// probability, according to its curve.
func AtProbability(first data.Prober, curve *Curve, probability float64) *Tagger {
	return &Tagger{first, curve, probability, max(leastDoubt, curve.Doubts.lowest(probability))}
}

// lowest returns a score below which no case has at least this probability. Asking for fewer doubts saves time.
func (c Calibration) lowest(probability float64) float64 {
	low, high := 0.0, 1.0
	for range 40 {
		if middle := (low + high) / 2; c.At(middle) < probability { // At never decreases
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// MaxBias is the maximum of Bias.
const MaxBias = 20

// Bias returns a tagger that finds more PHI, without a curve: it adds logOdds, in (0,
// MaxBias], to each token's log-odds of being PHI. A doubt becomes a span if its odds,
// multiplied by exp(logOdds), are at least 1. For example, 2 makes spans of doubts with
// a score of at least 0.12.
func Bias(first data.Prober, logOdds float64) *Tagger {
	threshold := 1 / (1 + math.Exp(logOdds))
	return &Tagger{first, new(Curve), threshold, min(leastDoubt, threshold)}
}

// Tag implements data.Tagger. The scores are probabilities: that a span is right, or
// that a doubt that became a span is PHI. With Bias, they are the scores of the first
// tagger. Adjacent and overlapping doubts of one type become one span. Doubts without
// letters or digits are dropped, and so are articles, "of" and "de" on their own.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, doubts, err := t.first.Probe(ctx, docs, t.from)
	if err != nil {
		return nil, err
	}
	for i, doc := range docs {
		for k, s := range found[i] {
			found[i][k].Score = t.curve.Spans.At(s.Score)
		}
		var taken []data.Span
		for _, d := range doubts[i] {
			d.Score = t.curve.Doubts.At(d.Score)
			if d.Score < t.threshold {
				continue
			}
			k := len(taken) - 1
			switch {
			case k >= 0 && d.Start < taken[k].End: // such as doubts of two members of an ensemble
				taken[k].End = max(taken[k].End, d.End)
				if d.Score > taken[k].Score {
					taken[k].Type, taken[k].Score = d.Type, d.Score
				}
			case k >= 0 && taken[k].Type == d.Type && strings.Trim(doc.Text[taken[k].End:d.Start], " ") == "":
				taken[k].End, taken[k].Score = d.End, max(taken[k].Score, d.Score)
			default:
				taken = append(taken, d)
			}
		}
		taken = slices.DeleteFunc(taken, func(s data.Span) bool { return !tells(doc.Text[s.Start:s.End]) })
		found[i] = append(found[i], taken...) // which do not overlap each other
		data.SortSpans(found[i])
	}
	return found, nil
}

// tells reports whether a doubt can be PHI on its own. A full stop cannot, and neither can the article before a date or a place.
func tells(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) && !particles[text]
}

var particles = map[string]bool{"the": true, "of": true, "el": true, "la": true, "los": true, "las": true, "de": true, "del": true}

// interval returns the 95 % bootstrap interval of a share over documents. sample has
// the part and the whole of each document.
func interval(sample [][2]int) (low, high float64) {
	const draws = 2000
	rng := rand.New(rand.NewPCG(1, 0))
	all := make([]float64, draws)
	for i := range all {
		var part, whole int
		for range sample {
			s := sample[rng.IntN(len(sample))]
			part, whole = part+s[0], whole+s[1]
		}
		all[i] = share(part, whole)
	}
	slices.Sort(all)
	return all[draws*25/1000], all[draws*975/1000-1]
}
