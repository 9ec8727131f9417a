package safetynet

import (
	"cmp"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// Days and months stayed behind words that a date follows, if they might be a fraction.
func TestDaysAndMonthsStayedBehindWordsForDates(t *testing.T) {
	for _, tc := range []struct{ language, text, want string }{
		{"en", "Her husband died 4/12. Readmitted 4/12 with CHF. D/C 4/15.", "Her husband died [D|4/12]. Readmitted [D|4/12] with CHF. D/C [D|4/15]."},
		{"en", "Well since 4/12. Return to work 4/12. RTC 3/7, F/U 4/12; Bx 4/12 benign", "Well since [D|4/12]. Return to work [D|4/12]. RTC [D|3/7], F/U [D|4/12]; Bx [D|4/12] benign"},
		{"en", "Please schedule for 4/20. Started lisinopril 9/24. Seen on Monday, 3/4.", "Please schedule for [D|4/20]. Started lisinopril [D|9/24]. Seen on Monday, [D|3/4]."},
		{"en", "BCx 3/5 NGTD. Foley 04/20, wound 04/08. Began 4/10 after lifting.", "BCx [D|3/5] NGTD. Foley [D|04/20], wound [D|04/08]. Began [D|4/10] after lifting."},
		{"en", "She fell 3-9 and was seen. CT 4-23 normal. Off from 3/9-4/2.", "She fell [D|3-9] and was seen. CT [D|4-23] normal. Off from 3/9-4/2."},
		{"en", "Drain pulled 3/9. Cast off 4/13, next INR 5/14. Scored 3/5, graded 3/6.", "Drain pulled [D|3/9]. Cast off [D|4/13], next INR [D|5/14]. Scored 3/5, graded 3/6."},
		{"es", "Hemocultivos de 23/4 positivos. Inicia enalapril 2/5. Falleció 5/4.", "Hemocultivos de [D|23/4] positivos. Inicia enalapril [D|2/5]. Falleció [D|5/4]."},
		{"es", "Dolor desde el 8/10. Extubada 4/9, caída 3-5 en casa. Cita para 5/5.", "Dolor desde el [D|8/10]. Extubada [D|4/9], caída [D|3-5] en casa. Cita para [D|5/5]."},

		{"en", "Strength 4/5, pain now 8/10, on 1/2 tab, admitted 2/2 pneumonia, 5 1/2 weeks", ""},
		{"en", "GCS 14/15, day 3/7, C3/6, dose 2/3, VA 6/12, BiPAP 12/5, started Prograf 4/3", ""},
		{"en", "Nodes 3/12, EKG 2/3 leads, cultures 2/4 positive, walked 3/4 mile, L 4/5 disc, 1/2/3", ""},
		{"en", "Follow up in 2-3 weeks, started 3-4 days ago, MRI 3-4 mm, on 4-6 L, INR 2-3, on 4.5 L", ""},
		{"en", "Seen 14/03/2071. RTC 1/12, review 3/7", ""}, // British: in a month, in three days
		{"es", "Fuerza 4/5, EVA 8/10, el 1/2 comprimido, día 3/7, TA de control 13/8, control en 3-4 semanas", ""},
		{"es", "El 1/3 medio, RX 2/2 proyecciones, hemocultivos 2/4 positivos, desde hace 3-4 días, cama 4/2", ""},
		{"es", "TAC 4/24. El 4/13.", ""}, // month 24
		{"", "since 4/12", ""},
	} {
		found := DaysAndMonths(tc.text, tc.language)
		for i := range found {
			found[i].Type = "D"
		}
		if tc.want == "" {
			tc.want = tc.text
		}
		if got := show(tc.text, found); got != tc.want {
			t.Errorf("%s\n%s, want\n%s", tc.text, got, tc.want)
		}
	}
}

// Settings, grades, acuities, durations and cores were taken for dates, as words that dates follow stand before them, too.
func TestWordsForDatesTookOtherNumbers(t *testing.T) {
	for _, tc := range []struct{ language, text, want string }{
		{"en", "PS decreased 10/5. BiPAP settings increased 18/8. Left grip decreased 3/5. Murmur increased 3/6; vision decreased 6/9.", ""},
		{"en", "Lantus increased 4/5. Lasix increased 3/5. Pain increased 4/5, anxiety improved 3/4.", "Lantus increased [D|4/5]. Lasix increased [D|3/5]. Pain increased [D|4/5], anxiety improved 3/4."},
		{"en", "Follow up 3/12 with GP. RTC 6/12. Amoxicillin given 5/7. Seen 3/12 post op. Last seen aged 3/12.", ""},
		{"en", "Seen 3/12 by ENT.", "Seen [D|3/12] by ENT."},
		{"en", "Follow up 8/12. Vaccine given 4/12.", "Follow up [D|8/12]. Vaccine given [D|4/12]."},
		{"en", "Well since 4/13. Follow up 3/12.", "Well since [D|4/13]. Follow up [D|3/12]."},
		{"en", "Prostate biopsy: 4/12 positive. Bx 4/12 pos, Gleason 6.", ""},
		{"en", "Colon bx 4/12 positive. Prostate bx 4/12 benign.", "Colon bx [D|4/12] positive. Prostate bx [D|4/12] benign."},
		{"es", "Mejora fuerza hasta 4/5. Fuerza desde 2/5 hasta 4/5. Presenta 2/6 en foco mitral. Soplo que presenta 3/6.", ""},
		{"es", "Pérdida de fuerza desde 4/5. Reflejos normales, corticoides hasta 4/5.", "Pérdida de fuerza desde [D|4/5]. Reflejos normales, corticoides hasta [D|4/5]."},
		{"es", "Baja con dolor hasta 3/10, fuerza desde 2/5 hasta 4/6.", "Baja con dolor hasta [D|3/10], fuerza desde [D|2/5] hasta [D|4/6]."},
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

// Days and months stayed beside others that were replaced, which gives a shift away.
func TestDaysAndMonthsStayedBesideOthers(t *testing.T) {
	const dates = "Ingresa el «2/4», alta el «12/4». "
	for text, want := range map[string]string{
		dates + "Toracocentesis 6/4 de 1200 cc. PICC 10/4, (9/4).":                  "Toracocentesis [D|6/4] de 1200 cc. PICC [D|10/4], ([D|9/4]).",
		dates + "Picos 1/10. Revisión 8/12, 13/13, 4/24, 31/4.":                     "Picos 1/10. Revisión 8/12, 13/13, 4/24, 31/4.", // far from the dates, or no date
		dates + "EVA 6/4, fuerza 4/5, día 3/5, soplo 3/6, cama 5/4, 1/4 tab":        "EVA 6/4, fuerza 4/5, día 3/5, soplo 3/6, cama 5/4, 1/4 tab",
		dates + "Punción 6-4, lesión 6.4, 3-5 sitios":                               "Punción 6-4, lesión 6.4, 3-5 sitios",   // the dates have another separator
		dates + "Picos 8/4 5/10, luego 3/4 5/4":                                     "Picos [D|8/4] 5/10, luego 3/4 [D|5/4]", // a score of a day, and two fractions
		"Alta el «12/4». Punción 12/4, drenaje 6/4":                                 "Punción [D|12/4], drenaje 6/4",         // one date tells only its own value
		"Ingreso el «2-4», alta el «12-4». Punción 6-4. Picos 3-5 mm, 3-6":          "Punción [D|6-4]. Picos 3-5 mm, [D|3-6]",
		dates + "Vent: AC 12/5. CVP 8/10, ribs 4/5, CN 3/4, pupils 4/3, stools 4/5": "Vent: AC 12/5. CVP 8/10, ribs 4/5, CN 3/4, pupils 4/3, stools 4/5",
		dates + "Plaquetas 43\n8/4 hto 41\n3/4 sin fiebre":                          "Plaquetas 43\n[D|8/4] hto 41\n3/4 sin fiebre", // a number of the line before
		dates + "Huecos 5/4-8/4 unidades. Fuerza 4/5-5/5":                           "Huecos [D|5/4]-[D|8/4] unidades. Fuerza 4/5-5/5",
		dates + "Del «9/4»-12/4 unit 2":                                             "Del 9/4-[D|12/4] unit 2",
		"Seen on «4/13» and «4/20». Tap 4/5. Repeat 13/4, in 5/7":                   "Tap [D|4/5]. Repeat 13/4, in 5/7", // the month comes first
	} {
		checkLike(t, text, want)
	}
}

// checkLike checks what NewDated finds behind the first sentence of a Spanish note, in which dates are marked.
func checkLike(t *testing.T, note, want string) {
	t.Helper()
	text, spans := withoutMarks(note)
	at := strings.Index(text, ". ") + 2
	var rest []data.Span
	for _, s := range NewDated([]string{text}, [][]data.Span{spans}).Like(0, text, "es", spans) {
		rest = append(rest, data.Span{Start: s.Start - at, End: s.End - at, Type: s.Type})
	}
	if got := show(text[at:], rest); got != want {
		t.Errorf("%s\n%s, want\n%s", text, got, want)
	}
}

// A date of one note of a patient stayed in the others.
func TestDaysAndMonthsStayedInOtherNotes(t *testing.T) {
	first, spans := withoutMarks("Ingresa el «8/9».")
	texts := []string{first, "Punción 8/9, fuerza 8/9, drenaje 7/9"}
	found := NewDated(texts, [][]data.Span{spans, nil}).Like(1, texts[1], "es", nil)
	if got, want := show(texts[1], found), "Punción [D|8/9], fuerza 8/9, drenaje 7/9"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Days and months with a full stop stayed, although the dates of the note have one.
func TestDaysAndMonthsWithFullStopsStayed(t *testing.T) {
	const date = "Fecha: 07.07.25. "
	for text, want := range map[string]string{
		date + "\nEVALUACIÓN: 09.07 sat 90 %":                         date + "\nEVALUACIÓN: [D|09.07] sat 90 %",
		date + "\n09.08 curas, hasta el 01.06.":                       date + "\n[D|09.08] curas, hasta el [D|01.06].",
		date + "\n09.07 h: curas. Hora: 09.07 hs. Desde 09.07 %":      "",
		date + "\nHb 09.07, pH 07.08. Desde 9.7 mg. Creatinina 08.07": "",
		date + "\nTSH: 01.08\npH: 07.06\nLactato: 08.07":              "", // results
		date + "\nLlegada: 09.06\nArrived: 09.07\nSalida: 08.07":      "", // times
		date + "\nRevisión: 09.10, 31.06":                             "", // far from the date, or no date
		"Fecha: 07/07/25.\nEVALUACIÓN: 09.07 sat 90 %":                "",
	} {
		found := DaysAndMonths(text, "es")
		for i := range found {
			found[i].Type = "D"
		}
		if got := show(text, found); got != cmp.Or(want, text) {
			t.Errorf("%s, want\n%s", got, cmp.Or(want, text))
		}
	}
}

// A day stayed beside the only other one, although both are of the same month.
func TestDayOfSameMonthStayed(t *testing.T) {
	for text, want := range map[string]string{
		"Entrega el «22/7». Prueba en cera 8/7, retoque 3/7, fuerza 8/7": "Prueba en cera [D|8/7], retoque [D|3/7], fuerza 8/7",
		"Entrega el «22/7». Prueba en cera 8/9, EVA 9/10":                "Prueba en cera 8/9, EVA 9/10",
		"Entrega el «9/7». Prueba en cera 8/7":                           "Prueba en cera 8/7", // neither tells which number is the month
		"Entrega el «12/10». Alivio 8/10":                                "Alivio 8/10",
		"Entrega el «22/10». Alivio 8/10":                                "Alivio 8/10",
	} {
		checkLike(t, text, want)
	}
}

// Many values and dates take no quadratic time.
func TestManyDaysAndMonths(t *testing.T) {
	text := strings.Repeat("el 3/4, 5/4 ", 20000)
	var spans []data.Span
	for i := 0; i < len(text); i += 12 {
		spans = append(spans, data.Span{Start: i + 3, End: i + 6, Type: "D"})
	}
	if found := NewDated([]string{text}, [][]data.Span{spans}).Like(0, text, "es", spans); len(found) != len(spans) {
		t.Errorf("found %d, want %d", len(found), len(spans))
	}
}

// withoutMarks returns a text without the marks « » and the spans of type D that they enclose.
func withoutMarks(marked string) (text string, spans []data.Span) {
	for i, part := range strings.FieldsFunc(marked, func(r rune) bool { return r == '«' || r == '»' }) {
		if i%2 == 1 {
			spans = append(spans, data.Span{Start: len(text), End: len(text) + len(part), Type: "D"})
		}
		text += part
	}
	return text, spans
}
