package learn

import "math/rand/v2"

// alias draws from a discrete distribution in constant time (Walker 1977, in the
// form of Vose 1991).
type alias struct {
	keep  []float32 // probability that place i yields i instead of other[i]
	other []int32
}

func newAlias(weights []float64) *alias {
	n := len(weights)
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	a := &alias{make([]float32, n), make([]int32, n)}
	share := make([]float64, n)
	var small, large []int32
	for i, w := range weights {
		share[i] = w / sum * float64(n)
		a.keep[i], a.other[i] = 1, int32(i)
		if share[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.keep[s], a.other[s] = float32(share[s]), l
		if share[l] -= 1 - share[s]; share[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return a
}

func (a *alias) draw(rng *rand.Rand) int32 {
	i := int32(rng.Uint32N(uint32(len(a.keep))))
	if rng.Float32() < a.keep[i] {
		return i
	}
	return a.other[i]
}
