package surrogate

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Names are replaced word by word. A word has the same surrogate in all notes of a patient, so that all forms of a name remain forms of one name, and
// relatives keep a common surname. All mentions together decide whether a word is a first name or a surname. Titles, particles (de la, van) and
// suffixes (Jr.) stay. Initials become those of the surrogate.

// role is the role of a word in a name.
type role int

const (
	given role = iota
	family
)

// names holds the information of a patient's notes about names. Words are folded.
type names struct {
	*Maker
	count   map[string]int     // number of mentions of a word
	votes   map[string][2]int  // number of times that a word is a first name and a surname
	gender  map[string]int     // gender by titles: positive for a woman, negative for a man
	hints   map[string]int     // gender by relatives and pronouns next to the name, which may refer to another person
	formal  map[string]string  // full name of a nickname: Michael for Mike
	follows map[string]int     // gender by the first name before it: José in María José
	leads   map[string]bool    // words that are the first of several first names somewhere
	titled  map[string]bool    // words that begin with their only capital somewhere: Ma
	typists map[string]bool    // initials in lower case of those who typed a note: mmt in SA/mmt
	capital map[string]bool    // words that begin and end with a capital somewhere: MA, TcJ
	root    map[string]string  // correct spelling of a misspelt word
	persons []person           // all persons mentioned with two or more words, the most likely first
	brief   []person           // all persons mentioned with one word and initials, sorted
	of      map[string][]int   // indices of the persons with a word in their name
	pieces  map[byte][][]piece // see beginningWith; nil until a login requires it
	behind  map[string]set     // surnames that the notes have behind a particle: leeuwen for van in Pieter van Leeuwen
	short   set                // initials of first names and a surname: see readInitials
	firsts  set                // words like titles and particles that are first names in these notes: see readLayout
}

// person is somebody whose name is mentioned. The words are folded and correctly spelt.
type person struct {
	given, family []string
	initials      []initialInName
	particles     []string // which stay
	mentions      int
}

// initialInName is a letter that stands for a name, with what initialOf must know about the name in which it occurs.
type initialInName struct {
	letter           string
	as               role
	place            int
	givens, families []string
}

// known holds the names of the lists of surrogates, of known.txt and of gender.txt.
type known struct {
	listed       map[string]int // first names of gender.txt: 1 for women, -1 for men, 0 for both
	female, male set            // first names of all languages and scripts
	surname      set
}

// NameWords returns all words that the package knows as first names or surnames, of many cultures, folded and sorted: examples for a model of
// how names are spelt.
func NameWords() []string {
	words := set{}
	for word := range listedNames() {
		words[word] = true
	}
	known := builtin().known
	for _, names := range []set{known.female, known.male, known.surname} {
		maps.Copy(words, names)
	}
	return slices.Sorted(maps.Keys(words))
}

// IsFirstName reports whether a word is a first name that the package knows. Some are surnames or ordinary words as well.
func IsFirstName(word string) bool {
	folded := foldName(word)
	_, listed := listedNames()[folded]
	return listed || builtin().known.drawn(folded)
}

// IsSurname reports whether a word is a surname that the package knows. Some are first names or ordinary words as well.
func IsSurname(word string) bool { return builtin().known.surname[foldName(word)] }

// listedNames are the first names of gender.txt.
var listedNames = sync.OnceValue(func() map[string]int { return readGenders(listText("names/gender.txt")()) })

// newKnown collects the names that languages have on their lists, and gives each language its first names.
func newKnown(l *languages) *known {
	k := &known{listed: listedNames(), female: set{}, male: set{}, surname: set{}}
	also := map[string]*list{}
	addSections(also, "", listText("known.txt")())
	for _, lists := range []map[string]*list{l.drawn, also} {
		for name, from := range lists {
			code, what, _ := strings.Cut(name, "-")
			var own *language // nil for a script
			if own = l.get(Language(code)); own == nil {
				own = &language{female: set{}, male: set{}}
			}
			for _, entry := range from.entries {
				switch folded := foldName(entry); what {
				case "surname":
					k.surname[folded] = true
				case "female":
					k.female[folded], own.female[folded] = true, true
				case "male":
					k.male[folded], own.male[folded] = true, true
				}
			}
		}
	}
	return k
}

// readGenders reads gender.txt: sections that begin with "= f", "= m" or "= u" (for both) and hold names between blanks.
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
			all[foldName(name)] = gender
		}
	}
	return all
}

// given reports whether a word is a first name rather than a surname.
func (k *known) given(word string) bool {
	_, listed := k.listed[word]
	return k.drawn(word) || listed && len(word) > 2 && !k.surname[word]
}

// drawn reports whether a word is a first name of the lists that surrogates are drawn from, or of known.txt.
func (k *known) drawn(word string) bool { return k.female[word] || k.male[word] }

// genderIn returns 1 for a woman's first name, -1 for a man's, and 0 for one that is unisex or not known. The language of the notes takes precedence:
// Andrea is a woman in Spain.
func (k *known) genderIn(lang *language, word string) int {
	if gender := genderOf(lang.female, lang.male, word); gender != 0 {
		return gender
	}
	if gender, ok := k.listed[word]; ok {
		return gender
	}
	return genderOf(k.female, k.male, word)
}

func genderOf(female, male set, word string) int {
	switch {
	case female[word] && !male[word]:
		return 1
	case male[word] && !female[word]:
		return -1
	}
	return 0
}

// nameToken is a piece of a name.
type nameToken struct {
	text string
	word string // folded; empty for anything but letters
	kind nameKind
	role role
}

type nameKind int

const (
	nameStays   nameKind = iota // separators, titles, particles
	nameWord                    // a word to be replaced
	nameInitial                 // a single letter
)

// parse splits a name into its words, and distinguishes titles, first names and surnames. ok is false if it contains a digit.
func (n *names) parse(text string) (all []nameToken, ok bool) { return n.parseBehind("", text) }

// parseBehind is parse for a name behind other text, where a title or a relative may tell a first name from a surname.
func (n *names) parseBehind(before, text string) (all []nameToken, ok bool) {
	if strings.ContainsFunc(text, unicode.IsDigit) {
		return nil, false
	}
	all = n.cutName(text)
	n.keepTitles(all)
	n.keepInitials(all)
	n.roles(all, before)
	return all, true
}

// cutName splits a name into runs of letters and single other characters.
func (n *names) cutName(text string) (all []nameToken) {
	for text != "" {
		t := n.shortName(text)
		if t.text == "" {
			t = n.shortSurname(nextOfName(text), text)
		}
		all = append(all, t)
		text = text[len(t.text):]
	}
	return all
}

// shortName returns the abbreviated first name with which a text begins, if another name follows; otherwise an empty token.
func (n *names) shortName(text string) nameToken {
	for _, short := range n.lang.shortNames {
		written := short.pattern.FindString(text)
		if after, ok := strings.CutPrefix(text[len(written):], " "); ok && written != "" && letterOrMark(firstRune(after)) {
			return nameToken{text: written, word: short.name, kind: nameWord}
		}
	}
	return nameToken{}
}

// shortSurname returns the surname that a word abbreviates, with the period behind it, or the word itself.
func (n *names) shortSurname(t nameToken, text string) nameToken {
	full := n.lang.shortSurnames[t.word]
	period := strings.HasPrefix(text[len(t.text):], ".")
	if full == "" || len(t.word) < 4 && !period {
		return t
	}
	if period {
		t.text += "."
	}
	t.word = full
	return t
}

// foldName folds a name and leaves its apostrophes out: OBRIEN is O'Brien.
func foldName(name string) string { return strings.ReplaceAll(fold(name), "'", "") }

// nextOfName returns the token with which a text begins. O'Brien is one word.
func nextOfName(text string) nameToken {
	first, end := utf8.DecodeRuneInString(text)
	if !letterOrMark(first) {
		return nameToken{text: text[:end]}
	}
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		apostrophe := (r == '\'' || r == '’') && letterOrMark(firstRune(text[end+size:]))
		if !letterOrMark(r) && !apostrophe {
			break
		}
		end += size
	}
	t := nameToken{text: text[:end], word: foldName(text[:end])}
	switch {
	case t.word == "": // only a combining mark
	case utf8.RuneCountInString(t.text) == 1 && !unicode.In(first, unicode.Han, unicode.Hangul):
		t.kind = nameInitial
	default:
		t.kind = nameWord
	}
	return t
}

// wordOfName is a word of a name with its context.
type wordOfName struct {
	*names
	all   []nameToken
	words []int // indices of the words of the name
	k     int   // index of this word among them
}

func (w wordOfName) word() string { return w.all[w.words[w.k]].word }
func (w wordOfName) text() string { return w.all[w.words[w.k]].text }
func (w wordOfName) first() bool  { return w.k == 0 }
func (w wordOfName) last() bool   { return w.k == len(w.words)-1 }

// before and after return the tokens beside the word; "" at the ends of the name.
func (w wordOfName) before() string { return w.besides(-1) }
func (w wordOfName) after() string  { return w.besides(1) }

func (w wordOfName) besides(by int) string {
	if i := w.words[w.k] + by; i >= 0 && i < len(w.all) {
		return w.all[i].text
	}
	return ""
}

// afterParticle reports whether the word before this one is a particle that stays.
func (w wordOfName) afterParticle() bool {
	if w.first() {
		return false
	}
	before := w.all[w.words[w.k-1]]
	return before.kind == nameStays && w.names.words[particles][before.word]
}

// beforeParticle reports whether the next word is a particle that is never a name, as in VAN DER BERG.
func (w wordOfName) beforeParticle() bool {
	return !w.last() && w.names.words[sureParticles][w.all[w.words[w.k+1]].word]
}

// behindFirstName reports whether the word is a particle behind a word that can only be a first name: Pieter Van Houten, but not Nguyen Van Lund.
func (w wordOfName) behindFirstName() bool {
	for _, i := range w.words[:w.k] {
		if t := w.all[i]; t.kind == nameWord {
			return w.is(sureParticles) && w.onlyGiven(t.word)
		}
	}
	return false
}

// ofSurname reports whether the word is a particle at the beginning of a name, behind which the notes have the next surname elsewhere: Van Leeuwen beside Pieter van Leeuwen.
func (w wordOfName) ofSurname() bool {
	surnames := w.behind[w.word()]
	if !w.leads() || surnames == nil {
		return false
	}
	for _, i := range w.words[w.k+1:] {
		if word := w.all[i].word; surnames[word] {
			return true
		} else if !w.names.words[sureParticles][word] {
			return false
		}
	}
	return false
}

// leads reports whether nothing but titles is before the word in its name or in the part of it behind a comma.
func (w wordOfName) leads() bool {
	for k := w.k - 1; k >= 0; k-- {
		if i := w.words[k]; w.all[i].kind != nameStays {
			return w.before() == "," || w.before() == " " && w.all[w.words[w.k]-2].text == ","
		}
	}
	return true
}

// smallParticle reports whether a word in lower case cannot be a first name: van Houten, but not al lund.
func (w wordOfName) smallParticle() bool {
	return !w.first() || !w.known.given(w.word()) || slices.ContainsFunc(w.words[1:], func(i int) bool { return !lowerCase(w.all[i].text) })
}

// is reports whether the word is of a kind.
func (w wordOfName) is(kind wordKind) bool { return w.names.words[kind][w.word()] }

// isHere reports whether the word is of a kind in the language of the notes.
func (w wordOfName) isHere(kind wordKind) bool { return w.lang.words[kind][w.word()] }

// wordRule decides that a word of a name stays because it is a title or particle, or that it is part of the name whatever the later rules say.
type wordRule struct {
	name    string
	stays   bool
	applies func(wordOfName) bool
}

// wordRules are tried in this order for each word of a name, from left to right. The first that applies decides; a word to which
// none applies is part of the name. TestWordRules has an example for each.
var wordRules = []wordRule{
	{"the only word", false, func(w wordOfName) bool { return len(w.words) == 1 }},
	{"relative", true, wordOfName.isRelative},
	{"nickname", false, func(w wordOfName) bool { return strings.ContainsAny(w.before(), "\"“'(") }},
	{"name rather than title", false, func(w wordOfName) bool { return w.isHere(namesNotTitles) && ascii(w.text()) }}, // not Doña
	{"particle of a known surname", true, wordOfName.ofSurname},
	{"first name like a title", false, func(w wordOfName) bool { return w.firsts[w.word()] && !lowerCase(w.text()) && w.leads() }},
	{"name unless in capitals", false, func(w wordOfName) bool { return w.first() && w.isHere(uncapitalizedNames) && !capitals(w.text()) }},
	{"title", true, wordOfName.isTitle},
	{"word before a comma", false, func(w wordOfName) bool { return w.last() || w.after() == "," }},
	{"particle in lower case", true, func(w wordOfName) bool { return w.is(particles) && lowerCase(w.text()) && w.smallParticle() }},
	{"particle before a particle", true, func(w wordOfName) bool { return w.is(sureParticles) && w.beforeParticle() }},
	{"widow", true, func(w wordOfName) bool { return w.is(widows) && w.beforeParticle() }},
	{"known first name", false, func(w wordOfName) bool { return w.known.given(w.word()) && !w.behindFirstName() }},
	{"sure particle", true, func(w wordOfName) bool { return w.is(particles) && w.is(sureParticles) }},
	{"particle after a particle", true, func(w wordOfName) bool { return w.is(particles) && w.afterParticle() }},
}

// isTitle reports whether the word is a title at its position in the name: DO (a doctor) is not one at the beginning, Don not in the middle.
func (w wordOfName) isTitle() bool {
	switch {
	case !w.is(nameTitles), w.last() && w.is(particles), w.first() && w.is(titlesBehind):
		return false
	}
	return w.first() || w.last() || !w.is(titlesAtEnds)
}

// isRelative reports whether the word is one for a relative in lower case before a name: hermana Ida Lund.
func (w wordOfName) isRelative() bool {
	return w.first() && !w.last() && w.isKin(w.word()) && lowerCase(w.text()) && w.after() == " " && unicode.IsUpper(firstRune(w.all[w.words[1]].text))
}

// keepTitles marks the titles and particles that stay.
func (n *names) keepTitles(all []nameToken) {
	words := n.indices(all, nameWord)
	for k, i := range words {
		w := wordOfName{n, all, words, k}
		for _, rule := range wordRules {
			if rule.applies(w) {
				if rule.stays {
					all[i].kind = nameStays
				}
				break
			}
		}
	}
	// If there are only titles and particles, they must be a name.
	if len(n.indices(all, nameWord)) == 0 {
		for _, i := range words {
			all[i].kind = nameWord
		}
	}
}

// keepInitials marks the single letters that stay because they are a title, such as the D. (don) of D. Pablo, or a conjunction.
func (n *names) keepInitials(all []nameToken) {
	here := n.lang.words
	for i, t := range all {
		title := i == 0 && len(all) > 1 && here[initialTitles][t.word]
		join := here[initialJoins][t.word] || here[smallInitialJoins][t.word] && lowerCase(t.text) || n.catalanJoin(all, i)
		if t.kind == nameInitial && (title || join) {
			all[i].kind = nameStays
		}
	}
}

// catalanJoin reports whether a token is the i between two surnames: Grau i Castellví.
func (n *names) catalanJoin(all []nameToken, i int) bool {
	return all[i].text == "i" && n.lang.words[particles]["i"] && i > 1 && i+2 < len(all) && all[i-1].text == " " && all[i-2].kind == nameWord &&
		all[i+1].text == " " && all[i+2].kind == nameWord && !lowerCase(all[i+2].text)
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

// nameShape is a name whose first names and surnames are to be distinguished.
type nameShape struct {
	*names
	all   []nameToken
	words []int // indices of words and initials
	full  []int // indices of words
	comma int   // index of the first comma behind a word; -1 if there is none
	clue  clue  // before the name
}

// clue is what stands directly before the words of a name.
type clue int

const (
	noClue        clue = iota
	surnameClue        // a title that surnames follow: Dr., Ms.
	firstNameClue      // one that first names follow: Don
	kinClue            // a word for a relative whom the text calls by the first name
)

// clueIn returns the clue in the name or, if there is none, in the text before it.
func (n *names) clueIn(all []nameToken, before string) clue {
	if first := slices.IndexFunc(all, func(t nameToken) bool { return t.kind != nameStays }); first > 0 {
		for i := first - 1; i >= 0; i-- {
			switch word := all[i].word; {
			case n.lang.words[courtesyTitles][word]:
				return firstNameClue
			case n.words[nameTitles][word]:
				return surnameClue
			case n.isKin(word):
				return kinClue
			}
		}
	}
	words := wordsOf(before)
	if len(words) == 0 || strings.ContainsFunc(signsBehindWords(before), func(r rune) bool { return strings.ContainsRune(";!?()", r) }) {
		return noClue
	}
	switch word := words[len(words)-1]; {
	case n.lang.words[courtesyTitles][word]:
		return firstNameClue
	case n.words[surnameTitles][word]:
		return surnameClue
	case n.calledByFirstName(n.words.wordBefore(before)) && !n.words[particles][word]:
		return kinClue
	}
	return noClue
}

// signsBehindWords returns the signs behind the last word of a text.
func signsBehindWords(text string) string {
	return text[strings.LastIndexFunc(text, letterOrMark)+1:]
}

// calledByFirstName reports whether a word is one for a single relative or friend, whom notes call by the first name. Children and twins often have only the surname
// of the mother, and guardians may be anybody.
func (n *names) calledByFirstName(word string) bool {
	return !n.words[kinBeforeSurnames][word] && slices.ContainsFunc(n.all, func(l *language) bool {
		return slices.Contains([]string{"female", "male", "one"}, l.kin[word])
	})
}

// shapeOf returns the shape of a name behind other text.
func (n *names) shapeOf(all []nameToken, before string) nameShape {
	s := nameShape{names: n, all: all, comma: -1, full: n.indices(all, nameWord), clue: n.clueIn(all, before)}
	for i, t := range all {
		if t.kind != nameStays {
			s.words = append(s.words, i)
		}
		if t.text == "," && s.comma < 0 && len(s.words) > 0 {
			s.comma = i
		}
	}
	return s
}

// word returns word k of the words and initials.
func (s nameShape) word(k int) string { return s.all[s.words[k]].word }

func (s nameShape) given(k int) bool     { return s.known.given(s.word(k)) }
func (s nameShape) surname(k int) bool   { return s.known.surname[s.word(k)] }
func (s nameShape) onlyGiven(k int) bool { return s.names.onlyGiven(s.word(k)) }

// firstNameAlone reports whether a name of one word is a first name. Behind a title, only Spanish has first names (Sra. Carmen), except behind Don.
func (s nameShape) firstNameAlone() bool {
	if len(s.words) != 1 {
		return false
	}
	switch s.clue {
	case firstNameClue, kinClue:
		return s.given(0) || !s.surname(0) || s.clue == kinClue && !s.lang.twoSurnames // daughter Harper
	case surnameClue:
		return s.lang.twoSurnames && s.onlyGiven(0) && s.lang.words[surnameTitles][s.title()]
	}
	return s.given(0)
}

// title returns the last title in the name itself.
func (s nameShape) title() (word string) {
	for _, t := range s.all[:s.words[0]] {
		if s.names.words[nameTitles][t.word] {
			word = t.word
		}
	}
	return word
}

// doubleFirstName reports whether a name of two words is a double first name of English: Mary Beth, Lily-Ann, but not Peter van Marie.
func (s nameShape) doubleFirstName() bool {
	if s.lang.twoSurnames || !s.twoWords() || s.words[1] != s.words[0]+2 || !strings.Contains(" -", s.all[s.words[0]+1].text) || s.clue == surnameClue || !s.given(0) || !s.lang.words[secondFirstNames][s.word(1)] {
		return false
	}
	return s.onlyGiven(1) || s.clue == kinClue || s.all[s.words[1]-1].text == "-"
}

// twoWords reports whether the name consists of two words without initials.
func (s nameShape) twoWords() bool { return len(s.words) == 2 && len(s.full) == 2 }

// commaDivides reports whether a comma stands between the words of the name.
func (s nameShape) commaDivides() bool { return s.comma >= 0 && s.words[len(s.words)-1] > s.comma }

// beforeComma counts the words before the comma.
func (s nameShape) beforeComma() int {
	count := 0
	for _, i := range s.words {
		if i < s.comma {
			count++
		}
	}
	return count
}

// withHyphen counts one first name less if a hyphen joins the last of them to the surname: Oda Lund-Vega.
func (s nameShape) withHyphen(firsts int) int {
	if firsts != len(s.words)-1 || firsts < 2 {
		return firsts
	}
	if i := s.words[firsts]; s.all[i-1].text == "-" && s.all[i-2].kind == nameWord {
		return firsts - 1
	}
	return firsts
}

// beforeTwoSurnames counts the first names of a full name with two surnames: the first word, and those after it that are known
// first names.
func (s nameShape) beforeTwoSurnames() int {
	firsts, surnames := 1, len(s.words)-2
	for firsts < surnames && (s.all[s.words[firsts]].kind == nameInitial || s.given(firsts)) {
		firsts++
	}
	if firsts == surnames && s.onlyGiven(firsts) { // María José Vega
		firsts++
	}
	return firsts
}

// roleRule distinguishes first names and surnames in names of a certain shape.
type roleRule struct {
	name          string
	applies       func(nameShape) bool
	count         func(nameShape) int // number of words before those of the other role
	surnamesFirst bool                // those words are surnames rather than first names
}

// always returns a count that does not depend on the name.
func always(n int) func(nameShape) int { return func(nameShape) int { return n } }

// roleRules are tried in this order for each name. The first that applies decides; the last always does. TestRoleRules has an example
// for each.
var roleRules = []roleRule{
	{"surname before a comma", nameShape.commaDivides, nameShape.beforeComma, true},
	{"single initial", func(s nameShape) bool { return len(s.full) == 0 && len(s.words) == 1 }, always(1), false},
	{"initials", func(s nameShape) bool { return len(s.full) == 0 }, func(s nameShape) int { return len(s.words) - 1 }, false},
	{"first name alone", nameShape.firstNameAlone, always(1), false},
	{"surname alone", func(s nameShape) bool { return len(s.words) == 1 }, always(0), false},
	{"two surnames", func(s nameShape) bool {
		return s.lang.twoSurnames && s.twoWords() && !s.given(0) && (s.surname(0) || s.clue == surnameClue)
	}, always(0), false},
	{"two surnames last", func(s nameShape) bool { return s.lang.twoSurnames && len(s.full) > 2 },
		func(s nameShape) int { return s.withHyphen(s.beforeTwoSurnames()) }, false},
	{"two first names", func(s nameShape) bool { return s.lang.twoSurnames && s.twoWords() && s.given(0) && s.onlyGiven(1) }, always(2), false},
	{"double first name", nameShape.doubleFirstName, always(2), false},
	{"surname first", func(s nameShape) bool {
		return s.twoWords() && s.given(1) && !s.given(0) && s.surname(0) && !s.surname(1)
	}, always(1), true},
	{"surname last", func(s nameShape) bool { return true }, func(s nameShape) int { return s.withHyphen(len(s.words) - 1) }, false},
}

// roles marks words as first names or surnames by their position in the name.
func (n *names) roles(all []nameToken, before string) {
	s := n.shapeOf(all, before)
	if len(s.words) == 0 {
		return
	}
	rule := roleRules[slices.IndexFunc(roleRules, func(r roleRule) bool { return r.applies(s) })]
	count := rule.count(s)
	for k, i := range s.words {
		all[i].role = family
		if k < count != rule.surnamesFirst {
			all[i].role = given
		}
	}
}

func (n *names) afterTitle(all []nameToken, i int) bool {
	return slices.ContainsFunc(all[:i], func(t nameToken) bool { return n.words[nameTitles][t.word] })
}
