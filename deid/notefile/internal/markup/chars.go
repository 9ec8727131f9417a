package markup

import (
	"strings"
	"unicode"
)

// Words returns the set of the words in a list.
func Words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// Only reports whether a value is short and contains only letters, digits and these characters.
func Only(value, others string) bool {
	if len(value) > 300 {
		return false
	}
	for i := range len(value) {
		if !IsAlphanumeric(value[i]) && strings.IndexByte(others, value[i]) < 0 {
			return false
		}
	}
	return true
}

// IsAlphanumeric reports whether a byte is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// IsSpace reports whether a byte is white space in markup.
func IsSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// LetterOrDigit reports whether a character is a letter or a digit of any script.
func LetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsLineEnd reports whether any program uses a character to end a line or to separate records.
func IsLineEnd(r rune) bool {
	return r == '\r' || r == '\n' || r == '\v' || r == '\f' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}
