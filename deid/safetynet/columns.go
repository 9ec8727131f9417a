package safetynet

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// Notes contain tables, whose cells say little by themselves: a date is 3/2 and an extension 4471. What they are stands
// at the head of their column.

//go:embed columns.txt
var columnLists string

// headings returns the types of the columns with the headings of columnLists.
var headings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(columnLists) {
		typ, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for heading := range strings.SplitSeq(list, ",") {
			all[strings.TrimSpace(heading)] = typ
		}
	}
	return all
})

// The types of columns of columnLists that are not those of values.
const (
	bareName = "NAME"  // of a person beside others of persons, or of anything else
	anyID    = "ID"    // of a person or, beside things, of a thing
	anyExt   = "EXT"   // a telephone number beside names, or something else
	day      = "DAY"   // a date or, beside a scale, a score
	scale    = "="     // of a scale
	thing    = "-"     // the column shows that others are about things
	other    = "+"     // of a column without PHI
	ranges   = "RANGE" // of results
	test     = "TEST"  // names of tests
)

// cell is a part of a text.
type cell struct{ start, end int }

// Columns returns the values in tables of a text that the headings of their columns tell to be PHI, with types of the built-in
// rules. A table is a row of headings and the rows below it, whose cells are separated by tabs, by vertical bars, or by
// two blanks or more. A value must also look like one of its column: a name has capitals and no digits, and a record
// number has at least four digits. Years alone, ages and names of wards are not among them.
func Columns(text string) []data.Span {
	return slices.DeleteFunc(inTables(text), isNoPHI)
}

// NoPHI returns what the headings of columns tell not to be PHI: ranges of results, such as 12-16 below Reference, which a model
// may take for dates, and abbreviations of tests.
func NoPHI(text string) []data.Span {
	return slices.DeleteFunc(inTables(text), func(s data.Span) bool { return !isNoPHI(s) })
}

func isNoPHI(s data.Span) bool { return s.Type == ranges || s.Type == test }

// inTables returns the values in tables whose columns have a type.
func inTables(text string) []data.Span {
	if !strings.ContainsAny(text, "\t|") && !strings.Contains(text, "  ") {
		return nil
	}
	var found []data.Span
	var open table
	for at := 0; at < len(text); {
		line := cell{at, len(text)}
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			line.end = at + n
		}
		at = line.end + 1
		if next := header(text, line); next.types != nil || open.types == nil {
			found = open.appendValues(found, text)
			open = next
			continue
		}
		cells := open.cut(text, line)
		switch n := len(open.types); {
		case isRow(text, cells) && (len(cells) == n || len(cells) < n && !open.aligned):
			open.rows = append(open.rows, cells)
		case open.markup && strings.TrimSpace(text[line.start:line.end]) == "", isRuler(text[line.start:line.end]):
		default:
			found = open.appendValues(found, text)
			open = table{}
		}
	}
	return open.appendValues(found, text)
}

// table is what was read of a table.
type table struct {
	types   []string // of its columns; nil if there is no table
	cut     func(text string, line cell) []cell
	aligned bool // the cells are separated by blanks, so that none is empty
	markup  bool // it may be one of HTML, whose cells stand between tabs and whose rows between blank lines
	rows    [][]cell
}

// ColumnTypes lists the types of Columns.
func ColumnTypes() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(typ string) bool { return isNoPHI(data.Span{Type: typ}) })
}

// header returns the table of which a line is the head, without types if it is none.
func header(text string, line cell) table {
	value := text[line.start:line.end]
	for _, separator := range []struct {
		in  string
		cut func(string, cell) []cell
	}{{"\t", tabbed}, {"|", barred}, {"  ", aligned}} {
		if strings.Contains(value, separator.in) {
			return table{types: columnTypes(text, separator.cut(text, line)), cut: separator.cut, aligned: separator.in == "  ", markup: value[0] == '\t'}
		}
	}
	return table{}
}

// maxHeading is the maximum length of a heading.
const maxHeading = 30

// columnTypes returns the type of each column, which is empty for those without one, or nil if the cells are not headings: at
// least two, and half of them, are known, and one of these has a type.
func columnTypes(text string, cells []cell) []string {
	types := make([]string, len(cells))
	full, known := 0, 0
	has := map[string]bool{}
	for i, c := range cells {
		heading := headingKey(text[c.start:c.end])
		if c.end-c.start > maxHeading {
			return nil
		} else if heading == "" {
			continue
		}
		full++
		if types[i] = headings()[heading]; types[i] != "" {
			known++
			has[types[i]] = true
		}
	}
	if known < 2 || 2*known < full {
		return nil
	}
	names := has["PATIENT"] || has["DOCTOR"]
	persons, ofThings := names || has["PHONE"] || has["MEDICALRECORD"] || has["STREET"] || has["ZIP"] || has[anyExt], has[thing] || has[test] || has[ranges]
	for i, typ := range types {
		is := ""
		switch typ {
		case bareName:
			if persons && !ofThings {
				is = "PATIENT"
			}
		case anyID:
			if !ofThings {
				is = "IDNUM"
			}
		case anyExt:
			if (names || has[bareName]) && !ofThings {
				is = "PHONE"
			}
		case day:
			if is = day; has[scale] || has[test] {
				is = ""
			}
		case ranges:
			if has[thing] || has[test] {
				is = ranges
			}
		case scale, thing, other:
		default:
			is = typ
		}
		types[i] = is
	}
	if !slices.ContainsFunc(types, func(typ string) bool { return typ != "" }) {
		return nil
	}
	return types
}

// headingKey returns a heading in the form of columnLists.
func headingKey(heading string) string {
	heading = strings.ReplaceAll(fold.Fold(heading), ".", "")
	return strings.Join(strings.FieldsFunc(heading, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == 'º' || r == 'ª' }), " ")
}

// tabbed, barred and aligned cut a line into cells without the white space around them. Cells between tabs and bars may
// be empty.
func tabbed(text string, line cell) []cell { return separated(text, line, '\t') }

func barred(text string, line cell) []cell {
	line = trimmed(text, line)
	if line.end > line.start && text[line.start] == '|' {
		line.start++
	}
	if line.end > line.start && text[line.end-1] == '|' {
		line.end--
	}
	return separated(text, line, '|')
}

func separated(text string, line cell, separator byte) []cell {
	var all []cell
	for {
		n := strings.IndexByte(text[line.start:line.end], separator)
		if n < 0 {
			break
		}
		all = append(all, trimmed(text, cell{line.start, line.start + n}))
		line.start += n + 1
	}
	if len(all) == 0 {
		return nil
	}
	return append(all, trimmed(text, line))
}

func aligned(text string, line cell) []cell {
	var all []cell
	line = trimmed(text, line)
	for {
		n := strings.Index(text[line.start:line.end], "  ")
		if n < 0 {
			break
		}
		all = append(all, cell{line.start, line.start + n})
		line = trimmed(text, cell{line.start + n, line.end})
	}
	if len(all) == 0 {
		return nil
	}
	return append(all, line)
}

func trimmed(text string, c cell) cell {
	c.end = c.start + len(strings.TrimRightFunc(text[c.start:c.end], unicode.IsSpace))
	c.start = c.end - len(strings.TrimLeftFunc(text[c.start:c.end], unicode.IsSpace))
	return c
}

// isRow reports whether cells are those of a row: at least two are not empty.
func isRow(text string, cells []cell) bool {
	full := 0
	for _, c := range cells {
		if strings.ContainsFunc(text[c.start:c.end], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			full++
		}
	}
	return full > 1
}

// isRuler reports whether a line only separates rows.
func isRuler(line string) bool {
	return len(line) > 2 && strings.Trim(line, "-=_+|: \t\r") == ""
}

// appendValues appends the values of the table.
func (t table) appendValues(found []data.Span, text string) []data.Span {
	if len(t.rows) == 0 {
		return found
	}
	fits := make([]bool, len(t.types)) // whether the short dates of a column do
	for i, typ := range t.types {
		fits[i] = typ != day || t.isCalendar(text, i)
	}
	for _, cells := range t.rows {
		for i, c := range cells {
			typ := t.types[i]
			switch typ {
			case "PATIENT", "DOCTOR":
				c = withoutTitle(text, c)
			case ranges, test:
				if len(cells) != len(t.types) { // as in a signature below the table
					continue
				}
			}
			is := values[typ]
			if typ == day {
				is = values["DATE"]
			}
			if is == nil || c.start == c.end || c.end-c.start > maxCell || !is(text[c.start:c.end]) || !fits[i] && shortDay.MatchString(text[c.start:c.end]) {
				continue
			}
			if typ == day {
				typ = "DATE"
			}
			found = append(found, data.Span{Start: c.start, End: c.end, Type: typ, Score: 1})
		}
	}
	return found
}

// shortDay matches what may be a day and a month or a score.
var shortDay = regexp.MustCompile(`^([0-9]{1,2})([/-])([0-9]{1,2})$`)

// isCalendar reports whether the fractions in a column may all be days and months. They are scores if one is none, or if
// all have the same second number, of which many scores are.
func (t table) isCalendar(text string, column int) bool {
	first, second := map[string]bool{}, map[string]bool{}
	for _, cells := range t.rows {
		if column >= len(cells) {
			continue
		}
		value := text[cells[column].start:cells[column].end]
		m := shortDay.FindStringSubmatch(value)
		if m == nil {
			continue
		}
		if m[2] == "-" || !isDay(value) {
			return false
		}
		first[m[1]], second[m[3]] = true, true
	}
	if len(first) < 2 || len(second) > 1 {
		return true
	}
	for of := range second {
		return !slices.Contains([]string{"3", "5", "7", "10", "15", "20", "30"}, of)
	}
	return true
}

// maxCell is the maximum length of a value.
const maxCell = 80

// values are tests of the values of a column, by its type.
var values = map[string]func(string) bool{
	"DATE": isDay, "PATIENT": isName, "DOCTOR": isName, "MEDICALRECORD": isIdentifier, "IDNUM": isIdentifier,
	"PHONE": func(s string) bool {
		return phoneCell.MatchString(s) && digits(s) >= 3 && (digits(s) >= 7 || !strings.ContainsAny(s, "-./"))
	},
	"STREET": func(s string) bool { return streetCell.MatchString(s) },
	"CITY":   isName,
	"ZIP":    func(s string) bool { return zipCell.MatchString(s) },
	ranges:   isRange,
	test:     func(s string) bool { return testCell.MatchString(s) },
}

var (
	dayCell    = regexp.MustCompile(`^([0-9]{1,2})[/-]([0-9]{1,2})(?:[/-](?:[0-9]{2}|[0-9]{4}))?(?:[ ,T]+[0-9]{1,2}:[0-9]{2}.{0,9})?$`)
	dottedCell = regexp.MustCompile(`^([0-9]{1,2})\.([0-9]{1,2})\.(?:[0-9]{2}|[0-9]{4})?$`)
	isoCell    = regexp.MustCompile(`^[0-9]{4}[/-]([0-9]{1,2})[/-]([0-9]{1,2})(?:[ T].{0,20})?$`)
	monthCell  = regexp.MustCompile(`^(?i:[0-9]{1,2}(?:st|nd|rd|th)?[ -]?(?:de )?` + monthName + `\.?(?:[ ,-]+(?:de )?(?:[0-9]{2}|[0-9]{4}))?|` + monthName + `\.?[ -][0-9]{1,2}(?:st|nd|rd|th)?(?:[ ,-]+[0-9]{4})?|` +
		monthName + `\.?[ -](?:de )?(?:19|20)[0-9]{2})$`)
	identifier   = regexp.MustCompile(`^#?[A-Za-z]{0,6}[-.]?[0-9]+(?:[./ -]?[0-9A-Za-z]+){0,8}$`)
	otherCode    = regexp.MustCompile(`^(?:[0-9]+\.[0-9]+|[A-Z][0-9]{2}\.[0-9A-Z]+|(?i:[cpgmn]\..*)|(?:19|20)[0-9]{2}(?:[-/](?:19|20)?[0-9]{2})?)$`)
	phoneCell    = regexp.MustCompile(`^(?i:(?:\+|\()?[0-9][0-9 ()./+-]{2,22}(?:[ ,]*(?:x|ext\.?|#)[ ]?[0-9]{1,6})?|(?:x|ext\.?|#)[ ]?[0-9]{3,6})$`)
	streetCell   = regexp.MustCompile(`^(?:[0-9]+[A-Za-z]? \p{L}.*|\p{L}+[./ ]+\p{L}{3,}.*[ ,º°/.][0-9].*)$`)
	rangeCell    = regexp.MustCompile(`^[(\[]?(?:([0-9]{1,3}(?:[.,][0-9]{1,3})?) ?[-–] ?([0-9]{1,3}(?:[.,][0-9]{1,3})?)|[<>≤≥] ?[0-9]{1,5}(?:[.,][0-9]{1,3})?)(?: ?\p{L}{1,6}(?:/\p{L}{1,5})?| ?%)?[)\]]?$`)
	testCell     = regexp.MustCompile(`^(?:[A-Z]{2,4}[0-9]{0,2}|[A-Z]{1,2}[0-9][A-Z0-9]{0,2})$`)
	zipCell      = regexp.MustCompile(`^(?:[0-9]{4,5}(?:-[0-9]{4})?|[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2})$`)
	personTitles = regexp.MustCompile(`^(?i:(?:drs?|dras?|mr|mrs|ms|miss|prof|sr|sra|srta|d|dña|doña|don|lic|enf|n\.p|r\.n|m\.d|mother|father|son|daughter|wife|husband|sister|brother|aunt|uncle|partner|madre|padre|hij[oa]|herman[oa]|abuel[oa]|espos[oa]|t[ií][oa])\b\.?[ ]+)+`)
	credential   = regexp.MustCompile(`,? (?:M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?(?:-C)?|Ph\.?D\.?|LPN|BSN|MSN|FNP|DNP|PharmD|RT|PT|OT|SLP|RD|LCSW|EMT|CNA|CRNA|DUE|TCAE|MIR)(?:[ ,].*)?$`)
	nameCell     = regexp.MustCompile(`^\p{Lu}[\p{L}'’.-]*(?:,? (?:de|del|la|las|los|van|von|der|den|da|dos|y|i|al|el|bin|\p{Lu}[\p{L}'’.-]*)){0,5}$`)
)

// monthName matches a month in English or Spanish, or its abbreviation.
const monthName = `(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|ene|abr|ago|set|dic|january|february|march|april|august|september|october|november|december|` +
	`enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)`

// isDay reports whether a value is a date with a day or a month. A fraction such as 3/2 is one in a column of dates.
func isDay(s string) bool {
	for _, form := range []*regexp.Regexp{dayCell, dottedCell, isoCell} {
		if m := form.FindStringSubmatch(s); m != nil {
			a, b := number(m[1]), number(m[2])
			return min(a, b) >= 1 && min(a, b) <= 12 && max(a, b) <= 31
		}
	}
	return monthCell.MatchString(s)
}

func number(digits string) (n int) {
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	return n
}

func digits(s string) (n int) {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}

// isRange reports whether a value is a range of results, which begins with its lower number.
func isRange(s string) bool {
	m := rangeCell.FindStringSubmatch(s)
	if m == nil || m[1] == "" {
		return m != nil
	}
	low, err := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
	high, err2 := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64)
	zero := func(s string) bool { return len(s) > 1 && s[0] == '0' && s[1] != '.' && s[1] != ',' } // as in a date
	return err == nil && err2 == nil && low < high && !zero(m[1]) && !zero(m[2])
}

func isIdentifier(s string) bool {
	return identifier.MatchString(s) && digits(s) >= 4 && !isDay(s) && !otherCode.MatchString(s)
}

// withoutTitle cuts titles and credentials off a name.
func withoutTitle(text string, c cell) cell {
	c.start += len(personTitles.FindString(text[c.start:c.end]))
	if m := credential.FindStringIndex(text[c.start:c.end]); m != nil && m[0] > 0 {
		c.end = c.start + m[0]
	}
	return c
}

// isName reports whether a value is a name: words in capitals, of which one is neither a common word nor one of a
// profession or the like, nor an abbreviation.
func isName(s string) bool {
	if !nameCell.MatchString(s) {
		return false
	}
	words := strings.Fields(s)
	if noName()[fold.Fold(s)] || len(words) > 1 && slices.ContainsFunc(words, func(word string) bool { return roles()[fold.Fold(word)] }) {
		return false
	}
	return slices.ContainsFunc(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }), func(word string) bool {
		folded := fold.Fold(word)
		short := utf8.RuneCountInString(word) <= 3 && strings.ToUpper(word) == word
		return utf8.RuneCountInString(word) > 1 && !short && !wordlists.Common(folded) && !noName()[folded]
	})
}

// roles has words for people by what they do, folded.
var roles = sync.OnceValue(func() map[string]bool {
	all := folded("en-medical-specialties", "es-medical-specialties", "en-profession-hints", "es-profession-hints")
	for _, word := range strings.Fields("nurse physio educator navigator coordinator technician agency voicemail clinic team unit ward department") {
		all[word] = true
	}
	return all
})

// noName has words and phrases that stand in columns of names and are none, folded.
var noName = sync.OnceValue(func() map[string]bool {
	all := folded("en-medical-specialties", "es-medical-specialties", "en-professions", "es-professions", "en-kinship", "es-kinship", "en-connectives", "es-connectives",
		"en-medical-titles", "es-medical-titles", "en-months", "es-months", "en-weekdays", "es-weekdays", "en-profession-hints", "es-profession-hints", "en-ambiguous-drugs", "es-ambiguous-drugs",
		"en-ambiguous-diseases", "es-ambiguous-diseases", "en-ambiguous-words", "es-ambiguous-words")
	for _, word := range strings.Fields("vacant self unassigned unknown none empty same tbd varies various hospitalist intensivist nocturnist locum cardiothoracic ortho neuro agency stepdown telehealth " +
		"voicemail float pool walker rollator ambulated n/a libre vacia vacio ninguno ninguna desconocido desconocida pendiente guardia hospitalaria urgencias") {
		all[word] = true
	}
	return all
})

// folded returns the entries of lists of words.
func folded(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for _, entry := range wordlists.Entries(list) {
			all[fold.Fold(entry)] = true
		}
	}
	return all
}
