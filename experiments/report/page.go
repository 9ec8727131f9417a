package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/analysis"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/taggers"
)

// page is the data that the template shows.
type page struct {
	Title, Split, Version string
	Several, ShowText     bool
	Runs                  []*runMaterial
	Key                   []figure
	Meaning               []string
	Corpus                *table
	Measures, ByType      *table
	Seeds                 *table // nil unless runs differ in their seed only
	ByToken               *table
	Categories            []*chart.Chart
	Compared              []*comparison
	Leak                  *table
	Curve                 *chart.Chart
	CurveNotes            []string
	Thresholds, Sure      *table
	Calibration           *calibration // nil if no run was calibrated
	Outcomes, Causes      *table
	Confusion             *matrix
	Examples              []example
	Loss, Dev             *chart.Chart
	Losses                bool // whether the chart has the losses of several networks
	Learning              string
	Epochs                *table
	Machine, Differences  *table
	Config                string

	plots []plot
}

// figure is an important number, shown in large type.
type figure struct{ Value, Label, Note string }

// table is a table with the names of the rows in the first column.
type table struct {
	ID, Caption string
	Class       string // words: cells are aligned left
	First       string // heading of the first column
	Groups      []group
	Rows        []row
	Note        string
}

// group is a set of columns under one heading, which may be empty.
type group struct {
	Name    string
	Columns []string
}

// Grouped reports whether any group has a heading.
func (t *table) Grouped() bool {
	return slices.ContainsFunc(t.Groups, func(g group) bool { return g.Name != "" })
}

// row is a row of a table.
type row struct {
	Class string // all, group, type or ""
	Name  string
	Cells []cell
}

// Words splits the name where a line may break.
func (r row) Words() []string { return breakable(r.Name) }

// cell is the text and the CSS class of one cell.
type cell struct{ Text, Class string }

func (t *table) add(class, name string, texts ...string) {
	var cells []cell
	for _, g := range t.Groups {
		for i := range g.Columns {
			c := cell{Text: texts[len(cells)]}
			if i == 0 && g.Name != "" {
				c.Class = "first"
			}
			if c.Text == "0" || c.Text == none {
				c.Class = strings.TrimSpace(c.Class + " zero")
			}
			cells = append(cells, c)
		}
	}
	t.Rows = append(t.Rows, row{class, name, cells})
}

// flatten makes rows of categories ordinary rows if no category has a type of another name, so that
// not every row is bold.
func (t *table) flatten() {
	if slices.ContainsFunc(t.Rows, func(r row) bool { return r.Class == "type" }) {
		return
	}
	for i := range t.Rows {
		if t.Rows[i].Class == "group" {
			t.Rows[i].Class = ""
		}
	}
}

func (m *material) page(ctx context.Context) (*page, error) {
	a := m.runs[0]
	p := &page{
		Title: a.Config.Name + ", " + m.Split, Split: m.Split, Version: m.Version,
		Several: len(m.runs) > 1, ShowText: m.ShowText, Runs: m.runs, Config: a.config,
	}
	// Compare first, because runs that cannot be compared are an error.
	if err := m.compare(ctx, p); err != nil {
		return nil, err
	}
	compare, reports := evaluation.Options{Types: m.types}, make([]*evaluation.Report, len(m.runs))
	for i, r := range m.runs {
		var err error
		if reports[i], err = compare.Compare(data.Each(m.gold), data.Each(r.found)); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Dir, err)
		}
	}
	opt := analysis.Options{}
	if m.ShowText {
		opt.Examples = 5
	}
	if m.train != nil {
		opt.Training = analysis.NewTraining(m.train)
	}
	errors, err := analysis.Analyze(m.gold, a.found, opt)
	if err != nil {
		return nil, err
	}
	if err := m.scoreTables(ctx, p, reports); err != nil {
		return nil, err
	}
	m.summary(p, reports[0], errors)
	p.Corpus = m.corpus()
	m.leakTable(p, reports[0].Leak)
	if err := m.curve(p); err != nil {
		return nil, err
	}
	m.calibration(p)
	m.errors(p, errors)
	m.learning(p)
	if err := m.settings(p); err != nil {
		return nil, err
	}
	return p, nil
}

// Label returns the name of a run in tables and charts.
func (r *runMaterial) Label() string {
	if r.letter == "" {
		return r.Name
	}
	return r.letter + " " + r.Name
}

// Letter returns A, B, ..., or the run's name if it is the only one.
func (r *runMaterial) Letter() string {
	if r.letter == "" {
		return r.Name
	}
	return r.letter
}

// summary fills in the figures and sentences that a hospital asks for first.
func (m *material) summary(p *page, r *evaluation.Report, errors *analysis.Report) {
	strict, tokens, leak := r.Strict.Counts, r.BinaryToken.Counts, r.Leak
	_, recall, f1 := scores(strict)
	p.Key = []figure{
		{sentence("%s %%", of(tokens.TP, tokens.TP+tokens.FN)), "of PHI tokens recognised as PHI", fmt.Sprintf("%s of %s; a token is a word or a number", number(tokens.TP), number(tokens.TP+tokens.FN))},
		{sentence("%s %%", percent(leak.Notes.Share)), "of notes keep some PHI", sentence("%s of %s; 95 %% interval %s to %s", number(leak.Notes.Left), number(leak.Notes.Total), percent(leak.Notes.Low), percent(leak.Notes.High))},
		{sentence("%s %%", recall), "of PHI spans found exactly, with their type", fmt.Sprintf("%s of %s", number(strict.TP), number(strict.TP+strict.FN))},
		{sentence("%s %%", f1), "strict F1", "the balance of finding all and marking nothing else; papers report this"},
	}
	say := func(format string, args ...any) { p.Meaning = append(p.Meaning, sentence(format, args...)) }
	switch left := leak.Tokens.Left; left {
	case 0:
		say("If everything that the system found were removed from these %s, no PHI would stay in them. Other notes like these may still keep some PHI.", counted(r.Documents, "note"))
	default:
		say("If everything that the system found were removed from these %s, %s of %s PHI tokens would stay (%s %%), in %s. Everyone who gets these notes can read them, so the notes still need protection.",
			counted(r.Documents, "note"), number(left), number(leak.Tokens.Total), percent(leak.Tokens.Share), counted(leak.Notes.Left, "note"))
	}
	if all := errors.All; all.Found > 0 {
		say("Of the %s that it marks, %s %% are right in every respect. %s overlap no PHI at all (%s %%), so their text would be lost for nothing. The others are PHI with a wrong edge or type.",
			counted(all.Found, "span"), of(all.Right, all.Found), number(all.Spurious), of(all.Spurious, all.Found))
	}
	if worst := m.worst(leak); worst != "" {
		say("%s", worst)
	}
	if p.Split == experiments.DevSplit && slices.ContainsFunc(m.runs[0].log, func(e taggers.Epoch) bool { return e.Best }) {
		say("The best epoch of the training was chosen on this split, dev. Expect somewhat lower scores on notes that the training has not used.")
	}
	if n := len(r.Missing); n > 0 {
		say("%s not among the predictions. All PHI in them counts as missed.", map[bool]string{true: "One note is", false: number(n) + " notes are"}[n == 1])
	}
}

// worst names the types with most of the PHI that is left.
func (m *material) worst(leak *evaluation.LeakReport) string {
	var types []string
	for typ, row := range leak.Types {
		if row.Tokens.Left > 0 {
			types = append(types, typ)
		}
	}
	if len(types) < 3 {
		return ""
	}
	slices.SortFunc(types, func(a, b string) int {
		return cmp.Or(leak.Types[b].Tokens.Left-leak.Types[a].Tokens.Left, strings.Compare(a, b))
	})
	s := "Most of what is left is "
	for i, typ := range types[:3] {
		s += []string{"", ", ", " and "}[i]
		s += fmt.Sprintf("%s (%s)", typ, counted(leak.Types[typ].Tokens.Left, "token"))
	}
	return s + "."
}
