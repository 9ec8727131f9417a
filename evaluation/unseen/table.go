package unseen

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/lethe-deid/lethe/evaluation"
)

// Named are the measures of a system on a set.
type Named struct {
	Set    string `json:"set"`
	System string `json:"system"`
	*Measures
	CharacterRecall    float64 `json:"character_recall"`
	CharacterPrecision float64 `json:"character_precision"`
}

// WriteText writes a table with a line per set and system, and then, for each set and the system of the first line, the gold types
// and the kinds of text of which something was left or lost.
func WriteText(w io.Writer, lines []Named) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "set\tsystem\ttexts\titems\twhole\tpart\twords lost\tphrases lost\tchanged\tstrict P\tR\tF1\tspan F1\tchar recall\tprecision\tno leak\tclean touched\tclean taken")
	for _, s := range lines {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d of %d\t%d\t%d", s.Set, s.System, s.Texts, s.Items, s.Whole, s.Part, s.LostWords, s.Words, s.LostPhrases, s.Changed)
		if s.Items == 0 {
			fmt.Fprint(t, "\t\t\t\t\t\t")
		} else {
			fmt.Fprintf(t, "\t%s\t%.4f\t%.4f\t%.4f", scores(s.Strict), s.Spans.F1(), s.CharacterRecall, s.CharacterPrecision)
		}
		fmt.Fprintf(t, "\t%d of %d", s.NoLeak, s.WithPHI)
		if s.Clean > 0 {
			fmt.Fprintf(t, "\t%d of %d\t%.2f %%", s.Touched, s.Clean, 100*float64(s.CleanRemoved)/float64(s.CleanCharacters))
		}
		fmt.Fprintln(t)
	}
	lines = slices.DeleteFunc(slices.Clone(lines), func(n Named) bool { return n.System != lines[0].System })
	for _, s := range lines {
		if len(s.Types) > 0 {
			fmt.Fprintf(t, "\n%s: type\titems\twhole\tpart\tchar recall\tstrict P\tR\tF1\tphrases lost to it\n", s.Set)
		} else if len(s.LostTo) > 0 {
			fmt.Fprintf(t, "\n%s: type\t\t\t\t\t\t\t\tphrases lost to it\n", s.Set)
		}
		names := map[string]bool{}
		for name := range s.Types {
			names[name] = true
		}
		for name := range s.LostTo {
			names[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			c := s.Types[name]
			if c == nil {
				fmt.Fprintf(t, "%s\t\t\t\t\t\t\t\t%d\n", name, s.LostTo[name])
				continue
			}
			strict := evaluation.Score{Counts: s.Strict.Types[name]}
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.4f\t%s\t%d\n", name, c.Items, c.Whole, c.Part, c.CharacterRecall(), scores(strict), s.LostTo[name])
		}
	}
	for _, s := range lines {
		if !slices.ContainsFunc(s.Each, func(e TextMeasures) bool { return e.Kind != "" }) {
			continue
		}
		fmt.Fprintf(t, "\n%s: kind of note\titems\twhole\tpart\twords lost\tphrases lost\n", s.Set)
		for _, e := range s.Each {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\n", e.Kind, e.Items, e.Whole, e.Part, e.LostWords, e.LostPhrases)
		}
	}
	return t.Flush()
}

func scores(s evaluation.Score) string {
	if s.TP+s.FP+s.FN == 0 {
		return "\t\t"
	}
	return fmt.Sprintf("%.4f\t%.4f\t%.4f", s.Precision(), s.Recall(), s.F1())
}
