package safetynet

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file recognizes clinical words that networks take for names, places and institutions where there is little around them: diseases, operations, microbes, instruments, parts of the body,
// genes and phrases of a visit. All lists are closed. A word that is the name of a person as well counts only where the words around it leave no doubt.

// maxClinical is the maximum length of a clinical term in bytes, and besideClinical that of what is read on either side.
const (
	maxClinical    = 72
	besideClinical = 48
)

// IsClinical reports whether a span of a text is a clinical term or a phrase, and no name.
func IsClinical(text string, s data.Span) bool {
	if s.End-s.Start > maxClinical {
		return false
	}
	t := termAt(text, s)
	if t.value == "" {
		return false
	}
	return t.isDisease() || t.isMicrobe() || t.isInstrument() || t.isSideOfBody() || t.isGene() || t.isPurpose() || t.isTomography() || t.isAgency() || t.isKinAdjective() || t.isInterjection()
}

// termAt returns a span of a text, without the signs at its ends, as a term.
func termAt(text string, s data.Span) *term {
	value := strings.Trim(text[s.Start:s.End], " \t.,;:()")
	start := s.Start + strings.Index(text[s.Start:s.End], value)
	left, right := lastBytes(text[:start], besideClinical), firstBytes(text[start+len(value):], besideClinical)
	left = left[strings.LastIndexAny(left, "\n\r")+1:]
	return &term{value: value, left: left, right: right, folded: strings.Fields(fold.Fold(value))}
}

// term is a value with the text on both sides, which begins at the start of the line.
type term struct {
	value, left, right string
	folded             []string // the words of the value
}

// isNamed reports whether the word before the value, or the one behind it, makes it the name of a person, a street or an institution, or is a name itself.
func (t *term) isNamed() bool {
	if behindNames.MatchString(t.right) {
		return true
	}
	if m := nextCapitalized.FindStringSubmatch(t.right); m != nil && mayBeName(m[1]) {
		return true
	}
	words := split(t.left)
	if len(words) == 0 {
		return false
	}
	before, between := words[len(words)-1], strings.TrimSpace(t.left[words[len(words)-1].end:])
	switch {
	case between == "" && before.capitalized && mayBeName(before.fold), isTitle(before.fold), people[before.fold], strings.Trim(between, ".") == "" && namers[before.fold]:
		return true
	case strings.HasPrefix(between, ":"):
		return labels[before.fold] || endsWith(before.fold+" ", namings)
	}
	return between == "" && (relatives()[before.fold] || endsWith(strings.Join(strings.Fields(fold.Fold(t.left)), " ")+" ", namings))
}

var (
	// nextCapitalized matches a word with a capital that directly follows, and behindNames a sign or a word that makes a name of the one before it.
	nextCapitalized = lazyregexp.New(`^ (\p{Lu}[\pL'’-]+)`)
	behindNames     = lazyregexp.New(`^(?:['’]s\b|[-_@]\pL| (?i:street|st|road|rd|ave|avenue|lane|drive|ward|unit|clinic|cl[íi]nica|hospital|house|home|center|centre|centro|pharmacy|farmacia|residencia|MD|RN|NP|DO|said|called|dice|llama)\b|, (?i:MD|RN|NP|DO)\b)`)
)

// mayBeName reports whether a word is no ordinary one, or a name as well.
func mayBeName(word string) bool {
	word = fold.Fold(word)
	return isPersonal(word) || !wordlists.Common(word) && !diseaseWords()[word]
}

func isPersonal(folded string) bool { return surrogate.IsFirstName(folded) || isKnownSurname(folded) }

// diseaseWords are diseases, signs and operations that are no names.
var diseaseWords = sync.OnceValue(func() map[string]bool { return wordlists.Set(listText("diseases")) })

var (
	// lateral are abbreviations of limbs, eyes and ears with their side, which are no initials of an institution.
	lateral = wordlists.Set("midch midcho miizq miizqdo msdch msdcho msizq msizqdo odcho oder oizq oizqdo")
	// abbreviated are those of rare diseases, which count behind the words for a diagnosis.
	abbreviated = wordlists.Set("agep cmml cteph hht hlh jrch kfd lch pvns rcvs xgp")
	diagnosed   = lazyregexp.New(`(?i)(?:\b(?:hx of|history of|f/u for|follow-up for|diagnosed with|diagnosis of|case of|suspected|diagn[óo]stico de|diagnosticad[oa] de|sospecha de)|\bh/o) $`)
)

// isDisease reports whether all words of the value are diseases or operations.
func (t *term) isDisease() bool {
	if len(t.folded) == 1 && (lateral[t.folded[0]] || abbreviated[t.folded[0]] && diagnosed.MatchString(t.left)) {
		return !t.isNamed()
	}
	for _, word := range t.folded {
		if !diseaseWords()[word] || isPersonal(word) {
			return false
		}
	}
	return !t.isNamed()
}

var (
	// microbe matches the genus of a microbe or its first letters, and the species. No frequent genus begins with J.
	microbe = lazyregexp.New(`(?:^|[^\pL.])([A-IK-PR-VY]\p{Ll}{0,3}\. ?|\p{Lu}\p{Ll}{3,16} )(\pL{3,24})`)
	// infected matches the end of a text behind which a microbe stands.
	infected = lazyregexp.New(`(?i)\b(?:caused by|due to|infect(?:ions?|ed) (?:by|with)|colonized with|grew|grow(?:s|ing)|isolated|cultures?:|cx:|positive for|negative for|treated for|salmonella|serovar|serotipo|infecci[óo]n(?:es)? (?:por|de)|crec(?:e|i[óo])|cultivos?:|a[íi]sl(?:a|an|[óo])|positiv[oa]s? (?:para|a)|producid[oa] por|causad[oa] por|presencia de|tratad[oa] de|colonizad[oa] por) ?$`)
	species  = sync.OnceValue(func() map[string]bool { return wordlists.Set(listText("species")) })
	// namedSpecies are those that are names of people or towns, which count behind the words of an infection only.
	namedSpecies = wordlists.Set("agona dublin enteritidis hadar heidelberg infantis javiana kentucky montevideo newport panama quintana saintpaul typhi virchow")
)

// isMicrobe reports whether the value is a microbe or a part of its name: C. koseri.
func (t *term) isMicrobe() bool {
	next, _, _ := strings.Cut(strings.TrimLeft(t.right, ". "), " ")
	if !slices.ContainsFunc([]string{t.folded[len(t.folded)-1], fold.Fold(strings.TrimFunc(next, noLetter))}, func(word string) bool { return namedSpecies[word] || species()[word] }) {
		return false
	}
	text := t.left + t.value + t.right
	for _, m := range microbe.FindAllStringSubmatchIndex(text, -1) {
		if m[2] > len(t.left) || m[5] < len(t.left)+len(t.value) {
			continue
		}
		genus, word, before := text[m[2]:m[3]], text[m[4]:m[5]], text[:m[2]]
		name := fold.Fold(word)
		switch {
		case namedSpecies[name]:
			return strings.Contains("S. B. ", genus) && infected.MatchString(before)
		case !species()[name], (&term{left: before, right: text[m[5]:]}).isNamed():
			return false
		}
		return strings.ToLower(word) == word || infected.MatchString(before)
	}
	return false
}

var (
	// operatingTools are those of operations that are called by the name of a person or a place.
	operatingTools = wordlists.Set(`adson allis babcock balfour bard beaver bennett blake blakemore bonney bookwalter brantley broviac cobb crile cushing davol deaver debakey denhardt doyen edlich ewald ferguson finochietto foley frazier freer
		gelpi gerald gomco groshong halsted harrington heaney hegar hemovac hibbs hickman hohmann jackson joker judd kehr kelly kerrison kocher kuntscher lahey langenbeck leksell levin linton magill malecot mayfield mayo metzenbaum minnesota mixter
		myers o'connor ommaya parker pean penfield penrose pezzer ponsky poole potts pratt ragnell randall richardson robinson rochester rultract rumel rush russian satinsky schnidt senn sengstaken sims steinmann swan-ganz
		thompson tuohy vascath veress volkmann weitlaner weck wright yankauer yasargil`)
	instrumentBefore = lazyregexp.New(`(?:^|[\s(])(?i:the|an?|another|second|single)(?: #?[0-9]{1,2}(?:[ -]?(?:Fr|French|F|mm))?)?(?: (?:long|small|large|medium|straight|curved|round|flat|fluted))? $`)
	instrumentAfter  = lazyregexp.New(`^(?: (?i:drain|tube|retractor|clamp|catheter|pin|rod|nail)s?\b| (?:was|were)(?: then)?(?: (?:carefully|again|gently))? (?:(?:re)?(?:placed|inserted|positioned)|removed|passed|released|withdrawn|introduced|advanced)\b)`)
	ofNoInstrument   = lazyregexp.New(`^[\pL ]{1,40} (?:on (?:leave|hold|probation|lockdown|the (?:list|market))|in (?:charge|custody|foster|receivership))\b`)
	sizeBefore       = lazyregexp.New(`(?:^|[\s(])(?i:an?|the|one|two|single) #?$`)
	sizedInstrument  = lazyregexp.New(`^(?:[ -](?:Fr|French|F))?(?: (?:round|flat|fluted))? (\p{Lu}[\pL-]+) (?:drain|tube|catheter)s?\b`)
)

// isInstrument reports whether the value is an instrument that is used (The Balfour was placed), or the size of one (a 19 Blake drain).
func (t *term) isInstrument() bool {
	if len(t.folded) != 1 {
		return false
	}
	if len(t.value) <= 2 && startsWithDigit(t.value) {
		m := sizedInstrument.FindStringSubmatch(t.right)
		return m != nil && operatingTools[fold.Fold(m[1])] && sizeBefore.MatchString(t.left)
	}
	return operatingTools[t.folded[0]] && instrumentBefore.MatchString(t.left) && instrumentAfter.MatchString(t.right) && !ofNoInstrument.MatchString(t.right)
}

// sides are words for a side of the body.
var sides = wordlists.Set("izquierdo izquierda izquierdos izquierdas derecho derecha derechos derechas bilateral bilaterales superior inferior")

// isSideOfBody reports whether the value is a part of the body with its side, or one of both beside the other: Oído Izquierdo.
func (t *term) isSideOfBody() bool {
	organ, side := t.folded[0], t.folded[len(t.folded)-1]
	switch {
	case len(t.folded) > 2:
		return false
	case len(t.folded) == 1 && sides[side]:
		organ = lastWordOf(t.left)
	case len(t.folded) == 1 && !wordlists.Body("es", organ):
		return false
	case len(t.folded) == 1:
		next := strings.Fields(fold.Fold(t.right))
		if len(next) == 0 || !strings.HasPrefix(t.right, " ") {
			return false
		}
		side = strings.Trim(next[0], ".,;:")
	}
	if strings.HasSuffix(side, "o") && (strings.HasSuffix(organ, "a") || organ == "mano") { // Mano Izquierdo is a name
		return false
	}
	return sides[side] && wordlists.Body("es", organ) && !isPersonal(organ) && !(&term{left: t.left, right: t.right}).isTitled()
}

// isTitled reports whether a title or a word for a person precedes the value.
func (t *term) isTitled() bool {
	word := lastWordOf(t.left)
	return isTitle(word) || people[word]
}

// lastWordOf returns the folded last word of a text.
func lastWordOf(text string) string {
	words := strings.Fields(fold.Fold(text))
	if len(words) == 0 {
		return ""
	}
	return strings.Trim(words[len(words)-1], ".,;:()")
}

var (
	// carrier matches the end of a text behind which a gene stands.
	carrier = lazyregexp.New(`(?i)\b(?:portador[ae]?s? (?:de(?: la| el)?|del(?: gen)?)|(?:hetero|homo)cig[oó]t(?:[oa]s?|ic[oa]s?) (?:para|de)(?: la| el)?|carriers? (?:of|for)|(?:hetero|homo)zyg(?:ous|otes?) for|mutaci[óo]n(?:es)? (?:de|en|del gen)|(?:mutations?|variants?) (?:in|of)|variantes? (?:de|en)|biolog[íi]a molecular:|NGS:) $`)
	// ofGene matches a gene, a variant, or both, and variantBehind a variant behind a gene.
	ofGene        = lazyregexp.New(`^(?:(` + gene + `|` + otherGene + `)(?:[ :]|$))?(?:` + shortVariant + `)?$`)
	variantBehind = lazyregexp.New(`^ ` + shortVariant + `(?:$|[^\pL0-9])`)
	// frequentVariant matches variants that are often written without their gene.
	frequentVariant = lazyregexp.New(`^(?:(?:PT|FII|FV) )?(?:A1298C|C677T|G1691A|G20210A|L265P|R506Q|V600E|V617F)$`)
)

// otherGene are more genes, which count only beside a variant or behind the words for a carrier.
const otherGene = `(?:ASXL1|CDH1|CDKN2A|CEBPA|CHEK2|DNMT3A|ETV6|FVL|GATA[123]|KCNH2|KCNQ1|KIT|LMNA|MEN1|MLH1|MSH[26]|MYBPC3|MYH7|NF[12]|NPM1|PALB2|PMS2|PSEN[12]|PTEN|RAD51[CD]|RET|RUNX1|SDH[BCD]|SETBP1|SRSF2|STAT[35]B?|STK11|TET2|U2AF1|VHL|ZRSR2)`

// isGene reports whether the value is a gene or a variant that somebody carries: portador de JAK2 V617F.
func (t *term) isGene() bool {
	switch {
	case len(t.folded) > 3 || !t.beginsLikeGene() || t.value == strings.ToLower(t.value):
		return false
	case frequentVariant.MatchString(t.value):
		return strings.HasSuffix(t.left, "PT ") || !recordLabel.MatchString(lastBytes(t.left, 24))
	}
	m := ofGene.FindStringSubmatch(t.value)
	return m != nil && (carrier.MatchString(t.left) || m[1] == t.value && variantBehind.MatchString(t.right) && !recordLabel.MatchString(lastBytes(t.left, 24)))
}

// beginsLikeGene is a cheap test that all genes and variants pass: they have a capital or a digit behind the first letter, or begin with a word for one.
func (t *term) beginsLikeGene() bool {
	if len(t.value) < 2 {
		return false
	}
	return isUpper(t.value[1]) || isDigit(t.value[1]) || slices.ContainsFunc(beginningsOfGenes, func(s string) bool { return strings.HasPrefix(t.folded[0], s) })
}

// beginningsOfGenes are those of genes that may be in lower case.
var beginningsOfGenes = []string{"prot", "throm", "gen", "factor", "fv", "fii", "leiden"}

// purposes are verbs behind "to" that begin what a patient comes for.
var purposes = wordlists.Set("begin complete continue create discuss establish initiate obtain optimize perform preserve receive reestablish restore resume start undergo")

// isPurpose reports whether the value is a verb with an object that is no name, as in "here to establish care".
func (t *term) isPurpose() bool {
	if len(t.folded) < 2 || !purposes[t.folded[0]] || !strings.HasSuffix(t.left, " to ") || strings.ContainsFunc(t.value, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }) {
		return false
	}
	for _, word := range t.folded[1:] {
		if utf8.RuneCountInString(word) > 2 && (!wordlists.Common(word) && !diseaseWords()[word] && !objects[word] || isPersonal(word) || namers[word]) || beforePlaces[word] {
			return false
		}
	}
	return true
}

// objects are more words for what is done.
var objects = wordlists.Set("neosalpingostomy dialysis hemodialysis fertility")

var (
	tomographyBefore = lazyregexp.New(`(?:^|[.,;(] ?|\b(?i:the|an?|on|by|with|repeat|macular|serial|la|las|una|por|mediante|con|case,) )$`)
	tomographyAfter  = lazyregexp.New(`^(?: (?i:shows?|showed|demonstrat(?:es|ed)|reveal(?:s|ed)|scans?|imag(?:es|ing)|macular|angiography|RNFL|OD|OS|OU|OI|muestra|mostr[óo]|revela|se (?:observan?|aprecian?|objetivan?)|sin alteraciones|was (?:normal|performed|obtained))\b|: ?(?i:normal|no |sin |CMT|RNFL|subretinal|intraretinal|edema|drusen))`)
)

// isTomography reports whether the value is a tomography of the eye and no month.
func (t *term) isTomography() bool {
	return t.value == "OCT" && tomographyBefore.MatchString(t.left) && tomographyAfter.MatchString(t.right)
}

var (
	// agencies are public bodies that recommend and approve.
	agencies = phrasesOf(`nci fda nih ema aemps who oms cdc nice sego semi separ sen semfyc seimc sec sed aeped niddk nhlbi niaid ninds food_and_drug_administration national_cancer_institute national_institutes_of_health
		national_institute_of_health national_institute_of_neurological_disorders_and_stroke national_institute_of_diabetes_and_digestive_and_kidney_diseases national_heart,_lung,_and_blood_institute world_health_organization
		agencia_espanola_de_medicamentos organizacion_mundial_de_la_salud`)
	agencyBefore = lazyregexp.New(`(?i)(?:\b(?:seg[úu]n|according to|guidelines? (?:of|from|by)|recommend(?:ed|ations?) (?:of|by|from)|approved by|approval (?:of|by|from)|criteri(?:a|os) (?:of|de)|gu[íi]as? (?:de|cl[íi]nicas? de)|recomendaciones de|recomendado por|protocolos? de|consenso de|aprobado por|classification (?:of|by)|clasificaci[óo]n de|mission of) ?(?:the|la|el)? ?|\b(?:source|fuente|NIH): |\bon the )$`)
	agencyAfter  = lazyregexp.New(`^(?:['’]s)?(?:[ -](?i:approv(?:ed|al)|website|guidelines?|recommend(?:s|ed|ations?)|criteria|warning|labeling|common terminology|recomienda|aconseja))\b`)
)

// isAgency reports whether the value is a public body that recommends or approves something, and for which nobody is said to work.
func (t *term) isAgency() bool {
	value := strings.TrimPrefix(strings.TrimPrefix(strings.Join(t.folded, " "), "the "), "la ")
	if !agencies[value] {
		return false
	}
	return agencyAfter.MatchString(t.right) || agencyBefore.MatchString(t.left) && (!strings.HasSuffix(t.left, "on the ") || strings.HasPrefix(t.right, " website"))
}

// kinAdjectives are words behind one for a relative that are no names. Some may be surnames if they have a capital.
var (
	kinAdjectives = wordlists.Set("unico unica legal legales principal principales actual")
	smallKin      = wordlists.Set("mediano mediana mayor menor pequeno pequena")
)

// isKinAdjective reports whether the value describes the relative before it: hijo único, tutora legal.
func (t *term) isKinAdjective() bool {
	word := t.folded[0]
	if len(t.folded) != 1 || !kinAdjectives[word] && !smallKin[word] {
		return false
	}
	small, before := t.value == strings.ToLower(t.value), lastWordOf(t.left)
	if !small && t.value != strings.ToUpper(t.value) { // Legal is a surname, too
		return false
	}
	return strings.HasSuffix(t.left, " ") && (kinAdjectives[word] || small) && relatives()[before] || guardians[before] && kinAdjectives[word]
}

// guardians are those who are no relatives by blood.
var guardians = wordlists.Set("cuidador cuidadora tutor tutora pareja")

var (
	interjection = lazyregexp.New(`^(?i:aha|aj[áa]|a+hh+|aa+h+|u+hh+|uhm+|o+hh+|oo+h+|m{3,}|mm-?hmm*|hm{2,}|mhm|uh-?huh|okey|righty-?ho)$`)
	okay         = lazyregexp.New(`^(?i:o\. ?k|o k)$`)
	okayBefore   = lazyregexp.New(`(?:^\s*|[.!?] |(?i:\b(?:ok|okay|yeah|yes|no|well|so|right), ))$`)
	spokenBefore = lazyregexp.New(`(?:^|[.,:;!?—–-]) ?$`)
	spokenAfter  = lazyregexp.New(`^(?:\s*(?:[,!?]|\.(?:$|\s)|\.\.)|\s*$)`)
	okayGoesOn   = lazyregexp.New(`^\.{0,2},? (?i:and|so|then|go|let|let's|now|any|how|what|well|you|we|that|thank|good|great|all|do|did|is|are)\b`)
)

// isInterjection reports whether the value is an interjection of somebody who speaks: Aha, Uhh, O. K.
func (t *term) isInterjection() bool {
	said := interjection.MatchString(t.value) && t.value != strings.ToUpper(t.value) && spokenAfter.MatchString(t.right) // in capitals it may be initials
	if !said && (!okay.MatchString(t.value) || !okayGoesOn.MatchString(t.right) || !okayBefore.MatchString(t.left)) {
		return false
	}
	return spokenBefore.MatchString(t.left) && (!t.isTitled() || strings.HasSuffix(strings.TrimRight(t.left, " "), ":"))
}
