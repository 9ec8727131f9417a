// Package language finds out in which language a note, or each part of it, is written. It
// counts function words, such as "the" and "with", because notes are often too short and
// too full of names and abbreviations for statistics of letters.
package language

import (
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/fold"
)

// A Language is an ISO 639-1 code, Undecided, or the name of a script other than Latin,
// such as "Greek".
type Language string

// The languages that Lethe's own models know, and the result for text with too few function
// words.
const (
	English   Language = "en"
	Spanish   Language = "es"
	Undecided Language = ""
)

// languages lists the languages that are told apart. From rare on, they are rare in notes, and a text is in one of them only if enough of its words say so: parts
// are first told by the others alone.
var languages = []Language{English, Spanish, "pt", "fr", "it", "ca", "de", "nl",
	"pl", "cs", "sk", "hr", "sl", "ro", "hu", "fi", "sv", "da", "no", "lt", "sq", "tr", "vi", "tl", "id", "sw", "so", "ht", "eu", "gl", "cy", "ga", "hmn"}

// rare is the index of the first of the languages that are rare.
const rare = 8

// A Part of a text is in one language. Start and End are byte offsets.
type Part struct {
	Start, End int
	Language   Language
}

const (
	// fewest is how many more function words of English than of Spanish a part must have to be in English, and the other way
	// round. fewestForeign is the number of those of another language that it must have to be in this one, which must also have half
	// as many again as English and Spanish have: short phrases of medicine are full of Latin. Of these words, fewestOwn different ones must
	// be neither English nor Spanish: IM and OS are repeated.
	fewest, fewestForeign, fewestOwn = 4, 6, 3
)

// Parts divides a text into parts, at line ends. Lines without function words belong to the
// language of the lines around them. The parts cover the text; there is always one, whose
// language is Undecided if the text has hardly any function words.
func Parts(text string) []Part {
	if script := otherScript(text); script != Undecided {
		return []Part{{0, len(text), script}}
	}
	var lines []counts
	var parts []Part // first one for each line, then runs of those of one language
	at := 0
	for line := range strings.Lines(text) {
		lines, parts = append(lines, count(line)), append(parts, Part{Start: at, End: at + len(line)})
		at += len(line)
	}
	if len(lines) == 0 {
		return []Part{{}}
	}
	if mayBeRare(lines) {
		all := runs(text, lines, parts, len(languages))
		if slices.ContainsFunc(all, func(p Part) bool { return slices.Contains(languages[rare:], p.Language) }) {
			return all
		}
	}
	return runs(text, lines, parts, rare)
}

// mayBeRare reports whether the lines together have enough function words of a rare language for a part in it.
func mayBeRare(lines []counts) bool {
	var sum counts
	for _, line := range lines {
		for l := rare; l < len(sum); l++ {
			if sum[l] += line[l]; sum[l] >= fewestForeign {
				return true
			}
		}
	}
	return false
}

// runs joins the lines of a text, which are parts, to parts of one language, of the first n languages.
func runs(text string, lines []counts, parts []Part, n int) []Part {
	of := ofLines(lines, n)
	var merged []Part
	for i := 0; i < len(lines); {
		part, hits, first := parts[i], counts{}, of[i]
		for ; i < len(lines) && of[i] == first; i++ {
			part.End = parts[i].End
			for l, n := range lines[i] {
				hits[l] += n
			}
		}
		part.Language = decide(hits[:n], text[part.Start:part.End])
		merged = append(merged, part)
	}
	return merged
}

// counts are numbers of function words by language, in the order of languages.
type counts [33]uint32

// decide returns the language of a part by its function words.
func decide(hits []uint32, part string) Language {
	ours := max(hits[0], hits[1]) // English and Spanish come first
	most := slices.Max(hits)
	switch {
	case most >= fewestForeign && 2*most >= 3*ours && own(part, languages[slices.Index(hits, most)]) >= fewestOwn:
		return languages[slices.Index(hits, most)]
	case ours >= min(hits[0], hits[1])+fewest:
		return languages[slices.Index(hits[:2], ours)]
	}
	return Undecided
}

// ofLines returns the index of one of the first n languages for each line: the one with the most function words in it. If several have as many, it is
// that of the line before, if possible, and otherwise the first one; lines before the first function word have the language of that.
func ofLines(lines []counts, n int) []int {
	chosen := make([]int, len(lines))
	now := -1
	for i, line := range lines {
		if most := slices.Max(line[:n]); most > 0 && (now < 0 || line[now] < most) {
			first := now < 0
			now = slices.Index(line[:n], most)
			if first {
				for k := range i {
					chosen[k] = now
				}
			}
		}
		chosen[i] = max(now, 0)
	}
	return chosen
}

// count counts the function words of each language in a text.
func count(text string) (hits counts) {
	of := languagesOf()
	for w := range words(text) {
		for left := of[string(w)]; left != 0; left &= left - 1 {
			hits[bits.TrailingZeros64(uint64(left))]++
		}
	}
	return hits
}

// own returns the number of different function words of a language in a text that are neither English nor Spanish. Of a rare language, words of two letters do not
// count, because notes are full of such abbreviations.
func own(text string, l Language) int {
	of, i := languagesOf(), slices.Index(languages, l)
	found := map[string]bool{}
	for w := range words(text) {
		if is := of[string(w)]; is.has(i) && is&ours == 0 && (i < rare || len(w) > 2) {
			found[string(w)] = true
		}
	}
	return len(found)
}

// longest is the maximum length of a function word, in bytes.
const longest = 15

// words yields the words of a text that are not too long to be function words, folded. They are valid until the next one.
func words(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var memory [longest]byte
		for at := 0; at < len(text); {
			start := at
			word := memory[:0]
			for ; at < len(text) && isLetter(text[at]); at++ {
				if len(word) < longest {
					word = append(word, text[at]|0x20)
				}
			}
			if at < len(text) && text[at] >= utf8.RuneSelf {
				if end := wordEnd(text, at); end > at {
					at = end
					word = append(word[:0], fold.Fold(text[start:at])...)
				}
			}
			if at == start {
				_, size := utf8.DecodeRuneInString(text[at:])
				at += size
				continue
			}
			if at-start <= longest && !yield(word) {
				return
			}
		}
	}
}

// isLetter reports whether a byte is an ASCII letter.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// wordEnd returns where the letters and marks from a position on end.
func wordEnd(text string, at int) int {
	for end, r := range text[at:] {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return at + end
		}
	}
	return len(text)
}

// otherScript returns the name of the most frequent of the other scripts if more than half of the letters, and at least ten, are in them. It is
// Undecided for other texts. A Japanese text has three scripts.
func otherScript(text string) Language {
	if !beyondLatin(text) {
		return Undecided
	}
	letters, others, in := 0, 0, map[string]int{}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if r < endLatin || unicode.Is(unicode.Latin, r) {
			continue
		}
		for _, name := range scripts {
			if unicode.Is(unicode.Scripts[name], r) {
				in[name]++
				others++
				break
			}
		}
	}
	if others < 10 || 2*others <= letters {
		return Undecided
	}
	most := scripts[0]
	for _, name := range scripts {
		if in[name] > in[most] {
			most = name
		}
	}
	return Language(most)
}

// endLatin is the end of the letters of western and central Europe.
const endLatin = 0x250

// beyondLatin reports whether a text may have a character from endLatin on. It reads first bytes, which is faster than to read characters.
func beyondLatin(text string) bool {
	for i := range len(text) {
		if text[i] >= 0xc9 {
			return true
		}
	}
	return false
}

// scripts lists the scripts that are named.
var scripts = []string{"Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana",
	"Kannada", "Katakana", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan"}
