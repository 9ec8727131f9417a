package gazetteer

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold tells which differences between two words are ignored.
type Fold string

// The foldings. With all of them, a letter with an accent is the same whether it is written as one character or as two (Unicode's NFC).
const (
	FoldBoth    Fold = "both"    // case and accents
	FoldCase    Fold = "case"    // Ávila matches ÁVILA
	FoldAccents Fold = "accents" // Ávila matches Avila, Nuñez Nunez, Łódź Lodz, O’Brien O'Brien
	FoldNone    Fold = "none"
)

// foldings is the number of ways in which lists are folded.
const foldings = 4

var allFoldings = [foldings]Fold{FoldBoth, FoldCase, FoldAccents, FoldNone}

// number returns the index in allFoldings.
func (f Fold) number() int {
	switch f {
	case FoldBoth:
		return 0
	case FoldCase:
		return 1
	case FoldAccents:
		return 2
	}
	return 3
}

func (f Fold) cases() bool   { return f != FoldAccents && f != FoldNone }
func (f Fold) accents() bool { return f != FoldCase && f != FoldNone }

// plain has the characters that Unicode's decompositions do not fold: strokes and ligatures, and variants of ' and -.
var plain = map[rune]string{
	'ø': "o", 'Ø': "O", 'đ': "d", 'Đ': "D", 'ł': "l", 'Ł': "L", 'ħ': "h", 'Ħ': "H", 'ı': "i", 'ð': "d", 'Ð': "D", 'þ': "th", 'Þ': "Th",
	'ß': "ss", 'ẞ': "SS", 'æ': "ae", 'Æ': "Ae", 'œ': "oe", 'Œ': "Oe",
	'’': "'", '‘': "'", '´': "'", '`': "'", '‐': "-", '‑': "-", '–': "-", '−': "-",
}

// appendFolded appends the form of a piece of text by which it is compared. The form is never empty, and folding it again does not change it.
func appendFolded(dst []byte, fold Fold, piece string) []byte {
	if lower(piece) { // which is frequent
		return append(dst, piece...)
	}
	from := len(dst)
	table := &latin()[fold.number()]
	for _, r := range piece {
		if r >= endLatin {
			return fold.append(dst[:from], piece)
		}
		dst = append(dst, table[r]...)
	}
	return dst
}

// lower reports whether a text consists of the letters a to z.
func lower(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// endLatin is the end of the letters of western and central Europe. All combining marks come after it, so each character before it can be folded by
// itself.
const endLatin = 0x250

// latin has the folded forms of the characters below endLatin, by number of the folding.
var latin = sync.OnceValue(func() *[foldings][endLatin]string {
	all := new([foldings][endLatin]string)
	for i, f := range allFoldings {
		for r := range rune(endLatin) {
			all[i][r] = string(f.append(nil, string(r)))
		}
	}
	return all
})

func (f Fold) append(dst []byte, piece string) []byte {
	from := len(dst)
	form := norm.NFC
	if f.accents() {
		form = norm.NFD
	}
	text := piece
	if f.cases() {
		text = strings.Map(unicode.ToLower, piece) // first, because some accents can be joined with small letters alone, as in ᾲ
	}
	for _, r := range form.String(text) {
		if f.accents() && unicode.Is(unicode.Mn, r) {
			continue
		}
		if s, ok := plain[r]; ok && f.accents() {
			dst = append(dst, s...)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
	}
	if len(dst) == from { // an accent on its own
		return append(dst, piece...)
	}
	return dst
}
