package deid

import (
	"regexp"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// title matches a title alone.
var title = regexp.MustCompile(`^(?i:drs?|dra|mrs?|ms|prof)\.?$`)

// withoutTitles drops titles that a tagger took for a name of its own, beside the name that they belong to. They are no PHI. The spans
// are sorted.
func withoutTitles(text string, spans []data.Span, sort func(typ string) data.Sort) []data.Span {
	var all []data.Span
	for i, s := range spans {
		if i+1 < len(spans) && sort(s.Type) == data.Person && sort(spans[i+1].Type) == data.Person && s.End < spans[i+1].Start &&
			title.MatchString(text[s.Start:s.End]) && strings.Trim(text[s.End:spans[i+1].Start], " \t") == "" {
			continue
		}
		all = append(all, s)
	}
	return all
}
