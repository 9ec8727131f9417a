// Package evaluation scores what a system found in documents against the gold
// standard.
//
// [Compare] computes four plain measures, of which each paper of the field reports
// some: precision, recall and F1 over spans or over tokens, with and without their
// types. Matching is set-based: in each document, the
// marks of the gold standard are compared with those of the system. The official
// scorers, which have rules and quirks of their own, are in packages below this
// one.
package evaluation

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
)

// Report is the comparison of a system with the gold standard. Other programs may
// rely on the keys of its JSON form, in which only strict and token have types:
//
//	{"documents":250,"missing":[],"extra":[],"leak":{"tokens":{"left":12,"total":1200,"share":0.01,...},...},
//	 "strict":{"precision":0.9,"recall":0.9,"f1":0.9,"tp":9,"fp":1,"fn":1,"macro":{...},"types":{"DATE":{"precision":...}}},
//	 "spans":{"precision":...},"token":{"precision":...,"types":{...}},"binary_token":{"precision":...}}
type Report struct {
	Matching
	// Leak measures the PHI that would remain in the text.
	Leak *LeakReport `json:"leak"`

	Strict      Score `json:"strict"`       // spans of equal start, end and type
	Spans       Score `json:"spans"`        // spans of equal start and end
	Token       Score `json:"token"`        // tokens (see Compare) of equal start, end and type
	BinaryToken Score `json:"binary_token"` // tokens of equal start and end: PHI or not
}

// Options of a comparison.
type Options struct {
	// Types assigns types to categories and marks the types that HIPAA names. By
	// default (nil) each type is its own category and none is HIPAA's.
	Types *data.TypeSet
	// HIPAA restricts the scores to the types that HIPAA names, as in the HIPAA rows of
	// the papers on i2b2 2014:
	// spans of other types are ignored on both sides. For the leak, a HIPAA token
	// counts as covered by a system span of any type. The default is all types.
	HIPAA bool
}

// Compare compares with the default options; see [Options.Compare].
func Compare(gold, system data.Documents) (*Report, error) { return Options{}.Compare(gold, system) }

// Compare scores each system document against the gold document with the same ID,
// one pair at a time; see [Pairs] for how much is held in memory.
//
// For the token measures, each span is split by itself into runs of letters,
// digits and combining marks of any script; all other characters separate tokens.
// A span without such a run counts as one empty token at its end, so that missing
// it costs something. This is the rule of the i2b2 2014 scorer, which supports
// ASCII letters and digits only; on ASCII text the two agree. In the binary token
// measure, a token covered by several spans counts once. Restricted to HIPAA's
// types, it is the measure of Dernoncourt et al. 2016, Table 4.
//
// Compare returns the first error of a source. It also returns an error if there
// are no gold documents, if no ID occurs on both sides, if an ID occurs twice on
// one side, and in the cases listed at [Options.Scorer] and [Scorer.Add].
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

// A Scorer computes the scores of Compare from documents that are added one by
// one.
type Scorer struct {
	hipaa  bool
	types  *data.TypeSet
	report Report
	leak   *Leak
}

// Scorer returns a Scorer without documents. It returns an error if HIPAA is set
// but the type set marks no type as HIPAA's.
func (o Options) Scorer() (*Scorer, error) {
	if o.Types == nil {
		o.Types = &data.TypeSet{}
	}
	if o.HIPAA && !namesHIPAA(o.Types) {
		return nil, fmt.Errorf("type set %s does not say which types HIPAA names: give one that does, see lethe types", o.Types.Name)
	}
	return &Scorer{hipaa: o.HIPAA, types: o.Types, report: Report{Matching: noDocuments()}, leak: NewLeak(o.Types)}, nil
}

// Add scores one gold document against the system's version of it. A nil system
// counts as an empty document and is reported as missing. Unlike Compare, Add
// does not compare IDs. It returns an error if a span does not fit its text (see
// data.Document.Check), if the two texts differ, and, with HIPAA, if a span's
// type is not in the type set.
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

// add scores a pair of documents that have been checked.
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

// Report returns the scores of all documents added so far.
func (s *Scorer) Report() *Report {
	r := s.report
	r.Leak = s.leak.Report(1)
	return &r
}

// ofHIPAA returns a copy of the document with only those spans whose type HIPAA
// names.
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
