package safetynet

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds dates of day and month in digits, without a year: 8/4, 04-12. They look like fractions, scores, doses and ranges, so that what stands beside them decides: words that
// a date follows (DaysAndMonths), or the certain dates of the note (Dated.Like). What stands beside a fraction excludes them, except directly behind a preposition such as since,
// where only an amount or what is graded up to it does.

// dayMonth is a value in digits that may be a day and a month.
type dayMonth struct {
	start, end    int
	first, second int
	sep           byte // one of / - .
	padded        bool // both numbers have two digits, and one begins with 0: 04/20
	half          int  // the length of am or pm directly behind it
	open          bool // a hyphen behind it has no second date: "cefepime 5/3-", "5/3-present"
}

// order says which number of a date is the day.
type order int

const (
	anyOrder order = iota
	dayFirst
	monthFirst
)

// maxDays are the lengths of the months.
var maxDays = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// readings returns the days of a leap year that the value may be in an order.
func (v dayMonth) readings(o order) (days []int) {
	add := func(day, month int) {
		if month < 1 || month > 12 || day < 1 || day > maxDays[month] {
			return
		}
		for _, n := range maxDays[:month] {
			day += n
		}
		days = append(days, day)
	}
	if o != monthFirst {
		add(v.first, v.second)
	}
	if o != dayFirst && v.first != v.second {
		add(v.second, v.first)
	}
	return days
}

// hasDay reports whether one of the numbers can only be a day.
func (v dayMonth) hasDay() bool { return max(v.first, v.second) > 12 }

// dayMonthsIn returns the values of a text that have the form of a day and a month and are no part of a longer number.
func dayMonthsIn(text string) (all []dayMonth) {
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		end := i
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		if v, ok := dayMonthAt(text, i, end); ok {
			all = append(all, v)
			end = v.end
		}
		i = end
	}
	return all
}

// dayMonthAt returns the day and month whose first number is text[start:middle].
func dayMonthAt(text string, start, middle int) (v dayMonth, ok bool) {
	if middle-start > 2 || middle+1 >= len(text) || strings.IndexByte("/-.", text[middle]) < 0 {
		return v, false
	}
	end := middle + 1
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if n := end - middle - 1; n == 0 || n > 2 {
		return v, false
	}
	v = dayMonth{start: start, end: end, sep: text[middle]}
	v.first, _ = strconv.Atoi(text[start:middle])
	v.second, _ = strconv.Atoi(text[middle+1 : end])
	v.padded = end-start == len("04/20") && (text[start] == '0' || text[middle+1] == '0')
	if len(v.readings(anyOrder)) == 0 || !v.beginsAlone(text) {
		return v, false
	}
	if halfDay.MatchString(firstBytes(text[end:], 3)) {
		v.half = len("am")
	}
	v.open = openEnd.MatchString(firstBytes(text[end:], 16))
	return v, v.open || v.endsAlone(text)
}

// beginsAlone reports whether nothing that belongs to the value stands directly before it, other than the first date of a range.
func (v dayMonth) beginsAlone(text string) bool {
	before := lastBytes(text[:v.start], 8)
	r, n := utf8.DecodeLastRuneInString(before)
	switch {
	case before == "", unicode.IsSpace(r), strings.ContainsRune(`([{"“«'|<>=→*_`, r):
		return true
	case r == '-' || r == '–':
		return v.sep == '/' && dayMonthBefore.MatchString(before[:len(before)-n])
	case strings.ContainsRune(":;,", r):
		return len(before) == n || !isDigit(before[len(before)-n-1])
	}
	return false
}

// endsAlone is beginsAlone for what follows.
func (v dayMonth) endsAlone(text string) bool {
	after := firstBytes(text[v.end+v.half:], 8)
	r, n := utf8.DecodeRuneInString(after)
	switch {
	case after == "", unicode.IsSpace(r), strings.ContainsRune(`)]}"”»';|<*!?→`, r):
		return true
	case r == '-' || r == '–':
		return v.sep == '/' && (dayMonthAfter.MatchString(after[n:]) || arrowAfter.MatchString(after))
	case strings.ContainsRune(":,.", r):
		return len(after) == n || !isDigit(after[n])
	}
	return false
}

var (
	dayMonthBefore = lazyregexp.New(`(?:^|[^0-9/.,])[0-9]{1,2}/[0-9]{1,2}$`)
	dayMonthAfter  = lazyregexp.New(`^[0-9]{1,2}/[0-9]{1,2}(?:[^0-9/%]|$)`)
	halfDay        = lazyregexp.New(`^(?i:[ap]m)(?:[^\pL\pN]|$)`)
	arrowAfter     = lazyregexp.New(`^-{1,2}>`)
	openEnd        = lazyregexp.New(`^ ?[-–—](?:[)\],;.\s]|$|(?i:present|now|current|currently|today|ongoing|presente|actualidad|actual|hoy)\b)`)
)

// orderOf returns the order of the dates with a year of a text and of the days and months, as far as they tell.
func orderOf(text string, certain []dayMonth) order {
	votes := 0
	count := func(first, second int) {
		switch {
		case first > 12 && second <= 12:
			votes++
		case second > 12 && first <= 12:
			votes--
		}
	}
	for date := range strings.FieldsFuncSeq(text, isOutsideDate) {
		if first, second, ok := dayAndMonth(date); ok && first <= 31 && second <= 31 {
			count(first, second)
		}
	}
	for _, v := range certain {
		count(v.first, v.second)
	}
	switch {
	case votes > 0:
		return dayFirst
	case votes < 0:
		return monthFirst
	}
	return anyOrder
}

// isOutsideDate reports whether a character is none of a date in digits.
func isOutsideDate(r rune) bool { return (r < '0' || r > '9') && r != '/' && r != '.' && r != '-' }

// dayAndMonth returns the first two numbers of a date with a year, such as 3/4/2071 and 03.04.71. It may have a full stop or a hyphen behind it, and what follows that.
func dayAndMonth(date string) (first, second int, ok bool) {
	first, date, ok = leadingNumber(date)
	if !ok {
		return 0, 0, false
	}
	if second, date, ok = leadingNumber(date); !ok {
		return 0, 0, false
	}
	n := digitsAtStart(date)
	year, rest := date[:n], date[n:]
	ok = (n == 2 || n == 4 && (year[:2] == "19" || year[:2] == "20")) && !strings.HasPrefix(rest, "/")
	return first, second, ok
}

// leadingNumber returns the number of one or two digits that a text begins with, and what follows the sign behind it.
func leadingNumber(text string) (n int, rest string, ok bool) {
	end := digitsAtStart(text)
	if end == 0 || end > 2 || end == len(text) {
		return 0, "", false
	}
	return number(text[:end]), text[end+1:], true
}

// digitsAtStart returns how many digits a text begins with.
func digitsAtStart(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }

// beside is what stands before and after a value, folded, with the words that are nearest to it.
type beside struct {
	before, after string
	last          []string // the last words before the value, four at most
	next          []string // the first words after it, two at most
	side          bool     // left or right precedes the value: L 4/5
}

// How many bytes before and after a value are read.
const (
	maxBefore = 64
	maxAfter  = 32
)

func (v dayMonth) beside(text string) beside {
	end := v.end + v.half
	from, to := max(0, v.start-maxBefore), min(len(text), end+maxAfter)
	for from < v.start && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && to > end && !utf8.RuneStart(text[to]) {
		to--
	}
	before, after := text[from:v.start], text[end:to]
	b := beside{before: fold.Fold(before), after: fold.Fold(after), side: sideBefore.MatchString(lastBytes(before, 12))}
	rest := strings.TrimRight(b.before, opening)
	if weekday, ok := strings.CutSuffix(rest, ","); ok { // on Monday, 3/4
		if word := lastWord(weekday); approximateWords[word] {
			rest = weekday
		}
	}
	for len(b.last) < 4 {
		word := lastWord(rest)
		if word == "" {
			break
		}
		b.last = append([]string{word}, b.last...)
		rest = strings.TrimRight(rest[:len(rest)-len(word)], blanks)
	}
	rest = strings.TrimLeft(b.after, blanks+"-")
	for len(b.next) < 2 {
		word := firstWord(rest)
		if word == "" || len(b.next) == 0 && len(b.after)-len(rest) > 2 {
			break
		}
		b.next = append(b.next, word)
		rest = strings.TrimLeft(rest[len(word):], " ")
	}
	return b
}

// tail returns the last bytes before the value.
func (b beside) tail() string { return lastBytes(b.before, 12) }

const (
	blanks  = " \t\r\n\u00a0"
	opening = blanks + `.:=()["“#+-` // what may stand between a word and the number after it
)

// lastWord returns the word at the end of a folded text: letters, digits and the signs of d/c, h&h and child-pugh.
func lastWord(text string) string {
	at := len(text)
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/&'-º°", r) {
			break
		}
		at -= n
	}
	return text[at:]
}

// firstWord returns the letters at the beginning of a folded text, or "" if a sign of r/o or w/ follows.
func firstWord(text string) string {
	end := strings.IndexFunc(text, noLetter)
	switch {
	case end < 0:
		return text
	case text[end] == '/' || isDigit(text[end]):
		return ""
	}
	return text[:end]
}

// follows reports whether the words before the value end with a word or phrase of a set.
func follows(phrases map[string]bool, last []string) bool {
	for i := range last {
		if phrase := strings.Join(last[i:], " "); phrases[phrase] {
			return true
		}
		if word := last[len(last)-1]; i < len(last)-1 && len(word) > 2 && !isDigit(word[0]) && phrases[strings.Join(last[i:len(last)-1], " ")+" *"] {
			return true
		}
	}
	return false
}

// followsPreposition is follows for prepositions, behind which others of approximateWords may stand.
func followsPreposition(phrases map[string]bool, last []string) bool {
	for {
		if follows(phrases, last) {
			return true
		}
		if !follows(approximateWords, last) {
			return false
		}
		last = last[:len(last)-1]
	}
}

// precedes reports whether the words after the value begin with a word or phrase of a set.
func precedes(phrases map[string]bool, next []string) bool {
	return len(next) > 0 && (phrases[next[0]] || phrases[strings.Join(next, " ")])
}

// endsPhrase reports whether what follows the value is the end of a phrase, or a word of grammar or a verb, rather than what a fraction is of.
func (b beside) endsPhrase() bool {
	if strings.TrimSpace(b.after) == "" || strings.IndexByte(").;,]\n", b.after[0]) >= 0 || precedes(simpleWords, b.next) {
		return true
	}
	return len(b.next) > 0 && isParticiple(b.next[0])
}

// isOfNoun reports whether a noun follows the value: EKG 2/3 leads.
func (b beside) isOfNoun() bool { return len(b.next) > 0 && len(b.next[0]) > 1 && !b.endsPhrase() }

// DaysAndMonths returns the days and months without a year of a text in a language that the words before them tell: "since 4/12", "desde el 4/5". Their type is empty.
func DaysAndMonths(text, language string) (found []data.Span) {
	words, ok := dateWords[language]
	if !ok {
		return nil
	}
	var o order
	var told []dayMonth
	known, others := false, false // others: some are dates that are no British durations
	dotted := sync.OnceValue(func() map[int]bool { return monthsOfDotted(text) })
	for _, v := range dayMonthsIn(text) {
		if v.sep == '.' {
			if v.padded && v.isDotted(v.beside(text), words) && dotted()[v.second] {
				found = append(found, data.Span{Start: v.start, End: v.end, Score: 1})
			}
			continue
		}
		if !known {
			o, known = orderOf(text, nil), true
		}
		b := v.beside(text)
		if !v.open && v.told(b, words, o) || v.isGiven(b, words, o) || v.isDated(b, language) || len(told) > 0 && v.continues(text, b, told[len(told)-1], words, o) {
			told = append(told, v)
			others = others || !words.british || !v.mayBeDuration(b)
		}
	}
	if others || o == monthFirst {
		for _, v := range told {
			if s := (data.Span{Start: v.start, End: v.end, Score: 1}); !data.Covered(s, tabulated(text).tablets) {
				found = append(found, s)
			}
		}
	}
	slices.SortFunc(found, func(a, b data.Span) int { return cmp.Compare(a.Start, b.Start) })
	return found
}

// isDotted reports whether a value such as 09.07 may be a day and a month: it opens a line or stands behind the label of an entry or a word for dates, and is no time and no amount.
func (v dayMonth) isDotted(b beside, words dateLanguage) bool {
	if len(v.readings(dayFirst)) == 0 || v.isNoDate(b) || clockAfter.MatchString(b.after) {
		return false
	}
	return opensEntry.MatchString(b.before) || followsPreposition(words.prepositions, b.last) || follows(words.events, b.last)
}

// monthsOfDotted returns the months of the dates with a year in this form, 07.07.25, and those beside them.
func monthsOfDotted(text string) map[int]bool {
	months := map[int]bool{}
	for _, m := range dottedWithYear.FindAllStringSubmatch(text, -1) {
		if month := number(m[1]); month >= 1 && month <= 12 {
			months[month], months[month%12+1], months[(month+10)%12+1] = true, true, true
		}
	}
	return months
}

var (
	dottedWithYear = lazyregexp.New(`(?:^|[^0-9.])[0-3]?[0-9]\.([01]?[0-9])\.(?:20)?[0-9]{2}(?:[^0-9.]|\.(?:[^0-9]|$)|$)`)
	clockAfter     = lazyregexp.New(`^ ?(?:h|hs|hrs|hours|horas)(?:[^\pL]|$)`)
	// opensEntry matches what stands before a value that opens a line, or is behind the label of an entry there. Other labels have results and times behind them.
	opensEntry = lazyregexp.New(`(?:^|\n)(?:[ \t(]*|[^\n0-9:]{0,40}\b(?:admission|admitted|alta|cirugia|consulta|control|date|discharge|discharged|evaluacion|evolucion|fecha|ingreso|interconsulta|intervencion|note|nota|operation|review|revision|seen|seguimiento|sesion|surgery|traslado|visit|visita|ward round)[^\n0-9:]{0,20}:[ \t]*)$`)
)

// mayBeDuration reports whether a value without other dates in its note is rather a British duration: follow up 3/12, amoxicillin given 5/7, seen 3/12 post op.
func (v dayMonth) mayBeDuration(b beside) bool {
	switch {
	case v.first == 7 && v.second == 7 && v.sep == '/': // a week, as long as most courses are
		return v.isBehindDrug(b)
	case v.first > 6 || v.padded || v.sep != '/' || v.second != 7 && v.second != 12:
		return false
	case follows(durationWords, b.last), v.isBehindDrug(b):
		return true
	}
	last := b.last[max(0, len(b.last)-1):]
	return slices.Equal(last, []string{"given"}) && v.second == 7 || slices.Equal(last, []string{"seen"}) && len(b.next) > 0 && b.next[0] == "post"
}

// dateLanguage is what a language has before dates.
type dateLanguage struct {
	order        order           // of the language's dates, if others do not tell
	prepositions map[string]bool // nothing but a date or an amount follows
	events       map[string]bool // a date may follow, or a fraction with what it is of
	others       map[string]bool // what follows is a date if it can be no fraction
	british      bool            // 3/7 and 4/12 are days and months
}

// told reports whether the words before the value tell that it is a date.
func (v dayMonth) told(b beside, words dateLanguage, o order) bool {
	readings := o
	if o == anyOrder {
		readings = words.order
	}
	if len(v.readings(readings)) == 0 {
		return false
	}
	preposition, event := followsPreposition(words.prepositions, b.last), follows(words.events, b.last) || v.isAfterVerb(b)
	other := v.padded && v.sep == '/' && b.hasWord() || (v.padded || v.hasDay()) && follows(words.others, b.last)
	switch {
	case !preposition && !event && !other, b.isAmount(), !preposition && v.isNoDate(b), v.isGradedUpTo(b):
		return false
	case v.sep == '-' && v.first < v.second && (!preposition && !event || !v.padded && !b.endsPhrase()): // a range of numbers
		return false
	case preposition:
		return true
	case words.british && (o == dayFirst && (v.second == 7 || v.second == 12) || v.first == 2 && v.second == 2): // 2/2 is "secondary to"
		return false
	}
	return other || !v.isPart(2, 3, 4) || !follows(cultureWords, b.last) && !b.isOfNoun()
}

// isAfterVerb reports whether a participle precedes the value, as in "drain pulled 3/9", nothing follows that it may be a fraction of, and it is no usual fraction or score.
func (v dayMonth) isAfterVerb(b beside) bool {
	return len(b.last) > 0 && isParticiple(b.last[len(b.last)-1]) && b.endsPhrase() && !v.isPart(2, 3, 4, 5, 6, 10)
}

// isParticiple reports whether a folded word ends as an English or a Spanish participle.
func isParticiple(word string) bool {
	return slices.ContainsFunc([]string{"ed", "ado", "ada", "ido", "ida"}, func(end string) bool { return len(word) > len(end)+1 && strings.HasSuffix(word, end) })
}

// hasWord reports whether a word of at least two letters precedes the value.
func (b beside) hasWord() bool {
	return len(b.last) > 0 && len(b.last[len(b.last)-1]) > 1 && !isDigit(b.last[len(b.last)-1][0])
}

// isPart reports whether the value is a fraction of one of some numbers, at most 1.
func (v dayMonth) isPart(of ...int) bool { return v.first <= v.second && slices.Contains(of, v.second) }

// isNoDate reports whether what stands beside the value tells that it is a fraction, a score, a dose, an amount or the day of a course.
func (v dayMonth) isNoDate(b beside) bool {
	if b.isAmount() || isSigned.MatchString(b.tail()) || follows(courseWords, b.last) {
		return true
	}
	if v.isMeasured(b.last) || v.isGradedUpTo(b) || followsCores(b) {
		return true
	}
	if v.isPart(2, 3, 4, 7) && wholeNumber.MatchString(b.tail()) {
		return true
	}
	return v.isPart(2, 3, 4, 5, 6, 10, 15, 30) && b.isScore() && !b.hasPreposition() && !follows(dateWords["en"].events, b.last)
}

// isMeasured reports whether a word for what is scored, measured or dosed precedes the value, directly or before nearbyWords. Before changeWords the value must look like one, too.
func (v dayMonth) isMeasured(last []string) bool {
	for changed := false; ; last = last[:len(last)-1] {
		scored, measured := follows(pointWords, last), follows(measureWords, last)
		switch {
		case !changed && (scored || measured || follows(scoreWords, last) || follows(drugWords, last)):
			return true
		case scored && v.isPart(10), follows(gradedWords, last) && v.isPart(4, 5, 6), measured && (v.first > v.second || v.first == 6):
			return true
		case follows(changeWords, last):
			changed = true
		case !follows(nearbyWords, last):
			return false
		}
	}
}

// followsCores reports whether the value is a number of cores of a prostate: prostate biopsy 4/12 positive.
func followsCores(b beside) bool {
	return len(b.next) > 0 && strings.HasPrefix(b.next[0], "pos") && follows(biopsyWords, b.last) && (strings.Contains(b.before, "prostat") || strings.Contains(b.after, "gleason"))
}

// isGradedUpTo reports whether Spanish words before the value tell that something graded reaches it: fuerza hasta 4/5, and both values of fuerza desde 2/5 hasta 4/5.
func (v dayMonth) isGradedUpTo(b beside) bool {
	if !v.isPart(4, 5, 6, 10) {
		return false
	}
	of := ""
	if m := gradedUpTo.FindStringSubmatch(b.before); m != nil {
		of = cmp.Or(m[1], strconv.Itoa(v.second))
	} else if m := upTo.FindStringSubmatch(b.after); m != nil && gradedFrom.MatchString(b.before) {
		of = m[1]
	}
	return of == strconv.Itoa(v.second)
}

// isAmount reports whether what follows the value makes it an amount.
func (b beside) isAmount() bool {
	return precedes(amountWords, b.next) || isMeasured.MatchString(b.after)
}

// isScore reports whether a word for what is scored stands before the value in its sentence.
func (b beside) isScore() bool {
	before := b.before
	before = before[strings.LastIndexAny(before, "\n.;")+1:]
	for word := range strings.FieldsFuncSeq(lastBytes(before, maxScored), noLetter) {
		if pointWords[word] {
			return true
		}
	}
	return false
}

// maxScored is how many bytes before a score its word may stand.
const maxScored = 48

// hasPreposition reports whether a preposition of dates in any language precedes the value.
func (b beside) hasPreposition() bool {
	return followsPreposition(dateWords["en"].prepositions, b.last) || followsPreposition(dateWords["es"].prepositions, b.last)
}

// hasEvent is hasPreposition for events.
func (b beside) hasEvent() bool {
	return follows(dateWords["en"].events, b.last) || follows(dateWords["es"].events, b.last)
}

// mayBeAmount reports whether a value beside certain dates is rather something else: what the British write for days and months (x 3/7, in 6/12), a cause (2/2), a score behind a date, a
// fraction before one, or a range of numbers.
func (v dayMonth) mayBeAmount(b beside) bool {
	if b.hasPreposition() {
		return false
	}
	switch {
	case v.sep == '.', v.sep == '-' && v.first < v.second && !b.endsPhrase(), v.first == 2 && v.second == 2:
		return true
	case v.second == 7 || v.second == 12:
		return follows(britishWords, b.last) || numberBefore.MatchString(b.tail())
	case v.isPart(2, 3, 4):
		return !b.hasEvent() || dateAfter.MatchString(b.after) || b.isOfNoun()
	}
	return v.isPart(5, 10) && (dateBefore.MatchString(b.tail()) || b.side)
}

var (
	isSigned     = lazyregexp.New(`(?:[<>=→~≥≤×±#+@$%]\s?|[0-9]\s?[-+x×]\s|[0-9]x\s?)$`)
	isMeasured   = lazyregexp.New(`^(?:\s?[%°'"”´+/]|\s?[-x×]\s?[0-9]{1,3}(?:[^0-9/]|$))`)
	sideBefore   = lazyregexp.New(`(?:^|[^\pL])(?:[LRDI]|(?i:left|right|bilat|izq|izda|izdo|der|dcha|dcho))[.:]?\s$`)
	wholeNumber  = lazyregexp.New(`(?:^|[\s(])[0-9]{1,2}[ \t](?:(?:and|y)\s)?$`)
	numberBefore = lazyregexp.New(`[0-9][ \t]+$`)
	dateAfter    = lazyregexp.New(`^\s(?:on\s)?[0-9]{1,2}[/-][0-9]{1,2}(?:[^0-9%]|$)`)
	gradedFrom   = lazyregexp.New(gradedThing + `desde $`)
	gradedUpTo   = lazyregexp.New(gradedThing + `(?:(?:de|desde) [0-9]{1,2}/([0-9]{1,2}) )?hasta $`)
	upTo         = lazyregexp.New(`^ hasta [0-9]{1,2}/([0-9]{1,2})(?:[^0-9/]|$)`)
	dateBefore   = lazyregexp.New(`(?:^|[^0-9/.,])[0-9]{1,2}[/-][0-9]{1,2}\s?[:,]?\s$`)
)

// gradedThing matches what is graded in Spanish and a blank, folded.
const gradedThing = `(?:^|\PL)(?:escala|eva|fuerza|glasgow|mrc|pulsos?|reflejos?|soplo) `

// Dated are the days and months without a year of a patient's notes that are certain.
type Dated struct {
	notes  []datedNote
	values map[string]string // of all notes -> type
}

// datedNote are the certain days and months of a note.
type datedNote struct {
	all    []dayMonth
	values map[[2]int]bool
	count  map[byte]int    // by separator
	types  map[byte]string // by separator

	starts, ends map[int]bool // of those with a slash
}

// NewDated returns the days and months of notes in the spans that are given, which are dates.
func NewDated(texts []string, dates [][]data.Span) *Dated {
	d := &Dated{notes: make([]datedNote, len(texts)), values: map[string]string{}}
	for i, text := range texts {
		note := datedNote{values: map[[2]int]bool{}, count: map[byte]int{}, types: map[byte]string{}, starts: map[int]bool{}, ends: map[int]bool{}}
		for _, s := range dates[i] {
			for _, v := range dayMonthsIn(text[s.Start:s.End]) {
				v.start, v.end = v.start+s.Start, v.end+s.Start
				if v.isNoDate(v.beside(text)) {
					continue
				}
				note.all = append(note.all, v)
				note.values[[2]int{v.first, v.second}] = true
				note.count[v.sep]++
				note.types[v.sep] = s.Type
				if v.sep == '/' {
					note.starts[v.start], note.ends[v.end] = true, true
				}
				d.values[text[v.start:v.end]] = s.Type
			}
		}
		d.notes[i] = note
	}
	return d
}

// Like returns the values of note i, outside of the covered spans, that are dates because they are like the certain ones: the other end of a range, equal to one of them, or, if the note has enough of their
// form, possible in the order of the note's dates and near them in the year. The language, which may be empty, has an order if the dates tell
// none. Covered is sorted and disjoint.
func (d *Dated) Like(i int, text, language string, covered []data.Span) (found []data.Span) {
	if len(d.values) == 0 {
		return nil
	}
	note := d.notes[i]
	var o order
	var near map[byte]*[367]bool
	for _, v := range dayMonthsIn(text) {
		s := data.Span{Start: v.start, End: v.end, Score: 1}
		if from, to := data.Overlapping(covered, s); from < to || v.open {
			continue
		}
		if note.inRange(text, v, found) {
			s.Type = note.types[v.sep]
			found = append(found, s)
			continue
		}
		known := d.values[text[v.start:v.end]]
		if known == "" && !note.compares(v) && !note.hasMonthOf(v, language) {
			continue
		}
		b := v.beside(text)
		if v.isNoDate(b) || v.mayBeAmount(b) {
			continue
		}
		if s.Type = known; known != "" && v.sep != '.' && (note.values[[2]int{v.first, v.second}] || !v.isPart(2, 3, 4, 5, 6, 10)) {
			found = append(found, s)
			continue
		}
		if near == nil {
			if o = orderOf(text, note.all); o == anyOrder {
				o = dateWords[language].order
			}
			near = note.near(o)
		}
		if days := near[v.sep]; days != nil && slices.ContainsFunc(v.readings(o), func(day int) bool { return days[day] }) {
			s.Type = note.types[v.sep]
			found = append(found, s)
		}
	}
	return found
}

// compares reports whether the note has enough certain dates of a value's form: two, or one if the value has a number that can only be a day.
func (n datedNote) compares(v dayMonth) bool {
	return n.count[v.sep] > 1 || n.count[v.sep] == 1 && v.hasDay()
}

// inRange reports whether a value with a slash is one end of a range whose other end is a certain date, or the last one that was found: 8/5-8/8 of which 8/5 is one.
func (n datedNote) inRange(text string, v dayMonth, found []data.Span) bool {
	if v.sep != '/' || n.types[v.sep] == "" {
		return false
	}
	for _, dash := range []string{"-", "–"} {
		first, last := v.start-len(dash), v.end+len(dash)
		if strings.HasSuffix(text[:v.start], dash) && (n.ends[first] || len(found) > 0 && found[len(found)-1].End == first) || strings.HasPrefix(text[v.end:], dash) && n.starts[last] {
			return true
		}
	}
	return false
}

// hasMonthOf reports whether the only certain date of a value's form has a number that can only be a day, and the month of the value, which is no usual
// fraction and no British duration.
func (n datedNote) hasMonthOf(v dayMonth, language string) bool {
	if n.count[v.sep] != 1 || v.sep != '/' || v.isPart(2, 3, 4, 5, 6, 10) || language != "es" && v.isPart(7, 12) {
		return false
	}
	return slices.ContainsFunc(n.all, func(c dayMonth) bool {
		return c.sep == v.sep && (c.first > 12 && c.second == v.second || c.second > 12 && c.first == v.first)
	})
}

// near returns, for each separator, the days of a leap year that are not far from a certain date.
func (n datedNote) near(o order) map[byte]*[367]bool {
	all := map[byte]*[367]bool{}
	for _, v := range n.all {
		days := all[v.sep]
		if days == nil {
			days = &[367]bool{}
			all[v.sep] = days
		}
		from, to := -daysBefore, daysAfter
		if n.count[v.sep] == 1 {
			from, to = -daysAround, daysAround
		}
		for _, day := range v.readings(o) {
			for k := from; k <= to; k++ {
				days[(day+k+365)%366+1] = true
			}
		}
	}
	return all
}

// How many days before and after one of several certain dates another one may be, or around a single one.
const (
	daysBefore = 60
	daysAfter  = 120
	daysAround = 45
)
