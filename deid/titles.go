package deid

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

var (
	// title matches a title alone.
	title = lazyregexp.New(`^(?i:drs?|dra|mrs?|ms|prof|lic|enf|obst|psic|adj|hna|alhaj[ia]|mzee|shri|smt|mst)\.?$`)
	// titleBefore matches a title before a name in the same span, of those that marked corpora leave out of names. Those without a period are no names of people, and those that may be initials need
	// two words of a name behind them.
	titleBefore = lazyregexp.New(`^((?:(?i:lic|enf)\. ?)?(?:L\.T\.S|Q\.F(?:\.B)?|T\.S)\. ?)\p{Lu}\p{Ll}+ (?:(?:de|del|la) )*\p{Lu}\p{Ll}|` +
		`^((?:(?i:lic|enf|obst|psic|adj|hna)\. ?|(?:Alhaj[ia]|ALHAJ[IA]|Mzee|MZEE|Shri|SHRI|Smt|SMT|Mst|MST)\.? )+)\pL`)
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
