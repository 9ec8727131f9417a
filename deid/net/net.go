// Package net is the safety net under a tagger: it looks through a note whose PHI has
// been replaced for what should not be there any more.
//
// Three things are looked for. The originals: what was replaced in the notes of the same
// patient, standing elsewhere in them as well, in capitals or without, without its accents, a
// name's parts alone or in another order. What is known of the patient from elsewhere,
// a record's demographics or a file, in all these forms and with one letter or digit
// wrong. And what formulaic rules find, such as phone numbers.
//
// It works on words: runs of letters or of digits, compared without case and accents.
package net

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lethe-deid/lethe/data"
)

// Source says why something was found.
type Source string

// The sources.
const (
	Original  Source = "original"
	Known     Source = "known"
	Formulaic Source = "formulaic"
)

// Sources lists them in the order in which reports do.
func Sources() []Source { return []Source{Original, Known, Formulaic} }

// Finding is PHI that was left.
type Finding struct {
	data.Span // with score 1
	Source    Source
}

// Net looks through notes. It is never changed, and serves many goroutines.
type Net struct {
	Types *data.TypeSet // whose categories say how a type is looked for
	// Formulaic finds PHI by its form; nil for none.
	Formulaic func(text string) []data.Span
}

// Removed is text that was replaced, and its type.
type Removed struct{ Text, Type string }

// Originals are what was replaced in notes of one patient, ready to be looked for. They
// serve many goroutines.
type Originals struct{ patterns }

// Originals makes them.
func (n *Net) Originals(removed []Removed) *Originals {
	o := &Originals{}
	for _, r := range removed {
		o.add(r.Text, r.Type, n.how(r.Type))
	}
	return o
}

// Scan looks through a text and returns what it finds, sorted and disjoint. Covered are
// spans of the text, sorted and disjoint, in which all is well: new text, and PHI that was kept by
// intent.
func (n *Net) Scan(text string, covered []data.Span, originals *Originals, known []Value) []Finding {
	knownPatterns := patterns{fuzzy: true}
	for _, v := range known {
		knownPatterns.add(v.Text, v.typeIn(n.Types), v.how())
	}
	var found []Finding
	for from := 0; from < len(text); {
		to := windowEnd(text, from)
		words := split(text, from, to, covered)
		found = append(found, originals.find(words, Original)...)
		found = append(found, knownPatterns.find(words, Known)...)
		from = to
	}
	if n.Formulaic != nil {
		for _, s := range n.Formulaic(text) {
			for _, part := range without(s, covered) {
				if len(split(text, part.Start, part.End, nil)) > 0 {
					found = append(found, Finding{data.Span{Start: part.Start, End: part.End, Type: s.Type, Score: 1}, Formulaic})
				}
			}
		}
	}
	return join(found)
}

// how says in what forms PHI of a type is looked for.
func (n *Net) how(typ string) how {
	t, ok := n.Types.Lookup(typ)
	if !ok {
		t.Category = typ
	}
	switch {
	case typ == "USERNAME":
		return asNumber
	case slices.Contains([]string{"NAME", "PER", "PERSON", "PATIENT", "DOCTOR"}, t.Category):
		return asName
	case t.Category == "ID" || t.Category == "CONTACT":
		return asNumber
	case t.Category == "AGE" || t.Category == "OTHER" || t.Category == "PROFESSION" || t.Category == "MISC":
		return notAtAll // "67" and "woman" stand in a note for more than that
	}
	return asPhrase
}

// join makes one finding of those that overlap, with the type and source of the
// longest.
func join(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Start - b.Start })
	var out []Finding
	longest := 0
	for _, f := range found {
		k := len(out) - 1
		if k < 0 || f.Start >= out[k].End {
			out, longest = append(out, f), f.End-f.Start
			continue
		}
		out[k].End = max(out[k].End, f.End)
		if n := f.End - f.Start; n > longest {
			out[k].Type, out[k].Source, longest = f.Type, f.Source, n
		}
	}
	return out
}

// without is what remains of a span beside the covered ones.
func without(s data.Span, covered []data.Span) []data.Span {
	var out []data.Span
	for _, c := range covered[firstAfter(covered, s.Start):] {
		if c.Start >= s.End {
			break
		}
		if c.Start > s.Start {
			out = append(out, data.Span{Start: s.Start, End: c.Start})
		}
		s.Start = c.End
	}
	if s.Start < s.End {
		out = append(out, s)
	}
	return out
}

// word is a run of letters or of digits.
type word struct {
	start, end  int
	fold        string // without case and accents
	digits      bool
	capitalized bool
	gap         int  // bytes since the word before that may stand within a value, or -1
	comma       bool // a comma is among them, and no full stop
	dot         bool // a full stop follows
}

// maxGap is how many bytes may part two words of a value: a comma and a line end with
// its indent, say.
const maxGap = 6

// firstAfter is the first of the spans that ends after a place.
func firstAfter(spans []data.Span, at int) int {
	i, _ := slices.BinarySearchFunc(spans, at, func(s data.Span, at int) int { return s.End - at - 1 })
	return i
}

// window is how much of a text is looked through at a time, in bytes: a bound on what is
// held.
const window = 1 << 20

// windowEnd is where the window that begins at a place ends: after a blank line if it can,
// else after a line, else where it must.
func windowEnd(text string, from int) int {
	if len(text)-from <= window {
		return len(text)
	}
	part := text[from : from+window]
	for _, border := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(part, border); i >= 0 {
			return from + i + len(border)
		}
	}
	to := from + window
	for !utf8.RuneStart(text[to]) {
		to--
	}
	return to
}

// split returns the words of text[from:to] that are not in covered spans.
func split(text string, from, to int, covered []data.Span) []word {
	var words []word
	next := firstAfter(covered, from)
	for i := from; i < to; {
		for next < len(covered) && covered[next].End <= i {
			next++
		}
		if next < len(covered) && i >= covered[next].Start {
			i = covered[next].End
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		letter, digit := unicode.IsLetter(r), unicode.IsDigit(r)
		if !letter && !digit {
			i += size
			continue
		}
		stop := to
		if next < len(covered) {
			stop = min(stop, covered[next].Start)
		}
		end, ascii := i, true
		for end < stop {
			r, size := utf8.DecodeRuneInString(text[end:])
			if digit != unicode.IsDigit(r) || !digit && !unicode.IsLetter(r) && !unicode.IsMark(r) {
				break
			}
			ascii = ascii && r < utf8.RuneSelf
			end += size
		}
		w := word{start: i, end: end, digits: digit, capitalized: unicode.IsUpper(r), gap: -1, fold: text[i:end], dot: strings.HasPrefix(text[end:], ".")}
		if !digit {
			w.fold = fold(w.fold, ascii)
		}
		if k := len(words) - 1; k >= 0 && i-words[k].end <= maxGap && near(text[words[k].end:i]) &&
			(next == 0 || covered[next-1].End <= words[k].end) {
			w.gap = i - words[k].end
			between := text[words[k].end:i]
			w.comma = strings.Contains(between, ",") && !strings.Contains(between, ".")
		}
		words = append(words, w)
		i = end
	}
	return words
}

// near says whether the bytes between two words may stand within a value.
func near(between string) bool {
	for _, r := range between {
		if !unicode.IsSpace(r) && !strings.ContainsRune(`,.-/'’_@()·:ºª`, r) {
			return false
		}
	}
	return true
}

// fold takes off case and accents.
func fold(s string, ascii bool) string {
	s = strings.ToLower(s)
	if ascii {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ß':
			return 's'
		case r == 'ø':
			return 'o'
		case r == 'ł':
			return 'l'
		}
		return r
	}, norm.NFKD.String(s))
}
