package deid

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// label matches a label of a number, such as MRN or NHC, and what separates it from the number.
var label = lazyregexp.New(`^(?i:mrn|ssn|nhs|npi|nhc|dni|nie|nif|cip|curp|rut|cuil|nuss|nss)(?:[ \t]*[:#º°]+[ \t]*|[ \t]+|$)`)

// withoutLabels cuts labels off the beginning of numbers, and drops those that a tagger took for a number of their own, before the number that
// they belong to. They are no PHI, and say what was replaced. The spans are sorted.
func withoutLabels(text string, spans []data.Span, sort func(typ string) data.Sort) []data.Span {
	number := func(s data.Span) bool { return sort(s.Type) == data.Number }
	var all []data.Span
	for i, s := range spans {
		m := ""
		if number(s) {
			m = label.FindString(text[s.Start:s.End])
		}
		switch {
		case m == "":
		case len(m) < s.End-s.Start:
			if strings.ContainsAny(text[s.Start+len(m):s.End], "0123456789") {
				s.Start += len(m)
			}
		case i+1 < len(spans) && number(spans[i+1]) && s.End <= spans[i+1].Start && strings.Trim(text[s.End:spans[i+1].Start], " \t:#º°") == "":
			continue
		}
		all = append(all, s)
	}
	return all
}
