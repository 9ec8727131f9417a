package studies

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
)

// CrossValidation contains the results of a cross-validation. The keys of its JSON form are stable.
type CrossValidation struct {
	Study     string             `json:"study"` // "crossval"
	Name      string             `json:"name"`  // of the experiment
	Folds     int                `json:"folds"`
	By        string             `json:"by"`        // the unit of the folds: document or patient
	Documents int                `json:"documents"` // in all folds together, which is all of train
	Seeds     []uint64           `json:"seeds"`
	Metrics   []CrossValidMetric `json:"metrics"`
	// Types contains strict precision, recall and F1 by type, over the documents of all folds.
	Types []TypeScore `json:"types"`
	// Tokens contains the same of tokens (Zuccon et al. 2014, Table 5).
	Tokens []TypeScore `json:"tokens"`
}

// CrossValidMetric contains the scores of all folds for one metric.
type CrossValidMetric struct {
	Metric string `json:"metric"`
	Folds  []Fold `json:"folds"`
	// Each has one score per fold: the mean over the seeds. Models of several seeds with the same fold are not independent, so that their scores
	// one by one would make the deviation smaller than that over the folds.
	Each Score `json:"each"`
	// Pooled has one score per seed, for the documents of all folds as one corpus.
	Pooled Score `json:"pooled"`
}

// Fold describes one fold.
type Fold struct {
	Number    int `json:"number"`    // from 1
	Documents int `json:"documents"` // in its test set
	Score
}

// TypeScore contains the scores of one type over the seeds.
type TypeScore struct {
	Type      string  `json:"type"`
	Instances float64 `json:"instances"` // spans or tokens in the gold standard
	Score
}

// foldHoldOut is the share of its training documents that a fold uses as dev if the system needs dev
// and the experiment configures no hold-out, as in the paper's configurations.
const foldHoldOut = 0.1

// CrossValidate divides the training documents into the given number of folds and tests on each
// fold a system that is trained on the others. If the system needs dev to choose the best epoch, a
// tenth of these others, or the part that corpus.hold_out says, serves as dev, so that no tested
// document has had any influence. Splits that corpus.merge does not add to train are not used. by is document or patient; patient keeps all documents of a patient
// together. The corpus's seed decides which documents belong to which fold.
func CrossValidate(ctx context.Context, c *experiments.Config, folds int, by string, opt Options) (*CrossValidation, error) {
	s, err := newStudy("crossval", c, opt)
	if err != nil {
		return nil, err
	}
	variants, gold, err := s.folds(folds, by)
	if err != nil {
		return nil, err
	}
	runs, unexamined := s.train(ctx, variants, func(v variant) []*data.Document { return gold[v.name] })
	if runs == nil {
		return nil, unexamined
	}
	r := &CrossValidation{Study: s.kind, Name: c.Name, Folds: folds, By: by, Seeds: s.opt.Seeds}
	for _, docs := range gold {
		r.Documents += len(docs)
	}
	for _, m := range s.metrics {
		table := CrossValidMetric{Metric: m.Name}
		total := make([][][]float64, len(s.opt.Seeds)) // tallies of each fold, by seed
		var each []evaluation.PRF
		for i, v := range variants {
			var scores []evaluation.PRF
			for k, t := range runs[i] {
				added := evaluation.Sum(m.Tallies(gold[v.name], t.found))
				total[k] = append(total[k], added)
				scores = append(scores, m.Score(added))
			}
			fold := Fold{i + 1, len(gold[v.name]), Summarize(scores)}
			each = append(each, fold.Mean)
			table.Folds = append(table.Folds, fold)
		}
		var pooled []evaluation.PRF
		for _, t := range total {
			pooled = append(pooled, m.Score(evaluation.Sum(t)))
		}
		table.Each, table.Pooled = Summarize(each), Summarize(pooled)
		r.Metrics = append(r.Metrics, table)
	}
	strict, tokens := make([]map[string]evaluation.Counts, len(s.opt.Seeds)), make([]map[string]evaluation.Counts, len(s.opt.Seeds))
	for _, fold := range runs {
		for k, t := range fold {
			strict[k] = plus(strict[k], t.report.Strict.Types)
			tokens[k] = plus(tokens[k], t.report.Token.Types)
		}
	}
	r.Types, r.Tokens = typeScores(strict), typeScores(tokens)
	if err := write(s.opt.Dir, r); err != nil {
		return nil, err
	}
	return r, unexamined
}

// folds returns the variants of a cross-validation and the documents to test each on.
func (s *study) folds(k int, by string) (variants []variant, gold map[string][]*data.Document, err error) {
	c, err := s.config.With()
	if err != nil {
		return nil, nil, err
	}
	if c.Corpus.Fold.Of > 0 {
		return nil, nil, errors.New("corpus.fold: must not be set, because a cross-validation sets it: take it away with --set corpus.fold=null")
	}
	for _, split := range []string{experiments.DevSplit, experiments.TestSplit} {
		if !slices.Contains(c.Corpus.Merge, split) {
			delete(c.Corpus.Splits, split)
			delete(c.Corpus.Notes, split)
		}
	}
	if c.Corpus.HoldOut.Fraction == 0 && c.System.NeedsDev() {
		c.Corpus.HoldOut = experiments.HoldOut{Fraction: foldHoldOut, By: by}
	}
	s.opt.Split = experiments.TestSplit
	gold = map[string][]*data.Document{}
	for number := 1; number <= k; number++ {
		config, err := c.Changed(func(c *experiments.Config) { c.Corpus.Fold = experiments.Fold{Number: number, Of: k, By: by} })
		if err != nil {
			return nil, nil, err
		}
		v := variant{name: fmt.Sprintf("fold-%d-of-%d", number, k), config: config}
		variants = append(variants, v)
		if gold[v.name], err = config.Corpus.Load(experiments.TestSplit, s.opt.Progress); err != nil {
			return nil, nil, err
		}
	}
	return variants, gold, nil
}

// plus adds up counts by type.
func plus(a, b map[string]evaluation.Counts) map[string]evaluation.Counts {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]evaluation.Counts{}
	}
	for t, c := range b {
		all[t] = all[t].Plus(c)
	}
	return all
}

// typeScores computes scores, sorted by type, from one map of counts by type per seed.
func typeScores(bySeed []map[string]evaluation.Counts) []TypeScore {
	names := map[string]bool{}
	for _, counts := range bySeed {
		for t := range counts {
			names[t] = true
		}
	}
	all := []TypeScore{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var runs []evaluation.PRF
		instances := 0
		for _, counts := range bySeed {
			c := counts[name]
			instances += c.TP + c.FN
			runs = append(runs, evaluation.PRF{Precision: c.Precision(), Recall: c.Recall(), F1: c.F1()})
		}
		all = append(all, TypeScore{name, float64(instances) / float64(len(bySeed)), Summarize(runs)})
	}
	return all
}

func (r *CrossValidation) tables() []table {
	var all []table
	for _, m := range r.Metrics {
		t := table{
			name:  fileName("scores", m.Metric),
			title: fmt.Sprintf("%s, %s, %d folds by %s (%d documents), %s", r.Name, m.Metric, r.Folds, r.By, r.Documents, overSeeds(r.Seeds)),
			head:  []string{"fold", "documents", "P", "R", "F1"},
		}
		for _, f := range m.Folds {
			t.rows = append(t.rows, append([]cell{count(f.Number), count(f.Documents)}, f.cells()...))
		}
		t.rows = append(t.rows,
			append([]cell{name("mean ± deviation"), blank}, m.Each.cells()...),
			append([]cell{name("pooled"), count(r.Documents)}, m.Pooled.cells()...))
		if len(r.Seeds) > 1 {
			t.legend = []string{"mean ± deviation: over the folds, of the means over the seeds. The other deviations are over the seeds."}
		}
		all = append(all, t)
	}
	return append(all, foldTypes("types-strict", "Strict", "instances", r.Types), foldTypes("types-token", "Tokens", "tokens", r.Tokens))
}

// foldTypes returns the table of scores by type. unit names what the scores count.
func foldTypes(file, title, unit string, scores []TypeScore) table {
	types := table{name: file, title: title + ", by type, the documents of all folds taken as one corpus", head: []string{"type", unit, "P", "R", "F1"}}
	for _, t := range scores {
		types.rows = append(types.rows, append([]cell{name(t.Type), quantity(t.Instances)}, t.cells()...))
	}
	return types
}

func (r *CrossValidation) charts() map[string]*chart.Chart { return nil }
