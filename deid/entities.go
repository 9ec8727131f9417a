package deid

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
)

// wholeEntities corrects the boundaries of spans in a text with character references of HTML, as columns of tables often have: no span begins
// or ends within a reference, or within a word that contains references to letters, as in Jos&eacute;. One that ends in a reference to another
// character, as in Lund&#39;s, shrinks. A span within a reference is none, unless it is certain, because it is known or the user says so:
// then it grows.
func wholeEntities(text string, spans []data.Span, certain bool) []data.Span {
	if len(spans) == 0 || !strings.Contains(text, "&") {
		return spans
	}
	var entities [][2]int
	for _, m := range replace.Reference.FindAllStringIndex(text, -1) {
		if html.UnescapeString(text[m[0]:m[1]]) != text[m[0]:m[1]] {
			entities = append(entities, [2]int{m[0], m[1]})
		}
	}
	if len(entities) == 0 {
		return spans
	}
	var out []data.Span
	for _, s := range spans {
		if s, ok := wholeEntity(text, s, entities, certain); ok {
			out = append(out, s)
		}
	}
	return out
}

func wholeEntity(text string, s data.Span, entities [][2]int, certain bool) (data.Span, bool) {
	shrunk := false
	for i := endingAt(entities, s.Start); i < len(entities) && entities[i][0] < s.End; i++ {
		from, to := entities[i][0], entities[i][1]
		switch {
		case to <= s.Start || from >= s.End || from >= s.Start && to <= s.End:
		case from <= s.Start && s.End <= to:
			s.Start, s.End = from, to
			return s, certain
		case from < s.Start:
			if s.Start = to; isLetterEntity(text[from:to]) || certain {
				s.Start = from
			} else {
				shrunk = true
			}
		default:
			if s.End = from; isLetterEntity(text[from:to]) || certain {
				s.End = to
			} else {
				shrunk = true
			}
		}
	}
	s = overLetters(text, s, entities)
	if shrunk {
		value := text[s.Start:s.End]
		s.Start += len(value) - len(strings.TrimLeftFunc(value, unicode.IsSpace))
		s.End = s.Start + len(strings.TrimSpace(value))
	}
	return s, hasWord(text[s.Start:s.End])
}

// longestGrowth is how many bytes a span grows over references, at most about: words are shorter, and the time is linear.
const longestGrowth = 256

// overLetters makes a span grow over the rest of a word that contains references to letters.
func overLetters(text string, s data.Span, entities [][2]int) data.Span {
	first, last := s.Start-longestGrowth, s.End+longestGrowth
	for i := min(endingAt(entities, s.Start)+1, len(entities)-1); i >= 0 && entities[i][1] >= s.Start && s.Start > first; i-- {
		from, to := entities[i][0], entities[i][1]
		beside := to == s.Start && (text[to] == '&' || lettersAfter(text[to:]) > 0)
		if (beside || from == s.Start) && isLetterEntity(text[from:to]) {
			s.Start = from - lettersBefore(text[:from])
		}
	}
	for i := endingAt(entities, s.End); i < len(entities) && entities[i][0] <= s.End && s.End < last; i++ {
		from, to := entities[i][0], entities[i][1]
		beside := from == s.End && (text[from-1] == ';' || lettersBefore(text[:from]) > 0)
		if (beside || to == s.End) && isLetterEntity(text[from:to]) {
			s.End = to + lettersAfter(text[to:])
		}
	}
	return s
}

// endingAt returns the index of the first reference that ends at a position or behind it.
func endingAt(entities [][2]int, at int) int {
	i, _ := slices.BinarySearchFunc(entities, at, func(e [2]int, at int) int { return cmp.Compare(e[1], at) })
	return i
}

// lettersAfter returns the length of the letters at the beginning of a text.
func lettersAfter(text string) (n int) {
	for {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return n
		}
		n += size
	}
}

// lettersBefore returns the length of the letters at the end of a text.
func lettersBefore(text string) (n int) {
	for {
		r, size := utf8.DecodeLastRuneInString(text[:len(text)-n])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return n
		}
		n += size
	}
}

// isLetterEntity reports whether a character reference stands for a letter.
func isLetterEntity(reference string) bool {
	r, _ := utf8.DecodeRuneInString(html.UnescapeString(reference))
	return unicode.IsLetter(r)
}
