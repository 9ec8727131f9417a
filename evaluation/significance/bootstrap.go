package significance

import (
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// resamples is the number of corpora that the bootstrap draws. The ends of the 95
// % interval are the 250th smallest and the 250th greatest value: (9,999 + 1) *
// 0.025 = 250.
const (
	resamples = 9999
	tail      = 250
)

// interval is a 95 % interval.
type interval struct{ low, high float64 }

// Interval returns the 95 % percentile bootstrap interval (see bootstrap) of a
// score of one system. units[i] is what unit i adds to the total; all must have
// the same length. Of the options, only Seed and Workers are used. It returns an
// error if there are no units, or if ctx is cancelled.
func Interval(ctx context.Context, units [][]float64, score func(total []float64) float64, opt Options) (low, high float64, err error) {
	if len(units) == 0 {
		return 0, 0, errors.New("no units to draw from")
	}
	all, err := bootstrap(ctx, units, func(total []float64) []float64 { return []float64{score(total)} }, opt)
	if err != nil {
		return 0, 0, err
	}
	return all[0].low, all[0].high, nil
}

// bootstrap returns the 95 % percentile interval of each of the statistics of a
// total (Efron and Tibshirani 1993, section 13.3). It draws 9,999 corpora with
// replacement from the units, each with as many units as the real one. units[i]
// is what unit i adds to the total: the tallies of both systems, so that they are
// drawn as pairs. statistics must not retain the total.
func bootstrap(ctx context.Context, units [][]float64, statistics func(total []float64) []float64, opt Options) ([]interval, error) {
	results := make([][]float64, resamples)
	err := parallel(ctx, opt.Workers, resamples, func() func(int) {
		total := make([]float64, len(units[0]))
		source := rand.NewChaCha8([32]byte{})
		return func(k int) {
			source.Seed(key(opt.Seed, "bootstrap", k))
			clear(total)
			for range units {
				// Of the 2^64 numbers, each unit gets an equal share, to within one.
				drawn, _ := bits.Mul64(source.Uint64(), uint64(len(units)))
				for i, v := range units[drawn] {
					total[i] += v
				}
			}
			results[k] = statistics(total)
		}
	})
	if err != nil {
		return nil, err
	}
	intervals := make([]interval, len(results[0]))
	sorted := make([]float64, resamples)
	for i := range intervals {
		for k := range results {
			sorted[k] = results[k][i]
		}
		slices.Sort(sorted)
		intervals[i] = interval{sorted[tail-1], sorted[resamples-tail]}
	}
	return intervals, nil
}
