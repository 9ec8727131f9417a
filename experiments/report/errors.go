package report

import (
	"fmt"
	"maps"

	"github.com/lethe-deid/lethe/evaluation/analysis"
)

// matrix is the confusion matrix of the types.
type matrix struct {
	Columns []string // types; rows have the same, in this order
	Rows    []matrixRow
}

type matrixRow struct {
	Number int // 1, 2, ...; 0 for the row of spans that are not PHI
	Type   string
	Cells  []cell // missed spans, then by column; "" for 0. The class is a shade
}

// Words splits the type where a line may break.
func (r matrixRow) Words() []string { return breakable(r.Type) }

// example is an error in words.
type example struct {
	analysis.Example
	What string
}

var kinds = map[string]string{
	analysis.KindType: "taken for %[2]s", analysis.KindTooLong: "found too long", analysis.KindTooShort: "found too short",
	analysis.KindShifted: "found shifted", analysis.KindBothWrong: "taken for %[2]s, with other edges", analysis.KindMissed: "missed",
	analysis.KindSpurious: "not PHI, marked as %[2]s",
}

func (m *material) errors(p *page, r *analysis.Report) {
	t := &table{ID: "outcomes", Caption: "What became of the gold spans, and what else was found", First: "Type", Groups: []group{
		{"gold spans", []string{"all", "right", "type", "too long", "too short", "shifted", "type, edges", "missed"}},
		{"found spans", []string{"all", "not PHI"}},
	}}
	add := func(class, name string, o analysis.Outcomes) {
		var cells []string
		for _, n := range []int{o.Gold, o.Right, o.Type, o.TooLong, o.TooShort, o.Shifted, o.BothWrong, o.Missed, o.Found, o.Spurious} {
			cells = append(cells, number(n))
		}
		t.add(class, name, cells...)
	}
	add("all", "All", r.All)
	types := m.inOrder(maps.Keys(r.Types))
	for _, typ := range types {
		add("", typ, r.Types[typ])
	}
	p.Outcomes = t
	p.Confusion = confusion(r, types)
	if r.Causes != nil {
		p.Causes = m.causes(r.Causes)
	}
	for _, e := range r.Examples {
		p.Examples = append(p.Examples, example{e, fmt.Sprintf(kinds[e.Kind]+"%[3]s", e.Gold, e.Found, "")})
	}
}

// confusion arranges the counts in a matrix. The shade of a cell depends on its share of the row.
func confusion(r *analysis.Report, types []string) *matrix {
	x := &matrix{Columns: types}
	row, column := map[string]int{"": len(types)}, map[string]int{"": 0}
	for i, typ := range types {
		row[typ], column[typ] = i, i+1
		x.Rows = append(x.Rows, matrixRow{i + 1, typ, make([]cell, len(types)+1)})
	}
	x.Rows = append(x.Rows, matrixRow{0, "not PHI", make([]cell, len(types)+1)})
	for _, c := range r.Confusion {
		class := "few"
		gold := r.Types[c.Gold].Gold
		switch {
		case c.Gold == c.Found:
			class = "same"
		case gold == 0:
		case 10*c.Spans >= gold:
			class = "many"
		case 50*c.Spans >= gold:
			class = "some"
		}
		x.Rows[row[c.Gold]].Cells[column[c.Found]] = cell{number(c.Spans), class}
	}
	return x
}

// causes returns the table of missed tokens.
func (m *material) causes(c *analysis.Causes) *table {
	t := &table{ID: "causes", Caption: "PHI tokens missed, by what the training notes say of them", First: "Type"}
	for _, sort := range []string{"all", "new", "new as this type", "mostly not PHI", "familiar", "abbreviation"} {
		t.Groups = append(t.Groups, group{sort, []string{"missed", "of"}})
	}
	add := func(class, name string, s analysis.Sorts) {
		var cells []string
		for _, n := range []analysis.Tokens{s.Total(), s.Unseen, s.NewAsType, s.Ambiguous, s.Familiar, s.Abbreviation} {
			cells = append(cells, number(n.Missed), number(n.Tokens))
		}
		t.add(class, name, cells...)
	}
	add("all", "All", c.All)
	for _, typ := range m.inOrder(maps.Keys(c.Types)) {
		add("", typ, c.Types[typ])
	}
	return t
}
