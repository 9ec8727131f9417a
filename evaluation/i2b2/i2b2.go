// Package i2b2 scores as the official script of the i2b2/UTHealth 2014
// de-identification track does: kotfic/i2b2_evaluation_scripts, evaluate.py phi,
// run by Python 3. Scores that were published for this corpus were computed with
// it, oddities included, and only a scorer that has them too gives numbers that
// stand beside those. [Options.Corrected] takes the oddities out.
//
// # Input
//
// The script knows a tag by its element, TYPE, start and end, as strings, and
// never looks at the text it quotes. Elements other than PHI and the eight
// categories are ignored; an unknown TYPE counts. Documents that only one side
// has are not scored. Offsets count code points.
//
// # Matching
//
// In each document both sides are sets, and what they share is a true positive.
//
//   - Strict: equal element, start, end and TYPE, whatever their case; "010" and
//     "10" are two offsets.
//   - Token: the text of each tag is split into runs of ASCII letters and digits,
//     so that José is Jos; one without any is an empty token at its end. Equal
//     element, TYPE (here case counts), start and end.
//   - Relaxed: as strict, but the ends may lie two apart. A tag that is equal in
//     this sense to an earlier one of its own side is dropped. True positives are
//     the matched tags of the side that has fewer (of the system, if none has),
//     false positives and negatives the unmatched tags of each side: so true
//     positives and false negatives need not add up to the gold standard. A side
//     with more than four times (and three) as many tags as the other loses, for
//     each tag of the other, the first that is equal to it, and the rest of it is
//     unmatched: this is how Python subtracts a small set from a large one, and
//     equality that is not transitive lets it show.
//   - Binary: equal start and end. For tags, but not for tokens, element PHI is
//     still compared as in strict.
//   - HIPAA: on both sides only tags whose TYPE starts as one of the script's
//     list does, in the list's case, under the element listed with it. IDNUM has a
//     stray blank there and never matches; element PHI has no entry.
//
// # The 42 evaluations
//
// Ten over all tags, then four for each category. "HIPPA" is the script's, and its
// "NAME Binary HIPAA Strict" is not binary.
//
// # Averages
//
// Micro averages are those of the summed counts. Macro averages are the means over
// documents of precision and of recall, 0 for a document with nothing to score,
// with the standard deviation of the population, and F1 of the two means: NaN when
// both are 0.
//
// # Filters
//
// A filter of element names is for Token, Strict and Relaxed. Another word lets
// every tag pass (a word of the cardiac risk track, none). Conjunctive and Invert
// have an effect only beside a filter; Invert then reaches further: HIPAA
// evaluations score the tags outside of HIPAA, and those of a category all other
// categories. Binary Token and Binary Strict are never filtered.
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
	ID      string // patient-record, as 110-04
	Text    string
	Tags    []Tag // of the elements that the script knows
	Ignored int   // how many tags of other elements there were
}

// Tag is a tag as it is written.
type Tag struct {
	element    int // its place in elements
	typ        string
	start, end string // in code points
	from, to   int    // the same as numbers
}

// NewTag makes a tag of an element, of its attribute TYPE, and of its offsets in
// code points. It is an error, as it is to the script, when these are not numbers;
// an element that the script does not know is one here, too.
func NewTag(element, typ, start, end string) (Tag, error) {
	t := Tag{element: elementIndex(element), typ: typ, start: start, end: end}
	if t.element < 0 {
		return t, errors.New("not an element that is scored")
	}
	var err error
	t.from, t.to, err = tagged.Offsets(start, end)
	return t, err
}

// elements are those that the script knows, the types that it expects in each, and
// what the TYPE of HIPAA's tags starts with. The names of the evaluations follow
// this order.
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

const phi = 0 // the place of element PHI

// elementIndex is the place of an element, -1 for one that the script ignores.
func elementIndex(name string) int {
	for i := range elements {
		if elements[i].name == name {
			return i
		}
	}
	return -1
}

// expected says whether the script would not warn of this TYPE.
func expected(element int, typ string) bool {
	typ = strings.ToUpper(typ)
	for i := range elements {
		if (element == i || element == phi) && slices.Contains(elements[i].types, typ) {
			return true
		}
	}
	return false
}

// Options chooses among the script's ways to score.
type Options struct {
	Filter      []string // what --filter lists: none means that there is no filter
	Conjunctive bool     // all words of the filter must hold, not any
	Invert      bool     // the tags that the filter would drop
	Corrected   bool     // without the oddities: see Corrections
	Documents   bool     // the report has the counts of each document
}

// Corrections says what Options.Corrected changes.
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

// Compare scores the documents of a system, one pair at a time: see
// evaluation.Pairs for what is held in memory. The first error of a source is
// returned, and it is an error when an ID is twice on one side or the two texts of
// a document differ. With no document on both sides there is nothing to score, and
// the macro averages are NaN, as the script has it.
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

// Scorer adds up documents.
type Scorer struct {
	options Options
	counter *counter
	report  Report
	macro   [][2]moments // of each evaluation: precision, recall
}

// NewScorer returns an error when Corrected is set and the filter has a word that
// is neither an element nor a type.
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

// Add scores a document; the side that does not have it is nil. It is an error
// when the two texts differ.
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

// look notes what a user should know of a document.
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

// Report is the scores of all documents added so far.
func (s *Scorer) Report() *Report {
	r := s.report
	r.Evaluations = slices.Clone(r.Evaluations)
	for i := range r.Evaluations {
		r.Evaluations[i].average(s.macro[i], s.options.Corrected)
	}
	return &r
}
