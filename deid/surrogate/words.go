package surrogate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	folding "github.com/lethe-deid/lethe/data/fold"
)

// token is a piece of text.
type token struct {
	text string
	word string // folded, if it is made of letters
	num  bool   // made of digits
	n    int    // the number, of its first nine digits
}

// tokens cuts text into runs of ASCII digits, runs of letters, and single other characters.
func tokens(text string) []token {
	all := make([]token, 0, min(len(text), 8)) // as many as most dates have
	start, last := 0, -1
	class := func(r rune) int {
		switch {
		case r >= '0' && r <= '9':
			return 1
		case (r == 'º' || r == 'ª') && last != 2: // a sign in 2ºB, but a letter in nº
			return 0
		case unicode.IsLetter(r) || unicode.Is(unicode.Mn, r):
			return 2
		}
		return 0
	}
	flush := func(end int) {
		if end == start {
			return
		}
		t := token{text: text[start:end]}
		switch last {
		case 1:
			t.num = true
			for _, r := range t.text[:min(len(t.text), 9)] {
				t.n = t.n*10 + int(r-'0')
			}
		case 2:
			t.word = fold(t.text)
		}
		all = append(all, t)
		start = end
	}
	for i, r := range text {
		if c := class(r); c != last || c == 0 {
			flush(i)
			last = c
		}
	}
	flush(len(text))
	return all
}

func fold(s string) string { return folding.Fold(s) }

// likeCase writes a word in the case of original: in capitals, in lower case, or
// otherwise unchanged, with an initial capital if the original has one.
func likeCase(word, original string) string {
	upper, lower := 0, 0
	for _, r := range original {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	switch {
	case word == "":
	case upper > 1 && lower == 0:
		return strings.ToUpper(word)
	case upper == 0 && lower > 0:
		return strings.ToLower(word)
	case upper > 0:
		r, n := utf8.DecodeRuneInString(word)
		if first, _ := utf8.DecodeRuneInString(original); unicode.IsUpper(first) {
			return string(unicode.ToUpper(r)) + word[n:]
		}
	}
	return word
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unaccent removes accents and changes nothing else.
func unaccent(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

func lowerCase(s string) bool { return s == strings.ToLower(s) }

func letterOrMark(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.M, r) }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
