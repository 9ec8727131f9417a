package rules

import (
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// Actions of a correction on the spans that overlap its matches.
const (
	grow   = "grow"   // extend the spans to include the match
	remove = "remove" // remove the spans
	retype = "retype" // give the spans the correction's type
	cut    = "cut"    // take the match out of the spans
)

// correction is a rule for the spans of another tagger.
type correction struct {
	rule   rule
	action string
	on     []string // types of the spans to correct
	typ    string   // the new type, for retype
}

func rulesOf(corrections []correction) []rule {
	var all []rule
	for _, c := range corrections {
		all = append(all, c.rule)
	}
	return all
}

// Prepare compiles the corrections, which takes as long as opening the set. Otherwise those that come with Lethe are compiled when they are first
// used.
func (s *Set) Prepare() { prepare(s.search.rules) }

// Corrects reports whether the set has corrections.
func (s *Set) Corrects() bool { return len(s.corrections) > 0 }

// Correct applies the corrections to the spans of another tagger: in the order of the
// file, each to the spans that overlap its matches. spans must be sorted and disjoint,
// as the result is. A span that would grow into a span of another type stays as it is.
// Two spans of one type that grow together become one, with the higher score. spans is
// not changed.
func (s *Set) Correct(text string, spans []data.Span) []data.Span {
	spans = slices.Clone(spans)
	if !slices.ContainsFunc(s.corrections, func(c correction) bool { return slices.ContainsFunc(spans, c.concerns) }) {
		return spans
	}
	found := s.search.find(text)
	for _, c := range s.corrections {
		var matches []data.Span
		for _, m := range found {
			if m.Rule == c.rule.name {
				matches = append(matches, m.Span)
			}
		}
		if len(matches) > 0 {
			spans = c.apply(text, spans, matches)
		}
	}
	return spans
}

func (c *correction) concerns(s data.Span) bool { return slices.Contains(c.on, s.Type) }

func (c *correction) apply(text string, spans, matches []data.Span) []data.Span {
	var out []data.Span
	m := 0 // the first match that does not end before the span
	for i, s := range spans {
		for m < len(matches) && matches[m].End <= s.Start {
			m++
		}
		touched := m < len(matches) && matches[m].Start < s.End && c.concerns(s)
		switch {
		case !touched:
		case c.action == remove:
			continue
		case c.action == cut:
			out = append(out, data.Cut(text, s, matches)...)
			continue
		case c.action == retype:
			s.Type = c.typ
		case c.action == grow:
			grown := s
			for k := m; k < len(matches) && matches[k].Start < s.End; k++ {
				grown.Start, grown.End = min(grown.Start, matches[k].Start), max(grown.End, matches[k].End)
			}
			if !meetsOther(grown, spans[i+1:], out) {
				s = grown
			}
		}
		if last := len(out) - 1; last >= 0 && out[last].End > s.Start { // of the same type
			out[last].End, out[last].Score = max(out[last].End, s.End), max(out[last].Score, s.Score)
			continue
		}
		out = append(out, s)
	}
	return out
}

// meetsOther reports whether the grown span overlaps a span of another type: one of
// those after it, or the last of those before.
func meetsOther(grown data.Span, after, before []data.Span) bool {
	for _, s := range after {
		if s.Start >= grown.End {
			break
		}
		if s.Type != grown.Type {
			return true
		}
	}
	last := len(before) - 1
	return last >= 0 && before[last].End > grown.Start && before[last].Type != grown.Type
}
