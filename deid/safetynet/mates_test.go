package safetynet

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// Of a patient known as Grace Ann Li, Li stayed in "Grace A Li" and "Grace (Ann) Li", in which a tagger had found the first name alone.
func TestShortSurnamesBesideTheFirstNameStayed(t *testing.T) {
	for _, tc := range []struct {
		known, text string // the tagger's spans are in brackets
		want        string
	}{
		{"Grace Ann Li", "Note: [Grace]  Li stable", "Li"}, {"Grace Ann Li", "Note: [Grace] A Li stable", "A Li"}, {"Grace Ann Li", "Note: [Grace A]. Li stable", "Li"},
		{"Grace Ann Li", "Note: [Grace] ([Ann]) Li stable", "Li"}, {"Grace Le", "LE, [GRACE] here", "LE"}, {"Grace Le", "Grace  Le here", "Grace  Le"}, {"Peter Do", "[Peter] Do agrees", "Do"},
		{"Peter Do", "seen with P. Do today", "P. Do"}, {"Peter Do", "seen with [P]. Do today", "Do"}, {"Do, Peter", "[Peter] Do agrees", "Do"}, {"Peter Long", "a long day, [Peter]  Long", "Long"},
		{"Xavier An", "An, [Xavier] agrees", "An"}, {"Grace Ng", "(NG, [GRACE])", "NG"}, {"Lucía Xu Gil", "[Lucía]  Xu", "Xu"},

		{"Do, Peter", "[Do], Peter says", "Peter"}, {"Hope Lund", "[Lund], Hope is here", "Hope"}, {"Nick No", "[Nick], No.", "No"}, {"Nick No", "[Nick], No complaints", ""}, {"Peter Do", "I told [Peter], Do not smoke", ""},
		{"Peter Do", "[Peter]. Do not wake him. Do take", ""}, {"Peter He", "[Peter]: He was seen. He told [Peter] so", ""}, {"Peter Do", "[Peter] do agree", ""},
		{"Peter Do", "[Oda] Do agree", ""}, {"Peter Do", "Do [Peter]", ""}, {"Peter Do", "[Peter]\nDo not", ""}, {"Peter Do", "P. Do", "P. Do"}, {"Peter Do", "Q. Do", ""},
		{"Peter van der Berg", "[Peter] Van X", ""}, {"Peter Lund MD", "[Peter] MD", ""}, {"Peter Lund Jr", "[Peter] Jr", ""},
	} {
		var text strings.Builder
		var covered []data.Span
		for piece := range strings.SplitSeq(tc.text, "[") {
			name, rest, found := strings.Cut(piece, "]")
			if found {
				covered = append(covered, data.Span{Start: text.Len(), End: text.Len() + len(name), Type: "PATIENT"})
			}
			text.WriteString(name + rest)
		}
		var got []string
		for _, s := range data.Flatten((&Net{Types: types(t)}).Originals([]Removed{{tc.known, "PATIENT"}}).Find(text.String(), covered)) {
			got = append(got, text.String()[s.Start:s.End])
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%s: found %q in %s, want %q", tc.known, got, tc.text, tc.want)
		}
	}
}

// TestTypeOfAnOriginalDependedOnTheOrder: a text with two types in a patient's notes had elsewhere the type of the first note.
func TestTypeOfAnOriginalDependedOnTheOrder(t *testing.T) {
	all := []Removed{{"Peru", "CITY"}, {"Peru", "COUNTRY"}, {"Peru", "COUNTRY"}, {"Lund", "CITY"}, {"Oda Lund", "PATIENT"}, {"Oda Lund", "DOCTOR"}, {"8812345", "IDNUM"}, {"8812345", "MEDICALRECORD"}}
	for range 8 {
		all = append(all[1:], all[0])
		text := "to Peru with Oda, mrn 8812345, olund"
		if got, want := show(text, (&Net{Types: types(t)}).Originals(all).Find(text, nil)), "to [COUNTRY|Peru] with [PATIENT|Oda], mrn [IDNUM|8812345], [USERNAME|olund]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
