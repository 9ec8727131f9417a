package safetynet

import (
	"regexp"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
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
var surnameDemonyms = set("aleman black catalan castellano english frances french gallego german valenciano welsh white")

// diseases are eponyms that denote a disease of a relative. Those that are also names of people count only in a family history.
var diseases = set(`addison alport alzheimer barrett basedow bechterew becker behcet berger bowen buerger burkitt chagas crohn cushing down duchenne dupuytren ebstein ehlers eisenmenger ewing fabry fallot fanconi gaucher
	gilbert goodpasture graves hashimoto hirschsprung hodgkin huntington kaposi kawasaki klinefelter lynch marfan meniere menetrier noonan osler paget parkinson patau perthes peyronie pick pompe prader raynaud rett reye
	scheuermann sheehan sjogren still takayasu tourette turner waldenstrom wegener werdnig whipple wilms wilson`)

// isOnlyDisease reports whether a folded word denotes a disease and hardly a person.
func isOnlyDisease(folded string) bool {
	return diseases[folded] && !surrogate.IsFirstName(folded) && !surrogate.IsSurname(folded) || otherDiseases()[folded]
}

// otherDiseases are the diseases of the lists, and abbreviations.
var otherDiseases = sync.OnceValue(func() map[string]bool {
	all := set("dm dm2 htn hta mi iam cad ca cva chf copd epoc asthma asma cancer ckd erc lupus ms als ela ra tb nevo")
	for _, list := range []string{"en-ambiguous-diseases", "es-ambiguous-diseases"} {
		for _, entry := range wordlists.Entries(list) {
			all[fold.Fold(entry)] = true
		}
	}
	return all
})

// familyHistory are the headings of a family history at the beginning of a line or a sentence.
var familyHistory = regexp.MustCompile(`(?i)(?:^|[.;|]\s*)\W*(?:f\.?h\.?x?|family (?:medical )?(?:history|hx)|fam\.? (?:hx|history)|a\.?f|antecedentes (?:heredo)?familiares|hist(?:oria|oria cl[íi]nica)? familiar)\s*[:.\-–]`)

// relatives are the words for the relatives of a patient.
var relatives = sync.OnceValue(func() map[string]bool {
	all := foldedEntries("en-kinship", "es-kinship")
	for _, word := range []string{"guardian", "tutor", "tutora", "neighbor", "friend", "roommate", "vecino", "vecina", "amigo", "amiga", "cuidador", "cuidadora", "caregiver", "caretaker", "mujer"} {
		delete(all, word)
	}
	return all
})

// maxFamilyLine is the maximum number of bytes on either side of a disease of a relative that are read.
const maxFamilyLine = 500

// isDiseaseOfRelative reports whether a span is the eponym of a disease directly behind a relative, in a line that is a family history by its heading or names another relative with a
// disease.
func isDiseaseOfRelative(text string, s data.Span) bool {
	if s.End-s.Start > maxDemographic || !diseases[fold.Fold(strings.TrimSpace(text[s.Start:s.End]))] {
		return false
	}
	before, after := text[max(0, s.Start-maxFamilyLine):s.Start], text[s.Start:min(len(text), s.End+maxFamilyLine)]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	after, _, _ = strings.Cut(after, "\n")
	line := strings.ToValidUTF8(before, "?") + after
	at := len(line) - len(after)
	words := split(line)
	here, sick, certain := false, 0, false
	for i := range words {
		if !ofRelative(words, i) {
			continue
		}
		here = here || words[i].start >= at && words[i].end <= at+s.End-s.Start
		certain = certain || isOnlyDisease(words[i].fold)
		if diseases[words[i].fold] || isOnlyDisease(words[i].fold) {
			sick++
		}
	}
	return here && (familyHistory.MatchString(line) || certain && sick > 1)
}

// ofRelative reports whether word i is directly behind a relative, and no first name of this person.
func ofRelative(words []word, i int) bool {
	k := i - 1
	if k > 0 && words[i].gap == 1 && has[words[k].fold] && words[k].gap == 1 {
		k--
	}
	return k >= 0 && words[i].gap > 0 && words[i].gap <= 2 && relatives()[words[k].fold] && !isFullNameAt(words, i)
}

// has are words between a relative and a disease.
var has = set("with has had w con tiene tuvo")

// isFullNameAt reports whether word i is the first name of a person, because a surname follows: niece Turner Haugstad.
func isFullNameAt(words []word, i int) bool {
	return i+1 < len(words) && words[i+1].gap == 1 && words[i+1].blank && words[i+1].capitalized && !words[i+1].capitals && !wordlists.Common(words[i+1].fold) && !diseases[words[i+1].fold]
}
