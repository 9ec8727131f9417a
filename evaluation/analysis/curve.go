package analysis

import (
	"cmp"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Curve shows how the strict measure changes if only spans with a sufficient
// score are kept.
type Curve struct {
	// Points has one entry per distinct span score, in ascending order. The first
	// keeps all spans, which is the system's own decision.
	Points []Operating `json:"points"`
	// Sure lists, by range of scores, how often the spans are right.
	Sure []Sureness `json:"sure"`
}

// Operating is the strict measure over the spans with a score of at least
// Threshold.
type Operating struct {
	Threshold float64           `json:"threshold"`
	Counts    evaluation.Counts `json:"counts"`
}

// Sureness counts the found spans with a score in [From, To). The last range
// includes To.
type Sureness struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Spans int     `json:"spans"`
	Right int     `json:"right"` // in start, end and type
}

// sureness lists the bounds of the ranges of Sureness.
var sureness = []float64{0, 0.5, 0.8, 0.9, 0.95, 0.99, 1}

// NewCurve computes the curve from the scores of the system's spans. Documents
// are matched as by Analyze, with the same errors. Of spans that differ only in
// their score, the highest score counts.
func NewCurve(gold, system []*data.Document) (*Curve, error) {
	type scored struct {
		score float64
		right bool
	}
	var all []scored
	wanted := 0
	err := each(gold, system, func(d *data.Document, found []data.Span) {
		spans := newFinder(distinct(d.Spans))
		wanted += len(spans.spans)
		for _, f := range found {
			all = append(all, scored{f.Score, spans.has(f)})
		}
	})
	if err != nil {
		return nil, err
	}
	c := &Curve{Points: []Operating{}, Sure: []Sureness{}}
	for i := range sureness[1:] {
		c.Sure = append(c.Sure, Sureness{From: sureness[i], To: sureness[i+1]})
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var n evaluation.Counts
	n.FN = wanted
	for i, s := range all {
		at, _ := slices.BinarySearchFunc(c.Sure, s.score, func(u Sureness, x float64) int {
			if u.To > x {
				return 1
			}
			return -1
		})
		bin := &c.Sure[min(at, len(c.Sure)-1)]
		bin.Spans++
		if s.right {
			n.TP, n.FN = n.TP+1, n.FN-1
			bin.Right++
		} else {
			n.FP++
		}
		if i+1 == len(all) || all[i+1].score != s.score {
			c.Points = append(c.Points, Operating{s.score, n})
		}
	}
	slices.Reverse(c.Points)
	return c, nil
}

// At returns the measure at any threshold; no span needs to have it as its score.
func (c *Curve) At(threshold float64) Operating {
	i, _ := slices.BinarySearchFunc(c.Points, threshold, func(p Operating, t float64) int { return cmp.Compare(p.Threshold, t) })
	if i < len(c.Points) {
		return Operating{threshold, c.Points[i].Counts}
	}
	none := Operating{Threshold: threshold}
	if len(c.Points) > 0 {
		none.Counts.FN = c.Points[0].Counts.TP + c.Points[0].Counts.FN
	}
	return none
}

// Best returns the point with the highest F1, and of equal ones the one with the
// lowest threshold.
func (c *Curve) Best() Operating {
	var best Operating
	for i, p := range c.Points {
		if i == 0 || p.Counts.F1() > best.Counts.F1() {
			best = p
		}
	}
	return best
}
