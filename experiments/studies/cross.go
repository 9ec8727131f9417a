package studies

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/models"
)

// CrossOptions are the options of Cross.
type CrossOptions struct {
	Map      *data.TypeMap         // applied to the gold standard and to the predictions; nil: none
	On       []*experiments.Config // corpora to test on besides the runs' own
	Split    string                // "": test
	Metrics  []string              // names; empty: the default of metrics.LookupAll
	Dir      string                // folder for the tables; "": none
	Workers  int                   // cores to use
	Progress models.Progress
}

// Crossing contains the scores of each model on each corpus. The keys of its JSON form are stable.
type Crossing struct {
	Study   string           `json:"study"` // "cross"
	Map     string           `json:"map"`   // name of the type map; "": none
	Split   string           `json:"split"`
	Metrics []string         `json:"metrics"`
	Corpora []CrossingCorpus `json:"corpora"`
	Cells   []CrossingCell   `json:"cells"` // sorted by model, then by corpus
}

// CrossingCorpus is a corpus to test on.
type CrossingCorpus struct {
	Name      string       `json:"name"`
	Documents int          `json:"documents"`
	LeftOut   data.MapCounts `json:"left_out"` // spans of the gold standard that the map removed
}

// CrossingCell contains the scores of one model on one corpus.
type CrossingCell struct {
	Train   string                       `json:"train"` // the experiment of the model
	Test    string                       `json:"test"`  // the experiment of the corpus
	Scores  map[string]evaluation.PRF    `json:"scores"`
	Types   map[string]evaluation.Counts `json:"types"`    // strict, by type
	Tokens  map[string]evaluation.Counts `json:"tokens"`   // tokens, by type
	LeftOut data.MapCounts                 `json:"left_out"` // predicted spans that the map removed
}

// Cross tests the model of each run on a split of the corpus of each run and of each experiment in
// opt.On (Zuccon et al. 2014, Table 6). A type map is required unless all have the same type set.
func Cross(ctx context.Context, runs []*experiments.Run, opt CrossOptions) (*Crossing, error) {
	if opt.Split == "" {
		opt.Split = experiments.TestSplit
	}
	result := &Crossing{Study: "cross", Split: opt.Split, Metrics: opt.Metrics}
	if opt.Map != nil {
		result.Map = opt.Map.Name
	}
	var configs []*experiments.Config
	for _, r := range runs {
		configs = append(configs, r.Config)
	}
	configs = append(configs, opt.On...)
	types, err := opt.types(configs)
	if err != nil {
		return nil, err
	}
	scores, err := metrics.LookupAll(opt.Metrics, types)
	if err != nil {
		return nil, err
	}
	result.Metrics = nil
	for _, m := range scores {
		result.Metrics = append(result.Metrics, m.Name)
	}
	var gold [][]*data.Document
	for i, c := range configs {
		if slices.ContainsFunc(configs[:i], func(o *experiments.Config) bool { return o.Name == c.Name }) {
			return nil, fmt.Errorf("two experiments are named %s: the table could not distinguish them", c.Name)
		}
		docs, err := c.Corpus.Load(opt.Split, opt.Progress)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		corpus := CrossingCorpus{Name: c.Name, Documents: len(docs)}
		if docs, err = opt.mapped(docs, &corpus.LeftOut); err != nil {
			return nil, err
		}
		gold, result.Corpora = append(gold, docs), append(result.Corpora, corpus)
	}
	for _, r := range runs {
		model, err := models.Open(r.Dir, opt.Workers)
		if err != nil {
			return nil, err
		}
		for i, c := range configs {
			cell := CrossingCell{Train: r.Config.Name, Test: c.Name, Scores: map[string]evaluation.PRF{}}
			var found []*data.Document
			if err := models.Apply(ctx, model, data.Each(gold[i]), models.Stream{
				Use: func(_, doc *data.Document) error {
					format.Fit(c.Corpus.Format, doc) // as predict does
					found = append(found, doc)
					return nil
				},
				Stage: fmt.Sprintf("%s on %s", cell.Train, cell.Test), Total: len(gold[i]), Progress: opt.Progress,
			}); err != nil {
				return nil, err
			}
			if found, err = opt.mapped(found, &cell.LeftOut); err != nil {
				return nil, err
			}
			if err := cell.score(scores, gold[i], found); err != nil {
				return nil, err
			}
			result.Cells = append(result.Cells, cell)
		}
	}
	if opt.Dir == "" {
		return result, nil
	}
	return result, write(opt.Dir, result)
}

// types returns the type set of both sides after the mapping.
func (o CrossOptions) types(configs []*experiments.Config) (*data.TypeSet, error) {
	if o.Map != nil {
		if o.Map.Types != nil {
			return o.Map.Types, nil
		}
		return data.Any, nil
	}
	types := configs[0].Corpus.TypeSet()
	for _, c := range configs {
		if differs := types.Difference(c.Corpus.TypeSet()); differs != "" {
			return nil, fmt.Errorf("%s and %s have different type sets, %s: a type map must say how they compare (have %s)",
				configs[0].Name, c.Name, differs, strings.Join(data.TypeMapNames(), ", "))
		}
	}
	return types, nil
}

func (o CrossOptions) mapped(docs []*data.Document, left *data.MapCounts) ([]*data.Document, error) {
	if o.Map == nil {
		*left = data.MapCounts{Dropped: map[string]int{}, Unknown: map[string]int{}}
		return docs, nil
	}
	return data.Collect(o.Map.Apply(data.Each(docs), left))
}

func (c *CrossingCell) score(all []evaluation.Metric, gold, found []*data.Document) error {
	report, err := evaluation.Compare(data.Each(gold), data.Each(found))
	if err != nil {
		return err
	}
	c.Types, c.Tokens = report.Strict.Types, report.Token.Types
	for _, m := range all {
		c.Scores[m.Name] = m.Score(evaluation.Sum(m.Tallies(gold, found)))
	}
	return nil
}

func (c *Crossing) cell(train, test string) *CrossingCell {
	return &c.Cells[slices.IndexFunc(c.Cells, func(x CrossingCell) bool { return x.Train == train && x.Test == test })]
}

func (c *Crossing) tables() []table {
	var trained, tested []string
	for _, cell := range c.Cells {
		if !slices.Contains(trained, cell.Train) {
			trained = append(trained, cell.Train)
		}
	}
	for _, corpus := range c.Corpora {
		tested = append(tested, corpus.Name)
	}
	by := "types as they are"
	if c.Map != "" {
		by = "types by the map " + c.Map
	}
	var all []table
	for _, m := range c.Metrics {
		t := table{title: fmt.Sprintf("%s F1 on %s, %s", m, c.Split, by), head: []string{"trained on, tested on"}}
		t.head = append(t.head, tested...)
		for _, train := range trained {
			row := []string{train}
			for _, test := range tested {
				row = append(row, fmt.Sprintf("%.4f", c.cell(train, test).Scores[m].F1))
			}
			t.rows = append(t.rows, row)
		}
		all = append(all, t)
	}
	all = append(all,
		c.typeTable("Strict F1 by type, and in brackets how many there are in the gold standard", func(cell CrossingCell) map[string]evaluation.Counts { return cell.Types }),
		c.typeTable("Token F1 by type, and in brackets how many tokens there are in the gold standard", func(cell CrossingCell) map[string]evaluation.Counts { return cell.Tokens }))
	var lines []string
	for _, corpus := range c.Corpora {
		lines = append(lines, corpus.LeftOut.Lines("the gold standard of "+corpus.Name)...)
	}
	for _, cell := range c.Cells {
		lines = append(lines, cell.LeftOut.Lines(fmt.Sprintf("what %s found in %s", cell.Train, cell.Test))...)
	}
	all[len(all)-1].legend = lines
	return all
}

// typeTable returns the table of F1 by type in each cell.
func (c *Crossing) typeTable(title string, counts func(CrossingCell) map[string]evaluation.Counts) table {
	types := table{title: title, head: []string{"type"}}
	names := map[string]bool{}
	for _, cell := range c.Cells {
		types.head = append(types.head, cell.Train+" on "+cell.Test)
		for t := range counts(cell) {
			names[t] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		row := []string{name}
		for _, cell := range c.Cells {
			n := counts(cell)[name]
			row = append(row, fmt.Sprintf("%.4f (%d)", n.F1(), n.TP+n.FN))
		}
		types.rows = append(types.rows, row)
	}
	return types
}

func (c *Crossing) charts() map[string]*chart.Chart { return nil }
