package safetynet

import (
	"cmp"
	_ "embed"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
	"github.com/lethe-deid/lethe/internal/recent"
)

// Notes contain tables, whose cells say little by themselves: a date is 3/2 and an extension 4471. What they are stands
// at the head of their column.

// headings returns the types of the columns with the headings of lists/columns.txt.
var headings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(listText("columns")) {
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

// The types of columns of lists/columns.txt that are not those of built-in rules.
const (
	bareName = "NAME"   // of a person beside others of persons, or of anything else
	anyID    = "ID"     // of a person or, beside things, of a thing
	anyExt   = "EXT"    // a telephone number beside names, or something else
	day      = "DAY"    // a date or, beside a scale, a score
	clock    = "TIME"   // of day
	scale    = "="      // of a scale
	thing    = "-"      // the column shows that others are about things, and holds words such as Rash
	words    = "WORDS"  // of a column of words such as Bath
	places   = "PLACES" // of one of words that may also name a place, such as Home
	anything = "?"      // of a column in which anything may stand
	other    = "+"      // of a column without PHI
	ranges   = "RANGE"  // of results
	test     = "TEST"   // names of tests
)

// cell is a part of a text.
type cell struct{ start, end int }

// Columns returns the values in tables of a text that the headings of their columns tell to be PHI, with types of the built-in
// rules. A table is a row of headings and the rows below it, whose cells are separated by tabs, by vertical bars, by
// two blanks or more, or by commas or semicolons without a blank, as in CSV. A value must also look like one of its column: a name has capitals and no digits, and a record
// number has at least four digits. Of ages, only those over 89 are among them; years alone and names of wards are not.
func Columns(text string) []data.Span { return slices.Clone(tabulated(text).values) }

// spansOfTables are spans of the tables of a text.
type spansOfTables struct {
	values  []data.Span // see Columns
	cells   []data.Span // including headings
	never   []data.Span // cells and headings that are no PHI
	persons []data.Span // those that are no names
	tablets []data.Span // parts of tablets such as 1/2 below Dose
	plain   []data.Span // short numbers and known words of columns without PHI
	scores  []data.Span // see scoreCells
}

// recentTables has the spans of the tables of recent texts, because the spans of the network and of the rules are compared with them.
var recentTables = recent.NewTexts(1<<14, func(s spansOfTables) int { return 1 + 2*len(s.cells) + len(s.scores) })

// tabulated returns the spans of the tables of a text.
func tabulated(text string) spansOfTables {
	return recentTables.Get(text, func() (all spansOfTables) {
		all.scores = scoreCells(text)
		for _, t := range tables(text) {
			all.values = t.appendValues(all.values, text)
			t.addCells(&all, text)
		}
		return all
	})
}

// CorrectCells corrects the spans that a tagger or a rule has found in the cells of tables. It cuts a span that runs over several cells at their borders, and removes those
// in the headings, those in cells that are no PHI, and those of persons in cells that are no names (see addCells and scoreCells). The spans are disjoint.
func CorrectCells(text string, spans []data.Span, isPerson func(typ string) bool) []data.Span {
	if len(spans) == 0 {
		return nil
	}
	t := tabulated(text)
	if len(t.cells)+len(t.scores) == 0 {
		return spans
	}
	var out []data.Span
	for _, s := range spans {
		for _, s := range data.Cut(text, s, t.scores) {
			no := t.plain // if it is cut, as a street of several cells
			parts := cutAt(t.cells, text, s)
			switch {
			case isPerson(s.Type):
				no = t.persons
			case len(parts) == 1 && parts[0].Start == s.Start && parts[0].End == s.End:
				no = nil
			}
			for _, part := range parts {
				if !data.Covered(part, t.never) && !data.Covered(part, no) {
					out = append(out, part)
				}
			}
		}
	}
	return out
}

// cutAt returns the parts of a span within each of the cells and outside of them, without those that have no letter and no digit.
func cutAt(cells []data.Span, text string, s data.Span) []data.Span {
	from, to := data.Overlapping(cells, s)
	if from == to || cells[from].Start <= s.Start && s.End <= cells[from].End {
		return []data.Span{s}
	}
	parts := data.Subtract(s, cells[from:to])
	for _, c := range cells[from:to] {
		part := s
		part.Start, part.End = max(s.Start, c.Start), min(s.End, c.End)
		parts = append(parts, part)
	}
	slices.SortFunc(parts, func(a, b data.Span) int { return cmp.Compare(a.Start, b.Start) })
	for i, s := range parts {
		c := trimmed(text, cell{s.Start, s.End})
		parts[i].Start, parts[i].End = c.start, c.end
	}
	return slices.DeleteFunc(parts, func(s data.Span) bool { return !strings.ContainsFunc(text[s.Start:s.End], isAlnum) })
}

// tables returns the tables in a text.
func tables(text string) []table {
	if !strings.ContainsAny(text, "\t|;,") && !strings.Contains(text, "  ") {
		return nil
	}
	var all []table
	var open table
	end := func() {
		if open.decide(text) {
			all = append(all, open)
		}
		open = table{}
	}
	for line := range linesOf(text) {
		next := header(text, line)
		cells := open.row(text, line)
		switch {
		case next.columns != nil && (cells == nil || next.certain && (next.headed || len(cells) != len(next.columns))):
			end()
			open = next
		case open.columns == nil:
		case cells != nil:
			open.rows = append(open.rows, cells)
		case open.markup && strings.TrimSpace(text[line.start:line.end]) == "", isRuler(text[line.start:line.end]):
		default:
			end()
		}
	}
	end()
	return all
}

// linesOf returns the lines of a text.
func linesOf(text string) iter.Seq[cell] {
	return func(yield func(line cell) bool) {
		at := 0
		for line := range strings.Lines(text) {
			if !yield(cell{at, at + len(strings.TrimSuffix(line, "\n"))}) {
				return
			}
			at += len(line)
		}
	}
}

// table is what was read of a table.
type table struct {
	head    []cell
	columns []column // nil if there is no table
	cut     func(text string, line cell) []cell
	certain bool  // the headings alone show that it is a table
	headed  bool  // all headings are known
	aligned bool  // the cells are separated by blanks, so that none is empty
	dated   bool  // fractions below Start and the like are days and never scores: the rows are treatments or the like, or a fraction is greater than one, such as 13/5
	starts  []int // of the headings of an aligned table, in characters from the start of the line
	markup  bool  // it may be one of HTML, whose cells stand between tabs and whose rows between blank lines
	rows    [][]cell
}

// column is what is known of a column.
type column struct {
	typ     string    // of its values: that of a built-in rule, or day, clock, words, ranges or test; empty for none
	certain bool      // the headings tell; otherwise the column counts if all of its values fit
	named   bool      // an uncertain column counts only if half of its values have a known first name
	fits    bool      // all of its values fit; only of uncertain columns and those of persons
	plain   bool      // by its heading, its values are no PHI
	numbers bool      // and most of them are numbers
	dose    bool      // by its heading, its values are doses
	period  bool      // by its heading, its days are the first or the last of something
	kind    scoreKind // of its fractions
}

// ColumnTypes lists the types of Columns, and that of Handles.
func ColumnTypes() []string {
	types := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(typ string) bool { return slices.Contains([]string{day, clock, ranges, test}, typ) })
	return append(types, "USERNAME")
}

// header returns the table of which a line is the head, without columns if it is none.
func header(text string, line cell) table {
	value := text[line.start:line.end]
	for _, separator := range separators {
		if strings.Contains(value, separator.in) {
			t := newTable(text, separator.cut(text, line), separator.cut)
			t.markup = value[0] == '\t'
			if t.aligned = separator.in == "  "; t.aligned {
				t.starts = startsOf(text, line, t.head)
			}
			return t
		}
	}
	for _, separator := range []byte{',', ';'} {
		if strings.Count(value, string(separator)) > 1 && strings.Count(value, string(separator)+" ") == 0 {
			cut := func(text string, line cell) []cell { return delimited(text, line, separator) }
			return newTable(text, cut(text, line), cut)
		}
	}
	return table{}
}

// separators are those of cells in lines that are no CSV.
var separators = []separator{{"\t", tabbed}, {"|", barred}, {"  ", aligned}}

type separator struct {
	in  string
	cut func(text string, line cell) []cell
}

// startsOf returns where the cells of a line start, in characters from its start.
func startsOf(text string, line cell, cells []cell) []int {
	starts := make([]int, len(cells))
	at, count := line.start, 0
	for i, c := range cells {
		count += utf8.RuneCountInString(text[at:c.start])
		starts[i], at = count, c.start
	}
	return starts
}

// row returns the cells of a line that is a row of the table, or nil if it is none. In an aligned table an empty cell is seen by the places of the others, which must begin
// where their headings do.
func (t table) row(text string, line cell) []cell {
	if t.columns == nil {
		return nil
	}
	cells := t.cut(text, line)
	switch n := len(t.columns); {
	case len(cells) > n || !isRow(text, cells, t.aligned || len(cells) < n):
		return nil
	case !t.aligned || len(cells) == n:
		return cells
	}
	all, column := make([]cell, len(t.columns)), 0
	for i, start := range startsOf(text, line, cells) {
		found := false
		if column, found = slices.BinarySearch(t.starts, start); !found {
			return nil
		}
		c := cells[i]
		if column+1 < len(t.starts) && start+utf8.RuneCountInString(text[c.start:c.end]) > t.starts[column+1] {
			return nil
		}
		all[column] = c
	}
	return all[:column+1]
}

// How long a heading may be, and how many of them a table may have, so that many short rows take little time.
const (
	maxHeading = 30
	maxColumns = 1000
)

// newTable returns a table with a head, or one without columns if the cells are not headings. Its headings alone show that it is one if at
// least two, and half of them, are known, and one of these has a type. Otherwise, columns may show it whose headings have only one meaning.
func newTable(text string, head []cell, cut func(string, cell) []cell) table {
	if len(head) > maxColumns {
		return table{}
	}
	types, kinds := make([]string, len(head)), make([]scoreKind, len(head))
	full, known := 0, 0
	treated, has := false, map[string]bool{}
	for i, c := range head {
		heading := text[c.start:c.end]
		if len(heading) > maxHeading {
			return table{}
		} else if headingKey(heading) == "" {
			continue
		}
		full++
		treated = treated || treatments[headingKey(heading)]
		types[i], kinds[i] = headingType(heading), scoreKindOf(heading)
		if types[i] == "" && kinds[i] != noScore {
			types[i] = other
		}
		if types[i] != "" {
			known++
			has[types[i]] = true
		}
	}
	if known == 0 || full < 2 {
		return table{}
	}
	t := table{head: head, cut: cut, certain: known > 1 && 2*known >= full, headed: known == full, dated: treated && !has[scale] && !has[test]}
	certain, useful := false, false
	for i, typ := range types {
		period := periods[strings.TrimSuffix(strings.TrimSuffix(headingKey(text[head[i].start:head[i].end]), " tratamiento"), " tto")]
		if t.dated && typ == clock && period {
			typ = day
		}
		c := columnOf(typ, has, t.certain)
		c.plain = slices.Contains([]string{clock, words, scale, thing, other, ranges, test}, typ)
		c.numbers, c.kind, c.period, c.dose = typ == other, kinds[i], period, doses[headingKey(text[head[i].start:head[i].end])]
		t.columns = append(t.columns, c)
		certain = certain || c.kind != noScore || c.certain && !slices.Contains([]string{words, places, clock}, c.typ)
		useful = useful || c.kind != noScore && t.certain || c.typ != "" && (t.certain || values[c.typ] != nil)
	}
	if t.certain = t.certain && certain; !useful {
		return table{}
	}
	return t
}

var (
	// treatments are headings of what begins on a day, as what is given or put in does.
	treatments = wordlists.Set(`abx antibiotic antibiotico antibioticos antibiotics antiviral antivirales cateter cateteres catheter device devices diagnosis diagnostico diagnosticos dispositivo dispositivos drain drenaje droga drogas drug drugs farmaco farmacos
		immunization inmunizacion infusion line med medicacion medicamento medicamentos medication medications medicine meds quimioterapia regimen sonda tratamiento tratamientos treatment tto tube tx vaccine vacuna via`)
	// doses are headings of what is taken at a time.
	doses = wordlists.Set("dosage dose doses dosis pauta posologia cantidad amount")
	// periods are headings of days on which something begins or ends. Those of times are days only in tables of treatments.
	periods = wordlists.Set(`begin colocacion comienzo desde discontinued end ended fin final finish finished from hasta inicio insercion inserted insertion onset placed placement removal removed resolucion resolved retirada retirado
		retiro since start started stop stopped suspension termino to until`)
)

// columnOf returns the column with a heading of a type, beside others of the types in has. Enough means that enough of the headings are known.
func columnOf(typ string, has map[string]bool, enough bool) column {
	names := has["PATIENT"] || has["DOCTOR"]
	persons, ofThings := names || has["PHONE"] || has["MEDICALRECORD"] || has["STREET"] || has["ZIP"] || has[anyExt], has[thing] || has[test] || has[ranges]
	switch typ {
	case bareName:
		return column{typ: "PATIENT", certain: enough && persons && !ofThings, named: ofThings}
	case "PATIENT", "DOCTOR", "MEDICALRECORD", "IDNUM", "PHONE", "DATE":
		return column{typ: typ, certain: enough}
	case "STREET", "CITY", "ZIP", "AGE", clock:
	case anyID:
		if typ = "IDNUM"; ofThings {
			typ = ""
		}
	case anyExt:
		if typ = "PHONE"; !names && !has[bareName] || ofThings {
			typ = ""
		}
	case day:
		if has[scale] || has[test] {
			typ = clock
		}
	case ranges:
		if !has[thing] && !has[test] {
			typ = ""
		}
	case test:
	case words, places:
	case thing, scale:
		typ = words
	default: // others, or unknown
		typ = ""
	}
	if !enough && (typ == day || typ == "STREET" || typ == "CITY" || typ == "ZIP" || typ == "IDNUM" || typ == "PHONE") {
		typ = ""
	}
	return column{typ: typ, certain: typ != ""}
}

// shortUnits are units of ages that are shorter than a year, folded, as in Age (months).
var shortUnits = wordlists.Set("months month mos mo weeks week wks wk days day d hours hour hrs h meses mes semanas semana sem dias dia horas")

// isHeading reports whether a heading is known.
func isHeading(heading string) bool { return headingType(heading) != "" }

// areHeadingWords reports whether a text consists of ordinary words that are no names, unlike a value before the next label: 703950 Birth date, Roe Visit date.
func areHeadingWords(key string) bool {
	for w := range strings.FieldsSeq(key) {
		if !wordlists.Common(w) || surrogate.IsSurname(w) || surrogate.IsFirstName(w) {
			return false
		}
	}
	return true
}

// headingType returns the type of a heading in the lists, in the plural or with something between parentheses as well, that of any date, as in Score date, or that of a person who does something, as in Drawn by.
func headingType(heading string) string {
	key := headingKey(heading)
	if typ := cmp.Or(headings()[key], headings()[strings.TrimSuffix(key, "s")]); typ != "" {
		return typ
	}
	if before, after, ok := strings.Cut(heading, "("); ok {
		key = headingKey(before)
		switch typ := headings()[key]; {
		case typ == "AGE" && slices.ContainsFunc(strings.Fields(headingKey(after)), func(word string) bool { return shortUnits[word] }):
			return anything
		case typ != "":
			return typ
		}
	}
	if (strings.HasSuffix(key, " date") || strings.HasPrefix(key, "fecha ")) && areHeadingWords(key) { // of anything
		return "DATE"
	}
	if !strings.Contains(key, " by") && !strings.Contains(key, " por") { // as nearly all cells
		return ""
	}
	if m := doneBy.FindStringSubmatch(key); m != nil && !causes[cmp.Or(m[1], m[2])] {
		return "DOCTOR"
	}
	return ""
}

var (
	// doneBy matches headings such as Drawn by and Extraído por, folded.
	doneBy = lazyregexp.New(`^(?:\pL+ ){0,2}(?:(\pL+ed|given|seen|drawn|read|taken|done|written|made|sent|held|met|put|set|run|cut|begun|brought|found|heard|known|led|overseen|paid|sewn|shown|spoken|told|undertaken|withdrawn)(?: (?:back|in|off|on|out|over|up))? by|` +
		`(\pL+[aeiu]d[oa]s?|\pL*(?:hech|vist|escrit|suscrit|abiert|puest|impuest|dispuest|impres|resuelt)[oa]s?) por)(?: (?:name|names|nurse|rn|staff|initials?|md|nombre|enfermera|enfermero|due))?$`)
	// causes are participles of what is done by things.
	causes = wordlists.Set("caused aggravated relieved exacerbated worsened triggered improved precipitated alleviated provoked modified affected influenced covered funded powered limited complicated followed multiplied divided replaced " +
		"needed required surrounded fed nourished transmitted induced explained mediated evidenced " +
		"causado causada provocado provocada desencadenado desencadenada producido producida agravado agravada aliviado aliviada inducido inducida financiado financiada mediado mediada limitado limitada sustituido sustituida transmitido transmitida explicado explicada")
)

// headingKey returns a heading in the form of lists/columns.txt.
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

// isRow reports whether cells are those of a row: one is not empty, or two if there may be only one.
func isRow(text string, cells []cell, two bool) bool {
	full := 0
	for _, c := range cells {
		if strings.ContainsFunc(text[c.start:c.end], isAlnum) {
			full++
		}
	}
	return full > 1 || full == 1 && !two
}

// isRuler reports whether a line only separates rows.
func isRuler(line string) bool {
	return len(line) > 2 && strings.Trim(line, "-=_+|: \t\r") == ""
}

// decide finds out which columns have values that all fit, and reports whether it is a table.
func (t *table) decide(text string) bool {
	if len(t.rows) == 0 || t.isForm(text) {
		return false
	}
	is := t.certain
	for i := range t.columns {
		c := &t.columns[i]
		t.dated = t.dated || c.typ == day && c.period && t.isImproper(text, i)
		c.fits = (!c.certain || isPerson(c.typ)) && t.fit(text, i)
		is = is || c.fits && !c.certain || c.certain && slices.Contains([]string{words, places, clock}, c.typ)
	}
	return is
}

// isForm reports whether it is a list of labels and values side by side: some of the first line are values, and most of the cells below its labels are
// labels, also below one of PHI.
func (t table) isForm(text string) bool {
	if t.headed {
		return false
	}
	all, labels := 0, 0
	for i, c := range t.head {
		if !isHeading(text[c.start:c.end]) {
			continue
		}
		before := labels
		for cells := range t.in(i) {
			all++
			if isHeading(text[cells[i].start:cells[i].end]) {
				labels++
			}
		}
		if labels == before && isPerson(t.columns[i].typ) {
			return false
		}
	}
	return all > 0 && 3*labels >= 2*all
}

// fit reports whether all values of a column fit. At least two of them must be certain; if the heading is, two may also be names that are ordinary words.
func (t table) fit(text string, i int) bool {
	c := t.columns[i]
	is := values[c.typ]
	if is == nil {
		return false
	}
	certain, listed, named := 0, 0, 0
	for cells := range t.in(i) {
		value := text[cells[i].start:cells[i].end]
		if isHeading(value) {
			return false // as in a list of labels and values
		}
		if isPerson(c.typ) {
			value = bare(value)
		}
		switch {
		case is(value):
			certain++
			if hasGivenName(value) {
				named++
			}
		case isPerson(c.typ) && isListedName(value):
			listed++
		case isEmpty(value), c.typ == "DATE" && yearCell.MatchString(value):
		default:
			return false
		}
	}
	return certain > 1 && (!c.named || 2*named >= certain) || c.certain && certain+listed > 1
}

// in returns the rows that have a value in a column.
func (t table) in(column int) iter.Seq[[]cell] {
	return func(yield func([]cell) bool) {
		for _, cells := range t.rows {
			if column < len(cells) && cells[column].start < cells[column].end && !yield(cells) {
				return
			}
		}
	}
}

// appendValues appends the values of the table.
func (t table) appendValues(found []data.Span, text string) []data.Span {
	scores := make([]bool, len(t.columns)) // whether the fractions in a column are scores
	for i, c := range t.columns {
		scores[i] = c.typ == day && !t.isCalendar(text, i)
	}
	for _, cells := range t.rows {
		for i, c := range cells {
			column := t.columns[i]
			if !column.certain && !column.fits || slices.Contains([]string{clock, words, places, ranges, test}, column.typ) {
				continue
			}
			if isPerson(column.typ) {
				c = withoutTitle(text, c)
			}
			typ, is := column.typ, values[column.typ]
			if is == nil || c.start == c.end || c.end-c.start > maxCell || scores[i] && shortDay.MatchString(text[c.start:c.end]) {
				continue
			}
			if value := text[c.start:c.end]; !is(value) && (!column.fits || !isPerson(typ) || !isListedName(value)) {
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

// isPerson reports whether the values of columns of a type are names.
func isPerson(typ string) bool { return typ == "PATIENT" || typ == "DOCTOR" }

// addCells adds the cells of the table, its headings included, and among them those that are no PHI or no names:
//
//   - those that its headings tell not to be PHI: ranges of results, such as 12-16 below Reference, which a model may take for dates, fractions such as 3/10 below Pain, short
//     numbers below HR, abbreviations of tests, times of day such as 0742, and ordinary words such as Fall below Reason
//   - those that are words and no names: below headings such as Event, if half of their column are known words
//   - the short numbers and the known words of columns whose values are no PHI
func (t table) addCells(all *spansOfTables, text string) {
	for _, line := range append([][]cell{t.head}, t.rows...) {
		all.cells = append(all.cells, spansOfCells(line, func(int, cell) bool { return true })...)
	}
	all.never = append(all.never, spansOfCells(t.head, func(_ int, c cell) bool { return isHeading(text[c.start:c.end]) })...)
	all.persons = append(all.persons, spansOfCells(t.head, func(_ int, c cell) bool { return areWords(text[c.start:c.end]) })...)
	clocks, worded, scored := make([]bool, len(t.columns)), make([]bool, len(t.columns)), t.scores(text)
	for i, c := range t.columns {
		clocks[i] = t.isClock(text, i)
		worded[i] = slices.Contains([]string{words, places, test}, c.typ) && t.hasWords(text, i)
	}
	for _, cells := range t.rows {
		if len(cells) != len(t.columns) { // as in a signature below the table
			continue
		}
		results := scored.of(text, cells)
		isTablet := func(i int, c cell) bool { return t.columns[i].dose && tabletCell.MatchString(text[c.start:c.end]) }
		all.tablets = append(all.tablets, spansOfCells(cells, isTablet)...)
		all.never = append(all.never, spansOfCells(cells, func(i int, c cell) bool {
			column, value := t.columns[i], text[c.start:c.end]
			return results[i] || column.numbers && shortNumber.MatchString(value) || clocks[i] || worded[i] && column.typ == words && isOrdinary(value) ||
				(column.typ == ranges || column.typ == test) && values[column.typ](value) || isTablet(i, c)
		})...)
		all.persons = append(all.persons, spansOfCells(cells, func(i int, c cell) bool { return worded[i] && mayBeWords(text[c.start:c.end]) })...)
		all.plain = append(all.plain, spansOfCells(cells, func(i int, c cell) bool {
			value := text[c.start:c.end]
			return t.columns[i].plain && (shortNumber.MatchString(value) || areWords(value))
		})...)
	}
}

// spansOfCells returns the cells of a line that are not empty and of a kind.
func spansOfCells(line []cell, is func(i int, c cell) bool) (found []data.Span) {
	for i, c := range line {
		if c.start < c.end && is(i, c) {
			found = append(found, data.Span{Start: c.start, End: c.end})
		}
	}
	return found
}

// hasWords reports whether at least half of the cells of a column are known words.
func (t table) hasWords(text string, column int) bool {
	all, known := 0, 0
	for cells := range t.in(column) {
		all++
		if areWords(text[cells[column].start:cells[column].end]) {
			known++
		}
	}
	return 2*known >= all
}

// isClock reports whether all cells of a column of times or days are times such as 0742; below In and Out there may be amounts as well. If all of them may be years, those of days are not.
func (t table) isClock(text string, column int) bool {
	typ := t.columns[column].typ
	if typ != clock && typ != day {
		return false
	}
	all, years := 0, 0
	for cells := range t.in(column) {
		value := text[cells[column].start:cells[column].end]
		if !clockCell.MatchString(value) && (typ != clock || !amountCell.MatchString(value)) {
			return false
		}
		all++
		if yearCell.MatchString(value) {
			years++
		}
	}
	return all > 0 && (typ == clock || years < all)
}

// shortDay matches what may be a day and a month or a score.
var shortDay = lazyregexp.New(`^([0-9]{1,2})([/-])([0-9]{1,2})$`)

// isImproper reports whether a fraction in a column is greater than one.
func (t table) isImproper(text string, column int) bool {
	for cells := range t.in(column) {
		if m := shortDay.FindStringSubmatch(text[cells[column].start:cells[column].end]); m != nil && number(m[1]) > number(m[3]) {
			return true
		}
	}
	return false
}

// isCalendar reports whether the fractions in a column may all be days and months. They are scores if one is none, or if
// all have the same second number, of which many scores are, unless the table has no scores.
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
	if len(first) < 2 || len(second) > 1 || t.dated && t.columns[column].period {
		return true
	}
	for of := range second {
		return !slices.Contains([]string{"3", "5", "7", "10", "15", "20", "30"}, of)
	}
	return true
}
