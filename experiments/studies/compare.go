package studies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/models"
)

// System is one of the systems that Compare and Cross compare: an experiment, or existing runs of one
// experiment that differ only in their seeds.
type System struct {
	Name   string              // unique among the systems
	Config *experiments.Config // nil if there are Runs
	Runs   []*experiments.Run
}

// NewSystems returns the systems of experiments, which paths name, followed by those of runs. Runs
// that differ only in their seeds belong to the same system (see experiments.SameSystem). A system has
// the name of its experiment, or the last part of the path if several systems have this name: that of the folder
// with all its runs or, if this is also that of another system, of its first run.
func NewSystems(paths []string, configs []*experiments.Config, runs []*experiments.Run) []System {
	var all []System
	var names []string
	paths = slices.Clone(paths)
	for i, c := range configs {
		all, names = append(all, System{Config: c}), append(names, c.Name)
		paths[i] = strings.TrimSuffix(paths[i], filepath.Ext(paths[i]))
	}
	for _, r := range runs {
		at := slices.IndexFunc(all, func(s System) bool { return s.Config == nil && s.has(r) })
		if at < 0 {
			at = len(all)
			path := r.Dir
			if filepath.Base(path) == seedFolder(r.Config.Seed) { // in a study
				path = filepath.Dir(path)
			}
			all, names, paths = append(all, System{}), append(names, r.Config.Name), append(paths, path)
		} else {
			paths[at] = common(paths[at], r.Dir)
		}
		all[at].Runs = append(all[at].Runs, r)
	}
	shared := slices.Clone(paths)
	for i, path := range shared {
		if runs := all[i].Runs; len(runs) > 0 && occurs(shared, path) > 1 {
			paths[i] = runs[0].Dir
		}
	}
	for i, name := range experiments.Distinguished(names, paths) {
		all[i].Name = name
		for n := 2; slices.ContainsFunc(all[:i], func(s System) bool { return s.Name == all[i].Name }); n++ { // a run crf beside crf.yaml
			all[i].Name = fmt.Sprintf("%s-%d", name, n)
		}
	}
	return all
}

// occurs counts how often a path is among others.
func occurs(paths []string, path string) (n int) {
	for _, other := range paths {
		if other == path {
			n++
		}
	}
	return n
}

// has reports whether a run is one of the system, with another seed than its runs. A run of which this is unknown is another system.
func (s System) has(r *experiments.Run) bool {
	return !slices.ContainsFunc(s.Runs, func(o *experiments.Run) bool {
		same, err := experiments.SameSystem(o, r)
		return !same || err != nil || o.Config.Seed == r.Config.Seed
	})
}

// common returns the folder that contains both folders.
func common(a, b string) string {
	for {
		if rest, err := filepath.Rel(a, b); err != nil || filepath.IsLocal(rest) || filepath.Dir(a) == a {
			return a
		}
		a = filepath.Dir(a)
	}
}

// Comparison contains the scores of several systems on the same documents. The keys of its JSON form
// are stable.
type Comparison struct {
	Study     string             `json:"study"` // "compare"
	Split     string             `json:"split"`
	Documents int                `json:"documents"` // in the split
	Systems   []ComparedSystem   `json:"systems"`
	By        string             `json:"by"`       // the unit that a test of significance swaps: document or patient
	Shuffles  int                `json:"shuffles"` // maximum over the tests
	Metrics   []ComparisonMetric `json:"metrics"`
	Types     []ComparisonTypes  `json:"types"` // for strict and token, or their averages, among the metrics
}

// ComparedSystem describes a system.
type ComparedSystem struct {
	Name    string   `json:"name"`
	Seeds   []uint64 `json:"seeds"`
	Differs string   `json:"differs"` // the first key of corpus whose value is not that of the first system; "": none
}

// ComparisonMetric contains the scores of all systems for one metric.
type ComparisonMetric struct {
	Metric  string        `json:"metric"`
	Systems []SystemScore `json:"systems"` // in the order of Comparison.Systems
}

// ComparisonTypes contains the scores of each type, for one of the measures that have types.
type ComparisonTypes struct {
	Metric string           `json:"metric"`
	Types  []ComparisonType `json:"types"` // sorted by name
}

// ComparisonType contains the scores of one type.
type ComparisonType struct {
	Type    string        `json:"type"`
	Gold    int           `json:"gold"` // annotations or tokens in the scored split; if 0, F1 is meaningless
	Systems []SystemScore `json:"systems"`
}

// SystemScore contains the scores of one system.
type SystemScore struct {
	Name string `json:"name"`
	Score
	// Low and High are the 95 % bootstrap interval of F1: how much it would vary on other documents
	// like these, with the same models.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Test compares the first system (A) with this one (B), as Network.Test does; nil for the first.
	// If the systems have different numbers of runs, what a document adds is the mean over the runs.
	Test *significance.Result `json:"test"`
}

// compared is a system with its runs and what they found.
type compared struct {
	System
	gold []*data.Document
	runs []trained
}

// Compare trains the experiments among the systems, and compares the scores of all systems on the
// same documents with those of the first one. It is an error if the documents of the split or their
// annotations are not the same for all systems. opt.Dir may be "" if there is nothing to train; then
// nothing is written.
func Compare(ctx context.Context, systems []System, opt Options) (*Comparison, error) {
	if len(systems) == 0 {
		return nil, errors.New("no system to compare")
	}
	s, err := newStudy("compare", systems[0].config(), opt)
	if err != nil {
		return nil, err
	}
	all, err := s.goldOf(systems)
	if err != nil {
		return nil, err
	}
	unexamined, err := s.runsOf(ctx, all)
	if err != nil {
		return nil, err
	}
	r := &Comparison{Study: s.kind, Split: s.opt.Split, Documents: len(all[0].gold), By: s.by(), Metrics: []ComparisonMetric{}, Types: []ComparisonTypes{}}
	for _, c := range all {
		system := ComparedSystem{Name: c.Name, Seeds: []uint64{}}
		for _, t := range c.runs {
			system.Seeds = append(system.Seeds, t.seed)
		}
		if key, from, to := strictyaml.Difference(&all[0].config().Corpus, &c.config().Corpus); key != "" {
			system.Differs = fmt.Sprintf("corpus.%s: %v, but %v in %s", key, to, from, all[0].Name)
		}
		r.Systems = append(r.Systems, system)
	}
	var tests []*significance.Result
	for _, m := range s.metrics {
		scores, err := s.compare(ctx, m, all)
		if err != nil {
			return nil, err
		}
		r.Metrics = append(r.Metrics, ComparisonMetric{m.Name, scores})
		tests = append(tests, testsOf(scores)...)
	}
	for _, t := range tests {
		r.Shuffles = max(r.Shuffles, t.Shuffles)
	}
	significance.Correct(tests...) // for all systems, metrics and scores together
	if err := s.compareTypes(ctx, r, all); err != nil {
		return nil, err
	}
	if s.opt.Dir != "" {
		if err := write(s.opt.Dir, r); err != nil {
			return nil, err
		}
	}
	return r, unexamined
}

// config returns the experiment of a system.
func (s System) config() *experiments.Config {
	if s.Config != nil {
		return s.Config
	}
	return s.Runs[0].Config
}

// load reads a split of the system's corpus. For runs, it is an error if the split is a part of the notes given as train and no longer the same.
func (s System) load(split string, progress models.Progress) ([]*data.Document, error) {
	if s.Config != nil {
		return s.Config.Corpus.Load(split, progress)
	}
	if err := s.config().Corpus.CheckSplit(split); err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	return s.Runs[0].Gold(split, progress)
}

// goldOf reads the documents of each system, which must be the same.
func (s *study) goldOf(systems []System) ([]compared, error) {
	var all []compared
	for i, system := range systems {
		c := compared{System: system}
		corpus, first := &system.config().Corpus, &systems[0].config().Corpus
		if differs := first.TypeSet().Difference(corpus.TypeSet()); differs != "" {
			return nil, fmt.Errorf("%s and %s have different type sets, %s, so their scores cannot be compared (lethe cross translates types)",
				systems[0].Name, system.Name, differs)
		}
		if err := corpus.CheckSplit(s.opt.Split); err != nil {
			hint := ""
			if corpus.CheckSplit(experiments.TestSplit) == nil {
				hint = ": compare the systems on --split " + experiments.TestSplit
			}
			return nil, fmt.Errorf("%s: the corpus has %w%s", system.Name, err, hint)
		}
		if key, _, _ := strictyaml.Difference(first, corpus); i > 0 && key == "" {
			c.gold = all[0].gold
			if len(system.Runs) > 0 {
				if err := system.Runs[0].SameNotes(s.opt.Split, s.opt.Progress); err != nil {
					return nil, fmt.Errorf("%s: %w", system.Name, err)
				}
			}
		} else {
			var err error
			if c.gold, err = system.load(s.opt.Split, s.opt.Progress); err != nil {
				return nil, fmt.Errorf("%s: %w", system.Name, err)
			}
		}
		all = append(all, c)
		if err := sameDocuments(all[0], c); err != nil {
			return nil, fmt.Errorf("split %s: %w", s.opt.Split, err)
		}
	}
	if s.opt.ByPatient {
		if err := experiments.CheckPatients("the tests of significance", all[0].gold); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sameDocuments returns an error unless two systems are scored on the same documents.
func sameDocuments(a, b compared) error {
	if len(a.gold) != len(b.gold) {
		return fmt.Errorf("%d documents of %s and %d of %s: only scores on the same documents can be compared", len(a.gold), a.Name, len(b.gold), b.Name)
	}
	spans := func(d *data.Document) []data.Span {
		sorted := slices.Clone(d.Spans)
		for i := range sorted {
			sorted[i] = data.Span{Start: sorted[i].Start, End: sorted[i].End, Type: sorted[i].Type}
		}
		slices.SortFunc(sorted, func(a, b data.Span) int {
			if c := a.Start - b.Start; c != 0 {
				return c
			}
			if c := a.End - b.End; c != 0 {
				return c
			}
			return strings.Compare(a.Type, b.Type)
		})
		return sorted
	}
	for i, d := range a.gold {
		other := b.gold[i]
		what := ""
		switch {
		case d.ID != other.ID:
			return fmt.Errorf("document %d is %q for %s and %q for %s: only scores on the same documents can be compared", i+1, d.ID, a.Name, other.ID, b.Name)
		case d.Text != other.Text:
			what = "text"
		case !slices.Equal(spans(d), spans(other)):
			what = "gold standard"
		}
		if what != "" {
			return fmt.Errorf("document %q does not have the same %s for %s and %s: only scores on the same documents can be compared", d.ID, what, a.Name, b.Name)
		}
	}
	return nil
}

// runsOf trains the experiments and reads the predictions of all systems. unexamined is about notes
// without output.
func (s *study) runsOf(ctx context.Context, all []compared) (unexamined, err error) {
	var variants []variant
	at := map[string]int{}
	for i, c := range all {
		if c.Config == nil {
			continue
		}
		config, err := c.Config.With()
		if err != nil {
			return nil, err
		}
		v := variant{name: c.Name, config: config}
		if len(s.own) == 0 && len(c.Config.Seeds) > 0 {
			v.seeds = c.Config.Seeds
		}
		variants, at[c.Name] = append(variants, v), i
	}
	if len(variants) > 0 {
		if s.opt.Dir == "" {
			return nil, errors.New("a folder is required for the runs")
		}
		runs, notes := s.train(ctx, variants, func(v variant) []*data.Document { return all[at[v.name]].gold })
		if runs == nil {
			return nil, notes
		}
		unexamined = notes
		for i, v := range variants {
			all[at[v.name]].runs = runs[i]
		}
	}
	for i, c := range all {
		for _, r := range c.Runs {
			t, err := s.read(r, c.gold)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			all[i].runs = append(all[i].runs, t)
		}
	}
	return unexamined, nil
}

// compare scores all systems by one metric, and tests each against the first.
func (s *study) compare(ctx context.Context, m evaluation.Metric, all []compared) ([]SystemScore, error) {
	equal := !slices.ContainsFunc(all, func(c compared) bool { return len(c.runs) != len(all[0].runs) })
	var scores []SystemScore
	var first [][]float64
	for i, c := range all {
		score, units := s.score(m, c.gold, c.runs)
		if !equal {
			for _, unit := range units {
				for k := range unit {
					unit[k] /= float64(len(c.runs))
				}
			}
		}
		result := SystemScore{Name: c.Name, Score: score}
		var err error
		if result.Low, result.High, err = significance.Interval(ctx, units, func(total []float64) float64 { return m.Score(total).F1 }, s.test()); err != nil {
			return nil, err
		}
		if i == 0 {
			first = units
		} else if result.Test, err = significance.Test(ctx, first, units, m.Score, s.test()); err != nil {
			return nil, err
		} else {
			result.Test.Metric = m.Name
		}
		scores = append(scores, result)
	}
	return scores, nil
}

func testsOf(scores []SystemScore) (all []*significance.Result) {
	for _, s := range scores {
		if s.Test != nil {
			all = append(all, s.Test)
		}
	}
	return all
}

// compareTypes scores the types for each measure with types among the metrics. Their p-values are
// corrected for all types of a measure.
func (s *study) compareTypes(ctx context.Context, r *Comparison, all []compared) error {
	for _, m := range r.Metrics {
		measure := measureOf(m.Metric)
		counts := typed[measure]
		if counts == nil || slices.ContainsFunc(r.Types, func(t ComparisonTypes) bool { return t.Metric == measure }) {
			continue
		}
		gold := map[string]int{}
		for _, c := range all {
			for _, t := range c.runs {
				for typ, n := range counts(t.report) {
					gold[typ] = n.TP + n.FN
				}
			}
		}
		table := ComparisonTypes{Metric: measure, Types: []ComparisonType{}}
		var tests []*significance.Result
		for _, typ := range slices.Sorted(maps.Keys(gold)) {
			metric, err := metrics.Lookup(measure+"/"+typ, all[0].config().Corpus.TypeSet())
			if err != nil {
				return err
			}
			scores, err := s.compare(ctx, metric, all)
			if err != nil {
				return err
			}
			table.Types = append(table.Types, ComparisonType{typ, gold[typ], scores})
			tests = append(tests, testsOf(scores)...)
		}
		significance.Correct(tests...)
		r.Types = append(r.Types, table)
	}
	return nil
}

// WriteText writes the study's tables.
func (r *Comparison) WriteText(w io.Writer) error { return writeText(w, r) }

func (r *Comparison) tables() []table {
	if len(r.Systems) == 0 { // decoded from an unrelated file
		return nil
	}
	first := r.Systems[0].Name
	var all []table
	for i, m := range r.Metrics {
		t := table{
			name:  fileName("scores", m.Metric),
			title: fmt.Sprintf("%s on %s (%d documents), %s", m.Metric, r.Split, r.Documents, r.overSeeds()),
			head:  []string{"system", "P", "R", "F1", "95 % interval"},
		}
		if len(r.Systems) > 1 {
			t.breaks = []int{len(t.head)}
			t.head = append(t.head, "F1 - "+first, "its 95 % interval", "p of P", "p of R", "p of F1", "Holm")
		}
		for _, s := range m.Systems {
			row := slices.Concat([]cell{name(s.Name)}, s.cells(), []cell{between("%.4f", s.Low, s.High)})
			if len(r.Systems) > 1 {
				row = append(row, testCells(s.Test)...)
			}
			t.rows = append(t.rows, row)
		}
		if i == len(r.Metrics)-1 {
			t.legend = r.legend()
		}
		all = append(all, t)
	}
	for _, m := range r.Types {
		t := table{
			name:  fileName("types", m.Metric),
			title: fmt.Sprintf("F1 by type, %s on %s, %s", m.Metric, r.Split, r.overSeeds()),
			head:  []string{"type", "in " + r.Split},
		}
		for i, s := range r.Systems {
			t.breaks = append(t.breaks, len(t.head))
			t.head = append(t.head, s.Name)
			if i > 0 {
				of := "" // names of columns differ, for programs that read the CSV
				if len(r.Systems) > 2 {
					of = " of " + s.Name
				}
				t.head = append(t.head, s.Name+" - "+first, "p"+of, "Holm"+of)
			}
		}
		for _, typ := range m.Types {
			row := []cell{name(typ.Type), count(typ.Gold)}
			for _, s := range typ.Systems {
				row = append(row, s.cell(f1))
				if s.Test != nil {
					row = append(row, difference(s.Test.F1.Difference), probability(s.Test.F1.P), probability(s.Test.F1.Holm))
				}
			}
			t.rows = append(t.rows, row)
		}
		if len(r.Systems) > 1 {
			t.legend = []string{"p is of F1; Holm is corrected for all types of this table."}
		}
		all = append(all, t)
	}
	return all
}

// overSeeds says in words over which seeds the scores are computed.
func (r *Comparison) overSeeds() string {
	for _, s := range r.Systems[1:] {
		if !slices.Equal(s.Seeds, r.Systems[0].Seeds) {
			return "mean ± standard deviation over the seeds of each system"
		}
	}
	return overSeeds(r.Systems[0].Seeds)
}

// howTested says how p was found. There are no shuffles if there is nothing to swap.
func howTested(shuffles int, by string) string {
	if shuffles == 0 {
		return fmt.Sprintf("p is 1, because the results of no %s differ.", by)
	}
	return fmt.Sprintf("p: approximate randomization, two-sided, %d shuffles, each %s swapped with all seeds at once.", shuffles, by)
}

func (r *Comparison) legend() []string {
	lines := []string{"The 95 % intervals are bootstrap intervals over the " + r.By + "s."}
	if len(r.Systems) > 1 {
		lines = append(lines,
			fmt.Sprintf("The difference from %s, its interval and p are of the sums over the seeds.", r.Systems[0].Name),
			howTested(r.Shuffles, r.By),
			"Holm: p of F1, corrected for all tests of all systems and metrics.")
	}
	for i, s := range r.Systems {
		if !slices.Equal(s.Seeds, r.Systems[0].Seeds) || i == 0 && r.overSeeds() != overSeeds(s.Seeds) {
			lines = append(lines, fmt.Sprintf("%s: seeds %s.", s.Name, strings.Trim(fmt.Sprint(s.Seeds), "[]")))
		}
		if s.Differs != "" {
			lines = append(lines, fmt.Sprintf("%s: %s.", s.Name, s.Differs))
		}
	}
	return lines
}

// charts returns the scores as bars, for each metric.
func (r *Comparison) charts() map[string]*chart.Chart {
	all := map[string]*chart.Chart{}
	for _, m := range r.Metrics {
		var names []string
		var scores []Score
		for _, s := range m.Systems {
			names, scores = append(names, s.Name), append(scores, s.Score)
		}
		c := scoreBars(m.Metric, names, scores)
		c.Title = fmt.Sprintf("%s on %s", m.Metric, r.Split)
		c.Description = fmt.Sprintf("Precision, recall and F1 (%s) of each system, %s. The axis does not begin at 0 where all bars are high.", m.Metric, r.overSeeds())
		all[fileName("compare", m.Metric)] = c
	}
	return all
}
