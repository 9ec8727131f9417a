// Package ensemble combines taggers into one, in the ways that the papers describe, and by score.
package ensemble

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/shortname"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Method determines how overlapping spans are resolved. Spans that do not overlap are
// all kept, except with Vote.
type Method string

// The methods.
const (
	// Union keeps every character that any member found (Dernoncourt et al. 2016,
	// section 3.4: a token is PHI if the network or the CRF says so). Overlapping spans
	// of one type are merged. If the types differ, the span of the earlier member is
	// kept, and the rest of the other becomes a span of its own, without spaces and
	// punctuation at the cut.
	Union Method = "union"
	// Vote keeps what at least Config.Votes members found, span by span or token by
	// token: see Config.By.
	Vote Method = "vote"
	// Priority keeps, of overlapping spans, the one whose type comes first in
	// Config.Priority (Dehghan et al. 2015, section 2 (V)), then the longer one.
	Priority Method = "priority"
	// Surest keeps, of overlapping spans, the one with the highest sum of the scores of
	// the members that found it, then the earlier member's.
	Surest Method = "surest"
	// Mean averages the probabilities that the members give each token, and finds the most
	// probable labels: see mean.go.
	Mean Method = "mean"
	// Learned keeps the spans that a support vector machine considers right (Liu et al.
	// 2017, section 3.7). Of overlapping ones, it keeps the one with the highest decision
	// value. The score of a span is the logistic function of its decision value: it is
	// above 0.5, but not calibrated. See learned.go.
	Learned Method = "learned"
)

var methods = []Method{Union, Vote, Priority, Surest, Mean, Learned}

// Units of a vote.
const (
	// BySpan counts a vote for exactly the same borders and type. Of overlapping spans,
	// the one with more votes is kept, then the one with the higher score.
	BySpan = "span"
	// ByToken lets the members vote on the type of each token (Szarvas et al. 2006): see
	// tally.
	ByToken = "token"
)

// Config has all settings of the ensemble.
type Config struct {
	Method   Method   `yaml:"method"`   // default union
	Votes    int      `yaml:"votes"`    // for vote: number of members that must agree, at least 1; default 2
	By       string   `yaml:"by"`       // for vote: what they vote on, span (default) or token
	Priority []string `yaml:"priority"` // for priority, which requires it: types in descending order of priority; types that are not listed come last
	Folds    int      `yaml:"folds"`    // for learned: folds of the training notes, at least 2, in which the members' results are collected; default 5
	Members  []Member `yaml:"members"`  // at least one; earlier members have precedence
}

// Member is one system of an ensemble, with the selection of its spans.
type Member struct {
	Name  string   `yaml:"name"`            // required and unique; the name of a folder
	Types []string `yaml:"types,omitempty"` // only spans of these types count; default or empty: all
	// MinScore leaves out spans with a lower score unless another member found the same
	// span; in [0, 1]; default 0: all spans count.
	MinScore float64        `yaml:"min_score"`
	System   taggers.System `yaml:"system"` // required
}

// counts reports whether spans of a type count.
func (m Member) counts(typ string) bool { return len(m.Types) == 0 || slices.Contains(m.Types, typ) }

// DefaultConfig returns the settings of a union without members.
func DefaultConfig() Config { return Config{Method: Union, Votes: 2, By: BySpan, Folds: 5} }

// Validate returns an error that begins with the first key whose value makes no sense.
func (c Config) Validate() error {
	members := len(c.Members)
	switch {
	case !slices.Contains(methods, c.Method):
		return fmt.Errorf("method: %q is not union, vote, priority, surest, mean or learned", string(c.Method))
	case members == 0:
		return fmt.Errorf("members: at least one is required")
	case c.Method == Vote && (c.Votes < 1 || c.Votes > members):
		return fmt.Errorf("votes: %d is not in [1, %d]", c.Votes, members)
	case c.Method == Vote && c.By != BySpan && c.By != ByToken:
		return fmt.Errorf("by: %q is not %s or %s", c.By, BySpan, ByToken)
	case c.Method != Vote && c.By != "" && c.By != BySpan:
		return fmt.Errorf("by: %s is not supported by method %s", c.By, c.Method)
	case c.Method == Learned && c.Folds < 2:
		return fmt.Errorf("folds: %d is less than 2", c.Folds)
	case c.Method == Priority && len(c.Priority) == 0:
		return fmt.Errorf("priority: is required for method priority")
	case c.Method != Priority && len(c.Priority) > 0:
		return fmt.Errorf("priority: not supported by method %s", c.Method)
	}
	for i, t := range c.Priority {
		if slices.Contains(c.Priority[:i], t) {
			return fmt.Errorf("priority: duplicate %s", t)
		}
	}
	names := map[string]bool{}
	for i, m := range c.Members {
		if err := shortname.Check(m.Name); err != nil {
			return fmt.Errorf("members[%d].name: %w", i, err)
		}
		switch {
		case names[m.Name]:
			return fmt.Errorf("members[%d].name: duplicate %s", i, m.Name)
		case !(m.MinScore >= 0 && m.MinScore <= 1):
			return fmt.Errorf("members[%d].min_score: %v is not in [0, 1]", i, m.MinScore)
		case c.Method == Mean && m.MinScore > 0:
			return fmt.Errorf("members[%d].min_score: not supported by method %s", i, c.Method)
		case c.Method == Learned && hasTrained(m.System):
			return fmt.Errorf("members[%d].system: method learned trains its members on parts of the notes, so it supports no trained model", i)
		}
		names[m.Name] = true
	}
	return nil
}

// Effects implements taggers.Effective.
func (c Config) Effects() error {
	switch d := DefaultConfig(); {
	case c.Method != Vote && c.Votes != 0 && c.Votes != d.Votes:
		return fmt.Errorf("votes: not supported by method %s", c.Method)
	case c.Method != Learned && c.Folds != 0 && c.Folds != d.Folds:
		return fmt.Errorf("folds: not supported by method %s", c.Method)
	}
	return nil
}

// hasTrained reports whether a system contains an existing model, which nobody can train
// again on other notes.
func hasTrained(s taggers.System) bool {
	kind, n := s.Root()
	return kind == "trained" || slices.ContainsFunc(taggers.Children(n), func(c taggers.Child) bool { return hasTrained(c.System) })
}

// Tagger is an ensemble. Several goroutines may use it at once if its members allow
// that.
type Tagger struct {
	config  Config
	members []data.Tagger // one for each of Config.Members
	judge   *judge        // for Learned
}

var _ data.Prober = (*Tagger)(nil)

// New returns the ensemble for a valid configuration of any method except Learned, which
// requires Fit. members has one tagger per Config.Members, in the same order.
func New(c Config, members []data.Tagger) *Tagger { return &Tagger{c, members, nil} }

// Tag implements data.Tagger. If a member fails, the ensemble fails; otherwise, the
// spans of the remaining members would look like a complete result.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	out, _, err := t.tag(ctx, docs, 0)
	return out, err
}

// Probe implements data.Prober. The doubts are those of the members, and the members'
// spans that the ensemble does not keep. With Learned, these have the score that the
// machine gives them.
func (t *Tagger) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	return t.tag(ctx, docs, from)
}

// tag also looks for doubts unless from is 0.
func (t *Tagger) tag(ctx context.Context, docs []*data.Document, from float64) (out, doubts [][]data.Span, err error) {
	if t.config.Method == Mean {
		return t.tagByMean(ctx, docs, from)
	}
	found, unsure := make([][][]data.Span, len(t.members)), make([][][]data.Span, len(t.members))
	for m, member := range t.members {
		if from > 0 {
			found[m], unsure[m], err = reader.Probe(ctx, member, docs, from)
		} else {
			found[m], err = member.Tag(ctx, docs)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("member %s: %w", t.config.Members[m].Name, err)
		}
		if len(found[m]) != len(docs) {
			return nil, nil, fmt.Errorf("member %s: results for %d of %d notes", t.config.Members[m].Name, len(found[m]), len(docs))
		}
	}
	out, doubts = make([][]data.Span, len(docs)), make([][]data.Span, len(docs))
	for i, doc := range docs {
		all := t.candidates(found, i)
		kept, rejected := all, []candidate(nil)
		if t.judge != nil {
			kept, rejected = t.judge.divide(doc.Text, all)
		}
		out[i] = t.join(doc.Text, kept)
		if from == 0 {
			continue
		}
		var others []data.Span
		for m := range t.members {
			others = append(others, unsure[m][i]...)
			if t.judge == nil {
				others = append(others, found[m][i]...)
			}
		}
		for _, c := range slices.Concat(kept, rejected) {
			if t.judge != nil && c.Score >= from {
				others = append(others, c.Span)
			}
		}
		doubts[i] = reader.MergeDoubts(out[i], others)
	}
	return out, doubts, nil
}

// candidate is a span that counts.
type candidate struct {
	data.Span         // its score is the highest that a member gave it
	by        []int   // indices of the members that found it, ascending
	sum       float64 // sum of their scores
}

// place is a span without its score.
type place struct {
	start, end int
	typ        string
}

// candidates returns the spans of a document that count, each once.
func (t *Tagger) candidates(found [][][]data.Span, doc int) []candidate {
	var all []candidate
	at := map[place]int{}
	sure := map[place]bool{}
	for m, member := range t.config.Members {
		for _, s := range found[m][doc] {
			if !member.counts(s.Type) {
				continue
			}
			p := place{s.Start, s.End, s.Type}
			sure[p] = sure[p] || s.Score >= member.MinScore
			if i, ok := at[p]; ok {
				all[i].by = append(all[i].by, m)
				all[i].sum += s.Score
				all[i].Score = max(all[i].Score, s.Score)
				continue
			}
			at[p] = len(all)
			all = append(all, candidate{s, []int{m}, s.Score})
		}
	}
	return slices.DeleteFunc(all, func(c candidate) bool {
		few := t.config.Method == Vote && t.config.By != ByToken && len(c.by) < t.config.Votes
		return few || len(c.by) == 1 && !sure[place{c.Start, c.End, c.Type}]
	})
}

// join resolves each group of overlapping candidates separately, since a long note has
// many.
func (t *Tagger) join(text string, all []candidate) []data.Span {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.Start, b.Start) })
	var joined []data.Span
	for from := 0; from < len(all); {
		to, end := from+1, all[from].End
		for to < len(all) && all[to].Start < end {
			end = max(end, all[to].End)
			to++
		}
		joined = append(joined, t.settle(text, all[from:to])...)
		from = to
	}
	return joined
}

// settle makes disjoint spans of candidates, by the order of the method.
func (t *Tagger) settle(text string, all []candidate) []data.Span {
	if t.config.Method == Vote && t.config.By == ByToken {
		return t.tally(text, all)
	}
	rank := func(typ string) int {
		if i := slices.Index(t.config.Priority, typ); i >= 0 {
			return i
		}
		return len(t.config.Priority)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		order := 0
		switch t.config.Method {
		case Union:
			order = cmp.Compare(a.by[0], b.by[0])
		case Vote:
			order = cmp.Or(cmp.Compare(len(b.by), len(a.by)), cmp.Compare(b.Score, a.Score))
		case Priority:
			order = cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(b.End-b.Start, a.End-a.Start))
		case Surest:
			order = cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.by[0], b.by[0]))
		case Learned:
			order = cmp.Compare(b.Score, a.Score)
		}
		return cmp.Or(order, cmp.Compare(a.Start, b.Start), cmp.Compare(a.Type, b.Type))
	})
	preferred := make([]data.Span, len(all))
	for i, c := range all {
		preferred[i] = c.Span
	}
	if t.config.Method != Union {
		return data.Disjoint(preferred)
	}
	var kept []data.Span // disjoint, sorted by start
	for _, s := range preferred {
		from, to := data.Overlapping(kept, s)
		kept = slices.Replace(kept, from, to, unite(kept[from:to], s, text)...)
	}
	return kept
}

// unite adds a span to kept. It merges the span with those of its type that it
// overlaps, and between spans of other types it fills the gaps.
func unite(kept []data.Span, s data.Span, text string) []data.Span {
	var out []data.Span
	open := false // whether the last of out has the type of s and extends beyond the gap
	from := s.Start
	room := func(to int, cut bool) { // s occupies [from, to); cut reports whether a span of another type begins there
		begin, end := from, to
		if begin < end && from > s.Start && !open {
			begin += len(text[begin:end]) - len(strings.TrimLeftFunc(text[begin:end], silent))
		}
		if begin < end && cut {
			end = begin + len(strings.TrimRightFunc(text[begin:end], silent))
		}
		switch {
		case begin >= end:
		case open:
			last := &out[len(out)-1]
			last.End, last.Score = end, max(last.Score, s.Score)
		default:
			out, open = append(out, data.Span{Start: begin, End: end, Type: s.Type, Score: s.Score}), true
		}
	}
	for _, k := range kept {
		room(min(k.Start, s.End), k.Type != s.Type)
		switch {
		case k.Type != s.Type:
			out, open = append(out, k), false
		case open:
			last := &out[len(out)-1]
			last.End, last.Score = k.End, max(last.Score, k.Score)
		default:
			k.Score = max(k.Score, s.Score)
			out, open = append(out, k), true
		}
		from = max(from, k.End)
	}
	room(s.End, false)
	return out
}

// silent reports whether a character is removed at the cut of a span: anything except
// letters and digits.
func silent(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
