package ensemble

import (
	"cmp"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

// ballot is the votes of the members for one type of a token.
type ballot struct {
	typ   string
	by    []int   // the members, in the order in which they voted
	score float64 // the highest of their spans
	spans []int   // numbers of the candidates that voted
}

// tally lets the members vote on the type of each token (tokenize.LettersDigits) of a
// group of overlapping candidates. A member gives a token the types of its spans that
// contain a part of it. The token takes the type that at least Config.Votes members
// give it; of several, the one with more votes, then with the higher score, then the
// first by name. Adjacent tokens of one type are one span if a member has a span of this
// type that contains parts of both; otherwise a new span begins.
func (t *Tagger) tally(text string, all []candidate) []data.Span {
	start, end := all[0].Start, all[0].End
	for _, c := range all {
		start, end = min(start, c.Start), max(end, c.End)
	}
	var spans []data.Span
	var before *ballot // of the token before; nil if it has no type
	for _, token := range (tokenize.LettersDigits{}).Tokens(text[start:end], nil) {
		token.Start, token.End = token.Start+start, token.End+start
		won := t.count(token, all)
		last := len(spans) - 1
		switch {
		case won == nil:
		case before != nil && before.typ == won.typ && slices.ContainsFunc(won.spans, func(c int) bool { return slices.Contains(before.spans, c) }):
			spans[last].End, spans[last].Score = token.End, max(spans[last].Score, won.score)
		default:
			spans = append(spans, data.Span{Start: token.Start, End: token.End, Type: won.typ, Score: won.score})
		}
		before = won
	}
	return spans
}

// count returns the winner of a token, or nil if no type has enough votes.
func (t *Tagger) count(token data.Token, all []candidate) *ballot {
	var ballots []ballot
	for i, c := range all {
		if c.Start >= token.End || c.End <= token.Start {
			continue
		}
		k := slices.IndexFunc(ballots, func(b ballot) bool { return b.typ == c.Type })
		if k < 0 {
			k = len(ballots)
			ballots = append(ballots, ballot{typ: c.Type})
		}
		b := &ballots[k]
		b.spans, b.score = append(b.spans, i), max(b.score, c.Score)
		for _, m := range c.by {
			if !slices.Contains(b.by, m) {
				b.by = append(b.by, m)
			}
		}
	}
	ballots = slices.DeleteFunc(ballots, func(b ballot) bool { return len(b.by) < t.config.Votes })
	if len(ballots) == 0 {
		return nil
	}
	best := slices.MinFunc(ballots, func(a, b ballot) int {
		return cmp.Or(cmp.Compare(len(b.by), len(a.by)), cmp.Compare(b.score, a.score), cmp.Compare(a.typ, b.typ))
	})
	return &best
}
