package safetynet

import (
	"cmp"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// A day and a month behind a drug or a dose stayed, although no dose has such a form.
func TestDaysAndMonthsStayedBehindDrugs(t *testing.T) {
	for _, tc := range []struct{ language, text, want string }{
		{"en", "Got vancomycin 11/23 and improved; Lasix 11/25.", "Got vancomycin [D|11/23] and improved; Lasix [D|11/25]."},
		{"en", "Insulin 5/3 x 5 days, ceftriaxone (5/3).", "Insulin [D|5/3] x 5 days, ceftriaxone ([D|5/3])."},
		{"en", "Cefepime 1 g IV q12h 5/3-5/9, Lasix 40 mg 5/3, 80 mg 5/5.", "Cefepime 1 g IV q12h [D|5/3]-[D|5/9], Lasix 40 mg [D|5/3], 80 mg [D|5/5]."},
		{"en", "Zosyn 11/23 -> 11/25, cefepime 5/3→5/9, metronidazole (5/3-present), ertapenem 5/3-.", "Zosyn [D|11/23] -> [D|11/25], cefepime [D|5/3]→[D|5/9], metronidazole ([D|5/3]-present), ertapenem [D|5/3]-."},
		{"en", "Vancomycin 5/3, 5/5 and 5/8.", "Vancomycin [D|5/3], [D|5/5] and [D|5/8]."},
		{"en", "Zosyn <5/3 Lantus 11/23.", "Zosyn <[D|5/3] Lantus [D|11/23]."},
		{"en", "Chemo C1 5/3, C2 5/24. Then C3D1 6/14. PRBC x2 5/3.", "Chemo C1 [D|5/3], C2 [D|5/24]. Then C3D1 [D|6/14]. PRBC x2 [D|5/3]."},
		{"en", "Cr 1.2->1.4 (5/3->5/5->5/8). LD 5/3. Cr 5/3 1.2, 5/5 1.4.", "Cr 1.2->1.4 ([D|5/3]->[D|5/5]->[D|5/8]). LD [D|5/3]. Cr [D|5/3] 1.2, [D|5/5] 1.4."},
		{"en", "Labs 5/3am: Na 138.", "Labs [D|5/3]am: Na 138."},
		{"en", "Amlodipine/benazepril 11/23.", "Amlodipine/benazepril [D|11/23]."},
		{"es", "Recibió amiodarona 23/11 y mejoró. Ceftriaxona 1 g iv cada 12 h 3/5-9/5.", "Recibió amiodarona [D|23/11] y mejoró. Ceftriaxona 1 g iv cada 12 h [D|3/5]-[D|9/5]."},
		{"es", "Vancomicina 3/5 x 5 días, insulina 4/5. Septrin 1/2.", "Vancomicina [D|3/5] x 5 días, insulina [D|4/5]. Septrin [D|1/2]."},
		{"es", "PCR 3/5 120, 5/5 80. Cr 3/5 1,2, 5/5 1,4.", "PCR [D|3/5] 120, [D|5/5] 80. Cr [D|3/5] 1,2, [D|5/5] 1,4."},

		{"en", "Prednisone 10/5 mg, Coumadin 1/2 tab daily, Seroquel 1/2 at bedtime, Tylenol 1/2 to 1 tablet, Lasix 40 mg 1/2 tab", ""},
		{"en", "Lotrel 10/20, amlodipine/benazepril 5/20, amlodipine and benazepril 5/10, Suboxone 8/2, Lantus 10/12, Prograf 4/3", ""},
		{"en", "Amoxicillin 5/7, flucloxacillin 500 mg qds 7/7. AKI on vancomycin 2/2 sepsis. Strength 3/5->4/5, titer 1/4->1/8, H/H 8/24->9/27", ""},
		{"en", "Morphine 4 mg IV, 8/10 pain. Morphine given. 4/5 strength. 10g 6/10", ""},
		{"es", "Sintrom 3/4-1/2, Sintrom 1/4, neosintrom 4 mg 1/4-1/2, perindopril/amlodipino 10/5, fuerza 3/5->4/5, Glasgow 3/5 4, 5/5 3", ""},
	} {
		found := DaysAndMonths(tc.text, tc.language)
		for i := range found {
			found[i].Type = "D"
		}
		if got := show(tc.text, found); got != cmp.Or(tc.want, tc.text) {
			t.Errorf("%s\n%s, want\n%s", tc.text, got, cmp.Or(tc.want, tc.text))
		}
	}
}

// Parts of tablets, schedules and scores of pain behind drugs were taken for days and months.
func TestDosesBehindDrugsBecameDates(t *testing.T) {
	for _, tc := range []struct{ language, text, want string }{
		{"es", "Bromazepam 1/2 noche. Dacortin 30 mg, 1/3 de comprimido al día. Sintrom, 1/4 de comprimido. Seguril 1/2 c/24h.", ""},
		{"es", "Lorazepam 1 mg 1/2 al acostarse, trazodona 1/2 si insomnio, digoxina 1/2 y luego 1.", ""},
		{"es", "Enalapril 20 mg 1/2. Furosemida 40 mg: 3/4. Clexane 60 mg 1/12.", ""},
		{"es", "Nolotil 1/8, paracetamol 1/8. Enantyum 1/8 alternando con paracetamol 1 g 1/8.", ""},
		{"es", "Omeprazol 20 mg/24h, apixabán 5/12, dexametasona 4/8.", ""},
		{"es", "Tras paracetamol 3/10.", ""},
		{"es", "Fármaco\tDosis\tInicio\nVancomicina\t1/2\t3/4\nSintrom\t1/4\t4/4", "Fármaco\tDosis\tInicio\nVancomicina\t1/2\t3/4\nSintrom\t1/4\t4/4"},
		{"en", "Xanax 1/2 tablet, Ambien 1/2 of a tablet, Seroquel 1/2 at bedtime, Lasix 1/2 and then 1. After Toradol 3/10, comfortable.", ""},
		{"en", "Drug\tDose\nEnalapril\t1/2\nLasix\t1/4", ""},

		{"es", "Septrin 1/2. Apixabán 5/12. Vancomicina 1/8, amikacina 1/8.", "Septrin [D|1/2]. Apixabán [D|5/12]. Vancomicina [D|1/8], amikacina [D|1/8]."},
		{"es", "Se administró furosemida 40 mg 1/2. Prednisona 30 mg 1/2 x 5 días.", "Se administró furosemida 40 mg [D|1/2]. Prednisona 30 mg [D|1/2] x 5 días."},
		{"es", "Prednisona 30 mg 1/2, 20 mg 5/2. Morfina 5 mg 3/4-7/4.", "Prednisona 30 mg [D|1/2], 20 mg [D|5/2]. Morfina 5 mg [D|3/4]-[D|7/4]."},
		{"es", "Tras paracetamol el 3/10.", "Tras paracetamol el [D|3/10]."},
		{"en", "Lasix 40 mg 1/2, 80 mg 5/5. After Toradol (3/10).", "Lasix 40 mg [D|1/2], 80 mg [D|5/5]. After Toradol ([D|3/10])."},
	} {
		found := DaysAndMonths(tc.text, tc.language)
		for i := range found {
			found[i].Type = "D"
		}
		if got := show(tc.text, found); got != cmp.Or(tc.want, tc.text) {
			t.Errorf("%s\n%s, want\n%s", tc.text, got, cmp.Or(tc.want, tc.text))
		}
	}
}

// Acuities, settings of ventilators, doses of insulin, scores of pain and parts of tablets went as dates, because of the arrow or the drug beside them.
func TestFractionsBesideArrowsAndDrugsWereDates(t *testing.T) {
	for text, want := range map[string]string{
		"VA 6/9 -> 6/12, VA R 6/4→6/5, BCVA: 6/6 -> 6/9":                                    "",
		"BiPAP 12/5 -> 12/8, settings 10/5→10/8, pressure support 8/5->8/6":                 "",
		"Motor 4/4 -> 4/5. Insulin 10/8 -> 10/12, insulin 12/8":                             "",
		"Toradol 30 mg 7/10 -> 2/10, Ketorolac 30 mg IV 8/10. Tylenol 1 g (6/10)":           "",
		"Xanax 1/2 if needed, trazodone 1/2 in AM, 1 in PM; sertraline 25 mg 1/2 then stop": "",

		"Toradol 30 mg 8/10, 8/12.":                      "Toradol 30 mg [D|8/10], [D|8/12].",
		"Cr 1.2->1.4 (5/3->5/5). Vision lost 5/3->5/5":   "Cr 1.2->1.4 ([D|5/3]->[D|5/5]). Vision lost [D|5/3]->[D|5/5]",
		"Insulin 11/23, insulin 5/3 x 5 days. Xanax 1/2": "Insulin [D|11/23], insulin [D|5/3] x 5 days. Xanax [D|1/2]",
		"BiPAP 11/23->11/25":                             "BiPAP [D|11/23]->[D|11/25]",
	} {
		found := DaysAndMonths(text, "en")
		for i := range found {
			found[i].Type = "D"
		}
		if got := show(text, found); got != cmp.Or(want, text) {
			t.Errorf("%s\n%s, want\n%s", text, got, cmp.Or(want, text))
		}
	}
}

// The further days of a list stayed, if the month stood only before the first: 5/3, 4, 5.
func TestFurtherDaysOfAMonthInDigitsStayed(t *testing.T) {
	for text, want := range map[string]string{
		"On «5/3», 4, 5":           ", [D|4], [D|5]",
		"On «5/3»,4,5.":            ",[D|4],[D|5].",
		"On «05/03» to 07 at home": " to [D|07] at home",
		"On «5/3» and 7.":          " and [D|7].",
		"On «5/3», 4.":             ", [D|4].",
		"On «6/12» -> 15/24.":      " -> [D|15/24].",
		"On «6/12», 10/24.":        ", 10/24.",
		"On «5/3», 4 stents":       ", 4 stents",
		"On «5/3», 2, 1":           ", 2, 1",
		"On «5/3» to 7 mg":         " to 7 mg",
		"On «5/3», 4, 5/10":        ", 4, 5/10",
		"On «5/3/71», 4, 5":        ", 4, 5",
		"On «5/3» to 7.5":          " to 7.5",
	} {
		text, spans := withoutMarks(text)
		at := spans[0].End
		var days []data.Span
		for _, s := range DaysAfter(text, spans[0]) {
			days = append(days, data.Span{Start: s.Start - at, End: s.End - at, Type: s.Type})
		}
		if got := show(text[at:], days); got != want {
			t.Errorf("%s\n%s, want\n%s", text, got, want)
		}
	}
}
