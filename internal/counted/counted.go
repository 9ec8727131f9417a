// Package counted writes numbers with their nouns.
package counted

import "strconv"

// Of returns a number with a noun whose plural ends in s: 1 note, 2 notes.
func Of(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
