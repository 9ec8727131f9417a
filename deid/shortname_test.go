package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/deid/replace"
)

// TestInitialAndSurnameOfPatientWereSomebodyElse: "O. Lund" of a patient with this name became a doctor, a relative or a town.
func TestInitialAndSurnameOfPatientWereSomebodyElse(t *testing.T) {
	for _, x := range []struct{ in, want string }{
		{"«PATIENT|Oda Lund Berg», 45. «DOCTOR|O. Lund» is stable", "[PATIENT], 45. [PATIENT] is stable"},
		{"«PATIENT|Oda Lund Berg». Then «DOCTOR|O. Berg» left", "[PATIENT]. Then [PATIENT] left"},
		{"«PATIENT|Lund Berg, Oda». «DOCTOR|O.Lund» is stable", "[PATIENT]. [PATIENT] is stable"},
		{"«PATIENT|Oda Lund». O. «CITY|Lund» is stable", "[PATIENT]. [PATIENT] is stable"},
		{"«PATIENT|Didrik Lund». D «CITY|Lund» is stable", "[PATIENT]. [PATIENT] is stable"},
		// Others.
		{"«PATIENT|Oda Lund». «DOCTOR|K. Lund» came", "[PATIENT]. [DOCTOR] came"},
		{"«PATIENT|Oda Lund». Dr. «DOCTOR|O. Lund» came", "[PATIENT]. Dr. [DOCTOR] came"},
		{"«PATIENT|Oda Lund». Her brother «DOCTOR|O. Lund» came", "[PATIENT]. Her brother [DOCTOR] came"},
		{"«PATIENT|Oda Lund». From «CITY|Lund»", "[PATIENT]. From [CITY]"},
		{"«PATIENT|Oda Lund». «DOCTOR|O. Berg» came", "[PATIENT]. [DOCTOR] came"},
	} {
		if got := clean(t, engine(t, replace.Plan{}), nil, x.in)[0]; got != x.want {
			t.Errorf("%q becomes %q, want %q", x.in, got, x.want)
		}
	}
}
