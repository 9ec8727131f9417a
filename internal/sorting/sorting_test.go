package sorting

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type pair struct{ key, place int }

func byKey(a, b pair) int { return a.key - b.key }

// Both functions give the order of package slices, also among equal elements, on which existing results depend.
func TestAgreesWithSlices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		all := make([]pair, rng.IntN(200))
		for i := range all {
			all[i] = pair{rng.IntN(30), i}
		}
		for name, f := range map[string][2]func([]pair){
			"By":     {func(x []pair) { By(x, byKey) }, func(x []pair) { slices.SortFunc(x, byKey) }},
			"Stable": {func(x []pair) { Stable(x, byKey) }, func(x []pair) { slices.SortStableFunc(x, byKey) }},
		} {
			got, want := slices.Clone(all), slices.Clone(all)
			f[0](got)
			f[1](want)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", name, got, want)
			}
		}
	}
}
