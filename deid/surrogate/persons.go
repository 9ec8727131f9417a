package surrogate

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file collects the information of all notes of a patient about names: who is mentioned, and which words are first names.

// label is the label of a form before a name.
type label int

const (
	noLabel    label = iota
	firstLabel       // Nombre: first names, if the note also has a label for surnames
	lastLabel        // Apellidos:
)

// labelOf returns the label at the end of the text before a name.
func (v vocabulary) labelOf(before string) label {
	words := " " + strings.Join(wordsOf(before), " ")
	ends := func(with wordKind) bool {
		for label := range v[with] {
			if strings.HasSuffix(words, " "+label) {
				return true
			}
		}
		return false
	}
	switch {
	case ends(fullNameLabels):
		return noLabel
	case ends(surnameLabels):
		return lastLabel
	case ends(firstNameLabels):
		return firstLabel
	}
	return noLabel
}

// sure is the weight of a role that a label gives. It outweighs any number of guesses.
const sure = 1 << 20

// readNames collects the information of all mentions about names.
func (p *Patient) readNames(mentions []Mention) {
	n := &names{Maker: p.Maker, count: map[string]int{}, votes: map[string][2]int{}, gender: map[string]int{}, hints: map[string]int{},
		formal: map[string]string{}, follows: map[string]int{}, leads: map[string]bool{}, titled: map[string]bool{}, typists: map[string]bool{}, capital: map[string]bool{},
		root: map[string]string{}, of: map[string][]int{}, behind: map[string]set{}, firsts: set{}, short: set{}}
	p.names = n
	n.readLayout(mentions)
	all := n.readMentions(mentions)
	n.vote(all)
	n.misspellings()
	n.nicknames(all)
	n.readPersons(all)
}

// readLayout finds out which words like titles and particles are first names, because they stand alone, behind the label for a first name, or behind a surname and a comma; and which
// surnames have particles.
func (n *names) readLayout(mentions []Mention) {
	for _, m := range mentions {
		if m.Sort != Person {
			continue
		}
		all, ok := n.parse(m.Text)
		if !ok {
			continue
		}
		n.readParticles(all)
		n.readInitials(all)
		for i, t := range all {
			if n.words[likeTitles][t.word] && !lowerCase(t.text) && ascii(t.text) && n.isFirstName(all, i) {
				n.firsts[t.word] = true
			}
		}
	}
}

// readInitials stores the initials of the first names of a full name with its surnames: MA Young for Margaret Ann Young.
func (n *names) readInitials(all []nameToken) {
	letters := ""
	for _, i := range n.indices(all, nameWord) {
		if all[i].role == given && len(letters) < 3 {
			letters += firstLetter(all[i].word)
		}
	}
	if len(letters) < 2 {
		return
	}
	for _, i := range n.indices(all, nameWord) {
		if all[i].role == family {
			n.short[letters+" "+all[i].word] = true
		}
	}
}

// isFirstName reports whether word i is alone in its name, or the only word behind one or two surnames and a comma.
func (n *names) isFirstName(all []nameToken, i int) bool {
	var before, after int // words
	comma := false
	for k, t := range all {
		switch {
		case t.word == "" || t.kind == nameInitial:
			comma = comma || t.text == "," && before > 0 && k < i
		case k < i && comma: // Lund, Oda Junior
			return false
		case k < i:
			before++
		case k > i && t.word != all[i].word: // but LUND, DEL. Del
			after++
		}
	}
	return after == 0 && (before == 0 || comma && before == 1)
}

// readParticles stores the particles before the surnames of a name, if they are in lower case or behind a first name.
func (n *names) readParticles(all []nameToken) {
	var before []string
	named := false
	for _, t := range all {
		switch {
		case t.kind == nameStays && n.words[sureParticles][t.word]:
			if named || lowerCase(t.text) {
				before = append(before, t.word)
			}
		case t.kind == nameInitial:
			named, before = true, nil
		case t.kind == nameWord:
			named = true
			for _, particle := range before {
				if n.behind[particle] == nil {
					n.behind[particle] = set{}
				}
				n.behind[particle][t.word] = true
			}
			before = nil
		case t.text != " ":
			before = nil
		}
	}
}

// nameMention is a name as one note has it.
type nameMention struct {
	note   string
	tokens []nameToken
	before string
	after  string
	label  label
}

// readMentions parses all names and finds their labels.
func (n *names) readMentions(mentions []Mention) (all []nameMention) {
	for _, m := range mentions {
		if m.Sort != Person {
			continue
		}
		if n.readTypist(m) {
			continue
		}
		tokens, ok := n.parseBehind(m.Before, m.Text)
		if !ok {
			continue
		}
		is := n.words.labelOf(m.Before)
		if slices.ContainsFunc(tokens, func(t nameToken) bool {
			return t.text == "," || t.kind == nameStays && n.words[nameTitles][t.word] && !n.words[particles][t.word]
		}) {
			is = noLabel // a name with a title or comma is a whole name
		}
		all = append(all, nameMention{m.Note, tokens, m.Before, m.After, is})
	}
	return all
}

var (
	typist       = lazyregexp.New(`^[a-z]{2,3}$`)
	beforeTypist = lazyregexp.New(`\b[A-Z]{2,4}[/:]$`)
	// typistPair matches the initials of who dictated a note, and those of who typed it: SA/mmt.
	typistPair = lazyregexp.New(`^([A-Z]{2,4})([/:])([a-z]{2,3})$`)
)

// readTypist reports whether a value is the initials of who typed a note: two or three letters in lower case behind other initials.
func (n *names) readTypist(m Mention) bool {
	text := m.Text
	if pair := typistPair.FindStringSubmatch(text); pair != nil {
		text = pair[3]
	} else if !typist.MatchString(text) || !beforeTypist.MatchString(m.Before) {
		return false
	}
	n.typists[text] = true
	return true
}

// likeCommas gives the words of names without a comma the roles that they have in a name with one: KOWALSKI MARIA beside Kowalski, Maria.
func (n *names) likeCommas(all []nameMention) {
	var known []map[string]role           // the words of each name with a comma
	seen, of := set{}, map[string][]int{} // which names are known, and those with a word
	for _, m := range all {
		if s := n.shapeOf(m.tokens, m.before); s.commaDivides() {
			roles := map[string]role{}
			for _, i := range s.full {
				roles[m.tokens[i].word] = m.tokens[i].role
			}
			key := fmt.Sprint(roles) // sorted by word
			if len(roles) < 2 || seen[key] {
				continue
			}
			seen[key] = true
			for word := range roles {
				of[word] = append(of[word], len(known))
			}
			known = append(known, roles)
		}
	}
	if len(known) == 0 {
		return
	}
	for _, m := range all {
		s := n.shapeOf(m.tokens, m.before)
		if len(s.full) < 2 || s.commaDivides() {
			continue
		}
		rarest := slices.MinFunc(s.full, func(i, k int) int { return cmp.Compare(len(of[m.tokens[i].word]), len(of[m.tokens[k].word])) })
		for _, k := range of[m.tokens[rarest].word] {
			roles := known[k]
			if slices.ContainsFunc(s.full, func(i int) bool { _, ok := roles[m.tokens[i].word]; return !ok }) {
				continue
			}
			for _, i := range s.full {
				m.tokens[i].role = roles[m.tokens[i].word]
			}
			break
		}
	}
}

// vote counts the words of all names, and how often each is a first name and a surname.
func (n *names) vote(all []nameMention) {
	n.likeCommas(all)
	weak := map[string][2]int{} // votes for the words of names that stand alone behind a title or a relative; they count for words that have no others
	apart := map[string]bool{}  // notes with a label for surnames
	for _, m := range all {
		apart[m.note] = apart[m.note] || m.label == lastLabel
	}
	for _, m := range all {
		words := n.indices(m.tokens, nameWord)
		weight := 0
		switch {
		case m.label == lastLabel || m.label == firstLabel && (apart[m.note] || len(words) == 1):
			weight = sure
			for i := range m.tokens {
				m.tokens[i].role = map[label]role{firstLabel: given, lastLabel: family}[m.label]
			}
		case len(words) > 1 || len(n.indices(m.tokens, nameInitial)) > 0:
			weight = 1
		}
		for _, i := range words {
			if !n.initials(m.tokens, i) {
				n.countWord(m.tokens, i, weight)
			}
		}
		if weight == 0 && len(words) == 1 && !n.likeInitials(m.tokens[words[0]]) && n.shapeOf(m.tokens, m.before).clue != noClue {
			votes := weak[m.tokens[words[0]].word]
			votes[m.tokens[words[0]].role]++
			weak[m.tokens[words[0]].word] = votes
		}
	}
	for word, votes := range weak {
		if n.votes[word] == [2]int{} {
			n.votes[word] = votes
		}
	}
}

// likeInitials reports whether a word may be initials, as in Dr. ABK.
func (n *names) likeInitials(t nameToken) bool {
	return len(t.text) < 5 && capitals(t.text) && !n.known.given(t.word) && !n.known.surname[t.word]
}

// countWord counts one word of a name, and gives its role a weight. If the weight is 0, the role counts only after a title.
func (n *names) countWord(tokens []nameToken, i, weight int) {
	t := tokens[i]
	n.count[t.word]++
	n.capital[t.word] = n.capital[t.word] || capitals(t.text)
	n.titled[t.word] = n.titled[t.word] || !capitals(t.text) && !lowerCase(t.text)
	if weight == 0 && n.afterTitle(tokens, i) {
		weight = 1
	}
	if weight > 0 {
		votes := n.votes[t.word]
		votes[t.role] += weight
		n.votes[t.word] = votes
	}
}

// readPersons collects the persons, and the known genders of first names.
func (n *names) readPersons(all []nameMention) {
	found, brief := personSet{}, personSet{}
	forms := map[string][]person{} // parts of names under labels, by note
	surnames := map[string]int{}   // gender by titles before a surname alone: Mr. Lund
	for _, m := range all {
		who := n.personIn(m.tokens)
		n.readGender(m, who, surnames)
		switch n := len(who.given) + len(who.family); {
		case n >= 2:
			found.add(who)
		case n == 1 && len(who.initials) > 0:
			brief.add(who)
		}
		if m.label != noLabel && !slices.ContainsFunc(forms[m.note], who.same) {
			forms[m.note] = append(forms[m.note], who)
		}
	}
	for _, note := range slices.Sorted(maps.Keys(forms)) { // Nombre: Oda, Apellidos: Lund is one person if the form is about one person
		var whole person
		for _, who := range forms[note] {
			whole.given, whole.family = append(whole.given, who.given...), append(whole.family, who.family...)
		}
		if len(forms[note]) <= 3 && len(whole.given) > 0 && len(whole.family) > 0 {
			found.add(whole)
		}
	}
	n.persons, n.brief = found.sorted(), brief.sorted()
	// Where several persons are possible, the one who is named most often comes first, then the one with the longest name.
	slices.SortStableFunc(n.persons, func(a, b person) int {
		return cmp.Or(cmp.Compare(b.mentions, a.mentions), cmp.Compare(len(b.given)+len(b.family), len(a.given)+len(a.family)))
	})
	n.byTitles(surnames)
	for k, who := range n.persons {
		for _, w := range slices.Concat(who.given, who.family) {
			n.of[w] = append(n.of[w], k)
		}
	}
}

// personSet has persons by their names, and counts how often each is mentioned. It collects the initials and particles with which they are mentioned.
type personSet map[string]*person

func (s personSet) add(who person) {
	key := strings.Join(who.given, " ") + "," + strings.Join(who.family, " ")
	if s[key] == nil {
		s[key] = &person{given: who.given, family: who.family}
	}
	s[key].mentions++
	for _, particle := range who.particles {
		if k, ok := slices.BinarySearch(s[key].particles, particle); !ok {
			s[key].particles = slices.Insert(s[key].particles, k, particle)
		}
	}
	for _, in := range who.initials {
		if k, ok := slices.BinarySearchFunc(s[key].initials, in, initialInName.compare); !ok {
			s[key].initials = slices.Insert(s[key].initials, k, in)
		}
	}
}

// sorted returns the persons in the order of their names.
func (s personSet) sorted() (all []person) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		all = append(all, *s[key])
	}
	return all
}

// compare orders the initials of one person, whatever the order of the notes.
func (in initialInName) compare(other initialInName) int {
	return cmp.Or(cmp.Compare(in.as, other.as), cmp.Compare(in.place, other.place), cmp.Compare(in.letter, other.letter))
}

func (who person) same(other person) bool {
	return slices.Equal(other.given, who.given) && slices.Equal(other.family, who.family)
}

// personIn returns the person with a name.
func (n *names) personIn(tokens []nameToken) (who person) {
	for i, t := range tokens {
		switch {
		case t.kind == nameInitial:
			who.initials = append(who.initials, n.initialIn(tokens, i))
		case t.kind == nameWord && n.initials(tokens, i):
			who.initials = append(who.initials, n.joinedInitials(tokens, i)...)
		}
		if t.kind == nameStays && (n.words[particles][t.word] || n.words[saints][t.word]) {
			who.particles = append(who.particles, t.word)
		}
		if t.kind != nameWord || n.initials(tokens, i) {
			continue
		}
		if word := n.spelt(t.word); n.role(word, t.role) == given {
			who.given = append(who.given, word)
		} else {
			who.family = append(who.family, word)
		}
	}
	return who
}

// readGender evaluates the words next to a name that tell whether it is a woman's or a man's.
func (n *names) readGender(m nameMention, who person, surnames map[string]int) {
	score := n.titles(m.tokens, m.before)
	if len(who.given) == 0 {
		if before := wordsOf(m.before); !slices.ContainsFunc(before[max(0, len(before)-3):], n.isKin) { // his wife, Mrs. Lund
			surnames[strings.Join(who.family, " ")] += score
		}
		return
	}
	for i := range m.tokens[:max(0, len(m.tokens)-2)] {
		if first, second := m.tokens[i].word, m.tokens[i+2].word; m.tokens[i+1].text == "-" && n.words[menInDoubles][first] &&
			(n.known.genderIn(n.lang, second) < 0 || second == "marie") && m.tokens[i+2].role == given {
			n.gender[first]--
		}
	}
	for _, word := range who.given {
		n.gender[word] += score
		if n.known.genderIn(n.lang, word) == 0 {
			n.hints[word] += n.words.hintBefore(m.before) + n.words.hintAfter(m.after)
		}
	}
	n.leads[who.given[0]] = true
	for _, word := range who.given[1:] {
		n.follows[word] += n.genderOf(who.given[0])
	}
}

// with yields, in order, persons among whom are all with these words in their names. For no words it yields all persons.
func (n *names) with(words []string) iter.Seq[person] {
	return func(yield func(person) bool) {
		if len(words) == 0 {
			slices.Values(n.persons)(yield)
			return
		}
		rarest := slices.MinFunc(words, func(a, b string) int { return cmp.Compare(len(n.of[a]), len(n.of[b])) })
		for _, k := range n.of[rarest] {
			if !yield(n.persons[k]) {
				return
			}
		}
	}
}

// byTitles infers the gender of a first name from a title before the surname alone ("Mr. Lund"), if no first name with that surname explains the title, and exactly one
// is of unknown gender or there is only one.
func (n *names) byTitles(surnames map[string]int) {
	called := map[string][]person{} // by surnames
	for _, who := range n.persons {
		if len(who.given) > 0 {
			surname := strings.Join(who.family, " ")
			called[surname] = append(called[surname], who)
		}
	}
	for _, surname := range slices.Sorted(maps.Keys(surnames)) {
		score := surnames[surname]
		if score == 0 {
			continue
		}
		var unknown []string
		one := true // there is only one
		for _, who := range called[surname] {
			one = one && who.given[0] == called[surname][0].given[0]
			switch g := n.genderOf(who.given[0]); {
			case g*score > 0:
				score = 0
			case g == 0 && !slices.Contains(unknown, who.given[0]):
				unknown = append(unknown, who.given[0])
			}
		}
		switch {
		case len(unknown) == 1:
			n.gender[unknown[0]] += score
		case len(unknown) == 0 && one && len(called[surname]) > 0:
			n.gender[called[surname][0].given[0]] += score
		}
	}
}

// titles returns a positive number for women's titles in or before a name, a negative one for men's.
func (n *names) titles(tokens []nameToken, before string) int {
	vote := func(word string) int {
		switch {
		case n.words[femaleTitles][word]:
			return 1
		case n.words[maleTitles][word]:
			return -1
		}
		return 0
	}
	words := wordsOf(before)
	score := 0
	switch k := len(words) - 1; {
	case k > 0 && n.words[neutralWords][words[k]] && n.words[womanArticles][words[k-1]]: // la paciente; el paciente may be of either gender
		score = 1
	case k >= 0 && !n.lang.words[ambiguousTitles][words[k]] && (k == 0 || !n.words[coupleJoins][words[k-1]]):
		score = vote(words[k])
	}
	for _, t := range tokens {
		if t.kind == nameStays {
			score += vote(t.word)
		}
	}
	return score
}

// role decides by majority over all mentions; a tie counts as surname. here is the role by the position in one name. It counts for words without
// votes and for words that are both, as in Apellidos: Miguel Vega and Dr. Miguel Lund.
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

// both reports whether a known first name is also a surname according to a label.
func (n *names) both(word string) bool {
	v := n.votes[word]
	return v[family] >= sure && v[given] > 0 && n.known.given(word)
}

// spelt returns the correct spelling of a word and, for a nickname, its full name.
func (n *names) spelt(word string) string {
	word = cmp.Or(n.root[word], word)
	return cmp.Or(n.formal[word], word)
}

// genderOf returns a positive number for a woman's first name, a negative one for a man's, and 0 if the gender is not known.
func (n *names) genderOf(word string) int {
	if g := n.follows[word]; g != 0 && !n.leads[word] {
		return g
	}
	if g := cmp.Or(n.gender[word], n.known.genderIn(n.lang, word), n.hints[word]); g != 0 {
		return g
	}
	if _, both := n.known.listed[word]; both {
		return 0
	}
	if ascii(word) && len(word) > 2 {
		switch ending := word[len(word)-1:]; {
		case n.words[femaleEndings][ending]:
			return 1
		case n.words[maleEndings][ending]:
			return -1
		}
	}
	return 0
}

// identity returns the same string for all names of one person, as far as the notes tell.
func (n *names) identity(text string) string {
	tokens, ok := n.parse(text)
	if !ok {
		return alphanumeric(text)
	}
	words, initials := n.identityParts(tokens)
	if len(words) > 0 {
		// The longest name with all the words is meant: "Oda Lund" is "Oda Maria Lund".
		var best *person
		for who := range n.with(words) {
			if who.has(words, initials) && (best == nil || within(*best, who)) {
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

// identityParts returns the words of a name, correctly spelt, and its initials one by one.
func (n *names) identityParts(tokens []nameToken) (words []string, initials []nameToken) {
	for i, t := range tokens {
		switch {
		case t.kind == nameInitial:
			initials = append(initials, t)
		case t.kind == nameWord && n.initials(tokens, i):
			for _, letter := range t.word {
				initials = append(initials, nameToken{word: string(letter), kind: nameInitial, role: given})
			}
		case t.kind == nameWord:
			words = append(words, n.spelt(t.word))
		}
	}
	return words, initials
}

// has reports whether a name with these words and initials can be the person's. A middle initial may represent a name that is never spelt out.
func (who person) has(words []string, initials []nameToken) bool {
	all := slices.Concat(who.given, who.family)
	for _, word := range words {
		if !slices.Contains(all, word) {
			return false
		}
	}
	for _, t := range initials {
		middle := t.role == given && len(who.given) < 2 && len(words) > 1
		if !middle && !slices.ContainsFunc(all, func(word string) bool { return strings.HasPrefix(word, t.word) }) {
			return false
		}
	}
	return true
}

// within reports whether all words of a are among those of b, which has more.
func within(a, b person) bool {
	all := slices.Concat(b.given, b.family)
	words := slices.Concat(a.given, a.family)
	return len(words) < len(all) && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(all, w) })
}
