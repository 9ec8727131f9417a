package deid

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// sentinelsApart makes dates such as 9999-12-31 spans of their own, whatever a tagger found of them: a part, a list, or a number. Nothing of a date that was taken for a
// number remains. spans must be sorted.
func sentinelsApart(text string, spans []data.Span, sort func(typ string) data.Sort) []data.Span {
	found := surrogate.Sentinels(text)
	if len(found) == 0 {
		return spans
	}
	var sentinels, all []data.Span
	done := map[int]bool{} // beginnings of dates that are spans
	for _, at := range found {
		sentinels = append(sentinels, data.Span{Start: at[0], End: at[1]})
	}
	for _, s := range spans {
		from, to := data.Overlapping(sentinels, s)
		within := sentinels[from:to]
		isDate := sort(s.Type) == data.Date
		if !isDate { // without separators, it may be a number
			within = slices.DeleteFunc(slices.Clone(within), func(at data.Span) bool { return !strings.ContainsAny(text[at.Start:at.End], "-/.") })
		}
		if len(within) == 0 || !isDate && !slices.Contains(numeral, sort(s.Type)) && sort(s.Type) != data.IP {
			all = append(all, s)
			continue
		}
		for _, rest := range data.Subtract(s, within) {
			if rest = trimmed(text, rest); hasWord(text[rest.Start:rest.End]) {
				all = append(all, rest)
			}
		}
		for _, at := range within {
			if isDate && !done[at.Start] {
				done[at.Start] = true
				at.Type, at.Score = s.Type, s.Score
				all = append(all, at)
			}
		}
	}
	data.SortSpans(all)
	return all
}

// trimmed returns a span without blanks and separators around it.
func trimmed(text string, s data.Span) data.Span {
	const separators = " \t\r\n,;"
	value := text[s.Start:s.End]
	s.Start += len(value) - len(strings.TrimLeft(value, separators))
	s.End = max(s.Start, s.End-(len(value)-len(strings.TrimRight(value, separators))))
	return s
}
