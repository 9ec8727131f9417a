package surrogate

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// dates holds the information of a patient's notes about dates.
type dates struct {
	shift  shift
	order  order                // of ambiguous dates
	latest int                  // last year that is written in full; years of two digits are never taken to be after it
	near   map[string]time.Time // the first complete date of each note
}

// reading is a date of a note, read with the month first and with the day first; nil for an impossible order. Both readings are the same if the date
// is not ambiguous.
type reading struct {
	note string
	by   [2]*date // by order
}

// readDates determines the shift, and the meaning of ambiguous dates.
func (p *Patient) readDates(mentions []Mention) {
	p.dates = dates{near: map[string]time.Time{}, order: p.lang.dateOrder}
	votes, latest := 0, 0
	var all []reading
	for _, m := range mentions {
		if m.Sort != Date {
			continue
		}
		r := p.readBothWays(m)
		votes += r.vote()
		for _, d := range r.by {
			latest = max(latest, d.latestYear())
		}
		all = append(all, r)
	}
	switch {
	case votes > 0:
		p.dates.order = monthFirst
	case votes < 0:
		p.dates.order = dayFirst
	}
	p.dates.latest = cmp.Or(latest, 2049)
	for _, r := range all {
		d := r.by[p.dates.order]
		if d == nil {
			continue
		}
		if _, ok := p.dates.near[r.note]; ok {
			continue
		}
		if days := d.full(p.dates.latest); len(days) > 0 {
			p.dates.near[r.note] = days[0]
		}
	}
	p.dates.shift = p.drawShift()
}

func (p *Patient) readBothWays(m Mention) reading {
	r := reading{note: m.Note}
	r.by[monthFirst], _ = p.parseDate(m.Text, monthFirst)
	r.by[dayFirst] = r.by[monthFirst]
	if d := r.by[monthFirst]; d == nil || ambiguous(d) {
		r.by[dayFirst], _ = p.parseDate(m.Text, dayFirst)
	}
	return r
}

// vote returns 1 for a date that can only have the month first, such as 4/13/2071, -1 for one that can only have the day first, and 0 for all others.
func (r reading) vote() int {
	a, b := r.by[monthFirst], r.by[dayFirst]
	if a == nil || b == nil || a == b || len(a.elements) != 1 {
		return 0
	}
	e := a.elements[0]
	month, day := e.at[fieldMonth], e.at[fieldDay]
	switch {
	case e.at[fieldYear] <= month, month != b.elements[0].at[fieldMonth]:
		return 0
	case month < day:
		return 1
	}
	return -1
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

// ambiguous reports whether a date has both day and month in numbers.
func ambiguous(d *date) bool {
	return slices.ContainsFunc(d.elements, func(e element) bool {
		return e.at[fieldDay] > 0 && e.at[fieldMonth] > 0 && d.parts[e.at[fieldMonth]].form == nil
	})
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

func (p *Patient) date(note, text string) (string, bool, error) {
	d, ok := p.parseDate(text, p.dates.order)
	if !ok {
		// Numbers in an unknown form can be replaced digit by digit; words might be anything.
		if strings.ContainsFunc(text, letterOrMark) {
			return "", false, nil
		}
		return p.number(text, Number)
	}
	near, ok := p.dates.near[note]
	if !ok {
		near = civil(p.dates.latest, 1, 1)
	}
	return d.shifted(p.dates.shift, near, p.dates.latest).String(), true, nil
}
