package surrogate

import (
	"strings"
	"testing"
)

// TestWeekdaysOfSchedulesRecur marks each day of the week of a text as a span of its own.
func TestWeekdaysOfSchedulesRecur(t *testing.T) {
	for _, test := range []struct {
		lang   Language
		text   string
		recurs bool
	}{
		{English, "Warfarin 5 mg «Mon»/«Wed»/«Fri», 2.5 mg «Tue»/«Thu»/«Sat»/«Sun».", true},
		{English, "Warfarin 5 mg «Mon», «Wed», «Fri» and 2.5 mg PO «Sat» and «Sun»", true},
		{English, "Methotrexate 15 mg on «Mondays», folic acid on «Thursdays».", true},
		{English, "Alendronate 70 mg every «Sunday» morning; every other «Friday»", true},
		{English, "prednisone 5 mg «Mon» «Wed» «Fri», 2.5 mg «Tue» «Thu» «Sat» «Sun»; daily except «Sunday»", true},
		{English, "epoetin 4000 units «Tu/Th/Sa»", true},
		{English, "Dialysis «MWF» or «TTS»", true},
		{English, "Levothyroxine 100 mcg «Mon»-«Fri» and 125 mcg «Sat-Sun».", true},
		{English, "bath on «Tuesdays» and «Saturdays»", true},
		{English, "off «Mon/Wed/Fri»", true},
		{English, "Dialysis on «Mon/Wed/Fri.» Warfarin 5 mg Tues/Thurs/«Sat.»", true},
		{English, "Coumadin: «Mon» 5 mg, «Tue» 2.5 mg, «Wed» 5 mg, «Thu» 2.5 mg, «Fri» 5 mg, «Sat» 2.5 mg and «Sun» 2.5 mg.", true},
		{English, "Warfarin 5 mg «Mon», 2.5 mg «Tue», 5 mg «Wed»", true},
		{English, "Gave lorazepam 2 mg IV «Mon», 1 mg IV «Tue» for the seizures; transfused 1 unit «Mon», 2 units «Tue»", false},
		{English, "Received 5 mg «Mon», 2.5 mg «Tue», 5 mg «Wed»; Hgb was «Mon» 9 g, «Tue» 8.1 g", false},
		{English, "missed HD «Mon», «Tue» and «Wed»; seen weekly, «Sunday» she fell; each week, «Monday» he came", false},
		{English, "15 mg once weekly on «Friday»; 70 mg weekly («Sunday»); q «Sunday»", true},
		{English, "Enbrel 50 mg SC «Mondays»", true},
		{English, "Dialysis days: «Tue», «Thu», «Sat». Dialysis «Mon», «Wed» and «Fri»; HD «Tue-Thu-Sat»", true},
		{English, "2.5 mg T/Th/Sat/«Sun»; HD «T-Th-Sa»", true},
		{English, "Dialysis «Mon» and «Tue»; dialysis on «Friday»; gave 5 mg «Mon»", false},
		{English, "Weekly visits. «Friday» he fell; reviewed «Mon» 5 pm", false},
		{English, "weekly on «Friday» 3/4/2019", false},
		{English, "MTX 20 mg, «Mondays»; folic acid «Fridays» | Humira; change patch «Sundays». Day centre, «Tuesdays».", true},
		{English, "seen on «Tues» by her GP, fell on «Thurs» night, missed three «Mondays» in a row, the last two «Sundays»", false},
		{English, "Seen in clinic «Tuesday».", false},
		{English, "INR on «Mon», back «Fri».", false},
		{English, "«Monday» and «Tuesday»", false},
		{English, "«Mon» 03/04/2019", false},
		{English, "every «March»; each «2019»; every «Christmas»", false},
		{English, "every «03/04»", false},
		{English, "died «Mon/Tue», «Thursday/Friday», admitted «Fri-Sun», ICU «Tuesday-Thursday»", false},
		{English, "missed «Sat/Sun/Mon»", false},
		{English, "every «Monday», March 4; every «Monday» 3/4; «Mon/Wed/Fri» 3 March", false},
		{English, "two «Sundays» ago; on «Mondays» last year", false},
		{English, "Seen on «Mon» - sat up in chair; «Monday» - sun exposure", false},
		{English, "MS/«Mon»; MS - «Monday» seen", false},
		{English, "He died «Sunday», Mondays were his dialysis days", false},
		{English, "Discharged «Friday», Sat/Sun/Tue off", false},
		{English, "«Monday 10:00-11:00», «next-Monday», «MS», «SS», «MF», «M/F»", false},
		{English, "every\n«Monday»", false},
		{English, strings.Repeat("long ", 30) + "every «Monday»" + strings.Repeat(" long", 30), true},
		{English, "teach «Monday»; on «Mondays»" + strings.Repeat(" ", 3) + "3/4/2019", false},
		{Spanish, "metotrexato los «lunes», fólico los «jueves»", true},
		{Spanish, "diálisis «L-M-V»", true},
		{Spanish, "diálisis «lunes»/«miércoles»/«viernes»", true},
		{Spanish, "TOMA METOTREXATO CADA «LUNES». DE «LUNES» A «VIERNES»; Sintrom 4 mg los «Lunes», «Miércoles» y «Viernes»", true},
		{Spanish, "Sintrom 4 mg «lunes», «miércoles» y «viernes»", true},
		{Spanish, "de «lunes» a «viernes»", true},
		{Spanish, "ducha los «martes» y «sábados»", true},
		{Spanish, "Sintrom: «lunes» 2 mg, «martes» 1 mg y «miércoles» 2 mg", true},
		{Spanish, "Hemodiálisis «lunes», «miércoles» y «viernes»; alendronato 70 mg semanal («domingo»)", true},
		{Spanish, "Acudió a la revisión semanal el «viernes»; hemodiálisis «lunes», «martes» y «miércoles» por sobrecarga", false},
		{Spanish, "visto el «lunes»", false},
		{Spanish, "ingresó «lunes/martes»", false},
		{Spanish, "HD «lun»/«mié»/«vie» por fístula", true},
		{Spanish, "HD «mar»/«jue»/«sáb» por fístula; hemodiálisis «mar», «jue» y «sáb»", true},
		{Spanish, "en «mar» y «abr»; desde «mar»", false},
		{Spanish, "familia de los «Domingos»; los «lunes» 4 y 11 de marzo; los «lunes» pasados", false},
		{Spanish, "cada «domingo»", true},
		// A letter with an accent was no end or beginning of a word.
		{Spanish, "Sintrom 4 mg «lun» y «mié»; ducha cada «mié»; HD «lun/vie/mié»", true},
		{Spanish, "Recibió 5 mg «lunes», 2.5 mg «martes», 5 mg «miércoles»", false},
		{Spanish, "Se administró 5 mg «lunes», 2.5 mg «martes», 5 mg «miércoles»", false},
		{Spanish, "los últimos «lun/mié/vie»", false},
		{Spanish, "Digoxina 1 comp, descansa «sábado» y «domingo»; salvo los «martes» y «jueves»; warfarina 5 mg «lun»-«mié»-«vie»", true},
	} {
		checkRecurs(t, test.lang, test.text, test.recurs)
	}
}

// Days behind a dose were taken for dates if it had no unit, or if a colon, a bracket or the times of the day stood behind it.
func TestDaysOfADoseWereDates(t *testing.T) {
	for _, test := range []struct {
		lang   Language
		text   string
		recurs bool
	}{
		{Spanish, "Zoloft 100 «lunes» y «jueves»; Urbason 80 mg: «martes» y «viernes»", true},
		{Spanish, "Urbason 16 mg 1-0-0 «lunes», «miércoles» y «viernes». Prednisona 10 mg («lunes» y «jueves»)", true},
		{Spanish, "Sintrom «martes», «jueves» y «sábado»; furosemida 40 (1-0-0) «lun»-«mié»-«vie»; ácido fólico los «martes» y «viernes»", true},
		{Spanish, "Prednisona 10 mg («lunes»), 5 mg («miércoles»), 10 mg («viernes»)", true},
		{Spanish, "Rechazó la quetiapina «lunes» y «jueves»; Sintrom «lunes» y «martes»; prednisona «lunes»", false},
		{Spanish, "Fiebre «lunes» y «jueves»; acudió con su madre «martes» y «viernes»; Zoloft 100 «lunes» y «jueves» 4 de marzo", false},
		{Spanish, "Prednisona 10 mg («lunes») y alta", false},
		{Spanish, "Se dio Zofran «lunes» y «jueves»; exantema tras Augmentine «lunes» y «jueves»", false},
		{English, "Rash after Keflex «Mon» and «Thu»; lisinopril 10, «Tue» and «Thu» dizzy", false},
		{English, "prednisone 10 mg («Mon» and «Thu»); Urbason 80 mg: «Mondays» and «Thursdays»; 5 mg: «Tue», «Thu»", true},
		{English, "Advair 250/50 «Mon» and «Thu»; take Lasix «Mon», «Wed» and «Fri» only; methotrexate 15 on «Tue/Sat»", true},
		{English, "prednisone 10 mg («Mon»), 5 mg («Wed»), 10 mg («Fri»)", true},
		{English, "Refused Seroquel «Mon» and «Thu»; gave Zofran 4 mg («Mon» and «Thu»)", false},
		{English, "Zofran «Mon» and «Tue»; prednisone 10 mg («Mon»), seen", false},
		{English, "Fever «Mon» and «Thu»; seen by Oda Lund «Mon» and «Thu»; Lasix, «Mon» and «Thu» he fell", false},
		{English, "Lasix «Mon» and «Thu» 3/4/2019", false},
		{English, "Fell after Ambien 10 mg («Sat», «Tue»). Rash with Bactrim «Mon» and «Wed».", false},
		{English, "Pt on Lasix: «Mon», «Thu» visits with nurse", false},
		{English, "Overdosed prednisone 10 mg («Mon», «Thu»); fell", false},
		{English, "Allegra «Mon» and «Thu», seen by nurse", false},
		{English, "Lasix 20 mg («Mon», «Thu») visits; dizzy on Lasix «Mon» and «Thu».", false},
		{Spanish, "Caída con Sintrom «lunes» y «jueves». Sintrom: «lunes», «jueves» visita de enfermería", false},
	} {
		checkRecurs(t, test.lang, test.text, test.recurs)
	}
}

// A list with a comma before its last conjunction lost the conjunction, and spelled ranges, units and numbers were dates.
func TestSpelledDosesAndDaysWereDates(t *testing.T) {
	for _, test := range []struct {
		lang   Language
		text   string
		recurs bool
	}{
		{English, "furosemide 40 mg on «Monday», «Wednesday», and «Friday»; Epogen 10,000 units «Tue», «Thu», & «Sat»", true},
		{English, "levothyroxine 100 mcg «Monday» through «Friday», 50 mcg «Sat to Thu»; one tablet «Monday through Friday»", true},
		{English, "warfarin 5 milligrams «Mon», «Wed», «Fri»; warfarin five mg «Monday» and «Thursday»; half a tablet on «Tue» and «Sat»", true},
		{English, "Dialysis «Mon Wed Fri»; HD on «Tue Thu Sat»", true},
		{English, "Gave 5 mg «Monday» through «Friday»; received one tablet «Monday» and «Thursday»; missed dialysis «Mon Wed Fri»", false},
		{English, "one tablet «Monday» and «Tuesday»; 5 mg «Monday» to «Tuesday»; 5 mg «Monday» through «Friday» last week; she fell «Monday» through «Friday»", false},
		{Spanish, "Furosemida 40 mg los «lunes», «miércoles», y «viernes»; Sintrom 4 mg «lun», «mié», y «vie»", true},
		{Spanish, "Sintrom 4 miligramos «lunes», «miércoles»; una pastilla «lunes» y «jueves»; 4 mg «lunes» a «sábado»; diálisis «lunes miércoles viernes»", true},
		{Spanish, "se dio 4 mg «lunes» a «jueves»; tomó una pastilla «lunes» y «jueves»; una pastilla «lunes» y «martes»", false},
	} {
		checkRecurs(t, test.lang, test.text, test.recurs)
	}
}

// TestWeekdaysInLettersRecur has lists in which days of the week are letters.
func TestWeekdaysInLettersRecur(t *testing.T) {
	for _, test := range []struct {
		lang   Language
		text   string
		recurs bool
	}{
		{English, "Warfarin 5 mg «M/W/F», 2.5 mg «Tu/Th/Sa/Su».", true},
		{English, "Warfarin 5mg «M»,«W»,«F» and 2.5mg «T,Th,Sa,Su». Seen 1/2/2024.", true},
		{English, "Coumadin 2.5 mg «Tu/Th/Sa/Su» and 5 mg «Mon, Wed, Fri».", true},
		{English, "Warfarin 5 mg «M/W/F», 1/2 tab «Tu/Th/Sa/Su»; 5 mg «Tu/Th»; Lasix 20 mg «M, W, and F»; takes it «M-W-F»", true},
		{English, "5 mg «M/W», «M/F» 3, «W/Th/F» at home, «T/M/W», «M/W/F» 3 March, 5 mg «MS», «M/W/Fo», «m/w/f»", false},
		{Spanish, "HD «L-X-V» turno mañana. Diálisis «M-J-S».", true},
		{Spanish, "Furosemida 40 «L-X-V» y 20 «M-J-S-D».", true},
		{Spanish, "Sintrom 4 mg «L, Mi y V»; 40 mg los «L-M-X-J-V»; «L/X/V»; «L-V» de mañana; de «L a V»", true},
		{Spanish, "«L-M» y «M/V», «V-L-X-M», «L-X-V» 4 de marzo, sexo «V»", false},
	} {
		checkRecurs(t, test.lang, test.text, test.recurs)
	}
}

// TestPartsOfTabletsAreNoDates has lists of days with what is taken on each.
func TestPartsOfTabletsAreNoDates(t *testing.T) {
	for _, test := range []struct {
		lang   Language
		text   string
		recurs bool
	}{
		{Spanish, "Sintrom 4 mg: «lunes 1/2», «martes» «1/4», «miércoles 1/2», jueves «1/4». Control el 9/1/2024.", true},
		{Spanish, "Sintrom: «L 1/2», «M 1/4», X «1/2», «J 1 y 1/2»; vie ½, «sáb» ¼ y dom «3/4»", true},
		{Spanish, "Sintrom:\n«lunes»: «1/2»\n«martes»: «1/4»\n«miércoles»: «1/2»\n", true},
		{Spanish, "Sintrom 4 mg: «lunes» 1, «martes» 2, «miércoles» 1.", true},
		{Spanish, "Control el «9/1/2024», «lunes 1/2», «martes 2/2», «miércoles 3/2»; el «1/2» y el «1/4»", false},
		{English, "Warfarin: «Monday 1/2», «Tuesday 1/4», «Wednesday 1/2». INR 3/4/2023.", true},
		{English, "Coumadin 5 mg: «Sun 1/2», «Mon» 1, «Tue 1/2», «Wed 1», «Thu» «1/2», «Fri 1», «Sat 1/2»", true},
		{English, "Warfarin «Fri 1 1/2 tab», «Sat 1», and «Mon 1/2»", true},
		{English, "Warfarin tablets\n•Fri «1/2»\n•Sat «1/4»\n•Sun «1/2»\n•Mon «1/4»", true},
		{English, "He vomited «Mon 1/2», «Tue 1/3» and «Wed 1/4». Pain «Mon» 6, «Tue» 5, «Wed» 3. «Mon 1/2», «Tue 1/4»", false},
		{English, "Seen «Mon 1/2/2024», «Tue 1/4/2024», «Wed 1/2/2024»", false},
	} {
		checkRecurs(t, test.lang, test.text, test.recurs)
	}
}

// checkRecurs marks the parts of a text between « and » as spans, and checks that all of them recur, or none.
func checkRecurs(t *testing.T, lang Language, marked string, recurs bool) {
	t.Helper()
	text, rest := "", marked
	var spans [][2]int
	for {
		before, after, ok := strings.Cut(rest, "«")
		text += before
		if !ok {
			break
		}
		span, tail, _ := strings.Cut(after, "»")
		spans = append(spans, [2]int{len(text), len(text) + len(span)})
		text += span
		rest = tail
	}
	m := maker(t, lang)
	for _, s := range spans {
		if got := m.Recurs(text, s[0], s[1]); got != recurs {
			t.Errorf("%s: %q recurs: %v", marked, text[s[0]:s[1]], got)
		}
	}
}
