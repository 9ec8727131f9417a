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
//	{"documents":250,"missing":[],"extra":[],"leak":{"tokens":{"left":12,"total":1200,"share":0.01,...},...},
//	 "strict":{"precision":0.9,"recall":0.9,"f1":0.9,"tp":9,"fp":1,"fn":1,"types":{"DATE":{"precision":...}}},
//	 "spans":{"precision":...},"token":{"precision":...,"types":{...}},"binary_token":{"precision":...}}
type Report struct {
	Matching
	// Leak is what would stay in the text.
	Leak *LeakReport `json:"leak"`

	Strict      Score `json:"strict"`       // spans of equal start, end and type
	Spans       Score `json:"spans"`        // spans of equal start and end
	Token       Score `json:"token"`        // tokens (see Compare) of equal start, end and type
	BinaryToken Score `json:"binary_token"` // tokens of equal start and end: PHI or not
}

// Options of a comparison.
type Options struct {
	// Types puts types into categories, and says which of them HIPAA names. The
	// default knows no type: each is its own category.
	Types *data.TypeSet
	// HIPAA limits the scores to the types that HIPAA names, as the papers do: on
	// both sides, other spans do not count. For the leak, a token of HIPAA's types
	// counts as covered by a system span of any type. The default is all types.
	HIPAA bool
}

// Compare is Options.Compare with the default options.
func Compare(gold, system data.Documents) (*Report, error) { return Options{}.Compare(gold, system) }

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
// and those of Scorer and of its Add.
func (o Options) Compare(gold, system data.Documents) (*Report, error) {
	s, err := o.Scorer()
	if err != nil {
		return nil, err
	}
	if s.report.Matching, err = EachPair(gold, system, s.add); err != nil {
		return nil, err
	}
	return s.Report(), nil
}

// Scorer is Compare for documents that come one after another.
type Scorer struct {
	hipaa  bool
	types  *data.TypeSet
	report Report
	leak   *Leak
}

// Scorer starts with no document. It is an error to limit the scores to HIPAA's
// types when the type set marks none as such.
func (o Options) Scorer() (*Scorer, error) {
	if o.Types == nil {
		o.Types = &data.TypeSet{}
	}
	if o.HIPAA && !namesHIPAA(o.Types) {
		return nil, fmt.Errorf("type set %s does not say which types HIPAA names", o.Types.Name)
	}
	return &Scorer{hipaa: o.HIPAA, types: o.Types, report: Report{Matching: noDocuments()}, leak: NewLeak(o.Types)}, nil
}

// Add scores one gold document against what the system made of it; nil counts as
// an empty document, and as missing. Unlike Compare it does not look at IDs. It
// is an error when a span does not fit its text (see data.Document.Check), or when
// the two texts differ; with HIPAA, also when the type set does not have a span's
// type.
func (s *Scorer) Add(gold, system *data.Document) error {
	if err := check("gold", gold); err != nil {
		return err
	}
	if system == nil {
		s.report.Missing = append(s.report.Missing, gold.ID)
		system = &data.Document{ID: gold.ID}
	} else if err := check("system", system); err != nil {
		return err
	} else if err := SameText(gold.ID, gold.Text, system.Text); err != nil {
		return err
	}
	s.report.Documents++
	return s.add(gold, system)
}

// add is Add of documents that were checked.
func (s *Scorer) add(gold, system *data.Document) error {
	found := system
	if s.hipaa {
		var err error
		if gold, err = ofHIPAA(gold, s.types); err != nil {
			return fmt.Errorf("gold %w", err)
		}
		if system, err = ofHIPAA(system, s.types); err != nil {
			return fmt.Errorf("system %w", err)
		}
	}
	s.leak.Add(gold, found)
	r := &s.report
	r.Strict.add(typed(gold.Spans), typed(system.Spans))
	r.Spans.add(untyped(typed(gold.Spans)), untyped(typed(system.Spans)))
	r.Token.add(tokens(gold), tokens(system))
	r.BinaryToken.add(untyped(tokens(gold)), untyped(tokens(system)))
	return nil
}

// Report returns the scores of what was added.
func (s *Scorer) Report() *Report {
	r := s.report
	r.Leak = s.leak.Report(1)
	return &r
}

// ofHIPAA is a copy of the document with only those spans whose type HIPAA names.
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
