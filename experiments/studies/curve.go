package studies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/tokens"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/taggers"
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
	// BinaryTypes contains the same of the binary token measure, as package evaluation/tokens
	// assigns tokens to types: a token of the type counts as found with any type.
	BinaryTypes []CurveType `json:"binary_types"`
}

// CurveMetric contains the scores at all sizes for one metric.
type CurveMetric struct {
	Metric string       `json:"metric"`
	Points []CurvePoint `json:"points"`
}

// CurveType contains the scores at all sizes for one type.
type CurveType struct {
	Type   string       `json:"type"`
	Gold   int          `json:"gold"` // annotations in the scored split, in BinaryTypes tokens; if 0, F1 is meaningless
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
	// and the schedule of the learning rate. Otherwise a small set is trained for the same number of epochs, and
	// hence with few updates.
	SameUpdates bool
}

// Curve trains the experiment on ever larger parts of its training documents (Dernoncourt et al.
// 2016, section 3.6). Each part contains the smaller ones. Each seed draws its own parts.
func Curve(ctx context.Context, c *experiments.Config, co CurveOptions, opt Options) (*LearningCurve, error) {
	s, err := newCurve(c, co, opt)
	if err != nil {
		return nil, err
	}
	if co.SameUpdates && len(networks(c.System)) == 0 {
		return nil, errNoUpdates
	}
	variants, err := s.variants(c, "")
	if err != nil {
		return nil, err
	}
	runs, unexamined := s.train(ctx, variants, func(variant) []*data.Document { return s.gold })
	if runs == nil {
		return nil, unexamined
	}
	r, err := s.curve(c.Name, runs)
	if err != nil {
		return nil, err
	}
	if err := write(s.opt.Dir, r); err != nil {
		return nil, err
	}
	return r, unexamined
}

// curveStudy is a study of the training set's size in progress.
type curveStudy struct {
	*study
	CurveOptions
	documents []*data.Document // to train on
	sizes     []int
	gold      []*data.Document     // of the scored split
	instances []map[string]float64 // annotations at each size, by type and, under "", in total
}

// newCurve reads the corpus and determines the sizes.
func newCurve(c *experiments.Config, co CurveOptions, opt Options) (*curveStudy, error) {
	base, err := newStudy("curve", c, opt)
	if err != nil {
		return nil, err
	}
	base.seed = func(c *experiments.Config, seed uint64) { c.Seed, c.Corpus.Subset.Seed = seed, seed }
	if c.Corpus.Subset.Documents > 0 {
		return nil, errors.New("corpus.subset: must not be set, because a learning curve sets it")
	}
	s := &curveStudy{study: base, CurveOptions: co}
	if s.documents, err = c.Corpus.Load(experiments.TrainSplit, s.opt.Progress); err != nil {
		return nil, err
	}
	if co.By == data.ByPatient {
		if err := experiments.CheckPatients("the subsets of a learning curve", s.documents); err != nil {
			return nil, err
		}
	}
	if s.sizes, err = co.counts(len(s.documents)); err != nil {
		return nil, err
	}
	if s.gold, err = c.Corpus.Load(s.opt.Split, s.opt.Progress); err != nil {
		return nil, err
	}
	for _, n := range s.sizes {
		counts, err := s.annotations(n)
		if err != nil {
			return nil, err
		}
		s.instances = append(s.instances, counts)
	}
	return s, nil
}

// variants returns the experiment at each size. Their folders are below the given one.
func (s *curveStudy) variants(c *experiments.Config, folder string) ([]variant, error) {
	var all []variant
	for _, n := range s.sizes {
		config, err := c.Changed(func(c *experiments.Config) {
			c.Corpus.Subset.Documents, c.Corpus.Subset.By = n, s.By
			if s.SameUpdates {
				for _, a := range networks(c.System) {
					stretch(a, float64(len(s.documents))/float64(n))
				}
			}
		})
		if err != nil {
			return nil, err
		}
		all = append(all, variant{name: path.Join(folder, fmt.Sprintf("documents-%d", n)), config: config})
	}
	return all, nil
}

var errNoUpdates = errors.New("only networks (ann) can be trained with the same number of updates, and the system has none")

// networks returns the settings of all networks of a system.
func networks(s taggers.System) (all []*ann.Config) {
	_, root := s.Root()
	if a, ok := root.(*ann.Config); ok {
		all = append(all, a)
	}
	for _, c := range taggers.Children(root) {
		all = append(all, networks(c.System)...)
	}
	return all
}

// curve scores the runs of one experiment, by size and seed.
func (s *curveStudy) curve(name string, runs [][]trained) (*LearningCurve, error) {
	r := &LearningCurve{Study: s.kind, Name: name, Split: s.opt.Split, Documents: len(s.gold), Train: len(s.documents), Seeds: s.opt.Seeds}
	for _, m := range s.metrics {
		table := CurveMetric{Metric: m.Name}
		for i, n := range s.sizes {
			score, _ := s.score(m, s.gold, runs[i])
			table.Points = append(table.Points, CurvePoint{n, s.instances[i][""], score})
		}
		r.Metrics = append(r.Metrics, table)
	}
	var err error
	if r.Types, err = s.byType(runs, strictTypes); err != nil {
		return nil, err
	}
	r.BinaryTypes, err = s.byType(runs, s.binaryTypes)
	return r, err
}

func strictTypes(t trained) (map[string]evaluation.Counts, error) { return t.report.Strict.Types, nil }

// binaryTypes counts the tokens of each type that a run finds as PHI.
func (s *curveStudy) binaryTypes(t trained) (map[string]evaluation.Counts, error) {
	report, err := tokens.Compare(data.Each(s.gold), data.Each(t.found), tokens.Options{Types: s.config.Corpus.TypeSet()})
	if err != nil {
		return nil, err
	}
	counts := map[string]evaluation.Counts{}
	for _, category := range report.Categories {
		for _, row := range category.Types {
			counts[row.Name] = row.Counts
		}
	}
	return counts, nil
}

// byType returns the scores of each type at each size, sorted by type.
func (s *curveStudy) byType(runs [][]trained, counts func(trained) (map[string]evaluation.Counts, error)) ([]CurveType, error) {
	types := map[string]*CurveType{}
	for i, n := range s.sizes {
		var bySeed []map[string]evaluation.Counts
		for _, t := range runs[i] {
			of, err := counts(t)
			if err != nil {
				return nil, err
			}
			bySeed = append(bySeed, of)
		}
		for _, t := range typeScores(bySeed) {
			if types[t.Type] == nil {
				types[t.Type] = &CurveType{Type: t.Type, Gold: int(t.Instances)}
			}
			types[t.Type].Points = append(types[t.Type].Points, CurvePoint{n, s.instances[i][t.Type], t.Score})
		}
	}
	var all []CurveType
	for _, name := range slices.Sorted(maps.Keys(types)) {
		all = append(all, *types[name])
	}
	return all, nil
}

// counts returns the sizes as numbers of documents in ascending order.
func (o CurveOptions) counts(all int) ([]int, error) {
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
	t, schedule := &a.Training, &a.Optimizer.Schedule
	up := func(n int) int { return int(math.Ceil(float64(n) * times)) }
	nearest := func(n int) int { return int(math.Round(float64(n) * times)) }
	t.Epochs, t.Patience = up(t.Epochs), up(t.Patience)
	t.EvaluateEvery = max(1, nearest(t.EvaluateEvery))
	schedule.Warmup *= times
	schedule.Every, schedule.Patience = nearest(schedule.Every), nearest(schedule.Patience)
	a.Optimizer.Decay = math.Pow(a.Optimizer.Decay, 1/times)
}

// annotations counts the annotations at a size, by type and, under "", in total: the mean over the
// seeds.
func (s *curveStudy) annotations(size int) (map[string]float64, error) {
	counts := map[string]float64{}
	for _, seed := range s.opt.Seeds {
		docs, err := data.Sample(s.documents, size, s.By == data.ByPatient, seed)
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
			name:  fileName("scores", m.Metric),
			title: fmt.Sprintf("%s, %s on %s (%d documents), %s", r.Name, m.Metric, r.Split, r.Documents, overSeeds(r.Seeds)),
			head:  []string{"training documents", "annotations", "P", "R", "F1"},
		}
		for _, p := range m.Points {
			t.rows = append(t.rows, append([]cell{count(p.Documents), quantity(p.Instances)}, p.cells()...))
		}
		all = append(all, t)
	}
	sizes := r.Metrics[0].Points
	return append(all,
		typeTable("types-strict", "Strict F1 by type, and in brackets how many annotations of the type there were to train on", r.Split, sizes, r.Types),
		typeTable("types-binary_token", "Binary token F1 by type (tokens of the type found as PHI of any type), with the same numbers", r.Split, sizes, r.BinaryTypes))
}

// typeTable shows the F1 of each type at each of the sizes.
func typeTable(file, title, split string, sizes []CurvePoint, types []CurveType) table {
	all := table{name: file, title: title, head: []string{"training documents", "in " + split}}
	for _, p := range sizes {
		all.head = append(all.head, fmt.Sprint(p.Documents))
	}
	for _, t := range types {
		row := append([]cell{name(t.Type), count(t.Gold)}, slices.Repeat([]cell{blank}, len(sizes))...)
		for _, p := range t.Points {
			at := slices.IndexFunc(sizes, func(o CurvePoint) bool { return o.Documents == p.Documents })
			row[2+at] = p.cell(f1).withNumber("annotations", quantity(p.Instances))
		}
		all.rows = append(all.rows, row)
	}
	return all
}

// commonest is the number of types with the most annotations that a chart of their own shows if
// there are more types.
const commonest = 8

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

	// Figure 4 (a) has all types, and (b) the commonest of them.
	points := r.typePoints()
	if len(points) == 0 {
		return all
	}
	if len(points) > commonest {
		slices.SortStableFunc(points, func(a, b chart.Point) int { return cmp.Compare(b.X, a.X) })
		top := slices.Clone(points[:commonest])
		for i := range top {
			points[i].Label = "" // (b) shows it
		}
		lowest := slices.MinFunc(top, func(a, b chart.Point) int { return cmp.Compare(a.Y, b.Y) }).Y
		all["types-common"] = r.scatter(fmt.Sprintf("the %d commonest types", commonest), top, math.Floor(20*min(lowest, 0.95))/20)
	}
	all["types"] = r.scatter("each type", points, 0)
	return all
}

// typePoints returns a point for each type that occurs in the training documents and in the scored
// split: its annotations in the largest of the training sets, and its binary token F1.
func (r *LearningCurve) typePoints() (points []chart.Point) {
	for _, t := range r.BinaryTypes {
		if len(t.Points) < len(r.Metrics[0].Points) || t.Gold == 0 { // every type of the gold standard has a point for each size
			continue
		}
		if p := t.Points[len(t.Points)-1]; p.Instances > 0 {
			points = append(points, chart.Point{X: p.Instances, Y: p.Mean.F1, Label: t.Type})
		}
	}
	return points
}

// scatter draws the F1 of types, from a lowest F1 on, against their annotations.
func (r *LearningCurve) scatter(which string, points []chart.Point, from float64) *chart.Chart {
	return &chart.Chart{
		Title:       fmt.Sprintf("%s: binary token F1 on %s of %s against the annotations in training", r.Name, r.Split, which),
		Description: fmt.Sprintf("A point for %s, trained on the largest of the training sets.", which),
		X:           chart.Axis{Label: "annotations to train on", Log: true}, Y: chart.Axis{Label: "binary token F1 on " + r.Split, Min: from, Max: 1},
		Lines: []chart.Line{{Style: chart.Marks, Points: points}}, Width: 560, Height: 400,
	}
}
