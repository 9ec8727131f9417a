package safetynet

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// TestSentenceBehindPostcodeWasTakenForTown: the first word of the next sentence behind a postcode became a place, and so did results and doses of five digits.
func TestSentenceBehindPostcodeWasTakenForTown(t *testing.T) {
	for _, x := range []struct{ text, want string }{ // the span is between « and »
		{"C/ Luna 3, 28013. «Refiere» dolor", ""},
		{"C.P. 06000. «Alergias»: no", ""},
		{"C/ Luna 3, 28013. «Casado».", ""},
		{"C/ Luna 3, 28013 - «Hipertenso» conocido", ""},
		{"C/ Luna 3 (28013) «Diabético».", ""},
		{"C/ Luna 3, 28013, «Acude» por tos", ""},
		{"C/ Luna 3, 28013 «Niega» alergias", ""},
		{"C/ Luna 3, 28013. «Glucemia» de 300", ""},
		{"C/ LUNA 3, 28013. «REFIERE» DOLOR", ""},
		{"C/ Luna 3, «28013 Refiere» dolor", "28013"},
		{"Código postal 28013. «Antecedentes Personales»: HTA", ""},
		{"Carga viral «35000». Iniciar TAR", ""},
		{"Carga viral 35000. «Alta».", ""},
		{"Vitamina D «50000». Repetir", ""},
		{"Heparina sódica «25000».", ""},
		{"Proteinuria 24 h: «12300».", ""},
		// These are places.
		{"C/ Luna 3, 28013 «Madrid»", "Madrid"},
		{"C/ Luna 3, 28013, «Getafe».", "Getafe"},
		{"C/ Luna 3, 06000 «Cd. de México»", "Cd. de México"},
		{"C/ Luna 3, 28013 - «Pozuelo de Alarcón»", "Pozuelo de Alarcón"},
		{"C/ Luna 3. 28013. «Madrid».", "Madrid"},
		{"C/ Luna 3. 28013. «Centro».", "Centro"},
		{"C/ Luna 3, 28013 «Alta» Gracia", "Alta"},
		{"C/ Luna 3, 28013 «Mira» y trabaja", "Mira"},
		{"C/ Luna 3. 28013. «Espera».", "Espera"},
		{"C/ Luna 3. 28013. «Sierra», Madrid.", "Sierra"},
		{"C/ Luna 3, 28013 «Población» de Campos", "Población"},
		{"C/ Luna 3. 28013. «Ventas» con Peña", "Ventas"},
		{"C/ Luna 3, 28013 «Buena Vista»", "Buena Vista"},
		{"28013. «Dolores».", "Dolores"},
		{"C/ Luna 3, 46980 «Paterna»: Tel 600123456", "Paterna"},
		{"C/ Luna 3, 11520. «Rota»: vive sola", "Rota"},
		{"C/ Luna 3, 29100 «Coín»: casado", "Coín"},
		{"CP 22700. «Jaca» desde 2010", "Jaca"},
		{"C/ Luna 3, 04200 «Tabernas» y su hija", "Tabernas"},
		{"C/ Luna 3, 28013. «Enfermedad Actual»: dolor", ""},
		{"C/ Luna 3, 28013 «Teléfono»: 600123456", ""},
		{"toma heparina. «28013» Madrid", "28013"},
		{"Calle Vitamina 3, «28013» Madrid", "28013"},
		{"vive en «28013»", "28013"},
		{"C/ Heparina «28013» Getafe", "28013"},
	} {
		before, rest, _ := strings.Cut(x.text, "«")
		value, after, _ := strings.Cut(rest, "»")
		text := before + value + after
		var got []string
		for _, s := range WithoutSentenceBehindPostcode(text, data.Span{Start: len(before), End: len(before) + len(value)}) {
			got = append(got, text[s.Start:s.End])
		}
		if all := strings.Join(got, "|"); all != x.want {
			t.Errorf("%s: %q is left, want %q", x.text, all, x.want)
		}
	}
}
