package check

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteText writes the report for people: tables of sizes and types, of what cannot be learned, and of
// what splits share, and the warnings. It does not write the problems, which are errors: see Err.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	r.writeSizes(&b)
	r.writeTypes(&b)
	r.writeLost(&b)
	r.writeOverlaps(&b)
	writeList(&b, "Warnings", r.Warnings)
	_, err := w.Write(b.Bytes())
	return err
}

// writeList writes warnings or problems as a list under a title, or nothing if there are none.
func writeList(b *bytes.Buffer, title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s:\n", title)
	}
	for _, line := range lines {
		fmt.Fprintf(b, "- %s\n", strings.ReplaceAll(line, "\n", "\n  "))
	}
}

// columns returns the splits and, if there is one, the total.
func (r *Report) columns() []Split {
	all := slices.Clone(r.Splits)
	if r.Total != nil {
		all = append(all, *r.Total)
	}
	return all
}

// head returns the first row of a table about splits.
func (r *Report) head(first string) []string {
	row := []string{first}
	for _, s := range r.columns() {
		name := s.Name
		for _, added := range s.Added {
			name += "+" + added
		}
		row = append(row, name)
	}
	return row
}

func (r *Report) writeSizes(b *bytes.Buffer) {
	rows := [][]string{r.head("")}
	for _, size := range []struct {
		name string
		of   func(Split) int
	}{
		{"notes", func(s Split) int { return s.Notes }},
		{"  without spans", func(s Split) int { return s.Empty }},
		{"  not readable", func(s Split) int { return s.Unreadable.Notes }},
		{"patients", func(s Split) int { return s.Patients }},
		{"  notes without patient", func(s Split) int { return s.NoPatient }},
		{"tokens", func(s Split) int { return s.Tokens }},
		{"  distinct", func(s Split) int { return s.Distinct }},
		{"  in spans", func(s Split) int { return s.SpanTokens }},
		{"types", func(s Split) int { return len(s.Types) }},
		{"spans", func(s Split) int { return s.Spans }},
		{"  discontinuous in the files", func(s Split) int { return s.Fragmented }},
	} {
		if strings.HasPrefix(size.name, "  discontinuous") && !slices.ContainsFunc(r.Splits, func(s Split) bool { return s.Fragmented > 0 }) {
			continue // most formats have none
		}
		row := []string{size.name}
		for _, s := range r.columns() {
			row = append(row, strconv.Itoa(size.of(s)))
		}
		rows = append(rows, row)
	}
	writeTable(b, rows)
}

func (r *Report) writeTypes(b *bytes.Buffer) {
	names := map[string]bool{}
	for _, s := range r.Splits {
		for name := range s.Types {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return
	}
	rows := [][]string{r.head("spans by type")}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		row := []string{name}
		for _, s := range r.columns() {
			row = append(row, strconv.Itoa(s.Types[name]))
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	writeTable(b, rows)
	if r.split(train) == nil {
		for _, s := range r.Splits {
			if rare := s.rare(); len(rare) > 0 {
				fmt.Fprintf(b, "\n%s: types with fewer than %d spans: %s\n", s.Name, Rare, strings.Join(rare, ", "))
			}
		}
	}
}

func (r *Report) writeLost(b *bytes.Buffer) {
	for i, labelling := range r.Labellings {
		fmt.Fprintf(b, "\nSpans that cannot be learned exactly, with %s:\n", labelling)
		rows := [][]string{{""}}
		for _, s := range r.Splits {
			rows[0] = append(rows[0], s.Name)
		}
		rows[0] = append(rows[0], "")
		for why := range exact {
			row, all, byType := []string{why.String()}, 0, map[string]int{}
			for _, s := range r.Splits {
				n := s.Lost[i].Spans(why)
				all += n
				row = append(row, strconv.Itoa(n))
				for name, n := range s.Lost[i][why] {
					byType[name] += n
				}
			}
			if all > 0 {
				rows = append(rows, append(row, why.Becomes()+": "+types(byType)))
			}
		}
		if len(rows) == 1 {
			b.WriteString("none\n")
			continue
		}
		row := []string{"best strict recall"}
		for _, s := range r.Splits {
			row = append(row, s.ceiling(i))
		}
		writeTable(b, append(rows, append(row, "if all labels are right")))
	}
}

// ceiling returns the strict recall of a labeller whose labels are all right.
func (s Split) ceiling(labelling int) string {
	scored := s.Spans - s.Lost[labelling].Spans(Duplicate)
	if scored == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f", 1-float64(s.Lost[labelling].Missed())/float64(scored))
}

func (r *Report) writeOverlaps(b *bytes.Buffer) {
	if len(r.Overlaps) == 0 {
		return
	}
	rows := [][]string{{"", "same notes", "nearly the same", "patients"}}
	for _, o := range r.Overlaps {
		name, patients := o.B+" and "+o.A, strconv.Itoa(o.Patients)
		if o.A == o.B {
			name, patients = "within "+o.A, ""
		}
		rows = append(rows, []string{name, strconv.Itoa(o.Same), strconv.Itoa(o.Near), patients})
	}
	fmt.Fprintf(b, "\nNotes and patients that occur twice (nearly the same: similarity from %v):\n", r.Threshold)
	writeTable(b, rows)
}

// writeTable writes rows with the first column to the left, and the others to the right except for a
// last one whose head is empty.
func writeTable(b *bytes.Buffer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0:
				line.WriteString(cell + pad)
			case i == len(row)-1 && rows[0][i] == "":
				line.WriteString("  " + cell)
			default:
				line.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
