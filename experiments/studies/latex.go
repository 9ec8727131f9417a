package studies

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Dimensions of tables in LaTeX. The widths are in quads, the width of an M, at \small, which is 9 pt in a document of 10 pt.
const (
	latexLine   = 38  // width of a table, with a gap: the 345 pt of a line of the class article at 10 pt
	latexGap    = 0.9 // between two columns: twice 4 pt
	latexHead   = 9   // width above which the head of a column is broken into lines
	latexFirst  = 20  // width above which the names in the first column are, too, if the table would be wider than a line
	latexHeight = 40  // rows of a floating table, including those of heads
)

// latexEscapes are the characters that LaTeX does not take for themselves in text.
var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", "$<$", ">", "$>$", "|", "$|$", "±", `$\pm$`, "−", "$-$")

// latexNumber replaces the signs of numbers, which are hyphens in text.
func latexNumber(text string) string {
	text = latexEscapes.Replace(text)
	if text == "" || !strings.ContainsAny(text[:1], "+-[") {
		return text
	}
	for _, sign := range []string{"+", "-"} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			text = "$" + sign + "$" + rest
		}
		text = strings.NewReplacer("["+sign, "[$"+sign+"$", ", "+sign, ", $"+sign+"$").Replace(text)
	}
	return text
}

// latexWidth estimates the width of a text in Computer Modern, in quads, rather too high than too low.
func latexWidth(text string) (width float64) {
	for _, r := range text {
		switch {
		case strings.ContainsRune("il.,:;![]()|'", r):
			width += 0.3
		case strings.ContainsRune("fjrtI/- _", r):
			width += 0.4
		case r >= '0' && r <= '9':
			width += 0.52
		case r >= 'a' && r <= 'z' && r != 'm' && r != 'w':
			width += 0.55
		case r >= 'A' && r <= 'Z' && r != 'M' && r != 'W':
			width += 0.78
		default:
			width += 1
		}
	}
	return width
}

// latexLines divides a text at spaces into lines of a width, and words that are wider than a line after - . / and _.
func latexLines(text string, width float64) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		pieces := []string{word}
		if latexWidth(word) > width {
			pieces = strings.SplitAfter(strings.NewReplacer("-", "-\x00", ".", ".\x00", "/", "/\x00", "_", "_\x00").Replace(word), "\x00")
		}
		for i, piece := range pieces {
			piece = strings.TrimSuffix(piece, "\x00")
			space := ""
			if i == 0 {
				space = " "
			}
			if n := len(lines) - 1; n >= 0 && latexWidth(lines[n]+space+piece) <= width {
				lines[n] += space + piece
			} else {
				lines = append(lines, piece)
			}
		}
	}
	return lines
}

// latexRows estimates how many rows of text a tabular has.
func (t table) latexRows(wrapped bool) float64 {
	head := 1
	for _, h := range t.head[1:] {
		head = max(head, len(latexLines(h, latexHead)))
	}
	rows := float64(head + 1)
	for _, row := range t.rows {
		if rows++; wrapped {
			rows += math.Floor(latexWidth(row[0].text) / latexFirst)
		}
	}
	return rows
}

// latexParts divides the columns after the first one among tabulars that are not wider than a line: before one of t.breaks or, if
// that does not suffice, anywhere. first is the width of the first column.
func (t table) latexParts(first float64) [][]int {
	widths := make([]float64, len(t.head))
	for c, head := range t.head {
		for _, line := range latexLines(head, latexHead) {
			widths[c] = max(widths[c], latexWidth(line))
		}
		for _, row := range t.rows {
			widths[c] = max(widths[c], latexWidth(row[c].text))
		}
		widths[c] += latexGap
	}
	var groups [][]int // columns that stay together
	for c := 1; c < len(t.head); c++ {
		if n := len(groups); n == 0 || t.breaks == nil || slices.Contains(t.breaks, c) {
			groups = append(groups, []int{c})
		} else {
			groups[n-1] = append(groups[n-1], c)
		}
	}
	var parts [][]int
	left := 0.0
	place := func(columns []int) {
		need := 0.0
		for _, c := range columns {
			need += widths[c]
		}
		if len(parts) == 0 || need > left {
			parts, left = append(parts, nil), latexLine-first
		}
		last := len(parts) - 1
		parts[last], left = append(parts[last], columns...), left-need
	}
	for _, group := range groups {
		need := first
		for _, c := range group {
			need += widths[c]
		}
		if need <= latexLine {
			place(group)
			continue
		}
		for _, c := range group {
			place([]int{c})
		}
	}
	return parts
}

// writeLaTeX writes the tables for LaTeX with the package booktabs, each as a floating table. A table that is wider than a
// line is divided into several with the same first column, below one another or, if they are too high, as floating tables of their own.
func writeLaTeX(w *bytes.Buffer, r result) {
	fmt.Fprint(w, "% Requires \\usepackage{booktabs} and UTF-8. The tables are at most 345 pt wide, a line of the class article at 10 pt.\n")
	for _, t := range r.tables() {
		first := latexWidth(t.head[0])
		for _, row := range t.rows {
			first = max(first, latexWidth(row[0].text))
		}
		parts := t.latexParts(first + latexGap)
		wrapped := first > latexFirst && len(parts) > 1
		if wrapped {
			parts = t.latexParts(latexFirst + latexGap)
		}
		inOne := max(1, int(latexHeight/t.latexRows(wrapped)))
		floats := slices.Collect(slices.Chunk(parts, inOne))
		for i, float := range floats {
			title, label := latexEscapes.Replace(t.title), t.name
			if len(floats) > 1 {
				title += fmt.Sprintf(" (part %d of %d)", i+1, len(floats))
			}
			if i > 0 {
				label += fmt.Sprintf("-%d", i+1)
			}
			fmt.Fprintf(w, "\n\\begin{table}\n\\centering\\small\\setlength{\\tabcolsep}{4pt}\n\\caption{%s}\n\\label{tab:%s}\n", title, label)
			for k, columns := range float {
				if k > 0 {
					fmt.Fprint(w, "\n\\par\\medskip\n")
				}
				t.writeTabular(w, columns, wrapped)
			}
			if i == len(floats)-1 {
				for _, line := range t.legend {
					fmt.Fprintf(w, "\n\\par\\smallskip\\footnotesize %s\n", latexEscapes.Replace(line))
				}
			}
			fmt.Fprint(w, "\\end{table}\n")
		}
	}
}

// writeTabular writes the first column and some others. wrapped says that names in the first one are broken into lines.
func (t table) writeTabular(w *bytes.Buffer, columns []int, wrapped bool) {
	kind := "l"
	if wrapped {
		kind = fmt.Sprintf("p{%dem}", latexFirst)
	}
	fmt.Fprintf(w, "\\begin{tabular}{@{}%s%s@{}}\n\\toprule\n", kind, strings.Repeat("r", len(columns)))
	for k, row := range t.texts() {
		var cells []string
		for _, c := range append([]int{0}, columns...) {
			text := row[c]
			switch {
			case k == 0 && c > 0:
				lines := latexLines(text, latexHead)
				for i, line := range lines {
					lines[i] = latexEscapes.Replace(line)
				}
				if text = strings.Join(lines, `\\`); len(lines) > 1 {
					text = `\shortstack[r]{` + text + "}"
				}
			case c > 0:
				text = latexNumber(text)
			default:
				if text = latexEscapes.Replace(text); wrapped {
					text = `{\raggedright\hangindent=1em ` + latexBreaks.Replace(text) + `\par}`
				} else if strings.HasPrefix(text, "[") { // otherwise an argument of the end of the row before
					text = "{" + text + "}"
				}
			}
			cells = append(cells, text)
		}
		fmt.Fprintf(w, "%s \\\\\n", strings.Join(cells, " & "))
		if k == 0 {
			fmt.Fprint(w, "\\midrule\n")
		}
	}
	fmt.Fprint(w, "\\bottomrule\n\\end{tabular}\n")
}

// latexBreaks allows a line to end inside the names of keys and files.
var latexBreaks = strings.NewReplacer(".", `.\allowbreak{}`, `\_`, `\_\allowbreak{}`, "/", `/\allowbreak{}`, ",", `,\allowbreak{}`)
