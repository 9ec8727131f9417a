package significance

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/lethe-deid/lethe/evaluation"
)

// tolerance is how much smaller than the observed difference the difference of a
// shuffle may be and still count as at least as large. Sums of whole numbers are
// exact, but the divisions that turn them into scores round, so equal differences
// come out unequal by a few units of 1e-16; the fractions that a macro average
// adds up may round by 1e-13 over a thousand documents. Differences that are
// unequal by less than the tolerance are treated as equal, too. This can only
// raise a p-value, and rarely does: the share of shuffles that come so close is
// of the order of 1e-12 divided by the standard deviation of the difference.
const tolerance = 1e-12

// shuffler swaps the tallies of two systems, unit by unit.
type shuffler struct {
	a, b      [3]float64 // the observed scores: precision, recall, F1
	totalA    []float64  // the observed totals
	sum       []float64  // the sum of both systems' totals, which no swap changes
	swaps     [][]change // by unit: what A gains, and B loses, by the swap
	differing []int      // the units whose tallies differ; swapping the others changes no total
	masks     []uint64   // the same, one bit per unit
	score     func(total []float64) evaluation.PRF
}

// change is a change of one number of a total.
type change struct {
	at int
	by float64
}

func newShuffler(a, b [][]float64, score func(total []float64) evaluation.PRF) *shuffler {
	n := len(a[0])
	s := &shuffler{
		totalA: make([]float64, n), sum: make([]float64, n), score: score,
		swaps: make([][]change, len(a)), masks: make([]uint64, (len(a)+63)/64),
	}
	totalB := make([]float64, n)
	for unit := range a {
		for at := range n {
			s.totalA[at] += a[unit][at]
			totalB[at] += b[unit][at]
			if by := b[unit][at] - a[unit][at]; by != 0 {
				s.swaps[unit] = append(s.swaps[unit], change{at, by})
			}
		}
		if s.swaps[unit] != nil {
			s.differing = append(s.differing, unit)
			s.masks[unit/64] |= 1 << (unit % 64)
		}
	}
	for at := range n {
		s.sum[at] = s.totalA[at] + totalB[at]
	}
	s.a, s.b = values(score(s.totalA)), values(score(totalB))
	return s
}

func values(s evaluation.PRF) [3]float64 { return [3]float64{s.Precision, s.Recall, s.F1} }

// pValues computes the two-sided p-values of approximate randomization (Noreen
// 1989; Yeh 2000). If the systems are equally good, it is chance which of them
// produced which of the two results of a unit. Each shuffle therefore swaps the
// results of every unit with probability one half. If r of s shuffles have a
// difference at least as large as the observed one,
//
//	p = (r + 1) / (s + 1)
//
// where 1 stands for the observed result. If there are not more than most other
// ways to swap, each is used once and p is exact, by the same formula. Which
// units the k-th shuffle swaps depends only on the seed and k, not on the
// tallies.
func (s *shuffler) pValues(ctx context.Context, most int, opt Options) (p [3]float64, shuffles int, exact bool, err error) {
	shuffles = most
	if n := len(s.differing); n < 63 && 1<<n-1 <= most {
		shuffles, exact = 1<<n-1, true
	}
	var counts []*[3]int // by worker: the number of its shuffles with a large difference
	err = parallel(ctx, opt.Workers, shuffles, func() func(int) {
		var (
			totalA, totalB = make([]float64, len(s.sum)), make([]float64, len(s.sum))
			source         = rand.NewChaCha8([32]byte{})
			large          [3]int
		)
		counts = append(counts, &large)
		return func(k int) {
			copy(totalA, s.totalA)
			if exact {
				for i, unit := range s.differing {
					if (k+1)>>i&1 == 1 {
						s.swap(unit, totalA)
					}
				}
			} else {
				source.Seed(key(opt.Seed, "shuffle", k))
				for i, mask := range s.masks {
					for set := source.Uint64() & mask; set != 0; set &= set - 1 {
						s.swap(64*i+bits.TrailingZeros64(set), totalA)
					}
				}
			}
			for i := range totalB {
				totalB[i] = s.sum[i] - totalA[i]
			}
			a, b := values(s.score(totalA)), values(s.score(totalB))
			for i := range large {
				if math.Abs(b[i]-a[i]) >= math.Abs(s.b[i]-s.a[i])-tolerance {
					large[i]++
				}
			}
		}
	})
	for i := range p {
		r := 0
		for _, large := range counts {
			r += large[i]
		}
		p[i] = float64(r+1) / float64(shuffles+1)
	}
	return p, shuffles, exact, err
}

func (s *shuffler) swap(unit int, totalA []float64) {
	for _, c := range s.swaps[unit] {
		totalA[c.at] += c.by
	}
}

// key returns the key of the k-th independent stream of random numbers for the
// purpose what.
func key(seed uint64, what string, k int) (key [32]byte) {
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(k))
	copy(key[16:], what)
	return key
}
