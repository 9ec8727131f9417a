package surrogate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// script returns the prefix of the lists for a word's script, which is empty for Latin. It returns false for a script without lists.
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
func (p *Patient) person(text string) (string, bool) {
	if pair := typistPair.FindStringSubmatch(text); pair != nil {
		initials, ok := p.monogram(pair[1], p.names.cutName(pair[1]))
		typed, ok2 := p.monogram(pair[3], p.names.cutName(pair[3]))
		return initials + pair[2] + typed, ok && ok2
	}
	tokens, ok := p.names.parse(text)
	if !ok {
		return p.username(text) // a name with a digit is more like a login
	}
	if letters, ok := p.monogram(text, tokens); ok {
		return letters, true
	}
	if made, ok := p.composedName(text, tokens); ok {
		return made, true
	}
	found := false
	for i, t := range tokens {
		switch t.kind {
		case nameWord:
			found = true
			if _, ok := script(t.word); !ok {
				return "", false
			}
			if p.names.initials(tokens, i) {
				made := ""
				for _, in := range p.names.joinedInitials(tokens, i) {
					made += p.initial(in)
				}
				tokens[i].text = made
				continue
			}
			tokens[i].text = p.name(t)
		case nameInitial:
			found = true
			if s, _ := script(t.word); s != "" {
				return "", false
			}
			tokens[i].text = likeCase(p.initial(p.names.initialIn(tokens, i)), t.text)
		}
	}
	var b strings.Builder
	for i, t := range tokens {
		if !p.names.joinsFirstNames(tokens, i) {
			b.WriteString(t.text)
		}
	}
	return b.String(), found
}

// composedName replaces a login that was taken for a name: a surname of the notes in lower case, with up to three letters of the first names beside it.
func (p *Patient) composedName(text string, tokens []nameToken) (string, bool) {
	if len(tokens) != 1 || !lowerCase(text) || p.known.given(tokens[0].word) || p.known.surname[tokens[0].word] {
		return "", false
	}
	word := tokens[0].word
	for n := 1; n <= 3 && n+minSurnameOfLogin <= len(word); n++ {
		if len(p.names.of[word[:len(word)-n]]) > 0 || len(p.names.of[word[n:]]) > 0 {
			return p.compose(word)
		}
	}
	return "", false
}

// minSurnameOfLogin is the minimum length of a surname with a few letters of the first names beside it.
const minSurnameOfLogin = 4

// joinsFirstNames reports whether token i is a particle between two first names, or the space behind it. It goes, because it fits few surrogates: of María de los
// Ángeles, de los. The y of Ana y Pedro stays, since these are two persons.
func (n *names) joinsFirstNames(tokens []nameToken, i int) bool {
	isParticle := func(k int) bool {
		return tokens[k].kind == nameStays && (n.words[sureParticles][tokens[k].word] || n.words[articles][tokens[k].word])
	}
	if tokens[i].text != " " && !isParticle(i) || i == 0 || tokens[i].text == " " && !isParticle(i-1) {
		return false
	}
	first := func(k, by int) bool { // whether the next word in a direction is a first name
		for ; k >= 0 && k < len(tokens); k += by {
			switch t := tokens[k]; {
			case t.kind != nameStays:
				return t.kind == nameInitial && t.role == given || t.kind == nameWord && n.role(n.spelt(t.word), t.role) == given
			case t.text != " " && !isParticle(k):
				return false
			}
		}
		return false
	}
	return first(i, -1) && first(i, 1)
}

// name replaces one word of a name.
func (p *Patient) name(t nameToken) string {
	if in, _ := script(t.word); (in == "han-" || in == "hangul-") && utf8.RuneCountInString(t.text) > 1 {
		// A name in one piece, in which the surname is the first character.
		_, n := utf8.DecodeRuneInString(t.text)
		f := p.wordSurrogate(t.text[:n], family)
		g := p.wordSurrogate(t.text[n:], given)
		return f + g
	}
	s := p.spelling(t)
	return likeCase(s, t.text)
}

// spelling returns the surrogate of a word, misspelt if the word is.
func (p *Patient) spelling(t nameToken) string {
	meant := p.names.spelt(t.word)
	s := p.wordSurrogate(meant, p.names.role(meant, t.role))
	if right := p.names.root[t.word]; right != "" {
		kind, at := slipOf(right, t.word)
		if wrong := misspell(s, kind, at); !p.original(fold(wrong)) {
			return wrong
		}
	}
	return s
}

// wordSurrogate returns the surrogate of a correctly spelt word.
func (p *Patient) wordSurrogate(word string, as role) string {
	prefix, _ := script(word)
	if prefix == "" {
		prefix = string(p.lang.code) + "-"
	}
	gender := p.names.genderOf(word)
	if as == given && p.names.both(word) {
		word += "\x00given"
	}
	if s, ok := p.memo["name\x00"+word]; ok {
		return s
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
	for _, l := range []*list{from, p.lists[prefix+"unisex"]} { // a unisex name cannot have the wrong gender
		if l != nil {
			if s, ok := p.drawUnless("name", word, l, func(string) bool { return false }); ok {
				return s
			}
		}
	}
	if all == nil && from != nil {
		all = from
	}
	if all == nil { // a script that has first names only by gender
		all = p.lists[prefix+[]string{"female", "male"}[p.random("gender", word, 0)%2]]
	}
	return p.draw("name", word, all)
}

// initials reports whether a word of a name consists of the initials of its first names: IK Amundsen, Amundsen, IK.
func (n *names) initials(tokens []nameToken, i int) bool {
	letters, word := tokens[i].text, tokens[i].word
	if len(letters) < 2 || len(letters) > 3 || strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return false
	}
	words := n.indices(tokens, nameWord)
	full := slices.ContainsFunc(words, func(k int) bool { return n.short[word+" "+tokens[k].word] })
	if n.titled[word] || !full && (n.known.drawn(word) || n.known.surname[word]) {
		return false
	}
	inPlace := len(words) == 2 || len(words) > 2 && i == words[0]
	return inPlace && slices.ContainsFunc(words, func(k int) bool { return k != i && !capitals(tokens[k].text) })
}

// joinedInitials returns each letter of such a word as the initial of the name at its place.
func (n *names) joinedInitials(tokens []nameToken, i int) (all []initialInName) {
	var families []string
	for k, t := range tokens {
		if t.kind == nameWord && k != i {
			families = append(families, n.spelt(t.word))
		}
	}
	for place, letter := range tokens[i].word {
		all = append(all, initialInName{string(letter), given, place, nil, families})
	}
	return all
}

// initialIn returns the initial at token i with what the name tells about it.
func (n *names) initialIn(tokens []nameToken, i int) initialInName {
	in := initialInName{letter: tokens[i].word, as: tokens[i].role}
	for k, t := range tokens {
		if t.kind == nameWord {
			if w := n.spelt(t.word); n.role(w, t.role) == family {
				in.families = append(in.families, w)
			} else {
				in.givens = append(in.givens, w)
			}
		}
		if k < i && t.kind != nameStays && t.role == given {
			in.place++ // its index among the first names
		}
	}
	return in
}

// initial replaces an initial with that of the surrogate, if the notes tell which name it stands for.
func (p *Patient) initial(in initialInName) string {
	return p.initialOf(in.letter, in.as, in.place, in.givens, in.families)
}

// initialOf replaces the initial of a name of a person who has all the other names, givens and families. place is the index of the name among the
// first names.
func (p *Patient) initialOf(letter string, as role, place int, givens, families []string) string {
	contains := func(all, some []string) bool {
		return !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(all, w) })
	}
	for who := range p.names.with(slices.Concat(families, givens)) {
		if !contains(who.family, families) || !contains(who.given, givens) {
			continue
		}
		candidates := who.given
		if as == family {
			candidates = who.family
		}
		for k, w := range candidates {
			if strings.HasPrefix(w, letter) && (as == family || k == place || len(candidates) == 1 && place == 0) {
				return firstLetter(p.wordSurrogate(w, as))
			}
		}
	}
	// The name is never spelt out: take any other letter, but always the same for the same person.
	v := byte(p.random("initial", letter+"\x00"+strings.Join(families, " "), place) % 25)
	if c := letter[0] - 'a'; len(letter) == 1 && c < 26 && v >= c {
		v++
	}
	return string(rune('A' + v))
}

// firstLetter returns the first letter of an invented name, which may be in brackets.
func firstLetter(s string) string {
	s = strings.TrimPrefix(s, "[")
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// monogram replaces initials without separators, such as OVL. It returns false for everything else.
func (p *Patient) monogram(text string, tokens []nameToken) (string, bool) {
	if !p.isMonogram(text, tokens) {
		return "", false
	}
	letters := fold(text)
	for _, who := range p.names.persons {
		if made := p.monogramOf(who, letters); made != "" {
			return caseByCase(made, text), true
		}
	}
	if strings.ContainsAny(letters, "aeiouy") && len(letters) > 3 {
		return "", false // more likely a short name: ROSA
	}
	return caseByCase(p.characters(strings.ToUpper(text)), text), true
}

// isMonogram reports whether a name consists of two to four letters that are not known as a word of a name.
func (p *Patient) isMonogram(text string, tokens []nameToken) bool {
	if len(text) < 2 || len(text) > 4 || len(tokens) != 1 || !ascii(text) || strings.Trim(text, " ") != text {
		return false
	}
	word, n := foldName(text), p.names
	if lowerCase(text) && n.typists[word] {
		return true
	}
	small := typist.MatchString(text) && !strings.ContainsAny(text, "aeiouy")
	if !capitals(text) && !n.capital[word] && !small || n.titled[word] || n.votes[word] != [2]int{} {
		return false
	}
	switch {
	case n.known.drawn(word), len(word) > 3 && n.known.given(word):
		return false
	case n.known.surname[word]:
		return len(word) == 2 && n.count[word] == 1
	}
	return true
}

// monogramOf returns the initials of a person's surrogate if the letters are the person's initials; "" if not.
func (p *Patient) monogramOf(who person, letters string) string {
	if len(who.given) == 0 || len(who.family) == 0 || who.given[0][:1] != letters[:1] {
		return ""
	}
	made := p.initialOf(letters[:1], given, 0, who.given[:1], who.family)
	if len(who.family) == 2 && len(letters) == 3 && letters[1:] == who.family[0][:1]+who.family[1][:1] { // of two surnames
		for k := range who.family {
			made += p.initialOf(letters[k+1:k+2], family, 0, nil, who.family[k:k+1])
		}
		return made
	}
	last := len(letters) - 1
	if who.family[0][:1] != letters[last:] {
		return ""
	}
	for k := 1; k < last; k++ {
		made += p.initialOf(letters[k:k+1], given, k, nil, who.family)
	}
	return made + p.initialOf(letters[last:], family, 0, nil, who.family[:1])
}

// capitals reports whether a word begins and ends with a capital.
func capitals(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsUpper(first) && unicode.IsUpper(last)
}

// caseByCase gives each letter of s the case of the letter of as at the same place.
func caseByCase(s, as string) string {
	made, like := []rune(strings.ToLower(s)), []rune(as)
	for i := range min(len(made), len(like)) {
		if unicode.IsUpper(like[i]) {
			made[i] = unicode.ToUpper(made[i])
		}
	}
	return string(made)
}
