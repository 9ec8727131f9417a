package studies

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// table is a table with a title and a legend.
type table struct {
	title  string
	head   []string // of the columns; the first column has names, the others numbers
	rows   [][]string
	legend []string // paragraphs
}

// result is the result of a study.
type result interface {
	tables() []table
	charts() map[string]*chart.Chart // by file name, without extension
}

// write writes a result into a folder, replacing an earlier result of the same kind, including
// charts that the new one does not have.
func write[T any, R interface {
	*T
	result
}](dir string, r R) error {
	stale := map[string]*chart.Chart{}
	if raw, err := bounded.ReadFile(filepath.Join(dir, tableFile+".json"), bounded.MaxModel); err == nil {
		if earlier := R(new(T)); json.Unmarshal(raw, earlier) == nil {
			stale = earlier.charts()
		}
	}
	encoded, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	var text, markdown bytes.Buffer
	if err := writeText(&text, r); err != nil {
		return err
	}
	writeMarkdown(&markdown, r)
	for ext, content := range map[string][]byte{".json": append(encoded, '\n'), ".txt": text.Bytes(), ".md": markdown.Bytes()} {
		if err := wholefile.WriteFile(filepath.Join(dir, tableFile+ext), content, 0o666); err != nil {
			return err
		}
	}
	charts := r.charts()
	for _, ext := range []string{".svg", ".png"} {
		for name, c := range charts {
			if err := c.Save(filepath.Join(dir, name+ext)); err != nil {
				return err
			}
		}
		for name := range stale {
			if charts[name] == nil {
				if err := os.Remove(filepath.Join(dir, name+ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		}
	}
	return nil
}

// writeText writes the tables as plain text.
func writeText(w io.Writer, r result) error {
	for i, t := range r.tables() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n\n", t.title)
		// Align names left and numbers right.
		widths := make([]int, len(t.head))
		for _, row := range append([][]string{t.head}, t.rows...) {
			for k, cell := range row {
				widths[k] = max(widths[k], utf8.RuneCountInString(cell))
			}
		}
		for _, row := range append([][]string{t.head}, t.rows...) {
			var line strings.Builder
			for k, cell := range row {
				pad := strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell))
				if k == 0 {
					line.WriteString(cell + pad)
				} else {
					line.WriteString("  " + pad + cell)
				}
			}
			fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
		}
		for k, line := range t.legend {
			if k == 0 {
				fmt.Fprintln(w)
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeMarkdown writes the tables as Markdown.
func writeMarkdown(w *bytes.Buffer, r result) {
	for i, t := range r.tables() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n\n|", t.title)
		for _, h := range t.head {
			fmt.Fprintf(w, " %s |", h)
		}
		fmt.Fprint(w, "\n|---|", strings.Repeat("---:|", len(t.head)-1), "\n")
		for _, row := range t.rows {
			fmt.Fprint(w, "| ", strings.Join(row, " | "), " |\n")
		}
		for _, line := range t.legend {
			fmt.Fprintf(w, "\n%s\n", line)
		}
	}
}

// WriteText writes the study's tables.
func (a *Ablation) WriteText(w io.Writer) error { return writeText(w, a) }

// WriteText writes the study's tables.
func (c *LearningCurve) WriteText(w io.Writer) error { return writeText(w, c) }

// WriteText writes the study's tables.
func (c *LearningCurves) WriteText(w io.Writer) error { return writeText(w, c) }

// WriteText writes the study's tables.
func (c *CrossValidation) WriteText(w io.Writer) error { return writeText(w, c) }

// WriteText writes the tables.
func (c *Crossing) WriteText(w io.Writer) error { return writeText(w, c) }

// cells returns precision, recall and F1: the mean, and for several runs the deviation.
func (s Score) cells() []string {
	return []string{
		s.cell(s.Mean.Precision, s.Deviation.Precision), s.cell(s.Mean.Recall, s.Deviation.Recall), s.cell(s.Mean.F1, s.Deviation.F1),
	}
}

func (s Score) cell(mean, deviation float64) string {
	if len(s.Runs) < 2 {
		return fmt.Sprintf("%.4f", mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", mean, deviation)
}

// overSeeds says in words over which seeds a score is computed.
func overSeeds(seeds []uint64) string {
	if len(seeds) == 1 {
		return fmt.Sprintf("seed %d", seeds[0])
	}
	return fmt.Sprintf("mean ± standard deviation over %d seeds", len(seeds))
}

// fileName returns a file name with a prefix and a metric's name.
func fileName(prefix, metric string) string {
	return prefix + "-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, metric)
}

// interval returns the mean minus and plus one deviation, within [0, 1], or 0 and 0 for a single
// run.
func (s Score) interval(of func(evaluation.PRF) float64) (low, high float64) {
	if len(s.Runs) < 2 {
		return 0, 0
	}
	mean, deviation := of(s.Mean), of(s.Deviation)
	return max(0, mean-deviation), min(1, mean+deviation)
}

func precision(p evaluation.PRF) float64 { return p.Precision }
func recall(p evaluation.PRF) float64    { return p.Recall }
func f1(p evaluation.PRF) float64        { return p.F1 }

// number formats a mean of whole numbers, with one decimal if it is not whole.
func number(x float64) string {
	if math.Abs(x-math.Round(x)) < 1e-6 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}
