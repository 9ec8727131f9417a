package surrogate

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// dates is what is known of a patient's dates.
type dates struct {
	shift  shift
	order  order
	latest int                  // the last year that is written in full; years of two digits are not after it
	near   map[string]time.Time // the first whole date of each note
}

// readDates fixes the shift, and what ambiguous dates mean.
func (p *Patient) readDates(mentions []Mention) {
	d := &p.dates
	*d = dates{near: map[string]time.Time{}, order: p.lang.dateOrder}
	votes := 0
	var all []*date
	var notes []string
	for _, m := range mentions {
		if m.Sort != Date {
			continue
		}
		a, _ := p.parseDate(m.Text, monthFirst)
		b := a
		if a == nil || ambiguous(a) {
			b, _ = p.parseDate(m.Text, dayFirst)
		}
		if a != nil && b != nil && a != b && len(a.elements) == 1 && a.elements[0].at[fieldYear] > a.elements[0].at[fieldMonth] {
			// The two readings are one if the order is plain to see.
			if month := a.elements[0].at[fieldMonth]; month == b.elements[0].at[fieldMonth] {
				if month < a.elements[0].at[fieldDay] {
					votes++
				} else {
					votes--
				}
			}
		}
		for _, read := range []*date{a, b} {
			if read == nil {
				continue
			}
			for _, e := range read.elements {
				if k := e.at[fieldYear]; k > 0 && len(read.parts[k].text) == 4 {
					d.latest = max(d.latest, read.parts[k].value)
				}
			}
		}
		all, notes = append(all, a, b), append(notes, m.Note, m.Note)
	}
	switch {
	case votes > 0:
		d.order = monthFirst
	case votes < 0:
		d.order = dayFirst
	}
	d.latest = cmp.Or(d.latest, 2049)
	for i := int(d.order); i < len(all); i += 2 {
		if all[i] == nil {
			continue
		}
		for _, day := range all[i].full(d.latest) {
			if _, ok := d.near[notes[i]]; !ok {
				d.near[notes[i]] = day
			}
		}
	}
	d.shift = p.drawShift()
}

// ambiguous says that a date has day and month in numbers.
func ambiguous(d *date) bool {
	return slices.ContainsFunc(d.elements, func(e element) bool {
		return e.at[fieldDay] > 0 && e.at[fieldMonth] > 0 && d.parts[e.at[fieldMonth]].form == nil
	})
}

// drawShift draws by how many days the patient's dates move: 200 to 1500, back
// or forth. It is no multiple of a week, nor near one of a year, so that a
// weekday, month or season that stands alone moves as well. It follows from key and patient alone: notes that
// come later move as those before them did.
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

// shift is by how much the dates of a patient move, at each precision. Dates
// of one precision keep their intervals exactly, others to half a unit.
type shift struct {
	days, months, years int
}

func newShift(days int) shift {
	return shift{days: days, months: roundDiv(days*4800, 146097), years: roundDiv(days*400, 146097)}
}

func (p *Patient) date(note, text string) (string, bool, error) {
	d, ok := p.parseDate(text, p.dates.order)
	if !ok {
		// Numbers of no known form; words might be anything.
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
