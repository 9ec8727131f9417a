package surrogate

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file reads dates in words, holidays, and the text between dates. Dates in numbers are in datenumbers.go.

type dateParser struct {
	date
	tokens []token
	i      int
	order  order
	filler string // the last filler word
}

func (p *dateParser) parse() bool {
	if len(p.tokens) > 40 || p.hasDecimal() {
		return false
	}
	if p.letters() {
		return true
	}
	for p.i < len(p.tokens) {
		switch {
		case p.clock(), p.partlyUnknown(), p.counted(), p.holiday(), p.written(), p.roman(), p.daysOfMonth(), p.numeric(), p.single(), p.skip():
		default:
			return false
		}
	}
	p.joinYears()
	p.share()
	return len(p.elements) > 0
}

// joinYears gives a day and month the year behind their time of day: Feb 29 09:30:00 2024.
func (p *dateParser) joinYears() {
	for k := 1; k < len(p.elements); k++ {
		e, before := p.elements[k], &p.elements[k-1]
		year, last := e.at[fieldYear], max(before.at[fieldDay], before.at[fieldMonth])
		e.at[fieldYear] = 0
		if year == 0 || e != (element{}) || before.at[fieldDay] == 0 || before.at[fieldMonth] == 0 || before.at[fieldYear] > 0 || last > year {
			continue
		}
		between := ""
		for _, part := range p.parts[last+1 : year] {
			between += part.text
		}
		if timeBetween.MatchString(between) {
			before.at[fieldYear] = year
			p.elements = slices.Delete(p.elements, k, k+1)
			k--
		}
	}
}

// timeBetween matches a time of day between the day and the year of a date.
var timeBetween = lazyregexp.New(`^[^0-9]*[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?[^0-9:–-]*$`)

// hasDecimal reports whether a decimal number follows a month, as in Jan 8.4.
func (p *dateParser) hasDecimal() bool {
	for i := range p.tokens {
		if fraction := p.at(i + 4).text; p.is(i, fieldMonth) && p.at(i+1).text == " " && p.at(i+2).num && p.at(i+3).text == "." && p.at(i+4).num && (len(fraction) == 1 || len(fraction) == 3) {
			return true
		}
	}
	return false
}

func (p *dateParser) at(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{}
	}
	return p.tokens[i]
}

func (p *dateParser) literal(n int) {
	for range n {
		p.parts = append(p.parts, part{text: p.at(p.i).text})
		p.i++
	}
}

// take adds the current token to the element as its field f.
func (p *dateParser) take(e *element, f field) {
	t := p.at(p.i)
	p.i++
	pt := part{field: f, text: t.text, value: t.n}
	if t.num {
		switch {
		case f == fieldYear && len(t.text) == 5: // one digit too many
			pt.value, pt.text, pt.tail = t.n/10, t.text[:4], t.text[4:]
		case t.n == 0 && (f == fieldDay || f == fieldMonth): // 00 for an unknown day or month
			p.parts = append(p.parts, part{text: t.text})
			return
		}
		if f == fieldDay {
			pt.ordinal = p.suffix(p.at(p.i).word)
			for end := p.afterOrdinal(p.i - 1); p.i < end; p.i++ {
				pt.tail += p.at(p.i).text
			}
		}
	} else {
		w := p.lang.calendar.words[t.word]
		pt.value, pt.form = w.value, w.form
		// May is the same in full and abbreviated: 3-May-71 and 03MAY2071 look like 3-Apr-71.
		if short := p.lang.calendar.alsoShort[t.word]; short != nil && (tight(p.at(p.i-2)) || tight(p.at(p.i))) {
			pt.form = short
		}
		if elided := p.lang.calendar.elided[t.word]; elided != nil && p.at(p.i-3).word == "d" {
			pt.form = elided
		}
	}
	pt.was = pt.value
	e.at[f] = len(p.parts)
	p.parts = append(p.parts, pt)
}

// tight reports whether a token next to May shows that May is an abbreviation.
func tight(t token) bool { return t.num || t.text == "-" || t.text == "/" || t.text == "." }

// done adds an element, and decides whether its numbers are padded: if one of them is, or if none can show it and the month is a number.
func (p *dateParser) done(e element) {
	padded, bare := false, false
	for _, f := range []field{fieldDay, fieldMonth} {
		if i := e.at[f]; i > 0 && p.parts[i].form == nil {
			padded = padded || p.parts[i].text[0] == '0'
			bare = bare || len(p.parts[i].text) == 1
		}
	}
	day, month := e.at[fieldDay], e.at[fieldMonth]
	joined := day > 0 && month == day+1 // 19MAR2071
	numeric := month > 0 && (p.parts[month].form == nil || joined)
	for _, f := range []field{fieldDay, fieldMonth} {
		if i := e.at[f]; i > 0 {
			text := p.parts[i].text
			p.parts[i].pad = text[0] == '0' || len(text) == 2 && (padded || numeric && !bare)
		}
	}
	p.elements = append(p.elements, e)
}

// share gives each element that lacks a year, and each day that lacks a month, those of the next element
// or, failing that, of the previous one: 3-5 April 2071, April 3-5.
func (p *dateParser) share() {
	get := func(k int) (y, m int) {
		e := p.elements[k]
		y, m = e.year, e.month
		if i := e.at[fieldYear]; i > 0 && len(p.parts[i].text) == 4 {
			y = p.parts[i].value
		}
		if i := e.at[fieldMonth]; i > 0 {
			m = p.parts[i].value
		}
		return y, m
	}
	borrow := func(k, from int) {
		e := &p.elements[k]
		if e.at[fieldDay] == 0 && e.at[fieldMonth] == 0 && e.at[fieldSeason] == 0 {
			return
		}
		y, m := get(from)
		if e.at[fieldYear] == 0 && e.year == 0 && e.yearOf == 0 {
			e.year = y
			if e.yearOf = p.elements[from].yearOf; p.elements[from].at[fieldYear] > 0 {
				e.yearOf = from + 1
			}
		}
		if e.at[fieldMonth] == 0 && e.month == 0 && e.at[fieldDay] > 0 {
			e.month = m
		}
	}
	for k := range p.elements {
		if e := &p.elements[k]; e.second { // 5 in April 3-5, May 2
			_, e.month = get(k - 1)
			p.monthAfter(k)
		}
	}
	for k := len(p.elements) - 2; k >= 0; k-- {
		borrow(k, k+1)
	}
	for k := 1; k < len(p.elements); k++ {
		borrow(k, k-1)
	}
	for k := len(p.elements) - 2; k >= 0; k-- {
		p.monthBefore(k)
	}
	for k := 1; k < len(p.elements); k++ {
		p.overNewYear(k)
	}
}

// overNewYear gives an end of a range that shares the year of the other, but is not on its side of New Year, the year beside it: 30 December to 2 January 2071.
func (p *dateParser) overNewYear(k int) {
	first, last := &p.elements[k-1], &p.elements[k]
	y1, m1, day1 := p.ymd(*first, 2099)
	y2, m2, day2 := p.ymd(*last, 2099)
	if y1 == 0 || y1 != y2 || day1 == 0 || day2 == 0 || m2 == 0 || m1 <= m2 || m1 > 12 || !p.isRange(k) {
		return
	}
	switch {
	case first.at[fieldYear] == 0:
		first.over--
	case last.at[fieldYear] == 0:
		last.over++
	}
}

// monthBefore gives the first day of a range the month before that of the last, if it is the higher of them: 28 to 3 April. overNewYear does so with the year.
func (p *dateParser) monthBefore(k int) {
	e, next := &p.elements[k], p.elements[k+1]
	i, j := e.at[fieldDay], next.at[fieldDay]
	if i == 0 || j < i || e.at[fieldMonth] > 0 || e.second || e.month == 0 || p.parts[i].value <= p.parts[j].value {
		return
	}
	between := ""
	for _, part := range p.parts[i+1 : j] {
		between += part.text
	}
	switch {
	case p.joint(between) != "-":
	case e.month > 1:
		e.month--
	default:
		e.month = 12
	}
}

// monthAfter gives the last day of a range the month after that of the first, if it is the lower of them: Feb 28-2.
func (p *dateParser) monthAfter(k int) {
	e, before := &p.elements[k], p.elements[k-1]
	i, j := before.at[fieldDay], e.at[fieldDay]
	if i == 0 || j < i || p.parts[i].value <= p.parts[j].value || e.month >= 12 {
		return
	}
	between := ""
	for _, part := range p.parts[i+1 : j] {
		between += part.text
	}
	if p.joint(between) == "-" {
		e.month++
	}
}

// skip copies a token that may be between dates.
func (p *dateParser) skip() bool {
	t := p.at(p.i)
	switch {
	case t.num:
		return false
	case t.word != "":
		if !p.words[dateFillers][t.word] && !p.words[periods][t.word] {
			return false
		}
		p.filler = t.word
	case !strings.ContainsAny(t.text, " \t\n\r-–—>→/,.;:'’&()+~|@\u00a0"):
		return false
	}
	p.literal(1)
	return true
}

// clock copies a time of day, 10:30 or 10:30:15. Behind a date, it may have periods: 2071-05-01 10.30.15 and 2071-05-01-10.30.15.
func (p *dateParser) clock() bool {
	if n := p.dottedClock(); n > 0 {
		p.literal(n)
		return true
	}
	colon := func(i int) bool {
		return p.at(i).text == ":" && p.at(i+1).num && len(p.at(i+1).text) == 2 && p.at(i+1).n < 60
	}
	t := p.at(p.i)
	if !t.num || len(t.text) > 2 || t.n > 24 || !colon(p.i+1) {
		return false
	}
	n := 3
	if colon(p.i + 3) {
		n = 5
		if sign, fraction := p.at(p.i+5).text, p.at(p.i+6); fraction.num && (sign == "." || sign == "," && len(fraction.text) >= 3) {
			n = 7
		}
		if sign, offset := p.at(p.i+n).text, p.at(p.i+n+1); (sign == "+" || sign == "-") && len(offset.text) == 4 && offset.num && offset.n <= 1400 { // +0200
			n += 2
		}
	}
	p.literal(n)
	return true
}

// dottedClock returns the number of tokens of a time of day with periods behind a date in numbers and a blank, or behind a date such as 2071-05-01 and a hyphen, or 0. What may be another date is none: 1.5.71 2.5.71.
func (p *dateParser) dottedClock() int {
	last := len(p.elements) - 1
	if last < 0 || p.elements[last].at[fieldDay] == 0 || p.elements[last].at[fieldMonth] == 0 || p.elements[last].at[fieldYear] == 0 {
		return 0
	}
	iso := p.behindISO()
	if p.at(p.i-1).text != " " && !iso {
		return 0
	}
	two := func(i int) bool {
		return p.at(i).text == "." && p.at(i+1).num && len(p.at(i+1).text) == 2 && p.at(i+1).n < 60
	}
	t := p.at(p.i)
	if !t.num || len(t.text) > 2 || t.n > 24 || !two(p.i+1) {
		return 0
	}
	b := p.at(p.i + 2).n
	mayBeDate := !iso && t.n > 0 && b > 0 && (t.n <= 12 && b <= 31 || b <= 12)
	switch {
	case two(p.i+3) && p.at(p.i+5).text == "." && p.at(p.i+6).num:
		return 7
	case mayBeDate, !two(p.i+3) && p.at(p.i+3).text == "." && p.at(p.i+4).num: // 1.05.2071
		return 0
	case two(p.i + 3):
		return 5
	}
	return 3
}

func (p *dateParser) holiday() bool {
	if p.at(p.i).word == "" || p.at(p.i-1).word != "" {
		return false
	}
	all := p.lang.calendar.begins[p.at(p.i).word]
	for k := range all {
		h := &all[k]
		text, used := "", 0 // the next tokens together, and their number
		for used < len(p.tokens)-p.i && len(fold(text)) < len(h.folded) {
			text += p.at(p.i + used).text
			used++
		}
		if after := p.at(p.i + used + 1).word; fold(text) == h.folded && p.at(p.i+used).word == "" && !p.words[holidayTails][after] {
			var e element
			e.at[fieldHoliday] = len(p.parts)
			p.parts = append(p.parts, part{field: fieldHoliday, text: text, value: h.day, was: h.day, feast: h})
			p.i += used
			if j := p.gap(p.i); j >= 0 && p.yearAt(j, false) && !p.is(p.gap(j+1), fieldMonth) && p.at(j+1).text != "/" {
				p.to(j)
				p.take(&e, fieldYear)
			}
			p.elements = append(p.elements, e)
			return true
		}
	}
	return false
}

func (p *dateParser) is(i int, f field) bool {
	w, ok := p.lang.calendar.words[p.at(i).word]
	return p.at(i).word != "" && ok && w.field == f
}

// gap returns the index of the next token, from i on, that can belong to the same date, if only fillers and separators stand
// before it; -1 otherwise.
func (p *dateParser) gap(i int) int {
	for ; i < len(p.tokens); i++ {
		t := p.at(i)
		switch {
		case t.num || t.word != "" && !p.words[withinDates][t.word]:
			return i
		case t.word == "" && !strings.ContainsAny(t.text, " ,.-_/'’\u00a0\t\n\r"):
			return -1
		}
	}
	return -1
}

// afterOrdinal returns the index after the number at i and its suffix, if it has one: 3rd, 3º, 3.º.
func (p *dateParser) afterOrdinal(i int) int {
	sign := func(t token) bool { return t.text == "º" || t.text == "°" || t.text == "ª" }
	switch t := p.at(i + 1); {
	case p.suffix(t.word) != nil || sign(t):
		return i + 2
	case t.text == "." && sign(p.at(i+2)):
		return i + 3
	}
	return i + 1
}

// suffix returns what writes the suffix of an ordinal number or the ending of a day for another number; nil if a word is none of them.
func (p *dateParser) suffix(word string) func(int) string {
	if suffix := p.ordinals[word]; suffix != nil {
		return suffix
	}
	return p.endings[word]
}

func (p *dateParser) dayAt(i int) bool {
	t := p.at(i)
	return t.num && len(t.text) <= 2 && t.n <= 39
}

// yearAt reports whether the token at i is a year that belongs to a month or day in words before it.
func (p *dateParser) yearAt(i int, afterDay bool) bool {
	t := p.at(i)
	joined := p.is(i-1, fieldMonth) && p.at(i-2).num // 29FEB24:09:30
	if !t.num || p.at(i+1).text == ":" && len(t.text) < 4 && !joined {
		return false
	}
	if len(t.text) > 2 {
		return isYear(t)
	}
	if len(t.text) != 2 || p.suffix(p.at(i+1).word) != nil {
		return false
	}
	quote := p.at(i - 1).text
	return afterDay && !p.is(p.gap(i+1), fieldMonth) || t.n > 31 || quote == "'" || quote == "’" || p.lang.yearAfterMonth
}

// to copies the tokens before index i as they are.
func (p *dateParser) to(i int) { p.literal(i - p.i) }

// written reads a date with its month, season or weekday in words.
func (p *dateParser) written() bool {
	return p.weekday() || p.season() || p.monthAndDay() || p.yearAndMonth() || p.dayAndMonth() || p.dayOfList()
}

func (p *dateParser) weekday() bool {
	var e element
	if day, ok := p.lang.calendar.alsoDay[p.at(p.i).word]; ok && p.at(p.i).word != "" && p.beforeDay(p.i) {
		e.at[fieldWeekday] = len(p.parts)
		p.parts = append(p.parts, part{field: fieldWeekday, text: p.at(p.i).text, value: day.value, was: day.value, form: day.form})
		p.i++
		p.done(e)
		return true
	}
	if !p.is(p.i, fieldWeekday) {
		return false
	}
	p.take(&e, fieldWeekday)
	p.done(e)
	return true
}

// beforeDay reports whether the word at i, which may be a weekday or a month, is a weekday, because a day of a month follows: mar 25, mar 25 de noviembre. A
// number that can only be a year, one after a day (3 mar 25) and one before a year (mar 12, 2071) are not such a day.
func (p *dateParser) beforeDay(i int) bool {
	day := p.gap(i + 1)
	return day >= 0 && p.dayAt(day) && p.at(day).n > 0 && p.at(day).n <= 31 && !p.at(i-1).num && !p.at(i-2).num && p.at(day-1).text == " " && !p.yearBehindDay(day)
}

// season reads winter 2071 and winter 2071-72.
func (p *dateParser) season() bool {
	if !p.is(p.i, fieldSeason) {
		return false
	}
	var e element
	p.take(&e, fieldSeason)
	p.takeYear(&e, false)
	p.done(e)
	year := e.at[fieldYear]
	if sign, next := p.at(p.i).text, p.at(p.i+1); year > 0 && (sign == "-" || sign == "–" || sign == "/") && p.yearAfter(p.parts[year], next) && p.at(p.i+2).text != sign {
		e = element{follows: true}
		p.literal(1)
		p.take(&e, fieldYear)
		p.done(e)
	}
	return true
}

// yearAfter reports whether a token is the year after another, with as many digits or with two.
func (p *dateParser) yearAfter(year part, next token) bool {
	return next.num && (len(next.text) == 2 && next.n == (year.value+1)%100 || len(next.text) == len(year.text) && next.n == year.value+1)
}

// monthAndDay reads April 3, 2071 and April 2071.
func (p *dateParser) monthAndDay() bool {
	if !p.is(p.i, fieldMonth) {
		return false
	}
	var e element
	p.take(&e, fieldMonth)
	day := p.gap(p.i)
	hasDay := day >= 0 && p.dayAt(day) && p.at(day+1).text != ":" && (!p.yearAt(day, false) || p.dayNotYear(p.i, day))
	if hasDay {
		p.to(day)
		p.take(&e, fieldDay)
		for next := p.furtherDay(p.at(day)); next >= 0; next = p.furtherDay(p.at(day)) {
			p.done(e)
			e, day = element{second: true}, next
			p.to(day)
			p.take(&e, fieldDay)
		}
	}
	p.takeYear(&e, hasDay)
	p.done(e)
	return true
}

// dayNotYear reports whether the two digits at day, behind a month that ends at i, are a day although they may be a year in this language: before a year, as in septiembre 14 de
// 2071 and abr 15/71, and with only blanks, commas and a period behind the month between, since the day must not be taken for a year and stay. The 15 in marzo de 15, mar-15, mar.15 and mar'15 is a year.
func (p *dateParser) dayNotYear(i, day int) bool {
	if t := p.at(day); t.n == 0 || t.n > 31 {
		return false
	}
	if p.yearBehindDay(day) {
		return true
	}
	if p.at(day-1).text == "." {
		return false
	}
	for ; i < day; i++ {
		if t := p.at(i); t.word != "" || !strings.ContainsAny(t.text, " ,.\u00a0\t\n\r") {
			return false
		}
	}
	return true
}

// yearBehindDay reports whether a year, but no month, follows the day at this index: that of 14 de 2071, 14, 2071 and 15/71.
func (p *dateParser) yearBehindDay(day int) bool {
	i := p.afterOrdinal(day)
	year := p.at(p.gap(i))
	if after := p.at(p.gap(i) + 1).text; !year.num || after == ":" || after == "/" {
		return false
	}
	return isFullYear(year) || p.at(i).text == "/" && p.at(i+1).text == year.text && len(year.text) == 2 && !isMonth(year)
}

// furtherDay is the index of the 5 in April 3-5, 2071, April 3 and 5, 2071, April 3, 5 and April 3/5, after the 3 has been taken; -1 if there is none.
func (p *dateParser) furtherDay(last token) int {
	if i := p.dayInList(last); i >= 0 {
		return i
	}
	i := p.next(p.i)
	if i < 0 || !p.dayAt(i) || p.at(i-1).text == "," || p.is(p.gap(p.afterOrdinal(i)), fieldMonth) || p.at(i+1).text == "/" {
		return -1
	}
	if before := p.at(i - 2); p.at(i-1).text == " " && before.word == "" && !strings.ContainsAny(before.text, joinsDays) {
		return -1
	}
	return i
}

// joinsDays are the signs between the first and the last day of a range, and between the days of a pair.
const joinsDays = "-–—&+>→"

// dayInList is furtherDay behind a comma or a slash, where two digits are rather a year unless they are higher than the day before: the 22 in April 21, 22 and
// April 21/22. Behind a slash, the last years are years unless they are only a little higher: the 22 in April 5/22.
func (p *dateParser) dayInList(last token) int {
	i := p.i
	if p.at(i).text == " " {
		i++
	}
	sign := p.at(i).text
	if sign != "," && sign != "/" {
		return -1
	}
	if i++; p.at(i).text == " " {
		i++
	}
	t, after := p.at(i), p.at(i+1).text
	if !t.num || !isDay(t) || t.n <= last.n || t.text[0] == '0' && len(last.text) == 1 || after == ":" || p.is(p.gap(p.afterOrdinal(i)), fieldMonth) {
		return -1
	}
	if sign == "/" && after != "/" && p.at(i-3).text != "/" && t.n >= firstShortYear && t.n <= assumedYear%100 && t.n-last.n > maxDaysApart && (p.gap(i+1) < 0 || !isFullYear(p.at(p.gap(i+1)))) {
		return -1
	}
	return i
}

const (
	firstShortYear = 15 // the first year of two digits that is rather a year than a day behind a slash
	maxDaysApart   = 4  // between two days of a month with a slash, of which the second one may be such a year
)

// yearAndMonth reads 2071 April 3 and 2071 April.
func (p *dateParser) yearAndMonth() bool {
	t := p.at(p.i)
	if !t.num || len(t.text) != 4 || !isYear(t) || !p.is(p.gap(p.i+1), fieldMonth) {
		return false
	}
	var e element
	p.take(&e, fieldYear)
	p.to(p.gap(p.i))
	p.take(&e, fieldMonth)
	if day := p.gap(p.i); day >= 0 && p.dayAt(day) {
		p.to(day)
		p.take(&e, fieldDay)
	}
	p.done(e)
	return true
}

// dayAndMonth reads 3 April 2071 and 3 April.
func (p *dateParser) dayAndMonth() bool {
	if !p.dayAt(p.i) || !p.is(p.gap(p.afterOrdinal(p.i)), fieldMonth) {
		return false
	}
	var e element
	p.take(&e, fieldDay)
	p.to(p.gap(p.i))
	p.take(&e, fieldMonth)
	p.takeYear(&e, true)
	p.done(e)
	return true
}

// dayOfList reads the first of two or more days of one month: the 3 in 3-5 April, 3 y 5 de abril and del 3 al 5/4/2071.
func (p *dateParser) dayOfList() bool {
	if !p.dayAt(p.i) {
		return false
	}
	if p.beforeSlashedDays() {
		var e element
		p.take(&e, fieldDay)
		p.done(e)
		return true
	}
	for next := p.next(p.afterOrdinal(p.i)); next >= 0 && p.dayAt(next); next = p.next(p.afterOrdinal(next)) {
		if p.is(p.gap(p.afterOrdinal(next)), fieldMonth) || p.romanAt(next) || p.dayBeforeMonth(next) && (p.at(p.i).n < p.at(next).n || p.at(next-1).text == " ") {
			var e element
			p.take(&e, fieldDay)
			p.done(e)
			return true
		}
	}
	return false
}

// beforeSlashedDays reports whether the current number is the first of some days with slashes before their month: 3/5 April, 3/5/7 de abril.
func (p *dateParser) beforeSlashedDays() bool {
	i := p.i
	for p.at(i+1).text == "/" && p.at(i+2).num && isDay(p.at(i+2)) && p.at(i+2).n > p.at(i).n {
		i += 2
	}
	return i > p.i && p.is(p.gap(p.afterOrdinal(i)), fieldMonth)
}

// takeYear adds the year that follows a month, season or day in words, if one does.
func (p *dateParser) takeYear(e *element, afterDay bool) {
	if i := p.gap(p.i); i >= 0 && p.yearAt(i, afterDay) && (!afterDay || !p.otherDayAt(i)) {
		p.to(i)
		p.take(e, fieldYear)
	}
}

// otherDayAt reports whether two digits behind a day and its month are rather another day, which must not be taken for a year and stay: the 25 in "22 de enero-25 de enero", the 8
// in "April 9, 8, 2071", and the 2 in "April 30, 2, 4".
func (p *dateParser) otherDayAt(i int) bool {
	t, quote := p.at(i), p.at(i-1).text
	if len(t.text) != 2 || t.n == 0 || t.n > 31 || quote == "'" || quote == "’" {
		return false
	}
	next := p.gap(i + 1)
	return p.is(next, fieldMonth) || next >= 0 && p.at(next).num && isFullYear(p.at(next)) || p.at(i-1).text == " " && p.at(i-2).text == "," && p.next(i+1) >= 0 && p.dayAt(p.next(i+1))
}

// next returns the index of the next number after the words and signs between the days of a list; -1 if there is none.
func (p *dateParser) next(i int) int {
	joined := false
	for ; i < len(p.tokens); i++ {
		t := p.at(i)
		switch {
		case t.num && joined:
			return i
		case t.text == ",", strings.ContainsAny(t.text, joinsDays):
			joined = true
		case t.text == " ":
		case p.words[dayJoins][t.word]:
			joined = true
		default:
			return -1
		}
	}
	return -1
}
