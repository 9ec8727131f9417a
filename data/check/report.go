package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/counted"
)

// Report is what a Checker found.
type Report struct {
	Splits     []Split     `json:"splits"`
	Total      *Split      `json:"total,omitempty"` // train, dev and test together; without patients and notes in two splits
	Labellings []Labelling `json:"labellings"`      // those of Split.Lost
	Overlaps   []Overlap   `json:"overlaps"`
	Threshold  float64     `json:"threshold"` // of Overlap.Near
	Rare       int         `json:"rare"`      // types with fewer spans in train are rare
	// Problems make training impossible or scores meaningless.
	Problems []string `json:"problems"`
	// Warnings make scores too high or too low, or cost recall.
	Warnings []string `json:"warnings"`
}

// Split is what a Checker found in a split.
type Split struct {
	Name       string         `json:"name"`
	Added      []string       `json:"added,omitempty"` // other splits whose notes are a part of this one
	Notes      int            `json:"notes"`           // without those that cannot be read
	Empty      int            `json:"notes_without_spans"`
	Patients   int            `json:"patients"` // different ones that are known
	NoPatient  int            `json:"notes_without_patient"`
	Characters int            `json:"bytes"`
	Tokens     int            `json:"tokens"` // of the tokenizer ptb
	Distinct   int            `json:"distinct_tokens"`
	SpanTokens int            `json:"tokens_in_spans"`
	Spans      int            `json:"spans"`
	Fragmented int            `json:"discontinuous_spans,omitempty"` // in the files, of which Spans are hulls, parts or the longest fragments
	Types      map[string]int `json:"types"`                         // spans by type
	Lost       []Lost         `json:"lost,omitempty"`                // spans that cannot be learned as they are, for each of Report.Labellings
	Unreadable Unreadable     `json:"unreadable"`
	NoColumn   string         `json:"no_column,omitempty"` // the first note without a column that the system requires
	LeftOut    []string       `json:"left_out,omitempty"`  // files and folders that are not read
	Inherited  []Known        `json:"inherited,omitempty"` // notes of other splits than train on which models that the system contains or starts from were trained
	TextOnly   bool           `json:"text_only,omitempty"` // the format has no spans, so the split is not scored
	// Spare is a split that the training does not use: notes that cannot be read are no problem until
	// it is scored.
	Spare bool `json:"-"`
}

// Known are notes of a split on which a model was trained.
type Known struct {
	Model    string   `json:"model"`
	Notes    int      `json:"notes"`
	Examples []string `json:"examples,omitempty"` // IDs
}

// add counts a note.
func (k *Known) add(id string) {
	if k.Notes++; len(k.Examples) < maxExamples {
		k.Examples = append(k.Examples, id)
	}
}

// Overlap counts what the notes of split B share with those of the earlier split A. If A is B, they
// are repetitions of earlier notes of the split.
type Overlap struct {
	A            string      `json:"a"`
	B            string      `json:"b"`
	Same         int         `json:"same"`                    // notes of B with the same text as a note of A, except for white space
	Annotated    int         `json:"annotated"`               // those that have spans
	Near         int         `json:"near"`                    // other notes of B that are nearly the same as a note of A: see Threshold
	Patients     int         `json:"patients"`                // patients of B that are also in A; 0 if A is B
	SameExamples [][2]string `json:"same_examples,omitempty"` // IDs of notes of B and A
	NearExamples [][2]string `json:"near_examples,omitempty"`
}

// String describes the size of a split on one line.
func (s Split) String() string {
	name := s.Name
	if len(s.Added) > 0 {
		name += " with " + strings.Join(s.Added, " and ")
	}
	line := fmt.Sprintf("%s: %s, %s of %s; %s, %d distinct, %d in spans", name, counted.Of(s.Notes, "note"), counted.Of(s.Spans, "span"),
		counted.Of(len(s.Types), "type"), counted.Of(s.Tokens, "token"), s.Distinct, s.SpanTokens)
	if s.Empty > 0 {
		line += fmt.Sprintf("; %s without spans", counted.Of(s.Empty, "note"))
	}
	return line
}

// Err returns the problems as one error, or nil.
func (r *Report) Err() error {
	var all []error
	for _, p := range r.Problems {
		all = append(all, errors.New(p))
	}
	return errors.Join(all...)
}

// split returns the split with a name, or nil.
func (r *Report) split(name string) *Split {
	i := slices.IndexFunc(r.Splits, func(s Split) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Splits[i]
}

func (r *Report) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// judge decides what is a problem and what is worth a warning.
func (r *Report) judge(allowOverlap bool) {
	r.Problems, r.Warnings = []string{}, []string{}
	for _, s := range r.Splits {
		r.judgeSplit(s)
		if !allowOverlap && !s.TextOnly {
			r.judgeInherited(s)
		}
	}
	for _, o := range r.Overlaps {
		r.judgeOverlap(o, allowOverlap)
	}
	r.judgeTypes()
	r.judgeLost()
}

func (r *Report) judgeSplit(s Split) {
	switch err := s.Unreadable.Err(); {
	case err != nil && s.Spare:
		r.warn("split %s: %s", s.Name, strings.ReplaceAll(err.Error(), "\n", "\n  "))
	case err != nil:
		r.problem("%s", err)
	case s.Notes == 0:
		r.problem("corpus: split %s holds no document", s.Name)
	case s.Spans > 0 || s.TextOnly:
	case s.Name == train:
		r.problem("corpus: split train contains no annotation to learn from")
	default:
		r.problem("corpus: split %s contains no annotation to score", s.Name)
	}
	if s.NoColumn != "" && s.Spare {
		r.warn("split %s: %s", s.Name, s.NoColumn)
	} else if s.NoColumn != "" {
		r.problem("corpus: split %s: %s", s.Name, s.NoColumn)
	}
	if s.Spans > 0 && float64(s.Empty) > emptyShare*float64(s.Notes) {
		r.warn("%s: %d of %s have no span: make sure that they were annotated, because a system learns that nothing in them is PHI", s.Name, s.Empty, counted.Of(s.Notes, "note"))
	}
	if len(s.LeftOut) > 0 {
		r.warn("%s: files and folders that are not read (%d): %s", s.Name, len(s.LeftOut), list(s.LeftOut))
	}
}

// part begins a sentence about a number of notes or patients of a split: "2 of the 3 notes of test have".
func part(n, all int, noun, split, has, have string) string {
	switch {
	case all == 1:
		return fmt.Sprintf("the only %s of %s %s", noun, split, has)
	case n == 1:
		have = has
	}
	return fmt.Sprintf("%d of the %s of %s %s", n, counted.Of(all, noun), split, have)
}

func (r *Report) judgeInherited(s Split) {
	for _, k := range s.Inherited {
		if k.Notes > 0 {
			r.problem("corpus: %s among those that %s was trained on, so its scores would be meaningless (such as %s): "+
				"train without this model, or set corpus.allow_overlap to true if this is intended", part(k.Notes, s.Notes, "note", "split "+s.Name, "is", "are"), k.Model, quotedList(k.Examples))
		}
	}
}

func (r *Report) judgeOverlap(o Overlap, allowed bool) {
	b := r.split(o.B)
	switch {
	case o.A == o.B:
		return // scores are no less meaningful; the table shows it
	case o.A == train && o.Annotated > 0 && !allowed && !b.TextOnly:
		r.problem("corpus: %s the same text as a note of train, so its scores would be meaningless (%s): "+
			"remove them, or set corpus.allow_overlap to true if this is intended", part(o.Annotated, b.Notes, "note", "split "+o.B, "has", "have"), pairs(o.SameExamples))
	case o.Annotated > 0 && (o.A == train || o.A == dev && o.B == test):
		r.warn("%s the same text as a note of %s, so scores on %s are too high (%s)",
			part(o.Annotated, b.Notes, "note", o.B, "has", "have"), o.A, o.B, pairs(o.SameExamples))
	}
	if o.A != train && (o.A != dev || o.B != test) {
		return // the system does not learn from A
	}
	if o.Near > 0 {
		r.warn("%s nearly the same as a note of %s (similarity from %v), so scores on %s are too high for new notes (%s)",
			part(o.Near, b.Notes, "note", o.B, "is", "are"), o.A, Threshold, o.B, pairs(o.NearExamples))
	}
	if o.Patients > 0 {
		r.warn("%s notes in %s, so scores on %s are too high for new patients", part(o.Patients, b.Patients, "patient", o.B, "also has", "also have"), o.A, o.B)
	}
}

// judgeTypes warns about types that cannot be learned or scored well.
func (r *Report) judgeTypes() {
	learn := r.split(train)
	if learn == nil || learn.Spans == 0 {
		return
	}
	unseen := map[string][]string{}
	for _, s := range r.Splits {
		for name, n := range s.Types {
			if learn.Types[name] == 0 {
				unseen[name] = append(unseen[name], fmt.Sprintf("%s %d", s.Name, n))
			}
		}
	}
	if len(unseen) > 0 {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(unseen)) {
			all = append(all, fmt.Sprintf("%s (%s)", name, strings.Join(unseen[name], ", ")))
		}
		r.warn("types that train does not contain, so a trained system never finds them: %s", strings.Join(all, ", "))
	}
	if rare := learn.rare(); len(rare) > 0 {
		r.warn("types with fewer than %d spans in train: %s", Rare, strings.Join(rare, ", "))
	}
}

// rare lists the types with few spans, with their numbers.
func (s Split) rare() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Types)) {
		if n := s.Types[name]; n < Rare {
			all = append(all, fmt.Sprintf("%s %d", name, n))
		}
	}
	return all
}

// judgeLost warns about spans of train; the table tells about the other splits.
func (r *Report) judgeLost() {
	learn := r.split(train)
	if learn == nil {
		return
	}
	for i, lost := range learn.Lost {
		if lost.Missed() == 0 {
			continue
		}
		var parts []string
		for why := range exact {
			if n := lost.Spans(why); why != Duplicate && n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s, because each %s (%s)", n, why.Becomes(), why, types(lost[why])))
			}
		}
		r.warn("%d of %s of train cannot be learned exactly, so that strict recall is at most %s with %s: %s",
			lost.Missed(), counted.Of(learn.Spans, "span"), learn.ceiling(i), r.Labellings[i], strings.Join(parts, "; "))
	}
}

// types lists types with their numbers, the most frequent first.
func types(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return list(names)
}

// list writes the first names of a list.
func list(names []string) string {
	if len(names) <= maxExamples {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxExamples], ", "), len(names)-maxExamples)
}

// pairs writes examples of notes.
func pairs(examples [][2]string) string {
	var all []string
	for _, e := range examples {
		all = append(all, quoted(e[0])+" and "+quoted(e[1]))
	}
	return "such as " + strings.Join(all, ", ")
}

func quotedList(ids []string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = quoted(id)
	}
	return strings.Join(all, ", ")
}

// quoted returns an ID in a form that cannot break a line.
func quoted(id string) string {
	if strings.ContainsAny(id, "\r\n\t\x1b") {
		return fmt.Sprintf("%q", id)
	}
	return id
}
