package safetynet

import (
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file recognizes words that networks take for names because there is little around them: the religion or the language of a patient in a field of its own, and the disease of a relative
// in a family history, named after a person.

// NoName reports whether a span of a text is no name of a person, an institution or a place, because the whole text is a demographic word, or because the span is the disease of a relative.
func NoName(text string, s data.Span) bool {
	return isDemographic(text) || isDiseaseOfRelative(text, s)
}

// maxDemographic is the maximum length of a demographic term in bytes.
const maxDemographic = 40

func isDemographic(text string) bool {
	if len(text) > 2*maxDemographic { // the white space around it
		return false
	}
	term := fold.Fold(strings.Trim(text, " \t\r\n.;"))
	return demographic()[term] || demographic()[strings.TrimSuffix(term, "s")]
}

// demographic are religions, peoples, languages, and states of marriage and work, folded. Words that are names as well when they stand alone, such as christian, blanca and white, are not among them.
var demographic = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, term := range phrases(`catholic, roman catholic, protestant, muslim, moslem, jewish, hindu, buddhist, sikh, baha'i, mormon, lds, amish, mennonite, quaker, pentecostal, orthodox, greek orthodox,
		evangelical, baptist, methodist, lutheran, presbyterian, anglican, episcopalian, episcopal, adventist, seventh-day adventist, jehovah's witness, jehovahs witness, church of england, atheist, agnostic, pagan, wiccan, rastafarian,
		shia, sunni, zoroastrian, no religion, hispanic, latino, latina, latinx, non-hispanic, caucasian, asian, african american, native american, american indian, alaska native, native hawaiian, pacific islander, biracial, multiracial,
		maori, aboriginal, inuit, navajo, cherokee, hmong, igbo, yoruba, hausa, zulu, xhosa, tongan, samoan, romani, kurdish, pashtun, tamil, punjabi, gujarati, bengali, hindi, urdu, pashto, farsi, arabic, amharic, tigrinya, somali, swahili,
		tagalog, ilocano, cebuano, vietnamese, mandarin, cantonese, korean, japanese, spanish, italian, portuguese, russian, ukrainian, polish, turkish, haitian creole, sign language,
		married, divorced, widowed, separated, partnered, cohabiting, employed, unemployed, retired, self-employed, disabled, homemaker, full-time, part-time,
		catolico, catolica, evangelico, evangelica, protestante, musulman, musulmana, judio, judia, budista, hinduista, testigo de jehova, mormon, adventista, ortodoxo, ortodoxa, ateo, atea, agnostico, agnostica,
		mestizo, mestiza, indigena, afrocolombiano, afrocolombiana, afrodescendiente, afroecuatoriano, mulato, mulata, zambo, criollo, criolla, caucasico, caucasica, gitano, gitana, aimara, aymara, quechua, quichua, mapuche, wayuu, guarani, nahuatl, zapoteco, mixteco,
		otomi, tzotzil, tzeltal, garifuna, embera, shipibo, marroqui, boliviano, boliviana, chino, ecuatoriano, ecuatoriana, peruano, peruana, rumano, rumana, colombiano, colombiana, venezolano, venezolana, dominicano, dominicana, cubano, cubana,
		espanol, espanola, ingles, italiano, italiana, portugues, arabe, ruso, rusa,
		soltero, soltera, casado, casada, viudo, viuda, divorciado, divorciada, separado, separada, pareja de hecho, union libre, parado, parada, en paro, desempleado, desempleada, jubilado, jubilada, pensionista, autonomo, autonoma, activo, activa`) {
		all[fold.Fold(term)] = true
	}
	for entry := range foldedEntries("en-demonyms", "es-demonyms") {
		if !surrogate.IsFirstName(entry) && !surrogate.IsSurname(entry) && !surnameDemonyms[entry] {
			all[entry] = true
		}
	}
	return all
})

// surnameDemonyms are demonyms that are also frequent surnames.
var surnameDemonyms = wordlists.Set("aleman black catalan castellano english frances french gallego german valenciano welsh white")

// diseases are eponyms that denote a disease of a relative. Those that are also names of people count only in a family history, and current names of people are not among them.
var diseases = wordlists.Set(`addison alagille alpers alport alstrom alzheimer angelman barrett bartter basedow bechterew becker behcet berger binswanger boerhaave bourneville bowen brugada budd buerger burkitt caffey
	canavan castleman chagas charcot chediak creutzfeldt crigler crohn cushing debre dejerine dercum down dravet duchenne dupuytren ebstein ehlers eisenmenger ewing fabry fallot fanconi felty
	fraumeni gaucher gerstmann gilbert gitelman glanzmann goldenhar goodpasture graves guillain hallervorden hashimoto hirschsprung hodgkin huntington jeghers kallmann kaposi kartagener kawasaki
	kienbock kikuchi klinefelter korsakoff krabbe kugelberg lewy lhermitte loeys lyme lynch marfan mcardle mcardles menetrier meniere menkes mikulicz minamata mirizzi mobius moebius moyamoya
	munchausen noonan ohtahara osler paget pancoast parkinson patau perthes peutz peyronie pick pompe prader prinzmetal quervain raynaud recklinghausen refsum rett reye scheuermann schlatter
	schonlein sezary sheehan sjogren sotos stargardt still takayasu tangier tarlov tolosa tourette turner waardenburg waldenstrom wegener werdnig whipple willebrand wilms wilson zellweger zika`)

// isOnlyDisease reports whether a folded word denotes a disease and hardly a person.
func isOnlyDisease(folded string) bool {
	return diseases[folded] && !surrogate.IsFirstName(folded) && !isKnownSurname(folded) || otherDiseases()[folded]
}

// otherDiseases are the diseases of the lists, and abbreviations.
var otherDiseases = sync.OnceValue(func() map[string]bool {
	return union(foldedEntries("en-ambiguous-diseases", "es-ambiguous-diseases"), wordlists.Set("dm dm2 htn hta mi iam cad ca cva chf copd epoc asthma asma cancer ckd erc lupus ms als ela ra tb nevo"))
})

// familyHistory matches the heading of a family history at the beginning of a line or a sentence.
var familyHistory = lazyregexp.New(`(?i)(?:^|[.;|]\s)\W*(?:f\.?h\.?x?|family (?:medical )?(?:history|hx)|fam\.? (?:hx|history)|a\.?f|antecedentes (?:heredo)?familiares|hist(?:oria|oria cl[íi]nica)? familiar)\s*[:.\-–]`)

// relatives are the words for the relatives of a patient by blood.
var relatives = sync.OnceValue(func() map[string]bool {
	all := foldedEntries("en-kinship", "es-kinship")
	for word := range noRelatives {
		delete(all, word)
	}
	return all
})

// noRelatives are those of the lists who are no relatives by blood.
var noRelatives = wordlists.Set(`allegada allegado allegados amiga amigo boyfriend caregiver caretaker consuegra consuegro conyuge cuidador cuidadora cunada cunadas cunado cunados esposa esposo exmarido exmujer ex-husband ex-wife
	father-in-law fiance fiancee friend girlfriend guardian husband in-laws brother-in-law daughter-in-law madrina marido mother-in-law mujer neighbor novia novio nuera padrino pareja partner prometida prometido roommate
	sister-in-law son-in-law spouse suegra suegro suegros tutor tutora vecina vecino viuda viudo widow widower wife yerno godmother godfather`)

// maxFamilyLine is the maximum number of bytes on either side of a disease of a relative that are read.
const maxFamilyLine = 500

// isDiseaseOfRelative reports whether a span is the eponym of a disease in an item of a family history that consists of a relative and this disease. In the same sentence, behind its
// heading, there are only such items, or one of them has a disease that is no name.
func isDiseaseOfRelative(text string, s data.Span) bool {
	if s.End-s.Start > maxDemographic || !diseases[eponymOfRelative(text[s.Start:s.End])] {
		return false
	}
	from, to := max(0, s.Start-maxFamilyLine), min(len(text), s.End+maxFamilyLine)
	if i := strings.LastIndexByte(text[from:s.Start], '\n'); i >= 0 {
		from += i + 1
	}
	if i := strings.IndexByte(text[s.End:to], '\n'); i >= 0 {
		to = s.End + i
	}
	headed := false
	if all := familyHistory.FindAllStringIndex(text[from:s.Start], -1); len(all) > 0 {
		from, headed = from+all[len(all)-1][1], true
	}
	items := itemsOf(text[from:to])
	at := slices.IndexFunc(items, func(it item) bool {
		return it.kind == sick && from+it.disease.start >= s.Start && from+it.disease.end <= s.End
	})
	if at < 0 {
		return false
	}
	first, last := at, at
	for first > 0 && items[first-1].continues(items[first]) {
		first--
	}
	for last+1 < len(items) && items[last].continues(items[last+1]) {
		last++
	}
	certain := false
	for _, it := range items[first : last+1] {
		if it.kind == nothing {
			return false
		}
		certain = certain || it.certain
	}
	return headed && first == 0 || certain && first < last
}

// eponymOfRelative returns the folded last words of a value behind the words for a relative and what he has: Kawasaki in tía materna Kawasaki.
func eponymOfRelative(value string) string {
	words := split(value)
	for len(words) > 1 && (relatives()[words[0].fold] || kindsOfRelatives[words[0].fold] || has[words[0].fold]) {
		words = words[1:]
	}
	if len(words) == 2 && words[1].fold == "s" {
		words = words[:1]
	}
	return strings.TrimSuffix(joined(words), " syndrome")
}

// item is a part of a family history, as between two commas.
type item struct {
	kind    kind
	disease word // of kind sick
	certain bool // the disease is no name of a person
	label   bool // a colon follows the relative
	full    bool // a full stop follows the item
}

type kind int

const (
	nothing kind = iota
	more         // more diseases of the relative before
	sick         // a relative with a disease
)

// continues reports whether an item is in one sentence with the next, or both relatives have a colon as in a list.
func (it item) continues(next item) bool { return !it.full || it.label && next.label }

// betweenItems matches what is between two items.
var betweenItems = lazyregexp.New(`[.;|,]+(?:\s+|$)|\s(?:and|y|e|&)\s`)

// itemsOf divides a line of a family history.
func itemsOf(line string) []item {
	var all []item
	add := func(from, to int, full bool) {
		if strings.TrimSpace(line[from:to]) != "" {
			it := itemOf(split(strings.ToValidUTF8(line[from:to], "?")))
			it.disease.start, it.disease.end, it.full = it.disease.start+from, it.disease.end+from, full
			all = append(all, it)
		}
	}
	start := 0
	for _, m := range betweenItems.FindAllStringIndex(line, -1) {
		add(start, m[0], strings.ContainsAny(line[m[0]:m[1]], ".|"))
		start = m[1]
	}
	add(start, len(line), true)
	return all
}

// itemOf returns what the words of an item are. Those with any other word than the ones of a family history are nothing.
func itemOf(words []word) (it item) {
	rest := func(some map[string]bool) {
		for len(words) > 0 && some[words[0].fold] {
			words = words[1:]
		}
	}
	rest(kindsOfRelatives)
	related := len(words) > 0 && relatives()[words[0].fold]
	if related {
		words = words[1:]
		it.label = len(words) > 0 && words[0].label
		rest(has)
	}
	if len(words) == 0 || !isOnlyDisease(words[0].fold) && (!related || !diseases[words[0].fold]) {
		return it
	}
	disease := words[0]
	words = words[1:]
	for _, w := range words {
		if !ofDiseases[w.fold] && (!w.digits || len(w.fold) > 2) && !isOnlyDisease(w.fold) {
			return it
		}
	}
	it.kind, it.disease, it.certain = more, disease, isOnlyDisease(disease.fold)
	if related {
		it.kind = sick
	}
	return it
}

// Words of a family history beside relatives and diseases.
var (
	kindsOfRelatives = wordlists.Set("a 1 2 elder half mat maternal older one pat paternal two younger materna materno paterna paterno")
	has              = wordlists.Set("with has had w con tiene tuvo dx materna materno mayor menor paterna paterno")
	ofDiseases       = wordlists.Set("age aged at disease dz onset s syndrome yo a los anos")
)
