package surrogate

import (
	"slices"
	"strings"
)

// calendarWord is the meaning of a word in a date.
type calendarWord struct {
	field field
	value int    // month 1..12, weekday 0 (Sunday) .. 6, season 0 (winter) .. 3
	form  *forms // the other words of the same style
}

// forms are the words of one style, by value.
type forms struct {
	field  field
	words  []string
	elides bool // "de" becomes "d'" before a vowel: 3 de març, 3 d'abril
}

// calendar holds a language's words for dates, folded.
type calendar struct {
	words     map[string]calendarWord
	months    []string
	alsoShort map[string]*forms       // abbreviated months, by each month that is the same in full: May
	elided    map[string]*forms       // months of a language that elides "de", by each month that is the same in another: d'octubre
	alsoDay   map[string]calendarWord // weekdays that are the same as a month: mar, for martes and marzo
	begins    map[string][]holiday    // by the first word, longer names first
}

func newCalendar(p profile) *calendar {
	c := &calendar{words: map[string]calendarWord{}, months: strings.Fields(p.months[0]), alsoShort: map[string]*forms{}, elided: map[string]*forms{}, alsoDay: map[string]calendarWord{}, begins: map[string][]holiday{}}
	add := func(f field, first int, lines []string) {
		for _, line := range lines {
			form := &forms{field: f, words: strings.Fields(line)}
			for i, word := range form.words {
				// The first meaning of a word wins: mar is a month rather than a weekday.
				folded, meaning := fold(word), calendarWord{f, first + i, form}
				switch was, taken := c.words[folded]; {
				case !taken:
					c.words[folded] = meaning
				case was.field == f && f == fieldMonth:
					c.alsoShort[folded] = form
				case was.field == fieldMonth && f == fieldWeekday:
					c.alsoDay[folded] = meaning
				}
			}
		}
	}
	add(fieldMonth, 1, p.months)
	for _, line := range slices.Concat(p.elisions, p.otherMonths) {
		form := &forms{field: fieldMonth, words: strings.Fields(line), elides: slices.Contains(p.elisions, line)}
		for i, word := range form.words {
			if _, taken := c.words[fold(word)]; !taken {
				c.words[fold(word)] = calendarWord{fieldMonth, 1 + i, form}
			} else if form.elides {
				c.elided[fold(word)] = form
			}
		}
	}
	add(fieldWeekday, 0, p.weekdays)
	add(fieldSeason, 0, p.seasons)
	for variant, word := range p.variants {
		c.words[variant] = c.words[word]
	}
	for _, h := range readHolidays(p.holidays()) {
		first := tokens(h.name)[0].word
		c.begins[first] = append(c.begins[first], h)
	}
	return c
}

// weekday returns the weekday that a folded word is or, like mar, may be.
func (c *calendar) weekday(word string) (int, bool) {
	if day, ok := c.alsoDay[word]; ok {
		return day.value, true
	}
	w, ok := c.words[word]
	return w.value, ok && w.field == fieldWeekday
}
