package kernel

import (
	"fmt"
	"math"
)

// ViterbiStep sets next[j] to the maximum of score[i] + a[i,j] over i, and back[j] to the smallest
// i that reaches it. a is [len(score), len(next)]; other shapes panic.
func ViterbiStep(next []float32, back []int32, score []float32, a Matrix) {
	if len(score) != a.Rows || len(next) != a.Cols || len(back) != a.Cols || a.Rows == 0 {
		panic(fmt.Sprintf("kernel: a step from %d to %d labels over %dx%d transitions", len(score), len(next), a.Rows, a.Cols))
	}
	viterbiStep(next, back, score, a)
}

func viterbiStepGeneric(next []float32, back []int32, score []float32, a Matrix) {
	for j := range next {
		next[j], back[j] = float32(math.Inf(-1)), 0
	}
	back = back[:len(next)]
	for i, base := range score {
		for j, v := range a.Row(i)[:len(next)] {
			if s := base + v; s > next[j] {
				next[j], back[j] = s, int32(i)
			}
		}
	}
}
