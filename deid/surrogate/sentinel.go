package surrogate

import (
	"strings"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// sentinelForms matches dates that databases write for a time without end or beginning, or for no date at all: 9999-12-31, 0001-01-01 and 0000-00-00, in the usual forms.
const sentinelForms = `(?:9999(?:[-/.]12[-/.]31|1231)|(?:12[-/.]31|31[-/.]12)[-/.]9999|31[- ](?i:dec|dic)\pL*[- ]9999|(?i:dec|dic)\pL*\.? 31,? 9999` +
	`|0001(?:[-/.]01[-/.]01|0101)|0?1[-/.]0?1[-/.]0001|0?1[- ](?i:jan|ene)\pL*[- ]0001|0000-00-00)` +
	`(?:[T ]?\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?(?: ?(?i:[ap]m|z|utc|gmt|[-+]\d{2}(?::?\d{2})?))?)?`

var (
	sentinel  = lazyregexp.New(`^(?:9999(?:-12)?|` + sentinelForms + `)$`)
	sentinels = lazyregexp.New(`(?:^|[^\pL\pN/-])(` + sentinelForms + `)(?:$|[^\pL\pN/-])`)
)

// IsSentinel reports whether a date is no date of a person, but stands for "no end", "no beginning" or "unknown".
func IsSentinel(date string) bool {
	return mayBeSentinel(date) && sentinel.MatchString(date)
}

// mayBeSentinel reports whether a text contains a year of such dates. It is much faster than the expressions.
func mayBeSentinel(text string) bool {
	return strings.Contains(text, "9999") || strings.Contains(text, "0001") || strings.Contains(text, "0000")
}

// Sentinels returns where such dates are in a text, in order.
func Sentinels(text string) [][2]int {
	var all [][2]int
	if !mayBeSentinel(text) {
		return nil
	}
	for at := 0; ; {
		m := sentinels.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return all
		}
		all = append(all, [2]int{at + m[2], at + m[3]})
		at += m[3] // what follows one date may precede the next
	}
}
