package analysis

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/sorting"
)

// grid is a table of text. Its first columns are aligned to the left, the others
// to the right.
type grid struct {
	left int
	rows [][]string
}

func (g *grid) add(cells ...any) {
	var row []string
	for _, c := range cells {
		if x, ok := c.(float64); ok {
			c = fmt.Sprintf("%.4f", x)
		}
		row = append(row, fmt.Sprint(c))
	}
	g.rows = append(g.rows, row)
}

func (g *grid) write(w io.Writer, title string) error {
	widths := make([]int, len(g.rows[0]))
	for _, row := range g.rows {
		for i, c := range row {
			widths[i] = max(widths[i], len(c))
		}
	}
	out := bytes.NewBufferString("\n" + title + "\n\n")
	for _, row := range g.rows {
		line := ""
		for i, c := range row {
			if i < g.left {
				line += fmt.Sprintf("%-*s  ", widths[i], c)
			} else {
				line += fmt.Sprintf("%*s  ", widths[i], c)
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := out.WriteTo(w)
	return err
}

// byType adds a row for the total, and one below it for each type.
func byType[T any](all T, types map[string]T, add func(name string, of T)) {
	add("all", all)
	for _, typ := range slices.Sorted(maps.Keys(types)) {
		add("  "+typ, types[typ])
	}
}

// WriteText writes the analysis as tables for people, without the examples; see
// WriteExamples. Programs should read the JSON form.
func (r *Report) WriteText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "documents: %d\n", r.Documents); err != nil {
		return err
	}
	g := grid{left: 1}
	g.add("", "gold", "right", "type wrong", "too long", "too short", "shifted", "both wrong", "missed", "found", "spurious")
	byType(r.All, r.Types, func(name string, o Outcomes) {
		g.add(name, o.Gold, o.Right, o.Type, o.TooLong, o.TooShort, o.Shifted, o.BothWrong, o.Missed, o.Found, o.Spurious)
	})
	if err := g.write(w, "What became of the gold spans, and which found ones overlap none"); err != nil {
		return err
	}
	if taken := r.Mistaken(); len(taken) > 0 {
		g := grid{left: 2}
		g.add("gold", "found", "spans")
		for _, c := range taken {
			g.add(c.Gold, c.Found, c.Spans)
		}
		if err := g.write(w, "Taken for another type"); err != nil {
			return err
		}
	}
	if r.Causes != nil {
		if err := r.Causes.writeText(w, "Tokens of gold spans: missed / all, by what the training notes say of them"); err != nil {
			return err
		}
	}
	return nil
}

// Mistaken returns the confusions between two different types of PHI, the most
// frequent first.
func (r *Report) Mistaken() []Confused {
	var taken []Confused
	for _, c := range r.Confusion {
		if c.Gold != "" && c.Found != "" && c.Gold != c.Found {
			taken = append(taken, c)
		}
	}
	sorting.Stable(taken, func(a, b Confused) int { return cmp.Compare(b.Spans, a.Spans) })
	return taken
}

func (c *Causes) writeText(w io.Writer, title string) error {
	g := grid{left: 1}
	g.add("", "all", "unseen", "new as this type", "mostly not PHI", "familiar", "abbreviation")
	byType(c.All, c.Types, func(name string, s Sorts) {
		cells := []any{name}
		for _, n := range []Tokens{s.Total(), s.Unseen, s.NewAsType, s.Ambiguous, s.Familiar, s.Abbreviation} {
			cells = append(cells, fmt.Sprintf("%d / %d", n.Missed, n.Tokens))
		}
		g.add(cells...)
	})
	return g.write(w, title)
}

// Thresholds are the thresholds that Table shows, besides the one with the best
// F1.
var Thresholds = []float64{0, 0.5, 0.8, 0.9, 0.95, 0.99}

// Table returns the curve at the Thresholds and at the best F1.
func (c *Curve) Table() []Operating {
	var rows []Operating
	for _, x := range Thresholds {
		rows = append(rows, c.At(x))
	}
	if best := c.Best(); !slices.ContainsFunc(rows, func(o Operating) bool { return o.Counts == best.Counts }) {
		rows = append(rows, best)
		slices.SortStableFunc(rows, func(a, b Operating) int { return cmp.Compare(a.Threshold, b.Threshold) })
	}
	return rows
}

// WriteText writes the curve as tables for people.
func (c *Curve) WriteText(w io.Writer) error {
	g := grid{}
	g.add("score at least", "P", "R", "F1", "TP", "FP", "FN")
	for _, o := range c.Table() {
		n := o.Counts
		g.add(fmt.Sprintf("%.4g", o.Threshold), n.Precision(), n.Recall(), n.F1(), n.TP, n.FP, n.FN)
	}
	if err := g.write(w, "Strict, with the spans only whose score is high enough"); err != nil {
		return err
	}
	g = grid{}
	g.add("score", "spans", "right", "share")
	for _, s := range c.Sure {
		g.add(fmt.Sprintf("%.4g to %.4g", s.From, s.To), s.Spans, s.Right, s.share())
	}
	return g.write(w, "How often a span is right, by its score")
}

func (s Sureness) share() any {
	if s.Spans == 0 {
		return "-"
	}
	return float64(s.Right) / float64(s.Spans)
}

// WriteText writes the comparison as tables for people, without the examples; see
// WriteExamples. A and B stand for the systems. Programs should read the JSON
// form.
func (c *Comparison) WriteText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "documents: %d\n", c.Documents); err != nil {
		return err
	}
	for _, part := range []struct {
		title  string
		shared func(Agreement) Shared
	}{
		{"Gold spans found, start, end and type", func(a Agreement) Shared { return a.Spans }},
		{"Gold tokens found, as PHI of whatever type", func(a Agreement) Shared { return a.Tokens }},
	} {
		g := grid{left: 1}
		g.add("", "both", "only A", "only B", "neither")
		byType(c.All, c.Types, func(name string, a Agreement) {
			s := part.shared(a)
			g.add(name, s.Both, s.OnlyA, s.OnlyB, s.Neither)
		})
		if err := g.write(w, part.title); err != nil {
			return err
		}
	}
	g := grid{left: 1}
	g.add("", "both", "only A", "only B")
	byType(c.All, c.Types, func(name string, a Agreement) { g.add(name, a.Wrong.Both, a.Wrong.OnlyA, a.Wrong.OnlyB) })
	if err := g.write(w, "Found spans that are not gold"); err != nil {
		return err
	}
	if c.Causes != nil {
		if err := c.Causes.writeText(w, "Tokens of gold spans: missed by both / all, by what A's training notes say of them"); err != nil {
			return err
		}
	}
	return nil
}

// inWords maps the kinds of errors to their names in the tables.
var inWords = map[string]string{
	KindType: "type wrong", KindTooLong: "too long", KindTooShort: "too short", KindShifted: "shifted", KindBothWrong: "both wrong",
	KindMissed: "missed", KindSpurious: "spurious", KindOnlyA: "only A", KindOnlyB: "only B", KindNeither: "neither",
}

// WriteExamples writes the errors with text of the notes, one per line, with the
// span in double brackets. It writes nothing if there are no examples.
func WriteExamples(w io.Writer, examples []Example) error {
	if len(examples) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nExamples, with the text of notes\n\n")
	for _, e := range examples {
		what := inWords[e.Kind]
		switch {
		case e.Gold == "":
			what += " " + e.Found
		case e.Found == "":
			what += " " + e.Gold
		default:
			what += " " + e.Gold + ", found " + e.Found
		}
		if _, err := fmt.Fprintf(w, "%s [%d,%d) %s: %s[[%s]]%s\n", e.Document, e.Start, e.End, what, oneLine(e.Before), oneLine(e.Text), oneLine(e.After)); err != nil {
			return err
		}
	}
	return nil
}

// oneLine replaces each run of white space with one space.
func oneLine(s string) string {
	words := strings.Join(strings.Fields(s), " ")
	if s != "" && strings.TrimLeft(s, " \t\r\n") != s {
		words = " " + words
	}
	if words != " " && strings.TrimRight(s, " \t\r\n") != s {
		words += " "
	}
	return words
}
