package surrogate

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

// months are the names of the months by what a layout has in their place.
var months = map[string][]string{
	"MON":     strings.Fields("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
	"MES":     strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
	"Abr":     strings.Fields("Ene Feb Mar Abr May Jun Jul Ago Sep Oct Nov Dic"),
	"MESGL":   strings.Fields("xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro"),
	"de MESC": strings.Split("de gener,de febrer,de març,d'abril,de maig,de juny,de juliol,d'agost,de setembre,d'octubre,de novembre,de desembre", ","),
	"HILAREN": strings.Fields("urtarrilaren otsailaren martxoaren apirilaren maiatzaren ekainaren uztailaren abuztuaren irailaren urriaren azaroaren abenduaren"),
}

// write writes a day in a layout of package time, or in one with a key of months.
func write(day time.Time, layout string) string {
	for _, key := range []string{"MON", "MESGL", "de MESC", "MES", "Abr", "HILAREN"} {
		if strings.Contains(layout, key) {
			return strings.Replace(day.Format(layout), key, months[key][day.Month()-1], 1)
		}
	}
	return day.Format(layout)
}

// inOneStyle replaces months whose style a date does not tell: May is both January and Jan, and marzo is both Spanish and Galician.
var inOneStyle = strings.NewReplacer("January", "Jan", "February", "Feb", "March", "Mar", "April", "Apr", "June", "Jun", "July", "Jul", "August", "Aug", "September", "Sep",
	"October", "Oct", "November", "Nov", "December", "Dec", "xaneiro", "enero", "febreiro", "febrero", "maio", "mayo", "xuño", "junio", "xullo", "julio", "setembro", "septiembre", "outubro", "octubre",
	"novembro", "noviembre", "decembro", "diciembre")

var leadingZero = regexp.MustCompile(`\b0([0-9])`)

// sameDate compares dates without the zeros before numbers.
func sameDate(a, b string) bool {
	plain := func(s string) string { return inOneStyle.Replace(leadingZero.ReplaceAllString(s, "$1")) }
	return plain(a) == plain(b)
}

// house is how a house writes dates, and what else in its notes tells of it.
type house struct {
	lang     Language
	full     []string // layouts with a year
	short    []string // and without
	evidence []Mention
	weekday  bool   // it stands before each date
	again    string // the layout in which another note repeats each date
}

var houses = map[string]house{
	"United States": {lang: English, full: []string{"01/02/2006", "1/2/06", "January 2, 2006", "Jan 2, 2006", "2006-01-02", "20060102", "02MON2006", "2-Jan-2006"},
		short: []string{"1/2", "January 2", "2-Jan"}},
	"by weekday": {lang: English, full: []string{"02/01/2006", "2/1/06", "2006-01-02"}, short: []string{"2 January"}, weekday: true,
		evidence: []Mention{{Note: "b", Sort: Date, Text: "05/08/2024", After: " (Monday)"}}},
	"by the same day": {lang: English, full: []string{"02/01/2006", "2/1/06", "02-01-2006"}, short: []string{"2/1", "2 January"}, again: "2-Jan-2006"},
	"by telephone and postcode": {lang: English, full: []string{"02/01/2006", "2/1/06", "2 January 2006", "02.01.2006"}, short: []string{"2/1", "2 Jan"},
		evidence: []Mention{{Note: "a", Sort: Phone, Text: "+44 20 7946 0958"}, {Note: "a", Sort: Zip, Text: "LS1 4AP"}}},
	"by label and postcode": {lang: English, full: []string{"02/01/2006", "2/1/06"}, short: []string{"2/1"},
		evidence: []Mention{{Note: "a", Sort: Zip, Text: "LS1 4AP"}, {Note: "a", Sort: Number, Text: "943 476 5919", Before: "NHS No: "}}},
	"Spain":          {lang: Spanish, full: []string{"02/01/2006", "2/1/06", "2 de MES de 2006", "2006-01-02", "2-Abr-2006"}, short: []string{"2/1", "2 de MES", "2-Abr"}},
	"Colombia":       {lang: Spanish, full: []string{"MES 2 de 2006", "Abr 2, 2006", "Abr 2/2006", "MES 2 del 2006", "Abr 02 2006", "02/01/2006"}, short: []string{"MES 2", "2/1"}},
	"Galicia":        {lang: Spanish, full: []string{"2 de MESGL de 2006", "2 de MESGL do 2006", "02/01/2006"}, short: []string{"2 de MESGL", "2/1"}},
	"Catalonia":      {lang: Spanish, full: []string{"2 de MESC de 2006", "2 de MESC del 2006", "02/01/2006"}, short: []string{"2 de MESC"}},
	"Basque Country": {lang: Spanish, full: []string{"2006ko HILAREN 2a", "2006.eko HILAREN 2a", "2006/01/02"}, short: []string{"HILAREN 2a"}},
}

// TestDistancesBetweenAnyTwoDatesOfANote: days without a year were placed near the date of birth if it came first, and numbers were read month first although the notes
// told the opposite. Each note has a date of birth, a visit, an old event and two recent ones, one of them without a year, in any order and form.
func TestDistancesBetweenAnyTwoDatesOfANote(t *testing.T) {
	for name, h := range houses {
		m := in(h.lang)
		r := rand.New(rand.NewPCG(1, uint64(len(name))))
		pick := func(layouts []string) string { return layouts[r.IntN(len(layouts))] }
		for n := range 150 {
			type written struct {
				day    time.Time
				layout string
				Mention
			}
			visit := civil(2000, 1, 1).AddDate(0, 0, r.IntN(9300))
			var all []written
			add := func(before string, day time.Time, layout string) {
				if h.weekday {
					before += day.Weekday().String() + " "
				}
				all = append(all, written{day, layout, Mention{Note: "a", Sort: Date, Text: write(day, layout), Before: before}})
			}
			add(map[Language]string{English: "DOB: ", Spanish: "F. Nac: "}[h.lang], civil(1950, 1, 1).AddDate(0, 0, r.IntN(15000)), pick(h.full))
			add(map[Language]string{English: "Seen ", Spanish: "Fecha: "}[h.lang], visit, pick(h.full))
			add("x ", visit.AddDate(0, 0, -600-r.IntN(300)), pick(h.full))
			add("x ", visit.AddDate(0, 0, -r.IntN(170)), pick(h.full))
			add("x ", visit.AddDate(0, 0, 85-r.IntN(255)), pick(h.short))
			add("x ", visit, pick(h.full))
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			mentions := append([]Mention(nil), h.evidence...)
			for _, w := range all {
				mentions = append(mentions, w.Mention)
				if h.again != "" {
					mentions = append(mentions, Mention{Note: "b", Sort: Date, Text: write(w.day, h.again)})
				}
			}
			p := m.Patient(string(rune('a'+n)), mentions)
			for _, w := range all {
				if want, got := write(w.day.AddDate(0, 0, p.dates.shift.days), w.layout), must(t, p, Date, w.Text); !sameDate(got, want) {
					t.Fatalf("%s: %q, after %q, became %q, want %q; all dates: %v", name, w.Text, w.Before, got, want, mentions)
				}
				year, _ := p.Year("a", w.Text)
				if want := w.day.Format("2006"); year != want && strings.Contains(w.layout, "06") {
					t.Errorf("%s: the year of %q is %q, want %q", name, w.Text, year, want)
				}
			}
		}
	}
}

// TestHolidaysAndDaysNearADateOfBirth: with the date of birth as the first of the note, they were placed in another year, and moved to February 29 of a year without one.
func TestHolidaysAndDaysNearADateOfBirth(t *testing.T) {
	for _, tc := range []struct {
		lang              Language
		birth, visit      string
		before, text, day string
	}{
		{English, "11/17/1955", "11/29/2024", "Seen ", "Thanksgiving", "2024-11-28"},
		{English, "6/2/1971", "5/28/2024", "Seen ", "Memorial Day", "2024-05-27"},
		{English, "6/2/1971", "4/1/2024", "Visit date: ", "Easter Sunday", "2024-03-31"},
		{English, "6/2/1971", "4/1/2024", "", "Good Friday", "2024-03-29"},
		{English, "2/2/1971", "3/9/2024", "Seen ", "Feb 29", "2024-02-29"},
		{English, "2/2/71", "3/9/24", "Seen ", "12/28", "2023-12-28"},
		{Spanish, "2/3/1971", "9/4/2024", "Fecha: ", "Viernes Santo", "2024-03-29"},
		{Spanish, "2/3/1971", "9/3/2024", "Ingreso: ", "29 de febrero", "2024-02-29"},
	} {
		day, err := time.Parse(time.DateOnly, tc.day)
		if err != nil {
			t.Fatal(err)
		}
		birth := Mention{Note: "a", Sort: Date, Text: tc.birth, Before: map[Language]string{English: "DOB: ", Spanish: "F. Nac.: "}[tc.lang]}
		visit, old := Mention{Note: "a", Sort: Date, Text: tc.visit, Before: tc.before}, Mention{Note: "a", Sort: Date, Text: "3/4/1998", Before: "operated on "}
		event, next := Mention{Note: "a", Sort: Date, Text: tc.text, Before: "ill since "}, Mention{Note: "a", Sort: Date, Text: "3/1/2031", Before: "colonoscopy due "}
		for _, all := range [][]Mention{{birth, visit, event, old}, {visit, birth, event}, {birth, old, next, visit, event}, {birth, old, visit, event, birth}, {old, event, visit, birth, next}} {
			for _, group := range strings.Fields("a b c d e f g h i j") {
				p := in(tc.lang).Patient(group, all)
				moved := day.AddDate(0, 0, p.dates.shift.days)
				want := p.lang.monthAndDay(moved)
				if tc.text == "12/28" {
					want = moved.Format("1/2")
				}
				if got := must(t, p, Date, tc.text); !sameDate(got, want) {
					t.Errorf("%q, near %q, became %q, want %q", tc.text, tc.visit, got, want)
				}
			}
		}
	}
}

// TestOrderOfNumbersFromTheNotesThemselves: 05/08/2024 was in May although the same note told that it is in August.
func TestOrderOfNumbersFromTheNotesThemselves(t *testing.T) {
	date := func(before, text, after string) Mention {
		return Mention{Note: "a", Sort: Date, Text: text, Before: before, After: after}
	}
	of := func(sort Sort, before, text string) Mention {
		return Mention{Note: "a", Sort: sort, Text: text, Before: before}
	}
	for _, tc := range []struct {
		lang Language
		want order
		all  []Mention
	}{
		{English, monthFirst, []Mention{date("", "05/08/2024", "")}},
		{English, dayFirst, []Mention{date("Seen ", "Monday 05/08/2024", "")}},
		{English, dayFirst, []Mention{date("Seen ", "05/08/2024 (Monday)", "")}},
		{English, dayFirst, []Mention{date("Seen Monday ", "05/08/2024", "")}},
		{English, dayFirst, []Mention{date("Seen on MONDAY, the ", "5/8/24", "")}},
		{English, dayFirst, []Mention{date("", "05/08/2024", " (Monday)")}},
		{English, dayFirst, []Mention{date("", "Monday 05/08/2024 - Tuesday 06/08/2024", "")}},
		{English, monthFirst, []Mention{date("O2 mon ", "05/08/2024", "")}},
		{English, monthFirst, []Mention{date("", "Wednesday 05/08/2024", ""), date("", "8 Aug 2024", "")}},
		{English, dayFirst, []Mention{date("", "10 Apr 2024", ""), date("", "10/04/2024", "")}},
		{English, dayFirst, []Mention{date("", "03-Sep-2025", ""), date("", "03/09/25 22:10", "")}},
		{English, dayFirst, []Mention{date("", "3 May 1960", ""), date("DOB: ", "03/05/1960", "")}},
		{English, monthFirst, []Mention{date("", "2024-04-10", ""), date("", "04/10/2024", ""), date("", "7 Apr 2019", "")}},
		{English, dayFirst, []Mention{date("", "2024-04-10", ""), date("", "10/04/2024", "")}},
		{English, monthFirst, []Mention{date("", "4/13/2024", ""), date("Monday ", "05/08/2024", ""), date("", "4/14/2024", "")}},
		{English, dayFirst, []Mention{date("", "05/08/2024", ""), of(Zip, "", "D02 X285"), of(Phone, "", "+353 1 896 1000")}},
		{English, dayFirst, []Mention{date("", "05/08/2024", ""), of(Number, "AHPRA No. ", "MED0001234567"), of(Phone, "", "+61 3 9496 5000")}},
		{English, dayFirst, []Mention{date("", "05/08/2024", ""), of(Phone, "NHS No: ", "943 476 5919"), of(Zip, "", "LS1 4AP")}},
		{English, monthFirst, []Mention{date("Monday ", "05/08/2024", ""), of(Zip, "", "02139")}},
		{English, monthFirst, []Mention{date("Monday ", "05/08/2024", ""), of(Phone, "", "(617) 555-0123")}},
		{Spanish, dayFirst, []Mention{date("", "05/08/2024", ""), date("", "Abr 7, 2019", ""), of(Zip, "", "28046")}},
		{Spanish, monthFirst, []Mention{date("el lunes ", "08/05/2024", "")}},
		{Spanish, monthFirst, []Mention{date("", "agosto 5 de 2024", ""), date("", "08/05/2024", "")}},
	} {
		if got := in(tc.lang).Patient("p", tc.all).dates.order; got != tc.want {
			t.Errorf("the order of %v is %d, want %d", tc.all, got, tc.want)
		}
	}
}

// TestAmericanDatesWithTheDayFirst: what many American notes have, such as an HPI, an O2 SAT, or a return visit in a month, moved all their dates as if the day were first.
func TestAmericanDatesWithTheDayFirst(t *testing.T) {
	date := func(before, text, after string) Mention {
		return Mention{Note: "a", Sort: Date, Text: text, Before: before, After: after}
	}
	of := func(sort Sort, before, text string) Mention {
		return Mention{Note: "a", Sort: sort, Text: text, Before: before}
	}
	for _, more := range [][]Mention{
		{of(Number, "HPI: MRN ", "48213377")}, {of(Phone, "HPI: Pt called ", "617-555-0134")}, {of(Number, "GMC MRN: ", "48213377")}, {of(Number, "CHI St. Luke's MRN: ", "48213377")},
		{of(Number, "NMC MRN# ", "48213377")}, {of(Phone, "GMC main ", "570-271-6211")}, {of(Phone, "pager ", "01234")}, {of(Phone, "Dr. Lund ", "x0412")}, {of(Phone, "", "01632 960 123")},
		{of(Zip, "Cambridge, MA ", "2139")}, {of(Zip, "", "LS1 4AP"), of(Zip, "", "LS2 9JT")}, {of(Phone, "son in London, ", "+44 20 7946 0958")},
		{of(Phone, "son in London, ", "+44 20 7946 0958"), of(Zip, "", "LS1 4AP"), of(Zip, "", "02139"), of(Phone, "", "617-555-0134")},
		{date("Per MAR ", "09/02/2021", " heparin given")}, {date("", "09/02/2021", " MAR reviewed")}, {date("O2 SAT ", "01/05/2021", " 98%")}, {date("", "01/05/2021", " Sat 97% RA")},
		{date("", "SAT 01/05/2021", "")}, {date("Dr. Sun ", "01/06/2070", "")}, {date("Abd Dom ", "01/06/2070", "")}, {date("martes ", "09/02/2021", "")},
		{date("Seen ", "May 6, 2021", ""), date("Return ", "06/05/2021", "")}, {date("Seen ", "6 May 2021", ""), date("Return ", "06/05/2021", "")},
		{date("", "April 10, 2024", ""), date("", "10/04/2024", "")}, {date("Last seen ", "10 Feb 2021", "")}, {date("", "02.10.2021", "")}, {date("", "7th April 2019", "")},
		{date("seen by Dr. Lund on Monday. ", "05/08/2024", "")}, {date("", "05/08/2024", ", Monday weight 80")},
	} {
		if p := in(English).Patient("p", append(more, date("Admitted ", "03/04/2021", ""))); p.dates.order != monthFirst {
			t.Errorf("with %v, the day is first", more)
		}
	}
}

// TestDayBehindASpanishMonthWasAYear: "septiembre 14 de 2022" had the years 2014 and 2022, and "Mar 12, 2022" was a Tuesday.
func TestDayBehindASpanishMonthWasAYear(t *testing.T) {
	for text, want := range map[string]struct{ moved, year string }{
		"Septiembre 14 de 2070": {"Enero 27 de 2072", "2070"}, "mayo 15 del 2070": {"septiembre 27 del 2071", "2070"}, "Abr 15/2070": {"Ago 28/2071", "2070"},
		"Abr 15/70": {"Ago 28/71", "1970"}, "ago 09 2070": {"dic 22 2071", "2070"}, "sep-14-2070": {"ene-27-2072", "2070"}, "Feb 21, 2070": {"Jul 6, 2071", "2070"},
		"ene. 20 de 2070": {"jun. 4 de 2071", "2070"}, "Mar 12, 2070": {"Jul 25, 2071", "2070"}, "mar 12/2070": {"jul 25/2071", "2070"}, "agosto 15 del año 2070": {"diciembre 28 del año 2071", "2070"},
		"septiembre 14 y 15 de 2070": {"enero 27 y 28 de 2072", "2070"}, "septiembre 28 a octubre 3 de 2070": {"febrero 10 a febrero 15 de 2072", "2070"},
		"Apr 15, 2070": {"Aug 28, 2071", "2070"}, "octubre 20": {"marzo 3", ""}, "MAYO 15": {"SEPTIEMBRE 26", ""},
		"marzo de 15": {"julio de 16", "2015"}, "marzo 98": {"julio 99", "1998"}, "mar-15": {"jul-16", "2015"}, "mayo del 15": {"septiembre del 16", "2015"}, "sep.22": {"ene.24", "2022"}, "abr.15": {"ago.16", "2015"}, "sep. 22 de 2070": {"feb. 4 de 2072", "2070"},
		"mar 25 de noviembre": {"vie 8 de abril", ""}, "mar 25/11/2070": {"vie 08/04/2072", "2070"},
	} {
		checkMoved(t, Spanish, text, want.moved)
		if year, _ := in(Spanish).Patient("p", mentions(Date, text)).Year("a", text); year != want.year {
			t.Errorf("the year of %q is %q, want %q", text, year, want.year)
		}
	}
}

// TestDatesOfNeighbouringLanguages: Galician, Catalan and Basque dates were no dates.
func TestDatesOfNeighbouringLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"12 de xaneiro de 2070": "27 de maio de 2071", "3 de xuño do 2070": "16 de outubro do 2071", "venres 2 de xullo de 2070": "luns 14 de novembro de 2071",
		"1 d'agost de 2070": "14 de desembre de 2071", "2 d’abril del 2070": "15 d’agost del 2071", "24 de desembre de 2070": "7 de maig de 2072",
		"3-5 d'octubre de 2070": "15-17 de febrer de 2072", "14 DE GENER DE 2070": "29 DE MAIG DE 2071", "12 de juny": "24 d'octubre", "gener de 2070": "maig de 2071",
		"2070ko martxoaren 5a": "2071ko uztailaren 18a", "2070eko martxoaren 5ean": "2071eko uztailaren 18an", "2070.eko martxoak 5": "2071.eko uztailak 18", "martxoaren 11n": "uztailaren 23an",
		"2070ko martxoan": "2071ko uztailean", "2070ko martxoaren 5etik 12ra": "2071ko uztailaren 18tik 25era", "2070ko martxoaren 18an": "2071ko uztailaren 31n",
	} {
		checkMoved(t, Spanish, text, want)
	}
	for _, text := range []string{"Ko 3/4/2070", "3/4/2070 Do", "D 3/4/2070"} { // names
		if d, ok := in(Spanish).parseDate(text, dayFirst); ok {
			t.Errorf("%q is read as %v", text, d.elements)
		}
	}
}
