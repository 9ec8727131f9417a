package deid

import "testing"

// "Seen by Dr. Vega" became "Seen by [DOCTOR] [DOCTOR]".
func TestATitleWasTakenForAnotherName(t *testing.T) {
	checkClean(t, map[string]string{
		"by «DOCTOR|Dr.» «DOCTOR|Vega» at":                           "by Dr. [DOCTOR] at",
		"by «DOCTOR|Dr.» «PATIENT|Vega»":                             "by Dr. [PATIENT]",
		"by «STREET|Dr.» «DOCTOR|Vega»":                              "by Dr. [DOCTOR]",
		"by Dr. «DOCTOR|Vega»":                                       "by Dr. [DOCTOR]",
		"by «DOCTOR|Dr.» Vega":                                       "by [DOCTOR] Vega",
		"«DOCTOR|DR» / «DOCTOR|MS»":                                  "[DOCTOR] / [DOCTOR]",
		"«DOCTOR|Drummond» «DOCTOR|Vega»":                            "[DOCTOR] [DOCTOR]",
		"«DOCTOR|Dr» «HOSPITAL|Vega Clinic»":                         "[DOCTOR] [HOSPITAL]",
		"«DOCTOR|Dr.» «DATE|03/04» with «DOCTOR|Mr» \n«DOCTOR|Vega»": "[DOCTOR] [DATE] with [DOCTOR] \n[DOCTOR]",
	})
}

// "Lic. Obst. Vega" became "[DOCTOR]. [DOCTOR]" or "[DOCTOR]".
func TestATitleWasTakenForAPartOfAName(t *testing.T) {
	checkClean(t, map[string]string{
		"by «DOCTOR|Obst». «DOCTOR|Vega» at":  "by Obst. [DOCTOR] at",
		"by «DOCTOR|Lic. Enf. Vega Solà» at":  "by Lic. Enf. [DOCTOR] at",
		"by Prof. «DOCTOR|Adj.Vega»":          "by Prof. Adj.[DOCTOR]",
		"«DOCTOR|Lic.»":                       "[DOCTOR]",
		"«PATIENT|Smt. Vega», 76":             "Smt. [PATIENT], 76",
		"«PATIENT|Mst» «PATIENT|Vega», 80":    "Mst [PATIENT], 80",
		"«PATIENT|Smt», «PATIENT|Mstislava»":  "[PATIENT], [PATIENT]",
		"by «DOCTOR|Lic. L.T.S. Oda Vega»":    "by Lic. L.T.S. [DOCTOR]",
		"by «DOCTOR|Q.F.B. Oda de la Vega»":   "by Q.F.B. [DOCTOR]",
		"by «DOCTOR|Lic. T.S. Oda Vega Solà»": "by Lic. T.S. [DOCTOR]",
		"by «DOCTOR|T.S. Vega»":               "by [DOCTOR]",
		"by «DOCTOR|J.S. Oda Vega»":           "by [DOCTOR]",
		"«PATIENT|Adj Vega», «DOCTOR|Profit»": "[PATIENT], [DOCTOR]",
	})
}

// Of "T.S. Oda Vega" and "Alhaji Vega" the initials and the first name stayed.
func TestInitialsOrAFirstNameWereTakenForATitle(t *testing.T) {
	checkClean(t, map[string]string{
		"by «DOCTOR|T.S. Oda Vega» at":      "by [DOCTOR] at",
		"by «DOCTOR|T.S.Oda Vega» at":       "by [DOCTOR] at",
		"by «DOCTOR|Q.F. Oda Vega» at":      "by [DOCTOR] at",
		"by «DOCTOR|L.T.S. Oda Vega» at":    "by [DOCTOR] at",
		"«DOCTOR|T.S. Oda Vega»":            "[DOCTOR]",
		"Name: L.T.S. «PATIENT|Oda Vega»":   "Name: [PATIENT]",
		"«PATIENT|Alhaji Vega», 54":         "[PATIENT], 54",
		"Mr. «PATIENT|Shri» «PATIENT|Vega»": "Mr. [PATIENT] [PATIENT]",
		"«PATIENT|MZEE VEGA LUND», 80":      "[PATIENT], 80",
		"«PATIENT|MST VEGA», 80":            "[PATIENT], 80",
	})
}
