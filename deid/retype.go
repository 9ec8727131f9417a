package deid

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// retype gives spans the type of what is known to stand there: if a tagger takes Oda Lund for a doctor, and she
// is known to be the patient, she is the patient, so that one person has one number and one surrogate. A
// surname alone after a doctor's title stays a doctor's. Ordinary words that the tagger has taken with the value, as in
// "Oda Lund informed", are none of it.
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
			*f = d.add(text, []data.Span{retyped}, byKnown)[0]
			break
		}
	}
	return all
}

// ordinary reports whether a text, which may be empty, holds nothing but ordinary words in lower case, with
// blanks between them and what is beside the text.
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

// covers reports whether a known value is all that a span holds, but for signs, initials and
// titles.
func (d *Deidentifier) covers(text string, f found, known data.Span) bool {
	rest := text[f.Start:max(f.Start, known.Start)] + " " + text[min(f.End, known.End):f.End]
	for w := range strings.FieldsFuncSeq(rest, func(r rune) bool { return !inToken(r) }) {
		if utf8.RuneCountInString(w) > 1 && !aroundNames[strings.ToLower(w)] {
			return false
		}
	}
	return !d.isClinician(text, f, known)
}

// isClinician reports whether a person whom the tagger has found is somebody else than the one known, since a
// doctor's title stands before the one name that they share.
func (d *Deidentifier) isClinician(text string, f found, known data.Span) bool {
	return d.sort(known.Type) == data.Person && d.sort(f.Type) == data.Person && f.Type != known.Type &&
		len(strings.Fields(text[known.Start:known.End])) == 1 && doctorTitle(text[:min(known.Start, f.Start)])
}

// doctorTitle reports whether a text ends in the title of a clinician.
func doctorTitle(before string) bool {
	words := strings.Fields(before[max(0, len(before)-16):])
	return len(words) > 0 && clinicians[strings.Trim(strings.ToLower(words[len(words)-1]), ".,:")]
}

var (
	aroundNames = wordSet(`mr mrs ms miss mx dr dra sr sra srta don jr md do rn np pa phd ii iii iv de la del van von der`)
	clinicians  = wordSet(`dr dra drs doctor doctora dres nurse rn md prof professor`)
)
