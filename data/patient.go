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

// NumberPatients numbers the patients of notes. A note whose patient is unknown counts as a patient
// of its own. The number is the index of a note of the patient.
func NumberPatients(docs []*Document) []int {
	all := make([]int, len(docs))
	of := map[string]int{}
	for i, d := range docs {
		n, ok := of[d.Patient]
		if !ok || d.Patient == "" {
			n = i
			of[d.Patient] = i
		}
		all[i] = n
	}
	return all
}
