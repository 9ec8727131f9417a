package safetynet

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// TestSentenceBehindNameWasTakenForIt: "Niega alergias" behind a name became alergias, which reversed what the note said.
func TestSentenceBehindNameWasTakenForIt(t *testing.T) {
	for _, x := range []struct{ text, want string }{ // the span is between « and »
		{"Paciente: «Ainara Peña. Niega alergias»", "Ainara Peña"},
		{"Paciente: «Ainara Peña. Niega alergias a Nolovel»", "Ainara Peña|Nolovel"},
		{"PACIENTE: «AINARA PEÑA. NIEGA ALERGIAS»", "AINARA PEÑA"},
		{"Nombre: «Ainara Peña. Sin alergias conocidas»", "Ainara Peña"},
		{"Nombre: «Ainara Gil. Sin alergias conocidas»", "Ainara Gil"},
		{"Nombre: «Ainara Peña. Acude con Iker Mata»", "Ainara Peña|Iker Mata"},
		{"Nombre: «ainara peña. acude con iker»", "ainara peña|iker"},
		{"PACIENTE: «AINARA PEÑA. NIEGA DOLORES»", "AINARA PEÑA|DOLORES"},
		{"Indicaciones al paciente: «Continuar con la dieta»", ""},
		{"Consejos al paciente: «Beber agua»", ""},
		{"Educación al paciente: «dieta y ejercicio»", ""},
		{"Indicaciones al paciente: «Llamar a Ainara Peña»", "Ainara Peña"},
		{"Remite: «Fiebre Alta»", ""},
		{"Tutor: «No Consta»", ""},
		{"Patient: «Oda Lund. Denies allergies»", "Oda Lund"},
		{"PACIENTE: «AINARA PEÑA. NIEGA ALERGIAS A LA PENICILINA»", "AINARA PEÑA|PENICILINA"},
		// These are names.
		{"Paciente: «Ainara Peña Alta»", "Ainara Peña Alta"},
		{"Paciente: «Peña. Ainara»", "Peña. Ainara"},
		{"Paciente: «Ainara de la Peña»", "Ainara de la Peña"},
		{"Paciente: «M. Sin Peña»", "M. Sin Peña"},
		{"Paciente: «Varón Peña»", "Varón Peña"},
		{"Paciente: «No Consta Peña»", "No Consta Peña"},
		{"Patient: «Varon Grave»", "Varon Grave"},
		{"PATIENT: «VARON GRAVE»", "VARON GRAVE"},
		{"Mother: «Varon»", "Varon"},
		{"Contact: «Mejor Camina»", "Mejor Camina"},
		{"Paciente: «Varón, estable»", ""},
		{"Paciente: «Sin Kim»", "Sin Kim"},
		{"con «Niega Alta»", "Niega Alta"},
	} {
		before, rest, _ := strings.Cut(x.text, "«")
		value, after, _ := strings.Cut(rest, "»")
		text := before + value + after
		var got []string
		for _, s := range WithoutSentences(text, data.Span{Start: len(before), End: len(before) + len(value)}) {
			got = append(got, text[s.Start:s.End])
		}
		if all := strings.Join(got, "|"); all != x.want {
			t.Errorf("%s: %q is left, want %q", x.text, all, x.want)
		}
	}
}

// TestNameInSentenceWasTakenForItsWord: a name behind "por" or a title that is an ordinary word as well was taken for a word of the sentence, and stayed.
func TestNameInSentenceWasTakenForItsWord(t *testing.T) {
	for _, x := range []struct{ text, want string }{ // the span is behind the colon
		{"Paciente: Valorada por la Dra. Varón", "Valorada por la Dra. Varón"},
		{"PACIENTE: VALORADA POR LA DRA. VARÓN", "VARÓN"},
		{"Paciente: Ana Peña. Remitido por Grave", "Ana Peña|Grave"},
		{"Paciente: Seguir con Dieta", "Dieta"},
		{"Paciente: volver con rey", "rey"},
		{"Paciente: Volver con rey", "rey"},
		{"PACIENTE: TRATADA POR FUERTES", "FUERTES"},
		{"Paciente: tratada por fuertes", "fuertes"},
		{"Paciente: Llamar a Moderado", "Moderado"},
		{"Patient: Admitted by Grave", "Grave"},
		{"Paciente: Acude con su hija Dolor", "Dolor"},
		{"RESPONSABLE: GRAVE ALEGRÍA, LUIS", "GRAVE ALEGRÍA, LUIS"},
		{"Paciente: Seguir con la dieta blanda", ""},
	} {
		start := strings.Index(x.text, ": ") + 2
		var got []string
		for _, s := range WithoutSentences(x.text, data.Span{Start: start, End: len(x.text)}) {
			got = append(got, x.text[s.Start:s.End])
		}
		if all := strings.Join(got, "|"); all != x.want {
			t.Errorf("%s: %q is left, want %q", x.text, all, x.want)
		}
	}
}

// TestOpeningsAreNames: a sentence must not begin with a word that is a first name or a surname as well.
func TestOpeningsAreNames(t *testing.T) {
	for w := range openings {
		if surrogate.IsFirstName(w) || surrogate.IsSurname(w) {
			t.Errorf("%s is a name", w)
		}
	}
}

// TestClauseBeforeStreetWasTakenForClinician: in capitals, "VIVE EN" before a street became a clinician.
func TestClauseBeforeStreetWasTakenForClinician(t *testing.T) {
	for _, x := range []struct{ value, want string }{
		{"VIVE EN", ""},
		{"PACIENTE VIVE EN", ""},
		{"DOMICILIADA EN LA", "DOMICILIADA EN LA"}, // ends in no preposition
		{"REFIERE DOLOR EN CADERA TRAS CAIDA EN", ""},
		{"DOLOR ABDOMINAL INTENSO CON IRRADIACION EN", ""},
		{"ENCONTRADA EN EL SUELO EN", ""},
		// Names go, whatever stands beside them.
		{"AINARA EN", "AINARA"},
		{"AINARA PEÑA VIVE EN", "AINARA PEÑA VIVE"},
		{"VIVE CON AINARA EN", "VIVE CON AINARA"},
		{"DRA. GRAVE EN", "DRA. GRAVE"},
		{"AINARA GRAVE EN", "AINARA GRAVE"},
		{"PACIENTE BUENO EN", "PACIENTE BUENO"},
		{"CAIDA DE DOLORES EN", "CAIDA DE DOLORES"},
		// These names are words and in no list of names.
		{"SEVERO RESIDE EN", "SEVERO RESIDE"},
		{"GALLO CONSTANCIA EN", "GALLO CONSTANCIA"},
		{"LIBERTAD EN", "LIBERTAD"},
		{"VIVE CIELO SECO EN", "VIVE CIELO SECO"},
		{"CAIDA DE LOBO EN", "CAIDA DE LOBO"},
		{"Vive en", "Vive en"},
	} {
		s := WithoutClauseBeforeStreet(x.value+" CALLE LUNA 4", data.Span{End: len(x.value)})
		if got := x.value[s.Start:s.End]; got != x.want {
			t.Errorf("%s: %q is left, want %q", x.value, got, x.want)
		}
	}
}

// TestSaintOfClinicWasADay: San José behind "Clin." became a date.
func TestSaintOfClinicWasADay(t *testing.T) {
	for _, x := range []struct {
		institution, between, date string
		want                       bool
	}{
		{"Clin", ". ", "San José", true}, {"Sanat", ". ", "San Juan", true}, {"C.S", ". ", "Santa Ana", true}, {"HU", " ", "Santiago", false}, {"H", ". ", "Virgen del Pilar", true},
		{"Hospital General", ". ", "San José", false}, {"Clin", ". ", "3 de mayo", false}, {"Clin", ". El ", "San José", false}, {"Clin", ".\n", "San José", false}, {"Clin", ", ", "San José", false},
	} {
		text := x.institution + x.between + x.date
		end := len(x.institution)
		if got := IsSaintOfInstitution(text, data.Span{End: end}, data.Span{Start: end + len(x.between), End: len(text)}); got != x.want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
