package surrogate

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// dates holds the information of a patient's notes about dates.
type dates struct {
	shift  shift
	order  order                // of ambiguous dates
	latest int                  // the last year of the notes; years of two digits are never taken to be after it
	read   []reading            // all dates of the notes
	near   map[string]time.Time // the day of each note, if its dates tell it; nil until a date is moved
	days   map[dayOfNote]string // what replaces a day whose month is in another value; empty if that is not certain
}

// dayOfNote is a value of a note that is a day alone, such as the 3 in "3 to 9 February" if 9 February is another value. A tagger may take it for something
// else.
type dayOfNote struct {
	note string
	sort Sort
	text string
}

// readDates determines the shift and the meaning of ambiguous dates.
func (p *Patient) readDates(mentions []Mention) {
	p.dates = dates{order: p.lang.dateOrder}
	all := p.readAll(mentions)
	present := assumedYear // no year of two digits is after it
	for _, r := range all {
		for _, d := range r.by {
			present = max(present, d.latestYear())
		}
	}
	p.dates.order = p.readOrder(all, mentions, present)
	markBirths(all, p.dates.order)
	p.dates.latest = lastYear(all, p.dates.order, present)
	p.dates.read = all
	p.dates.shift = p.drawShift()
	p.readDays(mentions)
}

var (
	// dayOnly matches a day without a month, also with a year: the 9, 2024 of "Feb 3 to 9, 2024", and the 9/2024 of 2/3-9/2024.
	dayOnly = lazyregexp.New(`^[0-9]{1,2}(?:st|nd|rd|th|[ºª])?(?:(?:/|,? )(?:19|20)[0-9]{2})?$`)
	// daysJoined matches what stands between a day and the date with its month, with further days of a list.
	daysJoined = lazyregexp.New(`^(?:` + dayJoint + `[0-9]{1,2}(?:st|nd|rd|th|[ºª])?)*` + dayJoint + `$`)
	// startsJoint and endsJoint match what stands directly behind and before a day, if it may be joined to a date.
	startsJoint = lazyregexp.New(`^` + dayJoint)
	endsJoint   = lazyregexp.New(dayJoint + `$`)
)

const dayJoint = `(?: ?[-–&,] ?| (?:to|through|thru|and|or|al?|y|e|o)(?: the| el)? |, (?:and|or) )`

// datesOfNote are the different dates of a note that are no days alone, with their places in its order, and their lengths.
type datesOfNote struct {
	place   map[string]int
	lengths []int
}

func (d *datesOfNote) add(text string) {
	if _, ok := d.place[text]; ok {
		return
	}
	d.place[text] = len(d.place)
	if i, ok := slices.BinarySearch(d.lengths, len(text)); !ok {
		d.lengths = slices.Insert(d.lengths, i, len(text))
	}
}

// readDays finds the month of each day that is a value of its own, in the value beside it.
func (p *Patient) readDays(mentions []Mention) {
	p.dates.days = map[dayOfNote]string{}
	joined := map[dayOfNote]bool{}
	others := map[string]*datesOfNote{}
	for _, m := range mentions {
		if m.Sort == Date && m.Text != "" && len(m.Text) < nearWeekday && !dayOnly.MatchString(m.Text) {
			if others[m.Note] == nil {
				others[m.Note] = &datesOfNote{place: map[string]int{}}
			}
			others[m.Note].add(m.Text)
		}
	}
	add := func(at dayOfNote, made string) {
		joined[at] = joined[at] || made != ""
		if was, ok := p.dates.days[at]; ok && was != made {
			made = ""
		}
		p.dates.days[at] = made
	}
	for _, m := range mentions {
		if day, year, made, ok := p.yearBehindTime(m); ok {
			add(dayOfNote{m.Note, Date, m.Text}, day)
			add(dayOfNote{m.Note, Date, year}, made)
			continue
		}
		if !dayOnly.MatchString(m.Text) {
			continue
		}
		made := ""
		if m.Sort == Date && strings.TrimRight(m.Text, "0123456789") == m.Text && p.counts(m.After) { // the 2nd of "2nd week of May"
			made = m.Text
		} else {
			made = p.dayBeside(m, others[m.Note])
		}
		add(dayOfNote{m.Note, m.Sort, m.Text}, made)
	}
	maps.DeleteFunc(p.dates.days, func(at dayOfNote, made string) bool { return made == "" && !joined[at] })
}

// behindTime matches a time of day, with the zone behind it, and the year of the day before it.
var behindTime = lazyregexp.New(`^(?i:(?:,? |:|,? a las |,? at )[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap]\.?m\.?)?(?: ?hr?s?)?)?(?: [A-Z]{2,5})?(?:, | de | )((?:19|20)[0-9]{2})(?:[^0-9]|$)`)

// yearBehindTime returns the replacements of a day and month and of the year behind their time of day, which are values of their own: Feb 29 09:30:00 EST 2024.
func (p *Patient) yearBehindTime(m Mention) (day, year, made string, ok bool) {
	if m.Sort != Date || len(m.Text) > nearWeekday {
		return "", "", "", false
	}
	behind := behindTime.FindStringSubmatch(m.After)
	if behind == nil || !strings.Contains(m.Text+behind[0], ":") {
		return "", "", "", false
	}
	const between = " 00:00 "
	joint := between
	if strings.Contains(m.Text, ":") {
		joint = " "
	}
	d, ok := p.parseDate(m.Text, p.dates.order)
	if !ok || slices.ContainsFunc(d.elements, func(e element) bool { return e.at[fieldYear] > 0 || e.at[fieldDay] == 0 && e.at[fieldWeekday] == 0 }) {
		return "", "", "", false
	}
	d, ok = p.parseDate(m.Text+joint+behind[1], p.dates.order)
	if !ok || len(d.full(p.dates.latest)) != 1 {
		return "", "", "", false
	}
	moved := p.moved(m.Note, d).String()
	at := len(moved) - len(joint+behind[1])
	return moved[:at], behind[1], moved[at+len(joint):], true
}

// dateBeside is a date near a day, which may be joined to it.
type dateBeside struct {
	place int    // in the order of the note's dates
	after bool   // behind the day
	text  string // of both and what stands between them
}

// dayBeside returns the replacement of a day that belongs to one of these dates after or before it; "" if there is none. The first date of the note counts.
func (p *Patient) dayBeside(m Mention, dates *datesOfNote) string {
	if dates == nil {
		return ""
	}
	joins := func(joint string) bool { // "Bed 3 - 9 February" is no range
		return daysJoined.MatchString(joint) && (m.Sort == Date || strings.ContainsFunc(joint, letterOrMark))
	}
	var near []dateBeside
	if startsJoint.MatchString(m.After) {
		dates.within(m.After, func(i int, other string) {
			if strings.Index(m.After, other) == i && joins(m.After[:i]) {
				near = append(near, dateBeside{dates.place[other], true, m.Text + m.After[:i] + other})
			}
		})
	}
	if endsJoint.MatchString(m.Before) {
		dates.within(m.Before, func(i int, other string) {
			if strings.LastIndex(m.Before, other) == i && joins(m.Before[i+len(other):]) {
				near = append(near, dateBeside{dates.place[other], false, m.Before[i:] + m.Text})
			}
		})
	}
	slices.SortStableFunc(near, func(a, b dateBeside) int { return cmp.Compare(a.place, b.place) })
	for _, d := range near {
		if made := p.moveDayOf(m.Note, d.text, d.after); made != "" {
			return made
		}
	}
	return ""
}

// within calls a function for each place of a text where a date of the note stands.
func (d *datesOfNote) within(text string, found func(i int, date string)) {
	for i := range text {
		for _, length := range d.lengths {
			if i+length > len(text) {
				break
			}
			if _, ok := d.place[text[i:i+length]]; ok {
				found(i, text[i:i+length])
			}
		}
	}
}

// moveDayOf moves a list or range of days, and returns its first day, or its last; "" if it is not read as one. The last of a season over two years is the second.
func (p *Patient) moveDayOf(note, text string, first bool) string {
	d, ok := p.parseDate(text, p.dates.order)
	if !ok || len(d.elements) < 2 {
		return ""
	}
	e, step := d.elements[0], 1
	if !first {
		e, step = d.elements[len(d.elements)-1], -1
	}
	if e.follows {
		return p.moved(note, d).parts[e.at[fieldYear]].String()
	}
	i := e.at[fieldDay]
	if i == 0 || e.at[fieldMonth] > 0 || e.month == 0 || i+step >= len(d.parts) || d.parts[i+step].field != fieldNone {
		return ""
	}
	const cut = "\x00"
	marked := *d
	marked.parts = slices.Clone(d.parts)
	if mark := &marked.parts[i+step]; first {
		mark.text = cut + mark.text
	} else {
		mark.text += cut
	}
	before, after, _ := strings.Cut(p.moved(note, &marked).String(), cut)
	if first {
		return before
	}
	return after
}

// moved returns a date of a note, moved by the patient's number of days.
func (p *Patient) moved(note string, d *date) *date {
	if p.dates.near == nil {
		p.dates.near = p.daysOfNotes(p.dates.read, p.dates.order, p.dates.latest)
	}
	near, ok := p.dates.near[note]
	if !ok {
		near = civil(p.dates.latest, 1, 1)
	}
	return d.shifted(p.dates.shift, near, p.dates.latest)
}

// latestYear returns the last year that a date, which may be nil, has in full.
func (d *date) latestYear() int {
	latest := 0
	if d == nil {
		return latest
	}
	for _, e := range d.elements {
		if i := e.at[fieldYear]; i > 0 && len(d.parts[i].text) == 4 {
			latest = max(latest, d.parts[i].value)
		}
	}
	return latest
}

// drawShift draws the number of days by which the patient's dates move: 200 to 1500, backwards or forwards. It is neither a multiple of a week nor
// close to a multiple of a year, so that weekdays, months and seasons without a date move too. It depends only on the key and the patient, so the
// dates of later notes move by the same number.
func (p *Patient) drawShift() shift {
	for attempt := 0; ; attempt++ {
		v := p.random("shift", "", attempt)
		days := 200 + int(v>>1%1301)
		if v&1 == 1 {
			days = -days
		}
		s := newShift(days)
		if m := modulo(s.months, 12); days%7 != 0 && m >= 2 && m <= 10 {
			return s
		}
	}
}

// shift is the distance by which the dates of a patient move, at each precision. Intervals between dates of the same precision are kept exactly,
// others to within half a unit.
type shift struct {
	days, months, years int
}

func newShift(days int) shift {
	return shift{days: days, months: roundDiv(days*4800, 146097), years: roundDiv(days*400, 146097)}
}

// bareNumber reads a number that can be the day of a month, as in "the next visit is on the 12", or the year of two digits that is no day, as in "operado en el 98",
// where it is known to be a date.
func (p *Patient) bareNumber(text string) (*date, bool) {
	all := tokens(strings.TrimSpace(text))
	if len(all) != 1 || !all[0].num || all[0].n == 0 || len(all[0].text) > 2 {
		return nil, false
	}
	r := &dateParser{date: date{Maker: p.Maker, lang: p.lang, parts: make([]part, 1)}, tokens: all, order: p.dates.order}
	var e element
	if isDay(all[0]) {
		r.take(&e, fieldDay)
	} else {
		r.take(&e, fieldYear)
	}
	r.done(e)
	return &r.date, true
}

func (p *Patient) date(note, text string) (string, bool) {
	d, ok := p.parseDate(text, p.dates.order)
	if !ok {
		d, ok = p.bareNumber(text)
	}
	if !ok {
		return "", false
	}
	return p.moved(note, d).String(), true
}
