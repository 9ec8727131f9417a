package c45

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// A learner grows trees on the same instances, with changing weights.
type learner struct {
	data    *Data
	options Options
	columns []column
	// closed reports whether all attributes are nominal and have many values.
	closed  bool
	finders []*finder // one per worker
	splits  []split   // of the current node, by attribute

	weights []float64 // by instance
	order   []int32   // all instances; those of a node are next to each other
	buffer  []int32
	chain   []int32 // by instance: the next one of the same leaf, or none
	sample  sample
	tables  tables

	quantile float64 // of the normal distribution at Options.Confidence
}

// A branch is a node of a tree that is still being grown or pruned.
type branch struct {
	counts    []float64 // weight by class
	total     float64
	attribute int32 // leaf for a leaf
	code      int   // the greatest code in the lower branch of a numeric split
	children  []*branch

	first, last int32 // a leaf's instances, chained by learner.chain

	errors   float64 // errors of the leaves on the training instances
	estimate float64 // pessimistic errors of the leaves
	dirty    bool    // estimate is out of date
}

const none = -1

func newLearner(d *Data, o Options, workers int) (*learner, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	if first := d.Class[0]; !slices.ContainsFunc(d.Class, func(c int32) bool { return c != first }) {
		return nil, fmt.Errorf("all %d instances have the class %q, so there is nothing to learn", d.Len(), d.Classes[first])
	}
	l := &learner{
		data: d, options: o, closed: true,
		columns: make([]column, len(d.Attributes)),
		finders: make([]*finder, max(workers, 1)),
		splits:  make([]split, len(d.Attributes)),
		order:   make([]int32, d.Len()),
		buffer:  make([]int32, d.Len()),
		chain:   make([]int32, d.Len()),
		sample:  sample{classes: make([]int32, d.Len()), weights: make([]float64, d.Len())},

		quantile: quantile(o.Confidence),
	}
	for w := range l.finders {
		l.finders[w] = newFinder(len(d.Classes), o)
	}
	l.each(len(l.columns), len(l.finders), func(_ *finder, a int) {
		l.columns[a] = newColumn(&d.Attributes[a], d.Columns[a])
	})
	for a := range l.columns {
		l.closed = l.closed && l.columns[a].many
	}
	l.tables = newTables(l.columns, len(d.Classes))
	return l, nil
}

func (o Options) check() error {
	if o.MinInstances < 1 {
		return fmt.Errorf("option MinInstances is %d, expected at least 1", o.MinInstances)
	}
	if !(o.Confidence > 0 && o.Confidence <= 0.5) {
		return fmt.Errorf("option Confidence is %v, expected a number above 0 and at most 0.5", o.Confidence)
	}
	return nil
}

// each calls f for 0 to n-1 on some workers.
func (l *learner) each(n, workers int, f func(*finder, int)) {
	if workers == 1 {
		for i := range n {
			f(l.finders[0], i)
		}
		return
	}
	var group sync.WaitGroup
	var taken atomic.Int64
	for _, worker := range l.finders[:workers] {
		group.Go(func() {
			for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
				f(worker, i)
			}
		})
	}
	group.Wait()
}

func (l *learner) initialWeights() []float64 {
	weights := make([]float64, l.data.Len())
	for i := range weights {
		weights[i] = 1
	}
	copy(weights, l.data.Weights)
	return weights
}

// learn grows and prunes a tree for some weights by instance.
func (l *learner) learn(ctx context.Context, weights []float64) (*branch, error) {
	l.weights = weights
	for i := range l.order {
		l.order[i] = int32(i)
	}
	attributes := make([]int32, len(l.columns))
	for a := range attributes {
		attributes[a] = int32(a)
	}
	root, err := l.grow(ctx, l.order, l.buffer, attributes, nil)
	if err != nil {
		return nil, err
	}
	root.sumErrors()
	l.collapse(root)
	l.prune(root)
	return root, nil
}

// grow grows a tree on instances, which it reorders. The buffer is of the same
// length. Only the given attributes vary among the instances. If there is a table of
// the instances, grow changes and releases it.
func (l *learner) grow(ctx context.Context, instances, buffer, attributes []int32, t *table) (*branch, error) {
	defer func() { l.tables.release(t) }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := l.newBranch(instances)
	if b.total < 2*float64(l.options.MinInstances)-small || b.total-b.counts[majority(b.counts)] < small {
		return b, nil
	}
	l.fill(instances, b)
	if t == nil && len(instances) >= l.tables.from {
		t = l.count(attributes)
	}
	best := l.choose(attributes, t)
	if best == leaf {
		return b, nil
	}
	var varying []int32
	for _, a := range attributes {
		if !l.splits[a].constant {
			varying = append(varying, a)
		}
	}
	b.attribute, b.code = best, l.splits[best].code
	parts := l.divide(b, instances, buffer)
	order, shares := l.share(b, parts, varying, t)
	t = nil
	b.children = make([]*branch, len(parts))
	for _, v := range order {
		var err error
		b.children[v], err = l.grow(ctx, parts[v], buffer[:len(parts[v])], varying, shares[v])
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// newBranch returns a leaf with some instances.
func (l *learner) newBranch(instances []int32) *branch {
	b := &branch{counts: make([]float64, len(l.data.Classes)), attribute: leaf, first: none, last: none, dirty: true}
	for _, i := range instances {
		l.append(b, i)
		b.add(l.data.Class[i], l.weights[i])
	}
	return b
}

func (b *branch) add(class int32, weight float64) {
	b.counts[class] += weight
	b.total += weight
}

// append appends an instance to those of a leaf.
func (l *learner) append(b *branch, i int32) {
	l.chain[i] = none
	if b.first == none {
		b.first = i
	} else {
		l.chain[b.last] = i
	}
	b.last = i
}

// majority returns the class of the greatest weight, the first of equal ones.
func majority(counts []float64) int {
	best, weight := 0, 0.0
	for class, w := range counts {
		if w > weight+small {
			best, weight = class, w
		}
	}
	return best
}

// fill sets the sample.
func (l *learner) fill(instances []int32, b *branch) {
	s := &l.sample
	s.instances, s.counts, s.total = instances, b.counts, b.total
	for j, i := range instances {
		s.classes[j], s.weights[j] = l.data.Class[i], l.weights[i]
	}
}

// parallel is the number of values, instances times attributes, from which the
// workers share a node.
const parallel = 1 << 15

// choose finds the splits of the sample and returns the attribute to split by: of
// those whose gain is at least the average, the one with the greatest gain ratio
// (Quinlan 1993, section 2.2.3). It returns leaf if there is no such attribute. Nominal
// attributes with many values do not count towards the average.
func (l *learner) choose(attributes []int32, t *table) int32 {
	l.each(len(attributes), l.busy(attributes), func(f *finder, at int) {
		a := attributes[at]
		l.splits[a] = l.split(f, a, t)
	})
	sum, count := 0.0, 0
	for _, a := range attributes {
		if l.splits[a].found && (l.closed || !l.columns[a].many) {
			sum += l.splits[a].gain
			count++
		}
	}
	if count == 0 {
		return leaf
	}
	best, ratio := int32(leaf), 0.0
	average := sum/float64(count) - 1e-3
	for _, a := range attributes {
		if s := &l.splits[a]; s.found && s.gain >= average && s.ratio > ratio+small {
			best, ratio = a, s.ratio
		}
	}
	return best
}

// busy returns how many workers share the work on the sample.
func (l *learner) busy(attributes []int32) int {
	if len(l.sample.instances)*len(attributes) < parallel {
		return 1
	}
	return len(l.finders)
}

// split returns the best split of the sample by an attribute.
func (l *learner) split(f *finder, a int32, t *table) split {
	c, s := &l.columns[a], &l.sample
	counted := t != nil && l.tables.has(a)
	switch {
	case counted && c.values == nil:
		return f.nominal(l.tables.tally(t, a), s)
	case counted:
		return f.counted(c, l.tables.tally(t, a), 0, s)
	case c.values == nil:
		return f.nominal(f.count(c, 0, c.count, s), s)
	default:
		return f.numeric(c, s)
	}
}

// branchOf returns the branch of a split, by number, that an instance takes.
func (l *learner) branchOf(b *branch, i int32) int {
	c := &l.columns[b.attribute]
	code := c.at(i)
	switch {
	case c.values == nil:
		return code
	case code <= b.code:
		return 0
	default:
		return 1
	}
}

// divide sorts instances by the branch of a split that they take, and returns the
// instances of each branch in their previous order.
func (l *learner) divide(b *branch, instances, buffer []int32) [][]int32 {
	branches := 2
	if c := &l.columns[b.attribute]; c.values == nil {
		branches = c.count
	}
	ends := make([]int, branches)
	for _, i := range instances {
		ends[l.branchOf(b, i)]++
	}
	start := 0
	for v, size := range ends {
		ends[v] = start
		start += size
	}
	copy(buffer, instances)
	for _, i := range buffer[:len(instances)] {
		v := l.branchOf(b, i)
		instances[ends[v]] = i
		ends[v]++
	}
	parts := make([][]int32, branches)
	start = 0
	for v, end := range ends {
		parts[v] = instances[start:end]
		start = end
	}
	return parts
}

// flatten returns a finished tree.
func (l *learner) flatten(root *branch) *Tree {
	t := &Tree{schema: &schema{attributes: l.data.Attributes, classes: l.data.Classes}}
	l.flattenInto(t, root, 0)
	return t
}

func (l *learner) flattenInto(t *Tree, b *branch, class int32) {
	if b.total > 0 {
		class = int32(majority(b.counts))
	}
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{
		attribute: b.attribute, class: class,
		total: float32(b.total), errors: float32(b.total - b.counts[class]),
	})
	if b.attribute == leaf {
		return
	}
	if !l.data.Attributes[b.attribute].Nominal() {
		t.nodes[at].threshold = l.threshold(b)
		l.flattenInto(t, b.children[0], class)
		t.nodes[at].child = int32(len(t.nodes))
		l.flattenInto(t, b.children[1], class)
		return
	}
	first := len(t.branches)
	t.nodes[at].child = int32(first)
	t.branches = append(t.branches, make([]int32, len(b.children))...)
	for v, child := range b.children {
		t.branches[first+v] = int32(len(t.nodes))
		l.flattenInto(t, child, class)
	}
}

func (l *learner) threshold(b *branch) float32 { return float32(l.columns[b.attribute].values[b.code]) }
