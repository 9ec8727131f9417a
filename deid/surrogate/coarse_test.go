package surrogate

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

func maker(t testing.TB, lang Language) *Maker {
	t.Helper()
	m, err := New(Options{Language: lang})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestYearOfEveryForm compares the years of dates in Go's layouts with those of package time.
func TestYearOfEveryForm(t *testing.T) {
	m := maker(t, English)
	chance := rand.New(rand.NewPCG(1, 1))
	layouts := []string{
		"01/02/2006", "1/2/2006", "1/2/06", "01/02/06", "01-02-2006", "01.02.2006", "2006-01-02", "2006/01/02", "20060102", "January 2, 2006", "January 2 2006",
		"Jan 2, 2006", "Jan. 2, 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06", "02Jan2006", "Monday, January 2, 2006", "Mon 01/02/2006",
		"Mon, 2 Jan 2006", "January 2006", "Jan 2006", "01/2006", "1/2006", "2006-01", "2006", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15.04.05.000", "01/02/2006 15:04", "1/2/2006 3:04 PM",
		"January 2, 2006 at 3:04 PM", "2006 January 2",
	}
	for range 50 {
		day := civil(1950, 1, 1).AddDate(0, 0, chance.IntN(27000)).Add(time.Duration(chance.IntN(86400)) * time.Second)
		now := Mention{Note: "a", Sort: Date, Text: "12/31/2025"}
		for _, layout := range layouts {
			for _, text := range []string{day.Format(layout), strings.ToUpper(day.Format(layout))} {
				p := m.Patient("p", []Mention{now, {Note: "a", Sort: Date, Text: text}})
				if got, ok := p.Year("a", text); !ok || got != day.Format("2006") {
					t.Fatalf("%s: %q becomes %q, %v", layout, text, got, ok)
				}
			}
		}
	}
}

// TestYearTellsNothingElse checks that the year of a date is written without any other text.
func TestYearTellsNothingElse(t *testing.T) {
	m := maker(t, English)
	chance := rand.New(rand.NewPCG(2, 2))
	pieces := strings.Split("2019|1926|19|3|04|13|31|/|-|.|, | |'|March|Mar|MAY|Monday|Mon|summer|Christmas|Lund|of|and|to|the|th|st|s|1980s|T10:15|7731902|Oda", "|")
	years := regexp.MustCompile(`^[0-9]{4}s?(?:(?:-|, )[0-9]{4}s?)*$`)
	plain := regexp.MustCompile(`^(?:[0-9]{4}|s|of|and|to|the|[-/., '\x{2019}])*$`)
	found := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + chance.IntN(6) {
			b.WriteString(pieces[chance.IntN(len(pieces))])
		}
		text := b.String()
		p := m.Patient("p", []Mention{{Note: "a", Sort: Date, Text: text}})
		got, ok := p.Year("a", text)
		if !ok {
			continue
		}
		found++
		if !years.MatchString(got) && (got != text || !plain.MatchString(got)) {
			t.Fatalf("%q becomes %q", text, got)
		}
	}
	if found < 500 {
		t.Errorf("only %d dates", found)
	}
}

func TestAgeUpTo89(t *testing.T) {
	m := maker(t, English)
	units := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
	word := func(n int) string {
		switch {
		case n < 20:
			return units[n]
		case n%10 == 0:
			return tens[n/10]
		}
		return tens[n/10] + "-" + units[n%10]
	}
	for n := range 131 {
		for _, form := range []string{"%s", "%s years old", "%s-year-old", "%syo", "aged %s", "%sF", "%s y.o. male"} {
			want := fmt.Sprint(n)
			if n > 89 {
				want = "90+"
			}
			text := fmt.Sprintf(form, fmt.Sprint(n))
			if got, ok := m.AgeUpTo89(text); !ok || got != fmt.Sprintf(form, want) {
				t.Errorf("%q becomes %q, %v", text, got, ok)
			}
			if n > 99 || strings.Contains(form, "%sF") || strings.Contains(form, "%syo") {
				continue
			}
			if want = word(n); n > 89 {
				want = "90+"
			}
			text = fmt.Sprintf(form, word(n))
			if got, ok := m.AgeUpTo89(text); !ok || got != fmt.Sprintf(form, want) {
				t.Errorf("%q becomes %q, %v", text, got, ok)
			}
		}
		for _, unit := range []string{"days", "weeks", "months", "mo", "d"} {
			text := fmt.Sprintf("%d %s", n, unit)
			if got, ok := m.AgeUpTo89(text); !ok || got != text {
				t.Errorf("%q becomes %q, %v", text, got, ok)
			}
		}
	}
}

// Of an age over 89 with a letter for a digit, or with a blank in it, the first digit was an age of its own: 9O and 9 2 stayed.
func TestDamagedAgesOver89Stayed(t *testing.T) {
	m, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, reads := range map[string]bool{"9O": false, "1O1": false, "9 2": false, "9O años": false, "10 1": false, "9 y/o": true, "9": true, "90": true, "9 2/12": true, "60S": true, "10": true} {
		if got, ok := m.AgeUpTo89(text); ok != reads {
			t.Errorf("%s: %q, %v", text, got, ok)
		}
	}
}

func TestOrdinalAgesAreAges(t *testing.T) {
	m := maker(t, English)
	for text, want := range map[string]string{"60th": "60th", "1st": "1st", "93rd": "90+", "60th birthday": "", "th": ""} {
		if got, ok := m.AgeUpTo89(text); ok != (want != "") || got != want && ok {
			t.Errorf("%q becomes %q, %v", text, got, ok)
		}
	}
}

// "mar 25" was read as March 2025, of which Safe Harbor leaves the year, and "2071/72" was no date.
func TestWeekdayThatIsAlsoAMonth(t *testing.T) {
	for text, want := range map[string]string{"mar 25": "", "mar 25 de noviembre": "", "mar 25 de noviembre de 2021": "2021", "3 mar 25": "2025", "mar 2021": "2021", "mar 98": "1998", "mar-21": "2021", "2021/22": "2021, 2022", "1999/00": "1999, 2000"} {
		p := maker(t, Spanish).Patient("p", []Mention{{Note: "a", Sort: Date, Text: text}})
		if got, ok := p.Year("a", text); got != want || ok != (want != "") {
			t.Errorf("%q becomes %q, %v", text, got, ok)
		}
	}
}

func TestTuesdayAndItsDayMoveTogether(t *testing.T) {
	p := maker(t, Spanish).Patient("p", []Mention{{Note: "a", Sort: Date, Text: "20/11/2071"}, {Note: "a", Sort: Date, Text: "mar 25"}})
	if got, ok := p.Replace("a", Date, "mar 25"); !ok || !regexp.MustCompile(`^(?:dom|lun|mar|mie|mié|jue|vie|sab|sáb) [1-3]?[0-9]$`).MatchString(got) {
		t.Errorf("mar 25 becomes %q, %v", got, ok)
	}
}

// TestZip3 checks all beginnings of ZIP codes. The small areas are those of the guidance on Safe Harbor, and those of the census of 2010, which kept three digits.
func TestZip3(t *testing.T) {
	const small = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893 202 204 205 369 753 772"
	m := maker(t, English)
	for n := range 1000 {
		first := fmt.Sprintf("%03d", n)
		want := first
		if strings.Contains(small, first) {
			want = "000"
		}
		for _, rest := range []string{"", "00", "17", "17-0142", "170142"} {
			if got, ok := m.Zip3(first + rest); !ok || got != want {
				t.Errorf("%s%s becomes %q, %v", first, rest, got, ok)
			}
		}
	}
	if got, ok := maker(t, Spanish).Zip3("28046"); ok {
		t.Errorf("a Spanish postal code becomes %q", got)
	}
}

// TestShiftMovesDates checks that all dates of a patient move by the same number of days, and that nothing else is a date.
func TestShiftMovesDates(t *testing.T) {
	m, err := New(Options{Key: []byte("a key of sixteen")})
	if err != nil {
		t.Fatal(err)
	}
	p := m.Patient("p", []Mention{{Note: "a", Sort: Date, Text: "03/04/2019"}, {Note: "a", Sort: Date, Text: "March 14, 2019"}})
	first, ok := p.Shift("a", "03/04/2019")
	second, also := p.Shift("a", "March 14, 2019")
	from, err := time.Parse("01/02/2006", first)
	to, err2 := time.Parse("January 2, 2006", second)
	if !ok || !also || err != nil || err2 != nil || to.Sub(from) != 10*24*time.Hour || first == "03/04/2019" {
		t.Errorf("%q, %q, errors %v, %v", first, second, err, err2)
	}
	for _, text := range []string{"7731902", "12.4", "Lund", "MRN 2019", ""} {
		if got, ok := p.Shift("a", text); ok {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// A Patient of Dates, which knows no other surrogates, crashed at what is a date only in the other order of days and months.
func TestDatesOfTheOtherOrder(t *testing.T) {
	m, err := New(Options{Key: []byte("a key of sixteen")})
	if err != nil {
		t.Fatal(err)
	}
	mentions := []Mention{{Note: "a", Sort: Date, Text: "13/4/2071"}, {Note: "a", Sort: Date, Text: "14/5/2071"}, {Note: "a", Sort: Date, Text: "4/19-29"}}
	dates, all := m.Dates("p", mentions), m.Patient("p", mentions)
	for _, text := range []string{"13/4/2071", "14/5/2071", "4/19-29", "4/3-9", "05/1–3", "3rd 13/2071May 4", "3rd 13/2071 May", "May 2071", "2071", ""} {
		got, ok := dates.Shift("a", text)
		want, wanted := all.Shift("a", text)
		if got != want || ok != wanted {
			t.Errorf("%q: %q, %v, and with all values %q, %v", text, got, ok, want, wanted)
		}
		if strings.HasPrefix(text, "4/") && ok {
			t.Errorf("%q becomes %q", text, got)
		}
		if got, want := dates.TellsOver89("a", text), all.TellsOver89("a", text); got != want {
			t.Errorf("%q tells an age over 89: %v, and with all values %v", text, got, want)
		}
		got, ok = dates.Year("a", text)
		if want, wanted := all.Year("a", text); got != want || ok != wanted {
			t.Errorf("%q: the year %q, %v, and with all values %q, %v", text, got, ok, want, wanted)
		}
	}
}

// A day of a list was read as a year of two digits, which stayed: "Seen on February 9, 12, 2022" became "Seen on 2012, 2022".
func TestDaysOfAListWereYears(t *testing.T) {
	for _, tc := range []struct {
		lang       Language
		text, want string
	}{
		{English, "November 22/25", ""}, {English, "November 22/25/27", ""}, {English, "November 22/25, 2021", "2021"}, {English, "February 9, 12", ""}, {English, "February 9, 12, 2022", "2022"},
		{English, "February 9, 8, 2022", ""}, {English, "January 22, 25, 27", ""}, {English, "May 3, 7, and 9, 2021", "2021"}, {English, "May 3 till 7, 2021", "2021"}, {English, "22/25 November", ""},
		{Spanish, "22 de enero-25 de enero", ""}, {Spanish, "22 de enero/25 de enero de 2021", "2021"}, {Spanish, "22/25 enero 2021", "2021"}, {Spanish, "22 hasta el 25 de enero", ""},

		{English, "Nov 15/23", "2023"}, {English, "Feb 9/21", "2021"}, {English, "January 3/19", "2019"}, {English, "Feb 9/12", ""}, {English, "May 3/20, 2021", "2021"}, {English, "May 20/24", ""}, {English, "May 9/16/23", ""},
		{English, "May 5, 71", "1971"}, {English, "May 25/21", "2021"}, {English, "May 5, '21", "2021"}, {English, "May 5, 09", "2009"}, {English, "5 May 21", "2021"}, {English, "05/'21", "2021"},
		{Spanish, "17/mayo/21", "2021"}, {Spanish, "3 ene 21, 5 feb 21", "2021"}, {English, "12_31_2021", "2021"}, {English, "17_May_2021", "2021"},
	} {
		p := maker(t, tc.lang).Patient("p", []Mention{{Note: "a", Sort: Date, Text: tc.text}})
		if got, ok := p.Year("a", tc.text); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%q becomes %q, %v, want %q", tc.text, got, ok, tc.want)
		}
	}
}

// A value with a month 13 was shifted to another that no calendar has: 13/13/2019 became 16/37/2021.
func TestShiftOfImpossibleDates(t *testing.T) {
	for _, text := range []string{"13/13/2019", "02/31/2019", "31/02/2019", "2019-02-30"} {
		m := maker(t, English)
		p := m.Patient("p", []Mention{{Note: "a", Sort: Date, Text: text}})
		if got, ok := p.Shift("a", text); ok {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	p := maker(t, English).Patient("p", []Mention{{Note: "a", Sort: Date, Text: "02/29/2020"}})
	if _, ok := p.Shift("a", "02/29/2020"); !ok {
		t.Error("a leap day does not move")
	}
}

// Dates whose numbers are words were replaced where dates stay.
func TestDatesInWords(t *testing.T) {
	m := maker(t, English)
	for text, want := range map[string]bool{
		"May seventeenth, twenty twenty-one": true, "the thirty-first of December": true, "nueve de febrero de dos mil veintidós": true, "primero de mayo": false, "May": false, "April May": false,
		"May Lund 3": false, "seventeen": false, "October 3, 5 and 8": true, "Lund 2021": false,
		"25 del mes 5 del año 2024": true, "9 del 2 de 2022": true, "3 del mes 12": true, "12 del presente mes": true, "12 del corriente": true, "1ero de mayo de 2024": true, "1era. de mayo": true,
		"40 del 2 de 2022": false, "9 del 13": false, "9 del Lund": false, "1ero de Lund": false, "12 del corriente Lund": false,
	} {
		if got := m.IsDateInWords(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What stood alone of a date was replaced where dates stay: "early March" became "[DATE] March".
func TestPartsOfDates(t *testing.T) {
	m := maker(t, English)
	for text, want := range map[string]bool{"early": true, "the end of": true, "24/19": true, "13": true, "12.4": false, "123": false, "4/19/7": false, "Lund": false, "": false, "the Lund": false} {
		if got := m.IsPartOfDate(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
