package safetynet

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
	set := data.I2B2
	return set
}

// show marks spans in a text: [type|words].
func show(text string, found []data.Span) string {
	var b strings.Builder
	at := 0
	for _, f := range data.Flatten(found) {
		fmt.Fprintf(&b, "%s[%s|%s]", text[at:f.Start], f.Type, text[f.Start:f.End])
		at = f.End
	}
	return b.String() + text[at:]
}

// Eponyms were replaced in the notes of people who have such a name.
func TestEponymsOfPeopleWithSuchANameWereReplaced(t *testing.T) {
	removed := []Removed{{"Glasgow", "CITY"}, {"Lyme", "CITY"}}
	for _, name := range []string{"Swan", "Wolff", "Gleason", "Apgar", "Kerley", "Billroth", "Crohn", "Norton", "Murphy", "Kocher", "Foley", "Bloom", "Stokes", "Robinson", "Goldman"} {
		removed = append(removed, Removed{"Ida " + name, "DOCTOR"})
	}
	for text, want := range map[string]string{
		"A Swan-Ganz, Wolff-Parkinson-White, Gleason 4+3, Apgars 8/9, Kerley B lines, Billroth II, Crohn ileitis.": "A Swan-Ganz, Wolff-Parkinson-White, Gleason 4+3, Apgars 8/9, Kerley B lines, Billroth II, Crohn ileitis.",
		"A Foley 16 Fr, a Kocher clamp, and Foley 16 pm":                                                           "A Foley 16 Fr, a Kocher clamp, and [DOCTOR|Foley] 16 pm",
		"Bloom-Richardson 6, Stokes-Adams attack, a Robinson drain, Goldman score; Stokes and Robinson":            "Bloom-Richardson 6, Stokes-Adams attack, a Robinson drain, Goldman score; [DOCTOR|Stokes] and [DOCTOR|Robinson]",
		"Robinson tests negative. Robinson signs. Goldman II, Robinson lines up":                                   "[DOCTOR|Robinson] tests negative. [DOCTOR|Robinson] signs. [DOCTOR|Goldman] II, [DOCTOR|Robinson] lines up",
		"Glasgow Coma Scale 15, Lyme serology; of Glasgow, in Lyme":                                                "Glasgow Coma Scale 15, Lyme serology; of [CITY|Glasgow], in [CITY|Lyme]",
		"Escala de Norton 14, signo de Murphy":                                                                     "Escala de Norton 14, signo de Murphy",
		"Norton 58 yo, with Norton 2 days ago, Norton 3/4/2019 again":                                              "[DOCTOR|Norton] 58 yo, with [DOCTOR|Norton] 2 days ago, [DOCTOR|Norton] 3/4/2019 again",
		"Dr. Gleason 4 pm, Swan-Berger, called Norton, de Murphy":                                                  "Dr. [DOCTOR|Gleason] 4 pm, [DOCTOR|Swan]-Berger, called [DOCTOR|Norton], de [DOCTOR|Murphy]",
	} {
		if got := show(text, (&Net{Types: types(t)}).Originals(removed).Find(text, nil)); got != want {
			t.Errorf("%s\n%s, want\n%s", text, got, want)
		}
	}
}

// A day and a month that were replaced stayed elsewhere in the note, which gives a shift away.
func TestDaysAndMonthsStayed(t *testing.T) {
	removed := []Removed{{"5/30", "DATE"}, {"12/15", "DATE"}, {"30/5", "DATE"}, {"4/5", "DATE"}, {"3/12", "DATE"}}
	for text, want := range map[string]string{
		"Echo 5/30, cultivo 30/5 neg. Foley 12/15": "Echo [DATE|5/30], cultivo [DATE|30/5] neg. Foley [DATE|12/15]",
		"5/30/2071, 1/5/30, 5-30, 5 30, 5/30 mg":   "5/30/2071, 1/5/30, 5-30, 5 30, 5/30 mg",
		"GCS 12/15, strength 4/5, pain 3/12":       "GCS 12/15, strength 4/5, pain 3/12",
	} {
		if got := show(text, (&Net{Types: types(t)}).Originals(removed).Find(text, nil)); got != want {
			t.Errorf("%s\n%s, want\n%s", text, got, want)
		}
	}
}

func TestOriginals(t *testing.T) {
	removed := []Removed{
		{"Íñigo Vega Long", "PATIENT"}, {"Dr. Oda Lund", "DOCTOR"}, {"12.345-67", "MEDICALRECORD"}, {"oda@example.org", "EMAIL"},
		{"03/04/2071", "DATE"}, {"Saint Mary", "HOSPITAL"}, {"Soria", "CITY"}, {"67", "AGE"}, {"nurse", "PROFESSION"}, {"4", "IDNUM"},
	}
	for text, want := range map[string]string{
		"INIGO VEGA":                        "[PATIENT|INIGO VEGA]",
		"vega, íñigo was":                   "[PATIENT|vega, íñigo] was",
		"Mr. Vega had a long stay":          "Mr. [PATIENT|Vega] had a long stay",
		"Long stay. A long one.":            "Long stay. A long one.",
		"the vega, of vega":                 "the [PATIENT|vega], of [PATIENT|vega]",
		"Vegan diet":                        "Vegan diet",
		"seen by LUND":                      "seen by [DOCTOR|LUND]",
		"oda\n  lund":                       "[DOCTOR|oda\n  lund]",
		"Lund O. Vega":                      "[PATIENT|Lund O. Vega]",
		"MRN1234567, 12 345 67":             "MRN[MEDICALRECORD|1234567], [MEDICALRECORD|12 345 67]",
		"112345-67 and 12345678":            "112345-67 and 12345678",
		"ODA @ example.org":                 "[EMAIL|ODA @ example.org]",
		"on 03-04-2071":                     "on [DATE|03-04-2071]",
		"saint  mary's":                     "[HOSPITAL|saint  mary]'s",
		"in Soria, in soria":                "in [CITY|Soria], in [CITY|soria]",
		"67 mg, the nurse, grade 4":         "67 mg, the nurse, grade 4",
		"":                                  "",
		"I\u0301n\u0303igo VEGA decomposed": "[PATIENT|I\u0301n\u0303igo VEGA] decomposed",
	} {
		n := &Net{Types: types(t)}
		if diff := cmp.Diff(want, show(text, n.Originals(removed).Find(text, nil))); diff != "" {
			t.Error(diff)
		}
	}
}

// TestInitialBesideANameStayed: of "O. Lund" the net left "O.".
func TestInitialBesideANameStayed(t *testing.T) {
	removed := []Removed{{"Íñigo Vega", "PATIENT"}, {"Oda Lund", "DOCTOR"}}
	for text, want := range map[string]string{
		"seen by O. Lund":          "seen by [DOCTOR|O. Lund]",
		"seen by O Lund, again":    "seen by [DOCTOR|O Lund], again",
		"O. I. Vega":               "[PATIENT|O. I. Vega]",
		"Í.Vega":                   "[PATIENT|Í.Vega]",
		"Lund, O. and Lund O. and": "[DOCTOR|Lund, O]. and [DOCTOR|Lund O]. and",
		"VEGA, I":                  "[PATIENT|VEGA, I]",
		"o. Lund, X. Lund":         "o. [DOCTOR|Lund], X. [DOCTOR|Lund]",
		"Lund. O2 sat 97":          "[DOCTOR|Lund]. O2 sat 97",
		"Mr. Vega I saw":           "Mr. [PATIENT|Vega] I saw",
		"grade O":                  "grade O",
	} {
		n := &Net{Types: types(t)}
		if diff := cmp.Diff(want, show(text, n.Originals(removed).Find(text, nil))); diff != "" {
			t.Error(diff)
		}
	}
}

// TestLoginOfANameStayed: of "Dr. Oda Lund (olund)" the login stayed, which contains the surname.
func TestLoginOfANameStayed(t *testing.T) {
	removed := []Removed{{"Oda M. Lund", "DOCTOR"}, {"Blackwood, Rupert K.", "PATIENT"}, {"Estefanía Romero Selas", "PATIENT"}, {"Anne Marie Holm, MSW", "DOCTOR"},
		{"Bo Ek", "DOCTOR"}, {"Sven Berg", "DOCTOR"}, {"Carl Hart", "DOCTOR"}}
	for text, want := range map[string]string{
		"(olund) OLUND, olund.":                "([USERNAME|olund]) [USERNAME|OLUND], [USERNAME|olund].",
		"omlund lundo lundom olund2":           "[USERNAME|omlund] [USERNAME|lundo] [USERNAME|lundom] [USERNAME|olund2]",
		"o.lund o_m_lund oda.lund ODA_LUND":    "[USERNAME|o.lund] [USERNAME|o_m_lund] [USERNAME|oda.lund] [USERNAME|ODA_LUND]",
		"lund-o by rkblackwood, rblackwood":    "[USERNAME|lund-o] by [USERNAME|rkblackwood], [USERNAME|rblackwood]",
		"blackwoodr eromero eselas aholm":      "[USERNAME|blackwoodr] [USERNAME|eromero] [USERNAME|eselas] [USERNAME|aholm]",
		"boek, ebo, kolund, olundx, mlund":     "boek, ebo, kolund, olundx, mlund",
		"the Bergs; O.Lund; by O. Lund":        "the [DOCTOR|Bergs]; [DOCTOR|O.Lund]; by [DOCTOR|O. Lund]",
		"Annemarie, Anne-Marie; Lund.o2 sat":   "Annemarie, [DOCTOR|Anne-Marie]; [DOCTOR|Lund].o2 sat",
		"chart, Chart, CHART; o, lund; o - m.": "chart, Chart, CHART; o, [DOCTOR|lund]; o - m.",
	} {
		n := &Net{Types: types(t)}
		if diff := cmp.Diff(want, show(text, n.Originals(removed).Find(text, nil))); diff != "" {
			t.Error(diff)
		}
	}
}

// TestLoginsWithParticlesStayed: the particles of a surname, and a second surname, were not in the logins that were searched for.
func TestLoginsWithParticlesStayed(t *testing.T) {
	removed := []Removed{{"Lucía de la Fuente Mas", "DOCTOR"}, {"Pedro San Martín Gil", "PATIENT"}, {"Mary El Sayed", "DOCTOR"}, {"Oda Ben Ali", "DOCTOR"}, {"van der Berg, Jan K.", "PATIENT"}}
	for _, login := range strings.Fields(`ldelafuente lfuente delafuentel luciadelafuente ldelafuentemas ldelafuentem lucia.delafuente psanmartin psanmartingil psanmarting melsayed
		elsayedm obenali jvanderberg jkvanderberg vanderbergj jan_vanderberg jberg`) {
		n := &Net{Types: types(t)}
		if got, want := show("x "+login+" y", n.Originals(removed).Find("x "+login+" y", nil)), "x [USERNAME|"+login+"] y"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestLoginsAreNoWords: logins of people whose names make clinical words with an initial.
func TestLoginsAreNoWords(t *testing.T) {
	const text = `chart gland glands island brain train drain sprain block clock stable table bland award spine spinal opine scar scare cramp clamp stool
		costal intercostal renal normal celiac iliac coral oral vital nasal fetal dural sacral spina bifida vitamin b-long-acting, a-fib, x-ray, s-land
		trash crash flash aspirin blood bloody flight slight plight light bright fright wrist prone along belong prolong price breed bring spring pricey
		afebrile atonic aphasia apnea anemia ataxia dyspnea edema eczema asthma lesion lesions legion stent stents extent intent patent patents parent
		scan scans scanner screen gait claims slump clump plump clumps rales grille thrush brush crush flush ablation elation relation oration
		vegan vegans NSAID NSAIDs vomer cuneus shank siphon seroma tinea award opine slump sliver grieta colada
		nontender nonfocal afebrile tablets tablet capsules supine pronate palmar plantar lumbar ulnar radial tibial ventral dorsal basal basilar carina`
	var removed []Removed
	for _, name := range []string{"Hart", "Land", "Lands", "Rain", "Lock", "Table", "Ward", "Pine", "Pina", "Car", "Care", "Ramp", "Lamp", "Tool", "Costa", "Rena", "Norma", "Celia",
		"Ilia", "Cora", "Vita", "Nasa", "Feta", "Dura", "Sacra", "Long", "Rash", "Lash", "Light", "Right", "Wris", "Rone", "Rice", "Reed", "Ring", "Prin", "Febrile", "Tonic",
		"Phasia", "Pnea", "Nemia", "Esion", "Tent", "Tents", "Paten", "Paren", "Scan", "Cans", "Creen", "Gait", "Laims", "Lump", "Lumps", "Rale", "Rill", "Rush", "Lush",
		"Blatio", "Tender", "Focal", "Table", "Tablet", "Capsule", "Palma", "Planta", "Lumba", "Ulna", "Radia", "Tibia", "Ventra", "Dorsa", "Basa", "Basila", "Carin", "Lood",
		"Blood", "Dem", "Edem", "Sthm", "Asthm", "Train", "Drain", "Vega", "Said", "Omer", "Cune", "Hank", "Iphon", "Sero", "Tine", "Liver", "Rieta", "Cola", "Lada"} {
		for letter := 'A'; letter <= 'Z'; letter++ {
			removed = append(removed, Removed{string(letter) + ". " + name, "DOCTOR"})
		}
	}
	n := &Net{Types: types(t)}
	for _, found := range n.Originals(removed).Find(text, nil) {
		if found.Type == "USERNAME" {
			t.Errorf("%q is taken for a login", text[found.Start:found.End])
		}
	}
}

func TestKnown(t *testing.T) {
	known := []Value{{Kind: Name, Text: "Zsófia Qwyxen"}, {Kind: ID, Text: "0047-11223"}, {Kind: Street, Text: "12 Harbour Street"}, {Kind: Clinician, Text: "Lund"}}
	for text, want := range map[string]string{
		"Zsofia Qwyxne":            "[PATIENT|Zsofia Qwyxne]",
		"Ms. Quyxen":               "Ms. [PATIENT|Quyxen]",
		"qwyxen alone":             "[PATIENT|qwyxen] alone",
		"Ms. Kwyxen":               "Ms. Kwyxen", // a wrong first letter does not match
		"mrn 004711223, 004711224": "mrn [MEDICALRECORD|004711223], [MEDICALRECORD|004711224]",
		"mrn 004711213 and 4711":   "mrn [MEDICALRECORD|004711213] and 4711",
		"at 12, harbour street":    "at [STREET|12, harbour street]",
		"by Lund":                  "by [DOCTOR|Lund]",
		"by Lunt":                  "by Lunt",
	} {
		n := &Net{Types: types(t)}
		if diff := cmp.Diff(want, show(text, n.Known(known).Find(text, nil))); diff != "" {
			t.Error(diff)
		}
	}
}

// Covered text is not searched, and the words on its two sides are not neighbours.
func TestCovered(t *testing.T) {
	n := &Net{Types: types(t)}
	const text = "Oda Lund, long [X] will. 555-1234"
	covered := []data.Span{{Start: 0, End: 8}, {Start: 15, End: 18}}
	got := show(text, n.Originals([]Removed{{"Will Long", "PATIENT"}, {"Oda Lund", "PATIENT"}, {"555-1234", "PHONE"}}).Find(text, covered))
	if want := "Oda Lund, long [X] will. [PHONE|555-1234]"; got != want {
		t.Errorf("%s", got)
	}
}

// TestNamesWereJoinedOverNumbers: of "Elowen 4 Trevanion" the 4 went, and two lines became one.
func TestNamesWereJoinedOverNumbers(t *testing.T) {
	known := []Value{{Kind: Name, Text: "Trevanion, Elowen"}, {Kind: Clinician, Text: "Haugstad, Per"}, {Kind: Name, Text: "Li, Na"}, {Kind: Name, Text: "Black, May"},
		{Kind: Name, Text: "Long, Will"}, {Kind: Name, Text: "Wei Ng"}, {Kind: Name, Text: "Anna van der Berg"}, {Kind: Name, Text: "Rosa D'Angelo"}, {Kind: ID, Text: "98372"}}
	n := &Net{Types: types(t)}
	for text, want := range map[string]string{
		"Elowen, K 4, Trevanion":                    "[PATIENT|Elowen], K 4, [PATIENT|Trevanion]",
		"Elowen O2 Trevanion":                       "[PATIENT|Elowen] O2 [PATIENT|Trevanion]",
		"Elowen 5, Elowen 6":                        "[PATIENT|Elowen] 5, [PATIENT|Elowen] 6",
		"1. Elowen Trevanion\n2. Trevanion, Elowen": "1. [PATIENT|Elowen Trevanion]\n2. [PATIENT|Trevanion, Elowen]",
		"Mr. Trevanion\nDr. Haugstad":               "Mr. [PATIENT|Trevanion]\nDr. [DOCTOR|Haugstad]",
		"by Trevanion. Elowen is":                   "by [PATIENT|Trevanion]. [PATIENT|Elowen] is",
		"elowen\n  trevanion":                       "[PATIENT|elowen\n  trevanion]",
		"NA 4, Li level 0.8, Na 138":                "NA 4, Li level 0.8, Na 138",
		"Na Li: Na 138 K 4.1":                       "[PATIENT|Na Li]: Na 138 K 4.1",
		"May Black seen; black stool on May 6":      "[PATIENT|May Black] seen; black stool on May 6",
		"W. Long and Long QT, Black stool":          "[PATIENT|W. Long] and [PATIENT|Long] QT, [PATIENT|Black] stool",
		"Long QT. Black stool.":                     "Long QT. Black stool.",
		"seen: wei ng md, 5 ng":                     "seen: [PATIENT|wei ng] md, 5 ng",
		"VAN DER BERG, ANNA and dr. d'angelo":       "[PATIENT|VAN DER BERG, ANNA] and dr. [PATIENT|d'angelo]",
		"no. 98372; wt 98372 g, cells 98372/uL":     "no. [MEDICALRECORD|98372]; wt 98372 g, cells 98372/uL",
	} {
		if diff := cmp.Diff(want, show(text, n.Known(known).Find(text, nil))); diff != "" {
			t.Error(diff)
		}
	}
	// Patient and doctor share a surname.
	known = []Value{{Kind: Clinician, Text: "Lund, Erik"}, {Kind: Name, Text: "Lund, Oda"}}
	for text, want := range map[string]string{
		"LUND, ODA and lund,oda":      "[PATIENT|LUND, ODA] and [PATIENT|lund,oda]",
		"Mrs Lund, pt Lund, Dr. Lund": "Mrs [PATIENT|Lund], pt [PATIENT|Lund], Dr. [DOCTOR|Lund]",
		"Erik Lund and Dr. Oda Lund":  "[DOCTOR|Erik Lund] and Dr. [PATIENT|Oda Lund]",
	} {
		if diff := cmp.Diff(want, show(text, n.Known(known).Find(text, nil))); diff != "" {
			t.Error(diff)
		}
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
	want := []Value{{Kind: ID, Text: "0042"}, {Kind: Name, Text: "Oda Lund"}, {Kind: Name, Text: "Oda Vega"}}
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
	if diff := cmp.Diff([]Value{{Kind: Clinician, Text: "Oda Lund"}, {Kind: ID, Text: "123-45-6789"}, {Kind: Other, Text: "Rex the dog"}}, v.Of(&data.Document{ID: "n"})); diff != "" {
		t.Error(diff)
	}
	for content, want := range map[string]string{
		"name\nZebulon\n":              "known:2: patient or id is required",
		"patient;name\n7;Zebulon\n":    "known:2: patient or id is required, but the header has only one column: is the delimiter another than a comma?",
		"patient;name\n7;Zebulon, A\n": "known:2: wrong number of fields, but the header has only one column: is the delimiter another than a comma?",
		"patient\tname\n7\tZebulon\n":  "known:2: patient or id is required, but the header has only one column",
		"\x1f\x8b\x08":                 "known:1: a file of known values must be text in UTF-8, but it is gzipped: unzip it first",
		"\xff\xfep\x00":                "known:1: a file of known values must be text in UTF-8, but it is UTF-16 or not text: convert it first",
		"p\x00a\x00":                   "known:1: a file of known values must be text in UTF-8, but it is UTF-16 or not text: convert it first",
		"patient,name\n1,2,3\n":        "known:2: wrong number of fields",
		"{\"patient\":1}\n{Zebulon":    "known:2: not valid JSON",
		"[7]":                          "known:1: not an array of objects",
		"{\"patient\":1,\"name\":{\"a\":\"Zebulon\"}}": "known:1: object 1: a value is not a string",
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
		doc := data.Document{Text: text}
		doc.Spans = append(doc.Spans, n.Originals([]Removed{{name, "PATIENT"}, {number, "IDNUM"}}).Find(text, nil)...)
		doc.Spans = append(doc.Spans, n.Known([]Value{{Kind: Name, Text: number}, {Kind: Name, Text: name}, {Kind: Street, Text: name}}).Find(text, nil)...)
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// In "s/p Whitlow" the letter p was taken for the initial of Paul, and in "Roe, R breast" the side for that of Ruth.
func TestLettersOfShorthandWereTakenForInitials(t *testing.T) {
	net := &Net{Types: types(t)}
	removed := []Removed{{"Dr. Whitlow", "DOCTOR"}, {"Paul Vega", "PATIENT"}, {"Ruth Roe", "PATIENT"}}
	for text, want := range map[string]string{
		"s/p Whitlow 2018":       "s/p [DOCTOR|Whitlow] 2018",
		"label: Roe, R breast":   "label: [PATIENT|Roe], R breast",
		"label: Roe, R was seen": "label: [PATIENT|Roe, R] was seen",
	} {
		if got := show(text, net.Originals(removed).Find(text, nil)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A blood pressure, a dose and a range were replaced because their digits were those of a short record number.
func TestShortNumbersAreNotFoundInOtherOnes(t *testing.T) {
	net := &Net{Types: data.Any}
	for value, texts := range map[string]map[string]bool{
		"12960":    {"BP 129/60": false, "129-60": false, "12.960": false, "12960": true, "MRN12960": true, "no. 12960,": true, "LOINC 1296": false, "1-2960": false},
		"160800":   {"160/800 mg": false, "160-800": false, "160 800": true, "160,800": false, "16 08 00": true, "16 0800": false},
		"40110":    {"4.0-11.0": false},
		"226761":   {"LOINC 22661": false, "226762": false, "226 761": true, "226\u202f761": true, "226  761": true, "226\n761": true, "226, 761": false},
		"48-2081":  {"482081": true, "48-2081": true, "48 2081": true, "482-081": false},
		"55443312": {"5544-3312": true, "55443313": true, "55.443.312": true},
	} {
		for text, want := range texts {
			if found := net.Known([]Value{{Kind: ID, Text: value}}).Find(text, nil); len(found) > 0 != want {
				t.Errorf("%s in %q: %v, want %v", value, text, found, want)
			}
		}
	}
}

// A covered span that cuts a character kept the search from going on.
func TestCoveredSpanWithinACharacter(t *testing.T) {
	net := &Net{Types: data.Any}
	found := net.Known([]Value{{Kind: ID, Text: "55443312"}}).Find("é 55443312", []data.Span{{Start: 1, End: 2}})
	if len(found) == 0 || found[0].Start != len("é ") { // it may be found in several ways
		t.Errorf("found %v", found)
	}
}

// A surname that is a word of another language stayed at the beginning of a sentence, also if the model has one language and does not tell which, and one that is an ordinary word stayed before 's.
func TestSurnamesThatAreWordsOfAnotherLanguageStayed(t *testing.T) {
	net := &Net{Types: data.I2B2, Languages: func(string) []string { return nil }}
	for _, tc := range []struct{ name, text, want string }{
		{"Maria Luna", "Luna EKG shows afib", "[PATIENT|Luna] EKG shows afib"},
		{"Ana Guerra", "Guerra EKG shows afib", "[PATIENT|Guerra] EKG shows afib"},
		{"Rosa Flores", "Flores's creatinine", "[PATIENT|Flores]'s creatinine"},
		{"Jo Day", "Day's labs. Day 3", "[PATIENT|Day]'s labs. Day 3"},
		{"John Will", "Will call", "Will call"},
		{"Ann White", "Day 3. White count 12, white", "Day 3. White count 12, white"},
	} {
		if got := show(tc.text, net.Originals([]Removed{{tc.name, "PATIENT"}}).Find(tc.text, nil)); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}

// The abbreviation of hospital care at home, which is English for something else, became the clinician Had.
func TestCareAtHomeBecameAClinician(t *testing.T) {
	const text = "La Dra. Had lo vio. Seguimiento por HAD, avisar a Had"
	if got, want := show(text, (&Net{Types: types(t)}).Known([]Value{{Kind: Name, Text: "Oda Had"}}).Find(text, nil)), "La Dra. [PATIENT|Had] lo vio. Seguimiento por HAD, avisar a [PATIENT|Had]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
