package surrogate

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// FuzzSurrogate takes any two values of any sort in either language. Only the sorts that may leave a value unchanged do so, the result is UTF-8, and
// a second patient gets the same result.
func FuzzSurrogate(f *testing.F) {
	for i, seeds := range [][2]string{
		{"Oda Maria Lund-Vega", "LUND, O."}, {"D. Íñigo de la Torre", "M.ª José"}, {"olund7", "lund"}, {"03/04//71", "3-5 de abril"}, {"ninety-three", "101 años"},
		{"MRN 12-34/b", "٣٤٥"}, {"+34 913 368 000", "1-617-555-0123 x9"}, {"o.lund@lund.org", "@"}, {"http://www.lund.org/a?b=1", "//"}, {"fe80::1", "10.0.0.300"},
		{"Hospital Dr. Lund (HDL)", "HDL"}, {"Servicio Lund, S.A.", "12 de octubre"}, {"Avda. del Dr. Lund 3. 1A, 2ºb", "s/n"}, {"St. Lund", "the"}, {"MA", "A Coruña"},
		{"28035", "02139-1234"}, {"hermana María", "dos hijos"}, {"varón", "M"}, {"王小明", "Анна"}, {"'", "º"}, {"\u0301", "ß"}, {"&0", "!"}, {"на", "на"}, {"İ", "ı"}, {"ǅ", "ﬀ"},
	} {
		f.Add(seeds[0], seeds[1], i, i%2 == 0)
	}
	makers := map[bool]*Maker{}
	for spanish, lang := range map[bool]Language{false: English, true: Spanish} {
		m, err := New(Options{Key: key, Language: lang})
		if err != nil {
			f.Fatal(err)
		}
		makers[spanish] = m
	}
	f.Fuzz(func(t *testing.T, a, b string, which int, spanish bool) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return // no document has it
		}
		sorts := data.Sorts()
		sort := sorts[(which%len(sorts)+len(sorts))%len(sorts)]
		m := makers[spanish]
		all := []Mention{{Note: "a", Sort: sort, Text: a, Before: b}, {Note: "b", Sort: sort, Text: b, Before: a}, {Note: "b", Sort: Person, Text: b}}
		p, q := m.Patient("p", all), m.Patient("p", []Mention{all[2], all[1], all[0]})
		for _, text := range []string{a, b, a + b} {
			made, ok := p.Replace("a", sort, text)
			if again, okAgain := q.Replace("a", sort, text); again != made || ok != okAgain {
				t.Fatalf("%s %q became %q and %q", sort, text, made, again)
			}
			p.Identity(sort, text)
			m.Identity(sort, text)
			switch {
			case !ok:
				continue
			case !utf8.ValidString(made) || made == "":
				t.Fatalf("%s %q became %q", sort, text, made)
			}
			switch sort {
			case Age, Sex, Family, Date, Other: // may stay
			default:
				if made == text {
					t.Fatalf("%s %q stays", sort, text)
				}
			}
		}
	})
}

// TestLongValues: values of a megabyte do not take forever.
func TestLongValues(t *testing.T) {
	for i, unit := range []string{"a", "a ", "Oda ", "O. ", "1", "12 ", "3/4/71, ", "de la ", "@", "é.", "St. ", "(AB) ", "-", "Lund, ", "º", "ninety ", "http://", "Apt 3B "} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		m, err := New(Options{Key: key, Language: []Language{English, Spanish}[i%2]})
		if err != nil {
			t.Fatal(err)
		}
		var all []Mention
		for _, sort := range data.Sorts() {
			all = append(all, Mention{Note: "a", Sort: sort, Text: text, Before: text[:30]})
		}
		p := m.Patient("p", all)
		p.Identity(Person, text)
		p.Identity(Date, text)
		m.Identity(Number, text)
		for _, sort := range data.Sorts() {
			if made, ok := p.Replace("a", sort, text); made != "" || ok {
				t.Errorf("%s of a megabyte of %q is understood", sort, unit)
			}
			short := text[:longest-longest%len(unit)]
			if made, ok := p.Replace("a", sort, short); ok && !utf8.ValidString(made) {
				t.Errorf("%s of a kilobyte of %q is not UTF-8", sort, unit)
			}
		}
	}
}
