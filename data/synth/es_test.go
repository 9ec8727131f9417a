package synth

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func spanishNotes400(t *testing.T, split Split) []*data.Document {
	t.Helper()
	docs, err := data.Collect(Config{Corpus: "es", Split: split, Seed: 1}.Notes(400))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

var openMark = regexp.MustCompile(`<[A-Z]+:`)

func TestSpanishNotesAreWellFormed(t *testing.T) {
	for _, split := range splits {
		without := 0
		for _, d := range spanishNotes400(t, split) {
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(d.Text, "\r{}\ufffd") || openMark.MatchString(d.Text) || strings.Contains("\n"+d.Text, "\n# ") {
				t.Errorf("%s: a character of the grammar is in the text", d.ID)
			}
			if len(d.Spans) == 0 {
				without++
			}
			last := 0
			for i, s := range d.Spans {
				phrase := d.Text[s.Start:s.End]
				if s.Start < last {
					t.Errorf("%s: span %d overlaps or is out of order", d.ID, i)
				}
				if strings.TrimSpace(phrase) != phrase || phrase == "" || strings.Contains(phrase, "\n") {
					t.Errorf("%s: span %d is not trimmed: %q", d.ID, i, phrase)
				}
				if !data.MEDDOCAN.Has(s.Type) || s.Score != 1 {
					t.Errorf("%s: span %d: type %s, score %v", d.ID, i, s.Type, s.Score)
				}
				last = s.End
			}
		}
		if without < 16 || without > 80 {
			t.Errorf("%s: %d of 400 notes have no PHI, want 16 to 80", split, without)
		}
	}
}

// The types that occur in MEDDOCAN's training notes, and more.
func TestSpanishTypesOccur(t *testing.T) {
	want := strings.Fields(`TERRITORIO FECHAS EDAD_SUJETO_ASISTENCIA NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO
		SEXO_SUJETO_ASISTENCIA CALLE PAIS ID_SUJETO_ASISTENCIA ID_TITULACION_PERSONAL_SANITARIO CORREO_ELECTRONICO
		ID_ASEGURAMIENTO HOSPITAL FAMILIARES_SUJETO_ASISTENCIA INSTITUCION ID_CONTACTO_ASISTENCIAL NUMERO_TELEFONO
		PROFESION NUMERO_FAX OTROS_SUJETO_ASISTENCIA CENTRO_SALUD URL_WEB ID_EMPLEO_PERSONAL_SANITARIO
		IDENTIF_DISPOSITIVOS_NRSERIE IDENTIF_VEHICULOS_NRSERIE_PLACAS OTRO_NUMERO_IDENTIF`)
	for _, split := range splits {
		count := map[string]int{}
		for _, d := range spanishNotes400(t, split) {
			for _, s := range d.Spans {
				count[s.Type]++
			}
		}
		for _, name := range want {
			if count[name] < 2 {
				t.Errorf("%s: %d %s in 400 notes, want at least 2", split, count[name], name)
			}
		}
	}
}

func TestSpanishClinicalRulesHaveNoPHI(t *testing.T) {
	rules := corpora["es"].grammars[Train]()
	for _, rule := range []string{"k.limpia", "f.prosa", "f.anam", "f.expl", "f.prueba", "f.evol", "f.plan", "f.enf", "f.suelta", "f.rad", "f.quir",
		"f.micro", "f.macro", "med.item", "enf", "clinico", "lab.fila", "disp"} {
		for seed := range uint64(60) {
			w := newWriter(corpora["es"], rules, rand.NewPCG(seed, 0))
			w.spanishPatient()
			w.newVisit()
			w.newNote()
			w.say(rule)
			if len(w.spans) > 0 {
				t.Fatalf("rule %s marks %q", rule, w.buf[w.spans[0].Start:w.spans[0].End])
			}
		}
	}
}

// No name of one split's lists is in the other's, so that the test split has unseen names.
func TestSpanishListsOfSplitsDiffer(t *testing.T) {
	train, test := corpora["es"].grammars[Train](), corpora["es"].grammars[Test]()
	for _, list := range []string{"mujer.lista", "hombre.lista", "apellido", "apellido.part", "extranjero.apellido", "ciudad.es", "calle.gente", "calle.cosa", "barrio"} {
		seen := map[node]bool{}
		for _, n := range train[list].of {
			if word, ok := n.(literal); ok {
				seen[word] = true
			}
		}
		if len(seen) < 20 {
			t.Errorf("list %s has %d entries", list, len(seen))
		}
		for _, n := range test[list].of {
			if seen[n] {
				t.Errorf("list %s: %s is in train and test", list, n)
			}
		}
	}
}

func TestSpanishCheckDigits(t *testing.T) {
	for number, want := range map[string]string{"12345678": "12345678Z", "00000000": "00000000T", "87654321": "87654321X"} {
		if have := dni(number, ""); have != want {
			t.Errorf("identity card %s, want %s", have, want)
		}
	}
	for number, want := range map[int]string{12345678: "5", 7654321: "6", 11111111: "1", 14569484: "1", 10000013: "K"} {
		if have := rutCheck(number); have != want {
			t.Errorf("RUT %d-%s, want %s", number, have, want)
		}
	}
}

func TestUnaccentMovesSpans(t *testing.T) {
	text := "Señor Peña vio a José"
	w := &writer{buf: []byte(text)}
	for _, name := range []string{"Peña", "José"} {
		at := strings.Index(text, name)
		w.spans = append(w.spans, data.Span{Start: at, End: at + len(name), Type: "X", Score: 1})
	}
	w.unaccent()
	if have, want := inline(&data.Document{Text: string(w.buf), Spans: w.spans}), "Senor [[X:Pena]] vio a [[X:Jose]]"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}

func TestSpanishLinesBreakBetweenSpans(t *testing.T) {
	text := "vive en Calle Larga de la Fuente Nueva con su hija y un nieto"
	w := &writer{buf: []byte(text), width: 12}
	w.spans = []data.Span{{Start: 8, End: 38, Type: "X", Score: 1}}
	w.wrapBetween()
	want := "vive en\n[[X:Calle Larga de la Fuente Nueva]]\ncon su hija\ny un nieto"
	if have := inline(&data.Document{Text: string(w.buf), Spans: w.spans}); have != want {
		t.Errorf("%q, want %q", have, want)
	}
}

func TestSpanishAgesOfChildren(t *testing.T) {
	for _, c := range []struct {
		days int
		want string
	}{{0, "2 días"}, {29, "29 días"}, {75, "2 meses"}, {500, "16 meses"}, {70 * 366, "70 años"}} {
		w := newWriter(corpora["es"], nil, rand.NewPCG(1, 1))
		w.patient = &patient{}
		w.date = time.Date(2020, 5, 20, 0, 0, 0, 0, time.UTC)
		w.born = w.date.AddDate(0, 0, -c.days)
		if have := w.spanishAge("años", "meses", "días"); have != c.want {
			t.Errorf("%d days: %q, want %q", c.days, have, c.want)
		}
	}
}

func TestSpanishNotesGolden(t *testing.T) {
	var b strings.Builder
	for _, split := range []Split{Train, Test} {
		for _, d := range spanishNotes400(t, split)[:6] {
			fmt.Fprintf(&b, "=== %s %s\n%s", split, d.ID, inline(d))
		}
	}
	file := filepath.Join("testdata", "es.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("the Spanish notes of seed 1 have changed (UPDATE_GOLDEN=1 accepts it):\n%s", diff)
	}
}

func TestSpanishNotesDoNotDependOnTheirNumber(t *testing.T) {
	few, err := data.Collect(Config{Corpus: "es", Split: Dev, Seed: 3}.Notes(9))
	if err != nil {
		t.Fatal(err)
	}
	many, err := data.Collect(Config{Corpus: "es", Split: Dev, Seed: 3}.Notes(30))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(few, slices.Clone(many[:9])); diff != "" {
		t.Error(diff)
	}
}

func TestRecaseMovesNoSpan(t *testing.T) {
	w := &writer{buf: []byte("D.ª Íñiga, 3 µg ſ"), spans: []data.Span{{Start: 5, End: 12, Type: "X", Score: 1}}}
	w.recase(unicode.ToUpper)
	if have, want := inline(&data.Document{Text: string(w.buf), Spans: w.spans}), "D.ª [[X:ÍÑIGA]], 3 ΜG ſ"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}
