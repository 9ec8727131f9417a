package notes

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// stride is how many code points lie between two marks.
const stride = 256

// Offsets converts offsets into a text between bytes and code points.
type Offsets struct {
	text  string
	marks []int // byte offset of every stride-th code point; nil for ASCII
	count int   // code points in the text
}

// NewOffsets indexes a text of valid UTF-8.
func NewOffsets(text string) *Offsets {
	o := &Offsets{text: text, count: utf8.RuneCountInString(text)}
	if o.count == len(text) {
		return o
	}
	n := 0
	for i := range text {
		if n%stride == 0 {
			o.marks = append(o.marks, i)
		}
		n++
	}
	return o
}

// Text is the text that the offsets are into.
func (o *Offsets) Text() string { return o.text }

// Bytes converts a half-open span of code points to bytes. The error says in
// what way there is no such span.
func (o *Offsets) Bytes(start, end int) (int, int, error) {
	switch {
	case start > end:
		return 0, 0, fmt.Errorf("the span [%d,%d) of code points is reversed", start, end)
	case start < 0 || end > o.count:
		return 0, 0, fmt.Errorf("the span [%d,%d) lies beyond the text of %d code points", start, end, o.count)
	case start == end:
		return 0, 0, fmt.Errorf("the span [%d,%d) of code points is empty", start, end)
	}
	return o.byteAt(start), o.byteAt(end), nil
}

func (o *Offsets) byteAt(point int) int {
	switch {
	case o.marks == nil:
		return point
	case point == o.count: // there may be no mark for it
		return len(o.text)
	}
	at := o.marks[point/stride]
	for range point % stride {
		_, n := utf8.DecodeRuneInString(o.text[at:])
		at += n
	}
	return at
}

// CodePoint converts a byte offset.
func (o *Offsets) CodePoint(at int) int {
	if o.marks == nil {
		return at
	}
	i := sort.SearchInts(o.marks, at+1) - 1
	return i*stride + utf8.RuneCountInString(o.text[o.marks[i]:at])
}

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
