package nn

import (
	"math"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// moves is which labels may follow which, in a form that lets a step from one element to the next compute the legal
// transitions alone. In BIOES those are a quarter of all: half of the labels, which begin a span or are outside, follow all
// labels that end one or are outside, and each of the others follows two labels, B and I of its own type.
//
// For this the labels have places. Every label in the places common.to may follow every label in the places common.from. The
// other labels follow in pairs.
type moves struct {
	order  []int32 // the label in each place
	place  []int32 // of each label
	common struct{ from, to places }
	pairs  []pairs
}

// places are those from low up to, but not including, high.
type places struct{ low, high int }

// of returns the columns of a matrix in these places.
func (p places) of(m kernel.Matrix) kernel.Matrix { return m.Columns(p.low, p.high) }

// pairs says that the labels in adjacent places follow nothing but the labels in two other rows of places: the label in
// place to+i follows those in first+i and second+i. Where a label follows fewer than two, the transitions from the others
// are forbidden.
type pairs struct{ to, first, second, n int }

// allMoves lets every label follow every other, in their own order.
func allMoves(labels int) (m moves) {
	m.order = make([]int32, labels)
	for i := range m.order {
		m.order[i] = int32(i)
	}
	m.place = slices.Clone(m.order)
	m.common.from, m.common.to = places{0, labels}, places{0, labels}
	return m
}

// newMoves finds the moves for what is legal, where nil allows all. If it cannot make use of the rules, it allows all
// moves.
func newMoves(labels int, legal func(a, b int) bool) (m moves) {
	if legal == nil || labels < 3 {
		return allMoves(labels)
	}
	before := make([][]int, labels) // by label: those that it may follow
	var common []int
	for b := range labels {
		for a := range labels {
			if legal(a, b) {
				before[b] = append(before[b], a)
			}
		}
		switch {
		case len(before[b]) <= 2:
		case common == nil:
			common = before[b]
		case !slices.Equal(before[b], common):
			return allMoves(labels)
		}
	}
	m = allMoves(labels)
	group := make([]int, labels) // by label
	var sizes [4]int
	for b := range labels {
		follows, followed := len(before[b]) > 2, slices.Contains(common, b)
		switch {
		case follows && followed:
			group[b] = 1
		case follows:
			group[b] = 2
		case !followed:
			group[b] = 3
		}
		sizes[group[b]]++
	}
	slices.SortStableFunc(m.order, func(a, b int32) int { return group[a] - group[b] })
	m.common.from = places{0, sizes[0] + sizes[1]}
	m.common.to = places{sizes[0], sizes[0] + sizes[1] + sizes[2]}
	for p, label := range m.order {
		m.place[label] = int32(p)
	}
	for p, label := range m.order {
		if len(before[label]) > 2 {
			continue
		}
		from := [2]int{-1, -1}
		for i, a := range before[label] {
			from[i] = int(m.place[a])
		}
		m.pair(p, from[0], from[1])
	}
	return m
}

// pair adds a label by its place and those of the labels that it follows, of which -1 stands for none.
func (m *moves) pair(to, first, second int) {
	if k := len(m.pairs) - 1; k >= 0 {
		last := &m.pairs[k]
		goesOn := func(start, next int) bool {
			return start+last.n == next || next < 0 && start+last.n < len(m.order)
		}
		if last.to+last.n == to && goesOn(last.first, first) && goesOn(last.second, second) {
			last.n++
			return
		}
	}
	if first < 0 {
		first = 0
	}
	if second < 0 && first == 0 {
		second = 1
	}
	m.pairs = append(m.pairs, pairs{to, first, max(second, 0), 1})
}

// arrange sets into to the transitions [labels+2, labels+2] with their rows and columns in the order of the places, those of
// START and END last as before. Where forbidden says so, they are -Inf.
func (m *moves) arrange(into, trans kernel.Matrix, forbidden []bool) {
	labels := len(m.order)
	label := func(place int) int {
		if place < labels {
			return int(m.order[place])
		}
		return place
	}
	for i := range into.Rows {
		row, a := into.Row(i), label(i)
		for j := range row {
			b := label(j)
			row[j] = trans.Row(a)[b]
			if forbidden[a*trans.Cols+b] {
				row[j] = float32(math.Inf(-1))
			}
		}
	}
}

// transitions are numbers for the moves.
type transitions struct {
	common kernel.Matrix  // [common.from, common.to]
	pairs  [][2][]float32 // from first and from second
}

// take takes the numbers out of those for all transitions, [labels, labels] in the order of the places.
func (t *transitions) take(all kernel.Matrix, m *moves) {
	t.common = m.common.to.of(all.Slice(m.common.from.low, m.common.from.high))
	if len(t.pairs) != len(m.pairs) {
		t.pairs = make([][2][]float32, len(m.pairs))
	}
	for i, p := range m.pairs {
		for side, from := range [2]int{p.first, p.second} {
			row := slices.Grow(t.pairs[i][side][:0], p.n)[:p.n]
			for j := range row {
				row[j] = all.Row(from + j)[p.to+j]
			}
			t.pairs[i][side] = row
		}
	}
}
