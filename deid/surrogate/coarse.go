package surrogate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file makes values less precise instead of inventing others, as Safe Harbor allows (45 CFR 164.514(b)(2)(i)): a date becomes its year, an age
// over 89 becomes 90+, and a ZIP code its first three digits. None of it requires a key.

// Shift moves a date by the patient's number of days and keeps its form, as Replace does. It returns false for a text that is not a date, and for one such as 13/13/2019 that no calendar
// has.
func (p *Patient) Shift(note, text string) (string, bool) {
	if !p.isDate(text) {
		return "", false
	}
	if _, ok := p.dates.days[dayOfNote{note, Date, text}]; !ok {
		if d, ok := p.parseDate(text, p.dates.order); !ok || !d.isPossible(p.dates.latest) { // in the order of the other dates, in which 4/19-29 is none
			return "", false
		}
	}
	return p.Replace(note, Date, text)
}

// AgeUpTo89 returns an age up to 89 years as it is, and writes 90+ instead of every higher one (45 CFR 164.514(b)(2)(i)(C)), also for decades ("in
// her 90s") and numbers in words. Ages in months, weeks and days stay if they are not over 89 years. It returns false for a text that is not an age, or contains other words or
// more than four digits.
func (m *Maker) AgeUpTo89(text string) (string, bool) {
	digits := 0
	for _, r := range text {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	if digits > 4 || len(text) > longest || strings.HasPrefix(strings.TrimSpace(text), "-") {
		return "", false
	}
	return m.readAge(text, true)
}

// Zip3 returns the first three digits of a ZIP code of the United States, or 000 if no more than 20,000 people live in all areas whose codes begin
// with them (45 CFR 164.514(b)(2)(i)(B)). It returns false for any other text, and in Spanish notes, whose postal codes also have five digits.
func (m *Maker) Zip3(text string) (string, bool) {
	match := zipCode.FindStringSubmatch(strings.TrimSpace(text))
	switch {
	case match == nil || m.lang.code != English:
		return "", false
	case smallAreas[match[1]]:
		return "000", true
	}
	return match[1], true
}

var zipCode = lazyregexp.New(`^([0-9]{3})(?:[0-9]{2}(?:[-– ]?[0-9]{4})?)?$`)

// smallAreas are the beginnings of ZIP codes with 20,000 inhabitants or fewer in the census of 2000, as listed in the guidance of the Department of
// Health and Human Services of November 26, 2012, or in that of 2010, which added 202, 204, 205, 369, 753 and 772. An area that has grown since stays in the list.
var smallAreas = set{"036": true, "059": true, "063": true, "102": true, "202": true, "203": true, "204": true, "205": true, "369": true, "556": true, "692": true, "753": true,
	"772": true, "790": true, "821": true, "823": true, "830": true, "831": true, "878": true, "879": true, "884": true, "890": true, "893": true}

// HasYear reports whether a text is a date that contains a year or a decade, and whether it has no other part.
func (m *Maker) HasYear(text string) (has, only bool) {
	d, ok := m.datedText(text)
	if !ok || len(d.years(assumedYear)) == 0 {
		return false, false
	}
	return true, d.onlyYears()
}

// Year returns the year of a date in full, or the years of several dates. It returns false if the text is not a date or has no year, and if one of
// its years tells that the patient is over 89: see TellsOver89.
func (p *Patient) Year(note, text string) (string, bool) {
	d, years := p.yearsOf(text)
	if len(years) == 0 || p.tellsOver89(note, years) {
		return "", false
	}
	if d.onlyYears() {
		return text, true
	}
	var b strings.Builder
	for i, y := range years {
		if i > 0 {
			b.WriteString(y.joint)
		}
		b.WriteString(y.String())
	}
	return b.String(), true
}

// TellsOver89 reports whether a text is a date of which the year tells that the patient is over 89 (45 CFR 164.514(b)(2)(i)(C)):
//
//   - The year is 90 years or more before the last year of the patient's notes.
//   - It is a year of birth of somebody who may be so old, and the notes tell that the patient is over 89.
//   - It is any year but the last, the notes tell that the patient is over 89, and so would the highest age up to 89 in the same note, if it were the
//     patient's age in that year: "60 in 1986" in notes of 2019.
func (p *Patient) TellsOver89(note, text string) bool {
	_, years := p.yearsOf(text)
	return p.tellsOver89(note, years)
}

func (p *Patient) tellsOver89(note string, years []datedYear) bool {
	return slices.ContainsFunc(years, func(y datedYear) bool { return p.told.over89(note, y.value) })
}

// yearsOf returns the years of a date; none if the text is not a date.
func (p *Patient) yearsOf(text string) (*date, []datedYear) {
	d, ok := p.datedText(text)
	if !ok {
		return nil, nil
	}
	if p.told == nil {
		p.told = p.readYears()
	}
	years := d.years(p.told.present)
	for i := range years {
		if y := &years[i]; y.short && p.told.births[y.value-100] && !p.told.births[y.value] { // 3/4/26 may be the date of birth 3/4/1926 again
			y.value -= 100
		}
	}
	return d, years
}

// datedText reads a text that is a date and cannot be another kind of number. The date must not be changed.
func (m *Maker) datedText(text string) (*date, bool) {
	if len(text) > longest {
		return nil, false
	}
	d := m.read.Get(text, func() *date {
		d, _ := m.readDate(strings.Clone(text)) // which may share the memory of a whole note
		return d
	})
	return d, d != nil
}

func (m *Maker) readDate(text string) (*date, bool) {
	if text = strings.TrimSpace(text); !m.mayBeDate(text) && !monthAndYear.MatchString(text) {
		return nil, false
	}
	return m.parseDate(withoutOrdinals(text), m.lang.dateOrder)
}

// withoutOrdinals returns a date with digits instead of an ordinal for the day: the fourth of March 2019, 1.º de enero de 2018.
func withoutOrdinals(text string) string {
	at := ordinalOfDay.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	day := slices.Index(ordinals, strings.ToLower(strings.ReplaceAll(text[at[2]:at[3]], " ", "-"))) // -1 for 1.º
	return text[:at[2]] + fmt.Sprint(max(day+1, 1)) + text[at[3]:]
}

// ordinalOfDay matches an ordinal for a day before a month.
var ordinalOfDay = lazyregexp.New(`(?:^|[ ,])((?i:(?:twenty[- ]|thirty[- ])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|` +
	`sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth|1\.[º°])) (?:of|de) `)

// ordinals are those of the days of a month, in order.
var ordinals = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth " +
	"twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first")

// monthAndYear matches 04.2071, which mayBeDate takes for a number with decimals.
var monthAndYear = lazyregexp.New(`^(?:0?[1-9]|1[0-2])\.(?:19|20)[0-9]{2}$`)

// assumedYear is the year in which notes are assumed to be written if they do not tell it. Years of two digits are never taken to be later, unless
// the notes have later years in full.
const assumedYear = 2026

// datedYear is a year of a written date.
type datedYear struct {
	value  int
	decade bool
	short  bool   // written with two digits
	exact  bool   // the date also has a day or a month
	joint  string // what separates it from the year before it: ", " in a list, "-" in a range
}

func (y datedYear) String() string {
	switch {
	case y.decade && y.short: // the 80s: the century is a guess, and tells nothing that is needed
		return fmt.Sprintf("%02ds", y.value%100)
	case y.decade:
		return fmt.Sprintf("%ds", y.value)
	}
	return fmt.Sprintf("%d", y.value)
}

// years returns the years and decades of a date, in order, without repetitions. It completes years of two digits to ones that are not after latest.
func (d *date) years(latest int) []datedYear {
	var all []datedYear
	from, before := 0, 0 // the part after the element before, and its year
	for _, e := range d.elements {
		y := datedYear{value: e.year + e.over, exact: e.at[fieldDay] > 0 || e.at[fieldMonth] > 0 || e.at[fieldHoliday] > 0, joint: ", "}
		first, last := len(d.parts), from
		for _, i := range e.at {
			if i > 0 {
				first, last = min(first, i), max(last, i+1)
			}
		}
		between := ""
		for _, part := range d.parts[min(from, first):first] {
			between += part.text
		}
		from = last
		if i := max(e.at[fieldYear], e.at[fieldDecade]); i > 0 {
			part := d.parts[i]
			if n := len(part.text); n == 2 || n == 4 {
				y.value, y.short, y.decade = century(part, latest), n == 2, e.at[fieldDecade] > 0
			}
		}
		if e.follows {
			y.value = before + 1
		}
		before = y.value
		if y.value < 1800 || y.value > 2299 {
			continue
		}
		if e.follows || d.joint(between) == "-" {
			y.joint = "-"
		}
		if n := len(all); n > 0 && all[n-1].value == y.value && all[n-1].decade == y.decade {
			all[n-1].exact = all[n-1].exact || y.exact
			continue
		}
		all = append(all, y)
	}
	return all
}

// onlyYears reports whether a date consists of years in full, of decades, and of words and signs that say nothing more.
func (d *date) onlyYears() bool {
	for _, pt := range d.parts {
		switch pt.field {
		case fieldNone:
			if slices.ContainsFunc(tokens(pt.text), func(t token) bool {
				return t.num || t.word != "" && t.word != "s" && !d.words[dateArticles][t.word] && !d.words[dateJoins][t.word]
			}) {
				return false
			}
		case fieldYear:
			if len(pt.text) != 4 || pt.tail != "" {
				return false
			}
		case fieldDecade:
		default:
			return false
		}
	}
	return true
}

// yearsTold is what the notes of a patient tell about years and ages.
type yearsTold struct {
	present int            // years of two digits are not after it: assumedYear, or a later year that the notes have in full
	last    int            // the last year of the notes
	old     bool           // the patient is over 89, or somebody in the notes is
	births  map[int]bool   // years of birth
	ages    map[string]int // the highest age up to 89 of each note, in years
}

// over89 reports whether a year in a note tells that the patient is over 89: see TellsOver89.
func (t *yearsTold) over89(note string, year int) bool {
	switch {
	case t.last-year > 89:
		return true
	case !t.old:
		return false
	}
	age, has := t.ages[note]
	return t.births[year] && max(t.last, assumedYear)-year > surelyYounger || has && year != t.last && t.last-year+age > 89
}

// surelyYounger is an age of which nobody is who is over 89 according to the notes, whose last year may be unknown.
const surelyYounger = 59

// readYears collects the years and ages of the patient's notes. The last year of the notes is the last one of their dates, without dates of birth. If
// none of these dates is clearly that of a visit, because it begins a line or stands behind a word for one, it is at least assumedYear: the others may be
// those of birth in a column, or of an old operation.
func (p *Patient) readYears() *yearsTold {
	type mention struct {
		*date
		Mention
		birth bool
	}
	t := &yearsTold{present: assumedYear, births: map[int]bool{}, ages: map[string]int{}}
	var dates []mention
	for _, m := range p.mentions {
		switch m.Sort {
		case Age:
			p.readAgeTold(t, m)
		case Date:
			if d, ok := p.datedText(m.Text); ok {
				dates = append(dates, mention{d, m, isBirth(m.Before)})
				t.present = max(t.present, d.latestYear())
			}
		}
	}
	exact, last := 0, 0 // the last year of a date with a day or a month, and of any date
	visited := false
	for _, m := range dates {
		if m.birth {
			continue
		}
		for _, y := range m.years(t.present) {
			last = max(last, y.value)
			if y.exact {
				exact = max(exact, y.value)
				visited = visited || y.value >= firstNotes && m.ofVisit()
			}
		}
	}
	if !visited {
		exact = max(exact, assumedYear)
	}
	t.last = max(exact, last)
	for _, m := range dates {
		if m.birth {
			t.readBirth(m.years(t.present))
		}
	}
	return t
}

// readBirth stores the years of a date of birth. One of two digits is not after the last year of the notes, and a hundred years earlier if the notes tell of such an age.
func (t *yearsTold) readBirth(years []datedYear) {
	for _, y := range years {
		if age := t.last - (y.value - 100); y.short && (y.value > t.last || t.old && age > 89 && age < 116) {
			y.value -= 100
		}
		t.births[y.value] = true
		t.old = t.old || t.last-y.value > 89
	}
}

// firstNotes is the first year that can be the last of a patient's notes: an earlier one is not the year of a visit.
const firstNotes = 1950

// readAgeTold stores an age, or that it is over 89.
func (p *Patient) readAgeTold(t *yearsTold, m Mention) {
	made, ok := p.AgeUpTo89(m.Text)
	if ok && made != m.Text || !ok && slices.ContainsFunc(tokens(m.Text), func(t token) bool { return veryOld[t.word] }) {
		t.old = true
	}
	if !ok {
		return
	}
	if years := p.yearsOfAge(m.Text); years > 0 {
		t.ages[m.Note] = max(t.ages[m.Note], years)
	}
}

// yearsOfAge returns the highest number of years up to 89 in an age, or 0 if there is none. In her 80s may mean 89.
func (m *Maker) yearsOfAge(text string) int {
	r := &ageReader{Maker: m, tokens: tokens(text)}
	highest := 0
	for i := 0; i < len(r.tokens); i++ {
		t := r.tokens[i]
		years, end := t.n, i+1
		if _, word := m.numbers[t.word]; word {
			years, end = r.numberFrom(i)
		} else if !t.num {
			years = decades[t.word]
		}
		if r.at(end).word == "s" {
			years += 9
		}
		if years <= 89 && !r.short(end) {
			highest = max(highest, years)
		}
		i = end - 1
	}
	return highest
}

// decades are the highest ages that words for decades of a life can mean.
var decades = map[string]int{"twenties": 29, "thirties": 39, "forties": 49, "fifties": 59, "sixties": 69, "seventies": 79, "eighties": 89}

// veryOld are words for people over 89.
var veryOld = set{"nonagenarian": true, "nonagenarians": true, "centenarian": true, "centenarians": true, "supercentenarian": true,
	"nonagenario": true, "nonagenaria": true, "centenario": true, "centenaria": true}

// birthLabel matches the text before a date of birth, folded.
var birthLabel = lazyregexp.New(`(?:\bd\.? ?o\.? ?b\b|\by\.?o\.?b\b|\bbirth ?(?:day|date|year)?\b|\bb-?day\b|\bborn\b|\bnacimiento\b|\bnacid[oa]\b|\bnacio\b|\b(?:f\.?|fecha) ?(?:de )?nac\b|\bf[./]? ?n\b)[^0-9]{0,20}$`)

// isBirth reports whether the date after a text is one of birth.
func isBirth(before string) bool {
	near := fold(before[max(0, len(before)-labelNear):])
	near = near[max(0, strings.LastIndexAny(near, "0123456789")):] // no label has a digit, nor what follows it; the digit stays for \b
	return mayBeBirth(near) && birthLabel.MatchString(near) ||
		strings.HasSuffix(strings.TrimSuffix(before, " "), "b.") && bornLabel.MatchString(before)
}

// mayBeBirth reports whether birthLabel may match a text. It is faster than the expression.
func mayBeBirth(text string) bool {
	for i := range len(text) {
		switch rest := text[i:]; text[i] {
		case 'b':
			if strings.HasPrefix(rest, "birth") || strings.HasPrefix(rest, "born") || strings.HasPrefix(rest, "bday") || strings.HasPrefix(rest, "b-day") ||
				strings.HasSuffix(strings.TrimRight(text[:i], ". "), "o") && (len(rest) == 1 || rest[1] < 'a' || rest[1] > 'z') {
				return true
			}
		case 'n':
			if strings.HasPrefix(rest, "nac") || strings.HasSuffix(strings.TrimRight(text[:i], "./ "), "f") && (len(rest) == 1 || rest[1] < 'a' || rest[1] > 'z') {
				return true
			}
		}
	}
	return false
}

// labelNear is how many bytes before a date are read for the label of a date of birth.
const labelNear = 80

// ofVisit reports whether a date is clearly that of a visit or a document.
func (m Mention) ofVisit() bool {
	return visitLabel.MatchString(fold(m.Before)) || timeAfter.MatchString(m.After)
}

// bornLabel matches the text before a date of birth that a letter introduces: "(b. ". Behind Dr or hepatitis it is another letter.
var bornLabel = lazyregexp.New(`(?:^|[(,;:]|\b[A-Z]\p{L}+|\b(?:[mf]|yo|y/o|male|female|man|woman|mother|father|mom|mum|dad|sister|brother|aunt|uncle|husband|wife|grand(?:mother|father)),?) ?\bb\. ?$`)

// visitLabel matches the text before the date of a visit or a document, folded: nothing, or a word for one.
var visitLabel = lazyregexp.New(`^[^\pL\pN|]*$|\b(?:seen|visit(?:ed)?|dates?|dos|d/?c|signed|review(?:ed)?|admi(?:t|tted|ssion)|adm|discharged?|clinic|encounter|today|dictated|transcribed|printed|` +
	`report(?:ed)?|consult(?:ed|ation)?|exam(?:ined)?|presented|presents|ed|er|ward|letter|note|collected|received|on|` +
	`fecha|ingres[oa]|alta|vist[oa]|consulta|informe|firmado|valorad[oa]|acude|hoy|urgencias|revision|el|dia)\b[^\pL\pN|]{0,12}$`)

// timeAfter matches a time of the day after a date.
var timeAfter = lazyregexp.New(`^(?:,| -|T)? ?(?:at |a las )?[0-2]?[0-9]:[0-5][0-9]`)

// isFamily reports whether a value consists of words for relatives, without a name, or of the age of one.
func (m *Maker) isFamily(text string) bool {
	for _, lang := range m.from(m.lang) {
		known, words, small := true, false, false
		for _, t := range tokens(text) {
			capital := t.word != "" && unicode.IsUpper(firstRune(t.text))
			known = known && (!small || !capital || lang.kin[t.word] != "") // nueva pareja Legal
			small = small || t.word != "" && !capital
			words = words || lang.kin[t.word] != "" || m.words[familyWords][t.word] || m.words[ageWords][t.word]
			known = known && (lang.kin[t.word] != "" || m.besideKin(t))
		}
		if words && known {
			return true
		}
	}
	return false
}
