package operating

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Reliability says what probabilities are worth, as a diagram shows it (DeGroot and
// Fienberg 1983): what was said of cases, against what was so.
type Reliability struct {
	// Error is the expected calibration error: the mean difference of what was said and
	// what was so, over the bins (Naeini et al. 2015, with bins of equally many cases).
	Error float64 `json:"error"`
	Bins  []Bin   `json:"bins"` // with rising probabilities; none without cases
}

// Bin is the cases whose probabilities lie in a range.
type Bin struct {
	Cases int     `json:"cases"`
	Right int     `json:"right"` // of the cases
	Said  float64 `json:"said"`  // the mean of their probabilities
}

// Observed is the share of the cases that were right.
func (b Bin) Observed() float64 { return share(b.Right, b.Cases) }

// Interval is the exact 95 % interval of the share (Clopper and Pearson 1934). It
// takes the cases as independent; those of one note are not quite.
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

// bins is how many a Reliability has; fewer if there are fewer cases.
const bins = 10

// reliability compares probabilities with what was so.
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
		r.Bins = append(r.Bins, b)
		r.Error += math.Abs(b.Said-b.Observed()) * float64(len(part)) / float64(len(all))
	}
	return r
}
