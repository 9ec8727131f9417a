package operating

import (
	"cmp"
	"slices"
)

// Calibration maps a tagger's score to the share of cases with such a score that are
// right. The function never decreases; it is found with the pool-adjacent-violators
// algorithm (Ayer et al. 1955; Zadrozny and Elkan 2002). Between two of its points it
// is linear, and so it is from 0 to the first, so that there is a threshold for any recall.
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
		c.Probabilities = append(c.Probabilities, p.right/p.n)
	}
	// Half a case of each kind is added to the first and the last pool, which may have only cases of one kind, so that no
	// probability is 0 or 1. That must not make probabilities decrease.
	if last := len(pools) - 1; last >= 0 {
		half := func(p pool) float64 { return (p.right + 0.5) / (p.n + 1) }
		low, high := half(pools[0]), half(pools[last])
		if last > 0 {
			low, high = min(low, c.Probabilities[1]), max(high, c.Probabilities[last-1])
		}
		c.Probabilities[0], c.Probabilities[last] = low, high
	}
	return c
}

// At returns the probability for a score.
func (c Calibration) At(score float64) float64 {
	n := len(c.Scores)
	if n == 0 {
		return score
	}
	i, found := slices.BinarySearch(c.Scores, score)
	switch {
	case found:
		return c.Probabilities[i]
	case i == n:
		return c.Probabilities[n-1]
	}
	x0, x1, y0, y1 := 0.0, c.Scores[i], 0.0, c.Probabilities[i]
	if i > 0 {
		x0, y0 = c.Scores[i-1], c.Probabilities[i-1]
	}
	return y0 + (y1-y0)*(score-x0)/(x1-x0)
}
