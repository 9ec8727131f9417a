package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// rules say what the marks of a corpus mean. The zero value is for marks that have the
// teacher's types already, of which there may be more.
type rules struct {
	// types lists, for each type of the marks, the teacher's types that it may stand for. The first is
	// used if the teacher has no opinion. A type without an entry is not PHI.
	types map[string][]string
	// complete lists the teacher's types of which the corpus marks everything. Spans of other types
	// are taken from the teacher.
	complete []string
}

var places = []string{"HOSPITAL", "CITY", "STATE", "COUNTRY", "STREET", "ZIP", "LOCATION-OTHER", "ORGANIZATION", "DEPARTMENT"}

// queries are the rules for ASQ-PHI, which marks all PHI but ages and professions.
var queries = rules{
	types: map[string][]string{
		"NAME": {"PATIENT", "DOCTOR"}, "GEOGRAPHIC_LOCATION": places, "DATE": {"DATE"}, "MEDICAL_RECORD_NUMBER": {"MEDICALRECORD"},
		"HEALTH_PLAN_BENEFICIARY_NUMBER": {"HEALTHPLAN"}, "EMAIL_ADDRESS": {"EMAIL"}, "PHONE_NUMBER": {"PHONE", "FAX"}, "SOCIAL_SECURITY_NUMBER": {"SSN"},
		"UNIQUE_IDENTIFIER": {"IDNUM", "MEDICALRECORD"}, "ACCOUNT_NUMBER": {"ACCOUNT"}, "CERTIFICATE_LICENSE_NUMBER": {"LICENSE"}, "IP_ADDRESS": {"IPADDR"},
	},
	complete: slices.DeleteFunc(typeNames(), func(name string) bool { return name == "AGE" || name == "PROFESSION" }),
}

// sentences are the rules for presidio-research, which marks everything but professions.
var sentences = rules{
	types: map[string][]string{
		"PERSON": {"PATIENT", "DOCTOR"}, "GPE": slices.Concat([]string{"CITY"}, places), "STREET_ADDRESS": {"STREET"}, "ORGANIZATION": {"ORGANIZATION", "HOSPITAL", "DEPARTMENT"},
		"DATE_TIME": {"DATE"}, "AGE": {"AGE"}, "PHONE_NUMBER": {"PHONE", "FAX"}, "EMAIL_ADDRESS": {"EMAIL"}, "ZIP_CODE": {"ZIP"}, "DOMAIN_NAME": {"URL"},
		"IP_ADDRESS": {"IPADDR"}, "US_SSN": {"SSN"}, "US_DRIVER_LICENSE": {"LICENSE"}, "CREDIT_CARD": {"ACCOUNT"}, "IBAN_CODE": {"ACCOUNT"},
	},
	complete: slices.DeleteFunc(typeNames(), func(name string) bool { return name == "PROFESSION" }),
}

// names are the rules for corpora of names of persons, places and organizations in news, tweets,
// encyclopedias and contracts.
var names = rules{
	types: map[string][]string{
		"PER": {"PATIENT", "DOCTOR"}, "person": {"PATIENT", "DOCTOR"}, "LOC": slices.Concat([]string{"CITY"}, places), "location": slices.Concat([]string{"CITY"}, places),
		"ORG": {"ORGANIZATION", "HOSPITAL", "DEPARTMENT"}, "corporation": {"ORGANIZATION", "HOSPITAL", "DEPARTMENT"}, "group": {"ORGANIZATION"},
	},
	complete: slices.Concat([]string{"PATIENT", "DOCTOR", "USERNAME", "PROFESSION", "AGE"}, places),
}

func typeNames() []string {
	var all []string
	for _, t := range data.I2B2.Types {
		all = append(all, t.Name)
	}
	return all
}

// settle returns the spans of a note with the teacher's types: its marks, and the teacher's spans where
// the marks say nothing.
func (r rules) settle(doc *data.Document, found []data.Span) []data.Span {
	var all []data.Span
	for _, mark := range data.Flatten(doc.Spans) {
		allowed := r.types[mark.Type]
		if r.types == nil {
			allowed = []string{mark.Type}
		}
		if len(allowed) == 0 {
			continue
		}
		mark.Type = choose(doc.Text, mark, allowed, found)
		all = append(all, mark)
	}
	for _, s := range found {
		from, to := data.Overlapping(all, s)
		if from == to && !slices.Contains(r.complete, s.Type) {
			all = append(all, s)
			data.SortSpans(all)
		}
	}
	for i := range all {
		all[i].Score = 1
	}
	return all
}

// choose returns the type of a mark: that of the teacher's span which overlaps it, if it is allowed.
func choose(text string, mark data.Span, allowed []string, found []data.Span) string {
	from, to := data.Overlapping(found, mark)
	for _, s := range found[from:to] {
		if slices.Contains(allowed, s.Type) {
			return s.Type
		}
	}
	value := text[mark.Start:mark.End]
	switch {
	case slices.Contains(allowed, "DOCTOR") && title.MatchString(text[:mark.Start]):
		return "DOCTOR"
	case slices.Contains(allowed, "HOSPITAL") && slices.Contains(allowed, "CITY") && !facility.MatchString(value):
		return "CITY"
	}
	return allowed[0]
}

var (
	title    = regexp.MustCompile(`(?i)\b(dr|drs|doctor|prof|professor|nurse)\.? *$`)
	facility = regexp.MustCompile(`(?i)\b(hospital|clinic|center|centre|medical|health|infirmary|st\.?|mt\.?|mount|saint|institute|mayo|general|memorial|university|care)\b`)
)

// natural returns a note of CoNLL columns, whose tokens are separated by blanks, as it would have
// been written: with punctuation next to the words.
func natural(doc *data.Document) *data.Document {
	text := doc.Text
	var out strings.Builder
	moved := make([]int, len(text)+1) // the new offset of each byte
	quotes := 0
	for i := range len(text) {
		moved[i] = out.Len()
		if text[i] == '"' {
			quotes++
		}
		if text[i] == ' ' && i > 0 && i+1 < len(text) && (strings.ContainsRune(".,;:!?)]}%", rune(text[i+1])) || strings.ContainsRune("([{$#", rune(text[i-1])) ||
			contraction.MatchString(text[i+1:]) || text[i-1] == '"' && quotes%2 == 1 || text[i+1] == '"' && quotes%2 == 1) {
			continue
		}
		out.WriteByte(text[i])
	}
	moved[len(text)] = out.Len()
	written := &data.Document{ID: doc.ID, Text: out.String()}
	for _, s := range doc.Spans {
		s.Start, s.End = moved[s.Start], moved[s.End]
		for s.Start < s.End && written.Text[s.Start] == ' ' {
			s.Start++
		}
		written.Spans = append(written.Spans, s)
	}
	return written
}

var contraction = regexp.MustCompile(`^('s|'S|n't|'re|'ve|'ll|'m|'d)\b`)
