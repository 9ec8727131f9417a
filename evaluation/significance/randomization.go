package significance

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"github.com/lethe-deid/lethe/evaluation"
)

// tolerance is how much smaller than the observed difference that of a shuffle
// may be and still count as large. Whole numbers are summed up exactly, but each
// division that makes a score of them rounds, so that differences which are equal
// can come out unequal by some units of 1e-16. Those that are really unequal, but
// by less than the tolerance, are taken for equal, too: this can but raise a
// p-value, and hardly ever does, since of all the values that a difference takes a
// share in the order of 1e-12 over its standard deviation lies so near.
const tolerance = 1e-12

// shuffler swaps what two systems added, unit by unit.
type shuffler struct {
	a, b   [3]float64 // the observed scores: precision, recall, F1
	totalA []float64  // the observed totals
	sum    []float64  // of both systems' totals, whatever is swapped
	swaps  [][]change // for each unit whose tallies differ, what A gains by the swap, and B loses
	score  func(total []float64) evaluation.PRF
}

// change is by how much one number of a total changes.
type change struct {
	at int
	by float64
}

// newShuffler leaves out the units that add the same to both systems: they
// change no total.
func newShuffler(a, b [][]float64, score func(total []float64) evaluation.PRF) *shuffler {
	n := len(a[0])
	s := &shuffler{totalA: make([]float64, n), sum: make([]float64, n), score: score}
	totalB := make([]float64, n)
	for i := range a {
		var swap []change
		for at := range n {
			s.totalA[at] += a[i][at]
			totalB[at] += b[i][at]
			if by := b[i][at] - a[i][at]; by != 0 {
				swap = append(swap, change{at, by})
			}
		}
		if swap != nil {
			s.swaps = append(s.swaps, swap)
		}
	}
	for at := range n {
		s.sum[at] = s.totalA[at] + totalB[at]
	}
	s.a, s.b = values(score(s.totalA)), values(score(totalB))
	return s
}

func values(s evaluation.PRF) [3]float64 { return [3]float64{s.Precision, s.Recall, s.F1} }

// pValues gives the two-sided p-values of approximate randomization (Noreen
// 1989; Yeh 2000). If the systems are equally good, it is chance
// which of them gave which of the two results of a unit; so each shuffle swaps
// the results of every unit with probability one half. When r of s shuffles have a
// difference at least as large as the observed one,
//
//	p = (r + 1) / (s + 1)
//
// where 1 stands for what was observed. If there are not more than most other
// ways to swap, each is taken once, and p is exact, by the same formula.
func (s *shuffler) pValues(ctx context.Context, most int, opt Options) (p [3]float64, shuffles int, exact bool, err error) {
	shuffles = most
	if n := len(s.swaps); n < 63 && 1<<n-1 <= most {
		shuffles, exact = 1<<n-1, true
	}
	var large [3]atomic.Int64
	err = parallel(ctx, opt.Workers, shuffles, func() func(int) {
		var (
			totalA, totalB = make([]float64, len(s.sum)), make([]float64, len(s.sum))
			source         = rand.NewChaCha8([32]byte{})
		)
		return func(k int) {
			copy(totalA, s.totalA)
			if exact {
				s.swap(totalA, 0, uint64(k+1))
			} else {
				source.Seed(key(opt.Seed, "shuffle", k))
				for first := 0; first < len(s.swaps); first += 64 {
					s.swap(totalA, first, source.Uint64())
				}
			}
			for i := range totalB {
				totalB[i] = s.sum[i] - totalA[i]
			}
			a, b := values(s.score(totalA)), values(s.score(totalB))
			for i := range large {
				if math.Abs(b[i]-a[i]) >= math.Abs(s.b[i]-s.a[i])-tolerance {
					large[i].Add(1)
				}
			}
		}
	})
	for i := range p {
		p[i] = float64(large[i].Load()+1) / float64(shuffles+1)
	}
	return p, shuffles, exact, err
}

// swap swaps those of up to 64 units, from the first on, whose bit is set.
func (s *shuffler) swap(totalA []float64, first int, set uint64) {
	units := s.swaps[first:min(first+64, len(s.swaps))]
	if len(units) < 64 {
		set &= 1<<len(units) - 1
	}
	for ; set != 0; set &= set - 1 {
		for _, c := range units[bits.TrailingZeros64(set)] {
			totalA[c.at] += c.by
		}
	}
}

// key is the key of a stream of random numbers of its own for the k-th time
// that something is done.
func key(seed uint64, what string, k int) (key [32]byte) {
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(k))
	copy(key[16:], what)
	return key
}
