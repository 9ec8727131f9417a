package i2b2

import (
	"slices"

	"github.com/lethe-deid/lethe/evaluation"
)

// distance is the greatest difference, in code points, between the ends of tags
// that are equal in the relaxed sense.
const distance = 2

// group contains the properties that relaxed tags must share. Their ends are
// numbers.
type group struct {
	element    int
	typ, start string
}

type relaxedTag struct {
	group
	end int
}

// relaxedTags returns, in order, the tags that an evaluation keeps.
func relaxedTags(tags []keptTag, in uint64) []relaxedTag {
	var kept []relaxedTag
	for _, t := range tags {
		if t.in&in != 0 {
			kept = append(kept, relaxedTag{group{t.key.element, t.key.typ, t.key.start}, t.to})
		}
	}
	return kept
}

// relaxedSet models a Python set of tags with relaxed equality: by group, the
// ends in order of insertion.
type relaxedSet struct {
	ends map[group][]int
	size int
}

// newRelaxedSet returns the set of the tags, dropping each tag that equals an
// earlier one.
func newRelaxedSet(tags []relaxedTag) relaxedSet {
	s := relaxedSet{ends: make(map[group][]int, len(tags))}
	for _, t := range tags {
		if find(s.ends[t.group], t.end) < 0 {
			s.ends[t.group] = append(s.ends[t.group], t.end)
			s.size++
		}
	}
	return s
}

// find returns the index of the first end within distance, or -1.
func find(ends []int, end int) int {
	return slices.IndexFunc(ends, func(e int) bool { return max(e-end, end-e) <= distance })
}

// both returns the number of elements of s that are in other.
func (s relaxedSet) both(other relaxedSet) int {
	n := 0
	for g, ends := range s.ends {
		for _, end := range ends {
			if find(other.ends[g], end) >= 0 {
				n++
			}
		}
	}
	return n
}

// without returns the number of elements left when other is subtracted from s, in
// the two ways of CPython (Objects/setobject.c, set_difference).
func (s relaxedSet) without(other relaxedSet) int {
	if s.size/4 <= other.size {
		return s.size - s.both(other)
	}
	n := s.size
	for g, ends := range other.ends {
		left := slices.Clone(s.ends[g])
		for _, end := range ends {
			if i := find(left, end); i >= 0 {
				left = slices.Delete(left, i, i+1)
				n--
			}
		}
	}
	return n
}

// compareRelaxed counts relaxed matches as the script does.
func compareRelaxed(goldTags, systemTags []relaxedTag) evaluation.Counts {
	gold, system := newRelaxedSet(goldTags), newRelaxedSet(systemTags)
	c := evaluation.Counts{FP: system.without(gold), FN: gold.without(system)}
	if gold.size < system.size {
		c.TP = gold.both(system)
	} else {
		c.TP = system.both(gold)
	}
	return c
}

// matchRelaxed returns the counts of a maximum matching, in which each tag
// matches at most one tag of the other side. Within a group, matching the
// smallest end of either side with the first one within distance is optimal.
func matchRelaxed(goldTags, systemTags []relaxedTag) evaluation.Counts {
	gold, goldSize := endsOf(goldTags)
	system, systemSize := endsOf(systemTags)
	tp := 0
	for key, g := range gold {
		s := system[key]
		for len(g) > 0 && len(s) > 0 {
			switch d := g[0] - s[0]; {
			case d > distance:
				s = s[1:]
			case d < -distance:
				g = g[1:]
			default:
				tp++
				g, s = g[1:], s[1:]
			}
		}
	}
	return evaluation.Counts{TP: tp, FP: systemSize - tp, FN: goldSize - tp}
}

// endsOf returns the distinct ends of each group, sorted, and their total number.
func endsOf(tags []relaxedTag) (map[group][]int, int) {
	ends, size := map[group][]int{}, 0
	for _, t := range tags {
		ends[t.group] = append(ends[t.group], t.end)
	}
	for g, e := range ends {
		slices.Sort(e)
		ends[g] = slices.Compact(e)
		size += len(ends[g])
	}
	return ends, size
}
