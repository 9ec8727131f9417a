package notes

import (
	"fmt"
	"sort"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// stride is how many code points lie between two marks.
const stride = 256

// Offsets converts offsets into a text between bytes and code points, or another
// unit.
type Offsets struct {
	text  string
	unit  string // for errors
	count int    // units in the text
	marks []int  // byte offset of every stride-th code point; nil for ASCII
	// at is, for other units than code points, the byte offset of each unit, and
	// inside if a character began before it. It is nil for code points.
	at []int32
}

const inside = -1

// NewOffsets indexes a text of valid UTF-8 for offsets in code points.
func NewOffsets(text string) *Offsets {
	o := &Offsets{text: text, unit: "code points", count: utf8.RuneCountInString(text)}
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

// Counting indexes a text of valid UTF-8 for offsets that count as said. An invalid value counts code points.
func Counting(text string, how data.Offsets) *Offsets {
	unit, given, err := how.Words()
	if err != nil || how == "" || how == data.CodePoints {
		return NewOffsets(text)
	}
	o := &Offsets{text: text, unit: map[string]string{data.CodePoints: "code points", data.UTF16Units: "UTF-16 units", data.Bytes: "bytes"}[unit]}
	if given(data.WithBOM) {
		n := map[string]int{data.Bytes: len(BOM)}[unit]
		for range max(n, 1) {
			o.at = append(o.at, 0)
		}
	}
	for i, r := range text {
		width := 1
		switch unit {
		case data.UTF16Units:
			width = utf16.RuneLen(r)
		case data.Bytes:
			width = utf8.RuneLen(r)
		}
		switch afterCR := r == '\n' && i > 0 && text[i-1] == '\r'; {
		case r == '\n' && given(data.CountLF) && afterCR, r == '\uFEFF' && i == 0 && given(data.NoBOM):
			width = 0
		case r == '\n' && given(data.CountCRLF) && !afterCR:
			width = 2
		}
		for k := range width {
			if k == 0 {
				o.at = append(o.at, int32(i))
			} else {
				o.at = append(o.at, inside)
			}
		}
	}
	o.count = len(o.at)
	o.at = append(o.at, int32(len(text)))
	return o
}

// Text is the text that the offsets are into.
func (o *Offsets) Text() string { return o.text }

// Unit is what the offsets count, as in "code points".
func (o *Offsets) Unit() string { return o.unit }

// Bytes converts a half-open span of units to bytes. The error says in
// what way there is no such span.
func (o *Offsets) Bytes(start, end int) (int, int, error) {
	switch {
	case start > end:
		return 0, 0, fmt.Errorf("the span [%d,%d) of %s is reversed", start, end, o.unit)
	case start < 0 || end > o.count:
		return 0, 0, fmt.Errorf("the span [%d,%d) lies beyond the text of %d %s", start, end, o.count, o.unit)
	case start == end:
		return 0, 0, fmt.Errorf("the span [%d,%d) of %s is empty", start, end, o.unit)
	}
	from, to := o.byteAt(start), o.byteAt(end)
	if from == inside || to == inside {
		return 0, 0, fmt.Errorf("the span [%d,%d) of %s begins or ends inside a character", start, end, o.unit)
	}
	if from == to {
		return 0, 0, fmt.Errorf("the span [%d,%d) of %s is empty", start, end, o.unit)
	}
	return from, to, nil
}

func (o *Offsets) byteAt(unit int) int {
	switch {
	case o.at != nil:
		return int(o.at[unit])
	case o.marks == nil:
		return unit
	case unit == o.count: // there may be no mark for it
		return len(o.text)
	}
	at := o.marks[unit/stride]
	for range unit % stride {
		_, n := utf8.DecodeRuneInString(o.text[at:])
		at += n
	}
	return at
}

// CodePoint converts a byte offset to code points. The offsets must be those of NewOffsets.
func (o *Offsets) CodePoint(at int) int {
	if o.marks == nil {
		return at
	}
	i := sort.SearchInts(o.marks, at+1) - 1
	return i*stride + utf8.RuneCountInString(o.text[o.marks[i]:at])
}
