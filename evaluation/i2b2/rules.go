package i2b2

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// kind selects how the two sides are compared.
type kind int

const (
	token kind = iota
	strict
	relaxed
	binaryToken
	binaryStrict
)

// rule is one of the 42 evaluations.
type rule struct {
	script  string // its name in the script's output
	name    string // the corrected name
	kind    kind
	user    bool // the user's filter applies to it
	hipaa   bool // only HIPAA's tags are scored
	element int  // only tags of this element are scored; 0: all
}

// rules returns the 42 evaluations in the script's order.
func rules() []rule {
	all := []rule{
		{script: "Token", kind: token, user: true},
		{script: "Strict", kind: strict, user: true},
		{script: "Relaxed", kind: relaxed, user: true},
		{script: "HIPPA Token", kind: token, hipaa: true},
		{script: "HIPAA Strict", kind: strict, hipaa: true},
		{script: "HIPAA Relaxed", kind: relaxed, hipaa: true},
		{script: "Binary Token", kind: binaryToken},
		{script: "Binary Strict", kind: binaryStrict},
		{script: "Binary HIPPA Token", kind: binaryToken, hipaa: true},
		{script: "Binary HIPAA Strict", kind: binaryStrict, hipaa: true},
	}
	for i, e := range elements[phi+1:] {
		i += phi + 1
		all = append(all,
			rule{script: e.name + " Token", kind: token, element: i},
			rule{script: e.name + " Strict", kind: strict, element: i},
			rule{script: e.name + " HIPPA Token", kind: token, element: i, hipaa: true},
			rule{script: e.name + " Binary HIPAA Strict", kind: strict, element: i, hipaa: true})
	}
	for i := range all {
		r := &all[i]
		r.name = strings.Replace(r.script, "HIPPA", "HIPAA", 1)
		if r.kind != binaryToken && r.kind != binaryStrict {
			r.name = strings.Replace(r.name, "Binary ", "", 1)
		}
	}
	return all
}

// keeps reports whether the evaluation scores a tag of an element. The argument
// user already includes the inversion of the user's filter; the other evaluations
// are inverted as a whole.
func (r rule) keeps(element int, hipaa, user, invert bool) bool {
	switch {
	case r.user:
		return user
	case r.element == 0 && !r.hipaa:
		return true
	}
	kept := (r.element == 0 || r.element == element) && (hipaa || !r.hipaa)
	return kept != invert
}

// hipaa reports whether the script counts the tag as HIPAA's, by the prefix of
// its TYPE.
func hipaa(t *Tag) bool {
	return slices.ContainsFunc(elements[t.element].hipaa, func(start string) bool { return strings.HasPrefix(t.typ, start) })
}

// hipaaNames lists HIPAA's types as the script's manual does.
const hipaaNames = " PATIENT AGE CITY STREET ZIP ORGANIZATION DATE PHONE FAX EMAIL" +
	" SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM "

func correctedHIPAA(t *Tag) bool {
	return strings.Contains(hipaaNames, " "+strings.ToUpper(t.typ)+" ")
}

// filter returns a predicate for the user's filter, and warnings about words that
// do not filter anything.
func (o *Options) filter() (keeps func(*Tag) bool, warnings []string, err error) {
	if len(o.Filter) == 0 {
		switch alone := o.Invert || o.Conjunctive; {
		case alone && o.Corrected:
			return nil, nil, errors.New("invert and conjunctive require a filter")
		case alone:
			warnings = append(warnings, "without a filter, the script takes no notice of invert and conjunctive")
		}
		return func(*Tag) bool { return true }, warnings, nil
	}
	var words []func(*Tag) bool
	for _, word := range o.Filter {
		switch {
		case elementIndex(word) >= 0:
			words = append(words, func(t *Tag) bool { return elements[t.element].name == word })
		case o.Corrected && expected(phi, word):
			words = append(words, func(t *Tag) bool { return strings.EqualFold(t.typ, word) })
		case o.Corrected:
			return nil, nil, fmt.Errorf("filter %q is neither an element nor a type", word)
		case slices.Contains(riskWords, word):
			warnings = append(warnings, fmt.Sprintf("filter %q is of the cardiac risk track: no tag passes it, as in the script", word))
			words = append(words, func(*Tag) bool { return false })
		default:
			warnings = append(warnings, fmt.Sprintf("filter %q is not an element: every tag passes it, as in the script", word))
			words = append(words, func(*Tag) bool { return true })
		}
	}
	return func(t *Tag) bool {
		// A conjunctive filter requires all words, the other any.
		kept := o.Conjunctive
		for _, holds := range words {
			if holds(t) != o.Conjunctive {
				kept = !kept
				break
			}
		}
		return kept != o.Invert
	}, warnings, nil
}

// riskWords are attribute values of the cardiac risk track, which shares the
// script. A filter may contain them, but no tag of this track has such an
// attribute.
var riskWords = []string{
	"", "present", "not present", "mention", "a1c", "glucose", "event", "test", "symptom", "high bp", "high chol.",
	"high ldl", "high-ldl", "high-chol", "bmi", "waist circum.", "current", "past", "ever", "never", "unknown", "before dct",
	"during dct", "after dct", "continuing", "ace inhibitor", "amylin", "anti diabetes", "arb", "aspirin", "beta blocker",
	"calcium channel blocker", "diuretic", "dpp4 inhibitors", "ezetimibe", "fibrate", "glp1 agonists", "meglitinides", "insulin",
	"metformin", "niacin", "nitrate", "obesity", "statin", "sulfonylureas", "thiazolidinedione", "thienopyridine",
}
