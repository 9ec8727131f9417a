package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// TestResultsWentWithTheMonth: results beside months and doses beside weekdays were replaced as days.
func TestResultsWentWithTheMonth(t *testing.T) {
	checkWhole(t, map[string]string{
		"A1c «DATE|Jan 8.4, Mar 7.9, June 7.1».":              "A1c «DATE|Jan» 8.4, «DATE|Mar» 7.9, «DATE|June» 7.1.",
		"LDL «DATE|Jan 130, Mar 88», «DATE|June 101»":         "LDL «DATE|Jan» 130, «DATE|Mar» 88, «DATE|June» 101",
		"CD4 210 «DATE|Jan, 190 Mar, 310 June».":              "CD4 210 «DATE|Jan», 190 «DATE|Mar», 310 «DATE|June».",
		"HbA1c «DATE|May 61; Sept 58; Dec 55»":                "HbA1c «DATE|May» 61; «DATE|Sept» 58; «DATE|Dec» 55",
		"eGFR «DATE|48 May, 44 Sept»":                         "eGFR 48 «DATE|May», 44 «DATE|Sept»",
		"K «DATE|Jan: 4, Mar: 5»":                             "K «DATE|Jan»: 4, «DATE|Mar»: 5",
		"LDL «DATE|Jan 2071 130, Mar 2071 88»":                "LDL «DATE|Jan 2071» 130, «DATE|Mar 2071» 88",
		"A1c «DATE|2071» «DATE|8.4, 2072» 7.9":                "A1c «DATE|2071» 8.4, «DATE|2072» 7.9",
		"Hb 10.2 in «DATE|Jan», «DATE|9.8 in March»":          "Hb 10.2 in «DATE|Jan», 9.8 in «DATE|March»",
		"Warfarin «DATE|Mon 5, Tue 5, Wed 2.5», «DATE|Thu 5»": "Warfarin «DATE|Mon» 5, «DATE|Tue» 5, «DATE|Wed» 2.5, «DATE|Thu» 5",
		"Warfarin «DATE|Mon 5, Tue 5, Wed 7, Thu 5»":          "Warfarin «DATE|Mon» 5, «DATE|Tue» 5, «DATE|Wed» 7, «DATE|Thu» 5",
		"Warfarin (mg): «DATE|Mon-Fri 5, Sat 2.5»":            "Warfarin (mg): «DATE|Mon-Fri» 5, «DATE|Sat» 2.5",
		"CRP «DATE|Mon 148 Tue 90 Wed 40»":                    "CRP «DATE|Mon» 148 «DATE|Tue» 90 «DATE|Wed» 40",
		"GCS «DATE|Sun 15 Mon 15 Tue 14»":                     "GCS «DATE|Sun» 15 «DATE|Mon» 15 «DATE|Tue» 14",
		"Sintrom «FECHAS|lun 5, mar 5, mié 2, jue 5»":         "Sintrom «FECHAS|lun» 5, «FECHAS|mar» 5, «FECHAS|mié» 2, «FECHAS|jue» 5",
		"A1c «FECHAS|ene 8,4, mar 7,9, junio 7,1»":            "A1c «FECHAS|ene» 8,4, «FECHAS|mar» 7,9, «FECHAS|junio» 7,1",
		"PCR «FECHAS|martes 148, miércoles 90»":               "PCR «FECHAS|martes» 148, «FECHAS|miércoles» 90",
		"seen «DATE|Jan 8, Mar 7»":                            "seen «DATE|Jan 8, Mar 7»", // days
		"«DATE|May 5»: d/c":                                   "«DATE|May 5»: d/c",
		"admitted «DATE|Mon 5 Feb, Tue 6 Feb»":                "admitted «DATE|Mon 5 Feb, Tue 6 Feb»",
		"admitted «DATE|Mon 5/2»":                             "admitted «DATE|Mon 5/2»",
		"chemo «DATE|Mon 5, Tue 6, Wed 7»":                    "chemo «DATE|Mon 5, Tue 6, Wed 7»",
		"INR «DATE|Mon 5, Thu 8»":                             "INR «DATE|Mon 5, Thu 8»",
		"mtgs «DATE|Mon 24, Mon 31, Mon 7»":                   "mtgs «DATE|Mon 24, Mon 31, Mon 7»", // of two months
		"A1c «DATE|Jan 5»: 8.4, «DATE|Mar 7»: 7.9":            "A1c «DATE|Jan 5»: 8.4, «DATE|Mar 7»: 7.9",
		"TSH «DATE|Jan 5, Mar 7»: 2.1, 3":                     "TSH «DATE|Jan 5, Mar 7»: 2.1, 3",
		"Wt 82.1 «DATE|Jan 5», 80.4 «DATE|Mar 7»":             "Wt 82.1 «DATE|Jan 5», 80.4 «DATE|Mar 7»",
		"dx «DATE|Jan 98», relapse «DATE|Mar '02»":            "dx «DATE|Jan 98», relapse «DATE|Mar '02»",
		"dx «DATE|Jan 8.71»":                                  "dx «DATE|Jan 8.71»",
		"«DATE|May 103» Elm Street":                           "«DATE|May 103» Elm Street",
		"VIVE EN «FECHAS|9 DE JULIO 345».":                    "VIVE EN «FECHAS|9 DE JULIO 345».",
		"cita «FECHAS|lunes 5» y «FECHAS|jueves 8»":           "cita «FECHAS|lunes 5» y «FECHAS|jueves 8»",
		"vistos «FECHAS|5 ene, 7 mar»":                        "vistos «FECHAS|5 ene, 7 mar»",
	})
}

// TestOneNumberFreedTheDaysOfAList: days of a list stayed because one number beside them can be no day, or because they have a month or are of two months.
func TestOneNumberFreedTheDaysOfAList(t *testing.T) {
	checkWhole(t, map[string]string{
		"Seen «DATE|Jan 5, Mar 12, Jun 9.1»":                 "Seen «DATE|Jan 5, Mar 12, Jun» 9.1",
		"Visits «DATE|Jan 5; Mar 12; Aug 101»":               "Visits «DATE|Jan 5; Mar 12; Aug» 101",
		"Visits: «DATE|Jan 5, Mar 7, May 103» Elm Street":    "Visits: «DATE|Jan 5, Mar 7, May 103» Elm Street",
		"Seen «DATE|Mon 5.6, Wed 7.6, Fri 9.6».":             "Seen «DATE|Mon 5.6, Wed 7.6, Fri 9.6».",
		"Seen «DATE|Mon 12.06, Wed 14.06, Fri 16.06».":       "Seen «DATE|Mon 12.06, Wed 14.06, Fri 16.06».",
		"INR «DATE|Mon 5.6, Wed 7.6, Fri 9.6».":              "INR «DATE|Mon 5.6, Wed 7.6, Fri 9.6».",
		"INR «DATE|Mon 2.6, Wed 2.4, Fri 2.9».":              "INR «DATE|Mon» 2.6, «DATE|Wed» 2.4, «DATE|Fri» 2.9.",
		"Seen «DATE|Tue 12, Thu 3, Mon 20».":                 "Seen «DATE|Tue 12, Thu 3, Mon 20».",
		"Visits «DATE|2071 11, 2072 12»":                     "Visits «DATE|2071 11, 2072 12»",
		"Next dose «DATE|Mon 12, Thu 3»":                     "Next dose «DATE|Mon 12, Thu 3»",
		"Visto «FECHAS|lun 5.6, mié 7.6, vie 9.6».":          "Visto «FECHAS|lun 5.6, mié 7.6, vie 9.6».",
		"Visto «FECHAS|lunes 5.6, martes 13.6, jueves 22.6»": "Visto «FECHAS|lunes 5.6, martes 13.6, jueves 22.6»",
		"Visto «FECHAS|ene 5, feb 12, mar 130»":              "Visto «FECHAS|ene 5, feb 12, mar» 130",
	})
}

// TestPersonNamedLikeAScaleFreedTheDay: the day behind a person with the name of a scale stayed as the number of that scale.
func TestPersonNamedLikeAScaleFreedTheDay(t *testing.T) {
	checkWhole(t, map[string]string{
		"Seen by Dr. Tanner «DATE|4 July 2071».": "Seen by Dr. Tanner «DATE|4 July 2071».",
		"Rankin «DATE|4 July 2071»":              "Rankin «DATE|4 July 2071»",
		"Bethesda «DATE|4 July 2071»":            "Bethesda «DATE|4 July 2071»",
		"Dr. Gold «DATE|4 July 2071»":            "Dr. Gold «DATE|4 July 2071»",
		"Apgar «DATE|9 July 2071»":               "Apgar «DATE|9 July 2071»",
		"visit type «DATE|3 July 2071»":          "visit type «DATE|3 July 2071»",
		"Dr. Stage «DATE|3 July 2071»":           "Dr. Stage «DATE|3 July 2071»",
		"IPSS «DATE|7 July 2071»":                "IPSS «DATE|7 July 2071»",
		"Tanner stage «DATE|4 July 2071»":        "Tanner stage 4 «DATE|July 2071»",
		"DM type «DATE|2 July 2071»":             "DM type 2 «DATE|July 2071»",
	})
}

// TestNumberOfANameWentAsADay: the number of PHQ-9 and of Shingrix #2 was replaced as the day before a month.
func TestNumberOfANameWentAsADay(t *testing.T) {
	checkWhole(t, map[string]string{
		"PHQ-«DATE|9 May 2071»: 11":            "PHQ-9 «DATE|May 2071»: 11",
		"PHQ-«DATE|9» «DATE|March».":           "PHQ-9 «DATE|March».",
		"CA 19-«DATE|9 May 2071»: 41":          "CA 19-9 «DATE|May 2071»: 41",
		"CA «DATE|19-9 May 2071»: 41":          "CA 19-9 «DATE|May 2071»: 41",
		"Pneumovax «DATE|23 May 2071»":         "Pneumovax 23 «DATE|May 2071»",
		"Shingrix #«DATE|2 May 2071»":          "Shingrix #2 «DATE|May 2071»",
		"dose no. «DATE|3 May 2071»":           "dose no. 3 «DATE|May 2071»",
		"BI-RADS «DATE|4 July 2071»":           "BI-RADS 4 «DATE|July 2071»",
		"GAD-«FECHAS|7 mayo 2071»":             "GAD-7 «FECHAS|mayo 2071»",
		"NYHA «FECHAS|3 mayo 2071»":            "NYHA 3 «FECHAS|mayo 2071»",
		"PHQ-9 «DATE|12 May 2071»":             "PHQ-9 «DATE|12 May 2071»", // days
		"second dose «DATE|3 May 2071»":        "second dose «DATE|3 May 2071»",
		"Visit «DATE|4 May 2071»":              "Visit «DATE|4 May 2071»",
		"first stage «DATE|3 May 2071»":        "first stage «DATE|3 May 2071»",
		"NYHA «DATE|3 May 2071»: II":           "NYHA «DATE|3 May 2071»: II",
		"NYHA «DATE|13 May 2071»":              "NYHA «DATE|13 May 2071»",
		"MRI-«DATE|9 May 2071»":                "MRI-«DATE|9 May 2071»",
		"#«DATE|3 May 2071» seen":              "#«DATE|3 May 2071» seen",
		"cita para «FECHAS|3 mayo»":            "cita para «FECHAS|3 mayo»",
		"allergies: no. «DATE|3 May 2071»":     "allergies: no. «DATE|3 May 2071»",
		"the «DATE|19-21 May 2071» conference": "the «DATE|19-21 May 2071» conference",
	})
}

// TestTimeOfDayMovedLikeAYear: 1955 and 2010 were moved as years where they are times of day or results.
func TestTimeOfDayMovedLikeAYear(t *testing.T) {
	checkWhole(t, map[string]string{
		"vanc level drawn «DATE|2010», dose hung 2115":              "vanc level drawn 2010, dose hung 2115",
		"Last dose «DATE|1955», next 0200":                          "Last dose 1955, next 0200",
		"Given at 1830 and «DATE|1955», next due 0230.":             "Given at 1830 and 1955, next due 0230.",
		"TOD «DATE|1955».":                                          "TOD 1955.",
		"1948 arrived\n«DATE|2010» D/W plastics\n2055 left":         "1948 arrived\n2010 D/W plastics\n2055 left",
		"Avisado a las «FECHAS|2010».":                              "Avisado a las 2010.",
		"Ferritina de «FECHAS|2015» ng/ml":                          "Ferritina de 2015 ng/ml",
		"CK de «FECHAS|2010», troponina normal":                     "CK de 2010, troponina normal",
		"Camina hasta «FECHAS|2000» pasos":                          "Camina hasta 2000 pasos",
		"CABG «DATE|2010», chest pain onset 2115":                   "CABG «DATE|2010», chest pain onset 2115", // years
		"stent placed «DATE|2010», arrived 2115":                    "stent placed «DATE|2010», arrived 2115",
		"tetanus given «DATE|2010», next due «DATE|2020»":           "tetanus given «DATE|2010», next due «DATE|2020»",
		"PMH:\n«DATE|2010» CABG\n«DATE|2012» TKR":                   "PMH:\n«DATE|2010» CABG\n«DATE|2012» TKR",
		"1450 Elm Street\n«DATE|2010» CABG":                         "1450 Elm Street\n«DATE|2010» CABG",
		"lives at «DATE|2010» Elm Street":                           "lives at «DATE|2010» Elm Street",
		"Diagnosed at «DATE|2015» by family.":                       "Diagnosed at «DATE|2015» by family.",
		"Diagnosed at 2150, arrived at «DATE|2015».":                "Diagnosed at 2150, arrived at 2015.",
		"PMH:\n«DATE|2015» - stroke\n«DATE|2012» - MI\n0800 - meds": "PMH:\n«DATE|2015» - stroke\n«DATE|2012» - MI\n0800 - meds",
		"«DATE|2015» - CABG\n«DATE|2019» - MI\n\n2130 - BP 120/80":  "«DATE|2015» - CABG\n«DATE|2019» - MI\n\n2130 - BP 120/80",
		"La ferritina de «FECHAS|2015» era normal":                  "La ferritina de «FECHAS|2015» era normal",
		"echo «DATE|2010», BNP «DATE|2012»":                         "echo «DATE|2010», BNP «DATE|2012»",
		"served «DATE|1968»-«DATE|71» in the Army":                  "served «DATE|1968-71» in the Army",
		"worked «DATE|1979»-«DATE|1986»":                            "worked «DATE|1979»-«DATE|1986»",
		"Sintrom since «DATE|2010», last dose 1990 in «DATE|May»":   "Sintrom since «DATE|2010», last dose 1990 in «DATE|May»",
	})
}

// TestHalfAPairOfBracketsWent: a name that was found from within brackets took the text and the bracket before it.
func TestHalfAPairOfBracketsWent(t *testing.T) {
	checkWhole(t, map[string]string{
		"Baby girl («PATIENT|B) Lund», MRN":        "Baby girl (B) «PATIENT|Lund», MRN",
		"Twin («PATIENT|A») «PATIENT|Lund»":        "Twin (A) «PATIENT|Lund»",
		"Scan («PATIENT|Oda Lund).pdf» sent":       "Scan («PATIENT|Oda Lund»).pdf sent",
		"BB \"«PATIENT|Girl B\" Lund»":             "BB \"Girl B\" «PATIENT|Lund»",
		"RN \"«DOCTOR|Peg\" Berg» gave":            "RN \"«DOCTOR|Peg»\" «DOCTOR|Berg» gave",
		"«PATIENT|Lund (Oda») called":              "«PATIENT|Lund» («PATIENT|Oda») called",
		"«PATIENT|Oda \"Peg\" Lund» called":        "«PATIENT|Oda \"Peg\" Lund» called",
		"1) «PATIENT|Lund), Oda»":                  "1) «PATIENT|Lund), Oda»",
		"«PATIENT|Oda» («PATIENT|B. Lund») called": "«PATIENT|Oda» («PATIENT|B. Lund») called",
		"Dr «DOCTOR|Lund»«HOSPITAL|'s» clinic":     "Dr «DOCTOR|Lund»'s clinic",
		"Dr «DOCTOR|Lund»«HOSPITAL|'s clinic»":     "Dr «DOCTOR|Lund»'s «HOSPITAL|clinic»",
		"«PATIENT|Lund»«HOSPITAL|'s Nursing Home»": "«PATIENT|Lund»«HOSPITAL|'s Nursing Home»",
	})
}

// TestRulesTookResultsForDays: the built-in rules for dates found the day of PHQ-9 May and results as well.
func TestRulesTookResultsForDays(t *testing.T) {
	net, err := NewNet("auto", data.Any)
	if err != nil {
		t.Fatal(err)
	}
	net.Languages = func(string) []string { return []string{"en"} }
	d := &Deidentifier{Net: net}
	for text, want := range map[string]string{
		"PHQ-9 May 2071: 11":                    "PHQ-9 [DATE]: 11",
		"seen 9 May 2071":                       "seen [DATE]",
		"Pain pre/post | 7/5 | 6/5 |\nseen 3/5": "Pain pre/post | 7/5 | 6/5 |\nseen [DATE]",
	} {
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "n", Text: text}}})
		if got := results[0].Clean.Text; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
