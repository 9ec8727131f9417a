package safetynet

import (
	"slices"
	"strings"
	"testing"
)

// TestNameInATitleStayed has titles whose names, in «», stayed, and lines that begin with a name.
func TestNameInATitleStayed(t *testing.T) {
	for _, text := range []string{
		"«James Wilson» - Progress Note", "«Grace Young» - Discharge Summary", "CT HEAD - «JAMES WILSON»", "«Young, Grace» - Discharge Summary", "«YOUNG, GRACE» - PROGRESS NOTE",
		"«Smith, John»: stable", "«Stone, Frank» | CHF", "«King, Martin»; DNR", " «Hope Price» – H&P", "Scan of «Rose Stone»", "«FRANK LONG» LAB RESULTS", "Consent form «Joy Lee»",
		"Progress Note: «Wilson, James Q.» (MRN 4471)", "«James Wilson».pdf", "«June Wilson» - letter", "«Siobhán O'Brien»: MRI brain", "«Ahmed Al-Farsi» / progress note", "«Lucía Blanco Rey» (evolución)",
		"Informe de alta - «ROSA CRUZ SANTOS»", "«James Wilson» - «Grace Hughes» - letter", "Ward list\n«Smith, John»: stable\n  «Young, Grace» - NPO\nHome, then clinic: later\n",
	} {
		plain := strings.NewReplacer("«", "", "»", "").Replace(text)
		var want []string
		for _, part := range strings.Split(text, "«")[1:] {
			name, _, _ := strings.Cut(part, "»")
			want = append(want, name)
		}
		var got []string
		for _, s := range Names(plain) {
			got = append(got, plain[s.Start:s.End])
			if s.Type != "PATIENT" {
				t.Errorf("%q: type %s", plain, s.Type)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", plain, got, want)
		}
	}
	for _, text := range []string{
		"Parkinson Disease - Progress Note", "Grant Proposal - Draft", "Hunter Syndrome - Overview", "Rose Bengal - Result", "Virginia Mason - Discharge Summary", "Art Therapy - Progress Note",
		"Hope Clinic - Referral Form", "May Report - Summary", "Summer Camp - Consent Form", "Will Call - Letter", "Drew Blood - Lab Note", "FRANK BLOOD: STOOL REPORT", "Iris Biopsy - Pathology Report",
		"Bishop Score - Form", "Swan Ganz - Procedure Note", "Miller Fisher - Consult", "Stevens Johnson - Consult Note", "Baker Cyst - Ultrasound", "Wood Lamp Exam - Note", "Diet, Regular: tolerating",
		"Pain, Chronic - stable", "May, June: travel", "Florida, Georgia: lived", "Washington, Virginia: travel", "ANA, PAT: pending", "Li, Na - 138", "Lake Louise (MRI)", "will call: letter", "Head CT - Normal",
		"Progress Note - Physical Therapy", "Cruz Roja - Informe", "Santa Cruz - Informe", "Santa Rita - Informe", "Pilar Tonsilar - Informe", "Consuelo, Esperanza: ítems", "Blanca, Clara: orina", "Signo de Murphy: positivo", "Rosa de Bengala - Analítica", "Dolores Menstruales: Informe", "James - note",
		"\nPain, Chronic: stable\nRose, then Hope - later\n", ":", " - ", "John Smith came in",
	} {
		if found := Names(text); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("Smith, John: stable\n\xff - James Wilson")
	f.Add("Note - James Wilson.pdf")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range Names(text) {
			if s.Start < end || s.End > len(text) || s.Start >= s.End {
				t.Errorf("%q: %+v", text, s)
			}
			end = s.End
		}
	})
}

// The kind of a document behind a hospital and a name was a hospital. The spans are between angle brackets, and what is left of them between bars.
func TestKindsOfDocumentsWereHospitals(t *testing.T) {
	for source, want := range map[string]string{
		"Northwood Regional - James Wilson <- Continuity of Care Document>": "",
		"Northwood Regional - James Wilson - <Continuity of Care> Document": "",
		"<Northwood Regional - History and Physical>":                       "Northwood Regional",
		"<Discharge Summary - Northwood Regional - H&P Note>":               "Northwood Regional",
		"<Emergency Department Report>: Northwood Regional":                 "",
		"Lakeview Clinic | <Progress Note>\nSeen today.":                    "",
		"Hospital Santa Lucía - <Documento de Continuidad Asistencial>":     "",
		"<Informe de Alta> - Marisol Quetzalli":                             "",
		"<Marisol Quetzalli - Historia Clínica>.pdf":                        "Marisol Quetzalli",
		"seen at <Progress Note> Hospital":                                  "Progress Note",
		"sent to <Transition of Care> today":                                "Transition of Care",
		"<Northwood Regional>":                                              "Northwood Regional",
		"<Lakeview Clinic> - Progress Note":                                 "Lakeview Clinic",
		"<Chest Clinic> - Oda Lund":                                         "Chest Clinic",
		"Oda <Page> - Progress Note":                                        "Page",
		"<Hartford CT> - Progress Note":                                     "Hartford CT",
		"Discharge Summary\nPatient: <Brain, Note>":                         "Brain, Note",
		"<Clínica del Alta> Discharge Summary":                              "Clínica del Alta",
		"<Continuity Health Clinic> Progress Note":                          "Continuity Health Clinic",
		"Hospital - <CT>":                                                   "CT",
		"<Clinica Santa Rosa> - Informe":                                    "Clinica Santa Rosa",
		"<Health Department> - Lund":                                        "Health Department",
	} {
		text, spans := marked(source)
		got := WithoutKinds(text, spans[0])
		if left := text[got.Start:got.End]; left != want {
			t.Errorf("%s: %q is left, want %q", source, left, want)
		}
	}
}
