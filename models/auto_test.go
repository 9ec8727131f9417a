package models

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/language"
)

// word is a tagger that finds a word, and records the notes that it examines.
type word struct {
	text, typ string
	examined  []string
}

func (w *word) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		w.examined = append(w.examined, d.ID)
		for at := 0; ; {
			n := strings.Index(d.Text[at:], w.text)
			if n < 0 {
				break
			}
			found[i] = append(found[i], data.Span{Start: at + n, End: at + n + len(w.text), Type: w.typ, Score: 0.9})
			at += n + len(w.text)
		}
	}
	return found, nil
}

const (
	english = "Seen by Dr. Roe in the clinic with his wife, and he was well.\n"
	spanish = "Acude Roe a la consulta con dolor desde hace dos días, y se realiza una ecografía.\n"
	french  = "Le patient est venu avec sa femme pour une douleur dans la poitrine depuis deux jours.\n"
)

func TestAutoChoosesTheModelOfTheLanguage(t *testing.T) {
	en, es := &word{text: "Roe", typ: "DOCTOR"}, &word{text: "Roe", typ: "NOMBRE_SUJETO_ASISTENCIA"}
	a := auto{taggers: map[language.Language]data.Tagger{"en": en, "es": es}}
	docs := []*data.Document{
		{ID: "en", Text: english}, {ID: "es", Text: spanish}, {ID: "both", Text: english + spanish}, {ID: "neither", Text: "Roe 120/80"},
		{ID: "en and some French", Text: strings.Repeat(english, 5) + french}, {ID: "empty"},
	}
	found, err := a.Tag(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"en", "both", "neither", "en and some French", "empty"}; !slices.Equal(en.examined, want) {
		t.Errorf("the English model examined %q, want %q", en.examined, want)
	}
	if want := []string{"es", "both", "neither", "empty"}; !slices.Equal(es.examined, want) {
		t.Errorf("the Spanish model examined %q, want %q", es.examined, want)
	}
	for i, want := range [][]string{
		{"DOCTOR"}, {"NOMBRE_SUJETO_ASISTENCIA"}, {"DOCTOR", "NOMBRE_SUJETO_ASISTENCIA"}, {"DOCTOR"},
		{"DOCTOR", "DOCTOR", "DOCTOR", "DOCTOR", "DOCTOR"}, nil,
	} {
		var types []string
		for _, s := range found[i] {
			if got := docs[i].Text[s.Start:s.End]; got != "Roe" {
				t.Errorf("%s: found %q", docs[i].ID, got)
			}
			types = append(types, s.Type)
		}
		if !slices.Equal(types, want) {
			t.Errorf("%s: types %q, want %q", docs[i].ID, types, want)
		}
	}
}

// Tables and shorthand with few words, or none but names, were examined by the model of the other language alone, which left rooms and names.
func TestTablesWithoutSentencesWereExaminedByTheWrongModel(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"Date,Time,BP,HR,Nurse\n5/6,1621,163/105,94,JM\n":                       {"en"},
		"TODO: call Quandrel re LDL 173, HDL 60, TG 85":                         {"en"},
		"OK to refill Keppra per Ottersby":                                      {"en"},
		"NAME | DOB | MRN | ROOM\nQUIROGA, JOSÉ | 02/15/2003 | 71234 | 100-1\n": {"en"},
		"Fecha;Hora;TA;FC;Enfermera\n5/6;16:21;163/105;94;JM\n":                 {"es"},
		"Cama 12 Smith Brown: TAC, alta mañana":                                 {"es"},
		"120/80 98":                                                             {"en", "es"},
		"Quandrel, Ottersby":                                                    {"en", "es"},
		"j.roe@mail.example.com":                                                {"en", "es"},
		"":                                                                      {"en", "es"},
	} {
		if got := m.Languages(text); !slices.Equal(got, want) {
			t.Errorf("%q: the models of %q, want %q", text, got, want)
		}
	}
}

// A telephone number by itself was a NUMERO_TELEFONO among English notes, because the Spanish network was the one that found it.
func TestValuesInNoLanguageHadTypesOfBothModels(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	types, err := typesOf(language.English)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, text := range []string{"555-0134", "5691547882", "07341 612596", "j.roe@mail.example.com", "12.345.678-Z"} {
		found, err := m.Tag(t.Context(), []*data.Document{{Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found[0] {
			count++
			if !types.Has(s.Type) {
				t.Errorf("%s: the type %s", text, s.Type)
			}
		}
	}
	if count < 4 {
		t.Errorf("%d spans", count)
	}
	found, err := m.Tag(t.Context(), []*data.Document{{Text: "07341 612596", Language: "es"}})
	if err != nil || len(found[0]) == 0 || types.Has(found[0][0].Type) {
		t.Errorf("among notes in Spanish: %+v, %v", found, err)
	}
}

// A line in the other language was examined by the model of the lines around it alone, unless it had eight function words more.
func TestASingleLineOfTheOtherLanguageStayed(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"Paciente que acude a urgencias por dolor torácico.\nShe was born on July 4th, 1957 and lives at 88 Quandrel Hill Rd.\nSe ingresa en planta para estudio.\n":      {"July 4th, 1957", "88 Quandrel Hill Rd"},
		"Seen in the clinic with a cough for two weeks and he is well.\nVive en Avda. Sagunto 88, 4º C, Teruel. Controlado por cardiología (Larrauri). Visto 3-III-2071.": {"Sagunto 88", "Teruel", "Larrauri", "3-III-2071"},
	} {
		if got := m.Languages(text); !slices.Equal(got, []string{"en", "es"}) {
			t.Errorf("%.30q: the models of %q", text, got)
		}
		found, err := m.Tag(t.Context(), []*data.Document{{Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range want {
			at := strings.Index(text, value)
			if !slices.ContainsFunc(found[0], func(s data.Span) bool { return s.Start <= at && at < s.End }) {
				t.Errorf("%s stays", value)
			}
		}
	}
}

// Few function words that are parts of names do not outweigh the other words of a text.
func TestNamesDecidedAboutTheLanguage(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	list := "bed 1: de la Peña, de los Ríos pending d/c, wound check\nbed 2: de la Cruz Vera, fall risk, sitter, swallow eval\nbed 3: Del Olmo, bed alarm, soft diet, wound vac, weekly weights\n"
	if got := m.Languages(list); !slices.Equal(got, []string{"en"}) {
		t.Errorf("an English list of Spanish names: the models of %q", got)
	}
}

// Letters of a table counted as Spanish words, and a Spanish list of the hours of appointments as an English note, so that the model
// of the other language alone examined them.
func TestShorthandBelongsToItsLanguage(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Influenza Y, Tdap Y, Shingrix Y, Pneumovax Y, consent on file Y, screening form Y, next due fall": "en",
		"Blood group A, antibody screen A neg, crossmatch A, unit A, issued by lab":                        "en",
		"Holter i, ECG i, ergometría i, sin cambios; revisión i, analítica i":                              "es",
	} {
		if got := m.Languages(text); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: the models of %q, want %q", text, got, want)
		}
	}
}

// Notes in other languages are not examined. English ones were not either, if their abbreviations spell function words of Italian, or, in an eye clinic, of Portuguese.
func TestAbbreviationsWereTakenForAnotherLanguage(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, foreign := range map[string]bool{
		"DAL NEI DEI SUL NEL DAI DEL LO: use the standard clinic list":                           false,
		"Paziente che si presenta al pronto soccorso con dolore al petto da due giorni di notte": true,
		"EYE CLINIC\nQUANDREL, DORTHA. VA OD 20/40 OS 20/30, PH NI. IOP 12 OD 14 OS. SLE: 1+ NS OU. C/D 0.5 OU.\nE-mail: dquandrel@mail.example.com\nCosopt OU BID, latanoprost OS; HVF no change. As before.":                false,
		"Doente de 67 anos que recorre ao serviço de urgência por dor torácica com início há dois dias, sem irradiação. Nega febre. Está medicado com ramipril e foi observado pela cardiologia, que não propõe cateterismo.": true,
		"Pacient de 70 anys que consulta per dolor abdominal de tres dies d'evolució, sense febre. Amb antecedents d'hipertensió. També té una lesió als peus des de fa mesos i aquest any ha estat ingressat.":               true,
		"Patient âgé de 45 ans, hospitalisé pour une pneumopathie avec une fièvre depuis trois jours. Il est sorti avec un traitement par amoxicilline et sera revu dans un mois.":                                            true,
		"Die Patientin stellt sich mit Brustschmerzen seit zwei Tagen vor. Keine Vorerkrankungen sind bekannt. Es wurde ein EKG geschrieben, das nicht auffällig war, und sie wurde nach Hause entlassen.":                    true,
		"De patiënt is van 61 jaar en heeft pijn op de borst sinds twee dagen. Hij heeft geen koorts en was niet eerder ziek. Met metoprolol naar huis.":                                                                      true,
	} {
		if _, err := m.Tag(t.Context(), []*data.Document{{Text: text}}); (err != nil) != foreign {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// Notes in Polish, Swedish and others were examined as if they were English or Spanish. English and Spanish ones with quotations and names in these languages must be.
func TestNotesInRareLanguagesPassedAsEnglishOrSpanish(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, foreign := range map[string]bool{
		"Patienten undersöktes av dr Lindqvist på kliniken i Uppsala och har ingen smärta. Han kom med sin fru den 3 mars 2019.":                                                        true,
		"Pacjent został przyjęty na oddział z powodu bólu brzucha, który trwa od trzech dni. Nie ma gorączki, ale jest osłabiony.":                                                      true,
		"O paciente foi visto na consulta cos seus fillos. Non ten dor e toma a medicación pola mañá. Revisión dentro dun mes na unidade.":                                              true,
		"HPI: \"Mwen pa ka dòmi, vant mwen ap fè m mal.\" Denies fever. Took Tylenol.":                                                                                                  false,
		"S: \"Ang sakit ng tiyan ko, hindi ako makahinga.\"\nO: VSS, afebrile.\nA/P: viral. Fluids.":                                                                                    false,
		"Betsi Cadwaladr University Health Board / Bwrdd Iechyd Prifysgol Betsi Cadwaladr\nYsbyty Gwynedd, Bangor\nMrs Jones was seen.":                                                 false,
		"Refiere en gallego: \"dóeme a cabeza dende onte e non podo durmir\". Exploración normal. Paracetamol 1 g/8 h.":                                                                 false,
		"XUNTA DE GALICIA CONSELLERÍA DE SANIDADE SERVIZO GALEGO DE SAÚDE\nÁrea Sanitaria da Coruña e Cee\nAs Xubias de Arriba, 84\nPaciente que acude por dolor desde hace tres días.": false,
		"OSAKIDETZA EUSKO JAURLARITZA OSASUN SAILA\nGaixoa: Jon Agirre. ITU. Tto: fosfomicina.":                                                                                         false,
	} {
		if err := m.Tagger.(auto).foreign(text, m.told(text).parts); (err != nil) != foreign {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// TestANoteInNoLanguageOfTheModelsIsAnError checks that such a note is named, and all others
// are examined.
func TestANoteInNoLanguageOfTheModelsIsAnError(t *testing.T) {
	a := auto{taggers: map[language.Language]data.Tagger{"en": &word{text: "Roe", typ: "DOCTOR"}}}
	docs := []*data.Document{{ID: "en", Text: english}, {ID: "fr", Text: french}, {ID: "half", Text: english + french}, {ID: "el", Text: "Ο ασθενής προσήλθε με πόνο"}}
	found, errs := data.TagEach(t.Context(), a, docs)
	if errs[0] != nil || len(found[0]) != 1 {
		t.Errorf("English: %v, %v", found[0], errs[0])
	}
	for i, want := range []string{"", "the language seems to be fr, and there are models for en only", "the language seems to be fr", "the language seems to be Greek"} {
		if want != "" && (errs[i] == nil || !strings.Contains(errs[i].Error(), want)) {
			t.Errorf("%s: error %v, want %q", docs[i].ID, errs[i], want)
		}
	}
}

func TestDisjoint(t *testing.T) {
	got := disjoint([]data.Span{{Start: 5, End: 9, Type: "B", Score: 0.5}, {Start: 0, End: 2, Type: "A"}, {Start: 4, End: 7, Type: "C", Score: 1}, {Start: 9, End: 10, Type: "D"}})
	want := []data.Span{{Start: 0, End: 2, Type: "A"}, {Start: 4, End: 9, Type: "B", Score: 0.5}, {Start: 9, End: 10, Type: "D"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// "SOB" and "Home" in fields of English notes became names of clinicians, because the Spanish model, too, examines words that may be in any language.
func TestWordsOfAnyLanguageWereExaminedByTheWrongModel(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"SOB", "CHF", "Home", "Hgb", "Ht", "Stelara"}
	var docs []*data.Document
	for _, text := range texts {
		docs = append(docs, &data.Document{ID: text, Text: text}, &data.Document{ID: text + " en", Text: text, Language: "en"})
	}
	names := []string{"Nguyen, Oda", "Herzog", "Goikoetxea Mendizábal"}
	for _, text := range names {
		docs = append(docs, &data.Document{ID: text, Text: text}, &data.Document{ID: text + " en", Text: text, Language: "en"})
	}
	found, err := m.Tag(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	for i, spans := range found[2*len(texts):] {
		if len(spans) == 0 {
			t.Errorf("%s: nothing is found", docs[2*len(texts)+i].ID)
		}
	}
	found = found[:2*len(texts)]
	for i, spans := range found {
		if len(spans) > 0 {
			t.Errorf("%s: %v", docs[i].ID, spans)
		}
	}
	if all, guessed := m.Told("She was seen by the nurse in the clinic.", ""); guessed || len(all) != 1 {
		t.Errorf("an English sentence is in %v, guessed %v", all, guessed)
	}
	if all, guessed := m.Told("She was seen by the nurse in the clinic and went home.\nLa paciente fue vista por la enfermera de la clínica y se fue a su casa.", ""); guessed || len(all) != 2 {
		t.Errorf("a note in two languages is in %v, guessed %v", all, guessed)
	}
}

// Each span was compared with all parts of the text, and with all other spans.
func TestManyPartsAndSpans(t *testing.T) {
	const n = 400_000
	text := strings.Repeat("mass\n", n)
	var parts []language.Part
	var spans []data.Span
	for i := range n {
		of := []language.Language{language.English, language.Spanish}[i%2]
		parts = append(parts, language.Part{Start: 5 * i, End: 5*i + 5, Language: of})
		spans = append(spans, data.Span{Start: 5 * i, End: 5*i + 4, Type: "PATIENT"})
	}
	a := auto{taggers: map[language.Language]data.Tagger{language.English: &word{}, language.Spanish: &word{}}}
	counted := 0
	for _, s := range spans {
		if a.counts(parts, s, language.English) {
			counted++
		}
	}
	if counted != n/2 {
		t.Errorf("%d spans count, want %d", counted, n/2)
	}
	if found := agreed(text, spans, isTerm); len(found) > 0 {
		t.Errorf("%d words are found by both models", len(found))
	}
	if found := agreed(text, append(spans, data.Span{Start: 7, End: 9}), isTerm); len(found) != 2 {
		t.Errorf("%d words are found by both models, want 2", len(found))
	}
}

// The model for Spanish alone examined addresses of American towns with Spanish names, and did not find them.
func TestAmericanTownsWithSpanishNamesStayed(t *testing.T) {
	m, err := Open(Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"Los Angeles, CA 90012":                      {"en"},
		"Las Vegas NV 89101":                         {"en"},
		"DL# NM 118447203":                           {"en"},
		"xóchitl cuauhtémoc San Juan, PR 00901":      {"en", "es"},
		"Los Alamos, NM":                             {"en", "es"},
		"El Paso TX":                                 {"en", "es"},
		"Las Vegas":                                  {"en", "es"},
		"MRN 0387214 LOS 3":                          {"en", "es"},
		"Domicilio: Calle Sol 12, El Paso, TX 79901": {"en", "es"},
		"NATURAL DE JEREZ, LOS 3":                    {"es"},
		"Las Palmas":                                 {"es"},
		"Calle Sol 12, 28013 Madrid":                 {"es"},
		"Fiebre y dolor, PA 120/80":                  {"es"},
	} {
		if got := m.Languages(text); !slices.Equal(got, want) {
			t.Errorf("%s: examined in %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{"Los Alamos, NM": true, "Las Vegas": true, "Modesto, CA": true, "DL# NM 118447203": true, "DRA. PICO DL# 4471823": true, "HOSPITAL LIMA DL# 4471823": true, "NATURAL DE LIMA MRN 0387214": true, "EMPRESA: ORO. DL# 4471823": true, "Fiebre, PA": false} {
		found, err := m.Tag(t.Context(), []*data.Document{{ID: "n", Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		if (len(found[0]) > 0) != want {
			t.Errorf("%s: found %v", text, found[0])
		}
	}
}
