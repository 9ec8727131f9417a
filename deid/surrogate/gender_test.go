package surrogate

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// genderIn returns the gender of a surrogate according to the lists that it is drawn from.
func genderIn(m *Maker, name string) int {
	switch female, male := m.list("female").has(name), m.list("male").has(name); {
	case female && !male:
		return 1
	case male && !female:
		return -1
	}
	return 0
}

// TestGenderOfNamesInManyCultures: the surrogate of a name has its gender. Names are tested alone and in a whole name, in Spanish and in English
// notes. For unisex names, a surrogate without a gender is accepted.
func TestGenderOfNamesInManyCultures(t *testing.T) {
	text, err := os.ReadFile("testdata/genders.txt")
	if err != nil {
		t.Fatal(err)
	}
	cultures, total := map[string]bool{}, map[int]int{}
	for line := range strings.Lines(string(text)) {
		head, names, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		culture, want := head[:len(head)-2], map[byte]int{'f': 1, 'm': -1}[head[len(head)-1]]
		cultures[culture] = true
		right, none := 0, 0
		var wrong, unknown []string
		for name := range strings.FieldsSeq(names) {
			p := patient(t, Options{}, mentions(Person, name+" Quillfeather", strings.ToUpper(name)+" Quillfeather"))
			made, _, _ := strings.Cut(must(t, p, Person, name+" Quillfeather"), " ")
			switch genderIn(p.Maker, made) {
			case want:
				right++
			case 0:
				none++
				unknown = append(unknown, name)
			default:
				wrong = append(wrong, name)
			}
		}
		total[0] += right
		total[1] += none
		total[2] += len(wrong)
		t.Logf("%-30s %3d right, %2d without gender %v, %2d wrong %v", head, right, none, unknown, len(wrong), wrong)
	}
	all := total[0] + total[1] + total[2]
	t.Logf("%d names of %d cultures: %d right, %d without gender, %d wrong", all, len(cultures), total[0], total[1], total[2])
	if len(cultures) < 15 || all < 1900 || total[0]*100 < 98*all {
		t.Errorf("of %d names in %d cultures only %d are right", all, len(cultures), total[0])
	}
}

func TestNamesHadTwoGenders(t *testing.T) {
	seen := map[string]string{}
	section := ""
	for line := range strings.Lines(listText("names/gender.txt")()) {
		if s, ok := strings.CutPrefix(line, "= "); ok {
			section = strings.Fields(s)[0]
		} else if !strings.HasPrefix(line, "#") {
			for name := range strings.FieldsSeq(line) {
				if was := seen[fold(name)]; was != "" {
					t.Errorf("%s is listed under %s and under %s", name, was, section)
				}
				seen[fold(name)] = section
			}
		}
	}
	if !slices.Contains([]string{"f", "m", "u"}, section) || len(seen) < 4000 {
		t.Errorf("%d names, the last under %q", len(seen), section)
	}
}

// O'Brien was no surname, because the lists have it without the apostrophe.
func TestNamesAreKnownWithTheirApostrophes(t *testing.T) {
	for _, name := range []string{"O'Brien", "OBRIEN", "o’brien"} {
		if !IsSurname(name) {
			t.Errorf("%s is no surname", name)
		}
	}
	if !IsFirstName("Siobhán") || IsFirstName("Quandrel") || IsSurname("Siobhán O'Brien") {
		t.Error("Siobhán, Quandrel or a whole name")
	}
}
