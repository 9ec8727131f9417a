package surrogate

import (
	"cmp"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds out whether the notes of a patient write 3/4 for March 4 or for the third of April.

// reading is a date of a note, read with the month first and with the day first; nil for an impossible order. Both readings are the same if the date
// is not ambiguous.
type reading struct {
	Mention
	by    [2]*date // by order
	birth bool     // it is a date of birth
}

// readAll reads all dates of the notes in both orders.
func (p *Patient) readAll(mentions []Mention) []reading {
	var all []reading
	for _, m := range mentions {
		if m.Sort == Date {
			all = append(all, p.readBothWays(m))
		}
	}
	return all
}

func (p *Patient) readBothWays(m Mention) reading {
	r := reading{Mention: m}
	r.by[monthFirst], _ = p.parseDate(m.Text, monthFirst)
	r.by[dayFirst] = r.by[monthFirst]
	if d := r.by[monthFirst]; d == nil || ambiguous(d) {
		r.by[dayFirst], _ = p.parseDate(m.Text, dayFirst)
	}
	return r
}

// ambiguous reports whether a date has both day and month in numbers.
func ambiguous(d *date) bool {
	return slices.ContainsFunc(d.elements, func(e element) bool {
		return e.at[fieldDay] > 0 && e.at[fieldMonth] > 0 && d.parts[e.at[fieldMonth]].form == nil
	})
}

// readOrder returns the order of the notes. What tells it counts in this order, and weaker evidence only if there is no stronger one:
//
//   - dates with a year that are possible in one order only
//   - days and months without a year that are possible in one order only
//   - dates that fall on the weekday beside them in one order only, or that the notes also have in letters or with the year first; in notes of a language that writes
//     the month first, postal codes, telephone numbers and labels of countries that write it first or do not, and dates in words with the month first
//
// All evidence of one kind is added up, so that what speaks for one order takes away from what speaks for the other.
func (p *Patient) readOrder(all []reading, mentions []Mention, present int) order {
	known := map[time.Time]bool{} // the days that are certain
	for _, r := range all {
		for k, day := range r.days(monthFirst, present) {
			if other := r.days(dayFirst, present); k < len(other) && other[k].Equal(day) {
				known[day] = true
			}
		}
	}
	votes, short, weak, inWords := 0, 0, 0, false
	for _, r := range all {
		votes += r.vote(true)
		short += r.vote(false)
		weak += p.dayVote(r, present, known)
		inWords = inWords || r.monthBeforeDay()
	}
	if p.lang.dateOrder == monthFirst {
		weak += regionVotes(mentions)
		if inWords {
			weak++
		}
	}
	switch decided := cmp.Or(votes, short, weak); {
	case decided > 0:
		return monthFirst
	case decided < 0:
		return dayFirst
	}
	return p.lang.dateOrder
}

// days returns the complete dates of a reading in an order.
func (r reading) days(o order, latest int) []time.Time {
	if r.by[o] == nil {
		return nil
	}
	return r.by[o].full(latest)
}

// vote returns 1 for a date, with or without a year behind it, that can only have the month first, such as 4/13/2071, -1 for one that can only have the day first, and 0 for all
// others.
func (r reading) vote(withYear bool) int {
	a, b := r.by[monthFirst], r.by[dayFirst]
	if a == nil || b == nil || a == b || len(a.elements) != 1 {
		return 0
	}
	e := a.elements[0]
	month, day, year := e.at[fieldMonth], e.at[fieldDay], e.at[fieldYear]
	switch {
	case withYear && year <= month, !withYear && year > 0, month != b.elements[0].at[fieldMonth]:
		return 0
	case month < day:
		return 1
	}
	return -1
}

// dayVote is vote for dates that are possible in both orders: the weekday beside the date or, failing that, another date of the notes tells which day is meant.
func (p *Patient) dayVote(r reading, present int, known map[time.Time]bool) int {
	a, b := r.days(monthFirst, present), r.days(dayFirst, present)
	if len(a) != len(b) || slices.EqualFunc(a, b, time.Time.Equal) {
		return 0
	}
	weekdays := p.weekdaysOf(r, len(a))
	onWeekday, same := 0, 0
	for k := range a {
		if a[k].Equal(b[k]) {
			continue
		}
		if weekdays != nil {
			onWeekday += oneOf(int(a[k].Weekday()) == weekdays[k], int(b[k].Weekday()) == weekdays[k])
		}
		if isBirth(r.Before) || a[k].Sub(b[k]).Abs() > returnVisit {
			same += oneOf(known[a[k]], known[b[k]])
		}
	}
	return sign(cmp.Or(onWeekday, same))
}

// returnVisit is the longest time after which patients often come back. Days that are closer together than that may be those of two visits: May 6 and 06/05.
const returnVisit = 70 * 24 * time.Hour

// oneOf returns 1 if only the first of two conditions is true, -1 if only the second is, and 0 otherwise.
func oneOf(first, second bool) int {
	switch {
	case first && !second:
		return 1
	case second && !first:
		return -1
	}
	return 0
}

func sign(n int) int { return max(-1, min(1, n)) }

// weekdaysOf returns the weekdays that stand in or beside a date, one for each of its days; nil if they do not. Those of three letters are not among them, since they may be
// something else: SAT for a saturation, MAR for a record of what was given, and Sun for a name.
func (p *Patient) weekdaysOf(r reading, days int) []int {
	var all []int
	for _, part := range r.by[monthFirst].parts {
		if part.field == fieldWeekday && utf8.RuneCountInString(part.text) > 3 {
			all = append(all, part.value)
		}
	}
	if len(all) == 0 && days == 1 {
		if day, ok := p.weekdayBeside(r.Mention); ok {
			all = append(all, day)
		}
	}
	if len(all) != days {
		return nil
	}
	return all
}

var (
	// wordBeforeDate matches the word that is directly before a date.
	wordBeforeDate = lazyregexp.New(`(\p{L}+)[.,]{0,2} ?\(?(?:the |el |d[íi]a |el d[íi]a )?$`)
	// longWordBefore and longWordAfter match the word that is directly before or after a date and in the same sentence, if it is too long for an abbreviation.
	longWordBefore = lazyregexp.New(`(\p{L}{4,}),? ?(?:the |el |d[íi]a |el d[íi]a )?$`)
	longWordAfter  = lazyregexp.New(`^(?:,? ?| ?\()(\p{L}{4,})(?:[).,;\n]|$)`)
)

// weekdayBeside returns the weekday of the language of the notes that stands directly before or after a date.
func (p *Patient) weekdayBeside(m Mention) (int, bool) {
	for _, match := range [][]string{longWordBefore.FindStringSubmatch(m.Before), longWordAfter.FindStringSubmatch(m.After)} {
		if match == nil {
			continue
		}
		if day, ok := p.lang.calendar.weekday(fold(match[1])); ok {
			return day, true
		}
	}
	return 0, false
}

// isWeekday reports whether a word is a weekday in any language. "O2 sat 05/08/2071" has no Saturday.
func (p *Patient) isWeekday(word string) bool {
	if len(word) < 4 && !unicode.IsUpper(firstRune(word)) {
		return false
	}
	return slices.ContainsFunc(p.from(p.lang), func(lang *language) bool {
		_, ok := lang.calendar.weekday(fold(word))
		return ok
	})
}

// withoutWeekday returns the text before a date without the weekday at its end.
func (p *Patient) withoutWeekday(before string) string {
	if at := wordBeforeDate.FindStringSubmatchIndex(before); at != nil {
		if p.isWeekday(before[at[2]:at[3]]) {
			return before[:at[2]]
		}
	}
	return before
}

// monthBeforeDay reports whether a date has its month in words, and before the day, as the English of America writes it: April 10, 2071.
func (r reading) monthBeforeDay() bool {
	d := r.by[monthFirst]
	return d != nil && slices.ContainsFunc(d.elements, func(e element) bool {
		day, month, year := e.at[fieldDay], e.at[fieldMonth], e.at[fieldYear]
		return month > 0 && month < day && day < year && d.parts[month].form != nil
	})
}

var (
	americanZip   = lazyregexp.New(`^[0-9]{5}(?:-[0-9]{4})?$`)
	americanPhone = lazyregexp.New(`^(?:\+?1[-. ]?)?\(?[2-9][0-9]{2}\)?[-. ]{0,2}[2-9][0-9]{2}[-.][0-9]{4}\b`)
	otherPostcode = lazyregexp.New(`^(?:[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}|[A-Z][0-9][0-9W] ?[A-Z][A-Z0-9]{3})$`) // of the United Kingdom or Ireland
	otherPhone    = lazyregexp.New(`^(?:\+|00) ?(?:44|353|61|64)[ ()0-9-]{8,}$`)
	otherLabel    = lazyregexp.New(`\b(?:NHS|PPSN|AHPRA)(?: (?:[Nn]o|[Nn]umber|NO|NUMBER)\b\.?)?:? ?$`)
)

// regionVotes counts the postal codes and telephone numbers of the United States, and takes away the postal codes, telephone numbers and labels of countries
// that write the day first, if there are two kinds of these: one alone may be that of a relative, or something else.
func regionVotes(mentions []Mention) int {
	american, others, kinds := set{}, set{}, map[*lazyregexp.Regexp]bool{}
	for _, m := range mentions {
		other, text := otherPhone, m.Text
		switch m.Sort {
		case Zip:
			other = otherPostcode
		case Phone, Number:
		default:
			continue
		}
		if m.Sort != Zip && otherLabel.MatchString(m.Before) { // a number of the NHS looks like a telephone number
			other, text = otherLabel, m.Before
		}
		switch {
		case other.MatchString(text):
			others[m.Text], kinds[other] = true, true
		case m.Sort == Zip && americanZip.MatchString(m.Text), m.Sort == Phone && americanPhone.MatchString(m.Text):
			american[m.Text] = true
		}
	}
	if len(kinds) < 2 {
		return len(american)
	}
	return len(american) - len(others)
}
