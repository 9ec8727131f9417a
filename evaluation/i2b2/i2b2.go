// Package i2b2 computes the scores of the official script of the i2b2/UTHealth
// 2014 de-identification track: kotfic/i2b2_evaluation_scripts, evaluate.py phi,
// run by Python 3. Published scores for this corpus were computed with that
// script, so this package reproduces its oddities to give comparable numbers.
// [Options.Corrected] removes the oddities.
//
// # Input
//
// The script identifies a tag by its element, TYPE, start and end, all as
// strings, and never looks at the quoted text. It ignores elements other than PHI
// and the eight categories; an unknown TYPE counts. Documents that are on one
// side only are not scored. Offsets count code points.
//
// # Matching
//
// In each document, both sides are sets, and the intersection is the true
// positives.
//
//   - Strict: equal element, start, end and TYPE, ignoring case. "010" and "10"
//     are different offsets.
//   - Token: the text of each tag is split into runs of ASCII letters and digits,
//     so that José becomes Jos. A tag without such a run is an empty token at its
//     end. Tokens match if element, TYPE (case-sensitive), start and end are
//     equal.
//   - Relaxed: as strict, but the ends may differ by up to two. A tag that equals
//     an earlier one of its own side in this sense is dropped. True positives are
//     the matched tags of the side with fewer tags (of the system if they have
//     equally many); false positives and false negatives are the unmatched tags
//     of each side. True positives and false negatives therefore need not add up
//     to the gold standard. If one side has more than four times as many tags as
//     the other, plus three, then each tag of the smaller side matches only the
//     first tag of the larger side that is equal to it, and the rest are
//     unmatched. The cause is how Python subtracts a small set from a large one,
//     which matters because this equality is not transitive.
//   - Binary: equal start and end. For tags, but not for tokens, element PHI is
//     still compared as in strict.
//   - HIPAA: both sides are restricted to tags whose TYPE starts with an entry of
//     the script's list (case-sensitive) for their element. The entry for IDNUM
//     contains a stray blank and never matches; element PHI has no entries.
//
// # The 42 evaluations
//
// Ten evaluations are over all tags, and four over each category. The spelling
// "HIPPA" is the script's. Its "NAME Binary HIPAA Strict" is not binary.
//
// # Averages
//
// Micro averages are computed from the summed counts. Macro averages are the
// means over documents of precision and of recall, 0 for a document with nothing
// to score, with the standard deviation of the population. The macro F1 is
// computed from the two means; it is NaN if both are 0.
//
// # Filters
//
// A filter of element names applies to Token, Strict and Relaxed. Any other word
// in it lets every tag pass, except for words of the cardiac risk track, which
// let no tag pass. Without a filter, Conjunctive and Invert have no effect. Invert also affects
// other evaluations: HIPAA evaluations then score the tags that are not HIPAA's,
// and those of a category score all other categories. Binary Token and Binary
// Strict are never filtered.
package i2b2

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/internal/tagged"
)

// Document is one note with the tags of one side.
type Document struct {
	ID      string // patient-record, such as 110-04
	Text    string
	Tags    []Tag // tags of the elements that the script supports
	Ignored int   // number of tags of other elements
}

// Tag is a tag with its values as they are written.
type Tag struct {
	element    int // index into elements
	typ        string
	start, end string // in code points
	from, to   int    // the same as numbers
}

// NewTag returns a tag with an element, its attribute TYPE, and its offsets in
// code points. Like the script, it fails if an offset is not a number; unlike the
// script, it also fails if the element is not one of the script's.
func NewTag(element, typ, start, end string) (Tag, error) {
	t := Tag{element: elementIndex(element), typ: typ, start: start, end: end}
	if t.element < 0 {
		return t, errors.New("not an element that is scored")
	}
	var err error
	t.from, t.to, err = tagged.Offsets(start, end)
	return t, err
}

// elements lists the elements that the script supports, the types that it expects
// in each, and the prefixes of the TYPE of HIPAA's tags. The order of the
// evaluations follows it.
var elements = []struct {
	name         string
	types, hipaa []string
}{
	{name: "PHI"}, // any of the types below
	{"NAME", []string{"PATIENT", "DOCTOR", "USERNAME"}, []string{"PATIENT"}},
	{"PROFESSION", []string{"PROFESSION"}, nil},
	{
		"LOCATION",
		[]string{"ROOM", "DEPARTMENT", "HOSPITAL", "ORGANIZATION", "STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER"},
		[]string{"CITY", "STREET", "ZIP", "ORGANIZATION"},
	},
	{"AGE", []string{"AGE"}, []string{""}},
	{"DATE", []string{"DATE"}, []string{""}},
	{"CONTACT", []string{"PHONE", "FAX", "EMAIL", "URL", "IPADDR"}, []string{"PHONE", "FAX", "EMAIL"}},
	{
		"ID",
		[]string{"SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM"},
		[]string{"SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM "},
	},
	{"OTHER", []string{"OTHER"}, nil},
}

const phi = 0 // index of element PHI

// elementIndex returns the index of an element, -1 for one that the script
// ignores.
func elementIndex(name string) int {
	for i := range elements {
		if elements[i].name == name {
			return i
		}
	}
	return -1
}

// expected reports whether the script expects this TYPE in the element. It warns
// of others.
func expected(element int, typ string) bool {
	typ = strings.ToUpper(typ)
	for i := range elements {
		if (element == i || element == phi) && slices.Contains(elements[i].types, typ) {
			return true
		}
	}
	return false
}

// Options are the options of the script, and some of this package. The zero value
// scores as the script does without options.
type Options struct {
	Filter      []string // the words of --filter; empty: no filter
	Conjunctive bool     // a tag must match all words of the filter, not just one
	Invert      bool     // keep the tags that the filter would drop
	Corrected   bool     // without the script's oddities; see Corrections
	Documents   bool     // include the counts of each document in the report
}

// Corrections describes what Options.Corrected changes.
var Corrections = []string{
	"a gold document that the system does not have counts as missed, and is not left out",
	"HIPAA's types are those of the script's manual, whole names in any case and under any element: IDNUM is one of them",
	"offsets are numbers: 010 is 10",
	"relaxed: each tag matches at most one of the other side, as many as can be, and all are counted",
	"tokens are runs of letters, digits and combining marks of any script, and the case of TYPE does not count",
	"binary: element PHI is compared as any other",
	"macro averages leave out documents where neither side has anything to score, and their F1 is 0 for 0/0",
	"a filter is of elements or types, of nothing else; --invert stays with the three evaluations that it filters",
	"HIPPA is spelt HIPAA, and what is called NAME Binary HIPAA Strict is called NAME HIPAA Strict",
}

// Source yields documents, in a fixed order.
type Source = iter.Seq2[*Document, error]

// Compare scores the documents of a system, one pair at a time; see
// evaluation.Pairs for how much is held in memory. It returns the first error of
// a source, and an error if an ID occurs twice on one side or if the two texts of
// a document differ. If no document is on both sides, nothing is scored and the
// macro averages are NaN, as in the script.
func Compare(gold, system Source, o Options) (*Report, error) {
	s, err := NewScorer(o)
	if err != nil {
		return nil, err
	}
	for p, err := range evaluation.Pairs(gold, system, func(d *Document) string { return d.ID }) {
		if err == nil {
			err = s.Add(p.Gold, p.System)
		}
		if err != nil {
			return nil, err
		}
	}
	return s.Report(), nil
}

// Scorer scores documents one by one.
type Scorer struct {
	options Options
	counter *counter
	report  Report
	macro   [][2]moments // by evaluation: precision, recall
}

// NewScorer returns a Scorer without documents. If Corrected is set, it returns
// an error for a filter word that is neither an element nor a type, and for
// Invert or Conjunctive without a filter.
func NewScorer(o Options) (*Scorer, error) {
	c, err := newCounter(o)
	if err != nil {
		return nil, err
	}
	s := &Scorer{options: o, counter: c, macro: make([][2]moments, len(c.rules))}
	s.report = Report{Missing: []string{}, Extra: []string{}, flags: c.warnings, Evaluations: make([]Evaluation, len(c.rules))}
	for i, r := range c.rules {
		s.report.Evaluations[i].Name = r.script
		if o.Corrected {
			s.report.Evaluations[i].Name = r.name
		}
	}
	if o.Corrected {
		s.report.Corrections = Corrections
	}
	return s, nil
}

// Add scores one document. A side that lacks the document is nil. Add returns an
// error if the two texts differ.
func (s *Scorer) Add(gold, system *Document) error {
	switch {
	case gold == nil:
		s.report.Extra = append(s.report.Extra, system.ID)
		return nil
	case system == nil:
		s.report.Missing = append(s.report.Missing, gold.ID)
		if !s.options.Corrected {
			return nil
		}
		system = &Document{ID: gold.ID, Text: gold.Text}
	}
	if err := evaluation.SameText(gold.ID, gold.Text, system.Text); err != nil {
		return err
	}
	s.look("gold", gold)
	s.look("system", system)
	s.report.Documents++
	for i, c := range s.counter.count(gold, system) {
		e := &s.report.Evaluations[i]
		e.Counts = e.Plus(c)
		if s.options.Documents {
			e.Documents = append(e.Documents, evaluation.DocumentCounts{ID: gold.ID, Counts: c})
		}
		if s.options.Corrected && c == (evaluation.Counts{}) {
			continue
		}
		s.macro[i][0].add(c.Precision())
		s.macro[i][1].add(c.Recall())
	}
	return nil
}

// look records what the warnings report about a document.
func (s *Scorer) look(side string, d *Document) {
	s.report.ignored.Add(d.Ignored, side, d.ID)
	unknown := 0
	for _, t := range d.Tags {
		if !expected(t.element, t.typ) {
			unknown++
		}
	}
	s.report.unknown.Add(unknown, side, d.ID)
}

// Report returns the scores of all documents added so far.
func (s *Scorer) Report() *Report {
	r := s.report
	r.Evaluations = slices.Clone(r.Evaluations)
	for i := range r.Evaluations {
		r.Evaluations[i].average(s.macro[i], s.options.Corrected)
	}
	return &r
}
