package c45

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String prints the tree in the format of WEKA's J48, with one line per branch. At a
// leaf the line ends with the class, the weight of the training instances, and, if there
// are any, the weight of those with another class. Weights are rounded to two decimals,
// thresholds to six.
func (t *Tree) String() string {
	p := printer{tree: t}
	p.WriteString("J48 pruned tree\n------------------\n")
	if t.nodes[0].attribute == leaf {
		p.leaf(&t.nodes[0])
	} else {
		p.split(0, 0)
	}
	fmt.Fprintf(&p, "\n\nNumber of Leaves  : \t%d\n\nSize of the tree : \t%d\n", t.Leaves(), t.Nodes())
	return p.String()
}

type printer struct {
	strings.Builder
	tree *Tree
}

func (p *printer) leaf(n *node) {
	fmt.Fprintf(p, ": %s (%s", p.tree.classes[n.class], weight(n.total))
	if n.errors > small {
		fmt.Fprintf(p, "/%s", weight(n.errors))
	}
	p.WriteByte(')')
}

func (p *printer) split(at int32, depth int) {
	n := &p.tree.nodes[at]
	a := &p.tree.attributes[n.attribute]
	if !a.Nominal() {
		threshold := number(decimal(n.threshold), 6)
		p.branch(at+1, depth, a.Name+" <= "+threshold)
		p.branch(n.child, depth, a.Name+" > "+threshold)
		return
	}
	for v, value := range a.Values {
		p.branch(p.tree.branches[int(n.child)+v], depth, a.Name+" = "+value)
	}
}

func (p *printer) branch(at int32, depth int, condition string) {
	p.WriteByte('\n')
	for range depth {
		p.WriteString("|   ")
	}
	p.WriteString(condition)
	if n := &p.tree.nodes[at]; n.attribute == leaf {
		p.leaf(n)
	} else {
		p.split(at, depth+1)
	}
}

// number rounds to a number of decimals, and leaves out zeros at the end.
func number(v float64, decimals int) string {
	scale := math.Pow10(decimals)
	if math.Abs(v) < 1e15 {
		v = math.Floor(v*scale+0.5) / scale
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// weight prints a weight with at most two decimals and at least one.
func weight(v float32) string {
	s := number(decimal(v), 2)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
