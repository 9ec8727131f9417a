package safetynet

import (
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds vital signs and measurements whose abbreviations have full stops: B.P. 115-98, H.R. 94, T.A. 124-74, O2 sat. 95. Networks take such letters for initials, and the number
// behind them for an age, a room or a house.

const (
	// certainSign are abbreviations that are hardly the initials of a person: those of three letters and more, and shortened words.
	certainSign = `(?:[WR]\.B\.C\.|M\.C\.(?:V|H|H\.C)\.|H\.G\.B\.|H\.C\.T\.|P\.L\.T\.|B\.U\.N\.|[LH]\.D\.L\.|A\.L\.[TP]\.|A\.S\.T\.|T\.S\.H\.|I\.N\.R\.|P\.T\.T\.|E\.S\.R\.|C\.R\.P\.|e?G\.F\.R\.|P\.S\.A\.|B\.M\.I\.|M\.A\.P\.|C\.V\.P\.|L\.V\.E\.F\.|G\.C\.S\.|F\.E\.V\.1|S\.P\.O\.2|Sp\.?O\.?2\.|S\.a\.O\.2|` +
		`V\.C\.M\.|H\.C\.M\.|C\.H\.C\.M\.|V\.S\.G\.|P\.C\.R\.|I\.M\.C\.|[TP]\.A\.[SDM]\.|P\.V\.C\.|F\.C\.F\.|G\.[OP]\.T\.|G\.G\.T\.|L\.D\.H\.|C\.P\.K\.|T\.T\.P\.A?\.?|F\.E\.V\.I\.|P\.E\.F\.|H\.B\.(?:A\.?1\.?[Cc]\.)?|` +
		`(?i:o2 ?sat|sat(?:\. ?(?:o2|de o2))?|sato2|pulse ?ox|puls ?ox|wt|temp|pulse|puls|resp|gluc|glu|chol|trig|creat|hgb|hct|plt|ferr|album|hto|hb|leuc|plaq|triglic?|glic)\.|I\.Q\.|` +
		`(?:MAP|HR|RR|BP|SpO2|EF|PAM|TAM|FC|FR|TA|PA|FEVI|(?i:pulse|heart rate|sats?|glucose|peak|rate|glucemia|saturaci[óo]n)) (?i:avg|max|min|approx|ave|aprox|m[áa]x|m[íi]n|prom|med)\.)`
	// pressureSign and likelySign may be the initials of a person, too.
	pressureSign = `(?:B\.P\.|T\.A\.|P\.A\.)`
	likelySign   = `(?:H\.R\.|R\.R\.|P\.R\.|B\.S\.|F\.S\.|B\.G\.|E\.F\.|F\.C\.|F\.R\.|F\.R\.C\.|S\.O\.|S\.V\.|T\.V\.|C\.I\.)`
	// bareSign is one without full stops. It confirms the others, as do those of one letter that they confirm.
	bareSign   = `(?:BP|HR|RR|SpO2|SaO2|O2 [Ss]ats?|Sats?|Tmax|Temp|Pulse|MAP|GCS|TA|PA|FC|FR|SatO2|Sat O2|PAM|Tª|EVA|(?i:glucemia|glicemia|diuresis|pulso))`
	letterSign = `(?:[PRT]\.)`
	quantity   = `[0-9]{1,3}(?:[.,][0-9]{1,2})?(?: ?[/-] ?[0-9]{1,3})?`
	unitOf     = `(?: ?(?:%|º ?C?|°[CF]?|(?i:lpm|bpm|rpm|x['´’]|/ ?min|por min(?:uto)?|per min(?:ute)?|mm ?hg|kg|lbs?|mg/dl|mmol/l|cm|ppm)\b\.?))?`
)

// sign matches a vital sign: its abbreviation by certainty in groups 1 to 5, and its value in group 6.
var sign = lazyregexp.New(`(?:(` + certainSign + `)|(` + pressureSign + `)|(` + likelySign + `)|(` + bareSign + `)|(` + letterSign + `))(?:[ :=]{0,3}(?:\p{Ll}{1,12} ){1,4}|[ :=~>≈]{0,3}(?:(?i:of|is|was|at|de|en|a) )?)(` + quantity + `)` + unitOf)

// vital is a vital sign in a text.
type vital struct {
	data.Span
	kind     int // the group of sign that has its abbreviation
	value    string
	wordy    bool // words are between the abbreviation and the value
	labelled bool // a colon is
}

const (
	certainKind = iota + 1
	pressureKind
	likelyKind
	bareKind
	letterKind
	valueGroup
)

// vitalsIn returns the vital signs in a text whose abbreviations have full stops.
func vitalsIn(text string) []data.Span {
	var found []data.Span
	for i := 0; ; {
		at := strings.IndexByte(text[i:], '.')
		if at < 0 {
			return found
		}
		if i += at + 1; mayBeVital(text[:i-1], text[i:]) {
			from, to := around(text, i, aroundVital, 2*aroundVital)
			found = append(found, vitalsOf(text, from, to)...)
			i = min(len(text), i+aroundVital)
		}
	}
}

// mayBeVital reports whether a full stop, of which the text around it is given, may belong to the abbreviation of a vital sign: a number follows, or the abbreviation is that of a blood
// pressure, which words may follow.
func mayBeVital(before, after string) bool {
	switch lastBytes(before, 3) + "." {
	case "B.P.", "T.A.", "P.A.":
		return true
	}
	word := lastBytes(strings.TrimSuffix(before, "."), 8)
	word = word[strings.LastIndexFunc(word, isSeparator)+1:]
	if len(word) == 1 { // of H.R., or alone
		return (isUpper(word[0]) || word == "c") && isValueNext(after) && (strings.HasSuffix(before, "."+word) || strings.HasSuffix(before, "."+word+".") || word == "P" || word == "R" || word == "T")
	}
	return shortenedSigns[strings.ToLower(word)] && isValueNext(after)
}

// shortenedSigns are the last words before the full stop of the abbreviations of certainSign that are longer than a letter.
var shortenedSigns = wordlists.Set("1c a1c album approx aprox ave avg chol creat ferr glic glu gluc hb hct hgb hto leuc max med min máx mín o2 ox plaq plt prom puls pulse pulseox pulsox resp sat sato2 spo2 temp trig trigl trigli triglic wt")

// isValueNext reports whether a text begins with the value of a vital sign, perhaps behind a word.
func isValueNext(text string) bool {
	text = strings.TrimLeft(firstBytes(text, 80), " :=~>≈")
	if startsWithDigit(text) {
		return true
	}
	word, rest, ok := strings.Cut(text, " ")
	return ok && startsWithDigit(rest) && !strings.ContainsFunc(word, isSeparator)
}

// aroundVital is how many bytes before a vital sign are searched for others, which tell what it is.
const aroundVital = 120

// vitalsOf is vitalsIn for a part with an abbreviation with a full stop before a number.
func vitalsOf(text string, from, to int) []data.Span {
	var all []vital
	for _, m := range sign.FindAllStringSubmatchIndex(text[from:to], -1) {
		v := vital{Span: data.Span{Start: from + m[0], End: from + m[1]}, value: text[from+m[2*valueGroup] : from+m[2*valueGroup+1]]}
		for kind := certainKind; kind <= letterKind; kind++ {
			if m[2*kind] >= 0 {
				v.kind = kind
				between := text[from+m[2*kind+1] : from+m[2*valueGroup]]
				v.wordy, v.labelled = len(strings.Fields(between)) > 1, strings.Contains(between, ":")
			}
		}
		if v.isMeasured(text, from+m[2*valueGroup+1]) {
			all = append(all, v)
		}
	}
	var found []data.Span
	for first := 0; first < len(all); {
		last := first
		for last+1 < len(all) && betweenSigns.MatchString(text[all[last].End:all[last+1].Start]) {
			last++
		}
		found = appendVitals(found, text, all[first:last+1])
		first = last + 1
	}
	return found
}

// betweenSigns matches what may stand between two vital signs of one list.
var betweenSigns = lazyregexp.New(`^(?:[ \t]?(?:on (?:RA|room air|[0-9]{1,2} ?L)|RA|AA|basal|regular|r[íi]tmic[oa]))?[ \t,;.|()/·•+*-]{0,5}\r?\n?[ \t|·•*-]{0,4}(?:(?:y|and|con|with|w/) )?$`)

// appendVitals appends those of a list of vital signs that have full stops and are none of a person.
func appendVitals(found []data.Span, text string, list []vital) []data.Span {
	certain := false
	for _, v := range list {
		certain = certain || v.kind == certainKind || v.kind == bareKind || v.kind == pressureKind && isPressure(v.value) || v.labelled
	}
	certain = certain || areRates(text, list)
	for i, v := range list {
		listed := len(list) > 1 && certain && !v.wordy
		ok := false
		switch v.kind {
		case certainKind:
			ok = !v.wordy && (!strings.ContainsAny(v.value, "/-") || isPressure(v.value))
		case pressureKind:
			ok = isPressure(v.value) || listed && (isShortPressure(v.value) || !strings.ContainsAny(v.value, "/-")) || !v.wordy && v.labelled && isShortPressure(v.value)
		case likelyKind:
			ok = !strings.ContainsAny(v.value, "/-") && (listed || !v.wordy && (v.labelled || hasUnit(text, v) || isBehindFindings(text, v)))
		case letterKind:
			ok = listed && !strings.ContainsAny(v.value, "/-") && (i+1 < len(list) || hasUnit(text, v) || afterSign.MatchString(firstBytes(text[v.End:], 24)))
		}
		if ok {
			found = append(found, v.Span)
		}
	}
	return found
}

// areRates reports whether a list has a heart rate by its value, and a respiratory rate or a blood pressure in cmHg, and no word for a person stands before it. Otherwise its numbers may be
// the ages of two people.
func areRates(text string, list []vital) bool {
	fast, other := false, false
	for _, v := range list {
		n, err := strconv.Atoi(v.value)
		rate := v.kind == likelyKind && err == nil
		fast = fast || rate && n > 45
		other = other || rate && n > 8 && n < 36 || v.kind == pressureKind && isShortPressure(v.value)
	}
	return fast && other && !personBefore.MatchString(lastBytes(text[:list[0].Start], 60))
}

// aged matches what makes a number an age, and partOfMore what makes it a part of a longer number, of a date or of an address.
var (
	aged       = lazyregexp.New(`^[ \t]?-?(?i:y\.?[ /]?o\b|y/|yrs?\b|years?\b|a\.|a\b|años|añitos|mo\b|months?|meses|[mf](?:[^.\w]|$)|male|female|man|woman|lady|mujer|hombre|var[óo]n|[wb][mf]\b|old\b|de edad)`)
	partOfMore = lazyregexp.New(`^(?:[0-9\p{L}]|[-/.,–][0-9])`)
	// personBefore matches words before initials.
	personBefore = lazyregexp.New(`(?i)(?:\b(?:pt|pts|patients?|pacientes?|pcte|pte|mr|mrs|ms|miss|dr|dra|sr|sra|don|doña|by|with|from|for|name|initials?|iniciales|nombre|por|con|de|del|mother|father|sister|brother|wife|husband|madre|padre|hermano|hermana|hijo|hija|son|daughter|aged?|edad|called|named|room|bed|cama|hab|habitaci[óo]n|nurse|rn|md|and|y)[.:,]?[ \t]{1,2}|(?-i:\b[A-Z]\.[ ]?|[A-Z]\.[A-Z]\.[ ,;:]{0,3}[0-9]{1,3}[ ,;.]{0,3}))$`)
	ageBefore    = lazyregexp.New(`(?i)\b(?:aged?|edad|years|años|old|died|falleci[óo]|muri[óo]|born|lived)\b[^\n]{0,24}$`)
)

// isMeasured reports whether the value of a vital sign is not an age, and not a part of something else.
func (v vital) isMeasured(text string, end int) bool {
	before := text[:v.Start]
	if r := lastBytes(before, 1); r != "" && (r == "." && v.kind != certainKind && hasLetterBefore(before) || !isSeparator(lastRune(before))) {
		return false
	}
	rest := text[end:]
	return !partOfMore.MatchString(firstBytes(rest, 8)) && !aged.MatchString(firstBytes(rest, 24)) && !ageBefore.MatchString(lastBytes(before, 48))
}

// hasLetterBefore reports whether a text ends in a letter and a full stop, as initials do.
func hasLetterBefore(text string) bool {
	return len(text) > 1 && !isSeparator(lastRune(text[:len(text)-1])) && (len(text) == 2 || isSeparator(lastRune(text[:len(text)-2])))
}

// afterSign matches what follows a vital sign that no other one confirms.
var afterSign = lazyregexp.New(`^(?:[ \t]*(?:[.,;)]|\r?\n|$)| (?:%|(?:regular|irregular|r[íi]tmic[oa]|today|hoy|at rest|en reposo|on (?:RA|room air|arrival|admission)|al (?:ingreso|alta)|sinus|sinusal)\b))`)

// examined matches the words of an examination before a single vital sign.
var examined = lazyregexp.New(`(?i)\b(?:vitals?|vital signs|vs|exam|examination|physical|objective|doing well|afebrile|constantes(?: vitales)?|exploraci[óo]n(?: f[íi]sica)?|ef|afebril|signos vitales)[.:;,]? {1,2}$`)

// isBehindFindings reports whether a single vital sign, such as F.C. 94, stands behind the words of an examination. Anywhere else it may be the initials and the age of a person.
func isBehindFindings(text string, v vital) bool {
	rest := text[v.End:]
	return examined.MatchString(lastBytes(text[:v.Start], 40)) && afterSign.MatchString(firstBytes(rest, 24))
}

// hasUnit reports whether a vital sign ends in a unit.
func hasUnit(text string, v vital) bool { return !startsWithDigit(text[v.End-1 : v.End]) }

// pairOf returns the two numbers of a value such as 124-74.
func pairOf(value string) (first, second int, ok bool) {
	i := strings.IndexAny(value, "/-")
	if i < 0 {
		return 0, 0, false
	}
	first, err := strconv.Atoi(strings.TrimSpace(value[:i]))
	if err != nil {
		return 0, 0, false
	}
	second, err = strconv.Atoi(strings.TrimSpace(value[i+1:]))
	return first, second, err == nil
}

// isPressure reports whether a value is a blood pressure in mmHg, which is no date and hardly anything else.
func isPressure(value string) bool {
	systolic, diastolic, ok := pairOf(value)
	return ok && systolic > diastolic && systolic >= 60 && systolic <= 290 && diastolic >= 32 && diastolic <= 180
}

// isShortPressure reports whether a value may be a blood pressure in cmHg: 12/8.
func isShortPressure(value string) bool {
	systolic, diastolic, ok := pairOf(value)
	return ok && strings.Contains(value, "/") && systolic > diastolic && systolic >= 8 && systolic <= 26 && diastolic >= 4 && diastolic <= 15
}
