package safetynet

import (
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// IsIdentifier reports whether a value of a field that is said to identify somebody can be searched for in notes: it has a digit and at
// least five letters and digits, and is no amount. Ordinary words and short numbers have other meanings in a note, too.
func IsIdentifier(text string) bool {
	digits, letters, ok := identifierOf(text)
	return ok && digits > 0 && digits+letters >= minNumber
}

// MayIdentify is IsIdentifier for a value of a field of which nothing is known, so that it may also be a measurement, a time, a code or
// the name of a test: these have few digits, or a form of their own.
func MayIdentify(text string) bool {
	digits, letters, ok := identifierOf(text)
	return ok && digits >= minDigits && digits+letters >= minNumber && !noIdentifier.MatchString(strings.TrimSpace(text))
}

// Limits of the values of fields that may be identifiers: the digits that an identifier of an unknown field has at least, and the words and
// bytes that it has at most.
const (
	minDigits  = 4
	maxWords   = 6
	maxIDBytes = 64
)

// noIdentifier matches decimals, ratios, times of the day, codes of diseases (E11.65) and of LOINC, and numbers beside a word.
var noIdentifier = lazyregexp.New(`^(?:[<>=~+-]*\d+[.,]\d+|\d{1,3}/\d{1,3}|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?|[A-Za-z]\d[0-9A-Za-z]\.[0-9A-Za-z]{1,4}|\d{1,5}-\d|.*\pL{4}.*)$`)

// identifierOf counts the digits and letters of a value. It is not ok if the value is a text or an amount.
func identifierOf(text string) (digits, letters int, ok bool) {
	if len(text) > maxIDBytes || strings.ContainsAny(text, "\r\n") {
		return 0, 0, false
	}
	words := split(text)
	for _, w := range words {
		n := utf8.RuneCountInString(w.fold)
		switch {
		case w.measured:
			return 0, 0, false
		case w.digits:
			digits += n
		default:
			letters += n
		}
	}
	return digits, letters, len(strings.Fields(text)) <= maxWords
}
