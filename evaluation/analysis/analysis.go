// Package analysis says what kind of errors a system makes: which types it takes
// for which, where it cuts spans wrongly, what it misses and for what likely
// cause, how sure it is where it errs, and what one system finds and another
// does not. It follows the error analysis of Dernoncourt et al. 2016 (section
// 3.5, Tables 5 and 6), so far as that can be done without a reader.
//
// Results are counts. The text of a note is in them only where Options.Examples
// asks for it.
package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Options say what to look into.
type Options struct {
	Training *Training // what the training notes say of a token, for the causes of misses; nil: no causes
	Examples int       // how many errors to quote of each kind and type; 0: none, negative: all
}

// Report is the analysis of one system. Other programs may rely upon the keys of
// its JSON form.
type Report struct {
	Documents int                 `json:"documents"`
	All       Outcomes            `json:"all"`
	Types     map[string]Outcomes `json:"types"`
	Confusion []Confused          `json:"confusion"` // by gold type, then by found type
	Causes    *Causes             `json:"causes,omitempty"`
	Examples  []Example           `json:"examples,omitempty"` // in the order of the documents
}

// Outcomes is what became of the gold spans of one type, and what else was
// found. Each gold span has one outcome, the first that is true of it, so that
// Gold is their sum; Gold - Right is the FN of the strict measure.
type Outcomes struct {
	Gold      int `json:"gold"`
	Right     int `json:"right"`      // found: start, end and type
	Type      int `json:"type"`       // its extent was found, as another type
	TooLong   int `json:"too_long"`   // its type was found, in a span that contains it
	TooShort  int `json:"too_short"`  // ... in a span inside it
	Shifted   int `json:"shifted"`    // ... in a span that overlaps it otherwise
	BothWrong int `json:"both_wrong"` // only spans of other types overlap it, with another extent
	Missed    int `json:"missed"`     // no span overlaps it
	Found     int `json:"found"`      // spans that the system gave this type
	Spurious  int `json:"spurious"`   // those among them that overlap no gold span
}

// Kinds of errors.
const (
	KindType      = "type"
	KindTooLong   = "too_long"
	KindTooShort  = "too_short"
	KindShifted   = "shifted"
	KindBothWrong = "both_wrong"
	KindMissed    = "missed"
	KindSpurious  = "spurious"
	kindRight     = "right"
)

func (o *Outcomes) count(kind string) {
	*map[string]*int{
		kindRight: &o.Right, KindType: &o.Type, KindTooLong: &o.TooLong, KindTooShort: &o.TooShort, KindShifted: &o.Shifted,
		KindBothWrong: &o.BothWrong, KindMissed: &o.Missed, KindSpurious: &o.Spurious,
	}[kind]++
}

// Confused says how many spans of a gold type were given some type: the type of
// the one found span that fits each best, whose extent may differ. Gold spans
// appear once each.
type Confused struct {
	Gold  string `json:"gold"`  // "": not PHI, the span is spurious
	Found string `json:"found"` // "": missed
	Spans int    `json:"spans"`
}

// Example is one error, with its text and some of what stands around it.
type Example struct {
	Document string `json:"document"`
	Start    int    `json:"start"` // in bytes; of the gold span, or of one that is spurious
	End      int    `json:"end"`
	Kind     string `json:"kind"`
	Gold     string `json:"gold,omitempty"`  // type; "" for a spurious span
	Found    string `json:"found,omitempty"` // type; "" for a missed one
	Before   string `json:"before"`
	Text     string `json:"text"`
	After    string `json:"after"`
}

// Analyze looks at the errors of a system. Documents are matched as by
// evaluation.Compare, with its errors: all spans of a gold document that the
// system does not have are missed, and other documents of the system's are left
// out. Both sides are sets of spans.
func Analyze(gold, system []*data.Document, opt Options) (*Report, error) {
	r := &Report{Types: map[string]Outcomes{}, Confusion: []Confused{}}
	confusion := map[Confused]int{}
	quotes := quoter{limit: opt.Examples, taken: map[[2]string]int{}}
	var causes *tally
	if opt.Training != nil {
		causes = newTally(opt.Training)
	}
	err := each(gold, system, func(d *data.Document, found []data.Span) {
		r.Documents++
		spans := distinct(d.Spans)
		left := newFinder(spans)
		by := newFinder(found)
		for _, g := range spans {
			f, kind := by.best(g)
			r.count(g.Type, func(o *Outcomes) { o.Gold++; o.count(kind) })
			confusion[Confused{Gold: g.Type, Found: f.Type}]++
			if kind != kindRight {
				r.Examples = quotes.quote(r.Examples, d, g, kind, g.Type, f.Type)
			}
		}
		for _, f := range found {
			r.count(f.Type, func(o *Outcomes) { o.Found++ })
			if !left.overlaps(f) {
				r.count(f.Type, func(o *Outcomes) { o.Spurious++ })
				confusion[Confused{Found: f.Type}]++
				r.Examples = quotes.quote(r.Examples, d, f, KindSpurious, "", f.Type)
			}
		}
		if causes != nil {
			causes.add(d, spans, found)
		}
	})
	if err != nil {
		return nil, err
	}
	for c, n := range confusion {
		c.Spans = n
		r.Confusion = append(r.Confusion, c)
	}
	slices.SortFunc(r.Confusion, func(a, b Confused) int {
		return cmp.Or(strings.Compare(a.Gold, b.Gold), strings.Compare(a.Found, b.Found))
	})
	if causes != nil {
		r.Causes = &causes.Causes
	}
	return r, nil
}

func (r *Report) count(typ string, add func(*Outcomes)) {
	o := r.Types[typ]
	add(&o)
	r.Types[typ] = o
	add(&r.All)
}

// each gives, for every gold document, the distinct spans that the system found.
func each(gold, system []*data.Document, use func(d *data.Document, found []data.Span)) error {
	found := make(map[string][]data.Span, len(gold))
	missing := 0
	for p, err := range evaluation.DocumentPairs(data.Each(gold), data.Each(system)) {
		switch {
		case err != nil:
			return err
		case p.Gold == nil:
			continue
		case p.System == nil:
			missing++
		default:
			found[p.ID] = distinct(p.System.Spans)
		}
	}
	switch {
	case len(gold) == 0:
		return fmt.Errorf("no gold documents to compare with")
	case missing == len(gold):
		return fmt.Errorf("none of the %d gold documents is among the %d of the system: their IDs differ", len(gold), len(system))
	}
	for _, d := range gold {
		use(d, found[d.ID])
	}
	return nil
}

// distinct sorts spans. Of those that differ in score only it keeps the highest.
func distinct(spans []data.Span) []data.Span {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b data.Span) int { return cmp.Compare(b.Score, a.Score) })
	data.SortSpans(sorted) // stable
	return slices.CompactFunc(sorted, same)
}

func same(a, b data.Span) bool { return a.Start == b.Start && a.End == b.End && a.Type == b.Type }

// finder looks for spans that overlap another.
type finder struct {
	spans []data.Span
	reach []int // the furthest end of any span up to here
}

// newFinder takes sorted spans.
func newFinder(spans []data.Span) finder {
	f := finder{spans, make([]int, len(spans))}
	furthest := 0
	for i, s := range spans {
		furthest = max(furthest, s.End)
		f.reach[i] = furthest
	}
	return f
}

// around yields the spans that overlap s, in order.
func (f finder) around(s data.Span) func(yield func(data.Span) bool) {
	return func(yield func(data.Span) bool) {
		first, _ := slices.BinarySearch(f.reach, s.Start+1) // of those that reach beyond s's start
		for _, o := range f.spans[first:] {
			if o.Start >= s.End {
				return
			}
			if o.End > s.Start && !yield(o) {
				return
			}
		}
	}
}

func (f finder) overlaps(s data.Span) bool {
	for range f.around(s) {
		return true
	}
	return false
}

// has looks for a span of this extent and type.
func (f finder) has(s data.Span) bool {
	for o := range f.around(s) {
		if same(o, s) {
			return true
		}
	}
	return false
}

// best is the span that fits a gold span best: the span itself, or else one of
// its extent, or else the one of its type that shares most with it, or else the
// one of any type that does; of equals, the first. With it comes what that makes
// of the gold span.
func (f finder) best(g data.Span) (best data.Span, kind string) {
	rank := [3]int{} // extent, type, shared bytes
	for o := range f.around(g) {
		is := [3]int{0, 0, min(o.End, g.End) - max(o.Start, g.Start)}
		if o.Start == g.Start && o.End == g.End {
			is[0] = 1
		}
		if o.Type == g.Type {
			is[1] = 1
		}
		if slices.Compare(is[:], rank[:]) > 0 {
			best, rank = o, is
		}
	}
	switch {
	case rank[2] == 0:
		return data.Span{}, KindMissed
	case rank[0] == 1 && rank[1] == 1:
		return best, kindRight
	case rank[0] == 1:
		return best, KindType
	case rank[1] == 0:
		return best, KindBothWrong
	case best.Start <= g.Start && best.End >= g.End:
		return best, KindTooLong
	case best.Start >= g.Start && best.End <= g.End:
		return best, KindTooShort
	}
	return best, KindShifted
}

// quoter quotes so many errors of each kind and type.
type quoter struct {
	limit int
	taken map[[2]string]int
}

// around is how much text is quoted on either side of a span, in bytes.
const around = 40

func (q *quoter) quote(examples []Example, d *data.Document, s data.Span, kind, gold, found string) []Example {
	key := [2]string{kind, s.Type}
	if q.limit >= 0 && q.taken[key] >= q.limit {
		return examples
	}
	q.taken[key]++
	from, to := max(0, s.Start-around), min(len(d.Text), s.End+around)
	return append(examples, Example{
		Document: d.ID, Start: s.Start, End: s.End, Kind: kind, Gold: gold, Found: found,
		Before: strings.ToValidUTF8(d.Text[from:s.Start], ""), Text: d.Text[s.Start:s.End], After: strings.ToValidUTF8(d.Text[s.End:to], ""),
	})
}
