package c45

// A Tree is a decision tree. It is safe for concurrent use.
type Tree struct {
	*schema
	nodes []node // in preorder; nodes[0] is the root
	// branches contains for each nominal split the nodes of its values.
	branches []int32
}

// A schema contains what all trees of an ensemble have in common.
type schema struct {
	attributes []Attribute
	classes    []string
}

// A node is a split or a leaf. A numeric split sends values up to the threshold to
// the next node and greater ones to the node child. The branches of a nominal split
// start at branches[child].
type node struct {
	attribute int32 // leaf for a leaf
	child     int32
	threshold float32
	class     int32
	// total is the weight of the node's training instances; errors is the weight of
	// those that have another class. A node without instances has the class of its
	// parent.
	total, errors float32
}

const leaf = -1

// Classes returns the names of the classes.
func (t *Tree) Classes() []string { return t.classes }

// Attributes returns the attributes of a row.
func (t *Tree) Attributes() []Attribute { return t.attributes }

// Nodes returns the number of nodes, leaves included.
func (t *Tree) Nodes() int { return len(t.nodes) }

// Leaves returns the number of leaves.
func (t *Tree) Leaves() int {
	count := 0
	for i := range t.nodes {
		if t.nodes[i].attribute == leaf {
			count++
		}
	}
	return count
}

// Classify follows a row to a leaf. It returns the class that most of the leaf's
// training instances have, as an index in Classes, and the share of their weight that
// this class has, in [0,1]. The row has one value for each attribute, as in
// Data.Columns; a shorter row may panic. If a split reads NaN or an index that its
// attribute does not have, or if a branch has no training instances, the instances of
// the last node that was reached decide instead.
func (t *Tree) Classify(row []float32) (class int, share float64) {
	n := t.find(row)
	return int(n.class), 1 - float64(n.errors)/float64(n.total)
}

// find returns the last node with training instances that a row reaches.
func (t *Tree) find(row []float32) *node {
	n, at := &t.nodes[0], int32(0)
	for n.attribute != leaf {
		next := t.next(n, at, row[n.attribute])
		if next < 0 || t.nodes[next].total == 0 {
			break
		}
		n, at = &t.nodes[next], next
	}
	return n
}

// next returns the branch of node at for a value, or -1 if there is none.
func (t *Tree) next(n *node, at int32, v float32) int32 {
	attribute := &t.attributes[n.attribute]
	if attribute.Nominal() {
		if i := attribute.index(v); i >= 0 {
			return t.branches[int(n.child)+i]
		}
		return -1
	}
	switch {
	case v <= n.threshold:
		return at + 1
	case v > n.threshold:
		return n.child
	default:
		return -1
	}
}
