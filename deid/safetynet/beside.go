package safetynet

import (
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file compares what stands directly beside a word with lists of phrases.

// maxBeside is the number of words on either side of a word that are read.
const maxBeside = 4

// joint returns what is between a word and the one before it, if they may belong to one phrase: a blank, a sign, or nothing.
func joint(w word) (string, bool) {
	switch {
	case w.elided:
		return "'", true
	case w.gap == 1 && w.blank:
		return " ", true
	case w.sep == '-' || w.sep == '/':
		return string(w.sep), true
	}
	return "", w.gap == 0
}

// leftOf returns the folded words before word i, as far as they belong to one phrase with it, each with its joint behind it: "hx of ".
func leftOf(words []word, i int) string {
	left := ""
	for k := i; k > 0 && k > i-maxBeside; k-- {
		sign, ok := joint(words[k])
		if !ok {
			break
		}
		left = words[k-1].fold + sign + left
	}
	return left
}

// rightOf returns the folded words behind word i, as far as they belong to one phrase with it, each with its joint before it: " in place". It leaves out a possessive s.
func rightOf(words []word, i int) string {
	right := ""
	for k := i + 1; k < len(words) && k <= i+maxBeside; k++ {
		sign, ok := joint(words[k])
		if !ok {
			break
		}
		if k > i+1 || sign != "'" || words[k].fold != "s" {
			right += sign + words[k].fold
		}
	}
	return right
}

// endsWith reports whether the words before a word end in one of the phrases.
func endsWith(left string, some []string) bool {
	for _, phrase := range some {
		rest, ok := strings.CutSuffix(left, phrase+" ")
		if ok && (rest == "" || strings.ContainsRune(" -/'", rune(rest[len(rest)-1]))) {
			return true
		}
	}
	return false
}

// beginsWith reports whether the words behind a word begin with one of the phrases.
func beginsWith(right string, some []string) bool {
	for _, phrase := range some {
		rest, ok := strings.CutPrefix(right, " "+phrase)
		if ok && (rest == "" || strings.ContainsRune(" -/'", rune(rest[0]))) {
			return true
		}
	}
	return false
}

// isGrade reports whether word i stands directly behind another one and is a number, a Roman numeral or a letter of a class: Fisher 3, Garden IV, Weber B.
func isGrade(words []word, i int) bool {
	if i >= len(words) || words[i].gap != 1 || !words[i].blank {
		return false
	}
	w := words[i]
	var next word
	sign, joined := "", false
	if i+1 < len(words) {
		next = words[i+1]
		sign, joined = joint(next)
	}
	switch {
	case w.digits:
		return len(w.fold) <= 2 && !w.measured && sign != "/" && (!joined || sign == "-" && romans[next.fold] || next.digits && len(next.fold) <= 2 || !next.capitalized && !timeWords[next.fold])
	case !w.capitalized:
		return false
	case joined && sign == "" && next.digits: // B2, A2L3B1
		return classLetters[w.fold] && len(next.fold) <= 2
	case romans[w.fold]:
		return true
	case w.fold == "i" || w.fold == "v":
		return !joined
	}
	return classLetters[w.fold] && utf8.RuneCountInString(w.fold) == 1 && (!joined && (!w.dot || i+1 == len(words) || next.capitalized && wordlists.Common(next.fold)) || joined && !next.capitalized)
}

var (
	romans       = wordlists.Set("ii iii iv vi iia iib iiia iiib")
	classLetters = wordlists.Set("a b c d e")
	// timeWords follow a number that is no grade.
	timeWords = wordlists.Set(`d day days wk wks week weeks mo mos month months y yr yrs yo year years h hr hrs hour hours am pm min mins minute minutes times x dias dia semanas semana meses mes ano anos horas
		st nd rd th ago`)
)
