package safetynet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// This file has what several others ask of a text or a character.

// isAlnum reports whether a character is a letter or a digit, and isSeparator whether it is neither.
func isAlnum(r rune) bool     { return unicode.IsLetter(r) || unicode.IsDigit(r) }
func isSeparator(r rune) bool { return !isAlnum(r) }

func noLetter(r rune) bool { return !unicode.IsLetter(r) }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }

func startsWithDigit(text string) bool { return text != "" && isDigit(text[0]) }

// firstRune and lastRune return a character at an end of a text, or utf8.RuneError if it is empty.
func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// firstBytes and lastBytes return at most n bytes of a text.
func firstBytes(text string, n int) string { return text[:min(len(text), n)] }
func lastBytes(text string, n int) string  { return text[max(0, len(text)-n):] }

// lowerASCII returns a text whose letters from A to Z are in lower case, which is as long.
func lowerASCII(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return text
	}
	lower := []byte(text)
	for i, b := range lower {
		if isUpper(b) {
			lower[i] += 'a' - 'A'
		}
	}
	return string(lower)
}

// isWhole reports whether neither a letter nor a digit is directly beside a span.
func isWhole(text string, s data.Span) bool {
	return isSeparator(lastRune(text[:s.Start])) && isSeparator(firstRune(text[s.End:]))
}

// around returns a part of a text with up to so many bytes before and after a position, in whole characters.
func around(text string, at, before, after int) (from, to int) {
	from, to = max(0, at-before), min(len(text), at+after)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return from, to
}
