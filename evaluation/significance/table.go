package significance

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/lethe-deid/lethe/data"
)

// WriteText writes the report as a table for people. Programs should read the
// JSON form.
func (r *Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "A: %s\nB: %s\n", r.A, r.B)
	fmt.Fprintf(t, "documents: %d", r.Documents)
	if r.Split != "" {
		fmt.Fprintf(t, " (split %s)", r.Split)
	}
	if r.By == data.ByPatient {
		fmt.Fprintf(t, ", of %d patients, whose documents go together", r.Units)
	}
	fmt.Fprintf(t, "\n\n\t\t%7s\t%7s\t%7s\t%-18s\t%6s\t%6s\n", "A", "B", "B - A", "95 % interval", "p", "Holm")
	tests := 0
	for i := range r.Metrics {
		m := &r.Metrics[i]
		name := m.Metric
		for i, d := range m.differences() {
			fmt.Fprintf(t, "%s\t%s\t%7.4f\t%7.4f\t%+7.4f\t[%+.4f, %+.4f]\t%6s\t%6s\n",
				name, []string{"P", "R", "F1"}[i], d.A, d.B, d.Difference, d.Low, d.High, FormatP(d.P), FormatP(d.Holm))
			name = "" // the name is in its first row only
			tests++
		}
	}
	fmt.Fprintln(t)
	for i := range r.Metrics {
		m := &r.Metrics[i]
		shuffles := fmt.Sprintf("%d shuffles", m.Shuffles)
		switch {
		case m.Differing == 0:
			shuffles = "nothing to shuffle"
		case m.Exact:
			shuffles = fmt.Sprintf("all %d ways to shuffle", m.Shuffles+1)
		}
		fmt.Fprintf(t, "%s: A and B differ in %d of %d %ss; %s\n", m.Metric, m.Differing, r.Units, r.By, shuffles)
	}
	fmt.Fprintf(t, "p is of each row by itself, two-sided; Holm is p corrected for all %d rows.\n", tests)
	return t.Flush()
}

// FormatP formats a p-value with four decimals, or with two significant digits if
// it is below 0.001.
func FormatP(p float64) string {
	if p < 0.001 {
		return fmt.Sprintf("%.2g", p)
	}
	return fmt.Sprintf("%.4f", p)
}
