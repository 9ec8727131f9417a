package data

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// spansUpTo draws spans, overlapping at will, inside [0, n).
func spansUpTo(n int) *rapid.Generator[[]Span] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Span {
		start := rapid.IntRange(0, n-1).Draw(t, "start")
		end := rapid.IntRange(start+1, n).Draw(t, "end")
		return Span{start, end, rapid.SampledFrom([]string{"A", "B"}).Draw(t, "type"), float64(rapid.IntRange(0, 3).Draw(t, "score"))}
	}), 0, 12)
}

func overlap(a, b Span) bool { return a.Start < b.End && b.Start < a.End }

// before is the order of preference that Flatten documents.
func before(a, b Span) bool {
	if la, lb := a.End-a.Start, b.End-b.Start; la != lb {
		return la > lb
	}
	if a.Start != b.Start {
		return a.Start < b.Start
	}
	return a.Type <= b.Type
}

// covers reports whether one of the spans has the byte.
func covers(spans []Span, at int) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return s.Start <= at && at < s.End })
}

// checkDisjoint fails unless spans are sorted and disjoint.
func checkDisjoint(t *rapid.T, spans []Span) {
	for i := 1; i < len(spans); i++ {
		if spans[i-1].End > spans[i].Start {
			t.Fatalf("%v and %v overlap, or are not in reading order", spans[i-1], spans[i])
		}
	}
}

// TestSpanArithmetic compares each function with a brute force over bytes or
// pairs of spans.
func TestSpanArithmetic(t *testing.T) {
	const n = 150 // more than two words of bits
	rapid.Check(t, func(t *rapid.T) {
		spans := spansUpTo(n).Draw(t, "spans")
		given := slices.Clone(spans)
		flat, disjoint, merged := Flatten(spans), Disjoint(spans), Merge(spans)
		if !slices.Equal(spans, given) {
			t.Fatal("the argument was changed")
		}

		checkDisjoint(t, flat)
		for _, s := range flat {
			if !slices.Contains(spans, s) {
				t.Fatalf("Flatten: %v was not given", s)
			}
		}
		// The result is maximal: each span left out overlaps a preferred one.
		for _, s := range spans {
			if !slices.Contains(flat, s) && !slices.ContainsFunc(flat, func(k Span) bool { return overlap(k, s) && before(k, s) }) {
				t.Fatalf("Flatten: %v was dropped for nothing", s)
			}
		}

		var kept []Span
		for _, s := range spans {
			if !slices.ContainsFunc(kept, func(k Span) bool { return overlap(k, s) }) {
				kept = append(kept, s)
			}
		}
		SortSpans(kept)
		if !slices.Equal(disjoint, kept) {
			t.Fatalf("Disjoint: %v, want %v", disjoint, kept)
		}

		checkDisjoint(t, merged)
		for at := range n {
			if covers(merged, at) != covers(spans, at) {
				t.Fatalf("Merge: byte %d is covered: %v", at, covers(merged, at))
			}
		}
		for _, m := range merged {
			var parts []Span
			for _, s := range spans {
				if overlap(m, s) {
					parts = append(parts, s)
				}
			}
			SortSpans(parts)
			longest := slices.MaxFunc(parts, func(a, b Span) int { return (a.End - a.Start) - (b.End - b.Start) })
			if m.Type != longest.Type || m.Score != longest.Score {
				t.Fatalf("Merge: %v, whose longest span is %v", m, longest)
			}
			for at := m.Start + 1; at < m.End; at++ { // spans that only touch stay apart
				if !slices.ContainsFunc(parts, func(s Span) bool { return s.Start < at && at < s.End }) {
					t.Fatalf("Merge: %v joins spans that do not overlap at %d", m, at)
				}
			}
		}

		start := rapid.IntRange(0, n-1).Draw(t, "from")
		s := Span{start, rapid.IntRange(start+1, n).Draw(t, "to"), "C", 0.5}
		from, to := Overlapping(disjoint, s)
		for i, o := range disjoint {
			if overlap(o, s) != (from <= i && i < to) {
				t.Fatalf("Overlapping: [%d,%d) of %v for %v", from, to, disjoint, s)
			}
		}
		if from == to {
			checkDisjoint(t, slices.Insert(slices.Clone(disjoint), from, s))
		}
		rest := Subtract(s, disjoint)
		checkDisjoint(t, rest)
		for at := range n {
			if want := covers([]Span{s}, at) && !covers(disjoint, at); covers(rest, at) != want {
				t.Fatalf("Subtract: byte %d is left: %v", at, !want)
			}
		}
		if Covered(s, disjoint) != (len(rest) == 0) {
			t.Fatalf("Covered: %v, and %v is left", len(rest) > 0, rest)
		}
		for _, r := range rest {
			if r.Type != s.Type || r.Score != s.Score || r.Start > s.Start && !covers(disjoint, r.Start-1) {
				t.Fatalf("Subtract: %v of %v", r, s)
			}
		}
	})
}

func TestCut(t *testing.T) {
	const text = "(Ana Roe, 3/5), Ñu - Jose\u0301 Ⅲ"
	at := func(part string) Span {
		i := strings.Index(text, part)
		return Span{Start: i, End: i + len(part), Type: "X"}
	}
	for name, tc := range map[string]struct {
		s     Span
		holes []Span
		want  []Span
	}{
		"what stands around words goes where it was cut":   {at(text), []Span{at("3/5")}, []Span{at("(Ana Roe"), at("Ñu - Jose\u0301 Ⅲ")}},
		"accents and numerals are parts of words":          {at("Ñu - Jose\u0301 Ⅲ"), []Span{at("Ñu"), at(" Ⅲ")}, []Span{at("Jose\u0301")}},
		"and stays at the ends of the span":                {at("(Ana Roe"), []Span{at("Roe")}, []Span{at("(Ana")}},
		"a part without a word goes":                       {at("3/5), Ñu -"), []Span{at("3/5"), at("Ñu")}, nil},
		"a span that nothing is cut off of stays as it is": {at("(Ana"), []Span{at("Ñu")}, []Span{at("(Ana")}},
	} {
		if got := Cut(text, tc.s, tc.holes); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
