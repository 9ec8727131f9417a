package notefile

import (
	"regexp"

	"github.com/lethe-deid/lethe/data"
)

// dateRE matches a name that begins with a date, as in 2024-01-15, rather than a patient's number.
var dateRE = regexp.MustCompile(`^\d{4}-\d\d-\d\d(?:\D|$)`)

// patientOf returns the patient at the beginning of a file name, or "" if it begins with a date.
func patientOf(id string) string {
	if dateRE.MatchString(id) {
		return ""
	}
	return data.PatientOf(id)
}
