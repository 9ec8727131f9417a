package surrogate

import (
	"slices"
	"strings"
)

// separator is the sign between two numbers of a date, and the index of the second; 0 if there is none.
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
		case t.text == "/" || t.text == "-" || t.text == "." || t.text == "–":
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

// numeric reads a date that is all numbers.
func (p *dateParser) numeric() bool {
	a := p.at(p.i)
	if !a.num {
		return false
	}
	sign, j := p.separator(p.i + 1)
	if sign == 0 {
		return p.compact()
	}
	b := p.at(j)
	if sign2, k := p.separator(j + 1); sign2 == sign {
		if fields := p.triple(a, b, p.at(k)); fields != nil && (sign != ' ' || len(a.text) == 4 || len(p.at(k).text) == 4) {
			p.takeAll(fields, []int{p.i, j, k})
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

func (p *dateParser) takeAll(fields []field, at []int) {
	var e element
	for k, f := range fields {
		p.to(at[k])
		p.take(&e, f)
	}
	p.done(e)
}

func isMonth(t token) bool { return len(t.text) <= 3 && t.n <= 12 }
func isDay(t token) bool   { return len(t.text) <= 2 && t.n <= 31 }
func isYear(t token) bool {
	return len(t.text) <= 2 || len(t.text) == 4 && t.n >= 1000 && t.n < 9900 || len(t.text) == 5 && t.n >= 18000 && t.n < 23000
}

// triple says what three numbers are. Of what no calendar has, a month up to
// 24 and a day up to 39 are let pass; a third digit before them must be 0.
func (p *dateParser) triple(a, b, c token) []field {
	badMonth := func(t token) bool { return len(t.text) <= 2 && t.n <= 24 || len(t.text) == 3 && t.n <= 12 }
	badDay := func(t token) bool { return len(t.text) <= 2 && t.n <= 39 }
	if len(a.text) == 4 && isYear(a) || len(a.text) == 2 && a.n > 31 && isMonth(b) && isDay(c) {
		switch {
		case isMonth(b) && badDay(c), badMonth(b) && badDay(c) && !isMonth(c):
			return []field{fieldYear, fieldMonth, fieldDay}
		case isMonth(c) && isDay(b):
			return []field{fieldYear, fieldDay, fieldMonth}
		}
		return nil
	}
	if !isYear(c) {
		return nil
	}
	md, dm := []field{fieldMonth, fieldDay, fieldYear}, []field{fieldDay, fieldMonth, fieldYear}
	for _, legal := range []bool{true, false} {
		month, day := isMonth, isDay
		if !legal {
			month, day = badMonth, badDay
		}
		isMD, isDM := month(a) && day(b), day(a) && month(b)
		switch {
		case isMD && (!isDM || p.order == monthFirst):
			return md
		case isDM:
			return dm
		}
	}
	return nil
}

func (p *dateParser) pair(a, b token) []field {
	whole := func(t token) bool { return len(t.text) == 4 && t.n >= 1000 && t.n < 9900 }
	switch {
	case whole(a) && whole(b):
		return nil // two years
	case whole(b) && len(a.text) <= 2 && a.n <= 24:
		return []field{fieldMonth, fieldYear}
	case whole(a) && isMonth(b) && b.n > 0:
		return []field{fieldYear, fieldMonth}
	case whole(a) && len(b.text) == 2:
		return nil // 1998-99
	case isMonth(a) && isDay(b) && (p.order == monthFirst || !isMonth(b) || !isDay(a)):
		return []field{fieldMonth, fieldDay}
	case isDay(a) && isMonth(b):
		return []field{fieldDay, fieldMonth}
	case isMonth(a) && len(b.text) == 2:
		return []field{fieldMonth, fieldYear}
	}
	return nil
}

// compact reads 20710403, 04032071 and 040371.
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
	if len(t.text) == 6 {
		tries = [][]token{cut(2, 2, 2)}
	} else {
		tries = [][]token{cut(4, 2, 2), cut(2, 2, 4)}
	}
	for _, pieces := range tries {
		if len(pieces[0].text) == 4 && (pieces[0].n < 1800 || pieces[0].n > 2299) || len(pieces[2].text) == 4 && (pieces[2].n < 1800 || pieces[2].n > 2299) {
			continue
		}
		fields := p.triple(pieces[0], pieces[1], pieces[2])
		if fields == nil {
			continue
		}
		p.tokens = slices.Replace(p.tokens, p.i, p.i+1, pieces...)
		p.takeAll(fields, []int{p.i, p.i + 1, p.i + 2})
		for i := range p.parts { // without separators every field has its width
			if part := &p.parts[i]; i >= len(p.parts)-3 && part.field != fieldNone {
				part.pad = true
			}
		}
		return true
	}
	return false
}

// single reads a number that stands alone: a year, a decade, the 3rd.
func (p *dateParser) single() bool {
	t := p.at(p.i)
	if !t.num {
		return false
	}
	var e element
	before, after := p.at(p.i-1).text, p.at(p.i+1)
	quoted := before == "'" || before == "’" || before == "`" || before == "´"
	plural := after.word == "s" || (after.text == "'" || after.text == "’") && p.at(p.i+2).word == "s"
	decade := plural || p.lang.words[beforeDecades][p.filler]
	switch {
	case decade && t.n%10 == 0 && (len(t.text) == 2 || len(t.text) == 4):
		p.take(&e, fieldDecade)
	case len(t.text) == 4 && t.n >= 1800 && t.n < 2300:
		p.take(&e, fieldYear)
	case len(t.text) == 2 && (quoted || p.words[beforeYears][p.filler] || before == "-" && len(p.elements) > 0 && p.elements[len(p.elements)-1].at[fieldYear] > 0):
		p.take(&e, fieldYear)
	case p.dayAt(p.i) && (p.afterOrdinal(p.i) == p.i+2 || p.words[beforeDays][p.filler]) && t.n > 0 && t.n <= 31:
		p.take(&e, fieldDay)
	default:
		return false
	}
	p.done(e)
	return true
}

// letters reads weekdays as letters: MWF, TTS, M/W/F, T/Th/Sat.
func (p *dateParser) letters() bool {
	styles := p.lang.weekdayLetters
	if len(styles) == 0 {
		return false
	}
	var parts []part
	var elements []element
	last, single := -1, true
	for i, t := range p.tokens {
		if i%2 == 1 && (t.text == "/" || t.text == "-" || t.text == ",") {
			parts = append(parts, part{text: t.text})
			continue
		}
		rest := t.text
		for rest != "" {
			sought := rest
			if len(p.tokens) == 1 && lowerCase(t.text) { // mwf
				sought = strings.ToUpper(rest)
			}
			form, day := p.lang.weekdayLetter(sought, last, len(p.tokens) > 1)
			if form == nil || day <= last && last >= 0 && day != 0 {
				return false
			}
			e := element{}
			e.at[fieldWeekday] = 1 + len(parts)
			word := form.words[day]
			parts = append(parts, part{field: fieldWeekday, text: rest[:len(word)], value: day, was: day, form: form})
			single = single && len(word) == 1
			elements = append(elements, e)
			rest, last = rest[len(word):], day
		}
	}
	if len(elements) < 2 || len(p.tokens) == 1 && len(elements) > 7 {
		return false
	}
	for i := range parts {
		if single && parts[i].form != nil {
			parts[i].form = styles[len(styles)-1]
		}
	}
	p.parts, p.elements, p.i = append(p.parts, parts...), elements, len(p.tokens)
	return true
}

// weekdayLetter is the weekday after last that text begins with, in any case if apart.
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
