package surrogate

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// family replaces each word for a relative with another of the same number and grammatical gender. Numbers and ages under 90, and words of closed lists stay. A
// value with any other word must be a name, or such words with first names in lower case; otherwise family returns false.
func (p *Patient) family(text string) (string, bool) {
	if s, ok := p.age(text); ok && !p.isNameOfRelative(text) { // mo are months, too
		return s, true
	}
	for _, lang := range p.from(p.lang) {
		if made, ok := p.kinWords(lang, text); ok {
			return made, true
		}
	}
	if p.isNameOfRelative(text) || p.isNameOfNotes(text) {
		return p.person(text)
	}
	return "", false
}

// kinWords replaces the words for relatives in a text, and the names behind them ("hija rocío", "hermana Ida Lund"). It returns false if there are none, if there is a word that may tell something else, or if all words of a class or of a list of names are originals.
func (p *Patient) kinWords(lang *language, text string) (string, bool) {
	made, found := "", false
	rest := text
	for _, t := range tokens(text) {
		if found && unicode.IsUpper(firstRune(rest)) && p.isNameOfRelative(rest) {
			s, ok := p.person(rest)
			return made + s, ok
		}
		rest = rest[len(t.text):]
		class := lang.kin[t.word]
		switch {
		case class != "":
			s, ok := p.drawUnless("family", t.word, lang.kinSurrogates[class], func(string) bool { return false })
			if !ok {
				return "", false
			}
			made += likeCase(s, t.text)
			found = true
		case p.besideKin(t):
			made += t.text
			found = found || p.words[familyWords][t.word]
		case found && lowerCase(t.text) && p.known.given(t.word):
			s, ok := p.person(t.text)
			if !ok {
				return "", false
			}
			made += s
		default:
			return "", false
		}
	}
	return made, found
}

// readRelatives finds the values that stand directly behind a word for a relative ("su hija Rocío", "marido: paco"). If their first word is no known name, it is
// a first name of the relative's gender.
func (p *Patient) readRelatives(mentions []Mention) {
	p.afterKin = map[string]bool{}
	var all []Mention
	for _, m := range mentions {
		if m.Sort == Family {
			all = append(all, m, p.nameBehindKin(m))
		}
	}
	for _, m := range all {
		gender := p.words.hintBefore(m.Before)
		if gender == 0 || m.Text == "" {
			continue
		}
		p.afterKin[m.Text] = true
		if first := firstWord(foldName(m.Text)); p.known.genderIn(p.lang, first) == 0 && p.names.votes[first] == [2]int{} && p.isNameOfRelative(m.Text) {
			p.names.hints[first] += gender
			p.names.votes[first] = [2]int{given: 1}
		}
	}
}

// nameBehindKin returns the capitalised name behind a word for a relative in a value ("hermano Kepa"), as a mention of its own, or one without text.
func (p *Patient) nameBehindKin(m Mention) Mention {
	rest, kin := m.Text, false
	for _, t := range tokens(m.Text) {
		if kin && unicode.IsUpper(firstRune(rest)) {
			break
		}
		kin = p.isKin(t.word) || kin && t.text == " "
		rest = rest[len(t.text):]
	}
	m.Before, m.Text = m.Before+m.Text[:len(m.Text)-len(rest)], rest
	return m
}

// isNameOfRelative reports whether a value is the name of a relative, in any case: it begins with a first name, or it stands behind a word for a relative and
// has no ordinary word.
func (p *Patient) isNameOfRelative(text string) bool {
	all, ok := p.names.parse(text)
	words := p.names.indices(all, nameWord)
	if !ok || len(words) == 0 || lowerCase(text) && (len(words) > longestRelative || p.isKin(all[words[0]].word)) { // hermano is a surname, too
		return false
	}
	return p.known.given(all[words[0]].word) ||
		p.afterKin[text] && len(words) <= longestRelative && !slices.ContainsFunc(words, func(i int) bool { return wordlists.Common(all[i].word) })
}

// isNameOfNotes reports whether all words of a value are parts of names elsewhere in the notes, and capitalized: Sra. Vega Ruiz.
func (p *Patient) isNameOfNotes(text string) bool {
	all, ok := p.names.parse(text)
	words := p.names.indices(all, nameWord)
	return ok && len(words) > 0 && !slices.ContainsFunc(words, func(i int) bool { return p.names.count[all[i].word] == 0 || lowerCase(all[i].text) })
}

// isKin reports whether a folded word is one for a relative in any language.
func (m *Maker) isKin(word string) bool {
	return slices.ContainsFunc(m.from(m.lang), func(lang *language) bool { return lang.kin[word] != "" })
}

// longestRelative is the maximum number of words of a name in lower case: more are a sentence.
const longestRelative = 3

// besideKin reports whether a token beside a word for a relative tells nothing that must go: a sign, a word of a closed list, or a number or age under 90.
func (m *Maker) besideKin(t token) bool {
	if t.word == "" {
		return !t.num || len(t.text) < 3 && t.n < 90
	}
	if number, ok := m.numbers[t.word]; ok {
		return number.value < 90
	}
	return m.words[familyWords][t.word] || m.words[ageWords][t.word]
}

// newKin finds the class of each word for a relative.
func newKin(lang *language) map[string]string {
	kin := map[string]string{}
	for class, words := range lang.relatives {
		for word := range strings.FieldsSeq(words) {
			kin[fold(word)] = class
		}
	}
	for _, from := range lang.kinLists {
		for _, entry := range wordlists.Entries(from) {
			word := fold(entry)
			if !strings.Contains(word, " ") && kin[word] == "" && !slices.Contains(lang.notKin, word) {
				kin[word] = lang.kinClass(word)
			}
		}
	}
	return kin
}

// kinClass returns the class of a word for a relative.
func (l *language) kinClass(word string) string {
	switch {
	case l.words[femaleKin][word]:
		return "female"
	case l.words[maleKin][word]:
		return "male"
	case l.words[bothKin][word]:
		return "one"
	case l.words[allKin][word]:
		return "many"
	}
	for _, rule := range l.kinRules {
		if rule.pattern.MatchString(word) {
			return rule.class
		}
	}
	return ""
}
