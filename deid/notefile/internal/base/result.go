package base

import (
	"regexp"
	"strconv"
	"strings"
)

// IsResult reports whether a text is, as a whole, a measured result or a range of results: a number, a fraction or score (8/9), a titre
// (1:64) or a range (10-12), perhaps with a comparison, a sign, a unit, pluses or a flag such as H. What could be a full date, a telephone number or an
// identifier is none: a number of more than six digits or with zeros before it, three numbers with separators, and the forms 2071-03, 207103
// and 555-1234.
func IsResult(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) > maxResult || otherNumber.MatchString(text) {
		return false
	}
	if m := resultRange.FindStringSubmatch(text); m != nil {
		low, err1 := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
		high, err2 := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64)
		return err1 != nil || err2 != nil || low <= high
	}
	return singleResult.MatchString(text)
}

// maxResult is the maximum length of a result.
const maxResult = 60

// The parts of results.
const (
	comparison   = `(?:(?:[<>≤≥=~≈±]|<=|>=|=<|=>)\s?)?`
	resultNumber = `(?:(?:0|[1-9]\d{0,5})(?:[.,]\d{1,6})?|[1-9]\d{0,2}(?:,\d{3}){1,2}(?:\.\d{1,3})?|\.\d{1,6})`
	smallNumber  = `(?:0|[1-9]\d{0,2})(?:\.\d{1,2})?`
	power        = `(?:\s?[xX*×]?\s?10\s?(?:\*\*?|\^|[eE])\s?\d{1,2}|\s?[eE][-+]?\d{1,2})?`
	simpleUnit   = `(?:[kKMmcdunpfµμ]?(?:cg|g|mcg|mcmol|L|l|mol|mole|Eq|eq|[oO]sm|OsM|U|u|IU|iu|Pa|Hg|m|s|V|v|Hz|cal|Bq|Gy|Sv|J)|kat|mcg|mcL|mcU|mcmol|` +
		`mm ?\[?Hg\]?|cm ?\[?H2O\]?|mmHg|torr|bpm|BPM|beats|breaths|min|hr?|sec|msec|d|days?|hours?|minutes?|seconds?|lbs?|kgs|in|inches|ft|oz|cc|` +
		`cells?|hpf|HPF|lpf|LPF|field|titer|titre|[uU]nits?|copies|cop|ratio|index|CFU|cfu|PFU|GPL|MPL|SD|%|‰|[kK]|` +
		`(?:°|º|deg)? ?[CF]|mEq|WBC|RBC|Cr|creat|creatinine|1[.,]73 ?m\^?2|m\^?2|m²|mm\^?2|mm\^?3|mm³|[muµμ]L)`
	unit       = `(?:\s?\[?(?:` + simpleUnit + `)?\]?(?:\s?/\s?(?:\d{0,4}\s?)` + simpleUnit + `){0,3})`
	resultFlag = `(?:\s?(?:\*|\(?(?:HH?|LL?|N|A)\)?))?`
)

var (
	singleResult = regexp.MustCompile(`^` + comparison + `(?:[-+]?` + resultNumber + power + unit + resultFlag + // 7.5 mg/dL, <5, 250000 H
		`|` + smallNumber + `\s?/\s?` + smallNumber + unit + resultFlag + // 8/9, 120/80 mmHg
		`|[1-9]\d?\s?:\s?1|1\s?:\s?[1-9]\d{0,5}` + // 1:64
		`|\d\s?\+{1,4}|\+{1,4}\s?\d?)$`) // 3+
	resultRange = regexp.MustCompile(`^\(?\[?([-+]?` + resultNumber + `)` + power + unit + `\s?(?:-|–|—|to|\.\.)\s?([-+]?` + resultNumber + `)` + power + unit + `\)?\]?$`)
	// otherNumber matches months with their year and telephone numbers, which have the form of numbers or ranges as well.
	otherNumber = regexp.MustCompile(`^(?:(?:19|20|21)\d{2}(?:[-./]?(?:0[1-9]|1[0-2])|\s?[-–]\s?(?:19|20|21)\d{2})|[2-9]\d{2}[-.–]\d{2}(?:[1-9]\d|0[1-9]))$`)
)
