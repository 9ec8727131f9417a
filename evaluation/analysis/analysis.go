// Package analysis classifies the errors of a system: which types it confuses,
// where it cuts spans wrongly, what it misses and why, how its confidence relates
// to its errors, and what one system finds and another does not. It follows the
// error analysis of Dernoncourt et al. 2016 (section 3.5, Tables 5 and 6), as far
// as that is possible without a human reader.
//
// Results are counts. They contain text of notes only if Options.Examples
// requests it.
package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// Options select what to analyze.
type Options struct {
	Training *Training // statistics of the training notes, for the causes of misses; nil: no causes
	Examples int       // number of errors to quote per kind and type; 0: none, negative: all
}

// Report is the analysis of one system. Other programs may rely on the keys of
// its JSON form.
type Report struct {
	Documents int                 `json:"documents"`
	All       Outcomes            `json:"all"`
	Types     map[string]Outcomes `json:"types"`
	Confusion []Confused          `json:"confusion"` // by gold type, then by found type
	Causes    *Causes             `json:"causes,omitempty"`
	Examples  []Example           `json:"examples,omitempty"` // in the order of the documents
}

// Outcomes counts what became of the gold spans of one type, and the other spans
// that the system found. Each gold span has exactly one outcome, the first that
// applies in the order below, so Gold is the sum of the outcomes and Gold - Right
// is the FN of the strict measure.
type Outcomes struct {
	Gold      int `json:"gold"`
	Right     int `json:"right"`      // found: start, end and type
	Type      int `json:"type"`       // found with its extent, but as another type
	TooLong   int `json:"too_long"`   // found with its type, in a longer span that contains it
	TooShort  int `json:"too_short"`  // found with its type, in a shorter span inside it
	Shifted   int `json:"shifted"`    // found with its type, in a span that overlaps it in another way
	BothWrong int `json:"both_wrong"` // overlapped only by spans of other types and extents
	Missed    int `json:"missed"`     // overlapped by no span
	Found     int `json:"found"`      // spans that the system gave this type
	Spurious  int `json:"spurious"`   // those of Found that overlap no gold span
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

// Confused counts the spans of a gold type that the system gave the type Found.
// Each gold span counts once, for the found span that fits it best, whose extent
// may differ.
type Confused struct {
	Gold  string `json:"gold"`  // "": not PHI; the found spans are spurious
	Found string `json:"found"` // "": missed
	Spans int    `json:"spans"`
}

// Example is one error, with its text and some text around it.
type Example struct {
	Document string `json:"document"`
	Start    int    `json:"start"` // in bytes; of the gold span or, for kind spurious, of the found span
	End      int    `json:"end"`
	Kind     string `json:"kind"`
	Gold     string `json:"gold,omitempty"`  // gold type; "" for a spurious span
	Found    string `json:"found,omitempty"` // found type; "" for a missed span
	Before   string `json:"before"`
	Text     string `json:"text"`
	After    string `json:"after"`
}

// Analyze classifies the errors of a system. It matches documents by ID and
// returns the errors of evaluation.Compare. If the system lacks a gold document,
// all of its spans are missed; documents without a gold standard are ignored.
// Both sides are treated as sets of spans.
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
	sorting.By(r.Confusion, func(a, b Confused) int {
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

// each calls use for every gold document, with the distinct spans that the system
// found in it.
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
	case missing == len(gold) && len(system) == 0:
		return fmt.Errorf("the system has no documents")
	case missing == len(gold):
		return fmt.Errorf("none of the %d gold documents is among the %d of the system: their IDs differ", len(gold), len(system))
	}
	for _, d := range gold {
		use(d, found[d.ID])
	}
	return nil
}

// distinct returns the spans sorted and without duplicates. Of spans that differ
// only in their score, it keeps the one with the highest.
func distinct(spans []data.Span) []data.Span {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b data.Span) int { return cmp.Compare(b.Score, a.Score) })
	data.SortSpans(sorted) // stable
	return slices.CompactFunc(sorted, same)
}

func same(a, b data.Span) bool { return a.Start == b.Start && a.End == b.End && a.Type == b.Type }

// finder finds the spans that overlap a given span.
type finder struct {
	spans []data.Span
	reach []int // reach[i] is the greatest end of spans[:i+1]
}

// newFinder returns a finder for spans, which must be sorted.
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
		first, _ := slices.BinarySearch(f.reach, s.Start+1) // the first span at which reach exceeds the start of s
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

// has reports whether there is a span with the extent and type of s.
func (f finder) has(s data.Span) bool {
	for o := range f.around(s) {
		if same(o, s) {
			return true
		}
	}
	return false
}

// best returns the found span that fits a gold span best, and the kind of outcome
// that results for the gold span. The order of preference is: an equal span, a
// span of the same extent, the span of the same type that shares the most text,
// the span of any type that shares the most text. Ties go to the first span.
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

// quoter quotes up to a fixed number of errors per kind and type.
type quoter struct {
	limit int
	taken map[[2]string]int
}

// around is the number of bytes quoted on either side of a span.
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
