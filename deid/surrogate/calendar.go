package surrogate

import "strings"

// What dates are written with, besides digits. Words are looked up folded:
// without case and accents.

type calendarWord struct {
	field field
	value int    // month 1..12, weekday 0 (Sunday) .. 6, season 0 (winter) .. 3
	form  *forms // how the others of its kind are written
}

// forms are the words of one style, by value.
type forms struct {
	field field
	words []string
}

// calendar holds the words of one language.
type calendar struct {
	words  map[string]calendarWord
	months []string
	begins map[string][]holiday // by the first word, longer names first
}

var calendars = map[Language]*calendar{
	English: newCalendar([]string{
		"January February March April May June July August September October November December",
		"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
	}, []string{
		"Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
		"Sundays Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays",
		"Sun Mon Tue Wed Thu Fri Sat",
		"Suns Mons Tues Weds Thurs Fris Sats",
	}, []string{
		"winter spring summer fall",
		"winter spring summer autumn",
	}, map[string]string{
		"sept": "sep", "tues": "tue", "thur": "thu", "thurs": "thu", "weds": "wed",
	}, englishHolidays),
	Spanish: newCalendar([]string{
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul ago sep oct nov dic",
	}, []string{
		"domingo lunes martes miércoles jueves viernes sábado",
		"domingos lunes martes miércoles jueves viernes sábados",
		"dom lun mar mié jue vie sáb",
	}, []string{
		"invierno primavera verano otoño",
	}, map[string]string{
		"setiembre": "septiembre", "sept": "sep", "set": "sep",
	}, spanishHolidays),
}

func newCalendar(months, weekdays, seasons []string, variants map[string]string, holidays string) *calendar {
	c := &calendar{words: map[string]calendarWord{}, months: strings.Fields(months[0]), begins: map[string][]holiday{}}
	add := func(f field, first int, lines []string) {
		for _, line := range lines {
			form := &forms{field: f, words: strings.Fields(line)}
			for i, w := range form.words {
				// The first form of a word wins: May is no abbreviation, mar a month rather than a weekday.
				if _, taken := c.words[fold(w)]; !taken {
					c.words[fold(w)] = calendarWord{f, first + i, form}
				}
			}
		}
	}
	add(fieldMonth, 1, months)
	add(fieldWeekday, 0, weekdays)
	add(fieldSeason, 0, seasons)
	for variant, word := range variants {
		c.words[variant] = c.words[word]
	}
	for _, h := range readHolidays(holidays) {
		first := tokens(h.name)[0].word
		c.begins[first] = append(c.begins[first], h)
	}
	return c
}

// dateFillers are words that may stand in a date and say nothing of which one.
// Any other makes the whole unreadable: it might be a name.
var dateFillers = wordSet(`the of on in at to from until till through thru and or by since between before after about around early mid middle late
	beginning end year years month week weekend day night morning evening afternoon noon midnight next last this hrs hours h am pm a m p s z t utc ad
	el la los las lo de del en a al y e o u desde hasta entre sobre antes despues hacia principios mediados finales fines inicios comienzos primeros ultimos
	ano anos mes semana dia dias noche manana tarde mediodia decada proximo proxima pasado pasada este esta fecha hora horas ce`)

// An ordinal's suffix, after a number.
var ordinals = wordSet("st nd rd th")
