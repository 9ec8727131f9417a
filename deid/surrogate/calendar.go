package surrogate

import (
	"cmp"
	"slices"
	"strings"
)

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
	words    map[string]calendarWord
	holidays []holiday            // longer names first
	begins   map[string][]holiday // by the first word
}

type holiday struct {
	name, folded string
	day          int // of the year, in an ordinary one
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
	}, map[string]int{
		"New Year's Day": 1, "New Years Day": 1, "New Year": 1, "New Year's": 1, "New Years": 1, "Martin Luther King Day": 18, "MLK Day": 18,
		"Valentine's Day": 45, "Valentines Day": 45, "Presidents' Day": 49, "Presidents Day": 49, "St. Patrick's Day": 76, "Ash Wednesday": 53,
		"Good Friday": 97, "Passover": 103, "Easter": 100, "Easter Sunday": 99, "Easter Monday": 101, "Palm Sunday": 93, "Ramadan": 90,
		"Mother's Day": 131, "Mothers Day": 131, "Memorial Day": 147, "Father's Day": 169, "Fathers Day": 169, "Juneteenth": 170,
		"Independence Day": 185, "Labor Day": 247, "Rosh Hashanah": 260, "Yom Kippur": 269, "Columbus Day": 284, "Halloween": 304, "Veterans Day": 315,
		"Veterans' Day": 315, "Thanksgiving": 329, "Thanksgiving Day": 329, "Black Friday": 330, "Hanukkah": 346, "Christmas Eve": 358,
		"Christmas": 359, "Christmas Day": 359, "Xmas": 359, "Boxing Day": 360, "Kwanzaa": 361, "New Year's Eve": 365, "New Years Eve": 365,
	}),
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
	}, map[string]int{
		"Año Nuevo": 1, "Día de Reyes": 6, "Reyes": 6, "Epifanía": 6, "San Valentín": 45, "Carnaval": 53, "Carnavales": 53, "San José": 78,
		"Semana Santa": 97, "Jueves Santo": 96, "Viernes Santo": 97, "Domingo de Ramos": 93, "Domingo de Resurrección": 99, "Pascua": 100,
		"Lunes de Pascua": 101, "Día de la Madre": 126, "Corpus Christi": 160, "San Juan": 175, "San Fermín": 188, "Santiago Apóstol": 206,
		"la Asunción": 227, "el Pilar": 285, "Día de la Hispanidad": 285, "Todos los Santos": 305, "Día de la Constitución": 340,
		"la Inmaculada": 342, "Inmaculada Concepción": 342, "Nochebuena": 358, "Navidad": 359, "Navidades": 359, "Nochevieja": 365, "Fin de Año": 365,
	}),
}

func newCalendar(months, weekdays, seasons []string, variants map[string]string, holidays map[string]int) *calendar {
	c := &calendar{words: map[string]calendarWord{}, begins: map[string][]holiday{}}
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
	for name, day := range holidays {
		c.holidays = append(c.holidays, holiday{name, fold(name), day})
	}
	slices.SortFunc(c.holidays, func(a, b holiday) int {
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), cmp.Compare(a.name, b.name))
	})
	for _, h := range c.holidays {
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
