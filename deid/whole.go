package deid

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// whole corrects the boundaries of a tagger's spans. The result may be unsorted and may overlap.
//
//   - A span grows to whole tokens. A tagger whose tokens end where letters meet digits may find only 412 in the room
//     412b, or OCTOBER 2 in OCTOBER 2ND.
//   - A span does not grow over text that is not part of the value: a label (MRN554433), a unit (67yo, 10mg), a time
//     (2071-03-04T10:15), or another word in camel case (AmundsenSeen).
//   - Ruled lines, such as separators and the borders of tables, are cut out. A span without a letter or a digit is dropped.
//   - A date grows over the first day of its range (3 to 5 March) and over its day of the week. Conjunctions at its ends are cut off, and a date that is only one is dropped. Beside a day and month in digits, others
//     on the same line are dates, too. A date that the end of a line divides is one.
//   - A number at the end is cut off if a unit or the rest of a time follows it: the tagger may find "May 6 10" in
//     "May 6 10 units", where 10 is a dose. A blood pressure such as 120/80 is dropped if the tagger mistakes it for a date, and so is a
//     time of day such as 14-45-00 after a date.
//   - An age grows over its fraction (92.5) and over the plus of 90+, and what is left of 1,104 months is none.
//   - What begins with the frequency of a dose, such as c/12h (every 12 hours), is cut off a street.
//   - A person's span that has one bracket or quote of a pair is divided there, as in "(B) Lund", and the ending of the word before a span is no part of it: Lund's clinic.
//   - The results and doses beside months and weekdays are cut out of dates (see withoutValues), and a number that is a time of day rather than a year is none.
//   - The extension of a file's name (Lund_Oda.pdf) is cut off.
//   - Ordinary words in lower case and medical shorthand (L hand) after a person's name are cut off, and initials beside it are added. A title that was found as a
//     name of its own, before the name, is dropped.
func whole(text string, spans []data.Span, sort func(typ string) data.Sort) []data.Span {
	spans = slices.Clone(spans)
	data.SortSpans(spans)
	spans = sentinelsApart(text, rejoined(text, withoutLabels(text, withoutTitles(text, spans, sort), sort), sort), sort)
	var all []data.Span
	for i, s := range spans {
		from, to := 0, len(text) // a span does not grow into its neighbours: MT55555 may be a state and a postal code
		if i > 0 && spans[i-1].End <= s.Start {
			from = spans[i-1].End
		}
		if i+1 < len(spans) && spans[i+1].Start >= s.End {
			to = spans[i+1].Start
		}
		for _, part := range datesWithoutValues(text, apart(text, valuesApart(text, outsideBrackets(text, withoutRulers(text, s, sort), sort), sort), sort), sort) {
			if part, ok := wholePart(text, part, from, to, sort(part.Type)); ok {
				all = append(all, part)
			}
		}
	}
	return append(all, daysBetween(text, all, sort)...)
}

// wholePart corrects the boundaries of a span of one sort within text[from:to], between its neighbours. It reports whether the span is still one of PHI.
func wholePart(text string, s data.Span, from, to int, sort data.Sort) (data.Span, bool) {
	if s.Start += len(possessive(text, s)); !hasWord(text[s.Start:s.End]) {
		return s, false
	}
	if sort == data.Date {
		if s = withoutConjunctions(text, s); isConjunction(text, s, sort) {
			return s, false
		}
	}
	if s.End = withoutAmount(text, s, sort); s.Start == s.End || isPublic(text, s, sort) {
		return s, false
	}
	if sort == data.Age && s.End-s.Start == 3 && ofThousands.MatchString(before(text, s, 2)) && beginsWithDigit(text[s.Start:]) {
		return s, false
	}
	if sort == data.Person {
		s.End = withoutOrdinary(text, s)
		if s.End = withoutShorthand(text, s); s.Start == s.End {
			return s, false
		}
	}
	s.Start, s.End = max(from, growLeft(text, s, sort)), min(to, growRight(text, s, sort))
	switch sort {
	case data.Date:
		if isParity(text, s) || inPanel(text, s) || isAllDay(text, s) {
			return s, false
		}
		s = dayBefore(text, withShortYear(text, withRange(text, overLines(text, s, from, to), from, to), to), from)
	case data.Age:
		if beginsWithDigit(text[s.End-1:]) {
			s = rightOver(text, s, restOfAge, 8, to)
		}
	case data.Street:
		if m := everyHours.FindStringIndex(text[s.Start:min(len(text), s.End+len("/12 horas"))]); m != nil {
			s.End = min(s.End, s.Start+m[0])
		}
	case data.Person:
		s = withInitials(text, s, from, to)
		if end := overLineEnd(text, s); end <= to {
			s.End = end
		}
	}
	if sort != data.URL && sort != data.Email {
		s.End -= len(extension.FindString(text[s.Start:s.End]))
	}
	return s, s.Start < s.End
}

// possessive returns the ending of the word before a span that the span begins with, and the blank behind it: 's in "Dr Lund's clinic".
func possessive(text string, s data.Span) string {
	if r, _ := utf8.DecodeLastRuneInString(text[:s.Start]); !unicode.IsLetter(r) {
		return ""
	}
	m := possessiveEnd.FindStringSubmatch(text[s.Start:s.End])
	if m == nil {
		return ""
	}
	return m[1]
}

var possessiveEnd = lazyregexp.New(`^(['’]s(?:\s+|$))(?:\p{Ll}|$)`)

// before returns at most n bytes of a text before a span.
func before(text string, s data.Span, n int) string { return text[max(0, s.Start-n):s.Start] }

// after returns at most n bytes of a text after a span.
func after(text string, s data.Span, n int) string { return text[s.End:min(len(text), s.End+n)] }

// leftOver makes a span grow over what the first group of an expression matches in the n bytes before it, if that is not before from.
func leftOver(text string, s data.Span, expression *lazyregexp.Regexp, n, from int) data.Span {
	beside := before(text, s, n)
	if m := expression.FindStringSubmatchIndex(beside); m != nil && s.Start-len(beside)+m[2] >= from {
		s.Start -= len(beside) - m[2]
	}
	return s
}

// rightOver makes a span grow over what the first group of an expression matches in the n bytes after it, if that is not behind to.
func rightOver(text string, s data.Span, expression *lazyregexp.Regexp, n, to int) data.Span {
	if m := expression.FindStringSubmatchIndex(after(text, s, n)); m != nil && s.End+m[3] <= to {
		s.End += m[3]
	}
	return s
}

// extension matches the extension of the name of a file.
var extension = lazyregexp.New(`\.(?i:pdf|docx?|txt|rtf|odt|xml|html?|json|csv|xlsx?|jpe?g|png|gif|tiff?|bmp|dcm|hl7|zip|gz|mp[34]|wav|eml|msg)$`)

// drawn contains the characters of ruled lines.
const drawn = "-=_*+~#.|¦│┃║─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬"

// ruler matches a ruled line: a separator of three characters or more, or the border of a table cell, such as a tab.
var ruler = lazyregexp.New(`\t+|[-=_*+~#.]{3,}|[|¦│┃║─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬]+|\+-+\+?`)

// columns matches a part of a line that is divided by wide gaps.
var columns = lazyregexp.New(`[^ \r\n] {3,}[^ \r\n]|[^ \r\n] {2,}[^\r\n]*[^ \r\n] {2,}[^ \r\n]`)

// tagName matches the name of a tag of HTML or C-CDA with its bracket, or the bracket at its end.
var tagName = lazyregexp.New(`(?:</?(?i:table|thead|tbody|tfoot|tr|td|th|caption|colgroup|col|p|br|hr|div|span|pre|b|i|u|em|strong|small|sup|sub|font|a|ul|ol|li|dl|dt|dd|h[1-6]|html|head|body|title|content|paragraph|list|item)(?:\s*/?>|\s|$)|/?>)`)

// rulerOrLine also matches the end of a line.
var rulerOrLine = lazyregexp.New(`[\r\n]+|` + ruler.String())

// rulerOrGap also matches the gap between two columns of names.
var rulerOrGap = lazyregexp.New(` {3,}|` + rulerOrLine.String())

// wideGap matches a gap between two columns.
var wideGap = lazyregexp.New(`[^ \r\n] {3,}[^ \r\n]`)

// byCell cuts the spans that the safety net finds at the borders of cells: a known name may be in two of them.
func byCell(text string, spans []data.Span, sort func(typ string) data.Sort) []data.Span {
	var parts []data.Span
	for _, s := range spans {
		if value := text[s.Start:s.End]; strings.Contains(value, "\t") || strings.Contains(value, "   ") {
			parts = append(parts, withoutRulers(text, s, sort)...)
		} else {
			parts = append(parts, s)
		}
	}
	return parts
}

// withoutRulers cuts ruled lines out of a span, and the gaps between columns out of one of a person. It returns the parts that contain a letter or a digit, without
// white space around them.
func withoutRulers(text string, s data.Span, sort func(typ string) data.Sort) []data.Span {
	value := text[s.Start:s.End]
	var cuts [][]int
	switch {
	case overlapsMarkup(text, s):
		cuts = markupWithin(text, s)
	case strings.Contains(value, "   ") && sort(s.Type) == data.Person && wideGap.MatchString(value):
		cuts = rulerOrGap.FindAllStringIndex(value, -1)
	case strings.ContainsAny(value, "\t|") || strings.Contains(value, "\n") && inColumns(text, s): // cells of a table, perhaps of several rows
		cuts = rulerOrLine.FindAllStringIndex(value, -1)
	case strings.ContainsAny(value, drawn):
		cuts = ruler.FindAllStringIndex(value, -1)
	}
	if len(cuts) == 0 && hasWord(value) {
		return []data.Span{s}
	}
	var parts []data.Span
	at := 0
	for _, cut := range append(cuts, []int{len(value), len(value)}) {
		part := s
		part.Start, part.End = s.Start+at, s.Start+cut[0]
		if hasWord(text[part.Start:part.End]) {
			parts = append(parts, withoutBlanks(text, part))
		}
		at = cut[1]
	}
	return parts
}

// withoutBlanks returns a span without the white space at its ends.
func withoutBlanks(text string, s data.Span) data.Span {
	value := text[s.Start:s.End]
	s.Start = s.End - len(strings.TrimLeftFunc(value, unicode.IsSpace))
	s.End = s.Start + len(strings.TrimSpace(value))
	return s
}

// inColumns reports whether a line of a span is divided into columns by blanks.
func inColumns(text string, s data.Span) bool {
	line, _ := lineAround(text, s, sameLine)
	return columns.MatchString(line)
}

// sameLine is how many bytes of a line before and after a span are read.
const sameLine = 160

// lineAround returns the lines of a span, with at most n bytes before and after it, and where they begin in the text.
func lineAround(text string, s data.Span, n int) (line string, at int) {
	left, right := before(text, s, n), after(text, s, n)
	at = s.Start - len(left) + strings.LastIndexByte(left, '\n') + 1
	right, _, _ = strings.Cut(right, "\n")
	return text[at : s.End+len(right)], at
}

// overlapsMarkup reports whether a span may have a part of a tag of HTML in it, or be one.
func overlapsMarkup(text string, s data.Span) bool {
	return strings.ContainsAny(text[s.Start:s.End], "<>") || s.Start > 0 && strings.IndexByte("</", text[s.Start-1]) >= 0 && s.End < len(text) && text[s.End] == '>'
}

// markupWithin returns the names and brackets of tags of HTML in a span, by their place in it. What is in their attributes may be PHI.
func markupWithin(text string, s data.Span) (cuts [][]int) {
	from := max(0, s.Start-16)
	for _, m := range tagName.FindAllStringIndex(text[from:min(len(text), s.End+16)], -1) {
		start, end := max(from+m[0], s.Start), min(from+m[1], s.End)
		if start < end {
			cuts = append(cuts, []int{start - s.Start, end - s.Start})
		}
	}
	return cuts
}

// withoutAmount cuts an amount off the end of a number, a date or an age, and returns the new end of the span. If the
// span contains nothing but the amount, its new end is its start.
func withoutAmount(text string, s data.Span, sort data.Sort) int {
	if sort == data.Person || !slices.Contains(numeral, sort) && sort != data.Date && sort != data.Age {
		return s.End
	}
	value := text[s.Start:s.End]
	if sort == data.Date && isClock(text, s) {
		return s.Start
	}
	if len(value) <= len("120/100") && strings.Contains(value, "/") {
		if m := pressure.FindStringSubmatch(value); m != nil && (len(m[1]) > 2 || m[1] > "31" && m[2] > "31") {
			return s.Start
		}
	}
	beside := after(text, s, longestMeasure)
	if !mayBeMeasure(beside) {
		return s.End
	}
	var m []int
	if measure.MatchString(beside) {
		m = lastNumber.FindStringIndex(value)
	}
	if m == nil && fractionOf.MatchString(beside) {
		m = lastFraction.FindStringIndex(value)
	}
	if m == nil {
		return s.End
	}
	return s.Start + len(strings.TrimRightFunc(value[:m[0]], unicode.IsSpace))
}

// withoutOrdinary cuts ordinary words in lower case off the end of a person's span, and returns the new end. The tagger may
// mistake all of "Lund agrees" for a name.
func withoutOrdinary(text string, s data.Span) int {
	value := text[s.Start:s.End]
	for {
		i := strings.LastIndexAny(value, " \t\n")
		last := value[i+1:]
		if i < 0 || !strings.ContainsFunc(last, unicode.IsLetter) || strings.ToLower(last) != last || !wordlists.Common(fold.Fold(last)) {
			break
		}
		value = strings.TrimRightFunc(value[:i], unicode.IsSpace)
	}
	if !strings.ContainsFunc(value, unicode.IsUpper) {
		return s.End
	}
	return s.Start + len(value)
}

// beforePublic is how many bytes before an identifier are read for its label.
const beforePublic = 32

// isPublic reports whether a span is an identifier of a publication, a trial, a gene variant or a substance, a code of a terminology, the sun in lower case, or a date such as 9999-12-31 that
// was mistaken for a number: all are public.
func isPublic(text string, s data.Span, sort data.Sort) bool {
	switch {
	case sort == data.Date:
		return text[s.Start:s.End] == "sun" && strings.HasSuffix(text[:s.Start], " the ")
	case slices.Contains(numeral, sort) || sort == data.IP:
		value, labelled := text[s.Start:s.End], text[max(0, s.Start-beforePublic):s.End]
		if surrogate.IsSentinel(value) && strings.ContainsAny(value, "-/. ") {
			return true
		}
		if (strings.HasPrefix(value, "NCT") || strings.HasPrefix(value, "rs")) && publicNumber.MatchString(value) {
			return true
		}
		return hasPublicLabel(labelled) && (publicLabelled.MatchString(labelled) || codeLabelled.MatchString(labelled))
	}
	return false
}

// hasPublicLabel reports whether a text may contain a label of publicLabelled or codeLabelled. It is faster than the expression, which few numbers match.
func hasPublicLabel(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(publicLabels, func(label string) bool { return strings.Contains(text, label) || strings.Contains(lower, label) })
}

// publicLabels are parts of the labels of publicLabelled and codeLabelled. Those that may be in any case are in lower case.
var publicLabels = []string{"PMID", "EudraCT", "EC", "MIM", "MeSH", "UMLS", "CUI", "CUPS", "CAS", "SNOMED", "LOINC", "doi", "nacional", "rxnorm", "rxcui", "atc", "UNII", "ISRCTN", "ACTRN", "GTIN",
	"SCTID", "sctid", "snomed", "GO", "HP", "NDC", "ndc", "BNF", "dm+d", "NAICS", "SOC", "GPI", "GCN", "HICL", "NANDA", "concept_", "loinc", "unii", "gtin", "mesh", "umls",
	"meddra", "HCPCS", "DRG", "GRD"}

// isAmount reports whether what follows a number shows that it is an amount.
func isAmount(text string, s data.Span) bool {
	beside := after(text, s, longestMeasure)
	return measure.MatchString(beside) || fractionOf.MatchString(beside)
}

// longestMeasure is how many bytes after a number are read to see whether it is an amount.
const longestMeasure = 16

var (
	publicNumber   = lazyregexp.New(`^(?:NCT[0-9]{8}|rs[0-9]{4,10})$`)
	publicLabelled = lazyregexp.New(`\b(?:PMID[ :#]{0,2}[0-9]{5,9}|(?i:doi)[ :]{0,2}10\.[0-9]{4,9}/\S+|EudraCT(?: (?:no\.?|number))?[ :]{0,2}[0-9]{4}-[0-9]{6}-[0-9]{2}|O?MIM[ :#*]{0,2}[0-9]{6}|` +
		`MeSH[ :]{0,2}[CD][0-9]{6,9}|(?:UMLS|CUI)[ :]{0,2}C[0-9]{7}|CAS(?: (?:no\.?|number))?[ :#]{0,2}[0-9]{2,7}-[0-9]{2}-[0-9]|EC ?[0-9](?:\.[0-9]{1,3}){3}|` +
		`CUPS[ :]{0,2}[0-9]{6}|SNOMED(?: CT)?[ :]{0,2}[0-9]{6,18}|LOINC[ :]{0,2}[0-9]{1,5}-[0-9]|(?i:c[óo]digo nacional)[ :]{0,2}[0-9]{6}(?:\.[0-9])?)$`)
	// codeLabelled matches a code behind the name of its terminology, or of a column that has such codes.
	codeLabelled = lazyregexp.New(`\b(?:(?i:rxnorm|rxcui)` + codeWord + `[0-9]{2,8}|(?:ATC|atc)(?:_code)?` + codeWord + `[A-Z][0-9]{2}(?:[A-Z]{1,2}(?:[0-9]{2})?)?|(?:UNII|unii)` + codeWord + `[0-9A-Z]{10}|(?:ISRCTN(?: number)?[ :#]{0,2})?ISRCTN ?[0-9]{8}|` +
		`ISRCTN[ :#]{1,2}[0-9]{8}|(?:ACTRN[ :]{0,2})?ACTRN ?[0-9]{14}|(?:GTIN|gtin)(?:-?1[234]|-?8)?` + codeWord + `(?:[0-9]{8}|[0-9]{12,14})|(?:SCTID|sctid|snomed(?:_ct)?(?:_(?:code|id))?|SNOMED(?:[- ]CT)?)` + codeWord + `[0-9]{6,18}|` +
		`(?i:meddra)` + codeWord + `10[0-9]{6}|HPO[ :#]{1,2}[0-9]{7}|HCPCS` + codeWord + `[A-V][0-9]{4}|(?:(?:MS-)?DRG|GRD)[ :#]{1,2}[0-9]{3}|(?:GO(?: term)?[ :]{1,2})?GO:[0-9]{7}|(?:HPO?(?: term)?[ :]{1,2})?HP:[0-9]{7}|(?:NDC|ndc)` + codeWord + `(?:[0-9]{10,11}|[0-9]{4,5}-[0-9]{3,4}(?:-[0-9]{1,2})?)|BNF(?: code)?` + codeWord + `[0-9]{7}[0-9A-Z]{8}|dm\+d` + codeWord + `[0-9]{6,18}|` +
		`NAICS` + codeWord + `[0-9]{2,6}|SOC code` + codeWord + `[0-9]{2}-[0-9]{4}|GPI` + codeWord + `(?:[0-9]{10}|[0-9]{12}|[0-9]{14})|(?:GCN|HICL)(?: ?(?:seqno|SEQNO|sequence))?` + codeWord + `[0-9]{4,6}|NANDA(?:-I)?` + codeWord + `00[0-9]{3}|` +
		`(?:CAS|cas)(?:_number|[ -](?:RN|(?i:registry)(?: (?i:no\.?|number))?))?` + codeWord + `[0-9]{2,7}-[0-9]{2}-[0-9]|(?:(?:UMLS|umls)(?:[ _](?:CUI|cui))?|CUI|cui)` + codeWord + `C[0-9]{7}|` +
		`(?:[a-z]{2,16}_){0,4}concept_(?:id|code)["']?[ :=|]{1,3}["']?[0-9]{1,10}|(?:loinc|mesh)(?:_(?:code|id|num))?["']?[ :=|]{1,3}["']?(?:[0-9]{1,5}-[0-9]|[CD][0-9]{6,9}))$`)
	pressure     = lazyregexp.New(`^([0-9]{2,3})/([0-9]{2,3})$`)
	lastNumber   = lazyregexp.New(`(?:^|[ \t])[0-9]{1,4}(?:[.,][0-9]{1,3})?$`)
	lastFraction = lazyregexp.New(`(?:^|[ \t])(?:1/[2348]|[23]/[34]|[0-5]/5)$`)
	ofThousands  = lazyregexp.New(`[0-9],$`)
	restOfAge    = lazyregexp.New(`^(\+|[.,][0-9]|[ -]1/2|½)(?:[^0-9/%]|$)`)
	fractionOf   = lazyregexp.New(`^(?: ?(?:tabs?|tablets?|pills?|caps|capsules?|comp|comprimidos?|pastillas?|patch(?:es)?)| strength)\b`)
	measure      = lazyregexp.New(`^(?:[ -]?(?:mg|mcg|ml|mL|cc|mEq|meq|mmol|mmHg|mm|cm|kg|lbs?|gtts?|[Uu]nits?|IU|UI|unidades|tabs?|tablets?|pills?|capsules?|comprimidos?|pastillas?|puffs|bpm|lpm|rpm|hrs?|hours?|horas?|MG|ML|MCG|UNITS|%)\b|[ ]?%|:[0-9]{2}\b|/10\b)`)
)

// mayBeMeasure reports whether measure or fractionOf may match a text. It is faster than they are.
func mayBeMeasure(text string) bool {
	if text != "" && (text[0] == ' ' || text[0] == '-') {
		text = text[1:]
	}
	return text != "" && strings.IndexByte("mcklgUuItpbrhM%:/s", text[0]) >= 0
}

// codeWord matches what may stand between the name of a terminology and a code.
const codeWord = `(?:[ _-](?i:codes?|concept|id|no\.?|number|n[úu]m(?:ero)?\.?|n\.?[º°]|c[óo]digo))?["']?[ :=#|(]{1,3}["']?`

// everyHours matches the frequency of a dose after a street: "C/ Mayor 12 c/12h".
var everyHours = lazyregexp.New(`[ ,;]+c/ ?[0-9]{1,2} ?(?:h|hs|hrs|horas)\b`)

// hasWord reports whether a text contains a letter or a digit.
func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// inToken reports whether a character is part of a token.
func inToken(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// numeral lists the sorts whose values may mix digits and letters.
var numeral = []data.Sort{data.Number, data.Phone, data.Zip, data.Room, data.Username, data.Other, ""}

// longestGrowth is how many bytes a span grows to each side: words are shorter, and the time is linear.
const longestGrowth = 256

// growLeft returns the start of the token that contains the start of the span, or the span's own start if the rest of the
// token is not part of the value.
func growLeft(text string, s data.Span, sort data.Sort) int {
	first, _ := utf8.DecodeRuneInString(text[s.Start:])
	if !inToken(first) {
		return s.Start
	}
	start := s.Start
	for start > max(0, s.Start-longestGrowth) {
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if !inToken(r) {
			break
		}
		start -= n
	}
	rest := text[start:s.Start]
	if rest == "" {
		return codeBefore(text, s, sort)
	}
	last, _ := utf8.DecodeLastRuneInString(rest)
	switch {
	case unicode.IsDigit(last) && unicode.IsDigit(first):
		return start
	case unicode.IsDigit(last): // 3North: digits before a letter are part of the value only if its sort is numeral
		if slices.Contains(numeral, sort) {
			return start
		}
		return s.Start
	case unicode.IsDigit(first): // MRN554433, H88
		if isLabel(rest) || sort == data.Date || sort == data.Age {
			return s.Start
		}
		return start
	case unicode.IsLower(last) && unicode.IsUpper(first): // patientAmundsen
		return s.Start
	}
	return start
}

// codeBefore returns the start of the letters that a hyphen joins to a number, as in CX-554433, or the span's own start if
// there are none.
func codeBefore(text string, s data.Span, sort data.Sort) int {
	if sort != data.Number {
		return s.Start
	}
	m := codePrefix.FindStringIndex(text[max(0, s.Start-8):s.Start])
	if m == nil {
		return s.Start
	}
	start := max(0, s.Start-8) + m[0]
	if r, _ := utf8.DecodeLastRuneInString(text[:start]); inToken(r) && start > 0 || isLabel(text[start:s.Start-1]) {
		return s.Start
	}
	return start
}

var (
	codePrefix = lazyregexp.New(`[A-Z]{1,4}-$`)
	checkDigit = lazyregexp.New(`^(-(?:[A-Za-z]|[0-9]{1,2})\pM*)(?:[^-/.,\pL\pN]|[.,](?:[^0-9]|$)|$)`)
)

// growRight returns the end of the token that contains the end of the span, or the end of the check digit after that
// token, or the span's own end if the rest of the token is not part of the value.
func growRight(text string, s data.Span, sort data.Sort) int {
	last, _ := utf8.DecodeLastRuneInString(text[:s.End])
	if !inToken(last) {
		return s.End
	}
	end := s.End
	for end < min(len(text), s.End+longestGrowth) {
		r, n := utf8.DecodeRuneInString(text[end:])
		if !inToken(r) {
			break
		}
		end += n
	}
	if end > s.End && !partOfValue(text, s.End, end, last, sort) {
		return s.End
	}
	if sort == data.Number || sort == data.Phone && unicode.IsDigit(last) {
		if m := checkDigit.FindStringSubmatchIndex(text[end:]); m != nil && (sort == data.Number || !beginsWithDigit(text[end+len("-"):])) { // 28.447.193-K
			end += m[3]
		}
	}
	return end
}

// partOfValue reports whether text[from:to], the rest of a token after a span, belongs to the value.
func partOfValue(text string, from, to int, last rune, sort data.Sort) bool {
	rest := text[from:to]
	next, _ := utf8.DecodeRuneInString(rest)
	folded := fold.Fold(rest)
	switch {
	case unicode.IsDigit(last) == unicode.IsDigit(next):
		return unicode.IsDigit(last) || !unicode.IsLower(last) || !unicode.IsUpper(next) // AmundsenSeen
	case unicode.IsDigit(next): // Amundsen77
		return true
	case units[folded], utf8.RuneCountInString(rest) > 1 && labelled.MatchString(text[to:min(len(text), to+4)]): // 3/4/71NA 133
		return false
	case sort == data.Age:
		return !ageUnits[folded] && utf8.RuneCountInString(rest) == 1 // 40RHM is a right-handed man
	case sort == data.Date:
		return ordinals[folded] || utf8.RuneCountInString(rest) == 1 && !clock.MatchString(text[from:min(len(text), from+8)])
	}
	return !isLabel(rest)
}

// isLabel reports whether letters beside a number are a separate word: a label such as MRN, or an ordinary word of at
// least three letters.
func isLabel(letters string) bool {
	folded := fold.Fold(letters)
	return labels[folded] || utf8.RuneCountInString(folded) > 2 && wordlists.Common(folded)
}

// labelled matches the start of the value after a label.
var labelled = lazyregexp.New(`^[ :=]{1,2}[0-9<>]`)

// clock matches a time of day that directly follows a date.
var clock = lazyregexp.New(`^(?:[Tt][0-9]{2}|[AaPp]\.?[Mm]\b|[Hh](?:rs?|\b))`)

var (
	labels = wordlists.Set(`at by in is of on to el en la al de mr ip mrn mrno mrnum id no nr num ssn ss dob dod doa ph tel fax fx cell pg pgr bpr ext x acct acc ref case chart unit room rm bed
		nhc nh dni nie nif cip cp tfno tlf telf movil nass nuss col colegiado episodio ep dr dra mr ms mrs sr sra age edad aged zip`)

	units = wordlists.Set(`mg mcg ug g gm gms gr kg kgs lb lbs oz ml cc l dl cl mm cm m km in ft meq mmol mol mosm iu ui u units unit mmhg cmh2o bpm lpm rpm
		hz khz mhz hr hrs hrly h min mins sec secs kcal cal fr ga gauge tab tabs cap caps pk ppd bid tid qid qd qhs prn po iv im sc sq pct am pm`)

	ageUnits = wordlists.Set(`y yo yof yom yr yrs year years yearold yearsold f m w fem masc mo mos month months wk wks week weeks d day days
		a an ano anos mes meses dia dias sem semanas s v h`)

	ordinals = wordlists.Set(`st nd rd th ª º er o a ro do to vo mo no`)
)
