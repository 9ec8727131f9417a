package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
)

func TestInitialStayedBesideTheName(t *testing.T) {
	checkClean(t, map[string]string{
		"Ms. I. «PATIENT|Amundsen» came":          "Ms. [PATIENT] came",
		"Ms. I.K. «PATIENT|Amundsen»":             "Ms. [PATIENT]",
		"Dr. I «DOCTOR|Amundsen»":                 "Dr. [DOCTOR]",
		"Dr. IK «DOCTOR|Amundsen»":                "Dr. [DOCTOR]",
		"Seen by: I. «DOCTOR|Amundsen»":           "Seen by: [DOCTOR]",
		"Seen by: I.\n  «DOCTOR|Amundsen» today":  "Seen by: [DOCTOR] today",
		"Seen by: I.\nfoo «DOCTOR|Amundsen»":      "Seen by: I.\nfoo [DOCTOR]",
		"x\nI. «PATIENT|Amundsen»":                "x\n[PATIENT]",
		"«PATIENT|Amundsen», I. came":             "[PATIENT] came",
		"«PATIENT|Amundsen», I came":              "[PATIENT], I came",
		"hepatitis B. «PATIENT|Amundsen» came":    "hepatitis B. [PATIENT] came",
		"vitamin K «PATIENT|Amundsen» came":       "vitamin K [PATIENT] came",
		"«DATE|May 6» I. «PATIENT|Amundsen» came": "[DATE] I. [PATIENT] came",
		"Dr. I. «CITY|Waltham»":                   "Dr. I. [CITY]",
	})
}

// Of "Amundsen, C.I. 4.447.190-2" the label went with the name.
func TestALabelWasTakenForInitials(t *testing.T) {
	checkClean(t, map[string]string{
		"«PATIENT|Isak Amundsen», C.I. «ID|4.447.190-2», 58 a":   "[PATIENT], C.I. [ID], 58 a",
		"«PATIENT|Isak Amundsen», C.I. «ID|V-14.447.190»":        "[PATIENT], C.I. [ID]",
		"«PATIENT|Isak Amundsen», D.N.I.: «ID|44719028»":         "[PATIENT], D.N.I.: [ID]",
		"«PATIENT|Isak Amundsen», M.R.N. «ID|44719028»":          "[PATIENT], M.R.N. [ID]",
		"«PATIENT|Isak Amundsen», D.O.B. «DATE|03/04/1950» seen": "[PATIENT], D.O.B. [DATE] seen",
		"«DOCTOR|Oda Vega», F.E.A. Psiquiatría":                  "[DOCTOR], F.E.A. Psiquiatría",
		"«PATIENT|Amundsen», C.I. came":                          "[PATIENT] came",
		"«PATIENT|Amundsen», C.I. «DATE|3/4/2020»":               "[PATIENT] [DATE]",
		"«PATIENT|Amundsen», C.E. «ID|44719028» cama 12":         "[PATIENT] [ID] cama 12",
		"«PATIENT|Amundsen», C.I. «ID|4471902»":                  "[PATIENT] [ID]",
		"«PATIENT|Amundsen», T.I. «ID|44-719-028»":               "[PATIENT] [ID]",
		"«PATIENT|Amundsen», C.E. «ID|V4471902»":                 "[PATIENT] [ID]",
		"«PATIENT|Amundsen», T.I. 12 a":                          "[PATIENT] 12 a",
	})
}

// checkClean checks what becomes of texts with the spans of a tagger (see marked), with tags.
func checkClean(t *testing.T, texts map[string]string) {
	t.Helper()
	for noted, want := range texts {
		text, spans := marked(t, noted)
		d := &Deidentifier{Replacer: replacer(t, replace.Plan{})}
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "a", Text: text, Spans: spans}}})
		if results[0].Err != nil || results[0].Clean.Text != want {
			t.Errorf("%q became %q, want %q, error %v", noted, results[0].Clean.Text, want, results[0].Err)
		}
	}
}

// "Osborne, L breast" became "Brekke, R breast" with surrogates, and "Lund A fib" "[PATIENT] fib".
func TestMedicalShorthandWasTakenForInitials(t *testing.T) {
	checkClean(t, map[string]string{
		`"«PATIENT|Osborne, L» breast"`:                 `"[PATIENT], L breast"`,
		"«PATIENT|Tran L» hand lac":                     "[PATIENT] L hand lac",
		"«PATIENT|Lund-R» knee":                         "[PATIENT]-R knee",
		"«PATIENT|Lund A» fib":                          "[PATIENT] A fib",
		"«PATIENT|Lund» «PATIENT|T» 38.2":               "[PATIENT] T 38.2",
		"«PATIENT|Kim K» 4.1, next":                     "[PATIENT] K 4.1, next",
		"«PATIENT|Vega D» mano":                         "[PATIENT] D mano",
		"«PATIENT|Tran L» was seen":                     "[PATIENT] was seen",
		"«PATIENT|Tran, L.» breast":                     "[PATIENT] breast",
		"«PATIENT|Lund A» agrees, «PATIENT|Roe K»":      "[PATIENT] agrees, [PATIENT]",
		"«PATIENT|Smith, T» 4412; «PATIENT|Doe K» 4413": "[PATIENT] 4412; [PATIENT] 4413",
		"«PATIENT|Roe, T» 72M, «PATIENT|Roe T» 38/2":    "[PATIENT] 72M, [PATIENT] 38/2",
		"«PATIENT|Roe, D» heart failure":                "[PATIENT] heart failure",
		"«PATIENT|Roe, R» side effects":                 "[PATIENT] side effects",
		"«PATIENT|Osborne, L» head nurse":               "[PATIENT] head nurse",
		"«PATIENT|Roe T» ﾞ and «PATIENT|Roe L» ﾞ":       "[PATIENT] ﾞ and [PATIENT] ﾞ",
	})
}

// Of "Kowal-" at the end of a line and "ski" at the beginning of the next one, "ski" stayed.
func TestTheRestOfADividedNameStayed(t *testing.T) {
	checkClean(t, map[string]string{
		"Mr. «PATIENT|Kowal»-\nski was":           "Mr. [PATIENT] was",
		"Mr. «PATIENT|Kowal-»\r\nski was":         "Mr. [PATIENT] was",
		"by Dr. «DOCTOR|Vega»-\nthe plan":         "by Dr. [DOCTOR]-\nthe plan",
		"Mr. «PATIENT|Lind»-\nstromé was":         "Mr. [PATIENT] was",
		"Mr. «PATIENT|Lind»-":                     "Mr. [PATIENT]-",
		"MR. «PATIENT|KOWAL»-\nSKI was":           "MR. [PATIENT] was",
		"Mr. «PATIENT|Kowal»-\n   ski-\nmoja was": "Mr. [PATIENT] was",
		"Mr. «PATIENT|Kowal»- \nski was":          "Mr. [PATIENT] was",
		"Pt: «PATIENT|Lund»-\nmetoprolol 25 mg":   "Pt: [PATIENT]-\nmetoprolol 25 mg",
		"Pt: «PATIENT|Lund»-\nafebrile":           "Pt: [PATIENT]-\nafebrile",
		"by Dr. «DOCTOR|Vega»\nski":               "by Dr. [DOCTOR]\nski",
		"«PATIENT|Amund»-\n«PATIENT|sen» agreed":  "[PATIENT]-\n[PATIENT] agreed",
	})
}

// The É of "LUND,JOSÉ" stayed, and so did all of NOÉ.
func TestTheLastLetterOfAFirstNameStayed(t *testing.T) {
	checkClean(t, map[string]string{
		"«PATIENT|LUND»,JOSÉ was":        "[PATIENT] was",
		"«PATIENT|LUND»,RENÉ\n":          "[PATIENT]\n",
		"«PATIENT|LUND»,NOÉ":             "[PATIENT]",
		"«PATIENT|LUND»,JOSE\u0301, 3/4": "[PATIENT], 3/4",
		"«PATIENT|LUND»,ISAK B":          "[PATIENT] B",
		"«PATIENT|LUND»,ISAKsen":         "[PATIENT],ISAKsen",
		"«PATIENT|Lund»,JOSÉ":            "[PATIENT],JOSÉ",
	})
}
