// Package evaluation scores what a system found in documents against the gold
// standard.
//
// [Compare] gives the four plain measures that all papers of the field report
// in one form or another: precision, recall and F1 over spans or over tokens,
// with and without their type. Matching is between sets: in each document the
// marks of the gold standard, those of the system, and what they share. The
// official scorers, with rules and quirks of their own, are one file each.
package evaluation

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
)

// Report is the comparison of a system with the gold standard. Its JSON form,
// whose keys other programs may rely upon, has types for strict and token only:
//
//	{"documents":250,"missing":[],"extra":[],
//	 "strict":{"precision":0.9,"recall":0.9,"f1":0.9,"tp":9,"fp":1,"fn":1,"types":{"DATE":{"precision":...}}},
//	 "spans":{"precision":...},"token":{"precision":...,"types":{...}},"binary_token":{"precision":...}}
type Report struct {
	// Documents is how many gold documents were scored: all of them.
	Documents int `json:"documents"`
	// Missing lists, by ID, the gold documents that the system did not give:
	// every span in them counts as missed.
	Missing []string `json:"missing"`
	// Extra lists, by ID, the system documents that have no gold standard:
	// they are not scored.
	Extra []string `json:"extra"`

	Strict      Score `json:"strict"`       // spans of equal start, end and type
	Spans       Score `json:"spans"`        // spans of equal start and end
	Token       Score `json:"token"`        // tokens (see Compare) of equal start, end and type
	BinaryToken Score `json:"binary_token"` // tokens of equal start and end: PHI or not
}

// Compare scores the system's documents against the gold documents of the same
// ID.
//
// For the token measures each span is split by itself into runs of letters,
// digits and combining marks, of any script; all else separates. A span with
// no such run counts as one empty token at its end, so that missing it costs
// something. This is the rule of the i2b2 2014 scorer, which knows ASCII letters
// and digits only; on ASCII text the two agree. In the binary token measure a
// token that several spans cover counts once; with HIPAA's types only it is the
// measure of Dernoncourt et al. 2016, Table 4.
//
// Compare returns an error when there is no gold document, when not one ID is
// on both sides, when a side has an ID twice, when a span does not fit its text
// (see data.Document.Check), or when the two texts of a document differ.
func Compare(gold, system []*data.Document) (*Report, error) {
	if len(gold) == 0 {
		return nil, fmt.Errorf("no gold documents to compare with")
	}
	if _, err := byID("gold", gold); err != nil {
		return nil, err
	}
	found, err := byID("system", system)
	if err != nil {
		return nil, err
	}
	r := &Report{Documents: len(gold), Missing: []string{}, Extra: []string{}}
	for _, g := range gold {
		s := found[g.ID]
		if s == nil {
			r.Missing = append(r.Missing, g.ID)
			s = &data.Document{}
		} else if err := sameText(g, s); err != nil {
			return nil, err
		}
		delete(found, g.ID)
		r.Strict.add(typed(g.Spans), typed(s.Spans))
		r.Spans.add(untyped(typed(g.Spans)), untyped(typed(s.Spans)))
		r.Token.add(tokens(g), tokens(s))
		r.BinaryToken.add(untyped(tokens(g)), untyped(tokens(s)))
	}
	if len(r.Missing) == len(gold) {
		return nil, fmt.Errorf("none of the %d gold documents is among the %d of the system: their IDs differ", len(gold), len(system))
	}
	for _, s := range system {
		if found[s.ID] != nil {
			r.Extra = append(r.Extra, s.ID)
		}
	}
	return r, nil
}

// HIPAA returns copies of the documents with only those spans whose type
// HIPAA names, according to the type set. Applied to both sides before Compare,
// it gives the HIPAA-only scores that the papers report. It is an error when
// the set marks no type as HIPAA's, or does not have a span's type.
func HIPAA(docs []*data.Document, types *data.TypeSet) ([]*data.Document, error) {
	if !namesHIPAA(types) {
		return nil, fmt.Errorf("type set %s does not say which types HIPAA names", types.Name)
	}
	kept := make([]*data.Document, len(docs))
	for i, d := range docs {
		c := *d
		c.Spans = nil
		for n, s := range d.Spans {
			t, ok := types.Lookup(s.Type)
			if !ok {
				return nil, fmt.Errorf("document %s: span %d [%d,%d) has a type that is not in the type set %s", d.ID, n, s.Start, s.End, types.Name)
			}
			if t.HIPAA {
				c.Spans = append(c.Spans, s)
			}
		}
		kept[i] = &c
	}
	return kept, nil
}

// byID checks the documents of one side and indexes them.
func byID(side string, docs []*data.Document) (map[string]*data.Document, error) {
	index := make(map[string]*data.Document, len(docs))
	for _, d := range docs {
		if err := d.Check(); err != nil {
			return nil, fmt.Errorf("%s %w", side, err)
		}
		if index[d.ID] != nil {
			return nil, fmt.Errorf("%s document %s is there twice", side, d.ID)
		}
		index[d.ID] = d
	}
	return index, nil
}

// sameText refuses to compare offsets into different texts.
func sameText(gold, system *data.Document) error {
	if gold.Text == system.Text {
		return nil
	}
	at := 0
	for at < min(len(gold.Text), len(system.Text)) && gold.Text[at] == system.Text[at] {
		at++
	}
	return fmt.Errorf("document %s: gold text (%d bytes) and system text (%d bytes) differ from byte %d on",
		gold.ID, len(gold.Text), len(system.Text), at)
}
