package surrogate

import (
	"regexp"
	"strings"
)

// sentinel matches dates that databases write for a time without end or beginning, or for no date at all: 9999-12-31, 0001-01-01 and 0000-00-00, in the usual forms.
var sentinel = regexp.MustCompile(`^(?:9999(?:-12)?|(?:9999(?:[-/.]12[-/.]31|1231)|(?:12[-/.]31|31[-/.]12)[-/.]9999|31[- ](?i:dec|dic)\pL*[- ]9999|(?i:dec|dic)\pL*\.? 31,? 9999` +
	`|0001(?:[-/.]01[-/.]01|0101)|0?1[-/.]0?1[-/.]0001|0?1[- ](?i:jan|ene)\pL*[- ]0001|0000-00-00)` +
	`(?:[T ]?\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?(?: ?(?i:[ap]m|z|utc|gmt|[-+]\d{2}(?::?\d{2})?))?)?)$`)

// IsSentinel reports whether a date is no date of a person, but stands for "no end", "no beginning" or "unknown".
func IsSentinel(date string) bool {
	for _, year := range []string{"9999", "0001", "0000"} { // much faster than the expression
		if strings.Contains(date, year) {
			return sentinel.MatchString(date)
		}
	}
	return false
}
