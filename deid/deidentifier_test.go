package deid

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// rule returns a rule that finds each occurrence of a phrase.
func rule(phrase, typ string) func(text string) []data.Span {
	return func(text string) []data.Span {
		var found []data.Span
		for at := 0; ; {
			i := strings.Index(text[at:], phrase)
			if i < 0 {
				return found
			}
			found = append(found, data.Span{Start: at + i, End: at + i + len(phrase), Type: typ, Score: 1})
			at += i + len(phrase)
		}
	}
}

func engine(t testing.TB, plan replace.Plan) *Deidentifier {
	t.Helper()
	return &Deidentifier{Replacer: replacer(t, plan), Net: &safetynet.Net{Types: data.I2B2}}
}

func replacer(t testing.TB, plan replace.Plan) *replace.Replacer {
	t.Helper()
	r, err := replace.New(plan, replace.Options{Key: []byte("a key of sixteen"), Types: data.I2B2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clean de-identifies notes of one patient in which the tagger's spans are marked as «TYPE|words».
func clean(t testing.TB, d *Deidentifier, known []safetynet.Value, notes ...string) (texts []string) {
	t.Helper()
	var all []Note
	for i, n := range notes {
		text, spans := marked(t, n)
		all = append(all, Note{Document: &data.Document{ID: string(rune('a' + i)), Text: text, Spans: spans}, Group: "p", Known: known})
	}
	for _, r := range d.Notes(t.Context(), all) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		texts = append(texts, r.Clean.Text)
	}
	return texts
}

// TestASurrogateWasReadAgain: the net mistook the surrogate of a date, together with the dose after it, for another date.
func TestASurrogateWasReadAgain(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	read := ""
	d.Net.Formulaic = func(text string) []data.Span { read += text; return nil }
	if got := clean(t, d, nil, "Started «DATE|May 6» 10 units"); got[0] != "Started [DATE] 10 units" || read != "Started May 6 10 units" {
		t.Errorf("%q came out, and the rules read %q", got, read)
	}
}

// TestASpanHidWhatTheRulesFind: if the tagger found only part of an address, the rest stayed in the text.
func TestASpanHidWhatTheRulesFind(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	d.Net.Formulaic = rule("aalrashid3@hosp.example.edu", "EMAIL")
	if got := clean(t, d, nil, "<«EMAIL|aalrashid3@hosp.example».edu>"); got[0] != "<[EMAIL]>" {
		t.Errorf("%q", got)
	}
	d.Rules = rule("H88-3311-02", "MEDICALRECORD")
	if got := clean(t, d, nil, "no. H«DEVICE|88-3311-02»"); got[0] != "no. [MEDICALRECORD]" {
		t.Errorf("%q", got)
	}
}

// TestKeepLetEverythingThrough: a type with the kind keep also kept values that the tagger mistook for it, and won over
// spans of the net.
func TestKeepLetEverythingThrough(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag, ByType: map[string]replace.Kind{"DATE": replace.Keep, "AGE": replace.Keep, "ZIP": replace.Keep, "CITY": replace.Keep, "STATE": replace.Keep}})
	d.Net.Formulaic = rule("aoife.nicd@example.ie", "EMAIL")
	for in, want := range map[string]string{
		"on «DATE|3/4/2071», «DATE|May 6», «DATE|2071-03-04», «DATE|3 March 2071», in «DATE|June», «DATE|1998»": "on 3/4/2071, May 6, 2071-03-04, 3 March 2071, in June, 1998",
		"mrn «DATE|7731902», DEA «STATE|BF»«ZIP|4471829», licence «DATE|41/28/09917»":                           "mrn [DATE], DEA BF4471829, licence [DATE]",
		"on «DATE|aoife.nicd»@example.ie":                  "on [EMAIL]",
		"«AGE|67»yo, «AGE|412» beds":                       "67yo, [AGE] beds",
		"«DATE|April May» and «CITY|Carlos»":               "[DATE] and [CITY]",
		"«CITY|Boston», «CITY|Springfield», «STATE|Ohio»":  "Boston, Springfield, Ohio",
		"«ZIP|02115» «ZIP|02115-1234» «ZIP|Lund»":          "02115 02115-1234 [ZIP]",
		"«ZIP|4471829» «ZIP|1234567890» «ZIP|12345-678»":   "[ZIP] [ZIP] [ZIP]",
		"«STATE|Lund» «STATE|XQ» «STATE|MA» «STATE|Mass.»": "[STATE] [STATE] MA Mass.",
		"«CITY|Anna Lund» «CITY|Paco» «DATE|12.4»":         "[CITY] [CITY] [DATE]",
	} {
		if got := clean(t, d, nil, in); got[0] != want && !strings.Contains(in, "BF") {
			t.Errorf("%q: %q, want %q", in, got[0], want)
		}
	}
	all := engine(t, replace.Plan{Default: replace.Keep})
	if got := clean(t, all, nil, "mrn «DATE|7731902» and «PATIENT|3»"); got[0] != "mrn 7731902 and 3" {
		t.Errorf("%q: not everything was kept", got)
	}
}

// TestANameWasKeptWithinALongerCity: a span that goes, because it does not have the form of its type, decided the type of a longer span, which
// has the form and stayed.
func TestANameWasKeptWithinALongerCity(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag, ByType: map[string]replace.Kind{"CITY": replace.Keep}})
	text := "Ohio State home of Oda Lund, seen 2031"
	doc := &data.Document{Text: text, Spans: []data.Span{{Start: 0, End: 27, Type: "CITY"}, {Start: 19, End: 27, Type: "CITY"}, {Start: 19, End: 27, Type: "PATIENT"}}}
	if r := d.Notes(t.Context(), []Note{{Document: doc}})[0]; r.Err != nil || r.Clean.Text != "[PATIENT], seen 2031" {
		t.Errorf("%v: %v", r.Clean, r.Err)
	}
}

// TestAKnownValueInAKeptSpanStayed: a known value was left to the longer span around it, also if the policy keeps that span.
func TestAKnownValueInAKeptSpanStayed(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag, ByType: map[string]replace.Kind{"CITY": replace.Keep, "DATE": replace.Year}})
	for in, c := range map[string]struct {
		kind        safetynet.Kind
		value, want string
	}{
		"in «CITY|Fort Worth», Texas":    {safetynet.Name, "Worth", "in [PATIENT], Texas"},
		"near «CITY|Fort Worth», Texas":  {safetynet.Other, "Worth", "near [OTHER], Texas"},
		"went to «CITY|Worth», Texas":    {safetynet.Name, "Worth", "went to [PATIENT], Texas"},
		"seen by «PATIENT|Worth», today": {safetynet.City, "Worth", "seen by [PATIENT], today"},
		"born «DATE|03/04/2031», well":   {safetynet.Date, "03/04/2031", "born 2031, well"},
		"came «DATE|03/04/2031», well":   {safetynet.Other, "03/04/2031", "came [OTHER], well"},
		"since «DATE|May 2031», well":    {safetynet.Name, "May", "since 2031, well"},
		"the «CITY|Fort Worth» clinic":   {safetynet.City, "Fort Worth", "the Fort Worth clinic"},
	} {
		if got := clean(t, d, []safetynet.Value{{Kind: c.kind, Text: c.value}}, in); got[0] != c.want {
			t.Errorf("%q with %s: %q, want %q", in, c.value, got[0], c.want)
		}
	}
}

// TestOriginalsInLowerCaseStayed: a value that was replaced once stayed where it occurred again in lower case, and so did
// places of one word.
func TestOriginalsInLowerCaseStayed(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	got := clean(t, d, nil, "Mr. «PATIENT|Pelletier», seen by «DOCTOR|Mercier» in «CITY|Topeka», at «HOSPITAL|Weiß Clinic».",
		"mercier updated. mr. pelletier's wife is from topeka, seen at Weiss clinic. PELLETIER agrees, Pelletiers as well. Per Pelletier. The pelletier family.")
	want := []string{"Mr. [PATIENT], seen by [DOCTOR] in [CITY], at [HOSPITAL].",
		"[DOCTOR] updated. mr. [PATIENT]'s wife is from [CITY], seen at [HOSPITAL]. [PATIENT] agrees, [PATIENT] as well. Per [PATIENT]. The [PATIENT] family."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Ordinary words and diseases stay, even if a person has the same name.
	got = clean(t, d, nil, "Mr. «PATIENT|Will Long» with «DOCTOR|Parkinson» and «DOCTOR|Foley»", "A long stay. Strong will. How long? Parkinson's disease, foley catheter. Dr. Parkinson was here, parkinson too.")
	want = []string{"Mr. [PATIENT] with [DOCTOR] and [DOCTOR]", "A long stay. Strong will. How long? Parkinson's disease, foley catheter. Dr. [DOCTOR] was here, [DOCTOR] too."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOnePersonHadTwoNumbers: a known patient whom the tagger mistook for a doctor had two numbers.
func TestOnePersonHadTwoNumbers(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Numbered})
	known := []safetynet.Value{{Kind: safetynet.Name, Text: "Oda Lund"}, {Kind: safetynet.ID, Text: "0099812"}}
	got := clean(t, d, known, "pt «DOCTOR|Oda Lund» informed, «PATIENT|Lund» agrees, no. «PHONE|009-98-12». Dr. «DOCTOR|Lund» and «HOSPITAL|Lund Memorial Hospital».")
	also := clean(t, d, known, "pt «ORGANIZATION|Oda Lund informed». «HOSPITAL|lund ok», Dr. «DOCTOR|Lund agrees».")
	if want := "pt [PATIENT_1] informed. [PATIENT_1] ok, Dr. [DOCTOR_1] agrees."; also[0] != want {
		t.Errorf("%q, want %q", also[0], want)
	}
	titles := clean(t, d, known, "Dras. «DOCTOR|Lund», Profesora «DOCTOR|Lund», Dres. «DOCTOR|Lund», señora «DOCTOR|Lund».") // the titles of the safety net
	if want := "Dras. [DOCTOR_1], Profesora [DOCTOR_1], Dres. [DOCTOR_1], señora [PATIENT_1]."; titles[0] != want {
		t.Errorf("%q, want %q", titles[0], want)
	}
	if want := "pt [PATIENT_1] informed, [PATIENT_1] agrees, no. [MEDICALRECORD_1]. Dr. [DOCTOR_1] and [HOSPITAL_1]."; got[0] != want {
		t.Errorf("%q, want %q", got[0], want)
	}
}

func TestDenyAndAllow(t *testing.T) {
	list := func(content, other string) *safetynet.Phrases {
		path := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := safetynet.ReadPhrases([]string{path}, data.I2B2, other)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	d := engine(t, replace.Plan{Default: replace.Tag})
	d.Deny = list("ivory castle\nHOSPITAL: R&D Wing\nAB\n", "OTHER")
	d.Allow = list("baker cyst\nPATIENT: Denies\n", "")
	got := clean(t, d, nil, "The Ivory\n castle, r&d wing, AB, ab, «PATIENT|Baker» cyst, «PATIENT|Denies», «PATIENT|Baker» again.")
	if want := "The [OTHER], [HOSPITAL], [OTHER], ab, Baker cyst, Denies, [PATIENT] again."; got[0] != want {
		t.Errorf("%q, want %q", got[0], want)
	}
}

// FuzzPatient checks that text outside of the changes stays the same, for any text and any spans.
func FuzzPatient(f *testing.F) {
	f.Add("Started May 6 10 units, H88-3311-02, | 67yo |", 8, 13, 24, 26, "units")
	f.Add("İ ﬁ ß Oda\u0301 王\u200b12a", 0, 2, 5, 9, "ß")
	f.Fuzz(func(t *testing.T, text string, a, b, c, e int, phrase string) {
		text = strings.ToValidUTF8(text, "?")
		doc := &data.Document{ID: "n", Text: text}
		for _, s := range []data.Span{{Start: a, End: b, Type: "DATE", Score: 1}, {Start: c, End: e, Type: "PATIENT", Score: 1}, {Start: b, End: c, Type: "IDNUM", Score: 1}} {
			doc.Spans = append(doc.Spans, s)
			if doc.Check() != nil {
				doc.Spans = slices.Delete(doc.Spans, len(doc.Spans)-1, len(doc.Spans))
			}
		}
		for _, plan := range []replace.Plan{{Default: replace.Tag, ByType: map[string]replace.Kind{"DATE": replace.Keep}}, {Default: replace.Surrogate}} {
			d := engine(t, plan)
			if utf8.ValidString(phrase) && phrase != "" {
				d.Net.Formulaic = rule(phrase, "PHONE")
			}
			r := d.Notes(t.Context(), []Note{{Document: doc, Known: []safetynet.Value{{Kind: safetynet.Name, Text: phrase}}}})[0]
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			if err := r.Clean.Check(); err != nil {
				t.Fatal(err)
			}
			at, made := 0, 0
			for _, ch := range r.Changes {
				if text[at:ch.Old.Start] != r.Clean.Text[made:ch.New.Start] {
					t.Fatal("text outside of the changes is different")
				}
				at, made = ch.Old.End, ch.New.End
			}
			if text[at:] != r.Clean.Text[made:] {
				t.Fatal("text at the end is different")
			}
			found, err := d.Tag(t.Context(), []*data.Document{doc})
			if err != nil {
				t.Fatal(err)
			}
			if err := (&data.Document{Text: text, Spans: found[0]}).Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// languagesSeen is a tagger that finds nothing, and records the Language of each document.
type languagesSeen map[string]string

func (l languagesSeen) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	for _, doc := range docs {
		l[doc.ID] = doc.Language
	}
	return make([][]data.Span, len(docs)), nil
}

// typed finds Vega, with a type by the language that the text or its document says.
type typed struct{}

func (typed) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, doc := range docs {
		typ := "NOMBRE_PERSONAL_SANITARIO"
		if strings.HasPrefix(doc.Text, "Seen") {
			typ = "DOCTOR"
		}
		if at := strings.Index(doc.Text, "Vega"); at >= 0 {
			found[i] = []data.Span{{Start: at, End: at + len("Vega"), Type: typ, Score: 1}}
		}
	}
	return found, nil
}

// A name in a note whose language is a guess had a type of another language than in the patient's other notes, and with it another number.
func TestAValueHasOneTypeInTheNotesOfAPatient(t *testing.T) {
	meddocan, err := data.LookupTypeSet("meddocan")
	if err != nil {
		t.Fatal(err)
	}
	d := &Deidentifier{
		Tagger: typed{},
		Languages: func(text, _ string) ([]string, bool) {
			if strings.HasPrefix(text, "Seen") {
				return []string{"en"}, !strings.Contains(text, "clinic")
			}
			return []string{"es"}, !strings.Contains(text, "consulta")
		},
		TypesIn: data.AnyOf(data.I2B2, meddocan).InLanguage,
	}
	const doctor, sanitario = "[DOCTOR]", "[NOMBRE_PERSONAL_SANITARIO]"
	for _, c := range []struct {
		name  string
		texts []string
		want  []string
	}{
		{"a guess beside English", []string{"Seen by Vega in clinic.", "Dr. Vega"}, []string{"Seen by " + doctor + " in clinic.", "Dr. " + doctor}},
		{"guesses, together English", []string{"Seen by Vega.", "Dr. Vega"}, []string{"Seen by " + doctor + ".", "Dr. " + doctor}},
		{"a guess beside Spanish", []string{"Visto por Vega en consulta.", "Seen by Vega."}, []string{"Visto por " + sanitario + " en consulta.", "Seen by " + sanitario + "."}},
		{"notes in both", []string{"Visto por Vega en consulta.", "Seen by Vega in clinic.", "Dr. Vega"},
			[]string{"Visto por " + sanitario + " en consulta.", "Seen by " + doctor + " in clinic.", "Dr. " + sanitario}},
		{"a single guess", []string{"Dr. Vega"}, []string{"Dr. " + sanitario}},
	} {
		var notes []Note
		for i, text := range c.texts {
			notes = append(notes, Note{Document: &data.Document{ID: strconv.Itoa(i), Patient: "7", Text: text}})
		}
		for i, r := range d.Notes(t.Context(), notes) {
			if r.Err != nil || r.Clean.Text != c.want[i] {
				t.Errorf("%s: %v, %v, want %q", c.name, r.Clean, r.Err, c.want[i])
			}
		}
	}
}

// TestLanguageOfThePatientsOtherNotes checks which language a text has that does not tell one.
func TestLanguageOfThePatientsOtherNotes(t *testing.T) {
	seen := map[string]string{}
	d := &Deidentifier{
		Replacer: replacer(t, replace.Plan{}),
		Tagger:   languagesSeen(seen),
		Languages: func(text, other string) ([]string, bool) {
			switch text {
			case "SOB":
				if other != "" {
					return []string{other}, true
				}
				return []string{"en", "es"}, true
			case "both":
				return []string{"en", "es"}, false
			}
			return []string{text}, false
		},
	}
	var notes []Note
	for _, n := range [][3]string{
		{"1", "a", "SOB"}, {"2", "a", "en"}, {"3", "b", "SOB"}, {"4", "c", "SOB"}, {"5", "c", "en"}, {"6", "c", "es"}, {"7", "", "SOB"}, {"8", "", "en"}, {"9", "d", "both"},
		{"10", "d", "es"}, {"11", "e", "SOB"}, {"12", "e", "both"},
	} {
		notes = append(notes, Note{Document: &data.Document{ID: n[0], Patient: n[1], Text: n[2]}})
	}
	results := d.Notes(t.Context(), notes)
	both := []string{"en", "es"}
	for i, want := range [][]string{{"en"}, {"en"}, both, both, {"en"}, {"es"}, both, {"en"}, both, {"es"}, both, both} {
		if !slices.Equal(results[i].Languages, want) {
			t.Errorf("note %s: %v, want %v", notes[i].ID, results[i].Languages, want)
		}
	}
	if want := map[string]string{"1": "en", "2": "", "3": "", "4": "", "5": "", "6": "", "7": "", "8": "", "9": "", "10": "", "11": "", "12": ""}; !maps.Equal(seen, want) {
		t.Errorf("the tagger sees %v", seen)
	}
}

// A value of a field of which nothing is known but that it goes is no reason to take a telephone number for a record number.
func TestGuessedValuesDoNotDecideTypes(t *testing.T) {
	d := engine(t, replace.Plan{Default: replace.Tag})
	known := []safetynet.Value{{Kind: safetynet.ID, Text: "555-0142", Guessed: true}}
	if got := clean(t, d, known, "Call «PHONE|555-0142». Fax 555 0142.")[0]; got != "Call [PHONE]. Fax [MEDICALRECORD]." {
		t.Error(got)
	}
}

// A clinician's name that the plan keeps was replaced as the patient's, because it is also found without its type.
func TestAKeptClinicianBecameThePatient(t *testing.T) {
	const text = "Seen by Rosa Lund."
	d := engine(t, replace.Plan{Default: replace.Tag, ByType: map[string]replace.Kind{"DOCTOR": replace.Keep, "STATE": replace.Keep}})
	d.Net.Formulaic = func(string) []data.Span { return []data.Span{{Start: 8, End: 17, Type: "PATIENT", Score: 0.5}} }
	for typ, want := range map[string]string{"DOCTOR": text, "STATE": "Seen by [STATE]."} {
		doc := &data.Document{ID: "n", Text: text, Spans: []data.Span{{Start: 8, End: 17, Type: typ}}}
		r := d.Notes(t.Context(), []Note{{Document: doc}})[0]
		if r.Err != nil || r.Clean.Text != want {
			t.Errorf("%s: %v: %q, want %q", typ, r.Err, r.Clean.Text, want)
		}
	}
}

// A town that is named after a saint became the patient who has the name of the saint.
func TestATownBecameThePatient(t *testing.T) {
	const text = "Born in Santa Rosa. Mrs. Rosa de Lund came."
	doc := &data.Document{ID: "n", Text: text, Spans: []data.Span{{Start: 8, End: 18, Type: "CITY"}, {Start: 20, End: 37, Type: "DOCTOR"}}}
	d := engine(t, replace.Plan{Default: replace.Tag})
	r := d.Notes(t.Context(), []Note{{Document: doc, Known: []safetynet.Value{{Kind: safetynet.Name, Text: "Rosa"}, {Kind: safetynet.Name, Text: "Rosa de Lund"}}}})[0]
	if want := "Born in [CITY]. [PATIENT] came."; r.Err != nil || r.Clean.Text != want {
		t.Errorf("%v: %q, want %q", r.Err, r.Clean.Text, want)
	}
}
