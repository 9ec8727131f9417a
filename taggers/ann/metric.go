package ann

import (
	"cmp"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/metrics"
)

// devMetric is the score on dev that decides which epoch is the best.
type devMetric struct {
	name   string // for people
	metric evaluation.Metric
	of     func(evaluation.PRF) float64
}

// metric returns the score that the settings choose, or nil for strict F1.
func (t Training) metric(types *data.TypeSet) (*devMetric, error) {
	name, measure := cmp.Or(t.Metric, "strict"), cmp.Or(t.Measure, "f1")
	if name == "strict" && measure == "f1" {
		return nil, nil
	}
	found, err := metrics.Lookup(name, types)
	if err != nil {
		return nil, fmt.Errorf("training.metric: %w", err)
	}
	m := &devMetric{metric: found}
	switch measure {
	case "precision":
		m.name, m.of = name+" precision", func(s evaluation.PRF) float64 { return s.Precision }
	case "recall":
		m.name, m.of = name+" recall", func(s evaluation.PRF) float64 { return s.Recall }
	default:
		m.name, m.of = name+" F1", func(s evaluation.PRF) float64 { return s.F1 }
	}
	return m, nil
}

// check returns an error if the documents of a split have no annotation that the metric counts, so that each epoch has the score 0. It
// accepts a nil pointer.
func (m *devMetric) check(split string, docs []*data.Document) error {
	if m == nil {
		return nil
	}
	gold := make([][]data.Span, len(docs))
	for i, d := range docs {
		gold[i] = d.Spans
	}
	if m.score(docs, gold) == 0 {
		return fmt.Errorf("training.metric: %s contains no annotation that %s counts, so that the score of each epoch is 0", split, m.metric.Name)
	}
	return nil
}

// score returns the score of the spans found in documents, of which there is at least one.
func (m *devMetric) score(gold []*data.Document, system [][]data.Span) float64 {
	tallies := make([][]float64, len(gold))
	for i, g := range gold {
		found := *g
		found.Spans = system[i]
		tallies[i] = m.metric.Tally(g, &found)
	}
	return m.of(m.metric.Score(evaluation.Sum(tallies)))
}
