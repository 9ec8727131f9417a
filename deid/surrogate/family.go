package surrogate

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// family replaces each word for a relative with another of the same number and grammatical gender. Numbers and ages under 90, and words of closed lists stay. A
// value with any other word is the name of a person, or family returns false.
func (p *Patient) family(text string) (string, bool, error) {
	if s, ok, err := p.age(text); ok {
		return s, true, err
	}
	for _, lang := range p.from(p.lang) {
		var b strings.Builder
		known, words := true, false
		for _, t := range tokens(text) {
			switch class := lang.kin[t.word]; {
			case class != "":
				s, err := p.draw("family", t.word, lang.kinSurrogates[class])
				if err != nil {
					return "", false, nil // all words of the class are originals
				}
				b.WriteString(likeCase(s, t.text))
				words = true
			case p.besideKin(t):
				b.WriteString(t.text)
				words = words || p.words[familyWords][t.word]
			default:
				known = false
			}
		}
		if words && known {
			return b.String(), true, nil
		}
	}
	if p.isNameOfRelative(text) {
		return p.person(text)
	}
	return "", false, nil
}

// readRelatives finds the values that stand directly behind a word for a relative ("su hija Rocío", "marido: paco"). If their first word is no known name, it is
// a first name of the relative's gender.
func (p *Patient) readRelatives(mentions []Mention) {
	p.afterKin = map[string]bool{}
	for _, m := range mentions {
		if m.Sort != Family {
			continue
		}
		gender := p.words.hintBefore(m.Before)
		if gender == 0 {
			continue
		}
		p.afterKin[m.Text] = true
		if first := firstWord(foldName(m.Text)); p.known.genderIn(p.lang, first) == 0 && p.names.votes[first] == [2]int{} && p.isNameOfRelative(m.Text) {
			p.names.hints[first] += gender
			p.names.votes[first] = [2]int{given: 1}
		}
	}
}

// isNameOfRelative reports whether a value is the name of a relative, in any case: it begins with a first name, or it stands behind a word for a relative and
// has no ordinary word.
func (p *Patient) isNameOfRelative(text string) bool {
	all, ok := p.names.parse(text)
	words := p.names.indices(all, nameWord)
	if !ok || len(words) == 0 || lowerCase(text) && len(words) > longestRelative {
		return false
	}
	return p.known.given(all[words[0]].word) ||
		p.afterKin[text] && len(words) <= longestRelative && !slices.ContainsFunc(words, func(i int) bool { return wordlists.Common(all[i].word) })
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
	return m.words[familyWords][t.word] || m.words[ageWords][t.word] && t.word != "nineties"
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
