package surrogate

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// Recurs reports whether a part of a text is a day of the week, or several, in the schedule of a drug or of dialysis: "every Friday", "on
// Mondays", "Tu/Th/Sa", "Mon-Fri", "5 mg Mon, Wed and Fri". Such days are no elements of the date of an event, and neither are the parts of tablets beside
// them: "Mon 1/2, Tue 1/4, Wed 1/2". Days that are likely those of an event are not among them: "Mon/Tue", "Thu-Sat", and days before a date.
func (m *Maker) Recurs(text string, start, end int) bool {
	end = start + len(strings.TrimRight(text[start:end], ".")) // the end of a sentence, or of an abbreviation
	if m.inDayList(text, start, end) {
		return true
	}
	if !m.isWeekdays(text[start:end]) {
		return false
	}
	line, from := lineAround(text, start, end)
	start, end = start-from, end-from
	return m.weeks.Get(strconv.Itoa(start)+" "+strconv.Itoa(end)+" "+line, func() bool { return m.inSchedule(line, start, end) })
}

// inSchedule reports whether days of the week in a line belong to a schedule.
func (m *Maker) inSchedule(line string, start, end int) bool {
	lower := strings.ReplaceAll(strings.ToLower(line), "ſ", "s") // as expressions without regard to case do
	given := sync.OnceValue(func() bool { return wasGiven.MatchString(fold(line)) })
	for _, schedule := range m.lang.schedules {
		if !schedule.mayMatch(lower) || schedule.planned && given() || schedule.drug && !namesDrug(line) {
			continue
		}
		for _, match := range schedule.FindAllStringSubmatchIndex(line, -1) {
			if countedDays.MatchString(fold(line[:match[2]])) || schedule.drug && !isDrug(wordOfDay(line[match[0]:])) || schedule.clause != nil && !alone(line, schedule.clause, match) {
				continue
			}
			if match[2] <= start && end <= match[3] && !m.lang.datedAfter.MatchString(line[match[3]:]) && (!schedule.gap || m.haveGap(line[match[2]:match[3]])) {
				return true
			}
		}
	}
	return false
}

// nearWeekday is how many bytes before and after a day of the week are read.
const nearWeekday = 64

// lineAround returns the whole words around a part of a text on the same line, and where they begin.
func lineAround(text string, start, end int) (string, int) {
	before, after := text[max(0, start-nearWeekday):start], text[end:min(len(text), end+nearWeekday)]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	} else if len(before) == nearWeekday {
		_, before, _ = strings.Cut(before, " ")
	}
	if line, _, ok := strings.Cut(after, "\n"); ok {
		after = line
	} else if len(after) == nearWeekday {
		after = after[:strings.LastIndexByte(after, ' ')+1]
	}
	return text[start-len(before) : end+len(after)], start - len(before)
}

// haveGap reports whether days of the week in a list are not consecutive, as those of a weekend or of the days of an illness are.
func (m *Maker) haveGap(text string) bool {
	var days []int
	if d, ok := m.datedText(text); ok {
		for _, part := range d.parts {
			if day, ok := d.weekday(part); ok {
				days = append(days, day)
			}
		}
	}
	return gaps(days) > 1
}

// gaps counts the days of a list that the next day of the week does not follow.
func gaps(days []int) int {
	days = slices.Sorted(slices.Values(days))
	days = slices.Compact(days)
	count := 0
	for i, day := range days {
		if days[(i+1)%len(days)] != (day+1)%7 {
			count++
		}
	}
	return count
}

// isWeekdays reports whether a text consists of one day of the week or several, with nothing but letters and what separates them.
func (m *Maker) isWeekdays(text string) bool {
	if strings.ContainsFunc(text, unicode.IsDigit) {
		return false
	}
	d, ok := m.datedText(text)
	if !ok {
		return false
	}
	days := false
	for _, part := range d.parts {
		_, day := d.weekday(part)
		if !day && part.field != fieldNone {
			return false
		}
		days = days || day
	}
	return days
}

// weekday returns the day of the week that a part of a date is or, like mar, may be.
func (d *date) weekday(p part) (day int, ok bool) {
	if also, ok := d.lang.calendar.alsoDay[fold(p.text)]; ok {
		return also.value, true
	}
	return p.value, p.field == fieldWeekday
}

// schedule is an expression for days of the week that recur, of which the first group is the days.
type schedule struct {
	*lazyregexp.Regexp
	words   []string           // one of which its matches contain, in lower case
	gap     bool               // they recur only if they are not consecutive
	drug    bool               // its matches begin with a word, and they recur only if it is a drug
	planned bool               // they do not recur on a line that says what was given
	clause  *lazyregexp.Regexp // they recur only if it matches what is before them, and their clause ends behind them
}

// mayMatch reports whether the expression may match a line, given in lower case. It is much faster than the expression.
func (s schedule) mayMatch(line string) bool {
	return slices.ContainsFunc(s.words, func(word string) bool { return strings.Contains(line, word) })
}

// namesDrug reports whether one of the words of a line is the name of a drug.
func namesDrug(line string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }), isDrug)
}

// alone reports whether a match of a schedule is all that its clause says, apart from what may stand before it. Otherwise something may have happened on the days: "rash
// with Keflex Mon and Thu", "Lasix: Mon, Thu visits".
func alone(line string, before *lazyregexp.Regexp, match []int) bool {
	return before.MatchString(line[:match[0]]) && clauseEnd.MatchString(line[match[3]:])
}

const clauseStart = `(?:^|[.;:|•*] ?|- )(?i:(?:takes?|taking|continue|toma|tomar) )?`

var (
	// beforeDrug and beforeAmount match what may stand before a drug, and before the last digit of its dose.
	beforeDrug   = lazyregexp.New(clauseStart + `$`)
	beforeAmount = lazyregexp.New(clauseStart + `(?:\pL{4,} )?[0-9.,/½]*$`)
	clauseEnd    = lazyregexp.New(`^\)?(?: (?i:only|s[oó]lo))?(?:[.;|]|$)`)
)

// isDrug reports whether a word is the name of a drug, or the last word of one.
func isDrug(word string) bool { return drugs()[fold(word)] }

var drugs = sync.OnceValue(func() set {
	all := set{}
	for _, list := range []string{"en-ambiguous-drugs", "es-ambiguous-drugs"} {
		for _, name := range wordlists.Entries(list) {
			all[fold(name[strings.LastIndexByte(name, ' ')+1:])] = true
		}
	}
	return all
})

// cued is an expression, and words of which its matches contain one.
type cued struct {
	expr  string
	words []string
}

// schedules returns the schedules of a language, from the expressions for a day, and for days after a dose, after words such as every and weekly, in the plural,
// of dialysis, by their form, and in a list. DAY stands for a day. A border at the end of an expression is also one behind a letter with an accent, as in mié.
func schedules(day, dosed string, every, weekly, plural, dialysis, form cued, list string) []schedule {
	compile := func(expr string, words []string) schedule {
		if whole, ok := strings.CutSuffix(expr, `\b`); ok {
			expr = whole + `(?:[^\pL\pN_]|$)`
		}
		return schedule{Regexp: lazyregexp.New(strings.ReplaceAll(expr, "DAY", day)), words: words}
	}
	planned := func(s schedule) schedule { s.planned = true; return s }
	withGap := func(s schedule) schedule { s.gap = true; return s }
	alone := func(before *lazyregexp.Regexp, s schedule) schedule { s.clause = before; return planned(withGap(s)) }
	ofDrug := func(s schedule) schedule { s.drug = true; return s }
	digits := strings.Split("0123456789", "")
	numbers := strings.Fields(spelledNumbers)
	all := []schedule{
		compile(dose+dosed, digits), planned(withGap(compile(spelledDose+dosed, numbers))),
		planned(withGap(compile(dose+otherDays, digits))), planned(withGap(compile(spelledDose+otherDays, numbers))),
		planned(withGap(compile(dialysisOn, []string{"lysis", "lisis", "hd"}))), planned(compile(dayThenDose, digits)), planned(compile(doseThenDay, digits)),
		alone(beforeAmount, compile(amount+daily+dosed, digits)), ofDrug(alone(beforeDrug, compile(drugAndDose+daily+dosed, []string{" "}))),
	}
	for _, c := range []cued{every, weekly, plural} {
		all = append(all, compile(c.expr, c.words))
	}
	return append(all, withGap(compile(dialysis.expr, dialysis.words)), compile(form.expr, form.words), withGap(compile(list, []string{"/"})))
}

const (
	// unit matches that of a dose, and route what may stand behind it.
	unit = `(?:mg|mcg|µg|μg|ug|g|iu|ui|units?|unidades|u|meq|ml|tab(?:let)?s?|caps?(?:ules?)?|puffs?|drops?|gotas|comp(?:rimidos?)?|` +
		`(?:milli|micro)?grams?|millilit(?:er|re)s?|(?:mili|micro)?gramos?|mililitros?|pills?|pastillas?|tabletas?|c[áa]psulas?)`
	route = `(?: (?:po|sc|sq|subq|iv|im|vo|by mouth|orally|v\.o\.))?`
	// amount matches the end of a dose, and dose also what may stand between it and its days.
	amount  = `(?i:[0-9] ?` + unit + route + `)`
	dose    = amount + between
	between = ` (?i:(?:on|every|los|de) )?`
	// spelledDose is dose with the number in words: one tablet, half a tablet.
	spelledDose    = `\b(?i:(?:one|two|three|four|five|six|seven|eight|nine|ten|half|un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|media|medio)(?: (?:of )?an?| and a half| y media)? ` + unit + route + `)` + between
	spelledNumbers = `one two three four five six seven eight nine ten half un dos tres cuatro cinco seis siete ocho nueve diez medi`
	// otherDays matches days behind a dose that may also be those on which it was given: "Monday through Friday", "Monday or Tuesday", "lunes miércoles viernes".
	otherDays = `(DAYs? (?i:through|thru|to|a) DAYs?|DAYs?(?:, DAYs?)*,? (?i:or|o) DAYs?|DAYs?(?: DAYs?)+)\b`
	// dialysisOn matches the days of a dialysis without signs between them.
	dialysisOn = `\b(?i:(?:ha?emo)?dialysis|(?:hemo)?di[áa]lisis|HD):? (?i:(?:on|los) )?(DAYs?(?: DAYs?){2,3})\b`
	// drugAndDose matches a word and the dose behind it, if there is one: Zoloft, Zoloft 100, Advair 250/50.
	drugAndDose = `\b\pL{3,}(?i:(?: [0-9]{1,4}(?:[.,/][0-9]{1,4})?(?: ?` + unit + `)?)?` + route + `)`
	// daily matches what else may stand there, and behind the name of a drug: "mg: ", "mg (", "mg 1-0-0 ".
	daily = ` ?(?:\(?[0-3½](?:-[0-3½]){2,3}\)?)?:? (?i:(?:on|los) )?\(?`
	// oral matches a dose that is swallowed.
	oral = `(?:[0-9]+[.,/])?[0-9]+ ?(?i:mg|mcg|µg|μg|ug|tab(?:let)?s?|caps?(?:ules?)?|comp(?:rimidos?)?)(?: (?i:po|vo|by mouth|orally|v\.o\.))?`
	// dayThenDose and doseThenDay match three doses or more on days of their own: "Mon 5 mg, Tue 2.5 mg, Wed 5 mg", "5 mg Mon, 2.5 mg Tue, 5 mg Wed", "5 mg (Mon), 2.5 mg (Tue), 5 mg (Wed)".
	dayThenDose = `\b((?:DAYs?:? ` + oral + `[,;.]? (?i:and |y )?){2,6}DAYs?:? ` + oral + `)\b`
	doseThenDay = `\b(` + oral + `(?i: on| los)? \(?DAYs?(?:\)?[,;]? (?i:and |y )?` + oral + `(?i: on| los)? \(?DAYs?){2,6})\b`
)

// countedDays matches the end of what stands before days that are counted and so do not recur, folded: "three Mondays".
var countedDays = lazyregexp.New(`\b(?:two|three|four|five|six|both|several|few|some|many|last|past|previous|[2-9]|dos|tres|cuatro|cinco|seis|varios|algunos|ultimos|pasados) $`)

// wasGiven matches the words of a line that says what was given, and on which days, folded.
var wasGiven = lazyregexp.New(`\b(?:gave|given|got|received|administered|missed|took|refused|declined|skipped|held|dio|dieron|administro|administraron|puso|pusieron|tomo|recibio|recibido|rechazo|olvido|omitio|se nego)\b`)
