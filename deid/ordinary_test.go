package deid

import (
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// "of the" between a department and a hospital was a hospital of its own, and diseases and species in problem lists were people.
func TestFunctionWordsAndDiseasesWerePHI(t *testing.T) {
	types, err := data.LookupTypeSet("i2b2-2014")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, typ, want string }{
		{"Department «of the» Mercy", "HOSPITAL", ""}, {"en planta «de la» Paz", "HOSPITAL", ""}, {"«Osteomalacia»", "PATIENT", ""}, {"«Thromboendartectomy»", "ORGANIZATION", ""}, {"Hx: «Hypothyroidosteoarthritis», CKD", "PATIENT", ""}, {"«Kleptomania»", "PATIENT", ""},
		{"«Theodosis»", "PATIENT", "Theodosis"}, {"«C. Lund»", "DOCTOR", "C. Lund"}, {"«The Cross»", "HOSPITAL", "The Cross"}, {"«Endoscopy»", "DEPARTMENT", "Endoscopy"},
		// names and places with the short ending of a disease, or behind a title
		{"Plan for «Umapathy» discussed", "PATIENT", "Umapathy"}, {"tell «Bhoopathy» to call", "PATIENT", "Bhoopathy"}, {"«Balasubramania» is well", "PATIENT", "Balasubramania"}, {"vio a «Kalafritis»", "DOCTOR", "Kalafritis"}, {"«Tsakalosis» llama", "DOCTOR", "Tsakalosis"},
		{"PATIENT: «AMBROSIS»", "PATIENT", "AMBROSIS"}, {"Sr. «Goicorrea»", "PATIENT", "Goicorrea"}, {"Lives in «Tasmania».", "STATE", "Tasmania"}, {"Natural de «Germania»", "CITY", "Germania"}, {"Dr. «Osteosclerosis»", "DOCTOR", "Osteosclerosis"}, {"Signed by «Osteomyelitis»", "DOCTOR", "Osteomyelitis"},
		// species and function words that are surnames
		{"seen by dr «quintana» in clinic", "DOCTOR", "quintana"}, {"«J. quintana» RN called", "DOCTOR", "J. quintana"}, {"paciente «mansoni» de 40 años", "PATIENT", "mansoni"}, {"vive en «quintana»", "CITY", "quintana"}, {"la dra «bovis» explica", "DOCTOR", "bovis"},
		{"seen by dr «su» in clinic", "DOCTOR", "su"}, {"la dra «de la o» hoy", "DOCTOR", "de la o"}, {"JV/«la»", "USERNAME", "la"}, {"k 4.1 - «is»\n", "DOCTOR", "is"}, {"visto por «an» hoy", "DOCTOR", "an"},
	} {
		before, rest, _ := strings.Cut(c.text, "«")
		value, after, _ := strings.Cut(rest, "»")
		text := before + value + after
		var left []string
		for _, s := range correctedName(text, data.Span{Start: len(before), End: len(before) + len(value), Type: c.typ}, types) {
			left = append(left, text[s.Start:s.End])
		}
		if want := slices.DeleteFunc([]string{c.want}, func(s string) bool { return s == "" }); !slices.Equal(left, want) {
			t.Errorf("%q as %s: %q", c.text, c.typ, left)
		}
	}
}
