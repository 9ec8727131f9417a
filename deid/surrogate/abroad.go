package surrogate

import (
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file tells the postal codes of other countries from ZIP codes, which have five digits, too. Only of ZIP codes it is known where so few people live that the first three digits
// may not stay.

// IsAbroad reports whether the text around a postal code of five digits shows that it is not one of the United States: a country beside it, as in "28013 Madrid, Spain", a town or
// region beside it that has such codes, or a place behind it, where no town of the United States stands: "in 10115 Steglitz".
func (m *Maker) IsAbroad(text string, start, end int) bool {
	if !fiveDigits.MatchString(text[start:end]) {
		return false
	}
	code := text[start:end]
	before, after := placesBefore(text[max(0, start-nearCode):start]), placesAfter(text[end:min(len(text), end+nearCode)])
	if len(after) > 0 && unitedStates[fold(after[0])] {
		return false
	}
	if slices.ContainsFunc(after, isForeignCountry) || labelledAbroad(text[max(0, start-nearCode):start]) || labelledAbroad(text[end:min(len(text), end+nearCode)]) {
		return true
	}
	if m.lang.states.find(before) != nil || m.lang.states.find(before[strings.LastIndexByte(before, ' ')+1:]) != nil && !isTownAbroad(before, code) {
		return false
	}
	if endsIn(before, func(place string) bool { return isForeignCountry(place) || isTownAbroad(place, code) }) {
		return true
	}
	return len(after) > 0 && text[end] == ' ' && (startsIn(after[0], func(place string) bool { return isTownAbroad(place, code) }) || codeFirst.MatchString(text[max(0, start-nearCode):start]) && isNoWord(after[0]))
}

// nearCode is how many bytes before and after a postal code are read.
const nearCode = 96

// Parts of addresses: a place is up to four words in capitals, perhaps with a particle between them.
const (
	capitalWord = `\p{Lu}[\p{L}.'’-]*`
	placeWords  = capitalWord + `(?: (?:(?:de|del|la|las|los|am|an der|sur|upon) )?` + capitalWord + `){0,3}`
)

var (
	fiveDigits  = lazyregexp.New(`^[0-9]{5}$`)
	lastPlace   = lazyregexp.New(`(` + placeWords + `)(?:[ ,:(–-]|\(?(?i:zip|postal|code)[ :]){1,3}$`)
	nextPlaces  = lazyregexp.New(`^[ ,(]{0,3}(` + placeWords + `(?:(?:, ?|\)?,? ?\n ?| ?\(|\),? ?)` + placeWords + `){0,3})`)
	ownLine     = lazyregexp.New(`^[^\n]{0,40}\n(?:[^\n]{0,40}\n)?[ \t]*(` + placeWords + `)\.?[ \t]*(?:\n|$)`)
	betweenPart = lazyregexp.New(`[,()\n]+`)
	countryIs   = lazyregexp.New(`(?i:\bcountry(?: of residence)?|\bpa[íi]s)\]? ?[:=|] ?(` + placeWords + `)`)
	codeFirst   = lazyregexp.New(`(?:\b(?:in|at|to|from|of|near) |\p{L} ?[0-9]{1,4}[a-zA-Z]?,? ?[,\n] ?)$`)
)

// placesBefore returns the words in capitals before a postal code on its line, or "".
func placesBefore(before string) string {
	if m := lastPlace.FindStringSubmatch(before[strings.LastIndexByte(before, '\n')+1:]); m != nil {
		return m[1]
	}
	return ""
}

// placesAfter returns the places behind a postal code, and the one that has one of the next two lines for itself.
func placesAfter(after string) (places []string) {
	if m := nextPlaces.FindStringSubmatch(after); m != nil {
		for _, part := range betweenPart.Split(m[1], -1) {
			if part = strings.Trim(part, " ."); part != "" {
				places = append(places, part)
			}
		}
	}
	if m := ownLine.FindStringSubmatch(after); m != nil {
		places = append(places, strings.Trim(m[1], " ."))
	}
	return places
}

// labelledAbroad reports whether a label tells a country that is not the United States.
func labelledAbroad(text string) bool {
	m := countryIs.FindStringSubmatch(text)
	return m != nil && isForeignCountry(strings.Trim(m[1], " ."))
}

// endsIn reports whether the last words of a place satisfy a condition, and startsIn whether the first ones do.
func endsIn(place string, is func(string) bool) bool {
	for place != "" && !is(place) {
		_, place, _ = strings.Cut(place, " ")
	}
	return place != ""
}

func startsIn(place string, is func(string) bool) bool {
	for place != "" && !is(place) {
		place = place[:max(0, strings.LastIndexByte(place, ' '))]
	}
	return place != ""
}

// isNoWord reports whether a place begins with a word that is not an ordinary one, such as a label, and names no state.
func isNoWord(place string) bool {
	first, _, _ := strings.Cut(place, " ")
	return len(first) > 3 && strings.ToUpper(first) != first && !wordlists.Common(fold(first))
}

// isForeignCountry reports whether a place is a country other than the United States. Georgia is a state as well.
func isForeignCountry(place string) bool {
	return foreignCountries()[strings.ReplaceAll(fold(place), ".", "")]
}

var foreignCountries = sync.OnceValue(func() set {
	all := set{}
	for _, list := range []string{"en-countries", "es-countries"} {
		for _, entry := range wordlists.Entries(list) {
			all[strings.ReplaceAll(fold(entry), ".", "")] = true
		}
	}
	for _, name := range strings.Fields("deutschland osterreich schweiz suisse italia brasil brazil sverige suomi norge danmark polska turkiye hrvatska espana mexico england scotland wales korea") {
		all[name] = true
	}
	for name := range unitedStates {
		delete(all, name)
	}
	delete(all, "georgia")
	return all
})

// unitedStates are names of the United States and of their islands, folded.
var unitedStates = set{"usa": true, "us": true, "u.s.a": true, "u.s": true, "eeuu": true, "ee uu": true, "united states": true, "united states of america": true, "america": true, "estados unidos": true,
	"puerto rico": true, "guam": true, "american samoa": true, "us virgin islands": true, "virgin islands": true, "northern mariana islands": true}

// isTownAbroad reports whether a place is a town or region of another country that has codes like this one. Towns of the United States with the same name have others.
func isTownAbroad(place, code string) bool {
	prefixes, ok := townsAbroad()[fold(place)]
	return ok && (prefixes == nil || slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(code, prefix) }))
}

var townsAbroad = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, list := range []string{onlyAbroad, alsoInUnitedStates} {
		for entry := range strings.SplitSeq(list, ",") {
			name, prefixes, _ := strings.Cut(strings.TrimSpace(entry), ":")
			all[name] = nil
			if prefixes != "" {
				all[name] = strings.Fields(prefixes)
			}
		}
	}
	return all
})

// Towns and regions of countries whose codes have five digits, folded.
const (
	onlyAbroad = `zaragoza, sevilla, murcia, bilbao, valladolid, vigo, gijon, a coruna, la coruna, pamplona, santander, cadiz, almeria, burgos, oviedo, badajoz, huelva, logrono, tarragona, lleida, girona,
		gerona, castellon, albacete, caceres, jaen, lugo, ourense, pontevedra, palencia, segovia, avila, soria, teruel, huesca, cuenca, ciudad real, guipuzcoa, vizcaya, alava, vitoria, las palmas,
		tenerife, santa cruz de tenerife, palma de mallorca, mallorca, ibiza, asturias, cantabria, cataluna, catalonia, andalucia, extremadura, galicia, comunidad de madrid, castilla y leon, euskadi,
		marseille, lyon, toulouse, nantes, strasbourg, bordeaux, lille, rennes, grenoble, reims, le havre, dijon, nimes, aix-en-provence, hamburg, munich, munchen, muenchen, cologne, koln, koeln, stuttgart,
		dusseldorf, duesseldorf, leipzig, dortmund, nuremberg, nurnberg, duisburg, bochum, wuppertal, bielefeld, mannheim, karlsruhe, wiesbaden, augsburg, heidelberg, freiburg, tubingen, kiel, roma, milano, napoli, torino,
		turin, palermo, genova, bologna, firenze, venezia, bari, catania, verona, padova, trieste, brescia, ciudad de mexico, cdmx, mexico city, mexico df, d.f, distrito federal, guadalajara, tlaquepaque, zapopan, monterrey, tijuana,
		ciudad juarez, cancun, hermosillo, queretaro, mexicali, reynosa, nuevo laredo, torreon, saltillo, culiacan, toluca, morelia, acapulco, tuxtla gutierrez, villahermosa, xalapa, ecatepec, nezahualcoyotl, naucalpan, jalisco,
		nuevo leon, tamaulipas, sinaloa, nayarit, michoacan, guanajuato, coahuila, chiapas, baja california, baja california sur, estado de mexico, edomex, quintana roo, tlaxcala, tabasco, campeche,
		yucatan, zacatecas, la habana, bogota, medellin, caracas, guayaquil, quito, istanbul, ankara, izmir, seoul, busan, bangkok, kuala lumpur, hanoi, ho chi minh city, jakarta, karachi, lahore, islamabad,
		kyiv, kiev, lviv, odesa, kharkiv, helsinki, espoo, tampere, zagreb, belgrade, thessaloniki, riyadh, jeddah, tel aviv, haifa, jerusalem, casablanca, rabat, algiers, tallinn, vilnius, goteborg, malmo, uppsala`
	alsoInUnitedStates = `madrid:28, barcelona:08, valencia:46, seville:41, malaga:29, granada:18, toledo:45, salamanca:37, cordoba:14 94, leon:24 37, alicante:03, san sebastian:20, palma:07, zamora:49 59, navarra:31, merida:06 97,
		paris:75, nice:06, montpellier:34, angers:49, tours:37, metz:57, nancy:54, orleans:45, versailles:78, calais:62, berlin:10 12 13 14, frankfurt:60 65, essen:45, dresden:01, hannover:30, hanover:30, bremen:28, bonn:53, rome:00, milan:20, naples:80,
		palermo:90, genoa:16, florence:50, venice:30, parma:43, modena:41, pisa:56, siena:53, puebla:72, durango:34 35, chihuahua:31 32 33, oaxaca:68, veracruz:91 94 95, aguascalientes:20, sonora:83 84 85, hidalgo:42 43, morelos:62, guerrero:39 40 41,
		colima:28, san luis potosi:78, matamoros:87, juarez:32, lima:15, havana:10, san jose:10, guatemala:01, guatemala city:01, santo domingo:10, montevideo:11, athens:10 11, cairo:11, mexico:0 1, stockholm:1`
)
