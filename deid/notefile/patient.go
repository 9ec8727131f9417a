package notefile

import (
	"regexp"

	"github.com/lethe-deid/lethe/data"
)

// dateRE is the beginning of a name that is a day, as in 2024-01-15, and no patient's number.
var dateRE = regexp.MustCompile(`^\d{4}-\d\d-\d\d(?:\D|$)`)

// patientOf returns the patient that the name of a file begins with, unless it begins with a date.
func patientOf(id string) string {
	if dateRE.MatchString(id) {
		return ""
	}
	return data.PatientOf(id)
}
