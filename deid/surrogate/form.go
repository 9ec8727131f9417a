package surrogate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// HasForm reports whether a value looks like one of its sort: a date, for example, rather than a record number that was mistaken for a date. A state
// or country must be in a list; any other place must be written in letters and must not be a person's first name. A relative must be a word such as
// mother, without a name. The result is true for all values of sorts without a form of their own, such as
// Other.
func (m *Maker) HasForm(sort Sort, text string) bool {
	digits := 0
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	check, ok := formChecks[sort]
	return !ok || check(m, text, digits)
}

// formChecks are the checks of HasForm. digits is the number of digits of the value.
var formChecks = map[Sort]func(m *Maker, text string, digits int) bool{
	Date: func(m *Maker, text string, digits int) bool { return m.isDate(text) },
	Age: func(m *Maker, text string, digits int) bool {
		_, ok := m.age(text)
		return ok && digits <= 3 && !strings.HasPrefix(strings.TrimSpace(text), "-")
	},
	Sex:    func(m *Maker, text string, digits int) bool { return m.isSex(text) },
	Person: func(m *Maker, text string, digits int) bool { return digits == 0 },
	Family: func(m *Maker, text string, digits int) bool { return m.isFamily(text) },
	State: func(m *Maker, text string, digits int) bool {
		return digits == 0 && (m.knownState(text) || m.inLists(text, "state", "region", "abbreviation"))
	},
	Country: func(m *Maker, text string, digits int) bool {
		return digits == 0 && (m.countries[stateKey(text)] != "" || m.inLists(text, "country"))
	},
	City: func(m *Maker, text string, digits int) bool { return digits == 0 && !m.firstName(text) },
	Place: func(m *Maker, text string, digits int) bool {
		return (digits == 0 || isPostcode(text)) && !m.firstName(text)
	},
	Landmark: func(m *Maker, text string, digits int) bool { return !m.firstName(text) },
	Zip:      func(m *Maker, text string, digits int) bool { return isPostcode(text) },
	Phone: func(m *Maker, text string, digits int) bool {
		return digits >= 6 && m.numeral(text) && !strings.Contains(text, "/")
	},
	Number: func(m *Maker, text string, digits int) bool { return digits >= 2 && m.numeral(text) },
	IP:     func(m *Maker, text string, digits int) bool { return digits >= 2 && strings.ContainsAny(text, ".:") },
	Email:  func(m *Maker, text string, digits int) bool { return strings.Contains(text, "@") },
}

// IsPeriod reports whether a text is a quarter, a week or a day of a week of a year, such as Q3 2019, 2019-W12 and 2019-W12-3. It is a date, but none that can be shifted or that the
// other functions read.
func IsPeriod(text string) bool { return period.MatchString(strings.TrimSpace(text)) }

var period = lazyregexp.New(`^(?:(?:Q[1-4]|[1-4]Q)[ /-]?(?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}(?:[ /-]?Q[1-4]|-?W(?:0[1-9]|[1-4][0-9]|5[0-3])(?:-?[1-7])?))$`)

// IsDateInWords reports whether a text has a month or a day of the week, a number, and otherwise only words and signs of dates: May seventeenth, twenty twenty-one. So may be a day of a
// Spanish month that has a number or is the current one: 25 del mes 5 del año 2024, 12 del corriente. It is a date, but none that can be shifted or that the other functions read.
func (m *Maker) IsDateInWords(text string) bool {
	if len(text) > longest {
		return false
	}
	if dayOfMonthInNumbers.MatchString(text) {
		return true
	}
	all := tokens(firstOfMonth.ReplaceAllString(text, "1 "))
	return slices.ContainsFunc(m.from(m.lang), func(lang *language) bool {
		named, numbered := false, false
		for _, t := range all {
			calendar, ok := lang.calendar.words[t.word]
			_, number := m.numbers[t.word]
			switch {
			case t.num && len(t.text) <= 4, t.word != "" && (number || slices.Contains(ordinals, t.word) || t.word == "mil" || t.word == "thousand"):
				numbered = true
			case t.word != "" && ok && (calendar.field == fieldMonth || calendar.field == fieldWeekday):
				named = true
			case t.word != "" && (m.words[dateFillers][t.word] || m.words[ordinalWords][t.word]), t.word == "" && !t.num && strings.ContainsAny(t.text, " \t\n\r-–—>→/,.'’&+"):
			default:
				return false
			}
		}
		return named && numbered
	})
}

var (
	dayOfMonthInNumbers = lazyregexp.New(`(?i)^(?:0?[1-9]|[12][0-9]|3[01]) (?:(?:(?:d[íi]as? )?del mes (?:de )?|del? )(?:0?[1-9]|1[0-2])(?: del? (?:año )?(?:(?:19|20)[0-9]{2}|[0-9]{2}))?|` +
		`del (?:(?:presente|pasado|actual) mes|mes (?:en curso|corriente|actual|pasado|presente)|corriente(?: mes| año)?)|de(?:l| los) corrientes?)$`)
	// firstOfMonth matches the first of a month with letters behind its number: 1ero. de mayo.
	firstOfMonth = lazyregexp.New(`^(?i)1 ?(?:ero|era|ro|er)\.? `)
)

// IsPartOfDate reports whether a text is what may be left of a date beside others: a number or two of two digits, or words of dates without a meaning of their own, as in "early March" and
// "10/21-24/19".
func (m *Maker) IsPartOfDate(text string) bool {
	if smallNumbers.MatchString(text) {
		return true
	}
	words := 0
	for _, t := range tokens(text) {
		switch {
		case t.word == "" && !t.num && strings.ContainsAny(t.text, " \t\n\r-–—/,."):
		case len(t.word) > 1 && m.words[dateFillers][t.word]:
			words++
		default:
			return false
		}
	}
	return words > 0
}

var smallNumbers = lazyregexp.New(`^[0-9]{1,2}(?:[-–/][0-9]{1,2})?$`)

// isSex reports whether a value is a word or letter for a sex.
func (m *Maker) isSex(text string) bool { return m.words[sexes][fold(strings.Trim(text, " .:"))] }

// isDate reports whether a value is a date that cannot be another kind of number.
func (m *Maker) isDate(text string) bool {
	trimmed := strings.TrimSpace(text)
	if !m.mayBeDate(trimmed) {
		return false
	}
	_, ok := m.parseDate(trimmed, m.lang.dateOrder)
	return ok
}

// mayBeDate reports whether a value, if it is a date, cannot be another kind of number.
func (m *Maker) mayBeDate(trimmed string) bool {
	if timestamp.MatchString(trimmed) {
		return true
	}
	words, run, longestRun := 0, 0, 0
	inWord := false
	for _, r := range trimmed {
		letter := unicode.IsLetter(r)
		if letter && !inWord {
			words++
		}
		inWord = letter
		if unicode.IsDigit(r) {
			run++
			longestRun = max(longestRun, run)
		} else {
			run = 0
		}
	}
	switch {
	case longestRun == 0: // in May, next Monday; but April May is a name
		return words != 2 || !m.isMonth(firstWord(trimmed)) || !m.isMonth(lastWord(trimmed))
	case decimal.MatchString(trimmed):
		return false
	case longestRun > 8, longestRun > 4 && longestRun < 8 && words == 0:
		return false
	case longestRun == 8: // 20710304
		return utf8.RuneCountInString(trimmed) == 8 && (strings.HasPrefix(trimmed, "19") || strings.HasPrefix(trimmed, "20"))
	}
	return true
}

var (
	decimal  = lazyregexp.New(`^[0-9]+[.,][0-9]+$`)
	postcode = lazyregexp.New(`^(?:[0-9]{4,5}|[0-9]{5}-[0-9]{4}|[A-Za-z]{1,2}[0-9][0-9A-Za-z]? ?[0-9][A-Za-z]{2}|[A-Za-z][0-9][A-Za-z] ?[0-9][A-Za-z][0-9])$`)
)

// isMonth reports whether a word is the name of a month.
func (m *Maker) isMonth(word string) bool {
	w, ok := m.lang.calendar.words[fold(word)]
	return ok && w.field == fieldMonth
}

func firstWord(text string) string {
	first, _, _ := strings.Cut(text, " ")
	return first
}

func lastWord(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// isPostcode reports whether a value has the form of a postal code of the United States, Australia, Spain, the United Kingdom or Canada.
func isPostcode(text string) bool { return postcode.MatchString(strings.TrimSpace(text)) }

// firstName reports whether a value begins with a first name and is not a known place.
func (m *Maker) firstName(text string) bool {
	words := strings.Fields(fold(text))
	return len(words) > 0 && m.known.given(strings.Trim(words[0], ".,")) && !m.isPlace(text)
}

// isPlace reports whether a value is in a list of places.
func (m *Maker) isPlace(text string) bool {
	whole := strings.Join(strings.Fields(fold(text)), " ")
	return m.knownState(text) || m.countries[stateKey(text)] != "" || m.words[alsoPlaces][whole] ||
		m.inLists(text, "city", "state", "country", "region", "abbreviation")
}

// inLists reports whether a value is an entry of a list of one of these kinds, in any language. The kind is the name of the list after its hyphen.
func (m *Maker) inLists(text string, kinds ...string) bool {
	whole := m.words.withoutArticle(strings.Join(strings.Fields(fold(text)), " "))
	for name, l := range m.lists {
		_, kind, _ := strings.Cut(name, "-")
		if slices.Contains(kinds, kind) && slices.ContainsFunc(l.folded, func(entry string) bool { return m.words.withoutArticle(entry) == whole }) {
			return true
		}
	}
	return false
}
