package studies

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/significance"
)

// wideComparison compares systems over three seeds.
func wideComparison(systems, types []string) *Comparison {
	runs := []evaluation.PRF{{Precision: 0.91234, Recall: 0.87654, F1: 0.89444}, {Precision: 0.92, Recall: 0.86, F1: 0.9}, {Precision: 0.93, Recall: 0.88, F1: 0.9}}
	scores := func() []SystemScore {
		var all []SystemScore
		for i, name := range systems {
			s := SystemScore{Name: name, Score: Summarize(runs), Low: 0.8812, High: 0.9123}
			if i > 0 {
				s.Test = &significance.Result{F1: significance.Difference{Difference: -0.0123, Low: -0.0234, High: 0.0012, P: 0.0001, Holm: 0.0012}}
			}
			all = append(all, s)
		}
		return all
	}
	c := &Comparison{Study: "compare", Split: "test", Documents: 250, By: "document", Shuffles: 9999}
	for _, name := range systems {
		c.Systems = append(c.Systems, ComparedSystem{Name: name, Seeds: []uint64{1, 2, 3}})
	}
	for _, m := range []string{"strict", "token"} {
		c.Metrics = append(c.Metrics, ComparisonMetric{m, scores()})
		table := ComparisonTypes{Metric: m}
		for _, typ := range types {
			table.Types = append(table.Types, ComparisonType{typ, 1234, scores()})
		}
		c.Types = append(c.Types, table)
	}
	return c
}

// The table of scores was 720 pt wide, twice the width of a page.
func TestLaTeXTableWiderThanAPage(t *testing.T) {
	var types []string
	for i := range 25 {
		types = append(types, fmt.Sprintf("NOMBRE_SUJETO_ASISTENCIA_%d", i))
	}
	for what, r := range map[string]*Comparison{
		"a few":      wideComparison([]string{"small", "crf"}, []string{"DATE", "DOCTOR"}),
		"long names": wideComparison([]string{"dernoncourt-2016-without-crf", "lample-2016-with-more-units", "an-ensemble-of-five-of-them"}, types),
		"many":       wideComparison(strings.Fields("WWW MMMMM-MMMMM-MMMMM c d e f g h"), types),
		"a path":     wideComparison([]string{"runs/meddocan/with_a_long_name/and_folders.of.it/seed/MEDDOCAN_WITH_MORE/ann", "b"}, nil),
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			if err := write(dir, r); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(filepath.Join(dir, "table.tex"))
			if err != nil {
				t.Fatal(err)
			}
			if what == "a few" {
				for _, want := range []string{"system & P & R & F1 & 95 \\% interval \\\\\n", "system & F1 - small & its 95 \\% interval & p of P & p of R & p of F1 & Holm \\\\\n"} {
					if !strings.Contains(string(raw), want) {
						t.Errorf("no %s in\n%s", want, raw)
					}
				}
			}
			if labels := linesWith(string(raw), `\label`); len(slices.Compact(slices.Sorted(slices.Values(labels)))) != len(labels) {
				t.Errorf("a label occurs twice: %q", labels)
			}
			pdflatex, err := exec.LookPath("pdflatex")
			if err != nil {
				t.Skip("the tables are not compiled, because pdflatex is not installed")
			}
			main := "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage{booktabs}\\begin{document}\\input{table}\\end{document}\n"
			if err := os.WriteFile(filepath.Join(dir, "main.tex"), []byte(main), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(pdflatex, "-interaction=nonstopmode", "-halt-on-error", "main")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if wide := linesWith(string(out), "Overfull", "Float too large"); len(wide) > 0 {
				t.Errorf("%q\n%s", wide, raw)
			}
		})
	}
}

// linesWith returns the lines that contain one of the words.
func linesWith(text string, words ...string) (found []string) {
	for line := range strings.Lines(text) {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
			found = append(found, line)
		}
	}
	return found
}
