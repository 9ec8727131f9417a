// Package fold decides which spellings count as the same word.
//
// Replacing words in one note and searching for them in others must use the same
// comparison; otherwise Weiß is replaced and Weiss remains. All comparisons of
// what people write therefore use the one function of this package.
package fold

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold removes the differences between spellings of the same word: case, accents
// and other combining marks, strokes and ligatures (Bjørnæs becomes bjornaes,
// Weiß becomes weiss), the forms that Unicode has only for compatibility
// (full-width letters and digits, ﬁ), variants of apostrophes and hyphens, and
// invisible characters. Folding a result again does not change it.
//
// The result can be empty, for example for a single combining mark. The signs º
// and ª are kept, because nº and Mª are not words with an o or an a. Superscript
// and circled digits are kept, too: 10² is not 102.
func Fold(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf && s[i] != '`'
	}
	if ascii {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z' || r == ' ':
			b.WriteByte(byte(r))
		case r < endLatin:
			b.WriteString(latin()[r])
		default:
			b.WriteString(one(r))
		}
	}
	return b.String()
}

// plain maps lower-case characters that Unicode does not decompose, or does not
// decompose as people write them.
var plain = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ı': "i", 'ȷ': "j", 'ĸ': "k",
	'ς': "σ", // the form at the end of a word, which has no capital
	'’': "'", '‘': "'", '´': "'", '`': "'", 'ʼ': "'", 'ʻ': "'", '‛': "'", '′': "'",
	'‐': "-", '‑': "-", '–': "-", '−': "-",
	'\u00ad': "", '\u200b': "", '\u200c': "", '\u200d': "", '\u2060': "", '\ufeff': "", // soft hyphens and joiners
	'ª': "ª", 'º': "º",
}

// endLatin is the end of the letters of western and central Europe, whose folded
// forms are precomputed.
const endLatin = 0x250

var latin = sync.OnceValue(func() *[endLatin]string {
	var all [endLatin]string
	for r := range rune(endLatin) {
		all[r] = one(r)
	}
	return &all
})

// one returns the folded form of a single character.
func one(r rune) string {
	if s, ok := plain[unicode.ToLower(r)]; ok {
		return s
	}
	form := norm.NFD
	if unicode.IsLetter(r) || r >= 0xff00 && r <= 0xffef {
		form = norm.NFKD
	}
	var b strings.Builder
	for _, part := range form.String(string(r)) {
		if unicode.Is(unicode.Mn, part) {
			continue
		}
		part = unicode.ToLower(part)
		if s, ok := plain[part]; ok {
			b.WriteString(s)
		} else {
			b.WriteRune(part)
		}
	}
	return b.String()
}
