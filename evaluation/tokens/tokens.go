// Package tokens computes the tables of Dernoncourt et al. 2016: binary
// token-based scores of HIPAA's types (Table 4), and of each type and category
// (Tables A1 and A2). Binary means PHI or not: a token counts as found with any
// type.
//
// The paper leaves some details open. This package decides them as follows.
//
//   - A token is a token of evaluation.Compare: a run of letters and digits in a
//     span. Table 4 was computed with the i2b2 2014 script, in which a token is a
//     run of ASCII letters and digits.
//   - The tables by type were not computed with that script, and the paper only
//     says that they are binary. Their rows add up to the rows of the categories
//     and of all types. Hence a gold token, found or missed, counts in the row of
//     its gold type, and a found token that is not PHI counts in the row of the
//     type that the system gave it. A token of two types counts in both rows, and
//     once in their sums.
//   - Table 4 contains the types that the script treats as HIPAA's. IDNUM, for
//     example, is not among them, though Table 1 lists it. With Options.Corrected
//     they come from the type set, whose marks are those of Table 1.
package tokens

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/i2b2"
)

// Options of a comparison.
type Options struct {
	// Types assigns types to categories and marks the types that HIPAA names. A
	// type that it does not contain is its own category.
	Types *data.TypeSet
	// Corrected takes HIPAA's types from the type set. By default, if Types is
	// i2b2-2014 or mimic, whose scores the paper reports, they are those of the
	// i2b2 2014 script.
	Corrected bool
}

// Corrections describes what Options.Corrected changes.
var Corrections = []string{"HIPAA's types are those of the type set, not of the script of i2b2 2014, and tokens those of any script"}

// Report contains the tables. In JSON:
//
//	{"documents":514,"missing":[],"extra":[],"all":{"precision":0.9,"recall":0.9,"f1":0.9,"tp":9,"fp":1,"fn":1},
//	 "hipaa":{"precision":0.9,...},"categories":[{"category":"DATE","precision":0.9,...,"types":[{"type":"DATE","precision":0.9,...}]}]}
//
// hipaa is null if the type set does not mark HIPAA's types.
type Report struct {
	evaluation.Matching
	All        evaluation.Counts
	HIPAA      *evaluation.Counts
	Categories []Category // by descending support, the number of tokens in the gold standard

	Corrections []string // Corrections, if Options.Corrected was set
}

// Category is the row of a category, with those of its types by descending
// support.
type Category struct {
	Name string
	evaluation.Counts
	Types []Type
}

// Type is the row of a type.
type Type struct {
	Name string
	evaluation.Counts
}

// Compare scores the system's documents against the gold documents with the same
// IDs. It returns the errors of evaluation.EachPair.
func Compare(gold, system data.Documents, o Options) (*Report, error) {
	hipaa, err := o.hipaa()
	if err != nil {
		return nil, err
	}
	t := table{options: o, types: map[string]evaluation.Counts{}, categories: map[string]evaluation.Counts{}}
	var total []float64
	r := &Report{}
	if o.Corrected {
		r.Corrections = Corrections
	}
	r.Matching, err = evaluation.EachPair(gold, system, func(gold, system *data.Document) error {
		t.add(gold, system)
		if hipaa != nil {
			tally := hipaa.Tally(gold, system)
			if total == nil {
				total = make([]float64, len(tally))
			}
			for i, v := range tally {
				total[i] += v
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.All, r.Categories = t.all, t.rows()
	if hipaa != nil {
		r.HIPAA = &evaluation.Counts{TP: int(total[0]), FP: int(total[1]), FN: int(total[2])}
	}
	return r, nil
}

// hipaa returns the measure of Table 4, or nil if there is none.
func (o Options) hipaa() (*evaluation.Metric, error) {
	named := slices.ContainsFunc(o.Types.Types, func(t data.Type) bool { return t.HIPAA })
	if !named {
		return nil, nil
	}
	metrics, name := i2b2.Metrics(), "i2b2/Binary HIPAA Token"
	if o.Corrected || o.Types.Name != "i2b2-2014" && o.Types.Name != "mimic" {
		metrics, name = evaluation.Metrics(), "binary_token"
	}
	i := slices.IndexFunc(metrics, func(m evaluation.Metric) bool { return m.Name == name })
	if name != "binary_token" {
		return &metrics[i], nil
	}
	m, err := metrics[i].HIPAA(o.Types)
	return &m, err
}

// table counts tokens over documents.
type table struct {
	options           Options
	all               evaluation.Counts
	types, categories map[string]evaluation.Counts
}

func (t *table) add(gold, system *data.Document) {
	wanted, found := t.places(gold), t.places(system)
	for at, types := range wanted {
		if _, ok := found[at]; ok {
			t.count(types, evaluation.Counts{TP: 1})
		} else {
			t.count(types, evaluation.Counts{FN: 1})
		}
	}
	for at, types := range found {
		if _, ok := wanted[at]; !ok {
			t.count(types, evaluation.Counts{FP: 1})
		}
	}
}

// place is the position of a token.
type place struct{ start, end int }

// places returns the types of each token.
func (t *table) places(d *data.Document) map[place][]string {
	all := map[place][]string{}
	for _, s := range evaluation.TokenSpans(d) {
		at := place{s.Start, s.End}
		if !slices.Contains(all[at], s.Type) {
			all[at] = append(all[at], s.Type)
		}
	}
	return all
}

func (t *table) count(types []string, c evaluation.Counts) {
	t.all = t.all.Plus(c)
	var categories []string
	for _, typ := range types {
		t.types[typ] = t.types[typ].Plus(c)
		if category := t.category(typ); !slices.Contains(categories, category) {
			categories = append(categories, category)
			t.categories[category] = t.categories[category].Plus(c)
		}
	}
}

func (t *table) category(typ string) string {
	if known, ok := t.options.Types.Lookup(typ); ok {
		return known.Category
	}
	return typ
}

func (t *table) rows() []Category {
	rows := []Category{}
	for _, name := range sorted(t.categories) {
		c := Category{Name: name, Counts: t.categories[name]}
		for _, typ := range sorted(t.types) {
			if t.category(typ) == name {
				c.Types = append(c.Types, Type{typ, t.types[typ]})
			}
		}
		rows = append(rows, c)
	}
	return rows
}

// sorted returns the names by descending support.
func sorted(counts map[string]evaluation.Counts) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(support(counts[b])-support(counts[a]), strings.Compare(a, b))
	})
}

func support(c evaluation.Counts) int { return c.TP + c.FN }

// WriteText writes the tables in percent, with as many digits as in the paper.
func (r *Report) WriteText(w io.Writer) error {
	if err := r.Matching.WriteText(w); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name string, c evaluation.Counts, digits int) {
		fmt.Fprint(t, name)
		for _, v := range []float64{c.Precision(), c.Recall(), c.F1()} {
			fmt.Fprintf(t, "\t%9.*f", digits, 100*v)
		}
		fmt.Fprintf(t, "\t%7d\n", support(c))
	}
	fmt.Fprintf(t, "\nPHI type\tPrecision\t   Recall\t F1-score\tSupport\n")
	for _, c := range r.Categories {
		row(c.Name+" category", c.Counts, 2)
		for _, typ := range c.Types {
			row("  "+typ.Name, typ.Counts, 2)
		}
	}
	row("All PHI types", r.All, 2)
	if r.HIPAA != nil {
		row("HIPAA's types", *r.HIPAA, 3)
	}
	for _, line := range evaluation.CorrectionLines("the paper's", r.Corrections) {
		fmt.Fprintln(t, line)
	}
	return t.Flush()
}

// MarshalJSON writes the form that Report shows.
func (r *Report) MarshalJSON() ([]byte, error) {
	type counts struct {
		evaluation.PRF
		TP int `json:"tp"`
		FP int `json:"fp"`
		FN int `json:"fn"`
	}
	of := func(c evaluation.Counts) counts {
		return counts{evaluation.PRF{Precision: c.Precision(), Recall: c.Recall(), F1: c.F1()}, c.TP, c.FP, c.FN}
	}
	type typ struct {
		Name string `json:"type"`
		counts
	}
	type category struct {
		Name string `json:"category"`
		counts
		Types []typ `json:"types"`
	}
	out := struct {
		evaluation.Matching
		All         counts     `json:"all"`
		HIPAA       *counts    `json:"hipaa"`
		Categories  []category `json:"categories"`
		Corrections []string   `json:"corrections,omitempty"`
	}{Matching: r.Matching, All: of(r.All), Categories: []category{}, Corrections: r.Corrections}
	if r.HIPAA != nil {
		h := of(*r.HIPAA)
		out.HIPAA = &h
	}
	for _, c := range r.Categories {
		row := category{Name: c.Name, counts: of(c.Counts)}
		for _, t := range c.Types {
			row.Types = append(row.Types, typ{t.Name, of(t.Counts)})
		}
		out.Categories = append(out.Categories, row)
	}
	return json.Marshal(out)
}
