package safetynet

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/matching"
)

// checkFound checks what a function finds in texts in which « » mark it.
func checkFound(t *testing.T, find func(string) []data.Span, texts []string) {
	t.Helper()
	for _, marked := range texts {
		text := strings.NewReplacer("«", "", "»", "").Replace(marked)
		got, from := "", 0
		for _, s := range find(text) {
			got += text[from:s.Start] + "«" + text[s.Start:s.End] + "»"
			from = s.End
		}
		if got += text[from:]; got != marked {
			t.Errorf("%q, want %q", got, marked)
		}
	}
}

// Names that are ordinary words in lower case stayed even behind "my name is", or their surnames did.
func TestSaidNamesStayed(t *testing.T) {
	checkFound(t, SaidNames, []string{
		"hi my name is «summer rain» and i need an appointment",
		"patients name is «brandon small» and she is here",
		"the patient's name is «rose flowers», 40",
		"her husband's name is «mark hill».",
		"my name is um «kelsey ramanathan» dob 3/4",
		"My Name Is «Grace Long» and",
		"my name is «mary beth okafor» long time patient",
		"this is «crystal waters» calling about her refill",
		"this is nurse «dawn price» calling from the clinic",
		"his daughter «joy day» is here",
		"her son «grant cash» called",
		"his wife, «hope church»",
		"her sister «faith hill» lives here",
		"me llamo «clara luna» y necesito cita",
		"mi nombre es «rosa flores» y tengo dolor",
		"su hija «rosa campos» llama",
		"my name is on the list",
		"my name is not correct",
		"the patient's name is misspelled",
		"this is not urgent calling for",
		"the patient's name is hyphenated",
		"his name is mispronounced, the name is illegible",
		"her name is blacked out on the form",
		"this is the clinic calling",
		"his wife will call, her son may need help",
		"his daughter reports pain",
		"her husband works nights",
		"her mother had early dementia",
		"su hija refiere dolor",
		"su madre está bien",
		"se llama al paciente",
	})
}

// Of a name in a form between whose letters blanks stand, or in whose words they do, parts stayed.
func TestPartsOfNamesThatBlanksDivideStayed(t *testing.T) {
	checkFound(t, DividedNames, []string{
		"Patient Name: «M a r g a r e t  L u n d»",
		"Name: «J O H N  S M I T H»   Age: 50",
		"Patient Name: «Marga ret Lu nd»  DOB: 1950",
		"Patient name: «M argaret L und»\nSeen today",
		"Nombre: «M a r g a r i t a  L u n a»  Edad: 40",
		"Nombre del paciente: «Marga rita Lu na»",
		"Apellidos: «Gar cía Lu na» | Edad 40",
		"Patient Name: Margaret Lund",
		"Patient Name: María de la Cruz",
		"Patient Name: Unknown male found down",
		"Nombre y apellidos: Ana Luna",
		"Drug name: A b",
		"Patient: stable today",
		"Name: O2 2 L",
	})
}

// A clinician who calls was a patient: "this is Nurse Joy Bell calling".
func TestClinicianWhoCallsWasAPatient(t *testing.T) {
	for text, want := range map[string]string{"this is Nurse Joy Bell calling": "DOCTOR", "this is Dr. Ann Lee calling back": "DOCTOR", "this is Mrs Joy Bell calling": "PATIENT", "this is Joy Bell calling": "PATIENT"} {
		if found := SaidNames(text); len(found) != 1 || found[0].Type != want {
			t.Errorf("%s: %+v, want %s", text, found, want)
		}
	}
	if found := DividedNames("Last name: Unknown to pt"); len(found) > 0 {
		t.Errorf("an unknown name is found: %+v", found)
	}
}

// The cheap test before the expression of the fields of names excludes nothing that it matches.
func TestTestOfNameFieldsExcludesNothing(t *testing.T) {
	for _, line := range matching.Texts(t, nameField, 5000) {
		if !mayHaveNameField(line) {
			t.Errorf("%q is excluded", line)
		}
	}
}
