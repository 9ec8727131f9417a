package surrogate

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
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
//   - dates with a year that are possible in one order only, that fall on the weekday beside them in one order only, or that the notes also have in letters or
//     with the year first
//   - days and months without a year that are possible in one order only
//   - in notes of a language that writes the month first: postal codes, telephone numbers and labels of countries that write it first or do not
//   - in such notes: how dates in words and dates with periods are written
func (p *Patient) readOrder(all []reading, mentions []Mention, present int) order {
	known := map[time.Time]bool{} // the days that are certain
	for _, r := range all {
		for k, day := range r.days(monthFirst, present) {
			if other := r.days(dayFirst, present); k < len(other) && other[k].Equal(day) {
				known[day] = true
			}
		}
	}
	votes, short, style := 0, 0, 0
	for _, r := range all {
		votes += cmp.Or(r.vote(true), p.dayVote(r, present, known))
		short += r.vote(false)
		style += r.styleVote()
	}
	decided := cmp.Or(votes, short)
	if decided == 0 && p.lang.dateOrder == monthFirst {
		decided = cmp.Or(regionVotes(mentions), style)
	}
	switch {
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
		same += oneOf(known[a[k]], known[b[k]])
	}
	return sign(cmp.Or(onWeekday, same))
}

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

// weekdaysOf returns the weekdays that stand in or beside a date, one for each of its days; nil if they do not.
func (p *Patient) weekdaysOf(r reading, days int) []int {
	var all []int
	for _, part := range r.by[monthFirst].parts {
		if part.field == fieldWeekday {
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
	// wordBeforeDate and wordAfterDate match the word that is directly beside a date.
	wordBeforeDate = regexp.MustCompile(`(\p{L}+)[.,]{0,2} ?\(?(?:the |el |d[íi]a |el d[íi]a )?$`)
	wordAfterDate  = regexp.MustCompile(`^,? ?\(?(\p{L}+)`)
)

// weekdayBeside returns the weekday that stands directly before or after a date.
func (p *Patient) weekdayBeside(m Mention) (int, bool) {
	for _, match := range [][]string{wordBeforeDate.FindStringSubmatch(m.Before), wordAfterDate.FindStringSubmatch(m.After)} {
		if match == nil {
			continue
		}
		if day, ok := p.weekday(match[1]); ok {
			return day, true
		}
	}
	return 0, false
}

// weekday returns the weekday that a word is in any language. "O2 sat 05/08/2071" has no Saturday.
func (p *Patient) weekday(word string) (int, bool) {
	if len(word) < 4 && !unicode.IsUpper(firstRune(word)) {
		return 0, false
	}
	for _, lang := range p.from(p.lang) {
		if day, ok := lang.calendar.weekday(fold(word)); ok {
			return day, true
		}
	}
	return 0, false
}

// withoutWeekday returns the text before a date without the weekday at its end.
func (p *Patient) withoutWeekday(before string) string {
	if at := wordBeforeDate.FindStringSubmatchIndex(before); at != nil {
		if _, ok := p.weekday(before[at[2]:at[3]]); ok {
			return before[:at[2]]
		}
	}
	return before
}

// styleVote is vote for the style of a date that is no evidence of its own: the English of America writes April 10, 2071, that of other countries 10 April 2071 and
// 10.04.2071. The latter are not 10-Apr-2071 and 10APR2071, which forms and laboratories everywhere have.
func (r reading) styleVote() int {
	a, b := r.by[monthFirst], r.by[dayFirst]
	if a == nil || b == nil || len(a.elements) != 1 {
		return 0
	}
	e := a.elements[0]
	day, month, year := e.at[fieldDay], e.at[fieldMonth], e.at[fieldYear]
	if day == 0 || month == 0 || year < max(day, month) {
		return 0
	}
	between := ""
	for _, part := range a.parts[min(day, month)+1 : max(day, month)] {
		between += part.text
	}
	switch {
	case a.parts[month].form == nil:
		return -oneOf(between == ".", false)
	case month < day:
		return 1
	case strings.HasPrefix(between, " ") && !strings.ContainsAny(between, "-/"):
		return -1
	}
	return 0
}

var (
	americanZip    = regexp.MustCompile(`^[0-9]{5}(?:-[0-9]{4})?$`)
	americanPhone  = regexp.MustCompile(`^(?:\+?1[-. ]?)?\(?[2-9][0-9]{2}\)?[-. ]{0,2}[2-9][0-9]{2}[-.][0-9]{4}\b`)
	otherPostcode  = regexp.MustCompile(`^(?:[0-9]{4}|[A-Za-z]{1,2}[0-9][0-9A-Za-z]? ?[0-9][A-Za-z]{2}|(?i:[A-Z][0-9][0-9W] ?[A-Z0-9]{4}))$`)
	otherPhone     = regexp.MustCompile(`^(?:(?:\+|00) ?(?:44|353|61|64)|\(?0[1-9])`)
	labelElsewhere = regexp.MustCompile(`\b(?:NHS|GMC|NMC|GDC|CHI|H&C|IHI|AHPRA|MCRN|PPSN?|Eircode|HPI|NHI)\b[^0-9]{0,20}$`)
)

// regionVotes counts the postal codes, telephone numbers and labels of the United States, and takes away those of countries that write the day first.
func regionVotes(mentions []Mention) int {
	votes := 0
	for _, m := range mentions {
		switch {
		case m.Sort != Zip && m.Sort != Phone && m.Sort != Number:
		case labelElsewhere.MatchString(m.Before): // a number of the NHS looks like a telephone number
			votes--
		case m.Sort == Zip:
			votes += oneOf(americanZip.MatchString(m.Text), otherPostcode.MatchString(m.Text))
		case m.Sort == Phone:
			votes += oneOf(americanPhone.MatchString(m.Text), otherPhone.MatchString(m.Text))
		}
	}
	return votes
}
