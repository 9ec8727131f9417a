package safetynet

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds British durations in months, such as "cough 5/12", and times of day with a full stop, such as "to theatre 06.05". Each of them may also be a day and a month, so that the
// rest of the note decides. Ages in months, such as 7/12, stay what they are.

// durationsIn returns the numbers of months of a text, which are written as twelfths of a year. The note must have durations in weeks, as 3/52, or dates that begin with the day, and say so
// with a word, and no date in December, which such a number may be.
func durationsIn(text string) (found []data.Span) {
	if !strings.Contains(text, "/12") {
		return nil
	}
	values := slices.DeleteFunc(dayMonthsIn(text), func(v dayMonth) bool {
		return v.sep != '/' || v.second != 12 || v.first > 18 || v.padded || v.half > 0 || v.open && !strings.HasPrefix(text[v.end:], " - ") || v.inRange(text)
	})
	if len(values) == 0 || inDecember.MatchString(text) {
		return nil
	}
	weeks := inWeeks.MatchString(text)
	if !weeks && !dayThenMonth.MatchString(text) || orderOf(text, nil) == monthFirst {
		return nil
	}
	for _, v := range values {
		b := v.beside(text)
		if b.hasPreposition() || isDatedBefore(b.last) || dateBefore.MatchString(b.tail()) || dateAfter.MatchString(b.after) {
			continue
		}
		lasts := weeks && len(b.last) > 0 && last[b.last[len(b.last)-1]] && !b.hasEvent() && directlyBehind.MatchString(b.tail())
		if lasts || slices.Contains(planned, v.first) && plannedBefore.MatchString(fold.Fold(lastBytes(text[:v.start], maxBefore))) && b.endsClause() {
			found = append(found, data.Span{Start: v.start, End: v.end})
		}
	}
	return found
}

var (
	// rangeAfter matches the rest of a range behind its first date.
	rangeAfter = lazyregexp.New(`^ ?(?:[-–—]|to|thru|until|till) ?(?:[0-9]|(?i:present|now|current|today|ongoing|presente|actual|hoy)\b)`)
	// inWeeks matches a duration in weeks, or one in days behind a word that no date follows.
	inWeeks = lazyregexp.New(`(?:^|[^0-9/.-])[0-9]{1,2}/52(?:[^0-9/-]|$)|(?:^|[^\pL])[x×] ?[0-9]{1,2}/7(?:[^0-9/-]|$)`)
	// inDecember matches a date in December, or a number that may be one.
	inDecember = lazyregexp.New(`(?i)\bdec(?:ember|\.)?[ ,/-]{0,2}[0-9]|[0-9](?:st|nd|rd|th)?(?: of)?[ /.-]dec\b|\bdecember\b|\bchristmas|\bxmas|[0-9][/.-]12[/.-][0-9]|(?:^|[^0-9/.])(?:19|2[0-9]|3[01]|0[1-9])/12(?:[^0-9/]|$)|(?:^|[^0-9/.])12/(?:1[3-9]|2[0-9]|3[01])(?:[^0-9]|$)|[0-9]{4}-12-[0-9]`)
	// dayThenMonth matches a date that begins with the day.
	dayThenMonth = lazyregexp.New(`(?:^|[^0-9/.-])(?:1[3-9]|2[0-9]|3[01])[/.-](?:0?[1-9]|1[0-2])[/.-](?:[0-9]{2}|[0-9]{4})(?:[^0-9]|$)|(?:^|[^0-9])[0-9]{1,2}(?:st|nd|rd|th)? (?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov)\pL* (?:19|20)[0-9]{2}`)
	// plannedBefore matches the end of a folded text behind which something is done after some months.
	plannedBefore = lazyregexp.New(`(?:^|[^\pL])(?:(?:outcome|plan|p|mx|rx|follow[- ]?up|f/u|advice|actions?)[:.-] ?(?:[\pL-]{2,14} ){0,2}(?:ct|pet|pet-ct|mri|cxr|scan|uss|us|bloods|opa|opd|clinic|review|rv|r/v|echo|vl|hba1c|bmd|psa|cea|colonoscopy|ogd)(?: (?:chest|abdo|tap|cap|head|brain|thorax))?|[^\pL]x ?) ?$`)
	// directlyBehind matches the end of a word, with nothing but a blank behind it.
	directlyBehind = lazyregexp.New(`\pL[ ]$`)
)

// planned are the numbers of months after which somebody is usually seen again.
var planned = []int{3, 6, 18}

// last are complaints and other words behind which their duration stands.
var last = wordlists.Set(`ache aches amenorrhoea anorexia anxiety bleeding bloating breathlessness constipation cough coughing defaulted diarrhoea diarrhea dizziness doe dysphagia dyspnoea fatigue fever fevers headache headaches hoarseness insomnia itch itching itchy
	jaundice lbp lethargy limp loss lump malaise mood nausea nocturia numbness orthopnoea pain palpitations past pmb pruritus rash reflux sciatica sob stiffness sweats swelling symptoms tingling tinnitus tired tiredness tremor unwell vertigo vomiting weakness wheeze worse worsening x`)

// isDatedBefore reports whether one of the last two words before a value tells that a day follows.
func isDatedBefore(last []string) bool {
	return slices.ContainsFunc(last[max(0, len(last)-2):], func(word string) bool { return daysFollow[word] })
}

// endsClause reports whether nothing that belongs to the value follows it.
func (b beside) endsClause() bool {
	rest := strings.TrimLeft(b.after, " ")
	return rest == "" || strings.IndexByte(".,;)\r\n+", rest[0]) >= 0 || len(b.next) > 0 && slices.Contains([]string{"with", "then", "and", "post", "if", "to"}, b.next[0])
}

// inRange reports whether a hyphen or a slash stands beside the value.
func (v dayMonth) inRange(text string) bool {
	before, after := lastBytes(text[:v.start], 1), firstBytes(text[v.end:], 1)
	return strings.ContainsAny(before, "-–/") || strings.ContainsAny(after, "-–/") || rangeAfter.MatchString(firstBytes(text[v.end:], 16))
}

// timesIn returns the times of day of a text with a full stop between hours and minutes that may be a day and a month as well. At least two others of the note have minutes that are no month,
// each has a word of the time of day before it, no value with a full stop can only be a day and a month, and the dates of the note have other signs.
func timesIn(text string) (found []data.Span) {
	if !hasDottedPairs(text) {
		return nil
	}
	var perhaps []data.Span
	certain := 0
	for _, m := range dottedPair.FindAllStringSubmatchIndex(text, -1) {
		first, second := number(text[m[2]:m[3]]), number(text[m[4]:m[5]])
		isTime := first < 24 && second < 60
		switch isDay := first > 0 && first <= 31 && second > 0 && second <= 12; {
		case isDay && !isTime:
			return nil
		case isTime && !isDay && timeBefore.MatchString(lastBytes(text[:m[2]], maxBefore)):
			certain++
		case isTime && isDay && ofDayAndNight.MatchString(lastBytes(text[:m[2]], maxBefore)) && !isOfDay(text, m[2], m[5]):
			perhaps = append(perhaps, data.Span{Start: m[2], End: m[5]})
		}
	}
	if certain < 2 || len(perhaps) == 0 || dottedDate.MatchString(text) || !slashedDate.MatchString(text) {
		return nil
	}
	return perhaps
}

// hasDottedPairs tests for three pairs of two digits with a full stop between them.
func hasDottedPairs(text string) bool {
	pairs := 0
	for i := 2; i+2 < len(text) && pairs < 3; {
		at := strings.IndexByte(text[i:], '.')
		if at < 0 || i+at+2 >= len(text) {
			break
		}
		i += at
		if isDigit(text[i-2]) && isDigit(text[i-1]) && isDigit(text[i+1]) && isDigit(text[i+2]) {
			pairs++
		}
		i++
	}
	return pairs == 3
}

// isOfDay reports whether a value begins a sentence, or what stands beside it tells that it is a day.
func isOfDay(text string, at, end int) bool {
	before := strings.TrimRight(lastBytes(text[:at], maxBefore), " \t")
	if before == "" || strings.IndexByte(".;:!?\n-*", before[len(before)-1]) >= 0 || dayBehind.MatchString(firstBytes(text[end:], 16)) {
		return true
	}
	words := strings.FieldsFunc(fold.Fold(before), noLetter)
	return slices.ContainsFunc(words[max(0, len(words)-2):], func(word string) bool { return daysFollow[word] || dateWords["en"].prepositions[word] })
}

// daysFollow are words before a day, beside the prepositions of dates.
var daysFollow = phrasesOf(`admission admit admitted adm appointment appt appts birth born clinic d date dated day days discharged dob done dos due edd last lmp mon monday tue tues tuesday wed wednesday thu thurs thursday
	fri friday sat saturday sun sunday from next of on operation procedure received return returned scan seen signed since surgery til till until visit visited week wef
	alta cita citado desde dia el fecha hasta ingreso nacido proxima proximo ultima ultimo visita visto`)

var (
	// dottedPair matches two pairs of digits with a full stop between them that are no part of a longer number.
	dottedPair = lazyregexp.New(`(?:^|[^0-9.,/:-])([0-9]{2})\.([0-9]{2})(?:[^0-9%/:-]|-[0-9]{2}\.|$)`)
	// timeBefore matches the end of a text that a time of day follows.
	timeBefore = lazyregexp.New(`(?i)(?:[^\pL]|^)(?:at|@|from|until|till|back|phoned|called|rang|seen|found|fell|fall|time|timed|hrs?|by|to|bed|meds|obs|arrived|left|informed|[\pL]{3,}ed)[ :]{1,2}$|[0-9]{1,2}\.[0-9]{2}-$|[0-9]{1,2}/[0-9]{1,2}(?:/[0-9]{2,4})?,? $|(?:^|\n)[ \t]*$`)
	// ofDayAndNight matches the end of a text that only a time of day follows: where it may be a day as well, the words of events do not tell.
	ofDayAndNight = lazyregexp.New(`(?i)(?:[^\pL]|^)(?:at|@|time|timed|woke|awake|asleep|toilet(?:ed)?|turned|repositioned|to bed)[ :]{1,2}$`)
	// dayBehind matches what stands behind a day rather than a time.
	dayBehind  = lazyregexp.New(`^,? ?(?:is|was|will|for|with|at|es|fue|con)\b|^[:/-]`)
	dottedDate = lazyregexp.New(`(?:^|[^0-9.])[0-9]{1,2}\.[0-9]{1,2}\.(?:19|20)?[0-9]{2}(?:[^0-9]|$)`)
	// slashedDate matches a date of other signs or in words.
	slashedDate = lazyregexp.New(`(?:^|[^0-9/.])(?:0?[1-9]|[12][0-9]|3[01])[/-](?:0?[1-9]|1[0-2])(?:[/-][0-9]{2,4})?(?:[^0-9/]|$)|(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\pL* [0-9]{1,4}`)
)
