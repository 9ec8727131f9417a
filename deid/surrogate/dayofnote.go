package surrogate

import (
	"cmp"
	"time"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds the day of a note, near which its dates without a year are.

// markBirths marks the dates that a label says to be of birth, and those of the same days elsewhere in the notes, also with a year of two digits.
func markBirths(all []reading, o order) {
	type day struct {
		year  int // without the century
		month time.Month
		day   int
	}
	only := func(r reading) (day, bool) {
		days := r.days(o, assumedYear)
		if len(days) != 1 {
			return day{}, false
		}
		return day{days[0].Year() % 100, days[0].Month(), days[0].Day()}, true
	}
	births := map[day]bool{}
	for i := range all {
		if r := &all[i]; isBirth(r.Before) {
			r.birth = true
			if d, ok := only(*r); ok {
				births[d] = true
			}
		}
	}
	for i := range all {
		if d, ok := only(all[i]); ok && births[d] {
			all[i].birth = true
		}
	}
}

// lastYear returns the last year of the notes. Years of birth do not count if there are others, since all others of two digits are later.
func lastYear(all []reading, o order, present int) int {
	last, births := 0, 0
	for _, r := range all {
		d := r.by[o]
		if r.birth {
			births = max(births, d.latestYear())
		} else if d != nil {
			for _, y := range d.years(present) {
				last = max(last, y.value)
			}
		}
	}
	return cmp.Or(last, births, 2049)
}

// daysOfNotes finds a day near which the dates of each note are: the first of its complete dates that is clearly that of a visit or a document or, failing that, the first of
// all, but none long before the last of them, which may be one of the history. Dates of birth count only if there are no others, and those of what is planned only if
// nothing but a birth is told beside them. The second best are a month and a year, and a year. A note without any of them has the day of the latest note.
func (p *Patient) daysOfNotes(all []reading, o order, latest int) map[string]time.Time {
	told := map[string][]dayTold{}
	for _, r := range all {
		if d := r.by[o]; d != nil {
			told[r.Note] = append(told[r.Note], p.daysTold(r, d, latest)...)
		} else if told[r.Note] == nil {
			told[r.Note] = []dayTold{}
		}
	}
	near := map[string]time.Time{}
	var last time.Time
	for note, days := range told {
		if day, ok := likeliestDay(days); ok {
			near[note] = day
			if day.After(last) {
				last = day
			}
		}
	}
	for note := range told {
		if _, ok := near[note]; !ok && !last.IsZero() {
			near[note] = last
		}
	}
	return near
}

// dayTold is a day that may be that of a note.
type dayTold struct {
	time.Time
	kind  dayKind
	visit bool
}

// dayKind says how likely the day of a note is near such a date; the first is the likeliest.
type dayKind int

const (
	dayOfEvent dayKind = iota
	dayPlanned
	dayOfMonth // a day in the middle of a month or year without a day
	dayOfBirth
	dayKinds
)

// daysTold returns the days of a reading that may be near that of its note.
func (p *Patient) daysTold(r reading, d *date, latest int) []dayTold {
	r.Before = p.withoutWeekday(r.Before)
	kind := dayOfEvent
	switch {
	case r.birth:
		kind = dayOfBirth
	case planned.MatchString(fold(r.Before)):
		kind = dayPlanned
	}
	var all []dayTold
	for _, e := range d.elements {
		switch y, m, day := d.ymd(e, latest); {
		case y < 1800 || y > 2299:
		case m > 0 && day > 0:
			all = append(all, dayTold{civil(y, m, day), kind, r.ofVisit()})
		case r.birth || e.at[fieldDecade] > 0:
		case m > 0:
			all = append(all, dayTold{civil(y, m, 15), dayOfMonth, false})
		default:
			all = append(all, dayTold{civil(y, 7, 1), dayOfMonth, false})
		}
	}
	return all
}

// planned matches the text before the date of something that will be, folded.
var planned = lazyregexp.New(`\b(?:due|next|follow[- ]?up|f/?u|rtc|returns?|appointments?|appts?|scheduled|repeat|until|through|thru|expir(?:y|es|ation)|exp|valid|` +
	`proxim[oa]s?|cita(?:d[oa])?s?|programad[oa]|hasta|caduca|caducidad|vence|vencimiento|validez)\b[^.;0-9]{0,24}$`)

// history is how long before the last date of a note its day may be.
const history = 550 * 24 * time.Hour

// likeliestDay chooses the day of a note.
func likeliestDay(days []dayTold) (time.Time, bool) {
	for kind := range dayKinds {
		var last, first, visit time.Time
		for _, d := range days {
			if d.kind == kind && d.After(last) {
				last = d.Time
			}
		}
		for _, d := range days {
			if d.kind != kind || last.Sub(d.Time) > history {
				continue
			}
			if first.IsZero() {
				first = d.Time
			}
			if visit.IsZero() && d.visit {
				visit = d.Time
			}
		}
		if !visit.IsZero() {
			return visit, true
		}
		if !first.IsZero() {
			return first, true
		}
	}
	return time.Time{}, false
}
