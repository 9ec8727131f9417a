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

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/shortname"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Method is how spans that overlap are settled. Spans that do not are all kept,
// but for Vote.
type Method string

// Methods.
const (
	// Union keeps every character that any member found (Dernoncourt et al. 2016,
	// section 3.4: a token is PHI if the network or the CRF says so). Overlapping
	// spans of one type become one. Of others the earlier member's stands, and what
	// it leaves of the later's is a span of its own, without spaces and punctuation
	// where it was cut.
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

// Config is what a user chooses.
type Config struct {
	Method   Method   `yaml:"method"`   // default union
	Votes    int      `yaml:"votes"`    // for vote: the number of members that must agree, at least 1; default 2
	Priority []string `yaml:"priority"` // for priority, which requires it: types, the strongest first; others come last
	Members  []Member `yaml:"members"`  // at least one; the earlier have more weight
}

// Member is one system of several, and which of its spans count.
type Member struct {
	Name  string   `yaml:"name"`            // required and unique; the name of a folder
	Types []string `yaml:"types,omitempty"` // only spans of these types count; default all
	// MinScore leaves out spans with a lower score, in [0, 1], unless another member
	// found the same span; default 0: none.
	MinScore float64        `yaml:"min_score"`
	System   taggers.System `yaml:"system"` // required
}

// DefaultConfig is the union.
func DefaultConfig() Config { return Config{Method: Union, Votes: 2} }

// Validate names the first key that makes no sense.
func (c Config) Validate() error {
	members := len(c.Members)
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
	names := map[string]bool{}
	for i, m := range c.Members {
		if err := shortname.Check(m.Name); err != nil {
			return fmt.Errorf("members[%d].name: %w", i, err)
		}
		switch {
		case names[m.Name]:
			return fmt.Errorf("members[%d].name: %s is there twice", i, m.Name)
		case !(m.MinScore >= 0 && m.MinScore <= 1):
			return fmt.Errorf("members[%d].min_score: %v is not in [0, 1]", i, m.MinScore)
		}
		names[m.Name] = true
	}
	return nil
}

// Tagger is all members together. It may be used by several goroutines at once,
// if its members may.
type Tagger struct {
	config  Config
	members []data.Tagger // one for each of Config.Members
}

var _ data.Prober = (*Tagger)(nil)

// New returns the ensemble of a valid configuration. members has the tagger of each of
// its members.
func New(c Config, members []data.Tagger) *Tagger { return &Tagger{c, members} }

// Tag implements data.Tagger. A member that fails fails the ensemble: what
// the others found alone would pass for all there is.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	out, _, err := t.tag(ctx, docs, 0)
	return out, err
}

// Probe implements data.Prober. Doubts are those of the members, and the spans
// that they found and that do not stand.
func (t *Tagger) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	return t.tag(ctx, docs, from)
}

// tag looks for doubts as well, unless from is 0.
func (t *Tagger) tag(ctx context.Context, docs []*data.Document, from float64) (out, doubts [][]data.Span, err error) {
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
		out[i] = t.join(doc.Text, t.candidates(found, i))
		if from > 0 {
			var all []data.Span
			for m := range t.members {
				all = append(append(all, unsure[m][i]...), found[m][i]...)
			}
			doubts[i] = reader.MergeDoubts(out[i], all)
		}
	}
	return out, doubts, nil
}

// candidate is a span that counts.
type candidate struct {
	data.Span         // its score is the highest that a member gave it
	first     int     // the first member that found it
	votes     int     // how many did
	sum       float64 // of their scores
}

// place is a span without its score.
type place struct {
	start, end int
	typ        string
}

// candidates is the spans of a document that count, each once.
func (t *Tagger) candidates(found [][][]data.Span, doc int) []candidate {
	var all []candidate
	at := map[place]int{}
	sure := map[place]bool{}
	for m, member := range t.config.Members {
		for _, s := range found[m][doc] {
			if member.Types != nil && !slices.Contains(member.Types, s.Type) {
				continue
			}
			p := place{s.Start, s.End, s.Type}
			sure[p] = sure[p] || s.Score >= member.MinScore
			if i, ok := at[p]; ok {
				all[i].votes++
				all[i].sum += s.Score
				all[i].Score = max(all[i].Score, s.Score)
				continue
			}
			at[p] = len(all)
			all = append(all, candidate{s, m, 1, s.Score})
		}
	}
	return slices.DeleteFunc(all, func(c candidate) bool {
		return t.config.Method == Vote && c.votes < t.config.Votes || c.votes == 1 && !sure[place{c.Start, c.End, c.Type}]
	})
}

// join settles candidates that overlap, or are linked by others that do, by themselves: a long note has many.
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

// settle makes disjoint spans of candidates, by the method's order.
func (t *Tagger) settle(text string, all []candidate) []data.Span {
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
			order = cmp.Compare(a.first, b.first)
		case Vote:
			order = cmp.Or(cmp.Compare(b.votes, a.votes), cmp.Compare(b.Score, a.Score))
		case Priority:
			order = cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(b.End-b.Start, a.End-a.Start))
		case Surest:
			order = cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.first, b.first))
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

// unite joins a span with those that it overlaps: with those of its type it becomes
// one, and between the others it takes up the room that they leave.
func unite(kept []data.Span, s data.Span, text string) []data.Span {
	var out []data.Span
	open := false // whether the last of out is of the type of s, and goes on
	from := s.Start
	room := func(to int, cut bool) { // s takes [from, to); cut reports whether a span of another type begins there
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

// silent is what a span that is cut does not end in: all but letters and digits.
func silent(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
