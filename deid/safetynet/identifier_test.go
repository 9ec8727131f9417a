package safetynet

import "testing"

// Words, short numbers, amounts and codes have other meanings in a note, too.
func TestOnlyIdentifiersAreSearchedFor(t *testing.T) {
	for _, c := range []struct {
		text          string
		is, mayAsWell bool
	}{
		{"BR55T", true, false},
		{"55123", true, true},
		{"A-5512", true, true},
		{"MRN 55123", true, true},
		{"555-0142", true, true},
		{"+34 600 123 456", true, true},
		{"12.345.678-K", true, true},
		{"8f14e45f-ceea-467a-9575-2b1c0d3e4f5a", true, false},
		{"5512", false, false},
		{"7", false, false},
		{"Vega", false, false},
		{"Foley catheter", false, false},
		{"", false, false},
		{"500 mg", false, false},
		{"12000 units", false, false},
		{"HbA1c", true, false},
		{"CYP450", true, false},
		{"120.55", true, false},
		{"120/80", true, false},
		{"10:15:00", true, false},
		{"E11.65", true, false},
		{"2345-7", true, false},
		{"lisinopril 1000", true, false},
		{"Call 555-0142\nor 555-0143", false, false},
	} {
		if is, may := IsIdentifier(c.text), MayIdentify(c.text); is != c.is || may != c.mayAsWell {
			t.Errorf("%q: %v, %v", c.text, is, may)
		}
	}
}
