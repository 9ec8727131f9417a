package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// following returns a Deidentifier that applies the default policy, with tags.
func following(t *testing.T) *Deidentifier {
	t.Helper()
	p, err := policy.Open(policy.SafeHarbor)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(replace.Tag, data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	return engine(t, plan)
}

// TestPolicyAndNet checks how the safety net treats what a policy keeps or shortens.
func TestPolicyAndNet(t *testing.T) {
	for _, tc := range []struct {
		name, phrase, typ string // what a rule of the net finds
		in, want          string
	}{
		{"an age that the net finds is kept", "45", "AGE", "aged 45", "aged 45"},
		{"a high age that the net finds", "93", "AGE", "aged 93", "aged 90+"},
		{"a date that the net finds becomes its year", "03/04/2019", "DATE", "seen 03/04/2019", "seen 2019"},
		{"the year is not an original", "", "", "seen «DATE|March 4, 2019»; in 2019 and on march 4 2019", "seen 2019; in 2019 and on 2019"},
		{"a number that looks like a year to the net", "1926", "DATE", "MRN «MEDICALRECORD|1926»", "MRN [MEDICALRECORD]"},
		{"a year that looks like a number to the net", "1926", "MEDICALRECORD", "MRN «DATE|1926»", "MRN [MEDICALRECORD]"},
		{"a number within a date", "2019", "MEDICALRECORD", "MRN «DATE|03/04/2019»", "MRN [MEDICALRECORD]"},
		{"an age within a number", "555-0145", "PHONE", "tel. 555-01«AGE|45»", "tel. [PHONE]"},
		{"a ZIP code within a number", "02139-4307-1", "IDNUM", "id «ZIP|02139»-4307-1", "id [IDNUM]"},
		{"a state within an address", "12 Ohio Street", "STREET", "at 12 «STATE|Ohio» Street", "at [STREET]"},
		{"a state and a ZIP code as one", "MA 02139", "ZIP", "«STATE|MA» 02139", "[ZIP]"},
		{"a ZIP code of another country", "", "", "in «ZIP|10115» Berlin, Germany; in Berlin, NH «ZIP|03570»", "in [ZIP] Berlin, Germany; in Berlin, NH 035"},
		{"a state stays", "", "", "from «STATE|Ohio», moved to Ohio", "from Ohio, moved to Ohio"},
		{"a name that the tagger took for a state", "", "", "«PATIENT|Georgia Lund» seen. «STATE|Georgia» agrees.", "[PATIENT] seen. [PATIENT] agrees."},
		{"a name that the tagger took for days of a schedule", "", "", "«PATIENT|Wednesday Okafor» seen. Every «DATE|Wednesday» she laughs, on «DATE|Mondays» not.", "[PATIENT] seen. Every [PATIENT] she laughs, on Mondays not."},
		{"a word of the net within days of a schedule", "Th", "OTHER", "dialysis «DATE|Tu/Th/Sa»", "dialysis [OTHER]"},
		{"a number that the tagger took for years", "", "", "MRN «MEDICALRECORD|1998-2003», «DATE|1998-2003»", "MRN [MEDICALRECORD], [MEDICALRECORD]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := following(t)
			if tc.phrase != "" {
				d.Net.Formulaic = rule(tc.phrase, tc.typ)
			}
			if got := clean(t, d, nil, tc.in)[0]; got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestPolicyOverNotes checks that what one note tells about an age counts in all notes of the patient.
func TestPolicyOverNotes(t *testing.T) {
	d := following(t)
	got := clean(t, d, []safetynet.Value{{Kind: safetynet.Date, Text: "1926-03-04"}}, "born 1926-03-04, seen «DATE|5/6/2012»", "seen «DATE|5/6/2019»", "b. «DATE|1926»")
	for i, want := range []string{"born [DATE], seen 2012", "seen 2019", "b. [DATE]"} {
		if got[i] != want {
			t.Errorf("%q, want %q", got[i], want)
		}
	}
}

// TestKeptByPolicyIsNotCounted checks that the net does not count what stays.
func TestKeptByPolicyIsNotCounted(t *testing.T) {
	d := following(t)
	d.Net.Formulaic = func(text string) []data.Span {
		return append(rule("45", "AGE")(text), rule("93", "AGE")(text)...)
	}
	r := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "a", Text: "aged 45, not 93"}}})[0]
	if r.Err != nil || r.Clean.Text != "aged 45, not 90+" || r.Found[safetynet.Formulaic]["AGE"] != 1 {
		t.Errorf("%q, found %v, error %v", r.Clean.Text, r.Found, r.Err)
	}
}

// Towns that are named like a state or a country stayed, because the tagger takes them for it.
func TestTownsNamedLikeAStateStayed(t *testing.T) {
	net, err := NewNet("auto", data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"from «COUNTRY|Lebanon», «STATE|NH»":                         "from [CITY], NH",
		"of «COUNTRY|Cuba», «STATE|AL» «ZIP|36907»":                  "of [CITY], AL 000",
		"in «COUNTRY|Mexico», «STATE|Missouri»":                      "in [CITY], Missouri",
		"lived in «STATE|Ohio», «STATE|Texas» and «STATE|Maine»":     "lived in Ohio, Texas and Maine",
		"from «STATE|Georgia», then in «COUNTRY|Mexico», OR on call": "from Georgia, then in Mexico, OR on call",
	} {
		d := following(t)
		d.Net = net
		if got := clean(t, d, nil, in)[0]; got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
