package safetynet

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
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

// The types of columns of columnLists that are not those of built-in rules.
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
// rules. A table is a row of headings and the rows below it, whose cells are separated by tabs, by vertical bars, by
// two blanks or more, or by commas or semicolons without a blank, as in CSV. A value must also look like one of its column: a name has capitals and no digits, and a record
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
	if !strings.ContainsAny(text, "\t|;,") && !strings.Contains(text, "  ") {
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
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(typ string) bool { return typ == day || isNoPHI(data.Span{Type: typ}) })
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
	for _, separator := range []byte{',', ';'} {
		if strings.Count(value, string(separator)) > 1 && strings.Count(value, string(separator)+" ") == 0 {
			cut := func(text string, line cell) []cell { return delimited(text, line, separator) }
			return table{types: columnTypes(text, cut(text, line)), cut: cut}
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

// delimited cuts a line of CSV. The quotes around a cell are no part of it.
func delimited(text string, line cell, separator byte) []cell {
	var all []cell
	start, quoted := line.start, false
	add := func(end int) {
		c := trimmed(text, cell{start, end})
		if c.end-c.start > 1 && text[c.start] == '"' && text[c.end-1] == '"' {
			c.start, c.end = c.start+1, c.end-1
		}
		all = append(all, c)
	}
	for i := line.start; i < line.end; i++ {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == separator && !quoted:
			add(i)
			start = i + 1
		}
	}
	add(line.end)
	return all
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
	scores := make([]bool, len(t.types)) // whether the fractions in a column are scores
	for i, typ := range t.types {
		scores[i] = typ == day && !t.isCalendar(text, i)
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
			if is == nil || c.start == c.end || c.end-c.start > maxCell || !is(text[c.start:c.end]) || scores[i] && shortDay.MatchString(text[c.start:c.end]) {
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
