package deid

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// brokenAt returns how many bytes of a text, from the hyphen at a position on, divide a word at the end of a line, as in "Spring-\nfield", or 0 if none do. The reading of the text has the
// word in one piece, so that a name, a place or a date does not stay in part.
//
// The word must be a month, a day of the week or a name that is known, or begin with a capital. In the second case its two parts may not both be
// words of their own, unless names of places and persons end in the second one.
func brokenAt(text string, at int) int {
	if text[at] != '-' || at == 0 || at+1 == len(text) || strings.IndexByte(" \t\r\n", text[at+1]) < 0 {
		return 0
	}
	m := restOfWord.FindStringSubmatchIndex(text[at:min(len(text), at+64)])
	if m == nil {
		return 0
	}
	first, rest := lastLetters(text[:at]), text[at+m[2]:at+m[3]]
	if r, _ := utf8.DecodeRuneInString(text[at+m[3]:]); inToken(r) && at+m[3] < len(text) || utf8.RuneCountInString(first) < 2 || !isOneWord(first, rest) {
		return 0
	}
	return m[2]
}

// restOfWord matches what divides a word at the end of a line, and the rest of the word.
var restOfWord = lazyregexp.New(`^-[ \t]{0,4}\r?\n[ \t]{0,16}(\p{L}\p{L}+)`)

// lastLetters returns the letters at the end of a text, at most as many as those of a word are.
func lastLetters(text string) string {
	start := len(text)
	for start > max(0, len(text)-32) {
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if !unicode.IsLetter(r) {
			break
		}
		start -= n
	}
	return text[start:]
}

// isOneWord reports whether the letters at the end of a line and those at the beginning of the next are one word.
func isOneWord(first, rest string) bool {
	isLower, isUpper := strings.ToLower(rest) == rest, strings.ToUpper(rest) == rest && strings.ToUpper(first) == first
	if !isLower && !isUpper {
		return false
	}
	word, end := fold.Fold(first+rest), fold.Fold(rest)
	if brokenDates[word] || surrogate.IsSurname(word) && !wordlists.Common(word) || surrogate.IsFirstName(word) && !wordlists.Common(word) {
		return true
	}
	start := fold.Fold(first)
	if r, _ := utf8.DecodeRuneInString(first); !unicode.IsUpper(r) || sides[start] {
		return false
	}
	isWord := wordlists.Common(start) || surrogate.IsFirstName(start) || surrogate.IsSurname(start)
	return !wordlists.Common(end) || endsOfNames[end] || !isWord && !nextSentence[end]
}

var (
	brokenDates = wordlists.Set(`january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
		enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre lunes martes miercoles jueves viernes sabado domingo`)
	// endsOfNames are words in which names of places and persons end.
	endsOfNames = wordlists.Set(`bach bank beach berg born borne borough bottom bourne bridge brook brooks burg burgh burn bury by cliff court croft dale day dorf down end fall falls field fields
		ford forest gate grove hall ham harbor harbour haven head heim hill hills holm hurst island lake land lands leigh ley lock man mann mere mill minster mont mouth park point pool port ridge river rock
		sea shire side smith son stad stadt stead stein stock stone strand stream ton town vale valley vale view ville wald water waters way well wells white wick win wood woods worth
		bella blanca campo mar monte puente rosa sol verde villa`)
	// nextSentence are words that go on behind a dash after a name that is on no list.
	nextSentence = wordlists.Set(`the and has had have was were is are in on at of to for with who his her he she they said says will would can may no not but if by from as or an it we
		called calls came seen notes noted reports denies states agrees wants asked plan patient pain day room age male female see
		el la los las con que por se su no es un una ha fue del al para sin refiere acude niega paciente dolor plan`)
	// sides stand before such words in compounds that are no names.
	sides = wordlists.Set("left right up down out in bed")
)
