// Package evaluation scores what a system found in documents against the gold
// standard.
//
// [Compare] gives the four plain measures that all papers of the field report
// in one form or another: precision, recall and F1 over spans or over tokens,
// with and without their type. Matching is between sets: in each document the
// marks of the gold standard, those of the system, and what they share. The
// official scorers, with rules and quirks of their own, are packages below
// this one.
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
// ID, one pair at a time: see [Pairs] for what is held in memory.
//
// For the token measures each span is split by itself into runs of letters,
// digits and combining marks, of any script; all else separates. A span with
// no such run counts as one empty token at its end, so that missing it costs
// something. This is the rule of the i2b2 2014 scorer, which knows ASCII letters
// and digits only; on ASCII text the two agree. In the binary token measure a
// token that several spans cover counts once; with HIPAA's types only it is the
// measure of Dernoncourt et al. 2016, Table 4.
//
// Compare returns the first error of a source, and an error when there is no
// gold document, when not one ID is on both sides, when a side has an ID twice,
// when a span does not fit its text (see data.Document.Check), or when the two
// texts of a document differ.
func Compare(gold, system data.Documents) (*Report, error) {
	r := &Report{Missing: []string{}, Extra: []string{}}
	for p, err := range DocumentPairs(gold, system) {
		switch {
		case err != nil:
			return nil, err
		case p.Gold == nil:
			r.Extra = append(r.Extra, p.ID)
			continue
		case p.System == nil:
			r.Missing = append(r.Missing, p.ID)
			p.System = &data.Document{}
		}
		r.Documents++
		r.Strict.add(typed(p.Gold.Spans), typed(p.System.Spans))
		r.Spans.add(untyped(typed(p.Gold.Spans)), untyped(typed(p.System.Spans)))
		r.Token.add(tokens(p.Gold), tokens(p.System))
		r.BinaryToken.add(untyped(tokens(p.Gold)), untyped(tokens(p.System)))
	}
	switch {
	case r.Documents == 0:
		return nil, fmt.Errorf("no gold documents to compare with")
	case len(r.Missing) == r.Documents:
		return nil, fmt.Errorf("none of the %d gold documents is among the %d of the system: their IDs differ", r.Documents, len(r.Extra))
	}
	return r, nil
}

// HIPAA returns the documents, each a copy, with only those spans whose type
// HIPAA names, according to the type set. Applied to both sides before Compare,
// it gives the HIPAA-only scores that the papers report. It yields an error when
// the set marks no type as HIPAA's, or does not have a span's type.
func HIPAA(docs data.Documents, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		if !namesHIPAA(types) {
			yield(nil, fmt.Errorf("type set %s does not say which types HIPAA names", types.Name))
			return
		}
		for d, err := range docs {
			if err == nil {
				d, err = ofHIPAA(d, types)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

func ofHIPAA(d *data.Document, types *data.TypeSet) (*data.Document, error) {
	kept := *d
	kept.Spans = nil
	for n, s := range d.Spans {
		t, ok := types.Lookup(s.Type)
		if !ok {
			return nil, fmt.Errorf("document %s: span %d [%d,%d) has a type that is not in the type set %s", d.ID, n, s.Start, s.End, types.Name)
		}
		if t.HIPAA {
			kept.Spans = append(kept.Spans, s)
		}
	}
	return &kept, nil
}
