package operating

import (
	"cmp"
	"slices"
)

// Calibration maps a tagger's score to the share of cases with such a score that are
// right. The function never decreases; it is found with the pool-adjacent-violators
// algorithm (Ayer et al. 1955; Zadrozny and Elkan 2002). Between two of its points it
// is linear.
type Calibration struct {
	Scores        []float64 `json:"scores"`        // increasing
	Probabilities []float64 `json:"probabilities"` // of the same length; never decreasing
}

// outcome is a score, and whether the span or doubt with the score was right.
type outcome struct {
	score float64
	right bool
}

// fit returns the calibration for the outcomes. Without outcomes, it maps each score to
// itself.
func fit(all []outcome) Calibration {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b outcome) int { return cmp.Compare(a.score, b.score) })
	type pool struct{ scores, right, n float64 }
	var pools []pool
	for i := 0; i < len(all); {
		p := pool{}
		for first := all[i].score; i < len(all) && all[i].score == first; i++ {
			p.scores += all[i].score
			p.n++
			if all[i].right {
				p.right++
			}
		}
		pools = append(pools, p)
		for k := len(pools) - 1; k > 0 && pools[k-1].right*pools[k].n >= pools[k].right*pools[k-1].n; k-- {
			pools[k-1].scores += pools[k].scores
			pools[k-1].right += pools[k].right
			pools[k-1].n += pools[k].n
			pools = pools[:k]
		}
	}
	var c Calibration
	for _, p := range pools {
		c.Scores = append(c.Scores, p.scores/p.n)
		// Half a case of each kind is added, so that small pools do not have
		// probability 0 or 1.
		c.Probabilities = append(c.Probabilities, (p.right+0.5)/(p.n+1))
	}
	for i := 1; i < len(c.Probabilities); i++ { // the half cases can make probabilities decrease
		c.Probabilities[i] = max(c.Probabilities[i], c.Probabilities[i-1])
	}
	return c
}

// At returns the probability for a score.
func (c Calibration) At(score float64) float64 {
	n := len(c.Scores)
	if n == 0 {
		return score
	}
	i, _ := slices.BinarySearch(c.Scores, score)
	switch i {
	case 0:
		return c.Probabilities[0]
	case n:
		return c.Probabilities[n-1]
	}
	x0, x1, y0, y1 := c.Scores[i-1], c.Scores[i], c.Probabilities[i-1], c.Probabilities[i]
	return y0 + (y1-y0)*(score-x0)/(x1-x0)
}
