package tokenize

import (
	"unicode"
	"unicode/utf8"
)

// class is the class of a character, as far as tokenizers distinguish them.
type class uint8

const (
	other  class = iota // punctuation, symbols, controls, unassigned, invalid bytes
	space               // unicode.IsSpace
	letter              // category L
	digit               // category Nd
	mark                // category M: combining accents, vowel signs
	joiner              // invisible inside words: soft hyphen, zero-width (non-)joiner, word joiner
)

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		t[r] = classOf(r)
	}
	return t
}()

func classOf(r rune) class {
	switch {
	case unicode.IsLetter(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	case unicode.IsSpace(r):
		return space
	case unicode.IsMark(r):
		return mark
	case r == '\u00ad' || r == '\u200c' || r == '\u200d' || r == '\u2060':
		return joiner
	}
	return other
}

// classAt returns the class and the length in bytes of the character at text[i].
func classAt(text string, i int) (class, int) {
	if b := text[i]; b < utf8.RuneSelf {
		return asciiClass[b], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return classOf(r), n // an invalid byte decodes as U+FFFD of length 1: other
}

// is reports whether the character at text[i] is of class c.
func is(text string, i int, c class) bool {
	if i >= len(text) {
		return false
	}
	got, _ := classAt(text, i)
	return got == c
}
