package deid

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// lineEscape matches the end of a line as some exports write it, with a backslash and a letter instead of the character.
var lineEscape = lazyregexp.New(`\\r\\n|\\n`)

// notLineEnd matches what follows the backslash and the n of a path or a login, such as WARD\n48291.
var notLineEnd = lazyregexp.New(`^(?:[a-z]|[0-9]{4})`)

// dateAfter matches a date at the beginning of a line.
var dateAfter = lazyregexp.New(`^(?:19|20)[0-9]{2}-[0-9]{2}`)

// inPath matches what stands before a backslash of a path.
var inPath = lazyregexp.New(`(?:[A-Za-z]:|\\)[^\s]*$`)

// lineEscapes returns the places of escapes for line ends in a text. The backslash of a path or a login, as in C:\notes, begins none, unless another escape shows that
// the text has them.
func lineEscapes(text string) []data.Span {
	if !strings.Contains(text, `\n`) {
		return nil
	}
	var all, guess []data.Span
	for _, m := range lineEscape.FindAllStringIndex(text, -1) {
		s, after := data.Span{Start: m[0], End: m[1]}, text[m[1]:]
		switch {
		case m[1]-m[0] > len(`\n`) || !notLineEnd.MatchString(after) || dateAfter.MatchString(after):
			all = append(all, s)
		case !inPath.MatchString(text[max(0, m[0]-128):m[0]]):
			guess = append(guess, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	all = append(all, guess...)
	data.SortSpans(all)
	return all
}
