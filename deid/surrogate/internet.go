package surrogate

import (
	"slices"
	"strings"
	"unicode"
)

// This file replaces logins, e-mail addresses and web addresses, which are composed of other values.

// username replaces a login: names in it with their surrogates, and all other letters and digits one by one.
func (p *Patient) username(text string) (string, bool) {
	var b strings.Builder
	for _, t := range tokens(text) {
		switch {
		case t.word != "":
			s := p.handle(t)
			b.WriteString(s)
		case t.num:
			s, _ := p.number(t.text, Number)
			b.WriteString(s)
		default:
			b.WriteString(t.text)
		}
	}
	made := b.String()
	if made == text && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return p.number(text, Number)
	}
	return made, true
}

// handle replaces a run of letters of a login: olund, odal, lund. A title stays.
func (p *Patient) handle(t token) string {
	if p.names.count[t.word] == 0 && p.words[loginTitles][t.word] {
		return t.text
	}
	if made := p.login(t.word); made != "" {
		return likeCase(made, t.text)
	}
	for cut := len(t.word) - 3; cut > 0; cut-- { // longer titles first: dra before dr
		if title := t.word[:cut]; p.words[loginTitles][title] {
			if made := p.login(t.word[cut:]); made != "" {
				return likeCase(title+made, t.text)
			}
		}
	}
	if len(t.text) > 4 { // replace it with a readable word
		s := p.draw("word", t.word, p.list("surname"))
		if s = strings.Map(keepASCII, fold(s)); s != "" { // empty for another script
			return likeCase(s, t.text)
		}
	}
	s, _ := p.number(t.text, Number)
	return s
}

// login replaces a name or a word composed of the beginnings of names. It returns "" for any other word.
func (p *Patient) login(word string) string {
	if n := p.names; n.count[word] > 0 {
		spelt := n.spelt(word)
		s := p.wordSurrogate(spelt, n.role(spelt, given))
		if s = strings.Map(keepASCII, fold(s)); s != "" { // empty for another script
			return s
		}
	}
	if made, ok := p.compose(word); ok {
		return made
	}
	return ""
}

// compose replaces a word composed of the beginnings of the names of one person: olund, odal, omlund, odalun. Each name may occur once. A middle
// name may be one that the notes have only as an initial. Particles between the names stay: ovanderberg.
func (p *Patient) compose(word string) (string, bool) {
	if len(word) > maxLogin || !ascii(word) {
		return "", false
	}
	best := []piece(nil)
	for _, pieces := range p.names.beginningWith(word[0]) {
		if found := cut(word, pieces); found != nil && (best == nil || len(found) < len(best)) {
			best = found
		}
	}
	var b strings.Builder
	for _, found := range best {
		if found.initial != nil {
			b.WriteString(strings.Map(keepASCII, fold(p.initial(*found.initial))))
			continue
		}
		if found.name == "" { // a particle
			b.WriteString(found.bare[:found.n])
			continue
		}
		s := strings.Map(keepASCII, fold(p.wordSurrogate(found.name, p.names.role(found.name, found.as))))
		if found.n < len(found.bare) {
			s = s[:min(found.n, len(s))]
		}
		b.WriteString(s)
	}
	return b.String(), b.Len() > 0 && b.String() != word
}

// piece is the first n letters of a name or particle, or an initial.
type piece struct {
	name, bare string // name is empty for a particle and an initial
	as         role
	initial    *initialInName // nil for a name
	n          int
}

// beginningWith returns the pieces of all persons of whom one piece begins with a letter.
func (n *names) beginningWith(letter byte) [][]piece {
	if n.pieces == nil {
		n.pieces = map[byte][][]piece{}
		for _, who := range slices.Concat(n.persons, n.brief) {
			all := who.pieces()
			letters := map[byte]bool{}
			for _, part := range all {
				letters[part.bare[0]] = true
			}
			for first := range letters {
				n.pieces[first] = append(n.pieces[first], all)
			}
		}
	}
	return n.pieces[letter]
}

// maxLogin is the maximum length of a word that is read as composed of names.
const maxLogin = 32

// maxPieces is the maximum number of names, initials and particles of one person of which a login may be composed.
const maxPieces = 8

// pieces returns the names, initials and particles of a person of which a login may be composed.
func (who person) pieces() (all []piece) {
	for as, words := range [][]string{who.given, who.family} {
		for _, w := range words {
			if bare := strings.Map(keepASCII, w); bare != "" && len(all) < maxPieces {
				all = append(all, piece{name: w, bare: bare, as: role(as)})
			}
		}
	}
	for i, in := range who.initials {
		if bare := strings.Map(keepASCII, in.letter); bare != "" && len(all) < maxPieces {
			all = append(all, piece{bare: bare, as: in.as, initial: &who.initials[i]})
		}
	}
	for _, particle := range who.particles {
		if bare := strings.Map(keepASCII, particle); bare != "" && len(all) < maxPieces {
			all = append(all, piece{bare: bare})
		}
	}
	return all
}

// cut splits a word into as few pieces as possible; nil if that is impossible or if most pieces are single letters.
func cut(word string, parts []piece) []piece {
	var best []piece
	var tried [maxLogin + 1][1 << maxPieces]bool // by the letters that are left and the parts that are used, whose number is that of the pieces
	var try func(rest string, used int, so []piece)
	try = func(rest string, used int, so []piece) {
		if rest == "" {
			if best == nil || len(so) < len(best) {
				best = slices.Clone(so)
			}
			return
		}
		if tried[len(rest)][used] || best != nil && len(so)+1 >= len(best) {
			return
		}
		tried[len(rest)][used] = true
		for i, part := range parts {
			if used&(1<<i) != 0 {
				continue
			}
			n := 0
			for n < len(rest) && n < len(part.bare) && rest[n] == part.bare[n] {
				n++
			}
			for ; n > 0; n-- {
				part.n = n
				try(rest[n:], used|1<<i, append(so, part))
			}
		}
	}
	try(word, 0, nil)
	longest := 0
	for _, found := range best {
		if found.name != "" || found.initial != nil {
			longest = max(longest, found.n)
		}
	}
	if longest < 3 && len(best) < len(word) || longest < 2 && len(word) > 3 {
		return nil
	}
	return best
}

func keepASCII(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// email replaces the part before the @, and the domain unless it is a public mail host.
func (p *Patient) email(text string) (string, bool) {
	local, domain, ok := strings.Cut(text, "@")
	if !ok {
		return p.url(text)
	}
	l, ok := p.username(local)
	if !ok {
		return "", false
	}
	if p.words[mailHosts][fold(strings.TrimSpace(domain))] {
		return l + "@" + domain, true
	}
	d, _ := p.url(domain) // a domain without names, such as webmail.org, stays
	return l + "@" + d, true
}

// url replaces the words of a web address, except those that are common in addresses: names and hospitals with their surrogates, other words with
// random words, and digits one by one.
func (p *Patient) url(text string) (string, bool) {
	var b strings.Builder
	all := tokens(text)
	for i, t := range all {
		switch {
		case p.words[webWords][t.word] && p.names.count[t.word] == 0 && (i == 0 || all[i-1].text != "-" && !all[i-1].num):
			b.WriteString(t.text)
		case t.word != "":
			s, ok := p.places.web[t.word]
			if p.places.initial[t.word] != "" {
				made, _ := p.abbreviated(strings.ToUpper(t.text), t.word)
				s = likeCase(strings.Map(keepASCII, fold(made)), t.text)
			} else if ok {
				s = likeCase(strings.Map(keepASCII, fold(p.memo["unit\x00"+s])), t.text)
			}
			if s == "" {
				s = p.handle(t)
			}
			b.WriteString(s)
		case t.num:
			s, _ := p.number(t.text, Number)
			b.WriteString(s)
		default:
			b.WriteString(t.text)
		}
	}
	return b.String(), b.String() != text
}
