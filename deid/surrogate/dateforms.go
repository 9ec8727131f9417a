package surrogate

import (
	"strings"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file reads dates with a time of day without colons, partly unknown dates, and what is counted within months and years.

const (
	fullYear  = `(?:19|20)[0-9]{2}`
	twoMonth  = `(?:0[1-9]|1[0-2])`
	twoDay    = `(?:0[1-9]|[12][0-9]|3[01])`
	twoHour   = `(?:[01][0-9]|2[0-3])`
	sixtieth  = `[0-5][0-9]`
	fractions = `(?:[.,][0-9]{1,9})?`
	zone      = `(?:[Zz]|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?`
	// timeBehind matches a time of day behind a date in numbers: T0930, -1430 and _143015Z. Without a sign between, as in 20240102093000, all of it may be the number of a
	// record, of which a part must not stay.
	timeBehind = `[Tt_ -]` + twoHour + sixtieth + `(?:` + sixtieth + fractions + `)?` + zone
)

var (
	behindDate = lazyregexp.New(`^(` + timeBehind + `)(?:[^\pL\pN]|$)`)
	// timestamp matches dates with a time of day as programs write them: 20240102T093000, 2024-01-02T09:30:00.000Z, 2024-01-02-09.30.00.
	timestamp = lazyregexp.New(`^` + fullYear + `(?:` + twoMonth + twoDay + timeBehind + `|-` + twoMonth + `-` + twoDay +
		`[Tt -]` + twoHour + `[.:]` + sixtieth + `[.:]` + sixtieth + fractions + zone + `)$`)
)

// stampTime copies a time of day that stands behind a date. Behind a blank or hyphen it may be a year, unless the date is compact.
func (p *dateParser) stampTime(compact bool) {
	var rest strings.Builder
	for i := p.i; i < len(p.tokens); i++ {
		rest.WriteString(p.at(i).text)
	}
	match := behindDate.FindStringSubmatch(rest.String())
	if match == nil {
		return
	}
	time := match[1]
	if year := p.at(p.i + 1); !compact && len(time) == 5 && (time[0] == ' ' || time[0] == '-') && year.n >= 1800 && year.n < 2300 {
		return
	}
	for end := len(time); end > 0; end -= len(p.at(p.i - 1).text) {
		p.literal(1)
	}
}

// behindISO reports whether the current token stands behind a hyphen and a date with the year first and hyphens, as the 14 in 2071-05-01-14.30.15.
func (p *dateParser) behindISO() bool {
	e := p.elements[len(p.elements)-1]
	year, month, day := e.at[fieldYear], e.at[fieldMonth], e.at[fieldDay]
	return p.at(p.i-1).text == "-" && year+2 == month && month+2 == day && day == len(p.parts)-2 && p.parts[year+1].text == "-" && len(p.parts[year].text) == 4
}

// partlyUnknown reads a date of three numbers of which some are not known: 03/--/2071, 3/?/71, 2071-xx-xx. Beside an unknown number, the other can only be the
// month.
func (p *dateParser) partlyUnknown() bool {
	var at, unknown [3]int // the first token of each number, and how many tokens stand for it if it is not known
	i, sign := p.i, ""
	for k := range at {
		at[k] = i
		if unknown[k] = p.unknownAt(i); unknown[k] == 0 && !p.at(i).num {
			return false
		}
		i += max(unknown[k], 1)
		if k == 2 {
			break
		}
		if k == 0 {
			sign = p.at(i).text
		}
		if p.at(i).text != sign || sign != "/" && sign != "." && sign != "-" || sign == "-" && unknown[k] > 0 && p.at(i-1).text == "-" {
			return false
		}
		i++
	}
	if next := p.at(i); next.num || next.word != "" || next.text == sign {
		return false
	}
	fields := p.knownFields(at, unknown)
	if fields == nil {
		return false
	}
	var e element
	for k, f := range fields {
		p.to(at[k])
		if unknown[k] == 0 {
			p.take(&e, f)
		}
	}
	p.to(i)
	p.done(e)
	return true
}

// knownFields returns the fields of three numbers that begin at these tokens, of which some are unknown; nil if they are not a date.
func (p *dateParser) knownFields(at, unknown [3]int) []field {
	known := func(k int) bool { return unknown[k] == 0 }
	month := func(k int) bool { return isMonth(p.at(at[k])) && p.at(at[k]).n > 0 }
	switch {
	case known(0) && known(1) && known(2), !known(0) && !known(1) && !known(2):
		return nil
	case known(0) && isFullYear(p.at(at[0])): // 2071-04-??
		if known(2) || known(1) && !month(1) {
			return nil
		}
		return []field{fieldYear, fieldMonth, fieldDay}
	case known(2) && !isFullYear(p.at(at[2])) && len(p.at(at[2]).text) != 2:
		return nil
	case known(0) && known(1):
		if fields := p.pair(p.at(at[0]), p.at(at[1])); fields != nil && fields[1] != fieldYear && fields[0] != fieldYear {
			return append(fields, fieldYear)
		}
		return nil
	case known(0) && month(0):
		return []field{fieldMonth, fieldDay, fieldYear}
	case known(1) && month(1), !known(0) && !known(1):
		return []field{fieldDay, fieldMonth, fieldYear}
	}
	return nil
}

// unknownAt returns how many tokens from i on stand for an unknown number: ??, --, __, **, xx; 0 if there are none.
func (p *dateParser) unknownAt(i int) int {
	t := p.at(i)
	if t.word != "" && strings.Trim(t.word, "x") == "" && len(t.word) >= 2 && len(t.word) <= 4 { // a single X is October
		return 1
	}
	most := 4
	switch t.text {
	case "-":
		most = 2
	case "?", "_", "*":
	default:
		return 0
	}
	n := 1
	for p.at(i+n).text == t.text {
		n++
	}
	if n > most {
		return 0
	}
	return n
}

// counted copies an ordinal number, or several, before what it counts: the 2nd in "2nd week of May" and in "2nd Tuesday of May" is no day of May. So does it
// with a number behind it and before a year: "week 10 of 2071".
func (p *dateParser) counted() bool {
	if t, year := p.at(p.i), p.at(p.gap(p.i+3)); t.word != "" && p.words[periods][t.word] && p.at(p.i+1).text == " " && p.dayAt(p.i+2) && year.num && isFullYear(year) {
		p.literal(3)
		return true
	}
	end := p.ordinalEnd(p.i)
	if end == 0 {
		return false
	}
	for next := p.next(end); next >= 0 && p.ordinalEnd(next) > 0; next = p.next(end) { // 1st or 2nd week
		end = p.ordinalEnd(next)
	}
	if p.at(end).text != " " {
		return false
	}
	switch t := p.at(end + 1); {
	case t.word != "" && p.words[periods][t.word]:
		p.literal(end + 2 - p.i)
	case p.is(end+1, fieldWeekday) && p.at(p.i).n <= 5 && !p.is(p.i-2, fieldWeekday):
		p.literal(end + 1 - p.i)
	default:
		return false
	}
	return true
}

// ordinalEnd returns the index after an ordinal number at i, in digits or in words; 0 if there is none.
func (p *dateParser) ordinalEnd(i int) int {
	switch t := p.at(i); {
	case t.word != "" && p.words[ordinalWords][t.word]:
		return i + 1
	case !t.num || len(t.text) > 2:
		return 0
	}
	if end := p.afterOrdinal(i); end > i+1 {
		return end
	}
	end := i + 1
	if p.at(end).text == "." { // 1.er
		end++
	}
	if next := p.at(end); next.word != "" && p.words[ordinalEnds][next.word] { // 1er
		return end + 1
	}
	return 0
}

// counts reports whether a text behind an ordinal number begins with what it counts.
func (m *Maker) counts(after string) bool {
	for _, lang := range m.from(m.lang) {
		p := &dateParser{date: date{Maker: m, lang: lang}, tokens: append([]token{{text: "1", num: true, n: 1}, {text: "º"}}, tokens(after)...)}
		if p.counted() {
			return true
		}
	}
	return false
}
