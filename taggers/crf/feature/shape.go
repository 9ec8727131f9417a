package feature

import (
	"strings"
	"unicode"
)

// class returns a character's class in a shape: A for an upper-case letter, a for a
// lower-case letter, # for a digit, - for anything else.
func class(r rune) byte {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a'
	case r >= 'A' && r <= 'Z':
		return 'A'
	case r >= '0' && r <= '9':
		return '#'
	case r < 0x80:
		return '-'
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return 'A'
	case unicode.IsLetter(r):
		return 'a'
	case unicode.IsDigit(r):
		return '#'
	}
	return '-'
}

// maxShape bounds the shapes of very long tokens.
const maxShape = 32

// shape maps each character to its class or, if short is set, each run of a class to
// one character.
func shape(w string, short bool) string {
	var b [maxShape]byte
	n := 0
	for _, r := range w {
		if c := class(r); !short || n == 0 || b[n-1] != c {
			if n == maxShape {
				break
			}
			b[n] = c
			n++
		}
	}
	return string(b[:n])
}

func shapes(w string, put func(string)) {
	put(shape(w, false))
	put("~" + shape(w, true))
}

var dehghan = strings.NewReplacer("A", "X", "a", "x", "#", "d", "-", "S")

func patterns(w string, put func(string)) {
	long := dehghan.Replace(shape(w, false))
	put(long)
	b := []byte("____")
	for i, c := range "XxdS" {
		if strings.ContainsRune(long, c) {
			b[i] = byte(c)
		}
	}
	put("~" + string(b))
}

func morphology(w string, put func(string)) {
	var capitals, small, digits, other int
	first := byte(0)
	for _, r := range w {
		c := class(r)
		if first == 0 {
			first = c
		}
		switch c {
		case 'A':
			capitals++
		case 'a':
			small++
		case '#':
			digits++
		default:
			other++
		}
	}
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"ends with s", strings.HasSuffix(strings.ToLower(w), "s")},
		{"has a digit", digits > 0},
		{"numeric", digits > 0 && capitals+small+other == 0},
		{"alphabetic", capitals+small > 0 && digits+other == 0},
		{"alphanumeric", capitals+small > 0 && digits > 0 && other == 0},
		{"title case", first == 'A' && capitals == 1 && small > 0},
		{"lower case", small > 0 && capitals == 0},
		{"upper case", capitals > 0 && small == 0},
		{"has a capital", capitals > 0},
		{"capital inside", capitals > 0 && small > 0 && (capitals > 1 || first != 'A')},
		{"punctuation", other > 0},
		{"only punctuation", other > 0 && capitals+small+digits == 0},
	} {
		if f.has {
			put(f.name)
		}
	}
}
