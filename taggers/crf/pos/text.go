package pos

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteText writes a table with the percentages of words whose tags are right.
func (a *Accuracy) WriteText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "words\tnumber\tUPOS %\tXPOS %\ttense %\tlemma %\t")
	a.All.writeText(w, "all")
	a.Unknown.writeText(w, "unknown")
	return w.Flush()
}

func (a Agreement) writeText(w *tabwriter.Writer, name string) {
	percent := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", 100*float64(n)/float64(of))
	}
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t\n", name, a.Words,
		percent(a.UPOS, a.Words), percent(a.XPOS, a.WithXPOS), percent(a.Tense, a.Words), percent(a.Lemma, a.WithLemma))
}
