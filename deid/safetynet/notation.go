package safetynet

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
	"github.com/lethe-deid/lethe/internal/recent"
)

// This file finds notations of medicine that look like names, numbers, streets or dates: vital signs whose abbreviations have full stops (vitals.go), variants and positions of the genome,
// series of glucoses and of periodontal depths, codes of MedDRA and of dentistry, citations (citations.go), and fixed terms (terms.go).

// WithoutNotation returns sorted, disjoint spans without the parts that are a notation of medicine. What else a span contains stays a span. sortOf returns the sort of a type.
func WithoutNotation(text string, spans []data.Span, sortOf func(typ string) data.Sort) []data.Span {
	clinical := func(s data.Span) bool { return slices.Contains(inNotations, sortOf(s.Type)) }
	named := func(s data.Span) bool { return slices.Contains(inTerms, sortOf(s.Type)) }
	dated := func(s data.Span) bool { return sortOf(s.Type) == data.Date }
	var notations, terms, undated []data.Span
	if slices.ContainsFunc(spans, clinical) {
		notations = recentNotations.Get(text, func() []data.Span { return notationsIn(text) })
	}
	if slices.ContainsFunc(spans, named) {
		terms = recentTerms.Get(text, func() []data.Span { return termsIn(text) })
	}
	if slices.ContainsFunc(spans, dated) {
		undated = recentDurations.Get(text, func() []data.Span { return data.Flatten(append(durationsIn(text), timesIn(text)...)) })
	}
	if len(notations) == 0 && len(terms) == 0 && len(undated) == 0 {
		return spans
	}
	var kept []data.Span
	for _, s := range spans {
		switch {
		case named(s) && inTerm(text, s, terms):
		case dated(s):
			for _, part := range data.Cut(text, s, notations) {
				kept = append(kept, data.Cut(text, part, undated)...)
			}
		case clinical(s):
			kept = append(kept, data.Cut(text, s, notations)...)
		default:
			kept = append(kept, s)
		}
	}
	return kept
}

// Values of inNotations are mistaken for a notation: the letters of one may be initials, and its numbers nearly anything. Those of inTerms are mistaken for a fixed term, as names, places and
// institutions are, and May-Thurner is for a date. The empty sort is an unknown one.
var (
	inNotations = []data.Sort{data.Person, data.Username, data.Date, data.Age, data.Number, data.Phone, data.Hospital, data.Organization, data.Department, data.Street, data.City, data.State, data.Zip,
		data.Place, data.Landmark, data.Room, data.Other, ""}
	inTerms = []data.Sort{data.Person, data.Username, data.Hospital, data.Organization, data.Department, data.Street, data.City, data.State, data.Country, data.Place, data.Landmark, data.Profession,
		data.Family, data.Number, data.Date, data.Other, ""}
)

// recentNotations, recentTerms and recentDurations have the notations, the fixed terms, and the durations and times (durations.go) of recent texts, because the spans of the network and of the
// rules are compared with them.
var recentNotations, recentTerms, recentDurations = recentSpans(), recentSpans(), recentSpans()

func recentSpans() *recent.Texts[[]data.Span] {
	return recent.NewTexts(1<<12, func(found []data.Span) int { return 1 + len(found) })
}

// notationsIn returns the notations in a text, sorted and disjoint.
func notationsIn(text string) []data.Span {
	notations := append(vitalsIn(text), citationsIn(text)...)
	for _, g := range formGroups() {
		if !g.any.MatchString(text) {
			continue
		}
		for _, n := range g.forms {
			notations = append(notations, n.in(text)...)
		}
	}
	return data.Flatten(notations)
}

// notationForm is the form of a notation. The notation is the first group of the expression.
type notationForm struct {
	form  *lazyregexp.Regexp
	holds func(before, value, after string) bool // whether a match is a notation by its value and the text around it; nil means always
}

// in returns the notations of a form in a text.
func (n notationForm) in(text string) (found []data.Span) {
	for _, m := range n.form.FindAllStringSubmatchIndex(text, -1) {
		s := data.Span{Start: m[2], End: m[3]}
		if isWhole(text, s) && (n.holds == nil || n.holds(text[:s.Start], text[s.Start:s.End], text[s.End:])) {
			found = append(found, s)
		}
	}
	return found
}

// formGroup has forms that are looked for together, because most texts have none of them.
type formGroup struct {
	any   *lazyregexp.Regexp
	forms []notationForm
}

// groupSize is the number of forms in a group. Twice as many take half of the searches, but their automaton has so many states that it is slower.
const groupSize = 16

var formGroups = sync.OnceValue(func() (groups []formGroup) {
	for forms := range slices.Chunk(slices.Concat(notationForms, numberForms), groupSize) {
		var each []string
		for _, n := range forms {
			each = append(each, "(?:"+n.form.String()+")")
		}
		groups = append(groups, formGroup{lazyregexp.New(strings.Join(each, "|")), forms})
	}
	return groups
})

const (
	aminoAcid  = `(?:Ala|Arg|Asn|Asp|Cys|Gln|Glu|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Ser|Thr|Trp|Tyr|Val|Sec|Ter|Xaa)`
	aminoCode  = `[ACDEFGHIKLMNPQRSTVWY]`
	assembly   = `(?:hg|HG|GRCh|grch)[0-9]{2}`
	coordinate = `[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{4,9}`
	// change is what a variant of DNA does at its position.
	change = `(?:[ACGT]{1,20} ?(?:>|&gt;) ?[ACGT]{1,20}|delins[ACGT]{0,30}|del[ACGT]{0,30}|dup[ACGT]{0,30}|ins[ACGT]{1,30}|inv|=)`
	// dnaVariant is a variant behind the reference sequence, such as g.43094692G>A and c.-12+1del.
	dnaVariant = `[gcnmo]\.[-*]?[0-9]{1,9}(?:[+-][0-9]{1,6})?(?:_[-*]?[0-9]{1,9}(?:[+-][0-9]{1,6})?)?` + change
	// proteinVariant is p.Leu1420Ter, p.(Gly12=), p.R132H, p.Lys5fsTer12.
	proteinVariant = `p\.\(?(?:` + aminoAcid + `|` + aminoCode + `)[0-9]{1,5}(?:_(?:` + aminoAcid + `|` + aminoCode + `)[0-9]{1,5})?(?:(?:` + aminoAcid + `|` + aminoCode + `|[*])?fs(?:(?:Ter|[*])?[0-9?]{0,4})?|` +
		aminoAcid + `(?:ext[*]?[0-9]{0,4})?|` + aminoCode + `|[*=?]|delins(?:` + aminoAcid + `){1,8}|del|dup|ins(?:` + aminoAcid + `){1,8})\)?`
	// gene are genes and their words whose variants are often written as C677T.
	gene = `(?:ABL1?|ACTN3|AKT1|ALK|APC|APOE|APOL1|ATM|BCR|BRAF|BRCA[12]|BTK|CALR|CBS|CFTR|COMT|CSF3R|CYP[0-9][A-Z][0-9]{1,2}|DPYD|EGFR|ERBB2|ESR1|EZH2|F2|F5|F7|F11|F12|F13A1|FGB|FGFR[1-4]|FLT3|G6PD|GBA1?|` +
		`GJB2|GNAQ|GNA11|GNAS|GP1BA|HBB|HER2|HFE|HRAS|IDH[12]|IL[0-9]{1,2}[AB]?|ITGB3|JAK2|KRAS|LDLR|LRRK2|MEFV|MPL|MTHFR|MTRR?|MYD88|NOD2|NOS3|NOTCH[1-4]|NRAS|OPRM1|PAI-?1|PDGFRA|PIK3CA|PLCG2|PRSS1|PTPN11|` +
		`ROS1|SCN5A|SERPINA1|SERPINE1|SF3B1|SLCO1B1|SPINK1|TERT|TP53|TPMT|TTR|UGT1A1|VKORC1|(?i:(?:pro)?thrombin(?: gene)?|protrombina|(?:gen (?:de la )?)?protrombina|factor (?:II|V|VII|XII|XIII)(?: leiden)?|FV|FII|leiden))`
	// variantWords may stand between a gene and its variant.
	variantWords = `(?:[ :,-]{1,2}(?i:gene?|exon [0-9]{1,2}|ex[óo]n [0-9]{1,2}|mutations?|mutaci[óo]n(?:es)?|variants?|variantes?|polymorphisms?|polimorfismos?|heterozyg(?:ous|ote)|homozyg(?:ous|ote)|heterocigot[oa]|homocigot[oa]|for|of|the|de|la|para|del)){0,5}[ :,(-]{1,2}`
	shortVariant = `(?:[ACGT][0-9]{3,5}[ACGT]|` + aminoCode + `[0-9]{2,4}(?:` + aminoCode + `|fs|[*]))`
	glucose      = `(?:(?i:glucemias?(?: capilar(?:es)?)?|glicemias?(?: capilar(?:es)?)?|glucometr[ií]as?|perfil(?:es)? gluc[eé]micos?|perfil(?:es)? de glucemias?|dextros?tix|dextros?|destrostix|destro|haemoglucotest|hemoglucotest|controles gluc[eé]micos|` +
		`accu-?che(?:c)?ks?|finger ?-?sticks?|blood (?:glucoses?|sugars?)|glucoses?|glucosas?|sugars?|poc glucoses?|capillary glucoses?)|DXT|DTX|HGT|BMT|FSBG|FSBS|FSG|CBGs?|BGs?|BGMs?|POCG)`
	seriesWords = `(?:[ :=,(]{1,3}(?i:today|hoy|ayer|yesterday|overnight|de|del|d[íi]a|en|ayunas|fasting|last|24 ?h|ac|premeal|preprandial(?:es)?|postprandial(?:es)?|capilar(?:es)?|mg/dl|were|was|of|log|readings?|values?|valores?|previas?|x ?[1-9]))`
	periodontal = `(?:PD|PPD|PSD|CAL|REC|GM|BOP|PS|NIC|MG|(?i:pocket(?:s| depths?)?|probing(?: depths?)?|probings?|sondaje(?: periodontal)?|profundidad(?:es)?(?: de sondaje)?|bolsas?(?: periodontal(?:es)?)?))`
	// depths are of two teeth at least, because PS 188 is a school.
	depths   = `[1-9]{3}(?:[ /|,]{1,3}[1-9]{3}){1,15}`
	quadrant = `(?:UR|UL|LR|LL|URQ|ULQ|LRQ|LLQ)`
)

// notationForms are the forms of notations beside vital signs.
var notationForms = []notationForm{
	// chr3:31836795-27842826, hg19 3:84605172
	{form: lazyregexp.New(`((?:` + assembly + `[ :,(]{1,3})?[Cc]hr(?:omosome)? ?(?:[0-9]{1,2}|[XYM]|MT) ?: ?(?:g\.)?(?:` + coordinate + `)(?: ?[-–_] ?(?:` + coordinate + `))?(?: ?:? ?` + change + `)?)`)},
	{form: lazyregexp.New(`(` + assembly + `[\]) :,(]{1,3}(?:[0-9]{1,2}|[XYM]|MT) ?: ?(?:g\.)?(?:` + coordinate + `)(?: ?[-–_] ?(?:` + coordinate + `))?(?: ?:? ?` + change + `)?)`)},
	// arr[GRCh37] 22q11.21(18919477_21459713)x1
	{form: lazyregexp.New(`((?:arr ?)?(?:\[` + assembly + `\] ?|\(` + assembly + `\) ?)?(?:[0-9]{1,2}|[XY])[pq](?:ter|[0-9]{1,2}(?:\.[0-9]{1,2})?)(?:[pq](?:ter|[0-9]{1,2}(?:\.[0-9]{1,2})?))? ?\([0-9,]{3,11}[_–-][0-9,]{3,11}\)(?: ?[x×] ?[0-9](?:[~-][0-9])?)?)`)},
	// NC_000017.11:g.43094692G>A, NP_009225.1:p.Gly1756His, ENST00000357654.9
	{form: lazyregexp.New(`((?:N[CGMRPTW]|X[MRP])_[0-9]{6,9}(?:\.[0-9]{1,2})?(?:\([A-Z0-9-]{2,10}\))?(?: ?: ?(?:\(?` + dnaVariant + `\)?|` + proteinVariant + `))?)`), holds: isUnlabelled},
	{form: lazyregexp.New(`((?:ENS[TGPE][0-9]{11}(?:\.[0-9]{1,2})?|LRG_[0-9]{1,4}(?:[tp][0-9]{1,2})?)(?: ?: ?(?:\(?` + dnaVariant + `\)?|` + proteinVariant + `))?)`), holds: isUnlabelled},
	{form: lazyregexp.New(`(` + proteinVariant + `)`)},
	{form: lazyregexp.New(`(` + dnaVariant + `)`)},
	// ClinVar 47763504, VCV000012345.6, COSM3840
	{form: lazyregexp.New(`((?i:clinvar)(?:[ -](?i:id|variation|allele|accession|entry|no\.?|number|n[º°]))?(?: (?i:id))?[ :#=(]{1,3}[0-9]{2,9})`), holds: isUnlabelled},
	{form: lazyregexp.New(`((?:VCV|RCV|SCV)[0-9]{9}(?:\.[0-9]{1,3})?|COS[MVN][0-9]{2,9})`), holds: isUnlabelled},
	// MTHFR C677T, factor V Leiden G1691A, BRAF V600E, HFE C282Y/H63D
	{form: lazyregexp.New(`\b` + gene + variantWords + `(` + shortVariant + `(?:(?: ?[/,;] ?| (?:and|y|e|\+) )` + shortVariant + `){0,3})`)},
	// Of genes that are words only the variants of a protein count: KIT D816V
	{form: lazyregexp.New(`\b(?:AGT|KIT|MET|RET)` + variantWords + `(` + aminoCode + `[0-9]{2,3}` + aminoCode + `)`)},
	{form: lazyregexp.New(`\b(` + gene + variantWords + `[ACGT][0-9]{3,5}[ACGT])`)},
	// Glucemias: 187 243 236 177, DXT 113-250-178
	{form: lazyregexp.New(`\b` + glucose + seriesWords + `{0,3}[ :=,(]{1,3}([0-9]{2,3}(?:(?: ?[-–>→] ?| )[0-9]{2,3}){2,9})`), holds: isSeries},
	// PD 323 434 545
	{form: lazyregexp.New(`\b` + periodontal + `(?: (?:` + quadrant + `|[BLFMD]|(?i:buccal|lingual|facial|palatal|vestibular|#?[0-9]{1,2}))){0,2}[ :=]{1,2}(` + depths + `)`), holds: isDepths},
	// PPD 323 434 323, PPD #2 434 323 #3 535 434, 17: 434 333 16: 545 434
	{form: lazyregexp.New(`\b(?:PPD|(?i:pocket(?:s|ing| depths?)|probing(?: depths?)?|probings?|sondaje periodontal|profundidad(?:es)? de sondaje|bolsas periodontales))(?: \(?mm\)?)?[ :=]{1,2}((?:#[0-9]{1,2}:? )?[1-5][1-6]{2} [1-6]{3}` +
		`(?:[ ,;|]{1,2}(?:#[0-9]{1,2}:? )?[1-6]{3}){1,15})`), holds: isUnnumbered},
	{form: lazyregexp.New(`(#?[1-4]?[0-9]: ?[1-6]{3}[ /][1-6]{3}(?:[ ,;|\n]{1,3}#?[1-4]?[0-9]: ?[1-6]{3}[ /][1-6]{3}){1,15})`), holds: isUnnumbered},
	// LLT: RASH MACULAR [10037867]
	{form: lazyregexp.New(`\[(10[0-9]{6})\]`), holds: isMedDRA},
	// SRP UR D4341
	{form: lazyregexp.New(`\b(D[0-9]{4})`), holds: isDental},
	// A.M. glucose 92, cortisol a.m. 94, pp. 90-97
	{form: lazyregexp.New(`\b((?:[AP]\.M\.|[ap]\.m\.) (?i:glucoses?|gluc|bs|fs|bg|fsbg|sugars?|blood sugars?|accu-?checks?|cortisol|labs?|dose|doses|insulin|meds?|medications?|temp|temps|weight|wt|vitals|draws?|care|shift|report|rounds|snack|feeds?|glucemias?|insulina|dosis|toma|turno)(?: ?[:=]? ?[0-9]{2,3}(?:[.,][0-9])?)?)`), holds: isTimeOfDay},
	{form: lazyregexp.New(`\b(?i:glucoses?|gluc|bs|fs|bg|fsbg|sugars?|accu-?checks?|cortisol|temp|weight|wt|glucemias?|glicemias?|insulina?|t\.?a|bp|peso)(?: (?i:this|in the|at|yesterday|today|level|in|de|ayer|hoy)){0,3} ((?:[AP]\.M\.|[ap]\.m\.)[ :=]{1,2}[0-9]{2,3}(?:[.,][0-9])?)`), holds: isNoAge},
	{form: lazyregexp.New(`\b((?:pp|p[áa]gs)\. ?[0-9]{1,4}(?: ?[-–] ?[0-9]{1,4})?)`), holds: isNoAge},
	// per Tokyo 2018
	{form: lazyregexp.New(`\b(?i:per|seg[úu]n|meets|fulfills?|revised|modified|criteria|criterios(?: de)?|cumple|grade [IV]{1,3} per|clasificaci[óo]n(?: de)?)(?: the)? ((?:Tokyo|Tokio) (?:2007|2013|2018|TG ?18|TG ?13)|R[óo]tterdam 2003|Atlanta (?:1992|2012)|Sydney 2006|Sapporo 1999|Berl[íi]n 2012|Lugano 2014|` +
		`Bethesda (?:2001|2007|2014|2017|2023)|Sofia 2016|Montreal 2005|Par[íi]s 2002|Viena 1998|Vienna 1998|Kyoto 2015|Geneva 2013|Chicago (?:[34]\.0|v[34](?:\.0)?)|Ghent (?:1996|2010)|Gante (?:1996|2010)|Amsterdam (?:1990|1999|II?)|Rom[ae] (?:II|III|IV)|Madrid 2010|Milan 1996|Mil[áa]n 1996|Los Angeles (?:1994|1999)|Praga C[0-9]M[0-9]|Prague C[0-9]M[0-9]|Baveno (?:VI|VII)|Maastricht (?:V|VI)|Leiden 2010)`)},
}

// phoneWords tell a number of a telephone, a record or the like.
var phoneWords = lazyregexp.New(`(?i)\b(?:tel[eé]?f?[oó]?n?o?|phone|ph|cell|m[oó]vil|m[oó]bile|fax|call|llamar|ext|mrn|nhc|record|historia|dob|fdn|dni|ssn|pager|beep|bleep|acct|account|n[º°]|id)\b[^\n]{0,12}$`)

// isSeries reports whether numbers behind a label are a series of glucoses. Dates and the numbers of records and telephones are none: all numbers of a series are possible glucoses, which no
// month is, at least one has three digits, and hyphens are between three numbers only if they have three digits each.
func isSeries(before, value, after string) bool {
	groups := strings.FieldsFunc(value, isSeparator)
	lengths := ""
	for _, group := range groups {
		if n, _ := strconv.Atoi(group); n < 30 || n > 600 || group[0] == '0' {
			return false
		}
		lengths += strconv.Itoa(len(group))
	}
	mobile := strings.ContainsRune("6789", rune(value[0])) && (lengths == "333" || lengths == "3222")
	hyphens := strings.ContainsAny(value, "-–")
	return !mobile && strings.Contains(lengths, "3") && (!hyphens || !strings.Contains(value, " ") && (len(groups) != 3 || lengths == "333")) && !isNumbered(before, after)
}

// isDepths reports whether numbers behind a label are periodontal depths: words of dentistry are near.
func isDepths(before, _, after string) bool {
	return isNearDentistry(before, after) && !isNumbered(before, after)
}

// isUnnumbered reports whether the text around periodontal depths does not tell that they are something else.
func isUnnumbered(before, _, after string) bool { return !isNumbered(before, after) }

// isNumbered reports whether the text around numbers tells that they are a telephone, a record or the like, or whether they go on.
func isNumbered(before, after string) bool {
	if phoneWords.MatchString(lastBytes(before, 60)) {
		return true
	}
	return after != "" && (strings.ContainsRune("-–/", firstRune(after)) && startsWithDigit(after[utf8.RuneLen(firstRune(after)):]) || after[0] == ' ' && startsWithDigit(after[1:]))
}

var (
	medDRALevel = lazyregexp.New(`\b(?:LLT|HLT|HLGT|SOC|MedDRA|MEDDRA)\b`)
	medDRATerm  = lazyregexp.New(`\b(?:PT|LLT|HLT|HLGT|SOC|(?i:meddra)(?: v?[0-9.]{1,5})?(?: (?:PT|LLT|code|term))?|(?i:preferred term|t[ée]rmino preferido))[ :=(-]{1,3}[\p{L} ,()'/-]{3,80}\[?$`)
)

// isMedDRA reports whether a number in brackets is the code of a term of MedDRA: a label of its level precedes the term, and one besides PT, which may be the patient, is near.
func isMedDRA(before, _, after string) bool {
	return medDRATerm.MatchString(lastBytes(before, 120)) && (medDRALevel.MatchString(lastBytes(before, 120)) || medDRALevel.MatchString(firstBytes(after, 120)))
}

var (
	dentistry   = lazyregexp.New(`(?i)\b(?:srp|scal(?:e|ing)|root plan\w*|perio\w*|prophy\w*|crowns?|cdt|quads?|quadrants?|tooth|teeth|dentist\w*|restorations?|resin|composite|amalgam|endo|rct|bwx?|bitewings?|denture|implant|sealants?|fluoride|fmx|pano|probings?|pocket depths?|sondajes?|profundidad(?:es)? de sondaje|dental(?:es)?|gingival(?:es)?|mesial|distal|buccal|lingual|vestibular)\b|\b(?:UR|UL)\b.{0,20}\b(?:LR|LL)\b|\b(?:LR|LL)\b.{0,20}\b(?:UR|UL)\b`)
	recordLabel = lazyregexp.New(`(?i)(?:\b(?:chart|mrn?|nhc|nuhsa|cip|dni|nie|historia|expediente|acct|account|id|record|no|number|nhs|ur|policy|member|license|licence|pin|case|file|ref|badge|dl|passport|pt|patient)\b ?[.:#=]{1,2} ?|#|\b(?:chart|mrn|nhc|nuhsa|cip|dni|nie|historia|expediente|acct|account|record|number|policy|member|license|licence|case|file|badge|passport|pts?|patients?|pacientes?|clients?|clientes?|id|plan|insurance|seguro) |\bur no\.? ?)$`)
)

// isUnlabelled reports whether no label of a record stands before an accession.
func isUnlabelled(before, _, _ string) bool { return !recordLabel.MatchString(lastBytes(before, 24)) }

// isDental reports whether a code such as D4341 is one of dentistry: words of dentistry are near, and no label of a record stands before it.
func isDental(before, _, after string) bool {
	return isNearDentistry(before, after) && !recordLabel.MatchString(lastBytes(before, 24))
}

func isNearDentistry(before, after string) bool {
	return dentistry.MatchString(lastBytes(before, 80) + " " + firstBytes(after, 80))
}

// isNoAge reports whether the number at the end of a value is no age.
func isNoAge(_, _, after string) bool { return !aged.MatchString(firstBytes(after, 24)) }

// toPerson matches words before the initials of a person to whom something is told.
var toPerson = lazyregexp.New(`(?i)\b(?:report|reported|given|spoke|spoken|talked|according|told|informed|notified|handed off|signed|cosigned|initialed|per dr|firmado|a cargo de|inform[óo] a|avis[óo] a) ?(?:to|with|off to)?[ \t]$`)

// isTimeOfDay reports whether A.M. and P.M. before something that is done at this time are not the initials of a person.
func isTimeOfDay(before, _, after string) bool {
	before = lastBytes(before, 60)
	return isNoAge("", "", after) && !personBefore.MatchString(before) && !toPerson.MatchString(before)
}
