package studies

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/taggers/ann"
)

// LearningCurve is what came out of a study of the training set's size. Other
// programs may rely upon the keys of its JSON form.
type LearningCurve struct {
	Study     string        `json:"study"` // "curve"
	Name      string        `json:"name"`  // of the experiment
	Split     string        `json:"split"`
	Documents int           `json:"documents"` // in the split
	Train     int           `json:"train"`     // documents that there are to train on
	Seeds     []uint64      `json:"seeds"`
	Metrics   []CurveMetric `json:"metrics"`
	// Types is strict precision, recall and F1 by type, at each size.
	Types []CurveType `json:"types"`
}

// CurveMetric is all sizes by one metric.
type CurveMetric struct {
	Metric string       `json:"metric"`
	Points []CurvePoint `json:"points"`
}

// CurveType is all sizes by one type.
type CurveType struct {
	Type   string       `json:"type"`
	Gold   int          `json:"gold"` // annotations in the split that is scored; of 0, no F1 says anything
	Points []CurvePoint `json:"points"`
}

// CurvePoint is one size of the training set. Each seed draws its own
// documents.
type CurvePoint struct {
	Documents int     `json:"documents"` // that were trained on
	Instances float64 `json:"instances"` // annotations in them (of a type, those of that type): mean over the seeds
	Score
}

// Size is how many documents to train on: a number, or a share of all.
type Size struct {
	documents int     // 0: a share
	share     float64 // in (0, 1]
}

// ParseSize reads 50, a number of documents, or 0.5, 50% or 1.0, a share of all.
func ParseSize(text string) (Size, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return Size{documents: n}, nil
	}
	digits, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(digits, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x > 0 && x <= 1) || !percent && !strings.Contains(text, ".") {
		return Size{}, fmt.Errorf("size %q is neither a number of documents nor, as 0.1 or 10%%, a share of them", text)
	}
	return Size{share: x}, nil
}

// in is the size in documents; a share is rounded up.
func (s Size) in(all int) (int, error) {
	n := s.documents
	if n == 0 {
		n = int(math.Ceil(s.share*float64(all) - 1e-9))
	}
	if n > all {
		return 0, fmt.Errorf("size %d: there are %d documents to train on", n, all)
	}
	return n, nil
}

// usualSizes are those of a curve for which none are given, as far as there are
// documents for them; all documents come last.
var usualSizes = []int{10, 20, 50, 100, 200, 500, 1000, 2000, 5000}

// CurveOptions say what Curve does with the training set.
type CurveOptions struct {
	Sizes []Size // none: 10, 20, 50, 100, 200, 500 and so on, and all documents
	By    string // data.ByDocument, or data.ByPatient: one patient's documents are drawn before the next's
	// SameUpdates gives each size as many updates as the whole training set has:
	// epochs, patience, the steps from one scoring of dev to the next, and the decay
	// of the learning rate are stretched. Without it a small set has the same number
	// of epochs, and so few updates.
	SameUpdates bool
}

// Curve trains the experiment on ever larger parts of its training documents
// (Dernoncourt et al. 2016, section 3.6), of which the smaller are parts of the
// larger. Each seed draws parts of its own.
func Curve(ctx context.Context, c *experiments.Config, co CurveOptions, opt Options) (*LearningCurve, error) {
	s, err := newStudy("curve", c, opt)
	if err != nil {
		return nil, err
	}
	s.seed = func(c *experiments.Config, seed uint64) { c.Seed, c.Corpus.Subset.Seed = seed, seed }
	if c.Corpus.Subset.Documents > 0 {
		return nil, errors.New("corpus.subset: is given already, and a learning curve sets it")
	}
	if co.SameUpdates && ann.Of(c.System) == nil {
		return nil, errors.New("only the updates of system.ann can be kept the same, which the experiment does not have")
	}
	train, err := c.Corpus.Load(experiments.TrainSplit, s.opt.Progress)
	if err != nil {
		return nil, err
	}
	if co.By == data.ByPatient {
		if err := experiments.CheckPatients("the subsets of a learning curve", train); err != nil {
			return nil, err
		}
	}
	sizes, err := co.documents(len(train))
	if err != nil {
		return nil, err
	}
	var variants []variant
	for _, n := range sizes {
		v := variant{name: fmt.Sprintf("documents-%d", n)}
		if v.config, err = c.Changed(func(c *experiments.Config) {
			c.Corpus.Subset.Documents, c.Corpus.Subset.By = n, co.By
			if co.SameUpdates {
				stretch(ann.Of(c.System), float64(len(train))/float64(n))
			}
		}); err != nil {
			return nil, err
		}
		variants = append(variants, v)
	}
	gold, err := c.Corpus.Load(s.opt.Split, s.opt.Progress)
	if err != nil {
		return nil, err
	}
	runs, unexamined := s.train(ctx, variants, func(variant) []*data.Document { return gold })
	if runs == nil {
		return nil, unexamined
	}
	r := &LearningCurve{Study: s.kind, Name: c.Name, Split: s.opt.Split, Documents: len(gold), Train: len(train), Seeds: s.opt.Seeds}
	instances := make([]map[string]float64, len(variants))
	for i := range variants {
		if instances[i], err = s.instances(train, sizes[i], co.By); err != nil {
			return nil, err
		}
	}
	for _, m := range s.metrics {
		table := CurveMetric{Metric: m.Name}
		for i := range variants {
			score, _ := s.score(m, gold, runs[i])
			table.Points = append(table.Points, CurvePoint{sizes[i], instances[i][""], score})
		}
		r.Metrics = append(r.Metrics, table)
	}
	types := map[string]*CurveType{}
	var names []string
	for i := range variants {
		var bySeed []map[string]evaluation.Counts
		for _, t := range runs[i] {
			bySeed = append(bySeed, t.report.Strict.Types)
		}
		for _, t := range typeScores(bySeed) {
			if types[t.Type] == nil {
				types[t.Type] = &CurveType{Type: t.Type, Gold: int(t.Instances)}
				names = append(names, t.Type)
			}
			types[t.Type].Points = append(types[t.Type].Points, CurvePoint{sizes[i], instances[i][t.Type], t.Score})
		}
	}
	slices.Sort(names)
	for _, name := range names {
		r.Types = append(r.Types, *types[name])
	}
	if err := write(s.opt.Dir, r); err != nil {
		return nil, err
	}
	return r, unexamined
}

// documents are the sizes in ascending order.
func (o CurveOptions) documents(all int) ([]int, error) {
	var sizes []int
	if len(o.Sizes) == 0 {
		for _, n := range usualSizes {
			if n < all {
				sizes = append(sizes, n)
			}
		}
		return append(sizes, all), nil
	}
	for _, size := range o.Sizes {
		n, err := size.in(all)
		if err != nil {
			return nil, err
		}
		if slices.Contains(sizes, n) {
			return nil, fmt.Errorf("size %d is given twice", n)
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	return sizes, nil
}

// stretch gives a training set as many updates as the whole, which is so many times as
// large, would have.
func stretch(a *ann.Config, times float64) {
	t := &a.Training
	up := func(n int) int { return int(math.Ceil(float64(n) * times)) }
	t.Epochs, t.Patience = up(t.Epochs), up(t.Patience)
	t.EvaluateEvery = max(1, int(math.Round(float64(t.EvaluateEvery)*times)))
	a.Optimizer.Decay = math.Pow(a.Optimizer.Decay, 1/times)
}

// instances counts the annotations that a size has, by type, and under "" all of
// them: the mean over the seeds.
func (s *study) instances(train []*data.Document, size int, by string) (map[string]float64, error) {
	counts := map[string]float64{}
	for _, seed := range s.opt.Seeds {
		docs, err := data.Sample(train, size, by == data.ByPatient, seed)
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			for _, span := range d.Spans {
				counts[span.Type] += 1 / float64(len(s.opt.Seeds))
				counts[""] += 1 / float64(len(s.opt.Seeds))
			}
		}
	}
	return counts, nil
}

func (r *LearningCurve) tables() []table {
	var all []table
	for _, m := range r.Metrics {
		t := table{
			title: fmt.Sprintf("%s, %s on %s (%d documents), %s", r.Name, m.Metric, r.Split, r.Documents, overSeeds(r.Seeds)),
			head:  []string{"training documents", "annotations", "P", "R", "F1"},
		}
		for _, p := range m.Points {
			t.rows = append(t.rows, append([]string{fmt.Sprint(p.Documents), number(p.Instances)}, p.cells()...))
		}
		all = append(all, t)
	}
	types := table{
		title: "Strict F1 by type, and in brackets how many annotations of the type there were to train on",
		head:  []string{"training documents", "in " + r.Split},
	}
	sizes := r.Metrics[0].Points
	for _, p := range sizes {
		types.head = append(types.head, fmt.Sprint(p.Documents))
	}
	for _, t := range r.Types {
		row := append([]string{t.Type, fmt.Sprint(t.Gold)}, slices.Repeat([]string{""}, len(types.head)-2)...)
		for _, p := range t.Points {
			at := slices.IndexFunc(sizes, func(o CurvePoint) bool { return o.Documents == p.Documents })
			row[2+at] = fmt.Sprintf("%.4f (%s)", p.Mean.F1, number(p.Instances))
		}
		types.rows = append(types.rows, row)
	}
	return append(all, types)
}

// crowded is the F1 from which types are drawn once more, if there are many.
const crowded = 0.9

// charts are Figures 3 and 4 of Dernoncourt et al. 2016.
func (r *LearningCurve) charts() map[string]*chart.Chart {
	if len(r.Metrics) == 0 { // read from a file of other content
		return nil
	}
	size := &chart.Chart{
		Title:       fmt.Sprintf("%s: F1 on %s against the number of training documents", r.Name, r.Split),
		Description: fmt.Sprintf("F1, %s, for each metric.", overSeeds(r.Seeds)),
		X:           chart.Axis{Label: "training documents", Log: true}, Y: chart.Axis{Label: "F1 on " + r.Split, Max: 1}, Width: 480, Height: 300,
	}
	lowest := 1.0
	for _, m := range r.Metrics {
		line := chart.Line{Name: m.Metric, Band: true}
		for _, p := range m.Points {
			low, high := p.interval(f1)
			line.Points = append(line.Points, chart.Point{X: float64(p.Documents), Y: p.Mean.F1, Low: low, High: high})
			lowest = min(lowest, p.Mean.F1-p.Deviation.F1)
		}
		size.Lines = append(size.Lines, line)
	}
	size.Y.Min = max(0, math.Floor(10*lowest)/10)
	all := map[string]*chart.Chart{"curve": size}

	// Figure 4 (a) has all types. Where most crowd at the top, they get a closer
	// picture, as the common types do in (b), and there their names.
	var points, top []chart.Point
	sizes := r.Metrics[0].Points
	for _, t := range r.Types {
		if len(t.Points) < len(sizes) || t.Gold == 0 { // a type of the gold standard has a point for each size
			continue
		}
		p := t.Points[len(t.Points)-1]
		if p.Instances == 0 {
			continue
		}
		point := chart.Point{X: p.Instances, Y: p.Mean.F1, Label: t.Type}
		points = append(points, point)
		if point.Y >= crowded {
			top = append(top, point)
		}
	}
	scatter := func(points []chart.Point, from float64) *chart.Chart {
		return &chart.Chart{
			Title:       fmt.Sprintf("%s: strict F1 on %s of each type against its annotations in training", r.Name, r.Split),
			Description: fmt.Sprintf("A point for each type with an F1 of at least %v, trained on the largest of the training sets.", from),
			X:           chart.Axis{Label: "annotations to train on", Log: true}, Y: chart.Axis{Label: "strict F1 on " + r.Split, Min: from, Max: 1},
			Lines: []chart.Line{{Style: chart.Marks, Points: points}}, Width: 560, Height: 400,
		}
	}
	if len(top) > 6 && len(top) < len(points) {
		all["types-top"] = scatter(top, crowded)
		for i := range points {
			if points[i].Y >= crowded {
				points[i].Label = ""
			}
		}
	}
	if len(points) > 0 {
		all["types"] = scatter(points, 0)
	}
	return all
}
