package safetynet

import (
	"slices"
	"strings"
	"testing"
)

// The first name behind "Sr. García Pérez," stayed. The names in «» are found.
func TestFirstNamesBehindTitledSurnamesStayed(t *testing.T) {
	for _, text := range []string{
		"te paso al Sr. «García Pérez, Juan».", "Valorada la Sra. «López Ruiz, Ana María», de 45 años", "Paciente Sr. «Soto Vera, Camila» (SIP 1)", "Dña. «de la Cruz Mora, María del Carmen»: estable",
		"SRA. «LOPEZ RUIZ, ANA» REFIERE TOS", "Mr. «Lund, John» was seen", "Mrs. «O'Brien-Lund, Mary» has", "Sra. «Mora Gil, Consuelo».", "Srta. «Soto, Rosa» acude", "Dr. «Vega Ruiz, Iker», y D. «Lasarte, Julio»",
		"D.ª «Mora Gil, Rosa» acude", "Sr. García Informado Ayer, «Juan».", "Dr. Vega, «Jordan» Hospital", "Sr. Mora, «Santiago» de Chile",
	} {
		check := func(plain string, want []string) {
			var got []string
			for _, s := range Titled(plain) {
				got = append(got, plain[s.Start:s.End])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: %q, want %q", plain, got, want)
			}
		}
		var want []string
		for _, part := range strings.Split(text, "«")[1:] {
			name, _, _ := strings.Cut(part, "»")
			want = append(want, name)
		}
		check(strings.NewReplacer("«", "", "»", "").Replace(text), want)
	}
	for _, text := range []string{
		"Sr. García Pérez, Refiere dolor", "Mr. Lund, Will discuss", "Mrs. Lund, June 2020 visit", "Sra. Mora, Consuelo psicológico", "SR. GARCIA, HTA, DM2", "Mrs. Lund, RN", "García Pérez, Juan",
		"Mr. Lund, john", "Refiere dolor, Juan", "Sr., Juan", "Sr. García, ", "Dr. Vega, MD", "Dr. Ruiz, Santa Rita", "Dr. Vega, Jordan frame", "Dr. Vega, Virginia Mason", "Sra. García, Dolores articulares.", "SRA. GARCIA, DOLORES ABDOMINALES", "Vitamina D Calcio, Rosa.", "Hepatitis D Positiva, Pilar.",
	} {
		if found := Titled(text); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

func FuzzTitled(f *testing.F) {
	f.Add("Sr. García Pérez, Juan y Mr. Lund, \xff")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range Titled(text) {
			if s.Start < end || s.End > len(text) || s.Start >= s.End {
				t.Errorf("%q: %+v", text, s)
			}
			end = s.End
		}
	})
}
