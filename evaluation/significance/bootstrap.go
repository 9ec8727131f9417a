package significance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// resamples is how many corpora the bootstrap draws. The 95 % interval ends at
// the 250th smallest and the 250th greatest value: (9,999 + 1) * 0.025 = 250.
const (
	resamples = 9999
	tail      = 250
)

// Interval is a 95 % interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Bootstrap returns the 95 % percentile interval of each of the statistics of
// a total (Efron and Tibshirani 1993, section 13.3): of 9,999 corpora, each of as
// many units as the real one, drawn from its units with replacement. units[i] is
// what unit i adds to the total; all have one length. Several goroutines may call
// statistics at once, which must not keep or change the total. All chance follows
// from the seed; workers is the number of cores to use, 0 for all, on which
// nothing but the time depends.
//
// The differences of two systems are statistics like others, if each unit holds
// what both add: they are then drawn as pairs.
func Bootstrap(ctx context.Context, units [][]float64, statistics func(total []float64) []float64, seed uint64, workers int) ([]Interval, error) {
	if len(units) == 0 {
		return nil, fmt.Errorf("no units to draw from")
	}
	drawn := make([][]float64, resamples)
	err := parallel(ctx, workers, resamples, func() func(int) {
		total := make([]float64, len(units[0]))
		source := rand.NewChaCha8([32]byte{})
		random := rand.New(source)
		return func(k int) {
			source.Seed(key(seed, "bootstrap", k))
			clear(total)
			for range units {
				for i, v := range units[random.IntN(len(units))] {
					total[i] += v
				}
			}
			drawn[k] = statistics(total)
		}
	})
	if err != nil {
		return nil, err
	}
	intervals := make([]Interval, len(drawn[0]))
	sorted := make([]float64, resamples)
	for i := range intervals {
		for k := range drawn {
			sorted[k] = drawn[k][i]
		}
		slices.Sort(sorted)
		intervals[i] = Interval{sorted[tail-1], sorted[resamples-tail]}
	}
	return intervals, nil
}
