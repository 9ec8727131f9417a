package evaluation

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/lethe-deid/lethe/data"
)

// listed is the number of document IDs that WriteText names. JSON contains all of
// them.
const listed = 5

// WriteText writes the report as a table for people. Programs should read the
// JSON form.
func (r *Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if err := r.Matching.WriteText(w); err != nil {
		return err
	}
	if r.Leak != nil {
		fmt.Fprintln(w)
		if err := r.Leak.WriteText(w); err != nil {
			return err
		}
	}
	fmt.Fprintf(t, "\n\t%7s\t%7s\t%7s\t%7s\t%7s\t%7s\n", "P", "R", "F1", "TP", "FP", "FN")
	for _, row := range []struct {
		name string
		Score
	}{
		{"strict", r.Strict},
		{"spans", r.Spans},
		{"token", r.Token},
		{"binary token", r.BinaryToken},
	} {
		line(t, row.name, row.Counts)
		for _, typ := range slices.Sorted(maps.Keys(row.Types)) {
			line(t, "  "+typ, row.Types[typ])
		}
		if len(row.Types) > 0 {
			m := row.Macro()
			fmt.Fprintf(t, "  macro\t%7.4f\t%7.4f\t%7.4f\n", m.Precision, m.Recall, m.F1)
		}
	}
	return t.Flush()
}

// WriteText writes up to three lines for people.
func (m Matching) WriteText(w io.Writer) error {
	text := fmt.Sprintf("documents: %d\n", m.Documents)
	if n := len(m.Missing); n > 0 {
		text += fmt.Sprintf("missing in the system's output, all their spans counted as missed: %d (%s)\n", n, some(m.Missing))
	}
	if n := len(m.Extra); n > 0 {
		text += fmt.Sprintf("in the system's output without a gold standard, not scored: %d (%s)\n", n, some(m.Extra))
	}
	_, err := io.WriteString(w, text)
	return err
}

// Unpredicted returns an error that names the gold documents that the output of a system lacks, so that all their spans count as missed. It is
// nil if there are none.
func Unpredicted(system string, gold, found []*data.Document) error {
	has := map[string]bool{}
	for _, d := range found {
		has[d.ID] = true
	}
	var missing []string
	for _, d := range gold {
		if !has[d.ID] {
			missing = append(missing, d.ID)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%s: missing in the system's output, all their spans counted as missed: %d of %d documents (%s)", system, len(missing), len(gold), some(missing))
}

// CorrectionLines returns lines that say how corrected scores deviate from those
// of the official script named by whose, such as "the script's". Without
// corrections there are no lines.
func CorrectionLines(whose string, corrections []string) []string {
	if len(corrections) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("Unlike %s, these scores are corrected:", whose)}
	for _, c := range corrections {
		lines = append(lines, "- "+c)
	}
	return lines
}

func line(w io.Writer, name string, c Counts) {
	fmt.Fprintf(w, "%s\t%7.4f\t%7.4f\t%7.4f\t%7d\t%7d\t%7d\n", name, c.Precision(), c.Recall(), c.F1(), c.TP, c.FP, c.FN)
}

func some(ids []string) string {
	if len(ids) > listed {
		return strings.Join(ids[:listed], ", ") + ", ..."
	}
	return strings.Join(ids, ", ")
}
