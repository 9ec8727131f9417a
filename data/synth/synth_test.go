package synth

import (
	"fmt"
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

func notes(t testing.TB, n int, seed uint64, split Split) []*data.Document {
	t.Helper()
	docs, err := data.Collect(Notes(n, seed, split))
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) != n {
		t.Fatalf("%d notes, want %d", len(docs), n)
	}
	return docs
}

// phrases returns the text of the spans of the given types in order, or of all
// spans if no type is given.
func phrases(d *data.Document, types ...string) []string {
	var out []string
	for _, s := range d.Spans {
		if len(types) == 0 || slices.Contains(types, s.Type) {
			out = append(out, d.Text[s.Start:s.End])
		}
	}
	return out
}

// inline returns a note with its spans as [[TYPE:text]].
func inline(d *data.Document) string {
	var b strings.Builder
	at := 0
	for _, s := range d.Spans {
		fmt.Fprintf(&b, "%s[[%s:%s]]", d.Text[at:s.Start], s.Type, d.Text[s.Start:s.End])
		at = s.End
	}
	return b.String() + d.Text[at:]
}

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
}

func TestDocumentsAreWellFormed(t *testing.T) {
	types, err := data.LookupTypeSet(TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range splits {
		nonASCII := 0
		for _, d := range notes(t, 400, 1, split) {
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(d.ID, d.Patient+"-0") || len(d.ID) != len(d.Patient)+3 {
				t.Errorf("identifier %s of patient %s", d.ID, d.Patient)
			}
			if strings.ContainsAny(d.Text, "\r\t{}\ufffd") || !strings.HasSuffix(d.Text, "\n") {
				t.Errorf("%s: stray character, or no line end at the end", d.ID)
			}
			if n := len(strings.Fields(d.Text)); n < 30 || n > 900 {
				t.Errorf("%s: %d words", d.ID, n)
			}
			if len(d.Text) != len([]rune(d.Text)) {
				nonASCII++
			}
			last := 0
			for i, s := range d.Spans {
				phrase := d.Text[s.Start:s.End]
				if s.Start < last {
					t.Errorf("%s: span %d overlaps or is out of order", d.ID, i)
				}
				if strings.TrimSpace(phrase) != phrase || strings.Contains(phrase, "\n") {
					t.Errorf("%s: span %d is not trimmed: %q", d.ID, i, phrase)
				}
				if !types.Has(s.Type) || s.Score != 1 {
					t.Errorf("%s: span %d: type %s, score %v", d.ID, i, s.Type, s.Score)
				}
				last = s.End
			}
			if last == 0 {
				t.Errorf("%s: no PHI", d.ID)
			}
		}
		if nonASCII < 20 {
			t.Errorf("%s: %d of 400 notes hold non-ASCII text", split, nonASCII)
		}
	}
}

func TestEveryTypeOccurs(t *testing.T) {
	types, err := data.LookupTypeSet(TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range splits {
		count := map[string]int{}
		for _, d := range notes(t, 500, 1, split) {
			for _, s := range d.Spans {
				count[s.Type]++
			}
		}
		for _, typ := range types.Types {
			if count[typ.Name] < 5 {
				t.Errorf("%s: %d %s in 500 notes, want at least 5", split, count[typ.Name], typ.Name)
			}
			t.Logf("%-5s %-15s %5d", split, typ.Name, count[typ.Name])
		}
	}
}

func TestSameSeedSameNotesHoweverMany(t *testing.T) {
	for _, split := range splits {
		few, many := notes(t, 37, 9, split), notes(t, 120, 9, split)
		if diff := cmp.Diff(few, many[:37]); diff != "" {
			t.Errorf("%s: the first notes depend on how many are asked for:\n%s", split, diff)
		}
		if other := notes(t, 37, 10, split); other[0].Text == few[0].Text {
			t.Errorf("%s: another seed gives the same note", split)
		}
	}
}

func TestSplitsShareNoPatient(t *testing.T) {
	split := map[string]Split{}
	for _, s := range splits {
		for _, d := range notes(t, 200, 4, s) {
			if in, ok := split[d.Patient]; ok && in != s {
				t.Fatalf("patient %s is in %s and %s", d.Patient, in, s)
			}
			split[d.Patient] = s
		}
	}
}

func TestFewOrNoNotes(t *testing.T) {
	for _, n := range []int{-1, 0} {
		notes(t, max(n, 0), 1, Train)
		if docs, err := data.Collect(Notes(n, 1, Train)); err != nil || docs != nil {
			t.Errorf("Notes(%d) = %d notes, %v", n, len(docs), err)
		}
	}
	for d := range Notes(100, 1, Train) { // must not go on after the loop is left
		if d.ID != "100-01" {
			t.Errorf("first note is %s", d.ID)
		}
		break
	}
	if _, err := data.Collect(Notes(1, 1, "validation")); err == nil {
		t.Error("no error for an unknown split")
	}
	if s, err := ParseSplit("dev"); s != Dev || err != nil {
		t.Errorf("ParseSplit(dev) = %q, %v", s, err)
	}
}

// entries returns the alternatives of a list of a split as plain text.
func entries(t *testing.T, split Split, list string) []string {
	t.Helper()
	var out []string
	for _, n := range corpora[DefaultCorpus].grammars[split]()[list].of {
		out = append(out, string(n.(literal)))
	}
	if len(out) == 0 {
		t.Fatalf("no list %s", list)
	}
	return out
}

func TestTestSplitNamesAreHeldOut(t *testing.T) {
	particles := []string{"van", "der", "de", "la", "st", "o", "mc", "del"}
	names := func(split Split) map[string]bool {
		set := map[string]bool{}
		for _, list := range []string{"surname", "female", "male", "nickname"} {
			for _, name := range entries(t, split, list) {
				for _, w := range words(name) {
					if !slices.Contains(particles, w) {
						set[w] = true
					}
				}
			}
		}
		return set
	}
	places := func(split Split) map[string]bool { // abbreviations and short forms too
		set := map[string]bool{}
		for _, h := range entries(t, split, "hospital.list") {
			for form := range strings.SplitSeq(strings.ToLower(h), "/") {
				set[form] = true
			}
		}
		return set
	}
	streets := func(split Split) []string {
		return entries(t, split, "street.name")
	}
	for _, c := range []struct{ drawn, forbidden Split }{{Train, Test}, {Dev, Test}, {Test, Train}} {
		strange, own := names(c.forbidden), names(c.drawn)
		strangePlaces, ownPlaces := places(c.forbidden), places(c.drawn)
		seen := map[string]bool{}
		for _, d := range notes(t, 600, 2, c.drawn) {
			for _, phrase := range phrases(d, "PATIENT", "DOCTOR") {
				for _, w := range words(phrase) {
					if len(w) > 3 && strange[w] { // up to three letters may be initials
						t.Errorf("%s: name %q is in the lists of %s", d.ID, w, c.forbidden)
					}
					if own[w] {
						seen["name "+w] = true
					}
				}
			}
			for _, phrase := range phrases(d, "HOSPITAL") {
				phrase = strings.ToLower(phrase)
				if strangePlaces[phrase] {
					t.Errorf("%s: hospital %q is in the lists of %s", d.ID, phrase, c.forbidden)
				}
				if !ownPlaces[phrase] {
					t.Errorf("%s: hospital %q is in no list of %s", d.ID, phrase, c.drawn)
				}
				seen["hospital "+phrase] = true
			}
			for _, phrase := range phrases(d, "STREET") {
				phrase = " " + strings.ToLower(phrase) + " "
				for _, s := range streets(c.forbidden) {
					if strings.Contains(phrase, " "+strings.ToLower(s)+" ") {
						t.Errorf("%s: street %q is in the lists of %s", d.ID, s, c.forbidden)
					}
				}
			}
		}
		if len(seen) < 150 {
			t.Errorf("%s: only %d names and hospitals seen", c.drawn, len(seen))
		}
	}
}

func TestListSizes(t *testing.T) {
	for list, want := range map[string]map[Split]int{
		"surname":       {Train: 400, Test: 150},
		"street.name":   {Train: 150, Test: 50},
		"hospital.list": {Train: 80, Test: 40},
		"city":          {Train: 100, Test: 50},
		"org":           {Train: 70, Test: 35},
		"job":           {Train: 120, Test: 120},
	} {
		for split, n := range want {
			if have := len(entries(t, split, list)); have < n {
				t.Errorf("%s: %d of %s, want %d", split, have, list, n)
			}
		}
	}
}

func TestPatientStaysTheSame(t *testing.T) {
	patients := map[string][]*data.Document{}
	for _, d := range notes(t, 600, 3, Train) {
		patients[d.Patient] = append(patients[d.Patient], d)
	}
	several := 0
	recorded := regexp.MustCompile(`(?i)record date: (\d{4}-\d\d-\d\d)\n`)
	for id, docs := range patients {
		if len(docs) > 1 {
			several++
		}
		same := map[string]string{}
		var latest time.Time
		for _, d := range docs {
			for _, typ := range []string{"MEDICALRECORD", "SSN", "HEALTHPLAN", "ACCOUNT", "VEHICLE", "BIOID"} {
				for _, phrase := range phrases(d, typ) {
					key := typ
					if typ == "VEHICLE" {
						key += fmt.Sprint(len(phrase) > 12) // a VIN or a plate
					}
					if phrase = strings.ToUpper(phrase); same[key] != "" && same[key] != phrase {
						t.Errorf("patient %s has two %s", id, typ)
					}
					same[key] = phrase
				}
			}
			if m := recorded.FindStringSubmatch(d.Text); m != nil {
				day, err := time.Parse(time.DateOnly, m[1])
				if err != nil {
					t.Fatal(err)
				}
				if !day.After(latest) {
					t.Errorf("%s: not later than the note before", d.ID)
				}
				if day.Year() < 2062 || day.Year() > 2100 {
					t.Errorf("%s: dated %d", d.ID, day.Year())
				}
				latest = day
			}
		}
	}
	if several < len(patients)/2 {
		t.Errorf("%d of %d patients have several notes", several, len(patients))
	}
}

func TestLookAlikesAreNotPHI(t *testing.T) {
	for _, pattern := range []string{
		`Parkinson's disease`, `Graves' disease`, `Bell's palsy`, `West Nile`, `Cushing's syndrome`, `Murphy's`, `Swan`,
		`Foley (in place|draining)`, `[Tt]rial of [A-Z][a-z]+ failed`, `[Mm]ay repeat`, `BP \d+/\d+`, `[1-3]/6 (SEM|HSM|systolic)`,
		`strength [3-5]/5`, `[LC][345]-[567]`, `T 9\d\.\d`, `K \d\.\d`, `\d+ mg`, `1:\d+`, `\d+ units`, `20/\d+ O[DS]`,
		`(Portuguese|Vietnamese|Irish|Korean)[ -]speaking`, `ICD-9 \d+`, `\d+-\d+-\d+ mg`,
	} {
		re := regexp.MustCompile(pattern)
		n := 0
		for _, d := range notes(t, 500, 5, Test) {
			for _, m := range re.FindAllStringIndex(d.Text, -1) {
				n++
				for _, s := range d.Spans {
					if s.Start < m[1] && m[0] < s.End {
						t.Errorf("%s: %s is marked %s at %d", d.ID, pattern, s.Type, s.Start)
					}
				}
			}
		}
		if n < 3 {
			t.Errorf("%s: %d times in 500 notes", pattern, n)
		}
	}
}

// The traps of real notes must occur, with these borders.
func TestHardCasesOccur(t *testing.T) {
	var all strings.Builder
	for _, d := range notes(t, 2500, 6, Train) {
		all.WriteString(inline(d))
	}
	text := all.String()
	for name, pattern := range map[string]string{
		"name that is a word":          `Mrs? \[\[PATIENT:(Young|May|West|Long|Rich|Day)\]\]`,
		"doctor with a disease's name": `Dr\. \[\[DOCTOR:(Graves|Bell|Crohn|Addison|Hodgkin|Foley)\]\]`,
		"no space after Dr.":           `Dr\.\[\[DOCTOR:`,
		"doctor without title":         `(Discussed|Staffed|Seen) with \[\[DOCTOR:`,
		"reversed in capitals":         `\[\[PATIENT:[A-Z]{3,}, [A-Z]{3,}\]\]`,
		"all in lower case":            `\[\[PATIENT:[a-z]+, [a-z]+\]\]`,
		"nickname":                     `\[\[PATIENT:[^]]+ "[A-Z][a-z]+" [^]]+\]\]`,
		"suffix":                       `\[\[PATIENT:[^]]+ (Jr\.?|III)\]\]`,
		"degree outside":               `\[\[DOCTOR:[^]]+\]\], M\.D\.`,
		"possessive outside":           `\[\[PATIENT:[^]]+\]\]'s `,
		"dictation line":               `DD:\[\[DATE:[^]]+\]\] DT:\[\[DATE:[^]]+\]\] /\[\[USERNAME:`,
		"label stuck to a number":      `\[\[MEDICALRECORD:[^]]+\]\]Date: \[\[DATE:`,
		"date stuck to a word":         `[a-zA-Z]:?\[\[DATE:\d`,
		"broken date":                  `\[\[DATE:\d\d/\d\d/:\d\]\]`,
		"date beyond the month":        `\[\[DATE:\d\d/3[2-9]/\d\d\]\]`,
		"decade":                       `in (the|teh) (early |late |mid )?\[\[DATE:[0-9]0s\]\]`,
		"day alone":                    `on the \[\[DATE:\d+(st|nd|rd|th)\]\]`,
		"weekdays":                     `\[\[DATE:MWF\]\]`,
		"holiday":                      `\[\[DATE:Thanksgiving\]\]`,
		"age in words":                 `\[\[AGE:[a-z]+-[a-z]+\]\]-year-old`,
		"age and sex in one":           `\[\[AGE:\d+\]\][RL]H[MF]`,
		"decade of life":               `(his|her) \[\[AGE:[3-9]0s\]\]`,
		"hospital abbreviated":         `at \[\[HOSPITAL:[A-Z]{3,4}\]\]`,
		"hospital and department":      `\[\[DEPARTMENT:[^]]+\]\]\n\[\[HOSPITAL:`,
		"extension":                    `\[\[PHONE:\d+-\d+-\d+ (x|ext\.? )\d+\]\]`,
		"post-office box":              `\[\[LOCATION-OTHER:P\.?O\.? Box \d+\]\]`,
		"state that is a word":         `, \[\[STATE:(ME|OR|IN|OH)\]\]`,
		"misspelling":                  `\b(dialy|dailys|dsease|diease|hsitory|hisotry|histroy|patinet|pateint|paitent|hosptial)`,
	} {
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("%s: %s is in none of 2500 notes", name, pattern)
		}
	}
}

func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, split := range []Split{Train, Test} {
		for _, d := range notes(t, 2, 1, split) {
			fmt.Fprintf(&b, "=== %s %s\n%s", split, d.ID, inline(d))
		}
	}
	compareGolden(t, "notes.golden", b.String())
}

func compareGolden(t *testing.T, name, have string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), have); diff != "" {
		t.Errorf("the notes have changed (UPDATE_GOLDEN=1 accepts it):\n%s", diff)
	}
}

func FuzzNotes(f *testing.F) {
	f.Add(uint64(0), uint8(3), uint8(0))
	f.Add(^uint64(0), uint8(9), uint8(2))
	f.Fuzz(func(t *testing.T, seed uint64, n, split uint8) {
		for _, d := range notes(t, int(n%16), seed, splits[int(split)%len(splits)]) {
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
			if len(data.Flatten(d.Spans)) != len(d.Spans) {
				t.Fatalf("%s: spans overlap", d.ID)
			}
		}
	})
}

func BenchmarkNotes(b *testing.B) {
	size := 0
	for b.Loop() {
		for d := range Notes(100, 1, Train) {
			size += len(d.Text)
		}
	}
	b.ReportMetric(100*float64(b.N)/b.Elapsed().Seconds(), "notes/s")
	b.ReportMetric(float64(size)/float64(100*b.N), "bytes/note")
}

func ExampleNotes() {
	for d, err := range Notes(3, 7, Test) {
		if err != nil {
			fmt.Println(err)
			return
		}
		s := d.Spans[0]
		fmt.Println(d.ID, d.Patient, s.Type, d.Text[s.Start:s.End])
	}
	// Output:
	// 102-01 102 HOSPITAL HRI
	// 105-01 105 DATE 1/26/2072
	// 105-02 105 PATIENT PACHECO, ELLSWORTH K
}

func TestNamesWithoutALocalCue(t *testing.T) {
	for _, split := range splits {
		c := Config{Split: split, Seed: 5, NotesPerPatient: 4}
		all, err := data.Collect(c.Notes(400))
		if err != nil {
			t.Fatal(err)
		}
		c.UncuedOnly = true
		only, err := data.Collect(c.Notes(400))
		if err != nil {
			t.Fatal(err)
		}
		elsewhere := map[string]bool{} // patient, phrase in lower case
		alone := func(i int, s data.Span) bool { return slices.Contains(only[i].Spans, s) }
		for i, d := range all {
			if want := fmt.Sprintf("%s-%02d", all[i/4*4].Patient, i%4+1); d.ID != want {
				t.Fatalf("%s: note %d is %s, want %s", split, i, d.ID, want)
			}
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
			if only[i].Text != d.Text {
				t.Fatalf("%s: another text with only what has no cue", d.ID)
			}
			for _, s := range only[i].Spans {
				if !slices.Contains(d.Spans, s) {
					t.Errorf("%s: a span without cue is none of the note's", d.ID)
				}
			}
			for _, s := range d.Spans {
				if !alone(i, s) {
					for _, w := range append(words(d.Text[s.Start:s.End]), strings.ToLower(d.Text[s.Start:s.End])) {
						elsewhere[d.Patient+" "+w] = true
					}
				}
			}
		}
		count, known := map[string]int{}, map[string]int{}
		for _, d := range only {
			for _, s := range d.Spans {
				count[s.Type]++
				phrase := strings.ToLower(d.Text[s.Start:s.End])
				if elsewhere[d.Patient+" "+phrase] {
					known[s.Type]++
				}
			}
		}
		for _, typ := range []string{"PATIENT", "DOCTOR", "HOSPITAL"} {
			if count[typ] < 30 || known[typ] < count[typ]*6/10 {
				t.Errorf("%s: %d %s without a cue, of which %d stand elsewhere in the patient's notes", split, count[typ], typ, known[typ])
			}
		}
		for _, typ := range []string{"CITY", "MEDICALRECORD", "ZIP"} {
			if count[typ] < 5 {
				t.Errorf("%s: %d %s without a cue", split, count[typ], typ)
			}
		}
		t.Log(split, count, known)
	}
}

func TestConfigsThatMakeNoSense(t *testing.T) {
	for _, c := range []Config{
		{Split: "validation"}, {Split: Train, NotesPerPatient: -1}, {Split: Train, NotesPerPatient: 100}, {Split: Train, UncuedOnly: true},
	} {
		if _, err := data.Collect(c.Notes(1)); err == nil {
			t.Errorf("%+v passed", c)
		}
	}
}
