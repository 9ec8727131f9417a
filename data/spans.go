package data

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// SortSpans sorts spans in reading order: by start, then longer ones first, then
// by type. It is stable.
func SortSpans(spans []Span) {
	slices.SortStableFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Type, b.Type))
	})
}

// Flatten returns the spans without overlaps, in the order of SortSpans. Of two
// overlapping spans it keeps the longer one; if they are equally long, the
// earlier one; and if they are at the same place, the first by type. To cover
// everything that the spans cover, use Merge instead.
func Flatten(spans []Span) []Span {
	byLength := slices.Clone(spans)
	slices.SortStableFunc(byLength, func(a, b Span) int {
		return cmp.Or(cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Type, b.Type))
	})
	return Disjoint(byLength)
}

// Disjoint returns the spans without overlaps, sorted. preferred lists them in
// descending order of preference, and each span that overlaps one kept earlier is
// dropped. It uses one bit of memory per byte of text from the first span to the
// last.
func Disjoint(preferred []Span) []Span {
	if len(preferred) == 0 {
		return nil
	}
	first, last := preferred[0].Start, preferred[0].End
	for _, s := range preferred {
		first, last = min(first, s.Start), max(last, s.End)
	}
	taken := make(bits, (last-first)/64+1)
	var kept []Span
	for _, s := range preferred {
		if !taken.any(s.Start-first, s.End-first) {
			taken.set(s.Start-first, s.End-first)
			kept = append(kept, s)
		}
	}
	slices.SortFunc(kept, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	return kept
}

// bits is a set of small numbers.
type bits []uint64

func (b bits) any(from, to int) bool {
	for i := from; i < to; i++ {
		if b[i/64]&(1<<(i%64)) != 0 {
			return true
		}
	}
	return false
}

func (b bits) set(from, to int) {
	for i := from; i < to; i++ {
		b[i/64] |= 1 << (i % 64)
	}
}

// Merge joins overlapping spans into one, with the type and score of the longest
// of them or, among equally long ones, of the first in reading order. Spans that
// only touch are not joined. The result is sorted and disjoint.
func Merge(spans []Span) []Span {
	sorted := slices.Clone(spans)
	SortSpans(sorted)
	var merged []Span
	longest := 0 // length of the longest span in the last of merged
	for _, s := range sorted {
		length := s.End - s.Start
		k := len(merged) - 1
		if k < 0 || s.Start >= merged[k].End {
			merged, longest = append(merged, s), length
			continue
		}
		merged[k].End = max(merged[k].End, s.End)
		if length > longest {
			merged[k].Type, merged[k].Score, longest = s.Type, s.Score, length
		}
	}
	return merged
}

// Overlapping returns the range disjoint[from:to] of the spans that overlap s.
// disjoint must be sorted and without overlaps. If no span overlaps s, both
// results are the position at which to insert s.
func Overlapping(disjoint []Span, s Span) (from, to int) {
	from, _ = slices.BinarySearchFunc(disjoint, s.Start, func(o Span, at int) int {
		if o.End <= at {
			return -1
		}
		return 1
	})
	for to = from; to < len(disjoint) && disjoint[to].Start < s.End; to++ {
	}
	return from, to
}

// Subtract returns the parts of s that are not covered by the spans, which must
// be sorted and disjoint. The parts have the type and score of s.
func Subtract(s Span, disjoint []Span) []Span {
	var rest []Span
	from, to := Overlapping(disjoint, s)
	for _, o := range disjoint[from:to] {
		if o.Start > s.Start {
			before := s
			before.End = o.Start
			rest = append(rest, before)
		}
		s.Start = o.End
	}
	if s.Start < s.End {
		rest = append(rest, s)
	}
	return rest
}

// Cut is Subtract for the text that the spans are of: it returns only parts with a letter or a digit, without what stands around their words where
// they were cut off. A span that nothing is cut off of stays as it is.
func Cut(text string, s Span, disjoint []Span) []Span {
	if from, to := Overlapping(disjoint, s); from == to {
		return []Span{s}
	}
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	noWord := func(r rune) bool { return !isWord(r) && !unicode.IsMark(r) }
	var left []Span
	for _, part := range Subtract(s, disjoint) {
		value := text[part.Start:part.End]
		if !strings.ContainsFunc(value, isWord) {
			continue
		}
		if part.Start > s.Start {
			part.Start += len(value) - len(strings.TrimLeftFunc(value, noWord))
		}
		if part.End < s.End {
			part.End -= len(value) - len(strings.TrimRightFunc(value, noWord))
		}
		left = append(left, part)
	}
	return left
}

// Covered reports whether the spans, which must be sorted and disjoint, together
// cover all of s.
func Covered(s Span, disjoint []Span) bool {
	from, to := Overlapping(disjoint, s)
	for _, o := range disjoint[from:to] {
		if o.Start > s.Start {
			return false
		}
		s.Start = o.End
	}
	return s.Start >= s.End
}
