package significance

import (
	"cmp"
	"slices"
)

// Correct sets Holm of all differences of the results.
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

// Holm corrects p-values for their number (Holm 1979): whoever takes for real
// what comes out below 0.05 is wrong about even one of them with a probability of
// at most 0.05, however they depend on each other. The order is that of p.
//
// With the m values in ascending order, the j-th becomes the greatest of
// (m-i+1) p_i over i <= j, but 1 at most.
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
