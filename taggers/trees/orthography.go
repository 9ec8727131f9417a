package trees

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks are punctuation marks, in the order of their numbers in the property "mark".
const marks = ".,:;/-()'\"@#*%+_"

// orthography returns the properties of the spelling of tokens.
func orthography() []property {
	of := func(name string, edge float32, value func(w string) float32) property {
		return numeric(name, around, edge, func(x *stretch, t int) float32 { return value(x.words[t]) })
	}
	return []property{
		of("initial", 0, initial),
		of("capitals", 0, func(w string) float32 { _, all := letters(w); return yes(all) }),
		of("capital inside", 0, func(w string) float32 {
			_, size := utf8.DecodeRuneInString(w)
			return yes(strings.ContainsFunc(w[size:], unicode.IsUpper))
		}),
		of("length", 0, func(w string) float32 { return float32(min(utf8.RuneCountInString(w), 30)) }),
		of("digits", 0, func(w string) float32 { return float32(min(count(w, unicode.IsDigit), 30)) }),
		of(numberProperty, -1, number),
		of("mark", 0, mark),
		numeric("space", around, 3, space),
	}
}

// numberProperty is the only property whose values, and therefore thresholds, can be a number of a note.
const numberProperty = "number"

// initial is 2 for a word that begins with a capital, 1 for another letter, otherwise 0.
func initial(w string) float32 {
	r, _ := utf8.DecodeRuneInString(w)
	switch {
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return 2
	case unicode.IsLetter(r):
		return 1
	}
	return 0
}

// number is the value of a token of up to five digits, or -1.
func number(w string) float32 {
	if len(w) > 5 {
		return -1
	}
	if n, err := strconv.ParseUint(w, 10, 32); err == nil {
		return float32(n)
	}
	return -1
}

// mark is the number of a punctuation mark, from 2; 1 for any other token that begins
// with neither a letter nor a digit; otherwise 0.
func mark(w string) float32 {
	if len(w) == 1 {
		if i := strings.IndexByte(marks, w[0]); i >= 0 {
			return float32(i + 2)
		}
	}
	r, _ := utf8.DecodeRuneInString(w)
	return yes(!unicode.IsLetter(r) && !unicode.IsDigit(r))
}

// space is what precedes a token: 3 for a line end or the beginning of the text, 2 for
// more than one byte, 1 for one space, 0 for nothing.
func space(x *stretch, t int) float32 {
	switch gap := x.gap(t); {
	case t == 0 || x.line[t] != x.line[t-1]:
		return 3
	case len(gap) > 1:
		return 2
	default:
		return float32(len(gap))
	}
}

func count(w string, is func(rune) bool) int {
	n := 0
	for _, r := range w {
		if is(r) {
			n++
		}
	}
	return n
}
