package c45

import "math"

// slack is by how many errors the estimate of a smaller tree may be worse than that
// of the tree it replaces.
const slack = 0.1

// sumErrors sets errors in all nodes.
func (b *branch) sumErrors() {
	if b.attribute == leaf {
		b.errors = b.total - b.counts[majority(b.counts)]
		return
	}
	b.errors = 0
	for _, child := range b.children {
		child.sumErrors()
		b.errors += child.errors
	}
}

// collapse replaces each subtree by a leaf if the leaf makes no more errors on the
// training instances. It starts at the root.
func (l *learner) collapse(b *branch) {
	if b.attribute == leaf {
		return
	}
	if b.errors >= b.total-b.counts[majority(b.counts)]-1e-3 {
		l.makeLeaf(b)
		return
	}
	for _, child := range b.children {
		l.collapse(child)
	}
}

// makeLeaf replaces a tree by a leaf.
func (l *learner) makeLeaf(b *branch) {
	b.first, b.last = none, none
	for _, child := range b.children {
		l.take(b, child)
	}
	b.attribute, b.children = leaf, nil
}

// take appends the instances of a tree to those of b.
func (l *learner) take(b, from *branch) {
	for _, child := range from.children {
		l.take(b, child)
	}
	if from.attribute != leaf || from.first == none {
		return
	}
	if b.first == none {
		b.first = from.first
	} else {
		l.chain[b.last] = from.first
	}
	b.last = from.last
}

// prune prunes a tree from the leaves upwards (Quinlan 1993, chapter 4). It skips
// subtrees whose estimate is up to date.
func (l *learner) prune(b *branch) {
	if !b.dirty {
		return
	}
	b.dirty = false
	if b.attribute == leaf {
		b.estimate = l.pessimistic(b.counts, b.total)
		return
	}
	b.estimate = 0
	for _, child := range b.children {
		l.prune(child)
		b.estimate += child.estimate
	}
	asLeaf, asBranch := l.pessimistic(b.counts, b.total), math.Inf(1)
	largest := b.largest()
	var others []int32
	if l.options.Raising {
		others = l.others(b, largest)
		asBranch = l.estimateWith(b.children[largest], others)
	}
	switch {
	case asLeaf < b.estimate+slack+small && asLeaf < asBranch+slack+small:
		l.makeLeaf(b)
		b.estimate = asLeaf
	case asBranch < b.estimate+slack+small:
		l.raise(b, b.children[largest], others)
		l.prune(b)
	}
}

// largest returns the branch of the greatest weight, the last of equal ones.
func (b *branch) largest() int {
	best, weight := 0, 0.0
	for v, child := range b.children {
		if child.total > weight-small {
			best, weight = v, child.total
		}
	}
	return best
}

// others returns the instances of all branches except one. The result is valid until
// the next call.
func (l *learner) others(b *branch, except int) []int32 {
	instances := l.order[:0]
	for v, child := range b.children {
		if v != except {
			instances = l.collect(instances, child)
		}
	}
	return instances
}

func (l *learner) collect(instances []int32, b *branch) []int32 {
	for _, child := range b.children {
		instances = l.collect(instances, child)
	}
	if b.attribute == leaf {
		for i := b.first; i != none; i = l.chain[i] {
			instances = append(instances, i)
		}
	}
	return instances
}

// estimateWith returns the pessimistic errors of a tree with further instances,
// which it reorders. It does not visit branches that no further instance takes, so
// its cost depends only on the instances of the smaller branches. Each instance is in a
// smaller branch at most a logarithmic number of times.
func (l *learner) estimateWith(b *branch, instances []int32) float64 {
	if len(instances) == 0 {
		return b.estimate
	}
	if b.attribute != leaf {
		sum := 0.0
		for v, part := range l.divide(b, instances, l.buffer) {
			sum += l.estimateWith(b.children[v], part)
		}
		return sum
	}
	counts, total := make([]float64, len(b.counts)), b.total
	copy(counts, b.counts)
	for _, i := range instances {
		counts[l.data.Class[i]] += l.weights[i]
		total += l.weights[i]
	}
	return l.pessimistic(counts, total)
}

// raise replaces a tree by one of its branches, to which it sends the instances of
// the other branches (subtree raising).
func (l *learner) raise(b, by *branch, others []int32) {
	b.attribute, b.code, b.children = by.attribute, by.code, by.children
	b.first, b.last = by.first, by.last
	b.dirty = true
	for _, i := range others {
		to := b
		for to.attribute != leaf {
			to = to.children[l.branchOf(to, i)]
			to.add(l.data.Class[i], l.weights[i])
			to.dirty = true
		}
		l.append(to, i)
	}
}

// pessimistic returns the errors of a leaf at the upper limit of their confidence
// interval (Quinlan 1993, section 4.2).
func (l *learner) pessimistic(counts []float64, total float64) float64 {
	if total < small {
		return 0
	}
	errors := total - counts[majority(counts)]
	return errors + extraErrors(total, errors, l.options.Confidence, l.quantile)
}

// extraErrors returns how many errors more than observed are expected among n
// instances. Without errors this is n(1 - confidence^(1/n)), as in Quinlan; below one
// it is interpolated; otherwise the upper limit is that of the normal approximation
// of the binomial distribution with continuity correction (I. H. Witten and E. Frank,
// Data Mining, section 6.1).
func extraErrors(n, errors, confidence, quantile float64) float64 {
	if errors < 1 {
		base := n * (1 - math.Pow(confidence, 1/n))
		if errors == 0 {
			return base
		}
		return base + errors*(extraErrors(n, 1, confidence, quantile)-base)
	}
	if errors+0.5 >= n {
		return max(n-errors, 0)
	}
	z := quantile
	f := (errors + 0.5) / n
	upper := (f + z*z/(2*n) + z*math.Sqrt(f/n-f*f/n+z*z/(4*n*n))) / (1 + z*z/n)
	return upper*n - errors
}

// quantile returns the z that a standard normal variable exceeds with a probability.
func quantile(probability float64) float64 {
	return math.Sqrt2 * math.Erfinv(1-2*probability)
}
