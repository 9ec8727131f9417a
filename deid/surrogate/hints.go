package surrogate

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// This file reads the words next to a name that tell whether it is a woman's or a man's. Titles are reliable. A relative or pronoun may refer to
// somebody else, and therefore counts only for unisex names.

func wordsOf(text string) []string {
	return strings.FieldsFunc(fold(text), func(r rune) bool { return !letterOrMark(r) })
}

// kinOf returns 1 for a word for a woman, -1 for a word for a man, and 0 for others.
func (v vocabulary) kinOf(word string) int {
	switch {
	case v[womanWords][word]:
		return 1
	case v[manWords][word]:
		return -1
	}
	return 0
}

// pronounOf returns 1 for a woman's pronoun, -1 for a man's, and 0 for other words.
func (v vocabulary) pronounOf(word string) int {
	switch {
	case v[womanPronouns][word]:
		return 1
	case v[manPronouns][word]:
		return -1
	}
	return 0
}

// hintBefore reads the word for a relative before a name: her son Dr., her husband, whose name is. The result is positive for a woman, negative for a
// man, and outweighs that of hintAfter.
func (v vocabulary) hintBefore(before string) int {
	word := v.wordBefore(before)
	if v[neutralWords][word] { // el paciente
		words := wordsOf(before)
		if k := len(words) - 1; k > 0 && words[k] == word {
			return 3 * v.articleOf(words[k-1])
		}
	}
	return 3 * v.kinOf(word)
}

// articleOf returns 1 for a woman's article, -1 for a man's, and 0 for other words.
func (v vocabulary) articleOf(word string) int {
	switch {
	case v[womanArticles][word]:
		return 1
	case v[manArticles][word]:
		return -1
	}
	return 0
}

// wordBefore returns the last word before a name, apart from those that may stand between a word for a relative and the name.
func (v vocabulary) wordBefore(before string) string {
	for end := strings.LastIndexAny(before, ";!?()"); end >= 0; end = -1 {
		before = before[end+1:]
	}
	all := tokens(before)
	for i := len(all) - 1; i >= 0; i-- {
		t := all[i]
		switch {
		case t.word == "" && (!strings.ContainsAny(t.text, " ,:.'’\"“-") || t.text == "." && (i == 0 || !v[nameTitles][all[i-1].word])):
			return ""
		case t.word != "" && !v[betweenKinAndName][t.word]:
			return t.word
		}
	}
	return ""
}

// hintAfter reads the rest of the sentence after a name: (son), her husband, is a 72 year old man, says that she. The result is positive for a woman
// and negative for a man.
func (v vocabulary) hintAfter(after string) int {
	for own := range v[possessives] { // the words after it refer to somebody else
		if strings.HasPrefix(after, own) {
			return 0
		}
	}
	if end := strings.IndexAny(after, ".;!?"); end >= 0 {
		after = after[:end]
	}
	apposition := strings.IndexAny(strings.TrimLeft(after, " "), ",(") == 0
	words := wordsOf(after)
	if apposition && len(words) > 1 && v.pronounOf(words[0]) != 0 && v.kinOf(words[1]) != 0 { // , her husband,
		return 2 * v.kinOf(words[1])
	}
	for i, word := range words {
		if gender := v.pronounOf(word); gender != 0 && !v[articlePronouns][word] { // él is folded to the article el
			return gender
		}
		if gender := v.kinOf(word); gender != 0 {
			if i == 0 && !apposition { // Kim Lund mother
				return 0
			}
			return gender
		}
	}
	return 0
}

// nicknames finds names that are short for another first name of the same person: Mike Lund is Michael Lund, unless there could be two persons.
func (n *names) nicknames(all []nameMention) {
	surnames := map[string]set{} // that stand beside a first name
	related := map[string]bool{} // names of relatives: Michael Lund and his son Mike Lund are two persons
	for _, m := range all {
		var first, last string
		for _, t := range m.tokens {
			if t.kind != nameWord {
				continue
			}
			switch w := n.spelt(t.word); {
			case n.role(w, t.role) == family:
				last = w
			case first == "":
				first = w
			}
		}
		if first == "" || last == "" {
			continue
		}
		if surnames[first] == nil {
			surnames[first] = set{}
		}
		surnames[first][last] = true
		if n.words.hintBefore(m.before) != 0 {
			related[first+" "+last] = true
		}
	}
	for nick, lasts := range surnames {
		var meant []string
		for _, formal := range formalNames()[nick] {
			for last := range lasts {
				if surnames[formal][last] && related[nick+" "+last] == related[formal+" "+last] {
					meant = append(meant, formal)
					break
				}
			}
		}
		if len(meant) == 1 && utf8.RuneCountInString(nick) > 1 && n.root[meant[0]] == "" {
			n.formal[nick] = meant[0]
		}
	}
}

// formalNames lists the names that each nickname may be short for.
var formalNames = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(listText("names/nicknames.txt")()) {
		formal, nicks, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for nick := range strings.FieldsSeq(nicks) {
			all[fold(nick)] = append(all[fold(nick)], fold(formal))
		}
	}
	return all
})
