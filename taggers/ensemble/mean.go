package ensemble

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Method mean averages what the members believe of each token, and finds the most
// probable labels once for all of them.
//
// The notes are cut wherever a token of any member begins or ends; the parts are called
// cells. The probability of a type in a cell is the mean over the members that have an
// opinion there: networks and CRFs have one of each token, rules and lists only of what
// they find. A member that is restricted to some types has no opinion of others.

// belief is the probabilities of one type in a cell.
type belief struct{ begin, inside float64 }

// cell is a part of a note that no member divides.
type cell struct {
	start, end int
	types      map[string]belief // means over the members
	outside    float64           // probability that no span contains the cell
}

// means returns the cells of a note, in order. Cells of white space are left out.
// estimates are those of each member.
func (c Config) means(text string, estimates [][]data.Estimate) []cell {
	var cuts []int
	for _, of := range estimates {
		for _, e := range of {
			cuts = append(cuts, e.Start, e.End)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	next := make([]int, len(estimates)) // by member: its first estimate that does not end before the cell
	var cells []cell
	for i := 1; i < len(cuts); i++ {
		x := cell{start: cuts[i-1], end: cuts[i]}
		if strings.TrimSpace(text[x.start:x.end]) == "" {
			continue
		}
		if c.average(&x, estimates, next) {
			cells = append(cells, x)
		}
	}
	return cells
}

// average sets the probabilities of a cell. It returns false if no member has an opinion.
func (c Config) average(x *cell, estimates [][]data.Estimate, next []int) bool {
	sums := map[string]belief{}
	var members []Member // with an opinion
	for m, of := range estimates {
		for next[m] < len(of) && of[next[m]].End <= x.start {
			next[m]++
		}
		if next[m] == len(of) || of[next[m]].Start > x.start {
			continue
		}
		member, e := c.Members[m], of[next[m]]
		members = append(members, member)
		for _, chance := range e.Chances {
			if !member.counts(chance.Type) {
				continue
			}
			b := sums[chance.Type]
			if e.Start == x.start {
				b.begin += chance.Begin
				b.inside += chance.Inside
			} else { // a span that begins at the member's token began in an earlier cell
				b.inside += chance.Begin + chance.Inside
			}
			sums[chance.Type] = b
		}
	}
	total := 0.0
	for typ, b := range sums {
		n := 0.0
		for _, m := range members {
			if m.counts(typ) {
				n++
			}
		}
		sums[typ] = belief{b.begin / n, b.inside / n}
		total += (b.begin + b.inside) / n
	}
	if total > 1 { // members with different types
		for typ, b := range sums {
			sums[typ] = belief{b.begin / total, b.inside / total}
		}
	}
	x.types, x.outside = sums, max(0, 1-total)
	return len(members) > 0
}

// likely is the least score of a span: a label that is less probable than all others
// together is more often wrong than right, so the span would cost more precision than it
// gains recall.
const likely = 0.5

// certain is the probability of no type from which a cell cannot be part of a span.
const certain = 0.99

// decode returns the spans of the most probable labels, with the lowest probability of
// their labels as score.
func decode(cells []cell) []data.Span {
	var spans []data.Span
	for from := 0; from < len(cells); {
		if cells[from].outside >= certain {
			from++
			continue
		}
		to := from
		for to < len(cells) && cells[to].outside < certain {
			to++
		}
		spans = append(spans, viterbi(cells[from:to])...)
		from = to
	}
	return spans
}

// state is a label of a cell: the type and whether a span begins; "" is outside.
type state struct {
	typ   string
	begin bool
}

// step is the best way to a state.
type step struct {
	state
	p      float64 // of the state in its cell
	score  float64 // log probability of all cells up to here
	before int     // index of the step before
}

// impossible is the least probability of a label, so that there is always a sequence with a score:
// for members with different tokenizers, a span that nobody begins can be certain.
const impossible = 1e-12

// viterbi returns the spans of the most probable sequence of labels in which a span's
// second cell and those after it continue a span of their type.
func viterbi(cells []cell) []data.Span {
	steps := make([][]step, len(cells))
	for i, x := range cells {
		all := []step{{state{}, x.outside, 0, -1}}
		for _, typ := range slices.Sorted(maps.Keys(x.types)) {
			b := x.types[typ]
			all = append(all, step{state{typ, true}, b.begin, 0, -1}, step{state{typ, false}, b.inside, 0, -1})
		}
		for k := range all {
			s := &all[k]
			s.score = math.Inf(-1)
			p := math.Log(max(s.p, impossible))
			if i == 0 {
				if s.typ == "" || s.begin {
					s.score = p
				}
				continue
			}
			for j, b := range steps[i-1] {
				if (s.typ == "" || s.begin || b.typ == s.typ) && b.score+p > s.score {
					s.score, s.before = b.score+p, j
				}
			}
		}
		steps[i] = all
	}
	last := len(cells) - 1
	best := 0
	for k, s := range steps[last] {
		if s.score > steps[last][best].score {
			best = k
		}
	}
	path := make([]step, len(cells))
	for i := last; i >= 0; i-- {
		path[i] = steps[i][best]
		best = path[i].before
	}
	var spans []data.Span
	for i, s := range path {
		switch {
		case s.typ == "":
		case s.begin:
			spans = append(spans, data.Span{Start: cells[i].start, End: cells[i].end, Type: s.typ, Score: s.p})
		default:
			span := &spans[len(spans)-1]
			span.End, span.Score = cells[i].end, min(span.Score, s.p)
		}
	}
	return spans
}

// doubts returns the cells outside of the spans that are PHI at least with probability
// from.
func doubts(cells []cell, spans []data.Span, from float64) []data.Span {
	var all []data.Span
	for _, x := range cells {
		if 1-x.outside < from {
			continue
		}
		s := data.Span{Start: x.start, End: x.end, Score: 1 - x.outside}
		if a, b := data.Overlapping(spans, s); a < b {
			continue
		}
		types := slices.Sorted(maps.Keys(x.types))
		s.Type = slices.MinFunc(types, func(a, b string) int {
			return cmp.Compare(x.types[b].begin+x.types[b].inside, x.types[a].begin+x.types[a].inside)
		})
		all = append(all, s)
	}
	return all
}

// tagByMean finds spans, and doubts unless from is 0, from the members' probabilities.
func (t *Tagger) tagByMean(ctx context.Context, docs []*data.Document, from float64) (found, unsure [][]data.Span, err error) {
	all := make([][][]data.Estimate, len(t.members)) // by member and note
	for m, member := range t.members {
		if all[m], err = reader.Estimate(ctx, member, docs); err != nil {
			return nil, nil, fmt.Errorf("member %s: %w", t.config.Members[m].Name, err)
		}
		if len(all[m]) != len(docs) {
			return nil, nil, fmt.Errorf("member %s: results for %d of %d notes", t.config.Members[m].Name, len(all[m]), len(docs))
		}
	}
	found, unsure = make([][]data.Span, len(docs)), make([][]data.Span, len(docs))
	for i, doc := range docs {
		of := make([][]data.Estimate, len(t.members))
		for m := range of {
			of[m] = all[m][i]
		}
		cells := t.config.means(doc.Text, of)
		found[i] = slices.DeleteFunc(decode(cells), func(s data.Span) bool { return s.Score < likely })
		if from > 0 {
			unsure[i] = doubts(cells, found[i], from)
		}
	}
	return found, unsure, nil
}
