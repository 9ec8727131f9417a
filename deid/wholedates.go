package deid

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file has the corrections of whole for dates.

// apart divides a date that is a month and a whole date into two: in "BROWN,MAY 03/04/2071", May is a name.
func apart(text string, parts []data.Span, sort func(typ string) data.Sort) []data.Span {
	var all []data.Span
	for _, s := range parts {
		if r, _ := utf8.DecodeRuneInString(text[s.Start:s.End]); sort(s.Type) == data.Date && unicode.IsLetter(r) {
			if m := monthAndDate.FindStringSubmatchIndex(text[s.Start:s.End]); m != nil {
				month := s
				month.End, s.Start = s.Start+m[3], s.Start+m[4]
				all = append(all, month)
			}
		}
		all = append(all, s)
	}
	return all
}

// rejoined joins the parts of an age or a date that were found as spans of their own: "60" and "th", "14-" and "15/02", "August" and "19, 2071" on the next line, 1968 and 71 in 1968-71, "3 may." and "71".
func rejoined(text string, spans []data.Span, sort func(typ string) data.Sort) []data.Span {
	var all []data.Span
	for _, s := range spans {
		last := len(all) - 1
		if last >= 0 && all[last].Type == s.Type && all[last].End <= s.Start && isOne(text, all[last], s, sort(s.Type)) {
			all[last].End = s.End
			continue
		}
		all = append(all, s)
	}
	return all
}

// isOne reports whether two neighbouring spans are one age or date.
func isOne(text string, a, b data.Span, sort data.Sort) bool {
	between := text[a.End:b.Start]
	switch {
	case sort == data.Age:
		return between == ""
	case sort != data.Date:
		return false
	case between == " ":
		return beginsWithDigit(text[a.Start:]) && !perAmount.MatchString(after(text, a, 24)) && dayAndShortMonth.MatchString(text[a.Start:a.End]) && shortYear.MatchString(text[b.Start:b.End])
	case between == "":
		return text[a.End-1] == '-' && beginsWithDigit(text[a.Start:]) && beginsWithDigit(text[b.Start:])
	case between == "-" || between == "–":
		return yearDigits.MatchString(text[a.Start:a.End]) && shortYear.MatchString(text[b.Start:b.End])
	case len(between) > maxLineEnd || !lineEnd.MatchString(between):
		return false
	}
	first, second := text[a.Start:a.End], text[b.Start:b.End]
	return endsWithMonth.MatchString(first) && dayOrYearAfter.MatchString("\n"+second) || onlyDay.MatchString(first) && beginsWithMonth.MatchString(second)
}

// overLines grows a date in words over the day or the year that the end of a line divides from it.
func overLines(text string, s data.Span, from, to int) data.Span {
	value := text[s.Start:s.End]
	if len(value) > len("30 de septiembre de 2071") || !strings.ContainsFunc(value, unicode.IsLetter) {
		return s
	}
	const n = maxLineEnd + 20
	if strings.Contains(after(text, s, n), "\n") && endsWithMonth.MatchString(value) {
		if grown := rightOver(text, s, dayOrYearAfter, n, to); !isAmount(text, grown) {
			s = grown
		}
	}
	if strings.Contains(before(text, s, n), "\n") && beginsWithMonth.MatchString(value) {
		s = leftOver(text, s, dayBeforeLine, n, from)
	}
	return s
}

// maxLineEnd is how many bytes the end of a line and the blanks beside it may have.
const maxLineEnd = 16

// isClock reports whether a span is the time of day after a date, as in 2071-03-04_10-15-00 and 04-MAR-2071 10.15.00.000 AM. Behind a blank it is one only if it cannot be a date,
// or has fractions of a second.
func isClock(text string, s data.Span) bool {
	m := clockValue.FindStringSubmatch(text[s.Start:s.End])
	if m == nil {
		return false
	}
	gap := dateAndGap.FindStringSubmatch(before(text, s, 16))
	if gap == nil {
		return false
	}
	mayBeDate := m[1] != "00" && m[2] != "00" && (m[1] <= "12" && m[2] <= "31" || m[2] <= "12")
	return gap[1] != " " || !mayBeDate || m[3] != ""
}

// isParity reports whether a span is the digits of an obstetric formula: G5P2022 is no year.
func isParity(text string, s data.Span) bool {
	return fourDigits.MatchString(text[s.Start:s.End]) && parityBefore.MatchString(before(text, s, 8))
}

// daysBetween returns the days of a list between two dates in digits: 3/4, 5, 6/21.
func daysBetween(text string, spans []data.Span, sort func(typ string) data.Sort) []data.Span {
	var more []data.Span
	for i := 1; i < len(spans); i++ {
		a, b := spans[i-1], spans[i]
		if sort(a.Type) != data.Date || sort(b.Type) != data.Date || b.Start < a.End || b.Start-a.End > sameLine ||
			!slashed.MatchString(text[a.Start:a.End]) || !slashed.MatchString(text[b.Start:b.End]) || !listOfDays.MatchString(text[a.End:b.Start]) {
			continue
		}
		for _, m := range oneDay.FindAllStringIndex(text[a.End:b.Start], -1) {
			day := a
			day.Start, day.End = a.End+m[0], a.End+m[1]
			more = append(more, day)
		}
	}
	return more
}

// isAllDay reports whether a span is 24/7 beside a word for what somebody needs or offers at all hours of all days: "needs 24/7 care", "cuidadora interna 24/7".
func isAllDay(text string, s data.Span) bool {
	return text[s.Start:s.End] == "24/7" && (neededBefore.MatchString(before(text, s, 32)) || neededAfter.MatchString(after(text, s, 32)))
}

// inPanel reports whether a span of digits is a part of a longer chain of numbers, such as the laboratory values 140/4.0/107/25/7/11. A year of four digits is the date
// of something else.
func inPanel(text string, s data.Span) bool {
	start, end := s.Start, s.End
	for start > max(0, s.Start-64) && strings.IndexByte("0123456789./", text[start-1]) >= 0 {
		start--
	}
	for end < min(len(text), s.End+64) && strings.IndexByte("0123456789./", text[end]) >= 0 {
		end++
	}
	chain := strings.Trim(text[start:end], "./")
	if strings.Count(chain, "/")+strings.Count(chain, ".") < 4 { // as for nearly all dates
		return false
	}
	return panel.MatchString(chain) && !onlyDates.MatchString(chain) && !fullYear.MatchString(text[s.Start:s.End])
}

// withRange grows a date in digits over the rest of a day and month, and over the dates that a hyphen or a word joins to it: 30/1-3/2, 30/1 al 3/2.
func withRange(text string, s data.Span, from, to int) data.Span {
	value := text[s.Start:s.End]
	if len(value) > len("30/12/2071") || !beginsWithDigit(value) || !digitsAndSlashes.MatchString(value) {
		return s
	}
	if !strings.Contains(value, "/") {
		s = rightOver(text, s, otherPartAfter, 6, to)
	}
	if !strings.Contains(text[s.Start:s.End], "/") && strings.HasSuffix(text[:s.Start], "/") {
		s = leftOver(text, s, otherPartBefore, 4, from)
	}
	if !slashed.MatchString(text[s.Start:s.End]) {
		return s
	}
	if strings.Contains(after(text, s, 40), "/") {
		if grown := rightOver(text, s, joinedAfter, 40, to); !isAmount(text, grown) {
			s = grown
		}
	}
	if strings.Contains(before(text, s, 24), "/") && !isAmount(text, s) {
		s = leftOver(text, s, joinedBefore, 24, from)
	}
	return s
}

// beginsWithDigit reports whether a text begins with an ASCII digit. Most expressions below match only such texts, and this is much faster.
func beginsWithDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// dayBefore makes a date grow over the first day of the range that it ends, as in "3 to 5 March", or over the day of the week before it.
func dayBefore(text string, s data.Span, from int) data.Span {
	value, beside := text[s.Start:s.End], before(text, s, 24)
	var m []int
	digit := beginsWithDigit(value)
	switch {
	case digit && strings.ContainsFunc(value, unicode.IsLetter) && dayAndMonth.MatchString(value):
		if m = firstDay.FindStringIndex(beside); m == nil {
			m = findWeekday(beside)
		}
	case digit && dayFirstDate.MatchString(value):
		m = findWeekday(beside)
	case !digit && strings.ContainsAny(beside, "0123456789") && monthFirst.MatchString(value):
		if m = daysOfMonth.FindStringIndex(beside); numberedName.MatchString(strings.TrimSuffix(beside, " ")) { // CA 19-9 May 2071
			m = nil
		}
	}
	if m != nil && s.Start-len(beside)+m[0] >= from {
		s.Start -= len(beside) - m[0]
	}
	return s
}

// findWeekday returns where weekdayBefore matches, or nil. Before most dates there is none, which the last letter tells.
func findWeekday(before string) []int {
	word, ok := strings.CutSuffix(before, " ")
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(word, ".,"))
	if !ok || !strings.ContainsRune("ysoanrebm\u00e9", unicode.ToLower(last)) { // Monday, lunes, domingo, lunes día, lun, mar, mié, jue, sáb, dom
		return nil
	}
	return weekdayBefore.FindStringIndex(before)
}

// withShortYear grows a day and a month in letters over a year of two digits, if nothing follows that it may be the number of: 3 ene 71, 3 mayo 71 por tos.
func withShortYear(text string, s data.Span, to int) data.Span {
	value := text[s.Start:s.End]
	if !beginsWithDigit(value) || !dayAndShortMonth.MatchString(value) {
		return s
	}
	if perAmount.MatchString(after(text, s, 24)) {
		return s
	}
	return rightOver(text, s, shortYearAfter, 24, to)
}

const (
	inFull = `(?i:` + wordlists.Month + `)`
	months = `jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|set|dic`
	needed = `care|cover(?:age)?|care ?givers?|carers?|nurs(?:e|es|ing)|aides?|help|support|supervision|supervised|monitoring|assist(?:ance)?|sitters?|observation|oxygen|` +
		`cuidador[ae]?s?|cuidados?|apoyo|ayuda|atención|asistencia|supervisión|vigilancia|monitorización|compañía|acompañantes?|oxígeno`
	dayAndMonthNumbers = `(?:(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12][0-9]|3[01])|(?:0?[1-9]|[12][0-9]|3[01])/(?:0?[1-9]|1[0-2]))`
	dateInChain        = `(?:[0-3]?[0-9]/[0-3]?[0-9]/[0-9]{2}|[0-3]?[0-9]\.[0-3]?[0-9]\.[0-9]{2})`
	dayOfMonth         = `(?:0?[1-9]|[12][0-9]|3[01])(?i:st|nd|rd|th|º)?`
	// afterYear matches words behind a date. Behind an amount stand others: 3 may 24 horas.
	afterYear = ` (?i:(?:por|con|en|se|sin|para|tras|que|desde|hasta|es|fue|(?:re)?ingres(?:a|ó|o|ado|ada)|acud(?:e|ió|io)|present(?:a|ó)|refiere|consulta|oper(?:ado|ada)|for|with|at|by|due|because|she|he|they|was|were|seen|(?:re)?admitted|presented|when)(?:[^\pL]|$)|(?:a|y|to|and) \pL)`
	toDay     = `(?:[-–]| (?i:to|and|until|through|al|a|y|hasta el) )`
)

var (
	fullYear         = lazyregexp.New(`(?:^|[^0-9])(?:19|20|21)[0-9]{2}(?:[^0-9]|$)`)
	onlyDates        = lazyregexp.New(`^` + dateInChain + `(?:[./](?:` + dateInChain + `|[0-2]?[0-9][.][0-5][0-9]))*$`)
	panel            = lazyregexp.New(`^[0-9]+(?:[./][0-9]+){4,}$`)
	neededBefore     = lazyregexp.New(`(?i)\b(?:on[- ]call|available|` + needed + `|services?|access|open|disponibles?|localizables?|acompañad[ao]s?|domiciliari[ao]s?|intern[ao]s?|permanentes?|en casa|at home),? \(?$`)
	neededAfter      = lazyregexp.New(`^\)?[ -](?:live-in |home |in-home |skilled |family |de )?(?:` + needed + `|availability|access|line|hotline|service)\b`)
	fourDigits       = lazyregexp.New(`^[0-9]{4}$`)
	parityBefore     = lazyregexp.New(`(?:^|[^\pL\pN])G ?[0-9]{1,2}[ ,]?P ?$|(?:^|[^\pL\pN/])P$`)
	digitsAndSlashes = lazyregexp.New(`^[0-9]{1,2}(?:/[0-9]{1,2}(?:/[0-9]{2,4})?)?$`)
	slashed          = lazyregexp.New(`^[0-9]{1,2}/[0-9]{1,2}(?:/[0-9]{2,4})?$`)
	dayFirstDate     = lazyregexp.New(`^[0-9]{1,2}[-./](?:[0-9]{1,2}|(?i:` + months + `))(?:[-./][0-9]{2,4})?$`)
	otherPartAfter   = lazyregexp.New(`^(/[0-9]{1,2})(?:[^0-9/.%]|$)`)
	otherPartBefore  = lazyregexp.New(`(?:^|[^0-9/.])([0-9]{1,2}/)$`)
	joinedAfter      = lazyregexp.New(`^((?:[-–]| (?:al|hasta el|until) )` + dayAndMonthNumbers + `(?:/[0-9]{2,4})?)(?:[^0-9/%]|$)`)
	joinedBefore     = lazyregexp.New(`(?:^|[^0-9/.])(` + dayAndMonthNumbers + `(?:/[0-9]{2,4})?(?:[-–]| (?:al|hasta el|until) ))$`)
	listOfDays       = lazyregexp.New(`^, ?(?:` + dayOfMonth + `(?:, ?|(?:,? (?:and|y) )|,? ?& ?)){1,10}$`)
	oneDay           = lazyregexp.New(`[0-9]{1,2}(?i:st|nd|rd|th|º)?`)
	shortYear        = lazyregexp.New(`^[0-9]{2}$`)
	lineEnd          = lazyregexp.New(`^,?(?i: del?)?[ \t]{0,4}\r?\n[ \t]{0,10}(?i:del? )?$`)
	endsWithMonth    = lazyregexp.New(`(?:^|[^\pL])` + inFull + `\.?(?: ` + dayOfMonth + `)?,?$`)
	beginsWithMonth  = lazyregexp.New(`^(?i:de )?` + inFull + `(?:[^\pL]|$)`)
	onlyDay          = lazyregexp.New(`^` + dayOfMonth + `(?i: of| de)?$`)
	dayOrYearAfter   = lazyregexp.New(`^,?(?i: del?)?[ \t]{0,4}\r?\n[ \t]{0,10}((?i:del? )?(?:19|20)[0-9]{2}|` + dayOfMonth + `,? (?:19|20)[0-9]{2})(?:[^0-9/:%.]|\.(?:[^0-9]|$)|$)`)
	dayBeforeLine    = lazyregexp.New(`\b(?i:on|by|until|till|since|from|to|of|before|after|through|the|dated?|(?:re)?admitted|discharged|seen|died|started|began|el|al|del|desde|hasta|d[ií]a|fecha) (` + dayOfMonth + `(?i: of| de)?)[ \t]{0,4}\r?\n[ \t]{0,10}$`)
	// conjunction matches the words and signs between two days, and conjunctionBefore and conjunctionAfter match them at the ends of one.
	conjunction       = lazyregexp.New(`^[\s,;.&+/–-]*(?:(?i:and|or|to|through|thru|y|e|o|u|a|al)[\s,;.&+/–-]*)?$`)
	conjunctionBefore = lazyregexp.New(`^(?:[\s,;&+]+(?i:(?:and|or|y|e|o|u)\s+)?|(?i:and|or|y)\s+)`)
	conjunctionAfter  = lazyregexp.New(`(?:(?:[\s,;&+]|,?\s(?i:and|or|y))+)$`)
	dayAndMonth       = lazyregexp.New(`^(?i:[0-9]{1,2}(?:st|nd|rd|th|º)?(?: of| de)? (?:` + months + `))`)
	monthFirst        = lazyregexp.New(`^(?i:(?:de )?(?:` + months + `)\pL*\.?(?:,? (?:de )?[0-9]{4})?)$`)
	firstDay          = lazyregexp.New(`\b` + dayOfMonth + toDay + `$`)
	daysOfMonth       = lazyregexp.New(`\b` + dayOfMonth + toDay + dayOfMonth + `(?: (?i:of|de))? $`)
	weekdayBefore     = lazyregexp.New(`\b(?i:mon|tues|wednes|thurs|fri|satur|sun)(?i:day),? $|\b(?i:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo),?(?i: d[ií]a)? $|\b(?i:lun|mar|mi[ée]|jue|vie|s[áa]b|dom)\.?,? $`)
	dayAndShortMonth  = lazyregexp.New(`^[0-9]{1,2}[ .-]?(?i:` + months + `|` + inFull + `)\.?$`)
	shortYearAfter    = lazyregexp.New(`^([ .-]['’]?[0-9]{2}) *(?:\n|$|[,;()\]]|[.:](?:[ \n]|$)|` + afterYear + `)`)
	perAmount         = lazyregexp.New(`^[ .-]['’]?[0-9]{2} (?i:por|en|con|a|y|for|at|with|to|and|by) (?:[0-9]|(?i:la (?:noche|mañana|tarde)|(?:el |cada )?(?:minuto|min|hora|d[ií]a|toma|dosis|desayuno|comidas?|cena|bedtime|night|noon|meals?|mouth|day|hour|minute))(?:[^\pL]|$))`)
	clockValue        = lazyregexp.New(`^([01][0-9]|2[0-3])[-.]([0-5][0-9])(?:[-.][0-5][0-9](\.[0-9]{1,9})?)?$`)
	dateAndGap        = lazyregexp.New(`(?:^|[^0-9])(?:[0-9]{4}[-./][0-9]{2}[-./][0-9]{2}|[0-9]{1,2}[-./](?:[0-9]{1,2}|\pL{3})[-./](?:[0-9]{4}|[0-9]{2}))([ T_])$`)
	monthAndDate      = lazyregexp.New(`^((?i:january|april|may|june|july|august|abril|mayo|junio|julio|agosto)),? ([0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4})$`)
)
