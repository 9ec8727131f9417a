// Package safetynet searches notes for PHI that a tagger has missed.
//
// It searches for three things:
//
//   - The originals: text that is replaced in the notes of a patient and also occurs elsewhere in
//     them, in other case or without its accents, and parts of a name alone or in another order, or
//     in a login.
//   - Known values of the patient from other sources, such as a record's demographics or a file, in
//     all these forms, as initials, and with one letter or digit wrong.
//   - Matches of formulaic rules, such as phone numbers.
//
// It always reads the original note, never one with surrogates. It works on words, which are runs
// of letters or of digits, compared as in package fold.
package safetynet

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// Source is the reason why something was found.
type Source string

// The sources. Rule and Denied require settings of the user, and work without the net.
const (
	Original  Source = "original"
	Known     Source = "known"
	Formulaic Source = "formulaic"
	Rule      Source = "rule"
	Denied    Source = "denied"
)

// Sources lists the sources in the order of reports.
func Sources() []Source { return []Source{Original, Known, Formulaic, Rule, Denied} }

// Net determines how values of each type are searched for. It is safe for concurrent use.
type Net struct {
	Types *data.TypeSet // its sorts determine how the values of a type are searched for
	// Formulaic finds PHI by its form; nil for none.
	Formulaic func(text string) []data.Span
	// Correct removes spans of a tagger that are known to be wrong by what stands beside them, such as the plate of a fracture that was taken for a street. The spans are sorted and
	// disjoint. Nil removes none.
	Correct func(text string, spans []data.Span) []data.Span
	// Languages returns the languages of a note, such as en, or nil if they are not known. It may be nil. Formulaic
	// and Correct may use it.
	Languages func(text string) []string
	// Expect prepares Formulaic and Correct for notes in these languages, or in any if there are none. It may be nil, and need not be called.
	Expect func(languages []string)
}

// Language returns the language of a note, or "" if it is not known or there are several.
func (n *Net) Language(text string) string {
	if n.Languages != nil {
		if all := n.Languages(text); len(all) == 1 {
			return all[0]
		} else if len(all) > 1 {
			return ""
		}
	}
	return n.Types.Language
}

// Removed is a replaced text and its type.
type Removed struct{ Text, Type string }

// Originals returns patterns for the replaced texts in the notes of one patient. Of a text with several types, the most frequent counts, so that the order of the
// notes does not matter. What is no name is not searched for (see isSpread).
func (n *Net) Originals(removed []Removed) *Patterns {
	p := &Patterns{types: n.Types, language: n.Language}
	count := map[Removed]int{}
	for _, r := range removed {
		count[r]++
	}
	for _, r := range slices.SortedFunc(maps.Keys(count), func(a, b Removed) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Text, b.Text))
	}) {
		sort, v := n.Types.SortOf(r.Type), valueOf(r.Text)
		if isSpread(r.Text, v, sort) {
			p.add(r.Text, v, r.Type, howOf(sort))
		}
	}
	return p
}

// Known returns patterns for the known values of one patient.
func (n *Net) Known(values []Value) *Patterns {
	p := &Patterns{types: n.Types, language: n.Language, known: true}
	for _, v := range values {
		p.add(v.Text, valueOf(v.Text), v.typeIn(n.Types), v.how())
	}
	return p
}

// word is a run of letters or of digits.
type word struct {
	start, end  int
	fold        string // see package fold
	digits      bool
	capitalized bool // the first letter is a capital
	capitals    bool // all letters, at least two, are capitals
	first       bool // it begins a sentence or a line
	titled      bool // a title such as Dr. precedes it
	sep         byte // the only byte since the previous word if it is one of . _ - /, or 0
	elided      bool // an apostrophe is all that is between the previous word and this one
	blank       bool // there is nothing but white space between the previous word and this one
	gap         int  // number of bytes since the previous word if they may occur within a value, or -1
	comma       bool // these bytes contain a comma and no full stop
	inName      bool // these bytes may occur within a name: no end of a sentence, and no colon of a label
	dot         bool // a full stop follows
	measured    bool // it is a number followed by a unit
	signed      bool // the sign of a result follows: Murphy +, Homans (-)
	label       bool // a colon is between the previous word and this one
}

// maxGap is the maximum number of bytes between two words of a value, such as a comma and a line
// end with its indentation.
const maxGap = 6

// window is the maximum number of bytes of a text that are processed at a time, which bounds
// memory.
const window = 1 << 20

// bytesPerWord is about the number of bytes of a word and what follows it.
const bytesPerWord = 5

// windowEnd returns the end of the window that begins at a position: after a blank line if
// possible, else after a line, else at the maximum size.
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

// split returns the words of a text.
func split(text string) []word {
	return appendWords(make([]word, 0, len(text)/bytesPerWord+1), text, 0, len(text), nil)
}

// appendWords appends the words of text[from:to] outside of the covered spans, which are sorted and
// disjoint, to an empty slice.
func appendWords(words []word, text string, from, to int, covered []data.Span) []word {
	next, _ := data.Overlapping(covered, data.Span{Start: from, End: to})
	folded := "" // text[from:to], if its characters do not change their places
	if isPlain(text[from:to]) {
		folded = fold.Fold(text[from:to])
	}
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
		end := max(wordEnd(text[:stop], i, digit), i+size) // also if a covered span cuts the character
		w := word{start: i, end: end, digits: digit, gap: -1, fold: text[i:end], dot: strings.HasPrefix(text[end:], ".")}
		if digit {
			w.measured = measured(text[end:])
		} else {
			if folded != "" {
				w.fold = folded[i-from : end-from]
			} else {
				w.fold = fold.Fold(w.fold)
			}
			w.capitalized = unicode.IsUpper(r)
			w.signed = w.capitalized && signed(text[end:])
			w.capitals = w.capitalized && !strings.ContainsFunc(text[i:end], unicode.IsLower) && utf8.RuneCountInString(w.fold) > 1
		}
		before := 0 // the end of the previous word
		if k := len(words) - 1; k >= 0 {
			before = words[k].end
			between := text[before:i]
			near := len(between) <= maxGap && near(between) && (next == 0 || covered[next-1].End <= before)
			switch {
			case between != " ":
				w.blank = between != "" && strings.TrimSpace(between) == ""
				if len(between) == 1 && strings.Contains("._-/", between) {
					w.sep = between[0]
				}
				w.elided = between == "'" || between == "’"
				w.label = strings.HasSuffix(strings.TrimRight(between, " \t"), ":")
				if near {
					w.gap = len(between)
					w.comma = strings.Contains(between, ",") && !strings.Contains(between, ".")
					w.inName = withinName(between, utf8.RuneCountInString(words[k].fold))
					w.titled = isTitle(words[k].fold) && !strings.ContainsAny(between, ",\n")
				}
			case near: // as between most words
				w.blank, w.gap, w.inName, w.titled = true, 1, true, isTitle(words[k].fold)
			}
		}
		w.first = len(words) == 0 && strings.TrimSpace(text[:i]) == "" || text[before:i] != " " && begins(text[before:i], w.titled)
		words = append(words, w)
		i = end
	}
	return words
}

// isPlain reports whether folding a text only changes capitals to small letters.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf || text[i] == '`' {
			return false
		}
	}
	return true
}

// wordEnd returns the end of the word that begins at a position. Invisible characters, such as a
// soft hyphen, do not end it.
func wordEnd(text string, at int, digit bool) int {
	end := at
	for end < len(text) && text[end] < utf8.RuneSelf { // as nearly all words
		if b := text[end]; digit != (b >= '0' && b <= '9') || !digit && (b|0x20 < 'a' || b|0x20 > 'z') {
			return end
		}
		end++
	}
	for i := end; i < len(text); {
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

// begins reports whether a word begins a sentence or a line, given the text between it and the
// previous word. The full stop of a title does not end a sentence.
func begins(between string, titled bool) bool {
	between = strings.TrimRight(between, " \t\u00a0\"“'‘([*#-")
	if between == "" || titled {
		return false
	}
	return strings.ContainsRune(".!?;\n\r|", rune(between[len(between)-1]))
}

// withinName reports whether the text between two words may occur within a name. n is the length of
// the first word. A full stop may follow an initial, and a line end may occur only alone.
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

// measured reports whether the beginning of a text makes the preceding number an amount.
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

var units = wordlists.Set(`mg mcg ug g gm kg ng lb lbs oz ml ul dl cc mm cm mmhg meq mmol iu units unit u tab tabs caps puffs bpm lpm rpm hr hrs hours
	min mins days weeks kcal cal unidades comprimidos gotas cells células`)

// signed reports whether a text begins with the sign of a result, which nothing else follows on its line but what ends a phrase.
func signed(text string) bool {
	text = strings.TrimPrefix(text, " ")
	for _, sign := range []string{"(+)", "(-)"} {
		if strings.HasPrefix(text, sign) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(text, "+")
	return ok && (rest == "" || strings.ContainsRune(".,;)\n\r", rune(rest[0])))
}

// near reports whether the bytes between two words may occur within a value.
func near(between string) bool {
	for _, r := range between {
		if !unicode.IsSpace(r) && !strings.ContainsRune(`,.-/'’_@()·:ºª‐‑–`, r) {
			return false
		}
	}
	return true
}
