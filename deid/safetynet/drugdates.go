package safetynet

import (
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds days and months behind drugs and their doses ("vancomycin 11/23", "Lasix 40 mg IV 5/3, 80 mg 5/5", "ceftriaxona 1 g iv 3/5-7/5"), behind the numbers of cycles and units,
// beside results, and in chains with arrows. There, a value is a date unless it has the form of a dose.

// isGiven reports whether the value stands behind a drug or a dose, and is neither a dose itself nor a duration as the British write it.
func (v dayMonth) isGiven(b beside, words dateLanguage, o order) bool {
	readings := o
	if o == anyOrder {
		readings = words.order
	}
	switch {
	case v.sep != '/' || len(v.readings(readings)) == 0 || b.isDose() || v.isTablet(b) || v.isPartOfTablet(b, words) || v.isEvery(b, words) || v.isPainAfter(b):
		return false
	case words.british && (o == dayFirst && (v.second == 7 || v.second == 12) || v.first == 2 && v.second == 2): // 2/2 is "secondary to"
		return false
	}
	return v.isBehindDrug(b) && (!v.isPart(10) || !b.isScore() && !monofilament.MatchString(b.before) && !b.isBehindPainkiller()) || countedBefore.MatchString(b.before) && !v.isPart(4, 5)
}

// isBehindDrug reports whether a drug or a dose precedes the value directly, which is no strength of a combination and no pair of doses, such as those of insulins in the morning and in the
// evening.
func (v dayMonth) isBehindDrug(b beside) bool {
	if doseBefore.MatchString(b.before) {
		return true
	}
	rest := strings.TrimRight(b.before, " \t\u00a0:=,(<~-")
	if rest == b.before {
		return false
	}
	word := lastWord(rest)
	switch {
	case word == "":
		return false
	case strengthWords[word], strings.ContainsAny(word, "/-") && isCombination(word), isSecondOfTwo(rest):
		return !combinedStrengths[[2]int{v.first, v.second}]
	case splitWords[word]:
		return v.first <= 12 && v.second > 12 || lastsAfter.MatchString(b.after)
	}
	return isDrug(word)
}

// isBehindPainkiller reports whether the dose of a painkiller precedes the value, which is no part of a range or list of dates, or a painkiller before two values out of 10: the 8/10 of "ketorolac 30 mg 8/10" is the pain before it.
func (b beside) isBehindPainkiller() bool {
	m := furtherPart.FindStringSubmatch(b.after)
	before := painkillerBefore.FindStringSubmatch(b.before)
	return before != nil && (m == nil && before[1] != "" || m != nil && m[1] == "10")
}

// isTablet reports whether the value is a part of a tablet of an anticoagulant, one of several parts, as in 1/4-1/2, or one by the words behind it: 1/2 if needed.
func (v dayMonth) isTablet(b beside) bool {
	return v.isPart(2, 4) && v.first%2 == 1 && (anticoagulantBefore.MatchString(b.before) || tabletAfter.MatchString(b.after) || tabletBefore.MatchString(b.before) || tabletWords.MatchString(b.after))
}

// isPartOfTablet reports whether the value is a part of a tablet, or tablets every so many hours as the Spanish write them, with words of a dose beside it. Where something is begun or given, or
// other days stand beside it, it may be a date.
func (v dayMonth) isPartOfTablet(b beside, words dateLanguage) bool {
	if !tabletParts[[2]int{v.first, v.second}] && !v.isPerHours(words) || b.mayBeDated() {
		return false
	}
	return partAfter.MatchString(b.after) || !words.british && strengthBefore.MatchString(b.before)
}

// isPerHours reports whether the value may be a Spanish number of tablets or puffs and the hours after which they are repeated: 1/8, 2/12.
func (v dayMonth) isPerHours(words dateLanguage) bool {
	return !words.british && v.first <= 2 && slices.Contains([]int{4, 6, 8, 12}, v.second)
}

// isEvery reports whether the value is a Spanish dose and its hours: in a list of analgesics ("Nolotil 1/8, paracetamol 1/8"), or behind a drug of which it is a usual strength, if the
// sentence has other schedules ("omeprazol 20 mg/24h, apixabán 5/12").
func (v dayMonth) isEvery(b beside, words dateLanguage) bool {
	if words.british || !slices.Contains([]int{4, 6, 8, 12}, v.second) || b.mayBeDated() || len(b.last) == 0 {
		return false
	}
	drug := b.last[len(b.last)-1]
	if analgesics[drug] && v.first <= 2 {
		before, after := perHoursBefore.FindStringSubmatch(b.before), perHoursAfter.FindStringSubmatch(b.after)
		if before != nil && analgesics[before[1]] || after != nil && analgesics[after[1]] {
			return true
		}
	}
	return slices.Contains(usualStrengths[drug], v.first) && (scheduleBeside.MatchString(b.before) || scheduleBeside.MatchString(b.after))
}

// isPainAfter reports whether the value is the pain that an analgesic has left: "tras paracetamol 3/10".
func (v dayMonth) isPainAfter(b beside) bool {
	n := len(b.last)
	return v.isPart(10) && n > 1 && analgesics[b.last[n-1]] && slices.Contains([]string{"tras", "after"}, b.last[n-2]) && !b.mayBeDated() && !strings.HasSuffix(b.before, "(")
}

// mayBeDated reports whether a verb of what happens on a day, a duration, or another day and month of the sentence stands beside the value.
func (b beside) mayBeDated() bool {
	if givenOn.MatchString(b.before[strings.LastIndex(b.before, ". ")+1:]) || lastsAfter.MatchString(b.after) || untilAfter.MatchString(b.after) {
		return true
	}
	sentence, _, _ := strings.Cut(b.after, ". ")
	for _, text := range []string{b.before[strings.LastIndex(b.before, ". ")+1:], sentence} {
		for _, other := range dayMonthsIn(text) {
			if other.sep == '/' && !tabletParts[[2]int{other.first, other.second}] && !slices.Contains([]int{4, 6, 8, 12, 24}, other.second) {
				return true
			}
		}
	}
	return false
}

// isDose reports whether what follows the value makes it a dose. How long or how often something was given does not: "5/3 x 5 days".
func (b beside) isDose() bool {
	return doseAfter.MatchString(b.after) || b.isAmount() && !lastsAfter.MatchString(b.after)
}

// isDated reports whether the value is a date by the values beside it: one of a chain with arrows in one month ("5/3->5/5->5/8"), or one of several with a result each ("PCR 3/5 120, 5/5 80").
func (v dayMonth) isDated(b beside, language string) bool {
	if v.sep != '/' || v.isOneOfSettings(b) {
		return false
	}
	if m := chainAfter.FindStringSubmatch(b.after); m != nil && language == "en" && number(m[1]) == v.first && v.first <= 12 && v.second < number(m[2]) && number(m[2]) <= 31 {
		return v.first > 1 || v.second > 8 || !strings.Contains(" 2 4 8 16 ", " "+m[2]+" ") // 1/2 -> 1/4 are titres
	}
	m := resultAfter.FindStringSubmatch(b.after)
	if m == nil || !resultBefore.MatchString(b.before) {
		return false
	}
	if language == "es" {
		return number(m[2]) == v.second && v.first < number(m[1]) || number(m[2]) == v.second%12+1
	}
	return number(m[1]) == v.first && v.second < number(m[2]) || number(m[1]) == v.first%12+1
}

// isOneOfSettings reports whether a word for what changes from one fraction to another stands shortly before the value, and this may be such a fraction: the acuity of an eye, the pressures of a
// ventilator, a strength, or doses of insulin.
func (v dayMonth) isOneOfSettings(b beside) bool {
	m := settingBefore.FindStringSubmatch(b.before)
	switch {
	case m == nil:
		return false
	case m[1] != "": // acuity
		return v.first == 6 || v.first == 3 || v.first == 20
	case m[2] != "": // strength
		return v.isPart(4, 5)
	}
	return v.first >= 4 && v.second >= 4 && v.second <= 12
}

// continues reports whether the value goes on the range or list of a date before it.
func (v dayMonth) continues(text string, b beside, last dayMonth, words dateLanguage, o order) bool {
	if v.sep != last.sep || v.start-last.end > longestJoint || b.isDose() || v.isOneOfSettings(b) {
		return false
	}
	gap := text[last.end:v.start]
	if o == anyOrder {
		o = words.order
	}
	switch {
	case rangeJoint.MatchString(gap):
	case listJoint.MatchString(gap) || resultJoint.MatchString(gap):
		if b.isOfNoun() || v.isPart(4, 5, 10) && b.isScore() {
			return false
		}
	default:
		return false
	}
	for _, day := range v.readings(o) {
		for _, before := range last.readings(o) {
			if after := (day - before + 366) % 366; after > 0 && after <= maxContinued {
				return true
			}
		}
	}
	return false
}

const (
	longestJoint = 24
	maxContinued = 92 // days between two dates of a range or a list
)

// DaysAfter returns the days of one month behind a day and month in digits that is a date: the 4 and 5 in "5/3, 4, 5", the 07 in "05/03 to 07", the 15/24 in "6/12 to 15/24". The first
// number is the month.
func DaysAfter(text string, date data.Span) (days []data.Span) {
	v := dayMonth{start: date.Start, end: date.End}
	month, day, ok := strings.Cut(text[date.Start:date.End], "/")
	if v.first, v.second = number(month), number(day); !ok || v.first < 1 || v.first > 12 || len(day) > 2 {
		return nil
	}
	rest := firstBytes(text[date.End:], 40)
	if m := dayAndYear.FindStringSubmatchIndex(rest); m != nil {
		if n := number(rest[m[2]:m[3]]); n > max(12, v.second) && n <= maxDays[v.first] {
			return []data.Span{{Start: date.End + m[2], End: date.End + m[4], Type: date.Type, Score: date.Score}}
		}
	}
	m := daysOfList.FindStringSubmatchIndex(rest)
	if m == nil || amountAfterDay.MatchString(rest[m[1]:]) || m[2] >= 0 && wordAfterDay.MatchString(rest[m[1]:]) {
		return nil
	}
	last := v.second
	for _, at := range oneDayOfList.FindAllStringIndex(rest[:m[1]], -1) {
		n := number(rest[at[0]:at[1]])
		if n <= last || n > maxDays[v.first] {
			return nil
		}
		last = n
		days = append(days, data.Span{Start: date.End + at[0], End: date.End + at[1], Type: date.Type, Score: date.Score})
	}
	return days
}

// isDrug reports whether a folded word is a drug: one of the lists, or one whose ending only drugs have.
func isDrug(word string) bool {
	return drugNames()[word] || len(word) > 6 && lettersOfDrugs[word[len(word)-3:]] && drugEnding.MatchString(word) && !notDrugs[word] && !strings.HasSuffix(word, "vivir")
}

// lettersOfDrugs are the last three letters of the endings of drugEnding, which most words do not have.
var lettersOfDrugs = wordlists.Set(`aco asa ast ate ato ban cin dol eno fen gin ida ide ilo ina ine inn ino iol ion ioo ium lac lam lin lol mab min mus nac nem nib nil nio nyl ole ona one pam pio ran ril rin rol ron sin tam tan
	tim tin tio vir xat xel xib xin ylo zin zol`)

// isCombination reports whether a folded word consists of several drugs: amlodipine/benazepril.
func isCombination(word string) bool {
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '/' || r == '-' }) {
		if !isDrug(part) && part != "hctz" && part != "apap" {
			return false
		}
	}
	return true
}

// isSecondOfTwo reports whether a folded text ends in two drugs: amlodipine and benazepril.
func isSecondOfTwo(text string) bool {
	m := secondOfTwo.FindStringSubmatch(text)
	return m != nil && isDrug(m[1]) && (isDrug(m[2]) || m[2] == "hctz")
}

// drugNames are the drugs of the lists, and those that stand before dates most often, folded.
var drugNames = sync.OnceValue(func() map[string]bool {
	return union(foldedEntries("en-ambiguous-drugs", "es-ambiguous-drugs"), phrasesOf(`abx acyclovir adalimumab aldactone aldocumar aldomet altace amikacin amiodarona amphotericin ampho ancef antibiotics
		antibiotico antibioticos aranesp ativan atb augmentine avastin avelox azactam azithro aztreonam basaglar belatacept benlysta betadine biaxin bivalirudin botox buscopan calcium carboplatin
		caspofungin ceftaroline chloroquine cisplatin cefadroxil claforan clofarabine colistin colistina copaxone cordarone cosentyx cubicin cyclosporine cytoxan dapto daptomycin daratumumab
		daunorubicin ddavp decadron denosumab depo-provera depo-medrol dexa diamox diflucan digibind diuril dobutamine dobutamina dulera dupixent enbrel entyvio epo epoetin epogen eptifibatide
		eraxis erbitux ertapenem esmolol etoposide eylea factor feraheme filgrastim fludarabine fluorouracil folfiri folfirinox folfox fortaz fragmin furadantin gemcitabine gemzar gent gentamicina
		gentamycin granix haldol hep heparina herceptin hidroxil humira ibrutinib imuran infed injectafer insulin insulina integrilin invanz invega ivig kanamycin kayexalate kenalog keytruda
		kcl kepra kcentra lanoxin lemtrada leucovorin leucovorine lexiscan lopressor lucentis lupron macrobid magnesium marevan maxipime medrol melphalan mero merrem mesna metamizol mestinon
		methylpred milrinone mono mycamine nafcillin naloxone natalizumab neulasta neupogen neurobion nimodipine nivolumab nolotil norepinephrine nplate ocrevus octreotide opdivo orencia oseltamivir
		oxytocin paxlovid pembrolizumab pentamidine percocet pitocin plasma pred premarin primaxin primperan prolia prolastin protamine pulmicort rabies reclast refludan remdesivir remicade
		retacrit rhogam rifampin rifaximin rituxan rocephin rocefalin rogam sandostatin septra sintrom solu-medrol solumedrol soliris stelara steroids synagis synercid tamiflu tazocel tecentriq teriflunomide
		thymoglobulin ticarcillin tigecycline tigeciclina timentin tobra tobramycin toradol torsemide tpa tranexamic txa tygacil unasyn urbason valcyte valganciclovir vanc vanco vantin vasopressin
		velcade venofer vfend vidaza vincristine vitamin vivitrol voriconazole xgeva xigris xolair zinacef zithro zoledronic zoledronato zometa zyvox zyvoxid zosyn tazo pip-tazo pip/tazo`))
})

var (
	// strengthWords are combinations, behind which the strengths of both drugs stand.
	strengthWords = phrasesOf(`advair buprenorphine caduet entresto hctz lotrel norco percocet rosuvastatina seretide sinemet soliqua suboxone symbicort vicodin vytorin xultophy zestoretic
		atozet azor exforge femhrt glyxambi inegy junel loestrin microgestin qtern symbyax targin targinact twynsta ziac zubsolv`)
	// splitWords are drugs with a dose in the morning and one in the evening.
	splitWords = phrasesOf(`aspart detemir glargina glargine humalog insulin lantus levemir lispro nph novolog novorapid prograf tacrolimus toujeo tresiba`)
	// analgesics are given every so many hours, and the pain is asked for afterwards.
	analgesics = phrasesOf(`acetaminophen adolonta codeina dexketoprofeno diclofenaco dilaudid efferalgan enantyum fentanilo fentanyl gelocatil hydromorphone ibuprofen ibuprofeno ketorolac
		ketorolaco metamizol morfina morphine motrin naproxeno nolotil norco oxycodone paracetamol percocet petidina termalgin toradol tramadol tylenol zaldiar`)
	// notDrugs end as drugs do.
	notDrugs = phrasesOf(`cholesterol colesterol triglyceride`)
)

// tabletParts are the parts of a tablet that are usual.
var tabletParts = map[[2]int]bool{{1, 2}: true, {1, 3}: true, {1, 4}: true, {1, 8}: true, {2, 3}: true, {3, 4}: true}

// usualStrengths are those of drugs that Spanish notes give with the hours behind them.
var usualStrengths = map[string][]int{
	"amlodipino": {5, 10}, "apixaban": {5}, "atrovent": {2, 4}, "bisoprolol": {5, 10}, "budesonida": {1, 2}, "carvedilol": {6}, "dacortin": {5, 10}, "dexametasona": {4, 8}, "diazepam": {5, 10},
	"eliquis": {5}, "enalapril": {5, 10, 20}, "fortecortin": {4, 8}, "ipratropio": {2, 4}, "metoclopramida": {10}, "morfina": {5, 10}, "ondansetron": {4, 8}, "oxicodona": {5, 10, 20},
	"prednisona": {5, 10}, "primperan": {10}, "pulmicort": {1, 2}, "ramipril": {5, 10}, "salbutamol": {2, 4}, "ventolin": {2, 4},
}

// combinedStrengths are the strengths of combinations that may be a day and a month.
var combinedStrengths = map[[2]int]bool{
	{1, 5}: true, {1, 10}: true, {1, 20}: true, {3, 25}: true, {4, 1}: true, {5, 5}: true, {5, 10}: true, {5, 12}: true, {5, 20}: true, {5, 25}: true, {6, 25}: true, {8, 2}: true,
	{10, 5}: true, {10, 10}: true, {10, 12}: true, {10, 20}: true, {10, 25}: true, {12, 3}: true, {12, 25}: true, {20, 5}: true, {20, 10}: true, {20, 12}: true, {25, 5}: true, {25, 10}: true,
}

const (
	unitOfDose  = `(?:mg|mcg|gm?|gr|grams?|ml|meq|mmol|units?|u|ui|iu|unidades)`
	wayOfDose   = `(?:iv|ev|po|vo|im|sc|sq|subq|sl|pr|ivpb|ivp|gtt|drip|bolus|push|bid|tid|qid|qd|qhs|qam|qpm|q ?[0-9]{1,2} ?h?(?:rs?)?|daily|once|x ?1|stat|prn|dose|cada [0-9]{1,2} ?h(?:oras)?|c/ ?[0-9]{1,2} ?h?|al dia|dosis|unica|dosis unica)`
	nameOfLab   = `(?:cr|creat(?:inin[ae]?)?|hb|hgb|hct|hto|wbc|leucos?|leucocitos|plt|plaquetas|platelets|k|na|pcr|crp|vsg|esr|inr|bun|urea|bili(?:rrubina|rubin)?|ldh|ast|alt|got|gpt|ggt|lactate|lactato|troponin[ae]?|trop|bnp|probnp|procalcitonin[ae]?|pct|psa|cea|tsh|a1c|hba1c|ferritin[ae]?|amilasa|lipas[ae]|amylase|peso|weight|wt)`
	valueOfLab  = `[:=]? ?[<>]?[0-9]{1,6}(?:[.,][0-9]{1,3})?(?: ?(?:mg/dl|g/dl|%|k))?`
	drugEndings = `(?:mycin|micina|micin|cillin|cilina|cycline|ciclina|floxacino?|oxacino?|penem|bactam|azole?|fungina?|[aeiou]vir|olol|pril|sartan|dipin[eo]|statina?|prazole?|semid[ea]|t?h?iazid[ea]|parina?|xaban|gatran|gliptina?|gliflozina?|glutid[ea]|formina?|tidin[ea]|setron|zepam|zolam|zodon[ea]|codon[ea]|morphone|morfona|morphine|morfina|fentan[iy]lo?|m?et?h?asone|metasona|nisone|nisona|nisolone|nisolona|cortisone|cortisona|oxetin[ea]|tralin[ea]|apine|iapina|peridon[ea]|trip[th]+y?i?lin[ea]|racetam|gabalina?|pentina?|tinib|mab|limus|plati[no]{1,2}|taxel|rubici[n]a?|trexat[eo]?|daron[ea]|goxina?|profeno?|fenaco?|coxib|dronat[eo]|thyroxine|tiroxina|phylline|filina|buterol|meterol|moterol|tropio|tropium|lukast|curium|curonio|zosina?|lactone|lactona|rolaco?|grastim|poetina?|ferol|calcidol|calcitriol|kinasa|nistatina|polimixina|colistina|pancreatina|sulfato)`
)

var (
	// doseBefore matches a folded text that ends in a dose, with its route and how often it was given.
	doseBefore = lazyregexp.New(`(?:^|[^0-9a-z.,/-])[0-9][0-9.,]{0,6} ?` + unitOfDose + `(?:/(?:kg|hr?|day|dia|min|dose|dosis))?(?:[ ,]{1,2}` + wayOfDose + `){0,5}[ ,(:]{1,3}$`)
	// countedBefore matches one that ends in the number of a cycle of a chemotherapy or in a number of units of blood.
	countedBefore = lazyregexp.New(`(?:\b(?:chemo\pL*|quimio\pL*|qt|cycles?|ciclos?|folfox|folfiri|folfirinox|r-?chop|taxol|carbo)\b[^\n.]{0,40}\bc ?[0-9]{1,2}|\bc[0-9]{1,2} ?d ?[0-9]{1,2}|\b(?:prbcs?|ffp|plts?|platelets?|cryo|units? of blood)\b[^\n.]{0,24}\bx ?[1-9]) ?[:(]?[ ]?$`)
	doseAfter     = lazyregexp.New(`^(?: ?-? ?` + unitOfDose + `\b| ?(?:%|tabs?|tablets?|pills?|caps?|capsules?|comp|comprimidos?|puffs?|gotas|gtts?|drops?|amps?|ampollas?|strength|patch|parche)\b|,? (?:qd|qhs|qam|qpm|bid|tid|qid|prn|hs|at bedtime|at night|before bed|with (?:meals|breakfast|dinner)|daily|nightly|every|once daily|twice|am|pm|in the (?:morning|evening)|por la|al dia|cada|diari[oa]|antes de|en (?:desayuno|comida|cena)|mane|nocte)\b|(?: ?-| to| a| or| o) ?[0-9.,]+(?:/[0-9]+)? ?(?:` + unitOfDose + `|tabs?|tablets?|comp|pills?)\b)`)
	lastsAfter    = lazyregexp.New(`^,? ?(?:x|for|por|durante) ?[0-9]`)
	monofilament  = lazyregexp.New(`[^0-9]10 ?g \(?$`)
	tabletAfter   = lazyregexp.New(`^ ?[-,y/] ?(?:1/2|1/4|3/4|[01])(?:[^0-9/.,]|$)`)
	tabletBefore  = lazyregexp.New(`(?:^|[^0-9/.,])(?:1/2|1/4|3/4) ?[-,y] ?$`)
	// partAfter matches what follows a part of a tablet, folded.
	partAfter = lazyregexp.New(`^(?:,? (?:(?:de|of) )?(?:(?:un|una|a|al|la|the) )?(?:comprimid|comp\b|pastilla|past\b|tableta|tablet|tabs?\b|pills?\b|capsul|caps?\b|c(?:p|ps)?\b|sobre|vial|parche|pildora|amp\b|ampoll|dosis\b)|,? ?\(?(?:por |a |en |antes de )?(?:la |el )?(?:noches?|mananas?|tardes?|mediodia|desayuno|comidas?|cena|merienda|almuerzo)\b|` +
		`,? (?:al (?:acostarse|dormir|levantarse|dia)|antes de |c/|cada |diari[oa]|a demanda|dias? altern|alternando|alterno|un dia\b|l-m-x|l-x-v|lunes|si (?:precis|dolor|insomn|ansied|nervi|fiebre|molest|nause|vertig|mareo|tos\b|edema)|` +
		`(?:y|o|u|or|and) (?:luego |despues |then )?[0-3](?:[^0-9/.,]|[.,](?:[^0-9]|$)|$)|at (?:night|noon|bedtime)|hs\b|nightly|prn\b|as needed|every |qod\b|qhs\b|alternating))`)
	// strengthBefore matches a strength of what is taken by mouth at the end of a folded text.
	strengthBefore = lazyregexp.New(`(?:[0-9] ?(?:mg|mcg|µg|μg|ug)|\b(?:paracetamol|metamizol|efferalgan|gelocatil|termalgin) [0-9] ?g)[ ,:(]{1,3}$`)
	// scheduleBeside matches how often something is taken.
	scheduleBeside      = lazyregexp.New(`(?:/|c/|cada) ?[0-9]{1,2} ?h|[0-9] ?(?:mg|g|ui|puff)/(?:4|6|8|12|24)\b|/dia\b|al dia\b|[^0-9/-][0-3]-[0-3]-[0-3](?:[^0-9/-]|$)|\bcada [0-9]|\bdesayuno|\bcena\b|\bcomprimido|\bcomp\b|\bpuffs?\b|\binh(?:alaciones)?\b`)
	perHoursBefore      = lazyregexp.New(`(\pL{4,})(?: [0-9.,]+ ?m?c?g?)? [12]/(?:4|6|8|12|24)(?:,|;| y| \+|/| alternando con| e)? ?\pL{4,}(?: [0-9.,]+ ?m?c?g?)? $`)
	perHoursAfter       = lazyregexp.New(`^(?:,|;| y| \+|/| alternando con| e)? ?(\pL{4,})(?: [0-9.,]+ ?m?c?g?)? [12]/(?:4|6|8|12|24)(?:[^0-9/]|$)`)
	givenOn             = lazyregexp.New(`\b(?:recib|administr|inici|comenz|comienz|empez|empiez|suspend|retir|puso|puest|dada|dado|ultim|desde|hasta|start|given|received|stopped|began|gave|got|last|held)`)
	untilAfter          = lazyregexp.New(`^ ?(?:[-–—] ?[0-9]{1,2}/|-{1,2}>|→|(?:a|al|hasta|to|until|through)(?: el)? [0-9]{1,2}/)`)
	tabletWords         = lazyregexp.New(`^,? ?(?:if (?:needed|necessary|required|unable)|as needed|then (?:stop|off|full|whole|1|one)|in (?:the )?(?:am|pm|morning|evening)|po\b|by mouth|of a\b|up to)`)
	painkillerBefore    = lazyregexp.New(`(?:toradol|ketorolaco?|tylenol|acetaminophen|paracetamol|apap|ofirmev|ibuprofen|motrin|advil|naproxen|aleve|morphine|dilaudid|hydromorphone|oxycodone|percocet|norco|vicodin|hydrocodone|tramadol|ultram|fentanyl|meperidine|demerol|roxicodone|nucynta|tapentadol|celecoxib|celebrex|diclofenac|metamizol|nolotil|dexketoprofeno|enantyum|morfina|fentanilo|ibuprofeno)(?:[: ]{1,2}([0-9])[0-9.,]{0,6} ?` + unitOfDose + `(?:[ ,]{1,2}` + wayOfDose + `){0,5})?[ ,(:]{1,3}$`)
	furtherPart         = lazyregexp.New(`^(?: ?(?:[,;&+–-]|-{0,2}>|→) ?| (?:and|or|to|thru|through|until|y|a|al|hasta) )[0-9]{1,2}/([0-9]{1,2})`)
	settingBefore       = lazyregexp.New(`(?:^|[^\pL])(?:(b?c?va|ucva|vision|visual|acuity|snellen|eyes?|od|os|ou|agudeza|av)|(motor|strength|power|mmt|mrc|fuerza)|bi-?pap|cpap|ipap|epap|bilevel|avaps|psv?|pressure support|settings?|vent(?:ilator)?|insulin|nph|lantus|levemir)(?:[ :=]{1,3}|[ ](?:r|l|right|left|re|le|ou|od|os|increased|decreased|changed|improved|titrated|weaned|up|down|from|at|now|bid|eye|dose|of|rue|lue|rle|lle)[ :=]{1,3}){1,3}(?:[0-9]{1,2}/[0-9]{1,2} ?(?:-{1,2}>|→) ?){0,4}$`)
	secondOfTwo         = lazyregexp.New(`([a-z]{5,})(?: ?[/+-] ?| and | y )([a-z]+)$`)
	anticoagulantBefore = lazyregexp.New(`\b(?:neo)?(?:sintrom|acenocumarol|aldocumar|warfarina?|coumadin|jantoven|marevan)(?: [0-9]{1,2} ?mg)?[ :]{1,2}$`)
	drugEnding          = lazyregexp.New(drugEndings + `$`)

	chainAfter   = lazyregexp.New(`^ ?(?:-{1,2}>|→) ?([0-9]{1,2})/([0-9]{1,2})(?:[^0-9/.,%]|$)`)
	resultAfter  = lazyregexp.New(`^` + valueOfLab + `[,;] ?([0-9]{1,2})/([0-9]{1,2})` + valueOfLab + `(?:[^0-9/]|$)`)
	resultBefore = lazyregexp.New(`(?:^|[^\pL])` + nameOfLab + `[:=]? $`)
	resultJoint  = lazyregexp.New(`^` + valueOfLab + `[,;] ?$`)
	rangeJoint   = lazyregexp.New(`^(?i:[ap]m)?(?: ?(?:-{1,2}>|→|[-–—]) ?| (?i:to|thru|through|until|till|al?|hasta)(?: el| the)? )$`)
	listJoint    = lazyregexp.New(`^(?i:[ap]m)?(?:[,;] ?| ?[&+] ?|,? (?i:and|or|y|e|o)(?: el| the)? )$`)

	// daysOfList matches days behind a date; its group is a single one behind a comma, which is often an amount.
	daysOfList = lazyregexp.New(`^(?:(?:, ?[0-9]{1,2}){0,6}(?:,? (?:and|&) | ?& ?| (?:to|thru|through|until|till) )[0-9]{1,2}|(?:, ?[0-9]{1,2}){2,7}|(, ?[0-9]{1,2}))`)
	// dayAndYear matches the last day and the year of a range: the 15/24 of "6/12 to 15/24". Its groups are the day and what follows the year.
	dayAndYear     = lazyregexp.New(`^(?:(?: ?(?:-{1,2}>|→|[-–—,+&]) ?| (?:and|or|to|thru|through|until|till|vs) ))([0-9]{1,2})/[0-9]{2}([^0-9/.%]|\.(?:[^0-9]|$)|$)`)
	oneDayOfList   = lazyregexp.New(`[0-9]{1,2}`)
	amountAfterDay = lazyregexp.New(`^(?:[0-9:/%°]|[.,][0-9]|[-–][0-9]|, [0-9]| ?-? ?(?i:` + unitOfDose + `|kg|lbs?|cm|mm|tabs?|tablets?|pills?|doses?|times|x|hrs?|hours?|h|min(?:utes)?|days?|weeks?|wks?|months?|years?|yrs?|am|pm|of|out|bpm|mmhg|points?|episodes?|stools?|sutures?|nodes?|lymph|stents?)\b)`)
	wordAfterDay   = lazyregexp.New(`^ ?[\pL%+-]`)
)
