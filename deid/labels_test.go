package deid

import "testing"

// "NHC 44718" became "[MEDICALRECORD]", and the reader of the note no longer knew what that had been.
func TestALabelWasTakenForPartOfANumber(t *testing.T) {
	checkClean(t, map[string]string{
		"«MEDICALRECORD|NHC 44718».":                            "NHC [MEDICALRECORD].",
		"«MEDICALRECORD|NHC» «MEDICALRECORD|44718».":            "NHC [MEDICALRECORD].",
		"«IDNUM|DNI:» «IDNUM|44558210R»":                        "DNI: [IDNUM]",
		"«MEDICALRECORD|mrn# 12-77 A»":                          "mrn# [MEDICALRECORD]",
		"NHC «MEDICALRECORD|44718»":                             "NHC [MEDICALRECORD]",
		"«MEDICALRECORD|NHC44718»":                              "[MEDICALRECORD]", // a part of the number
		"«MEDICALRECORD|MRN-44718»":                             "[MEDICALRECORD]", // as well
		"«MEDICALRECORD|NHC» by «DOCTOR|Vega»":                  "[MEDICALRECORD] by [DOCTOR]",
		"«MEDICALRECORD|NHC unknown»":                           "[MEDICALRECORD]", // whatever it is, it stays a span
		"«PATIENT|Nie 4» and «IDNUM|RUT»\n«IDNUM|12.345.678-9»": "[PATIENT] and [IDNUM]\n[IDNUM]",
	})
}
