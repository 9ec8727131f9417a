package net

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func types(t testing.TB) *data.TypeSet {
	t.Helper()
	set, err := data.LookupTypeSet("i2b2-2014")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// show marks findings in a text: [type of source|words].
func show(text string, found []Finding) string {
	var b strings.Builder
	at := 0
	for _, f := range found {
		fmt.Fprintf(&b, "%s[%s %s|%s]", text[at:f.Start], f.Type, f.Source, text[f.Start:f.End])
		at = f.End
	}
	return b.String() + text[at:]
}

func TestOriginals(t *testing.T) {
	removed := []Removed{
		{"Íñigo Vega Long", "PATIENT"}, {"Dr. Oda Lund", "DOCTOR"}, {"12.345-67", "MEDICALRECORD"}, {"oda@example.org", "EMAIL"},
		{"03/04/2071", "DATE"}, {"Saint Mary", "HOSPITAL"}, {"Soria", "CITY"}, {"67", "AGE"}, {"nurse", "PROFESSION"}, {"4", "IDNUM"},
	}
	for text, want := range map[string]string{
		"INIGO VEGA":                        "[PATIENT original|INIGO VEGA]",
		"vega, íñigo was":                   "[PATIENT original|vega, íñigo] was",
		"Mr. Vega had a long stay":          "Mr. [PATIENT original|Vega] had a long stay",
		"Long stay. A long one.":            "Long stay. A long one.",
		"the vega":                          "the vega",
		"Vegan diet":                        "Vegan diet",
		"seen by LUND":                      "seen by [DOCTOR original|LUND]",
		"oda\n  lund":                       "[DOCTOR original|oda\n  lund]",
		"Lund O. Vega":                      "[DOCTOR original|Lund O. Vega]",
		"MRN1234567, 12 345 67":             "MRN[MEDICALRECORD original|1234567], [MEDICALRECORD original|12 345 67]",
		"112345-67 and 12345678":            "112345-67 and 12345678",
		"ODA @ example.org":                 "[EMAIL original|ODA @ example.org]",
		"on 03-04-2071":                     "on [DATE original|03-04-2071]",
		"saint  mary's":                     "[HOSPITAL original|saint  mary]'s",
		"in Soria, in soria":                "in [CITY original|Soria], in soria",
		"67 mg, the nurse, grade 4":         "67 mg, the nurse, grade 4",
		"":                                  "",
		"I\u0301n\u0303igo VEGA decomposed": "[PATIENT original|I\u0301n\u0303igo VEGA] decomposed",
	} {
		n := &Net{Types: types(t)}
		if diff := cmp.Diff(want, show(text, n.Scan(text, nil, n.Originals(removed), nil))); diff != "" {
			t.Error(diff)
		}
	}
}

// TestInitialBesideANameStayed: of "O. Lund" the net left "O.".
func TestInitialBesideANameStayed(t *testing.T) {
	removed := []Removed{{"Íñigo Vega", "PATIENT"}, {"Oda Lund", "DOCTOR"}}
	for text, want := range map[string]string{
		"seen by O. Lund":          "seen by [DOCTOR original|O. Lund]",
		"seen by O Lund, again":    "seen by [DOCTOR original|O Lund], again",
		"O. I. Vega":               "[PATIENT original|O. I. Vega]",
		"Í.Vega":                   "[PATIENT original|Í.Vega]",
		"Lund, O. and Lund O. and": "[DOCTOR original|Lund, O]. and [DOCTOR original|Lund O]. and",
		"VEGA, I":                  "[PATIENT original|VEGA, I]",
		"o. Lund, X. Lund":         "o. [DOCTOR original|Lund, X. Lund]",
		"Lund. O2 sat 97":          "[DOCTOR original|Lund]. O2 sat 97",
		"Mr. Vega I saw":           "Mr. [PATIENT original|Vega] I saw",
		"grade O":                  "grade O",
	} {
		n := &Net{Types: types(t)}
		if diff := cmp.Diff(want, show(text, n.Scan(text, nil, n.Originals(removed), nil))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestKnown(t *testing.T) {
	known := []Value{{Kind: Name, Text: "Zsófia Qwyxen"}, {Kind: ID, Text: "0047-11223"}, {Kind: Street, Text: "12 Harbour Street"}, {Kind: Clinician, Text: "Lund"}}
	for text, want := range map[string]string{
		"Zsofia Qwyxne":            "[PATIENT known|Zsofia Qwyxne]",
		"Ms. Quyxen":               "Ms. [PATIENT known|Quyxen]",
		"qwyxen alone":             "qwyxen alone",
		"Ms. Kwyxen":               "Ms. Kwyxen", // a wrong first letter is not looked for
		"mrn 004711223, 004711224": "mrn [MEDICALRECORD known|004711223], [MEDICALRECORD known|004711224]",
		"mrn 004711213 and 4711":   "mrn [MEDICALRECORD known|004711213] and 4711",
		"at 12, harbour street":    "at [STREET known|12, harbour street]",
		"by Lund":                  "by [DOCTOR known|Lund]",
		"by Lunt":                  "by Lunt",
	} {
		n := &Net{Types: types(t)}
		if diff := cmp.Diff(want, show(text, n.Scan(text, nil, n.Originals(nil), known))); diff != "" {
			t.Error(diff)
		}
	}
}

// What is new in the text is no finding, whatever it looks like, and words on its two
// sides are no neighbours.
func TestCovered(t *testing.T) {
	n := &Net{Types: types(t), Formulaic: func(text string) []data.Span {
		i := strings.Index(text, "555")
		return []data.Span{{Start: i, End: i + 8, Type: "PHONE", Score: 1}}
	}}
	const text = "Oda Lund, oda [X] lund. 555-1234"
	covered := []data.Span{{Start: 0, End: 8}, {Start: 14, End: 17}, {Start: 24, End: 28}}
	got := show(text, n.Scan(text, covered, n.Originals([]Removed{{"Oda Lund", "PATIENT"}}), nil))
	if want := "Oda Lund, oda [X] lund. 555-[PHONE formulaic|1234]"; got != want {
		t.Errorf("%s", got)
	}
}

func TestOneEdit(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"a", "", true}, {"ab", "ba", true}, {"abc", "abc", true}, {"abc", "abd", true}, {"abc", "xbc", true}, {"abc", "ac", true},
		{"abc", "abxc", true}, {"abcd", "acbd", true}, {"abcd", "badc", false}, {"abc", "abcde", false}, {"abc", "xyc", false}, {"ñandu", "nandu", true},
	} {
		if got := oneEdit(tc.a, tc.b); got != tc.want || oneEdit(tc.b, tc.a) != tc.want {
			t.Errorf("%q, %q: %v", tc.a, tc.b, got)
		}
	}
}

func TestRead(t *testing.T) {
	file := func(content string) (*Values, error) {
		path := filepath.Join(t.TempDir(), "known")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return Read(path, types(t))
	}
	want := []Value{{ID, "0042", ""}, {Name, "Oda Lund", ""}, {Name, "Oda Vega", ""}}
	for _, content := range []string{
		"\uFEFFpatient,Name,MRN\n7,Oda Lund,0042\n7,Oda Vega,\n",
		`{"patient": "7", "mrn": "0042", "name": ["Oda Lund", "Oda Vega"]}`,
		`[{"patient": 7, "mrn": "0042", "name": "Oda Lund"}, {"patient": 7, "name": "Oda Vega", "mrn": null}]`,
	} {
		v, err := file(content)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, v.Of(&data.Document{ID: "n", Patient: "7"})); diff != "" {
			t.Error(content, diff)
		}
		if len(v.Of(&data.Document{ID: "7", Patient: "8"})) != 0 {
			t.Error("values of another")
		}
	}
	v, err := file("id,DOCTOR,SSN,pet\nn,Oda Lund,123-45-6789,Rex the dog\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Value{{Clinician, "Oda Lund", ""}, {ID, "123-45-6789", ""}, {Other, "Rex the dog", ""}}, v.Of(&data.Document{ID: "n"})); diff != "" {
		t.Error(diff)
	}
	for content, want := range map[string]string{
		"name\nZebulon\n":           "known:2: neither patient nor id",
		"patient,name\n1,2,3\n":     "known:2: wrong number of fields",
		"{\"patient\":1}\n{Zebulon": "known:2: not valid JSON",
		"[7]":                       "known:1: not an array of objects",
		"{\"patient\":1,\"name\":{\"a\":\"Zebulon\"}}": "known:1: object 1: a value is neither",
	} {
		if _, err := file(content); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Zebulon") {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add("Oda Lund, ODA LUND 12-34567", "Oda Lund", "1234567")
	f.Add("I\u0301n\u0303igo \xff", "\u0301", "ß")
	f.Fuzz(func(t *testing.T, text, name, number string) {
		text = strings.ToValidUTF8(text, "?")
		n := &Net{Types: types(t)}
		found := n.Scan(text, nil, n.Originals([]Removed{{name, "PATIENT"}, {number, "IDNUM"}}), []Value{{Kind: Name, Text: number}, {Kind: Street, Text: name}})
		doc := data.Document{Text: text}
		for _, s := range found {
			doc.Spans = append(doc.Spans, s.Span)
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(found); i++ {
			if found[i].Start < found[i-1].End {
				t.Fatal("findings overlap")
			}
		}
	})
}
