package replace

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// note parses a text in which spans are marked as <TYPE:text>.
func note(t *testing.T, id, marked string) *data.Document {
	t.Helper()
	d := &data.Document{ID: id, Patient: "p"}
	for {
		before, rest, ok := strings.Cut(marked, "<")
		d.Text += before
		if !ok {
			return d
		}
		inside, after, ok := strings.Cut(rest, ">")
		typ, text, named := strings.Cut(inside, ":")
		if !ok || !named {
			t.Fatal("the mark is not closed, or has no type")
		}
		d.Spans = append(d.Spans, data.Span{Start: len(d.Text), End: len(d.Text) + len(text), Type: typ, Score: 1})
		d.Text += text
		marked = after
	}
}

// TestNumbered checks that a person has one number in all notes, in any form and for any order of the notes.
func TestNumbered(t *testing.T) {
	a := note(t, "1", "<PATIENT:Oda Lund> and <PATIENT:Per Vega>; <DOCTOR:Ash>; MRN <MEDICALRECORD:12-34>")
	b := note(t, "2", "<PATIENT:VEGA, PER>, <PATIENT:O. Lund>, <PATIENT:Lund>, MRN <MEDICALRECORD:1234>, <MEDICALRECORD:99>")
	r := maker(t, "", Plan{Default: Numbered})
	for _, docs := range [][]*data.Document{{a, b}, {b, a}} {
		p := r.Patient("p", docs)
		for _, d := range docs {
			want := "[PATIENT_1] and [PATIENT_2]; [DOCTOR_1]; MRN [MEDICALRECORD_1]"
			if d == b {
				want = "[PATIENT_2], [PATIENT_1], [PATIENT_1], MRN [MEDICALRECORD_1], [MEDICALRECORD_2]"
			}
			if out, _, err := p.Replace(d, d.Spans); err != nil || out.Text != want {
				t.Errorf("%q, %v, want %q", out.Text, err, want)
			}
		}
	}
}

// TestOneDateGotTwoNumbers: a date in two notations had two numbers.
func TestOneDateGotTwoNumbers(t *testing.T) {
	a := note(t, "1", "Seen <DATE:03/04/2071>, <DATE:3/9/71>, and on <DATE:March 4, 2071>; tel. <PHONE:(617) 555-0123>, <PHONE:617-555-0123>")
	b := note(t, "2", "Since <DATE:9 March 2071> and <DATE:2071-03-04>")
	r := maker(t, "", Plan{Default: Numbered})
	p := r.Patient("p", []*data.Document{a, b})
	for d, want := range map[*data.Document]string{
		a: "Seen [DATE_1], [DATE_2], and on [DATE_1]; tel. [PHONE_1], [PHONE_1]", b: "Since [DATE_2] and [DATE_1]",
	} {
		if out, _, err := p.Replace(d, d.Spans); err != nil || out.Text != want {
			t.Errorf("%q, %v, want %q", out.Text, err, want)
		}
	}
}

// TestKeepDoesNotLetOthersThrough: the longer of two overlapping spans decides the type, but if its kind is keep, the
// other is still replaced.
func TestKeepDoesNotLetOthersThrough(t *testing.T) {
	d := &data.Document{ID: "a", Text: "Oda Lund, 45 years", Spans: []data.Span{{Start: 10, End: 18, Type: "AGE", Score: 1}, {Start: 0, End: 12, Type: "PATIENT", Score: 1}}}
	r := maker(t, "", Plan{ByType: map[string]Kind{"AGE": Keep}})
	out, changes, err := r.Patient("a", []*data.Document{d}).Replace(d, d.Spans)
	if err != nil || out.Text != "[PATIENT] years" || len(changes) != 1 {
		t.Errorf("%q, %v, %v", out.Text, changes, err)
	}
}

// Dates that mean "no end" became dates that cannot exist, such as 8880-73-04.
func TestDatesWithoutEndStay(t *testing.T) {
	d := note(t, "1", "<DATE:9999-12-31> <DATE:0001-01-01 00:00:00> <DATE:12/31/9999>")
	for _, kind := range []Kind{Year, Shift, Surrogate} {
		p := maker(t, "a key of sixteen", Plan{BySort: map[data.Sort]Kind{data.Date: kind}}).Patient("p", []*data.Document{d})
		for _, as := range []Kind{"", kind} {
			if out, changes, err := p.ReplaceAs(as, d, d.Spans); err != nil || out.Text != d.Text || changes[0].Kind != Keep {
				t.Errorf("%s as %q: %q, %v", kind, as, out.Text, err)
			}
		}
	}
	p := maker(t, "", Plan{}).Patient("p", []*data.Document{d})
	if out, _, err := p.Replace(d, d.Spans); err != nil || out.Text != "[DATE] [DATE] [DATE]" {
		t.Errorf("%q, %v", out.Text, err)
	}
}

// Quarters and weeks of a year were replaced where dates stay.
func TestPeriodsOfAYearAreKeptAsDates(t *testing.T) {
	d := note(t, "1", "<DATE:Q3 2019> <DATE:2019-W12-3> <DATE:2019W12> <DATE:3Q/2019> <DATE:2019-W60> <DATE:Q3 20194>")
	p := maker(t, "", Plan{BySort: map[data.Sort]Kind{data.Date: Keep}}).Patient("p", []*data.Document{d})
	if out, _, err := p.Replace(d, d.Spans); err != nil || out.Text != "Q3 2019 2019-W12-3 2019W12 3Q/2019 [DATE] [DATE]" {
		t.Errorf("%q, %v", out.Text, err)
	}
}

// TestYearDoesNotLetNumbersThrough: of a record number that overlaps a longer date, no digits may stay.
func TestYearDoesNotLetNumbersThrough(t *testing.T) {
	r := maker(t, "", Plan{BySort: map[data.Sort]Kind{data.Date: Year, data.Age: Age90}})
	for _, tc := range []struct {
		text  string
		spans []data.Span
		want  string
	}{
		{"on 03/04/1926", []data.Span{{Start: 3, End: 13, Type: "DATE", Score: 1}, {Start: 9, End: 13, Type: "MEDICALRECORD", Score: 1}}, "on [MEDICALRECORD]"},
		{"on 03/04/1996", []data.Span{{Start: 3, End: 13, Type: "DATE", Score: 1}, {Start: 9, End: 13, Type: "DATE", Score: 1}, {Start: 0, End: 2, Type: "PHONE", Score: 1}}, "[PHONE] 1996"},
		{"tel. 555-0145", []data.Span{{Start: 11, End: 13, Type: "AGE", Score: 1}, {Start: 5, End: 12, Type: "PHONE", Score: 1}}, "tel. [PHONE]"},
		{"45 03/2019", []data.Span{{Start: 0, End: 5, Type: "AGE", Score: 1}, {Start: 3, End: 10, Type: "DATE", Score: 1}}, "[DATE]"},
	} {
		d := &data.Document{ID: "a", Text: tc.text, Spans: tc.spans}
		out, _, err := r.Patient("a", []*data.Document{d}).Replace(d, d.Spans)
		if err != nil || out.Text != tc.want {
			t.Errorf("%q, %v, want %q", out.Text, err, tc.want)
		}
	}
}

func TestHash(t *testing.T) {
	hash := func(key, group, typ, text string) string {
		d := note(t, "a", "<"+typ+":"+text+">")
		out, _, err := maker(t, key, Plan{Default: Hash}).Patient(group, []*data.Document{d}).Replace(d, d.Spans)
		if err != nil {
			t.Fatal(err)
		}
		return out.Text
	}
	const key = "a key of sixteen"
	one := hash(key, "p", "PATIENT", "Oda Lund")
	if one != hash(key, "q", "DOCTOR", "LUND,  ODA") {
		t.Error("a name has two hashes")
	}
	if one == hash("another sixteen.", "p", "PATIENT", "Oda Lund") || one == hash(key, "p", "PATIENT", "Oda Vega") {
		t.Error("the hash does not depend on key and value")
	}
}

func TestBadPlans(t *testing.T) {
	types := data.I2B2
	own := data.Any
	for _, tc := range []struct {
		name string
		plan Plan
		opt  Options
		want string
	}{
		{"kind", Plan{Default: "blur"}, Options{}, `no kind of replacement "blur" (have tag, numbered, mask, redact, hash, keep, surrogate, year, shift, zip3, age90)`},
		{"type", Plan{ByType: map[string]Kind{"PATIENTS": Tag}}, Options{Types: types}, `the plan names the type "PATIENTS", which is not in the set i2b2-2014`},
		{"short key", Plan{Default: Surrogate}, Options{Key: []byte("fifteen bytes..")}, "a key of 15 bytes is too short for surrogate: at least 16 are required"},
		{"no key", Plan{ByType: map[string]Kind{"PATIENT": Hash}}, Options{Types: types}, "a key of 0 bytes is too short for hash: at least 16 are required"},
		{"sort", Plan{}, Options{Types: own, Sorts: map[string]data.Sort{"KLANT": "human"}}, `unknown sort "human" for the type "KLANT"`},
		{"year of a name", Plan{ByType: map[string]Kind{"PATIENT": Year}}, Options{Types: types}, `year replaces only values of the sort date, but those of the type "PATIENT" have the sort person`},
		{"zip3 by default", Plan{Default: Zip3}, Options{Types: types}, "zip3 replaces only values of the sort zip, so it cannot be the default for all types"},
		{"age90 of a sort", Plan{BySort: map[data.Sort]Kind{data.Date: Age90}}, Options{Types: types}, "age90 replaces only values of the sort age, not of the sort date"},
		{"unknown sort", Plan{BySort: map[data.Sort]Kind{"human": Tag}}, Options{Types: types}, `the plan names the unknown sort "human"`},
		{"clinicians", Plan{Clinicians: Year}, Options{Types: types}, "year replaces only values of the sort date, not names of clinicians"},
		{"shift without a key", Plan{BySort: map[data.Sort]Kind{data.Date: Shift}}, Options{Types: types}, "a key of 0 bytes is too short for shift: at least 16 are required"},
		{"sort of no type", Plan{}, Options{Types: types, Sorts: map[string]data.Sort{"PATIENTS": data.Person}},
			`sorts contains the type "PATIENTS", which is not in the set i2b2-2014`},
	} {
		if _, err := New(tc.plan, tc.opt); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", tc.name, err, tc.want)
		}
	}
}

// TestNoteWasLostWhenAListRanOut: a note with more values than a list has entries was not written.
func TestNoteWasLostWhenAListRanOut(t *testing.T) {
	r, err := New(Plan{Default: Surrogate}, Options{Key: []byte("a key of sixteen"), Lists: map[string][]string{"en-city": {"Oslo"}}})
	if err != nil {
		t.Fatal(err)
	}
	d := note(t, "7", "<CITY:Springfield>, <CITY:Shelbyville>, <CITY:Springfield>")
	clean, _, err := r.Patient("7", []*data.Document{d}).Replace(d, d.Spans)
	if err != nil || clean.Text != "Oslo, [CITY_1], Oslo" && clean.Text != "[CITY_1], Oslo, [CITY_1]" {
		t.Errorf("became %q, error %v", clean.Text, err)
	}
}

// TestOwnTypes checks that Sorts adds types.
func TestOwnTypes(t *testing.T) {
	r, err := New(Plan{Default: Surrogate}, Options{Key: []byte("a key of sixteen"), Sorts: map[string]data.Sort{"KLANTNR": data.Number}})
	if err != nil {
		t.Fatal(err)
	}
	d := note(t, "7", "nr <KLANTNR:1234>, <ONBEKEND:x>")
	out, _, err := r.Patient("7", []*data.Document{d}).Replace(d, d.Spans)
	if err != nil || len(out.Text) != len("nr 1234, [ONBEKEND]") || strings.Contains(out.Text, "1234") || !strings.HasSuffix(out.Text, ", [ONBEKEND]") {
		t.Errorf("%q, %v", out.Text, err)
	}
}

// TestFieldOfARegionWasReplaced: codes of countries and states of Latin America became tags where these stay. Within a text they may be initials and names.
func TestFieldOfARegionWasReplaced(t *testing.T) {
	p := maker(t, "", Plan{BySort: map[data.Sort]Kind{data.Country: Keep, data.State: Keep}}).Patient("p", nil)
	for marked, want := range map[string]string{
		"<COUNTRY:MX>": "MX", "<COUNTRY:ESP>": "ESP", "<STATE:Jalisco>": "Jalisco", "<COUNTRY:XQ>": "[COUNTRY]", "<COUNTRY:MX> called": "[COUNTRY] called", "seen by <STATE:Guerrero>": "seen by [STATE]",
	} {
		d := note(t, "1", marked)
		if out, _, err := p.Replace(d, d.Spans); err != nil || out.Text != want {
			t.Errorf("%s: %q, %v", marked, out.Text, err)
		}
	}
}
