package studies

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/significance"
)

// cell is a cell of a table.
type cell struct {
	text string // for people
	// values are for programs. There are several if the text combines several numbers, each of which
	// has its own column in CSV; parts are what the names of these columns add to the name of the
	// column. Both are nil if the text is a value.
	values, parts []string
}

// blank is a cell without a value.
var blank = cell{}

func name(text string) cell { return cell{text: text} }

func count(n int) cell { return name(strconv.Itoa(n)) }

// quantity is a mean of whole numbers, with one decimal if it is not whole.
func quantity(x float64) cell {
	text := fmt.Sprintf("%.1f", x)
	if math.Abs(x-math.Round(x)) < 1e-6 {
		text = fmt.Sprintf("%.0f", x)
	}
	return cell{text, []string{exact(x)}, []string{""}}
}

// fraction is a score, in [0, 1].
func fraction(x float64) cell { return cell{fmt.Sprintf("%.4f", x), []string{exact(x)}, []string{""}} }

// difference is a difference of scores.
func difference(x float64) cell {
	return cell{fmt.Sprintf("%+.4f", x), []string{exact(x)}, []string{""}}
}

// probability is a p-value.
func probability(p float64) cell {
	return cell{significance.FormatP(p), []string{exact(p)}, []string{""}}
}

// between is an interval, formatted with a verb for each end, such as %.4f.
func between(verb string, low, high float64) cell {
	return cell{fmt.Sprintf("["+verb+", "+verb+"]", low, high), []string{exact(low), exact(high)}, []string{" low", " high"}}
}

// withNumber adds a number, which the text has in brackets, to a cell.
func (c cell) withNumber(what string, number cell) cell {
	c.text += " (" + number.text + ")"
	c.values, c.parts = append(c.values, number.all()...), append(c.parts, " "+what)
	return c
}

// all returns the values of a cell.
func (c cell) all() []string {
	if c.values == nil {
		return []string{c.text}
	}
	return c.values
}

// cells returns precision, recall and F1.
func (s Score) cells() []cell { return []cell{s.cell(precision), s.cell(recall), s.cell(f1)} }

// cell returns the mean of a score and, for several runs, the standard deviation.
func (s Score) cell(of func(evaluation.PRF) float64) cell {
	mean := fraction(of(s.Mean))
	if len(s.Runs) < 2 {
		return mean
	}
	deviation := fraction(of(s.Deviation))
	return cell{mean.text + " ± " + deviation.text, append(mean.values, deviation.values...), []string{"", " deviation"}}
}

// exact formats a number for programs, with ten significant digits.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

// texts returns the head and the rows as people read them.
func (t table) texts() [][]string {
	all := [][]string{append([]string{}, t.head...)}
	for _, row := range t.rows {
		var texts []string
		for _, c := range row {
			texts = append(texts, c.text)
		}
		all = append(all, texts)
	}
	return all
}

// csv returns the table as comma-separated values, with a column for each number.
func (t table) csv() ([]byte, error) {
	parts := make([][]string, len(t.head)) // of each column
	for _, row := range t.rows {
		for k, c := range row {
			if len(c.parts) > len(parts[k]) {
				parts[k] = c.parts
			}
		}
	}
	var head []string
	for k, h := range t.head {
		if parts[k] == nil {
			parts[k] = []string{""}
		}
		for _, part := range parts[k] {
			head = append(head, h+part)
		}
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.Write(head); err != nil {
		return nil, err
	}
	for _, row := range t.rows {
		var record []string
		for k, c := range row {
			values := append(c.all(), make([]string, len(parts[k]))...)
			record = append(record, values[:len(parts[k])]...)
		}
		if err := w.Write(record); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}
