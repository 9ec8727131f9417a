package tokenize

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// Range is the range [Start, End) of the tokens of a document.
type Range struct {
	Start, End int
}

// Splitter divides a document's tokens into the units that a sequence labeller
// reads at a time. It is stateless and safe for concurrent use.
type Splitter interface {
	// Sentences appends the units of the tokens of text to dst and returns it.
	// The units cover all tokens in order, and none is empty.
	Sentences(text string, tokens []data.Token, dst []Range) []Range
}

var splitters = []struct {
	name     string
	splitter Splitter
}{
	{"line", Lines{}},
	{"blank-line", Paragraphs{}},
	{"rules", Rules{}},
	{"note", Notes{}},
}

// LookupSplitter returns the splitter with that name; see SplitterNames. It
// returns an error for other names.
func LookupSplitter(name string) (Splitter, error) {
	for _, s := range splitters {
		if s.name == name {
			return s.splitter, nil
		}
	}
	return nil, fmt.Errorf("no sentence splitter %q (have %s)", name, strings.Join(SplitterNames(), ", "))
}

// SplitterNames returns the names of the splitters: line, blank-line, rules, note.
func SplitterNames() []string {
	var names []string
	for _, s := range splitters {
		names = append(names, s.name)
	}
	return names
}

// Lines makes a unit of each line that contains a token. Lines end at Unicode's
// mandatory breaks (UAX 14): \n, \r, \r\n, \v, \f, U+0085, U+2028, U+2029.
type Lines struct{}

var _ Splitter = Lines{}

// Sentences implements Splitter.
func (Lines) Sentences(text string, tokens []data.Token, dst []Range) []Range {
	return cut(len(tokens), dst, func(i int) bool { return gapLines(text, tokens, i) >= 1 })
}

// Paragraphs ends a unit at each blank line: two line ends with only white space
// between them.
type Paragraphs struct{}

var _ Splitter = Paragraphs{}

// Sentences implements Splitter.
func (Paragraphs) Sentences(text string, tokens []data.Token, dst []Range) []Range {
	return cut(len(tokens), dst, func(i int) bool { return gapLines(text, tokens, i) >= 2 })
}

// Notes makes one unit of all tokens of a note.
type Notes struct{}

var _ Splitter = Notes{}

// Sentences implements Splitter.
func (Notes) Sentences(_ string, tokens []data.Token, dst []Range) []Range {
	return cut(len(tokens), dst, func(int) bool { return false })
}

// Limit returns a splitter that splits each unit of s with more than max tokens,
// so that no input can make the labeller's memory grow without bound. It cuts
// within the second half of the max tokens: after the last line end if there is
// one, else after the last . ? or !, else after the last , ; or :, else at max.
// If max is less than 1, there is no limit.
func Limit(s Splitter, max int) Splitter {
	if max < 1 {
		return s
	}
	return limited{s, max}
}

type limited struct {
	Splitter
	max int
}

func (l limited) Sentences(text string, tokens []data.Token, dst []Range) []Range {
	// Cutting a unit within dst would shift all later ones, so the pieces go into
	// a new list, which is made only if some unit is too long.
	from := len(dst)
	dst = l.Splitter.Sentences(text, tokens, dst)
	units := dst[from:]
	tooLong := func(u Range) bool { return u.End-u.Start > l.max }
	first := 0
	for first < len(units) && !tooLong(units[first]) {
		first++
	}
	if first == len(units) {
		return dst
	}
	rest := append([]Range(nil), units[first:]...)
	dst = dst[:from+first]
	for _, u := range rest {
		for tooLong(u) {
			end := l.cutAt(text, tokens, u.Start)
			dst = append(dst, Range{u.Start, end})
			u.Start = end
		}
		dst = append(dst, u)
	}
	return dst
}

// cutAt returns the best end of a piece of at most max tokens that starts at
// start. The unit must continue beyond it.
func (l limited) cutAt(text string, tokens []data.Token, start int) int {
	best, bestRank := start+l.max, 0
	for end := start + l.max; end > start+l.max/2 && bestRank < 3; end-- {
		if r := cutRank(text, tokens, end-1); r > bestRank {
			best, bestRank = end, r
		}
	}
	return best
}

// cutRank returns how good token i is as the end of a unit. It must not be the
// last token.
func cutRank(text string, tokens []data.Token, i int) int {
	if gapLines(text, tokens, i) > 0 {
		return 3
	}
	switch text[tokens[i].End-1] {
	case '.', '?', '!':
		return 2
	case ',', ';', ':':
		return 1
	}
	return 0
}

// cut appends the units of n tokens that end after the last token and after each
// token i for which ends returns true.
func cut(n int, dst []Range, ends func(i int) bool) []Range {
	start := 0
	for i := range n {
		if i == n-1 || ends(i) {
			dst = append(dst, Range{start, i + 1})
			start = i + 1
		}
	}
	return dst
}

// gapLines returns the number of line ends between tokens i and i+1, at most 2.
func gapLines(text string, tokens []data.Token, i int) int {
	lines := 0
	for p, end := tokens[i].End, tokens[i+1].Start; p < end && lines < 2; {
		n := lineEnd(text, p)
		if n == 0 {
			p++
			continue
		}
		lines++
		p += n
	}
	return lines
}

// lineEnd returns the length of the line end at text[i], or 0.
func lineEnd(text string, i int) int {
	switch text[i] {
	case '\n', '\v', '\f':
		return 1
	case '\r':
		if strings.HasPrefix(text[i+1:], "\n") {
			return 2
		}
		return 1
	case 0xc2, 0xe2:
		switch r, n := utf8.DecodeRuneInString(text[i:]); r {
		case '\u0085', '\u2028', '\u2029':
			return n
		}
	}
	return 0
}

// skipSpace returns the first position from i on that is not white space.
func skipSpace(text string, i int) int {
	for i < len(text) {
		c, n := classAt(text, i)
		if c != space {
			break
		}
		i += n
	}
	return i
}
