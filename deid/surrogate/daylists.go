package surrogate

import (
	"cmp"
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
	days    map[string][]int   // the days that a folded name or letter stands for
	letters set                // the names that are letters
	item    *lazyregexp.Regexp // a name or letter
	names   *lazyregexp.Regexp // a list of names and letters
	parts   *lazyregexp.Regexp // a list of days with parts of tablets
	pair    *lazyregexp.Regexp // an item of such a list: a day and what it has

	workdays *lazyregexp.Regexp // Monday to Friday in letters; nil if there is no such form
}

// newDayLists makes the expressions of a language that has letters for days.
func newDayLists(lang *language) *dayLists {
	if len(lang.dayLetters) == 0 {
		return nil
	}
	l := &dayLists{days: map[string][]int{}, letters: set{}, workdays: lang.workdays}
	names := map[string]bool{}
	for word, w := range lang.calendar.words {
		if w.field == fieldWeekday {
			names[word], l.days[word] = true, []int{w.value}
		}
	}
	for _, style := range lang.weekdays {
		for day, word := range strings.Fields(style) {
			names[strings.ToLower(word)], l.days[fold(word)] = true, []int{day}
		}
	}
	for day, letters := range lang.dayLetters {
		for letter := range strings.FieldsSeq(letters) {
			names[letter], l.letters[letter] = true, true
			if !slices.Contains(l.days[letter], day) {
				l.days[letter] = append(l.days[letter], day)
			}
		}
	}
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.SortFunc(sorted, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	item := `(?i:` + strings.Join(sorted, "|") + `)`
	pair := item + `\.?(?:: ?| ?= ?| ?\(| )` + partOfTablet
	l.item = lazyregexp.New(item)
	l.names = lazyregexp.New(item + `(?:(?: ?[/–-] ?|, ?|,? (?:and|y|e) | ?& ?)` + item + `){1,6}`)
	l.parts = lazyregexp.New(pair + `(?:(?:[,;.)/]{0,2}[ \t]*\r?\n?[ \t]*(?:and |y |e |[-•*] ?)?)` + pair + `){2,6}`)
	l.pair = lazyregexp.New(`(` + item + `)\.?(?:: ?| ?= ?| ?\(| )(` + partOfTablet + `)`)
	return l
}

const (
	// tabletFraction matches a fraction that tablets are divided into.
	tabletFraction = `(?:1/[2348]|2/3|3/4|[½¼¾⅓⅔])`
	// partOfTablet matches the tablets, or parts of one, that are taken on a day.
	partOfTablet = `(?:(?:[0-9] ?(?:(?:y|and|\+) ?)?)?` + tabletFraction + `|(?:10|[0-9])(?:[.,](?:25|5|75))?)(?: ?(?i:mg|tab(?:let)?s?|comp(?:rimidos?)?|cp|pastillas?|pills?)\b)?`
)

var (
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
	within := func(list *lazyregexp.Regexp, is func(start, end int) bool) bool {
		for _, match := range list.FindAllStringIndex(text[from:to], -1) {
			a, b := from+match[0], from+match[1]
			if a <= start && end <= b && standsAlone(text, a, b) && is(a, b) {
				return true
			}
		}
		return false
	}
	return l.workdays != nil && within(l.workdays, func(a, b int) bool { return true }) ||
		within(l.names, func(a, b int) bool { return m.recurringNames(text, a, b) }) ||
		within(l.parts, func(a, b int) bool { return l.tabletsByDay(text, a, b) })
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
func (m *Maker) recurringNames(text string, start, end int) bool {
	l := m.lang.dayLists
	var items []string
	shortest, lettersOnly := 9, true
	list := text[start:end]
	dosed := afterDose.MatchString(text[max(0, start-nearWeekday):start])
	for _, item := range l.item.FindAllString(list, -1) {
		word := fold(item)
		if r := firstRune(item); l.letters[word] && !unicode.IsUpper(r) && !dosed {
			return false
		}
		shortest, lettersOnly = min(shortest, len(word)), lettersOnly && l.letters[word]
		items = append(items, word)
	}
	if shortest > 2 || len(items) < 3 && (!dosed || shortest < 2) {
		return false // names in full are in the schedules
	}
	days := l.inOrder(items)
	slashes := !strings.ContainsAny(list, " ,-–&")
	if days == nil || m.lang.datedAfter.MatchString(text[end:]) && !hasFraction.MatchString(text[end:min(len(text), end+6)]) {
		return false
	}
	return dosed || gaps(days) > 1 && (lettersOnly || slashes)
}

// inOrder returns the days of a list in the order of the week, which may begin with any day; nil if it has another order.
func (l *dayLists) inOrder(items []string) []int {
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
func (l *dayLists) tabletsByDay(text string, start, end int) bool {
	list := text[start:end]
	if !hasFraction.MatchString(list) && !tabletsBefore.MatchString(text[max(0, start-nearWeekday):start]) {
		return false
	}
	var items, parts []string
	for _, pair := range l.pair.FindAllStringSubmatch(list, -1) {
		items, parts = append(items, fold(pair[1])), append(parts, pair[2])
	}
	days := l.inOrder(items)
	if days == nil || !tabletsBefore.MatchString(text[max(0, start-nearWeekday):start]) && areInOrder(parts) {
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
