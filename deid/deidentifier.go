package deid

import (
	"cmp"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// A Deidentifier decides what of the notes of a patient is PHI, from what a tagger found and from all
// that is known besides, and replaces it. It reads notes only as they were written, never what has been put
// into them. It is not changed by use: goroutines may share it.
//
// These are asked, and what they find is joined where it overlaps:
//
//   - the tagger, whose spans grow to whole tokens (see whole.go)
//   - Rules and Deny, what the user says is PHI
//   - the safety net: Net.Formulaic, what is known of the patient, and what is replaced elsewhere in the
//     patient's notes
//
// Of spans that overlap, one over all that they cover is replaced, with the type of the longest.
type Deidentifier struct {
	Replacer *replace.Replacer
	Net      *safetynet.Net                // nil: no safety net
	Rules    func(text string) []data.Span // rules of the user's own, of any type; nil for none
	Deny     *safetynet.Phrases            // are PHI wherever they stand; nil for none
	Allow    *safetynet.Phrases            // are no PHI: what the tagger, the formulaic rules or the originals find there is left; nil for none
}

// Note is a note of a patient. Its Spans are what a tagger found.
type Note struct {
	*data.Document
	Known []safetynet.Value // what is known of the patient
}

// Result is what became of a note.
type Result struct {
	Clean   *data.Document // the new text, and where in it something was replaced
	Changes []replace.Change
	Found   map[safetynet.Source]map[string]int // what the tagger did not find, by why it was found, and by type
	Err     error                               // why nothing was done
}

// maxRounds is how often the notes of a patient are looked through for originals: once more after
// each time that something is found, since it is an original as well.
const maxRounds = 8

// Patient de-identifies all notes of one patient, whose name is the group.
func (d *Deidentifier) Patient(group string, notes []Note) []Result {
	results := make([]Result, len(notes))
	found := d.find(notes, results)
	var docs []*data.Document
	for i, n := range notes {
		if results[i].Err == nil {
			docs = append(docs, &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text, Spans: spansOf(found[i])})
		}
	}
	patient := d.Replacer.Patient(group, docs, knownNames(notes)...)
	for i, n := range notes {
		if r := &results[i]; r.Err == nil {
			r.Clean, r.Changes, r.Err = patient.Replace(n.Document, spansOf(found[i]))
		}
	}
	return results
}

// knownNames are the names of persons that are known of the notes' patient.
func knownNames(notes []Note) []string {
	var names []string
	for _, n := range notes {
		for _, v := range n.Known {
			if v.Kind == safetynet.Name || v.Kind == safetynet.Clinician {
				names = append(names, v.Text)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Find returns what Patient would replace in the notes of one patient: sorted and disjoint.
func (d *Deidentifier) Find(notes []Note) ([][]data.Span, error) {
	results := make([]Result, len(notes))
	spans := make([][]data.Span, len(notes))
	for i, found := range d.find(notes, results) {
		if results[i].Err != nil {
			return nil, results[i].Err
		}
		spans[i] = spansOf(found)
	}
	return spans, nil
}

// found is a span, and how much its type counts.
type found struct {
	data.Span
	rank rank
	kept bool // it is left in the text, unless it overlaps what is not
}

// rank decides between the types of equally long spans that overlap: the higher counts.
type rank int

const (
	byTagger rank = iota
	byForm
	byOriginal
	byUser
	byKnown
)

func spansOf(all []found) []data.Span {
	spans := make([]data.Span, len(all))
	for i, f := range all {
		spans[i] = f.Span
	}
	return spans
}

// find finds all PHI of the notes.
func (d *Deidentifier) find(notes []Note, results []Result) [][]found {
	all := make([][]found, len(notes))
	for i, n := range notes {
		if results[i].Err = n.Check(); results[i].Err == nil {
			results[i].Found = map[safetynet.Source]map[string]int{}
			all[i] = d.inNote(n, &results[i])
		}
	}
	if d.Net == nil {
		return all
	}
	for range maxRounds {
		originals := d.Net.Originals(d.removed(notes, all))
		again := false
		for i, n := range notes {
			if results[i].Err != nil {
				continue
			}
			more := d.permitted(n.Text, d.add(n.Text, originals.Find(n.Text, spansOf(all[i])), byOriginal))
			if len(more) > 0 {
				again = true
				all[i] = results[i].join(n.Text, all[i], more, safetynet.Original)
			}
		}
		if !again {
			break
		}
	}
	return all
}

// inNote finds PHI that no other note is needed for.
func (d *Deidentifier) inNote(n Note, r *Result) []found {
	text := n.Text
	all := join(d.permitted(text, d.add(text, whole(text, n.Spans, d.sort), byTagger)))
	if d.Rules != nil {
		all = r.join(text, all, d.add(text, d.Rules(text), byUser), safetynet.Rule)
	}
	all = r.join(text, all, d.add(text, d.Deny.Find(text), byUser), safetynet.Denied)
	if d.Net == nil {
		return all
	}
	if d.Net.Formulaic != nil {
		all = r.join(text, all, d.permitted(text, d.add(text, d.Net.Formulaic(text), byForm)), safetynet.Formulaic)
	}
	if len(n.Known) == 0 {
		return all
	}
	known := d.Net.Known(n.Known)
	everywhere := known.Find(text, nil)
	all = d.retype(text, all, everywhere)
	before := spansOf(all)
	inside := func(s data.Span) bool { return len(without(s, before)) == 0 } // whose type is settled
	return r.join(text, all, d.add(text, slices.DeleteFunc(everywhere, inside), byKnown), safetynet.Known)
}

// add gives spans a rank.
func (d *Deidentifier) add(text string, spans []data.Span, rank rank) []found {
	all := make([]found, len(spans))
	for i, s := range spans {
		all[i] = found{s, rank, d.Replacer != nil && d.Replacer.KindOf(s.Type, text[s.Start:s.End]) == replace.Keep}
	}
	return all
}

// permitted leaves out what the user says is no PHI.
func (d *Deidentifier) permitted(text string, all []found) []found {
	if d.Allow == nil {
		return all
	}
	allowed := d.Allow.Find(text)
	return slices.DeleteFunc(all, func(f found) bool {
		i, _ := slices.BinarySearchFunc(allowed, f.Start, func(a data.Span, at int) int { return a.End - at - 1 })
		return i < len(allowed) && allowed[i].Start <= f.Start && f.End <= allowed[i].End && (allowed[i].Type == "" || allowed[i].Type == f.Type)
	})
}

// removed is what is replaced in the notes, but for what is kept.
func (d *Deidentifier) removed(notes []Note, all [][]found) []safetynet.Removed {
	var removed []safetynet.Removed
	for i, n := range notes {
		for _, f := range all[i] {
			if !f.kept {
				removed = append(removed, safetynet.Removed{Text: n.Text[f.Start:f.End], Type: f.Type})
			}
		}
	}
	return removed
}

// join joins more to all, and counts what was not found before.
func (r *Result) join(text string, all, more []found, source safetynet.Source) []found {
	if len(more) == 0 {
		return all
	}
	before := spansOf(all)
	for _, f := range join(more) {
		if !f.kept && slices.ContainsFunc(without(f.Span, before), func(s data.Span) bool { return hasWord(text[s.Start:s.End]) }) {
			if r.Found[source] == nil {
				r.Found[source] = map[string]int{}
			}
			r.Found[source][f.Type]++
		}
	}
	return join(append(all, more...))
}

// join makes one span of those that overlap. It has the type and score of the longest, and of equally long
// ones those of the highest rank. The result is sorted and disjoint.
func join(all []found) []found {
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(b.rank, a.rank), cmp.Compare(a.Type, b.Type))
	})
	var out []found
	var best found // whose type the last of out has
	for _, f := range all {
		k := len(out) - 1
		if k < 0 || f.Start >= out[k].End {
			out, best = append(out, f), f
			continue
		}
		if f.above(best) {
			best = f
		}
		out[k].End = max(out[k].End, f.End)
		out[k].Type, out[k].Score, out[k].rank, out[k].kept = best.Type, best.Score, best.rank, best.kept
	}
	return out
}

// above reports whether the type of f counts rather than that of another.
func (f found) above(other found) bool {
	if f.kept != other.kept {
		return other.kept
	}
	longer := (f.End - f.Start) - (other.End - other.Start)
	return longer > 0 || longer == 0 && f.rank > other.rank
}

// sort returns the sort of a type's values, or "" if it is unknown.
func (d *Deidentifier) sort(typ string) data.Sort {
	if d.Replacer != nil {
		return d.Replacer.SortOf(typ)
	}
	var types *data.TypeSet
	if d.Net != nil {
		types = d.Net.Types
	}
	return types.Describe(typ).Sort
}

// without is what remains of a span beside the others, which are sorted and disjoint.
func without(s data.Span, others []data.Span) []data.Span {
	var out []data.Span
	i, _ := slices.BinarySearchFunc(others, s.Start, func(o data.Span, at int) int { return o.End - at - 1 })
	for _, o := range others[i:] {
		if o.Start >= s.End {
			break
		}
		if o.Start > s.Start {
			out = append(out, data.Span{Start: s.Start, End: o.Start})
		}
		s.Start = o.End
	}
	if s.Start < s.End {
		out = append(out, s)
	}
	return out
}
