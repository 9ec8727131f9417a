package deid

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// initialAndSurname is how a patient is also called: P. Olmedo.
type initialAndSurname struct {
	initial rune
	surname string // folded
}

// retypeShortNames gives the type of patients' names to an initial and a surname of the patient that were found as the name of somebody else or as a place: "P. Olmedo" behind "Pedro Olmedo
// Zárate". Behind a clinician's title or a word for a relative they may be somebody else's.
func (d *Deidentifier) retypeShortNames(notes []Note, results []*Result, all [][]found) {
	patient := d.Net.Types.OfPerson(false)
	if patient == "" || d.Exact {
		return
	}
	short := map[initialAndSurname]bool{}
	for i, n := range notes {
		for _, f := range all[i] {
			if f.Type == patient && f.End-f.Start <= maxName {
				addShortNames(short, n.Text[f.Start:f.End])
			}
		}
	}
	if len(short) == 0 {
		return
	}
	for i, n := range notes {
		if results[i].Err != nil || n.Search == Marked {
			continue
		}
		for k, f := range all[i] {
			if !slices.Contains(alsoPatients, d.sort(f.Type)) || f.End-f.Start > maxName {
				continue
			}
			from := 0
			if k > 0 {
				from = all[i][k-1].End
			}
			if s, ok := shortName(n.Text, f.Span, from); ok && short[called(n.Text[s.Start:s.End])] && !ofSomebodyElse(n.Text[:s.Start]) {
				s.Type = patient
				all[i][k] = d.add(n.Text, []data.Span{s}, f.rank)[0]
			}
		}
	}
}

// alsoPatients are the sorts of what an initial and a surname are mistaken for.
var alsoPatients = []data.Sort{data.Person, data.Family, data.City, data.Place}

// maxName is the maximum number of bytes of a name.
const maxName = 80

// addShortNames adds the short forms of a name of a patient.
func addShortNames(short map[initialAndSurname]bool, name string) {
	surnames, given, comma := strings.Cut(name, ",")
	if !comma {
		given, surnames, _ = strings.Cut(name, " ")
	}
	given = strings.TrimSpace(given)
	initial, _ := utf8.DecodeRuneInString(fold.Fold(given))
	if utf8.RuneCountInString(given) < 3 || !unicode.IsLetter(initial) {
		return
	}
	for _, surname := range strings.Fields(surnames) {
		if utf8.RuneCountInString(surname) > 2 && !aroundNames[strings.ToLower(surname)] {
			short[initialAndSurname{initial, fold.Fold(surname)}] = true
		}
	}
}

// shortName returns a span with the initial before it, if it does not begin with one, within text[from:]. It reports whether there is one.
func shortName(text string, s data.Span, from int) (data.Span, bool) {
	if initialFirst.MatchString(text[s.Start:s.End]) {
		return s, true
	}
	if m := initialBefore.FindStringSubmatchIndex(text[max(from, s.Start-8):s.Start]); m != nil {
		s.Start = max(from, s.Start-8) + m[2]
		return s, initialFirst.MatchString(text[s.Start:s.End])
	}
	return s, false
}

var (
	initialFirst  = lazyregexp.New(`^\p{Lu}\pM?(?:\. ?| )\p{Lu}[\pL\pM'’-]{2,}$`)
	initialBefore = lazyregexp.New(`(?:^|[\s,;:(])(\p{Lu}\pM?\. ?|[B-DF-NP-TV-XZ] )$`) // without a full stop, vowels and Y are words
)

// called returns the initial and the surname of a short name.
func called(name string) initialAndSurname {
	folded := fold.Fold(name)
	initial, size := utf8.DecodeRuneInString(folded)
	return initialAndSurname{initial, strings.TrimLeft(folded[size:], ". ")}
}

// ofSomebodyElse reports whether a text ends in a title of a clinician or a word for a relative.
func ofSomebodyElse(before string) bool {
	words := strings.Fields(before[max(0, len(before)-24):])
	return len(words) > 0 && (doctorTitle(before) || kinWords()[fold.Fold(strings.Trim(words[len(words)-1], ".,:("))])
}

// kinWords are the words for relatives, folded.
var kinWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, list := range []string{"en-kinship", "es-kinship"} {
		for _, entry := range wordlists.Entries(list) {
			all[fold.Fold(entry)] = true
		}
	}
	return all
})
