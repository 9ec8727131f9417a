package c45

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// The encoding of an ensemble consists of magic, the attributes (name and values), the
// classes, the trees (weight and nodes in preorder), and the CRC-32 of all that.
// Integers are unsigned varints, floats are little-endian, and lists and strings begin
// with their length. A node consists of the number of its attribute plus one, or 0 for a
// leaf; the threshold if it is a numeric split; the class; and, as float32, the weight
// of its training instances and of those with another class.
const magic = "lethe c45 1\n"

const (
	minNode  = 10      // bytes of the shortest node
	maxDepth = 1 << 20 // of a tree; keeps recursion within the stack
)

// MarshalBinary encodes the ensemble. UnmarshalBinary decodes it to an equal one.
func (b *Boosted) MarshalBinary() ([]byte, error) {
	if len(b.Trees) == 0 || len(b.Trees) != len(b.Weights) {
		return nil, fmt.Errorf("an ensemble of %d trees and %d weights", len(b.Trees), len(b.Weights))
	}
	raw := []byte(magic)
	s := b.Trees[0].schema
	raw = binary.AppendUvarint(raw, uint64(len(s.attributes)))
	for _, a := range s.attributes {
		raw = appendString(raw, a.Name)
		raw = appendStrings(raw, a.Values)
	}
	raw = appendStrings(raw, s.classes)
	raw = binary.AppendUvarint(raw, uint64(len(b.Trees)))
	for i, t := range b.Trees {
		raw = appendFloat64(raw, b.Weights[i])
		for j := range t.nodes {
			raw = t.appendNode(raw, &t.nodes[j])
		}
	}
	return binary.LittleEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw)), nil
}

func (t *Tree) appendNode(raw []byte, n *node) []byte {
	raw = binary.AppendUvarint(raw, uint64(n.attribute-leaf))
	if n.attribute != leaf && !t.attributes[n.attribute].Nominal() {
		raw = appendFloat32(raw, n.threshold)
	}
	raw = binary.AppendUvarint(raw, uint64(n.class))
	return appendFloat32(appendFloat32(raw, n.total), n.errors)
}

func appendString(raw []byte, s string) []byte {
	return append(binary.AppendUvarint(raw, uint64(len(s))), s...)
}

func appendStrings(raw []byte, list []string) []byte {
	raw = binary.AppendUvarint(raw, uint64(len(list)))
	for _, s := range list {
		raw = appendString(raw, s)
	}
	return raw
}

func appendFloat32(raw []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
}

func appendFloat64(raw []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
}

// UnmarshalBinary decodes an ensemble. It returns an error for anything that
// MarshalBinary has not written, and then leaves the ensemble as it was.
func (b *Boosted) UnmarshalBinary(raw []byte) error {
	body, found := bytes.CutPrefix(raw, []byte(magic))
	if !found {
		return errors.New("not an ensemble of decision trees of this version")
	}
	if len(body) < 4 {
		return errDamaged
	}
	end := len(raw) - 4
	if binary.LittleEndian.Uint32(raw[end:]) != crc32.ChecksumIEEE(raw[:end]) {
		return fmt.Errorf("%w: its checksum does not match", errDamaged)
	}
	d := decoder{raw: raw[len(magic):end]}
	decoded := d.ensemble()
	if d.failed || len(d.raw) != 0 {
		return errDamaged
	}
	*b = *decoded
	return nil
}

var errDamaged = errors.New("the decision trees are damaged")

// A decoder reads from raw. After a failure its results are meaningless, but it
// still stays within raw and still ends.
type decoder struct {
	raw    []byte
	failed bool
}

func (d *decoder) ensemble() *Boosted {
	s := &schema{}
	for range d.count(2) {
		a := Attribute{Name: d.string(), Values: d.strings()}
		s.attributes = append(s.attributes, a)
	}
	s.classes = d.strings()
	d.require(len(s.attributes) > 0 && len(s.classes) > 1)
	b := &Boosted{}
	trees := d.count(8 + minNode)
	d.require(trees > 0)
	for i := 0; i < trees && !d.failed; i++ {
		weight := d.float64()
		d.require(weight > 0 && !math.IsInf(weight, 0))
		b.Weights = append(b.Weights, weight)
		b.Trees = append(b.Trees, d.tree(s))
	}
	return b
}

// tree reads nodes until the branches of all are complete.
func (d *decoder) tree(s *schema) *Tree {
	t := &Tree{schema: s}
	type split struct {
		at       int
		complete int // branches
	}
	var open []split
	expected := 1 // nodes that are still to come
	for expected > 0 && !d.failed {
		at := len(t.nodes)
		if len(open) > 0 {
			parent := &open[len(open)-1]
			t.connect(parent.at, parent.complete, at)
			parent.complete++
		}
		n := d.node(s)
		branches := s.branches(n.attribute)
		expected += branches - 1
		if d.require(expected <= len(d.raw)/minNode && len(open) < maxDepth); d.failed {
			break
		}
		if n.attribute != leaf && s.attributes[n.attribute].Nominal() {
			n.child = int32(len(t.branches))
			t.branches = append(t.branches, make([]int32, branches)...)
		}
		t.nodes = append(t.nodes, n)
		if branches > 0 {
			open = append(open, split{at: at})
		}
		for len(open) > 0 && open[len(open)-1].complete == s.branches(t.nodes[open[len(open)-1].at].attribute) {
			open = open[:len(open)-1]
		}
	}
	d.require(!d.failed && t.nodes[0].total > 0)
	return t
}

// connect sets a branch of a split.
func (t *Tree) connect(parent, branch, child int) {
	n := &t.nodes[parent]
	if t.attributes[n.attribute].Nominal() {
		t.branches[int(n.child)+branch] = int32(child)
	} else if branch == 1 {
		n.child = int32(child)
	}
}

// branches returns the number of branches of a split by an attribute, or 0 for a
// leaf.
func (s *schema) branches(attribute int32) int {
	switch {
	case attribute == leaf:
		return 0
	case s.attributes[attribute].Nominal():
		return len(s.attributes[attribute].Values)
	default:
		return 2
	}
}

func (d *decoder) node(s *schema) node {
	n := node{attribute: int32(d.below(len(s.attributes)+1)) + leaf}
	if n.attribute != leaf && !s.attributes[n.attribute].Nominal() {
		n.threshold = d.float32()
		d.require(!math.IsInf(float64(n.threshold), 0) && n.threshold == n.threshold)
	}
	n.class = int32(d.below(len(s.classes)))
	n.total, n.errors = d.float32(), d.float32()
	d.require(n.errors >= 0 && n.errors <= n.total && !math.IsInf(float64(n.total), 0))
	if d.failed {
		return node{attribute: leaf}
	}
	return n
}

// require fails unless a condition is met.
func (d *decoder) require(condition bool) {
	if !condition {
		d.failed = true
		d.raw = nil
	}
}

// take returns the next n bytes, or n zeros after a failure (n is at most 8 then).
func (d *decoder) take(n int) []byte {
	d.require(n <= len(d.raw))
	if d.failed {
		return make([]byte, min(n, 8))
	}
	taken := d.raw[:n]
	d.raw = d.raw[n:]
	return taken
}

func (d *decoder) uvarint() uint64 {
	v, size := binary.Uvarint(d.raw)
	d.require(size > 0)
	if d.failed {
		return 0
	}
	d.raw = d.raw[size:]
	return v
}

// below reads a number less than limit.
func (d *decoder) below(limit int) int {
	v := d.uvarint()
	if d.require(v < uint64(limit)); d.failed {
		return 0
	}
	return int(v)
}

// count reads the length of a list whose elements take at least size bytes.
func (d *decoder) count(size int) int { return d.below(len(d.raw)/size + 1) }

func (d *decoder) string() string { return string(d.take(d.count(1))) }

func (d *decoder) strings() []string {
	var list []string
	for range d.count(1) {
		list = append(list, d.string())
	}
	return list
}

func (d *decoder) float32() float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(d.take(4)))
}

func (d *decoder) float64() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(d.take(8)))
}
