// Package ensemble joins taggers into one: what several find is put together as
// the papers do it.
package ensemble

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

// Method is how spans that overlap are settled. Spans that do not are all kept,
// but for Vote.
type Method string

// Methods.
const (
	// Union keeps every character that any member found (Dernoncourt et al. 2016,
	// section 3.4: a token is PHI if the network or the CRF says so). Overlapping
	// spans of one type become one. Of others the earlier member's stands, and what
	// it leaves of the later's is a span of its own.
	Union Method = "union"
	// Vote keeps the spans that at least Config.Votes members found, just as they
	// are, type included. Of those that overlap the one with more votes stands, then
	// the one with the higher score.
	Vote Method = "vote"
	// Priority keeps of overlapping spans the one whose type comes first in
	// Config.Priority (Dehghan et al. 2015, section 2 (V)), then the longer one.
	Priority Method = "priority"
	// Surest keeps of overlapping spans the one with the highest score, added over
	// the members that found it, then the earlier member's.
	Surest Method = "surest"
)

var methods = []Method{Union, Vote, Priority, Surest}

// Config is what a user chooses, besides the members.
type Config struct {
	Method   Method   `yaml:"method"`   // default union
	Votes    int      `yaml:"votes"`    // of vote: the members that must agree; default 2
	Priority []string `yaml:"priority"` // of priority: types, the strongest first; those not named come last
}

// DefaultConfig is the union.
func DefaultConfig() Config { return Config{Method: Union, Votes: 2} }

// Validate names the first key that makes no sense for so many members.
func (c Config) Validate(members int) error {
	switch {
	case !slices.Contains(methods, c.Method):
		return fmt.Errorf("method: %q is not union, vote, priority or surest", string(c.Method))
	case members == 0:
		return fmt.Errorf("members: there are none")
	case c.Method == Vote && (c.Votes < 1 || c.Votes > members):
		return fmt.Errorf("votes: %d of %d members", c.Votes, members)
	case c.Method == Priority && len(c.Priority) == 0:
		return fmt.Errorf("priority: method priority needs types")
	case c.Method != Priority && len(c.Priority) > 0:
		return fmt.Errorf("priority: of no use to method %s", c.Method)
	}
	for i, t := range c.Priority {
		if slices.Contains(c.Priority[:i], t) {
			return fmt.Errorf("priority: %s is there twice", t)
		}
	}
	return nil
}

// Member is a tagger, and which of its spans count.
type Member struct {
	Name   string
	Tagger taggers.Tagger
	Types  []string // only these; nil: all
	// MinScore leaves out spans that the member is less sure of, unless another
	// member found the same.
	MinScore float64
}

// Tagger is all members together. It may be used by several goroutines at once,
// if its members may.
type Tagger struct {
	config  Config
	members []Member
}

var _ taggers.Tagger = (*Tagger)(nil)

// New makes the ensemble of a valid configuration.
func New(c Config, members []Member) *Tagger { return &Tagger{c, members} }

// Tag implements taggers.Tagger. A member that fails fails the ensemble: what
// the others found alone would pass for all there is.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][][]data.Span, len(t.members))
	for m, member := range t.members {
		all, err := member.Tagger.Tag(ctx, docs)
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", member.Name, err)
		}
		if len(all) != len(docs) {
			return nil, fmt.Errorf("member %s: results for %d of %d notes", member.Name, len(all), len(docs))
		}
		found[m] = all
	}
	out := make([][]data.Span, len(docs))
	for i, doc := range docs {
		var candidates []candidate
		for m := range t.members {
			for _, s := range found[m][i] {
				candidates = add(candidates, s, m)
			}
		}
		candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return !t.counts(c) })
		out[i] = t.join(doc.Text, candidates)
	}
	return out, nil
}

// candidate is a span with the members that found it.
type candidate struct {
	data.Span         // its score is the highest of theirs
	scores    []score // in the members' order
}

type score struct {
	member int
	score  float64
}

func (c candidate) sum() float64 {
	total := 0.0
	for _, s := range c.scores {
		total += s.score
	}
	return total
}

func add(all []candidate, s data.Span, member int) []candidate {
	for i := range all {
		if c := &all[i]; c.Start == s.Start && c.End == s.End && c.Type == s.Type {
			c.scores = append(c.scores, score{member, s.Score})
			c.Score = max(c.Score, s.Score)
			return all
		}
	}
	return append(all, candidate{s, []score{{member, s.Score}}})
}

// counts says whether a candidate is not left out by its members' conditions.
func (t *Tagger) counts(c candidate) bool {
	n := 0
	sure := false
	for _, s := range c.scores {
		m := t.members[s.member]
		if m.Types != nil && !slices.Contains(m.Types, c.Type) {
			continue
		}
		n++
		sure = sure || s.score >= m.MinScore
	}
	if t.config.Method == Vote && n < t.config.Votes {
		return false
	}
	return sure || n > 1
}

func (t *Tagger) join(text string, all []candidate) []data.Span {
	rank := func(typ string) int {
		if i := slices.Index(t.config.Priority, typ); i >= 0 {
			return i
		}
		return len(t.config.Priority)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		position := cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Type, b.Type))
		switch t.config.Method {
		case Union:
			return cmp.Or(cmp.Compare(a.scores[0].member, b.scores[0].member), position)
		case Vote:
			return cmp.Or(cmp.Compare(len(b.scores), len(a.scores)), cmp.Compare(b.Score, a.Score), position)
		case Priority:
			return cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(b.End-b.Start, a.End-a.Start), position)
		}
		return cmp.Or(cmp.Compare(b.sum(), a.sum()), cmp.Compare(a.scores[0].member, b.scores[0].member), position)
	})
	var kept []data.Span // disjoint, sorted by start
	for _, c := range all {
		if t.config.Method == Union {
			kept = unite(kept, c.Span, text)
		} else if at, n := overlap(kept, c.Span); n == 0 {
			kept = slices.Insert(kept, at, c.Span)
		}
	}
	return kept
}

// overlap finds the spans that overlap s: n of them, from at.
func overlap(kept []data.Span, s data.Span) (at, n int) {
	at, _ = slices.BinarySearchFunc(kept, s.Start, func(k data.Span, start int) int {
		if k.End <= start {
			return -1
		}
		return 1
	})
	for at+n < len(kept) && kept[at+n].Start < s.End {
		n++
	}
	return at, n
}

// unite adds a span: to those of its type that it overlaps, and beside the others.
func unite(kept []data.Span, s data.Span, text string) []data.Span {
	at, n := overlap(kept, s)
	hit := slices.Clone(kept[at : at+n])
	parts := []data.Span{}
	from := s.Start
	for _, k := range hit {
		if k.Type == s.Type {
			continue
		}
		if k.Start > from {
			parts = append(parts, data.Span{Start: from, End: k.Start, Type: s.Type, Score: s.Score})
		}
		from = max(from, k.End)
	}
	if from < s.End {
		parts = append(parts, data.Span{Start: from, End: s.End, Type: s.Type, Score: s.Score})
	}
	result := []data.Span{}
	for _, k := range hit {
		if k.Type != s.Type {
			result = append(result, k)
		}
	}
	for _, p := range parts {
		for _, k := range hit {
			if k.Type == p.Type && k.Start < p.End && p.Start < k.End {
				p.Start, p.End, p.Score = min(p.Start, k.Start), max(p.End, k.End), max(p.Score, k.Score)
			}
		}
		if p = trim(p, text); p.End > p.Start {
			result = append(result, p)
		}
	}
	slices.SortFunc(result, func(a, b data.Span) int { return cmp.Compare(a.Start, b.Start) })
	return slices.Replace(kept, at, at+n, result...)
}

// trim takes from the ends of what is left of a span the characters that say
// nothing: all but letters and digits. A span of nothing else is empty then.
func trim(s data.Span, text string) data.Span {
	silent := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	word := text[s.Start:s.End]
	if strings.IndexFunc(word, func(r rune) bool { return !silent(r) }) < 0 {
		s.End = s.Start
		return s
	}
	for {
		r, n := utf8.DecodeRuneInString(text[s.Start:s.End])
		if !unicode.IsSpace(r) {
			break
		}
		s.Start += n
	}
	for {
		r, n := utf8.DecodeLastRuneInString(text[s.Start:s.End])
		if !unicode.IsSpace(r) {
			break
		}
		s.End -= n
	}
	return s
}
