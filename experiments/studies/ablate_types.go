package studies

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/chart"
)

// AblationTypes contains the scores of each type in all networks, for one of the measures that have
// types: strict or token.
type AblationTypes struct {
	Metric string         `json:"metric"`
	Types  []AblationType `json:"types"` // sorted by name
}

// AblationType contains the scores of one type.
type AblationType struct {
	Type     string        `json:"type"`
	Gold     int           `json:"gold"`     // annotations or tokens in the scored split; if 0, F1 is meaningless
	Networks []TypeNetwork `json:"networks"` // in the order of AblationMetric.Networks
}

// TypeNetwork contains the scores of one type in one network.
type TypeNetwork struct {
	Name string `json:"name"`
	Score
	Difference evaluation.PRF `json:"difference"` // of the means: this network minus Full
}

// typed are the measures whose reports have types.
var typed = map[string]func(*evaluation.Report) map[string]evaluation.Counts{
	"strict": func(r *evaluation.Report) map[string]evaluation.Counts { return r.Strict.Types },
	"token":  func(r *evaluation.Report) map[string]evaluation.Counts { return r.Token.Types },
}

// measureOf returns the measure of a metric or of an average over types: strict for macro/strict.
func measureOf(metric string) string { return strings.TrimPrefix(metric, "macro/") }

// byType scores the types for each measure with types among the metrics. runs has the runs of each
// variant.
func (a *Ablation) byType(variants []variant, runs [][]trained) {
	a.Types = []AblationTypes{}
	for _, m := range a.Metrics {
		measure := measureOf(m.Metric)
		known := slices.ContainsFunc(a.Types, func(t AblationTypes) bool { return t.Metric == measure })
		if counts := typed[measure]; counts != nil && !known {
			a.Types = append(a.Types, AblationTypes{measure, ablationTypes(variants, runs, counts)})
		}
	}
}

func ablationTypes(variants []variant, runs [][]trained, counts func(*evaluation.Report) map[string]evaluation.Counts) []AblationType {
	scores := make([]map[string]TypeScore, len(variants))
	gold := map[string]int{}
	for i := range variants {
		var bySeed []map[string]evaluation.Counts
		for _, t := range runs[i] {
			bySeed = append(bySeed, counts(t.report))
		}
		scores[i] = map[string]TypeScore{}
		for _, t := range typeScores(bySeed) {
			scores[i][t.Type] = t
			gold[t.Type] = int(t.Instances)
		}
	}
	types := []AblationType{}
	for _, name := range slices.Sorted(maps.Keys(gold)) {
		t := AblationType{Type: name, Gold: gold[name]}
		var full evaluation.PRF
		for i, v := range variants {
			score, ok := scores[i][name]
			if !ok { // a type that is not in the gold standard, and that this network does not find
				score.Score = Summarize(make([]evaluation.PRF, len(runs[i])))
			}
			if i == 0 {
				full = score.Mean
			}
			t.Networks = append(t.Networks, TypeNetwork{v.name, score.Score, evaluation.PRF{
				Precision: score.Mean.Precision - full.Precision, Recall: score.Mean.Recall - full.Recall, F1: score.Mean.F1 - full.F1,
			}})
		}
		types = append(types, t)
	}
	return types
}

// typeTables returns a table for each measure and each network but the full one, with the scores of
// each type in both and their differences (Dehghan et al. 2015, Table 5).
func (a *Ablation) typeTables() (all []table) {
	for _, m := range a.Types {
		for k, n := range a.Metrics[0].Networks {
			if k == 0 {
				continue
			}
			t := table{
				name:   fileName("types-"+n.Name, m.Metric),
				title:  fmt.Sprintf("%s by type on %s: full, %s, and the difference", m.Metric, a.Split, n.Name),
				head:   []string{"type", "in " + a.Split, "P full", "R full", "F1 full", "P", "R", "F1", "P - full", "R - full", "F1 - full"},
				breaks: []int{5, 8},
			}
			for _, typ := range m.Types {
				row := slices.Concat([]cell{name(typ.Type), count(typ.Gold)}, typ.Networks[0].cells(), typ.Networks[k].cells())
				d := typ.Networks[k].Difference
				row = append(row, difference(d.Precision), difference(d.Recall), difference(d.F1))
				t.rows = append(t.rows, row)
			}
			all = append(all, t)
		}
	}
	return all
}

// boxes returns Figure 1 of Zuccon et al. 2014: the distribution of the F1 of each type over all
// networks, and the networks with the best F1 over all types. If names of networks have the form
// GROUP+FAMILY, a second chart shows the distribution of F1 in each group.
func (a *Ablation) boxes() map[string]*chart.Chart {
	all := map[string]*chart.Chart{}
	for _, m := range a.Metrics {
		if len(m.Networks) < 3 {
			continue
		}
		if grouped := m.groups(); grouped != nil {
			all[fileName("groups", m.Metric)] = &chart.Chart{
				Title:       fmt.Sprintf("%s: F1 (%s) on %s of the variants, by group", a.Name, m.Metric, a.Split),
				Description: "From the smallest to the largest F1 of the variants in each group, with quartiles and median.",
				Y:           chart.Axis{Label: fmt.Sprintf("F1 (%s) on %s", m.Metric, a.Split)},
				Boxes:       grouped, Width: 520, Height: boxesHeight(grouped),
			}
		}
		at := slices.IndexFunc(a.Types, func(t AblationTypes) bool { return t.Metric == measureOf(m.Metric) })
		if at < 0 {
			continue
		}
		byType := m.distributions(a.Types[at])
		all[fileName("types", m.Metric)] = &chart.Chart{
			Title:       fmt.Sprintf("%s: F1 (%s) on %s of each type over %d variants", a.Name, m.Metric, a.Split, len(m.Networks)),
			Description: "From the smallest to the largest F1 of the variants for each type, with quartiles and median. Types are sorted by falling number of annotations.",
			Y:           chart.Axis{Label: fmt.Sprintf("F1 (%s) on %s", m.Metric, a.Split)},
			Boxes:       byType, Width: 520, Height: boxesHeight(byType),
		}
	}
	return all
}

func boxesHeight(b *chart.Boxes) float64 { return 70 + 22*float64(len(b.Groups)) }

// groups returns one box per group of networks, or nil if no name has a group.
func (m AblationMetric) groups() *chart.Boxes {
	b := &chart.Boxes{}
	values := map[string][]float64{}
	named := false
	for _, n := range m.Networks {
		group, _, plus := strings.Cut(n.Name, "+")
		named = named || plus
		if values[group] == nil {
			b.Groups = append(b.Groups, group)
		}
		values[group] = append(values[group], n.Mean.F1)
	}
	if !named {
		return nil
	}
	for _, group := range b.Groups {
		b.Boxes = append(b.Boxes, chart.NewBox(values[group]))
	}
	return b
}

// distributions returns one box for the metric itself and one per type that occurs in the gold
// standard, with dots for the full network and for the best one.
func (m AblationMetric) distributions(types AblationTypes) *chart.Boxes {
	best := 0
	rows := [][]float64{nil} // F1 by network
	for i, n := range m.Networks {
		rows[0] = append(rows[0], n.Mean.F1)
		if n.Mean.F1 > m.Networks[best].Mean.F1 {
			best = i
		}
	}
	all := "All"
	if measureOf(m.Metric) != m.Metric {
		all = "Average"
	}
	b := &chart.Boxes{Name: fmt.Sprintf("all %d variants", len(m.Networks)), Groups: []string{all}}
	ordered := slices.Clone(types.Types)
	slices.SortStableFunc(ordered, func(a, b AblationType) int { return cmp.Compare(b.Gold, a.Gold) })
	for _, t := range ordered {
		if t.Gold == 0 {
			continue
		}
		b.Groups = append(b.Groups, t.Type)
		var row []float64
		for _, n := range t.Networks {
			row = append(row, n.Mean.F1)
		}
		rows = append(rows, row)
	}
	shown := []int{0}
	if best > 0 {
		shown = append(shown, best)
	}
	for _, k := range shown {
		dots := chart.Dots{Name: m.Networks[k].Name}
		if k == best {
			dots.Name += " (best)"
		}
		for _, row := range rows {
			dots.Values = append(dots.Values, row[k])
		}
		b.Dots = append(b.Dots, dots)
	}
	for _, row := range rows {
		b.Boxes = append(b.Boxes, chart.NewBox(row))
	}
	return b
}
