package surrogate

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds lists of days of the week in which a day may be a letter ("5 mg M/W/F, 2.5 mg Tu/Th/Sa/Su", "HD L-X-V"), and lists in which each day has
// a part of a tablet ("Mon 1/2, Tue 1/4, Wed 1/2").

// dayLists has the expressions for such lists in one language.
type dayLists struct {
	days    map[string][]int // the days that a folded name or letter stands for
	letters set              // the names that are letters

	workdays *lazyregexp.Regexp // Monday to Friday in letters; nil if there is no such form
}

// newDayLists makes the expressions of a language that has letters for days.
func newDayLists(lang *language) *dayLists {
	if len(lang.dayLetters) == 0 {
		return nil
	}
	l := &dayLists{days: map[string][]int{}, letters: set{}, workdays: lang.workdays}
	for word, w := range lang.calendar.words {
		if w.field == fieldWeekday {
			l.days[word] = []int{w.value}
		}
	}
	for _, style := range lang.weekdays {
		for day, word := range strings.Fields(style) {
			l.days[fold(word)] = []int{day}
		}
	}
	for day, letters := range lang.dayLetters {
		for letter := range strings.FieldsSeq(letters) {
			l.letters[letter] = true
			if !slices.Contains(l.days[letter], day) {
				l.days[letter] = append(l.days[letter], day)
			}
		}
	}
	return l
}

const (
	// tabletFraction matches a fraction that tablets are divided into.
	tabletFraction = `(?:1/[2348]|2/3|3/4|[½¼¾⅓⅔])`
	// dayMark stands for each day when a list is matched, because expressions with all names of days take a hundred times as long.
	dayMark           = "\x01"
	betweenDayAndPart = `\.?(?:: ?| ?= ?| ?\(| )`
	dayWithPart       = dayMark + betweenDayAndPart + partOfTablet
	// partOfTablet matches the tablets, or parts of one, that are taken on a day.
	partOfTablet = `(?:(?:[0-9] ?(?:(?:y|and|\+) ?)?)?` + tabletFraction + `|(?:10|[0-9])(?:[.,](?:25|5|75))?)(?: ?(?i:mg|tab(?:let)?s?|comp(?:rimidos?)?|cp|pastillas?|pills?)\b)?`
)

var (
	// listOfDays matches a list of names and letters of days, each of which is a dayMark.
	listOfDays = lazyregexp.New(dayMark + `(?:(?: ?[/–-] ?|, ?|,? (?:and|y|e) | ?& ?)` + dayMark + `){1,6}`)
	// listOfParts matches a list of days with parts of tablets, and partOfDay an item of it: a day and what it has.
	listOfParts = lazyregexp.New(dayWithPart + `(?:(?:[,;.)/]{0,2}[ \t]*\r?\n?[ \t]*(?:and |y |e |[-•*] ?)?)` + dayWithPart + `){2,6}`)
	partOfDay   = lazyregexp.New(dayMark + betweenDayAndPart + `(` + partOfTablet + `)`)
	hasFraction = lazyregexp.New(tabletFraction)
	// afterDose matches the end of a text after which days are those of a dose.
	afterDose = lazyregexp.New(dose + `$`)
	// tabletsBefore matches the strength of tablets, and what may stand between it and a list of days.
	tabletsBefore = lazyregexp.New(`[0-9] ?(?i:mg|mcg|µg|μg|ug|tab(?:let)?s?|comp(?:rimidos?)?)[:;,.)]{0,2} $`)
)

// dayListNear is how many bytes before and after a value are read, to find the list that it belongs to.
const dayListNear = 160

// isDay reports whether a word is a name or a letter of a day. It decides about nearly all values, and is much faster than the expressions.
func (l *dayLists) isDay(word string) bool { return word != "" && l.days[fold(word)] != nil }

// around returns the longest part of a text around a value that has no words but days and those between them, and how many days it has. A list of days that the value
// belongs to lies within.
func (l *dayLists) around(text string, start, end int) (from, to, days int) {
	allowed := func(word string) bool {
		if len(word) <= longestDay && l.isDay(word) {
			days++
			return true
		}
		return betweenDays[strings.ToLower(word)]
	}
	from, to = start, start
	for to < min(len(text), end+dayListNear) {
		r, size := utf8.DecodeRuneInString(text[to:])
		if unicode.IsLetter(r) {
			word := wordOfDay(text[to:])
			if !allowed(word) {
				break
			}
			size = len(word)
		}
		to += size
	}
	for from > max(0, start-dayListNear) {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		if unicode.IsLetter(r) {
			word := lastWordOfDay(text[:from])
			if !allowed(word) {
				break
			}
			size = len(word)
		}
		from -= size
	}
	return from, to, days
}

// betweenDays are words between the days of a list.
var betweenDays = set{"and": true, "y": true, "e": true, "a": true, "mg": true, "tab": true, "tabs": true, "tablet": true, "tablets": true, "comp": true, "comprimido": true,
	"comprimidos": true, "cp": true, "pastilla": true, "pastillas": true, "pill": true, "pills": true}

// longestDay is the maximum length of the name of a day, in bytes.
const longestDay = len("Wednesdays")

// wordOfDay returns the letters at the start of a text.
func wordOfDay(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

// lastWordOfDay returns the letters at the end of a text.
func lastWordOfDay(text string) string {
	return text[len(strings.TrimRightFunc(text, unicode.IsLetter)):]
}

// wordBeforePart returns the letters before the part of a tablet that follows a text: Mon in "Mon. " and "Mon: 1 y ".
func wordBeforePart(text string) string {
	text = strings.TrimRight(text, " =:(")
	if number := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(text, "and"), "y"), "+"); len(number) < len(text) || strings.HasSuffix(number, " ") {
		text = strings.TrimRight(number, " ")
	}
	if last := len(text) - 1; last > 0 && text[last] >= '0' && text[last] <= '9' {
		text = strings.TrimRight(text[:last], " =:(")
	}
	text = strings.TrimSuffix(text, ".")
	return lastWordOfDay(text)
}

// dayNear is how many bytes before the part of a tablet are read, to find its day.
const dayNear = 24

// inDayList reports whether a part of a text belongs to a list of days with letters, or with parts of tablets.
func (m *Maker) inDayList(text string, start, end int) bool {
	l := m.lang.dayLists
	if l == nil || end-start > dayListNear {
		return false
	}
	day := wordOfDay(text[start:end])
	if day == "" { // it may be a part of a tablet
		day = wordBeforePart(text[max(0, start-dayNear):start])
	}
	if !l.isDay(day) {
		return false
	}
	from, to, days := l.around(text, start, end)
	if days < 2 || to < end {
		return false
	}
	if l.workdays != nil && slices.ContainsFunc(l.workdays.FindAllStringIndex(text[from:to], -1), func(match []int) bool {
		return covers(text, from+match[0], from+match[1], start, end)
	}) {
		return true
	}
	marked := l.mark(text, from, to)
	return marked.shortest <= longestLetters && marked.any(listOfDays, start, end, func(list dayList) bool { return m.recurringNames(text, list) }) ||
		strings.ContainsAny(marked.text, "0123456789½¼¾⅓⅔") && marked.any(listOfParts, start, end, func(list dayList) bool { return l.tabletsByDay(text, list) })
}

// longestLetters is the maximum length of the letters for a day: Tu.
const longestLetters = 2

// markedDays is a part of a text in which each day is a dayMark.
type markedDays struct {
	original string // the whole text
	text     string
	at       []int    // where each byte of text, and its end, is in the original
	days     []string // as they are written
	shortest int      // length of the shortest day
}

// mark marks the days in a part of a text that has no words but days and those between them.
func (l *dayLists) mark(text string, from, to int) *markedDays {
	m := &markedDays{original: text, shortest: longestDay}
	var b strings.Builder
	for from < to {
		word := wordOfDay(text[from:to])
		if len(word) <= longestDay && l.isDay(word) {
			b.WriteString(dayMark)
			m.at = append(m.at, from)
			m.days, m.shortest = append(m.days, word), min(m.shortest, len(fold(word)))
			from += len(word)
			continue
		}
		for end := from + max(1, len(word)); from < end; from++ {
			b.WriteByte(strings.Replace(text[from:from+1], dayMark, " ", 1)[0])
			m.at = append(m.at, from)
		}
	}
	m.text, m.at = b.String(), append(m.at, to)
	return m
}

// dayList is a list of days in a text.
type dayList struct {
	start, end int
	days       []string // as they are written
	marked     string   // the list with its days as dayMarks
}

// any reports whether an expression matches a list that a part of the original text belongs to, and that is one of the wanted kind.
func (m *markedDays) any(lists *lazyregexp.Regexp, start, end int, is func(dayList) bool) bool {
	for _, match := range lists.FindAllStringIndex(m.text, -1) {
		list := dayList{start: m.at[match[0]], end: m.at[match[1]], marked: m.text[match[0]:match[1]]}
		if !covers(m.original, list.start, list.end, start, end) {
			continue
		}
		first := strings.Count(m.text[:match[0]], dayMark)
		list.days = m.days[first : first+strings.Count(list.marked, dayMark)]
		if is(list) {
			return true
		}
	}
	return false
}

// covers reports whether a part of a text stands alone and covers another.
func covers(text string, a, b, start, end int) bool {
	return a <= start && end <= b && standsAlone(text, a, b)
}

// standsAlone reports whether no letter, digit or part of a number stands beside a part of a text.
func standsAlone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, size := utf8.DecodeRuneInString(text[end:])
	next := firstRune(text[end+size:])
	switch {
	case letterOrMark(before) || unicode.IsDigit(before) || strings.ContainsRune("/-'’", before), letterOrMark(after) || unicode.IsDigit(after):
		return false
	case strings.ContainsRune("/-'’", after):
		return !letterOrMark(next) && !unicode.IsDigit(next)
	case after == '.' || after == ',':
		return !unicode.IsDigit(next) || !unicode.IsDigit(rune(text[end-1]))
	}
	return true
}

// recurringNames reports whether a list of names and letters has at least one letter, is in the order of the week, and recurs: after a dose, or because the
// days are not consecutive.
func (m *Maker) recurringNames(text string, list dayList) bool {
	l := m.lang.dayLists
	shortest, lettersOnly := longestDay, true
	dosed := afterDose.MatchString(text[max(0, list.start-nearWeekday):list.start])
	for _, written := range list.days {
		day := fold(written)
		if l.letters[day] && !unicode.IsUpper(firstRune(written)) && !dosed {
			return false
		}
		shortest, lettersOnly = min(shortest, len(day)), lettersOnly && l.letters[day]
	}
	if shortest > longestLetters || len(list.days) < 3 && (!dosed || shortest < 2) {
		return false // names in full are in the schedules
	}
	days := l.inOrder(list.days)
	slashes := !strings.ContainsAny(list.marked, " ,-–&")
	if days == nil || m.lang.datedAfter.MatchString(text[list.end:]) && !hasFraction.MatchString(text[list.end:min(len(text), list.end+6)]) {
		return false
	}
	return dosed || gaps(days) > 1 && (lettersOnly || slashes)
}

// inOrder returns the days of a list in the order of the week, which may begin with any day; nil if it has another order.
func (l *dayLists) inOrder(written []string) []int {
	items := make([]string, len(written))
	for i, word := range written {
		items[i] = fold(word)
	}
	var days []int
	for _, first := range l.days[items[0]] {
		days = append(days[:0], first)
		last := 0 // days since the first
		for _, item := range items[1:] {
			next := 7
			for _, day := range l.days[item] {
				if since := modulo(day-first, 7); since > last {
					next = min(next, since)
				}
			}
			if last = next; next == 7 {
				break
			}
			days = append(days, (first+next)%7)
		}
		if len(days) == len(items) {
			return days
		}
	}
	return nil
}

// tabletsByDay reports whether a list of days and numbers tells how many tablets are taken on each day, rather than dates: "Mon 1/2, Tue 1/3, Wed 1/4" may be
// dates.
func (l *dayLists) tabletsByDay(text string, list dayList) bool {
	counted := tabletsBefore.MatchString(text[max(0, list.start-nearWeekday):list.start])
	if !counted && !hasFraction.MatchString(list.marked) {
		return false
	}
	var parts []string
	for _, part := range partOfDay.FindAllStringSubmatch(list.marked, -1) {
		parts = append(parts, part[1])
	}
	days := l.inOrder(list.days)
	if days == nil || !counted && areInOrder(parts) {
		return false
	}
	for _, year := range []int{2023, 2024} {
		for _, order := range []order{monthFirst, dayFirst} {
			if areDates(days, parts, year, order) {
				return false
			}
		}
	}
	return true
}

// areInOrder reports whether all parts of a list are days and months, each after the one before. Doses alternate.
func areInOrder(parts []string) bool {
	for _, order := range []order{monthFirst, dayFirst} {
		last, ordered := 0, true
		for _, part := range parts {
			a, b, two := strings.Cut(part, "/")
			month, err := strconv.Atoi(a)
			day, err2 := strconv.Atoi(b)
			if !two || err != nil || err2 != nil {
				return false
			}
			if order == dayFirst {
				month, day = day, month
			}
			ordered = ordered && month*100+day > last
			last = month*100 + day
		}
		if ordered {
			return true
		}
	}
	return false
}

// areDates reports whether all parts of a list, read as dates of a year, have the distances of the days of the week beside them.
func areDates(days []int, parts []string, year int, o order) bool {
	var first time.Time
	for k, part := range parts {
		a, b, two := strings.Cut(part, "/")
		month, err := strconv.Atoi(a)
		day, err2 := strconv.Atoi(b)
		switch {
		case err != nil || two && err2 != nil:
			return false
		case !two:
			month, day = 1, month
		case o == dayFirst:
			month, day = day, month
		}
		at := civil(year, month, day)
		if k == 0 {
			first = at
		}
		if modulo(int(at.Sub(first).Hours()/24)-(days[k]-days[0]), 7) != 0 {
			return false
		}
	}
	return true
}
