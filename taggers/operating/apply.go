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

// Tagger is a tagger at an operating point.
type Tagger struct {
	first     data.Prober
	curve     *Curve
	threshold float64 // doubts of at least this probability are taken
	from      float64 // the least score of a doubt that is asked for
}

var _ data.Tagger = (*Tagger)(nil)

// New sets a tagger to a point of its curve.
func New(first data.Prober, curve *Curve, point Point) *Tagger {
	t := &Tagger{first, curve, point.Threshold, leastDoubt}
	if point.Target == 0 {
		t.threshold = math.Inf(1)
	}
	return t
}

// MaxBias is the most that Bias adds.
const MaxBias = 20

// Bias makes a tagger more ready to find PHI, without a curve: it adds to each
// token's log-odds of being PHI, in (0, MaxBias]. A doubt is taken when its odds,
// multiplied by exp(logOdds), are even or better. 2, say, takes doubts with a score of 0.12
// and more.
func Bias(first data.Prober, logOdds float64) *Tagger {
	threshold := 1 / (1 + math.Exp(logOdds))
	uncalibrated := &Curve{Doubts: map[string]Calibration{"": {}}}
	return &Tagger{first, uncalibrated, threshold, min(leastDoubt, threshold)}
}

// Tag implements data.Tagger. Scores are probabilities: of a span, that it is
// right; of a doubt that is taken, that it is PHI. (Of Bias they are the tagger's own.)
// Neighbouring doubts of one type are one span, and so are those that overlap; signs
// alone are none.
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
			d.Score = t.curve.probability(d.Type, d.Score)
			if d.Score < t.threshold {
				continue
			}
			k := len(taken) - 1
			switch {
			case k >= 0 && d.Start < taken[k].End: // of two members of an ensemble, say
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
		taken = slices.DeleteFunc(taken, func(s data.Span) bool { // a full stop alone says nothing
			return !strings.ContainsFunc(doc.Text[s.Start:s.End], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
		})
		found[i] = append(found[i], taken...) // of which none overlaps another
		data.SortSpans(found[i])
	}
	return found, nil
}

// interval is the 95 % bootstrap interval of a share, over documents: of each the
// part and the whole.
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
