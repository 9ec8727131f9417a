package data

import "regexp"

// patientRE finds the patient in a file name, by the rule of the official i2b2
// scorer.
var patientRE = regexp.MustCompile(`^(\d+)-(\d+)`)

// PatientOf returns the patient from the name of a note's file without its
// extension, as i2b2 names files: 110 for 110-04. It returns "" for other names.
func PatientOf(id string) string {
	if m := patientRE.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return ""
}
