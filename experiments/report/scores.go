package report

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/analysis"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/studies"
	"github.com/lethe-deid/lethe/internal/chart"
)

// seed is the seed of all intervals and tests.
const seed = 1

// measures are the rows of the table of scores: a metric, the type set that it requires ("" for
// any), and its names. Metrics that do not suit the corpus are left out.
var measures = []struct{ metric, types, short, name string }{
	{"strict", "", "strict", "Strict: spans with their type"},
	{"spans", "", "spans", "Spans, of whatever type"},
	{"token", "", "tokens with type", "Tokens with their type"},
	{"binary_token", "", "tokens", "Tokens, PHI or not"},
	{"hipaa/binary_token", "", "HIPAA tokens", "Tokens, PHI or not, of types that HIPAA names"},
	{"i2b2/Binary HIPAA Token", "i2b2-2014", "", "i2b2 2014 script: Binary HIPAA Token"},
	{"meddocan/merged", "meddocan", "", "MEDDOCAN script: subtask 2, merged"},
}

// A seedTable is a table of means over runs that differ in their seed only.
type seedTable struct {
	*table         // nil if there are no such runs
	sets   [][]int // places of the runs
}

// seeds returns the table without rows.
func (m *material) seeds() *seedTable {
	t := &seedTable{}
	for i, r := range m.runs {
		set := slices.IndexFunc(t.sets, func(set []int) bool {
			return !slices.ContainsFunc(set, func(k int) bool {
				same, err := experiments.SameSystem(m.runs[k].Run, r.Run)
				return !same || err != nil
			})
		})
		if set < 0 {
			set = len(t.sets)
			t.sets = append(t.sets, nil)
		}
		t.sets[set] = append(t.sets[set], i)
	}
	t.sets = slices.DeleteFunc(t.sets, func(set []int) bool { return len(set) == 1 })
	if len(t.sets) == 0 {
		return t
	}
	t.table = &table{ID: "seeds", Caption: "Mean ± standard deviation over the seeds, %", First: "What counts"}
	for _, set := range t.sets {
		var letters []string
		for _, i := range set {
			letters = append(letters, m.runs[i].Letter())
		}
		t.Groups = append(t.Groups, group{strings.Join(letters, ", "), []string{"P", "R", "F1"}})
	}
	return t
}

// add adds a row of the scores of all runs.
func (t *seedTable) add(name string, of []evaluation.PRF) {
	if t.table == nil {
		return
	}
	var cells []string
	for _, set := range t.sets {
		var scores []evaluation.PRF
		for _, i := range set {
			scores = append(scores, of[i])
		}
		s := studies.Summarize(scores)
		for _, x := range [][2]float64{{s.Mean.Precision, s.Deviation.Precision}, {s.Mean.Recall, s.Deviation.Recall}, {s.Mean.F1, s.Deviation.F1}} {
			cells = append(cells, percent(x[0])+" ± "+percent(x[1]))
		}
	}
	t.table.add("", name, cells...)
}

// scoreTables fills in the scores of all runs.
func (m *material) scoreTables(ctx context.Context, p *page, reports []*evaluation.Report) error {
	t := &table{ID: "measures", Caption: "Precision, recall, F1 and its 95 % interval, %", First: "What counts"}
	for _, r := range m.runs {
		t.Groups = append(t.Groups, group{r.heading(), []string{"P", "R", "F1", "95 % interval"}})
	}
	seeds := m.seeds()
	for _, x := range measures {
		metric, err := metrics.Lookup(x.metric, m.types)
		if err != nil || x.types != "" && x.types != m.types.Name {
			continue
		}
		var cells []string
		var of []evaluation.PRF
		for _, r := range m.runs {
			prf, f1, err := m.measure(ctx, metric, r.found)
			if err != nil {
				return err
			}
			of = append(of, prf)
			cells = append(cells, percent(prf.Precision), percent(prf.Recall), percent(prf.F1), f1)
		}
		t.add("", x.name, cells...)
		seeds.add(x.name, of)
	}
	p.Measures = t
	p.Seeds = seeds.table
	p.ByType = m.byType(reports)
	return m.byToken(p, reports)
}

// measure returns a metric's score of a run and, in words, the bootstrap interval over the notes of
// its F1.
func (m *material) measure(ctx context.Context, metric evaluation.Metric, found []*data.Document) (evaluation.PRF, string, error) {
	units := metric.Tallies(m.gold, found)
	f1 := func(total []float64) float64 { return metric.Score(total).F1 }
	low, high, err := significance.Interval(ctx, units, f1, significance.Options{Seed: seed})
	return metric.Score(evaluation.Sum(units)), percent(low) + " to " + percent(high), err
}

// byType has one row per category and type, sorted by falling number of gold spans.
func (m *material) byType(reports []*evaluation.Report) *table {
	t := &table{ID: "by-type", Caption: "Spans with their type, %, by category and type", First: "Type"}
	spans := group{"gold spans", []string{"in " + m.Split}}
	training := map[string]int{}
	if m.train != nil {
		spans.Columns = []string{"in train", "in " + m.Split}
		for _, d := range m.train {
			for _, s := range d.Spans {
				training[s.Type]++
				training[""]++
			}
		}
	}
	t.Groups = append(t.Groups, spans)
	for _, r := range m.runs {
		t.Groups = append(t.Groups, group{cmp.Or(r.heading(), "score"), []string{"P", "R", "F1"}})
	}
	cells := func(inTraining int, counts []evaluation.Counts) (all []string) {
		if m.train != nil {
			all = append(all, number(inTraining))
		}
		all = append(all, number(counts[0].TP+counts[0].FN))
		for _, c := range counts {
			p, r, f1 := scores(c)
			all = append(all, p, r, f1)
		}
		return all
	}
	var total []evaluation.Counts
	for _, r := range reports {
		total = append(total, r.Strict.Counts)
	}
	t.add("all", "All", cells(training[""], total)...)
	for _, c := range m.categories(reports) {
		if len(c.types) > 1 || c.types[0] != c.name {
			sum, inTraining := make([]evaluation.Counts, len(reports)), 0
			for _, typ := range c.types {
				inTraining += training[typ]
				for i, r := range reports {
					sum[i] = sum[i].Plus(r.Strict.Types[typ])
				}
			}
			t.add("group", c.name, cells(inTraining, sum)...)
		}
		for _, typ := range c.types {
			class := "type"
			if len(c.types) == 1 && c.name == typ {
				class = "group"
			}
			var counts []evaluation.Counts
			for _, r := range reports {
				counts = append(counts, r.Strict.Types[typ])
			}
			t.add(class, typ, cells(training[typ], counts)...)
		}
	}
	t.flatten()
	return t
}

// category is a category and its types.
type category struct {
	name  string
	types []string
}

// categories returns the categories of all types that occur, in the order of the tables.
func (m *material) categories(reports []*evaluation.Report) []category {
	types := map[string]bool{}
	for _, r := range reports {
		for typ := range r.Strict.Types {
			types[typ] = true
		}
	}
	var all []category
	for _, typ := range m.inOrder(maps.Keys(types)) {
		if name := m.category(typ); len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, category{name, []string{typ}})
			continue
		}
		last := &all[len(all)-1]
		last.types = append(last.types, typ)
	}
	return all
}

// inOrder sorts types as all tables do: by falling number of gold spans of the category, then of the type.
func (m *material) inOrder(types iter.Seq[string]) []string {
	categories, each := map[string]int{}, map[string]int{}
	for _, d := range m.gold {
		for _, s := range d.Spans {
			categories[m.category(s.Type)]++
			each[s.Type]++
		}
	}
	return slices.SortedFunc(types, func(a, b string) int {
		of, other := m.category(a), m.category(b)
		return cmp.Or(categories[other]-categories[of], strings.Compare(of, other), each[b]-each[a], strings.Compare(a, b))
	})
}

func (m *material) category(typ string) string {
	if t, ok := m.types.Lookup(typ); ok {
		return t.Category
	}
	return typ
}

func (m *material) leakTable(p *page, leak *evaluation.LeakReport) {
	t := &table{ID: "leak", Caption: "What stays in the text, by category and type", First: "Type", Groups: []group{
		{"tokens", []string{"left", "of", "%", "95 % interval"}},
		{"spans", []string{"left", "of", "%"}},
		{"notes with some left", []string{"number", "%", "95 % interval"}},
	}}
	add := func(class, name string, r evaluation.LeakRow) {
		span := func(s evaluation.LeakShare) string {
			if s.Left == 0 {
				return none // resampling notes with nothing left gives no interval
			}
			return percent(s.Low) + " to " + percent(s.High)
		}
		t.add(class, name,
			number(r.Tokens.Left), number(r.Tokens.Total), of(r.Tokens.Left, r.Tokens.Total), span(r.Tokens),
			number(r.Instances.Left), number(r.Instances.Total), of(r.Instances.Left, r.Instances.Total),
			number(r.Notes.Left), of(r.Notes.Left, r.Notes.Total), span(r.Notes))
	}
	add("all", "All", leak.LeakRow)
	types := map[string][]string{}
	for typ, row := range leak.Types {
		types[row.Category] = append(types[row.Category], typ)
	}
	byLeft := func(row func(string) evaluation.LeakRow) func(a, b string) int {
		return func(a, b string) int {
			return cmp.Or(row(b).Tokens.Left-row(a).Tokens.Left, row(b).Tokens.Total-row(a).Tokens.Total, strings.Compare(a, b))
		}
	}
	ofCategory := func(name string) evaluation.LeakRow { return leak.Categories[name] }
	ofType := func(name string) evaluation.LeakRow { return leak.Types[name].LeakRow }
	for _, c := range slices.SortedFunc(maps.Keys(types), byLeft(ofCategory)) {
		add("group", c, leak.Categories[c])
		slices.SortFunc(types[c], byLeft(ofType))
		for _, typ := range types[c] {
			if len(types[c]) > 1 || typ != c {
				add("type", typ, leak.Types[typ].LeakRow)
			}
		}
	}
	t.Note = "The intervals come of drawing notes anew, with replacement; of a type that occurs in few notes they are too narrow."
	t.flatten()
	p.Leak = t
}

// curve fills in the precision-recall curve.
func (m *material) curve(p *page) error {
	picture := &chart.Chart{
		Title: "Precision against recall",
		X:     chart.Axis{Label: "Recall, %"}, Y: chart.Axis{Label: "Precision, %"},
	}
	marks := chart.Line{Name: "at least this score", Style: chart.Marks}
	for i, r := range m.runs {
		if !r.scored {
			p.CurveNotes = append(p.CurveNotes, fmt.Sprintf("The predictions of %s have no scores; to predict the split again adds them.", r.Label()))
			continue
		}
		c, err := analysis.NewCurve(m.gold, r.found)
		if err != nil {
			return err
		}
		if len(c.Points) == 0 {
			p.CurveNotes = append(p.CurveNotes, fmt.Sprintf("%s found no span.", r.Label()))
			continue
		}
		picture.Lines = append(picture.Lines, chart.Line{Name: r.Label(), Style: chart.Plain, Points: curvePoints(c)})
		if i == 0 {
			m.operating(p, c)
			for _, threshold := range analysis.Thresholds {
				if n := c.At(threshold).Counts; n.TP > 0 {
					marks.Points = append(marks.Points, chart.Point{X: 100 * n.Recall(), Y: 100 * n.Precision(), Label: fmt.Sprint(threshold)})
				}
			}
		}
	}
	if len(picture.Lines) == 0 {
		return nil
	}
	if len(marks.Points) > 0 {
		picture.X.Min, picture.X.Max = around(picture.Lines, marks.Points)
		picture.Lines = append(picture.Lines, marks)
	}
	picture.Description = "From right to left only spans with ever higher scores are kept: precision rises and recall falls. The table of operating points has the figures."
	p.Curve = picture
	p.plots = append(p.plots, plot{"precision-recall", picture})
	return nil
}

// around returns the range of recall that contains all marks, and the lines to their right.
func around(lines []chart.Line, marks []chart.Point) (low, high float64) {
	low = 100
	for _, p := range marks {
		low = min(low, p.X)
	}
	for _, l := range lines {
		for _, p := range l.Points {
			high = max(high, p.X)
		}
	}
	return max(0, math.Floor(low/5-0.4)*5), min(100, math.Ceil(high))
}

// curvePoints returns at most some hundred points of a curve. It skips points with few spans, for
// which precision is erratic.
func curvePoints(c *analysis.Curve) (points []chart.Point) {
	const shown, atLeast = 200, 20
	step := max(1, len(c.Points)/shown)
	for i, o := range c.Points {
		if n := o.Counts; (i%step == 0 || i == len(c.Points)-1) && (n.TP+n.FP >= atLeast || i == 0) {
			points = append(points, chart.Point{X: 100 * n.Recall(), Y: 100 * n.Precision()})
		}
	}
	return points
}

// operating fills in the tables of the first run's scores.
func (m *material) operating(p *page, c *analysis.Curve) {
	best := c.Best()
	t := &table{ID: "operating", Caption: "Operating points: with spans of at least this score", First: "Score", Groups: []group{{"", []string{"P, %", "R, %", "F1, %", "right", "wrong", "missed"}}}}
	for _, o := range c.Table() {
		name := fmt.Sprintf("%.4g", o.Threshold)
		if o.Threshold == 0 {
			name = "any"
		}
		if o.Counts == best.Counts {
			name += " (best F1)"
		}
		precision, recall, f1 := scores(o.Counts)
		t.add("", name, precision, recall, f1, number(o.Counts.TP), number(o.Counts.FP), number(o.Counts.FN))
	}
	p.Thresholds = t
	t = &table{ID: "sure", Caption: "How often a span is right, by its score", First: "Score", Groups: []group{{"", []string{"spans", "right", "right, %"}}}}
	const doubt = 0.9
	doubtful, wrong, all, allWrong := 0, 0, 0, 0
	for _, s := range c.Sure {
		t.add("", fmt.Sprintf("%.4g to %.4g", s.From, s.To), number(s.Spans), number(s.Right), of(s.Right, s.Spans))
		all, allWrong = all+s.Spans, allWrong+s.Spans-s.Right
		if s.To <= doubt {
			doubtful, wrong = doubtful+s.Spans, wrong+s.Spans-s.Right
		}
	}
	p.Sure = t
	if doubtful > 0 && allWrong > 0 {
		p.CurveNotes = append(p.CurveNotes, sentence(
			"A person who looks at the %s with a score below %v, %s %% of all, sees %s %% of those that are not right. What the system has missed altogether is not among them.",
			counted(doubtful, "span"), doubt, of(doubtful, all), of(wrong, allWrong)))
	}
}
