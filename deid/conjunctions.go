package deid

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// betweenValues matches a word or a comma and a word between two values: 192.0.2.7 and 2001:db8::14.
var betweenValues = lazyregexp.New(`,? (?:and|or|y|o|e|u|AND|OR|&) `)

// joinable are the sorts of which a span with one of these words is two values. In those of other sorts the word is part of the value.
var joinable = []data.Sort{data.IP, data.Email, data.URL, data.Phone, data.Number}

// valuesApart divides spans over two addresses or numbers, between which a word stays: the replacement of a number changes all its letters.
func valuesApart(text string, parts []data.Span, sort func(typ string) data.Sort) []data.Span {
	var all []data.Span
	for _, s := range parts {
		for s.End-s.Start > len("1 y 2") && slices.Contains(joinable, sort(s.Type)) {
			value := text[s.Start:s.End]
			cut := betweenValues.FindStringIndex(value)
			if cut == nil || !isValue(value[:cut[0]]) || !isValue(value[cut[1]:]) {
				break
			}
			first := s
			first.End, s.Start = s.Start+cut[0], s.Start+cut[1]
			all = append(all, first)
		}
		all = append(all, s)
	}
	return all
}

// isValue reports whether a text may be a value of a sort of joinable.
func isValue(text string) bool { return strings.ContainsAny(text, "0123456789@.") }

// isConjunction reports whether a span has nothing of a value but the words and signs between two: ", and" between days of the week that stay.
func isConjunction(text string, s data.Span, sort data.Sort) bool {
	value := text[s.Start:s.End]
	if sort == data.Date {
		return conjunction.MatchString(value)
	}
	return !hasWord(value) || value == "and" || value == ", and"
}

// withoutConjunctions cuts conjunctions and signs off the ends of a date.
func withoutConjunctions(text string, s data.Span) data.Span {
	s.Start += len(conjunctionBefore.FindString(text[s.Start:s.End]))
	s.End -= len(conjunctionAfter.FindString(text[s.Start:s.End]))
	return s
}
