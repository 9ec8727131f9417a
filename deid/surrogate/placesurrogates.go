package surrogate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file replaces places, institutions and professions.

// place replaces the name of any place, institution or profession.
func (p *Patient) place(text string, sort Sort) (string, bool) {
	if strings.Contains(text, "@") {
		return p.email(text)
	}
	switch sort {
	case Place:
		return p.anyPlace(text)
	case Hospital, Organization:
		short, ok := abbreviation(text)
		if lower := fold(strings.TrimSpace(text)); !ok && p.places.short[lower] {
			short, ok = lower, true
		}
		if ok {
			return p.abbreviated(text, short)
		}
		if first := tokens(text); sort == Organization && slices.ContainsFunc(first, func(t token) bool { return p.words[ofPlaces][t.word] }) {
			return p.units(text, sort, p.list("city"))
		}
		return p.units(text, sort, p.list(string(sort)))
	case Landmark:
		if !strings.ContainsFunc(text, unicode.IsDigit) {
			return p.listed(text, "landmark", p.list("landmark"))
		}
		return p.units(text, sort, p.list("landmark"))
	case Department, Street:
		return p.units(text, sort, p.list(string(sort)))
	case Room:
		return p.units(text, sort, p.list("surname"))
	case City:
		state := p.lang.states.find(text)
		if key := stateKey(text); state != nil && key == fold(state.full) && !p.words[alsoCities][key] { // the tagger mistook it for a city
			return p.state(text)
		}
		return p.listed(text, "city", p.list("city"))
	case State:
		return p.state(text)
	case Country:
		return p.listed(text, "country", p.list("country"))
	case Profession:
		return p.profession(text)
	}
	return "", false
}

// anyPlace replaces each part between commas as a place of the sort that it looks like.
func (p *Patient) anyPlace(text string) (string, bool) {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		trimmed := strings.TrimSpace(part)
		if trimmed == "" {
			continue
		}
		made, ok := "", false
		if sort := p.sortOfPlace(trimmed, i > 0); sort == Zip {
			made, ok = p.number(trimmed, Zip)
		} else {
			made, ok = p.place(trimmed, sort)
		}
		if !ok {
			return "", false
		}
		parts[i] = strings.Replace(part, trimmed, made, 1)
	}
	return strings.Join(parts, ","), true
}

// sortOfPlace returns the sort that a place looks like. Abbreviations count as those of states only after another place.
func (p *Patient) sortOfPlace(text string, afterOther bool) Sort {
	known, folded := p.languages.places, fold(text)
	digits := strings.ContainsFunc(text, unicode.IsDigit)
	isStreetWord := func(word string) bool { return p.words[streetWords][word] }
	words := wordsOf(text)
	first, _, _ := strings.Cut(strings.NewReplacer("/", " ", ".", " ").Replace(folded), " ")
	switch {
	case digits && len(strings.Join(words, "")) <= 3:
		return Zip
	case isStreetWord(first), digits && slices.ContainsFunc(words, isStreetWord):
		return Street
	case known.countries[folded]:
		return Country
	case known.states[folded], afterOther && known.abbreviations[folded], strings.HasSuffix(folded, ".") && p.lang.states.find(folded) != nil:
		return State
	case digits:
		return Street
	}
	return City
}

// listed replaces the whole value with an entry of a list.
func (p *Patient) listed(text, pool string, from *list) (string, bool) {
	s, ok := p.listedUnless(text, pool, from, func(s string) bool { return pool == "country" && p.places.states[p.stateIn(s)] })
	if !ok {
		trimmed := strings.TrimSpace(text)
		s = strings.Replace(text, trimmed, caseOfPlace(p.invent(pool, p.keyOfPlace(trimmed), from), trimmed), 1)
	}
	return s, true
}

// profession replaces a profession with one of the same grammatical gender, or with any if there is none left.
func (p *Patient) profession(text string) (string, bool) {
	all := p.list("profession")
	if p.lang.professionGender != nil {
		gender := p.lang.professionGender(firstWord(fold(text)))
		s, ok := p.listedUnless(text, "profession", all, func(s string) bool { return p.lang.professionGender(firstWord(fold(s)))*gender < 0 })
		if ok {
			return s, true
		}
	}
	return p.listed(text, "profession", all)
}

// listedUnless is listed, but skips entries that are unfit, and returns false if there is no other.
func (p *Patient) listedUnless(text, pool string, from *list, unfit func(string) bool) (string, bool) {
	trimmed := strings.TrimSpace(text)
	s, ok := p.drawUnless(pool, p.keyOfPlace(trimmed), from, unfit)
	if !ok {
		return "", false
	}
	return strings.Replace(text, trimmed, caseOfPlace(s, trimmed), 1), true
}

// keyOfPlace returns what forms of a place have in common that are one value.
func (p *Patient) keyOfPlace(text string) string {
	return p.words.withoutArticle(strings.Join(strings.Fields(fold(text)), " "))
}

// caseOfPlace writes a place in the case of another. USA is not a name in capitals.
func caseOfPlace(s, like string) string {
	if letters, short := abbreviation(like); short && len(letters) <= 3 {
		return s
	}
	return likeCase(s, like)
}

func (p *Patient) state(text string) (string, bool) {
	if p.lang.states != nil {
		return p.stateInForm(text)
	}
	f := fold(strings.TrimSpace(text))
	if len(stateKey(f)) == 2 {
		return p.stateAbbreviation(text)
	}
	name := strings.Join(strings.Fields(f), " ")
	if own := p.lang.provinces[name]; own != "" {
		name = own
	}
	pool := "state"
	if p.list("region") != nil && !slices.ContainsFunc(p.states(), func(state string) bool { return fold(state) == name }) {
		pool = "region"
	}
	s := p.draw(pool, name, p.list(pool))
	trimmed := strings.TrimSpace(text)
	return strings.Replace(text, trimmed, likeCase(s, trimmed), 1), true
}

// states returns the built-in list of states of the language, even if surrogates are drawn from another.
func (p *Patient) states() []string {
	if states := p.drawn[string(p.lang.code)+"-state"]; states != nil {
		return states.entries
	}
	return nil
}

// province returns the province with the number that the first two digits of a postal code give; "" if there is none.
func (p *Patient) province(value string) string {
	if len(value) != 5 || strings.Trim(value, "0123456789") != "" {
		return ""
	}
	if all, k := p.states(), digitsOf(value[:2]); k >= 1 && k <= len(all) {
		return all[k-1]
	}
	return ""
}

// zip replaces a postal code with one of the province that is the surrogate of its province.
func (p *Patient) zip(value string) string {
	id := "zip\x00" + value
	if s, ok := p.memo[id]; ok {
		return s
	}
	all := p.states()
	code := 1 + int(p.random("province", value[:2], 0)%uint64(len(all)))
	if k := slices.Index(all, p.draw("state", fold(p.province(value)), p.list("state"))); k >= 0 {
		code = k + 1
	}
	made := ""
	for attempt := range 200 {
		made = fmt.Sprintf("%02d%03d", code, p.random("zip", value, attempt)%1000)
		if made != value && !p.originals[made] && p.taken["zip\x00"+made] == "" {
			break
		}
	}
	p.taken["zip\x00"+made] = id
	p.memo[id] = made
	return made
}

// abbreviated replaces an abbreviation with the initials of the surrogate of the hospital that it stands for, if the notes mention that hospital, and
// otherwise with other letters.
func (p *Patient) abbreviated(text, short string) (string, bool) {
	if full, ok := p.places.initial[short]; ok {
		s, ok := p.units(full, Hospital, p.list(string(Hospital)))
		made := ""
		for _, t := range tokens(s) {
			if t.word != "" && (!p.words[particlesOfPlaces][t.word] || p.words[saintsInFull][t.word]) {
				made += string(unicode.ToUpper(firstRune(t.text)))
			}
		}
		if ok && len(made) > 1 && !p.originals[fold(made)] {
			return likeCase(made, text), true
		}
	}
	return p.number(text, Number)
}

// units replaces the units and numbers in the name of a place.
func (p *Patient) units(text string, sort Sort, from *list) (string, bool) {
	if main, short, ok := named(text); ok {
		return p.withAbbreviation(main, short, sort, from)
	}
	pieces := p.split(text, sort)
	pool := "unit"
	if sort != Hospital && sort != Organization {
		pool = string(sort)
	}
	changed := false
	number := "" // the last one that was made
	var b strings.Builder
	for i, piece := range pieces {
		made := piece.text
		switch {
		case piece.key != "":
			here := from
			if p.doctored(pieces[:i]) {
				here = p.list("surname")
			}
			made = likeCase(p.draw(pool, p.fullUnit(piece.key, pool), here), piece.text)
			changed = true
		case piece.num:
			made = p.endOfRange(pieces, i, number, p.placeNumber(pieces, i, text))
			number, changed = made, true
		case piece.side:
			made = likeCase(p.compass(fold(piece.text), text), piece.text)
			changed = true
		case i+2 < len(pieces) && pieces[i+2].key != "":
			made = p.uncontracted(piece.text)
		}
		b.WriteString(made)
	}
	if changed {
		return b.String(), true
	}
	if strings.ContainsFunc(text, letterOrMark) { // only words that stay: Memorial Hospital
		return p.generic(text, pool, from)
	}
	return "", false
}

// fullUnit returns the longest unit of the notes that begins with a unit of a hospital or organization.
func (p *Patient) fullUnit(key, pool string) string {
	for p.places.longer[key] != "" && pool == "unit" {
		key = p.places.longer[key]
	}
	return key
}

// uncontracted removes the article from a preposition, because the gender of the surrogate after it is not known: del becomes de.
func (p *Patient) uncontracted(text string) string {
	if preposition := p.contractions[fold(text)]; preposition != "" {
		return string([]rune(text)[:len(preposition)])
	}
	return text
}

// placeNumber replaces the number in piece i of a place, and adapts the suffix after it. The same number has different replacements in different
// places.
func (p *Patient) placeNumber(pieces []placePiece, i int, place string) string {
	number := alphanumeric(pieces[i].text)
	made := p.characters(number + alphanumeric(fold(place)))
	made = string([]rune(made)[:utf8.RuneCountInString(number)])
	if made == number || len(pieces) == 1 && len(number) < 3 { // likely for a single digit, of which two places must not get the same one
		made = p.characters(number)
	}
	if i+1 < len(pieces) && made != "" {
		if ordinal := p.ordinals[fold(pieces[i+1].text)]; ordinal != nil {
			pieces[i+1].text = ordinal(digitsOf(made))
		}
	}
	if unicode.IsLower(firstRune(pieces[i].text)) {
		made = strings.ToLower(made)
	}
	return made
}

// endOfRange returns the surrogate for the number in piece i, of which made is a candidate, behind another with the surrogate first. If both are a range of
// house numbers, such as 212-214, so are the surrogates, and close numbers keep their distance.
func (p *Patient) endOfRange(pieces []placePiece, i int, first, made string) string {
	if i < 2 || pieces[i-1].text != "-" && pieces[i-1].text != "–" || !onlyDigits(first) || behindSign(pieces[:i-2]) || behindNumber(pieces[:i-2]) {
		return made
	}
	low, high := pieces[i-2].text, pieces[i].text
	if !onlyDigits(low) || !onlyDigits(high) || len(low) != len(high) || len(low) > 6 || low >= high {
		return made
	}
	from, end := digitsOf(first), digitsOf(strings.Repeat("9", len(low)))
	distance := digitsOf(high) - digitsOf(low)
	switch {
	case distance <= closeNumbers:
	case made > first:
		return made
	default:
		distance = 1 + int(p.random("range", first+"\x00"+high, 0)%uint64(max(end-from, 1)))
	}
	for from+distance == digitsOf(low) || from+distance == digitsOf(high) {
		distance++
	}
	return fmt.Sprint(from + distance)
}

// closeNumbers is the largest distance of the numbers of one house.
const closeNumbers = 20

// onlyDigits reports whether a text is a number without a sign and without a zero at its beginning.
func onlyDigits(text string) bool {
	return text != "" && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

// behindSign reports whether pieces end with the sign or word for a number: # 36-48 is no range, but a distance on a street.
func behindSign(pieces []placePiece) bool {
	for k := len(pieces) - 1; k >= 0; k-- {
		if text := fold(pieces[k].text); text != " " && text != "." {
			return slices.Contains([]string{"#", "no", "nº", "num", "n"}, text)
		}
	}
	return false
}

// behindNumber reports whether pieces end with a number: neither is the 36-48 of Cl 10 36-48 a range.
func behindNumber(pieces []placePiece) bool {
	for k := len(pieces) - 1; k >= 0; k-- {
		if pieces[k].text != " " {
			return pieces[k].num
		}
	}
	return false
}

// compass replaces a word of the compass with another of its language, in full or abbreviated as it is, but not with a name of the notes.
func (p *Patient) compass(word, place string) string {
	var others []string
	for _, lang := range p.all {
		if !lang.words[compassWords][word] {
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(lang.words[compassWords])) {
			if other != word && (len(other) > 2) == (len(word) > 2) && p.names.count[other] == 0 {
				others = append(others, other)
			}
		}
	}
	if len(others) == 0 {
		return p.characters(strings.ToUpper(word))
	}
	return others[p.random("compass", word+"\x00"+fold(place), 0)%uint64(len(others))]
}

// generic replaces a place without a name of its own: Hospital General, Memorial Hospital. The word for its kind stays.
func (p *Patient) generic(text, pool string, from *list) (string, bool) {
	words := strings.Fields(text)
	what := words[len(words)-1]
	if p.lang.kindFirst {
		what = words[0]
	}
	if len(words) == 1 || pool != "unit" || !p.words[hospitalKinds][fold(what)] {
		return p.listed(text, pool, from)
	}
	s, ok := p.listed(text, pool, from)
	if p.lang.kindFirst {
		return what + " " + s, ok
	}
	return s + " " + what, ok
}

// doctored reports whether pieces end with the title of a person, as before the unit in Hospital Dr. Lund.
func (m *Maker) doctored(pieces []placePiece) bool {
	for k := len(pieces) - 1; k >= 0; k-- {
		if word := fold(pieces[k].text); word != "." && word != " " {
			return m.words[personTitles][word]
		}
	}
	return false
}

func (p *Patient) withAbbreviation(main, short string, sort Sort, from *list) (string, bool) {
	s, ok := p.units(main, sort, from)
	if !ok {
		return "", false
	}
	letters, ok := p.abbreviated(short, fold(short))
	return s + " (" + letters + ")", ok
}

func digitsOf(s string) int {
	n := 0
	for _, r := range s {
		n = n*10 + int(r-'0')
	}
	return n
}
