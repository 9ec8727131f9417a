package evaluation

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
)

// PRF is precision, recall and F1, each in [0, 1].
type PRF struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Metric is a score of a corpus that is computed from a sum over its documents.
// Its functions may be called concurrently.
type Metric struct {
	Name  string
	Tally func(gold, system *data.Document) []float64 // the contribution of one document; its length is constant
	Score func(total []float64) PRF                   // the score of a corpus from the sum of its tallies
}

// Tallies returns the contribution of each gold document. The system's version is
// found by ID; if there is none, everything in the gold document is missed.
func (m Metric) Tallies(gold, system []*data.Document) [][]float64 {
	byID := make(map[string]*data.Document, len(system))
	for _, d := range system {
		byID[d.ID] = d
	}
	all := make([][]float64, len(gold))
	for i, g := range gold {
		s := byID[g.ID]
		if s == nil {
			s = &data.Document{ID: g.ID, Text: g.Text}
		}
		all[i] = m.Tally(g, s)
	}
	return all
}

// Sum adds up tallies. There must be at least one.
func Sum(tallies [][]float64) []float64 {
	total := make([]float64, len(tallies[0]))
	for _, tally := range tallies {
		for i, x := range tally {
			total[i] += x
		}
	}
	return total
}

// Metrics returns the measures of Compare: strict, spans, token and binary_token.
// Their tallies are [TP, FP, FN].
func Metrics() []Metric {
	return []Metric{
		matched("strict", func(d *data.Document) []mark { return typed(d.Spans) }),
		matched("spans", func(d *data.Document) []mark { return untyped(typed(d.Spans)) }),
		matched("token", tokens),
		matched("binary_token", func(d *data.Document) []mark { return untyped(tokens(d)) }),
	}
}

// matched returns the metric that counts the marks shared by both sides.
func matched(name string, marks func(*data.Document) []mark) Metric {
	return Metric{Name: name, Score: Micro, Tally: func(gold, system *data.Document) []float64 {
		var s Score
		s.add(marks(gold), marks(system))
		return []float64{float64(s.TP), float64(s.FP), float64(s.FN)}
	}}
}

// Micro is the Score function of metrics whose tally is [TP, FP, FN]: the micro
// average, 0 for 0/0. It agrees with the methods of Counts to the bit.
func Micro(total []float64) PRF {
	tp, fp, fn := total[0], total[1], total[2]
	return PRF{share(tp, tp+fp), share(tp, tp+fn), share(2*tp, 2*tp+fp+fn)}
}

func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// HIPAA returns the metric restricted to spans whose type HIPAA names according
// to the type set. Its name is the metric's name after "hipaa/". Types that are
// not in the set are excluded. HIPAA returns an error if the set marks no type as
// HIPAA's.
func (m Metric) HIPAA(types *data.TypeSet) (Metric, error) {
	if !namesHIPAA(types) {
		return Metric{}, fmt.Errorf("metric hipaa/%s: type set %s does not say which types HIPAA names: give one that does, see lethe types", m.Name, types.Name)
	}
	return m.only("hipaa/"+m.Name, func(name string) bool {
		t, _ := types.Lookup(name)
		return t.HIPAA
	}), nil
}

// Type returns the metric restricted to the spans of one type, named as in
// "strict/PATIENT". It returns an error if the type set lists its types and the
// name is not among them.
func (m Metric) Type(name string, types *data.TypeSet) (Metric, error) {
	if !types.Has(name) {
		return Metric{}, fmt.Errorf("metric %s/%s: no such type in type set %s", m.Name, name, types.Name)
	}
	return m.only(m.Name+"/"+name, func(t string) bool { return t == name }), nil
}

// only returns the metric restricted to the spans whose type counts.
func (m Metric) only(name string, counts func(typ string) bool) Metric {
	kept := func(d *data.Document) *data.Document {
		c := *d
		c.Spans = nil
		for _, s := range d.Spans {
			if counts(s.Type) {
				c.Spans = append(c.Spans, s)
			}
		}
		return &c
	}
	return Metric{Name: name, Score: m.Score, Tally: func(gold, system *data.Document) []float64 { return m.Tally(kept(gold), kept(system)) }}
}

func namesHIPAA(types *data.TypeSet) bool {
	for _, t := range types.Types {
		if t.HIPAA {
			return true
		}
	}
	return false
}
