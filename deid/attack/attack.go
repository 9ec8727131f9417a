// Package attack does to notes from which PHI was removed what somebody would do who wants it back: it looks for values that were
// missed and therefore stand among invented values or tags ("hiding in plain sight", Carrell et al. 2013).
//
// An attack starts from notes as they were released, in which a reader, a person or a model, has marked everything that looks like
// PHI. The reader cannot tell a value that was missed from an invented one. Each [Attack] tries to:
//
//	seen := ...                                 // released notes, Spans are what the reader marked
//	suspects, err := attack.Parrot(ctx, seen, types, attack.Training{})
//	leaks, err := attack.Leaks(originals, released) // only whoever has the originals can tell
//	score := attack.Compare(suspects, leaks)
package attack

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// Suspect is a marked span that an attack takes for a real value.
type Suspect struct {
	Note string `json:"note"` // ID of the document
	data.Span
	// Confidence is how sure the attack is, in [0, 1]. It orders the suspects of one attack; those of different attacks cannot be compared.
	Confidence float64 `json:"confidence"`
}

// sortSuspects sorts by confidence, highest first, then by place.
func sortSuspects(all []Suspect) {
	sorting.By(all, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), strings.Compare(a.Note, b.Note), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(a.Type, b.Type))
	})
}

// Count is how many values an attack suspects, how many were really left, and how many of these it suspects.
type Count struct {
	Suspects int `json:"suspects"`
	Leaks    int `json:"leaks"`
	Hits     int `json:"hits"`  // leaks that it suspects
	Right    int `json:"right"` // suspects that are leaks; may differ from Hits where one of them covers several of the other
}

// Recall returns the share of the leaks that the attack finds, and false if there are none.
func (c Count) Recall() (float64, bool) { return share(c.Hits, c.Leaks) }

// Precision returns the share of the suspects that are leaks, and false if there are none.
func (c Count) Precision() (float64, bool) { return share(c.Right, c.Suspects) }

func share(part, all int) (float64, bool) {
	if all == 0 {
		return 0, false
	}
	return float64(part) / float64(all), true
}

// Score has the counts of an attack: All, and those of each type. Leaks count for the type of their gold span, suspects for the type that the reader
// gave them.
type Score struct {
	All    Count             `json:"all"`
	ByType map[string]*Count `json:"by_type"`
}

// Compare counts which suspects are leaks: those that share a character with one.
func Compare(suspects []Suspect, leaks []Leak) Score {
	s := Score{ByType: map[string]*Count{}}
	count := func(typ string) *Count {
		if s.ByType[typ] == nil {
			s.ByType[typ] = &Count{}
		}
		return s.ByType[typ]
	}
	byNote := map[string][]Suspect{}
	for _, x := range suspects {
		byNote[x.Note] = append(byNote[x.Note], x)
	}
	leaksOf := map[string][]Leak{}
	for _, l := range leaks {
		leaksOf[l.Note] = append(leaksOf[l.Note], l)
		c := count(l.Type)
		c.Leaks++
		s.All.Leaks++
		if slices.ContainsFunc(byNote[l.Note], func(x Suspect) bool { return x.Start < l.End && l.Start < x.End }) {
			c.Hits++
			s.All.Hits++
		}
	}
	for _, x := range suspects {
		c := count(x.Type)
		c.Suspects++
		s.All.Suspects++
		if slices.ContainsFunc(leaksOf[x.Note], func(l Leak) bool { return x.Start < l.End && l.Start < x.End }) {
			c.Right++
			s.All.Right++
		}
	}
	return s
}

// Report is the result of all attacks on some notes. It is what "lethe attack --json" prints, and contains no text of notes.
type Report struct {
	Version string         `json:"version"` // version of the program
	Reader  string         `json:"reader"`  // digest of the model that marked the notes; "" if the files had the marks
	Notes   int            `json:"notes"`
	Marked  int            `json:"marked"`         // values that the reader marked, outside of tags
	Tags    map[string]int `json:"tags,omitempty"` // number of tags, by type
	Left    *Left          `json:"leaks,omitempty"`
	Attacks []Result       `json:"attacks"`
}

// Left is what is really left in the notes, without ages.
type Left struct {
	Gold   int            `json:"gold"` // values in the originals
	Left   int            `json:"left"`
	ByType map[string]int `json:"by_type"`
}

// Result is the result of one attack.
type Result struct {
	Name     string         `json:"name"`
	Suspects []Suspect      `json:"-"`
	ByType   map[string]int `json:"suspects_by_type"`
	Sure     int            `json:"sure"`            // suspects with a confidence of at least 0.9
	Score    *Score         `json:"score,omitempty"` // without ages; nil if the originals are not known
}
