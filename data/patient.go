package data

import "regexp"

// patientRE finds the patient in a file name, by the rule of the official i2b2
// scorer.
var patientRE = regexp.MustCompile(`^(\d+)-(\d+)`)

// PatientOf returns the patient that i2b2 encodes in the name of a note's file:
// 110 for 110-04. id is the name without its extension. The result is "" for names
// of any other form.
func PatientOf(id string) string {
	if m := patientRE.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return ""
}
