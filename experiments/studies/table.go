package studies

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// table is a table with a title and a legend.
type table struct {
	name   string // of its CSV file, unique among the tables of a result
	title  string
	head   []string // of the columns; the first column has names, the others numbers
	breaks []int    // the columns before which a table that is too wide for LaTeX may be divided; nil: any
	rows   [][]cell
	legend []string // paragraphs
}

// result is the result of a study.
type result interface {
	tables() []table
	charts() map[string]*chart.Chart // by file name, without extension
}

// write writes a result into a folder, replacing an earlier result of the same kind, including
// charts and CSV files that the new one does not have: all tables as JSON, text, Markdown and LaTeX,
// and each table as CSV.
func write[T any, R interface {
	*T
	result
}](dir string, r R) error {
	stale := map[string]bool{} // files of the earlier result
	if raw, err := bounded.ReadFile(filepath.Join(dir, tableFile+".json"), bounded.MaxModel); err == nil {
		if earlier := R(new(T)); json.Unmarshal(raw, earlier) == nil {
			for name := range earlier.charts() {
				stale[name+".svg"], stale[name+".png"] = true, true
			}
		}
	}
	csvs, err := filepath.Glob(filepath.Join(dir, tablesFolder, "*.csv"))
	if err != nil {
		return err
	}
	for _, path := range csvs {
		stale[filepath.Join(tablesFolder, filepath.Base(path))] = true
	}
	files, err := contents(r)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := wholefile.WriteFile(filepath.Join(dir, name), files[name], 0o666); err != nil {
			return err
		}
		delete(stale, name)
	}
	for name, c := range r.charts() {
		for _, ext := range []string{".svg", ".png"} {
			if err := c.Save(filepath.Join(dir, name+ext)); err != nil {
				return err
			}
			delete(stale, name+ext)
		}
	}
	for name := range stale {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// contents returns the content of the files with the tables of a result, by their names in its folder.
func contents(r result) (map[string][]byte, error) {
	encoded, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	var text, markdown, latex bytes.Buffer
	if err := writeText(&text, r); err != nil {
		return nil, err
	}
	writeMarkdown(&markdown, r)
	writeLaTeX(&latex, r)
	files := map[string][]byte{
		tableFile + ".json": append(encoded, '\n'), tableFile + ".txt": text.Bytes(), tableFile + ".md": markdown.Bytes(), tableFile + ".tex": latex.Bytes(),
	}
	for _, t := range r.tables() {
		if files[filepath.Join(tablesFolder, t.name+".csv")], err = t.csv(); err != nil {
			return nil, err
		}
	}
	return files, nil
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
		for _, row := range t.texts() {
			for k, cell := range row {
				widths[k] = max(widths[k], utf8.RuneCountInString(cell))
			}
		}
		for _, row := range t.texts() {
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
		fmt.Fprintf(w, "%s\n\n", t.title)
		for k, row := range t.texts() {
			for c := range row {
				row[c] = strings.ReplaceAll(row[c], "|", `\|`)
			}
			fmt.Fprint(w, "| ", strings.Join(row, " | "), " |\n")
			if k == 0 {
				fmt.Fprint(w, "|---|", strings.Repeat("---:|", len(t.head)-1), "\n")
			}
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
