package significance

import (
	"cmp"
	"slices"
)

// Correct sets Holm for all differences of the results, which are corrected
// together.
func Correct(results ...*Result) {
	var tests []*Difference
	for _, r := range results {
		tests = append(tests, r.differences()...)
	}
	p := make([]float64, len(tests))
	for i, d := range tests {
		p[i] = d.P
	}
	for i, q := range Holm(p) {
		tests[i].Holm = q
	}
}

// Holm corrects p-values for multiple testing (Holm 1979) and returns them in the
// order of p. If every corrected value below 0.05 is taken as a real difference,
// the probability of even one wrong conclusion is at most 0.05, however the tests
// depend on each other.
//
// With the m values in ascending order, the j-th becomes the maximum of (m-i+1)
// p_i over i <= j, capped at 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	corrected, greatest := make([]float64, len(p)), 0.0
	for place, i := range order {
		greatest = max(greatest, min(1, float64(len(p)-place)*p[i]))
		corrected[i] = greatest
	}
	return corrected
}
