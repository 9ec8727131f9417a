package notes

import (
	"fmt"
	"sort"
)

// Units converts offsets into a text between bytes and units of UTF-16, in which a character beyond U+FFFF has two.
type Units struct {
	points *Offsets
	long   []int // code points with two units, in order
}

// NewUnits indexes a text of valid UTF-8.
func NewUnits(text string) *Units {
	u := &Units{points: NewOffsets(text)}
	point := 0
	for _, r := range text {
		if r > '\uFFFF' {
			u.long = append(u.long, point)
		}
		point++
	}
	return u
}

// Count is the number of units in the text.
func (u *Units) Count() int { return u.points.count + len(u.long) }

// Bytes converts a half-open span of units to bytes. The error says in what way there is no such span.
func (u *Units) Bytes(start, end int) (int, int, error) {
	switch {
	case start > end:
		return 0, 0, fmt.Errorf("the span [%d,%d) of UTF-16 units is reversed", start, end)
	case start < 0 || end > u.Count():
		return 0, 0, fmt.Errorf("the span [%d,%d) lies beyond the text of %d UTF-16 units", start, end, u.Count())
	case start == end:
		return 0, 0, fmt.Errorf("the span [%d,%d) of UTF-16 units is empty", start, end)
	}
	from, ok1 := u.point(start)
	to, ok2 := u.point(end)
	if !ok1 || !ok2 {
		return 0, 0, fmt.Errorf("the span [%d,%d) of UTF-16 units divides a character", start, end)
	}
	return u.points.byteAt(from), u.points.byteAt(to), nil
}

// point converts an offset to code points. It returns false for an offset within a character.
func (u *Units) point(unit int) (int, bool) {
	before := sort.Search(len(u.long), func(i int) bool { return u.long[i]+i >= unit })
	return unit - before, before == 0 || u.long[before-1]+before < unit
}

// Unit converts a byte offset.
func (u *Units) Unit(at int) int {
	point := u.points.CodePoint(at)
	return point + sort.SearchInts(u.long, point)
}
