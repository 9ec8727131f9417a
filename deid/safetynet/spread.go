package safetynet

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file tells what a tagger has taken for a name and is not searched for in the other notes of a patient, because one mistake would be repeated in all of them: words such as "of the",
// ordinary words in lower case, and drugs and diseases that are no names.

// ofNames are the sorts whose values consist of words.
var ofNames = []data.Sort{data.Person, data.Hospital, data.Organization, data.Department, data.City, data.State, data.Country, data.Place, data.Landmark, data.Street}

// ofInstitutions are those of them that institutions have.
var ofInstitutions = []data.Sort{data.Hospital, data.Organization, data.Department}

// isSpread reports whether a replaced text, of which the value is given, too, is searched for in all notes of the patient.
func isSpread(text string, v value, sort data.Sort) bool {
	if !slices.Contains(ofNames, sort) {
		return true
	}
	words := v.words()
	switch {
	case len(words) == 0:
		return true
	case onlyFunctionWords(strings.Fields(text)):
		return false
	case len(words) == 1 && isMedicine(words[0], sort), isOrganism(text), verbsOfVisit[words[0]] && !strings.ContainsFunc(text, unicode.IsUpper):
		return false
	}
	if !slices.Contains(ofInstitutions, sort) { // of names and places in lower case the search itself tells which ones count
		return true
	}
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }) || !areOrdinary(words)
}

// toothSpan matches a tooth that Spanish dentists number, which networks take for a square: PZA. 30.
var toothSpan = lazyregexp.New(`^(?i:pzas?)\.? ?(?:[1-4]?[0-9]|[1-8]\.?[1-8])(?:$|[^0-9\pL])`)

// wordsOfTeeth matches the words of a finding or a treatment of teeth.
var wordsOfTeeth = lazyregexp.New(`(?i)\b(?:caries|cari(?:ad|os)[ao]s?|restos? radiculare?s?|periodontitis|periodontal|gingiv\pL*|exodoncias?|endodoncias?|trepanaci[óo]n|obturaci[óo]n(?:es)?|obturad[ao]s?|corona(?:s|ria)?|sellantes?|pulp\pL*|apical(?:es)?|necrosis|ionomero|vidrio|sustancia coronaria|amalgama|resina|dental(?:es)?|dientes?|odontol\pL*)\b`)

// ofAddress matches what makes an address of a square.
var ofAddress = lazyregexp.New(`(?i)\b(?:de|del|n[º°o.]|c/|calle|avda?|esquina|piso|portal|puerta|cp|[0-9]{5})\b`)

// livesAt matches what stands before an address.
var livesAt = lazyregexp.New(`(?i)\b(?:vive|reside|residente|domicilio|domiciliad[ao]|direcci[óo]n|dir|calle)(?: en)?(?: la)?[.:,]? ?$`)

// IsTooth reports whether a span is the number of a tooth and what is said of it in words, with words of dentistry in it or beside it.
func IsTooth(text string, s data.Span) bool {
	value := text[s.Start:s.End]
	if !toothSpan.MatchString(value) || ofAddress.MatchString(value) || livesAt.MatchString(lastBytes(text[:s.Start], 24)) {
		return false
	}
	from, to := around(text, s.Start, 40, s.End-s.Start+40)
	line := text[from:to]
	if at := strings.IndexByte(text[s.End:to], '\n'); at >= 0 {
		line = text[from : s.End+at]
	}
	if !wordsOfTeeth.MatchString(line) || beginsAddress.MatchString(firstBytes(text[s.End:], 24)) || hasAddress.MatchString(lastBytes(text[from:s.Start], 64)) {
		return false
	}
	words := valueOf(value).all[1:]
	return !slices.ContainsFunc(words, func(w word) bool {
		return !w.digits && !wordlists.Common(w.fold) && !wordsOfTeeth.MatchString(w.fold)
	})
}

var (
	// beginsAddress matches the rest of the name of a square, or of its address: Pza. 2 de Mayo; Pza. 24, Toledo.
	beginsAddress = lazyregexp.New(`^(?:,? ?(?i:de|del|[0-9]|n[º°])(?:[^\pL]|$)|, \p{Lu}\p{Ll}+ ?(?:[.,;(\n]|$))`)
	// hasAddress matches the words of a place in the sentence before a square.
	hasAddress = lazyregexp.New(`(?i)\b(?:viv[eo]|reside|residente|domicili\pL*|direcci[óo]n|atiend\pL*|consulta|cl[íi]nica|situad[oa]|ubicad[oa]|trabaja|dentista de|cit(?:a|ad[oa]|amos) en)\b[^\n;]*$`)
)

// AreFunctionWords reports whether a span consists of articles, prepositions and the like in a sentence that goes on behind it. What stands behind a title or a sign of those who enter their
// initials is a name, and so may a single word be that is a surname: dr su, JV/la.
func AreFunctionWords(text string, s data.Span) bool {
	words := strings.Fields(text[s.Start:s.End])
	if !onlyFunctionWords(words) || len(words) == 1 && mayBeSurname[words[0]] {
		return false
	}
	t := termAt(text, s)
	return sentenceBehind.MatchString(t.right) && !t.isTitled() && !endsWith(strings.Join(strings.Fields(fold.Fold(t.left)), " ")+" ", namings) && !initialsBefore.MatchString(t.left)
}

func onlyFunctionWords(words []string) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return !functionWords[word] })
}

var (
	// functionWords are in lower case. Those in capitals and initials may be names.
	functionWords = wordlists.Set("of the a an and or in on at to for from by with was were is are this that de del la el los las y o en un una al con por para que se su")
	// mayBeSurname are those of them that are surnames, too.
	mayBeSurname   = wordlists.Set("a an in on to al con de del el la las los o se su un y")
	sentenceBehind = lazyregexp.New(`^ \pL`)
	// initialsBefore matches what stands before the initials of who wrote an entry.
	initialsBefore = lazyregexp.New(`[/:|*-] ?$`)
)

// verbsOfVisit begin what a patient comes for: to establish care.
var verbsOfVisit = wordlists.Set("establish establishing established restore undergo receive discuss create obtain")

// organism matches a species, perhaps with the initial of its genus: C. koseri.
var organism = lazyregexp.New(`^(?:\p{Lu}\p{Ll}?\.? )?(\p{Ll}+)$`)

// isOrganism reports whether a text is a species of organisms that is no known name.
func isOrganism(text string) bool {
	m := organism.FindStringSubmatch(strings.TrimSpace(text))
	return m != nil && species()[m[1]] && !namedSpecies[m[1]] && !isNameOrPlace(m[1])
}

// isMedicine reports whether a folded word is a drug or a disease and no name. Companies are called like brands.
func isMedicine(word string, sort data.Sort) bool {
	if brandsWithDose[word] || isNameOrPlace(word) {
		return false
	}
	return !slices.Contains(ofInstitutions, sort) && (brands()[word] || isDrug(word)) || endsLikeDisease(word)
}

// isNameOrPlace reports whether a folded word is a first name, a surname or a place.
func isNameOrPlace(word string) bool {
	return surrogate.IsFirstName(word) || isKnownSurname(word) || townWords()[word]
}

// townWords are the folded words of the towns and states that are known.
var townWords = sync.OnceValue(func() map[string]bool {
	all := foldedEntries("en-states", "en-countries", "es-provinces", "es-regions", "es-countries")
	for _, list := range []string{"en-city", "es-city"} {
		for _, town := range surrogate.List(list) {
			all[fold.Fold(town)] = true
		}
	}
	return all
})

// diseaseEnding matches the endings of diseases, operations and examinations in English and Spanish. They are long, because surnames and places end with the shorter ones: Umapathy, Ambrosis,
// Kalafritis, Tasmania, Legorrea.
var diseaseEnding = lazyregexp.New(`(?:(?:rthr|artr|epat|gastr|nter|lul|ecyst|lecist|dermat|onch|onqu|ncreat|endic|erticul|ening|cephal|cefal|nephr|nefr|sinus|rhin|aryng|aring|onsill|igdal|^mast|ostat|uve|vagin|ocard|ricard|pleur|phleb|fleb|neur|myos|mios|oste|myel|miel|chondr|condr|trache|traque|tendin|tendon|burs|parot)itis|` +
	`(?:omb|fibr|sten|ecr|cler|cirrh|cirr|psych|psic|neur|ercul|ticul|metri|coli|kyph|dyl|dil|lkal|alcal|opor|cyt|cit|phr|efr|rmat|omat|tom|chym|quim|rthr|artr|canth|erat|lasm|nucle|hidr|teat|ilic|sbest|niconi|ucell|nell|cocc|agn|ogn|opt|cyan|cian|helmint|inth)osis|(?:oi|ci|or)dosis|` +
	`phobias?|fobias?|gly?ca?emia|glucemia|an[ae]?emia|kal[ae]*emia|potasemia|natr[ae]*emia|volemia|ectom(?:y|ies|ia|ias)|otom(?:y|ia)|stom(?:y|ia)|plast(?:y|ia)|algias|[rlt]algia|(?:ur|my|hr|in|lm|hal|ul|el|ngi|ter|den|mm|pat|ste)opathy|opatias?|plegia|paresis|oscop(?:y|ia)|malacia|megaly|megalia|rrhea|(?:men|gon|bor|in)orrea|rrhagia|rragia|dystrophy|distrofia|` +
	`carcinoma|blastoma|sarcoma|adenoma|catalepsia|epilepsia|narcolepsy|narcolepsia|dyspepsia|dispepsia|ypnea|ypnoea|cephaly|cefalia|(?:lept|pyr|pir|megal|till|til|hyp|hip)omania)$`)

// IsDisease reports whether a span is a disease, an operation or an examination by its ending, with nothing beside it that makes it a name.
func IsDisease(text string, s data.Span) bool {
	words := valueOf(text[s.Start:s.End]).words()
	return len(words) == 1 && endsLikeDisease(words[0]) && !termAt(text, s).isNamed()
}

// endsLikeDisease reports whether a folded word has the ending of a disease and is no known name.
func endsLikeDisease(word string) bool {
	return len(word) > 7 && diseaseEnding.MatchString(word) && !isNameOrPlace(word)
}

// areOrdinary reports whether folded words are ordinary ones: no name, and no institution.
func areOrdinary(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		return !functionWords[word] && (!wordlists.Common(word) || isNameOrPlace(word) || institutionsInWords()[word])
	})
}

// institutionsInWords are parts of the names of institutions.
var institutionsInWords = sync.OnceValue(func() map[string]bool {
	return union(foldedEntries("en-organization-cues"), wordlists.Set("hospital hospitals clinic clinics centre center house home school university college church care unit ward clinica centro residencia colegio instituto universidad casa hogar ambulatorio consultorio unidad servicio planta"))
})
