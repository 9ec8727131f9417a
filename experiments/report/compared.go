package report

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/lethe-deid/lethe/evaluation/analysis"
	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/experiments"
)

// comparison shows how another run differs from the first.
type comparison struct {
	*runMaterial
	Verdict   string
	Test      *table
	Agreement *table
}

// compare fills in the comparison of each other run with the first.
func (m *material) compare(ctx context.Context, p *page) error {
	a := m.runs[0]
	for _, b := range m.runs[1:] {
		test, err := experiments.Significance(ctx, a.Run, b.Run, m.Split, nil, significance.Options{Seed: seed}, m.Progress)
		if err != nil {
			return err
		}
		shared, err := analysis.Compare(m.gold, a.found, b.found, analysis.Options{})
		if err != nil {
			return err
		}
		p.Compared = append(p.Compared, &comparison{b, verdict(b.letter, test), testTable(b.letter, test), m.agreement(b.letter, shared)})
	}
	return nil
}

// verdict describes the difference in strict F1, the first metric, in words.
func verdict(b string, r *significance.Report) string {
	d := r.Metrics[0].F1
	if d.Difference == 0 {
		return fmt.Sprintf("%s has the same strict F1 as A.", b)
	}
	direction := "higher"
	if d.Difference < 0 {
		direction = "lower"
	}
	s := sentence("The strict F1 of %s is %.2f points %s than that of A; the 95 %% interval of the difference goes from %s to %s. ",
		b, math.Abs(100*d.Difference), direction, points(d.Low), points(d.High))
	s += sentence("If neither were better than the other, a difference as large would come about by chance in %.2g %% of cases: ", 100*d.P)
	if d.Holm < 0.05 {
		return s + "there is good reason to believe in it."
	}
	return s + "it may well be chance."
}

func testTable(b string, r *significance.Report) *table {
	t := &table{
		ID: "test-" + strings.ToLower(b), Caption: b + " against A: difference in points, and the probability of chance",
		First: "Measure", Groups: []group{{"", []string{"A, %", b + ", %", b + " − A", "95 % interval", "p", "p, corrected"}}},
	}
	for _, metric := range r.Metrics {
		for i, d := range []significance.Difference{metric.Precision, metric.Recall, metric.F1} {
			t.add("", nameOf(metric.Metric)+", "+[]string{"P", "R", "F1"}[i], percent(d.A), percent(d.B), points(d.Difference),
				points(d.Low)+" to "+points(d.High), significance.FormatP(d.P), significance.FormatP(d.Holm))
		}
		if t.Note != "" {
			t.Note += "; "
		}
		t.Note += fmt.Sprintf("%s: the two differ in %d of %s, ", nameOf(metric.Metric), metric.Differing, counted(r.Units, r.By))
		if metric.Exact {
			t.Note += fmt.Sprintf("all %s ways to shuffle", number(metric.Shuffles+1))
		} else {
			t.Note += fmt.Sprintf("%s shuffles", number(metric.Shuffles))
		}
	}
	t.Note += "."
	return t
}

// nameOf returns the name of a metric in the table of scores.
func nameOf(metric string) string {
	for _, m := range measures {
		if m.metric == metric {
			return m.short
		}
	}
	return metric
}

// agreement counts the spans that both runs, one of them, or neither found.
func (m *material) agreement(b string, c *analysis.Comparison) *table {
	t := &table{
		ID: "agreement-" + strings.ToLower(b), Caption: "What A and " + b + " find, with its type",
		First: "Type", Groups: []group{
			{"gold spans", []string{"both", "only A", "only " + b, "neither"}},
			{"spans that are not gold", []string{"both", "only A", "only " + b}},
		},
	}
	add := func(class, name string, g analysis.Agreement) {
		var cells []string
		for _, n := range []int{g.Spans.Both, g.Spans.OnlyA, g.Spans.OnlyB, g.Spans.Neither, g.Wrong.Both, g.Wrong.OnlyA, g.Wrong.OnlyB} {
			cells = append(cells, number(n))
		}
		t.add(class, name, cells...)
	}
	add("all", "All", c.All)
	for _, typ := range m.inOrder(maps.Keys(c.Types)) {
		add("", typ, c.Types[typ])
	}
	return t
}
