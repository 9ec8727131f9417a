// Package check examines a corpus of annotated notes for what makes scores meaningless or too
// high, or keeps a system from learning: notes that cannot be read, notes and patients that are in
// two splits, types that are rare or not in train, spans that a sequence labeller cannot learn.
//
//	c := check.New(check.Options{Labellings: labellings})
//	train := c.Split("train")
//	for doc, err := range docs {
//		train.Add(doc, err)
//	}
//	report := c.Report()
//
// The notes are added one after another and are not kept: for each note, the memory has its ID and
// four bytes for each different run of three words. The time is linear in the size of the corpus.
// A report contains IDs of notes, names of files, and types, but no text of the notes.
package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

// The splits with a meaning of their own, as in experiments.
const (
	train = "train"
	dev   = "dev"
	test  = "test"
)

const (
	// Rare is the number of spans of a type in train below which a report lists the type as rare.
	Rare = 10
	// emptyShare is the share of notes without spans above which there is a warning.
	emptyShare = 1. / 3
	// maxExamples is the maximum number of examples of each finding.
	maxExamples = 5
)

// Options are the options of New.
type Options struct {
	// Labellings are the ways in which the taggers of the system label notes. They must be valid.
	Labellings []Labelling
	// Columns are the columns that every note must have.
	Columns []string
	// Inherited are the training notes of models that the system contains or starts from.
	Inherited []Inherited
	// AllowOverlap permits annotated notes of train, and training notes of these models, in other splits.
	AllowOverlap bool
}

// Inherited are the training notes of a model that a system contains or starts from.
type Inherited struct {
	Model string // how reports name it
	Notes []*data.Document
	Err   error // why the notes are unknown; then there are none
}

// Checker examines the notes of a corpus.
type Checker struct {
	opt       Options
	labellers []*labeller
	splits    []*Adder
	notes     index
	inherited []map[[16]byte]bool // fingerprints of the notes of Options.Inherited that have spans
}

// New returns a Checker. It panics if Check returns an error for a labelling.
func New(opt Options) *Checker {
	c := &Checker{opt: opt, notes: newIndex()}
	for _, l := range opt.Labellings {
		c.labellers = append(c.labellers, newLabeller(l))
	}
	for _, from := range opt.Inherited {
		c.inherited = append(c.inherited, from.texts())
	}
	return c
}

// texts returns the fingerprints of the notes that have spans.
func (i Inherited) texts() map[[16]byte]bool {
	texts := map[[16]byte]bool{}
	for _, d := range i.Notes {
		if len(d.Spans) > 0 {
			texts[fingerprint(d.Text)] = true
		}
	}
	return texts
}

// Among counts which of other notes are among those of the model.
func (i Inherited) Among(notes []*data.Document) Known {
	known, texts := Known{Model: i.Model}, i.texts()
	for _, d := range notes {
		if prepare(d) != nil && texts[fingerprint(d.Text)] {
			known.add(d.ID)
		}
	}
	return known
}

// Adder receives the notes of a split.
type Adder struct {
	Split
	checker  *Checker
	number   int // of the split
	patients map[string]bool
	distinct map[string]bool
	tokens   []data.Token
	overlap  []*Overlap // with each earlier split, and with itself
}

// Split begins a split. Each note of a split is compared with those of the splits before it, so train
// comes first. The caller may set the fields of the result that the notes do not tell: Added, LeftOut,
// TextOnly and Spare.
func (c *Checker) Split(name string) *Adder {
	a := &Adder{Split: Split{Name: name, Types: map[string]int{}}, checker: c, number: len(c.splits), patients: map[string]bool{}, distinct: map[string]bool{}}
	a.Lost = make([]Lost, len(c.labellers))
	for i := range a.Lost {
		a.Lost[i] = Lost{}
	}
	for _, from := range c.opt.Inherited {
		a.Inherited = append(a.Inherited, Known{Model: from.Model})
	}
	c.splits = append(c.splits, a)
	for _, earlier := range c.splits {
		a.overlap = append(a.overlap, &Overlap{A: earlier.Name, B: name})
	}
	return a
}

// Add examines a note, or counts the error of a note that cannot be read.
func (a *Adder) Add(doc *data.Document, err error) {
	if err != nil {
		a.Unreadable.Add(err)
		return
	}
	a.Notes++
	a.Characters += len(doc.Text)
	a.Spans += len(doc.Spans)
	a.Fragmented += doc.Fragmented
	for _, s := range doc.Spans {
		a.Types[s.Type]++
	}
	if len(doc.Spans) == 0 {
		a.Empty++
	}
	if doc.Patient == "" {
		a.NoPatient++
	} else if !a.patients[doc.Patient] {
		a.patients[doc.Patient] = true
		a.Patients++
	}
	for _, name := range a.checker.opt.Columns {
		if err := doc.CheckColumn(name); err != nil && a.NoColumn == "" {
			a.NoColumn = err.Error()
		}
	}
	a.countTokens(doc)
	for i, l := range a.checker.labellers {
		for span, why := range l.lost(doc) {
			a.Lost[i].add(why, doc.Spans[span].Type)
		}
	}
	a.compare(doc)
}

// countTokens counts the tokens of the tokenizer ptb, which Dernoncourt et al. 2016, Table 3, count.
func (a *Adder) countTokens(doc *data.Document) {
	a.tokens = tokenize.PTB{}.Tokens(doc.Text, a.tokens[:0])
	a.Tokens += len(a.tokens)
	for _, t := range a.tokens {
		if word := doc.Text[t.Start:t.End]; !a.distinct[word] {
			a.distinct[strings.Clone(word)] = true // not a part of the text, which would stay in memory
		}
	}
	a.Distinct = len(a.distinct)
	for _, s := range data.AlignSpans(a.tokens, doc.Spans) {
		a.SpanTokens += s.End - s.Start
	}
}

// compare compares a note with the notes before it, in its split and in the earlier ones.
func (a *Adder) compare(doc *data.Document) {
	note := prepare(doc)
	if note == nil {
		return // no words
	}
	for i, texts := range a.checker.inherited {
		if a.Name != train && texts[note.hash] {
			a.Inherited[i].add(doc.ID)
		}
	}
	for i, o := range a.overlap {
		other, same := a.checker.notes.find(note, i)
		switch {
		case other == "":
			continue
		case same:
			o.Same++
			if len(doc.Spans) > 0 {
				o.Annotated++
			}
			o.SameExamples = example(o.SameExamples, doc.ID, other)
		default:
			o.Near++
			o.NearExamples = example(o.NearExamples, doc.ID, other)
		}
	}
	a.checker.notes.add(note, doc.ID, a.number)
}

func example(examples [][2]string, id, other string) [][2]string {
	if len(examples) < maxExamples {
		examples = append(examples, [2]string{id, other})
	}
	return examples
}

// Report returns what was found in all notes added so far.
func (c *Checker) Report() *Report {
	r := &Report{Labellings: c.opt.Labellings, Threshold: Threshold, Rare: Rare}
	for _, a := range c.splits {
		split := a.Split
		split.Inherited = nil
		for _, k := range a.Inherited {
			if k.Notes > 0 {
				split.Inherited = append(split.Inherited, k)
			}
		}
		r.Splits = append(r.Splits, split)
		for i, o := range a.overlap {
			found := *o
			if i != a.number {
				for patient := range a.patients {
					if c.splits[i].patients[patient] {
						found.Patients++
					}
				}
			}
			if found.Same+found.Near+found.Patients > 0 {
				r.Overlaps = append(r.Overlaps, found)
			}
		}
	}
	r.Total = c.total()
	r.judge(c.opt.AllowOverlap)
	for _, from := range c.opt.Inherited {
		if from.Err != nil {
			r.warn("the notes that %s was trained on are not known, so some may be in the other splits, and scores on these too high: %v", from.Model, from.Err)
		}
	}
	return r
}

// total returns the sum of the splits train, dev and test or, if there are none of these, of all
// splits. It is nil if there is only one to add.
func (c *Checker) total() *Split {
	parts := slices.DeleteFunc(slices.Clone(c.splits), func(a *Adder) bool { return !slices.Contains([]string{train, dev, test}, a.Name) })
	if len(parts) == 0 {
		parts = c.splits
	}
	if len(parts) < 2 {
		return nil
	}
	sum := c.sum(parts)
	return &sum
}

func (c *Checker) sum(parts []*Adder) Split {
	sum := Split{Types: map[string]int{}}
	patients, distinct := map[string]bool{}, map[string]bool{}
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
		sum.Notes += p.Notes
		sum.Empty += p.Empty
		sum.NoPatient += p.NoPatient
		sum.Unreadable.Notes += p.Unreadable.Notes
		sum.Characters += p.Characters
		sum.Tokens += p.Tokens
		sum.SpanTokens += p.SpanTokens
		sum.Spans += p.Spans
		sum.Fragmented += p.Fragmented
		for name, n := range p.Types {
			sum.Types[name] += n
		}
		maps.Copy(patients, p.patients)
		maps.Copy(distinct, p.distinct)
	}
	sum.Name = strings.Join(names, "+")
	sum.Patients, sum.Distinct = len(patients), len(distinct)
	return sum
}
