package safetynet

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file finds fixed terms that contain the name of a place, a person or an institution and are no PHI: fiebre de Malta, Rift Valley fever, Canada C-Spine, Hospital de Día.

// terms are the fixed terms of both languages. Those with a hyphen, which have the type hyphenated, may be a first and a last name if a blank is in its place.
var terms = sync.OnceValue(func() *Phrases {
	all := newPhrases("")
	for line := range strings.Lines(listText("terms") + listText("terms_es")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, term := range phrases(line) {
			typ := ""
			if strings.Contains(term, "-") {
				typ = hyphenated
			}
			all.add(term, nil, typ)
		}
	}
	return all
})

const hyphenated = "-"

// pairs is a set of how two words begin, with three bytes of each. Of the pairs that were not added it has few.
type pairs [1 << 13]uint64

func (p *pairs) add(first, second string) {
	i, bit := placeOf(first, second)
	p[i] |= bit
}

func (p *pairs) has(first, second string) bool {
	i, bit := placeOf(first, second)
	return p[i]&bit != 0
}

func placeOf(first, second string) (i uint64, bit uint64) {
	n := uint64(1)
	for _, b := range []byte(first[:min(3, len(first))]) {
		n = n<<8 | uint64(b)
	}
	n <<= 8
	for _, b := range []byte(second[:min(3, len(second))]) {
		n = n<<8 | uint64(b)
	}
	n = n * 0x9e3779b97f4a7c15 >> 45
	return n / 64, 1 << (n % 64)
}

// beginnings has the first two words of all terms.
var beginnings = sync.OnceValue(func() *pairs {
	all := &pairs{}
	for term := range terms().entries {
		words := strings.Fields(term)
		all.add(words[0], words[1])
	}
	return all
})

// partsWithTerms returns the parts of a text that may have a fixed term, each with wordsOfTerm words before and behind the beginning of the term.
func partsWithTerms(text string) (parts []data.Span) {
	last, starts := "", beginnings()
	var recent [wordsOfTerm]int // where the last words begin; word n is at n%wordsOfTerm
	behind := 0                 // how many words are left of the last part
	for i, n := 0, 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		digit := unicode.IsDigit(r)
		if !digit && !unicode.IsLetter(r) {
			i += size
			continue
		}
		end := max(wordEnd(text, i, digit), i+size)
		word := startOfWord(text[i:end])
		if starts.has(last, word) {
			if behind == 0 {
				parts = append(parts, data.Span{Start: recent[n%wordsOfTerm]})
			}
			behind = wordsOfTerm
		}
		if behind > 0 {
			parts[len(parts)-1].End = end
			behind--
		}
		recent[n%wordsOfTerm] = i
		last, i, n = word, end, n+1
	}
	return parts
}

// startOfWord returns the first three bytes of a folded word or more of them.
func startOfWord(word string) string {
	for _, c := range []byte(word) {
		if c >= utf8.RuneSelf {
			return fold.Fold(word)
		}
	}
	return strings.ToLower(word[:min(3, len(word))])
}

// termsIn returns the fixed terms in a text, sorted and disjoint.
func termsIn(text string) (found []data.Span) {
	buffer := buffers.Get().(*[]word)
	defer buffers.Put(buffer)
	for from := 0; from < len(text); {
		to := windowEnd(text, from)
		for _, part := range partsWithTerms(text[from:to]) {
			words := appendWords((*buffer)[:0], text, from+part.Start, from+part.End, nil)
			found = append(found, termsOf(text, words)...)
			clear(words) // the words are parts of the text
			*buffer = words
		}
		from = to
	}
	return found
}

// termsOf returns the fixed terms of the words of a text, the longest at each position, unless the words beside them make them a part of another name.
func termsOf(text string, words []word) []data.Span {
	var found []data.Span
	starts := beginnings()
	for i := 0; i < len(words)-1; i++ {
		if !starts.has(words[i].fold, words[i+1].fold) {
			continue
		}
		last, s, ok := terms().at(text, words, i)
		if !ok || last == i || !isOnePhrase(text, words, i, last) {
			continue
		}
		if isTerm(text, words, i, last, s.Type == hyphenated) {
			found = append(found, s)
		}
		i = last
	}
	return found
}

// isTerm reports whether the words from first to last, which are those of a fixed term, are no name.
func isTerm(text string, words []word, first, last int, hyphenated bool) bool {
	if isNameBefore(words, first) || goesOnWithName(words, last) || ofInitials.MatchString(text[words[last].end:]) {
		return false
	}
	if last+1 < len(words) && words[last+1].label && words[last].capitalized && !words[first].first { // Surgeon Ross Procedure: bypass
		return false
	}
	beside := behindEponymous(words, first) || followed(words, last, eponymous) || slices.ContainsFunc(words[first:last+1], func(w word) bool { return eponymous[w.fold] })
	if hyphenated && !beside && !hasHyphen(words, first, last) {
		return false
	}
	if beside || !endsWithName(words[last]) {
		return true
	}
	surnames := last == first+1 && isKnownSurname(words[first].fold) && isKnownSurname(words[last].fold)
	done := first > 0 && words[first].gap >= 0 && doers[words[first-1].fold] // by someone
	return !surnames && !done
}

// endsWithName reports whether the last word of a fixed term is no word such as fever.
func endsWithName(last word) bool {
	return !wordlists.Common(last.fold) || isKnownSurname(last.fold)
}

// doers precede the name of the person who did something.
var doers = wordlists.Set("by per from cc via por")

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

// isOnePhrase reports whether nothing but one blank, a hyphen, an apostrophe or the full stop of an abbreviation is between the words from first to last, or a line end before a word in lower
// case. Otherwise a name at the end of a line and a heading would be a term.
func isOnePhrase(text string, words []word, first, last int) bool {
	for k := first + 1; k <= last; k++ {
		w := words[k]
		switch between := text[words[k-1].end:w.start]; between {
		case "", " ", "\u00a0", "-", "‐", "‑", "–", "/", "'", "’", "´", "' ", "’ ", "´ ":
		case ".", ". ":
			if !w.inName {
				return false
			}
		default:
			if strings.TrimSpace(between) != "" || strings.Count(between, "\n") != 1 || w.capitalized || w.digits {
				return false
			}
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
	if w.gap >= 0 && (people[words[i-1].fold] || w.label && labels[words[i-1].fold]) {
		return true
	}
	if _, ok := joint(w); !ok && !w.titled {
		return false
	}
	before := words[i-1]
	left := withoutArticle(leftOf(words, i))
	return w.titled || namers[before.fold] || relatives()[before.fold] || endsWith(left, namings) || endsWith(left, homes) && !words[i].first || endsWith(left, travels) ||
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

// people are the words for a person whose name may follow, with a colon or without it.
var people = wordlists.Set(`anesthesiologist anestesista assistant attending attn caregiver cardiologist cc cirujana cirujano clinician consultant contact counselor cuidador cuidadora dentist doctor doctora endocrinologist facultativa facultativo
	familiar fellow gastroenterologist gp guardian hematologist hospitalist intern interpreter medica medico midwife nephrologist neurologist nombre obstetrician oncologist operator paciente pathologist patient pcp physician practitioner provider psiquiatra psychiatrist
	psychologist pulmonologist radiologist referring resident scribe signed social spouse surgeon surgeons therapist urologist witness`)

// labels are more words before the name of a person or a place, which count if a colon follows them.
var labels = wordlists.Set(`address apellido apellidos author autor birthplace brother city ciudad contacto daughter destination direccion domicilio enfermera enfermero esposa
	esposo father fdo firma firmado firmante hermana hermano hija hijo home husband localidad location lugar madre mother municipio name nombres nurse origen
	origin padre poblacion procedencia residence responsable sister son surname town travel tutor viaje viajes wife`)

// travels are phrases before the name of a place.
var travels = phrases("trip to, trips to, travel to, traveled to, travelled to, flew to, flight to, went to, visit to, visited, in from, back from, home from, returned from, came from, comes from, arrived from, viaje a, viajo a, viajado a, vuelve de, regreso de, vuelto de")

// namings are phrases before the name of a person or an institution.
var namings = phrases("seen by, signed by, cosigned by, reviewed by, dictated by, written by, referred by, spoke with, spoke to, spoken with, talked to, talked with, discussed with, met with, d/w, visto por, firmado por, informado por, hablado con, comentado con, named, called, llamado, llamada, se llama, nombre, name is, name, apellido, surname")

// inTerm reports whether a span lies in a fixed term, apart from connecting words. Another word may be a name: centro de día la paz.
func inTerm(text string, s data.Span, terms []data.Span) bool {
	from, to := data.Overlapping(terms, s)
	if from == to {
		return false
	}
	for _, part := range data.Subtract(s, terms) {
		for _, w := range split(text[part.Start:part.End]) {
			if w.capitalized || w.digits || !connectives()[w.fold] {
				return false
			}
		}
	}
	return true
}
