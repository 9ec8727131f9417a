// Package wire is the JSON that the endpoints of the service share: offsets in three units, spans, requests that are read
// strictly, and errors.
package wire

import (
	"errors"
	"fmt"
	"sort"
	"unicode/utf8"
)

// Offset is a position in a text, in three units: bytes of UTF-8, as in Go and Rust; units of UTF-16, as in JavaScript, Java
// and C#; and code points, as in Python.
type Offset struct {
	UTF8      int `json:"utf8"`
	UTF16     int `json:"utf16"`
	CodePoint int `json:"codepoint"`
}

// Position is an Offset in a request, where any of the units is enough.
type Position struct {
	UTF8      *int `json:"utf8"`
	UTF16     *int `json:"utf16"`
	CodePoint *int `json:"codepoint"`
}

// stride is the number of bytes between two marks, or a little more.
const stride = 256

// Index converts between the units for one text. It is safe for concurrent use.
type Index struct {
	text  string
	marks []Offset // of one character in each stride, the first at the start of the text; nil if the text is ASCII
	end   Offset
}

// NewIndex indexes a text of valid UTF-8.
func NewIndex(text string) *Index {
	x := &Index{text: text}
	ascii := true
	for at, r := range text {
		if at >= len(x.marks)*stride {
			x.marks = append(x.marks, Offset{at, x.end.UTF16, x.end.CodePoint})
		}
		x.end.CodePoint++
		x.end.UTF16 += units(r)
		ascii = ascii && r < utf8.RuneSelf
	}
	x.end.UTF8 = len(text)
	if ascii {
		x.marks = nil
	}
	return x
}

// units returns the number of units of UTF-16 of a character.
func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// At returns the offset of a byte, which must be the first of a character or the end of the text.
func (x *Index) At(byteAt int) Offset {
	return x.search(byteAt, func(o Offset) int { return o.UTF8 })
}

// AtCodePoint returns the offset of a code point, or the end of the text if it is beyond.
func (x *Index) AtCodePoint(n int) Offset {
	return x.search(min(n, x.end.CodePoint), func(o Offset) int { return o.CodePoint })
}

// End returns the offset of the end of the text.
func (x *Index) End() Offset { return x.end }

// search returns the offset of the first character whose position in one unit is at least n, or the end of the text.
func (x *Index) search(n int, unit func(Offset) int) Offset {
	if x.marks == nil {
		return Offset{n, n, n}
	}
	after := sort.Search(len(x.marks), func(i int) bool { return unit(x.marks[i]) > n })
	o := x.marks[max(after-1, 0)]
	for unit(o) < n && o.UTF8 < len(x.text) {
		r, size := utf8.DecodeRuneInString(x.text[o.UTF8:])
		o.UTF8, o.UTF16, o.CodePoint = o.UTF8+size, o.UTF16+units(r), o.CodePoint+1
	}
	return o
}

// Byte returns the byte at which a position is. It is an error if the position has no unit, if two of its units disagree, if
// it is beyond the text, or if it is inside a character.
func (x *Index) Byte(p Position) (int, error) {
	at, given := -1, false
	for _, u := range []struct {
		name  string
		value *int
		of    func(Offset) int
	}{
		{"utf8", p.UTF8, func(o Offset) int { return o.UTF8 }},
		{"utf16", p.UTF16, func(o Offset) int { return o.UTF16 }},
		{"codepoint", p.CodePoint, func(o Offset) int { return o.CodePoint }},
	} {
		if u.value == nil {
			continue
		}
		n := *u.value
		if n < 0 || n > u.of(x.end) {
			return 0, fmt.Errorf("the offset %d in %s is not in the text, which has %d", n, u.name, u.of(x.end))
		}
		o := x.search(n, u.of)
		switch {
		case u.of(o) != n:
			return 0, fmt.Errorf("the offset %d in %s is inside a character", n, u.name)
		case given && o.UTF8 != at:
			return 0, errors.New("the units of an offset disagree")
		}
		at, given = o.UTF8, true
	}
	if !given {
		return 0, errors.New("an offset requires utf8, utf16 or codepoint")
	}
	return at, nil
}
