package c45

// A table contains the tallies of a node's instances for all attributes with few
// values. The table of a split's larger branch is the difference between the tables of
// the split and of the smaller branch, so that only the instances of the smaller branch
// are counted. Weights in a difference have rounding errors, but far below the constant
// small. Numbers of instances have none; they decide which values occur.
type table tally

// tables creates the tables of a learner and keeps released ones for reuse.
type tables struct {
	from    int // number of instances from which a node has a table
	classes int
	first   []int // by attribute: its first code in a table, or none
	count   []int // by attribute: number of codes
	codes   int   // number of all codes
	free    []*table
}

const (
	tableFrom = 64
	tableSize = 1024 // greatest number of weights of an attribute in a table
)

func newTables(columns []column, classes int) tables {
	t := tables{from: tableFrom, classes: classes, first: make([]int, len(columns)), count: make([]int, len(columns))}
	for a := range columns {
		t.first[a], t.count[a] = none, columns[a].count
		if t.count[a]*classes <= tableSize {
			t.first[a] = t.codes
			t.codes += t.count[a]
		}
	}
	return t
}

// has reports whether a table has the tally of an attribute.
func (ts *tables) has(a int32) bool { return ts.first[a] != none }

// tally returns the tally of an attribute.
func (ts *tables) tally(t *table, a int32) tally {
	first, end := ts.first[a], ts.first[a]+ts.count[a]
	return tally{weights: t.weights[first*ts.classes : end*ts.classes], numbers: t.numbers[first:end]}
}

// take returns a table with arbitrary content.
func (ts *tables) take() *table {
	if last := len(ts.free) - 1; last >= 0 {
		t := ts.free[last]
		ts.free = ts.free[:last]
		return t
	}
	return &table{weights: make([]float64, ts.codes*ts.classes), numbers: make([]int32, ts.codes)}
}

func (ts *tables) release(t *table) {
	if t != nil {
		ts.free = append(ts.free, t)
	}
}

// count returns the table of the sample for some attributes.
func (l *learner) count(attributes []int32) *table {
	t := l.tables.take()
	l.each(len(attributes), l.busy(attributes), func(_ *finder, at int) {
		a := attributes[at]
		if l.tables.has(a) {
			tally := l.tables.tally(t, a)
			clear(tally.weights)
			clear(tally.numbers)
			l.columns[a].add(tally, 0, l.tables.classes, &l.sample)
		}
	})
	return t
}

// subtract subtracts a table from another one.
func (l *learner) subtract(from, t *table, attributes []int32) {
	for _, a := range attributes {
		if !l.tables.has(a) {
			continue
		}
		rest, tally := l.tables.tally(from, a), l.tables.tally(t, a)
		for i, w := range tally.weights {
			rest.weights[i] -= w
		}
		for i, n := range tally.numbers {
			rest.numbers[i] -= n
		}
	}
}

// share turns the table of a split into the tables of its branches. It also returns
// the order in which to grow the branches: the smaller one first, so that the number of
// tables in use is at most logarithmic in the number of instances. Branches with few
// instances, and those of a split into more than two, get no table.
func (l *learner) share(b *branch, parts [][]int32, attributes []int32, t *table) (order []int, shares []*table) {
	shares = make([]*table, len(parts))
	for v := range parts {
		order = append(order, v)
	}
	if len(parts) != 2 || t == nil {
		l.tables.release(t)
		return order, shares
	}
	if len(parts[0]) > len(parts[1]) {
		order[0], order[1] = 1, 0
	}
	smaller, larger := order[0], order[1]
	if len(parts[larger]) < l.tables.from {
		l.tables.release(t)
		return order, shares
	}
	l.fill(parts[smaller], b)
	counted := l.count(attributes)
	l.subtract(t, counted, attributes)
	shares[larger] = t
	if len(parts[smaller]) < l.tables.from {
		l.tables.release(counted)
	} else {
		shares[smaller] = counted
	}
	return order, shares
}
