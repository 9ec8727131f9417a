// Package safetynet is the safety net under a tagger: it looks through a note for PHI that the
// tagger has left.
//
// Three things are looked for. The originals: what is replaced in the notes of the same
// patient and also stands elsewhere in them, in other case or without its accents, the parts of a
// name alone or in another order. What is known of the patient from elsewhere, such as a
// record's demographics or a file, in all these forms, as initials, and with one letter or digit
// wrong. And what formulaic rules find, such as phone numbers.
//
// It always reads the note as it was written, never a surrogate. It works on words, which are
// runs of letters or of digits, compared as package fold compares them.
package safetynet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
)

// Source says why something was found.
type Source string

// The sources. Rule and Denied are asked for by the user and also work without a net.
const (
	Original  Source = "original"
	Known     Source = "known"
	Formulaic Source = "formulaic"
	Rule      Source = "rule"
	Denied    Source = "denied"
)

// Sources lists them in the order in which reports do.
func Sources() []Source { return []Source{Original, Known, Formulaic, Rule, Denied} }

// Net knows how values of each type are looked for. It is never changed, and serves many
// goroutines.
type Net struct {
	Types *data.TypeSet // its sorts determine how the values of a type are looked for
	// Formulaic finds PHI by its form; nil for none.
	Formulaic func(text string) []data.Span
}

// Removed is text that is replaced, and its type.
type Removed struct{ Text, Type string }

// Originals are patterns for what is replaced in the notes of one patient.
func (n *Net) Originals(removed []Removed) *Patterns {
	p := &Patterns{types: n.Types}
	for _, r := range removed {
		p.add(r.Text, r.Type, howOf(n.Types.Describe(r.Type).Sort))
	}
	return p
}

// Known are patterns for what is known of one patient.
func (n *Net) Known(values []Value) *Patterns {
	p := &Patterns{types: n.Types, known: true}
	for _, v := range values {
		p.add(v.Text, v.typeIn(n.Types), v.how())
	}
	return p
}

// word is a run of letters or of digits.
type word struct {
	start, end  int
	fold        string // see package fold
	digits      bool
	capitalized bool // its first letter is a capital
	capitals    bool // all of its letters are, and there are at least two
	first       bool // it begins a sentence or a line
	titled      bool // a title such as Dr. stands before it
	gap         int  // bytes since the word before that may stand within a value, or -1
	comma       bool // a comma is among them, and no full stop
	inName      bool // they may stand within a name: not after the end of a sentence, and no label's colon
	dot         bool // a full stop follows
	measured    bool // it is a number, and a unit follows
}

// maxGap is how many bytes may separate two words of a value: a comma and a line end with
// its indent, say.
const maxGap = 6

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

// split returns the words of text[from:to] that are not in covered spans, which are sorted and
// disjoint.
func split(text string, from, to int, covered []data.Span) []word {
	var words []word
	next, _ := data.Overlapping(covered, data.Span{Start: from, End: to})
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
		end := wordEnd(text[:stop], i, digit)
		w := word{start: i, end: end, digits: digit, gap: -1, fold: text[i:end], dot: strings.HasPrefix(text[end:], ".")}
		if digit {
			w.measured = measured(text[end:])
		} else {
			w.fold = fold.Fold(w.fold)
			w.capitalized = unicode.IsUpper(r)
			w.capitals = w.capitalized && !strings.ContainsFunc(text[i:end], unicode.IsLower) && utf8.RuneCountInString(w.fold) > 1
		}
		before := 0 // where the word before ends
		if k := len(words) - 1; k >= 0 {
			before = words[k].end
			between := text[before:i]
			if len(between) <= maxGap && near(between) && (next == 0 || covered[next-1].End <= before) {
				w.gap = len(between)
				w.comma = strings.Contains(between, ",") && !strings.Contains(between, ".")
				w.inName = withinName(between, utf8.RuneCountInString(words[k].fold))
				w.titled = titles[words[k].fold] && !strings.ContainsAny(between, ",\n")
			}
		}
		w.first = len(words) == 0 && strings.TrimSpace(text[:i]) == "" || begins(text[before:i], w.titled)
		words = append(words, w)
		i = end
	}
	return words
}

// wordEnd is where the word that begins at a place ends. What cannot be seen, such as a soft
// hyphen, does not end it.
func wordEnd(text string, at int, digit bool) int {
	end := at
	for i := at; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case unicode.Is(unicode.Cf, r):
			continue
		case digit != unicode.IsDigit(r), !digit && !unicode.IsLetter(r) && !unicode.IsMark(r):
			return end
		}
		end = i
	}
	return end
}

// begins reports whether a word begins a sentence or a line after what stands between it and the
// word before. The full stop of a title ends no sentence.
func begins(between string, titled bool) bool {
	between = strings.TrimRight(between, " \t\u00a0\"“'‘([*#-")
	if between == "" || titled {
		return false
	}
	return strings.ContainsRune(".!?;\n\r|", rune(between[len(between)-1]))
}

// withinName reports whether what stands between two words may stand within a name; n is the length of the first. A
// full stop may stand after an initial, and a line end only by itself.
func withinName(between string, n int) bool {
	lines := 0
	for _, r := range between {
		switch {
		case r == '.':
			if n > 2 {
				return false
			}
		case r == '\n':
			lines++
		case !unicode.IsSpace(r) && !strings.ContainsRune(",-'’·‐‑", r):
			return false
		}
	}
	return lines == 0 || lines == 1 && strings.TrimSpace(between) == ""
}

// measured reports whether a text begins with what makes the number before it an amount.
func measured(text string) bool {
	text = strings.TrimPrefix(strings.TrimPrefix(text, " "), "/")
	if strings.HasPrefix(text, "%") {
		return true
	}
	end := 0
	for end < len(text) && end < 8 && (text[end] >= 'a' && text[end] <= 'z' || text[end] >= 'A' && text[end] <= 'Z') {
		end++
	}
	return end > 0 && units[strings.ToLower(text[:end])]
}

var units = set(`mg mcg ug g gm kg ng lb lbs oz ml ul dl cc mm cm mmhg meq mmol iu units unit u tab tabs caps puffs bpm lpm rpm hr hrs hours
	min mins days weeks kcal cal unidades comprimidos gotas cells células`)

// near reports whether the bytes between two words may stand within a value.
func near(between string) bool {
	for _, r := range between {
		if !unicode.IsSpace(r) && !strings.ContainsRune(`,.-/'’_@()·:ºª‐‑–`, r) {
			return false
		}
	}
	return true
}
