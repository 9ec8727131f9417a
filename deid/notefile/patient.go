package notefile

import "regexp"

// dateRE is the beginning of a name that is a day, as in 2024-01-15, and no patient's number.
var dateRE = regexp.MustCompile(`^\d{4}-\d\d-\d\d(?:\D|$)`)

// PatientOf is whose note it is by its ID, where that is the name of its file: the digits
// before the hyphen in 110-04, as i2b2 names files; else "".
func PatientOf(id string) string {
	if m := patientRE.FindStringSubmatch(id); m != nil && !dateRE.MatchString(id) {
		return m[1]
	}
	return ""
}
