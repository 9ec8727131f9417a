package tokenize

import (
	"strings"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// How to treat the period after an abbreviation.
const (
	abbrevNone   = iota
	abbrevTitle  // precedes a name: the period never ends a sentence
	abbrevNumber // is an abbreviation only before a number
	abbrevLower  // ends a sentence before a capital or the end
)

// ptbAbbrevs contains, in lower case, abbreviations that are recognized in any
// case: forms of address and streets; words before numbers; months, days, the
// traditional abbreviations of states, company forms, degrees.
var ptbAbbrevs = abbrevTable(map[int]string{
	abbrevTitle: `mr mrs ms mx dr drs prof rev fr hon pres gov sen rep gen col maj lt capt sgt cpl pvt adm insp
		sr st mt ft ave blvd rd dept asst assoc vs ph`,
	abbrevNumber: `no nos nr fig figs vol vols ch sec art pp pt apt rm ste ext tel ca approx`,
	abbrevLower: `jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri
		ala ariz calif colo conn fla ga ind kan ky md mich minn mo mont neb nev okla penn tenn va vt wis wyo
		inc co corp ltd univ jr esq ph.d ed.d pharm.d psy.d etc al est bldg`,
})

// ptbCapitalAbbrevs contains abbreviations that are recognized only when
// capitalized: in lower case or all capitals they are words or other
// abbreviations.
var ptbCapitalAbbrevs = abbrevTable(map[int]string{
	abbrevLower: `Ark Del Ill La Mass Miss Ore Pa Tex Wash`,
})

func abbrevTable(lists map[int]string) map[string]int {
	table := map[string]int{}
	for kind, words := range lists {
		for _, w := range strings.Fields(words) {
			table[w] = kind
		}
	}
	return table
}

func abbrevOf(word string) int {
	var buf [8]byte
	if kind := ptbCapitalAbbrevs[word]; kind != abbrevNone {
		return kind
	}
	return ptbAbbrevs[string(fold(&buf, word))]
}

// englishOpener contains words that, when capitalized, start a sentence far more
// often than they are a name: articles, pronouns, question words, conjunctions,
// prepositions.
var englishOpener = wordlists.Set(`A An The This That These Those There Here
	I He She It We You They His Her Its Our Your Their
	What When Where Which While Who Why How
	After Although And As Because Before But However If Once Since So Then Though Until Yet
	About At By During For From In On Over Under Upon With Without
	All Also Both Each Many More Most No Other Some Such Now
	Patient Pt`)

// apostropheWord reports whether a word in lower case and the text after its
// apostrophe are one word that no other rule keeps together.
func apostropheWord(word, rest string) bool {
	switch word {
	case "c":
		return rest == "mon" || rest == "est"
	case "cap":
		return rest == "n"
	case "int", "nat":
		return rest == "l"
	case "ass", "dep", "gov":
		return rest == "t"
	}
	return false
}

// initials reports whether the word is a letter, or letters with periods between
// them: J, M.D, U.S.
func initials(word string) bool {
	if len(word)%2 == 0 {
		return false
	}
	for i := range len(word) {
		if i%2 == 0 && !asciiLetter(word[i]) || i%2 == 1 && word[i] != '.' {
			return false
		}
	}
	return true
}

// fold returns an ASCII word in lower case, or nil if it does not fit into buf.
func fold(buf *[8]byte, word string) []byte {
	if len(word) > len(buf) {
		return nil
	}
	for i := range len(word) {
		b := word[i]
		if asciiUpper(b) {
			b |= 0x20
		}
		buf[i] = b
	}
	return buf[:len(word)]
}

func asciiUpper(b byte) bool  { return b >= 'A' && b <= 'Z' }
func asciiLetter(b byte) bool { return asciiUpper(b &^ 0x20) }
func asciiDigit(b byte) bool  { return b >= '0' && b <= '9' }
func asciiAlnum(b byte) bool  { return asciiLetter(b) || asciiDigit(b) }
func hostByte(b byte) bool    { return asciiAlnum(b) || b == '-' || b == '.' }
func localByte(b byte) bool   { return hostByte(b) || b == '_' || b == '%' || b == '+' }
func inner(b byte) bool       { return b == ',' || b == ';' || b == ':' }
func vowel(b byte) bool       { return b != 0 && strings.IndexByte("aeiouyAEIOUY", b) >= 0 }

func upperASCII(word string) bool {
	for i := range len(word) {
		if !asciiUpper(word[i]) {
			return false
		}
	}
	return word != ""
}
