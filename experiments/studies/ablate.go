package studies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers/ann"
)

// Full is the name of the unchanged experiment, with which an ablation study compares all other
// variants.
const Full = "full"

// paper returns the four networks of Dernoncourt et al. 2016, section 3.7, that lack a part. Without
// the CRF, each token has its most probable label (section 2.2.4): no constraint selects a sequence.
func paper(network *ann.Config) []experiments.Ablation {
	noCharacters := "system.ann.network={character_embedding: 0, character_lstm: 0}"
	if network.Network.Characters != tagger.CharacterLSTM {
		noCharacters = "system.ann.network.characters=none"
	}
	noCRF := []string{"system.ann.network.crf=false"}
	if network.Network.CRF { // else there is nothing to leave out
		noCRF = append(noCRF, "system.ann.constrain=false")
	}
	return []experiments.Ablation{
		{Name: "no-crf", Set: noCRF},
		{Name: "no-vectors", Set: []string{`system.ann.vectors={file: "", keep: all, most: 0, freeze: false}`}},
		{Name: "no-tokens", Set: []string{`system.ann.vectors={file: "", keep: all, most: 0, freeze: false}`, "system.ann.network.token_embedding=0"}},
		{Name: "no-characters", Set: []string{noCharacters}},
	}
}

// Ablation contains the results of an ablation study. The keys of its JSON form are stable.
type Ablation struct {
	Study     string           `json:"study"` // "ablate"
	Name      string           `json:"name"`  // of the experiment
	Split     string           `json:"split"`
	Documents int              `json:"documents"` // in the split
	Seeds     []uint64         `json:"seeds"`
	LeftOut   []LeftOut        `json:"left_out"` // networks of the paper that make no sense for the experiment
	By        string           `json:"by"`       // the unit that a test of significance swaps: document or patient
	Shuffles  int              `json:"shuffles"` // maximum over the tests
	Metrics   []AblationMetric `json:"metrics"`
	Types     []AblationTypes  `json:"types"` // for strict and token, or their averages, among the metrics
}

// LeftOut is a variant that was not trained, and why.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// AblationMetric contains the scores of all networks for one metric.
type AblationMetric struct {
	Metric   string    `json:"metric"`
	Networks []Network `json:"networks"` // Full first
}

// Network contains the scores of one variant for one metric.
type Network struct {
	Name    string   `json:"name"`
	Changes []string `json:"changes"` // settings that differ from the experiment
	Score
	// Test compares Full (A) with this network (B); it is nil for Full itself. The counts of each
	// document are summed over all seeds, and the document is swapped as a whole. Swapping each
	// document of each seed separately would treat the errors of several networks in one document
	// as independent, so that any difference would look more certain with more seeds. The scores
	// of Test are computed from the sums, and its p-values are corrected for the whole table.
	Test *significance.Result `json:"test"`
}

// Ablate trains the experiment, the networks of Dernoncourt et al. 2016, section 3.7, that lack a
// part of it, and its own ablations, and tests each against the experiment. If the system is not a
// network, Ablate trains only its own ablations, of which there must be at least one.
func Ablate(ctx context.Context, c *experiments.Config, opt Options) (*Ablation, error) {
	s, err := newStudy("ablate", c, opt)
	if err != nil {
		return nil, err
	}
	variants, left, err := ablations(c)
	if err != nil {
		return nil, err
	}
	gold, err := c.Corpus.Load(s.opt.Split, s.opt.Progress)
	if err != nil {
		return nil, err
	}
	for _, v := range variants {
		if err := c.Corpus.SameSplit(&v.config.Corpus, s.opt.Split); err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
	}
	if s.opt.ByPatient {
		if err := experiments.CheckPatients("the test of significance", gold); err != nil {
			return nil, err
		}
	}
	runs, unexamined := s.train(ctx, variants, func(variant) []*data.Document { return gold })
	if runs == nil {
		return nil, unexamined
	}
	a := &Ablation{Study: s.kind, Name: c.Name, Split: s.opt.Split, Documents: len(gold), Seeds: s.opt.Seeds, LeftOut: left, By: s.by()}
	var tests []*significance.Result
	for _, m := range s.metrics {
		table := AblationMetric{Metric: m.Name}
		var full [][]float64
		for i, v := range variants {
			score, all := s.score(m, gold, runs[i])
			n := Network{Name: v.name, Changes: v.changes, Score: score}
			if i == 0 {
				full = all
			} else if n.Test, err = significance.Test(ctx, full, all, m.Score, s.test()); err != nil {
				return nil, err
			} else {
				n.Test.Metric = m.Name
				tests = append(tests, n.Test)
				a.Shuffles = max(a.Shuffles, n.Test.Shuffles)
			}
			table.Networks = append(table.Networks, n)
		}
		a.Metrics = append(a.Metrics, table)
	}
	a.byType(variants, runs)
	significance.Correct(tests...) // for all networks, metrics and scores together
	if err := write(s.opt.Dir, a); err != nil {
		return nil, err
	}
	return a, unexamined
}

// ablations returns the variants to train, and the variants of the paper that make no sense for
// this experiment.
func ablations(c *experiments.Config) (variants []variant, left []LeftOut, err error) {
	full, err := c.With()
	if err != nil {
		return nil, nil, err
	}
	variants, left = []variant{{name: Full, changes: []string{}, config: full}}, []LeftOut{}
	add := func(a experiments.Ablation) error {
		for _, change := range slices.Concat(a.Without, a.Set) {
			path, _, _ := strings.Cut(change, "=")
			if err := experiments.CheckVaried(path); err != nil {
				return err
			}
		}
		config, err := c.Variant(a)
		if err != nil {
			return err
		}
		if config.Corpus.TypeSet().Difference(full.Corpus.TypeSet()) != "" {
			return errors.New("the type set is another, so the scores cannot be compared")
		}
		for _, v := range variants {
			if key, _, _ := strictyaml.Difference(v.config, config); key == "" {
				return fmt.Errorf("the same network as %s", v.name)
			}
		}
		variants = append(variants, variant{name: a.Name, changes: a.Changes(), config: config})
		return nil
	}
	network := ann.Of(c.System)
	if network == nil && len(c.Ablations) == 0 {
		return nil, nil, errors.New("ablations: required, because the system is not a network whose parts could be left out")
	}
	if network != nil {
		for _, a := range paper(network) {
			if err := add(a); err != nil {
				left = append(left, LeftOut{a.Name, err.Error()})
			}
		}
	}
	for i, a := range c.Ablations {
		for _, v := range variants {
			if v.name == a.Name {
				return nil, nil, fmt.Errorf("ablations[%d].name: %s is already one of the compared networks", i, a.Name)
			}
		}
		if err := add(a); err != nil {
			return nil, nil, fmt.Errorf("ablations[%d] (%s): %w", i, a.Name, err)
		}
	}
	return variants, left, nil
}

func (a *Ablation) tables() []table {
	var all []table
	for i, m := range a.Metrics {
		t := table{
			name:   fileName("scores", m.Metric),
			title:  fmt.Sprintf("%s, %s on %s (%d documents), %s", a.Name, m.Metric, a.Split, a.Documents, overSeeds(a.Seeds)),
			head:   []string{"network", "P", "R", "F1", "F1 - full", "95 % interval", "p of P", "p of R", "p of F1", "Holm"},
			breaks: []int{4},
		}
		for _, n := range m.Networks {
			t.rows = append(t.rows, slices.Concat([]cell{name(n.Name)}, n.cells(), testCells(n.Test)))
		}
		if i == len(a.Metrics)-1 {
			t.legend = []string{
				"F1 - full, its 95 % bootstrap interval and p are of the sums over the seeds.",
				howTested(a.Shuffles, a.By),
				"Holm: p of F1, corrected for all tests of all tables here.",
			}
			for _, l := range a.LeftOut {
				t.legend = append(t.legend, fmt.Sprintf("Left out: %s (%s).", l.Name, l.Reason))
			}
		}
		all = append(all, t)
	}
	return append(all, a.typeTables()...)
}

// testCells returns the difference of F1, its interval, and the p-values of a test; for nil they are blank.
func testCells(t *significance.Result) []cell {
	if t == nil {
		return slices.Repeat([]cell{blank}, 6)
	}
	d := t.F1
	return []cell{difference(d.Difference), between("%+.4f", d.Low, d.High), probability(t.Precision.P), probability(t.Recall.P), probability(d.P), probability(d.Holm)}
}

// charts returns Figure 5 of Dernoncourt et al. 2016 for each metric, and box plots.
func (a *Ablation) charts() map[string]*chart.Chart {
	all := a.boxes()
	for _, m := range a.Metrics {
		var names []string
		var scores []Score
		for _, n := range m.Networks {
			names, scores = append(names, n.Name), append(scores, n.Score)
		}
		c := scoreBars(m.Metric, names, scores)
		c.Title = fmt.Sprintf("%s: ablation, %s on %s", a.Name, m.Metric, a.Split)
		c.Description = fmt.Sprintf("Precision, recall and F1 (%s) of each network, %s. The axis does not begin at 0 where all bars are high.", m.Metric, overSeeds(a.Seeds))
		all[fileName("ablation", m.Metric)] = c
	}
	return all
}

// scoreBars draws the precision, recall and F1 of several systems as bars.
func scoreBars(metric string, names []string, scores []Score) *chart.Chart {
	// The names of many systems do not fit below the bars.
	bars := &chart.Bars{Horizontal: len(names) > 7, Groups: names}
	height := 280.0
	if bars.Horizontal {
		height = 80 + 36*float64(len(names))
	}
	lowest := 1.0
	for _, part := range []struct {
		name string
		of   func(evaluation.PRF) float64
	}{{"precision", precision}, {"recall", recall}, {"F1", f1}} {
		series := chart.Series{Name: part.name}
		for _, s := range scores {
			low, high := s.interval(part.of)
			series.Bars = append(series.Bars, chart.Bar{Value: part.of(s.Mean), Low: low, High: high})
			lowest = min(lowest, part.of(s.Mean)-part.of(s.Deviation))
		}
		bars.Series = append(bars.Series, series)
	}
	// The systems differ in the last percents, so the axis omits the range that all bars share.
	from := 0.0
	if lowest > 0.5 {
		from = 1 - 1.25*(1-lowest)
	}
	return &chart.Chart{Y: chart.Axis{Label: metric, Min: max(0, from), Max: 1}, Bars: bars, Width: 520, Height: height}
}
