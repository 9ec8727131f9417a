package data

import "regexp"

// The patient in a file name, by the rule of the official i2b2 scorer.
var patientRE = regexp.MustCompile(`^(\d+)-(\d+)`)

// PatientOf returns the patient that the name of a note's file begins with, without its
// extension: 110 for 110-04, as i2b2 names files, and "" for other names.
func PatientOf(id string) string {
	if m := patientRE.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return ""
}
