package evaluation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// Counts compares what a system found with the gold standard.
type Counts struct {
	TP int `json:"tp"` // in both
	FP int `json:"fp"` // only found by the system
	FN int `json:"fn"` // only in the gold standard: missed
}

// Precision is the share of what was found that is right, 0 when nothing was
// found.
func (c Counts) Precision() float64 { return ratio(c.TP, c.TP+c.FP) }

// Recall is the share of the gold standard that was found, 0 when the gold
// standard is empty.
func (c Counts) Recall() float64 { return ratio(c.TP, c.TP+c.FN) }

// F1 is the harmonic mean of precision P and recall R, 0 when both are 0:
// 2PR/(P+R), which equals 2TP/(2TP+FP+FN).
func (c Counts) F1() float64 { return ratio(2*c.TP, 2*c.TP+c.FP+c.FN) }

// ratio returns a/b, and 0 for 0/0, as every script of this field does.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// measured is Counts as JSON shows them.
type measured struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	TP        int     `json:"tp"`
	FP        int     `json:"fp"`
	FN        int     `json:"fn"`
}

func (c Counts) measured() measured {
	return measured{c.Precision(), c.Recall(), c.F1(), c.TP, c.FP, c.FN}
}

// MarshalJSON adds precision, recall and f1 to the counts.
func (c Counts) MarshalJSON() ([]byte, error) { return json.Marshal(c.measured()) }

// Score is the counts of one comparison: micro-averaged, that is, summed over
// documents and types.
type Score struct {
	Counts
	Types map[string]Counts `json:"types"` // by type; nil when the comparison ignores types
}

// MarshalJSON writes the fields of Counts and, where there are any, the types.
func (s Score) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		measured
		Types map[string]Counts `json:"types,omitempty"`
	}{s.measured(), s.Types})
}

// Strict counts the spans that agree in start, end and type: gold[i] and
// system[i] are the spans of one document. It needs no text and checks nothing,
// and so serves as the development score in training. It panics when the two
// differ in length.
func Strict(gold, system [][]data.Span) Counts {
	if len(gold) != len(system) {
		panic(fmt.Sprintf("evaluation: %d gold documents, %d system documents", len(gold), len(system)))
	}
	var s Score
	for i := range gold {
		s.add(typed(gold[i]), typed(system[i]))
	}
	return s.Counts
}

// mark is what two sides agree upon: a stretch of text, and its type unless
// the comparison ignores types.
type mark struct {
	start, end int
	typ        string
}

// add counts one document. Both sides are sets: a mark given twice counts once.
// The marks are put in another order.
func (s *Score) add(gold, system []mark) {
	gold, system = set(gold), set(system)
	for len(gold) > 0 && len(system) > 0 {
		switch order := gold[0].compare(system[0]); {
		case order == 0:
			s.count(gold[0].typ, Counts{TP: 1})
			gold, system = gold[1:], system[1:]
		case order < 0:
			s.count(gold[0].typ, Counts{FN: 1})
			gold = gold[1:]
		default:
			s.count(system[0].typ, Counts{FP: 1})
			system = system[1:]
		}
	}
	for _, m := range gold {
		s.count(m.typ, Counts{FN: 1})
	}
	for _, m := range system {
		s.count(m.typ, Counts{FP: 1})
	}
}

// set sorts the marks and drops those that are there before.
func set(marks []mark) []mark {
	slices.SortFunc(marks, mark.compare)
	return slices.Compact(marks)
}

func (m mark) compare(o mark) int {
	return cmp.Or(m.start-o.start, m.end-o.end, strings.Compare(m.typ, o.typ))
}

func (s *Score) count(typ string, c Counts) {
	s.Counts = s.Plus(c)
	if typ != "" {
		if s.Types == nil {
			s.Types = map[string]Counts{}
		}
		s.Types[typ] = s.Types[typ].Plus(c)
	}
}

// DocumentCounts is what one document adds to a score.
type DocumentCounts struct {
	ID string
	Counts
}

// CountsByDocument is the form that copies of official scripts give them in JSON:
// [TP, FP, FN] by ID. Of nil it is nil.
func CountsByDocument(docs []DocumentCounts) map[string][3]int {
	if docs == nil {
		return nil
	}
	byID := make(map[string][3]int, len(docs))
	for _, d := range docs {
		byID[d.ID] = [3]int{d.TP, d.FP, d.FN}
	}
	return byID
}

// Plus is the sum of two counts.
func (c Counts) Plus(d Counts) Counts { return Counts{c.TP + d.TP, c.FP + d.FP, c.FN + d.FN} }
