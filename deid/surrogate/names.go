package surrogate

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Names are replaced word by word: a word has one surrogate in all notes of a
// patient, so that a name in any order, part or case comes out as the same
// person's, and relatives of one surname as relatives. What the notes say of a word
// together decides whether it is a first name or a surname. Titles, particles
// (de la, van) and suffixes (Jr.) stay. Initials are those of the surrogate.

// role of a word of a name.
type role int

const (
	given role = iota
	family
)

// names is what the notes of a patient say of names.
type names struct {
	lang    Language
	known   *known
	count   map[string]int    // how often a word is mentioned
	votes   map[string][2]int // how often as given name and as surname
	gender  map[string]int    // by titles: above 0 female, below male
	hints   map[string]int    // likewise, by relatives and pronouns beside the name, which may be another person's
	formal  map[string]string // Michael, by the nickname Mike of the same person
	follows map[string]int    // as gender, by the first name before it: José in María José
	leads   map[string]bool   // words that are somewhere the first of first names
	titled  map[string]bool   // words that stand somewhere with one capital, the first: Ma
	capital map[string]bool   // words of which somewhere the first and last letter are capitals: MA, TcJ
	root    map[string]string // the word that one misspells
	persons []person          // all that are mentioned with two or more words, sorted
	of      map[string][]int  // of which persons a word is, in order
}

// person is a name as mentioned: its words, folded and spelt right.
type person struct {
	given, family []string
	mentions      int
}

// known are the names of the built-in lists and of known.txt.
type known struct {
	in       map[Language]*genders // first names
	anywhere *genders              // first names, whatever the language
	listed   map[string]int        // first names of gender.txt: 1 for a woman's, -1 for a man's, 0 for those of both
	surname  map[string]bool
}

type genders struct{ female, male map[string]bool }

var (
	//go:embed lists/known.txt
	knownLists string
	//go:embed lists/gender.txt
	genderList string
)

var knownNames = sync.OnceValue(func() *known {
	fresh := func() *genders { return &genders{map[string]bool{}, map[string]bool{}} }
	k := &known{map[Language]*genders{English: fresh(), Spanish: fresh()}, fresh(), readGenders(genderList), map[string]bool{}}
	for _, lists := range []map[string]*list{builtin(), sections(map[string]string{"": knownLists})} {
		for name, l := range lists {
			lang, what, _ := strings.Cut(name, "-")
			for _, e := range l.entries {
				for _, g := range []*genders{k.in[Language(lang)], k.anywhere} {
					switch {
					case what == "surname":
						k.surname[fold(e)] = true
					case g == nil:
					case what == "female":
						g.female[fold(e)] = true
					case what == "male":
						g.male[fold(e)] = true
					}
				}
			}
		}
	}
	return k
})

// readGenders reads gender.txt: sections that begin with = and f, m or u, and names between blanks.
func readGenders(text string) map[string]int {
	all := map[string]int{}
	gender := 0
	for line := range strings.Lines(text) {
		if section, ok := strings.CutPrefix(line, "= "); ok {
			gender = map[byte]int{'f': 1, 'm': -1}[section[0]]
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.FieldsSeq(line) {
			all[fold(name)] = gender
		}
	}
	return all
}

// given reports whether a word is a first name, and not chiefly a surname.
func (k *known) given(word string) bool {
	_, listed := k.listed[word]
	return k.drawn(word) || listed && len(word) > 2 && !k.surname[word]
}

// drawn reports whether a word is a first name of the lists that surrogates are drawn from, or of known.txt.
func (k *known) drawn(word string) bool { return k.anywhere.female[word] || k.anywhere.male[word] }

// gender is above 0 for a woman's first name, below for a man's, and 0 for one that both have or that is not known.
// What a name is in the language of the notes comes first: Andrea is a woman in Spain.
func (k *known) gender(word string, lang Language) int {
	if g := k.in[lang].of(word); g != 0 {
		return g
	}
	if g, ok := k.listed[word]; ok {
		return g
	}
	return k.anywhere.of(word)
}

func (g *genders) of(word string) int {
	switch female, male := g.female[word], g.male[word]; {
	case female && !male:
		return 1
	case male && !female:
		return -1
	}
	return 0
}

var (
	femaleTitles = wordSet("mrs ms miss mme madam lady sra srta senora senorita dna dona dra doctora")
	maleTitles   = wordSet("mr mister sir sr senor d don")
	// nameTitles stay where a name has them inside.
	nameTitles = wordSet(`mr mrs ms miss mme sir lady dr drs doctor prof professor rev fr sr sra srta sres senor senora senorita d dna don dona dra dres doctora
		md phd rn np pa do mph dds dpm lpn pt msw rph jr ii iii iv junior senior esq st de fdo`)
	particles = wordSet("de del la las los van von der den ter ten da do dos das di du le el al bin ibn bint y e i and or mac san o u")
)

// plainParticles are no names.
var plainParticles = wordSet("de del van von der den ter")

// nameToken is a piece of a name as written.
type nameToken struct {
	text string
	word string // folded; empty for what is no letter
	kind nameKind
	role role
}

type nameKind int

const (
	nameStays   nameKind = iota // separators, titles, particles
	nameWord                    // a word to be replaced
	nameInitial                 // a single letter
)

// parse cuts a name into its words. ok is false if something else is in it,
// such as a digit.
func (n *names) parse(text string) (all []nameToken, ok bool) {
	runes := []rune(text)
	for i := 0; i < len(runes); {
		j := i + 1
		if letterOrMark(runes[i]) {
			for j < len(runes) && (letterOrMark(runes[j]) || apostrophe(runes, j)) {
				j++
			}
		}
		t := nameToken{text: string(runes[i:j])}
		if letterOrMark(runes[i]) {
			t.word = fold(t.text)
		}
		if t.word != "" { // a mark alone is nothing
			t.kind = nameWord
			if utf8.RuneCountInString(t.text) == 1 && !unicode.In(runes[i], unicode.Han, unicode.Hangul) {
				t.kind = nameInitial
			}
		}
		if unicode.IsDigit(runes[i]) {
			return nil, false
		}
		all = append(all, t)
		i = j
	}
	if n.lang == Spanish {
		all = marias(all)
	}
	words := n.indices(all, nameWord)
	// A camel-cased login or a name of one word has no title.
	for k, i := range words {
		last, first := k == len(words)-1, k == 0
		w := all[i].word
		switch {
		case len(words) == 1, i > 0 && strings.ContainsAny(all[i-1].text, "\"“'("): // a nickname
		case n.lang == English && (w == "don" || (w == "md" || w == "pa") && first && !capitals(all[i].text)): // Don Lund, Md Rahman
		case nameTitles[w] && (!last || !particles[w]) && (!first || w != "do") && (first || last || w != "d" && w != "don"):
			all[i].kind = nameStays
		case particles[w] && !last && !n.known.given(w) && all[i+1].text != ",":
			// With a capital, some are names themselves: Le, Das, Do.
			after := k > 0 && all[words[k-1]].kind == nameStays && particles[all[words[k-1]].word]
			if lowerCase(all[i].text) || plainParticles[w] || after {
				all[i].kind = nameStays
			}
		}
	}
	// Nothing but titles and particles is a name after all.
	if len(n.indices(all, nameWord)) == 0 {
		for _, i := range words {
			all[i].kind = nameWord
		}
	}
	// "D. Pablo": don. "d" alone, at the beginning, before a first name in Spanish.
	for i, t := range all {
		if t.kind == nameInitial && n.lang == Spanish && (t.word == "d" && i == 0 && len(all) > 1 || t.word == "y" || t.word == "e" && lowerCase(t.text)) {
			all[i].kind = nameStays
		}
	}
	n.roles(all)
	return all, true
}

// marias makes one word of an abbreviated María before another name: M.ª, Mª, Ma.
func marias(all []nameToken) []nameToken {
	text := func(i int) string {
		if i < len(all) {
			return all[i].text
		}
		return ""
	}
	for i := 0; i < len(all); i++ {
		n := 0
		switch {
		case all[i].text == "M" && text(i+1) == "." && (text(i+2) == "ª" || text(i+2) == "a"):
			n = 3
		case all[i].word == "mª" || strings.EqualFold(all[i].text, "ma") && text(i+1) == ".":
			n = 1
			if text(i+1) == "." {
				n = 2
			}
		}
		if n == 0 || text(i+n) != " " || i+n+1 >= len(all) || all[i+n+1].kind == nameStays {
			continue
		}
		whole := ""
		for _, t := range all[i : i+n] {
			whole += t.text
		}
		all = slices.Replace(all, i, i+n, nameToken{text: whole, word: "maria", kind: nameWord})
	}
	return all
}

func apostrophe(runes []rune, i int) bool {
	return (runes[i] == '\'' || runes[i] == '’') && i+1 < len(runes) && letterOrMark(runes[i+1])
}

func (n *names) indices(all []nameToken, kind nameKind) []int {
	var at []int
	for i, t := range all {
		if t.kind == kind {
			at = append(at, i)
		}
	}
	return at
}

// roles says which words are first names and which surnames, by place: the
// surname is last, or before a comma; in Spanish the two last are, unless the second is a
// known first name.
func (n *names) roles(all []nameToken) {
	var words []int
	comma := -1
	for i, t := range all {
		if t.kind != nameStays {
			words = append(words, i)
		}
		if t.text == "," && comma < 0 && len(words) > 0 {
			comma = i
		}
	}
	if len(words) == 0 {
		return
	}
	rest := slices.ContainsFunc(words, func(i int) bool { return i > comma })
	if comma >= 0 && rest {
		for _, i := range words {
			all[i].role = given
			if i < comma {
				all[i].role = family
			}
		}
		return
	}
	full := slices.DeleteFunc(slices.Clone(words), func(i int) bool { return all[i].kind != nameWord })
	if len(full) == 0 {
		for k, i := range words {
			all[i].role = given
			if k > 0 && k == len(words)-1 {
				all[i].role = family
			}
		}
		return
	}
	firsts := max(len(words)-1, 0) // how many of words are given names
	switch {
	case len(words) == 1:
		firsts = 0
		if n.known.given(all[words[0]].word) && !n.afterTitle(all, words[0]) {
			firsts = 1
		}
	case n.lang == Spanish && len(full) == 2 && len(words) == 2 && n.known.surname[all[full[0]].word] && !n.known.given(all[full[0]].word): // Núñez Vega
		firsts = 0
	case n.lang == Spanish && len(full) > 2:
		firsts = 1
		for firsts < len(words)-2 && (all[words[firsts]].kind == nameInitial || n.known.given(all[words[firsts]].word)) {
			firsts++
		}
		if firsts == len(words)-2 && n.onlyGiven(all[words[firsts]].word) { // María José Vega
			firsts++
		}
	case n.lang == Spanish && len(full) == 2 && len(words) == 2 && n.known.given(all[full[0]].word) && n.onlyGiven(all[full[1]].word): // María José
		firsts = 2
	case len(full) == 2 && len(words) == 2 && n.known.given(all[full[1]].word) && !n.known.given(all[full[0]].word) && n.known.surname[all[full[0]].word] &&
		!n.known.surname[all[full[1]].word]: // Amundsen Oda
		all[full[0]].role, all[full[1]].role = family, given
		return
	}
	hyphened := func(i int) bool { return i > 1 && all[i-1].text == "-" && all[i-2].kind == nameWord }
	for firsts > 0 && firsts < len(words) && firsts == len(words)-1 && hyphened(words[firsts]) && len(words) > 2 {
		firsts-- // Oda Lund-Vega
	}
	for k, i := range words {
		all[i].role = given
		if k >= firsts {
			all[i].role = family
		}
	}
}

func (n *names) afterTitle(all []nameToken, i int) bool {
	return slices.ContainsFunc(all[:i], func(t nameToken) bool { return nameTitles[t.word] })
}
