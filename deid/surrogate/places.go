package surrogate

import (
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
	states  map[string]bool // all states and countries that are mentioned, in any form
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
		if t.num || utf8.RuneCountInString(t.word) == 1 && !stay(t.word) && (sort == Street || sort == Room) {
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
		end := unitEnd(all, i, sort, own)
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

// unitEnd is where the unit ends that begins at token i: after the last of its own words.
func unitEnd(all []token, i int, sort Sort, own func(token) bool) int {
	end, article := i+1, false
	for j := i + 1; j < len(all); j++ {
		switch u := all[j]; {
		case own(u), article && u.word != "" && !particlesOfPlaces[u.word]: // Virgen de la Salud
			end, article = j+1, false
		case articles[u.word] && sort != Street:
			article = true
		case particlesOfPlaces[u.word], strings.ContainsAny(u.text, " -'’.&") && u.word == "" && !u.num:
		default:
			return end
		}
	}
	return end
}

// readPlaces collects units, and the initials of hospitals.
func (p *Patient) readPlaces(mentions []Mention) {
	p.places = places{longer: map[string]string{}, initial: map[string]string{}, short: map[string]bool{}, web: map[string]string{}, states: map[string]bool{}}
	for _, m := range mentions {
		if m.Sort == State || m.Sort == Country || m.Sort == Place || m.Sort == City {
			for part := range strings.SplitSeq(m.Text, ",") {
				p.places.states[p.stateIn(part)] = true
			}
		}
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

// named cuts off the abbreviation after a name: Instituto Lund (IL).
func named(text string) (main, short string, ok bool) {
	main, rest, ok := strings.Cut(text, " (")
	short, closed := strings.CutSuffix(rest, ")")
	if _, is := abbreviation(short); !ok || !closed || !is {
		return "", "", false
	}
	return main, short, true
}
