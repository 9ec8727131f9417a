package safetynet

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file tells cities, employers, hospitals and departments from ordinary words and from things with the same name: of a patient who lives in Normal, lungs stay Normal, and of
// one who lives in Boston, the Boston prep score stays.

// maxAcronym is the maximum number of letters of an acronym.
const maxAcronym = 6

// isPlaceType reports whether the values of a type are places or institutions.
func (p *Patterns) isPlaceType(typ string) bool {
	switch p.sortOf(typ) {
	case data.Street, data.City, data.State, data.Country, data.Place, data.Landmark:
		return true
	}
	return p.isInstitution(typ)
}

// isInstitution reports whether the values of a type are institutions.
func (p *Patterns) isInstitution(typ string) bool {
	switch p.sortOf(typ) {
	case data.Hospital, data.Organization, data.Department:
		return true
	}
	return false
}

func (p *Patterns) sortOf(typ string) data.Sort {
	return cmp.Or(p.types.SortOf(typ), sorts[Kind(strings.ToLower(typ))])
}

// counts reports whether the words from first to last, which are those of the phrase, have its meaning. If they are known from the record, only what certainly is something else does not.
func (ph phrase) counts(words []word, first, last int, lower func(string) bool, known bool) bool {
	w := words[first]
	switch {
	case ph.place && known:
		return isKnownPlace(words, first, last, lower)
	case ph.place:
		return isPlace(words, first, last, lower) || ph.acronym && w.capitals && !amongCapitals(words, first)
	case first < last || w.digits:
		return true
	}
	return (w.capitalized || !wordlists.Common(w.fold)) && !isEponym(words, first, first, known)
}

// isPlace reports whether the words from first to last, which are those of a place or an institution, denote it. Without a word beside them that tells so, they may be an ordinary word, or
// name a scale, a device or an organism.
func isPlace(words []word, first, last int, lower func(string) bool) bool {
	name := joined(words[first : last+1])
	left := withoutArticle(leftOf(words, first))
	listed := thingNames[name]
	switch {
	case (listed || first == last) && isScale(words, last, listed):
		return false
	case first == last && isEponym(words, first, last, false):
		return false
	case listed && !endsWith(left, homes) && isListedThing(words, first, last, left):
		return false
	case first < last || words[first].digits || !isAlsoWord(name):
		return true
	}
	return isMeant(words, first, left, lower)
}

// isKnownPlace reports whether the words from first to last are a place or an institution of the record, unless they are in lower case, a scale, an eponym, or a frequent result.
func isKnownPlace(words []word, first, last int, lower func(string) bool) bool {
	w, name := words[first], joined(words[first:last+1])
	listed := thingNames[name]
	switch {
	case (listed || first == last) && isScale(words, last, listed), listed && isScoreOfParts(words, last+1):
		return false
	case first < last || w.digits:
		return true
	case knownResults[name]:
		return isMeant(words, first, withoutArticle(leftOf(words, first)), lower)
	}
	return (w.capitalized || !wordlists.Common(name)) && !isEponym(words, first, last, true)
}

// knownResults are places that stand alone in fields for results.
var knownResults = wordlists.Set("clear negative none normal positive unknown")

func withoutArticle(left string) string {
	for _, article := range []string{"the ", "la ", "el ", "los ", "las "} {
		if rest, ok := strings.CutSuffix(left, " "+article); ok {
			return rest + " "
		}
	}
	return left
}

// amongCapitals reports whether a word beside word i is in capitals, so that a line or a sentence may be.
func amongCapitals(words []word, i int) bool {
	return i > 0 && words[i-1].capitals || i+1 < len(words) && words[i+1].capitals
}

// isMeant reports whether an ordinary word is the name of a place here.
func isMeant(words []word, i int, left string, lower func(string) bool) bool {
	w := words[i]
	right := rightOf(words, i)
	switch {
	case endsWith(left, homes), beforeState(words, i), afterZIP(words, i), isPostcode(words, i+1), w.label && placeLabels[words[i-1].fold]:
		return true
	case !w.capitalized:
		return false
	case endsWith(left, visits):
		return true
	case w.capitals:
		return false
	case endsWith(left, religions):
		return false
	case endsWith(left, from), endsWith(left, at) && !lower(w.fold):
		return !wordlists.Frequent(w.fold) || endsPhrase(right)
	case beginsWith(right, actors), right == " hr", beginsWith(right, institutions) && (thingNames[w.fold] || !wordlists.Frequent(w.fold) || words[i+1].capitalized && !words[i+1].capitals):
		return true
	case i+1 < len(words) && words[i+1].comma && !w.label && (isNameOfPlace(words[i+1]) && !wordlists.Frequent(w.fold) || w.first && isDateOfLetter(words, i+1)):
		return true
	case w.comma && !wordlists.Common(words[i-1].fold) && words[i-1].capitalized && !words[i-1].capitals: // Royal Berkshire, Reading
		return endsPhrase(right)
	}
	return !w.first && !w.label && !lower(w.fold) && !wordlists.Frequent(w.fold) && !isGrade(words, i+1)
}

// isAlsoWord reports whether a folded word has an ordinary meaning beside that of a place.
func isAlsoWord(folded string) bool {
	return wordlists.Common(folded) || months()[folded] || moreWords[folded]
}

// moreWords are ordinary words that are not on the lists of package wordlists, with which networks were trained.
var moreWords = wordlists.Set(`adventist banana baptist bath baths beaver beavers blueberry buffalo burger canyon catholic chard checkers chili christian clay concord continental cove cranberry creek crook downs eagle eagles
	episcopal flint fox ginger gong ham harbor harp hawk holy horizons hurricane immaculate ivory jade jewish lion lutheran lynx mall marathon methodist mobil moose mountain mustang oasis opal outback paradise peach
	pecan prairie presbyterian princess providence prudential queen ransom redeemer republic resurrection rocky ruby rugby sandals sandy savior slough sonic sprint strawberry thorn tombstone tooting tranquility
	turkey united valley vice visitation waterproof wick
	clavel cuenca encina granada laguna leon moron nogal norte occidente oeste oriente parla pilas puerto roma rosa sur`)

// homes are the words before the place where somebody lives or works, also in lower case.
var homes = phrases(`lives in, live in, living in, lived in, lives near, resides in, residing in, resident of, native of, raised in, born in, grew up in, moved to, moved from, moved back to, city of, town of, county of, downtown,
	works at, works for, work at, working at, working for, worked at, worked for, employed by, employed at, employee of, employee at, job at, retired from,
	vive en, viven en, vivia en, reside en, residente en, natural de, vecino de, vecina de, procedente de, nacido en, nacida en, ciudad de, municipio de, localidad de, pueblo de,
	trabaja en, trabajaba en, trabaja para, empleado de, empleada de, empleado en, empleada en, trabajador de, trabajadora de, jubilado de, jubilada de`)

// visits are the words before a place or an institution, which begins with a capital.
var visits = phrases(`transferred from, transferred to, transfer from, transfer to, transported to, transported from, visiting from, visiting, seen at, admitted to, admitted at, hospitalized at, treated at, discharged from,
	went to, went back to, drove to, flew to, travel to, traveled to, trip to, back to, back from, arrived from,
	trasladado a, trasladada a, trasladado de, trasladada de, trasladado desde, trasladada desde, derivado de, derivada de, derivado desde, derivada desde, ingresado en, ingresada en, ayuntamiento de, informe de, informes de, policia local de, guardia civil de, alcaldia de, barrio, colonia, vereda, eps, ars, arl, afp, viaje a, viajo a`)

// from are the words before a place that seldom stand before an ordinary word with a capital, and at those that often do.
var (
	from = phrases("from, in, at, near, desde, en, cerca de, hacia")
	at   = phrases("of, to, via, for, de, a, del, al")
)

// religions are the words before an adjective that may also be the name of a hospital: religion Methodist.
var religions = phrases("religion, faith, religious preference, denomination")

// placeLabels are the labels of a place or an institution.
var placeLabels = wordlists.Set(`city town residence hometown birthplace address employer company hospital facility clinic pharmacy insurance county country department dept service ins insurer scheme payer
	ciudad municipio localidad poblacion provincia domicilio residencia empresa centro clinica servicio procedencia empleador pais farmacia barrio aseguradora eps ars arl afp funeraria faena`)

// actors are words behind an institution that does something, and institutions the words behind its name.
var (
	actors = phrases(`address, auth, avisa, aviso, called, calls, company, corp, corporation, disability forms, employee, employees, envia, envio, faxed, fire, flights, forms, helpline, hmo, inc, insurance, leaflet, llama, llamo, llc,
		manager, pcp, pd, pharmacy, plant, police, ppo, recommended, recommends, records, requested, requests, resident, residents, rn, sent, snf, solicita, staff, store, stores, wants`)
	institutions = phrases("hospital, clinic, medical, health, er, ed, county, city, university, college, school, nursing, rehab")
)

// endsPhrase reports whether no word belongs to the one before right, or only a connective does.
func endsPhrase(right string) bool {
	next := strings.TrimPrefix(right, " ")
	if i := strings.IndexAny(next, " '-/"); i >= 0 {
		next = next[:i]
	}
	return next == "" || connectives()[next]
}

var connectives = sync.OnceValue(func() map[string]bool {
	return union(foldedEntries("en-connectives", "es-connectives"), wordlists.Set("the today yesterday again last this she he they we who pt patient since with without hoy ayer el ella y con sin hace"))
})

// beforeState reports whether a state, a province or a country follows word i after a comma.
func beforeState(words []word, i int) bool {
	if i+1 >= len(words) || !words[i+1].comma {
		return false
	}
	next := words[i+1]
	zip := i+2 < len(words) && words[i+2].digits && len(words[i+2].fold) == 5
	if next.capitals && abbreviations()[next.fold] {
		return zip || !clinical[next.fold]
	}
	return next.capitalized && (stateNames()[next.fold] || i+2 < len(words) && words[i+2].blank && stateNames()[next.fold+" "+words[i+2].fold])
}

// afterZIP reports whether a ZIP code is before word i.
func afterZIP(words []word, i int) bool {
	return i > 0 && words[i].gap == 1 && words[i].capitalized && words[i-1].digits && len(words[i-1].fold) == 5
}

// isPostcode reports whether a British postcode begins with word i.
func isPostcode(words []word, i int) bool {
	if i+3 >= len(words) || !words[i].capitalized || len(words[i].fold) > 2 || len(words[i+3].fold) != 2 || !words[i+3].capitals {
		return false
	}
	return words[i+1].digits && words[i+1].gap == 0 && words[i+2].digits && words[i+2].gap == 1 && words[i+3].gap == 0
}

// isNameOfPlace reports whether a word behind a comma may be a place without a list of it: Boots, Thurso.
func isNameOfPlace(w word) bool {
	return w.capitalized && !w.capitals && !wordlists.Common(w.fold) && !eponym(w.fold) && !isTitle(w.fold)
}

// isDateOfLetter reports whether a date begins with word i, as behind the city at the top of a letter: Salto, 7/7/20; Colón, 6 de octubre.
func isDateOfLetter(words []word, i int) bool {
	if !words[i].digits || i+1 >= len(words) {
		return false
	}
	return words[i+1].fold == "de" || i+2 < len(words) && words[i+1].digits && words[i+2].digits && words[i+1].sep != 0 && words[i+1].sep == words[i+2].sep
}

// clinical are abbreviations of states that mean something else in notes. They count only before a ZIP code.
var clinical = wordlists.Set("ar ca co ct de ga hi id in la ma md me mi mo ms nc nd ne nm oh ok or pa pr sc sd va")

var (
	stateNames = sync.OnceValue(func() map[string]bool {
		return foldedEntries("en-states", "es-provinces", "en-countries", "es-countries")
	})
	abbreviations = sync.OnceValue(func() map[string]bool { return foldedEntries("en-state-abbreviations") })
)

// thingNames are places and institutions that scales, devices and organisms are named after.
var thingNames = phrasesOf(`aberdeen adelaide amsterdam aspen atlanta baltimore banff barcelona berlin bern bethesda birmingham bologna boston bristol brisbane california cambridge cardiff charlotte chicago cincinnati cleveland
	columbia copenhagen coxsackie dallas denver dundee ebola edinburgh epworth florida framingham geneva glasgow groningen hannover hannah hantaan helsinki houston iowa lansing lassa leeds leiden lille lisbon
	lisboa liverpool london londres lugano madrid malta manchester marburg maryland mayo melbourne miami michigan milan milano minnesota montreal newcastle norwalk nottingham osaka oslo oswestry ottawa oxford edimburgo ginebra tokio paris perth
	philadelphia filadelfia pittsburgh prague praga rochester rome roma rotterdam seattle sheffield stanford stockholm sydney tokyo toronto utah utrecht valencia vancouver vienna viena washington wisconsin zurich bruselas brussels
	los_angeles new_york nueva_york kansas_city west_nile ann_arbor rocky_mountain salt_lake san_antonio st_louis saint_louis hong_kong buenos_aires mayo_clinic ross_river`)

// isScale reports whether the name that ends with word i is that of a scale, a classification, a device or an organism, because such a word follows it, directly or after words
// with a capital, or, if the name is listed, any but connectives: Toronto bronchiolitis score.
func isScale(words []word, i int, listed bool) bool {
	for k := i + 1; k < len(words) && k <= i+maxBeside+1; k++ {
		w := words[k]
		if sign, ok := joint(w); !ok || w.digits || sign == "/" {
			return false
		}
		if scaleWords[w.fold] {
			return true
		}
		if !w.capitalized && !listed && w.fold != "s" || connectives()[w.fold] {
			return false
		}
	}
	return false
}

// scaleWords are those that follow the name of a scale, a device or an organism and hardly that of a place.
var scaleWords = wordlists.Set("score scores scale scales criteria criterion classification chromosome collar virus viruses questionnaire inventory index")

// isListedThing reports whether a listed name denotes no place by what stands beside it.
func isListedThing(words []word, first, last int, left string) bool {
	right, name := rightOf(words, last), joined(words[first:last+1])
	switch thing := strings.Fields(right + " - -"); {
	case len(thing) > 3 && sites[thing[1]]: // Stanford knee clinic
		return false
	case strings.HasPrefix(right, "-like"), beginsWith(right, things), endsWith(left, versions), strings.HasPrefix(right, " ") && slices.Contains(ownThings[thing[0]], name):
		return true
	}
	if name == "milan" && endsWith(left, limits) {
		return true
	}
	if last+1 < len(words) && words[last+1].digits && !numbered[name] && !isScoreOfParts(words, last+1) {
		return false
	}
	return (isGrade(words, last+1) && !isPostcode(words, last+1) || isScored(words, last+1, name)) && !endsWith(left, slices.Concat(from, visits))
}

// things follow the name of a scale, a device or an organism; versions precede it.
var (
	things   = phrases("bamford, blatchford, definition, eq, equation, estadio, formula, gr, grade, grado, stage")
	versions = phrases(`plaster of, duke of, tower of, revised, modified, partial, meets, stool, prep, bbps, escala, escala de, clasificacion, clasificacion de, criterios, criterios de, test de, indice de, virus, virus de, cromosoma, collarin`)
)

// limits stand before the Milan criteria without the word criteria, and numbered are the names that a number may follow.
var (
	limits   = phrases("beyond, outside, within")
	numbered = wordlists.Set("aspen boston bristol cincinnati edinburgh epworth glasgow groningen leiden madrid mayo montreal nottingham oswestry ottawa oxford paris pittsburgh rome tokyo toronto vancouver")
)

// ownThings are the names that other words make a scale, a device or an organism of; behind other names, they may be something that a place has.
var ownThings = map[string][]string{
	"adl": {"bristol", "london"}, "ankle": {"ottawa"}, "bowel": {"boston"}, "brace": {"boston", "charleston"}, "card": {"wisconsin"}, "chart": {"bristol"}, "clase": gradedTypes, "class": gradedTypes,
	"cognitive": {"montreal"}, "coma": {"glasgow"}, "consensus": {"chicago", "rome", "rotterdam"}, "developmental": {"denver"}, "encephalitis": {"st louis", "saint louis"}, "fever": {"ebola", "lassa", "marburg", "rocky mountain", "west nile"},
	"handicap": {"london"}, "heart": {"new york"}, "j": {"miami"}, "knee": {"ottawa", "oxford"}, "mild": {"atlanta"}, "moderate": {"atlanta"}, "naming": {"boston"}, "negative": organisms, "neg": organisms,
	"pos": organisms, "positive": organisms, "postnatal": {"edinburgh"}, "prep": {"boston", "chicago", "ottawa"}, "rule": {"ottawa"}, "rules": {"ottawa"}, "scar": {"vancouver"}, "scientific": {"boston"}, "severe": {"atlanta"}, "shunt": {"denver"}, "sleep": {"pittsburgh"},
	"stool": {"bristol"}, "stools": {"bristol"}, "stroke": {"cincinnati", "oxford"}, "tipo": gradedTypes, "type": gradedTypes, "verbal": {"california"},
}

var (
	gradedTypes = []string{"bristol", "chicago", "los angeles", "montreal", "new york", "paris", "stanford", "vancouver"}
	organisms   = []string{"coxsackie", "ebola", "hantaan", "lassa", "marburg", "norwalk", "philadelphia", "west nile"}
	// sites follow what a place has: Dallas knee clinic.
	sites = wordlists.Set("center centre clinic hospital ltac program reunion results school site team unit")
)

// isScored reports whether word i stands directly behind the name of a scale and is a score: 9, of several parts with one digit each as in 2/3/2, or with the maximum of this scale.
// Other fractions are dates: Boston 3/4.
func isScored(words []word, i int, name string) bool {
	if isScoreOfParts(words, i) {
		return true
	}
	if i >= len(words) || words[i].gap != 1 || !words[i].blank || !isScore(words, i) {
		return false
	}
	return i+1 == len(words) || words[i+1].sep != '/' || words[i+1].fold == maxima[name]
}

// isScoreOfParts reports whether three parts with one digit each begin with word i.
func isScoreOfParts(words []word, i int) bool {
	if i+2 >= len(words) || words[i].gap != 1 || !words[i].blank || words[i+1].sep != '/' || words[i+2].sep != '/' {
		return false
	}
	return !slices.ContainsFunc(words[i:i+3], func(w word) bool { return !w.digits || len(w.fold) != 1 })
}

// maxima are those of scales that stand behind a score.
var maxima = map[string]string{"edinburgh": "30", "glasgow": "15", "montreal": "30"}
