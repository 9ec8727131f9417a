package surrogate

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestDates moves every form by 500 days. The expected dates come from GNU date ("2071-03-04 + 500 days"); months move by 16, years by 1, weekdays by
// 3.
func TestDates(t *testing.T) {
	near := civil(2071, 5, 1)
	for _, tc := range []struct {
		lang       Language
		text, want string
	}{
		{English, "03/04/2071", "07/16/2072"},
		{Spanish, "03/04/2071", "15/08/2072"},
		{English, "3/4/71", "7/16/72"},
		{English, "13/04/2071", "25/08/2072"}, // no month 13
		{English, "3-Apr-71", "15-Aug-72"},
		{English, "31-May-2071", "12-Oct-2072"},
		{English, "03APR2071", "15AUG2072"},
		{English, "April 3rd, 2071", "August 15th, 2072"},
		{English, "APRIL 3RD, 2071", "AUGUST 15TH, 2072"},
		{English, "Apr. 3, 2071", "Aug. 15, 2072"},
		{English, "2071-04-03", "2072-08-15"},
		{English, "2071-04-03T10:30:00Z", "2072-08-15T10:30:00Z"},
		{English, "04/03/71 10:30 am", "08/15/72 10:30 am"},
		{English, "20710403", "20720815"},
		{English, "040371", "081572"},
		{English, "04/2071", "08/2072"},
		{English, "4/71", "8/72"},
		{English, "April of 1998", "August of 1999"},
		{English, "'71", "'72"},
		{English, "1998", "1999"},
		{English, "1998-2001", "1999-2002"},
		{English, "1998-99", "1999-00"},
		{English, "4/3", "8/15"},
		{English, "12/25", "05/08"},
		{English, "Feb 29", "Jul 13"}, // of 2072
		{English, "January", "May"},
		{English, "Monday", "Thursday"},
		{English, "mondays", "thursdays"},
		{English, "MWF", "TSM"},
		{English, "Mon/Wed/Fri", "Thu/Sat/Mon"},
		{English, "Tuesdays and Thursdays", "Fridays and Sundays"},
		{English, "Monday, April 3, 2071", "Thursday, August 15, 2072"},
		{English, "the 4th of July", "the 15th of November"},
		{English, "3rd", "14th"}, // of May 2071
		{English, "winter of 1998", "spring of 1999"},
		{English, "Christmas", "May 8"},
		{English, "1/2-1/5", "5/16-5/19"},
		{English, "4/3/71 - 4/9/71", "8/15/72 - 8/21/72"},
		{English, "3-5 April 2071", "15-17 August 2072"},
		{English, "April 3-5, 2071", "August 15-17, 2072"},
		{English, "Sept. 12 - Oct. 3, 2071", "Jan. 24 - Feb. 14, 2073"},
		{Spanish, "3 de abril de 2071", "15 de agosto de 2072"},
		{Spanish, "3 de ABRIL", "15 de AGOSTO"},
		{Spanish, "abril 2071", "agosto 2072"},
		{Spanish, "abril del 2071", "agosto del 2072"},
		{Spanish, "año 2004", "año 2005"},
		{Spanish, "marzo 98", "julio 99"},
		{Spanish, "20-abril-2004", "2-septiembre-2005"},
		{Spanish, "21/3 /2004", "3/8 /2005"},
		{Spanish, "sabado 3 de abril", "martes 15 de agosto"},
		{Spanish, "3, 4 y 5 de mayo de 2071", "14, 15 y 16 de septiembre de 2072"},
		// An impossible date becomes another impossible date.
		{Spanish, "31/02/2071", "45/06/2072"}, // 3 March + 500 days: 15 July, the 45th of June
		{English, "02/31/71", "06/45/72"},
		{English, "13/25/2071", "17/39/2072"}, // 25 January 2072 + 500 days: 8 June 2073
		{English, "03/04//71", "07/16//72"},
		{English, "03/04/:1", "07/16/:2"},
		{English, "3/ 4/71", "7/ 16/72"},
		{English, "003/04/2071", "007/16/2072"},
		{Spanish, "00/05/2071", "00/09/2072"}, // the day is not known
	} {
		m := in(tc.lang)
		d, ok := m.parseDate(tc.text, m.lang.dateOrder)
		if !ok {
			t.Errorf("%q is not read", tc.text)
			continue
		}
		if got := d.String(); got != tc.text {
			t.Errorf("%q comes out as %q unmoved", tc.text, got)
		}
		moved := d.shifted(newShift(500), near, 2080)
		if got := moved.String(); got != tc.want {
			t.Errorf("%q moved is %q, want %q", tc.text, got, tc.want)
		}
	}
	for _, text := range []string{"", "Lund", "3 Lund 2071", "call 3/4/71", "98", "32/45/1999", "1", "de", "3/4/71 Oda", "12:30"} {
		if d, ok := in(English).parseDate(text, monthFirst); ok {
			t.Errorf("%q is read as %v", text, d.elements)
		}
	}
}

// TestRangesWithinOneMonthKeepTheirLength moves ranges that have their month once: it was read as two dates, or digit by digit.
func TestRangesWithinOneMonthKeepTheirLength(t *testing.T) {
	for _, tc := range []struct {
		lang       Language
		days       int
		text, want string
	}{
		{English, 500, "6/12-18", "10/24-30"},
		{English, 500, "(1/21-23)", "(6/4-6)"},
		{English, 500, "1/21-23/71", "6/4-6/72"},
		{English, 500, "1/2-3/2071", "5/16-17/2072"},
		{English, 10, "6/12-23", "6/22-7/3"},
		{English, 10, "12/12-23/71", "12/22/71-1/2/72"},
		{English, 10, "April 12-23, 2071", "April 22-May 3, 2071"},
		{English, 10, "December 12-23, 2071", "December 22, 2071-January 2, 2072"},
		{English, 10, "12-23 April 2071", "22 April-3 May 2071"},
		{English, 10, "the 12th to the 23rd of April 2071", "the 22nd of April to the 3rd of May 2071"},
		{English, 500, "4/3-5/6", "8/15-9/17"},
		{Spanish, 500, "21-23/1/71", "4-6/6/72"},
		{Spanish, 500, "del 3 al 9/4/2071", "del 15 al 21/8/2072"},
		{Spanish, 10, "21-23/4/71", "1-3/5/71"},
		{Spanish, 10, "19-23/4/71", "29/4-3/5/71"},
		{Spanish, 10, "19-23/12/71", "29/12/71-02/01/72"},
		{Spanish, 10, "del 19 al 23 de abril de 2071", "del 29 de abril al 3 de mayo de 2071"},
		{Spanish, 10, "19, 22 y 23 de abril", "29 de abril, 2 y 3 de mayo"},
		{English, 10, "April 12, 19, 23", "April 22, 29, May 3"},
		{English, 10, "April 12/19/23, 2071", "April 22/29/May 3, 2071"},
		{English, 10, "April 12 until 23, 2071", "April 22 until May 3, 2071"},
		{Spanish, 10, "19 de abril-23 de abril", "29 de abril-3 de mayo"},
		{Spanish, 10, "19/23 abril 2071", "29 abril/3 mayo 2071"},
		{English, 10, "28 to 3 April 2071", "7 to 13 April 2071"},
		{English, 10, "28 to 3 January 2071", "7 to 13 January 2071"},
		{English, 1, "28 to 3 January 2071", "29 December 2070 to 4 January 2071"},
		{Spanish, 1, "del 28 al 3/4/2071", "del 29/3 al 4/4/2071"},
		{Spanish, 500, "3-9-71", "15-1-73"},
	} {
		m := in(tc.lang)
		d, ok := m.parseDate(tc.text, m.lang.dateOrder)
		if !ok || d.String() != tc.text {
			t.Errorf("%q is not read, or as %q", tc.text, d)
			continue
		}
		if got := d.shifted(newShift(tc.days), civil(2071, 5, 1), 2080).String(); got != tc.want {
			t.Errorf("%q moved by %d is %q, want %q", tc.text, tc.days, got, tc.want)
		}
	}
}

// TestWeekdayOfAnotherLanguageBehindACompactDate: the second language read what the first had made of the numbers.
func TestWeekdayOfAnotherLanguageBehindACompactDate(t *testing.T) {
	for _, tc := range []struct {
		lang       Language
		text, want string
	}{
		{English, "20710403 lunes", "20720815 jueves"},
		{Spanish, "20710403 Monday", "20720815 Thursday"},
		{Spanish, "Monday 20710403", "Thursday 20720815"},
	} {
		checkMoved(t, tc.lang, tc.text, tc.want)
	}
}

// TestTimestampsWereNumbers: they were replaced digit by digit, so that neither their dates nor the times between them were possible.
func TestTimestampsWereNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"20710403T0930": "20720815T0930", "20710403-1430": "20720815-1430",
		"20710403_1945": "20720815_1945", "20710403 1945": "20720815 1945", "20710403T143015Z": "20720815T143015Z", "20710403t143015": "20720815t143015",
		"20710403T093000.000-0500": "20720815T093000.000-0500", "20710403T143015.5+02:00": "20720815T143015.5+02:00",
		"20710403T093000 - 20710404T093000": "20720815T093000 - 20720816T093000",
		"2071-04-03-14.30.15":               "2072-08-15-14.30.15", "2071-04-03-09.05.07.000000": "2072-08-15-09.05.07.000000", "2071-04-03 09.05.07.000000": "2072-08-15 09.05.07.000000",
		"2071-04-03T0930": "2072-08-15T0930", "03/04/71 0930": "15/08/72 0930", "2071-04-03 14:30:15,123": "2072-08-15 14:30:15,123",
		"2071-04-03T14:30:15+0200": "2072-08-15T14:30:15+0200", "20710403-20710405": "20720815-20720817",
	} {
		checkMoved(t, Spanish, text, want)
	}
	for _, text := range []string{"20710403T0930", "20710403-1430", "20710403_143015", "20710403T143015Z", "2071-04-03-14.30.15", "2071-04-03 14:30:15.123456"} {
		m := in(English)
		if !m.HasForm(Date, text) {
			t.Errorf("%q has not the form of a date", text)
		}
		if year, ok := m.Patient("p", mentions(Date, text)).Year("a", text); year != "2071" || !ok {
			t.Errorf("the year of %q is %q", text, year)
		}
	}
	for _, text := range []string{"20710403093000", "207104030930", "20711303093000", "207104032530", "20710403T2561", "207104030930001", "987104030930"} {
		if in(English).HasForm(Date, text) {
			t.Errorf("%q has the form of a date", text)
		}
	}
}

// TestOrdinalsOfWeeksWereDays: "2nd week of May" became "14th week of February".
func TestOrdinalsOfWeeksWereDays(t *testing.T) {
	for _, tc := range []struct {
		lang       Language
		text, want string
	}{
		{English, "2nd week of May", "2nd week of September"},
		{English, "3rd week of June 2071", "3rd week of October 2072"},
		{English, "first half of 2071", "first half of 2072"},
		{English, "half of 2071", "half of 2072"},
		{English, "1st half of 2071; 2nd quarter of 2072", "1st half of 2072; 2nd quarter of 2073"},
		{English, "1st or 2nd week of May", "1st or 2nd week of September"},
		{English, "3rd Tuesday of June", "3rd Friday of October"},
		{English, "the second fortnight in May", "the second fortnight in September"},
		{English, "3rd of June", "15th of October"},
		{Spanish, "2ª semana de mayo", "2ª semana de septiembre"},
		{Spanish, "2.ª quincena de julio de 2071", "2.ª quincena de noviembre de 2072"},
		{Spanish, "2º lunes de mayo", "2º jueves de septiembre"},
		{Spanish, "primer lunes de mayo", "primer jueves de septiembre"},
		{Spanish, "1er trimestre de 2071", "1er trimestre de 2072"},
		{Spanish, "segunda mitad de mayo", "segunda mitad de septiembre"},
		{Spanish, "1º de mayo", "12º de septiembre"},
		{Spanish, "1.º de mayo", "12.º de septiembre"},
		{Spanish, "semana 10 de 2071", "semana 10 de 2072"},
	} {
		checkMoved(t, tc.lang, tc.text, tc.want)
	}
	all := []Mention{{Note: "a", Sort: Date, Text: "2nd", After: " week of May"}, {Note: "a", Sort: Date, Text: "1ª", After: " quincena de"}, {Note: "a", Sort: Date, Text: "3rd", After: " of May"}}
	p := patient(t, Options{}, all)
	for _, m := range all {
		if got := must(t, p, Date, m.Text); (got == m.Text) != (m.After != " of May") {
			t.Errorf("%s before %q became %s", m.Text, m.After, got)
		}
	}
}

// TestWinterOfTwoYearsMovedApart: "winter 2019-20" became "fall 2021-23".
func TestWinterOfTwoYearsMovedApart(t *testing.T) {
	for _, tc := range []struct {
		lang       Language
		text, want string
		years      string
	}{
		{English, "winter 2071-72", "spring 2072-73", "2071-2072"},
		{English, "winter 2071/72", "spring 2072/73", "2071-2072"},
		{English, "winter of 2071-2072", "spring of 2072-2073", "2071-2072"},
		{English, "fall 1998-99", "winter 2000-01", "1998-1999"},
		{English, "winter 2071 and spring 2072", "spring 2072 and summer 2073", "2071, 2072"},
		{English, "winter 1971-75", "spring 1972-76", "1971-1975"},
		{Spanish, "invierno 2071-72", "primavera 2072-73", "2071-2072"},
		{Spanish, "invierno de 2071–72", "primavera de 2072–73", "2071-2072"},
	} {
		checkMoved(t, tc.lang, tc.text, tc.want)
		p := patient(t, Options{Language: tc.lang}, mentions(Date, tc.text))
		if years, _ := p.Year("a", tc.text); years != tc.years {
			t.Errorf("the years of %q are %q", tc.text, years)
		}
	}
	p := patient(t, Options{}, []Mention{{Note: "a", Sort: Date, Text: "winter 2019", After: "-20"}, {Note: "a", Sort: Date, Text: "20", Before: "winter 2019-"}})
	_, year, _ := strings.Cut(must(t, p, Date, "winter 2019"), " ")
	after, _ := strconv.Atoi(year)
	if got, want := must(t, p, Date, "20"), fmt.Sprintf("%02d", (after+1)%100); got != want {
		t.Errorf("the year after %d became %s, want %s", after, got, want)
	}
}

// TestPartlyUnknownDatesWereNumbers: 03/--/2021 became 08/--/1634.
func TestPartlyUnknownDatesWereNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"03/--/2071": "07/--/2072", "3/?/71": "7/?/72", "??/03/2071": "??/07/2072", "03/xx/2071": "07/xx/2072", "03-XX-71": "07-XX-72", "__/03/2071": "__/07/2072",
		"--/--/2071": "--/--/2072", "2071-03-??": "2072-07-??", "2071-??-??": "2072-??-??", "03/04/??": "07/16/??", "from 3/?/71 to 5/--/71": "from 7/?/72 to 9/--/72",
	} {
		checkMoved(t, English, text, want)
	}
	p := patient(t, Options{}, nil)
	for _, text := range []string{"2071-??-15", "15/--/2071", "??/??/??", "03----2071", "3/?", "2023-254", "99.99.99", "7:99"} {
		if got, ok := p.Replace("a", Date, text); ok {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// The weekday of a month with a year stayed behind an ordinal number, and "last" and "1.er" made a date unreadable.
func TestWeekdaysOfMonthsWereNotRead(t *testing.T) {
	for text, want := range map[string]string{"last Friday in April 2070": "last Monday in August 2071", "second Monday of May 2071": "second Thursday of September 2072"} {
		checkMoved(t, English, text, want)
	}
	for text, want := range map[string]string{"2º lunes de mayo de 2071": "2º jueves de septiembre de 2072", "3.er lunes de mayo de 2071": "3.er jueves de septiembre de 2072", "último lunes de mayo de 2071": "último jueves de septiembre de 2072"} {
		checkMoved(t, Spanish, text, want)
	}
}

// TestYearOfTwoDigitsWasANumber: "en el 98" became "en el 56".
func TestYearOfTwoDigitsWasANumber(t *testing.T) {
	checkMoved(t, Spanish, "en el 98", "en el 99")
	checkMoved(t, Spanish, "desde el 98 hasta el 99", "desde el 99 hasta el 00")
	checkMoved(t, English, "since 98", "since 99")
	p := patient(t, Options{Language: Spanish}, mentions(Date, "98"))
	want := fmt.Sprintf("%02d", modulo(98+p.dates.shift.years, 100))
	if got := must(t, p, Date, "98"); got != want {
		t.Errorf("98 became %s, want %s", got, want)
	}
}

// checkMoved moves a date of a note of May 2071 by 500 days.
func checkMoved(t *testing.T, lang Language, text, want string) {
	t.Helper()
	m := in(lang)
	d, ok := m.parseDate(text, m.lang.dateOrder)
	if !ok || d.String() != text {
		t.Errorf("%q is not read, or as %q", text, d)
		return
	}
	if got := d.shifted(newShift(500), civil(2071, 5, 1), 2080).String(); got != want {
		t.Errorf("%q moved is %q, want %q", text, got, want)
	}
}

// TestDaysWhoseMonthIsInAnotherValueKeepTheirDistance: the 3 in "3 to 9 Feb 2024" was a value of its own, and was replaced like a number.
func TestDaysWhoseMonthIsInAnotherValueKeepTheirDistance(t *testing.T) {
	for _, tc := range []struct {
		lang            Language
		day, join, date string
		layout          string
		dateFirst       bool
	}{
		{English, "3", " to ", "9 Feb 2024", "2 Jan 2006", false},
		{English, "3", " - ", "9 Feb 2024", "2 Jan 2006", false},
		{Spanish, "3", " al ", "9/2/2024", "2/1/2006", false},
		{English, "9", "-", "Feb 3", "Jan 2", true},
	} {
		day := Mention{Note: "a", Sort: Date, Text: tc.day, After: tc.join + tc.date}
		if tc.dateFirst {
			day.Before, day.After = tc.date+tc.join, ""
		}
		all := []Mention{day, {Note: "a", Sort: Date, Text: tc.date}, {Note: "a", Sort: Date, Text: "2024-02-20"}}
		for _, key := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
			p := in(tc.lang).Patient(key, all)
			begun, date, other := must(t, p, Date, tc.day), must(t, p, Date, tc.date), must(t, p, Date, "2024-02-20")
			end, err := time.Parse(tc.layout, date)
			near, err2 := time.Parse("2006-01-02", other)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if end.Year() == 0 {
				end = near.AddDate(0, 0, -17)
			}
			begin := end.AddDate(0, 0, -6)
			if tc.dateFirst {
				begin = end.AddDate(0, 0, 6)
			}
			want := begin.Format("2")
			if begin.Month() != end.Month() {
				want = begin.Format(strings.TrimRight(strings.TrimSuffix(tc.layout, "2006"), " /"))
				if begin.Year() != end.Year() && !tc.dateFirst {
					want = begin.Format(tc.layout)
				}
			}
			if begun != want {
				t.Errorf("%s%s%s: %s beside %s, want %s", tc.day, tc.join, tc.date, begun, date, want)
			}
		}
	}
}

// TestYearsBesideDaysWithoutMonth: 31/2023 behind 12/28- was replaced digit by digit.
func TestYearsBesideDaysWithoutMonth(t *testing.T) {
	for _, tc := range []struct{ first, joint, last, layout, short string }{
		{"12/20", "-", "31/2023", "1/2/2006", "2/2006"},
		{"Dec 20", " to ", "31, 2023", "Jan 2, 2006", "2, 2006"},
	} {
		for _, group := range strings.Fields("a b c d e f g h i j k l m n o p") {
			p := in(English).Patient(group, []Mention{{Note: "a", Sort: Date, Text: tc.first}, {Note: "a", Sort: Date, Text: tc.last, Before: tc.first + tc.joint},
				{Note: "a", Sort: Date, Text: "1/1/2024"}})
			near, err := time.Parse("1/2/2006", must(t, p, Date, "1/1/2024"))
			if err != nil {
				t.Fatal(err)
			}
			end := near.AddDate(0, 0, -1)
			want := end.Format(tc.layout)
			if end.AddDate(0, 0, -11).Month() == end.Month() {
				want = end.Format(tc.short)
			}
			if got := must(t, p, Date, tc.last); got != want {
				t.Errorf("%s beside %s became %s, want %s", tc.last, tc.first, got, want)
			}
		}
	}
}

// TestRomanMonthsAreRead: dates with them became tags.
func TestRomanMonthsAreRead(t *testing.T) {
	for _, tc := range [][2]string{
		{"24-XII-2071", "7-V-2073"}, {"3-I-71", "17-V-72"}, {"3-X-2071", "14-II-2073"}, {"3/x/71", "14/ii/73"}, {"3/XI/2071", "17/III/2073"}, {"4.VII.2071", "15.XI.2072"}, {"04-vii-2071", "15-xi-2072"},
		{"3-5-IV-2071", "15-17-VIII-2072"},
	} {
		for _, lang := range []Language{English, Spanish} {
			m := in(lang)
			d, ok := m.parseDate(tc[0], m.lang.dateOrder)
			if !ok || d.String() != tc[0] {
				t.Errorf("%q is not read, or as %q", tc[0], d)
				continue
			}
			if got := d.shifted(newShift(500), civil(2071, 5, 1), 2080).String(); got != tc[1] {
				t.Errorf("%q moved is %q, want %q", tc[0], got, tc[1])
			}
		}
	}
}

// TestLaterNotesMovedByAnotherOffset: the notes of a patient came in two runs, and the dates of the second would have coincided with those of the
// first.
func TestLaterNotesMovedByAnotherOffset(t *testing.T) {
	alone := patient(t, Options{}, mentions(Date, "03/04/2071"))
	want := must(t, alone, Date, "03/04/2071")
	day, err := time.Parse("01/02/2006", want)
	if err != nil {
		t.Fatal(err)
	}
	later := patient(t, Options{}, mentions(Date, "03/04/2071", want, day.AddDate(0, 0, 1).Format("01/02/2006")))
	if got := must(t, later, Date, "03/04/2071"); got != want {
		t.Errorf("03/04/2071 became %s, and with more notes %s", want, got)
	}
}

// TestEveryDayMoves: each day of 40 years, in three forms, moves as in the calendar.
func TestEveryDayMoves(t *testing.T) {
	for _, days := range []int{-731, 203} {
		for day := civil(2060, 1, 1); day.Year() < 2100; day = day.AddDate(0, 0, 1) {
			for _, layout := range []string{"01/02/2006", "2-Jan-06", "January 2, 2006"} {
				d, ok := in(English).parseDate(day.Format(layout), monthFirst)
				if !ok {
					t.Fatalf("%s is not read", day.Format(layout))
				}
				want := day.AddDate(0, 0, days).Format(layout)
				if got := d.shifted(newShift(days), day, 2099).String(); got != want {
					t.Fatalf("%s moved by %d is %s, want %s", day.Format(layout), days, got, want)
				}
			}
		}
	}
}

func FuzzDate(f *testing.F) {
	for _, s := range []string{"03/04/2071", "3-Apr-71", "April 3rd, 2071", "3 de abril de 2071", "MWF", "'71", "1980s", "Christmas", "31/02/2071", "13/25/2071", "3-5 April", "año 80"} {
		f.Add(s, 500, false)
	}
	f.Fuzz(func(t *testing.T, text string, days int, spanish bool) {
		m := in(English)
		if spanish {
			m = in(Spanish)
		}
		d, ok := m.parseDate(text, m.lang.dateOrder)
		if !ok {
			return
		}
		if got := d.String(); got != text {
			t.Fatalf("%q comes out as %q", text, got)
		}
		moved := d.shifted(newShift(days%1500), time.Date(2071, 5, 1, 0, 0, 0, 0, time.UTC), 2080).String()
		if moved == "" {
			t.Fatalf("%q moved is empty", text)
		}
	})
}

// "La próxima consulta es el 12" became "el 44", and "the 30th" after a visit in February "the 48th".
func TestADayAloneBecameAnImpossibleDay(t *testing.T) {
	for _, tc := range []struct{ visit, day string }{{"11/14/2071", "12"}, {"2/20/2071", "30th"}, {"2/20/2071", "31"}, {"1/31/2071", "1st"}} {
		for key := range 20 {
			m, err := New(Options{Key: fmt.Appendf(nil, "a key of sixteen bytes, number %d", key)})
			if err != nil {
				t.Fatal(err)
			}
			made := must(t, m.Patient("p", mentions(Date, tc.visit, tc.day)), Date, tc.day)
			if n, err := strconv.Atoi(strings.TrimRight(made, "stndrh")); err != nil || n < 1 || n > 31 {
				t.Errorf("%s after %s became %s", tc.day, tc.visit, made)
			}
		}
	}
}

// "Seen 25/1. Review 7/2" became "Seen 27/10. Review 4/3": only dates with a year decided which number is the day.
func TestDaysAndMonthsWithoutYearsShowTheirOrder(t *testing.T) {
	p := patient(t, Options{}, mentions(Date, "25/1", "7/2", "2071-02-20"))
	day := func(text string) time.Time {
		made, err := time.Parse("2/1", must(t, p, Date, text))
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	if days := day("7/2").Sub(day("25/1")).Hours() / 24; days != 13 && days != 13-365 && days != 13-366 {
		t.Errorf("%v days instead of 13", days)
	}
	p = patient(t, Options{}, mentions(Date, "25/1", "7/2", "1/25/2071"))
	if got := must(t, p, Date, "7/2"); got == must(t, patient(t, Options{}, mentions(Date, "25/1", "7/2")), Date, "7/2") {
		t.Errorf("a date with a year does not decide: %s", got)
	}
}

// TestYearBehindTheTimeMovedByItself: of a date with the time of day before the year, the year moved by the nearest number of years.
func TestYearBehindTheTimeMovedByItself(t *testing.T) {
	for _, tc := range []struct {
		lang  Language
		texts []string // of one date; the first is a plain one
	}{
		{English, []string{"02/29/2024", "Thu Feb 29 09:30:00 2024", "29FEB2024:09:30:00", "29FEB24:09:30:00", "February 29, 09:30, 2024", "02/29 09:30 2024", "Feb 29, 2024@09:30:12"}},
		{English, []string{"06/05/2024", "Wed Jun 5 09:30 2024", "05JUN2024:09:30:00", "Jun 5 9:30 pm 2024", "06/05 09:30:15 2024"}},
		{Spanish, []string{"29/02/2024", "29 de febrero 09:30 de 2024", "29 feb 09:30 2024"}},
	} {
		for _, group := range []string{"a", "b", "c", "d", "e", "f"} {
			p := in(tc.lang).Patient(group, mentions(Date, tc.texts...))
			year := ""
			for i, text := range tc.texts {
				made := must(t, p, Date, text)
				d, ok := p.parseDate(made, p.dates.order)
				if !ok || len(d.full(p.dates.latest)) != 1 {
					t.Fatalf("%q became %q", text, made)
				}
				day := d.full(p.dates.latest)[0].Format("06-01-02")
				if i == 0 {
					year = day
				} else if day != year {
					t.Errorf("%q became %q, but %q is on %s", text, made, tc.texts[0], year)
				}
			}
		}
	}
}

// TestYearBehindTheTimeInAnotherValue: likewise if the tagger leaves the time out.
func TestYearBehindTheTimeInAnotherValue(t *testing.T) {
	for _, tc := range []struct {
		lang            Language
		day, time, year string
		full, plain     string
	}{
		{lang: English, day: "Thu Feb 29", time: " 09:30:00 EST ", year: "2024", plain: "02/29/2024", full: "Thu Feb 29, 2024"},
		{lang: English, day: "02/29", time: " 09:30 ", year: "2024", plain: "02/29/2024", full: "02/29/2024"},
		{lang: Spanish, day: "29 de febrero", time: " a las 09:30 de ", year: "2024", plain: "29/02/2024", full: "29 de febrero de 2024"},
	} {
		for _, group := range []string{"a", "b", "c", "d", "e", "f"} {
			all := append(mentions(Date, tc.plain), Mention{Note: "a", Sort: Date, Text: tc.day, After: tc.time + tc.year + "."}, Mention{Note: "a", Sort: Date, Text: tc.year, Before: tc.day + tc.time, After: "."})
			p := in(tc.lang).Patient(group, all)
			got := must(t, p, Date, tc.full)
			if day, year := must(t, p, Date, tc.day), must(t, p, Date, tc.year); !strings.HasPrefix(got, day) || !strings.HasSuffix(got, year) {
				t.Errorf("%s became %q and %q, but %s %q", tc.full, day, year, tc.full, got)
			}
		}
	}
}

// TestEndsOfARangeWereInDifferentYears: each end of a range without years was in the year nearest to the day of the note, 29 February in a leap year.
func TestEndsOfARangeWereInDifferentYears(t *testing.T) {
	for _, tc := range []struct {
		lang             Language
		note, text, ends string // with the years
	}{
		{English, "10/01/2024", "2/27-2/29", "2/27/2024-2/29/2024"}, {English, "10/01/2024", "2/27-29", "2/27/2024-2/29/2024"}, {English, "10/01/2024", "February 27-29", "2/27/2024-2/29/2024"},
		{English, "10/01/2024", "2/27 to 2/29", "2/27/2024-2/29/2024"}, {English, "03/05/2023", "Feb 28th-2nd", "2/28/2023-3/2/2023"}, {English, "01/05/2023", "12/30-1/2", "12/30/2022-1/2/2023"},
		{English, "09/30/2024", "3/30-4/2", "3/30/2024-4/2/2024"}, {Spanish, "01/10/2024", "del 27 al 29 de febrero", "27/2/2024-29/2/2024"},
	} {
		for _, group := range []string{"a", "b", "c", "d", "e", "f"} {
			all := append(mentions(Date, tc.text), Mention{Note: "a", Sort: Date, Text: tc.note, Before: "Seen "})
			p := in(tc.lang).Patient(group, all)
			d, ok := p.parseDate(tc.text, p.dates.order)
			if !ok {
				t.Fatal(tc.text)
			}
			noted, _ := p.parseDate(tc.note, p.dates.order)
			both, _ := p.parseDate(tc.ends, p.dates.order)
			years := d.yearsOfRanges(noted.full(2024)[0], 2024)
			var days []time.Time
			for k := range d.elements {
				_, m, day := d.ymd(d.elements[k], 2024)
				days = append(days, civil(years[k], m, day))
			}
			if want := both.full(2024); distance(days[0], days[1]) != distance(want[0], want[1]) || days[1].Before(days[0]) {
				t.Errorf("%s in a note of %s has the years %v", tc.text, tc.note, years)
			}
			made := must(t, p, Date, tc.text)
			if again, ok := p.parseDate(made, p.dates.order); !ok || len(again.elements) != 2 {
				t.Errorf("%s became %s", tc.text, made)
			}
		}
	}
}

// TestRangeOverNewYearRanBackwards: the first day of a range over New Year with one year at its end was in that year, too, and its surrogate got a year behind that of the last.
func TestRangeOverNewYearRanBackwards(t *testing.T) {
	for _, tc := range []struct {
		lang        Language
		text        string
		first, last time.Time
	}{
		{Spanish, "30 de diciembre al 2 de enero de 2021", civil(2020, 12, 30), civil(2021, 1, 2)}, {Spanish, "28 de noviembre hasta el 5 de febrero de 2019", civil(2018, 11, 28), civil(2019, 2, 5)},
		{Spanish, "31 de diciembre-1 de enero de 2021", civil(2020, 12, 31), civil(2021, 1, 1)}, {Spanish, "30 dic - 2 ene 21", civil(2020, 12, 30), civil(2021, 1, 2)},
		{Spanish, "30 al 2 de enero de 2021", civil(2020, 12, 30), civil(2021, 1, 2)}, {English, "30-2 Jan 21", civil(2020, 12, 30), civil(2021, 1, 2)}, {Spanish, "30 de diciembre de 2020 al 2 de enero", civil(2020, 12, 30), civil(2021, 1, 2)},
		{English, "December 30 to January 2, 2021", civil(2020, 12, 30), civil(2021, 1, 2)}, {English, "12/30-1/2/2021", civil(2020, 12, 30), civil(2021, 1, 2)},
		{English, "12/30-1/2/21", civil(2020, 12, 30), civil(2021, 1, 2)}, {English, "Dec 30, 2020 - Jan 2", civil(2020, 12, 30), civil(2021, 1, 2)},
		// These stay in one year, or have a year of their own.
		{Spanish, "20 de mayo al 23 de mayo de 2019", civil(2019, 5, 20), civil(2019, 5, 23)}, {English, "March 3 to April 2, 2021", civil(2021, 3, 3), civil(2021, 4, 2)},
		{Spanish, "30 de diciembre de 2020 al 2 de enero de 2021", civil(2020, 12, 30), civil(2021, 1, 2)}, {English, "12/30/2019-1/2/2021", civil(2019, 12, 30), civil(2021, 1, 2)},
	} {
		for _, group := range []string{"a", "b", "c", "d", "e", "f"} {
			p := in(tc.lang).Patient(group, mentions(Date, tc.text))
			d, ok := p.parseDate(tc.text, p.dates.order)
			if !ok {
				t.Fatal(tc.text)
			}
			if days := d.full(2024); len(days) != 2 || !days[0].Equal(tc.first) || !days[1].Equal(tc.last) {
				t.Errorf("%s is read as %v", tc.text, days)
			}
			made := must(t, p, Date, tc.text)
			again, ok := p.parseDate(made, p.dates.order)
			if !ok {
				t.Fatalf("%s became %s", tc.text, made)
			}
			if days := again.full(2024); len(days) != 2 || distance(days[0], days[1]) != distance(tc.first, tc.last) || days[1].Before(days[0]) {
				t.Errorf("%s became %s", tc.text, made)
			}
		}
	}
}
