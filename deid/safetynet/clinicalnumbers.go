package safetynet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds numbers of medicine that networks take for dates, ages and identifiers: lists of teeth and ribs, Apgar scores, series of results, measured values from 90 to 99, which look like
// ages, doses before a time of day, ordinals of days after an operation, and counts of blood cells. Each form needs the word that tells what is counted.

const (
	listSign = `(?: ?[-–/] ?|,? (?:and|y|e|&) |, ?| )`
	listOf   = `[1-9][0-9]?(?:` + listSign + `[1-9][0-9]?)`
	ninety   = `9[0-9]|(?i:ninety(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?|noventa(?: y (?:uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?)`
	ordinal  = `(?:[0-9]{1,2}(?:st|nd|rd|th)|(?i:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|twentieth))`
	ordinals = ordinal + `(?:(?:, (?:and |or )?|[-–]| (?:and|or|to|through)(?: the)? )` + ordinal + `){0,11}`
	// care are the words between an ordinal and a day that no date has.
	care = `(?i:post-?op(?:erative)?|hospital(?:ization)?|icu|treatment|gestational|postnatal|postpartum|inpatient|menstrual|cycle)`
	// since is what days and weeks are counted from.
	since     = `(?i:(?:of|after|post|following|since)(?: the| her| his| their)? (?:life|pregnancy|gestation|admission|hospitali[sz]ation|illness|disease|treatment|therapy|chemotherapy|radiotherapy|antibiotics?|surgery|operation|procedure|transplant(?:ation)?|birth|delivery|each cycle|the cycle|cycle|fever|symptoms|stay|age))`
	ordinalES = `[0-9]{1,2}(?:[ºª°]|\.[ºª]|er|do|to|mo|vo|no)`
	sinceES   = `(?:post-?operatori[oa]|postquir[úu]rgic[oa]|posparto|de (?:vida|ingreso|gestaci[óo]n|embarazo|tratamiento|evoluci[óo]n|hospitalizaci[óo]n|estancia|antibi[óo]tico|antibioterapia|postoperatorio|la intervenci[óo]n|la cirug[íi]a|enfermedad|fiebre))`
	teeth     = `(?i:teeth|piezas(?: dentari?[ao]s)?|pzas?\.?|dientes|molares|premolares)`
	tooth     = `(?i:tooth|diente|pieza|crowns?|coronas?|sealants?|sellantes?|caries|extract(?:ions?|ed)?|ext|missing|impacted|exodoncias?|obturaci[óo]n(?:es)?|obturad[ao]s|endodoncias?|ausencias?|semiincluid[ao]s|restos radiculares)`
	measured3 = `(?:INR|IOP|PIO|NPH|EVA|GCS|MC[FP]|MTP|PIP|(?i:glucemias|glicemias|glucoses|niveles|levels|dosis|doses|insulinas?|audiometr[íi]a|weights|pesos|pauta|pain|dolor|ribs|costillas|digits|toes|fingers|dedos|ortejos|vent days|lantus|novorapid|humalog))`
	// sized are vital signs, results and movements whose values may be from 90 to 99, and toSize are the words that may stand between them and the value.
	sized = `(?i:heart rate|pulse|hr|(?:his|her|the|ventricular|my|your) rate|temp|temperature|(?:o2 )?sats?|(?:oxygen )?saturations?|pulse ox|oxygen|(?:blood )?sugars?|(?:sugar|glucose) levels?|(?:blood )?glucose|diastolic|systolic|mean arterial pressure|map|ldl|hdl|cholesterol|ferritin|iq|flex(?:es|ed|ion)|extends|abduct(?:s|ed|ion)|` +
		`frecuencia(?: card[íi]aca)?|fc|saturaci[óo]n|satura(?:ndo)?|glucemia|glicemia|glucosa|pulso|temperatura|tad?|tas|tensi[óo]n (?:m[íi]nima|m[áa]xima|diast[óo]lica|sist[óo]lica)|ferritina|fev1|pam|flexi[óo]n|flexiona|abducci[óo]n|barthel|karnofsky|(?-i:CI|FR|TA))`
	toSize = `(?: (?i:in|the|this|clinic|office|today|morning|evening|was|is|are|were|at|of|on|to|up|down|came|reading|level|hoy|era|es|fue|estaba|basal|capilar|de|a|hasta|en|baja|sube|(?:high|low|upper|lower) end of normal|knee)){0,10}`
	// counted are the counts and results of five digits and more.
	counted   = `(?:RAN|RAL|RPQ|BNP|(?i:(?:nt-?)?pro-?bnp|leucos?|leucocitos|leucocitosis(?: de)?|plaq|plaquetas|recuento de (?:leucocitos|plaquetas)|ferritina|beta[ -]?hcg|b-?hcg|carga viral|neutr[óo]filos|urocultivo|wbc|plt|platelets|neutrophils|viral load))`
	cellAfter = `(?:,? (?:HTO|HCT|Hto|Hct) [1-6][0-9]\b(?:[.,][0-9])?|,? PMN [0-9]{1,2} ?%)`
)

// numberForms are the forms of these numbers.
var numberForms = []notationForm{
	// APGAR 8/9/10
	{form: lazyregexp.New(`\b(?i:apgars?(?: (?:scores?|test|index|al nacer|de|of|was|were|is)){0,3})[ :=(]{1,3}((?:10|[0-9])(?: ?[/-] ?(?:10|[0-9])){1,2})`), holds: endsHere},
	// piezas 8 - 10 - 12 - 20, teeth 3, 4 and 13
	{form: lazyregexp.New(`\b(` + teeth + `(?:,? (?i:n[º°]|numbers?|nos\.?|n[úu]meros|permanentes|temporales|#)){0,2}[ :#]{1,3}` + listOf + `{2,31})`), holds: areTeeth(3)},
	// Crowns on 3-14-19-30, Ext #1-16-17-32
	{form: lazyregexp.New(`\b(` + tooth + `(?:,? (?i:n[º°]|numbers?|nos\.?|de|en|on|of|dientes?|piezas?|teeth|tooth|dentari?[ao]s|#)){0,3}[ :#]{1,3}` + listOf + `{2,31})`), holds: areTeeth(4)},
	// Obs: 8 - 10 - 12 - 20 restos radiculares
	{form: lazyregexp.New(`(` + listOf + `{2,31}) (?i:restos radiculares|con caries|are missing)\b`), holds: areTeeth(4)},
	// INR 8 - 9 - 10
	{form: lazyregexp.New(`\b` + measured3 + `(?: (?i:de|L|OD|OI|capilares|at|was|were|of)){0,2}[ :=]{1,2}([1-9][0-9]?(?: ?[-–] ?[1-9][0-9]?){2,7})`), holds: areResults},
	// heart rate in clinic today was 94
	{form: lazyregexp.New(`\b` + sized + toSize + `[ :=]{1,2}(` + ninety + `)`), holds: isMeasuredValue},
	// walked 95 feet
	{form: lazyregexp.New(`\b(` + ninety + `) (?:feet|meters|metres|metros|steps|pasos|cc|ml|pounds|lbs|kilos|percent|por ciento|degrees|grados|bpm|lpm|mmHg)\b`), holds: isAmountNotAge},
	// se cambia a Deprax 25 por la tarde
	{form: lazyregexp.New(`\pL ([1-9][0-9]{0,2} (?:(?:por|en|a) la (?:mañana|tarde|noche)|al mediod[íi]a|de noche))`), holds: isDoseOfDay},
	// on the 5th postoperative day, between the 7th and the 28th day of life
	{form: lazyregexp.New(`\b((?:[Tt]he )?` + ordinals + ` (?:` + care + ` (?i:days?|weeks?|months?)|(?i:days?|weeks?|months?|decades?|years?|trimesters?) ` + since + `))\b`), holds: isNoDayOfMonth},
	// the 3rd, 5th and 12th nerves, ribs fractured (2nd-10th on the right side and 2nd-11th on the left side)
	{form: lazyregexp.New(`\b((?:[Tt]he )?` + ordinals + `) (?i:(?:cranial )?nerves?|ribs?|percentiles?|toes|fingers|digits|metatarsals?|metacarpals?|vertebrae|intercostal spaces?|MTP|MCP|PIP|generation)\b`), holds: isListOfParts},
	{form: lazyregexp.New(`\b(?i:nerves|ribs|toes|fingers|percentiles|vertebrae)(?: (?i:including|fractured|involved|affected|were|are)){0,2}(?: \(|, | )(?:the )?(` + ordinals + `(?: on the (?:right|left)(?: side)?(?:,? and ` + ordinals + ` on the (?:right|left)(?: side)?)?)?)`), holds: endsHere},
	{form: lazyregexp.New(`\b((?:[Ee]l |[Ll]a )?` + ordinalES + `(?:(?:, | y | al? | o |[-–])` + ordinalES + `){0,7} (?i:d[íi]as?|semanas?|mes(?:es)?) ` + sinceES + `)`), holds: isNoDayOfMonth},
	// 3/4 L of oxygen, 2/2 at patellae, 4/5 R biceps, 2/17 LN positive
	{form: lazyregexp.New(`\b([1-9][0-9]?/[1-9][0-9]? (?i:L of (?:oxygen|O2)|at (?:the )?(?:achilles|patellae?|knees|ankles|biceps|brachioradialis)|NS (?:at|with|\+|@)|SIRS criteria|Centor|Amsel criteria|Kocher criteria|criterios de (?:Ranson|Centor|Amsel|SIRS)|UE/LE|strength (?:in|tube)|LNs? ?\+|(?:LNs?|lymph nodes?) (?:positive|negative)|del espesor))`), holds: isNotDated},
	{form: lazyregexp.New(`\b([0-5]/5|5/4) with [LR][UL]E weakness\b`), holds: isStrength},
	{form: lazyregexp.New(`\b([0-5][+-]?/5[+-]?) (?i:(?:R|L|right|left|bilateral|bilat) )?(?i:biceps|triceps|deltoids?|quads?|quadriceps|hip flexors?|EHL|grip|plantarflexion|dorsiflexion|wrist extensors?|psoas|tibialis)\b`), holds: isStrength},
	{form: lazyregexp.New(`\b(?:M[SI][DI]|M[SI] (?:dcho|izdo)|(?i:de|con) [FB]M|(?i:(?:hemi|para|tetra|mono)?paresia(?: izda?\.?| dcha?\.?| izquierda| derecha)?(?: global)?)) ([0-5][+-]?/5[+-]?|5/4)`), holds: endsHere},
	{form: lazyregexp.New(`\b(?:[FB]M|(?i:deltoids?|biceps|triceps|quads?|EHL|hip flexors?|(?:upper|lower) extremit(?:y|ies):?)) ([0-5][+-]?/5[+-]?|5/4)`), holds: isStrength},
	// GB 28917 HTO 43
	{form: lazyregexp.New(`\b(` + counted + `[ :=(]{1,3}[1-9][0-9]{4,5}` + cellAfter + `?)`), holds: isCount},
	{form: lazyregexp.New(`\b(GB[ :=]{1,2}[1-9][0-9]{4,5}` + cellAfter + `)`), holds: isCount},
	{form: lazyregexp.New(`\b((?:TTPK|TTPA|TP) [0-9]{2} [1-9][0-9]{4,5}` + cellAfter + `)`)},
	// erupción hacia V, factores V, VIII y X
	{form: lazyregexp.New(`\b(?i:hacia|factor(?:es)?|cromosomas?|derivaci[óo]n|punto|par|nervio|tipo|grado|vitamina|hepatitis|cara|rayos|clase|estadio) ([VXLJMSDI]{1,4}(?:(?:, | y | e )[VXI]{1,4}){0,9})`)},
	// ocupan el 80 de la luz, entre el 18 y el 38%
	{form: lazyregexp.New(`\b(?:[Oo]cupan?(?:do)?|[Aa]fectan?(?:do)?(?: al?)?|[Oo]bstruyen?(?:do)?|[Cc]omprometen?) (?:cerca )?(?:d?el |al )([1-9][0-9]?)(?: ?%| por ciento)? de(?:l| la) (?:luz|superficie|espesor|volumen|pulm[óo]n|hemit[óo]rax|circunferencia|di[áa]metro|canal)\b`)},
	{form: lazyregexp.New(`\b[Ee]ntre el ([0-9]{1,2}(?:[.,][0-9])? y el [0-9]{1,2}(?:[.,][0-9])?) ?(?:%|por ciento)`), holds: startsPercent},
	// 5- Osteomalacia at the start of a line, #2 May start diet
	{form: lazyregexp.New(`(?m)^[ \t]{0,4}#?([1-9][0-9]?-) \pL`), holds: isListNumber},
	{form: lazyregexp.New(`#([1-9][0-9]? May) (?:start|eat|take|have|drive|shower|resume|return|need|be|bear|ambulate|advance|remove|continue|use|go|consider|benefit|require)\b`), holds: opensSentence},
}

// opensSentence reports whether a value with its sign begins a line or a sentence.
func opensSentence(before, _, _ string) bool {
	before = strings.TrimRight(strings.TrimSuffix(before, "#"), " \t")
	return before == "" || strings.IndexByte(".;\n", before[len(before)-1]) >= 0
}

// endsHere reports whether numbers do not go on behind a match.
func endsHere(_, _, after string) bool {
	return !partOfMore.MatchString(firstBytes(after, 8)) && !moreOfList.MatchString(firstBytes(after, 8))
}

// moreOfList matches what joins another number to a list.
var moreOfList = lazyregexp.New(`^ ?[-–/] ?[0-9]`)

// numbersOf returns the numbers of a list, and its signs without blanks and words: "-" for 3 - 4 - 13. Mixed signs are of several lists.
func numbersOf(list string) (numbers []int, signs string) {
	for digits := range strings.FieldsFuncSeq(list, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(digits)
		numbers = append(numbers, n)
	}
	for _, sign := range []string{"-", "–", "/", ","} {
		if strings.Contains(list, sign) {
			signs += sign
		}
	}
	return numbers, signs
}

// areTeeth returns a test for a list of at least so many teeth. They ascend, as the parts of most dates do not, and where it might be a date, no other number of the note has the form of one.
func areTeeth(least int) func(before, value, after string) bool {
	return func(before, value, after string) bool {
		numbers, signs := numbersOf(value)
		short := len(numbers) < least && (!spacedTriple.MatchString(value) || !follow(numbers) || hasTriple(before, after))
		if short || len(signs) > 1 && signs != "–" || !endsHere("", "", after) || !ascend(numbers) || phoneWords.MatchString(lastBytes(before, 24)) {
			return false
		}
		if slices.ContainsFunc(numbers, func(n int) bool { return n > 32 }) && slices.ContainsFunc(numbers, func(n int) bool { return n > 85 || n/10 == 0 || n%10 == 0 || n%10 > 8 }) {
			return false
		}
		if signs == "" && len(numbers) < 8 && !strings.ContainsAny(value, "&") && !listWord.MatchString(value) { // a telephone
			return false
		}
		if mayBeOther.MatchString(value) && (!strings.Contains(value, "#") || numbers[len(numbers)-1] > 32) || extractedOn.MatchString(value) {
			return false
		}
		return len(numbers) > 3 || signs == "," || !mayBeDate(numbers) || spacedTriple.MatchString(value) && follow(numbers) && !hasTriple(before, after)
	}
}

var (
	// mayBeOther matches words before teeth that are said of telephones and people, too, and extractedOn those that a day follows.
	mayBeOther  = lazyregexp.New(`^(?i:ext|missing)[^\pL]`)
	extractedOn = lazyregexp.New(`^(?i:extract\pL* on) `)
)

// listWord matches a word between the last two numbers of a list.
var listWord = lazyregexp.New(`[0-9] (?:and|y|e) [0-9]`)

// spacedTriple matches three numbers with blanks around the hyphens, and no word for a day before them.
var spacedTriple = lazyregexp.New(`^(?:[^0-9]*[^0-9n] )?[0-9]{1,2} [-–] [0-9]{1,2} [-–] [0-9]{1,2}$`)

// follow reports whether each of three numbers is one more than that before it.
func follow(numbers []int) bool {
	return len(numbers) == 3 && numbers[1] == numbers[0]+1 && numbers[2] == numbers[1]+1
}

func ascend(numbers []int) bool {
	for i := range len(numbers) - 1 {
		if numbers[i] >= numbers[i+1] {
			return false
		}
	}
	return true
}

// mayBeDate reports whether numbers may be a day, a month and a year. Years before 2010 have a zero.
func mayBeDate(numbers []int) bool {
	a, b, year := numbers[0], numbers[1], numbers[2]
	return len(numbers) == 3 && year > 9 && (a <= 12 && b <= 31 || b <= 12 && a <= 31)
}

// triple matches what has the form of a date.
var triple = lazyregexp.New(`\b(?:[0-9]{1,2}|[0-9]{4}) ?[-/.] ?[0-9]{1,2} ?[-/.] ?(?:[0-9]{2}|[0-9]{4})\b`)

func hasTriple(before, after string) bool {
	return triple.MatchString(before) || triple.MatchString(after)
}

// resultBehind matches what follows a date of a result: "INR 3 - 4 - 21: 2.3".
var resultBehind = lazyregexp.New(`^,? ?(?:[:=(>→] ?)?(?:[0-9]|(?i:was|were|is|era|fue|normal|elevad|alterad|supra|infra)\b)`)

// unitOfList matches the unit of a list of results.
var unitOfList = lazyregexp.New(`^ ?(?:UI|IU|U|dB|mm ?[Hh]g|mg|mcg|units|unidades|gotas)\b`)

// areResults reports whether numbers are a series of results or doses. With hyphens between blanks, or before a unit, three of them are, unless a result follows, which makes them its date.
func areResults(before, value, after string) bool {
	numbers, _ := numbersOf(value)
	switch {
	case !endsHere("", "", after):
		return false
	case len(numbers) > 3: // without blanks they may be a telephone, and six may be two dates
		return len(numbers) != 6 && strings.Contains(value, " ")
	case unitOfList.MatchString(firstBytes(after, 12)), !mayBeDate(numbers):
		return true
	}
	return strings.Contains(value, " ") && (follow(numbers) || inSteps(numbers)) && !ofVaccine.MatchString(lastBytes(before, 24)) && !resultBehind.MatchString(firstBytes(after, 16)) && !hasTriple(before, after)
}

// inSteps reports whether three numbers, the first of which is no low month, rise by the same small step: 10 - 12 - 14.
func inSteps(numbers []int) bool {
	step := numbers[1] - numbers[0]
	return len(numbers) == 3 && numbers[0] > 9 && step > 0 && step < 4 && numbers[2]-numbers[1] == step
}

// ofVaccine matches a word before the dates of vaccinations, which may be one before doses as well.
var ofVaccine = lazyregexp.New(`(?i)\bdos[ie]s\b[^0-9]*$`)

// isMeasuredValue reports whether a number behind a vital sign is no age and no part of something else.
func isMeasuredValue(before, _, after string) bool {
	return !ageBefore.MatchString(lastBytes(before, 60)) && !wearsOxygen.MatchString(lastBytes(before, 32)) && !partOfMore.MatchString(firstBytes(after, 8)) && !aged.MatchString(firstBytes(after, 24))
}

var (
	// wearsOxygen matches what an age may follow: on oxygen at 91.
	wearsOxygen = lazyregexp.New(`(?i)\bon (?:\pL+ )?oxygen [^\n]{0,12}$`)
	// somebody matches a person before an age.
	somebody = lazyregexp.New(`(?i)\b(?:(?:he|she|pt|patient|mother|father|who|age|it)(?: is| was|'s)?|mujer|hombre|var[óo]n|pacientes?|se[ñn]ora?|ancian[oa]|madre|padre|f[eé]mina|female|male|man|woman|lady)(?:,| de|:| of)? ?$`)
)

// isAmountNotAge reports whether a number before a unit is not the age of somebody.
func isAmountNotAge(before, _, _ string) bool {
	return !ageBefore.MatchString(lastBytes(before, 40)) && !somebody.MatchString(lastBytes(before, 24))
}

// medicineOfDay matches the beginning, or the change, of a medicine.
var medicineOfDay = lazyregexp.New(`(?:^|[^\pL])(?i:se cambia a|cambiamos a|a[ñn]ad(?:o|imos)|subimos|bajamos|iniciamos|paut(?:o|amos)|recet(?:o|amos)) (\p{Lu}\p{Ll}{4,})$`)

// isDoseOfDay reports whether the number before a time of day is the dose of the drug before it. A drug that is not known stands behind a word of a prescription, and is no ordinary word and no name.
func isDoseOfDay(before, value, _ string) bool {
	before = strings.TrimRight(before, " ")
	drug := fold.Fold(lastWord(before))
	if isDrug(drug) || brands()[drug] {
		return true
	}
	digits, _, _ := strings.Cut(value, " ")
	if n, _ := strconv.Atoi(digits); n%5 != 0 {
		return false
	}
	m := medicineOfDay.FindStringSubmatch(lastBytes(before, 48))
	return m != nil && !wordlists.Common(drug) && !months()[drug] && !isNameOrPlace(drug)
}

// datedBefore matches what stands before a date.
var datedBefore = lazyregexp.New(`(?i)\b(?:on|seen|since|until|from|dated?|visit|of|by|el|del|desde|hasta|fecha|d[íi]a|visto|path|biopsy|biopsia|the)[ :]{1,2}$`)

// onOxygen matches what follows the flow of oxygen, before which on may stand.
var onOxygen = lazyregexp.New(` L of `)

// signing matches words before the initials of a person beside those of personBefore, and ofTown what follows a postcode.
var (
	signing = lazyregexp.New(`(?i)\b(?:signed|sign|firmado|firma|visto|seen|per|cosigned)[ :]{1,2}$`)
	ofTown  = lazyregexp.New(`^,? \p{Lu}\p{Ll}`)
	// ofColonies matches the unit of a culture, and ofRecord what tells that a number before it is that of a record or a specimen.
	ofColonies = lazyregexp.New(`^ ?(?i:ufc|cfu|col)`)
	ofRecord   = lazyregexp.New(`^,? ?\(?(?i:nhc|n[º°]|n[úu]m\pL*|mrn|id|see|lab|muestra|specimen|sample|historia|de la paciente|del paciente)(?:[^\pL]|$)`)
)

// isCount reports whether a number behind the abbreviation of a result is a result, and not that of a person with these initials or a postcode.
func isCount(before, value, after string) bool {
	if strings.HasPrefix(strings.ToLower(value), "urocultivo") && !ofColonies.MatchString(firstBytes(after, 12)) { // may be the number of the specimen
		return false
	}
	return endsHere("", "", after) && !ofRecord.MatchString(firstBytes(after, 24)) && !ofTown.MatchString(firstBytes(after, 8)) && !personBefore.MatchString(lastBytes(before, 60)) && !signing.MatchString(lastBytes(before, 16))
}

// monthBefore matches a month before its day.
var monthBefore = lazyregexp.New(`(?i)(?:^|\PL)` + wordlists.Month + `[.,]? (?:the )?$`)

// isNoDayOfMonth reports whether an ordinal is not the day of a month before it, and whether no number follows what is counted: May 3rd, postoperative day 3.
func isNoDayOfMonth(before, _, after string) bool {
	return !monthBefore.MatchString(lastBytes(before, 24)) && (!strings.HasPrefix(after, " ") || !startsWithDigit(after[1:]))
}

// noListNumber matches what follows the number of a house or a day.
var noListNumber = lazyregexp.New(`(?i)^ (?:(?:de )?` + wordlists.Month + `(?:[^\pL]|$)|[^\n]*\b(?:st|street|ave|avenue|rd|road|dr|drive|ln|lane|blvd|ct|court|way|place|calle|avenida|bajo|piso)\b)`)

// isListNumber reports whether a number at the start of a line is that of an entry of a list.
//
// The numbers before and behind it, if there are some, are those of entries, too, and the word behind it is no name.
func isListNumber(before, value, after string) bool {
	n := number(strings.TrimSuffix(value, "-"))
	if noListNumber.MatchString(firstBytes(after, 60)) || !hasEntry(lastBytes(before, listLength), n-1) && !hasEntry(firstBytes(after, listLength), n+1) {
		return false
	}
	words := split(firstBytes(after, 40))
	return len(words) > 0 && !mayBeName(words[0].fold)
}

// listLength is how many bytes on either side of an entry of a list the next one may begin.
const listLength = 400

// hasEntry reports whether an entry with a number begins on a line of a text.
func hasEntry(text string, n int) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t#"), strconv.Itoa(n)+"-") {
			return true
		}
	}
	return false
}

// comesOn matches words before the day on which somebody comes.
var comesOn = lazyregexp.New(`(?i)\b(?:came|comes?|coming|seen|visit\pL*|returns?|returned|admitted|presented|fell|appt|appointment|due)\b[^\n.;]{0,16}\bon (?:the )?$`)

// isListOfParts reports whether ordinals before a part of the body are a list of such parts: "on the 8th, 9th rib sore" has a day.
func isListOfParts(before, value, after string) bool {
	joined := !strings.Contains(value, ",") || strings.Contains(value, " and ") || strings.Contains(value, " or ")
	return joined && !comesOn.MatchString(lastBytes(before, 40)) && isNoDayOfMonth(before, value, after)
}

// isNotDated reports whether no word stands before a fraction that a date follows.
func isNotDated(before, value, after string) bool {
	parts := fractionPart.FindStringSubmatch(value)
	n, m := number(parts[1]), number(parts[2])
	if onOxygen.MatchString(value) {
		return n < m && m <= 8
	}
	if strings.HasSuffix(value, " del espesor") {
		return n < m
	}
	return n <= m && !ofEvent.MatchString(lastBytes(before, 24)) && !datedBefore.MatchString(lastBytes(before, 16)) && !strings.HasSuffix(before, "/")
}

var (
	// ofStrength matches a word for the strength of muscles in a text, and otherFifth another value of it.
	ofStrength = lazyregexp.New(`(?i)\b(?:strength|motor|power|mmt|mrc|muscle|weak(?:ness)?|paresis|fuerza|balance muscular|debilidad|paresia)\b`)
	otherFifth = lazyregexp.New(`(?:^|[^0-9/])[0-5][+-]?/5(?:$|[^0-9/])`)
	// ofEvent matches words of what happens on a day, among them injections into a muscle.
	ofEvent = lazyregexp.New(`(?i)\b(?:last|seen|since|collapsed|onset|sudden|began|started|signed|attorney|adm|admit\pL*|present\pL*|cva|stroke|ed|er|fell|fall|mri|ct|shot|vaccin\pL*|inject\pL*|given|im|tdap|flu|botox|biops\pL*|surgery|visit|vacun\pL*|inyect\pL*|visto|vista|ingres\pL*|cirug[íi]a)\b`)
)

// isStrength reports whether a fraction beside a muscle is its strength: a word for it precedes, or another such value stands in the line, and nothing that happens on a day does.
func isStrength(before, value, after string) bool {
	before, after = lastBytes(before, 60), firstBytes(after, 60)
	before = before[strings.LastIndexAny(before, "\n.;")+1:]
	line, _, _ := strings.Cut(after, "\n")
	if !endsHere("", "", after) || ofEvent.MatchString(before) || datedBefore.MatchString(lastBytes(before, 16)) || strings.HasSuffix(before, "/") {
		return false
	}
	return ofStrength.MatchString(before) || otherFifth.MatchString(before) || otherFifth.MatchString(line) || strings.ContainsAny(value, "+-")
}

// startsPercent is true for two percentages in ascending order.
func startsPercent(_, value, _ string) bool {
	first, second, _ := strings.Cut(value, " y el ")
	return number(first) < number(second)
}
