package surrogate

import (
	"slices"
	"strings"
)

// separator returns the sign between two numbers of a date and the index of the second number; 0 if there is no separator.
func (p *dateParser) separator(i int) (rune, int) {
	var sign rune
	for k := i; k < len(p.tokens) && k < i+4; k++ {
		t := p.at(k)
		switch {
		case t.num:
			if sign == 0 && k == i+1 && p.at(i).text == " " {
				sign = ' '
			}
			return sign, k
		case t.word != "":
			return 0, 0
		case t.text == "/" || t.text == "-" || t.text == "." || t.text == "–" || t.text == "_":
			r := []rune(t.text)[0]
			if sign != 0 && sign != r {
				return 0, 0
			}
			sign = r
		case t.text == " " || t.text == ":" && sign != 0:
		default:
			return 0, 0
		}
	}
	return 0, 0
}

// numeric reads a date that consists of numbers only.
func (p *dateParser) numeric() bool {
	a := p.at(p.i)
	if !a.num {
		return false
	}
	if quote, year := p.at(p.i+2).text, p.at(p.i+3); p.at(p.i+1).text == "/" && (quote == "'" || quote == "’") && year.num && len(year.text) == 2 && isMonth(a) && a.n > 0 { // 05/'71
		p.takeAll([]field{fieldMonth, fieldYear}, []int{p.i, p.i + 3})
		return true
	}
	sign, j := p.separator(p.i + 1)
	if sign == 0 {
		return p.compact()
	}
	b := p.at(j)
	if sign2, k := p.separator(j + 1); sign2 == sign {
		if fields := p.triple(a, b, p.at(k)); fields != nil && (sign != ' ' || len(a.text) == 4 || len(p.at(k).text) == 4) {
			p.takeAll(fields, []int{p.i, j, k})
			p.stampTime(false)
			return true
		}
	}
	if sign == ' ' {
		return p.compact()
	}
	if fields := p.pair(a, b); fields != nil {
		p.takeAll(fields, []int{p.i, j})
		return true
	}
	return p.compact()
}

// daysOfMonth reads two days after one month in numbers: 4/3-5 and 4/3-5/2071. The days of 3-5/4/2071 are those of a list.
func (p *dateParser) daysOfMonth() bool {
	month, first, second := p.at(p.i), p.at(p.i+2), p.at(p.i+4)
	dash := p.at(p.i + 3).text
	switch {
	case p.order != monthFirst || p.at(p.i+1).text != "/" || dash != "-" && dash != "–":
		return false
	case !month.num || month.n == 0 || !isMonth(month) || !first.num || !isDay(first) || !second.num || !isDay(second) || second.n <= first.n:
		return false
	}
	year := p.at(p.i + 6)
	hasYear := false
	switch after := p.at(p.i + 5).text; {
	case after == "/" && (!year.num || !isFullYear(year) && (len(year.text) != 2 || isMonth(second)) || p.at(p.i+7).text == "/"):
		return false // 4/3-5/6 and 4/3-5/6/2071 have two months
	case after == "/":
		hasYear = true
	case (after == "-" || after == "–" || after == ":" || after == ".") && year.num:
		return false
	}
	e := element{}
	p.take(&e, fieldMonth)
	p.literal(1)
	p.take(&e, fieldDay)
	p.done(e)
	e = element{second: true}
	p.literal(1)
	p.take(&e, fieldDay)
	if hasYear {
		p.literal(1)
		p.take(&e, fieldYear)
	}
	p.done(e)
	return true
}

// dayBeforeMonth reports whether a day and a month in numbers stand at i, as 5/4 or 5/4/2071, in notes that write the day first or if it is no month.
func (p *dateParser) dayBeforeMonth(i int) bool {
	day, sign, month := p.at(i), p.at(i+1).text, p.at(i+2)
	if sign != "/" && sign != "." || !month.num || month.n == 0 || !isMonth(month) || len(month.text) > 2 {
		return false
	}
	return isDay(day) && (p.order == dayFirst || !isMonth(day))
}

// romanMonths are the months in Roman numerals.
var romanMonths = &forms{field: fieldMonth, words: strings.Fields("I II III IV V VI VII VIII IX X XI XII")}

// romanAt reports whether a day, a month in Roman numerals and a year stand at i: 3-IV-2071.
func (p *dateParser) romanAt(i int) bool {
	day, month, year := p.at(i), p.at(i+2), p.at(i+4)
	sign := p.at(i + 1).text
	if sign != "-" && sign != "/" && sign != "." && sign != "–" || p.at(i+3).text != sign {
		return false
	}
	return day.num && day.n > 0 && isDay(day) && romanMonth(month) > 0 && year.num && (isFullYear(year) || len(year.text) == 2)
}

// romanMonth returns the month of a Roman numeral; 0 if it is none.
func romanMonth(t token) int { return slices.Index(romanMonths.words, strings.ToUpper(t.word)) + 1 }

// roman reads a date with the month in Roman numerals.
func (p *dateParser) roman() bool {
	if !p.romanAt(p.i) {
		return false
	}
	var e element
	p.take(&e, fieldDay)
	p.literal(1)
	month := romanMonth(p.at(p.i))
	e.at[fieldMonth] = len(p.parts)
	p.parts = append(p.parts, part{field: fieldMonth, text: p.at(p.i).text, value: month, was: month, form: romanMonths})
	p.i++
	p.literal(1)
	p.take(&e, fieldYear)
	p.done(e)
	return true
}

func (p *dateParser) takeAll(fields []field, at []int) {
	var e element
	for k, f := range fields {
		p.to(at[k])
		p.take(&e, f)
	}
	p.done(e)
}

func isMonth(t token) bool    { return len(t.text) <= 3 && t.n <= 12 }
func isDay(t token) bool      { return len(t.text) <= 2 && t.n <= 31 }
func isFullYear(t token) bool { return len(t.text) == 4 && t.n >= 1000 && t.n < 9900 }

// isYear accepts years of one to four digits, and of five if the last is surplus.
func isYear(t token) bool {
	return len(t.text) <= 2 || isFullYear(t) || len(t.text) == 5 && t.n >= 18000 && t.n < 23000
}

// looseMonth and looseDay also accept slips: months up to 24 and days up to 39.
func looseMonth(t token) bool { return len(t.text) <= 2 && t.n <= 24 || len(t.text) == 3 && t.n <= 12 }
func looseDay(t token) bool   { return len(t.text) <= 2 && t.n <= 39 }

// triple returns the fields of a date of three numbers; nil if they are not a date. A month of three digits must begin with 0.
func (p *dateParser) triple(a, b, c token) []field {
	if len(a.text) == 4 && isYear(a) || len(a.text) == 2 && a.n > 31 && isMonth(b) && isDay(c) {
		return afterYear(b, c)
	}
	if !isYear(c) {
		return nil
	}
	if fields := p.monthDayYear(isMonth(a) && isDay(b), isDay(a) && isMonth(b)); fields != nil {
		return fields
	}
	return p.monthDayYear(looseMonth(a) && looseDay(b), looseDay(a) && looseMonth(b))
}

// afterYear returns the fields of a year and the two numbers after it.
func afterYear(b, c token) []field {
	switch {
	case isMonth(b) && looseDay(c), looseMonth(b) && looseDay(c) && !isMonth(c):
		return []field{fieldYear, fieldMonth, fieldDay}
	case isMonth(c) && isDay(b):
		return []field{fieldYear, fieldDay, fieldMonth}
	}
	return nil
}

// monthDayYear returns the fields of a date that ends with the year, in the only possible order or, if both orders are possible, in that of the
// notes.
func (p *dateParser) monthDayYear(monthCanBeFirst, dayCanBeFirst bool) []field {
	switch {
	case monthCanBeFirst && (!dayCanBeFirst || p.order == monthFirst):
		return []field{fieldMonth, fieldDay, fieldYear}
	case dayCanBeFirst:
		return []field{fieldDay, fieldMonth, fieldYear}
	}
	return nil
}

// pair returns the fields of a date of two numbers; nil if they are not a date.
func (p *dateParser) pair(a, b token) []field {
	switch {
	case isFullYear(a) || isFullYear(b):
		return pairWithYear(a, b)
	case isMonth(a) && isDay(b) && (p.order == monthFirst || !isMonth(b) || !isDay(a)):
		return []field{fieldMonth, fieldDay}
	case isDay(a) && isMonth(b):
		return []field{fieldDay, fieldMonth}
	case isMonth(a) && len(b.text) == 2:
		return []field{fieldMonth, fieldYear}
	}
	return nil
}

// pairWithYear is pair for two numbers of which at least one is a year in full. Two years, as in 1998-99, are not a date.
func pairWithYear(a, b token) []field {
	switch {
	case isFullYear(a) && isFullYear(b):
	case isFullYear(b) && len(a.text) <= 2 && a.n <= 24:
		return []field{fieldMonth, fieldYear}
	case isFullYear(a) && isMonth(b) && b.n > 0:
		return []field{fieldYear, fieldMonth}
	}
	return nil
}

// compact reads a date without separators: 20710403, 04032071, 040371.
func (p *dateParser) compact() bool {
	t := p.at(p.i)
	if len(t.text) != 8 && len(t.text) != 6 {
		return false
	}
	cut := func(widths ...int) []token {
		var out []token
		rest := t.text
		for _, w := range widths {
			out = append(out, tokens(rest[:w])[0])
			rest = rest[w:]
		}
		return out
	}
	var tries [][]token
	switch {
	case len(t.text) == 6:
		tries = [][]token{cut(2, 2, 2)}
	default:
		tries = [][]token{cut(4, 2, 2), cut(2, 2, 4)}
	}
	for _, pieces := range tries {
		if slices.ContainsFunc(pieces, func(t token) bool { return len(t.text) == 4 && (t.n < 1800 || t.n > 2299) }) {
			continue
		}
		fields := p.triple(pieces[0], pieces[1], pieces[2])
		if fields == nil {
			continue
		}
		p.tokens = slices.Concat(p.tokens[:p.i], pieces, p.tokens[p.i+1:]) // the tokens are those of other languages, too
		p.takeAll(fields, []int{p.i, p.i + 1, p.i + 2})
		for i := range p.parts { // without separators every field has its width
			if part := &p.parts[i]; i >= len(p.parts)-3 && part.field != fieldNone {
				part.pad = true
			}
		}
		if fields[0] == fieldYear && len(pieces[0].text) == 4 {
			p.stampTime(true)
		}
		return true
	}
	return false
}

// single reads a number without others: a year, a decade, the 3rd.
func (p *dateParser) single() bool {
	if !p.at(p.i).num {
		return false
	}
	var e element
	switch {
	case p.decadeAlone():
		p.take(&e, fieldDecade)
	case p.yearAlone():
		p.take(&e, fieldYear)
	case p.dayAlone():
		p.take(&e, fieldDay)
	default:
		return false
	}
	p.done(e)
	return true
}

// decadeAlone reports whether the current number is a decade, as in 1980s, 80's and los 80.
func (p *dateParser) decadeAlone() bool {
	t, after := p.at(p.i), p.at(p.i+1)
	plural := after.word == "s" || (after.text == "'" || after.text == "’") && p.at(p.i+2).word == "s"
	if !plural && !p.lang.words[beforeDecades][p.filler] {
		return false
	}
	return t.n%10 == 0 && (len(t.text) == 2 || len(t.text) == 4)
}

// yearAlone reports whether the current number is a year, as in 1998, '98, en el 98 and the end of 1998-99.
func (p *dateParser) yearAlone() bool {
	t := p.at(p.i)
	if len(t.text) != 2 {
		return len(t.text) == 4 && t.n >= 1800 && t.n < 2300
	}
	switch before := p.at(p.i - 1).text; before {
	case "'", "’", "`", "´":
		return true
	case "-", "/": // 1998-99, 1998/99
		if last := len(p.elements) - 1; last >= 0 && p.elements[last].at[fieldYear] > 0 && (before == "-" || (p.parts[p.elements[last].at[fieldYear]].value+1)%100 == t.n) {
			return true
		}
	}
	return p.words[beforeYears][p.filler] || t.n > 31 && p.words[beforeHighYears][p.filler] && p.at(p.i-2).word == p.filler
}

// dayAlone reports whether the current number is a day, as in the 3rd and el día 3.
func (p *dateParser) dayAlone() bool {
	t := p.at(p.i)
	ordinal := p.afterOrdinal(p.i) > p.i+1
	last := len(p.elements) - 1
	afterWeekday := last >= 0 && p.elements[last].at[fieldWeekday] == len(p.parts)-2 && p.at(p.i-1).text == " " // mar 25
	return p.dayAt(p.i) && t.n > 0 && t.n <= 31 && (ordinal || afterWeekday || p.words[beforeDays][p.filler])
}

// letters reads weekdays as letters: MWF, TTS, M/W/F, T/Th/Sat.
func (p *dateParser) letters() bool {
	styles := p.lang.weekdayLetters
	if len(styles) == 0 {
		return false
	}
	l := letterReader{lang: p.lang, last: -1, apart: len(p.tokens) > 1}
	for i, t := range p.tokens {
		if i%2 == 1 && (t.text == "/" || t.text == "-" || t.text == ",") {
			l.parts = append(l.parts, part{text: t.text})
		} else if !l.read(t.text) {
			return false
		}
	}
	if days := len(l.elements); days < 2 || !l.apart && days > 7 {
		return false
	}
	shortest := styles[len(styles)-1]
	if !slices.ContainsFunc(l.parts, func(pt part) bool { return pt.form != nil && len(pt.text) > 1 }) {
		for i := range l.parts {
			if l.parts[i].form != nil {
				l.parts[i].form = shortest
			}
		}
	}
	p.parts, p.elements, p.i = append(p.parts, l.parts...), l.elements, len(p.tokens)
	return true
}

// letterReader reads weekdays in the order of the week, Sunday last.
type letterReader struct {
	lang     *language
	last     int  // the last weekday; -1 before the first
	apart    bool // the weekdays stand apart
	parts    []part
	elements []element
}

// read reads the weekdays of one token.
func (l *letterReader) read(text string) bool {
	anyCase := !l.apart && lowerCase(text) // mwf
	for text != "" {
		sought := text
		if anyCase {
			sought = strings.ToUpper(text)
		}
		form, day := l.lang.weekdayLetter(sought, l.last, l.apart)
		if form == nil || day <= l.last && l.last >= 0 && day != 0 {
			return false
		}
		e := element{}
		e.at[fieldWeekday] = 1 + len(l.parts)
		length := len(form.words[day])
		l.parts = append(l.parts, part{field: fieldWeekday, text: text[:length], value: day, was: day, form: form})
		l.elements = append(l.elements, e)
		text, l.last = text[length:], day
	}
	return true
}

// weekdayLetter returns the weekday after last with which text begins, and its style; nil if there is none. Weekdays that are apart may be in any
// case.
func (l *language) weekdayLetter(text string, last int, apart bool) (*forms, int) {
	for _, form := range l.weekdayLetters {
		for _, day := range []int{1, 2, 3, 4, 5, 6, 0} {
			w := form.words[day]
			if (strings.HasPrefix(text, w) || apart && len(text) >= len(w) && strings.EqualFold(text[:len(w)], w)) && (day > last || day == 0) {
				return form, day
			}
		}
	}
	return nil, 0
}
