package c45

import (
	"math"
	"slices"
)

// small is the difference up to which two gains, ratios or weights are equal. It
// absorbs rounding errors, and decides ties in favour of the first attribute and the
// lower threshold.
const small = 1e-6

// distance is the least distance of two values that a threshold can separate.
const distance = 1e-5

// A sample is the instances of a node, with their classes and weights.
type sample struct {
	instances []int32 // increasing
	classes   []int32
	weights   []float64
	counts    []float64 // weight by class
	total     float64
}

// A split is the best split of a sample by one attribute.
type split struct {
	found bool
	// constant reports whether all instances have the same value.
	constant    bool
	gain, ratio float64
	// code is the greatest code in the lower branch of a numeric split.
	code int
}

// A finder finds splits. It contains the buffers of one worker.
type finder struct {
	minimum float64 // Options.MinInstances

	tally tally
	keys  []uint64
	spare []uint64

	// The state of a scan along a numeric attribute.
	lower, upper    []float64 // weight by class below and above the threshold
	lowerX, upperX  []float64 // xlogx of these
	changed         []bool
	lowerSum        float64
	upperSum        float64
	previous        int // code; -1 at the start
	groups          int
	candidates      int
	best            float64
	bestLow         int // codes on both sides of the best threshold
	bestHigh        int
	bestX           float64 // xlogx of the two branches' weights
	least, impurity float64
	total           float64
	distinct        []float64
}

func newFinder(classes int, o Options) *finder {
	buffer := make([]float64, 4*classes)
	return &finder{
		minimum: float64(o.MinInstances),
		lower:   buffer[:classes],
		upper:   buffer[classes : 2*classes],
		lowerX:  buffer[2*classes : 3*classes],
		upperX:  buffer[3*classes:],
		changed: make([]bool, classes),
	}
}

// xlogx returns x log x, and 0 for an x that is 0 but for rounding errors.
func xlogx(x float64) float64 {
	if x < small {
		return 0
	}
	return x * math.Log(x)
}

// entropy returns total * entropy of the classes, in nats.
func entropy(counts []float64, total float64) float64 {
	h := xlogx(total)
	for _, c := range counts {
		h -= xlogx(c)
	}
	return h
}

// gain returns the information gain in bits (Quinlan 1993, section 2.2.2) of a split
// that lowers the entropy, in nats times total, from before to after.
func gain(before, after, total float64) float64 {
	bits := (before - after) / math.Ln2
	if math.Abs(bits) < small {
		return 0
	}
	return bits / total
}

// ratio returns the gain ratio (Quinlan 1993, section 2.2.3). The branches' sizes
// are given as the sum of their xlogx.
func ratio(gain, branchesX, total float64) float64 {
	information := (xlogx(total) - branchesX) / math.Ln2
	if math.Abs(information) < small {
		return 0
	}
	return gain / (information / total)
}

// nominal returns the split of a sample with a branch for each value. At least two
// branches must have the least weight.
func (f *finder) nominal(t tally, s *sample) split {
	classes := len(s.counts)
	after, branchesX := 0.0, 0.0
	present, enough := 0, 0
	for v, number := range t.numbers {
		if number == 0 {
			continue
		}
		present++
		branch := t.weights[v*classes : (v+1)*classes]
		total := 0.0
		for _, w := range branch {
			total += w
		}
		if total > f.minimum-small {
			enough++
		}
		after += entropy(branch, total)
		branchesX += xlogx(total)
	}
	if enough < 2 {
		return split{constant: present < 2}
	}
	g := gain(entropy(s.counts, s.total), after, s.total)
	return split{found: true, gain: g, ratio: ratio(g, branchesX, s.total)}
}

// count returns the tally of a sample for some codes from low. It is valid until the
// next call.
func (f *finder) count(c *column, low, codes int, s *sample) tally {
	t, size := &f.tally, codes*len(s.counts)
	t.weights = slices.Grow(t.weights[:0], size)[:size]
	t.numbers = slices.Grow(t.numbers[:0], codes)[:codes]
	clear(t.weights)
	clear(t.numbers)
	c.add(*t, low, len(s.counts), s)
	return *t
}

// numeric returns the best split of a sample in two at a threshold.
func (f *finder) numeric(c *column, s *sample) split {
	budget := max(8, 4*len(s.instances)/len(s.counts)) // up to this many codes, counting is faster than sorting
	low, codes := 0, c.count
	if codes > budget {
		least, greatest := c.span(s.instances)
		low, codes = least, greatest-least+1
	}
	if codes <= budget {
		return f.counted(c, f.count(c, low, codes, s), low, s)
	}
	f.start(c, s)
	f.scanSorted(c, s)
	return f.finish(c, s)
}

// counted is like numeric, but reads the sample's tally, which begins at code low.
func (f *finder) counted(c *column, t tally, low int, s *sample) split {
	f.start(c, s)
	classes := len(s.counts)
	for code, number := range t.numbers {
		if number == 0 {
			continue
		}
		f.next(low + code)
		for class, w := range t.weights[code*classes : (code+1)*classes] {
			if w != 0 {
				f.move(class, w)
			}
		}
	}
	return f.finish(c, s)
}

func (f *finder) scanSorted(c *column, s *sample) {
	f.keys = c.keys(s.instances, f.keys)
	f.sortKeys(c.count)
	for _, key := range f.keys {
		if code := int(key >> 32); code != f.previous {
			f.next(code)
		}
		j := uint32(key)
		f.move(int(s.classes[j]), s.weights[j])
	}
}

const digit = 11 // bits that a pass of sortKeys sorts by

// sortKeys sorts the keys, whose codes are less than count. Keys with equal codes are
// already in order, so a stable sort by code is enough.
func (f *finder) sortKeys(count int) {
	if len(f.keys) < 1<<digit/4 {
		slices.Sort(f.keys)
		return
	}
	f.spare = slices.Grow(f.spare[:0], len(f.keys))[:len(f.keys)]
	for shift := 32; count>>(shift-32) > 0; shift += digit {
		var ends [1 << digit]int32
		for _, key := range f.keys {
			ends[key>>shift&(1<<digit-1)]++
		}
		start := int32(0)
		for d, size := range ends {
			ends[d] = start
			start += size
		}
		for _, key := range f.keys {
			end := &ends[key>>shift&(1<<digit-1)]
			f.spare[*end] = key
			*end++
		}
		f.keys, f.spare = f.spare, f.keys
	}
}

func (f *finder) start(c *column, s *sample) {
	copy(f.upper, s.counts)
	clear(f.lower)
	for class := range f.changed {
		f.changed[class] = true
	}
	f.lowerSum, f.upperSum, f.total = 0, s.total, s.total
	f.previous, f.groups, f.candidates, f.best = -1, 0, 0, 0
	f.distinct = c.values
	f.impurity = entropy(s.counts, s.total)
	// Each branch of a numeric split must have a tenth of the average weight per
	// class, but at most 25, and in any case the minimum of the options.
	f.least = 0.1 * s.total / float64(len(s.counts))
	if f.least <= f.minimum+small {
		f.least = f.minimum
	} else {
		f.least = min(f.least, 25)
	}
}

// next is called before the first instance of a code. It tries the threshold below
// the code.
func (f *finder) next(code int) {
	f.groups++
	low := f.previous
	f.previous = code
	if low < 0 || f.distinct[low]+distance >= f.distinct[code] {
		return
	}
	if f.lowerSum <= f.least-small || f.upperSum <= f.least-small {
		return
	}
	f.candidates++
	after := xlogx(f.lowerSum) + xlogx(f.upperSum)
	branchesX := after
	for class, changed := range f.changed {
		if changed {
			f.lowerX[class], f.upperX[class] = xlogx(f.lower[class]), xlogx(f.upper[class])
			f.changed[class] = false
		}
		after -= f.lowerX[class] + f.upperX[class]
	}
	if g := gain(f.impurity, after, f.total); g > f.best+small {
		f.best, f.bestLow, f.bestHigh, f.bestX = g, low, code, branchesX
	}
}

// move moves weight of a class below the threshold.
func (f *finder) move(class int, w float64) {
	f.lower[class] += w
	f.upper[class] -= w
	f.lowerSum += w
	f.upperSum -= w
	f.changed[class] = true
}

// finish returns the best split of a scan. The gain is lowered by the cost of the
// threshold's choice (Quinlan 1996, section 4). The threshold is the greatest value
// of all instances, in or out of the sample, up to the middle of the two values.
func (f *finder) finish(c *column, s *sample) split {
	if f.groups < 2 {
		return split{constant: true}
	}
	if f.candidates == 0 || float64(len(s.instances)) < 2*f.least {
		return split{}
	}
	g := f.best - math.Log2(float64(f.candidates))/s.total
	if g < small {
		return split{}
	}
	middle := (c.values[f.bestLow] + c.values[f.bestHigh]) / 2
	code, exact := slices.BinarySearch(c.values, middle)
	if !exact || code == f.bestHigh {
		code--
	}
	return split{found: true, gain: g, ratio: ratio(g, f.bestX, s.total), code: code}
}
