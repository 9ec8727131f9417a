package c45

import (
	"math"
	"slices"
)

// brute is C4.5 written as directly as possible, with lists of instances and
// without codes, tables or sharing of work.
type brute struct {
	d *Data
	o Options
}

type bruteNode struct {
	instances []int
	attribute int // -1 for a leaf
	threshold float64
	children  []*bruteNode
}

// bruteForce returns the printout of the tree.
func bruteForce(d *Data, o Options) string {
	b := brute{d, o}
	var all []int
	for i := range d.Len() {
		all = append(all, i)
	}
	root := b.grow(all)
	b.collapse(root)
	b.prune(root)
	t := &Tree{schema: &schema{attributes: d.Attributes, classes: d.Classes}}
	b.flatten(t, root, 0)
	return t.String()
}

func (b brute) weight(i int) float64 {
	if b.d.Weights == nil {
		return 1
	}
	return b.d.Weights[i]
}

func (b brute) value(a, i int) float64 { return decimal(b.d.Columns[a][i]) }

func (b brute) counts(instances []int) (counts []float64, total float64) {
	counts = make([]float64, len(b.d.Classes))
	for _, i := range instances {
		counts[b.d.Class[i]] += b.weight(i)
		total += b.weight(i)
	}
	return counts, total
}

func (b brute) wrong(instances []int) float64 {
	counts, total := b.counts(instances)
	return total - slices.Max(counts)
}

// bits returns the entropy of weights, in bits.
func bits(weights []float64) float64 {
	sum, h := 0.0, 0.0
	for _, w := range weights {
		sum += w
	}
	for _, w := range weights {
		if w > 0 {
			h -= w / sum * math.Log2(w/sum)
		}
	}
	return h
}

func (b brute) gain(instances []int, parts [][]int) (gain, ratio float64) {
	counts, total := b.counts(instances)
	gain = bits(counts)
	var sizes []float64
	for _, part := range parts {
		counts, size := b.counts(part)
		if size > 0 {
			gain -= size / total * bits(counts)
		}
		sizes = append(sizes, size)
	}
	return gain, bits(sizes)
}

// route returns the instances of each branch.
func (b brute) route(n *bruteNode, instances []int) [][]int {
	a := &b.d.Attributes[n.attribute]
	parts := make([][]int, max(2, len(a.Values)))
	if a.Nominal() {
		parts = make([][]int, len(a.Values))
	}
	for _, i := range instances {
		v := int(b.d.Columns[n.attribute][i])
		if !a.Nominal() {
			v = 0
			if b.value(n.attribute, i) > n.threshold {
				v = 1
			}
		}
		parts[v] = append(parts[v], i)
	}
	return parts
}

type bruteSplit struct {
	node        bruteNode
	gain, ratio float64
}

func (b brute) split(a int, instances []int) (bruteSplit, bool) {
	s := bruteSplit{node: bruteNode{attribute: a}}
	minimum := float64(b.o.MinInstances)
	_, total := b.counts(instances)
	if b.d.Attributes[a].Nominal() {
		enough := 0
		parts := b.route(&s.node, instances)
		for _, part := range parts {
			if _, size := b.counts(part); size >= minimum {
				enough++
			}
		}
		gain, information := b.gain(instances, parts)
		s.gain, s.ratio = gain, gain/information
		return s, enough > 1
	}
	least := min(max(0.1*total/float64(len(b.d.Classes)), minimum), max(25, minimum))
	if float64(len(instances)) < 2*least {
		return s, false
	}
	var values []float64
	for _, i := range instances {
		values = append(values, b.value(a, i))
	}
	slices.Sort(values)
	candidates, best, information := 0, 0.0, 0.0
	for j := 1; j < len(values); j++ {
		if values[j-1]+1e-5 >= values[j] {
			continue
		}
		middle := bruteNode{attribute: a, threshold: (values[j-1] + values[j]) / 2}
		parts := b.route(&middle, instances)
		_, low := b.counts(parts[0])
		_, high := b.counts(parts[1])
		if low < least || high < least {
			continue
		}
		candidates++
		if gain, sizes := b.gain(instances, parts); gain > best+1e-6 {
			best, information = gain, sizes
			s.node.threshold = math.Inf(-1)
			for i := range b.d.Len() {
				if v := b.value(a, i); v <= middle.threshold {
					s.node.threshold = max(s.node.threshold, v)
				}
			}
		}
	}
	if candidates == 0 {
		return s, false
	}
	s.gain = best - math.Log2(float64(candidates))/total
	s.ratio = s.gain / information
	return s, s.gain > 1e-6
}

func (b brute) grow(instances []int) *bruteNode {
	n := &bruteNode{instances: instances, attribute: -1}
	_, total := b.counts(instances)
	if total < 2*float64(b.o.MinInstances) || b.wrong(instances) == 0 {
		return n
	}
	var found []bruteSplit
	sum, count := 0.0, 0.0
	for a := range b.d.Attributes {
		s, ok := b.split(a, instances)
		if !ok {
			continue
		}
		found = append(found, s)
		if values := len(b.d.Attributes[a].Values); float64(values) < 0.3*float64(b.d.Len()) {
			sum += s.gain
			count++
		}
	}
	if count == 0 {
		return n
	}
	ratio := 0.0
	for _, s := range found {
		if s.gain >= sum/count-1e-3 && s.ratio > ratio+1e-6 {
			ratio = s.ratio
			n.attribute, n.threshold = s.node.attribute, s.node.threshold
		}
	}
	if n.attribute >= 0 {
		for _, part := range b.route(n, instances) {
			n.children = append(n.children, b.grow(part))
		}
	}
	return n
}

func (b brute) errors(n *bruteNode) float64 {
	if n.attribute < 0 {
		return b.wrong(n.instances)
	}
	sum := 0.0
	for _, child := range n.children {
		sum += b.errors(child)
	}
	return sum
}

func (b brute) collapse(n *bruteNode) {
	if b.errors(n) >= b.wrong(n.instances)-1e-3 {
		n.attribute, n.children = -1, nil
	}
	for _, child := range n.children {
		b.collapse(child)
	}
}

// estimate returns the pessimistic errors of a tree on some instances.
func (b brute) estimate(n *bruteNode, instances []int) float64 {
	if n.attribute < 0 {
		_, total := b.counts(instances)
		if total == 0 {
			return 0
		}
		wrong := b.wrong(instances)
		return wrong + extraErrors(total, wrong, b.o.Confidence, quantile(b.o.Confidence))
	}
	sum := 0.0
	for v, part := range b.route(n, instances) {
		sum += b.estimate(n.children[v], part)
	}
	return sum
}

func (b brute) send(n *bruteNode, instances []int) {
	n.instances = instances
	if n.attribute >= 0 {
		for v, part := range b.route(n, instances) {
			b.send(n.children[v], part)
		}
	}
}

func (b brute) prune(n *bruteNode) {
	if n.attribute < 0 {
		return
	}
	largest, size := 0, 0.0
	for v, child := range n.children {
		b.prune(child)
		if _, total := b.counts(child.instances); total >= size {
			largest, size = v, total
		}
	}
	asLeaf := b.estimate(&bruteNode{attribute: -1}, n.instances)
	asTree := b.estimate(n, n.instances)
	asBranch := math.Inf(1)
	if b.o.Raising {
		asBranch = b.estimate(n.children[largest], n.instances)
	}
	switch {
	case asLeaf <= asTree+0.1 && asLeaf <= asBranch+0.1:
		n.attribute, n.children = -1, nil
	case asBranch <= asTree+0.1:
		raised := n.children[largest]
		n.attribute, n.threshold, n.children = raised.attribute, raised.threshold, raised.children
		b.send(n, n.instances)
		b.prune(n)
	}
}

func (b brute) flatten(t *Tree, n *bruteNode, class int32) {
	counts, total := b.counts(n.instances)
	if total > 0 {
		class = int32(slices.Index(counts, slices.Max(counts)))
	}
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{
		attribute: int32(n.attribute), class: class, threshold: float32(n.threshold),
		total: float32(total), errors: float32(total - counts[class]),
	})
	if n.attribute < 0 {
		return
	}
	if b.d.Attributes[n.attribute].Nominal() {
		first := len(t.branches)
		t.nodes[at].child = int32(first)
		t.branches = append(t.branches, make([]int32, len(n.children))...)
		for v, child := range n.children {
			t.branches[first+v] = int32(len(t.nodes))
			b.flatten(t, child, class)
		}
		return
	}
	b.flatten(t, n.children[0], class)
	t.nodes[at].child = int32(len(t.nodes))
	b.flatten(t, n.children[1], class)
}
