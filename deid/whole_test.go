package deid

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
	"github.com/lethe-deid/lethe/internal/matching"
	"github.com/lethe-deid/lethe/internal/shared"
)

func sortOf(typ string) data.Sort { return data.Any.Describe(typ).Sort }

// marked parses a text in which spans are marked as «TYPE|words».
func marked(t testing.TB, text string) (string, []data.Span) {
	t.Helper()
	var plain strings.Builder
	var spans []data.Span
	for rest := text; rest != ""; {
		before, after, ok := strings.Cut(rest, "«")
		plain.WriteString(before)
		if !ok {
			break
		}
		inner, after, ok := strings.Cut(after, "»")
		typ, words, typed := strings.Cut(inner, "|")
		if !ok || !typed {
			t.Fatalf("%q is not marked as «TYPE|words»", text)
		}
		spans = append(spans, data.Span{Start: plain.Len(), End: plain.Len() + len(words), Type: typ, Score: 1})
		plain.WriteString(words)
		rest = after
	}
	return plain.String(), spans
}

func mark(text string, spans []data.Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start] + "«" + s.Type + "|" + text[s.Start:s.End] + "»")
		at = s.End
	}
	return b.String() + text[at:]
}

// checkWhole compares the boundaries of marked spans with those that whole gives them.
func checkWhole(t *testing.T, texts map[string]string) {
	t.Helper()
	for in, want := range texts {
		text, spans := marked(t, in)
		if diff := cmp.Diff(want, mark(text, whole(text, spans, sortOf))); diff != "" {
			t.Error(diff)
		}
	}
}

// TestHalfATokenStayed: the letter of 412b stayed in the text, and so did the check digit of 28.447.193-K.
func TestHalfATokenStayed(t *testing.T) {
	checkWhole(t, map[string]string{
		"«PATIENT|Oda Lund\tAda\t\tBerg»\tICU":                                              "«PATIENT|Oda Lund»\t«PATIENT|Ada»\t\t«PATIENT|Berg»\tICU", // cells of a table
		"«PATIENT|Oda\tLund\r\nAda\tBerg»\tICU":                                             "«PATIENT|Oda»\t«PATIENT|Lund»\r\n«PATIENT|Ada»\t«PATIENT|Berg»\tICU",
		"see «PATIENT|Lund»«DEVICE|.pdf»":                                                   "see «PATIENT|Lund».pdf",
		"see «USERNAME|Lund_Oda.pdf», «PATIENT|Lund.docx» and «URL|http://a.example/x.pdf»": "see «USERNAME|Lund_Oda».pdf, «PATIENT|Lund».docx and «URL|http://a.example/x.pdf»",
		"room «AGE|412»b, bed 2":                                                            "room «AGE|412b», bed 2",
		"no «IDNUM|91827364»A":                                                              "no «IDNUM|91827364A»",
		"RUT «PHONE|28.447.193»-K.":                                                         "RUT «PHONE|28.447.193-K».",
		"RUT «IDNUM|28.447.193»-5.":                                                         "RUT «IDNUM|28.447.193-5».",
		"«DATE|OCTOBER 2»ND":                                                                "«DATE|OCTOBER 2ND»",
		"plate «DATE|4BX-291»Z":                                                             "plate «DATE|4BX-291Z»",
		"H«DEVICE|88-3311-02» was":                                                          "«DEVICE|H88-3311-02» was",
		"CX-«MEDICALRECORD|554433» and":                                                     "«MEDICALRECORD|CX-554433» and",
		"«PATIENT|Am»undsen":                                                                "«PATIENT|Amundsen»",
		"«PATIENT|amundsen»77":                                                              "«PATIENT|amundsen77»",
		"5«PHONE|55-0199»2":                                                                 "«PHONE|555-01992»",
		"«PATIENT|Oda»\u0301":                                                               "«PATIENT|Oda\u0301»",
		"a «AGE|67»yo «AGE|54»M, «AGE|3»wk, «AGE|8»años":                                    "a «AGE|67»yo «AGE|54»M, «AGE|3»wk, «AGE|8»años",
		"«AGE|67»-year-old":                                                                 "«AGE|67»-year-old",
		"MRN«MEDICALRECORD|554433» MR-«IDNUM|554433»":                                       "MRN«MEDICALRECORD|554433» MR-«IDNUM|554433»",
		"DOB«DATE|3/4/71»Seen since«DATE|3/4/71»":                                           "DOB«DATE|3/4/71»Seen since«DATE|3/4/71»",
		"«DATE|2071-03-04»T10:15 «DATE|3/4/71»10am":                                         "«DATE|2071-03-04»T10:15 «DATE|3/4/7110am»",
		"«DOCTOR|Amundsen»Seen by patient«DOCTOR|Lund»":                                     "«DOCTOR|Amundsen»Seen by patient«DOCTOR|Lund»",
		"«IDNUM|554433»-12 days":                                                            "«IDNUM|554433-12» days",
		"«PHONE|555-0199»-12 days":                                                          "«PHONE|555-0199»-12 days",
		"«DATE|3/4»-3/6":                                                                    "«DATE|3/4-3/6»",
		"Dr. «DOCTOR|Lund agrees», «PATIENT|Oda Lund was seen»":                             "Dr. «DOCTOR|Lund» agrees, «PATIENT|Oda Lund» was seen",
		"«PATIENT|rose long», «PATIENT|Rosa de la Vega», «PATIENT|Will»":                    "«PATIENT|rose long», «PATIENT|Rosa de la Vega», «PATIENT|Will»",
		"«DATE|3/4/71»NA 133, «IDNUM|554433»HCT 40, «DATE|3/4»CREAT":                        "«DATE|3/4/71»NA 133, «IDNUM|554433»HCT 40, «DATE|3/4»CREAT",
		"3«PATIENT|Lund»":                                                                   "3«PATIENT|Lund»",
		"«PATIENT|Lund»'s":                                                                  "«PATIENT|Lund»'s",
	})
}

// TestTheFirstDayOfARangeStayed also has days of the week before a date, a fraction of a tablet that was taken for a date, and a conjunction.
func TestTheFirstDayOfARangeStayed(t *testing.T) {
	checkWhole(t, map[string]string{
		"from 3 to «DATE|5 March 2019»":                          "from «DATE|3 to 5 March 2019»",
		"stayed 3-«DATE|5 March»":                                "stayed «DATE|3-5 March»",
		"del 3 al «FECHAS|5 de marzo de 2019»":                   "del «FECHAS|3 al 5 de marzo de 2019»",
		"ingresado 3-5 «FECHAS|marzo 2019», bed 3 «DATE|March»":  "ingresado «FECHAS|3-5 marzo 2019», bed 3 «DATE|March»",
		"MMSE 18/30 «DATE|APRIL 4», pain 2-9/10 «DATE|Jun 1»":    "MMSE 18/30 «DATE|APRIL 4», pain 2-9/10 «DATE|Jun 1»",
		"the 3rd and «DATE|5th of March»":                        "the «DATE|3rd and 5th of March»",
		"visto el martes «FECHAS|5 de marzo»":                    "visto el «FECHAS|martes 5 de marzo»",
		"on Tuesday, «DATE|5 March»":                             "on «DATE|Tuesday, 5 March»",
		"«DATE|3 to» «DATE|5 March»":                             "«DATE|3 to» «DATE|5 March»",
		"BP 120/80 - «DATE|5 March», 38 to «DATE|5 March»":       "BP 120/80 - «DATE|5 March», 38 to «DATE|5 March»",
		"from 3 to «DATE|05/03/2019»":                            "from 3 to «DATE|05/03/2019»",
		"Warfarin «DATE|Mon 1/2» tab, «DATE|Wed» «DATE|1/2» tab": "Warfarin «DATE|Mon» 1/2 tab, «DATE|Wed» 1/2 tab",
		"«DATE|3/4»/10, «DATE|3/4» units, «DATE|12/4» tab":       "«DATE|3/4»/10, «DATE|3/4» units, «DATE|12/4» tab",
		"in «DATE|2019» strength, aged «AGE|93» strength 5/5":    "in «DATE|2019» strength, aged «AGE|93» strength 5/5",
		"INR 3 - «DATE|5 March 2019», bed 12 – «DATE|5 March»":   "INR 3 - «DATE|5 March 2019», bed 12 – «DATE|5 March»",
		"«DATE|5/5» strength, «DATE|3/4» «DATE|3/4/71»":          "5/5 strength, «DATE|3/4» «DATE|3/4/71»",
		"«FECHAS|lunes 1/4» comprimido":                          "«FECHAS|lunes» 1/4 comprimido",
		"«DATE|Mon», «DATE|Wed» «DATE|and» «DATE|Fri»":           "«DATE|Mon», «DATE|Wed» and «DATE|Fri»",
		"«DATE|Mon, Wed»«DATE|, and» «DATE|Fri»":                 "«DATE|Mon, Wed», and «DATE|Fri»",
		"«DATE|Tue», «DATE|Thu»«DATE|, & Sat»":                   "«DATE|Tue», «DATE|Thu», & «DATE|Sat»",
		"«FECHAS|lunes»«FECHAS|, y»«FECHAS| viernes,»":           "«FECHAS|lunes», y «FECHAS|viernes»,",
		"«DATE|Mon through»«DATE| to » «DATE|or Fri and»":        "«DATE|Mon through» to  or «DATE|Fri» and",
	})
}

// TestTagsAndLinesOfTablesWereReplaced: a name with a part of a tag broke the markup, and one over the end of a row joined two rows.
func TestTagsAndLinesOfTablesWereReplaced(t *testing.T) {
	checkWhole(t, map[string]string{
		"<tr><td>Lund</«DOCTOR|td><td>Kelly»</td></tr>":           "<tr><td>Lund</td><td>«DOCTOR|Kelly»</td></tr>",
		"<«LICENSE|td>88123»</td>":                                "<td>«LICENSE|88123»</td>",
		"<td>ok</«DOCTOR|td»>":                                    "<td>ok</td>",
		"<p>Seen by «DOCTOR|Oda<br/>Lund»</p>":                    "<p>Seen by «DOCTOR|Oda»<br/>«DOCTOR|Lund»</p>",
		"<a href=\"«EMAIL|mailto:oda@lund.example\">Oda»</a>":     "<a href=\"«EMAIL|mailto:oda@lund.example\"»>«EMAIL|Oda»</a>",
		"WBC <«DOCTOR|Oda» 5":                                     "WBC <«DOCTOR|Oda» 5",
		"Patient    MRN    «PATIENT|Start\nLund»    88123    3/2": "Patient    MRN    «PATIENT|Start»\n«PATIENT|Lund»    88123    3/2",
		"seen by Dr. «DOCTOR|Oda\nLund» in the clinic":            "seen by Dr. «DOCTOR|Oda\nLund» in the clinic",
		"«PATIENT|VEGA           CAMPOS» 12":                      "«PATIENT|VEGA»           «PATIENT|CAMPOS» 12",
		"   Dr. «DOCTOR|Oda\n      Lund» on «DATE|3    May»":      "   Dr. «DOCTOR|Oda»\n      «DOCTOR|Lund» on «DATE|3    May»",
		"   Dr. «DOCTOR|Oda\n      Lund» agrees":                  "   Dr. «DOCTOR|Oda\n      Lund» agrees",
	})
}

// TestAbbreviatedDaysAndYearsStayedBesideDates: with surrogates, the day of the week and the year contradicted the date.
func TestAbbreviatedDaysAndYearsStayedBesideDates(t *testing.T) {
	checkWhole(t, map[string]string{
		"cita mié «FECHAS|3 may» con":          "cita «FECHAS|mié 3 may» con",
		"Fecha: Sáb. «FECHAS|06/05/71»":        "Fecha: «FECHAS|Sáb. 06/05/71»",
		"lun, «FECHAS|4 de julio»":             "«FECHAS|lun, 4 de julio»",
		"alum «FECHAS|4 de julio»":             "alum «FECHAS|4 de julio»",
		"con mar «FECHAS|de marzo»":            "con mar «FECHAS|de marzo»",
		"FECHA «FECHAS|17 OCT» 71":             "FECHA «FECHAS|17 OCT 71»",
		"el «FECHAS|10-ene»-71, alta":          "el «FECHAS|10-ene-71», alta",
		"el «FECHAS|10 ene» 71 pacientes":      "el «FECHAS|10 ene» 71 pacientes",
		"el «FECHAS|10 ene» 10 mg":             "el «FECHAS|10 ene» 10 mg",
		"el «FECHAS|10 ene» 10.5":              "el «FECHAS|10 ene» 10.5",
		"«FECHAS|10 de enero» 71":              "«FECHAS|10 de enero» 71",
		"el «FECHAS|3 may.» «FECHAS|71» por":   "el «FECHAS|3 may. 71» por",
		"el «FECHAS|3 mayo» 71 por tos":        "el «FECHAS|3 mayo 71» por tos",
		"el «FECHAS|12 dic» 71 se opera":       "el «FECHAS|12 dic 71» se opera",
		"el «FECHAS|12 dic» 71 y alta":         "el «FECHAS|12 dic 71» y alta",
		"«FECHAS|3 mayo» 71: tos":              "«FECHAS|3 mayo 71»: tos",
		"el «FECHAS|3 mayo» 48 horas":          "el «FECHAS|3 mayo» 48 horas",
		"el «FECHAS|3 mayo» 24 y 48 horas":     "el «FECHAS|3 mayo» 24 y 48 horas",
		"el «FECHAS|3 mayo» 23:15":             "el «FECHAS|3 mayo» 23:15",
		"el «FECHAS|3 mayo» 24 porciones":      "el «FECHAS|3 mayo» 24 porciones",
		"on «DATE|3 March» 71 with cough":      "on «DATE|3 March 71» with cough",
		"on «DATE|3 Mar» 71 was seen":          "on «DATE|3 Mar 71» was seen",
		"«FECHAS|3 mayo» 20 por la noche":      "«FECHAS|3 mayo» 20 por la noche",
		"«FECHAS|5 abr» 20 por 5 días":         "«FECHAS|5 abr» 20 por 5 días",
		"«DATE|3 Mar» 10 with meals":           "«DATE|3 Mar» 10 with meals",
		"on «DATE|3 Mar» 20 patients":          "on «DATE|3 Mar» 20 patients",
		"on «DATE|3 Mar» '71; «DATE|5 Mar» 12": "on «DATE|3 Mar '71»; «DATE|5 Mar 12»",
	})
}

// TestRulersWereTakenForPHI: the line +-----+ of a table was mistaken for an address.
func TestRulersWereTakenForPHI(t *testing.T) {
	checkWhole(t, map[string]string{
		"«IPADDR|+-----+-----+»":              "+-----+-----+",
		"«DATE|-----»\n«IDNUM|| |»":           "-----\n| |",
		"«DATE|3/4 | 3/5»":                    "«DATE|3/4» | «DATE|3/5»",
		"«PATIENT|Lund\n----------\nVega»":    "«PATIENT|Lund»\n----------\n«PATIENT|Vega»",
		"«IDNUM|| 554433 |»":                  "| «IDNUM|554433» |",
		"«PATIENT|Lund, Oda»":                 "«PATIENT|Lund, Oda»",
		"to «MEDICALRECORD|9999-12-31»":       "to 9999-12-31", // a date that means "no end"
		"to «MEDICALRECORD|99991231»":         "to «MEDICALRECORD|99991231»",
		"«PATIENT|Oda\nLund»":                 "«PATIENT|Oda\nLund»",
		"«OTHER|②» and «OTHER|王»":             "«OTHER|②» and «OTHER|王»",
		"«PHONE|(555) 555-0199» «PHONE|+1 5»": "«PHONE|(555) 555-0199» «PHONE|+1 5»",
	})
}

// Spans that people have marked are whole tokens, with few exceptions.
func TestGoldSpansAreWhole(t *testing.T) {
	count := func(t *testing.T, docs data.Documents) (changed, all int) {
		for doc, err := range docs {
			if err != nil {
				t.Fatal(err)
			}
			gold := data.Flatten(doc.Spans)
			all += len(gold)
			made := whole(doc.Text, gold, sortOf)
			for _, s := range gold {
				if !slices.Contains(made, s) {
					changed++
					if testing.Verbose() {
						t.Logf("%s[%d:%d] %s", doc.ID, s.Start, s.End, s.Type)
					}
				}
			}
		}
		return changed, all
	}
	t.Run("generated", func(t *testing.T) {
		if changed, all := count(t, synth.Notes(300, 5, synth.Train)); changed > 0 || all < 1000 {
			t.Errorf("%d of %d spans are changed", changed, all)
		}
	})
	t.Run("meddocan", func(t *testing.T) {
		types := data.MEDDOCAN
		if changed, all := count(t, i2b2.Read(shared.Path(t, "corpora/meddocan/train/xml"), data.ReadOptions{Types: types})); changed*1000 > all {
			t.Errorf("%d of %d spans are changed", changed, all)
		}
	})
}

// "2071-03-04_10-15-00" became "2071_2000".
func TestATimeAfterADateWasTakenForADate(t *testing.T) {
	checkClean(t, map[string]string{
		"on «DATE|2071-03-04»_«DATE|10-15-00»":   "on [DATE]_10-15-00",
		"on «DATE|2071-03-04» «DATE|14-45-00»":   "on [DATE] 14-45-00",
		"on «DATE|2071-03-04» «DATE|00.15»":      "on [DATE] 00.15",
		"on «DATE|2071-03-04» «DATE|10-15-00»":   "on [DATE] [DATE]",
		"on «DATE|2071-03-04» «DATE|13-05»":      "on [DATE] [DATE]",
		"on «DATE|2071-03-04» «DATE|14-45-1999»": "on [DATE] [DATE]",
		"on «DATE|14-45-00»":                     "on [DATE]",
		// As Oracle writes them: the years 1945 and 2000 were made of the times.
		"on «DATE|05/01/2071» «DATE|10.35.45» by":     "on [DATE] 10.35.45 by",
		"on «DATE|2071-05-01» «DATE|10.30.00.000000»": "on [DATE] 10.30.00.000000",
		"on «DATE|01-MAY-2071» «DATE|10.45»":          "on [DATE] 10.45",
		// What may be a date is one.
		"on «DATE|01.05.2071» «DATE|12.06.71»": "on [DATE] [DATE]",
		"on «DATE|3-4-2071» «DATE|05.06.07»":   "on [DATE] [DATE]",
		"on «DATE|01.05.2071» «DATE|10.11»":    "on [DATE] [DATE]",
	})
}

// In notes with wrapped lines, the day stayed, or a surrogate of the month did not fit that of the day. "60th" was replaced in part.
func TestDatesAcrossLinesAreOne(t *testing.T) {
	checkWhole(t, map[string]string{
		"discharged 2\n«DATE|November 2071» in":          "discharged «DATE|2\nNovember 2071» in",
		"for «DATE|August»\n«DATE|19, 2071» with":        "for «DATE|August\n19, 2071» with",
		"for «DATE|August»\n19, 2071 with":               "for «DATE|August\n19, 2071» with",
		"on «DATE|24 August»\r\n  2071.":                 "on «DATE|24 August\r\n  2071».",
		"on «DATE|March 3,»\n«DATE|2071»":                "on «DATE|March 3,\n2071»",
		"el «DATE|3»\n«DATE|de mayo de 2071» con":        "el «DATE|3\nde mayo de 2071» con",
		"el «DATE|3 de mayo» de\n«DATE|2071» con":        "el «DATE|3 de mayo de\n2071» con",
		"el «DATE|3 de mayo»\nde 2071, con":              "el «DATE|3 de mayo\nde 2071», con",
		"1. in «DATE|May»\n2. in «DATE|June»\n3 tablets": "1. in «DATE|May»\n2. in «DATE|June»\n3 tablets",
		"Grade 2\n«DATE|March 2071» scan":                "Grade 2\n«DATE|March 2071» scan",
		"in «DATE|May»\n2071 mg, «DATE|May»\n\n2071":     "in «DATE|May»\n2071 mg, «DATE|May»\n\n2071",
		"«DATE|3/4/2071»\n«DATE|3/5/2071»":               "«DATE|3/4/2071»\n«DATE|3/5/2071»",
		"her «AGE|60»«AGE|th» birthday":                  "her «AGE|60th» birthday",
		"«DATE|14-»«DATE|15/02»":                         "«DATE|14-15/02»",
		"«DATE|May»«DATE|3»":                             "«DATE|May»«DATE|3»",
	})
}

// "BROWN,MAY 03/04/2071" became "[DOCTOR],2004, 2071" under Safe Harbor, because May 03/04 was taken for a date of its own.
func TestAMonthBeforeAWholeDateIsApart(t *testing.T) {
	checkClean(t, map[string]string{
		"by «DATE|April 03/04/2071»":                "by [DATE] [DATE]",
		"by «DOCTOR|BROWN»,«DATE|MAY 3-4-71» at":    "by [DOCTOR],[DATE] [DATE] at",
		"on «DATE|May 3, 2071»":                     "on [DATE]",
		"by «DOCTOR|VEGA»,PER on, «DOCTOR|VEGA»,MD": "by [DOCTOR] on, [DOCTOR],MD",
		"by «DOCTOR|Vega»,PER":                      "by [DOCTOR],PER",
	})
}

// The other end of a range of days and months stayed, the rest of a day and month, and a Spanish day of the week before digits. The years of
// an obstetric formula were replaced.
func TestDatesBesideFoundDatesStayed(t *testing.T) {
	checkWhole(t, map[string]string{
		"(30/1-«DATE|1/2»)":                          "(«DATE|30/1-1/2»)",
		"Del «DATE|30/1» al 3/2 en planta":           "Del «DATE|30/1 al 3/2» en planta",
		"(«DATE|15»/1-17/1)":                         "(«DATE|15/1-17/1»)",
		"(«DATE|15»/1-«DATE|17»/1)":                  "(«DATE|15/1»-«DATE|17/1»)",
		"el miércoles «DATE|18/10/23».":              "el «DATE|miércoles 18/10/23».",
		"el miércoles «DATE|18-10-2023».":            "el «DATE|miércoles 18-10-2023».",
		"lun. «DATE|8.11.23» y Vie «DATE|05/NOV/25»": "«DATE|lun. 8.11.23» y «DATE|Vie 05/NOV/25»",
		"«DATE|3/4»-36 mg, «DATE|3/4» - 3/6%":        "«DATE|3/4»-36 mg, «DATE|3/4» - 3/6%",
		"G5P«DATE|2022», G3 P«DATE|2001»":            "G5P2022, G3 P2001",
		"in «DATE|2022»":                             "in «DATE|2022»",
		"92«AGE|.5» years, «AGE|90»+ years":          "92«AGE|.5» years, «AGE|90+» years",
		"«AGE|92».5 years, 1,«AGE|104» months":       "«AGE|92.5» years, 1,104 months",
	})
}

// 24/7 was replaced as a date.
func TestAllHoursOfAllDaysAreNoDate(t *testing.T) {
	checkWhole(t, map[string]string{
		"Wife available «DATE|24/7» since":       "Wife available 24/7 since",
		"On call «DATE|24/7».":                   "On call 24/7.",
		"needs «DATE|24/7» care":                 "needs 24/7 care",
		"needs «DATE|24/7» live-in carers":       "needs 24/7 live-in carers",
		"cuidadora interna «FECHAS|24/7» desde":  "cuidadora interna 24/7 desde",
		"Apoyo «FECHAS|24/7» de la familia":      "Apoyo 24/7 de la familia",
		"Oxígeno domiciliario («FECHAS|24/7»)":   "Oxígeno domiciliario (24/7)",
		"dolor desde el «FECHAS|24/7»":           "dolor desde el «FECHAS|24/7»",
		"«FECHAS|24/7» Cuidados de enfermería":   "«FECHAS|24/7» Cuidados de enfermería",
		"reviewed on «DATE|24/7»":                "reviewed on «DATE|24/7»",
		"admitted «DATE|24/7»":                   "admitted «DATE|24/7»",
		"care plan of «DATE|24/7/2071» reviewed": "care plan of «DATE|24/7/2071» reviewed",
		"support since «DATE|25/7»":              "support since «DATE|25/7»",
	})
}

// After the first date of a note in digits, others of the same form stayed.
func TestDatesBesideADateStayed(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	for noted, want := range map[string]string{
		"BCx «DATE|5/14» NGTD, UCx 5/15 E coli, sputum 5/16 GPC":                   "BCx [DATE] NGTD, UCx [DATE] E coli, sputum [DATE] GPC",
		"MSU «DATE|14/1» NG, 23/2 E. coli, 24/9":                                   "MSU [DATE] NG, [DATE] E. coli, 24/9",
		"Foley «DATE|12/28», out 1/15":                                             "Foley [DATE], out [DATE]",
		"Seen «DATE|5/14», GCS 5/15, strength 4/5, BP 5/20, 5/25 mg, 5/30/2, 6/10": "Seen [DATE], GCS 5/15, strength 4/5, BP 5/20, 5/25 mg, 5/30/2, 6/10",
		"Seen «DATE|5/14», day 5/21 of mero, session 5/20":                         "Seen [DATE], day 5/21 of mero, session 5/20",
		"Seen «DATE|5/14»\nPlan 5/16":                                              "Seen [DATE]\nPlan [DATE]",
	} {
		if got := clean(t, d, nil, noted)[0]; got != want {
			t.Errorf("%q became %q, want %q", noted, got, want)
		}
	}
}

// "3/4, 5, 6/21" became "[DATE], 5, [DATE]".
func TestDaysBetweenTwoDatesStayed(t *testing.T) {
	checkClean(t, map[string]string{
		"seen «DATE|3/4», 5, «DATE|6/21»":            "seen [DATE], [DATE], [DATE]",
		"seen «DATE|3/4», 15th, 16, and «DATE|3/21»": "seen [DATE], [DATE], [DATE], and [DATE]",
		"seen «DATE|3/4», 5 and «DATE|6/21»":         "seen [DATE], [DATE] and [DATE]",
		"seen «DATE|3/4» 5, «DATE|6/21»":             "seen [DATE] 5, [DATE]",
		"seen «DATE|3/4», 32, «DATE|6/21»":           "seen [DATE], 32, [DATE]",
		"seen «DATE|May 4», 5, «DATE|6/21»":          "seen [DATE], 5, [DATE]",
		"room «IDNUM|3/4», 5, «DATE|6/21»":           "room [IDNUM], 5, [DATE]",
	})
}

// A date that only begins or ends within the bytes that were read beside another was halved: of 12/15, the 1 stayed.
func TestDatesFarFromADateWereHalved(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	for n := 140; n < 170; n++ {
		between := strings.Repeat("x", n)
		if got, want := clean(t, d, nil, "on 2/15 "+between+" «DATE|2/14» ok")[0], "on [DATE] "+between+" [DATE] ok"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Each date on a line was compared with all others, and the whole line was read for each.
func TestManyDatesOnALine(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	for _, between := range []string{"", strings.Repeat("x ", 30)} {
		want := strings.Repeat("[DATE] "+between, 10_000)
		if got := clean(t, d, nil, "«DATE|5/14» "+between+strings.Repeat("5/14 "+between, 9_999))[0]; got != want {
			t.Errorf("%.200q", got)
		}
	}
}

// The whole token around each span was read, however many there were in it.
func TestManySpansInAToken(t *testing.T) {
	text := strings.Repeat("a1", 1<<20)
	var spans []data.Span
	for at := 0; at < len(text); at += 100 {
		spans = append(spans, data.Span{Start: at, End: at + 2, Type: "IDNUM"})
	}
	if got := whole(text, spans, sortOf); len(got) != len(spans) {
		t.Errorf("%d spans became %d", len(spans), len(got))
	}
}

// Of c/12h, every 12 hours, the c was taken for a part of the street before it.
func TestADoseLostItsFirstLetter(t *testing.T) {
	checkWhole(t, map[string]string{
		"en «CALLE|C/ Mayor 12 c»/12h":           "en «CALLE|C/ Mayor 12» c/12h",
		"en «CALLE|C/ Mayor 12 c/12h enalapril»": "en «CALLE|C/ Mayor 12» c/12h enalapril",
		"en «CALLE|C/ Mayor 12; c/8 horas»":      "en «CALLE|C/ Mayor 12»; c/8 horas",
		"en «CALLE|Calle 5 c/8» y c/12h":         "en «CALLE|Calle 5 c/8» y c/12h",
		"en «CALLE|C/ Mayor 12, C»/2":            "en «CALLE|C/ Mayor 12, C»/2",
		"en «CALLE|C/ Mayor 12 c», 2":            "en «CALLE|C/ Mayor 12 c», 2",
	})
}

// The span of a number ended within the character after its check digit, so that the note could not be written.
func TestACheckDigitBeforeOtherCharacters(t *testing.T) {
	checkWhole(t, map[string]string{
		"MRN «IDNUM|28447193»-K\u00a0«DATE|3/4»":  "MRN «IDNUM|28447193-K»\u00a0«DATE|3/4»",
		"MRN «IDNUM|28447193»-K” and":             "MRN «IDNUM|28447193-K»” and",
		"MRN «IDNUM|28447193»-K– and":             "MRN «IDNUM|28447193-K»– and",
		"MRN «IDNUM|28447193»-4€":                 "MRN «IDNUM|28447193-4»€",
		"MRN «PHONE|28447193»-K’":                 "MRN «PHONE|28447193-K»’",
		"MRN «IDNUM|28447193»-K\u0301 and":        "MRN «IDNUM|28447193-K\u0301» and",
		"MRN «IDNUM|28447193»-Ñ, «IDNUM|443»-Kal": "MRN «IDNUM|28447193»-Ñ, «IDNUM|443»-Kal",
	})
}

// The cheap tests never exclude what the expressions match.
func TestCheapTestsExcludeNothing(t *testing.T) {
	labels := []string{"PMID", "doi", "DOI", "EudraCT", "EudraCT no.", "EudraCT number", "MIM", "OMIM", "MeSH", "UMLS", "CUI", "CAS", "CAS no.", "EC", "CUPS", "SNOMED", "SNOMED CT", "LOINC", "Código nacional", "codigo nacional",
		"RxNorm", "RXCUI", "ATC", "atc_code", "UNII", "ISRCTN", "ACTRN", "GTIN", "SCTID", "snomed_id", "GO", "HPO", "NDC", "BNF code", "dm+d", "NAICS", "SOC code", "GPI", "GCN", "HICL", "NANDA", "drug_concept_id", "concept_code", "loinc", "mesh_id", "umls_cui"}
	numbers := []string{"12345678", "10.1016/j.x", "2004-000123-42", "102300", "D003865", "C0011849", "50-78-2", "1.1.1.1", "672345", "672345.1", "73211009", "718-7", "C09AA05", "362O9ITL9D",
		"ISRCTN12345678", "ACTRN12620000123456", "GO:0006281", "HP:0001250", "0074433902", "0212000B0AAABAB", "622110", "29-1141", "016582", "00132"}
	matched := map[string]bool{}
	for _, label := range labels {
		for _, between := range []string{"", " ", ":", ": ", " :", "#", "*", " #"} {
			for _, number := range numbers {
				text := label + between + number
				if publicLabelled.MatchString(text) || codeLabelled.MatchString(text) {
					if matched[label] = true; !hasPublicLabel(text) {
						t.Errorf("%q has a label", text)
					}
				}
			}
		}
		if !matched[label] {
			t.Errorf("no text with %q matches", label)
		}
	}
	units := strings.Fields("mg mcg ml mL cc mEq meq mmol mmHg mm cm kg lb lbs gtt gtts Unit unit Units IU UI unidades tab tabs tablet tablets pill pills capsule capsules comprimido comprimidos pastilla pastillas puffs bpm lpm rpm hr hrs hour hours hora horas MG ML MCG UNITS % :30 /10 caps comp patch patches strength")
	for _, unit := range units {
		some := false
		for _, before := range []string{"", " ", "-"} {
			if text := before + unit; measure.MatchString(text) || fractionOf.MatchString(text) {
				if some = true; !mayBeMeasure(text) {
					t.Errorf("%q may be a measure", text)
				}
			}
		}
		if !some {
			t.Errorf("%q is no measure", unit)
		}
	}
}

// The same for texts that are invented from the expressions.
func TestCheapTestsExcludeNoTextOfAnExpression(t *testing.T) {
	for _, text := range matching.Texts(t, publicLabelled, 3000) {
		if !hasPublicLabel(text) {
			t.Fatalf("%q has a label", text)
		}
	}
	for _, expression := range []*lazyregexp.Regexp{measure, fractionOf} {
		for _, text := range matching.Texts(t, expression, 3000) {
			if !mayBeMeasure(text) {
				t.Fatalf("%q may be a measure", text)
			}
		}
	}
	for _, expression := range []*lazyregexp.Regexp{digitsAndSlashes, slashed, dayAndMonth} {
		for _, text := range matching.Texts(t, expression, 300) {
			if !beginsWithDigit(text) {
				t.Fatalf("%q begins with a digit", text)
			}
		}
	}
	for _, text := range matching.Texts(t, panel, 300) {
		if strings.Count(text, "/")+strings.Count(text, ".") < 4 {
			t.Fatalf("%q has five numbers", text)
		}
	}
	for _, expression := range []*lazyregexp.Regexp{otherPartBefore, joinedAfter, joinedBefore} {
		for _, text := range matching.Texts(t, expression, 300) {
			if !strings.Contains(text, "/") {
				t.Fatalf("%q contains a slash", text)
			}
		}
	}
}

// Codes of terminologies and concepts behind their names were identifiers of the patient.
func TestCodesOfTerminologiesWereIdentifiers(t *testing.T) {
	checkWhole(t, map[string]string{
		"RxNorm «IDNUM|860975», ATC: «LICENSE|C09AA05», UNII: «SSN|362O9ITL9D»":                     "RxNorm 860975, ATC: C09AA05, UNII: 362O9ITL9D",
		"«IDNUM|ISRCTN12345678», GTIN «DEVICE|00312345678906», dm+d «IDNUM|3222»":                   "ISRCTN12345678, GTIN 00312345678906, dm+d «IDNUM|3222»",
		"CAS No. «SSN|103-90-2», CAS «SSN|103-90-2345», SSN «SSN|103-90-2»":                         "CAS No. 103-90-2, CAS «SSN|103-90-2345», SSN «SSN|103-90-2»",
		"«IDNUM|GO:0006281» (HPO «MEDICALRECORD|HP:0001250»), CUI=«IDNUM|C0011849»":                 "GO:0006281 (HPO HP:0001250), CUI=C0011849",
		"NDC «PHONE|0074433902», tel. «PHONE|0074433902», NDC «PHONE|74-4339»":                      "NDC 0074433902, tel. «PHONE|0074433902», NDC «PHONE|74-4339»",
		"drug_concept_id=«IDNUM|1503297», person_id=«IDNUM|201826», \"concept_id\": «IDNUM|201826»": "drug_concept_id=1503297, person_id=«IDNUM|201826», \"concept_id\": 201826",
		"NAICS «IDNUM|622110», SOC code «PHONE|29-1141», SOC «DATE|29-11», NANDA «ZIP|00132»":       "NAICS 622110, SOC code 29-1141, SOC «DATE|29-11», NANDA 00132",
	})
}
