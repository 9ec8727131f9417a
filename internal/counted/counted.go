// Package counted writes numbers with their nouns, and lists of names, for messages.
package counted

import (
	"strconv"
	"strings"
)

// Of returns a number with a noun whose plural ends in s: 1 note, 2 notes.
func Of(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// List returns names with commas between them.
func List[S ~string](names []S) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return strings.Join(all, ", ")
}
