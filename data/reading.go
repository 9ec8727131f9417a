package data

import (
	"fmt"
	"slices"
	"strings"
)

// ReadOptions say how readers of annotated notes read them.
type ReadOptions struct {
	Types     *TypeSet // of the spans; a span of another type is an error
	Fragments Fragments
	Offsets   Offsets
}

// Fragments says what becomes of a discontinuous span, that is, of one in several fragments with other
// text between them, such as "left ... knee" in "left and right knee".
type Fragments string

// The values of Fragments.
const (
	RefuseFragments Fragments = "refuse"  // it is an error; also ""
	HullOfFragments Fragments = "hull"    // a span from the first fragment to the end of the last
	PartsOfSpan     Fragments = "parts"   // a span for each fragment
	LongestFragment Fragments = "longest" // the longest fragment; of equally long ones, the first
)

// Check returns an error for an unknown value.
func (f Fragments) Check() error {
	all := []string{"", string(RefuseFragments), string(HullOfFragments), string(PartsOfSpan), string(LongestFragment)}
	if !slices.Contains(all, string(f)) {
		return fmt.Errorf("%q is not %s", f, strings.Join(all[1:], ", "))
	}
	return nil
}

// ErrFragments is the error of a span in fragments that is refused.
var ErrFragments = fmt.Errorf("the span is in fragments with other text between them, which no tagger of Lethe can find: " +
	"choose with fragments: hull, parts or longest what becomes of such spans")

// Join returns the spans that take the place of one in several fragments, which are sorted and do not
// overlap. The error is ErrFragments.
func (f Fragments) Join(fragments []Span) ([]Span, error) {
	switch f {
	case HullOfFragments:
		hull := fragments[0]
		hull.End = fragments[len(fragments)-1].End
		return []Span{hull}, nil
	case PartsOfSpan:
		return fragments, nil
	case LongestFragment:
		longest := slices.MaxFunc(fragments, func(a, b Span) int { return a.End - a.Start - (b.End - b.Start) })
		return []Span{longest}, nil
	}
	return nil, ErrFragments
}

// Offsets says what the offsets in files of annotations count, as words with "+" between them, for
// example "utf-16" or "code-points+lf". The first word is the unit:
//
//	code-points  Unicode code points, as in Python; also ""
//	utf-16       units of UTF-16, as in JavaScript and Java
//	bytes        bytes of UTF-8, as in C, Go and Perl
//
// The others are for annotations of a text that was not quite the one of the note:
//
//	lf      each line end counts as one unit, also CR LF
//	crlf    each line end counts as two units, also LF
//	no-bom  a byte order mark at the start of the text does not count
//	bom     a byte order mark counts that the text does not have
type Offsets string

// The units of Offsets.
const (
	CodePoints = "code-points"
	UTF16Units = "utf-16"
	Bytes      = "bytes"
)

// The other words of Offsets.
const (
	CountLF   = "lf"
	CountCRLF = "crlf"
	NoBOM     = "no-bom"
	WithBOM   = "bom"
)

// Words returns the unit and reports whether other words are given. It returns an error for a value
// that is not as above.
func (o Offsets) Words() (unit string, given func(word string) bool, err error) {
	words := strings.Split(string(o), "+")
	unit, words = words[0], words[1:]
	given = func(word string) bool { return slices.Contains(words, word) }
	if unit == "" && len(words) == 0 {
		unit = CodePoints
	}
	known := slices.Contains([]string{CodePoints, UTF16Units, Bytes}, unit)
	for i, w := range words {
		known = known && slices.Contains([]string{CountLF, CountCRLF, NoBOM, WithBOM}, w) && !slices.Contains(words[:i], w)
	}
	if !known || given(CountLF) && given(CountCRLF) || given(NoBOM) && given(WithBOM) {
		return "", nil, fmt.Errorf("%q is not code-points, utf-16 or bytes, perhaps with +lf or +crlf, and +no-bom or +bom", o)
	}
	return unit, given, nil
}

// Check returns an error for an unknown value.
func (o Offsets) Check() error {
	_, _, err := o.Words()
	return err
}
