package safetynet

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// signature returns the name that is the last sentence of a Spanish note, as many sign: "Control en 7 días. Lund". It is one known surname with a capital, or two with a hyphen
// of which one is known, that are no words, drugs or diseases. It does not stand behind an institution, whose town it may be. It is a guess: what others find there says more about its type.
func signature(text string) (s data.Span, ok bool) {
	text = strings.TrimRight(text, " \t\r\n")
	if len(text) < minSigned {
		return s, false
	}
	end := lastBytes(text, maxSignature)
	m := lastSentence.FindStringSubmatchIndex(end)
	if m == nil || institutionBefore.MatchString(end[:m[2]]) {
		return s, false
	}
	from := len(text) - len(end)
	s = data.Span{Start: from + m[2], End: from + m[3], Type: "DOCTOR", Score: guess}
	words := strings.Split(fold.Fold(text[s.Start:s.End]), "-")
	return s, slices.ContainsFunc(words, isKnownSurname) && !slices.ContainsFunc(words, isNoSurname)
}

// minSigned is the minimum length of a note that somebody signs, and maxSignature that of what is read at its end, in bytes.
const (
	minSigned    = 60
	maxSignature = 96
)

var (
	lastSentence = lazyregexp.New(`(?:[\pL\pN)%+»"][.!?] |[\pL\pN).]\n)(\p{Lu}\p{Ll}{2,}(?:-\p{Lu}\p{Ll}{2,})?)\.?$`)
	// institutionBefore matches the sentence before the last one if an institution or an address is in it.
	institutionBefore = lazyregexp.New(`(?i)\b(?:hospital|cl[íi]nica|centro|universi\pL+|instituto|servicio|unidad|consultorio|policl[íi]nic[ao]|sanatorio|residencia|calle|avenida|avda|plaza|departamento)\b[^.\n]*[.\n] ?$`)
	// endsAsNoName matches how words end that are clinical or said at the end of a note.
	endsAsNoName = lazyregexp.New(`(?:cion|sion|it[oa]s|ad[oa]s?|id[oa]s?|[aei]r|amos|emos|mente|dad|log[oi]a?|loxia|iatr[ai]a?|ista|cencia|lock|lol|pril|sartan|statina|cilina|micina|zol|mab|nib|vir|ina|oma|ulta|iente|itis|osis)$`)
)

// isNoSurname reports whether a folded word is, or may be, anything else than the surname of who signs.
func isNoSurname(folded string) bool {
	return wordlists.Common(folded) || diseaseWords()[folded] || brands()[folded] || brandsWithDose[folded] || isDrug(folded) || species()[folded] || eponym(folded) ||
		!isKnownSurname(folded) && endsAsNoName.MatchString(folded)
}
