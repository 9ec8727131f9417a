package deid

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// retype gives spans the type of the known values inside them. If a tagger mistakes Oda Lund for a doctor, and she is
// known to be the patient, her name gets the type of patients' names, so that she has one number and one surrogate. A
// single name after a doctor's title keeps its type. A span with ordinary words beside the value, as in "Oda Lund
// informed", is cut down to the value. A type of which more stays in the text is not given.
func (d *Deidentifier) retype(text string, all []found, known []data.Span) []found {
	for i := range all {
		f := &all[i]
		from, to := data.Overlapping(known, f.Span)
		for _, s := range known[from:to] {
			retyped := data.Span{Start: f.Start, End: f.End, Type: s.Type, Score: f.Score}
			switch {
			case s.Start >= f.Start && s.End <= f.End && ordinary(text[f.Start:s.Start], text[max(s.Start, 1)-1]) && ordinary(text[s.End:f.End], text[min(s.End, len(text)-1)]) && !d.isClinician(text, *f, s):
				retyped.Start, retyped.End = s.Start, s.End
			case s.Type == f.Type || !d.covers(text, *f, s):
				continue
			}
			if next := d.add(text, []data.Span{retyped}, byKnown)[0]; next.remains <= f.remains {
				*f = next
			}
			break
		}
	}
	return all
}

// inTypes gives what was found in a note whose language is a guess the types of the language of the patient's notes, unless the user has named the type, or more
// would stay in the text.
func (d *Deidentifier) inTypes(n Note, r *Result, all []found) {
	if n.types == nil {
		return
	}
	for i, f := range all {
		if f.rank >= byUser {
			continue
		}
		f.Type = counterpart(n.types, f.Type)
		if next := d.add(n.Text, []data.Span{f.Span}, f.rank)[0]; next.remains <= f.remains {
			all[i] = next
		}
	}
	r.Tagged = slices.Clone(r.Tagged)
	for i, s := range r.Tagged {
		r.Tagged[i].Type = counterpart(n.types, s.Type)
	}
	for source, counts := range r.Found {
		of := map[string]int{}
		for typ, count := range counts {
			of[counterpart(n.types, typ)] += count
		}
		r.Found[source] = of
	}
}

// counterpart returns the type of a set for the values of a type, or the type itself if the set has none for the same values.
func counterpart(types *data.TypeSet, name string) string {
	other := types.Counterpart(name)
	is, was := types.Describe(other), data.Any.Describe(name)
	if other == "" || is.Sort != was.Sort || is.Sort == data.Other || is.Clinician != was.Clinician {
		return name
	}
	return other
}

// ordinary reports whether a text before or after a value is empty, or consists of ordinary words in lower case and is
// separated from the value by white space. beside is the byte of the text next to the value.
func ordinary(text string, beside byte) bool {
	if text != "" && beside != ' ' && beside != '\n' && beside != '\t' {
		return false
	}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inToken(r) }) {
		first, _ := utf8.DecodeRuneInString(w)
		if !unicode.IsLower(first) || utf8.RuneCountInString(w) > 2 && !wordlists.Common(fold.Fold(w)) {
			return false
		}
	}
	return true
}

// covers reports whether a span contains nothing except a known value, punctuation, initials, titles and particles such
// as van, and is not a clinician: see isClinician.
func (d *Deidentifier) covers(text string, f found, known data.Span) bool {
	rest := text[f.Start:max(f.Start, known.Start)] + " " + text[min(f.End, known.End):f.End]
	for w := range strings.FieldsFuncSeq(rest, func(r rune) bool { return !inToken(r) }) {
		if utf8.RuneCountInString(w) > 1 && !aroundNames[strings.ToLower(w)] {
			return false
		}
	}
	return !d.isClinician(text, f, known)
}

// isClinician reports whether a span is a clinician who merely shares a name with the known person: a single name
// after a doctor's title.
func (d *Deidentifier) isClinician(text string, f found, known data.Span) bool {
	return d.sort(known.Type) == data.Person && d.sort(f.Type) == data.Person && f.Type != known.Type &&
		len(strings.Fields(text[known.Start:known.End])) == 1 && doctorTitle(text[:min(known.Start, f.Start)])
}

// doctorTitle reports whether a text ends in the title of a clinician.
func doctorTitle(before string) bool {
	words := strings.Fields(before[max(0, len(before)-16):])
	return len(words) > 0 && safetynet.IsDoctor(fold.Fold(strings.Trim(words[len(words)-1], ".,:")))
}

// aroundNames are words that make no other value of a name when they stand around it. Santa and the like do: Santa Rosa is a town.
var aroundNames = wordlists.Set(`mr mrs ms miss mx dr dra sr sra srta don jr md do rn np pa phd ii iii iv de la del van von der`)
