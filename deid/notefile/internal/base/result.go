package base

import (
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// IsResult reports whether a text is, as a whole, a measured result or a range of results: a number, a fraction or score (8/9), a titre
// (1:64) or a range (10-12), perhaps with a comparison, a sign, a unit, pluses or a flag such as H. What could be a date, a telephone number, a
// place or an identifier is none: a number of more than six digits or with zeros before it, three numbers with separators, the forms 2071-03, 207103,
// 12/71 and 555-1234, and, if it has no unit, comparison or flag, a number of more than four digits that does not end in 000 (90210, 040371) and one with
// many decimals (42.3601).
func IsResult(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) > maxResult || otherNumber.MatchString(text) {
		return false
	}
	for _, form := range []*lazyregexp.Regexp{bareRange, measuredRange} {
		if m := form.FindStringSubmatch(text); m != nil {
			low, err1 := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
			high, err2 := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64)
			return err1 != nil || err2 != nil || low <= high
		}
	}
	return singleResult.MatchString(text)
}

// maxResult is the maximum length of a result.
const maxResult = 60

// The parts of results.
const (
	order        = `(?:[<>≤≥]|<=|>=|=<|=>)\s?`
	comparison   = `(?:` + order + `|[=~≈±]\s?)?`
	resultNumber = `(?:(?:0|[1-9]\d{0,5})(?:[.,]\d{1,6})?|[1-9]\d{0,2}(?:,\d{3}){1,2}(?:\.\d{1,3})?|\.\d{1,6})`
	// bareNumber is a number that is a result without a unit, a comparison or a flag.
	bareNumber  = `(?:\d(?:[.,]\d{1,6})?|[1-9]\d{1,3}(?:[.,]\d{1,3})?|[1-9]\d{1,2}000|[1-9]\d{0,2}(?:,\d{3}){1,2}(?:\.\d{1,3})?|\.\d{1,6})`
	smallNumber = `(?:0|[1-9]\d{0,2})(?:\.\d{1,2})?`
	power       = `(?:\s?[xX*×]?\s?10\s?(?:\*\*?|\^|[eE])\s?\d{1,2}|\s?[eE][-+]?\d{1,2})`
	simpleUnit  = `(?:[kKMmcdunpfµμ]?(?:cg|g|mcg|mcmol|L|l|mol|mole|Eq|eq|[oO]sm|OsM|U|u|IU|iu|Pa|Hg|m|s|V|v|Hz|cal|Bq|Gy|Sv|J)|kat|mcg|mcL|mcU|mcmol|` +
		`mm ?\[?Hg\]?|cm ?\[?H2O\]?|mmHg|torr|bpm|BPM|beats|breaths|min|hr?|sec|msec|hours?|minutes?|seconds?|lbs?|kgs|in|inches|ft|oz|cc|` +
		`cells?|hpf|HPF|lpf|LPF|field|titer|titre|[uU]nits?|copies|cop|ratio|index|CFU|cfu|PFU|GPL|MPL|SD|%|‰|[kK]|` +
		`(?:°|º|deg)? ?[CF]|mEq|WBC|RBC|Cr|creat|creatinine|1[.,]73 ?m\^?2|m\^?2|m²|mm\^?2|mm\^?3|mm³|[muµμ]L)`
	perUnit      = `\s?/\s?(?:\d{0,4}\s?)(?:` + simpleUnit + `|d|days?)` // a number of days is an age
	measured     = `(?:\s?\[?` + simpleUnit + `\]?(?:` + perUnit + `){0,3}|(?:` + perUnit + `){1,3})`
	unit         = `(?:` + measured + `)?`
	flag         = `(?:\s?(?:\*|\(?(?:HH?|LL?)\)?))`
	resultFlag   = flag + `?`
	resultHyphen = `\s?(?:-|–|—|to|\.\.)\s?`
)

var (
	singleResult = lazyregexp.New(`^(?:[=~≈±]?\s?[-+]?` + bareNumber + // 1234
		`|` + order + `[-+]?` + resultNumber + power + `?` + unit + resultFlag + // <5
		`|` + comparison + `[-+]?` + resultNumber + `(?:` + power + unit + resultFlag + `|` + measured + resultFlag + `|` + flag + `)` + // 7.5 mg/dL, 250000 H
		`|` + comparison + `(?:` + smallNumber + `\s?/\s?` + smallNumber + unit + resultFlag + // 8/9, 120/80 mmHg
		`|[1-9]\d?\s?:\s?1|1\s?:\s?[1-9]\d{0,5}` + // 1:64
		`|\d\s?\+{1,4}|\+{1,4}\s?\d?))$`) // 3+
	bareRange     = lazyregexp.New(`^\(?\[?([-+]?` + bareNumber + `)` + resultHyphen + `([-+]?` + bareNumber + `)\)?\]?$`)
	measuredRange = lazyregexp.New(`^\(?\[?([-+]?` + resultNumber + `)` + power + `?` + unit + resultHyphen + `([-+]?` + resultNumber + `)(?:` + power + unit + `|` + measured + `)\)?\]?$`)
	// otherNumber matches months with their year (2071-03, 12/71), days of six digits that end in 000 and telephone numbers, which have the form of numbers,
	// fractions or ranges as well. Two round numbers (200-1500) are a range.
	otherNumber = lazyregexp.New(`^(?:(?:19|20|21)\d{2}(?:[-./]?(?:0[1-9]|1[0-2])|\s?[-–]\s?(?:19|20|21)\d{2})|(?:0?[1-9]|1[0-2])\s?/\s?(?:3[2-9]|[4-9]\d)` +
		`|(?:1[0-2][1-3]0|(?:[12]\d|3[01])10)00|[2-9](?:\d[1-9]|[1-9]0)\s?[-.–—]\s?\d{4}|[2-9]00\s?[-.–—]\s?\d{2}(?:[1-9]\d|0[1-9]))$`)
)
