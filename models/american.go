package models

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/language"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// This file finds what tells that a short text may be English although its words are Spanish ones, as in the names of many American towns: Los Alamos, NM.

// longestAmerican is the maximum length of a text, in bytes, in which the name of a town outweighs other words.
const longestAmerican = 200

// noTown returns a function that reports whether what one model takes for a name in such a text is the abbreviation of a state, or one ordinary word such as
// Fiebre: not Modesto and Merced, which are names as well, nor Palo Alto and El Paso, nor what stands behind a label, a title or "de".
func noTown(text string) func(string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return func(found string) bool {
		if slices.Contains(states(), found) {
			return true
		}
		return !articles[first] && !strings.Contains(found, " ") && !isTitled(text, found) && isTerm(found) && !surrogate.IsFirstName(found) && !surrogate.IsSurname(found)
	}
}

// isTitled reports whether a label with a colon, a title, or a word such as Hospital or "de" stands before a word in a text.
func isTitled(text, word string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != ':' && !unicode.IsLetter(r) })
	for i := 1; i < len(words); i++ {
		if words[i] == word && (strings.HasSuffix(words[i-1], ":") || titles[fold.Fold(words[i-1])]) {
			return true
		}
	}
	return false
}

var (
	// titles stand before the name of a person, a hospital or a place: natural de Lima.
	titles   = wordlists.Set("clinica de don dona doctor doctora dr dra hospital prof sr sra srta")
	articles = wordlists.Set("Las Los La El Del De San Santa")
	// towns are large ones whose names are Spanish words, which stand alone.
	towns = `(?:El (?:Cajon|Centro|Cerrito|Dorado|Monte|Paso|Segundo)|La (?:Crosse|Habra|Jolla|Mesa|Mirada|Puente|Quinta|Verne)|Las (?:Cruces|Vegas)|Los (?:Alamitos|Alamos|Altos|Angeles|Gatos|Lunas)|Del (?:Mar|Rio)|San (?:Antonio|Bernardino|Diego|Francisco|Jose|Leandro|Mateo)|Santa (?:Ana|Barbara|Clara|Cruz|Fe|Monica|Rosa))`
	town  = `(?:\p{Lu}[\p{L}.'’-]+ ){0,3}\p{Lu}\p{L}*\p{Ll}`
	// american matches the name of a town before its state and a ZIP code, or the label of a driver's license: English texts have them.
	american = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(town + `,? ` + state() + `,? [0-9]{5}(?:-[0-9]{4})?\b|\b(?:DL ?#(?: ?` + state() + `\b)?|DL:? ` + state() + ` [0-9]+|` + state() + ` DL\b)`)
	})
	// perhapsAmerican matches what may be in a Spanish text as well: the name of a town before its state or alone; and labels.
	perhapsAmerican = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(town + `, ` + state() + `(?:[.;)\r\n]|$)|^` + town + ` ` + state() + `\.?$|^\s*` + towns + `\.?\s*$|` +
			`\b(?:MRN|DOB|SSN)\b`)
	})
)

// states are the abbreviations of the states. The list need not be opened when the program starts.
var states = sync.OnceValue(func() []string {
	return slices.DeleteFunc(wordlists.Entries("en-state-abbreviations"), func(entry string) bool { return strings.Contains(entry, ".") })
})

// state returns an expression for one of the states.
func state() string { return `(?:` + strings.Join(states(), "|") + `)` }

// withAmerican returns the languages of a text whose words are in the given ones. English is one of them if there is evidence for it, and the only one if that leaves no
// other word. It reports whether there is evidence.
func (v *vocabularies) withAmerican(text string, languages []language.Language) ([]language.Language, bool) {
	if len(text) > longestAmerican || slices.Contains(languages, language.English) || !slices.Contains(v.languages, language.English) {
		return languages, false
	}
	switch {
	case american().MatchString(text):
		if !strings.ContainsFunc(american().ReplaceAllString(text, ""), unicode.IsLetter) {
			return []language.Language{language.English}, true
		}
	case !perhapsAmerican().MatchString(text):
		return languages, false
	}
	return slices.Sorted(slices.Values(append(slices.Clone(languages), language.English))), true
}
