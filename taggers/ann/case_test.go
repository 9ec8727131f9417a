package ann

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

func caseTagger(t testing.TB) (*Tagger, reader.Reader) {
	r, err := reader.New("letters-digits", "note", 1000)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{unknownToken, "the", "patient", "has", "HTN", "Smith", "smith", "was", "seen", "by", "Dr", "and", "niño", "Patient", "ıı"}
	return &Tagger{vocabulary: newVocabulary(words, []rune{0}, false)}, r
}

func TestCaseIsRestored(t *testing.T) {
	tagger, r := caseTagger(t)
	for text, want := range map[string]string{
		"THE PATIENT HAS HTN.\nSEEN BY DR QUANDREL-SMITH, EL NIÑO":                              "the patient has HTN.\nseen by Dr Quandrel-Smith, EL niño",
		"The patient.\nTHE PATIENT HAS HTN AND SMITH.\n":                                        "The patient.\nthe patient has HTN and Smith.\n",
		"the patient has HTN, seen by dr quandrel smith":                                        "the patient has HTN, seen by Dr Quandrel Smith",
		"The patient was seen.\nTHE PATIENT HAS HTN AND SMITH.\nSEEN BY SMITH\nSMITH AND Smith": "The patient was seen.\nthe patient has HTN and Smith.\nSEEN BY SMITH\nSMITH AND Smith",
		"THE PATIENT HAS SEEN A STRAßE BY DR, İSTANBUL":                                         "the patient has seen A STRAßE by Dr, İSTANBUL", // ß has no capital, and the dotted capital another length in lower case
		"The patient, Smith, has HTN":                                                           "",
		"HTN":                                                                                   "",
		"the patient":                                                                           "",
		"120/80 98 %":                                                                           "",
		"":                                                                                      "",
		"A B C D E F G":                                                                         "",
	} {
		doc := &data.Document{Text: text}
		got := ""
		for x := range r.Cut(doc) {
			if again, cased := tagger.restored(x); again != nil {
				got = again.Text
				if lower := !strings.HasPrefix(text, "T"); lower != (cased.Doc == again) {
					t.Errorf("%q: the features are drawn of %q", text, cased.Doc.Text)
				}
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if doc.Text != text {
			t.Errorf("%q was changed", text)
		}
	}
}

// Whatever the text, its words keep their places and change in their case alone.
func TestRestoringKeepsPlaces(t *testing.T) {
	tagger, r := caseTagger(t)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{"THE", "the", "SMITH", "ß", "ŉ", "Ⱥ", "ǰ", "İ", "\n", "NIÑO", "ﬁne", "\xff"}), rapid.String())).Draw(t, "words"), " ")
		for x := range r.Cut(&data.Document{Text: text}) {
			again, _ := tagger.restored(x)
			if again != nil && (len(again.Text) != len(text) || !strings.EqualFold(again.Text, text)) {
				t.Fatalf("%q became %q", text, again.Text)
			}
		}
	})
}
