package evaluation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// Macro returns two metrics whose scores are averages over the types of a set, as
// in Zuccon et al. 2014 (Table 4, last line): macro/strict over spans and
// macro/token over tokens. F1 is the mean of the F1 of the types, which differs
// from the F1 of the two means. Only types that occur in the gold standard count,
// so a wrong span of another type lowers no score. Macro returns an error if the
// set names no types.
func Macro(types *data.TypeSet) ([]Metric, error) {
	if len(types.Types) == 0 {
		return nil, fmt.Errorf("metrics macro/strict and macro/token: type set %s does not say which types there are: give one that does, see lethe types", types.Name)
	}
	place := map[string]int{}
	for i, t := range types.Types {
		place[t.Name] = 3 * i
	}
	average := func(name string, marks func(*data.Document) []mark) Metric {
		return Metric{Name: name, Score: meanOfTypes, Tally: func(gold, system *data.Document) []float64 {
			var s Score
			s.add(marks(gold), marks(system))
			tally := make([]float64, 3*len(types.Types))
			for typ, c := range s.Types {
				if at, ok := place[typ]; ok {
					copy(tally[at:], []float64{float64(c.TP), float64(c.FP), float64(c.FN)})
				}
			}
			return tally
		}}
	}
	return []Metric{
		average("macro/strict", func(d *data.Document) []mark { return typed(d.Spans) }),
		average("macro/token", tokens),
	}, nil
}

// meanOfTypes returns the means over types. total lists true positives, false
// positives and false negatives, type after type.
func meanOfTypes(total []float64) PRF {
	var m mean
	for ; len(total) > 0; total = total[3:] {
		if total[0]+total[2] > 0 {
			m.add(Micro(total[:3]))
		}
	}
	return m.of()
}

// Macro returns the means over the types that occur in the gold standard, as the metrics of the function Macro do.
func (s Score) Macro() PRF {
	var m mean
	for _, typ := range slices.Sorted(maps.Keys(s.Types)) { // in a fixed order, because sums of floating-point numbers depend on it
		if c := s.Types[typ]; c.TP+c.FN > 0 {
			m.add(PRF{c.Precision(), c.Recall(), c.F1()})
		}
	}
	return m.of()
}

// mean is a sum of scores and their number.
type mean struct {
	sum PRF
	n   float64
}

func (m *mean) add(s PRF) {
	m.sum.Precision += s.Precision
	m.sum.Recall += s.Recall
	m.sum.F1 += s.F1
	m.n++
}

func (m *mean) of() PRF {
	return PRF{share(m.sum.Precision, m.n), share(m.sum.Recall, m.n), share(m.sum.F1, m.n)}
}
