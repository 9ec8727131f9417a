package language

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data/fold"
)

func TestParts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Language
	}{
		{"English", "Mr. Roe was seen in clinic today with his wife. He denies pain and has been well since the last visit.", []Language{"en"}},
		{"English shorthand", "62M w/ CHF, s/p CABG. Denies CP. Plan: continue meds and f/u in the clinic in 2 wks", []Language{"en"}},
		{"Spanish", "Paciente de 45 años que acude a urgencias por dolor en el costado desde hace dos días, sin fiebre.", []Language{"es"}},
		{"Spanish without accents, in capitals", "PACIENTE DE 45 ANOS QUE ACUDE POR DOLOR ABDOMINAL DE DOS DIAS, SE REALIZA TAC.", []Language{"es"}},
		{"Portuguese", "Doente do sexo feminino, de 45 anos, com dor no peito há dois dias, não tem febre. Foi observada na urgência pelo médico.", []Language{"pt"}},
		{"French", "Patiente de 45 ans qui se présente aux urgences avec une douleur dans la poitrine depuis deux jours, sans fièvre.", []Language{"fr"}},
		{"Italian", "Paziente di 45 anni che si presenta al pronto soccorso con dolore al petto da due giorni, non ha febbre, è stata visitata dal medico.", []Language{"it"}},
		{"Catalan", "Pacient de 45 anys que acudeix amb dolor al pit des de fa dos dies, sense febre. No té al·lèrgies i va ser ingressat amb els seus pares.", []Language{"ca"}},
		{"German", "Die Patientin wurde mit Schmerzen in der Brust seit zwei Tagen aufgenommen und ist ohne Fieber.", []Language{"de"}},
		{"Dutch", "De patiënte kwam met pijn op de borst sinds twee dagen en heeft geen koorts, zij was niet eerder bij ons.", []Language{"nl"}},
		{"Greek", "Ο ασθενής προσήλθε με πόνο στο στήθος", []Language{"Greek"}},
		{"Russian", "Пациент поступил с болью в груди", []Language{"Cyrillic"}},
		{"numbers", "BP 120/80 HR 72 RR 16 T 98.6", []Language{""}},
		{"a name", "María Pérez 03/04/2071", []Language{""}},
		{"empty", "", []Language{""}},
		{"Latin words in English", "Status post excision of nevus in situ, no CIN; corpora amylacea in prostata", []Language{""}},
		{"initials", "Board: e. hart | o. lam | i. roe | e. low | a. wu | o. bell, in situ, s/p i&d, e/e' 8", []Language{""}},
		{"the left eye", "VA OD 20/40 OS 20/60. IOP OD 12 OS 14, Cosopt OS, C/D OD 0.4 OS 0.5, drops OU, OCT OS 104, OS quiet", []Language{""}},
		{"English, then Spanish", "He was seen in the clinic with his wife and was well.\n\nBP 120/80\nLa paciente acude con dolor en el costado y se realiza una ecografía de control.\n", []Language{"en", "es"}},
		{"a Spanish quotation", "She said that she was well and had no pain.\nHer words: no me duele.\nShe was given the results of the test and will be seen again.\n", []Language{"en"}},
	} {
		parts := Parts(c.text)
		var got []Language
		at := 0
		for _, p := range parts {
			if p.Start != at {
				t.Errorf("%s: a part starts at %d, and the one before ends at %d", c.name, p.Start, at)
			}
			at = p.End
			got = append(got, p.Language)
		}
		if at != len(c.text) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q to %d of %d, want %q", c.name, got, at, len(c.text), c.want)
		}
	}
}

// TestALineOfHeadingsBelongsToTheTextAroundIt checks that lines without function words do
// not become parts of their own.
func TestALineOfHeadingsBelongsToTheTextAroundIt(t *testing.T) {
	text := strings.Repeat("ANTECEDENTES\nHTA, DM2\nEl paciente refiere dolor en la espalda desde hace una semana.\n", 5)
	if parts := Parts(text); len(parts) != 1 || parts[0].Language != Spanish {
		t.Errorf("%v", parts)
	}
}

// The last line of a text that does not end with a line end was in no part, so that nothing that was found in it counted.
func TestPartsCoverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"the clinic and the nurse were with her ", "acude con dolor desde hace dos días ", "\n", "\n\n", "\r\n", "BP 120/80", "não foi com uma "})).Draw(t, "pieces"), "")
		at := 0
		for _, p := range Parts(text) {
			if p.Start != at || p.End < p.Start {
				t.Fatalf("%q: the parts are %v", text, Parts(text))
			}
			at = p.End
		}
		if at != len(text) {
			t.Fatalf("%q: the parts end at %d of %d", text, at, len(text))
		}
	})
}

// The words are the runs of letters and marks, folded, without those that are longer than any function word.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "Z", "é", "e\u0301", "Ñ", " ", "-", "1", "\n", "ß", "the", "λ", "\xff", "abcdefghijklmno", "´"})).Draw(t, "pieces"), "")
		var got, want []string
		for w := range words(text) {
			got = append(got, string(w))
		}
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			if len(w) <= longest {
				want = append(want, fold.Fold(w))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the words of %q are %q, not %q", text, got, want)
		}
	})
}

// No function word may be too long to be found.
func TestFunctionWordsAreFound(t *testing.T) {
	for w := range languagesOf {
		for got := range words("1 " + w + ",") {
			if string(got) != w {
				t.Errorf("%s is read as %s", w, got)
			}
		}
		if len(w) > longest {
			t.Errorf("%s is too long", w)
		}
	}
}
