package surrogate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// In the name of a hospital, street or company, some words describe its kind (General Hospital), and stay. The other words together are its own name,
// called a unit, and have one surrogate.

// places holds the information of a patient's notes about places.
type places struct {
	longer  map[string]string // the unit that begins with a shorter unit
	initial map[string]string // a hospital's full name, by its initials
	short   map[string]bool   // abbreviations in capitals, folded
	web     map[string]string // units, by their form in web addresses
	units   []string          // of hospitals and organizations, folded
	known   set               // these
	states  map[string]bool   // all states and countries that are mentioned, in any form
}

// placesKnown holds the places of the wordlists of all languages, folded.
type placesKnown struct{ states, countries, abbreviations set }

func newPlacesKnown(l *languages) *placesKnown {
	known := &placesKnown{states: set{}, countries: set{}, abbreviations: set{}}
	put := func(into set, names []string) {
		for _, name := range names {
			for _, entry := range wordlists.Entries(name) {
				into[fold(entry)] = true
			}
		}
	}
	for _, lang := range l.all {
		put(known.states, lang.stateLists)
		put(known.countries, lang.countryLists)
		put(known.abbreviations, lang.abbreviationLists)
	}
	return known
}

// placePiece is a piece of the name of a place.
type placePiece struct {
	text string // as written
	key  string // the own words of a unit, folded; empty for other pieces
	num  bool
	side bool // a word of the compass in the name of a ward
}

// placeCutter splits the name of a place into words that stay, numbers and units.
type placeCutter struct {
	*Patient
	sort    Sort
	tokens  []token
	kept    []bool // tokens that describe the kind of place, and stay
	i       int
	acronym int // the index behind the acronym at the beginning, see acronymEnd
	pieces  []placePiece
}

// cutRule reads a piece of the name of a place, if there is one at the current token.
type cutRule struct {
	name string
	cut  func(*placeCutter) bool
}

// cutRules are tried in this order at each token. The last always applies. TestCutRules has an example for each.
var cutRules = []cutRule{
	{"date", (*placeCutter).date}, {"ordinal", (*placeCutter).ordinal}, {"door", (*placeCutter).door}, {"number", (*placeCutter).number},
	{"ward", (*placeCutter).ward}, {"unit", (*placeCutter).unit}, {"what stays", (*placeCutter).rest},
}

// split cuts a place into pieces.
func (p *Patient) split(text string, sort Sort) []placePiece {
	c := &placeCutter{Patient: p, sort: sort, tokens: tokens(text)}
	for i := range c.tokens { // O'Higgins is one word
		if next := c.at(i + 1).text; (next == "'" || next == "’") && utf8.RuneCountInString(c.tokens[i].word) == 1 && c.at(i+2).word != "" {
			c.tokens[i].word += "'"
		}
	}
	c.kept, c.acronym = make([]bool, len(c.tokens)), c.acronymEnd()
	for i, t := range c.tokens {
		c.kept[i] = t.word != "" && c.names.count[t.word] == 0 && (c.words.kept(sort, t.word) || c.describes(i))
	}
	for c.i < len(c.tokens) {
		for _, rule := range cutRules {
			if rule.cut(c) {
				break
			}
		}
	}
	return c.pieces
}

func (c *placeCutter) at(i int) token {
	if i < len(c.tokens) {
		return c.tokens[i]
	}
	return token{}
}

// stays reports whether token i describes the kind of place, such as the Tower of Tower 12, unless somebody in the notes is called Tower.
func (c *placeCutter) stays(i int) bool { return i < len(c.kept) && c.kept[i] }

// lettered reports whether single letters are doors rather than initials.
func (c *placeCutter) lettered() bool { return c.sort == Street || c.sort == Room }

// own reports whether token i is a word of a unit.
func (c *placeCutter) own(i int) bool {
	t := c.at(i)
	return t.word != "" && !c.stays(i) && !c.words[particlesOfPlaces][t.word] && (!c.lettered() || utf8.RuneCountInString(t.word) > 1)
}

// particle reports whether a token may stand within a unit.
func (c *placeCutter) particle(t token) bool {
	return c.words[particlesOfPlaces][t.word]
}

// text joins the tokens from the current one to before end.
func (c *placeCutter) text(end int) string {
	var b strings.Builder
	for _, t := range c.tokens[c.i:end] {
		b.WriteString(t.text)
	}
	return b.String()
}

// date reads a date that a street is named after: 12 de Octubre.
func (c *placeCutter) date() bool {
	if !c.at(c.i).num || c.at(c.i+1).text != " " || c.at(c.i+3).text != " " {
		return false
	}
	of, month := c.at(c.i+2).word, c.at(c.i+4)
	if !slices.ContainsFunc(c.all, func(lang *language) bool {
		return of != "" && of == lang.streetDate && lang.calendar.words[month.word].field == fieldMonth
	}) {
		return false
	}
	c.pieces = append(c.pieces, placePiece{text: month.text, key: fold(c.text(c.i + 5))})
	c.i += 5
	return true
}

// ordinal reads a number with a suffix that stays: 2do.
func (c *placeCutter) ordinal() bool {
	suffix := c.at(c.i + 1)
	if !c.at(c.i).num || !c.words[ordinalEnds][suffix.word] && c.ordinals[suffix.word] == nil {
		return false
	}
	c.pieces = append(c.pieces, placePiece{text: c.at(c.i).text, num: true}, placePiece{text: suffix.text})
	c.i += 2
	return true
}

// door reads a number and two letters: 1oE.
func (c *placeCutter) door() bool {
	letters := c.at(c.i + 1)
	if !c.at(c.i).num || c.sort != Street || utf8.RuneCountInString(letters.word) != 2 || c.stays(c.i+1) || c.ordinals[letters.word] != nil {
		return false
	}
	c.pieces = append(c.pieces, placePiece{text: c.at(c.i).text, num: true}, placePiece{text: letters.text, num: true})
	c.i += 2
	return true
}

// number reads a number or the letter of a door.
func (c *placeCutter) number() bool {
	t := c.at(c.i)
	if !t.num && (!c.lettered() || utf8.RuneCountInString(t.word) != 1 || c.stays(c.i)) {
		return false
	}
	c.pieces = append(c.pieces, placePiece{text: t.text, num: true})
	c.i++
	return true
}

// ward reads the letters or the word of the compass that belong to the number of a ward: 3W, B47, 4 East.
func (c *placeCutter) ward() bool {
	if !c.ofWard(c.i) {
		return false
	}
	t := c.at(c.i)
	side := c.words[compassWords][t.word]
	c.pieces = append(c.pieces, placePiece{text: t.text, num: !side, side: side})
	c.i++
	return true
}

// ofWard reports whether token i is a word of the compass in the name of a department with a number, or is beside the number and consists of one or
// two letters: a single capital if there is a space or hyphen between them.
func (c *placeCutter) ofWard(i int) bool {
	t := c.at(i)
	if c.sort != Department || t.word == "" || c.stays(i) {
		return false
	}
	if c.words[compassWords][t.word] {
		return slices.ContainsFunc(c.tokens, func(t token) bool { return t.num })
	}
	number := func(k int) bool { return k >= 0 && c.at(k).num }
	apart := func(k int) bool { return k >= 0 && (c.at(k).text == " " || c.at(k).text == "-") }
	switch utf8.RuneCountInString(t.word) {
	case 1:
		return number(i-1) || number(i+1) || capitals(t.text) && (apart(i-1) && number(i-2) || apart(i+1) && number(i+2))
	case 2:
		return number(i-1) || number(i+1)
	}
	return false
}

// unit reads the words of a unit, with the particles between them.
func (c *placeCutter) unit() bool {
	if !c.own(c.i) && !c.opens() {
		return false
	}
	end := c.unitEnd()
	var words []string
	for i := c.i; i < end; i++ {
		if c.own(i) {
			words = append(words, c.at(i).word)
		}
	}
	c.pieces = append(c.pieces, placePiece{text: c.text(end), key: strings.Join(words, " ")})
	c.i = end
	return true
}

// opens reports whether the current token is a particle with which a unit begins: La Paz, San Juan.
func (c *placeCutter) opens() bool {
	t := c.at(c.i)
	if !c.words[openers][t.word] || c.stays(c.i) && !c.words[articles][t.word] {
		return false
	}
	for i := c.i + 1; i < len(c.tokens); i++ {
		if next := c.at(i); next.text != " " && next.text != "." && (!c.particle(next) || c.stays(i)) {
			return c.own(i)
		}
	}
	return false
}

// unitEnd returns the index after the last word of the unit that begins at the current token.
func (c *placeCutter) unitEnd() int {
	end, article := c.genitiveEnd(c.i+1), false
	for j := end; j < len(c.tokens); j++ {
		switch t := c.tokens[j]; {
		case c.ofWard(j):
			return end
		case c.own(j), article && t.word != "" && !c.particle(t): // Virgen de la Salud
			end, article = c.genitiveEnd(j+1), false
			j = end - 1
		case c.words[articles][t.word] && c.sort != Street:
			article = true
		case c.particle(t), strings.ContainsAny(t.text, " -'’.&") && t.word == "" && !t.num:
		default:
			return end
		}
	}
	return end
}

// genitiveEnd returns the index behind the ending of a genitive that begins at token i: the 's of St. Mary's Hospital belongs to the unit. Without such an
// ending it is i.
func (c *placeCutter) genitiveEnd(i int) int {
	switch sign := c.at(i).text; {
	case sign != "'" && sign != "’":
		return i
	case c.at(i+1).word == "s":
		return i + 2
	case strings.HasSuffix(c.at(i-1).word, "s") && c.at(i+1).word == "":
		return i + 1
	}
	return i
}

// rest reads a token that stays.
func (c *placeCutter) rest() bool {
	c.pieces = append(c.pieces, placePiece{text: c.at(c.i).text})
	c.i++
	return true
}

// readPlaces collects the units, hospitals, states and countries of the notes.
func (p *Patient) readPlaces(mentions []Mention) {
	p.places = places{known: set{}, longer: map[string]string{}, initial: map[string]string{}, short: map[string]bool{}, web: map[string]string{}, states: map[string]bool{}}
	for _, m := range mentions {
		switch m.Sort {
		case State, Country, Place, City:
			for part := range strings.SplitSeq(m.Text, ",") {
				p.places.states[p.stateIn(part)] = true
			}
		case Hospital, Organization:
			p.readInstitution(m)
		}
	}
	p.places.joinUnits()
}

// readInstitution collects the units and initials of one hospital or organization.
func (p *Patient) readInstitution(m Mention) {
	if short, ok := abbreviation(m.Text); ok {
		p.places.short[short] = true
		return
	}
	text := m.Text
	if main, _, ok := named(text); ok {
		text = main
	}
	for _, piece := range p.split(text, m.Sort) {
		if piece.key != "" && !p.places.known[piece.key] {
			p.places.known[piece.key] = true
			p.places.units = append(p.places.units, piece.key)
		}
	}
	short := ""
	all := tokens(text)
	for i, t := range all {
		genitive := t.word == "s" && i > 0 && (all[i-1].text == "'" || all[i-1].text == "’")
		if t.word != "" && !genitive && (!p.words[particlesOfPlaces][t.word] || p.words[saints][t.word]) {
			short += string(firstRune(t.word))
		}
	}
	if p.places.initial[short] == "" && len(short) > 1 {
		p.places.initial[short] = text
	}
}

// joinUnits finds the units with which others begin.
func (p *places) joinUnits() {
	slices.SortFunc(p.units, func(a, b string) int { return len(a) - len(b) })
	for _, long := range p.units { // the longest, which are last, count
		for n := 3; n < len(long); n++ {
			if p.known[long[:n]] {
				p.longer[long[:n]] = long
			}
		}
	}
	for _, unit := range p.units {
		if p.longer[unit] == "" {
			p.web[strings.ReplaceAll(unit, " ", "")] = unit
		}
	}
}

// abbreviation returns a name that consists of capitals only, folded and without points: MGH, B.I.D. It returns false for other names.
func abbreviation(text string) (string, bool) {
	letters := strings.ReplaceAll(strings.TrimSpace(text), ".", "")
	n := utf8.RuneCountInString(letters)
	if n < 2 || n > 7 {
		return "", false
	}
	for _, r := range letters {
		if !unicode.IsUpper(r) && r != '&' && r != '-' {
			return "", false
		}
	}
	return fold(letters), true
}

// named cuts off the abbreviation after a name: Instituto Lund (IL).
func named(text string) (main, short string, ok bool) {
	main, rest, ok := strings.Cut(text, " (")
	short, closed := strings.CutSuffix(rest, ")")
	if _, is := abbreviation(short); !ok || !closed || !is {
		return "", "", false
	}
	return main, short, true
}
