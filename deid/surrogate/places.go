package surrogate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// In the name of a hospital, street or company some words say what it is, and
// stay; the others together are its own name, a unit, and have one surrogate.

// particlesOfPlaces may stand within a unit, or between it and what stays.
var particlesOfPlaces = wordSet("of the and at for in on de del la las los el y i e en da do san santa saint st mt mount doctor dr don dona d")

var articles = wordSet("la las los el")

// ordinalEnds follow a number: 1er, 2do.
var ordinalEnds = wordSet("er ro do to mo vo ra da ta ma va")

// openers are those of them that a unit may begin with.
var openers = wordSet("la las los el san santa saint st mt mount doctor dr don dona")

// stays are, by sort, the words that say what a place is.
var stays = map[Sort]map[string]bool{
	Hospital: wordSet(`hospital hospitals medical center centre clinic clinics general memorial regional community county university health healthcare care
		system services service infirmary rehabilitation rehab nursing home hospice childrens children women womens men veterans affairs campus institute s
		surgery surgical cancer and of the at for emergency urgent outpatient
		hospitalario hospitalaria complejo universitario universitari universitaria clinico clinic clinica centro salud sanitario sanitaria ambulatorio
		consultorio instituto materno infantil provincial comarcal nacional regional fundacion residencia urgencias atencion primaria medico policlinica
		policlinico sanatorio hospitales servicio de del el complexo complex consorcio consorci fundacio institut parc centre`),
	Organization: wordSet(`inc corp corporation company co ltd llc group and sons brothers & church school high elementary middle college university academy
		bank club society association foundation institute department office agency of the services service industries insurance
		sa sl sau cia grupo empresa iglesia colegio escuela instituto universidad facultad academia banco club sociedad asociacion fundacion agencia ministerio
		consejeria ayuntamiento servicio departamento residencia centro laboratorio laboratorios clinica edificio fundacio institut universitat centre nacional
		universitario universitaria de del`),
	Department: wordSet("department dept division service services unit section clinic clinics program office of the and servicio unidad seccion departamento consulta consultas area de del"),
	Street: wordSet(`street st avenue ave av road rd lane ln drive dr court ct place pl boulevard blvd way terrace ter circle cir parkway pkwy trail trl highway hwy
		route rt square sq plaza alley loop crescent row y e apartment apt unit suite ste floor fl building bldg room rm po box p o north south east west northeast
		northwest southeast southwest ne nw se sw n s e w #
		carrer passeig avinguda rua kalea praza calle c avenida avda avd plaza pza plz pz paseo pso carretera ctra crta camino cmno ronda travesia trav glorieta urbanizacion urb poligono pol bulevar callejon
		cuesta rambla pasaje apartado correos urb km kilometro numero num no nº bloque blq portal escalera esc piso planta puerta pta bajo bajos atico izquierda izda izq derecha
		dcha dch drcha dcho der frente contrafrente interior int edificio edif sn de del`),
	Room: wordSet(`room rm bed floor ward unit suite bay pod tower pavilion building wing east west north south icu micu sicu ccu nicu pacu or er ed
		habitacion hab cama planta box sala ala norte sur este oeste uci`),
	Landmark: wordSet(`park beach lake river bridge mall mills mill station airport stadium theater theatre museum library market square plaza center centre church
		school route rte interstate exit overpass harbor harbour pier island mountain hill trail gardens garden cemetery pond point p o po box hall hotel tower of the
		parque playa rio puente estacion aeropuerto estadio teatro museo biblioteca mercado puerto isla monte jardin jardines cementerio apartado correos de del`),
	City: wordSet("north south east west new"),
}

// places is what the notes of a patient say of places.
type places struct {
	longer  map[string]string // the unit that a shorter one is the beginning of
	initial map[string]string // a hospital's full name, by its initials
	short   map[string]bool   // what stands in capitals somewhere
	web     map[string]string // the unit by what addresses have for it
	units   []string
}

type placesKnown struct {
	states, countries, abbreviations, streets map[string]bool
}

var knownPlaces = sync.OnceValue(func() *placesKnown {
	set := func(names ...string) map[string]bool {
		s := map[string]bool{}
		for _, n := range names {
			for _, e := range wordlists.Entries(n) {
				s[fold(e)] = true
			}
		}
		return s
	}
	return &placesKnown{
		states: set("en-states", "es-provinces", "es-regions"), countries: set("en-countries", "es-countries"), abbreviations: set("en-state-abbreviations"),
		streets: wordSet("street st avenue ave road rd lane ln drive boulevard blvd terrace parkway calle c avenida avda avd plaza paseo carretera ctra camino ronda travesia urbanizacion"),
	}
})

// piece of the name of a place.
type placePiece struct {
	text string // as written
	key  string // of a unit, folded, in full
	num  bool
}

// split cuts a place into what stays, numbers and units.
func (p *Patient) split(text string, sort Sort) []placePiece {
	all := tokens(text)
	stay := func(word string) bool { return stays[sort][word] && p.names.count[word] == 0 } // Tower 12, unless somebody is called Tower
	var pieces []placePiece
	// A single letter is a door's, or an initial in a name.
	own := func(t token) bool {
		return t.word != "" && !stay(t.word) && !particlesOfPlaces[t.word] && (sort != Street && sort != Room || utf8.RuneCountInString(t.word) > 1)
	}
	at := func(i int) token {
		if i < len(all) {
			return all[i]
		}
		return token{}
	}
	for i := range all { // O'Higgins is one word
		if next := at(i + 1).text; (next == "'" || next == "’") && utf8.RuneCountInString(all[i].word) == 1 && at(i+2).word != "" {
			all[i].word += "'"
		}
	}
	for i := 0; i < len(all); {
		t := all[i]
		if t.num && at(i+1).text == " " && at(i+2).word == "de" && at(i+3).text == " " && calendars[Spanish].words[at(i+4).word].field == fieldMonth { // 12 de Octubre
			var b strings.Builder
			for _, u := range all[i : i+5] {
				b.WriteString(u.text)
			}
			pieces = append(pieces, placePiece{text: at(i + 4).text, key: fold(b.String())})
			i += 5
			continue
		}
		if t.num && ordinalEnds[at(i+1).word] { // 1er, 2do
			pieces = append(pieces, placePiece{text: t.text, num: true}, placePiece{text: at(i + 1).text})
			i += 2
			continue
		}
		if door := at(i + 1).word; t.num && sort == Street && utf8.RuneCountInString(door) == 2 && !stay(door) && !ordinals[door] { // 1oE
			pieces = append(pieces, placePiece{text: t.text, num: true}, placePiece{text: at(i + 1).text, num: true})
			i += 2
			continue
		}
		if utf8.RuneCountInString(t.word) == 1 && !stay(t.word) && (sort == Street || sort == Room) {
			pieces = append(pieces, placePiece{text: t.text, num: true})
			i++
			continue
		}
		if t.num {
			pieces = append(pieces, placePiece{text: t.text, num: true})
			i++
			continue
		}
		starts := own(t)
		if !starts && t.word != "" && !stay(t.word) { // a particle of a unit: La Paz, San Juan
			j := i + 1
			for j < len(all) && (all[j].text == " " || all[j].text == "." || particlesOfPlaces[all[j].word] && !stay(all[j].word)) {
				j++
			}
			starts = j < len(all) && own(all[j]) && openers[t.word]
		}
		if !starts {
			pieces = append(pieces, placePiece{text: t.text})
			i++
			continue
		}
		end, article := i+1, false
		for j := i + 1; j < len(all); j++ {
			switch u := all[j]; {
			case own(u), article && u.word != "" && !particlesOfPlaces[u.word]: // Virgen de la Salud
				end, article = j+1, false
				continue
			case articles[u.word] && sort != Street:
				article = true
				continue
			case particlesOfPlaces[u.word], strings.ContainsAny(u.text, " -'’.&") && u.word == "" && !u.num:
				continue
			}
			break
		}
		if end < i+1 {
			end = i + 1
		}
		var b strings.Builder
		var words []string
		for _, u := range all[i:end] {
			b.WriteString(u.text)
			if own(u) {
				words = append(words, u.word)
			}
		}
		pieces = append(pieces, placePiece{text: b.String(), key: strings.Join(words, " ")})
		i = end
	}
	return pieces
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// readPlaces collects units, and the initials of hospitals.
func (p *Patient) readPlaces(mentions []Mention) {
	p.places = places{longer: map[string]string{}, initial: map[string]string{}, short: map[string]bool{}, web: map[string]string{}}
	for _, m := range mentions {
		if m.Sort != Hospital && m.Sort != Organization {
			continue
		}
		if short, ok := abbreviation(m.Text); ok {
			p.places.short[short] = true
			continue
		}
		text := m.Text
		if main, _, ok := named(text); ok {
			text = main
		}
		for _, piece := range p.split(text, m.Sort) {
			if piece.key != "" && !slices.Contains(p.places.units, piece.key) {
				p.places.units = append(p.places.units, piece.key)
			}
		}
		short := ""
		for _, t := range tokens(text) {
			if t.word != "" && (!particlesOfPlaces[t.word] || t.word == "saint" || t.word == "st") {
				short += string(firstRune(t.word))
			}
		}
		if p.places.initial[short] == "" && len(short) > 1 {
			p.places.initial[short] = text
		}
	}
	slices.SortFunc(p.places.units, func(a, b string) int { return len(a) - len(b) })
	for i, u := range p.places.units {
		for _, v := range p.places.units[i+1:] {
			if len(u) >= 3 && len(v) > len(u) && strings.HasPrefix(v, u) {
				p.places.longer[u] = v
			}
		}
	}
	for i, u := range p.places.units {
		if p.places.longer[u] == "" {
			p.places.web[strings.ReplaceAll(p.places.units[i], " ", "")] = u
		}
	}
}

// abbreviation says that a name is but capitals: MGH, B.I.D.
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

// ofPlaces are institutions that are called after places rather than as companies are.
var ofPlaces = wordSet(`church school college university academy society association institute
	iglesia colegio escuela instituto institut universidad universitat facultad academia sociedad asociacion consejeria ayuntamiento servicio centro`)

// place replaces the name of any place, institution or profession.
func (p *Patient) place(text string, sort Sort) (string, bool, error) {
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
		if first := tokens(text); sort == Organization && slices.ContainsFunc(first, func(t token) bool { return ofPlaces[t.word] }) {
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
		return p.listed(text, "city", p.list("city"))
	case State:
		return p.state(text)
	case Country:
		return p.listed(text, "country", p.list("country"))
	case Profession:
		return p.listed(text, "profession", p.list("profession"))
	}
	return "", false, nil
}

// anyPlace looks at each part between commas.
func (p *Patient) anyPlace(text string) (string, bool, error) {
	known := knownPlaces()
	parts := strings.Split(text, ",")
	for i, part := range parts {
		trimmed := strings.TrimSpace(part)
		if trimmed == "" {
			continue
		}
		f := fold(trimmed)
		var s string
		ok := false
		var err error
		first, _, _ := strings.Cut(strings.NewReplacer("/", " ", ".", " ").Replace(f), " ")
		digits := strings.ContainsFunc(trimmed, unicode.IsDigit)
		words := strings.FieldsFunc(f, func(r rune) bool { return !letterOrMark(r) })
		letters := 0
		for _, w := range words {
			letters += len(w)
		}
		switch {
		case digits && letters <= 3:
			s, ok, err = p.number(trimmed, Zip)
		case known.streets[first] || digits && slices.ContainsFunc(words, func(w string) bool { return known.streets[w] }):
			s, ok, err = p.place(trimmed, Street)
		case known.countries[f]:
			s, ok, err = p.place(trimmed, Country)
		case known.states[f] || i > 0 && known.abbreviations[f]:
			s, ok, err = p.place(trimmed, State)
		case digits:
			s, ok, err = p.place(trimmed, Street)
		default:
			s, ok, err = p.place(trimmed, City)
		}
		if !ok || err != nil {
			return "", false, err
		}
		parts[i] = strings.Replace(part, trimmed, s, 1)
	}
	return strings.Join(parts, ","), true, nil
}

// listed draws for the whole.
func (p *Patient) listed(text, pool string, from *list) (string, bool, error) {
	trimmed := strings.TrimSpace(text)
	key := strings.TrimPrefix(strings.Join(strings.Fields(fold(trimmed)), " "), "the ")
	s, err := p.draw(pool, key, from)
	if err != nil {
		return "", false, err
	}
	if letters, short := abbreviation(trimmed); !short || len(letters) > 3 { // USA is no name in capitals
		s = likeCase(s, trimmed)
	}
	return strings.Replace(text, trimmed, s, 1), true, nil
}

func (p *Patient) state(text string) (string, bool, error) {
	f := fold(strings.TrimSpace(text))
	if letters := strings.ReplaceAll(strings.ReplaceAll(f, ".", ""), " ", ""); len(letters) == 2 {
		s, err := p.draw(abbreviations, letters, p.lists[abbreviations])
		if err != nil {
			return "", false, err
		}
		i := 0
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return r
			}
			i++
			if unicode.IsLower(r) {
				return unicode.ToLower(rune(s[i-1]))
			}
			return rune(s[i-1])
		}, text), true, nil
	}
	if p.lang != Spanish {
		return p.listed(text, "state", p.list("state"))
	}
	name := strings.Join(strings.Fields(f), " ")
	if own := provinces[name]; own != "" {
		name = own
	}
	pool := "state"
	if !slices.ContainsFunc(builtin()["es-state"].entries, func(e string) bool { return fold(e) == name }) {
		pool = "region"
	}
	s, err := p.draw(pool, name, p.list(pool))
	if err != nil {
		return "", false, err
	}
	trimmed := strings.TrimSpace(text)
	return strings.Replace(text, trimmed, likeCase(s, trimmed), 1), true, nil
}

// provinces are other names of the provinces of Spain than those of the list.
var provinces = map[string]string{
	"a coruna": "la coruna", "coruna": "la coruna", "araba": "alava", "alacant": "alicante", "illes balears": "baleares", "islas baleares": "baleares",
	"bizkaia": "vizcaya", "castello": "castellon", "girona": "gerona", "gipuzkoa": "guipuzcoa", "las palmas de gran canaria": "las palmas", "lleida": "lerida",
	"nafarroa": "navarra", "ourense": "orense", "tenerife": "santa cruz de tenerife",
}

// zip replaces a postal code of Spain: its first two digits are those of the surrogate of its province.
func (p *Patient) zip(value string) string {
	id := "zip\x00" + value
	if s, ok := p.memo[id]; ok {
		return s
	}
	all := builtin()["es-state"].entries
	was := digitsOf(value[:2])
	code := 1 + int(p.random("province", value[:2], 0)%uint64(len(all)))
	if s, err := p.draw("state", fold(all[was-1]), p.list("state")); err == nil {
		if k := slices.Index(all, s); k >= 0 {
			code = k + 1
		}
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

// abbreviated writes the initials of the surrogate of the hospital that is
// meant or, if none is, other letters.
func (p *Patient) abbreviated(text, short string) (string, bool, error) {
	if full, ok := p.places.initial[short]; ok {
		s, ok, err := p.units(full, Hospital, p.list(string(Hospital)))
		if err != nil {
			return "", false, err
		}
		made := ""
		for _, t := range tokens(s) {
			if t.word != "" && (!particlesOfPlaces[t.word] || t.word == "saint") {
				made += string(unicode.ToUpper(firstRune(t.text)))
			}
		}
		if ok && len(made) > 1 && !p.originals[fold(made)] {
			return likeCase(made, text), true, nil
		}
	}
	return p.number(text, Number)
}

// units replaces the units and numbers of a name.
func (p *Patient) units(text string, sort Sort, from *list) (string, bool, error) {
	if main, short, ok := named(text); ok {
		return p.withAbbreviation(main, short, sort, from)
	}
	pieces := p.split(text, sort)
	pool := "unit"
	if sort != Hospital && sort != Organization {
		pool = string(sort)
	}
	changed := false
	var b strings.Builder
	for i, piece := range pieces {
		switch {
		case piece.key != "":
			key := piece.key
			for p.places.longer[key] != "" && pool == "unit" {
				key = p.places.longer[key]
			}
			here := from
			if i > 0 && doctored(pieces[:i]) {
				here = p.list("surname")
			}
			s, err := p.draw(pool, key, here)
			if err != nil {
				return "", false, err
			}
			b.WriteString(likeCase(s, piece.text))
			changed = true
		case fold(piece.text) == "del" && i+2 < len(pieces) && pieces[i+2].key != "": // whose gender nobody knows
			b.WriteString(string([]rune(piece.text)[:len("de")]))
		case piece.num:
			number := alphanumeric(piece.text)
			s := p.characters(number + alphanumeric(fold(text))) // another in another street
			s = string([]rune(s)[:utf8.RuneCountInString(number)])
			if s == number { // of one digit, say
				s = p.characters(number)
			}
			if i+1 < len(pieces) && ordinals[fold(pieces[i+1].text)] && len(s) > 0 {
				pieces[i+1].text = ordinalSuffix(digitsOf(s))
			}
			if unicode.IsLower(firstRune(piece.text)) {
				s = strings.ToLower(s)
			}
			b.WriteString(s)
			changed = true
		default:
			b.WriteString(piece.text)
		}
	}
	if !changed { // nothing but what it is: Memorial Hospital
		if strings.ContainsFunc(text, letterOrMark) {
			return p.generic(text, pool, from)
		}
		return "", false, nil
	}
	return b.String(), true, nil
}

// generic replaces what has no name of its own: Hospital General, Memorial Hospital. What it is stays.
func (p *Patient) generic(text, pool string, from *list) (string, bool, error) {
	words := strings.Fields(text)
	what := words[len(words)-1]
	if p.lang == Spanish {
		what = words[0]
	}
	if len(words) == 1 || pool != "unit" || !strings.Contains(" hospital clinica clinic center centre centro ", " "+fold(what)+" ") {
		return p.listed(text, pool, from)
	}
	s, ok, err := p.listed(text, pool, from)
	if p.lang == Spanish {
		return what + " " + s, ok, err
	}
	return s + " " + what, ok, err
}

// doctored says that the pieces end with the title of a person: Hospital Dr. Lund.
func doctored(pieces []placePiece) bool {
	for k := len(pieces) - 1; k >= 0; k-- {
		if word := fold(pieces[k].text); word != "." && word != " " {
			return personTitles[word]
		}
	}
	return false
}

var personTitles = wordSet("dr dra doctor doctora don dona prof profesor profesora")

// named cuts off the abbreviation after a name: Instituto Lund (IL).
func named(text string) (main, short string, ok bool) {
	main, rest, ok := strings.Cut(text, " (")
	short, closed := strings.CutSuffix(rest, ")")
	if _, is := abbreviation(short); !ok || !closed || !is {
		return "", "", false
	}
	return main, short, true
}

func (p *Patient) withAbbreviation(main, short string, sort Sort, from *list) (string, bool, error) {
	s, ok, err := p.units(main, sort, from)
	if !ok || err != nil {
		return "", false, err
	}
	letters, ok, err := p.abbreviated(short, fold(short))
	return s + " (" + letters + ")", ok, err
}

func digitsOf(s string) int {
	n := 0
	for _, r := range s {
		n = n*10 + int(r-'0')
	}
	return n
}
