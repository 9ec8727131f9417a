package safetynet

import (
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// TestNumbersOfMedicineWereDatesAndAges has numbers, in «», that became invented years, ages over 89, dates or identifiers.
func TestNumbersOfMedicineWereDatesAndAges(t *testing.T) {
	for _, text := range []string{
		// lists, of which the last number became a year
		"INR «8 - 9 - 10»", "PIO «10 - 12 - 14»", "Glucemias «8 - 9 - 10»", "NPH «10-12-14» UI", "audiometría «3 - 4 - 13» dB", "IOP «10 - 12 - 14»",
		"Obturaciones en piezas «8 - 10 - 12 - 20»", "Caries en dientes «6 - 9 - 16 - 26 - 32»", "Crowns on «3-14-19-30»", "«Sealants on 11-13-15-22-23»", "Crowns «2-6-10-17-20»", "Ext #«1-16-17-32»",
		"Endodoncia en diente «2 3 4 5 8 9 10 12 13 14»", "Extract teeth «3, 4 and 13»", "piezas «36-37-46-47»", "Sellantes «8 - 9 - 10»", "Obs: «3 - 9 - 15 - 20» restos radiculares", "Teeth «6/7/8»", "costillas «5 - 6 - 7»",
		"APGAR «8/9/10»", "APGARS «9/10/10» at birth", "NSVD, APGAR «7/9/10».", "Apgar scores of «8/9»",
		// measured values, which became 90+
		"His heart rate in clinic today was «94».", "His rate in clinic today was «92». He could", "your temperature is «ninety eight» .", "Sugar level was at the high end of normal at «94» .", "your sats are «ninety two»", "walked «95» feet",
		"flexes to «97»", "CI de «95»", "LDL came down to «97».", "La frecuencia hoy era de «92».", "satura «93» con aire", "glucemia de «noventa y dos»", "camina «95» metros",
		// doses and ordinals
		"Se cambia a Deprax «25 por la tarde».", "Se cambia a Trazodona «10» por la tarde.", "Añado Seroquel «25 por la tarde»", "Vuelve a Quetiapina «10 por la mañana»",
		"On «the 5th» postoperative day, the patient", "until the «20th week» of pregnancy", "on the «2nd» hospital day", "On the «3rd» day of life", "in the «eighth decade» of life", "between the «7th» and the 28th day of life", "between the 7th and the «28th» day of life",
		"nerves including the «3rd, 5th, 8th, 9th, 11th and 12th»", "ribs fractured («2nd-10th on the right side and 2nd-11th» on the left side)", "al «5º día» postoperatorio", "hasta la «20ª semana» de gestación", "en el «3er día» de vida",
		// fractions
		"«2/17» LN positive for tumor", "He was on «3/4» L of oxygen.", "«2/2» at patellae", "Strength «5/4» with LLE weakness", "Motor: «4/5» R biceps", "«4/5» R biceps, 5/5 triceps", "Strength R deltoid «4/5»", "fuerza en deltoides, BM «4/5», 5/5", "Diagnosticado de FM «4/5».", "hemiparesia izda global «4/5»", "hasta «2/3» del espesor", "MSI 4/5 MII «4/5»",
		// counts
		"«GB 28917 HTO 43»", "leuco «36400 PMN 80%»", "TTPK 29 «35000» HCT 43", "urocultivo «36400» UFC", "RAN «10850», RPQ 2", "Plaq «52140»", "BNP «45230»",
		// letters and parts that were days
		"erupción ectópica hacia «V».", "factores «V, VIII, IX, X, XI y XII»", "cromosoma «X» de la madre", "ocupan el «80» de la luz", "entre el «18 y el 38»%",
		"4- Asma.\n«5-» Osteomalacia.", "#«2 May» start diet",
	} {
		if plain, left := withoutMarked(text, "DATE"); len(left) > 0 {
			t.Errorf("%q: %q is left", plain, left)
		}
	}
}

// TestDatesBesideNumbersOfMedicineStay has dates, ages and numbers, in «», that look like these numbers.
func TestDatesBesideNumbersOfMedicineStay(t *testing.T) {
	for _, text := range []string{
		"INR «8-9-10» was 2.3", "INR «8 - 9 - 10»: 2.3", "INR «8 - 9 - 10» 2.3", "INR «08-09-10»", "INR «8-9-2010»", "INR «8 - 9 - 10», seen 3 - 4 - 21", "Visto el «8 - 9 - 10»", "Doses «9 - 19 - 21»", "dosis «3 - 4 - 21»", "INR on «8 - 9 - 10»",
		"Crowns on «3-14-19»", "Sealants on «7 - 10 - 24»", "Sellantes «7-10-24»", "Exodoncia el «7 - 10 - 24»", "Extracted «3-14-19»", "Dientes. Tel. «22-33-44-55»", "Caries «12-05-21»", "piezas «3-4-21», visita 5-6-21", "«4 - 11 - 18» missing appointment", "Ext «3-14-19»",
		"Glucemias «45-67-89-91»", "teeth «3-4-2021»", "APGAR noted on «8/9/10»", "APGAR «8/9/2010»", "weights «3-4-21»",
		"heart rate normal, she is «94».", "heart rate fine in this «94» year old", "glucose in a «95»-year-old", "pulse of «94» yo", "she still walks at «94»", "Madre fallecida a los «94»", "CI a los «95»", "frecuencia de «94» años", "Saw her at «ninety four».", "Room «95»",
		"Se cambia a Madrid «25 por la tarde».", "Ingresa el lunes «25 por la tarde»", "acude el «10 por la mañana»", "Toma Seroquel el «25 por la tarde»", "Inicia Radioterapia «25 por la tarde»", "Vuelve a Sevilla «10 por la tarde»", "Nos vemos en mayo «25 por la tarde»", "Pautamos Lorena «25 por la tarde»",
		"Seen on the «5th» of May", "«May 3rd» postoperative day 3", "May «3rd» postoperative day", "on the «5th» she returned", "the «5th» of June", "the «5th» day of May", "el «5º» de mayo",
		"Seen «3/5» with pain", "on «2/17» LN biopsy", "on «2/17» LN positive", "visit «4/5» R biceps", "seen «1/4» at Mercy", "el «2/3» del", "on «4/5»",
		// events beside strength, muscles, teeth, oxygen, cultures and lists
		"was admitted «4/9» with RUE weakness", "CVA «4/9» with RUE weakness", "Stroke «4/19» with LUE weakness", "ED «3/5» with RLE weakness", "MRI «5/5» with LLE weakness", "Onset of weakness «3/5» R deltoid", "Power of attorney signed «3/5» R EHL", "Last BM «2/5». Abdomen soft", "last FM «2/5»", "Flu shot «3/5» R deltoid", "Flu shot R deltoid «3/5»", "Botox «3/5» bilateral biceps", "IM given «3/5» left deltoid, strength 5/5",
		"Teeth «3-4-21» cleaned", "Exodoncia «3 - 4 - 21». Sin", "INR «3 - 4 - 21» en rango", "PIO «3 - 4 - 21»", "Corona «3 - 4 - 21»", "Ext nº «11-22-33-44»", "ext «12-18-25-31» Dr Vega", "diente «21 32 43 54 65 76»", "Obs: «3 - 9 - 15» restos radiculares",
		"mother lived on oxygen at «91» and died", "His father died on oxygen at «91»", "Pt is age «91» feet swollen", "Mujer de «91» metros", "Edad: «91» pasos vacilantes", "She was on home oxygen at «91»", "He is «92» steps unsteady",
		"Address:\n«22-» Oak Hill", "Room\n«12-» Vega, IAM", "Room\n«12-» Vega\n13- Lund", "«5-» Osteomalacia.", "Urocultivo: «10025» (muestra)", "Muestra urocultivo «10025»", "Recuento «10025», NHC de la paciente", "plaquetas «10025», NHC",
		"Admitted #«2 May» discharge planned", "#«2 May» discharge", "#«2 May» transfer to SNF", "collapsed «3/4» at the knees", "biopsy «2/17» LN positive", "Tooth extracted on «8-10-12-20».", "Dental missing «11-22-33-44»", "Visit #«2 May» return to work", "she came on the «3rd» MTP pain",
		"NHC «28917»", "CP «28917»", "«28917» Getafe", "historia GB, NHC «28917»", "«12-5-21»", "«12- Elm» Street", "«12-» March 2021", "«5- de» mayo", "leucocitosis «2015»", "«5-Jun-21»", "seen «2 May» start", "el «80»", "entre el «18 y el 20»",
		"L, M, «X» y V", "los «V» por la tarde", "acude el «X»",
	} {
		before, rest, _ := strings.Cut(text, "«")
		value, _, _ := strings.Cut(rest, "»")
		if plain, left := withoutMarked(text, "DATE"); !slices.Equal(left, []string{value}) {
			t.Errorf("%q behind %q: %q is left", plain, before, left)
		}
	}
}

// One mistake of a tagger took "of the", a drug or a disease out of all notes of the patient.
func TestWordsThatAreNoNamesWereRemovedFromAllNotes(t *testing.T) {
	net := &Net{Types: data.Any}
	for _, c := range []struct {
		text, typ string
		spread    bool
	}{
		{"of the", "HOSPITAL", false}, {"de la", "HOSPITAL", false}, {"establish care", "HOSPITAL", false}, {"C. koseri", "DOCTOR", false}, {"C. Koseri", "DOCTOR", true}, {"C. lund", "DOCTOR", true}, {"quintana", "PATIENT", true}, {"J. quintana", "DOCTOR", true}, {"Umapathy", "PATIENT", true}, {"Ambrosis", "DOCTOR", true}, {"restore fertility", "HOSPITAL", false}, {"undergo dialysis", "ORGANIZATION", false},
		{"Lialda", "CITY", false}, {"Zarelis", "DOCTOR", false}, {"Agoraphobia", "PATIENT", false}, {"Osteomalacia", "PATIENT", false}, {"quetiapina", "PATIENT", false}, {"TAFIL", "PATIENT", false},
		{"Lund", "PATIENT", true}, {"oda lund", "PATIENT", true}, {"rose grant", "PATIENT", true}, {"county hospital", "HOSPITAL", true}, {"hospital clinico", "HOSPITAL", true}, {"gold", "DOCTOR", true}, {"main", "STREET", true}, {"Avanza", "ORGANIZATION", true}, {"Mercy", "HOSPITAL", true}, {"The", "PATIENT", true}, {"DE LA O", "PATIENT", true}, {"Madrid", "CITY", true}, {"Diane", "PATIENT", true},
		{"Theodosis", "PATIENT", true}, {"Eufemia", "PATIENT", true}, {"Politis", "PATIENT", true}, {"Paloma", "PATIENT", true}, {"Yasmin", "PATIENT", true}, {"12345678", "ID", true},
	} {
		if got := isSpread(c.text, valueOf(c.text), net.Types.SortOf(c.typ)); got != c.spread {
			t.Errorf("%q as %s: %v", c.text, c.typ, got)
		}
	}
	patterns := net.Originals([]Removed{{Text: "of the", Type: "HOSPITAL"}, {Text: "Lialda", Type: "CITY"}, {Text: "Lund", Type: "PATIENT"}})
	text := "Cyst of the liver. Takes Lialda. Lund is well."
	if found := patterns.Find(text, nil); len(found) != 1 || text[found[0].Start:found[0].End] != "Lund" {
		t.Errorf("%v", found)
	}
}

// Teeth whose abbreviation is that of a square were streets, with the findings behind them.
func TestTeethWereStreets(t *testing.T) {
	for text, tooth := range map[string]bool{
		"«PZA. 30» CARIES": true, "TREPANACION PZA. 16 Y «PZA. 12»": true, "«Pza. 20» resto radicular": true, "«PZA 19, PERDIDA EXTENSA DE SUSTANCIA CORONARIA»": false, "«Pza. 16 caries»": true, "exodoncia «pza. 4.6»": true,
		"«Pza. 20»": false, "caries. «Pza. 2» de Mayo": false, "«Pza. 2 de Mayo», caries": false, "«Pza. 12 Olavide» caries": false, "dental, «Pza. 3», 28013 Madrid": false, "«Pza. Mayor 3» caries": false, "Vive en «Pza. 8, piso 2», caries": false, "Consulta de odontología, «Pza. 24», Toledo": false, "La dentista atiende en «Pza. 24». Caries": false, "Domicilio actual: «Pza. 24». Caries en 24": false, "caries, «Pza. 24», Toledo": false, "Dentista de «Pza. 24» dental": false, "Se cita en «Pza. 24» amalgama": false,
	} {
		before, rest, _ := strings.Cut(text, "«")
		value, after, _ := strings.Cut(rest, "»")
		if got := IsTooth(before+value+after, data.Span{Start: len(before), End: len(before + value)}); got != tooth {
			t.Errorf("%q: %v", text, got)
		}
	}
}
