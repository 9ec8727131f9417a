package deid

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

var (
	// title matches a title alone.
	title = lazyregexp.New(`^(?i:drs?|dra|mrs?|ms|prof|lic|enf|obst|psic|adj|hna)\.?$|^(?:Smt|Mst)\.?$`)
	// titleBefore matches a title before a name in the same span, of those that marked corpora leave out of names. T.S., Q.F. and L.T.S. may be the
	// initials of a name, so that they need another title before them, and like Q.F.B. two words of a name behind them. Titles that are also first names, such as Alhaji and Shri, are not among them.
	titleBefore = lazyregexp.New(`^((?:(?i:lic|enf)\. ?(?:L\.T\.S|Q\.F|T\.S)|(?:(?i:lic|enf)\. ?)?Q\.F\.B)\. ?)\p{Lu}\p{Ll}+ (?:(?:de|del|la) )*\p{Lu}\p{Ll}|` +
		`^((?:(?i:lic|enf|obst|psic|adj|hna)\. ?|(?:Smt|Mst)\.? |(?:SMT|MST)\. )+)\pL`)
)

// withoutTitles drops titles that a tagger took for a value of their own, beside the name that they belong to, and cuts some off the beginning of names. They are no PHI. The
// spans are sorted.
func withoutTitles(text string, spans []data.Span, sort func(typ string) data.Sort) []data.Span {
	var all []data.Span
	for i, s := range spans {
		if i+1 < len(spans) && sort(spans[i+1].Type) == data.Person && s.End < spans[i+1].Start &&
			title.MatchString(text[s.Start:s.End]) && strings.Trim(text[s.End:spans[i+1].Start], " \t.") == "" {
			continue
		}
		if sort(s.Type) == data.Person {
			if m := titleBefore.FindStringSubmatch(text[s.Start:s.End]); m != nil {
				s.Start += max(len(m[1]), len(m[2]))
			}
		}
		all = append(all, s)
	}
	return all
}
