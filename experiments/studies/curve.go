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

// LearningCurve contains the results of a study of the training set's size. The keys of its JSON
// form are stable.
type LearningCurve struct {
	Study     string        `json:"study"` // "curve"
	Name      string        `json:"name"`  // of the experiment
	Split     string        `json:"split"`
	Documents int           `json:"documents"` // in the split
	Train     int           `json:"train"`     // documents available for training
	Seeds     []uint64      `json:"seeds"`
	Metrics   []CurveMetric `json:"metrics"`
	// Types contains strict precision, recall and F1 by type, at each size.
	Types []CurveType `json:"types"`
}

// CurveMetric contains the scores at all sizes for one metric.
type CurveMetric struct {
	Metric string       `json:"metric"`
	Points []CurvePoint `json:"points"`
}

// CurveType contains the scores at all sizes for one type.
type CurveType struct {
	Type   string       `json:"type"`
	Gold   int          `json:"gold"` // annotations in the scored split; if 0, F1 is meaningless
	Points []CurvePoint `json:"points"`
}

// CurvePoint contains the scores at one size of the training set. Each seed draws its own
// documents.
type CurvePoint struct {
	Documents int     `json:"documents"` // in the training set
	Instances float64 `json:"instances"` // annotations in them (of the type, in CurveType): mean over the seeds
	Score
}

// Size is a number of training documents, or a share of all.
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
		return Size{}, fmt.Errorf("size %q is neither a number of documents nor a share such as 0.1 or 10%%", text)
	}
	return Size{share: x}, nil
}

// in returns the size as a number of documents, rounding a share up.
func (s Size) in(all int) (int, error) {
	n := s.documents
	if n == 0 {
		n = int(math.Ceil(s.share*float64(all) - 1e-9))
	}
	if n > all {
		return 0, fmt.Errorf("size %d: there are only %d documents to train on", n, all)
	}
	return n, nil
}

// usualSizes are the default sizes, as far as there are documents for them. The number of all
// documents is always added at the end.
var usualSizes = []int{10, 20, 50, 100, 200, 500, 1000, 2000, 5000}

// CurveOptions say which training sets Curve compares, and how it trains on them.
type CurveOptions struct {
	Sizes []Size // empty: 10, 20, 50, 100, 200, 500 and so on, and all documents
	By    string // data.ByDocument, or data.ByPatient, which draws all documents of a patient before the next patient
	// SameUpdates trains each size with as many updates as the whole training set, by stretching
	// the number of epochs, the patience, the interval between evaluations on dev, and the decay
	// of the learning rate. Otherwise a small set is trained for the same number of epochs, and
	// hence with few updates.
	SameUpdates bool
}

// Curve trains the experiment on ever larger parts of its training documents (Dernoncourt et al.
// 2016, section 3.6). Each part contains the smaller ones. Each seed draws its own parts.
func Curve(ctx context.Context, c *experiments.Config, co CurveOptions, opt Options) (*LearningCurve, error) {
	s, err := newStudy("curve", c, opt)
	if err != nil {
		return nil, err
	}
	s.seed = func(c *experiments.Config, seed uint64) { c.Seed, c.Corpus.Subset.Seed = seed, seed }
	if c.Corpus.Subset.Documents > 0 {
		return nil, errors.New("corpus.subset: must not be set, because a learning curve sets it")
	}
	if co.SameUpdates && ann.Of(c.System) == nil {
		return nil, errors.New("only system.ann can be trained with the same number of updates, and the experiment does not have it")
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

// documents returns the sizes as numbers of documents in ascending order.
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
			return nil, fmt.Errorf("duplicate size %d", n)
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	return sizes, nil
}

// stretch changes the schedule so that a training set gets as many updates as the whole, which is
// larger by the factor times.
func stretch(a *ann.Config, times float64) {
	t := &a.Training
	up := func(n int) int { return int(math.Ceil(float64(n) * times)) }
	t.Epochs, t.Patience = up(t.Epochs), up(t.Patience)
	t.EvaluateEvery = max(1, int(math.Round(float64(t.EvaluateEvery)*times)))
	a.Optimizer.Decay = math.Pow(a.Optimizer.Decay, 1/times)
}

// instances counts the annotations at a size, by type and, under "", in total: the mean over the
// seeds.
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

// crowded is the F1 above which types are drawn again in a second chart if there are many.
const crowded = 0.9

// charts returns Figures 3 and 4 of Dernoncourt et al. 2016.
func (r *LearningCurve) charts() map[string]*chart.Chart {
	if len(r.Metrics) == 0 { // decoded from an unrelated file
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

	// Figure 4 (a) has all types. If most are close to the top, a second chart shows these in more
	// detail with their names, as (b) does for the common types.
	var points, top []chart.Point
	sizes := r.Metrics[0].Points
	for _, t := range r.Types {
		if len(t.Points) < len(sizes) || t.Gold == 0 { // every type of the gold standard has a point for each size
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
