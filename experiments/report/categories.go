package report

import (
	"cmp"
	"fmt"
	"math"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/tokens"
	"github.com/lethe-deid/lethe/internal/chart"
)

// byToken fills in the tables of Dernoncourt et al. 2016 for all runs: binary token scores by
// category and type (Tables A1 and A2), with those of HIPAA's types (Table 4).
func (m *material) byToken(p *page, reports []*evaluation.Report) error {
	t := &table{ID: "by-token", Caption: "Tokens, PHI or not, %, by category and type", First: "Type", Groups: []group{{"gold tokens", []string{"in " + m.Split}}}}
	var all, hipaa []evaluation.Counts
	types, categories := make([]map[string]evaluation.Counts, len(m.runs)), make([]map[string]evaluation.Counts, len(m.runs))
	for i, r := range m.runs {
		t.Groups = append(t.Groups, group{cmp.Or(r.heading(), "score"), []string{"P", "R", "F1"}})
		report, err := tokens.Compare(data.Each(m.gold), data.Each(r.found), tokens.Options{Types: m.types})
		if err != nil {
			return fmt.Errorf("%s: %w", r.Dir, err)
		}
		all = append(all, report.All)
		if report.HIPAA != nil {
			hipaa = append(hipaa, *report.HIPAA)
		}
		types[i], categories[i] = map[string]evaluation.Counts{}, map[string]evaluation.Counts{}
		for _, c := range report.Categories {
			categories[i][c.Name] = c.Counts
			for _, typ := range c.Types {
				types[i][typ.Name] = typ.Counts
			}
		}
	}
	add := func(class, name string, counts []evaluation.Counts) {
		cells := []string{number(counts[0].TP + counts[0].FN)}
		for _, c := range counts {
			p, r, f1 := scores(c)
			cells = append(cells, p, r, f1)
		}
		t.add(class, name, cells...)
	}
	add("all", "All", all)
	if hipaa != nil {
		add("all", "HIPAA's types", hipaa)
	}
	rows := []categoryF1{{"All", all}}
	strict := []categoryF1{{"All", nil}}
	for _, r := range reports {
		strict[0].counts = append(strict[0].counts, r.Strict.Counts)
	}
	for _, c := range m.categories(reports) {
		of := m.each(func(run int) evaluation.Counts { return categories[run][c.name] })
		rows = append(rows, categoryF1{c.name, of})
		strict = append(strict, categoryF1{c.name, m.each(func(run int) (sum evaluation.Counts) {
			for _, typ := range c.types {
				sum = sum.Plus(reports[run].Strict.Types[typ])
			}
			return sum
		})})
		add("group", c.name, of)
		for _, typ := range c.types {
			if len(c.types) > 1 || typ != c.name {
				add("type", typ, m.each(func(run int) evaluation.Counts { return types[run][typ] }))
			}
		}
	}
	if hipaa != nil {
		t.Note = "HIPAA's types are those of the type set or, for i2b2-2014 and mimic, those of the i2b2 2014 script."
	}
	t.flatten()
	p.ByToken = t
	m.categoryCharts(p, "tokens", "tokens, PHI or not", rows)
	m.categoryCharts(p, "strict", "spans with their type", strict)
	return nil
}

// each returns the counts of each run.
func (m *material) each(of func(run int) evaluation.Counts) (all []evaluation.Counts) {
	for i := range m.runs {
		all = append(all, of(i))
	}
	return all
}

// categoryF1 is a category with its counts in each run.
type categoryF1 struct {
	name   string
	counts []evaluation.Counts
}

// apart is the F1 in percent below which categories have a chart of their own, because they would
// make the differences between the others invisible.
const apart = 80

// categoryCharts draws F1 by category and run: Figure 2 of Dernoncourt et al. 2016 for tokens, and
// Figure 4 of Liu et al. 2017 for spans. As in both, categories with a low F1 are drawn separately.
func (m *material) categoryCharts(p *page, file, what string, rows []categoryF1) {
	var high, low []categoryF1
	for _, row := range rows {
		lowest := 100.0
		for _, c := range row.counts {
			lowest = min(lowest, 100*c.F1())
		}
		switch {
		case row.counts[0].TP+row.counts[0].FN == 0: // not in the gold standard
		case lowest < apart:
			low = append(low, row)
		default:
			high = append(high, row)
		}
	}
	if len(high) == 0 || len(low) == 0 {
		m.categoryChart(p, "categories-"+file, "F1 by category: "+what, append(high, low...))
		return
	}
	m.categoryChart(p, "categories-"+file, "F1 by category: "+what, high)
	m.categoryChart(p, "categories-"+file+"-low", fmt.Sprintf("F1 by category: %s (categories below %d %%)", what, apart), low)
}

func (m *material) categoryChart(p *page, file, title string, rows []categoryF1) {
	if len(rows) == 0 {
		return
	}
	bars := &chart.Bars{Horizontal: len(rows) > 8}
	lowest := 100.0
	for i, r := range m.runs {
		series := chart.Series{Name: r.Label()}
		for _, row := range rows {
			value := 100 * row.counts[i].F1()
			series.Bars = append(series.Bars, chart.Bar{Value: value})
			lowest = min(lowest, value)
		}
		bars.Series = append(bars.Series, series)
	}
	for _, row := range rows {
		bars.Groups = append(bars.Groups, row.name)
	}
	picture := &chart.Chart{
		Title: title, Y: chart.Axis{Label: "F1, %", Max: 100}, Bars: bars, Width: 480, Height: 260,
		Description: "One bar per run in each category. The table of tokens and that of spans by category and type have the figures. The axis does not begin at 0 where all bars are high.",
	}
	if bars.Horizontal {
		picture.Height = 70 + float64(len(rows))*(10+10*float64(len(m.runs)))
	}
	if lowest >= 50 {
		picture.Y.Min = 5 * math.Floor(max(0, lowest-2)/5)
	}
	p.Categories = append(p.Categories, picture)
	p.plots = append(p.plots, plot{file, picture})
}
