package safetynet

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file searches for logins that are composed of the names of one person: olund, omlund, lundo, oda.lund. Each composition is an entry of a
// map, so that the search takes one look-up for each word of a text.

// login is a composition of names. Whether it is an ordinary word is decided when it is found, which is rare.
type login struct {
	typ  string
	a, b string // its parts, one of which may consist of initials
}

// apart reports whether the login is searched for with . _ or - between its parts, too: only if a name in it is not an ordinary word.
func (l login) apart() bool {
	return slices.ContainsFunc([]string{l.a, l.b}, func(w string) bool { return utf8.RuneCountInString(w) >= minNameOfLogin && !ordinary(w) })
}

// Minimum lengths in letters, because shorter words may be of nobody: of a login, and of the longest name in it.
const (
	minLogin       = 5
	minNameOfLogin = 4
)

// maxNameWords is the maximum number of words of a name whose logins are searched for.
const maxNameWords = 12

// maxLoginNumber is the maximum number of digits after the names of a login that belong to it: olund2.
const maxLoginNumber = 4

// loginParticles are the words of inNames that logins contain together with the surname behind them: ldelafuente, pstjohn.
var loginParticles = union(particles, wordlists.Set("do das ter ten le les du san santa saint st abu"))

// nameOfLogin is a word of a name, alone and joined to the particles before it.
type nameOfLogin struct{ word, joined string }

// addLogins adds the logins of a person. In the name, the surname is last or before a comma. If several words are before the comma, they may also be
// the whole name, with a degree after the comma.
func (p *Patterns) addLogins(text string, name []word, typ string) {
	if p.written[text] {
		return
	}
	if p.written == nil {
		p.written = map[string]bool{}
	}
	p.written[text] = true
	var words []nameOfLogin
	comma := 0 // number of words before it
	particles := ""
	for _, w := range name {
		if w.comma && comma == 0 {
			comma = len(words)
		}
		switch {
		case !w.digits && (!inNames[w.fold] || isLetter(w)):
			words = append(words, nameOfLogin{w.fold, particles + w.fold})
			particles = ""
		case loginParticles[w.fold]:
			particles += w.fold
		default:
			particles = ""
		}
	}
	if len(words) > maxNameWords {
		return
	}
	typ = cmp.Or(p.types.OfSort(data.Username), typ)
	if comma > 0 && comma < len(words) {
		for k := range words[:comma] {
			p.addLoginsOf(words[comma:], words[k:comma], typ)
		}
		words = words[:comma]
	}
	for k := 1; k < len(words); k++ {
		p.addLoginsOf(words[:k], words[k:], typ)
	}
}

// addLoginsOf adds the logins of a person with some first names or initials and the first of some surnames, with its particles or the next surname or without them. Words between
// the first name and the last one may be first names as well: only if the surname is the last word, or has particles, it is added beside the first name in full, because Anne
// Marie is not a login.
func (p *Patterns) addLoginsOf(firsts, surnames []nameOfLogin, typ string) {
	first, surname, last := firsts[0].word, surnames[0], len(surnames) == 1
	p.addLoginsWith(firsts, surname.word, last, typ)
	if surname.joined != surname.word {
		p.addLoginsWith(firsts, surname.joined, true, typ)
	}
	if !last {
		next := surnames[1]
		p.addLoginsWith(firsts, surname.joined+next.joined, len(surnames) == 2, typ)
		p.addLogin(initial(first), surname.joined+initial(next.word), typ)
	}
}

func (p *Patterns) addLoginsWith(firsts []nameOfLogin, surname string, full bool, typ string) {
	if utf8.RuneCountInString(surname) < 2 {
		return
	}
	first := firsts[0].word
	p.addLogin(initial(first), surname, typ)
	p.addLogin(surname, initial(first), typ)
	if full {
		p.addLogin(first, surname, typ)
	}
	if len(firsts) > 1 {
		var all strings.Builder
		for _, w := range firsts {
			all.WriteString(initial(w.word))
		}
		p.addLogin(all.String(), surname, typ)
		p.addLogin(surname, all.String(), typ)
	}
}

// addLogin adds the login of two parts, unless it is too short.
func (p *Patterns) addLogin(a, b, typ string) {
	letters := utf8.RuneCountInString
	if max(letters(a), letters(b)) < minNameOfLogin || letters(a)+letters(b) < minLogin {
		return
	}
	if p.logins == nil {
		p.logins = map[string]login{}
	}
	if _, ok := p.logins[a+b]; !ok {
		p.keys.add(a + b)
		p.logins[a+b] = login{typ, a, b}
	}
}

// ordinary reports whether a word has a meaning of its own in notes.
func ordinary(w string) bool { return wordlists.Common(w) || wordlists.Eponym(w) || months()[w] }

// likeOrdinary reports whether a word may be a form of an ordinary one: an ordinary word begins like it, without its last two letters but with at
// least four. The lists do not have all forms of all words (award, but awards), and few logins begin like a word.
func likeOrdinary(w string) bool {
	if ordinary(w) || rare()[w] || rare()[strings.TrimSuffix(w, "s")] {
		return true
	}
	n := 0
	for end := range w {
		if n++; n > 4 && n > utf8.RuneCountInString(w)-2 {
			w = w[:end]
			break
		}
	}
	return wordlists.Begins(w)
}

// rare are the words of lists/rare.txt: of English and Spanish that are not on the lists of package wordlists and not like any on them, but consist of a name and
// initials: nsaid, vegan.
var rare = sync.OnceValue(func() map[string]bool { return wordlists.Set(listText("rare")) })

// login reports whether a login begins at word i, and returns the end of the longest, with the number after it. A name with an initial that begins
// with a capital, such as O.Lund, is left to names.
func (p *Patterns) login(words []word, i int) (last int, typ string, ok bool) {
	if len(p.logins) == 0 || words[i].digits {
		return 0, "", false
	}
	number := func(k int) bool { return k < len(words) && words[k].digits && words[k].start == words[k-1].end }
	if p.keys.has(words[i].fold) {
		if l, found := p.logins[words[i].fold]; found {
			if _, isPart := p.part(words[i], false); !isPart && !likeOrdinary(words[i].fold) { // C. Hart is no chart
				last, typ, ok = i, l.typ, true
			}
		}
	}
	joined := words[i].fold
	for k := i + 1; k < len(words) && words[k].sep != 0 && words[k].sep != '/' && !words[k].digits && k <= i+3; k++ {
		if words[k].sep != '_' && words[k-1].capitalized {
			break
		}
		joined += words[k].fold
		l, found := p.logins[joined]
		if found && l.apart() && !likeOrdinary(joined) && (!number(k+1) || utf8.RuneCountInString(words[k].fold) > 1) { // not Lund.o2 sat
			last, typ, ok = k, l.typ, true
		}
	}
	if ok && number(last+1) && len(words[last+1].fold) <= maxLoginNumber && !words[last+1].measured {
		last++
	}
	return last, typ, ok
}
