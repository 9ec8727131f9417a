package gazetteer

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold says what does not tell two words apart.
type Fold string

// The foldings. In all of them a letter with its accent is the same whether written as one character or as two (Unicode's NFC).
const (
	FoldBoth    Fold = "both"    // case and accents
	FoldCase    Fold = "case"    // Ávila is ÁVILA
	FoldAccents Fold = "accents" // Ávila is Avila, Nuñez is Nunez, Łódź is Lodz, O’Brien is O'Brien
	FoldNone    Fold = "none"
)

func (f Fold) cases() bool   { return f != FoldAccents && f != FoldNone }
func (f Fold) accents() bool { return f != FoldCase && f != FoldNone }

// plain is what Unicode's decompositions leave of accents: strokes and ligatures, and the marks that stand for ' and -.
var plain = map[rune]string{
	'ø': "o", 'Ø': "O", 'đ': "d", 'Đ': "D", 'ł': "l", 'Ł': "L", 'ħ': "h", 'Ħ': "H", 'ı': "i", 'ð': "d", 'Ð': "D", 'þ': "th", 'Þ': "Th",
	'ß': "ss", 'ẞ': "SS", 'æ': "ae", 'Æ': "Ae", 'œ': "oe", 'Œ': "Oe",
	'’': "'", '‘': "'", '´': "'", '`': "'", '‐': "-", '‑': "-", '–': "-", '−': "-",
}

// appendFolded appends what a piece of text is compared by. It is never empty, and a folded piece folds to itself.
func appendFolded(dst []byte, fold Fold, piece string) []byte {
	from := len(dst)
	table := latin()[fold]
	for _, r := range piece {
		switch {
		case 'a' <= r && r <= 'z':
			dst = append(dst, byte(r))
		case r < endLatin:
			dst = append(dst, table[r]...)
		default:
			return fold.append(dst[:from], piece)
		}
	}
	return dst
}

// endLatin is the end of the letters of western and central Europe. No combining mark is below it, so that each character there folds by itself.
const endLatin = 0x250

// latin has what the characters below endLatin fold to.
var latin = sync.OnceValue(func() map[Fold]*[endLatin]string {
	all := map[Fold]*[endLatin]string{}
	for _, f := range []Fold{FoldBoth, FoldCase, FoldAccents, FoldNone} {
		all[f] = new([endLatin]string)
		for r := range rune(endLatin) {
			all[f][r] = string(f.append(nil, string(r)))
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
	for _, r := range form.String(piece) {
		if f.accents() && unicode.Is(unicode.Mn, r) {
			continue
		}
		if f.cases() {
			r = unicode.ToLower(r)
		}
		if s, ok := plain[r]; ok && f.accents() {
			dst = append(dst, s...)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
	}
	if len(dst) == from { // an accent that stands alone
		return append(dst, piece...)
	}
	return dst
}
