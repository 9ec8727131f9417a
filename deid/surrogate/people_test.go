package surrogate

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// first returns the surrogate of the first name of a person whom all mentions refer to.
func first(t *testing.T, lang Language, name string, all ...Mention) (*Patient, string) {
	t.Helper()
	p := patient(t, Options{Language: lang}, append(all, Mention{Note: "n", Sort: Person, Text: name}))
	made, _, _ := strings.Cut(must(t, p, Person, name), " ")
	return p, made
}

func TestMikeBecameArely(t *testing.T) {
	for name, want := range map[string]int{
		"Erik": -1, "Mike": -1, "Tyrone": -1, "Rajesh": -1, "Ole": -1, "Olav": -1, "Knut": -1, "LeBron": -1, "Hyacinth": 1, "Solveig": 1, "Françoise": 1, "Xochitl": 1,
		"FRANÇOISE": 1, "francoise": 1, "Bjørn": -1, "Bjorn": -1, "Łukasz": -1, "Jürgen": -1, "Siobhán": 1, "Ngozi": 1,
	} {
		p, made := first(t, English, name+" Quillfeather")
		if genderIn(p.Maker, made) != want {
			t.Errorf("%s became %s", name, made)
		}
	}
}

func TestUnisexNameWasGivenAGender(t *testing.T) {
	for _, name := range []string{"Casey", "Deniz", "Kiran", "Taylor", "Kerry"} {
		p, made := first(t, English, name+" Quillfeather")
		if g := genderIn(p.Maker, made); g != 0 || !p.list("unisex").has(made) {
			t.Errorf("%s became %s, which states a gender", name, made)
		}
	}
}

func TestTitlesRelativesAndPronounsWereNotHeeded(t *testing.T) {
	for _, c := range []struct {
		before, name, after string
		want                int
	}{
		{"", "Mr. Kiran Quillfeather", "", -1},
		{"", "Ms. Kiran Quillfeather", "", 1},
		{"Mrs. ", "Kiran Quillfeather", "", 1},
		{"Mr. ", "Andrea Quillfeather", "", -1}, // an Italian
		{"Mr. and Mrs. ", "John Quillfeather", "", -1},
		{"seen with her son Dr. ", "Erik Quillfeather", "", -1},
		{"seen with her son Dr. ", "Kiran Quillfeather", "", -1},
		{"his daughter, ", "Kiran Quillfeather", "", 1},
		{"her husband ", "Kiran Quillfeather", "", -1},
		{"his sister-in-law ", "Kiran Quillfeather", "", 1},
		{"his wife's name is ", "Kiran Quillfeather", "", 1},
		{"Mother: ", "Kiran Quillfeather", "", 1},
		{"mother of ", "Kiran Quillfeather", "", 0},
		{"lives with her husband; ", "Kiran Quillfeather", "", 0},
		{"lives with her husband. ", "Kiran Quillfeather", "", 0},
		{"husband ", "Mary Quillfeather", "", 1}, // the name knows better than a relative
		{"", "Kiran Quillfeather", " (son) called", -1},
		{"", "Kiran Quillfeather", ", her husband, called", -1},
		{"", "Kiran Quillfeather", "'s wife called", 0},
		{"", "Kiran Quillfeather", " is a 72 year old woman", 1},
		{"", "Kiran Quillfeather", " said that he felt well", -1},
		{"", "Kiran Quillfeather", " felt well. She was told", 0},
		{"", "Mary Quillfeather", " said that he felt well", 1},
	} {
		p := patient(t, Options{}, []Mention{{Note: "n", Sort: Person, Text: c.name, Before: c.before, After: c.after}})
		made := strings.Fields(must(t, p, Person, c.name))
		if g := genderIn(p.Maker, made[len(made)-2]); g != c.want {
			t.Errorf("%s[%s]%s became %v, gender %d", c.before, c.name, c.after, made, g)
		}
	}
	for _, c := range []struct {
		before, name string
		want         int
	}{{"Sra. ", "Trinidad Zubizarreta", 1}, {"Sr. ", "Trinidad Zubizarreta", -1}, {"Don ", "Trinidad Zubizarreta", -1}, {"Doña ", "Trinidad Zubizarreta", 1},
		{"su hijo ", "Trinidad Zubizarreta", -1}} {
		p := patient(t, Options{Language: Spanish}, []Mention{{Note: "n", Sort: Person, Text: c.name, Before: c.before}})
		made := strings.Fields(must(t, p, Person, c.name))
		g := genderIn(p.Maker, made[0])
		if known := genderOf(p.lang.female, p.lang.male, "trinidad"); g != c.want && (known == 0 || !strings.HasPrefix(c.before, "su ")) {
			t.Errorf("%s[%s] became %v, gender %d", c.before, c.name, made, g)
		}
	}
}

func TestTrueInitialStayedBesideTheSurrogate(t *testing.T) {
	all := mentions(Person, "Ingrid Karen Amundsen", "I. Amundsen", "Amundsen, I", "I.K. Amundsen", "IK Amundsen", "Amundsen IK", "I K Amundsen", "Amundsen, I.K.", "Amundsen")
	p := patient(t, Options{}, all)
	full := strings.Fields(must(t, p, Person, "Ingrid Karen Amundsen"))
	i, k, last := full[0][:1], full[1][:1], full[2]
	for text, want := range map[string]string{
		"I. Amundsen": i + ". " + last, "Amundsen, I": last + ", " + i, "I.K. Amundsen": i + "." + k + ". " + last, "IK Amundsen": i + k + " " + last,
		"Amundsen IK": last + " " + i + k, "I K Amundsen": i + " " + k + " " + last, "Amundsen, I.K.": last + ", " + i + "." + k + ".",
	} {
		if made := must(t, p, Person, text); made != want {
			t.Errorf("%s became %s, want %s: the person is %v", text, made, want, full)
		}
		if p.Identity(Person, text) != p.Identity(Person, "Ingrid Karen Amundsen") {
			t.Errorf("%s is another person", text)
		}
	}
	for _, text := range []string{"K. Delacroix", "Q. Delacroix", "QX Delacroix"} { // never spelt out
		p := patient(t, Options{}, mentions(Person, text))
		if made := must(t, p, Person, text); made[0] == text[0] || strings.Contains(made, "Delacroix") {
			t.Errorf("%s became %s", text, made)
		}
	}
}

func TestMikeIsMichael(t *testing.T) {
	for _, names := range [][2]string{{"Mike Quillfeather", "Michael Quillfeather"}, {"Bill Quillfeather", "Quillfeather, William"}, {"LIZ QUILLFEATHER", "Elizabeth Quillfeather"}} {
		p := patient(t, Options{}, mentions(Person, names[:]...))
		if p.Identity(Person, names[0]) != p.Identity(Person, names[1]) {
			t.Errorf("%s and %s are two", names[0], names[1])
		}
		if a, b := p.Maker.Identity(Person, must(t, p, Person, names[0])), p.Maker.Identity(Person, must(t, p, Person, names[1])); a != b {
			t.Errorf("%s and %s became %s and %s", names[0], names[1], a, b)
		}
	}
	p := patient(t, Options{Language: Spanish}, mentions(Person, "Pepe Zubizarreta Oyarzun", "José Zubizarreta Oyarzun"))
	if p.Identity(Person, "Pepe Zubizarreta Oyarzun") != p.Identity(Person, "José Zubizarreta Oyarzun") {
		t.Error("Pepe and José are two")
	}
	for what, all := range map[string][]Mention{
		"other surname":   mentions(Person, "Mike Quillfeather", "Michael Delacroix"),
		"two that may be": mentions(Person, "Al Quillfeather", "Albert Quillfeather", "Alfred Quillfeather"),
		"father and son":  {{Note: "n", Sort: Person, Text: "Michael Quillfeather"}, {Note: "n", Sort: Person, Text: "Mike Quillfeather", Before: "and his son "}},
		"no nickname":     mentions(Person, "Mike Quillfeather", "Martin Quillfeather"),
	} {
		p := patient(t, Options{}, all)
		for i, a := range all {
			for _, b := range all[:i] {
				if p.Identity(Person, a.Text) == p.Identity(Person, b.Text) || must(t, p, Person, a.Text) == must(t, p, Person, b.Text) {
					t.Errorf("%s: %s and %s have become one", what, a.Text, b.Text)
				}
			}
		}
	}
}

func TestMaineWasTwoStates(t *testing.T) {
	full := regexp.MustCompile(`^[A-Z][a-z]+( [A-Za-z]+)*$`)
	for _, forms := range [][]string{{"Maine", "ME", "M.E.", "me", "MAINE"}, {"Massachusetts", "MA", "Mass.", "mass."}, {"North Carolina", "NC", "N.C.", "N. C."}, {"Ontario", "ON", "Ont."},
		{"New South Wales", "NSW", "N.S.W."}, {"West Virginia", "WV", "W.Va.", "W. Va."}} {
		p := patient(t, Options{}, mentions(State, forms...))
		whole := must(t, p, State, forms[0])
		if !full.MatchString(whole) || strings.EqualFold(whole, forms[0]) {
			t.Errorf("%s became %s", forms[0], whole)
		}
		for _, f := range forms[1:] {
			made := must(t, p, State, f)
			if p.stateIn(made) != p.stateIn(whole) {
				t.Errorf("%s became %s, but %s %s", forms[0], whole, f, made)
			}
			if p.Identity(State, f) != p.Identity(State, forms[0]) {
				t.Errorf("%s and %s are two states", f, forms[0])
			}
			if upper := f == strings.ToUpper(f); upper != (made == strings.ToUpper(made)) && len(f) != 2 && !strings.Contains(f, ".") {
				t.Errorf("%s became %s, in another case", f, made)
			}
		}
	}
	// No state is replaced with one that the notes mention in any form.
	var all []Mention
	for name := range strings.FieldsSeq("ME NH VT MA RI CT NY NJ PA OH IN IL MI WI MN IA MO ND SD NE KS DE MD VA WV NC SC GA FL") {
		all = append(all, Mention{Note: "n", Sort: State, Text: name})
	}
	p := patient(t, Options{}, all)
	for _, m := range all {
		if made := must(t, p, State, m.Text); p.places.states[p.stateIn(made)] {
			t.Errorf("%s became %s, another state of the patient's", m.Text, made)
		}
	}
	pl := patient(t, Options{}, mentions(Place, "Portland, ME", "Maine", "Boston, Mass."))
	_, abbr, _ := strings.Cut(must(t, pl, Place, "Portland, ME"), ", ")
	if pl.stateIn(abbr) != pl.stateIn(must(t, pl, Place, "Maine")) {
		t.Errorf("ME after a town became %s", abbr)
	}
}

func TestChristmasBecameRamadan(t *testing.T) {
	english := regexp.MustCompile(`(?i)^(January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}$`)
	spanish := regexp.MustCompile(`(?i)^\d{1,2} de (enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)$`)
	for lang, form := range map[Language]*regexp.Regexp{English: english, Spanish: spanish} {
		for _, table := range []string{listText("en-holidays.txt")(), listText("es-holidays.txt")()} {
			for _, h := range readHolidays(table) {
				for _, text := range []string{h.name, strings.ToUpper(h.name), strings.ToLower(h.name)} {
					p := patient(t, Options{Language: lang}, []Mention{{Note: "n", Sort: Date, Text: text}, {Note: "n", Sort: Date, Text: "2071-08-02"}})
					made, ok := p.Replace("n", Date, text)
					if !ok || !form.MatchString(made) {
						t.Errorf("%s: %q became %q", lang, text, made)
					}
					if strings.ToUpper(text) == text && strings.ToUpper(made) != made || strings.ToLower(text) == text && strings.ToLower(made) != made {
						t.Errorf("%q became %q, in another case", text, made)
					}
				}
			}
		}
	}
	// Holidays move exactly as other dates do.
	for _, c := range [][2]string{{"Christmas 2071", "December 25, 2071"}, {"Labor Day 2024", "September 2, 2024"}, {"Thanksgiving 2024", "November 28, 2024"},
		{"Easter 2024", "March 31, 2024"}, {"Good Friday 2025", "April 18, 2025"}, {"Memorial Day 2025", "May 26, 2025"}, {"MLK Day 2025", "January 20, 2025"}, {"Ramadan 2025", "February 28, 2025"}} {
		p := patient(t, Options{}, mentions(Date, c[0], c[1]))
		if a, b := must(t, p, Date, c[0]), must(t, p, Date, c[1]); a != b {
			t.Errorf("%s became %s, and %s %s", c[0], a, c[1], b)
		}
	}
	p := patient(t, Options{}, mentions(Date, "Christmas", "12/20/2071", "December 25, 2071"))
	if a, b := must(t, p, Date, "Christmas"), must(t, p, Date, "December 25, 2071"); !strings.HasPrefix(b, a+", ") {
		t.Errorf("Christmas of a note of December became %s, and its date %s", a, b)
	}
}

func TestShortOriginalsCameBack(t *testing.T) {
	lists := map[string][]string{"en-city": {"Rye Brook", "Ely", "New Ely", "Obrien Falls", "Maryann", "Quarry", "Gravel"}, "en-surname": {"Li", "Wu", "O'Brien", "Quill"}}
	p := patient(t, Options{Lists: lists}, append(mentions(City, "Rye", "ELY"), mentions(Person, "Wu", "Li", "Mary-Ann O'Brien")...))
	if a, b := must(t, p, City, "Rye"), must(t, p, City, "ELY"); !strings.EqualFold(a+b, "QuarryGravel") && !strings.EqualFold(a+b, "GravelQuarry") {
		t.Errorf("Rye and ELY became %s and %s, which repeat an original", a, b)
	}
}

// TestParticlesStay: those that are first names as well (van), and the i of Catalan, were replaced.
func TestParticlesStay(t *testing.T) {
	for _, tc := range []struct {
		lang       Language
		name, like string // a dot for each word that is replaced
	}{
		{English, "Pieter Willem van Houten", ". . van ."},
		{English, "Dr. Ruben van Dyke", "Dr. . van ."},
		{English, "Dr. ter Horst", "Dr. ter ."},
		{English, "van Houten", "van ."},
		{English, "VAN DER BERG, ANNA", "VAN DER ., ."},
		{English, "Pieter Van Houten", ". Van ."},
		{English, "Nguyen Van Lund", ". . ."},
		{English, "al lund", ". ."},
		{English, "Van Lund", ". ."},
		{Spanish, "Ludovico van Damme", ". van ."},
		{Spanish, "Núria Grau i Castellví", ". . i ."},
		{Spanish, "Dra. Grau i Castellví", "Dra. . i ."},
	} {
		p := patient(t, Options{Language: tc.lang}, mentions(Person, tc.name))
		made := must(t, p, Person, tc.name)
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(tc.like), `\.`, `(\pL+|\.)`) + "$"
		if !regexp.MustCompile(pattern).MatchString(made) {
			t.Errorf("%s became %s, want %s", tc.name, made, tc.like)
		}
	}
}

// TestTheCommaFormTellsTheFirstName: KOWALSKI MARIA on a label made Maria a surname, or a man's name of Kowalski.
func TestTheCommaFormTellsTheFirstName(t *testing.T) {
	for _, names := range [][]string{
		{"Kowalski, Maria", "KOWALSKI MARIA", "KOWALSKI MARIA"},
		{"Kowalski, Maria Anna", "KOWALSKI MARIA", "Kowalski Maria"},
		{"Lundqvist, Pal", "LUNDQVIST PAL", "LUNDQVIST PAL"},
	} {
		p := patient(t, Options{}, mentions(Person, names...))
		made := strings.FieldsFunc(must(t, p, Person, names[0]), func(r rune) bool { return r == ',' || r == ' ' })
		gender := p.known.genderIn(p.lang, fold(made[1]))
		if woman := !strings.Contains(names[0], "Pal"); woman && gender < 0 || !woman && gender > 0 || !p.known.surname[fold(made[0])] {
			t.Errorf("%s became %v", names[0], made)
		}
		for _, name := range names[1:] {
			if got := must(t, p, Person, name); fold(got) != fold(made[0]+" "+made[1]) {
				t.Errorf("%s became %s beside %v", name, got, made)
			}
		}
	}
}

// TestAbbreviatedSurnamesAreThoseOfTheSamePerson: Fdez. and Fernández got different surrogates.
func TestAbbreviatedSurnamesAreThoseOfTheSamePerson(t *testing.T) {
	for short, full := range map[string]string{"Fdez.": "Fernández", "Fdz.": "Fernández", "Mtez.": "Martínez", "Glez.": "González", "Gzlez": "González", "Hdez.": "Hernández",
		"Rdguez.": "Rodríguez", "Rguez.": "Rodríguez", "Pz.": "Pérez", "Sz.": "Sánchez", "Dguez.": "Domínguez"} {
		p := patient(t, Options{Language: Spanish}, mentions(Person, "Juan "+short+" Lozano", full+" Lozano", "LOZANO "+strings.ToUpper(short)))
		whole, surnames := must(t, p, Person, "Juan "+short+" Lozano"), must(t, p, Person, full+" Lozano")
		if !strings.HasSuffix(whole, " "+surnames) || strings.Count(whole, " ") != 2 {
			t.Errorf("%s became %s beside %s for %s", short, whole, surnames, full)
		}
	}
}

// TestInitialsOfTypistsStayInitials: those in lower case became surnames.
func TestInitialsOfTypistsStayInitials(t *testing.T) {
	doctor := Mention{Note: "a", Sort: Person, Text: "Sunniva Aldridge"}
	for _, tc := range []struct {
		before, text, want string
	}{
		{"SA/", "mmt", `^[a-z]{3}$`},
		{"[TWN/", "kb", `^[a-z]{2}$`},
		{"SA/", "mae", `^[a-z]{3}$`},
		{"", "kb", `^[a-z]{2}$`},
		{"", "SA/mmt", `^[A-Z]{2}/[a-z]{3}$`},
		{"", "TWN:mae", `^[A-Z]{3}:[a-z]{3}$`},
		{"", "mae", `^[a-z]{4,}$`}, // a first name
	} {
		p := patient(t, Options{}, []Mention{doctor, {Note: "a", Sort: Person, Text: tc.text, Before: tc.before}})
		if made := must(t, p, Person, tc.text); !regexp.MustCompile(tc.want).MatchString(made) {
			t.Errorf("%s%s became %s", tc.before, tc.text, made)
		}
	}
	p := patient(t, Options{}, []Mention{doctor, {Note: "a", Sort: Person, Text: "SA/mmt"}})
	words := strings.Fields(must(t, p, Person, doctor.Text))
	if made := must(t, p, Person, "SA/mmt"); !strings.HasPrefix(made, words[0][:1]+words[1][:1]+"/") {
		t.Errorf("SA/mmt became %s beside %v", made, words)
	}
}

// Sean O'Brien was Sidney Courtenay, and OBRIEN, SEAN was WHARTON, SIDNEY.
func TestApostrophesMadeAnotherSurname(t *testing.T) {
	p := patient(t, Options{}, mentions(Person, "Sean O'Brien", "OBRIEN, SEAN", "OBrien", "O’Brien", "Ada D'Angelo", "DANGELO"))
	for _, names := range [][]string{{"Sean O'Brien", "OBRIEN, SEAN", "OBrien", "O’Brien"}, {"Ada D'Angelo", "DANGELO"}} {
		surname := ""
		for _, name := range names {
			words := strings.FieldsFunc(strings.ToLower(must(t, p, Person, name)), func(r rune) bool { return r == ' ' || r == ',' })
			made := words[len(words)-1]
			if strings.Contains(name, ",") {
				made = words[0]
			}
			if made = strings.NewReplacer("'", "", "’", "").Replace(made); surname == "" {
				surname = made
			}
			if made != surname {
				t.Errorf("%s becomes %s, want the surname %s", name, made, surname)
			}
		}
	}
}

// TestSurnameThatIsAFirstNameToo: Ms. Roy became Ms. Debra, daughter Jo became daughter Townsend, and Dra. Batlle Zubiri a first name.
func TestSurnameThatIsAFirstNameToo(t *testing.T) {
	for _, tc := range []struct {
		lang                Language
		before, text, roles string // g for a first name, f for a surname
	}{
		{English, "Ms. ", "Roy", "f"}, {English, "", "Ms. Roy", "f"}, {English, "Mrs. ", "Grace", "f"}, {English, "Dr. ", "Thomas", "f"}, {English, "Dear Dr ", "Vasanth", "f"},
		{English, "daughter ", "Jo", "g"}, {English, "her daughter, ", "Bev", "g"}, {English, "Son ", "Palmer", "g"}, {English, "wife's name is ", "Dee", "g"}, {English, "her partner ", "Gaz", "g"},
		{English, "her son Dr. ", "Palmer", "f"}, {English, "baby girl ", "Quillfeather", "f"}, {English, "Twin ", "Quillfeather", "f"}, {English, "parents ", "Quillfeather", "f"},
		{English, "mother of ", "Quillfeather", "f"}, {English, "her daughter. ", "Quillfeather", "f"}, {English, "", "daughter Jo", "g"}, {English, "", "daughter Jo Quillfeather", "gf"},
		{English, "daughter ", "Mary Beth", "gg"}, {English, "Hi ", "Ruth Ann", "gg"}, {English, "", "Tammy-Lynn", "gg"}, {English, "", "Mary Beth Quillfeather", "ggf"},
		{Spanish, "Dra. ", "Batlle Zubiri", "ff"}, {Spanish, "", "Dra. Batlle Zubiri", "ff"}, {Spanish, "Sr. ", "Huamán", "f"}, {Spanish, "Dra. ", "Carmen Zubiri", "gf"},
		{Spanish, "Don ", "Pablo", "g"}, {Spanish, "", "doña Flory", "g"}, {Spanish, "Don ", "García", "f"}, {Spanish, "", "Sra. Carmen", "g"},
		{Spanish, "su primo ", "Airam", "g"}, {Spanish, "", "hermano Kepa", "g"}, {Spanish, "hija de ", "García", "f"}, {Spanish, "padres ", "Zubizarreta", "f"},
	} {
		p := patient(t, Options{Language: tc.lang}, []Mention{{Note: "n", Sort: Person, Text: tc.text, Before: tc.before}})
		given, surname := p.list("given"), p.list("surname")
		made := strings.FieldsFunc(must(t, p, Person, tc.text), func(r rune) bool { return r == ' ' || r == '-' })
		made = made[max(0, len(made)-len(tc.roles)):]
		for i, word := range made {
			word = strings.ToUpper(word[:1]) + word[1:]
			ok := surname.has(word)
			if tc.roles[i] == 'g' {
				ok = given.has(word) || p.list("unisex").has(word)
			}
			if !ok {
				t.Errorf("%s[%s] became %v, want %s", tc.before, tc.text, made, tc.roles)
			}
		}
	}
	p := patient(t, Options{}, []Mention{{Note: "n", Sort: Person, Text: "Roy Quillfeather"}, {Note: "n", Sort: Person, Text: "Roy", Before: "Mr. "}})
	if full, alone := must(t, p, Person, "Roy Quillfeather"), must(t, p, Person, "Roy"); !strings.HasPrefix(full, alone+" ") || genderIn(p.Maker, alone) != -1 {
		t.Errorf("Roy of %s became %s behind a title", full, alone)
	}
}

// TestWidowBecameASurname: ROSA PEREZ VDA. DE GOMEZ became SANDRA PRADO RODRIGO. DE MACÍAS.
func TestWidowBecameASurname(t *testing.T) {
	for _, tc := range []struct{ text, like string }{ // a dot for each word that is replaced
		{"ROSA ZUBI VDA. DE OYARZUN", `(\pL+) \pL+ VDA\. DE \pL+`}, {"Rosa Zubi Vda de Oyarzun", `(\pL+) \pL+ Vda de \pL+`}, {"Rosa Zubi Lasa viuda de Oyarzun", `(\pL+) \pL+ \pL+ viuda de \pL+`},
		{"Vda. de Oyarzun", `Vda\. de \pL+`},
	} {
		p := inSpanish(t, mentions(Person, tc.text)...)
		if got := must(t, p, Person, tc.text); !regexp.MustCompile("^"+tc.like+"$").MatchString(got) || strings.Contains(strings.ToLower(got), "oyarzun") {
			t.Errorf("%s became %s", tc.text, got)
		}
	}
	p := inSpanish(t, mentions(Person, "Itxaron Zubi viuda de Oyarzun")...)
	if got := strings.Fields(must(t, p, Person, "Itxaron Zubi viuda de Oyarzun")); genderIn(p.Maker, got[0]) != 1 {
		t.Errorf("a widow became %v", got)
	}
}

// TestParticleBetweenFirstNames: María de los Ángeles became Encarnación de los Obdulia.
func TestParticleBetweenFirstNames(t *testing.T) {
	p := inSpanish(t, mentions(Person, "María de los Ángeles Zubi Lasa", "M.ª Ángeles Zubi Lasa", "MARIA DEL CARMEN ZUBI", "Juan de Dios Zubi Lasa", "María de la O Zubi Lasa", "Ana de la Torre Vega")...)
	for text, want := range map[string]string{
		"María de los Ángeles Zubi Lasa": `^\pL+ \pL+ \pL+ \pL+$`, "MARIA DEL CARMEN ZUBI": `^\pL+ \pL+ \pL+$`, "Juan de Dios Zubi Lasa": `^\pL+ \pL+ \pL+ \pL+$`,
		"María de la O Zubi Lasa": `^\pL+ \pL \pL+ \pL+$`, "Ana de la Torre Vega": `^\pL+ de la \pL+ \pL+$`,
	} {
		if got := must(t, p, Person, text); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s became %s", text, got)
		}
	}
	if a, b := must(t, p, Person, "María de los Ángeles Zubi Lasa"), must(t, p, Person, "M.ª Ángeles Zubi Lasa"); a != b {
		t.Errorf("one woman became %s and %s", a, b)
	}
}

// TestPatientsOfAnotherGender: la paciente Loreto became Rafael, and Licda. and Usuaria: said nothing.
func TestPatientsOfAnotherGender(t *testing.T) {
	for _, tc := range []struct {
		before, text string
		want         int
	}{
		{"La paciente ", "Loreto Zubi Lasa", 1}, {"El paciente ", "Loreto Zubi Lasa", -1}, {"Usuaria: ", "Itxaron Zubi Lasa", 1}, {"", "Licda. Itxaron Zubi Lasa", 1}, {"", "Lcdo. Illariq Zubi Lasa", -1},
		{"Nombre del paciente: ", "Rosa Zubi Lasa", 1}, {"El paciente ", "Rosa Zubi Lasa", 1}, // generic
	} {
		p := inSpanish(t, Mention{Note: "n", Sort: Person, Text: tc.text, Before: tc.before})
		made := strings.Fields(must(t, p, Person, tc.text))
		if g := genderIn(p.Maker, made[len(made)-3]); g != tc.want {
			t.Errorf("%s[%s] became %v, gender %d", tc.before, tc.text, made, g)
		}
	}
}

// TestRelativeBecameAName: hermano Kepa became virgilio Jenaro.
func TestRelativeBecameAName(t *testing.T) {
	for _, tc := range []struct {
		lang       Language
		sort       Sort
		text, want string
	}{
		{Spanish, Person, "hermano Kepa", `^hermano \p{Lu}\pL+$`}, {Spanish, Person, "primo Airam Zubi", `^primo \p{Lu}\pL+ \p{Lu}\pL+$`}, {English, Person, "sister Jo Quillfeather", `^sister \p{Lu}\pL+ \p{Lu}\pL+$`},
		{Spanish, Family, "hermano Kepa", `^\p{Ll}+o \p{Lu}\pL+$`}, {Spanish, Family, "su hija Itxaron Zubi", `^su (\p{Ll}+a|madre) \p{Lu}\pL+ \p{Lu}\pL+$`}, {Spanish, Family, "Hermana Nerea", `^(\p{Lu}\p{Ll}+a|Madre) \p{Lu}\pL+$`},
		{Spanish, Person, "primo vega", `^\p{Ll}+ \p{Ll}+$`}, // may be a name
	} {
		got := must(t, patient(t, Options{Language: tc.lang}, mentions(tc.sort, tc.text)), tc.sort, tc.text)
		if !regexp.MustCompile(tc.want).MatchString(got) || strings.Contains(tc.text, got[strings.LastIndex(got, " ")+1:]) {
			t.Errorf("%s %s became %s", tc.sort, tc.text, got)
		}
	}
	p := inSpanish(t, Mention{Note: "n", Sort: Family, Text: "Mo", Before: "su hermano "})
	if got := must(t, p, Family, "Mo"); got == "Mo" {
		t.Error("the brother Mo stayed, like months")
	}
}

// TestCouplesBecameOnePerson: Ana y Pedro became Alba Tecla, and the van of Peter van Marie went, but not that of Dr. van Marie.
func TestCouplesBecameOnePerson(t *testing.T) {
	for _, tc := range []struct {
		lang      Language
		text, has string
	}{
		{Spanish, "Ana y Pedro", " y "}, {Spanish, "Rosa e Ignacio Zubi", " e "}, {Spanish, "Sres. Juan y Carmen Zubi", " y "}, {Spanish, "Ana, Pedro y Luis", " y "},
		{English, "Mary and John Lund", " and "}, {English, "Peter van Marie", " van "}, {English, "Peter von Rose", " von "}, {English, "Peter du Paul", " du "},
	} {
		if got := must(t, patient(t, Options{Language: tc.lang}, mentions(Person, tc.text)), Person, tc.text); !strings.Contains(got, tc.has) {
			t.Errorf("%s became %s", tc.text, got)
		}
	}
}

// TestSurnameViudaStayed: the surname is no particle, unless de follows.
func TestSurnameViudaStayed(t *testing.T) {
	for _, text := range []string{"Martín Viuda Zubi", "Rosa Viuda", "Ana Zubi Viudo", "VIUDA ZUBI, ANA", "Rosa viuda Zubi"} {
		if got := must(t, inSpanish(t, mentions(Person, text)...), Person, text); strings.Contains(fold(got), "viud") {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestLoginsWithParticlesWereOthers: in a login, a surname with particles was another person.
func TestLoginsWithParticlesWereOthers(t *testing.T) {
	for _, tc := range []struct {
		name  string
		texts []string
	}{
		{"Oda van der Berg", []string{"ovanderberg", "vanderbergo", "oda.vanderberg", "odavanderberg", "ovdberg"}},
		{"Maria De la Cruz", []string{"mdelacruz", "delacruzm", "maria.delacruz"}}, {"Kim St. John", []string{"kstjohn", "stjohnk", "kim_stjohn"}},
	} {
		p := patient(t, Options{}, append(mentions(Person, tc.name), mentions(Username, tc.texts...)...))
		made := strings.Fields(must(t, p, Person, tc.name))
		was := strings.Fields(tc.name)
		first, last := strings.ToLower(made[0]), strings.ToLower(made[len(made)-1])
		for _, text := range tc.texts {
			want := strings.Replace(text, strings.ToLower(was[len(was)-1]), last, 1)
			if full := strings.ToLower(was[0]); strings.Contains(text, full) {
				want = strings.Replace(want, full, first, 1)
			} else if strings.HasPrefix(text, full[:1]) {
				want = first[:1] + want[1:]
			} else if strings.HasSuffix(text, full[:1]) {
				want = want[:len(want)-1] + first[:1]
			}
			if got := must(t, p, Username, text); got != want {
				t.Errorf("%s is %q, but %s %q, want %q", tc.name, made, text, got, want)
			}
		}
	}
}

// TestFirstNamesLikeTitlesStayed: the first names of Dona Melson, Junior Lund and Del Lund stayed like titles and particles, and the particle of Van Leeuwen was another first name.
func TestFirstNamesLikeTitlesStayed(t *testing.T) {
	for _, tc := range []struct {
		lang  Language
		texts []string
		left  string // what may not be left
		kept  string // what must be left
	}{
		{English, []string{"Dona Melson", "MELSON, DONA", "Ms. Melson", "Dona"}, "dona", ""}, {English, []string{"Dona Melson"}, "dona", ""},
		{English, []string{"Junior Lund", "LUND, JUNIOR", "Junior"}, "junior", ""}, {English, []string{"Junior Lund"}, "junior", ""}, {English, []string{"LUND, JUNIOR M"}, "junior", ""},
		{English, []string{"Del Lund", "LUND, DEL"}, "del", ""}, {English, []string{"Del Lund", "LUND, DEL. Del"}, "del", ""}, {English, []string{"Von Miller", "MILLER, VON R."}, "von", ""}, {English, []string{"Von Miller", "Von"}, "von", ""},
		{Spanish, []string{"Junior Vega Ruiz", "Junior"}, "junior", ""}, {Spanish, []string{"VEGA, DONA"}, "dona", ""},
		{English, []string{"Stavros van Leeuwen", "van Leeuwen"}, "", "van"}, {English, []string{"Stavros van Leeuwen", "Van Leeuwen"}, "", "van"},
		{English, []string{"Stavros van Leeuwen", "VAN LEEUWEN, STAVROS"}, "", "van"}, {English, []string{"Jan Van Dyke", "Dr. Van Dyke"}, "", "van"}, {English, []string{"Jan Van Dyke", "J. Van Dyke"}, "", "van"},
		{English, []string{"Peter Lund, Junior"}, "", "junior"}, {English, []string{"Peter Lund Junior"}, "", "junior"}, {Spanish, []string{"Doña Rosa Vega"}, "", "dona"}, {English, []string{"Doña Rosa Vega"}, "", "dona"},
		{English, []string{"Rosa Del Toro", "Del Toro"}, "", "del"}, {Spanish, []string{"Ana del Castillo", "Del Castillo"}, "", "del"},
	} {
		p := patient(t, Options{Language: tc.lang}, mentions(Person, tc.texts...))
		lasts := map[string]bool{}
		for _, text := range tc.texts {
			made := must(t, p, Person, text)
			words := wordsOf(made)
			if tc.left != "" && slices.Contains(words, tc.left) || tc.kept != "" && !slices.Contains(words, tc.kept) {
				t.Errorf("%v: %q became %q", tc.texts, text, made)
			}
			if before, _, ok := strings.Cut(made, ","); ok {
				words = wordsOf(before)
			}
			if tc.kept != "" {
				lasts[words[len(words)-1]] = true
			}
		}
		if len(lasts) > 1 {
			t.Errorf("%v became %d persons", tc.texts, len(lasts))
		}
	}
}

// TestFirstNamesLikeTitlesAreOne: the name has one surrogate in all its forms.
func TestFirstNamesLikeTitlesAreOne(t *testing.T) {
	p := patient(t, Options{}, mentions(Person, "Dona Melson", "MELSON, DONA", "Ms. Melson", "Dona"))
	first, last, _ := strings.Cut(must(t, p, Person, "Dona Melson"), " ")
	for text, want := range map[string]string{"MELSON, DONA": strings.ToUpper(last + ", " + first), "Ms. Melson": "Ms. " + last, "Dona": first} {
		if made := must(t, p, Person, text); made != want {
			t.Errorf("%q became %q, want %q", text, made, want)
		}
	}
}

// TestGenderByTitleAndDoubleName: a title before the surname alone did not count against the lists, and Jean-Paul was a woman.
func TestGenderByTitleAndDoubleName(t *testing.T) {
	behind := func(before, text string) Mention { return Mention{Note: "a", Sort: Person, Before: before, Text: text} }
	for _, tc := range []struct {
		all  []Mention
		name string
		want int
	}{
		{[]Mention{behind("", "Ashley Lund"), behind("Mr. ", "Lund")}, "Ashley", -1}, {[]Mention{behind("", "Ashley Lund"), behind("", "Mr. Lund")}, "Ashley", -1},
		{[]Mention{behind("", "Peter Lund"), behind("his wife, Mrs. ", "Lund")}, "Peter", -1}, {[]Mention{behind("", "Peter Lund"), behind("", "Ashley Lund"), behind("Mr. ", "Lund")}, "Ashley", 1},
		{mentions(Person, "Jean-Paul Lund"), "Jean", -1}, {mentions(Person, "Jean-Luc Lund"), "Jean", -1}, {mentions(Person, "Jean-Marie Lund"), "Jean", -1}, {mentions(Person, "Jan-Willem Lund"), "Jan", -1},
		{mentions(Person, "Jean Lund"), "Jean", 1}, {mentions(Person, "Jean-Ann Lund"), "Jean", 1},
	} {
		p := patient(t, Options{}, tc.all)
		if got := p.names.genderOf(fold(tc.name)); got*tc.want <= 0 {
			t.Errorf("%v: the gender of %s is %d", tc.all, tc.name, got)
		}
	}
}

// TestSanInLowerCaseStayed: San Martín and san martín were two surnames.
func TestSanInLowerCaseStayed(t *testing.T) {
	for _, name := range []string{"María López San Martín", "Juan San José", "Ana San Román Vega"} {
		p := inSpanish(t, mentions(Person, name, strings.ToLower(name))...)
		if made, lower := must(t, p, Person, name), must(t, p, Person, strings.ToLower(name)); lower != strings.ToLower(made) {
			t.Errorf("%q became %q, and in lower case %q", name, made, lower)
		}
	}
}

// TestKnownNameTypedAsARelative: the names of a patient became the tag if the tagger took them for those of a relative.
func TestKnownNameTypedAsARelative(t *testing.T) {
	p := inSpanish(t, append(mentions(Person, "Ana Vega Ruiz"), mentions(Family, "Sra. Vega Ruiz", "Vega", "Sra. Vega Soler")...)...)
	name := must(t, p, Person, "Ana Vega Ruiz")
	_, surnames, _ := strings.Cut(name, " ")
	if made := must(t, p, Family, "Sra. Vega Ruiz"); made != "Sra. "+surnames {
		t.Errorf("%q is %q, but the relative became %q", "Ana Vega Ruiz", name, made)
	}
	if made, ok := p.Replace("a", Family, "Sra. Vega Soler"); ok {
		t.Errorf("an unknown name became %q", made)
	}
}

// TestInitialsThatSpellAName: the MA of MA Young was a first name, and a login typed as a name a misspelling.
func TestInitialsThatSpellAName(t *testing.T) {
	p := patient(t, Options{}, append(mentions(Person, "Margaret Ann Young", "MA Young", "Peter Amundsen", "Dr. Amundsen", "amundsenp", "William O'Brien", "wobrien", "Dr. O'Brien"), mentions(IP, "00:1A:2B:3C:4D:5E")...))
	full := strings.Fields(must(t, p, Person, "Margaret Ann Young"))
	other := strings.Fields(must(t, p, Person, "Peter Amundsen"))
	third := strings.Fields(must(t, p, Person, "William O'Brien"))
	for text, want := range map[string]string{
		"MA Young": full[0][:1] + full[1][:1] + " " + full[2], "amundsenp": strings.ToLower(other[1] + other[0][:1]), "wobrien": strings.ToLower(third[0][:1] + third[1]),
	} {
		if made := must(t, p, Person, text); made != want {
			t.Errorf("%q became %q, want %q", text, made, want)
		}
	}
	if made := must(t, p, IP, "00:1A:2B:3C:4D:5E"); made != strings.ToUpper(made) {
		t.Errorf("an address in capitals became %q", made)
	}
}
