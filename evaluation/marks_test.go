package evaluation

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// someNote draws a text and spans of it, overlapping at will.
func someNote(t *rapid.T) (text string, spans *rapid.Generator[[]data.Span]) {
	text = rapid.StringOfN(rapid.RuneFrom([]rune("ab1é- \n")), 1, 20, -1).Draw(t, "text")
	var borders []int
	for i := range text {
		borders = append(borders, i)
	}
	borders = append(borders, len(text))
	return text, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) data.Span {
		i := rapid.IntRange(0, len(borders)-2).Draw(t, "start")
		j := rapid.IntRange(i+1, len(borders)-1).Draw(t, "end")
		return data.Span{Start: borders[i], End: borders[j], Type: rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "type"), Score: 1}
	}), 0, 12)
}

// Compared with the rule: each span is split by itself.
func TestTokensOfOverlappingSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, spans := someNote(t)
		d := &data.Document{Text: text, Spans: spans.Draw(t, "spans")}
		got, want := set(tokens(d)), set(tokensOfEach(d))
		if !slices.Equal(got, want) {
			t.Fatalf("%v of %q: %v, want %v", d.Spans, text, got, want)
		}
	})
}

// Compared with the rule: a token is left unless one removed stretch contains it.
func TestLeakOfOverlappingSpans(t *testing.T) {
	types := &data.TypeSet{Types: []data.Type{{Name: "A", Category: "X"}, {Name: "B", Category: "X"}}}
	rapid.Check(t, func(t *rapid.T) {
		text, spans := someNote(t)
		gold := &data.Document{Text: text, Spans: spans.Draw(t, "gold")}
		found := &data.Document{Text: text, Spans: spans.Draw(t, "found")}
		l := NewLeak(types)
		l.Add(gold, found)
		got := l.Report(1)
		for _, typ := range []string{"", "A", "B", "C"} {
			row := got.LeakRow
			if typ != "" {
				row = got.Types[typ].LeakRow
			}
			tokens, instances := bruteLeak(gold, found, typ)
			if diff := cmp.Diff([2]tally{tokens, instances}, [2]tally{{row.Tokens.Left, row.Tokens.Total}, {row.Instances.Left, row.Instances.Total}}, cmp.AllowUnexported(tally{})); diff != "" {
				t.Fatalf("%q of %q, %v, found %v: %s", typ, text, gold.Spans, found.Spans, diff)
			}
		}
	})
}

func tokensOfEach(d *data.Document) (all []mark) {
	for _, s := range d.Spans {
		before := len(all)
		for t := range Tokens(d.Text[s.Start:s.End]) {
			all = append(all, mark{s.Start + t.Start, s.Start + t.End, s.Type})
		}
		if len(all) == before {
			all = append(all, mark{s.End, s.End, s.Type})
		}
	}
	return all
}

func bruteLeak(gold, found *data.Document, typ string) (tokens, instances tally) {
	removed := make([]bool, len(gold.Text))
	for _, s := range found.Spans {
		for i := s.Start; i < s.End; i++ {
			removed[i] = true
		}
	}
	type stretch struct{ start, end int }
	left := func(s stretch) bool { return slices.Contains(removed[s.start:s.end], false) }
	seen, seenSpans := map[stretch]bool{}, map[stretch]bool{}
	for _, s := range gold.Spans {
		if typ != "" && s.Type != typ {
			continue
		}
		var own []stretch
		for tok := range Tokens(gold.Text[s.Start:s.End]) {
			own = append(own, stretch{s.Start + tok.Start, s.Start + tok.End})
		}
		if own == nil {
			own = []stretch{{s.Start, s.End}}
		}
		for _, tok := range own {
			if !seen[tok] {
				seen[tok] = true
				tokens.add(left(tok))
			}
		}
		if span := (stretch{s.Start, s.End}); !seenSpans[span] {
			seenSpans[span] = true
			instances.add(slices.ContainsFunc(own, left))
		}
	}
	return tokens, instances
}

// Each of 80,000 nested spans used to store all words inside it, which took
// minutes and gigabytes.
func TestNestedSpansHadAllTheirWordsEach(t *testing.T) {
	const n = 80_000
	for what, unit := range map[string]string{"words": "a ", "a word": "aa"} {
		d := &data.Document{ID: "d", Text: strings.Repeat(unit, n)}
		for i := range n {
			d.Spans = append(d.Spans, data.Span{Start: i, End: len(d.Text) - i, Type: "A", Score: 1})
		}
		if got := len(tokens(d)); got > 3*n {
			t.Errorf("%s: %d marks of %d spans", what, got, n)
		}
		report, err := Compare(data.Each([]*data.Document{d}), data.Each([]*data.Document{d}))
		if err != nil || report.Strict.TP != n || report.Leak.Instances.Total != n || report.Leak.Instances.Left != 0 {
			t.Errorf("%s: %+v, %v", what, report, err)
		}
	}
}
