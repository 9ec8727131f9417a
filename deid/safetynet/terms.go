package safetynet

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file finds fixed terms that contain the name of a place, a person or an institution and are no PHI: fiebre de Malta, Rift Valley fever, Canada C-Spine, Hospital de Día.

//go:embed terms.txt
var englishTerms string

//go:embed terms_es.txt
var spanishTerms string

// termsWithBlanks and termsWithHyphens are the fixed terms of both languages. Those with a hyphen may be a first and a last name if a blank is in its place.
var (
	termsWithBlanks  = sync.OnceValue(func() *Phrases { return newTerms(false) })
	termsWithHyphens = sync.OnceValue(func() *Phrases { return newTerms(true) })
)

func newTerms(hyphens bool) *Phrases {
	all := newPhrases("")
	for line := range strings.Lines(englishTerms + spanishTerms) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, term := range phrases(line) {
			if strings.Contains(term, "-") == hyphens {
				all.add(term, nil, "")
			}
		}
	}
	return all
}

// aroundTerm is how many bytes on either side of a span are searched for fixed terms.
const aroundTerm = 80

// termsNear returns the fixed terms in the neighbourhood of the spans of some types, sorted and disjoint.
func termsNear(text string, spans []data.Span, named func(typ string) bool) []data.Span {
	var found []data.Span
	var words []word
	from, to := 0, 0 // of the neighbourhood of the last spans
	search := func() {
		words = appendWords(words[:0], text, from, to, nil)
		found = append(found, termsOf(text, words)...)
	}
	for _, s := range spans {
		if !named(s.Type) {
			continue
		}
		if start := max(0, s.Start-aroundTerm); start > to {
			search()
			from = wordBorder(text, start, -1)
		}
		to = wordBorder(text, min(len(text), s.End+aroundTerm), 1)
	}
	search()
	return data.Flatten(found)
}

// wordBorder returns the next position in a direction, by at most aroundTerm bytes, at which a word begins or ends.
func wordBorder(text string, at, direction int) int {
	for range aroundTerm {
		if at <= 0 || at >= len(text) || text[at-1] <= ' ' || text[at] <= ' ' {
			break
		}
		at += direction
	}
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at += direction
	}
	return at
}

// termsOf returns the fixed terms of the words of a text, the longest at each position, unless the words beside them make them a part of another name.
func termsOf(text string, words []word) []data.Span {
	var found []data.Span
	for i := 0; i < len(words); i++ {
		last, s, ok := termsWithBlanks().at(text, words, i)
		if end, hyphenated, also := termsWithHyphens().at(text, words, i); also && (!ok || end > last) && (hasHyphen(words, i, end) || followed(words, end, eponymous) || behindEponymous(words, i)) {
			last, s, ok = end, hyphenated, true
		}
		if !ok || last == i || !isOnePhrase(words, i, last) {
			continue
		}
		if !isNameBefore(words, i) && !goesOnWithName(words, last) {
			found = append(found, s)
		}
		i = last
	}
	return found
}

func hasHyphen(words []word, first, last int) bool {
	return slices.ContainsFunc(words[first+1:last+1], func(w word) bool {
		return !w.blank && !w.elided && w.gap > 0 && w.gap <= 3 && !w.comma && w.sep != '.' && w.sep != '/' && w.sep != '_'
	})
}

// behindEponymous reports whether a word such as síndrome precedes word i, perhaps with a de between them.
func behindEponymous(words []word, i int) bool {
	if i > 0 && words[i].blank && words[i-1].fold == "de" {
		i--
	}
	return i > 0 && words[i].blank && eponymous[words[i-1].fold]
}

// isOnePhrase reports whether nothing but a blank, a line end, a hyphen, an apostrophe or the full stop of an abbreviation is between the words from first to last.
func isOnePhrase(words []word, first, last int) bool {
	for _, w := range words[first+1 : last+1] {
		if _, ok := joint(w); !ok && !w.blank && !(w.inName && !w.comma) {
			return false
		}
	}
	return true
}

// isNameBefore reports whether the word before word i makes a name of the term that begins there: a title, a word for a street, an institution or a person such as a relative, or a name.
func isNameBefore(words []word, i int) bool {
	if i == 0 {
		return false
	}
	w := words[i]
	if _, ok := joint(w); !ok && !w.titled {
		return false
	}
	before := words[i-1]
	left := withoutArticle(leftOf(words, i))
	return w.titled || namers[before.fold] || relatives()[before.fold] || endsWith(left, namings) || endsWith(left, homes) && !words[i].first ||
		before.capitalized && !before.capitals && !before.first && !before.digits && !wordlists.Common(before.fold) && !eponym(before.fold)
}

// goesOnWithName reports whether the words behind a term that ends with word i go on with a name: Hospital de Día Infanta Leonor, Rift Valley Clinic, Hospital at Home of Boston.
func goesOnWithName(words []word, i int) bool {
	for k := i + 1; k < len(words) && k <= i+3; k++ {
		w := words[k]
		sign, ok := joint(w)
		switch {
		case !ok || sign == "/":
			return false
		case namers[w.fold]:
			return true
		case nameJoints[w.fold]:
			continue
		}
		return w.capitalized && !w.digits && utf8.RuneCountInString(w.fold) > 3 && !wordlists.Common(w.fold) && !eponym(w.fold) && !eponymous[w.fold] && !scaleWords[w.fold]
	}
	return false
}

// nameJoints stand between a term and the name of the institution that it belongs to.
var nameJoints = wordlists.Set("de del la el los las of the en at in")

// namers are the words before or behind a term that make it the name of a street, an institution, a business or a person.
var namers = wordlists.Set(`calle c avenida avda av plaza pza paseo camino carretera ctra urbanizacion urb barrio colonia poligono pasaje travesia ronda glorieta residencia residencial restaurante bar cafeteria hotel tienda empresa
	colegio escuela instituto universidad farmacia iglesia parroquia fundacion asociacion ayuntamiento street st road rd avenue ave lane ln drive dr court ct place boulevard blvd highway way clinic hospital center centre university college school academy
	church parish pharmacy restaurant inn hotel cafe county park farm farms village estate estates lodge manor apartments llc inc ltd company corp corporation foundation association institute
	don dona sr sra srta mr mrs ms miss nurse enfermero enfermera`)

// namings are phrases before the name of a person or an institution.
var namings = phrases("named, called, llamado, llamada, se llama, nombre, name is, name, apellido, surname")

// inTerm reports whether a span lies in a fixed term, apart from frequent words in lower case.
func inTerm(text string, s data.Span, terms []data.Span) bool {
	from, to := data.Overlapping(terms, s)
	if from == to {
		return false
	}
	for _, part := range data.Subtract(s, terms) {
		for _, w := range split(text[part.Start:part.End]) {
			if w.capitalized || w.digits || !wordlists.Common(w.fold) && !connectives()[w.fold] {
				return false
			}
		}
	}
	return true
}
