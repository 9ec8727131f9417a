package safetynet

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// Titled returns the names behind a title that have surnames, a comma and first names: "Sra. López Ruiz, Ana María", "Mr. Lund, John". Networks take the comma for the end of the name. If there
// are ordinary words among the surnames, or more words with a capital follow, as in "Dr. Vega, Jordan Hospital", only the first names are returned. The spans have the type DOCTOR behind the title of one, and else PATIENT; they are sorted.
func Titled(text string) (found []data.Span) {
	for at := 0; ; {
		n := strings.Index(text[at:], ", ")
		if n < 0 {
			return found
		}
		comma := at + n
		at = comma + len(", ")
		if r, _ := utf8.DecodeRuneInString(text[at:]); !unicode.IsUpper(r) || !surrogate.IsFirstName(text[at:at+wordLength(text[at:])]) {
			continue
		}
		m := titledSurnames.FindStringSubmatch(lastBytes(text[:comma], maxFullName))
		if m == nil {
			continue
		}
		if letterBefore.MatchString(text[:comma-len(m[2])]) || pains.MatchString(firstBytes(text[at:], len("Dolores")+16)) {
			continue
		}
		form := formOf(m[2][strings.LastIndexByte(m[2], ' ')+1:])
		if end := givenNames(text, at, form); end > at && !eponyms()[termOf(text[at:end])] && !deviceNext.MatchString(text[end:]) {
			typ := "PATIENT"
			if strings.EqualFold(m[1], "dr") || strings.EqualFold(m[1], "dra") {
				typ = "DOCTOR"
			}
			start := at
			surnames := strings.Fields(m[2])
			if !capitalizedNext.MatchString(text[end:]) && !slices.ContainsFunc(surnames, func(word string) bool { return !isParticle(word) && !isSurname(word) }) {
				start = comma - len(m[2])
			}
			found = append(found, data.Span{Start: start, End: end, Type: typ, Score: 1})
		}
	}
}

// titledSurnames matches a title and surnames at the end of a text.
var titledSurnames = lazyregexp.New(`(?:^|[^\pL])(?i:(sr|sra|srta|dr|dra|don|doña|dña|dn|d|mr|mrs|ms|miss)(?:\.?[ªa])?)\.? ((?:(?:(?i:de|del|la|las|los|van|von|der|y) )*\p{Lu}[\pL\pM'’-]+ ?){1,4})$`)

// letterBefore matches a word before a letter D that is no title: vitamina D, hepatitis D.
var letterBefore = lazyregexp.New(`(?i:vitamina?|hepatitis|factor|virus) D\.? $`)

// pains matches pains that begin as the name Dolores does.
var pains = lazyregexp.New(`^(?:Dolores|DOLORES) (?i:abdominal|articular|cervical|cólico|difuso|dorsal|generalizad|irradiad|lumbar|menstrual|muscular|neuropátic|óse|ose|pélvic|postoperatori|torácic)`)

// capitalizedNext matches a word with a capital at the beginning of a text, perhaps behind particles.
var capitalizedNext = lazyregexp.New(`^ (?:(?:de|del|la|las|los) ){0,2}\p{Lu}\p{Ll}`)

// deviceNext matches a word that makes the one before it the name of a device, a test or a disease: Jordan frame.
var deviceNext = lazyregexp.New(`^ (?i:frames?|splints?|braces?|collar|catheter|clamp|retractor|tube|signs?|scale|score|criteria|syndrome|anomal(?:y|ies)|classification)\b`)

// maxGiven is how many first names a person may have.
const maxGiven = 4

// givenNames returns the end of the first names, written in a form, that begin at text[from], or from if there are none. A name that is also an ordinary word or a month must end a phrase.
func givenNames(text string, from int, form form) int {
	end := from
	for at, n := from, 0; n < maxGiven; n++ {
		word := text[at : at+wordLength(text[at:])]
		after := text[at+len(word):]
		switch {
		case n > 0 && isParticle(word):
		case word == "" || saints[termOf(word)] || formOf(word) != form || !surrogate.IsFirstName(word), !isGiven(word) && !isLastWord(after):
			return end
		default:
			end = at + len(word)
		}
		if !strings.HasPrefix(after, " ") {
			return end
		}
		at += len(word) + 1
	}
	return end
}

// wordLength returns how many bytes the word at the beginning of a text has.
func wordLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' })
	if n < 0 {
		return len(text)
	}
	return n
}

// isLastWord reports whether what follows a word ends a phrase.
func isLastWord(after string) bool {
	return after == "" || strings.ContainsAny(after[:1], ".,;:)\r\n") || strings.HasPrefix(after, " (")
}
