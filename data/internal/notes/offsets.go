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
