package deid

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// A type set needs nothing but its definition: rules, known values and surrogates
// all follow from it. The set of the second case is nowhere but in this test.
func TestATypeSetIsOneValue(t *testing.T) {
	ward := &data.TypeSet{
		Name: "ward", Language: "es", Rules: []string{"english"},
		Types: []data.Type{
			{Name: "KLANT", Category: "WHO", Sort: data.Person, HIPAA: true},
			{Name: "ARTS", Category: "WHO", Sort: data.Person, Clinician: true},
			{Name: "DAG", Category: "WHEN", Sort: data.Date, HIPAA: true},
			{Name: "NUMMER", Category: "WHAT", Sort: data.Number, HIPAA: true},
			{Name: "PLEK", Category: "WHERE", Sort: data.Place},
		},
	}
	known := filepath.Join(t.TempDir(), "known.csv")
	if err := os.WriteFile(known, []byte("patient,name,doctor,hospital,address,mrn,email,dob\np,Oda Lund,Ida Vega,Angora General,7 Elm Lane,ZX-40412,oda@lund.example,6 May 1971\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		types                  *data.TypeSet
		rules, known, replaced string
	}{
		{
			data.Anonym,
			"On [DATE] write to [PHONE] or call [PHONE]. MRN: [ID]. See [PHONE]",
			"[NAME], seen by [NAME] at [INSTITUTION], of [INSTITUTION], no. [ID], [PHONE], born [DATE].",
			"«NAME|Oda Lund», «AGE|93», of «INSTITUTION|Angora Hospital», «DATE|May 6, 2071», «ID|AB-40412», «PHONE|(555) 123-4567»",
		},
		{
			ward,
			"On [DAG] write to [NUMMER] or call [NUMMER]. MRN: [NUMMER]. See [NUMMER]",
			"[KLANT], seen by [ARTS] at [PLEK], of [PLEK], no. [NUMMER], [NUMMER], born [DAG].",
			"«KLANT|Oda Lund» «ARTS|Ida Vega», «DAG|6 de mayo de 2071», «NUMMER|AB-40412», «PLEK|Madrid»",
		},
	} {
		t.Run(tc.types.Name, func(t *testing.T) {
			with := func(kind replace.Kind, files RuleFiles) *Deidentifier {
				r, err := replace.New(replace.Plan{Default: kind}, replace.Options{Key: []byte("a key of sixteen"), Types: tc.types})
				if err != nil {
					t.Fatal(err)
				}
				d := &Deidentifier{Replacer: r}
				if err := files.Set(d, tc.types); err != nil {
					t.Fatal(err)
				}
				return d
			}
			d := with(replace.Tag, RuleFiles{SafetyNet: "auto"})
			got := clean(t, d, nil, "On 02/20/2087 write to o.lund@angora.example or call (555) 123-4567. MRN: 0099812. See http://angora.example/oda")
			if diff := cmp.Diff(tc.rules, got[0]); diff != "" {
				t.Errorf("rules: %s", diff)
			}
			d = with(replace.Tag, RuleFiles{SafetyNet: "none"})
			values, err := safetynet.Read(known, tc.types)
			if err != nil {
				t.Fatal(err)
			}
			of := values.Of(&data.Document{ID: "n", Patient: "p"})
			got = clean(t, d, of, "ODA LUND, seen by Dr. Vega at Angora General, of 7 elm lane, no. ZX40412, oda@lund.example, born 6 May 1971.")
			if diff := cmp.Diff(tc.known, strings.Replace(got[0], "Dr. ", "", 1)); diff != "" {
				t.Errorf("known values: %s", diff)
			}
			d = with(replace.Surrogate, RuleFiles{SafetyNet: "off"})
			got = clean(t, d, nil, tc.replaced)
			_, spans := marked(t, tc.replaced)
			for _, s := range spans {
				if strings.Contains(got[0], "["+s.Type+"]") {
					t.Errorf("no surrogate for %s", s.Type)
				}
			}
			for _, original := range []string{"Oda", "Lund", "Vega", "Angora", "40412", "123-4567", "Madrid"} {
				if strings.Contains(got[0], original) {
					t.Errorf("%s is still there", original)
				}
			}
		})
	}
}

func TestWhatTheSafetyNetCannotBe(t *testing.T) {
	for name, want := range map[string]string{
		"":       `"" is neither a file nor one of auto, none, off, `,
		"french": `"french" is neither a file nor one of auto, none, off, anonym, english, `,
	} {
		if _, err := NewNet(name, data.I2B2); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", name, err, want)
		}
	}
	if net, err := NewNet("off", data.I2B2); net != nil || err != nil {
		t.Errorf("off: %v, %v", net, err)
	}
	for _, types := range []*data.TypeSet{{Name: "without rules"}, data.I2B2} {
		if net, err := NewNet(map[bool]string{true: "none", false: "auto"}[types == data.I2B2], types); err != nil || net.Formulaic != nil {
			t.Errorf("%s: there are rules, or %v", types.Name, err)
		}
	}
}

// What the rules of one language found had, in the types of the other, the first type of its category by name: a
// telephone number was an e-mail address, and a record number biometrics.
func TestAPhoneNumberBecameAnEMailAddress(t *testing.T) {
	for _, tc := range []struct {
		rules      string
		types      *data.TypeSet
		text, want string
	}{
		{"english", data.MEDDOCAN, "Call (555) 123-4567, MRN: 0099812, http://angora.example/oda, 10.0.0.12", "NUMERO_TELEFONO ID_SUJETO_ASISTENCIA URL_WEB DIREC_PROT_INTERNET"},
		{"spanish", data.I2B2, "Teléfono: 913 368 000, correo: oda@angora.example", "PHONE EMAIL"},
	} {
		net, err := NewNet(tc.rules, tc.types)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range net.Formulaic(tc.text) {
			got = append(got, s.Type)
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s rules, %s: %s", tc.rules, tc.types.Name, diff)
		}
	}
}

// With the model auto, the rules of all languages searched every note: an e-mail address in an English one became [CORREO_ELECTRONICO], and
// dates were found that are none in English.
func TestTheNetFollowsTheLanguageOfANote(t *testing.T) {
	for _, tc := range []struct {
		languages []string
		want      string
	}{
		{nil, "EMAIL"}, {[]string{"en"}, "EMAIL"}, {[]string{"es"}, "CORREO_ELECTRONICO"}, {[]string{"en", "es"}, "EMAIL"},
	} {
		net, err := NewNet("auto", data.Any)
		if err != nil {
			t.Fatal(err)
		}
		net.Languages = func(string) []string { return tc.languages }
		found := net.Formulaic("oda.lund@angora.example")
		if len(found) != 1 || found[0].Type != tc.want {
			t.Errorf("languages %q: %v, want %s", tc.languages, found, tc.want)
		}
	}
}

// The values in columns of a table have the types of the note's language, or those of the net's set.
func TestColumnsHaveTheTypesOfTheLanguage(t *testing.T) {
	for _, tc := range []struct {
		language string
		types    *data.TypeSet
		want     string
	}{
		{"en", data.Any, "PATIENT DOCTOR DATE MEDICALRECORD"},
		{"es", data.Any, "NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO FECHAS ID_SUJETO_ASISTENCIA"},
		{"en", data.I2B2, "PATIENT DOCTOR DATE MEDICALRECORD"},
		{"es", data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO FECHAS ID_SUJETO_ASISTENCIA"},
	} {
		net, err := NewNet("auto", tc.types)
		if err != nil {
			t.Fatal(err)
		}
		net.Languages = func(string) []string { return []string{tc.language} }
		var got []string
		for _, s := range net.Formulaic("Paciente\tMédico\tFecha\tMRN\nOda Lund\tIngrid Bauer\t3/2\tMX9812\n") {
			got = append(got, s.Type)
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s, %s: %s", tc.language, tc.types.Name, diff)
		}
	}
}

// In Spanish, each end of a range of dates hid the other, names of files hid time stamps, and ages from 100 on stayed where those below were found.
func TestRangesTimeStampsAndAgesStayedInSpanish(t *testing.T) {
	net, err := NewNet("auto", data.MEDDOCAN)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Ingreso 3/1/19-8/2/19, estancia: 5-8/7/14.":             "Ingreso [FECHAS], estancia: [FECHAS].",
		"Baja 05.11.20-18.11.20 y 03-01-19/08-02-19.":            "Baja [FECHAS] y [FECHAS].",
		"Periodo 2018-11-18-2019-01-15, semana 2019-W12-3":       "Periodo [FECHAS], semana [FECHAS]",
		"Ver nota_202012220200.txt y nota_x20210506.txt":         "Ver nota_[FECHAS].txt y nota_x[FECHAS].txt",
		"Sexo/edad: F/100. Cien años, vive sola":                 "Sexo/edad: F/[EDAD_SUJETO_ASISTENCIA]. [EDAD_SUJETO_ASISTENCIA] años, vive sola",
		"Hace 100 años, según la Ley Orgánica 3/2018":            "Hace 100 años, según la Ley Orgánica 3/2018",
		"Vacuna A/California/7/2009 (H1N1), B/Phuket/3073/2013.": "Vacuna A/California/7/2009 (H1N1), B/Phuket/3073/2013.",
	} {
		d := &Deidentifier{Net: net}
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "n", Text: text}}})
		if got := results[0].Clean.Text; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// What Latin American notes and consents write stayed, as a whole or in part: dates with SET. or with the year in words, streets named after a day, short addresses, numbers of the IMSS and ages behind
// the sex.
func TestPHIOfLatinAmericanNotesStayed(t *testing.T) {
	net, err := NewNet("auto", data.MEDDOCAN)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"INGRESA EL 12 DE SET. DE 2021 Y EN AÑO NUEVO":                      "INGRESA EL [FECHAS] Y EN [FECHAS]",
		"Firma el 3 de mayo de dos mil veinte, no el 1ero de junio":         "Firma el [FECHAS], no el [FECHAS]",
		"Domicilio: 9 de Julio 1950. Nació el 9 de julio de 1950":           "Domicilio: [CALLE]. Nació el [FECHAS]",
		"Colonia 20 de Noviembre, el 20 de noviembre de 2020":               "Colonia [TERRITORIO], el [FECHAS]",
		"Dir: DG 40A 14 23. Cl 100, Na 140. Cr 43A # 1-50":                  "Dir: [CALLE]. Cl 100, Na 140. [CALLE]",
		"Vive en Bs. As. con su hijo":                                       "Vive en [TERRITORIO]. con su hijo",
		"Afiliación: 40-85-79-3136-5, agregado 1M65OR":                      "Afiliación: [ID_ASEGURAMIENTO], agregado [ID_ASEGURAMIENTO]",
		"Tel: (81) 86 92 17 88. Leucocitos (81)":                            "Tel: [NUMERO_TELEFONO]. Leucocitos (81)",
		"F/94\nPte M/101 con ICC, murió a los noventa, a sus 92 kg de peso": "F/[EDAD_SUJETO_ASISTENCIA]\nPte M/[EDAD_SUJETO_ASISTENCIA] con ICC, murió a los [EDAD_SUJETO_ASISTENCIA], a sus 92 kg de peso",
		"te paso a la Sra. López Ruiz, Ana María.":                          "te paso a la Sra. [NOMBRE_SUJETO_ASISTENCIA].",
	} {
		d := &Deidentifier{Net: net}
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "n", Text: text}}})
		if got := results[0].Clean.Text; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Numbers with the code of a country in brackets, nights between two days, years with a dot or an apostrophe, days of dialysis, heights of streets and residents in a shift report stayed, as a whole or
// in part.
func TestShorthandOfSpanishNotesStayed(t *testing.T) {
	net, err := NewNet("auto", data.MEDDOCAN)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Llamar a ella, (+34) 677 802 145; o (0057) 310 445 8821": "Llamar a ella, [NUMERO_TELEFONO]; o [NUMERO_TELEFONO]",
		"Apellidos y nombre: Heredia Cortés, Dulce Nombre":        "Apellidos y nombre: [NOMBRE_SUJETO_ASISTENCIA]",
		"hab 12, noche del 14 al 15, y del 3 al 4 %":              "hab 12, noche del [FECHAS], y del 3 al 4 %",
		"08 de Marzo del 2.024, con 2.024 ml":                     "[FECHAS], con 2.024 ml",
		"exéresis '19, rotación de 40° '15":                       "exéresis [FECHAS], rotación de 40° '15",
		"Turno 2 L-X-V, hernia L5-S1":                             "Turno 2 [FECHAS], hernia L5-S1",
		"Para en Thames al 600, con VMK al 100":                   "Para en [CALLE], con VMK al 100",
		"A la UMF 92 desde el HGZ 14":                             "A la [CENTRO_SALUD] desde el [HOSPITAL]",
		"211 Honorio febril\n207 Eulalia bien\n210 Sor Piedad":    "211 [NOMBRE_SUJETO_ASISTENCIA] febril\n207 [NOMBRE_SUJETO_ASISTENCIA] bien\n210 Sor [NOMBRE_SUJETO_ASISTENCIA]",
	} {
		d := &Deidentifier{Net: net}
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "n", Text: text}}})
		if got := results[0].Clean.Text; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Extensions behind the person who answers them, numbers of trials, decades, dates in words with digits and in Basque, initials before the date of a correction, ships, shops, roads and
// rural surgeries stayed, as a whole or in part.
func TestPHIOfFormsAndLogsStayed(t *testing.T) {
	net, err := NewNet("auto", data.MEDDOCAN)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Contacto: Oda, ext. 214. Flexión 20, ext. 180":                        "Contacto: Oda, ext. [NUMERO_TELEFONO]. Flexión 20, ext. 180",
		"avisado a Enf. ODA EXT 318, 14:20 H":                                  "avisado a Enf. ODA EXT [NUMERO_TELEFONO], 14:20 H",
		"Protocolo TRX-9   Centro 054   Visita 4, TAC en 07-013":               "Protocolo TRX-9   Centro [OTRO_NUMERO_IDENTIF]   Visita 4, TAC en [ID_SUJETO_ASISTENCIA]",
		"7-702-18   interno, pauta 1-0-1":                                      "[ID_SUJETO_ASISTENCIA]   interno, pauta 1-0-1",
		"ADVP años 80, en los años setenta; a los tres años 80 cm":             "ADVP años [FECHAS], en los años [FECHAS]; a los tres años 80 cm",
		"A los once (11) días del mes de mayo de 2071; once (11) de mayo":      "A los [FECHAS]; [FECHAS]",
		"COLPOSCOPIA No. 118/24, TA 130/24, abril/22":                          "COLPOSCOPIA No. [ID_SUJETO_ASISTENCIA], TA 130/24, [FECHAS]",
		"Incapacidad desde mayo 6. Desde julio 5 crisis":                       "Incapacidad desde [FECHAS]. Desde julio 5 crisis",
		"Turno 2: 14–24 uztaila, 5 irailean":                                   "Turno 2: [FECHAS], [FECHAS]",
		"La hora es 08:31. LS 22-MAY-2071\nDolor. RX 22-MAY-2071":              "La hora es 08:31. [NOMBRE_PERSONAL_SANITARIO] [FECHAS]\nDolor. RX [FECHAS]",
		"Del M/N Albatros Austral, por la farmacia San Borondón, de guardia":   "Del [INSTITUCION], por la [INSTITUCION], de guardia",
		"La EPS Angora del Sur no paga. EPS Contributivo. farmacia de guardia": "La EPS [INSTITUCION] no paga. EPS Contributivo. farmacia de guardia",
		"Fallece en domicilio, camino a Tapera Honda. Va camino a casa":        "Fallece en domicilio, [CALLE]. Va camino a casa",
		"Curas en el consultorio de Villa Angora. Consultorio de Cardiología":  "Curas en el [CENTRO_SALUD]. Consultorio de Cardiología",
	} {
		d := &Deidentifier{Net: net}
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "n", Text: text}}})
		if got := results[0].Clean.Text; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Without an accent or in capitals, verbs behind a name went with it as surnames, and so did labels and marks before one.
func TestVerbsWithoutAccentsWereSurnames(t *testing.T) {
	net, err := NewNet("auto", data.MEDDOCAN)
	if err != nil {
		t.Fatal(err)
	}
	const name, relative = "NOMBRE_SUJETO_ASISTENCIA", "FAMILIARES_SUJETO_ASISTENCIA"
	for _, tc := range []struct{ typ, text, want string }{
		{relative, "su abuela «carmen murio de cancer de mama»", "su abuela [FAMILIARES_SUJETO_ASISTENCIA] murio de cancer de mama"},
		{name, "«JOSE LUIS NACIO» EN CASA", "[NOMBRE_SUJETO_ASISTENCIA] NACIO EN CASA"},
		{name, "«rosa sufrio» un ictus", "[NOMBRE_SUJETO_ASISTENCIA] sufrio un ictus"},
		{name, "«Carmen Murio» en casa", "[NOMBRE_SUJETO_ASISTENCIA] en casa"},
		{name, "«carmen murio de la torre» acude", "[NOMBRE_SUJETO_ASISTENCIA] acude"},
		{name, "«CARMEN NACIO LOPEZ» ACUDE", "[NOMBRE_SUJETO_ASISTENCIA] ACUDE"},
		{name, "sr. «murio» en consulta", "sr. [NOMBRE_SUJETO_ASISTENCIA] en consulta"},
		{name, "«VºBº GARCÍA, María»", "VºBº [NOMBRE_SUJETO_ASISTENCIA]"},
		{name, "«Tels». 612345678", "Tels. 612345678"},
		{name, "«F.»\tHb\tLeuc", "F.\tHb\tLeuc"},
		{name, "«F.\tGarcía»", "[NOMBRE_SUJETO_ASISTENCIA]"},
	} {
		if got := correctedMark(net, tc.typ, tc.text); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(tc.want), " ") {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// Ranges of results below Reference became dates.
func TestRangesOfResultsWereDates(t *testing.T) {
	net, err := NewNet("auto", data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	const text = "Test | Result | Reference | Date\nPT | 12 | 11-13 | 3-4\n"
	at := strings.Index(text, "11-13")
	spans := []data.Span{{Start: at, End: at + 5, Type: "DATE", Score: 1}, {Start: len(text) - 4, End: len(text) - 1, Type: "DATE", Score: 1}}
	if got := net.Correct(text, spans); len(got) != 1 || got[0] != spans[1] {
		t.Errorf("left %v, want %v", got, spans[1:])
	}
}

// Years of birth behind YOB, b. and birthdate were not found by their form, so that those of patients over 89 stayed.
func TestYearsOfBirthStayed(t *testing.T) {
	net, err := NewNet("auto", data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"YOB: 1930. DOB 1931, birthdate 1932":                     "YOB: [DATE]. DOB [DATE], birthdate [DATE]",
		"Lowell, 93, b. 1930, is 93, b.1930, born in 1931":        "Lowell, 93, b. [DATE], is 93, b.[DATE], born in [DATE]",
		"95 yo F b. 1930 with hip pain. b.1931. Yr of birth 1932": "95 yo F b. [DATE] with hip pain. b.[DATE]. Yr of birth [DATE]",
		"born 1930 grams, birth 19305 and 1930/2":                 "born 1930 grams, birth 19305 and 1930/2",
		"born 1930 g, b 1930, lot b. 1930, in 1930":               "born 1930 g, b 1930, lot b. 1930, in 1930",
	} {
		d := &Deidentifier{Net: net}
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "n", Text: text}}})
		if got := results[0].Clean.Text; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Rules for streets and names behind a label took sentences for a part of them, so that a dose, a score or a denial was replaced.
func TestSentencesWerePartsOfStreetsAndNames(t *testing.T) {
	net, err := NewNet("auto", data.MEDDOCAN)
	if err != nil {
		t.Fatal(err)
	}
	const street, name, license, phone = "CALLE", "NOMBRE_SUJETO_ASISTENCIA", "ID_TITULACION_PERSONAL_SANITARIO", "NUMERO_TELEFONO"
	for _, tc := range []struct{ typ, text, want string }{
		{street, "Timolol 1 «gta cada 12» horas.", "Timolol 1 gta cada 12 horas."},
		{street, "La glucemia «ronda los 180».", "La glucemia ronda los 180."},
		{street, "Vive en «calle luna y le cuesta subir 2» pisos.", "Vive en [CALLE] cuesta subir 2 pisos."},
		{street, "Caída en la «calle mayor hace 2» semanas.", "Caída en la [CALLE] hace 2 semanas."},
		{street, "Deporte: «paseo. IMC 31».", "Deporte: paseo. IMC 31."},
		{street, "Tratamiento en domicilio: «enalapril 20 mg cada 12 h»", "Tratamiento en domicilio: enalapril 20 mg cada 12 h"},
		{street, "Visita en domicilio: «Mayor 12, 2º B»", "Visita en domicilio: [CALLE]"},
		{street, "Vive en «ronda los tejares 30».", "Vive en [CALLE]."},
		{name, "Paciente: «Ainara Peña. Niega alergias»", "Paciente: [NOMBRE_SUJETO_ASISTENCIA]. Niega alergias"},
		{name, "Enf. «Renal Crónica» leve", "Enf. Renal Crónica leve"},
		{license, "Col. «248» mg/dl", "Col. 248 mg/dl"},
		{license, "Dra. Peña, Col. «248».", "Dra. Peña, Col. [ID_TITULACION_PERSONAL_SANITARIO]."},
		{phone, "su hija «(655 55 55 55») hoy", "su hija ([NUMERO_TELEFONO]) hoy"},
		{phone, "Tel. «(948) 55 55 55»", "Tel. [NUMERO_TELEFONO]"},
	} {
		if got := correctedMark(net, tc.typ, tc.text); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// correctedMark returns a text in which what the net leaves of the span in « » is replaced with its type.
func correctedMark(net *safetynet.Net, typ, text string) string {
	before, rest, _ := strings.Cut(text, "«")
	value, after, _ := strings.Cut(rest, "»")
	text = before + value + after
	spans := net.Correct(text, []data.Span{{Start: len(before), End: len(before) + len(value), Type: typ, Score: 1}})
	for _, s := range slices.Backward(spans) {
		text = text[:s.Start] + "[" + s.Type + "]" + text[s.End:]
	}
	return text
}

// Teeth became streets, dates and telephones, the abbreviation of a disease a nurse, a dental cement a patient, ordinals of ribs dates, and instruments, smokers and vertebrae people, professions and cars.
func TestClinicalTermsWereStreetsNamesAndDates(t *testing.T) {
	for _, tc := range []struct {
		types           *data.TypeSet
		typ, text, want string
	}{
		{data.MEDDOCAN, "CALLE", "Mordida invertida de «pza. 1. 2 y» mordida", "Mordida invertida de pza. 1. 2 y mordida"},
		{data.MEDDOCAN, "CALLE", "«PZA 36 CARIES OCLUSAL PROFUNDA».", "PZA 36 CARIES OCLUSAL PROFUNDA."},
		{data.MEDDOCAN, "CALLE", "Caries. «Pza. 3 de Mayo 5»", "Caries. [CALLE]"},
		{data.MEDDOCAN, "CALLE", "CARIES. «PZA ESPAÑA 12»", "CARIES. [CALLE]"},
		{data.MEDDOCAN, "CALLE", "Vive en «pza. 12», caries", "Vive en [CALLE], caries"},
		{data.MEDDOCAN, "FECHAS", "Restos radiculares dtes 5, «12», 17 y 30", "Restos radiculares dtes 5, 12, 17 y 30"},
		{data.MEDDOCAN, "FECHAS", "Diente 18, «12 de mayo»", "Diente 18, [FECHAS]"},
		{data.MEDDOCAN, "FECHAS", "Pieza «12/05/16»", "Pieza [FECHAS]"},
		{data.MEDDOCAN, "FECHAS", "«J17. 8» - NEUMONIA", "J17. 8 - NEUMONIA"},
		{data.MEDDOCAN, "FECHAS", "Dx E11. «3 de mayo de 2019» ingresa", "Dx E11. [FECHAS] ingresa"},
		{data.MEDDOCAN, "FECHAS", "Exodoncia pieza «4-8-18»", "Exodoncia pieza [FECHAS]"},
		{data.MEDDOCAN, "NUMERO_TELEFONO", "Fono pieza: «22 33 44 55»", "Fono pieza: [NUMERO_TELEFONO]"},
		{data.MEDDOCAN, "CALLE", "Dir. «Pza. 1. 3» izda", "Dir. [CALLE] izda"},
		{data.MEDDOCAN, "NUMERO_TELEFONO", "Pieza 18, «948 12 34 56»", "Pieza 18, [NUMERO_TELEFONO]"},
		{data.MEDDOCAN, "NOMBRE_PERSONAL_SANITARIO", "ENF. «PERIODONTAL LOCAL» / Prótesis", "ENF. PERIODONTAL LOCAL / Prótesis"},
		{data.MEDDOCAN, "NOMBRE_PERSONAL_SANITARIO", "ENF. «ANA LOPEZ» cura", "ENF. [NOMBRE_PERSONAL_SANITARIO] cura"},
		{data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA", "obturada con «Fermín».", "obturada con Fermín."},
		{data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA", "Atendida por obt. «Fermín».", "Atendida por obt. [NOMBRE_SUJETO_ASISTENCIA]."},
		{data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA", "obturada por «Fermín».", "obturada por [NOMBRE_SUJETO_ASISTENCIA]."},
		{data.MEDDOCAN, "NOMBRE_PERSONAL_SANITARIO", "10 días. «Acudirá» a consulta", "10 días. Acudirá a consulta"},
		{data.MEDDOCAN, "PROFESION", "«Ex fisico»: sin déficit", "Ex fisico: sin déficit"},
		{data.MEDDOCAN, "PROFESION", "Varón, «ex físico», fumador", "Varón, [PROFESION], fumador"},
		{data.I2B2, "DATE", "involving the 8th to «9th» rib", "involving the 8th to 9th rib"},
		{data.I2B2, "DATE", "fell on the «8th», 9th rib sore", "fell on the [DATE], 9th rib sore"},
		{data.I2B2, "DATE", "pinholing to «20/20».", "pinholing to 20/20."},
		{data.I2B2, "DATE", "March «20/30»", "March [DATE]"},
		{data.I2B2, "VEHICLE", "locking plate «C3-C5»", "locking plate C3-C5"},
		{data.I2B2, "ROOM", "radiation therapy to «T11» for", "radiation therapy to T11 for"},
		{data.I2B2, "ROOM", "moved to «T11» today", "moved to [ROOM] today"},
		{data.I2B2, "PATIENT", "«Axis II»: Deferred.", "Axis II: Deferred."},
		{data.I2B2, "PROFESSION", "a «poor historian»", "a poor historian"},
		{data.I2B2, "PROFESSION", "a «retired historian»", "a [PROFESSION]"},
		{data.I2B2, "PROFESSION", "a «heavy drinker», quit", "a heavy drinker, quit"},
		{data.I2B2, "PATIENT", "A 19 «Blake» drain was placed", "A 19 Blake drain was placed"},
		{data.I2B2, "DOCTOR", "Dr. Paul «Babcock» sutures x5", "Dr. Paul [DOCTOR] sutures x5"},
		{data.I2B2, "DOCTOR", "a curved «Babcock» clamp", "a curved Babcock clamp"},
		{data.I2B2, "PATIENT", "Patient: «Okey Ndibe», 45 yo", "Patient: [PATIENT], 45 yo"},
		{data.I2B2, "DATE", "On «10/20» EEG showed slowing", "On [DATE] EEG showed slowing"},
		{data.I2B2, "DATE", "Seen «1/2» Miles Turner, RN", "Seen [DATE] Miles Turner, RN"},
		{data.I2B2, "DATE", "Admitted the «12th» hospital day 4", "Admitted the [DATE] hospital day 4"},
		{data.I2B2, "PATIENT", "Room 19 «Blake» was placed in isolation", "Room 19 [PATIENT] was placed in isolation"},
		{data.I2B2, "DOCTOR", "Dr. «Sheehy» tubes placed", "Dr. [DOCTOR] tubes placed"},
		{data.I2B2, "CITY", "extruding «Santa Barbara» T-tube", "extruding Santa Barbara T-tube"},
		{data.I2B2, "PATIENT", "infection. «Will» await culture", "infection. Will await culture"},
		{data.I2B2, "PATIENT", "infection. «Will» was seen", "infection. [PATIENT] was seen"},
	} {
		net, err := NewNet("auto", tc.types)
		if err != nil {
			t.Fatal(err)
		}
		if got := correctedMark(net, tc.typ, tc.text); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// Scores, results, parts of treatments, diseases of relatives, times of ambulances, languages and labels of forms became dates, numbers and people.
func TestClinicalNotationsWereDatesNumbersAndPeople(t *testing.T) {
	nets := map[*data.TypeSet]*safetynet.Net{}
	for _, types := range []*data.TypeSet{data.I2B2, data.MEDDOCAN} {
		net, err := NewNet("auto", types)
		if err != nil {
			t.Fatal(err)
		}
		nets[types] = net
	}
	for _, tc := range []struct {
		types           *data.TypeSet
		typ, text, want string
	}{
		{data.I2B2, "DATE", "Pain improved from «8/10» to 4/10.", "Pain improved from 8/10 to 4/10."},
		{data.I2B2, "DATE", "Anxiety from 7/10 to «3/10».", "Anxiety from 7/10 to 3/10."},
		{data.I2B2, "DATE", "Pain from «8/10» to 9/10", "Pain from [DATE] to 9/10"},
		{data.I2B2, "DATE", "Pain since «8/10», 4/10 now", "Pain since [DATE], 4/10 now"},
		{data.I2B2, "DATE", "c/o «8/10» HA", "c/o 8/10 HA"},
		{data.I2B2, "DATE", "seen «8/10» for HA", "seen [DATE] for HA"},
		{data.I2B2, "DATE", "AMTS «8/10», 4AT 4/12", "AMTS 8/10, 4AT 4/12"},
		{data.I2B2, "DATE", "seen by Dr. Borg «4/10»", "seen by Dr. Borg [DATE]"},
		{data.I2B2, "DATE", "Invisalign «14/22»", "Invisalign 14/22"},
		{data.I2B2, "DATE", "May «14/22»", "May [DATE]"},
		{data.I2B2, "DATE", "Afebrile. «2/2» BCx NGTD.", "Afebrile. 2/2 BCx NGTD."},
		{data.I2B2, "DATE", "2/1 BCx NGTD, «2/2» BCx NGTD", "2/1 BCx NGTD, [DATE] BCx NGTD"},
		{data.I2B2, "ZIP", "nt-probnp «15234»", "nt-probnp 15234"},
		{data.I2B2, "LICENSE", "«CK 15234»", "CK 15234"},
		{data.I2B2, "IDNUM", "signed CK «15234»", "signed CK [IDNUM]"},
		{data.I2B2, "ZIP", "Pittsburgh, PA «15234»", "Pittsburgh, PA [ZIP]"},
		{data.I2B2, "PATIENT", "FHx: Mom - «CF», Dad - HTN", "FHx: Mom - CF, Dad - HTN"},
		{data.I2B2, "PATIENT", "Family History\nMother: TB\nFather: «CA»", "Family History\nMother: TB\nFather: CA"},
		{data.I2B2, "PATIENT", "Contact: mother «CF»", "Contact: mother [PATIENT]"},
		{data.I2B2, "PATIENT", "FH: mother «CF Lund», 71", "FH: mother [PATIENT], 71"},
		{data.I2B2, "DOCTOR", "HHA «M-W-F» 0900", "HHA M-W-F 0900"},
		{data.I2B2, "DOCTOR", "Disp 0312 OS 0321 «LS» 0341", "Disp 0312 OS 0321 LS 0341"},
		{data.I2B2, "DOCTOR", "asleep 0312, «LS» 0341", "asleep 0312, [DOCTOR] 0341"},
		{data.I2B2, "DOCTOR", "Interpreter needed: «Karen».", "Interpreter needed: Karen."},
		{data.I2B2, "DOCTOR", "Interpreter: «Karen».", "Interpreter: [DOCTOR]."},
		{data.I2B2, "DOCTOR", "Plan: Rev. «GP»", "Plan: Rev. GP"},
		{data.I2B2, "DOCTOR", "Rev. «Lund»", "Rev. [DOCTOR]"},
		{data.I2B2, "DOCTOR", "RADIOLOGY: MR «Brain» 10/4/21", "RADIOLOGY: MR Brain 10/4/21"},
		{data.I2B2, "DOCTOR", "MR «BRAIN» WAS SEEN", "MR [DOCTOR] WAS SEEN"},
		{data.I2B2, "DOCTOR", "«Barangay»: San Roque", "Barangay: San Roque"},
		{data.I2B2, "DOCTOR", "«Mandal»: pt resting", "[DOCTOR]: pt resting"},
		{data.I2B2, "DATE", "Pain clinic moved from «8/10» to 9/10", "Pain clinic moved from [DATE] to 9/10"},
		{data.I2B2, "IDNUM", "LCD «L33718» not met", "LCD L33718 not met"},
		{data.I2B2, "DATE", "CMS-1500 («02/12»)", "CMS-1500 (02/12)"},
		{data.I2B2, "DATE", "signed («02/12»)", "signed ([DATE])"},
		{data.I2B2, "DATE", "scan«0001.pdf»", "scan0001.pdf"},
		{data.I2B2, "DATE", "scan«0312.pdf»", "scan[DATE]"},
		{data.I2B2, "PHONE", "PPD #2 «434 323 #3 535 434»", "PPD #2 434 323 #3 535 434"},
		{data.I2B2, "PHONE", "PPD «612 345 678»", "PPD [PHONE]"},
		{data.MEDDOCAN, "FECHAS", "Menarquia 12, ciclos «28/4», FUR 8/4", "Menarquia 12, ciclos 28/4, FUR 8/4"},
		{data.MEDDOCAN, "FECHAS", "QT, ciclos «28/4» y 19/5", "QT, ciclos [FECHAS] y 19/5"},
		{data.MEDDOCAN, "FECHAS", "dolor irradiado a MID hasta «8/10»", "dolor irradiado a MID hasta 8/10"},
		{data.MEDDOCAN, "FECHAS", "dolor hasta el «8/10»", "dolor hasta el [FECHAS]"},
		{data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA", "Idioma: «Karen»", "Idioma: Karen"},
		{data.MEDDOCAN, "OTRO_NUMERO_IDENTIF", "ICD-10: «K50.012»", "ICD-10: K50.012"},
		{data.MEDDOCAN, "OTRO_NUMERO_IDENTIF", "caja «K50.012»", "caja [OTRO_NUMERO_IDENTIF]"},
		{data.MEDDOCAN, "OTRO_NUMERO_IDENTIF", "Morfología..... «8140/3» adenocarcinoma", "Morfología..... 8140/3 adenocarcinoma"},
		{data.MEDDOCAN, "OTRO_NUMERO_IDENTIF", "biopsia «8140/3»", "biopsia [OTRO_NUMERO_IDENTIF]"},
		{data.MEDDOCAN, "INSTITUCION", "camionero («CNO 8432»)", "camionero (CNO 8432)"},
		{data.MEDDOCAN, "FECHAS", "Bajo PSV «8/5» tolera", "Bajo PSV 8/5 tolera"},
		{data.MEDDOCAN, "FECHAS", "bajo BiPAP desde «9/5»", "bajo BiPAP desde [FECHAS]"},
		{data.MEDDOCAN, "NOMBRE_PERSONAL_SANITARIO", "Oda Lund, «LVN»", "Oda Lund, LVN"},
		{data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA", "«Oda Lund, T.I». 1.110.447.209", "[NOMBRE_SUJETO_ASISTENCIA], T.I. 1.110.447.209"},
		{data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA", "«T.I. Lund»", "[NOMBRE_SUJETO_ASISTENCIA]"},
		{data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA", "Idioma: «Karen Lund»", "Idioma: [NOMBRE_SUJETO_ASISTENCIA]"},
	} {
		if got := correctedMark(nets[tc.types], tc.typ, tc.text); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// Exceptions for clinical text were so wide that ages, dates, surnames and numbers of people stayed.
func TestExceptionsForClinicalTextLeftPHI(t *testing.T) {
	nets := map[*data.TypeSet]*safetynet.Net{}
	for _, types := range []*data.TypeSet{data.I2B2, data.MEDDOCAN} {
		net, err := NewNet("auto", types)
		if err != nil {
			t.Fatal(err)
		}
		nets[types] = net
	}
	for _, tc := range []struct {
		types           *data.TypeSet
		typ, text, want string
	}{
		{data.I2B2, "AGE", "Father has high blood pressure, is «94»", "Father has high blood pressure, is [AGE]"},
		{data.I2B2, "AGE", "Mother is losing weight, now «94»", "Mother is losing weight, now [AGE]"},
		{data.I2B2, "AGE", "Mother: P: «92»", "Mother: P: [AGE]"},
		{data.I2B2, "AGE", "P: «92» W with CHF", "P: [AGE] W with CHF"},
		{data.I2B2, "AGE", "HR is now «94»", "HR is now 94"},
		{data.I2B2, "DOCTOR", "Surgeon: «CUI» 4471", "Surgeon: [DOCTOR] 4471"},
		{data.I2B2, "PATIENT", "«CUI» MRN4471882", "[PATIENT] MRN4471882"},
		{data.I2B2, "PATIENT", "«NANDA» 44718", "[PATIENT] 44718"},
		{data.I2B2, "DOCTOR", "«CUI»: C0011860", "CUI: C0011860"},
		{data.I2B2, "DATE", "Humalog «11/12/18»", "Humalog [DATE]"},
		{data.I2B2, "DATE", "Novolog: «11-23-10» refilled", "Novolog: [DATE] refilled"},
		{data.I2B2, "DATE", "Humalog «10/12/14» units", "Humalog 10/12/14 units"},
		{data.I2B2, "DATE", "Humalog «14/16/18»", "Humalog 14/16/18"},
		{data.I2B2, "PATIENT", "Spoke to son «CML» re: code status", "Spoke to son [PATIENT] re: code status"},
		{data.I2B2, "PATIENT", "Per mother «PKD», pt fell.", "Per mother [PATIENT], pt fell."},
		{data.I2B2, "DOCTOR", "Pt's daughter «PSP», RN", "Pt's daughter [DOCTOR], RN"},
		{data.I2B2, "PATIENT", "Per mother «LQTS», pt fell.", "Per mother [PATIENT], pt fell."},
		{data.I2B2, "PATIENT", "FH: mother «PKD», 71", "FH: mother PKD, 71"},
		{data.I2B2, "PATIENT", "Mother: «HTN», father: CAD.", "Mother: HTN, father: CAD."},
		{data.I2B2, "PATIENT", "Language spoken: Spanish and «Karen» (daughter)", "Language spoken: Spanish and [PATIENT] (daughter)"},
		{data.I2B2, "DOCTOR", "interpreter required: «Karen» (RN) called", "interpreter required: [DOCTOR] (RN) called"},
		{data.MEDDOCAN, "NOMBRE_SUJETO_ASISTENCIA", "Precisa intérprete: «Karen», su hija", "Precisa intérprete: [NOMBRE_SUJETO_ASISTENCIA], su hija"},
		{data.I2B2, "MEDICALRECORD", "patient LDH «447188»", "patient LDH [MEDICALRECORD]"},
		{data.I2B2, "PHONE", "Dr LD «15234»", "Dr LD [PHONE]"},
		{data.I2B2, "IDNUM", "Vik VL «44718»", "Vik VL [IDNUM]"},
		{data.I2B2, "ZIP", "LDH: «15234», Chicago", "LDH: [ZIP], Chicago"},
		{data.I2B2, "PATIENT", "for MR «BRAIN», 45 yo", "for MR [PATIENT], 45 yo"},
		{data.I2B2, "PATIENT", "Re: MR «FACE» and wife", "Re: MR [PATIENT] and wife"},
		{data.I2B2, "DOCTOR", "Dr. «Norton» score 6/20", "Dr. [DOCTOR] score 6/20"},
		{data.I2B2, "DATE", "Has Norton «6/20» appt", "Has Norton [DATE] appt"},
		{data.I2B2, "DATE", "He fell «Sat» in bed", "He fell [DATE] in bed"},
		{data.I2B2, "DATE", "last BM «Sat» on toilet", "last BM [DATE] on toilet"},
		{data.I2B2, "DATE", "Pt «sat» in chair", "Pt sat in chair"},
		{data.I2B2, "DATE", "delivered home O2 «Sat».", "delivered home O2 [DATE]."},
		{data.I2B2, "DOCTOR", "«Mandal»: 45 yo from Pune district", "[DOCTOR]: 45 yo from Pune district"},
		{data.I2B2, "DATE", "Sleep worsened from «8/10» to 9/10.", "Sleep worsened from [DATE] to 9/10."},
		{data.I2B2, "DATE", "Sleep improved from «8/10» to 6/10.", "Sleep improved from 8/10 to 6/10."},
	} {
		if got := correctedMark(nets[tc.types], tc.typ, tc.text); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// Names in short Spanish sentences stayed. A name that the tagger found as well keeps its type, and one beside it goes with it.
func TestAskedNamesKeepTheTypesOfTheTagger(t *testing.T) {
	net, err := NewNet("auto", data.MEDDOCAN)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ typ, text, want string }{
		{"", "la creatinina de Aitor Etxeberria es 2,4", "la creatinina de [NOMBRE_SUJETO_ASISTENCIA] es 2,4"},
		{"", "ver con Dr. Jaime Pacheco, empleado de Mercadona", "ver con Dr. [NOMBRE_PERSONAL_SANITARIO], empleado de [INSTITUCION]"},
		{"FAMILIARES_SUJETO_ASISTENCIA", "llamar a Aitor Etxeberria mañana", "llamar a [FAMILIARES_SUJETO_ASISTENCIA] mañana"},
		{"", "la enfermedad de Crohn, test de Apgar", "la enfermedad de Crohn, test de Apgar"},
	} {
		doc := &data.Document{ID: "n", Text: tt.text}
		note := Note{Document: doc}
		if at := strings.Index(tt.text, "Aitor"); tt.typ != "" {
			doc.Spans = []data.Span{{Start: at, End: at + len("Aitor Etxeberria"), Type: tt.typ}}
		}
		d := &Deidentifier{Net: net}
		if got := d.Notes(t.Context(), []Note{note})[0].Clean.Text; got != tt.want {
			t.Errorf("%q became %q, want %q", tt.text, got, tt.want)
		}
	}
}
