package surrogate

import (
	"cmp"
	_ "embed"
	"iter"
	"maps"
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
	surname  map[string]bool
}

type genders struct{ female, male map[string]bool }

//go:embed lists/known.txt
var knownLists string

var knownNames = sync.OnceValue(func() *known {
	fresh := func() *genders { return &genders{map[string]bool{}, map[string]bool{}} }
	k := &known{map[Language]*genders{English: fresh(), Spanish: fresh()}, fresh(), map[string]bool{}}
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

func (k *known) given(word string) bool { return k.anywhere.female[word] || k.anywhere.male[word] }

var (
	femaleTitles = wordSet("mrs ms miss mme madam lady sra srta senora senorita dna dona dra doctora mother sister wife daughter aunt niece madre hermana esposa hija tia")
	maleTitles   = wordSet("mr mister sir sr senor d don father brother husband son uncle nephew padre hermano esposo hijo tio")
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

func lowerCase(s string) bool { return s == strings.ToLower(s) }

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

// label is what a form says of the name that follows.
type label int

const (
	noLabel    label = iota
	firstLabel       // Nombre: first names, if surnames have a label of their own in the note
	lastLabel        // Apellidos:
)

var (
	bothLabels  = []string{"nombre y apellido", "nombre y apellidos", "apellido y nombre", "apellidos y nombre"}
	lastLabels  = []string{"apellido", "apellidos", "surname", "surnames", "last name", "family name"}
	firstLabels = []string{"nombre", "nombre de pila", "first name", "given name", "forename"}
)

// labelOf reads the end of what stands before a name.
func labelOf(before string) label {
	words := " " + strings.Join(strings.FieldsFunc(fold(before), func(r rune) bool { return !letterOrMark(r) }), " ")
	ends := func(with []string) bool {
		return slices.ContainsFunc(with, func(l string) bool { return strings.HasSuffix(words, " "+l) })
	}
	switch {
	case ends(bothLabels):
		return noLabel
	case ends(lastLabels):
		return lastLabel
	case ends(firstLabels):
		return firstLabel
	}
	return noLabel
}

// sure is the weight of a role that a label gives: more than any number of guesses.
const sure = 1 << 20

// readNames collects what all mentions say.
func (p *Patient) readNames(mentions []Mention) {
	n := &names{lang: p.lang, known: p.known, count: map[string]int{}, votes: map[string][2]int{}, gender: map[string]int{}, follows: map[string]int{}, leads: map[string]bool{},
		titled: map[string]bool{}, capital: map[string]bool{}, root: map[string]string{}, of: map[string][]int{}}
	p.names = n
	type mention struct {
		note   string
		tokens []nameToken
		before string
		label  label
	}
	var all []mention
	apart := map[string]bool{} // notes in which surnames have a label of their own
	for _, m := range mentions {
		if m.Sort != Person {
			continue
		}
		tokens, ok := n.parse(m.Text)
		if !ok {
			continue
		}
		is := labelOf(m.Before)
		if slices.ContainsFunc(tokens, func(t nameToken) bool {
			return t.text == "," || t.kind == nameStays && nameTitles[t.word] && !particles[t.word]
		}) {
			is = noLabel // the whole name after all
		}
		all = append(all, mention{m.Note, tokens, m.Before, is})
		apart[m.Note] = apart[m.Note] || is == lastLabel
	}
	for _, m := range all {
		words := n.indices(m.tokens, nameWord)
		told := false
		if m.label == lastLabel || m.label == firstLabel && (apart[m.note] || len(words) == 1) {
			told = true
			for i := range m.tokens {
				m.tokens[i].role = map[label]role{firstLabel: given, lastLabel: family}[m.label]
			}
		}
		for _, i := range words {
			t := m.tokens[i]
			n.count[t.word]++
			n.capital[t.word] = n.capital[t.word] || capitals(t.text)
			n.titled[t.word] = n.titled[t.word] || !capitals(t.text) && !lowerCase(t.text)
			v := n.votes[t.word]
			switch {
			case told:
				v[t.role] += sure
			case len(words) > 1 || n.afterTitle(m.tokens, i) || len(n.indices(m.tokens, nameInitial)) > 0:
				v[t.role]++
			default:
				continue
			}
			n.votes[t.word] = v
		}
	}
	n.misspellings()
	byKey := map[string]*person{}
	add := func(who person) {
		key := strings.Join(who.given, " ") + "," + strings.Join(who.family, " ")
		if byKey[key] == nil {
			byKey[key] = &who
		}
		byKey[key].mentions++
	}
	forms := map[string][]person{} // what labels say, by note
	for _, m := range all {
		var who person
		for _, t := range m.tokens {
			if t.kind == nameWord {
				w := n.spelt(t.word)
				if n.role(w, t.role) == given {
					who.given = append(who.given, w)
				} else {
					who.family = append(who.family, w)
				}
			}
		}
		n.titles(m.tokens, m.before, who)
		for k, w := range who.given {
			if k == 0 {
				n.leads[w] = true
			} else {
				n.follows[w] += n.genderOf(who.given[0])
			}
		}
		if len(who.given)+len(who.family) >= 2 {
			add(who)
		}
		same := func(other person) bool {
			return slices.Equal(other.given, who.given) && slices.Equal(other.family, who.family)
		}
		if m.label != noLabel && !slices.ContainsFunc(forms[m.note], same) {
			forms[m.note] = append(forms[m.note], who)
		}
	}
	for _, note := range slices.Sorted(maps.Keys(forms)) { // Nombre: Oda, Apellidos: Lund is one person, if the form is of one
		var whole person
		for _, who := range forms[note] {
			whole.given, whole.family = append(whole.given, who.given...), append(whole.family, who.family...)
		}
		if len(forms[note]) <= 3 && len(whole.given) > 0 && len(whole.family) > 0 {
			add(whole)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		n.persons = append(n.persons, *byKey[key])
	}
	// The one with most words is the one that is meant, then the one that is named most often.
	slices.SortStableFunc(n.persons, func(a, b person) int {
		return cmp.Or(cmp.Compare(b.mentions, a.mentions), cmp.Compare(len(b.given)+len(b.family), len(a.given)+len(a.family)))
	})
	for k, who := range n.persons {
		for _, w := range slices.Concat(who.given, who.family) {
			n.of[w] = append(n.of[w], k)
		}
	}
}

// with are the persons, in order, of whom a word is: all for "".
func (n *names) with(word string) iter.Seq[person] {
	return func(yield func(person) bool) {
		if word == "" {
			slices.Values(n.persons)(yield)
			return
		}
		for _, k := range n.of[word] {
			if !yield(n.persons[k]) {
				return
			}
		}
	}
}

// titles lets a title in or before a name tell the gender of its first names.
func (n *names) titles(tokens []nameToken, before string, who person) {
	vote := func(word string) int {
		switch {
		case femaleTitles[word]:
			return 1
		case maleTitles[word]:
			return -1
		}
		return 0
	}
	words := strings.FieldsFunc(fold(before), func(r rune) bool { return !letterOrMark(r) })
	score := 0
	if len(words) > 0 {
		score = vote(words[len(words)-1])
	}
	for _, t := range tokens {
		if t.kind == nameStays && nameTitles[t.word] {
			score += vote(t.word)
		}
	}
	for _, w := range who.given {
		n.gender[w] += score
	}
}

// role is that of a word by all its mentions; by those of equal weight, surname. But a first name that a label has for a surname
// is both: Apellidos: Miguel Vega, Dr. Miguel Lund.
func (n *names) role(word string, here role) role {
	v := n.votes[word]
	switch {
	case n.both(word):
		return here
	case v[given] == 0 && v[family] == 0:
		return here
	case v[given] > v[family]:
		return given
	}
	return family
}

func (n *names) onlyGiven(word string) bool { return n.known.given(word) && !n.known.surname[word] }

func (n *names) both(word string) bool {
	v := n.votes[word]
	return v[family] >= sure && v[given] > 0 && n.known.given(word)
}

func (n *names) spelt(word string) string { return cmp.Or(n.root[word], word) }

// misspellings finds words that are one slip away from a more frequent one,
// and no known names themselves.
func (n *names) misspellings() {
	words := slices.SortedFunc(maps.Keys(n.count), func(a, b string) int { return cmp.Or(cmp.Compare(n.count[b], n.count[a]), cmp.Compare(a, b)) })
	near := map[string][]int{} // words that are spelt right, by what a slip may leave of them
	for i, w := range words {
		if length := utf8.RuneCountInString(w); length < 5 || length > 50 {
			continue
		}
		left := leftovers(w)
		if !n.known.given(w) && !n.known.surname[w] {
			first := len(words)
			for _, l := range left {
				for _, k := range near[l] {
					if v := words[k]; k < first && n.count[v] > n.count[w] && compareWords(v, w) != noSlip {
						first = k
					}
				}
			}
			if first < len(words) {
				n.root[w] = words[first]
				continue
			}
		}
		for _, l := range left {
			near[l] = append(near[l], i)
		}
	}
	for w := range n.root { // a slip is of the role of what it should be
		delete(n.votes, w)
	}
}

// leftovers are a word, and the word without one of its runes. Words that are one slip apart have one in common.
func leftovers(word string) []string {
	all := []string{word}
	for i, r := range word {
		all = append(all, word[:i]+word[i+utf8.RuneLen(r):])
	}
	return all
}

// slip is one error of typing.
type slip int

const (
	noSlip slip = iota
	omitted
	inserted
	exchanged
	swapped
)

// compareWords says which one slip makes typed of meant, if one does.
func compareWords(meant, typed string) slip {
	s, _ := slipOf(meant, typed)
	return s
}

// slipOf returns the slip and the index of the rune of meant where it is.
func slipOf(meant, typed string) (slip, int) {
	a, b := []rune(meant), []rune(typed)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	same := func(x, y []rune) bool { return slices.Equal(x, y) }
	switch {
	case len(b) == len(a)-1 && same(a[i+1:], b[i:]):
		return omitted, i
	case len(b) == len(a)+1 && same(a[i:], b[i+1:]):
		return inserted, i
	case len(a) != len(b) || i == len(a):
	case same(a[i+1:], b[i+1:]):
		return exchanged, i
	case i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && same(a[i+2:], b[i+2:]):
		return swapped, i
	}
	return noSlip, 0
}

// misspell makes the slip in another word, at about the same place.
func misspell(word string, s slip, at int) string {
	r := []rune(word)
	if len(r) < 3 {
		return word + string(r[len(r)-1:])
	}
	i := min(max(at, 1), len(r)-2)
	switch s {
	case omitted:
		return string(slices.Delete(r, i, i+1))
	case inserted:
		return string(slices.Insert(r, i, r[i]))
	case exchanged:
		with := 'e'
		if unicode.ToLower(r[i]) == 'e' {
			with = 'a'
		}
		r[i] = with
	case swapped:
		for j := i; j+1 < len(r); j++ {
			if r[j] != r[j+1] {
				r[j], r[j+1] = r[j+1], r[j]
				return string(r)
			}
		}
		return string(slices.Delete(r, i, i+1))
	}
	return string(r)
}

// script is the prefix of the lists of a word's script: empty for Latin, and false for one without lists.
func script(word string) (string, bool) {
	for _, r := range word {
		switch {
		case unicode.Is(unicode.Latin, r):
			return "", true
		case unicode.Is(unicode.Cyrillic, r):
			return "cyrillic-", true
		case unicode.Is(unicode.Greek, r):
			return "greek-", true
		case unicode.Is(unicode.Arabic, r):
			return "arabic-", true
		case unicode.Is(unicode.Hebrew, r):
			return "hebrew-", true
		case unicode.Is(unicode.Han, r):
			return "han-", true
		case unicode.Is(unicode.Hangul, r):
			return "hangul-", true
		}
	}
	return "", false
}

// person replaces a name in any form.
func (p *Patient) person(text string) (string, bool, error) {
	tokens, ok := p.names.parse(text)
	if !ok {
		return p.username(text) // with a digit in it, it is more like a login
	}
	if letters, ok := p.monogram(text, tokens); ok {
		return letters, true, nil
	}
	found := false
	for i, t := range tokens {
		var err error
		switch t.kind {
		case nameWord:
			found = true
			if _, ok := script(t.word); !ok {
				return "", false, nil
			}
			tokens[i].text, err = p.name(t)
		case nameInitial:
			found = true
			if s, _ := script(t.word); s != "" {
				return "", false, nil
			}
			tokens[i].text = likeCase(p.initial(tokens, i), t.text)
		}
		if err != nil {
			return "", false, err
		}
	}
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.text)
	}
	return b.String(), found, nil
}

// name replaces one word of a name.
func (p *Patient) name(t nameToken) (string, error) {
	if in, _ := script(t.word); (in == "han-" || in == "hangul-") && utf8.RuneCountInString(t.text) > 1 {
		// A name in one piece: the surname is its first character.
		_, n := utf8.DecodeRuneInString(t.text)
		f, err := p.wordSurrogate(t.text[:n], family)
		if err != nil {
			return "", err
		}
		g, err := p.wordSurrogate(t.text[n:], given)
		return f + g, err
	}
	s, err := p.spelling(t)
	return likeCase(s, t.text), err
}

// spelling is the surrogate of a word, misspelt if it is.
func (p *Patient) spelling(t nameToken) (string, error) {
	meant := p.names.spelt(t.word)
	s, err := p.wordSurrogate(meant, p.names.role(meant, t.role))
	if err != nil || meant == t.word {
		return s, err
	}
	kind, at := slipOf(meant, t.word)
	return misspell(s, kind, at), nil
}

// wordSurrogate draws for a word that is spelt right.
func (p *Patient) wordSurrogate(word string, as role) (string, error) {
	prefix, _ := script(word)
	if prefix == "" {
		prefix = string(p.lang) + "-"
	}
	gender := p.names.genderOf(word)
	if as == given && p.names.both(word) {
		word += "\x00given"
	}
	if s, ok := p.memo["name\x00"+word]; ok {
		return s, nil
	}
	if as == family {
		return p.draw("name", word, p.lists[prefix+"surname"])
	}
	var from *list
	switch {
	case gender > 0:
		from = p.lists[prefix+"female"]
	case gender < 0:
		from = p.lists[prefix+"male"]
	}
	all := p.lists[prefix+"given"]
	if from != nil {
		if s, err := p.draw("name", word, from); err == nil || all == nil {
			return s, err
		}
	}
	if all == nil { // scripts whose first names are by gender
		all = p.lists[prefix+[]string{"female", "male"}[p.random("gender", word, 0)%2]]
	}
	return p.draw("name", word, all)
}

// genderOf is above 0 for a woman's first name, below for a man's, 0 if that is not known.
func (n *names) genderOf(word string) int {
	if g := n.follows[word]; g != 0 && !n.leads[word] {
		return g
	}
	for _, k := range []*genders{n.known.in[n.lang], n.known.anywhere} {
		switch female, male := k.female[word], k.male[word]; {
		case female && !male:
			return 1
		case male && !female:
			return -1
		}
	}
	if g := n.gender[word]; g != 0 {
		return g
	}
	if ascii(word) && len(word) > 2 {
		switch word[len(word)-1] {
		case 'a':
			return 1
		case 'o':
			return -1
		}
	}
	return 0
}

// initial is the surrogate of an initial: that of the surrogate of the name that it stands for, as far as the notes tell.
func (p *Patient) initial(tokens []nameToken, i int) string {
	letter := tokens[i].word
	var families, givens []string
	place := 0 // which of the first names it is
	for k, t := range tokens {
		if t.kind == nameWord {
			if w := p.names.spelt(t.word); p.names.role(w, t.role) == family {
				families = append(families, w)
			} else {
				givens = append(givens, w)
			}
		}
		if k < i && t.kind != nameStays && t.role == given {
			place++
		}
	}
	return p.initialOf(letter, tokens[i].role, place, givens, families)
}

// initialOf finds the person with these names of whom the letter is an initial.
func (p *Patient) initialOf(letter string, as role, place int, givens, families []string) string {
	contains := func(all, some []string) bool {
		return !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(all, w) })
	}
	some := "" // a word that the name has
	if words := slices.Concat(families, givens); len(words) > 0 {
		some = words[0]
	}
	for who := range p.names.with(some) {
		if !contains(who.family, families) || !contains(who.given, givens) {
			continue
		}
		candidates := who.given
		if as == family {
			candidates = who.family
		}
		for k, w := range candidates {
			if strings.HasPrefix(w, letter) && (as == family || k == place || len(candidates) == 1 && place == 0) {
				if s, err := p.wordSurrogate(w, as); err == nil {
					return firstLetter(s)
				}
			}
		}
	}
	// A name that is never spelt out: any other letter, the same for the same person.
	v := byte(p.random("initial", letter+"\x00"+strings.Join(families, " "), place) % 25)
	if c := letter[0] - 'a'; len(letter) == 1 && c < 26 && v >= c {
		v++
	}
	return string(rune('A' + v))
}

func firstLetter(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// monogram replaces initials without separators, OVL, and is false for all else.
func (p *Patient) monogram(text string, tokens []nameToken) (string, bool) {
	w := strings.Trim(text, " ")
	if len(w) < 2 || len(w) > 4 || !ascii(w) || w != text || len(tokens) != 1 {
		return "", false
	}
	f := fold(w)
	if !capitals(w) && !p.names.capital[f] || p.names.titled[f] || p.names.votes[f] != [2]int{} || p.names.known.given(f) ||
		p.names.known.surname[f] && (p.names.count[f] != 1 || len(f) > 2) {
		return "", false
	}
	// Of a person whose initials they are, or else of nobody.
	for _, who := range p.names.persons {
		if len(who.given) == 0 || len(who.family) == 0 || who.given[0][:1] != f[:1] {
			continue
		}
		made := p.initialOf(f[:1], given, 0, who.given[:1], who.family)
		if len(who.family) == 2 && len(f) == 3 && f[1:] == who.family[0][:1]+who.family[1][:1] { // of two surnames
			for k := range who.family {
				made += p.initialOf(f[k+1:k+2], family, 0, nil, who.family[k:k+1])
			}
			return caseByCase(made, w), true
		}
		if who.family[0][:1] != f[len(f)-1:] {
			continue
		}
		for k := 1; k < len(f)-1; k++ {
			made += p.initialOf(f[k:k+1], given, k, nil, who.family)
		}
		made += p.initialOf(f[len(f)-1:], family, 0, nil, who.family[:1])
		return caseByCase(made, w), true
	}
	if strings.ContainsAny(f, "aeiouy") && len(f) > 3 {
		return "", false // rather a short name: ROSA
	}
	return caseByCase(p.characters(strings.ToUpper(w)), w), true
}

// capitals says that the first and the last letter of a word are capitals.
func capitals(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsUpper(first) && unicode.IsUpper(last)
}

// caseByCase gives each letter of s the case of that of as.
func caseByCase(s, as string) string {
	made, like := []rune(strings.ToLower(s)), []rune(as)
	for i := range min(len(made), len(like)) {
		if unicode.IsUpper(like[i]) {
			made[i] = unicode.ToUpper(made[i])
		}
	}
	return string(made)
}

// identity is that of the person a name is of, as far as the notes tell.
func (n *names) identity(text string) string {
	tokens, ok := n.parse(text)
	if !ok {
		return alphanumeric(text)
	}
	var words []string
	var initials []nameToken
	for _, t := range tokens {
		switch t.kind {
		case nameWord:
			words = append(words, n.spelt(t.word))
		case nameInitial:
			initials = append(initials, t)
		}
	}
	has := func(who person) bool {
		all := slices.Concat(who.given, who.family)
		for _, w := range words {
			if !slices.Contains(all, w) {
				return false
			}
		}
		for _, t := range initials {
			middle := t.role == given && len(who.given) < 2 && len(words) > 1
			if !middle && !slices.ContainsFunc(all, func(w string) bool { return strings.HasPrefix(w, t.word) }) {
				return false
			}
		}
		return len(words) > 0
	}
	if len(words) > 0 {
		// Of those with all the words the one with most: "Oda Lund" is "Oda Maria Lund".
		var best *person
		for who := range n.with(words[0]) {
			if has(who) && (best == nil || within(*best, who)) {
				best = &who
			}
		}
		if best != nil {
			words, initials = slices.Concat(best.given, best.family), nil
		}
	}
	for _, t := range initials {
		words = append(words, t.word)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func within(a, b person) bool {
	all := slices.Concat(b.given, b.family)
	words := slices.Concat(a.given, a.family)
	return len(words) < len(all) && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(all, w) })
}
