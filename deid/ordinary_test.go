package deid

import (
	"slices"
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
		{"of the", "HOSPITAL", ""}, {"Osteomalacia", "PATIENT", ""}, {"Thromboendartectomy", "ORGANIZATION", ""}, {"C. koseri", "DOCTOR", ""},
		{"Theodosis", "PATIENT", "Theodosis"}, {"C. Lund", "DOCTOR", "C. Lund"}, {"The Cross", "HOSPITAL", "The Cross"}, {"Endoscopy", "DEPARTMENT", "Endoscopy"},
	} {
		var left []string
		for _, s := range correctedName(c.text, data.Span{End: len(c.text), Type: c.typ}, types) {
			left = append(left, c.text[s.Start:s.End])
		}
		if want := slices.DeleteFunc([]string{c.want}, func(s string) bool { return s == "" }); !slices.Equal(left, want) {
			t.Errorf("%q as %s: %q", c.text, c.typ, left)
		}
	}
}
