package deid

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file cuts results and doses out of dates: "A1c Jan 8.4, Mar 7.9" and "Warfarin Mon 5, Tue 5, Wed 2.5" have a number beside each month or weekday that is no day. A number that
// may be a day is one unless the numbers beside it tell otherwise.

// datesWithoutValues cuts results and doses out of the dates among spans, and drops times of day and amounts that look like years.
func datesWithoutValues(text string, spans []data.Span, sort func(typ string) data.Sort) (all []data.Span) {
	for _, s := range spans {
		switch {
		case sort(s.Type) != data.Date:
			all = append(all, s)
		case !isNoYear(text, s):
			all = append(all, withoutValues(text, s)...)
		}
	}
	return all
}

// withoutValues returns the parts of a date that are no results or doses, and no number of a name, such as PHQ-9, before it.
func withoutValues(text string, s data.Span) []data.Span {
	if s.Start = afterNumberOfName(text, s); s.Start == s.End {
		return nil
	}
	if inDigits(text[s.Start:s.End]) {
		return []data.Span{s}
	}
	left, right := before(text, s, aroundValues), after(text, s, aroundValues)
	if !mayHaveValues(left, text[s.Start:s.End], right) {
		return []data.Span{s}
	}
	at := s.Start - len(left)
	var values []data.Span
	for _, run := range valueRuns(text[at : s.End+len(right)]) {
		if run.end <= len(left) || run.start >= s.End-at {
			continue
		}
		for _, v := range run.values() {
			v.Start, v.End = v.Start+at, v.End+at
			if v.Start < s.End && s.Start < v.End {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return []data.Span{s}
	}
	var parts []data.Span
	for _, part := range data.Subtract(s, values) {
		value := text[part.Start:part.End]
		part.Start += len(inBefore.FindString(value))
		part.End -= len(value) - len(strings.TrimRight(value, besideValues))
		if part.Start < part.End && hasWord(text[part.Start:part.End]) {
			parts = append(parts, part)
		}
	}
	return parts
}

// inDigits reports whether a date has no digits, or nothing but digits and the signs between them, as 5/30 and 30.5.2071 do: there is no value in it.
func inDigits(value string) bool {
	if strings.ContainsFunc(value, unicode.IsLetter) {
		return !strings.ContainsAny(value, "0123456789")
	}
	return strings.ContainsAny(value, "/-") || strings.Count(value, ".") == 2
}

// mayHaveValues reports whether a date has a number that cannot be its day or its year, or its only number has a number, a month or a weekday directly beside it, as in a list.
func mayHaveValues(left, value, right string) bool {
	numbers := 0
	for i := 0; i < len(value); i++ {
		n, from := 0, i
		for ; i < len(value) && value[i] >= '0' && value[i] <= '9'; i++ {
			n = min(10*n+int(value[i]-'0'), 10000)
		}
		if i == from || i-from >= len("2071") {
			continue
		}
		if numbers++; numbers > 1 || n > 31 || n == 0 || i < len(value) && value[i] == '%' {
			return true
		}
	}
	if numbers == 0 {
		return false
	}
	left = strings.TrimRight(left, besideValues)
	for _, in := range []string{" in", " en"} {
		left = strings.TrimRight(strings.TrimSuffix(left, in), besideValues)
	}
	right = strings.TrimLeft(right, besideValues)
	for _, in := range []string{"in ", "en "} {
		right = strings.TrimPrefix(right, in)
	}
	last, _ := utf8.DecodeLastRuneInString(left)
	return beginsWithDigit(right) || beginsLikeValueWord(right) || unicode.IsDigit(last) || last == '%' || last == '.' && endsWithValueWord(left)
}

// endsWithValueWord reports whether the last word of a text may be a month or a day of the week.
func endsWithValueWord(text string) bool {
	word := text[strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' })+1:]
	return beginsLikeValueWord(word)
}

const (
	aroundValues = 96                   // how many bytes before and after a date are read for what is like it
	besideValues = " \t\r\n,;:=/|()→>-" // what may stand between a month or weekday and the value behind it
)

// valueToken is a month, a weekday, a year or a number in a run of them.
type valueToken struct {
	start, end   int
	month        bool
	year         bool   // it is a year, or a month with one
	day          int    // of the week, from 1; 0 for anything else
	mayBeTuesday bool   // it is mar
	number       string // empty for a month, a weekday or a year
	colon        bool   // a colon or a sign of equality precedes the number
}

// valueRun is a list of months, weekdays or years, each with a number, and what stands before and after it.
type valueRun struct {
	before, after string
	start, end    int            // of the run
	groups        [][]valueToken // as commas, semicolons, slashes, bars and the ends of lines divide it
}

// valueRuns returns the runs of a text.
func valueRuns(text string) (runs []valueRun) {
	var run valueRun
	end := 0
	finish := func() {
		if len(run.groups) > 0 {
			run.after, run.end = text[end:], end
			run.readTuesdays()
			runs = append(runs, run)
		}
	}
	for m := range valueItems(text) {
		t, ok := valueTokenAt(text, m)
		if !ok {
			continue
		}
		gap := text[end:t.start]
		switch {
		case len(run.groups) == 0 || !valueGap.MatchString(gap):
			finish()
			run = valueRun{before: text[:t.start], start: t.start, groups: [][]valueToken{{}}}
		case strings.ContainsAny(gap, ",;/|\n"):
			run.groups = append(run.groups, nil)
		default:
			t.colon = strings.ContainsAny(gap, ":=")
		}
		last := len(run.groups) - 1
		run.groups[last] = append(run.groups[last], t)
		end = t.end
	}
	finish()
	return runs
}

// valueItems returns the matches of valueItem in a text, which begin a word.
func valueItems(text string) iter.Seq[[]int] {
	return func(yield func(m []int) bool) {
		inWord := false
		for i := 0; i < len(text); {
			r, n := utf8.DecodeRuneInString(text[i:])
			isPart := unicode.IsLetter(r) || unicode.IsDigit(r)
			if !isPart || inWord || r >= 'A' && !beginsLikeValueWord(text[i:]) {
				inWord, i = isPart, i+n
				continue
			}
			inWord = true
			m := valueItem.FindStringSubmatchIndex(text[i:min(len(text), i+longestItem)])
			if m == nil {
				i += n
				continue
			}
			for k := range m {
				if m[k] >= 0 {
					m[k] += i
				}
			}
			if !yield(m) {
				return
			}
			i = m[1]
			last, _ := utf8.DecodeLastRuneInString(text[:i])
			inWord = unicode.IsLetter(last) || unicode.IsDigit(last)
		}
	}
}

// longestItem is the maximum length of a match of valueItem in bytes that makes sense.
const longestItem = 96

// valueBeginnings are the first three bytes of the names of months and of days of the week.
var valueBeginnings = func() map[[3]byte]bool {
	all := map[[3]byte]bool{}
	words := append(strings.Split(months, "|"), "mi\xc3", "s\xc3\xa1", "s\xc3\x81") // with mié, sáb and SÁB
	for _, word := range slices.AppendSeq(words, maps.Keys(weekdayNumbers)) {
		all[[3]byte([]byte(word))] = true
	}
	return all
}()

// beginsLikeValueWord reports whether a text may begin with a month or a day of the week.
func beginsLikeValueWord(text string) bool {
	if len(text) < 3 {
		return false
	}
	three := [3]byte([]byte(text[:3]))
	for i, c := range three {
		if c >= 'A' && c <= 'Z' {
			three[i] = c | 0x20
		}
	}
	return valueBeginnings[three]
}

// readTuesdays reads mar as the Spanish weekday among weekdays, and not as March.
func (r valueRun) readTuesdays() {
	weekdays := false
	for t := range r.words() {
		if weekdays = weekdays || t.day > 0; t.day == 0 && !t.mayBeTuesday {
			return
		}
	}
	for t := range r.words() {
		if weekdays && t.mayBeTuesday {
			t.month, t.day = false, weekdayNumbers["mar"]
		}
	}
}

// words returns the months and weekdays of a run.
func (r valueRun) words() iter.Seq[*valueToken] {
	return func(yield func(*valueToken) bool) {
		for _, group := range r.groups {
			for i := range group {
				if group[i].number == "" && !yield(&group[i]) {
					return
				}
			}
		}
	}
}

// valueTokenAt returns the token of a match of valueItem. A number that is a part of something longer is none: 12/5, PHQ-9, 5th, '88.
func valueTokenAt(text string, m []int) (t valueToken, ok bool) {
	t = valueToken{start: m[0], end: m[1]}
	if m[2] >= 0 {
		word := fold.Fold(text[m[2]:m[3]])
		t.year, t.month, t.mayBeTuesday = fourDigitsAtEnd.MatchString(word), m[4] < 0 && !beginsWithDigit(word), word == "mar"
		if m[4] >= 0 {
			t.day = weekdayNumbers[word[:3]]
		}
		return t, !wordBefore.MatchString(text[max(0, t.start-4):t.start]) && !wordAfter.MatchString(text[m[3]:min(len(text), m[3]+4)])
	}
	t.number = text[m[0]:m[1]]
	return t, !partBefore.MatchString(text[max(0, t.start-4):t.start]) && !partAfter.MatchString(text[t.end:min(len(text), t.end+4)])
}

// values returns the numbers of a run that are no days.
func (r valueRun) values() (values []data.Span) {
	first, ok := r.wordsFirst()
	list := ok && r.isTrend(first)
	for _, group := range r.groups {
		for i, t := range group {
			switch {
			case t.number == "" || r.isHouse(group, i):
			case list, i > 0 && group[i-1].month && (t.isNoDay(true) || group[i-1].year && i+1 == len(group)),
				i+1 < len(group) && group[i+1].month && t.isNoDay(false):
				values = append(values, data.Span{Start: t.start, End: t.end})
			}
		}
	}
	return values
}

// isHouse reports whether the number at the end of a run may be that of a house: May 103 Elm Street, 9 de Julio 345.
func (r valueRun) isHouse(group []valueToken, i int) bool {
	return i+1 == len(group) && !strings.ContainsAny(group[i].number, ".,%") && (houseAfter.MatchString(r.after) || len(group) == 2 && dayOfStreet.MatchString(r.before))
}

// isNoDay reports whether a number beside a month can be neither a day nor, after the month, a year: 8.4, 130, and 88 before it.
func (t valueToken) isNoDay(after bool) bool {
	whole, fraction, decimal := strings.Cut(strings.Replace(t.number, ",", ".", 1), ".")
	n, err := strconv.Atoi(whole)
	if err != nil || whole == "0" || n > 99 || n > 31 && (decimal || !after) { // a percentage is no number
		return true
	}
	return strings.Contains(t.number, ".") && len(fraction) != 2 // Jan 8.71 may be a date
}

// wordsFirst reports whether the words of a run stand before their numbers rather than behind them; ok is false if it is no list of pairs of one kind.
func (r valueRun) wordsFirst() (first, ok bool) {
	pairs := slices.Concat(r.groups...)
	first = pairs[0].number == ""
	if len(pairs) < 4 || len(pairs)%2 > 0 {
		return first, false
	}
	var word *valueToken
	for i := range pairs {
		t := &pairs[i]
		if (t.number == "") != (first == (i%2 == 0)) {
			return first, false
		}
		if t.number != "" {
			continue
		}
		if word != nil && (word.month != t.month || (word.day > 0) != (t.day > 0)) {
			return first, false
		}
		word = t
	}
	for _, group := range r.groups {
		if len(r.groups) > 1 && len(group)%2 > 0 {
			return first, false
		}
	}
	return first, true
}

// isTrend reports whether the numbers of a list of pairs are results or doses rather than days: those behind months with years are, and those behind a word for what is measured or taken if
// they cannot all be days.
func (r valueRun) isTrend(first bool) bool {
	var numbers []string
	var days []int
	colons, years := 0, 0
	for _, t := range slices.Concat(r.groups...) {
		switch {
		case t.number == "":
			if days = append(days, t.day); t.month && t.year {
				years++
			}
			continue
		case t.colon:
			colons++
		}
		numbers = append(numbers, t.number)
	}
	if years == len(days) {
		return first && !valueAfter.MatchString(r.after)
	}
	if valueAfter.MatchString(r.after) || !isMeasured(r.before, days[0] > 0) { // TSH Jan 5, Mar 7: 2.1
		return false
	}
	possible := !slices.ContainsFunc(numbers, func(number string) bool { return !mayBeDay(number) })
	if days[0] == 0 {
		return !possible || colons == len(numbers)
	}
	if !possible {
		numbers, possible = daysOfOneMonth(numbers)
		return !possible || !areDates(numbers, days)
	}
	return !areDates(numbers, days)
}

// daysOfOneMonth returns the days of numbers such as 5.6 and 7.6, if all may be days of the same month; ok is false if they are not.
func daysOfOneMonth(numbers []string) (days []string, ok bool) {
	month := ""
	for _, number := range numbers {
		day, m, _ := strings.Cut(strings.Replace(number, ",", ".", 1), ".")
		n, err := strconv.Atoi(m)
		if err != nil || n < 1 || n > 12 || month != "" && m != month || !mayBeDay(day) {
			return nil, false
		}
		month, days = m, append(days, day)
	}
	return days, true
}

// mayBeDay reports whether a number may be a day of a month.
func mayBeDay(number string) bool {
	n, err := strconv.Atoi(number)
	return err == nil && n > 0 && n < 32
}

// areDates reports whether numbers may be the days of the month of days of the week that follow each other, or grow as those of a list of dates do.
func areDates(numbers []string, days []int) bool {
	fit, grow := true, true
	for i := 1; i < len(numbers); i++ {
		a, _ := strconv.Atoi(numbers[i-1])
		b, _ := strconv.Atoi(numbers[i])
		grow = grow && a < b
		apart := (days[i] - days[i-1] + 7) % 7
		fits := a < b && (b-a)%7 == apart
		for length := 28; length < 32; length++ { // of the month
			fits = fits || a > b && (b+length-a)%7 == apart
		}
		fit = fit && fits
	}
	return fit || grow
}

// isMeasured reports whether a text ends in a word for what is measured or, by weekdays, taken, or in one and its unit in brackets.
func isMeasured(before string, weekdays bool) bool {
	m := lastMeasured.FindStringSubmatch(fold.Fold(before[max(0, len(before)-40):]))
	return m != nil && (measuredWords[m[1]] || weekdays && takenWords[m[1]])
}

// afterNumberOfName returns the start of a date behind the number of a score, a vaccine, a stage or the like that its first day was mistaken for, or the start of the date: "PHQ-9 May 2023". If
// the date is that number alone, it returns its end.
func afterNumberOfName(text string, s data.Span) int {
	if value := text[s.Start:s.End]; !beginsWithDigit(value) || !beginsLikeValueWord(strings.TrimLeft(text[s.Start:min(len(text), s.End+longestMonth)], "0123456789-, ")) {
		return s.Start
	}
	rest := text[s.Start:min(len(text), s.End+longestMonth)]
	m := numberAndMonth.FindStringSubmatchIndex(rest)
	if m == nil || s.End < s.Start+m[3] {
		return s.Start
	}
	name := before(text, s, longestName) + rest[:m[3]]
	behind := text[min(len(text), max(s.End, s.Start+m[1])):]
	if numberedName.MatchString(name) || numberSign.MatchString(name) ||
		gradedName.MatchString(name) && !ordinalName.MatchString(name) && !gradeAfter.MatchString(behind[:min(len(behind), longestMonth)]) {
		return min(s.End, s.Start+m[4])
	}
	return s.Start
}

// How many bytes before a number are read for the name that it belongs to, and behind it for a month.
const (
	longestName  = 32
	longestMonth = 12
)

// weekdayWord matches a day of the week.
const weekdayWord = `(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|` +
	`lun(?:es)?|martes|mi[ée](?:rcoles)?|jue(?:ves)?|vie(?:rnes)?|s[áa]b(?:ado)?|dom(?:ingo)?)`

// inBefore matches what may stand between a value and the month behind it.
var inBefore = lazyregexp.New(`^[ \t\r\n,;:=/|()→>-]*(?:(?:in|en) )?`)

var (
	valueItem       = lazyregexp.New(`^(?i)(?:((` + weekdayWord + `(?:[-–/&]` + weekdayWord + `){0,6})|` + inFull + `(?:\.? (?:(?:de|del) )?(?:19|20)[0-9]{2})?|(?:19|20)[0-9]{2})\.?|[0-9]{1,3}(?:[.,][0-9]{1,3})?(?: ?%)?)`)
	fourDigitsAtEnd = lazyregexp.New(`[0-9]{4}$`)
	wordBefore      = lazyregexp.New(`[\pL\pN/.-]$`)
	wordAfter       = lazyregexp.New(`^(?:[\pL\pN/'’-]|[.:][0-9])`)
	valueGap        = lazyregexp.New(`^(?:[ \t]{1,4}|[ ](?:in|en)[ ]|[ \t]?[:=][ \t]?|[ \t]?(?:[,;/|]|->|→)[ \t]{0,3}|[ \t]{0,3}\r?\n[ \t]{0,3})$`)
	partBefore      = lazyregexp.New(`[\pL\pN'’#/.-]$|[0-9][:,]$`)
	partAfter       = lazyregexp.New(`^(?:[\pL\pN'’%º°ª]|[-/–:.,][0-9]| ?[-–/x×] ?[0-9]| (?:st|nd|rd|th)\b)`)
	dayOfStreet     = lazyregexp.New(`[0-9] [Dd][Ee] $`) // as in 9 de Julio 345, which is a street
	houseAfter      = lazyregexp.New(`^ \p{Lu}\p{Ll}`)   // as in May 103 Elm Street
	valueAfter      = lazyregexp.New(`^ ?(?:[:=(]|was|fue) ?[<>]?[0-9]`)
	lastMeasured    = lazyregexp.New(`([\pL][\pL0-9-]*)(?: ?[(\[](?:in )?[a-z0-9%/^. ]{1,10}[)\]])?[ :=-]{0,3}$`)
	numberAndMonth  = lazyregexp.New(`(?i)^([0-9]{1,2}(?:-[0-9]{1,2})?),? (` + inFull + `)(?:[^\pL]|$)`)
	numberSign      = lazyregexp.New(`\pL\pL*[ ,]{0,2}#[0-9]+$|\b(?i:dose|booster|cycle|session|fraction|course|visit|infusion|injection|treatment|dosis|ciclo|sesi[óo]n|fracci[óo]n|visita|infusi[óo]n|inyecci[óo]n|tratamiento) (?i:no\.?|nr\.?|num(?:ber)?\.?|n\.?[º°]|n[úu]m(?:ero)?\.?) ?[0-9]+$`)
	// Names that are written without their number as well need a hyphen: "IPSS 7 May".
	numberedName = lazyregexp.New(`(?i)\b(?:PHQ[- ]?(?:2|4|8|9|15)|GAD[- ]?[27]|EPDS-10|SF[- ]?(?:6|8|12|36)|[KH]OOS-?12|NRS-?11|AUDIT-?10|COVID[- ]19|PCL-?(?:5|17|20)|QLQ[- ]?C?30|CA ?(?:19-9|15-3|27-29|72-4)|` +
		`WHO-5|DASS-?21|CES-?D-?(?:10|20)|GDS-(?:4|5|15|30)|BDI-2|HAM-?D-?(?:6|17|21|24)|HDRS-?(?:17|21|24)|YMRS-11|ASQ-3|DAST-?(?:10|20)|HADS-14|PSS-(?:4|10|14)|ISI-7|HIT-6|IPSS-7|IIEF-?(?:5|15)|` +
		`FACT-G7|KCCQ-?(?:12|23)|MLHFQ-?21|DLQI-10|PedsQL-?23|PSC-?(?:17|35)|CD-RISC-?(?:10|25)|PROMIS-?(?:10|29)|SNOT[- ]?(?:20|22)|VFQ-?25|MFIS-?21|CAM-ICU-7|IL-6|omega[- ]?[36]|vitamina? (?:B|D)-?(?:3|6|12)|` +
		`(?:Pneumovax|PPSV|PPV|VPP) ?23|Pre(?:venar|vnar) ?(?:7|13|20)|(?:PCV|VPC|VNC) ?(?:7|10|13|15|20|21)|Gardasil 9|Vaxneuvance 15|Capvaxive 21|Synflorix 10)$`)
	// A scale that has the name of a person needs a word such as stage: "Dr. Tanner 4 July".
	gradedName = lazyregexp.New(`(?i)\b(?:(?:NYHA|CCS)(?: class| clase| grade| grado| stage)? [1-4]|(?:Killip|GOLD|Mallampati) (?:class|clase|grade|grado|stage|estadio) [1-4]|` +
		`(?:ECOG(?: PS)?|(?:BI|TI|LI|PI|O|Lung)-?RADS|stage|estadio|grade|grado|CKD|ERC|Kellgren-Lawrence|mRS|Rankin (?:score|scale|escala)) [0-6]|` +
		`Bethesda (?:category|categor[íi]a) [1-6]|Gleason (?:score|sum) (?:[6-9]|10)|Child-Pugh (?:[5-9]|1[0-5])|MELD(?:-Na)? (?:[6-9]|[123][0-9])|(?:Fitzpatrick|Tanner) (?:type|tipo|stage|estadio) [1-6]|` +
		`(?:DM|diabetes(?: mellitus)?) (?:type|tipo) [1-3]|gravida [1-9]|Apgar (?:scores?|test) (?:[1-9]|10))$|(?:^|[\n.;:,(][ \n]?)(?:cycle|ciclo|fraction|fracci[óo]n) [0-9]{1,2}$`)
	// ordinalName matches what is a person or the first visit of a kind rather than a grade.
	ordinalName = lazyregexp.New(`(?i)\b(?:first|second|third|fourth|next|last|final|[0-9](?:st|nd|rd|th)|dra?\.?|primer|segundo|tercer|cuarto|pr[óo]ximo|[úu]ltimo) \pL+ [0-9]{1,2}$`)
	gradeAfter  = lazyregexp.New(`^ ?[:=(] ?(?:[0-9]|[IV]+\b)|^ (?:was|fue) `)
)

// weekdayNumbers are the days of the week by their first three letters, folded.
var weekdayNumbers = map[string]int{
	"mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6, "sun": 7,
	"lun": 1, "mar": 2, "mie": 3, "jue": 4, "vie": 5, "sab": 6, "dom": 7,
}

var (
	// measuredWords are folded words that results follow.
	measuredWords = wordlists.Set(`a1c hba1c hb hgb hct hto wbc leucos leucocitos plt plts plaquetas platelets cr creat creatinine creatinina bun urea k na egfr gfr fg tfg psa tsh ft4 t4 ldl hdl tg tgs trigs trigliceridos chol
		cholesterol colesterol crp pcr esr vsg inr ptt aptt ferritin ferritina cd4 cd8 vl wt weight peso bmi imc gcs glasgow glucose glucosa glucemia glucemias bg bgs fbg temp temps tmax hr fc spo2 sat sats satohb alt ast alp ggt gpt got fa
		bili bilirubin bilirrubina lipase lipasa amylase amilasa ck cpk ldh trop troponin troponina bnp nt-probnp probnp lactate lactato procalcitonin procalcitonina pct anc albumin albumina alb b12 cea afp ca125 ca-125 ca19-9
		phos ca mg uric urico rin dimero d-dimer acr pth fev1 talla map tam pain dolor eva nrs vas phq-9 phq9 gad-7 gad7 mmse moca`)
	// takenWords are folded words that a dose of each day of the week follows.
	takenWords = wordlists.Set(`warfarin coumadin jantoven marevan sintrom acenocoumarol acenocumarol aldocumar warfarina phenprocoumon levothyroxine levotiroxina synthroid eutirox prednisone prednisona prednisolone prednisolona
		methotrexate metotrexato insulin insulina lantus furosemide furosemida lasix torsemide torasemida bumetanide methadone metadona digoxin digoxina`)
)
