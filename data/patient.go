package data

import "regexp"

var (
	// patientRE finds the patient in a file name, by the rule of the official i2b2 scorer.
	patientRE = regexp.MustCompile(`^(\d+)-(\d+)`)
	// dateRE matches a name that begins with a date, as in 2024-01-15.
	dateRE = regexp.MustCompile(`^\d{4}-\d\d-\d\d(?:\D|$)`)
)

// PatientOf returns the patient that i2b2 encodes in the name of a note's file:
// 110 for 110-04. id is the name without its extension. The result is "" for names
// of any other form, and for names that begin with a date.
func PatientOf(id string) string {
	if dateRE.MatchString(id) {
		return ""
	}
	if m := patientRE.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return ""
}
