package safetynet

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// This file recognizes a text that is the name of a person and nothing else, such as the value of a field. Networks are trained on notes, and without a sentence or
// a label around it they take a name for one in six cases if it is in capitals.

const (
	maxFullName      = 60 // bytes
	maxFullNameWords = 5
)

// FullName returns the whole text, without white space around it, as a name of the type PATIENT, if it is a first name, perhaps with others or initials, and one or more surnames, or the
// surnames, a comma and the first names. The first name must be known and neither an ordinary word nor an eponym; a surname must be known, or not be an ordinary word. All words
// are written in the same way: capitalized, in capitals, or in lower case.
func FullName(text string) (data.Span, bool) {
	name := patient(text, 0, len(text))
	if name.End-name.Start > maxFullName || !isFullName(text[name.Start:name.End]) {
		return data.Span{}, false
	}
	return name, true
}

func isFullName(text string) bool {
	surnames, given, comma := strings.Cut(text, ",")
	if comma {
		text = given + " " + surnames
	}
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > maxFullNameWords || comma && len(strings.Fields(given)) == 0 || eponyms()[termOf(strings.Join(words, " "))] {
		return false
	}
	form := formOf(words[0])
	if last := words[len(words)-1]; form == mixed || !isGiven(words[0]) || isInitial(last) || isParticle(last) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(word string) bool {
		return !isInitial(word) && !isParticle(word) && (formOf(word) != form || !isSurname(word))
	})
}

// form is how a word is written.
type form int

const (
	mixed form = iota
	lowered
	capitalized
	capitals
)

// formOf returns the form of a word of letters, hyphens and apostrophes, or mixed if it contains anything else.
func formOf(word string) form {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune("-'’", r)
	}) {
		return mixed
	}
	switch {
	case strings.ToLower(word) == word:
		return lowered
	case strings.ToUpper(word) == word:
		return capitals
	case unicode.IsUpper(firstRune(word)):
		return capitalized
	}
	return mixed
}

// isInitial reports whether a word is a letter, perhaps with a period. The Spanish word y is none: Gordon y Chaddock are signs.
func isInitial(word string) bool {
	letter := strings.TrimSuffix(word, ".")
	r, size := utf8.DecodeRuneInString(letter)
	return size == len(letter) && unicode.IsLetter(r) && word != "y"
}

func isParticle(word string) bool { return particles[fold.Fold(word)] }

// particles may stand between the words of a name. Others of inNames, such as y and ii, also stand in names of signs and classes.
var particles = wordlists.Set("de del la las los van von der den da dos di el al bin ibn")

// isGiven reports whether a word is a first name, and neither an ordinary word nor an eponym, a genus or a drug.
func isGiven(word string) bool {
	return !slices.ContainsFunc(parts(word), func(part string) bool { return !surrogate.IsFirstName(part) || ordinary(part) || alsoThings[part] })
}

// alsoThings are first names that begin the names of organisms and drugs.
var alsoThings = wordlists.Set("alba candida diane melissa vera yasmin")

// isSurname reports whether a word can be a surname. A short one, unlike JR, IIB and Thx, must be known.
func isSurname(word string) bool {
	if utf8.RuneCountInString(word) <= 3 && !surrogate.IsSurname(word) {
		return false
	}
	return !slices.ContainsFunc(parts(word), func(part string) bool {
		return ordinary(part) && !surrogate.IsSurname(part)
	})
}

// parts returns the words on both sides of the hyphens of a word, folded.
func parts(word string) []string { return strings.Split(fold.Fold(word), "-") }

// termOf folds a term, in which hyphens are as good as blanks.
func termOf(term string) string { return strings.ReplaceAll(fold.Fold(term), "-", " ") }

// eponyms are terms that look like the name of a person, folded, with the first name first.
var eponyms = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, list := range []string{"en-ambiguous-eponyms", "es-ambiguous-eponyms"} {
		for _, entry := range wordlists.Entries(list) {
			all[termOf(entry)] = true
		}
	}
	for _, term := range []string{
		"alexa fluor", "alma ata", "ann arbor", "arnold chiari", "austin flint", "austin moore", "bence jones", "brandt daroff", "carey coombs",
		"charles bonnet", "christian science", "claude bernard", "cornelia de lange", "denis browne", "ellis van creveld", "florence nightingale",
		"foster kennedy", "frank starling", "graham steell", "harris benedict", "hunter hurler", "ivor lewis", "jackson pratt", "jasmine rice",
		"john cunningham", "johns hopkins", "kirby bauer", "lou gehrig", "marcus gunn", "marie curie", "miller fisher", "paul bunnell", "pierre robin",
		"ramsay hunt", "robert jones", "roland morris", "rosa de bengala", "russell viper", "stewart treves", "sue ryder", "treacher collins",
		"virginia mason",
		"art ward", "blood drew", "drew blood", "frank blood", "lake louise", "max head", "will call", "will power", // ordinary words
	} {
		all[term] = true
	}
	return all
})
