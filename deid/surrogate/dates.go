package surrogate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// field is what one part of a written date says.
type field int

const (
	fieldNone field = iota // text that stays: separators, "of", a time of day
	fieldDay
	fieldMonth
	fieldYear
	fieldWeekday
	fieldSeason
	fieldDecade
	fieldHoliday
)

// part is one piece of a written date.
type part struct {
	field field
	text  string // as written
	value int
	was   int    // the value as written
	form  *forms // of a word
	pad   bool   // of a number: 3 is written 03
	tail  string // what follows the number: the suffix of an ordinal, or digits too many
}

// element is one date of what is written, such as each end of a range: the
// indices of its parts by field, 0 for none (part 0 is always a literal).
type element struct {
	at    [fieldHoliday + 1]int
	month int // of a part of a range that shares it with a neighbour: 3-5 April
	year  int
}

// date is a written date, or several.
type date struct {
	lang     Language
	parts    []part
	elements []element
}

// order says how 3/4 is meant.
type order int

const (
	monthFirst order = iota
	dayFirst
)

// usualOrder is what 3/4 means in a language, unless the notes say otherwise.
func usualOrder(l Language) order {
	if l == Spanish {
		return dayFirst
	}
	return monthFirst
}

// parseDate reads a date as written. It knows numbers with any separators
// (3/4/71, 2071-04-03, 04/2071, 03APR2071, 20710403), words of English and
// Spanish, ranges and lists, weekdays, seasons, holidays and decades, and the
// slips of real notes: a doubled separator, the day 31 of a month of 30, a month
// up to 24. It is false for all else, such as text with any other word.
func parseDate(text string, lang Language, o order) (*date, bool) {
	for _, l := range []Language{lang, other(lang)} {
		p := &dateParser{date: date{lang: l, parts: make([]part, 1)}, tokens: tokens(text), order: o, words: calendars[l]}
		if p.parse() {
			return &p.date, true
		}
	}
	return nil, false
}

func other(l Language) Language {
	if l == Spanish {
		return English
	}
	return Spanish
}

// String writes the date as it was written.
func (d *date) String() string {
	var b strings.Builder
	for _, p := range d.parts {
		b.WriteString(p.String())
	}
	return b.String()
}

func (p part) String() string {
	switch p.field {
	case fieldNone:
		return p.text
	case fieldHoliday:
		return p.text
	}
	if p.form != nil {
		if p.value == p.was {
			return p.text
		}
		first := 0
		if p.field == fieldMonth {
			first = 1
		}
		word := p.form.words[p.value-first]
		if ascii(p.text) && !ascii(p.form.words[p.was-first]) {
			word = unaccent(word) // who writes "sabado" writes "miercoles"
		}
		return likeCase(word, p.text)
	}
	width := 1
	switch {
	case p.field == fieldYear || p.field == fieldDecade:
		width = min(len(p.text), 4)
	case p.pad:
		width = len(p.text)
	}
	value := p.value
	if width < 4 && (p.field == fieldYear || p.field == fieldDecade) {
		value %= [...]int{1, 10, 100, 1000}[width]
	}
	tail := p.tail
	if ordinals[strings.ToLower(tail)] && p.value != p.was {
		if tail == strings.ToUpper(tail) {
			tail = strings.ToUpper(ordinalSuffix(p.value))
		} else {
			tail = ordinalSuffix(p.value)
		}
	}
	return fmt.Sprintf("%0*d%s", width, value, tail)
}

func ordinalSuffix(n int) string {
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// shift is by how much the dates of a patient move, at each precision. Dates
// of one precision keep their intervals exactly, others to half a unit.
type shift struct {
	days, months, years int
}

func newShift(days int) shift {
	return shift{days: days, months: roundDiv(days*4800, 146097), years: roundDiv(days*400, 146097)}
}

func roundDiv(a, b int) int {
	if a < 0 {
		return -((-a + b/2) / b)
	}
	return (a + b/2) / b
}

func modulo(a, b int) int { return (a%b + b) % b }

// full lists the days of the dates that have day, month and year.
func (d *date) full(latest int) []time.Time {
	var days []time.Time
	for _, e := range d.elements {
		if y, m, day := d.ymd(e, latest); y != 0 && m != 0 && day != 0 {
			days = append(days, civil(y, m, day))
		}
	}
	return days
}

func civil(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

// ymd are an element's year, month and day; 0 for what it does not say.
func (d *date) ymd(e element, latest int) (y, m, day int) {
	y, m = e.year, e.month
	if i := e.at[fieldYear]; i > 0 {
		y = century(d.parts[i], latest)
	}
	if i := e.at[fieldMonth]; i > 0 {
		m = d.parts[i].value
	}
	if i := e.at[fieldDay]; i > 0 {
		day = d.parts[i].value
	}
	return y, m, day
}

// century completes a year of one or two digits: the last such year that is not after latest.
func century(p part, latest int) int {
	span := 0
	switch len(p.text) {
	case 1:
		span = 10
	case 2:
		span = 100
	default:
		return p.value
	}
	return latest - modulo(latest-p.value, span)
}

// shifted returns the date moved. near is the day of the note, as far as it is
// known: of a date without year, the nearest is meant. A date that no calendar
// has is read as time.Date reads it (31 February is 3 March) and, moved, written as
// one that no calendar has either.
func (d *date) shifted(s shift, near time.Time, latest int) *date {
	moved := &date{lang: d.lang, parts: slices.Clone(d.parts), elements: d.elements}
	set := func(e element, f field, value int) {
		if i := e.at[f]; i > 0 {
			moved.parts[i].value = value
		}
	}
	for _, e := range d.elements {
		if i := e.at[fieldWeekday]; i > 0 {
			set(e, fieldWeekday, modulo(d.parts[i].value+s.days, 7))
		}
		if i := e.at[fieldHoliday]; i > 0 {
			moved.parts[i].text = moveHoliday(d.parts[i], s.days, calendars[d.lang])
		}
		if i := e.at[fieldDecade]; i > 0 {
			decade := d.parts[i].value + 5 + s.years
			set(e, fieldDecade, decade-modulo(decade, 10))
		}
		y, m, day := d.ymd(e, latest)
		if i := e.at[fieldSeason]; i > 0 {
			seasons := (y*12+d.parts[i].value*3)/3 + roundDiv(s.months, 3)
			set(e, fieldSeason, modulo(seasons, 4))
			set(e, fieldYear, floorDiv(seasons, 4))
			continue
		}
		switch {
		case day != 0:
			y, m, day = moveDay(y, m, day, s.days, near)
		case m != 0:
			extra := (m - 1) / 12 * 12 // the month 13
			months := y*12 + m - 1 + s.months
			y, m = floorDiv(months-extra, 12), modulo(months, 12)+1+extra
		default:
			y += s.years
		}
		set(e, fieldYear, y)
		set(e, fieldMonth, m)
		set(e, fieldDay, day)
	}
	return moved
}

// neutral words do not tell one date from another.
var neutral = wordSet("the of on in at de del el la los ano dia")

// identity is equal for dates that are one, however written: 03/04/2071 and Saturday, April 3, 2071.
// With no latest year one of two digits stays what it is.
func (d *date) identity(latest int) string {
	owner := map[int]int{} // number of the element, by part
	dated := false
	for k, e := range d.elements {
		for _, i := range e.at {
			if i > 0 {
				owner[i] = k + 1
			}
		}
		dated = dated || e.at[fieldDay] > 0
	}
	var b strings.Builder
	between, last := "", 0
	for i, pt := range d.parts {
		k := owner[i]
		if pt.field == fieldNone {
			between += pt.text
			for _, t := range tokens(pt.text) {
				if t.num || t.word != "" && !neutral[t.word] && !joining[t.word] {
					b.WriteString(" " + t.text)
				}
			}
			continue
		}
		if dated && pt.field == fieldWeekday { // it follows from the day
			between = ""
			continue
		}
		if k == last {
			continue
		}
		if last != 0 {
			b.WriteString(joint(between))
		}
		between, last = "", k
		b.WriteString(d.elements[k-1].identity(d, latest))
	}
	return fold(b.String())
}

// joining words stand between dates, and are part of what joint says.
var joining = wordSet("and or to through thru until till y e o u a al hasta")

// joint is what stands between two dates: a range or a list.
func joint(between string) string {
	for _, t := range tokens(between) {
		if t.text == "-" || t.text == "–" || t.text == "—" || joining[t.word] && len(t.word) > 0 && !strings.Contains(" and or y e o u ", " "+t.word+" ") {
			return "-"
		}
	}
	return ","
}

func (e element) identity(d *date, latest int) string {
	y, m, day := d.ymd(e, cmp.Or(latest, 2099))
	year := fmt.Sprintf("%04d", y)
	if i := e.at[fieldYear]; i > 0 && latest == 0 && len(d.parts[i].text) < 3 {
		year = fmt.Sprintf("%02d", d.parts[i].value)
	}
	s := fmt.Sprintf("%s/%02d/%02d", year, m, day)
	for _, f := range []field{fieldWeekday, fieldSeason, fieldDecade, fieldHoliday} {
		if i := e.at[f]; i > 0 {
			s += fmt.Sprintf("/%d.%d", f, d.parts[i].value)
		}
	}
	return s
}

func floorDiv(a, b int) int { return (a - modulo(a, b)) / b }

// moveDay moves a day; y and m are 0 if unknown.
func moveDay(y, m, day, days int, near time.Time) (int, int, int) {
	switch {
	case m == 0: // the 3rd: of the month of near or one beside it
		y, m = near.Year(), int(near.Month())
		for _, t := range []time.Time{civil(y, m-1, day), civil(y, m+1, day)} {
			if t.Day() == day && distance(t, near) < distance(civil(y, m, day), near) {
				y, m = t.Year(), int(t.Month())
			}
		}
	case y == 0:
		y = near.Year()
		best := 1 << 30
		for _, c := range []int{near.Year(), near.Year() - 1, near.Year() + 1, near.Year() - 2, near.Year() + 2, near.Year() - 3, near.Year() + 3} {
			if t := civil(c, m, day); distance(t, near) < best && (t.Day() == day || m != 2 || day != 29) {
				y, best = c, distance(t, near)
			}
		}
	}
	monthTooMany := (m - 1) / 12
	dayTooMany := day > daysIn(y, m)
	t := civil(y, m, day).AddDate(0, 0, days)
	ny, nm, nd := t.Year(), int(t.Month()), t.Day()
	if dayTooMany || monthTooMany > 0 && nd <= 12 { // as a day of the month before
		before := civil(ny, nm, 0)
		ny, nm, nd = before.Year(), int(before.Month()), nd+before.Day()
	}
	return ny - monthTooMany, nm + 12*monthTooMany, nd
}

func distance(a, b time.Time) int {
	days := int(a.Sub(b).Hours() / 24)
	return max(days, -days)
}

func daysIn(y, m int) int { return civil(y, m+1, 0).Day() }

// moveHoliday takes the holiday nearest to the day it would move to, but never the same.
func moveHoliday(p part, days int, c *calendar) string {
	if days == 0 {
		return p.text
	}
	day := modulo(p.value+days-1, 365) + 1
	away := func(h holiday) int {
		d := modulo(h.day-day, 365)
		return min(d, 365-d)
	}
	others := slices.DeleteFunc(slices.Clone(c.holidays), func(h holiday) bool { return h.day == p.value })
	nearest := slices.MinFunc(others, func(a, b holiday) int { return cmp.Or(cmp.Compare(away(a), away(b)), cmp.Compare(a.name, b.name)) })
	return likeCase(nearest.name, p.text)
}

// The parser.

type token struct {
	text string
	word string // folded, if it is made of letters
	num  bool   // made of digits
	n    int
}

// tokens cuts text into runs of ASCII digits, runs of letters, and single other characters.
func tokens(text string) []token {
	var all []token
	start, last := 0, -1
	class := func(r rune) int {
		switch {
		case r >= '0' && r <= '9':
			return 1
		case (r == 'º' || r == 'ª') && last != 2: // 2ºB: no letter, as in nº it is
			return 0
		case unicode.IsLetter(r) || unicode.Is(unicode.Mn, r):
			return 2
		}
		return 0
	}
	flush := func(end int) {
		if end == start {
			return
		}
		t := token{text: text[start:end]}
		switch last {
		case 1:
			t.num = true
			for _, r := range t.text[:min(len(t.text), 9)] {
				t.n = t.n*10 + int(r-'0')
			}
		case 2:
			t.word = fold(t.text)
		}
		all = append(all, t)
		start = end
	}
	for i, r := range text {
		if c := class(r); c != last || c == 0 {
			flush(i)
			last = c
		}
	}
	flush(len(text))
	return all
}

type dateParser struct {
	date
	tokens []token
	i      int
	order  order
	words  *calendar
	filler string // the last filler word
}

func (p *dateParser) parse() bool {
	if len(p.tokens) > 40 {
		return false
	}
	if p.letters() {
		return true
	}
	for p.i < len(p.tokens) {
		switch {
		case p.clock(), p.holiday(), p.written(), p.numeric(), p.single(), p.skip():
		default:
			return false
		}
	}
	p.share()
	return len(p.elements) > 0
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

// take adds the token at p.i as a part of the element.
func (p *dateParser) take(e *element, f field) {
	t := p.at(p.i)
	p.i++
	pt := part{field: f, text: t.text, value: t.n}
	if t.num {
		switch {
		case f == fieldYear && len(t.text) == 5: // one digit too many
			pt.value, pt.text, pt.tail = t.n/10, t.text[:4], t.text[4:]
		case t.n == 0 && (f == fieldDay || f == fieldMonth): // 00 for one that is not known
			p.parts = append(p.parts, part{text: t.text})
			return
		}
		if f == fieldDay {
			if next := p.at(p.i); ordinals[next.word] || next.text == "º" || next.text == "°" || next.text == "ª" {
				pt.tail = next.text
				p.i++
			}
		}
	} else {
		w := p.words.words[t.word]
		pt.value, pt.form = w.value, w.form
		// May is the same in full and abbreviated: 3-May-71 and 03MAY2071 look like 3-Apr-71.
		if t.word == "may" && p.lang == English && (tight(p.at(p.i-2)) || tight(p.at(p.i))) {
			pt.form = p.words.words["jan"].form
		}
	}
	pt.was = pt.value
	e.at[f] = len(p.parts)
	p.parts = append(p.parts, pt)
}

// tight is a neighbour of an abbreviated month.
func tight(t token) bool { return t.num || t.text == "-" || t.text == "/" || t.text == "." }

// done adds an element. Its numbers are padded if one of them is, and if none
// tells, if month stands as a number.
func (p *dateParser) done(e element) {
	padded, bare := false, false
	for _, f := range []field{fieldDay, fieldMonth} {
		if i := e.at[f]; i > 0 && p.parts[i].form == nil {
			padded = padded || p.parts[i].text[0] == '0'
			bare = bare || len(p.parts[i].text) == 1
		}
	}
	numeric := e.at[fieldMonth] > 0 && (p.parts[e.at[fieldMonth]].form == nil || e.at[fieldMonth] == e.at[fieldDay]+1 && e.at[fieldDay] > 0) // or 19MAR2071
	for _, f := range []field{fieldDay, fieldMonth} {
		if i := e.at[f]; i > 0 {
			text := p.parts[i].text
			p.parts[i].pad = text[0] == '0' || len(text) == 2 && (padded || numeric && !bare)
		}
	}
	p.elements = append(p.elements, e)
}

// share gives each element the year, and a bare day the month, of the next one
// or, failing that, of the last: 3-5 April 2071, April 3-5.
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
		if e.at[fieldYear] == 0 && e.year == 0 {
			e.year = y
		}
		if e.at[fieldMonth] == 0 && e.month == 0 && e.at[fieldDay] > 0 {
			e.month = m
		}
	}
	for k := len(p.elements) - 2; k >= 0; k-- {
		borrow(k, k+1)
	}
	for k := 1; k < len(p.elements); k++ {
		borrow(k, k-1)
	}
}

// skip passes over what stands between dates.
func (p *dateParser) skip() bool {
	t := p.at(p.i)
	switch {
	case t.num:
		return false
	case t.word != "":
		if !dateFillers[t.word] {
			return false
		}
		p.filler = t.word
	case !strings.ContainsAny(t.text, " \t\n\r-–—/,.;:'’&()+~|\u00a0"):
		return false
	}
	p.literal(1)
	return true
}

// clock passes over a time of day, 10:30 or 10:30:15.
func (p *dateParser) clock() bool {
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
		if p.at(p.i+5).text == "." && p.at(p.i+6).num {
			n = 7
		}
	}
	p.literal(n)
	return true
}

func (p *dateParser) holiday() bool {
	if p.at(p.i).word == "" || p.at(p.i-1).word != "" {
		return false
	}
	for _, h := range p.words.begins[p.at(p.i).word] {
		text, used := "", 0 // of the tokens that are the name
		for used < len(p.tokens)-p.i && len(fold(text)) < len(h.folded) {
			text += p.at(p.i + used).text
			used++
		}
		if fold(text) == h.folded && p.at(p.i+used).word == "" {
			var e element
			e.at[fieldHoliday] = len(p.parts)
			p.parts = append(p.parts, part{field: fieldHoliday, text: text, value: h.day, was: h.day})
			p.i += used
			p.elements = append(p.elements, e)
			return true
		}
	}
	return false
}

func (p *dateParser) is(i int, f field) bool {
	w, ok := p.words.words[p.at(i).word]
	return p.at(i).word != "" && ok && w.field == f
}

// gap is the index of the next number or word after i that is no filler of a
// date written in words, if only such stand between; else -1.
func (p *dateParser) gap(i int) int {
	for ; i < len(p.tokens); i++ {
		t := p.at(i)
		switch {
		case t.num || t.word != "" && !slices.Contains([]string{"of", "de", "del", "ano", "the", "in", "en", "el"}, t.word):
			return i
		case t.word == "" && !strings.ContainsAny(t.text, " ,.-/'’\u00a0\t\n\r"):
			return -1
		}
	}
	return -1
}

// afterOrdinal steps over the suffix of the ordinal at i.
func (p *dateParser) afterOrdinal(i int) int {
	if t := p.at(i + 1); ordinals[t.word] || t.text == "º" || t.text == "°" || t.text == "ª" {
		return i + 2
	}
	return i + 1
}

func (p *dateParser) dayAt(i int) bool {
	t := p.at(i)
	return t.num && len(t.text) <= 2 && t.n <= 39
}

// yearAt says that a year follows a month or day in words.
func (p *dateParser) yearAt(i int, afterDay bool) bool {
	t := p.at(i)
	if !t.num || p.at(i+1).text == ":" {
		return false
	}
	if len(t.text) > 2 {
		return isYear(t)
	}
	if len(t.text) != 2 || ordinals[p.at(i+1).word] {
		return false
	}
	quote := p.at(i - 1).text
	return afterDay && !p.is(p.gap(i+1), fieldMonth) || t.n > 31 || quote == "'" || quote == "’" || p.lang == Spanish
}

// to makes all up to index i literal.
func (p *dateParser) to(i int) { p.literal(i - p.i) }

// written reads a date with its month, season or weekday in words.
func (p *dateParser) written() bool {
	var e element
	i := p.i
	if p.is(i, fieldWeekday) {
		p.take(&e, fieldWeekday)
		p.done(e)
		return true
	}
	year := func(afterDay bool) {
		if j := p.gap(p.i); j >= 0 && p.yearAt(j, afterDay) {
			p.to(j)
			p.take(&e, fieldYear)
		}
	}
	switch {
	case p.is(i, fieldSeason):
		p.take(&e, fieldSeason)
		year(false)
	case p.is(i, fieldMonth):
		p.take(&e, fieldMonth)
		if j := p.gap(p.i); j >= 0 && p.dayAt(j) && !p.yearAt(j, false) && p.at(j+1).text != ":" {
			p.to(j)
			p.take(&e, fieldDay)
			// April 3-5, 2071; April 3 and 5, 2071
			if k := p.next(p.i); k >= 0 && p.dayAt(k) && p.at(k-1).text != "," && !p.is(p.gap(p.afterOrdinal(k)), fieldMonth) && !p.slashed(k) {
				if t := p.at(k - 1); t.text != " " || p.at(k-2).word != "" || strings.ContainsAny(p.at(k-2).text, "-–&") {
					p.done(e)
					e = element{}
					p.to(k)
					p.take(&e, fieldDay)
				}
			}
			year(true)
		} else {
			year(false)
		}
	case p.at(i).num && len(p.at(i).text) == 4 && p.is(p.gap(i+1), fieldMonth) && isYear(p.at(i)):
		p.take(&e, fieldYear)
		p.to(p.gap(p.i))
		p.take(&e, fieldMonth)
		if j := p.gap(p.i); j >= 0 && p.dayAt(j) {
			p.to(j)
			p.take(&e, fieldDay)
		}
	case p.dayAt(i) && p.is(p.gap(p.afterOrdinal(i)), fieldMonth):
		p.take(&e, fieldDay)
		p.to(p.gap(p.i))
		p.take(&e, fieldMonth)
		year(true)
	case p.dayAt(i):
		// 3-5 April, 3 y 5 de abril: the first of two or more days of one month.
		for k := p.next(p.afterOrdinal(i)); k >= 0 && p.dayAt(k); k = p.next(p.afterOrdinal(k)) {
			if p.is(p.gap(p.afterOrdinal(k)), fieldMonth) {
				p.take(&e, fieldDay)
				p.done(e)
				return true
			}
		}
		return false
	default:
		return false
	}
	p.done(e)
	return true
}

// slashed says that the number at i begins a numeric date.
func (p *dateParser) slashed(i int) bool { return p.at(i+1).text == "/" }

// next is the index of the next number after the words and signs that join the days of a list; else -1.
func (p *dateParser) next(i int) int {
	joined := false
	for ; i < len(p.tokens); i++ {
		t := p.at(i)
		switch {
		case t.num && joined:
			return i
		case strings.ContainsAny(t.text, "-–,&"):
			joined = true
		case t.text == " ":
		case slices.Contains([]string{"and", "to", "through", "thru", "or", "y", "e", "al", "a", "o", "the", "el"}, t.word):
			joined = true
		default:
			return -1
		}
	}
	return -1
}

// separator is the sign between two numbers of a date, and the index of the second; 0 if there is none.
func (p *dateParser) separator(i int) (rune, int) {
	var sign rune
	for k := i; k < len(p.tokens) && k < i+4; k++ {
		t := p.at(k)
		switch {
		case t.num:
			if sign == 0 && k == i+1 && p.at(i).text == " " {
				sign = ' '
			}
			return sign, k
		case t.word != "":
			return 0, 0
		case t.text == "/" || t.text == "-" || t.text == "." || t.text == "–":
			r := []rune(t.text)[0]
			if sign != 0 && sign != r {
				return 0, 0
			}
			sign = r
		case t.text == " " || t.text == ":" && sign != 0:
		default:
			return 0, 0
		}
	}
	return 0, 0
}

// numeric reads a date that is all numbers.
func (p *dateParser) numeric() bool {
	a := p.at(p.i)
	if !a.num {
		return false
	}
	sign, j := p.separator(p.i + 1)
	if sign == 0 {
		return p.compact()
	}
	b := p.at(j)
	if sign2, k := p.separator(j + 1); sign2 == sign {
		if fields := p.triple(a, b, p.at(k)); fields != nil && (sign != ' ' || len(a.text) == 4 || len(p.at(k).text) == 4) {
			p.takeAll(fields, []int{p.i, j, k})
			return true
		}
	}
	if sign == ' ' {
		return p.compact()
	}
	if fields := p.pair(a, b); fields != nil {
		p.takeAll(fields, []int{p.i, j})
		return true
	}
	return p.compact()
}

func (p *dateParser) takeAll(fields []field, at []int) {
	var e element
	for k, f := range fields {
		p.to(at[k])
		p.take(&e, f)
	}
	p.done(e)
}

func isMonth(t token) bool { return len(t.text) <= 3 && t.n <= 12 }
func isDay(t token) bool   { return len(t.text) <= 2 && t.n <= 31 }
func isYear(t token) bool {
	return len(t.text) <= 2 || len(t.text) == 4 && t.n >= 1000 && t.n < 9900 || len(t.text) == 5 && t.n >= 18000 && t.n < 23000
}

// triple says what three numbers are. Of what no calendar has, a month up to
// 24 and a day up to 39 are let pass; a third digit before them must be 0.
func (p *dateParser) triple(a, b, c token) []field {
	badMonth := func(t token) bool { return len(t.text) <= 2 && t.n <= 24 || len(t.text) == 3 && t.n <= 12 }
	badDay := func(t token) bool { return len(t.text) <= 2 && t.n <= 39 }
	if len(a.text) == 4 && isYear(a) || len(a.text) == 2 && a.n > 31 && isMonth(b) && isDay(c) {
		switch {
		case isMonth(b) && badDay(c), badMonth(b) && badDay(c) && !isMonth(c):
			return []field{fieldYear, fieldMonth, fieldDay}
		case isMonth(c) && isDay(b):
			return []field{fieldYear, fieldDay, fieldMonth}
		}
		return nil
	}
	if !isYear(c) {
		return nil
	}
	md, dm := []field{fieldMonth, fieldDay, fieldYear}, []field{fieldDay, fieldMonth, fieldYear}
	for _, legal := range []bool{true, false} {
		month, day := isMonth, isDay
		if !legal {
			month, day = badMonth, badDay
		}
		isMD, isDM := month(a) && day(b), day(a) && month(b)
		switch {
		case isMD && (!isDM || p.order == monthFirst):
			return md
		case isDM:
			return dm
		}
	}
	return nil
}

func (p *dateParser) pair(a, b token) []field {
	whole := func(t token) bool { return len(t.text) == 4 && t.n >= 1000 && t.n < 9900 }
	switch {
	case whole(a) && whole(b):
		return nil // two years
	case whole(b) && len(a.text) <= 2 && a.n <= 24:
		return []field{fieldMonth, fieldYear}
	case whole(a) && isMonth(b) && b.n > 0:
		return []field{fieldYear, fieldMonth}
	case whole(a) && len(b.text) == 2:
		return nil // 1998-99
	case isMonth(a) && isDay(b) && (p.order == monthFirst || !isMonth(b) || !isDay(a)):
		return []field{fieldMonth, fieldDay}
	case isDay(a) && isMonth(b):
		return []field{fieldDay, fieldMonth}
	case isMonth(a) && len(b.text) == 2:
		return []field{fieldMonth, fieldYear}
	}
	return nil
}

// compact reads 20710403, 04032071 and 040371.
func (p *dateParser) compact() bool {
	t := p.at(p.i)
	if len(t.text) != 8 && len(t.text) != 6 {
		return false
	}
	cut := func(widths ...int) []token {
		var out []token
		rest := t.text
		for _, w := range widths {
			out = append(out, tokens(rest[:w])[0])
			rest = rest[w:]
		}
		return out
	}
	var tries [][]token
	if len(t.text) == 6 {
		tries = [][]token{cut(2, 2, 2)}
	} else {
		tries = [][]token{cut(4, 2, 2), cut(2, 2, 4)}
	}
	for _, pieces := range tries {
		if len(pieces[0].text) == 4 && (pieces[0].n < 1800 || pieces[0].n > 2299) || len(pieces[2].text) == 4 && (pieces[2].n < 1800 || pieces[2].n > 2299) {
			continue
		}
		fields := p.triple(pieces[0], pieces[1], pieces[2])
		if fields == nil {
			continue
		}
		p.tokens = slices.Replace(p.tokens, p.i, p.i+1, pieces...)
		p.takeAll(fields, []int{p.i, p.i + 1, p.i + 2})
		for i := range p.parts { // without separators every field has its width
			if part := &p.parts[i]; i >= len(p.parts)-3 && part.field != fieldNone {
				part.pad = true
			}
		}
		return true
	}
	return false
}

// single reads a number that stands alone: a year, a decade, the 3rd.
func (p *dateParser) single() bool {
	t := p.at(p.i)
	if !t.num {
		return false
	}
	var e element
	before, after := p.at(p.i-1).text, p.at(p.i+1)
	quoted := before == "'" || before == "’" || before == "`" || before == "´"
	plural := after.word == "s" || (after.text == "'" || after.text == "’") && p.at(p.i+2).word == "s"
	decade := plural || p.lang == Spanish && (p.filler == "anos" || p.filler == "decada" || p.filler == "los")
	switch {
	case decade && t.n%10 == 0 && (len(t.text) == 2 || len(t.text) == 4):
		p.take(&e, fieldDecade)
	case len(t.text) == 4 && t.n >= 1800 && t.n < 2300:
		p.take(&e, fieldYear)
	case len(t.text) == 2 && (quoted || p.filler == "ano" || before == "-" && len(p.elements) > 0 && p.elements[len(p.elements)-1].at[fieldYear] > 0):
		p.take(&e, fieldYear)
	case p.dayAt(p.i) && (p.afterOrdinal(p.i) == p.i+2 || p.filler == "dia") && t.n > 0 && t.n <= 31:
		p.take(&e, fieldDay)
	default:
		return false
	}
	p.done(e)
	return true
}

// letters reads weekdays as letters: MWF, TTS, M/W/F, T/Th/Sat.
func (p *dateParser) letters() bool {
	if p.lang != English {
		return false
	}
	var parts []part
	var elements []element
	last, single := -1, true
	for i, t := range p.tokens {
		if i%2 == 1 && (t.text == "/" || t.text == "-" || t.text == ",") {
			parts = append(parts, part{text: t.text})
			continue
		}
		rest := t.text
		for rest != "" {
			sought := rest
			if len(p.tokens) == 1 && lowerCase(t.text) { // mwf
				sought = strings.ToUpper(rest)
			}
			form, day := weekdayLetter(sought, last, len(p.tokens) > 1)
			if form == nil || day <= last && last >= 0 && day != 0 {
				return false
			}
			e := element{}
			e.at[fieldWeekday] = 1 + len(parts)
			word := form.words[day]
			parts = append(parts, part{field: fieldWeekday, text: rest[:len(word)], value: day, was: day, form: form})
			single = single && len(word) == 1
			elements = append(elements, e)
			rest, last = rest[len(word):], day
		}
	}
	if len(elements) < 2 || len(p.tokens) == 1 && len(elements) > 7 {
		return false
	}
	for i := range parts {
		if single && parts[i].form != nil {
			parts[i].form = oneLetter
		}
	}
	p.parts, p.elements, p.i = append(p.parts, parts...), elements, len(p.tokens)
	return true
}

var (
	oneLetter  = &forms{field: fieldWeekday, words: []string{"S", "M", "T", "W", "T", "F", "S"}}
	twoLetters = &forms{field: fieldWeekday, words: []string{"Su", "M", "Tu", "W", "Th", "F", "Sa"}}
	threeLetts = &forms{field: fieldWeekday, words: strings.Fields("Sun Mon Tue Wed Thu Fri Sat")}
)

// weekdayLetter is the weekday after last that text begins with, in any case if apart.
func weekdayLetter(text string, last int, apart bool) (*forms, int) {
	for _, form := range []*forms{threeLetts, twoLetters, oneLetter} {
		for _, day := range []int{1, 2, 3, 4, 5, 6, 0} {
			w := form.words[day]
			if (strings.HasPrefix(text, w) || apart && len(text) >= len(w) && strings.EqualFold(text[:len(w)], w)) && (day > last || day == 0) {
				return form, day
			}
		}
	}
	return nil, 0
}
