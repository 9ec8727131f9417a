package surrogate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A holiday stands for a day, and is replaced by a date: another holiday would say something of the patient's religion that is not so.

// holiday is a name of a holiday, and when it is.
type holiday struct {
	name, folded string
	rule         string
	day          int // of the year 2001, to compare by
}

// in is the day of the holiday in a year. Rules are a date (12-25), a weekday of a month (4thu11, -1mon5 for the last), an
// offset to Easter Sunday (easter-2), or the day of an Islamic feast in 2024 (moon03-11), which moves with the lunar year. Other
// feasts that move are given the middle of the days on which they can be.
func (h holiday) in(year int) time.Time {
	var n, month, day int
	var weekday string
	if _, err := fmt.Sscanf(h.rule, "easter%d", &n); err == nil {
		return easter(year).AddDate(0, 0, n)
	}
	if _, err := fmt.Sscanf(h.rule, "moon%d-%d", &month, &day); err == nil {
		const lunarYear = 354.36667
		first := civil(2024, month, day)
		begin := civil(year, 1, 1)
		years := math.Ceil(begin.Sub(first).Hours() / 24 / lunarYear)
		return first.AddDate(0, 0, int(math.Round(years*lunarYear)))
	}
	if _, err := fmt.Sscanf(h.rule, "%d-%d", &month, &day); err == nil && n == 0 && day > 0 {
		return civil(year, month, day)
	}
	if _, err := fmt.Sscanf(strings.NewReplacer("sun", " sun ", "mon", " mon ", "tue", " tue ", "thu", " thu ", "fri", " fri ").Replace(h.rule), "%d %s %d", &n, &weekday, &month); err != nil {
		panic("no rule for a holiday: " + h.rule)
	}
	want := time.Weekday(slices.Index([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, weekday))
	if n < 0 {
		last := civil(year, month+1, 0)
		return last.AddDate(0, 0, -modulo(int(last.Weekday()-want), 7))
	}
	first := civil(year, month, 1)
	return first.AddDate(0, 0, modulo(int(want-first.Weekday()), 7)+7*(n-1))
}

// nearest is the holiday of a year, or if that is not known the one nearest to a day.
func (h holiday) nearest(year int, near time.Time) time.Time {
	if year != 0 {
		return h.in(year)
	}
	y := near.Year()
	return slices.MinFunc([]time.Time{h.in(y), h.in(y - 1), h.in(y + 1)}, func(a, b time.Time) int { return cmp.Compare(distance(a, near), distance(b, near)) })
}

// easter is Easter Sunday in the Gregorian calendar, by the method of Meeus, Jones and Butcher.
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	return civil(y, (h+l-7*m+114)/31, (h+l-7*m+114)%31+1)
}

// monthAndDay writes a date without year in a language.
func monthAndDay(day time.Time, lang Language) string {
	if lang == Spanish {
		return fmt.Sprintf("%d de %s", day.Day(), calendars[Spanish].months[day.Month()-1])
	}
	return fmt.Sprintf("%s %d", day.Month(), day.Day())
}

// readHolidays reads a table of names, parted by commas, and rules.
func readHolidays(table string) (all []holiday) {
	for line := range strings.Lines(table) {
		names, rule, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			h := holiday{name: name, folded: fold(name), rule: rule}
			h.day = h.in(2001).YearDay()
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b holiday) int {
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), cmp.Compare(a.name, b.name))
	})
	return all
}

const englishHolidays = `
New Year's Day, New Years Day, New Year, New Year's, New Years: 1-1
Epiphany, Three Kings Day: 1-6
Orthodox Christmas: 1-7
Martin Luther King Day, Martin Luther King Jr. Day, MLK Day: 3mon1
Groundhog Day: 2-2
Super Bowl Sunday: 2sun2
Lunar New Year, Chinese New Year, Tet: 2-5
Valentine's Day, Valentines Day, Valentine's: 2-14
Presidents' Day, Presidents Day, President's Day, Washington's Birthday: 3mon2
Mardi Gras, Shrove Tuesday: easter-47
Ash Wednesday, Lent: easter-46
Purim: 3-14
St. Patrick's Day, St Patrick's Day, Saint Patrick's Day: 3-17
Nowruz: 3-20
Holi: 3-15
Palm Sunday: easter-7
Holy Week: easter-6
Maundy Thursday, Holy Thursday: easter-3
Good Friday: easter-2
Holy Saturday: easter-1
Easter, Easter Sunday: easter0
Easter Monday: easter1
Passover, Pesach: 4-10
Tax Day: 4-15
Patriots' Day, Patriots Day: 3mon4
Earth Day: 4-22
Vaisakhi: 4-14
Cinco de Mayo: 5-5
Vesak: 5-15
Mother's Day, Mothers Day, Mothers' Day: 2sun5
Ascension, Ascension Day: easter39
Pentecost: easter49
Whit Monday: easter50
Victoria Day: 3mon5
Memorial Day: -1mon5
Shavuot: 5-30
Flag Day: 6-14
Father's Day, Fathers Day, Fathers' Day: 3sun6
Juneteenth: 6-19
Canada Day: 7-1
Independence Day, Fourth of July, the Fourth of July, July Fourth: 7-4
Labor Day, Labour Day: 1mon9
Patriot Day: 9-11
Rosh Hashanah, Rosh Hashana: 9-20
Yom Kippur: 9-29
Sukkot: 10-4
Columbus Day, Indigenous Peoples' Day, Indigenous Peoples Day: 2mon10
Halloween: 10-31
All Saints' Day, All Saints Day: 11-1
All Souls' Day, Day of the Dead: 11-2
Diwali: 11-1
Election Day: 1tue11
Veterans Day, Veterans' Day, Veteran's Day, Remembrance Day, Armistice Day: 11-11
Thanksgiving, Thanksgiving Day: 4thu11
Black Friday: 4fri11
Advent: 12-1
Hanukkah, Chanukah, Hannukah, Hanukah: 12-12
Christmas Eve, Xmas Eve: 12-24
Christmas, Christmas Day, Xmas, X-mas, Christmastime: 12-25
Boxing Day: 12-26
Kwanzaa: 12-27
New Year's Eve, New Years Eve: 12-31
Ramadan: moon03-11
Eid, Eid al-Fitr: moon04-10
Eid al-Adha: moon06-17
Ashura: moon07-16
`

const spanishHolidays = `
Año Nuevo, Día de Año Nuevo: 1-1
Noche de Reyes: 1-5
Día de Reyes, Reyes, Reyes Magos, los Reyes Magos, Epifanía: 1-6
Candelaria, la Candelaria: 2-2
San Blas: 2-3
San Valentín: 2-14
Día de Andalucía: 2-28
Carnaval, Carnavales: easter-47
Miércoles de Ceniza, Cuaresma: easter-46
Fallas, las Fallas, San José, Día del Padre: 3-19
Domingo de Ramos: easter-7
Lunes Santo, Semana Santa: easter-6
Martes Santo: easter-5
Miércoles Santo: easter-4
Jueves Santo: easter-3
Viernes Santo: easter-2
Sábado Santo, Sábado de Gloria: easter-1
Domingo de Resurrección, Domingo de Pascua, Pascua, Pascuas: easter0
Lunes de Pascua: easter1
San Jorge, Sant Jordi: 4-23
San Marcos: 4-25
Feria de Abril: 4-20
Primero de Mayo, Día del Trabajo, Día del Trabajador: 5-1
Día de la Madre: 1sun5
San Isidro: 5-15
Ascensión: easter39
Pentecostés: easter49
Corpus, Corpus Christi: easter60
San Antonio: 6-13
Noche de San Juan: 6-23
San Juan: 6-24
San Pedro: 6-29
San Fermín, Sanfermines: 7-7
Virgen del Carmen: 7-16
Santiago Apóstol: 7-25
Asunción, la Asunción, Asunción de la Virgen, Virgen de Agosto: 8-15
Diada, la Diada: 9-11
Virgen del Pilar, el Pilar, Día de la Hispanidad, Fiesta Nacional: 10-12
Halloween: 10-31
Todos los Santos, Día de Todos los Santos: 11-1
Difuntos, Día de los Difuntos, Día de Muertos, Día de los Muertos: 11-2
la Almudena: 11-9
Adviento: 12-1
Día de la Constitución, Puente de la Constitución: 12-6
la Inmaculada, Inmaculada, Inmaculada Concepción, Puente de la Inmaculada: 12-8
Janucá, Hanukkah: 12-12
Nochebuena, Noche Buena: 12-24
Navidad, Navidades, Día de Navidad: 12-25
San Esteban: 12-26
Santos Inocentes, los Santos Inocentes, Día de los Inocentes: 12-28
Nochevieja, Noche Vieja, Fin de Año: 12-31
Rosh Hashaná: 9-20
Yom Kipur: 9-29
Ramadán: moon03-11
`
