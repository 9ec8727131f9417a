package deid

import "testing"

// De-identifying a note again made [[STREET]] of [STREET], and other types of whole placeholders.
func TestPlaceholdersStay(t *testing.T) {
	checkClean(t, map[string]string{
		"«PATIENT|[PATIENT]» and «PATIENT|Ada»":             "[PATIENT] and [PATIENT]",
		"in [«STREET|STREET»], «CITY|[CITY], Bergen»":       "in [STREET], [CITY], [CITY]",
		"[«DOCTOR|NOMBRE_SUJETO»_ASISTENCIA]":               "[NOMBRE_SUJETO_ASISTENCIA]",
		"seen «DATE|[DATE_2], 3/4/2071» by «DOCTOR|[NAME]»": "seen [DATE_2], [DATE] by [NAME]",
		"[«DOCTOR|SMITH»], «DOCTOR|[LUND]»":                 "[[DOCTOR]], [DOCTOR]",
		"«IDNUM|[SSN 123456789]», [«IDNUM|MRN 8812345»]":    "[IDNUM], [MRN [IDNUM]]",
		"«DOCTOR|[DOCTOR»":                                  "[DOCTOR]",
	})
}
