package deid

import (
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// placeholder matches what may stand for a removed value: a type in brackets, perhaps with a number of few digits.
var placeholder = lazyregexp.New(`\[([A-Z][A-Z_-]*[A-Z])(?:[_ -]?[0-9]{1,4})?\]`)

// typeNames are the names of all built-in types, and others that stand for removed values.
var typeNames = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"NAME": true, "REDACTED": true}
	for _, set := range data.TypeSets() {
		for _, t := range set.Types {
			all[t.Name] = true
		}
	}
	return all
})

// outsidePlaceholders returns the parts of spans that are not placeholders of an earlier de-identification, such as [PATIENT] and [DATE_2]. A model
// may take these for values, and half of one would be left.
func outsidePlaceholders(text string, spans []data.Span) []data.Span {
	if len(spans) == 0 || strings.IndexByte(text, '[') < 0 {
		return spans
	}
	var holes []data.Span
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		if typeNames()[text[m[2]:m[3]]] {
			holes = append(holes, data.Span{Start: m[0], End: m[1]})
		}
	}
	if len(holes) == 0 {
		return spans
	}
	var parts []data.Span
	for _, s := range spans {
		from, to := data.Overlapping(holes, s)
		if from == to {
			parts = append(parts, s)
			continue
		}
		for _, part := range data.Subtract(s, holes[from:to]) {
			value := strings.TrimLeft(text[part.Start:part.End], separators)
			part.Start = part.End - len(value)
			part.End = part.Start + len(strings.TrimRight(value, separators))
			if hasWord(value) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// separators may stand between a placeholder and the rest of a span.
const separators = " \t\r\n,;:-"
