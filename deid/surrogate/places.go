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

// openers are those of them that a unit may begin with.
var openers = wordSet("la las los el san santa saint st mt mount doctor dr don dona")

// stays are, by sort, the words that say what a place is.
var stays = map[Sort]map[string]bool{
	Hospital: wordSet(`hospital hospitals medical center centre clinic clinics general memorial regional community county university health healthcare care
		system services service infirmary rehabilitation rehab nursing home hospice childrens children's womens women's veterans affairs campus institute
		surgery surgical cancer heart and of the at for emergency urgent outpatient
		hospitalario hospitalaria complejo universitario universitari universitaria clinico clinic clinica centro salud sanitario sanitaria ambulatorio
		consultorio instituto materno infantil provincial comarcal nacional regional fundacion residencia urgencias atencion primaria medico policlinica
		policlinico sanatorio hospitales servicio de del el`),
	Organization: wordSet(`inc corp corporation company co ltd llc group and sons brothers & church school high elementary middle college university academy
		bank club society association foundation institute department office agency of the services service industries insurance
		sa sl sau cia grupo empresa iglesia colegio escuela instituto universidad facultad academia banco club sociedad asociacion fundacion agencia ministerio
		consejeria ayuntamiento servicio departamento residencia centro laboratorio laboratorios clinica edificio de del`),
	Department: wordSet("department dept division service services unit section clinic clinics program office of the and servicio unidad seccion departamento consulta consultas area de del"),
	Street: wordSet(`street st avenue ave av road rd lane ln drive dr court ct place pl boulevard blvd way terrace ter circle cir parkway pkwy trail trl highway hwy
		route rt square sq plaza alley loop crescent row apartment apt unit suite ste floor fl building bldg room rm po box p o north south east west northeast
		northwest southeast southwest ne nw se sw n s e w #
		carrer passeig avinguda rua kalea praza calle c avenida avda avd plaza pza plz paseo pso carretera ctra camino cmno ronda travesia trav glorieta urbanizacion urb poligono pol bulevar callejon
		cuesta rambla pasaje via km kilometro numero num no nº bloque blq portal escalera esc piso planta puerta pta bajo bajos atico izquierda izda izq derecha
		dcha dch º ª interior int edificio edif sn de del los las`),
	Room: wordSet(`room rm bed floor ward unit suite bay pod tower pavilion building wing east west north south icu micu sicu ccu nicu pacu or er ed
		habitacion hab cama planta box sala ala norte sur este oeste uci`),
	Landmark: wordSet(`park beach lake river bridge mall mills mill station airport stadium theater theatre museum library market square plaza center centre church
		school harbor harbour pier island mountain hill trail gardens garden cemetery pond point p o po box hall hotel tower of the
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
func split(text string, stay map[string]bool) []placePiece {
	all := tokens(text)
	var pieces []placePiece
	own := func(t token) bool { return t.word != "" && !stay[t.word] && !particlesOfPlaces[t.word] }
	for i := 0; i < len(all); {
		t := all[i]
		if t.num {
			pieces = append(pieces, placePiece{text: t.text, num: true})
			i++
			continue
		}
		starts := own(t)
		if !starts && t.word != "" && !stay[t.word] { // a particle of a unit: La Paz, San Juan
			j := i + 1
			for j < len(all) && (all[j].text == " " || particlesOfPlaces[all[j].word] && !stay[all[j].word]) {
				j++
			}
			starts = j < len(all) && own(all[j]) && openers[t.word]
		}
		if !starts {
			pieces = append(pieces, placePiece{text: t.text})
			i++
			continue
		}
		end := i + 1
		for j := i + 1; j < len(all); j++ {
			switch u := all[j]; {
			case own(u):
				end = j + 1
				continue
			case particlesOfPlaces[u.word], strings.ContainsAny(u.text, " -'’.&\"") && u.word == "" && !u.num:
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
		for _, piece := range split(m.Text, stays[m.Sort]) {
			if piece.key != "" && !slices.Contains(p.places.units, piece.key) {
				p.places.units = append(p.places.units, piece.key)
			}
		}
		short := ""
		for _, t := range tokens(m.Text) {
			if t.word != "" && (!particlesOfPlaces[t.word] || t.word == "saint" || t.word == "st") {
				short += string(firstRune(t.word))
			}
		}
		if p.places.initial[short] == "" && len(short) > 1 {
			p.places.initial[short] = m.Text
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
	if _, short := abbreviation(trimmed); !short { // USA is no name in capitals
		s = likeCase(s, trimmed)
	}
	return strings.Replace(text, trimmed, s, 1), true, nil
}

func (p *Patient) state(text string) (string, bool, error) {
	f := fold(strings.TrimSpace(text))
	if letters := strings.ReplaceAll(strings.ReplaceAll(f, ".", ""), " ", ""); len(letters) == 2 {
		s, err := p.draw("state-abbreviation", letters, p.lists["state-abbreviation"])
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
	return p.listed(text, "state", p.list("state"))
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
	pieces := split(text, stays[sort])
	if sort == Room || sort == Street { // A, 3B: the name of a door is part of its number
		for i, piece := range pieces {
			if utf8.RuneCountInString(piece.text) == 1 && piece.key != "" {
				pieces[i] = placePiece{text: piece.text, num: true}
			}
		}
	}
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
			s, err := p.draw(pool, key, from)
			if err != nil {
				return "", false, err
			}
			b.WriteString(likeCase(s, piece.text))
			changed = true
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
			return p.listed(text, pool, from)
		}
		return "", false, nil
	}
	return b.String(), true, nil
}

func digitsOf(s string) int {
	n := 0
	for _, r := range s {
		n = n*10 + int(r-'0')
	}
	return n
}
