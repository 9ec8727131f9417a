package surrogate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A holiday is replaced with a date, because another holiday might suggest a religion that the patient does not have.

// holiday is one of the names of a holiday.
type holiday struct {
	name, folded string
	rule         string
	day          int // of the year in 2001, to compare holidays by
}

// in returns the day of the holiday in a year. A rule is a date (12-25), a weekday of a month (4thu11, or -1mon5 for the last Monday), an offset to
// Easter Sunday (easter-2), or the day of an Islamic feast in 2024 (moon03-11), which moves with the lunar year. For other movable feasts, the rule
// is the middle of the days on which they can fall.
func (h holiday) in(year int) time.Time {
	var n, month, day int
	var weekday string
	if _, err := fmt.Sscanf(h.rule, "easter%d", &n); err == nil {
		return easter(year).AddDate(0, 0, n)
	}
	if _, err := fmt.Sscanf(h.rule, "moon%d-%d", &month, &day); err == nil {
		const lunarYear = 354.36667
		first := civil(2024, month, day)
		begin := civil(year, 1, 1)
		years := math.Ceil(begin.Sub(first).Hours() / 24 / lunarYear)
		return first.AddDate(0, 0, int(math.Round(years*lunarYear)))
	}
	if _, err := fmt.Sscanf(h.rule, "%d-%d", &month, &day); err == nil && n == 0 && day > 0 {
		return civil(year, month, day)
	}
	if _, err := fmt.Sscanf(strings.NewReplacer("sun", " sun ", "mon", " mon ", "tue", " tue ", "thu", " thu ", "fri", " fri ").Replace(h.rule), "%d %s %d", &n, &weekday, &month); err != nil {
		panic("no rule for a holiday: " + h.rule)
	}
	want := time.Weekday(slices.Index([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, weekday))
	if n < 0 {
		last := civil(year, month+1, 0)
		return last.AddDate(0, 0, -modulo(int(last.Weekday()-want), 7))
	}
	first := civil(year, month, 1)
	return first.AddDate(0, 0, modulo(int(want-first.Weekday()), 7)+7*(n-1))
}

// nearest returns the holiday in a year or, if the year is 0, the one nearest to a day.
func (h holiday) nearest(year int, near time.Time) time.Time {
	if year != 0 {
		return h.in(year)
	}
	y := near.Year()
	return slices.MinFunc([]time.Time{h.in(y), h.in(y - 1), h.in(y + 1)}, func(a, b time.Time) int { return cmp.Compare(distance(a, near), distance(b, near)) })
}

// easter returns Easter Sunday in the Gregorian calendar, by the method of Meeus, Jones and Butcher.
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	return civil(y, (h+l-7*m+114)/31, (h+l-7*m+114)%31+1)
}

// monthAndDay writes a date without a year.
func (l *language) monthAndDay(day time.Time) string {
	return fmt.Sprintf(l.monthDay, day.Day(), l.calendar.months[day.Month()-1])
}

// readHolidays reads lines of names, separated by commas, a colon and a rule. Longer names come first.
func readHolidays(table string) (all []holiday) {
	for line := range strings.Lines(table) {
		names, rule, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			h := holiday{name: name, folded: fold(name), rule: rule}
			h.day = h.in(2001).YearDay()
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b holiday) int {
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), cmp.Compare(a.name, b.name))
	})
	return all
}
