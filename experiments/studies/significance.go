package studies

import (
	"fmt"

	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/internal/chart"
)

// comparedPair is the comparison of two systems as a result with tables.
type comparedPair significance.Report

// WriteSignificance writes the comparison of two systems into a folder, as the results of studies are
// written: as JSON, text, Markdown, LaTeX and CSV.
func WriteSignificance(dir string, r *significance.Report) error {
	return write(dir, (*comparedPair)(r))
}

func (r *comparedPair) tables() []table {
	t := table{
		name:  "significance",
		title: fmt.Sprintf("A: %s, B: %s, on %d documents", r.A, r.B, r.Documents),
		head:  []string{"score", "A", "B", "B - A", "95 % interval", "p", "Holm"},
		legend: []string{
			fmt.Sprintf("p: approximate randomization, two-sided, of each row by itself; each %s is swapped as a whole.", r.By),
			"Holm: p corrected for all rows.",
		},
	}
	if r.Split != "" {
		t.title += fmt.Sprintf(" (split %s)", r.Split)
	}
	for _, m := range r.Metrics {
		for i, d := range []significance.Difference{m.Precision, m.Recall, m.F1} {
			t.rows = append(t.rows, []cell{name(m.Metric + " " + []string{"P", "R", "F1"}[i]), fraction(d.A), fraction(d.B),
				difference(d.Difference), between("%+.4f", d.Low, d.High), probability(d.P), probability(d.Holm)})
		}
	}
	return []table{t}
}

func (r *comparedPair) charts() map[string]*chart.Chart { return nil }
