package deid

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file tells years from numbers of four digits that look like them: times of day from 1900 to 2059, and results.

// isNoYear reports whether a date of four digits is rather a time of day or an amount.
func isNoYear(text string, s data.Span) bool {
	value := text[s.Start:s.End]
	if len(value) != 4 || !yearDigits.MatchString(value) {
		return false
	}
	behind, ahead := before(text, s, 40), after(text, s, 24)
	if amountAfterYear.MatchString(ahead) || strings.HasSuffix(behind, " ") && amountBeforeYear.MatchString(behind) && !ofThatYear.MatchString(ahead) {
		return true
	}
	if value[2] > '5' || sinceYear.MatchString(ahead) {
		return false
	}
	if !houseNumber.MatchString(ahead) && (timeBefore.MatchString(behind) || timeAfterWord.MatchString(behind) && besideTime(text, s)) {
		return true
	}
	return inTimeline(text, s)
}

// besideTime reports whether a time of day that can be no year stands in the line of a span, behind a word for what happens at a time.
func besideTime(text string, s data.Span) bool {
	line, at := lineAround(text, s, sameLine)
	for _, m := range otherTime.FindAllStringSubmatchIndex(line, -1) {
		if at+m[2] != s.Start && !amountAfterYear.MatchString(line[m[3]:]) && !measure.MatchString(line[m[3]:]) {
			return true
		}
	}
	return false
}

// aroundTimeline is how many bytes before and after a time at the start of a line are read for the lines beside it.
const aroundTimeline = 300

// inTimeline reports whether a span starts its line as a time of day does, and the line before or behind it starts with an earlier or later one that can be no year.
func inTimeline(text string, s data.Span) bool {
	behind := before(text, s, aroundTimeline)
	start := strings.LastIndexByte(behind, '\n') + 1
	if start == 0 && s.Start > len(behind) || !startOfLine.MatchString(behind[start:]) || !restOfLine.MatchString(after(text, s, 4)) || streetAfter.MatchString(after(text, s, 48)) {
		return false
	}
	value := text[s.Start:s.End]
	if start > 0 {
		above := behind[:start-1]
		if time := timeOfLine(above[strings.LastIndexByte(above, '\n')+1:]); time != "" && time < value {
			return true
		}
	}
	_, below, _ := strings.Cut(after(text, s, aroundTimeline), "\n")
	return timeOfLine(below) > value
}

// timeOfLine returns the time at the start of a line that can be no year, or "" if there is none.
func timeOfLine(line string) string {
	m := timeInLine.FindStringSubmatchIndex(line)
	if m == nil {
		return ""
	}
	if rest := line[m[1]:]; streetAfter.MatchString(rest[:min(len(rest), 48)]) || measure.MatchString(rest) {
		return ""
	}
	return line[m[2]:m[3]]
}

// noYearTime matches a time of day that can be no year.
const noYearTime = `(?:(?:0[0-9]|1[0-8]|2[1-3])[0-5][0-9]|20[345][0-9])`

var (
	yearDigits = lazyregexp.New(`^(?:19|20)[0-9]{2}$`)
	// amountAfterYear matches what follows an amount and no year.
	amountAfterYear = lazyregexp.New(`^ ?(?:[nµμ]g/|pg|ng|mcg|[mµμ]?UI/|m?I?U/m?[lL]|UI?/[lL]|mg/|g/|k?cal\b|calor[íi]as?\b|calories\b|pasos\b|steps\b|copias\b|copies\b|c[ée]lulas\b|cells\b|/ ?(?:mm3|uL|µL|μL|mL|ml)\b|por mm3|per mm3|leucocitos\b|plaquetas\b)`)
	// amountBeforeYear matches a result or an amount and the word between it and its number.
	amountBeforeYear = lazyregexp.New(`(?i)\b(?:ferritina?|cp?k|ldh|(?:nt-?)?(?:pro)?bnp|amilasa|amylase|lipasa|lipase|cd4|linfocitos|leucocitos|plaquetas|gpt|got|ggt|d[íi]mero[ -]d|d-dimer|troponina?|pct|psa|vitamina b12|b12|pth|carga viral|viral load|` +
		`diuresis|ingesta(?: h[íi]drica)?|drenaje|dieta|balance|intake|output) (?:de|of|hasta|up to|a) $`)
	// ofThatYear matches what follows a year after a result: "la ferritina de 2015 era normal".
	ofThatYear = lazyregexp.New(`^ ?(?:[:(=]|(?:era|fue|estaba|was|were|normal|elevad|alterad|y (?:de )?(?:19|20)[0-9]{2}|a (?:19|20)[0-9]{2}|and (?:19|20)[0-9]{2}))`)
	// timeBefore matches what only a time of day follows.
	timeBefore = lazyregexp.New(`(?:\b(?:TOD|LKW|LKN|NPO since|NPO after|[Tt]ime of death|[Ll]ast known (?:well|normal))(?: was)?[: ]{1,2}(?:at )?|@ ?|\b[Aa] las )$`)
	// timeAfterWord matches a word for what is done at a time of day rather than in a year, or a time of day and what joins another one to it.
	timeAfterWord = lazyregexp.New(`(?i)\b(?:at|given|hung|drawn|(?:last|next) dose|dose|ate|paged|called(?: back)?|back|sent|up|down|administrad[oa]|extra[íi]d[oa]|avisad[oa]|[úu]ltima dosis) $|\b` + noYearTime + `(?: (?:and|y|to|a) |, ?| ?- ?)$`)
	otherTime     = lazyregexp.New(`(?i)(?:\b(?:at|@|given|hung|dose|next(?: due)?|due|ate|since|until|arrived|back|called|paged|sent|down|up|ct|rosc|ptt|resulted|a las|hasta|pr[óo]xima|siguiente|dada) |@)(` + noYearTime + `)(?:[,.;:)]? |[,.;:)]?(?:\n|$))`)
	houseNumber   = lazyregexp.New(`^ \p{Lu}\p{Ll}+ `)
	sinceYear     = lazyregexp.New(`^ ?[-–/] ?(?:[0-9]{2}|present)`)
	startOfLine   = lazyregexp.New(`^[ \t*•-]{0,4}(?:\p{Lu}{3,12} )?$`)
	restOfLine    = lazyregexp.New(`^(?:[:-] ?|h(?:rs?)?[ :]| {1,3})\S`)
	timeInLine    = lazyregexp.New(`^[ \t*•-]{0,4}(?:\p{Lu}{3,12} )?(` + noYearTime + `)(?:h|hrs)?(?:[:-]? )`)
	streetAfter   = lazyregexp.New(`^ *(?:[NSEW]\.? )?(?:\p{Lu}[\pL.'’]+ ){1,3}(?:St|Street|Ave|Avenue|Rd|Road|Dr|Drive|Ln|Lane|Blvd|Boulevard|Ct|Court|Way|Pl|Place|Pkwy|Hwy|Ter|Cir)\b`)
)
