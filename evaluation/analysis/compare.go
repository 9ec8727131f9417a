package analysis

import (
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// Comparison compares what two systems find in the same documents. Other programs
// may rely on the keys of its JSON form.
type Comparison struct {
	Documents int                  `json:"documents"`
	All       Agreement            `json:"all"`
	Types     map[string]Agreement `json:"types"`
	Causes    *Causes              `json:"causes,omitempty"`   // causes of the tokens that both systems miss: Dernoncourt et al. 2016, Table 6
	Examples  []Example            `json:"examples,omitempty"` // kinds only_a, only_b (Table 5) and neither (Table 6)
}

// Agreement counts the agreement of two systems on one type.
type Agreement struct {
	Spans  Shared `json:"spans"`  // gold spans, found with the same start, end and type
	Tokens Shared `json:"tokens"` // gold tokens, found as PHI of any type; see Causes
	Wrong  Shared `json:"wrong"`  // found spans that are not gold; Neither is always 0
}

// Shared counts items by which of the two systems found them.
type Shared struct {
	Both    int `json:"both"`
	OnlyA   int `json:"only_a"`
	OnlyB   int `json:"only_b"`
	Neither int `json:"neither"`
}

// Kinds of examples in which two systems differ, or which both miss.
const (
	KindOnlyA   = "only_a"
	KindOnlyB   = "only_b"
	KindNeither = "neither"
)

func (s *Shared) count(a, b bool) {
	switch {
	case a && b:
		s.Both++
	case a:
		s.OnlyA++
	case b:
		s.OnlyB++
	default:
		s.Neither++
	}
}

// Compare compares what two systems find and miss of the same gold standard.
// Documents are matched for each system as by Analyze. Compare returns an error
// if only one of the systems has a document.
func Compare(gold, a, b []*data.Document, opt Options) (*Comparison, error) {
	if err := sameDocuments(a, b); err != nil {
		return nil, err
	}
	c := &Comparison{Types: map[string]Agreement{}}
	ofA := map[string][]data.Span{}
	if err := each(gold, a, func(d *data.Document, found []data.Span) { ofA[d.ID] = found }); err != nil {
		return nil, err
	}
	var causes *tally
	if opt.Training != nil {
		causes = newTally(opt.Training)
	}
	quotes := quoter{limit: opt.Examples, taken: map[[2]string]int{}}
	err := each(gold, b, func(d *data.Document, foundB []data.Span) {
		c.Documents++
		foundA, spans := ofA[d.ID], distinct(d.Spans)
		byA, byB, right := newFinder(foundA), newFinder(foundB), newFinder(spans)
		for _, g := range spans {
			inA, inB := byA.has(g), byB.has(g)
			c.count(g.Type, func(t *Agreement) { t.Spans.count(inA, inB) })
			kind := KindNeither
			if inA && inB {
				continue
			} else if inA {
				kind = KindOnlyA
			} else if inB {
				kind = KindOnlyB
			}
			c.Examples = quotes.quote(c.Examples, d, g, kind, g.Type, "")
		}
		for _, f := range distinct(slices.Concat(foundA, foundB)) {
			if !right.has(f) {
				c.count(f.Type, func(t *Agreement) { t.Wrong.count(byA.has(f), byB.has(f)) })
			}
		}
		c.tokens(d, spans, foundA, foundB)
		if causes != nil {
			causes.add(d, spans, slices.Concat(foundA, foundB))
		}
	})
	if err != nil {
		return nil, err
	}
	if causes != nil {
		c.Causes = &causes.Causes
	}
	return c, nil
}

// sameDocuments returns an error that names the first document that is on one
// side only.
func sameDocuments(a, b []*data.Document) error {
	for _, side := range []struct {
		name         string
		docs, others []*data.Document
	}{{"first", a, b}, {"second", b, a}} {
		has := map[string]bool{}
		for _, d := range side.others {
			has[d.ID] = true
		}
		for _, d := range side.docs {
			if !has[d.ID] {
				return fmt.Errorf("different test sets: only the %s system has document %s", side.name, d.ID)
			}
		}
	}
	return nil
}

func (c *Comparison) count(typ string, add func(*Agreement)) {
	t := c.Types[typ]
	add(&t)
	c.Types[typ] = t
	add(&c.All)
}

// tokens counts the gold tokens of a document. In the totals, a token in several
// spans counts once.
func (c *Comparison) tokens(d *data.Document, gold, foundA, foundB []data.Span) {
	inA, inB := tokenSet(d.Text, foundA), tokenSet(d.Text, foundB)
	once := map[data.Token]bool{}
	for _, g := range gold {
		t := c.Types[g.Type]
		for token := range tokens(d.Text, g) {
			t.Tokens.count(inA[token], inB[token])
			if !once[token] {
				once[token] = true
				c.All.Tokens.count(inA[token], inB[token])
			}
		}
		c.Types[g.Type] = t
	}
}
