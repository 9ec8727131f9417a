package safetynet

import (
	"strings"
	"testing"
)

// The surname with which a note was signed stayed, because nothing but the end of a sentence stands before it.
func TestSignatureOfOneWordStayed(t *testing.T) {
	const note = "Control de la herida en siete días por su enfermera, sin fiebre. "
	for text, want := range map[string]string{
		note + "Urrutia.": "Urrutia",
		note + "Pronóstico grave. Urrutia-Quirós": "Urrutia-Quirós",
		note + "TA 120/80.\nQuiroga.\n":           "Quiroga",
		note + "Vuelve el martes 4. Ferrer":       "Ferrer",

		note + "Gracias.":                      "",
		note + "Correlacionar.":                "",
		note + "Alta.":                         "",
		note + "Reconsulta":                    "",
		note + "Autofluorescencia.":            "",
		note + "Neumonía.":                     "",
		note + "Enalapril":                     "",
		note + "Artritis.":                     "",
		note + "Vive con Urrutia y su hermano": "",
		"Sin fiebre. Urrutia.":                 "", // no note, but a cell
	} {
		s, ok := signature(text)
		if got := text[s.Start:s.End]; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %t %q, want %q", text, ok, got, want)
		}
	}
	text := note + "Urrutia."
	if all := AskedNames(text); len(all) != 1 || text[all[0].Start:all[0].End] != "Urrutia" {
		t.Errorf("found %v", all)
	}
	if all := AskedNames(strings.Repeat(note, 3)); len(all) > 0 {
		t.Errorf("found %v", all)
	}
}

// The last word of a note was taken for the surname of who signs, and went from all notes of the patient, although it was a drug, a finding, a department, or the town behind a hospital.
func TestLastWordWasTakenForSignature(t *testing.T) {
	const note = "Paciente que acude a consulta por control evolutivo, sin cambios. "
	for _, end := range []string{
		"Pradaxa.", "Duoplavin", "Yasmin.", "Foster.", "Esguince.", "Cabestrillo", "Urgencias.", "Sinequias.", "Cifosis.", "Murphy.", "Finkelstein.", "Norton.", "Denver.", "Paliativos", "Crup.",
		"Hospital Universitario. Barcelona.", "Hospital Universitario. Temuco.", "Clínica del Norte. Quiroga", "Dopico", "Levodopa-Carbidopa.", "Guillain-Barré",
	} {
		if s, ok := signature(note + end); ok {
			t.Errorf("%q: took %q", end, (note + end)[s.Start:s.End])
		}
		if s, ok := signature(note + "\n" + end); ok {
			t.Errorf("%q behind a line end: took %q", end, (note + "\n" + end)[s.Start:s.End])
		}
	}
}
