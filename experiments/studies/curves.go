package studies

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// LearningCurves contains the learning curves of several experiments on the same documents. The
// keys of its JSON form are stable.
type LearningCurves struct {
	Study     string           `json:"study"` // "curve"
	Split     string           `json:"split"`
	Documents int              `json:"documents"` // in the split
	Train     int              `json:"train"`     // documents available for training
	Seeds     []uint64         `json:"seeds"`
	Systems   []*LearningCurve `json:"systems"` // in the order of the experiments
}

// Curves trains several experiments on the same parts of the same training documents (Dernoncourt
// et al. 2016, Figure 3). The experiments must have different names and the same corpus, except for
// corpus.copies, which changes how a system is trained but not on which documents. By default the
// seed is that of the first experiment. CurveOptions.SameUpdates applies to all networks in the
// systems, of which there must be at least one.
func Curves(ctx context.Context, configs []*experiments.Config, co CurveOptions, opt Options) (*LearningCurves, error) {
	if err := sameCorpus(configs); err != nil {
		return nil, err
	}
	if co.SameUpdates && !slices.ContainsFunc(configs, func(c *experiments.Config) bool { return len(networks(c.System)) > 0 }) {
		return nil, errNoUpdates
	}
	s, err := newCurve(configs[0], co, opt)
	if err != nil {
		return nil, err
	}
	var all []variant
	for _, c := range configs {
		variants, err := s.variants(c, c.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		all = append(all, variants...)
	}
	runs, unexamined := s.train(ctx, all, func(variant) []*data.Document { return s.gold })
	if runs == nil {
		return nil, unexamined
	}
	r := &LearningCurves{Study: s.kind, Split: s.opt.Split, Documents: len(s.gold), Train: len(s.documents), Seeds: s.opt.Seeds}
	for i, c := range configs {
		curve, err := s.curve(c.Name, runs[i*len(s.sizes):(i+1)*len(s.sizes)])
		if err != nil {
			return nil, err
		}
		r.Systems = append(r.Systems, curve)
	}
	if err := write(s.opt.Dir, r); err != nil {
		return nil, err
	}
	return r, unexamined
}

// sameCorpus returns an error unless the experiments have different names and the same corpus.
func sameCorpus(configs []*experiments.Config) error {
	if len(configs) == 0 {
		return errors.New("no experiment")
	}
	first := configs[0]
	for i, c := range configs {
		for _, other := range configs[:i] {
			if other.Name == c.Name {
				return fmt.Errorf("two experiments are named %s: the tables could not distinguish them", c.Name)
			}
		}
		a, b := first.Corpus, c.Corpus
		a.Copies, b.Copies = experiments.Copies{}, experiments.Copies{}
		if key, from, to := strictyaml.Difference(&a, &b); key != "" {
			return fmt.Errorf("corpus.%s is %v in %s but %v in %s: learning curves can only be compared on the same corpus (--set applies to all experiments)", key, from, first.Name, to, c.Name)
		}
	}
	return nil
}

func (r *LearningCurves) tables() []table {
	var all []table
	first := r.Systems[0]
	for k, m := range first.Metrics {
		t := table{
			name:  fileName("scores", m.Metric),
			title: fmt.Sprintf("F1, %s on %s (%d documents), %s", m.Metric, r.Split, r.Documents, overSeeds(r.Seeds)),
			head:  []string{"training documents", "share of train", "annotations"},
		}
		for _, system := range r.Systems {
			t.head = append(t.head, system.Name)
		}
		for i, p := range m.Points {
			row := []cell{count(p.Documents), {fmt.Sprintf("%.3g %%", r.share(p)), []string{exact(r.share(p) / 100)}, []string{""}}, quantity(p.Instances)}
			for _, system := range r.Systems {
				row = append(row, system.Metrics[k].Points[i].cell(f1))
			}
			t.rows = append(t.rows, row)
		}
		all = append(all, t)
	}
	for _, system := range r.Systems {
		for _, t := range system.tables() {
			t.name = system.Name + "-" + t.name
			all = append(all, t)
		}
	}
	return all
}

// share returns the share of the training documents in percent.
func (r *LearningCurves) share(p CurvePoint) float64 {
	return 100 * float64(p.Documents) / float64(r.Train)
}

// charts returns Figure 3 of Dernoncourt et al. 2016 for each metric.
func (r *LearningCurves) charts() map[string]*chart.Chart {
	all := map[string]*chart.Chart{}
	if len(r.Systems) == 0 { // decoded from an unrelated file
		return all
	}
	for k, m := range r.Systems[0].Metrics {
		figure := &chart.Chart{
			Title:       fmt.Sprintf("F1 (%s) on %s against the share of the training documents", m.Metric, r.Split),
			Description: fmt.Sprintf("F1, %s, of each system.", overSeeds(r.Seeds)),
			X:           chart.Axis{Label: fmt.Sprintf("%% of the %d training documents", r.Train), Log: true},
			Y:           chart.Axis{Label: fmt.Sprintf("F1 (%s) on %s", m.Metric, r.Split), Max: 1}, Width: 480, Height: 300,
		}
		lowest := 1.0
		for _, system := range r.Systems {
			line := chart.Line{Name: system.Name, Band: true}
			for _, p := range system.Metrics[k].Points {
				low, high := p.interval(f1)
				line.Points = append(line.Points, chart.Point{X: r.share(p), Y: p.Mean.F1, Low: low, High: high})
				lowest = min(lowest, p.Mean.F1-p.Deviation.F1)
			}
			figure.Lines = append(figure.Lines, line)
		}
		figure.Y.Min = max(0, math.Floor(10*lowest)/10)
		all[fileName("curve", m.Metric)] = figure
	}
	return all
}
