package safetynet

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// signature returns the name that is the last sentence of a Spanish note, as many sign: "Control en 7 días. Lund". It is one word with a capital, perhaps with a hyphen, and no known word, drug or disease.
func signature(text string) (s data.Span, ok bool) {
	text = strings.TrimRight(text, " \t\r\n")
	if len(text) < minSigned {
		return s, false
	}
	m := lastSentence.FindStringSubmatchIndex(lastBytes(text, maxSignature))
	if m == nil {
		return s, false
	}
	from := len(text) - min(len(text), maxSignature)
	s = data.Span{Start: from + m[2], End: from + m[3], Type: "DOCTOR", Score: 1}
	return s, !slices.ContainsFunc(strings.Split(text[s.Start:s.End], "-"), isNoSigner)
}

// minSigned is the minimum length of a note that somebody signs, and maxSignature that of what is read at its end, in bytes.
const (
	minSigned    = 60
	maxSignature = 64
)

var (
	lastSentence = lazyregexp.New(`(?:[\pL\pN)%+»"][.!?] |[\pL\pN).]\n)(\p{Lu}\p{Ll}{2,}(?:-\p{Lu}\p{Ll}{2,})?)\.?$`)
	// endsAsNoName matches how words end that are clinical or said at the end of a note.
	endsAsNoName = lazyregexp.New(`(?:cion|sion|it[oa]s|ad[oa]s?|id[oa]s?|[aei]r|amos|emos|mente|dad|log[oi]a?|loxia|iatr[ai]a?|ista|cencia|lock|lol|pril|sartan|statina|cilina|micina|zol|mab|nib|vir|ina|oma|ulta|iente)$`)
)

// isNoSigner reports whether a word is no name of who signs.
func isNoSigner(word string) bool {
	folded := fold.Fold(word)
	switch {
	case wordlists.CommonIn("es", folded):
		return true
	case isPersonal(folded):
		return false
	}
	return wordlists.Common(folded) || diseaseWords()[folded] || isMedicine(folded, data.Person) || isOrganism(folded) || eponym(folded) || endsAsNoName.MatchString(folded)
}
