package surrogate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// field is the meaning of one part of a written date.
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
	text  string // the part as written
	value int
	was   int    // the value as written
	form  *forms // the words of this style; nil for a number
	feast *holiday
	pad   bool   // 3 is written 03
	tail  string // text after the number: the suffix of an ordinal, or surplus digits

	ordinal func(int) string // returns the suffix of another number; nil if tail is not such a suffix
}

// element is one of the dates in a written date, such as one end of a range. It has the
// indices of its parts by field, and 0 for a missing field (part 0 is always a
// literal).
type element struct {
	at    [fieldHoliday + 1]int
	month int // shared with another element: the April of the 3 in 3-5 April
	// likewise
	year   int
	yearOf int  // 1 + the index of the element with which it shares a year of two digits
	over   int  // years from the one that it shares to its own: -1 for the 30 December of "30 December to 2 January 2071"
	second bool // it shares the month before it: the 5 in April 3-5

	follows bool // it is the year after that of the season before it: the 72 in winter 2071-72
}

// date is a written date, or several.
type date struct {
	*Maker
	lang     *language // in which it is written
	parts    []part
	elements []element
}

// order tells whether 3/4 is in March or in April.
type order int

const (
	monthFirst order = iota
	dayFirst
)

// parseDate reads a date. It supports numbers with any separators (3/4/71, 2071-04-03,
// 04/2071, 03APR2071, 20710403), words of all languages, ranges and lists, weekdays,
// seasons, holidays and decades, and the slips of real notes: a doubled separator, 31
// in a month of 30 days, a month up to 24. It returns false for everything else, such
// as text with any other word.
//
// The date must not be changed, because others get it, too.
func (m *Maker) parseDate(text string, o order) (*date, bool) {
	d := m.parsed[o].Get(text, func() *date {
		all := tokens(strings.Clone(text)) // which may share the memory of a whole note
		parts := make([]part, 1, len(all)+1)
		for _, lang := range m.from(m.lang) {
			p := &dateParser{date: date{Maker: m, lang: lang, parts: parts}, tokens: all, order: o}
			if p.parse() {
				return &p.date
			}
		}
		return nil
	})
	return d, d != nil
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
	if p.field == fieldNone || p.field == fieldHoliday {
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
		word := p.form.words[(p.value-first)%len(p.form.words)] // a month 13 in digits may stand beside one in words
		if ascii(p.text) && !ascii(p.form.words[p.was-first]) {
			word = unaccent(word) // a writer of "sabado" also writes "miercoles"
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
	if p.ordinal != nil && p.value != p.was {
		suffix := p.ordinal(p.value)
		if tail == strings.ToUpper(tail) {
			suffix = strings.ToUpper(suffix)
		}
		tail = suffix
	}
	return fmt.Sprintf("%0*d%s", width, value, tail)
}

func roundDiv(a, b int) int {
	if a < 0 {
		return -((-a + b/2) / b)
	}
	return (a + b/2) / b
}

func modulo(a, b int) int { return (a%b + b) % b }

// full lists the dates that have a day, a month and a year.
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

// ymd returns the year, month and day of an element, and 0 for those that are missing.
func (d *date) ymd(e element, latest int) (y, m, day int) {
	y, m = e.year, e.month
	if i := e.at[fieldYear]; i > 0 {
		y = century(d.parts[i], latest)
	} else if y == 0 && e.yearOf > 0 {
		y = century(d.parts[d.elements[e.yearOf-1].at[fieldYear]], latest)
	}
	if y > 0 {
		y += e.over
	}
	if i := e.at[fieldMonth]; i > 0 {
		m = d.parts[i].value
	}
	if i := e.at[fieldDay]; i > 0 {
		day = d.parts[i].value
	}
	return y, m, day
}

// century completes a year of one or two digits to the last such year that is not after latest.
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

// shifted returns the moved date. near is the day of the note, if known: a date without
// a year is taken to be the nearest such day. An impossible date is read as time.Date
// reads it (31 February is 3 March), and becomes another impossible date.
func (d *date) shifted(s shift, near time.Time, latest int) *date {
	moved := &date{Maker: d.Maker, lang: d.lang, parts: slices.Clone(d.parts), elements: d.elements}
	set := func(e element, f field, value int) {
		if i := e.at[f]; i > 0 {
			moved.parts[i].value = value
		}
	}
	months := make([]month, len(d.elements)) // of the moved days
	years := d.yearsOfRanges(near, latest)
	for k, e := range d.elements {
		if i := e.at[fieldWeekday]; i > 0 {
			set(e, fieldWeekday, modulo(d.parts[i].value+s.days, 7))
		}
		if i := e.at[fieldHoliday]; i > 0 {
			moved.moveHoliday(e, d.parts[i].feast, s.days, near, latest)
			continue
		}
		if i := e.at[fieldDecade]; i > 0 {
			decade := d.parts[i].value + 5 + s.years
			set(e, fieldDecade, decade-modulo(decade, 10))
		}
		if e.follows {
			set(e, fieldYear, moved.parts[d.elements[k-1].at[fieldYear]].value+1)
			continue
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
			y, m, day = moveDay(cmp.Or(y, years[k]), m, day, s.days, near)
			months[k] = month{y, m}
		case m != 0:
			extra := (m - 1) / 12 * 12 // of the month 13
			count := y*12 + m - 1 + s.months
			y, m = floorDiv(count-extra, 12), modulo(count, 12)+1+extra
		default:
			y += s.years
		}
		set(e, fieldYear, y)
		set(e, fieldMonth, m)
		set(e, fieldDay, day)
	}
	moved.writeOut(months)
	moved.elide()
	return moved
}

// isPossible reports whether a calendar has all dates: there is no 31 February and no month 13.
func (d *date) isPossible(latest int) bool {
	for _, e := range d.elements {
		y, m, day := d.ymd(e, latest)
		if y == 0 {
			y = 2024 // which has a 29 February
		}
		if m > 12 || day > 31 || m > 0 && day > daysIn(y, m) {
			return false
		}
	}
	return true
}

// yearsOfRanges returns the years of days without one that are the ends of a range, and 0 for all others: the last is the next such day behind the first, and a 29 February decides. Each
// for itself could be nearest to the day of the note in another year.
func (d *date) yearsOfRanges(near time.Time, latest int) []int {
	years := make([]int, len(d.elements))
	for k := 1; k < len(d.elements); k++ {
		y1, m1, day1 := d.ymd(d.elements[k-1], latest)
		y2, m2, day2 := d.ymd(d.elements[k], latest)
		if y1 != 0 || y2 != 0 || m1 == 0 || m2 == 0 || day1 == 0 || day2 == 0 || m1 > 12 || m2 > 12 || !d.isRange(k) {
			continue
		}
		over := 0 // years from the first to the last
		if m2 < m1 || m2 == m1 && day2 < day1 {
			over = 1
		}
		if m2 == 2 && day2 == 29 {
			years[k] = nearestYear(m2, day2, near)
			years[k-1] = years[k] - over
		} else {
			years[k-1] = nearestYear(m1, day1, near)
			years[k] = years[k-1] + over
		}
	}
	return years
}

// isRange reports whether elements k-1 and k are the ends of a range.
func (d *date) isRange(k int) bool {
	end := func(e element) int { return max(e.at[fieldDay], e.at[fieldMonth]) }
	from, to := end(d.elements[k-1])+1, d.elements[k].at[fieldDay]
	if i := d.elements[k].at[fieldMonth]; i > 0 {
		to = min(to, i)
	}
	between := ""
	for i := from; i < to; i++ {
		between += d.parts[i].text
	}
	return from <= to && d.joint(between) == "-"
}

// nearestYear returns the year in which a day is nearest to another. There is no 29 February in most.
func nearestYear(m, day int, near time.Time) int {
	y, best := near.Year(), 1<<30
	for _, c := range []int{near.Year(), near.Year() - 1, near.Year() + 1, near.Year() - 2, near.Year() + 2, near.Year() - 3, near.Year() + 3} {
		if t := civil(c, m, day); distance(t, near) < best && (t.Day() == day || m != 2 || day != 29) {
			y, best = c, distance(t, near)
		}
	}
	return y
}

// month is a month of a year, from 1.
type month struct{ year, month int }

// writeOut gives days that share a month or year with another day their own, if they have moved to another: 3-5 April becomes 30 March-1 April. months has
// those of the elements. The elements are not valid afterwards.
func (d *date) writeOut(months []month) {
	before, after := map[int][]part{}, map[int][]part{} // parts to be added, by the part beside them
	for k, e := range d.elements {
		day := e.at[fieldDay]
		if day == 0 {
			continue
		}
		last := max(day, e.at[fieldMonth])
		if src, ok := d.sharer(k, fieldMonth); ok && e.at[fieldMonth] == 0 && e.month > 0 && months[src] != months[k] {
			from := d.elements[src]
			own := d.parts[from.at[fieldMonth]]
			own.value, own.pad = months[k].month, d.parts[day].pad
			if i, j := from.at[fieldDay], from.at[fieldMonth]; i < j {
				after[day] = append(slices.Clone(d.parts[i+1:j]), own)
			} else {
				before[day] = append([]part{own}, d.parts[j+1:i]...)
			}
		}
		if src, ok := d.sharer(k, fieldYear); ok && e.at[fieldYear] == 0 && (e.year > 0 || e.yearOf > 0) && months[src].year != months[k].year {
			from := d.elements[src]
			i, j := max(from.at[fieldDay], from.at[fieldMonth]), from.at[fieldYear]
			if i > j {
				continue
			}
			own := d.parts[j]
			own.value = months[k].year
			after[last] = append(append(after[last], d.parts[i+1:j]...), own)
		}
	}
	if len(before)+len(after) == 0 {
		return
	}
	var parts []part
	for i, part := range d.parts {
		parts = append(append(append(parts, before[i]...), part), after[i]...)
	}
	d.parts = parts
}

// elide writes "de" or "d'" before months of languages that have both: 3 de març, 3 d'abril.
func (d *date) elide() {
	for i := 2; i < len(d.parts); i++ {
		month, word, joint := d.parts[i], &d.parts[i-2], &d.parts[i-1]
		if month.form == nil || !month.form.elides || word.field != fieldNone || joint.field != fieldNone {
			continue
		}
		vowel := strings.ContainsRune("aeiou", firstRune(fold(month.String())))
		apostrophe := joint.text == "'" || joint.text == "’"
		switch preposition := fold(word.text); {
		case preposition == "d" && apostrophe && !vowel:
			word.text, joint.text = word.text+likeCase("e", word.text), " "
		case preposition == "de" && joint.text == " " && vowel:
			word.text, joint.text = word.text[:1], "'"
		}
	}
}

// sharer returns the element from which element k has a month or year that it lacks.
func (d *date) sharer(k int, f field) (int, bool) {
	has := func(i int) bool { return d.elements[i].at[f] > 0 && d.elements[i].at[fieldDay] > 0 }
	if f == fieldMonth && d.elements[k].second {
		for k--; k > 0 && d.elements[k].second; k-- {
		}
		return k, has(k)
	}
	for i := k + 1; i < len(d.elements); i++ {
		if has(i) {
			return i, true
		}
	}
	for i := k - 1; i >= 0; i-- {
		if has(i) {
			return i, true
		}
	}
	return 0, false
}

// moveHoliday replaces the name of a holiday with the moved date.
func (d *date) moveHoliday(e element, feast *holiday, days int, near time.Time, latest int) {
	if days == 0 {
		return
	}
	i, k := e.at[fieldHoliday], e.at[fieldYear]
	year, _, _ := d.ymd(e, latest)
	day := feast.nearest(year, near).AddDate(0, 0, days)
	d.parts[i].text = likeCase(d.Maker.lang.monthAndDay(day), d.parts[i].text)
	if k == 0 {
		return
	}
	d.parts[k].value = day.Year()
	if between := &d.parts[k-1]; between.text == " " && k == i+2 && len(d.parts[k].text) == 4 { // Christmas 2071
		between.text = likeCase(d.Maker.lang.beforeYear, d.parts[i].text)
	}
}

// identity is the same for all forms of one date, such as 03/04/2071 and Saturday, April 3, 2071.
// If latest is 0, years of two digits are not completed.
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
				if t.num || t.word != "" && !d.words[dateArticles][t.word] && !d.words[dateJoins][t.word] {
					b.WriteString(" " + t.text)
				}
			}
			continue
		}
		if dated && pt.field == fieldWeekday { // the weekday follows from the day
			between = ""
			continue
		}
		if k == last {
			continue
		}
		if last != 0 {
			b.WriteString(d.joint(between))
		}
		between, last = "", k
		b.WriteString(d.elements[k-1].identity(d, latest))
	}
	return fold(b.String())
}

// joint returns "-" if the text between two dates makes them a range, and "," if it
// makes them a list.
func (d *date) joint(between string) string {
	for _, t := range tokens(between) {
		if t.text == "-" || t.text == "–" || t.text == "—" || d.words[dateJoins][t.word] && !d.words[dateLists][t.word] {
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

// moveDay moves a day by this many days. y and m are 0 if unknown.
func moveDay(y, m, day, days int, near time.Time) (int, int, int) {
	switch {
	case m == 0: // the nearest 3rd
		this := int(near.Month())
		y, m = near.Year(), this
		best := 1 << 30
		for _, t := range []time.Time{civil(y, this, day), civil(y, this-1, day), civil(y, this+1, day)} {
			if t.Day() == day && distance(t, near) < best { // there is no 30 February
				y, m, best = t.Year(), int(t.Month()), distance(t, near)
			}
		}
	case y == 0:
		y = nearestYear(m, day, near)
	}
	monthTooMany := (m - 1) / 12
	dayTooMany := day > daysIn(y, m)
	t := civil(y, m, day).AddDate(0, 0, days)
	ny, nm, nd := t.Year(), int(t.Month()), t.Day()
	if dayTooMany || monthTooMany > 0 && nd <= 12 { // written as a day of the month before
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
