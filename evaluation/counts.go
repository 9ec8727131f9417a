package evaluation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// Counts are the numbers of items (spans or tokens) that a system found and
// missed, compared with the gold standard.
type Counts struct {
	TP int `json:"tp"` // in both
	FP int `json:"fp"` // found by the system only
	FN int `json:"fn"` // in the gold standard only: missed
}

// Precision returns TP / (TP+FP), the share of the found items that are right. It
// is 0 if nothing was found.
func (c Counts) Precision() float64 { return ratio(c.TP, c.TP+c.FP) }

// Recall returns TP / (TP+FN), the share of the gold standard that was found. It
// is 0 if the gold standard is empty.
func (c Counts) Recall() float64 { return ratio(c.TP, c.TP+c.FN) }

// F1 returns the harmonic mean of precision P and recall R, 2PR/(P+R), computed
// as 2TP/(2TP+FP+FN). It is 0 if both are 0.
func (c Counts) F1() float64 { return ratio(2*c.TP, 2*c.TP+c.FP+c.FN) }

// ratio returns a/b, and 0 for 0/0 as every official script does.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// measured is the JSON form of Counts.
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

// MarshalJSON writes the counts together with precision, recall and f1.
func (c Counts) MarshalJSON() ([]byte, error) { return json.Marshal(c.measured()) }

// Score holds the counts of one comparison, micro-averaged: summed over documents
// and types.
type Score struct {
	Counts
	Types map[string]Counts `json:"types"` // by type; nil if the comparison ignores types
}

// MarshalJSON writes the fields of Counts and, unless Types is nil, the types and the means over them.
func (s Score) MarshalJSON() ([]byte, error) {
	var macro *PRF
	if len(s.Types) > 0 {
		means := s.Macro()
		macro = &means
	}
	return json.Marshal(struct {
		measured
		Macro *PRF              `json:"macro,omitempty"`
		Types map[string]Counts `json:"types,omitempty"`
	}{s.measured(), macro, s.Types})
}

// Strict counts the spans that agree in start, end and type, where gold[i] and
// system[i] are the spans of document i. It needs no text and does not check the
// spans, so training uses it as the development score. It panics if gold and
// system differ in length.
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

// mark is the unit that the two sides are compared by: a stretch of text and its
// type, which is empty if the comparison ignores types.
type mark struct {
	start, end int
	typ        string
}

// add counts one document. Both sides are treated as sets, so duplicate marks
// count once. It reorders the marks.
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

// set sorts the marks and removes duplicates.
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

// DocumentCounts are the counts that one document contributes to a score.
type DocumentCounts struct {
	ID string
	Counts
}

// CountsByDocument maps each document ID to [TP, FP, FN], the form in which the
// copies of official scripts write them to JSON. It returns nil for nil.
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

// Plus returns the sum of two counts.
func (c Counts) Plus(d Counts) Counts { return Counts{c.TP + d.TP, c.FP + d.FP, c.FN + d.FN} }
