package rules

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// clinical has lines of invented notes without PHI that contain many values that look like it: doses, times, scores, ratios, vital signs, ranges and
// laboratory values.
func clinical(t testing.TB, name string) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// TestClinicalValuesWereTakenForPHI: a dose after a date became its year, and a score of 4-5/10 a date.
func TestClinicalValuesWereTakenForPHI(t *testing.T) {
	for file, names := range map[string][]string{"clinical-english.txt": {"english"}, "clinical-spanish.txt": {"spanish"}} {
		for _, name := range names {
			set, err := Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			lines, touched := clinical(t, file), 0
			for i, line := range lines {
				for _, m := range set.Find(line) {
					touched++
					t.Logf("%s:%d: rule %s takes %q for %s: %s", file, i+1, m.Rule, line[m.Start:m.End], m.Type, line)
				}
			}
			if touched > 1 {
				t.Errorf("%s: %d of %d lines are touched, and one is the most that is allowed", name, touched, len(lines))
			}
		}
	}
}

// tagged reads a line in which PHI is marked as «TYPE|words».
func tagged(t testing.TB, line string) (string, []data.Span) {
	t.Helper()
	var text strings.Builder
	var spans []data.Span
	for rest := line; rest != ""; {
		before, after, ok := strings.Cut(rest, "«")
		text.WriteString(before)
		if !ok {
			break
		}
		inner, after, ok := strings.Cut(after, "»")
		typ, words, typed := strings.Cut(inner, "|")
		if !ok || !typed {
			t.Fatalf("a line is not marked as «TYPE|words»")
		}
		spans = append(spans, data.Span{Start: text.Len(), End: text.Len() + len(words), Type: typ, Score: 1})
		text.WriteString(words)
		rest = after
	}
	return text.String(), spans
}

// numeric has the types of values with which a clinical value could be confused.
var numeric = map[string]bool{
	"DATE": true, "AGE": true, "PHONE": true, "FAX": true, "EMAIL": true, "URL": true, "IPADDR": true, "SSN": true, "MEDICALRECORD": true, "HEALTHPLAN": true,
	"ACCOUNT": true, "LICENSE": true, "VEHICLE": true, "DEVICE": true, "BIOID": true, "IDNUM": true, "USERNAME": true, "ZIP": true,
	"FECHAS": true, "EDAD_SUJETO_ASISTENCIA": true, "NUMERO_TELEFONO": true, "NUMERO_FAX": true, "CORREO_ELECTRONICO": true, "URL_WEB": true,
	"ID_ASEGURAMIENTO": true, "ID_CONTACTO_ASISTENCIAL": true, "ID_SUJETO_ASISTENCIA": true, "ID_TITULACION_PERSONAL_SANITARIO": true,
}

func markBytes(bytes []bool, start, end int) {
	for i := range bytes[start:end] {
		bytes[start+i] = true
	}
}

// TestClinicalValuesBesidePHI: the numbers next to PHI stay.
func TestClinicalValuesBesidePHI(t *testing.T) {
	for file, name := range map[string]string{"mixed-english.txt": "english", "mixed-spanish.txt": "spanish"} {
		set, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		beside, found, all := 0, 0, 0
		for i, line := range clinical(t, file) {
			text, marks := tagged(t, line)
			phi, hit := make([]bool, len(text)), make([]bool, len(text))
			for _, s := range marks {
				markBytes(phi, s.Start, s.End)
			}
			for _, m := range set.Find(text) {
				if !numeric[m.Type] {
					continue
				}
				markBytes(hit, m.Start, m.End)
				for at := m.Start; at < m.End; at++ {
					if !phi[at] && text[at] >= '0' && text[at] <= '9' {
						beside++
						t.Logf("%s:%d: rule %s takes %q for %s", file, i+1, m.Rule, text[m.Start:m.End], m.Type)
						break
					}
				}
			}
			for _, s := range marks {
				all++
				if slices.Contains(hit[s.Start:s.End], true) {
					found++
				}
			}
		}
		t.Logf("%s: %d of %d values found", name, found, all)
		// "Nov. 12 1930 trop 38" could be a year or a time, and the rules mistake it for a year.
		if beside > 1 {
			t.Errorf("%s: %d spans take a number that is no PHI, and one is the most that is allowed", name, beside)
		}
	}
}
