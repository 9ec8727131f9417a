package operating

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteText writes the operating points as a table.
func (c *Curve) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "documents: %d, PHI tokens: %d\n", c.Documents, c.Tokens)
	fmt.Fprintf(w, "calibration error: %.4f (spans %.4f, doubts %.4f)\n\n", c.Error, c.SpansWorth.Calibrated.Error, c.DoubtsWorth.Calibrated.Error)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "recall wanted\tprobability from\trecall\t95 % interval\tprecision")
	for _, p := range c.Points {
		wanted, from := p.Names()
		fmt.Fprintf(t, "%s\t%s\t%.4f\t[%.4f, %.4f]\t%.4f\n", wanted, from, p.Recall, p.Low, p.High, p.Precision)
	}
	return t.Flush()
}
