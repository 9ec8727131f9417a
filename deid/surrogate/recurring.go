package surrogate

import (
	"regexp"
	"strings"
)

// Recurs reports whether a part of a text is a day of the week, or several, on which something is done every week, as in the schedule of a
// drug or of dialysis: "on Mondays", "every Friday", "Tu/Th/Sa", "Mon-Fri". Such days are no elements of the date of an event.
func (m *Maker) Recurs(text string, start, end int) bool {
	if !m.isWeekdays(text[start:end]) {
		return false
	}
	// Each of several days may be a span of its own, so those beside it count, too.
	for {
		match := wordBefore.FindStringSubmatch(text[max(0, start-nearWeekday):start])
		if match == nil || !m.isWeekdays(match[1]) {
			break
		}
		start -= len(match[0])
	}
	for {
		match := wordAfter.FindStringSubmatch(text[end:min(len(text), end+nearWeekday)])
		if match == nil || !m.isWeekdays(match[1]) {
			break
		}
		end += len(match[0])
	}
	days := text[start:end]
	return strings.ContainsAny(days, "/–-") || m.lang.manyWeekdays.MatchString(days) || m.lang.everyWeek.MatchString(text[max(0, start-nearWeekday):start])
}

// nearWeekday is how many bytes before and after a day of the week are read at a time: enough for another one with what separates them.
const nearWeekday = 24

// wordBefore and wordAfter match a word and what separates it from a day of the week in a list.
var (
	wordBefore = regexp.MustCompile(`(\p{L}+\.?)(?: ?[/&,–-] ?| (?:and|or|y|e|o) )$`)
	wordAfter  = regexp.MustCompile(`^(?: ?[/&,–-] ?| (?:and|or|y|e|o) )(\p{L}+)`)
)

// isWeekdays reports whether a text consists of one day of the week or several.
func (m *Maker) isWeekdays(text string) bool {
	d, ok := m.datedText(text)
	if !ok {
		return false
	}
	days := false
	for _, part := range d.parts {
		if part.field != fieldWeekday && part.field != fieldNone {
			return false
		}
		days = days || part.field == fieldWeekday
	}
	return days
}
