package operating

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Reliability compares predicted probabilities with observed shares, as a reliability
// diagram does (DeGroot and Fienberg 1983).
type Reliability struct {
	// Error is the expected calibration error: the mean absolute difference of
	// predicted probability and observed share over the bins (Naeini et al. 2015, with
	// bins of equal numbers of cases).
	Error float64 `json:"error"`
	Bins  []Bin   `json:"bins"` // by increasing probability; none without cases
}

// Bin is the cases whose probabilities are in a range.
type Bin struct {
	Cases int     `json:"cases"`
	Right int     `json:"right"` // number of cases that were right
	Said  float64 `json:"said"`  // mean predicted probability of the cases
}

// Observed returns the share of the cases that were right.
func (b Bin) Observed() float64 { return share(b.Right, b.Cases) }

// Interval returns the exact 95 % interval of the share (Clopper and Pearson 1934). It
// treats the cases as independent, although those of one note are not quite.
func (b Bin) Interval() (low, high float64) {
	const tail = 0.025
	right, wrong := float64(b.Right), float64(b.Cases-b.Right)
	high = 1
	if right > 0 {
		low = mathext.InvRegIncBeta(right, wrong+1, tail)
	}
	if wrong > 0 {
		high = mathext.InvRegIncBeta(right+1, wrong, 1-tail)
	}
	return low, high
}

// bins is the number of bins of a Reliability; there are fewer if there are fewer
// cases.
const bins = 10

// reliability compares the scores of outcomes with the observed shares.
func reliability(all []outcome) Reliability {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b outcome) int { return cmp.Compare(a.score, b.score) })
	var r Reliability
	for k := range bins {
		part := all[len(all)*k/bins : len(all)*(k+1)/bins]
		if len(part) == 0 {
			continue
		}
		b := Bin{Cases: len(part)}
		for _, o := range part {
			b.Said += o.score / float64(len(part))
			if o.right {
				b.Right++
			}
		}
		b.Said = min(b.Said, 1) // the sum of rounded quotients may exceed it
		r.Bins = append(r.Bins, b)
		r.Error += math.Abs(b.Said-b.Observed()) * float64(len(part)) / float64(len(all))
	}
	return r
}
