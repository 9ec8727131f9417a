package studies

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/models"
)

// CrossOptions are the options of Cross.
type CrossOptions struct {
	Map      *data.TypeMap // applied to the gold standard and to the predictions; nil: none
	Split    string        // "": test
	Metrics  []string      // names; empty: the default of metrics.LookupAll
	Dir      string        // folder for the tables; "": none
	Workers  int           // cores to use
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
	// Unknown says of which models the training notes are not known, and why, so that some of them may be among the tested ones.
	Unknown []string `json:"unknown,omitempty"`
}

// CrossingCorpus is a corpus to test on.
type CrossingCorpus struct {
	Name      string         `json:"name"`
	Documents int            `json:"documents"`
	Also      []string       `json:"also,omitempty"` // other systems with this corpus
	LeftOut   data.MapCounts `json:"left_out"`       // spans of the gold standard that the map removed
}

// CrossingCell contains the scores of the models of one system on one corpus.
type CrossingCell struct {
	Train   string                       `json:"train"` // the system
	Test    string                       `json:"test"`  // the corpus
	Seeds   []uint64                     `json:"seeds"` // of the models
	Scores  map[string]CrossingScore     `json:"scores"`
	Types   map[string]evaluation.Counts `json:"types"`    // strict, by type, summed over the models
	Tokens  map[string]evaluation.Counts `json:"tokens"`   // tokens, by type, summed over the models
	LeftOut data.MapCounts               `json:"left_out"` // predicted spans that the map removed
	// Known are the notes of the corpus that the models were trained on, by model, as far as their run folders tell: the scores are too high.
	Known []check.Known `json:"known,omitempty"`
}

// CrossingScore contains the scores of all models of a system: their mean, and the rest.
type CrossingScore struct {
	evaluation.PRF
	Deviation evaluation.PRF   `json:"deviation"`
	Runs      []evaluation.PRF `json:"runs"` // in the order of the seeds
}

// Cross tests the models of each system with runs on a split of the corpus of each system (Zuccon et
// al. 2014, Table 6). Other systems only have a corpus. A corpus of several systems is tested once. A
// type map is required unless all have the same type set.
func Cross(ctx context.Context, systems []System, opt CrossOptions) (*Crossing, error) {
	if opt.Split == "" {
		opt.Split = experiments.TestSplit
	}
	result := &Crossing{Study: "cross", Split: opt.Split}
	if opt.Map != nil {
		result.Map = opt.Map.Name
	}
	systems = slices.Clone(systems)
	slices.SortStableFunc(systems, func(a, b System) int { return cmp.Compare(min(1, len(b.Runs)), min(1, len(a.Runs))) })
	types, err := opt.types(systems)
	if err != nil {
		return nil, err
	}
	var gold [][]*data.Document
	var corpora []*experiments.Corpus
	for _, system := range systems {
		c := &system.config().Corpus
		if at := slices.IndexFunc(corpora, func(o *experiments.Corpus) bool { key, _, _ := strictyaml.Difference(o, c); return key == "" }); at >= 0 {
			if len(system.Runs) > 0 {
				if err := system.Runs[0].SameNotes(opt.Split, opt.Progress); err != nil {
					return nil, fmt.Errorf("%s: %w", system.Name, err)
				}
			}
			result.Corpora[at].Also = append(result.Corpora[at].Also, system.Name)
			continue
		}
		docs, err := system.load(opt.Split, opt.Progress)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", system.Name, err)
		}
		corpus := CrossingCorpus{Name: system.Name, Documents: len(docs)}
		if docs, err = opt.mapped(docs, &corpus.LeftOut); err != nil {
			return nil, err
		}
		gold, corpora, result.Corpora = append(gold, docs), append(corpora, c), append(result.Corpora, corpus)
	}
	scores, err := metrics.LookupAll(opt.Metrics, types.WithTypes(slices.Concat(gold...)))
	if err != nil {
		return nil, err
	}
	for _, m := range scores {
		result.Metrics = append(result.Metrics, m.Name)
	}
	for _, system := range systems {
		if len(system.Runs) == 0 {
			continue
		}
		learned, err := system.Runs[0].TrainedOn(opt.Progress)
		if err != nil {
			return nil, err
		}
		for _, from := range learned {
			if from.Err != nil {
				result.Unknown = append(result.Unknown, fmt.Sprintf("The notes that %s was trained on are not known, so some may be among the tested ones, and the scores of %s too high: %v.", from.Model, system.Name, from.Err))
			}
		}
		var opened []*models.Model
		for _, r := range system.Runs {
			model, err := models.Open(r.Dir, opt.Workers)
			if err != nil {
				return nil, err
			}
			opened = append(opened, model)
		}
		for i, c := range corpora {
			cell := CrossingCell{Train: system.Name, Test: result.Corpora[i].Name, LeftOut: data.MapCounts{Dropped: map[string]int{}, Unknown: map[string]int{}}}
			for _, from := range learned {
				if known := from.Among(gold[i]); known.Notes > 0 {
					cell.Known = append(cell.Known, known)
				}
			}
			var all [][]*data.Document // found by each model
			for k, model := range opened {
				found, err := opt.apply(ctx, model, gold[i], c.Format, fmt.Sprintf("%s on %s", cell.Train, cell.Test))
				if err != nil {
					return nil, err
				}
				var left data.MapCounts
				if found, err = opt.mapped(found, &left); err != nil {
					return nil, err
				}
				addTo(cell.LeftOut.Dropped, left.Dropped)
				addTo(cell.LeftOut.Unknown, left.Unknown)
				cell.Seeds, all = append(cell.Seeds, system.Runs[k].Config.Seed), append(all, found)
			}
			if err := cell.score(scores, gold[i], all); err != nil {
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

// apply returns the documents with what a model finds in them.
func (o CrossOptions) apply(ctx context.Context, model *models.Model, docs []*data.Document, name, stage string) (found []*data.Document, err error) {
	return found, models.Apply(ctx, model, data.Each(docs), models.Stream{
		Use: func(_, doc *data.Document) error {
			format.Fit(name, doc) // as predict does
			found = append(found, doc)
			return nil
		},
		Stage: stage, Total: len(docs), Progress: o.Progress,
	})
}

// addTo adds counts to others.
func addTo(total, counts map[string]int) {
	for key, n := range counts {
		total[key] += n
	}
}

// types returns the type set of both sides after the mapping.
func (o CrossOptions) types(systems []System) (*data.TypeSet, error) {
	if o.Map != nil {
		if o.Map.Types != nil {
			return o.Map.Types, nil
		}
		return data.Any, nil
	}
	first := systems[0].config().Corpus.TypeSet()
	for _, s := range systems {
		if differs := first.Difference(s.config().Corpus.TypeSet()); differs != "" {
			return nil, fmt.Errorf("%s and %s have different type sets, %s: a type map must say how they compare (have %s)",
				systems[0].Name, s.Name, differs, strings.Join(data.TypeMapNames(), ", "))
		}
	}
	return first, nil
}

func (o CrossOptions) mapped(docs []*data.Document, left *data.MapCounts) ([]*data.Document, error) {
	if o.Map == nil {
		*left = data.MapCounts{Dropped: map[string]int{}, Unknown: map[string]int{}}
		return docs, nil
	}
	return data.Collect(o.Map.Apply(data.Each(docs), left))
}

// score scores what the models of the cell found.
func (c *CrossingCell) score(all []evaluation.Metric, gold []*data.Document, found [][]*data.Document) error {
	for _, docs := range found {
		report, err := evaluation.Compare(data.Each(gold), data.Each(docs))
		if err != nil {
			return err
		}
		c.Types, c.Tokens = plus(c.Types, report.Strict.Types), plus(c.Tokens, report.Token.Types)
	}
	c.Scores = map[string]CrossingScore{}
	for _, m := range all {
		var runs []evaluation.PRF
		for _, docs := range found {
			runs = append(runs, m.Score(evaluation.Sum(m.Tallies(gold, docs))))
		}
		s := Summarize(runs)
		c.Scores[m.Name] = CrossingScore{s.Mean, s.Deviation, s.Runs}
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
		t := table{name: fileName("scores", m), title: fmt.Sprintf("%s F1 on %s, %s", m, c.Split, by), head: []string{"trained on, tested on"}}
		t.head = append(t.head, tested...)
		for _, train := range trained {
			row := []cell{name(train)}
			for _, test := range tested {
				s := c.cell(train, test).Scores[m]
				score := Score{s.PRF, s.Deviation, s.Runs}.cell(f1)
				if len(c.cell(train, test).Known) > 0 {
					score.text += " *"
				}
				row = append(row, score)
			}
			t.rows = append(t.rows, row)
		}
		all = append(all, t)
	}
	all = append(all,
		c.typeTable("types-strict", "Strict F1 by type, and in brackets how many there are in the gold standard", func(cell CrossingCell) map[string]evaluation.Counts { return cell.Types }),
		c.typeTable("types-token", "Token F1 by type, and in brackets how many tokens there are in the gold standard", func(cell CrossingCell) map[string]evaluation.Counts { return cell.Tokens }))
	var lines []string
	for _, cell := range c.Cells {
		if line := cell.Train + ": " + overSeeds(cell.Seeds) + "."; len(cell.Seeds) > 1 && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	lines = append(lines, c.warnings()...)
	for _, corpus := range c.Corpora {
		if len(corpus.Also) > 0 {
			lines = append(lines, fmt.Sprintf("The corpus of %s is also that of %s.", corpus.Name, strings.Join(corpus.Also, ", ")))
		}
		lines = append(lines, corpus.LeftOut.Lines("the gold standard of "+corpus.Name)...)
	}
	for _, cell := range c.Cells {
		lines = append(lines, cell.LeftOut.Lines(fmt.Sprintf("what %s found in %s", cell.Train, cell.Test))...)
	}
	all[len(all)-1].legend = lines
	return all
}

// warnings says which scores are too high, or may be.
func (c *Crossing) warnings() (lines []string) {
	for _, cell := range c.Cells {
		for _, known := range cell.Known {
			n := c.Corpora[slices.IndexFunc(c.Corpora, func(x CrossingCorpus) bool { return x.Name == cell.Test })].Documents
			lines = append(lines, fmt.Sprintf("* %s on %s: the scores are too high, because %d of the %d documents are among those that %s was trained on.", cell.Train, cell.Test, known.Notes, n, known.Model))
		}
	}
	return append(lines, c.Unknown...)
}

// typeTable returns the table of F1 by type in each cell.
func (c *Crossing) typeTable(file, title string, counts func(CrossingCell) map[string]evaluation.Counts) table {
	types := table{name: file, title: title, head: []string{"type"}}
	names := map[string]bool{}
	for _, cell := range c.Cells {
		types.head = append(types.head, cell.Train+" on "+cell.Test)
		for t := range counts(cell) {
			names[t] = true
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(names)) {
		row := []cell{name(typ)}
		for _, cell := range c.Cells {
			n := counts(cell)[typ]
			row = append(row, fraction(n.F1()).withNumber("in gold", count((n.TP+n.FN)/len(cell.Seeds))))
		}
		types.rows = append(types.rows, row)
	}
	return types
}

func (c *Crossing) charts() map[string]*chart.Chart { return nil }
