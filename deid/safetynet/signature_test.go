package safetynet

import (
	"strings"
	"testing"
)

// The surname with which a note was signed stayed, because nothing but the end of a sentence stands before it.
func TestSignatureOfOneWordStayed(t *testing.T) {
	const note = "Control de la herida en siete días por su enfermera, sin fiebre. "
	for text, want := range map[string]string{
		note + "Dopico.":                       "Dopico",
		note + "Pronóstico grave. Huarte-Lund": "Huarte-Lund",
		note + "TA 120/80.\nCascales.\n":       "Cascales",
		note + "Vuelve el martes 4. Gragera":   "Gragera",

		note + "Gracias.":                     "",
		note + "Correlacionar.":               "",
		note + "Alta.":                        "",
		note + "Reconsulta":                   "",
		note + "Autofluorescencia.":           "",
		note + "Neumonía.":                    "",
		note + "Enalapril":                    "",
		note + "Artritis.":                    "",
		note + "Vive con Dopico y su hermano": "",
		"Sin fiebre. Dopico.":                 "", // no note, but a cell
	} {
		s, ok := signature(text)
		if got := text[s.Start:s.End]; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %t %q, want %q", text, ok, got, want)
		}
	}
	text := note + "Dopico."
	if all := AskedNames(text); len(all) != 1 || text[all[0].Start:all[0].End] != "Dopico" {
		t.Errorf("found %v", all)
	}
	if all := AskedNames(strings.Repeat(note, 3)); len(all) > 0 {
		t.Errorf("found %v", all)
	}
}
