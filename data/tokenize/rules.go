package tokenize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// Rules splits clinical notes in English and Spanish into sentences, headings and
// list items. It looks at the text, so it works with every tokenizer. A unit
// never ends between two tokens without white space between them. Otherwise:
//
// On one line, a unit ends after . ? ! or … (and closing quotes and brackets) if
// the next character is a capital, a digit, an opening quote or bracket, ¿, ¡, or
// a bullet, unless the period
//   - follows a title or another abbreviation that precedes a name (Dr.,
//     Sra., Avda.), or before a number when one follows (No. 5),
//   - follows a single letter or letters with periods (J., M.D., EE.UU.), and
//     the next word is not one that only starts sentences (The, El, ...),
//   - ends a list number at the start of a line (2. Metformin),
//   - or is between a number and a digit (Calle Mayor 19. 6C).
//
// Across a line end, a unit ends when
//   - there is a blank line in between,
//   - the line ends as a sentence does (a title or initial at the end of a
//     line does not), or with a colon, as headings do,
//   - the next line starts with a bullet, a list number or letter (1. 2) a)
//     #3), or a field label (up to 5 words and a colon),
//   - the line or the next one is in capitals,
//   - or the line is shorter than 50 characters and the next does not start
//     with a small letter, so it was not wrapped.
//
// Otherwise the line was wrapped and the unit continues.
type Rules struct{}

var _ Splitter = Rules{}

const (
	wrapWidth = 50 // a shorter line was not wrapped; in bytes
	maxLabel  = 60 // the longest field label or heading in capitals; in bytes
	maxWord   = 24 // how far back to search for an abbreviation; in bytes
)

// Sentences implements Splitter.
func (Rules) Sentences(text string, tokens []data.Token, dst []Range) []Range {
	line := 0 // start of the current line
	if len(tokens) > 0 {
		line = tokens[0].Start
	}
	return cut(len(tokens), dst, func(i int) bool {
		end, next := tokens[i].End, tokens[i+1].Start
		if end == next {
			return false
		}
		lines := gapLines(text, tokens, i)
		if lines == 0 {
			return endsSentence(text, line, end, next) && opensSentence(text, next)
		}
		ended := text[line:end]
		start := line
		line = next
		return lines > 1 ||
			text[end-1] == ':' ||
			endsSentence(text, start, end, next) ||
			opensItem(text, next) ||
			inCapitals(ended) || inCapitals(restOfLine(text, next)) ||
			len(ended) < wrapWidth && !startsLower(text[next:])
	})
}

// endsSentence reports whether the line text[line:end] ends with a sentence. next
// is the position at which the text continues.
func endsSentence(text string, line, end, next int) bool {
	p := end
	for range 4 { // closing quotes and brackets
		r, n := utf8.DecodeLastRuneInString(text[line:p])
		if n == 0 || !strings.ContainsRune("\"')]}”’»", r) {
			break
		}
		p -= n
	}
	switch r, n := utf8.DecodeLastRuneInString(text[line:p]); r {
	case '?', '!', '…':
		return true
	case '.':
		p -= n
	default:
		return false
	}
	word := lastWord(text[line:p])
	switch {
	case word == "": // ellipsis, or after a bracket
		return true
	case p-line == len(word) && listNumber(word):
		return false
	case allDigits(word) && is(text, next, digit): // street numbers, phases
		return false
	case dottedInitials(word):
		return opener(text, next)
	}
	word = strings.ToLower(word)
	return !titles[word] && (!numbered[word] || !is(text, next, digit))
}

// lastWord returns the letters, digits, inner periods and slashes at the end of
// s, or the last maxWord bytes of them.
func lastWord(s string) string {
	p := len(s)
	for p > 0 && len(s)-p < maxWord {
		r, n := utf8.DecodeLastRuneInString(s[:p])
		if c := classOf(r); c != letter && c != digit && c != mark && r != '.' && r != '/' {
			break
		}
		p -= n
	}
	return strings.TrimLeft(s[p:], "./")
}

// listNumber reports whether word may number a list: one or two digits, or a
// letter.
func listNumber(word string) bool {
	return len(word) <= 2 && allDigits(word) || len(word) == 1 && asciiLetter(word[0])
}

func allDigits(word string) bool {
	for i := range len(word) {
		if !asciiDigit(word[i]) {
			return false
		}
	}
	return true
}

// dottedInitials reports whether word ends with a single letter, or consists of
// pieces of one or two letters with periods between them: J, M.D, EE.UU, Fdo.J.
func dottedInitials(word string) bool {
	pieces, size, longest := 1, 0, 0
	for _, r := range word {
		switch {
		case r == '.':
			pieces, size = pieces+1, 0
			continue
		case unicode.IsLetter(r):
			size++
		default:
			size = maxWord
		}
		longest = max(longest, size)
	}
	return size == 1 || pieces > 1 && longest <= 2
}

// opensSentence reports whether a sentence may start at text[i], after one that
// seems to have ended.
func opensSentence(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsUpper(r) || unicode.IsDigit(r) || strings.ContainsRune("\"'([{“‘«¿¡-*•·–—#", r)
}

// opener reports whether the word at text[i] only starts sentences.
func opener(text string, i int) bool {
	end := i
	for end < len(text) && end-i < maxWord {
		c, n := classAt(text, end)
		if c != letter && c != mark {
			break
		}
		end += n
	}
	return englishOpener[text[i:end]] || spanishOpener[text[i:end]]
}

// opensItem reports whether the line at text[i] starts with a bullet, a list
// number or letter, or a field label.
func opensItem(text string, i int) bool {
	line := restOfLine(text, i)
	r, n := utf8.DecodeRuneInString(line)
	switch {
	case strings.ContainsRune("-*•·–—>+►▪○●", r):
		return true
	case r == '#' || r == '(':
		line = line[n:]
	}
	p := 0
	for p < len(line) && p < 2 && asciiDigit(line[p]) {
		p++
	}
	if p == 0 && len(line) > 0 && asciiLetter(line[0]) {
		p = 1
	}
	if p > 0 && p < len(line) && (line[p] == ')' || line[p] == '.') && (p+1 == len(line) || line[p+1] == ' ' || line[p+1] == '\t') {
		return true
	}
	return p > 0 && r == '#' || label(line)
}

// label reports whether the line starts with a field label: one to five words and
// a colon.
func label(line string) bool {
	colon := strings.IndexByte(line[:min(len(line), maxLabel)], ':')
	if colon < 2 || colon+1 < len(line) && !is(line, colon+1, space) { // 10:30
		return false
	}
	words := 1
	for i := 0; i < colon; {
		c, n := classAt(line, i)
		switch {
		case c == space:
			words++
		case c == other && strings.IndexByte("/-()#&.'", line[i]) < 0 && line[i] < utf8.RuneSelf:
			return false
		}
		i += n
	}
	return words <= 5 && !startsLower(line)
}

// inCapitals reports whether the line is a heading in capitals: at most maxLabel
// bytes, with at least three capitals and no lower-case letters.
func inCapitals(line string) bool {
	if len(line) > maxLabel {
		return false
	}
	letters := 0
	for _, r := range line {
		switch {
		case unicode.IsLower(r):
			return false
		case unicode.IsUpper(r):
			letters++
		}
	}
	return letters >= 3
}

// restOfLine returns the line from i on, cut if it is longer than any heading.
func restOfLine(text string, i int) string {
	end := i
	for end < len(text) && end-i <= maxLabel && lineEnd(text, end) == 0 {
		end++
	}
	return text[i:end]
}

func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// titles contains abbreviations, in lower case, that never end a sentence,
// because a name or a number follows.
var titles = wordlists.Set(`mr mrs ms dr drs prof st rev fr hon capt sgt lt col gen sr vs dept ca cf e.g i.e mt ft blvd
	dra dras dres sra sras srta sres dña d.ª lic ing gral hnos avda avd av c/ cl pso pza urb edif edf ctra crta carr cra
	nº n.º tfno fdo dpto ntra sta sto cdad ej p.ej ee ff`)

// numbered contains abbreviations, in lower case, that do not end a sentence
// before a digit.
var numbered = wordlists.Set(`no nos fig figs tel ext apt ste approx rd ave
	núm num tlf tfn telf hab pág págs aprox esq esc apto km col nºcol hist`)

// spanishOpener is englishOpener for Spanish.
var spanishOpener = wordlists.Set(`A Actualmente Ante Al Aunque Con Cuando Desde Después Dado Durante El Ella En Entre Es Esta Este
	Estos Fue Ha Hasta Hay La Las Lo Los Mujer No Niega Paciente Para Pero Por Posteriormente Presenta Que Refiere Se Según
	Si Sin Su Sus Tras Un Una Varón Ya`)
