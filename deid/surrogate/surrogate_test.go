package surrogate

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var key = []byte("a key of sixteen")

func mentions(sort Sort, texts ...string) []Mention {
	var all []Mention
	for _, text := range texts {
		all = append(all, Mention{Note: "a", Sort: sort, Text: text})
	}
	return all
}

// in returns a Maker for notes in a language.
func in(lang Language) *Maker {
	m, err := New(Options{Language: lang, Key: key})
	if err != nil {
		panic(err)
	}
	return m
}

func patient(t *testing.T, opt Options, all []Mention) *Patient {
	t.Helper()
	opt.Key = key
	m, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return m.Patient("p", all)
}

func must(t *testing.T, p *Patient, sort Sort, text string) string {
	t.Helper()
	s, ok := p.Replace("a", sort, text)
	if !ok {
		t.Fatalf("%s %q: understood %v", sort, text, ok)
	}
	return s
}

// TestOnePersonInEveryForm builds each form of the surrogate from that of the full name.
func TestOnePersonInEveryForm(t *testing.T) {
	all := mentions(Person, "Oda Maria Amundsen", "Amundsen, Oda", "AMUNDSEN,ODA", "oda amundsen", "O. Amundsen", "O.M.A.", "OMA", "Oda M. Amundsen", "Amundsen",
		"Amundsen", "Amunden", "Amunsden", "Mrs. Amundsen", "Per Amundsen", "Oda Amundsen-Lund", "Dr. Amundsen")
	all = append(all, mentions(Email, "oamundsen7@gmail.com", "oda.amundsen@lund.no")...)
	all = append(all, mentions(Username, "oamundsen")...)
	p := patient(t, Options{}, all)
	full := strings.Fields(must(t, p, Person, "Oda Maria Amundsen"))
	first, middle, last := full[0], full[1], full[2]
	for text, want := range map[string]string{
		"Amundsen, Oda": last + ", " + first, "AMUNDSEN,ODA": strings.ToUpper(last + "," + first), "oda amundsen": strings.ToLower(first + " " + last),
		"O. Amundsen": first[:1] + ". " + last, "O.M.A.": first[:1] + "." + middle[:1] + "." + last[:1] + ".", "OMA": first[:1] + middle[:1] + last[:1],
		"Oda M. Amundsen": first + " " + middle[:1] + ". " + last, "Amundsen": last, "Mrs. Amundsen": "Mrs. " + last, "Dr. Amundsen": "Dr. " + last,
	} {
		if got := must(t, p, Person, text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if !p.known.female[fold(first)] || !p.known.female[fold(middle)] {
		t.Errorf("%s %s is no woman's name", first, middle)
	}
	per := must(t, p, Person, "Per Amundsen")
	if f, l, _ := strings.Cut(per, " "); !p.known.male[fold(f)] || l != last {
		t.Errorf("Per Amundsen became %q, want a man's name and %s", per, last)
	}
	for text, kind := range map[string]slip{"Amunden": omitted, "Amunsden": swapped} {
		if got := must(t, p, Person, text); compareWords(last, got) == noSlip || kind == omitted && len(got) != len(last)-1 {
			t.Errorf("%q became %q, want %q misspelt alike", text, got, last)
		}
	}
	login := strings.ToLower(first[:1] + last)
	if got := must(t, p, Username, "oamundsen"); got != login {
		t.Errorf("the login became %q, want %q", got, login)
	}
	if got := must(t, p, Email, "oamundsen7@gmail.com"); !strings.HasPrefix(got, login) || !strings.HasSuffix(got, "@gmail.com") || len(got) != len(login+"7@gmail.com") {
		t.Errorf("the address became %q", got)
	}
	if got := must(t, p, Email, "oda.amundsen@lund.no"); !strings.HasPrefix(got, strings.ToLower(first+"."+last)+"@") || strings.Contains(got, "lund") {
		t.Errorf("the address became %q", got)
	}
	for _, pair := range [][2]string{{"Oda Maria Amundsen", "O. Amundsen"}, {"Oda Maria Amundsen", "AMUNDSEN,ODA"}, {"Oda Maria Amundsen", "Oda M. Amundsen"}} {
		if p.Identity(Person, pair[0]) != p.Identity(Person, pair[1]) {
			t.Errorf("%q and %q are two", pair[0], pair[1])
		}
	}
	if p.Identity(Person, "Oda Amundsen") == p.Identity(Person, "Per Amundsen") {
		t.Error("Oda and Per are one")
	}
}

func TestSpanishNames(t *testing.T) {
	p := patient(t, Options{Language: Spanish}, mentions(Person, "María del Carmen Ruiz de la Torre", "Pablo Núñez Vega", "Núñez Vega, Pablo", "NUÑEZ", "D. Pablo Núñez",
		"Dra. Vega", "Ana Lía Gómez Sáez", "Núñez Vega"))
	pablo := strings.Fields(must(t, p, Person, "Pablo Núñez Vega"))
	if !p.known.male[fold(pablo[0])] {
		t.Errorf("Pablo became %s", pablo[0])
	}
	for text, want := range map[string]string{
		"Núñez Vega, Pablo": pablo[1] + " " + pablo[2] + ", " + pablo[0], "NUÑEZ": strings.ToUpper(pablo[1]), "D. Pablo Núñez": "D. " + pablo[0] + " " + pablo[1],
		"Dra. Vega": "Dra. " + pablo[2], "Núñez Vega": pablo[1] + " " + pablo[2],
	} {
		if got := must(t, p, Person, text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	maria := strings.Fields(must(t, p, Person, "María del Carmen Ruiz de la Torre"))
	if len(maria) != 6 || maria[3] != "de" || maria[4] != "la" || !p.known.female[fold(maria[0])] || !p.known.female[fold(maria[1])] { // del fits few names
		t.Errorf("María del Carmen became %v", maria)
	}
}

// TestSurnamesUnderTheirLabelBecameFirstNames: "Apellidos: Quintanar Belloch" became a first name and a surname.
func TestSurnamesUnderTheirLabelBecameFirstNames(t *testing.T) {
	for _, tc := range []struct {
		first, last string // under Nombre: and Apellidos:; the one may be missing
		roles       string // g or f for each word
	}{
		{"", "Quintanar Belloch", "ff"}, {"", "Quintanar", "f"}, {"", "de la Torre Belloch", "ff"}, {"", "Ruiz de la Torre Belloch", "fff"}, {"", "Marina", "f"},
		{"", "Marina Alonso", "ff"}, {"Zuriñe", "Quintanar Belloch", "gff"}, {"Zuriñe Maialen", "Quintanar", "ggf"}, {"Zuriñe", "Marina", "gf"},
		{"Marina", "Quintanar i Belloch", "gff"}, {"Zuriñe", "", "g"}, {"Pablo Quintanar", "", "gf"}, {"Pablo Quintanar Belloch", "", "gff"},
		{"Belloch", "MARTÍN MARTÍN", "gff"},
	} {
		var all []Mention
		for label, text := range map[string]string{"Datos. Nombre: ": tc.first, "Apellidos : ": tc.last} {
			if text != "" {
				all = append(all, Mention{Note: "a", Sort: Person, Text: text, Before: label})
			}
		}
		p := patient(t, Options{Language: Spanish}, all)
		got := ""
		for _, text := range []string{tc.first, tc.last} {
			if text == "" {
				continue
			}
			s := must(t, p, Person, text)
			tokens, _ := p.names.parse(s)
			for _, t := range tokens {
				switch {
				case t.kind != nameWord:
				case p.known.surname[t.word] && !p.known.given(t.word):
					got += "f"
				case p.known.given(t.word) && !p.known.surname[t.word]:
					got += "g"
				default:
					got += "?"
				}
			}
		}
		for i, r := range got {
			if r != '?' && i < len(tc.roles) && byte(r) != tc.roles[i] || len(got) != len(tc.roles) {
				t.Errorf("Nombre: %s Apellidos: %s came out as %s, want %s", tc.first, tc.last, got, tc.roles)
				break
			}
		}
	}
	for before, want := range map[string]label{
		"Apellidos: ": lastLabel, "1er Apellido:": lastLabel, "APELLIDOS\t": lastLabel, "Nombre: ": firstLabel, "Nombre y apellidos: ": noLabel, "Apellidos y nombre: ": noLabel,
		"Last name - ": lastLabel, "renombre: ": noLabel, "": noLabel, "sus apellidos son ": noLabel,
	} {
		if got := builtin().words.labelOf(before); got != want {
			t.Errorf("%q is read as %v, want %v", before, got, want)
		}
	}
}

// TestPartsUnderLabelsAreOnePerson: the initials, logins and number of the parts are those of the whole name.
func TestPartsUnderLabelsAreOnePerson(t *testing.T) {
	all := []Mention{{Note: "a", Sort: Person, Text: "Zuriñe", Before: "Nombre: "}, {Note: "a", Sort: Person, Text: "Quintanar Belloch", Before: "Apellidos: "},
		{Note: "a", Sort: Email, Text: "zquintanar@gmail.com"}, {Note: "b", Sort: Person, Text: "Z. Quintanar"}, {Note: "b", Sort: Person, Text: "ZQB"}}
	p := patient(t, Options{Language: Spanish}, all)
	first, last := must(t, p, Person, "Zuriñe"), strings.Fields(must(t, p, Person, "Quintanar Belloch"))
	initial := firstLetter(first)
	for _, tc := range []struct {
		sort       Sort
		text, want string
	}{
		{Person, "Z. Quintanar", initial + ". " + last[0]}, {Person, "ZQB", fold(initial + firstLetter(last[0]) + firstLetter(last[1]))},
		{Email, "zquintanar@gmail.com", fold(initial+last[0]) + "@gmail.com"},
	} {
		if got := must(t, p, tc.sort, tc.text); got != tc.want && fold(got) != tc.want {
			t.Errorf("%q became %q, want %q", tc.text, got, tc.want)
		}
	}
	for _, text := range []string{"Zuriñe", "Quintanar Belloch", "Belloch", "Z. Quintanar", "QUINTANAR BELLOCH, ZURIÑE"} {
		if got, want := p.Identity(Person, text), p.Identity(Person, "Zuriñe Quintanar Belloch"); got != want {
			t.Errorf("%q is another person: %q, %q", text, got, want)
		}
	}
}

// TestOneDateInTwoForms: two forms of a date have the same identity, other dates another.
func TestOneDateInTwoForms(t *testing.T) {
	p := patient(t, Options{}, mentions(Date, "03/04/2071"))
	for _, same := range [][]string{
		{"03/04/2071", "3/4/71", "March 4, 2071", "4 Mar 2071", "2071-03-04", "20710304", "04MAR2071", "Wednesday, March 4th, 2071", "4 de marzo de 2071", "3-4-71"},
		{"03/2071", "March 2071", "MARCH of 2071", "2071-03"}, {"3/4", "March 4", "the 4th of March", "03/04"}, {"2071", "the 2071"}, {"Monday", "Mon"},
		{"1/2/71-1/5/71", "January 2 - January 5, 2071", "January 2-5, 2071", "2 to 5 January 2071"}, {"January 2 and 5, 2071", "1/2/2071, 1/5/2071"},
		{"Christmas", "CHRISTMAS"}, {"winter of 2071", "winter 2071"},
	} {
		for _, text := range same[1:] {
			if a, b := p.Identity(Date, same[0]), p.Identity(Date, text); a != b {
				t.Errorf("%q and %q are two: %q, %q", same[0], text, a, b)
			}
		}
	}
	different := []string{"03/04/2071", "04/03/2071", "03/04/2072", "03/2071", "3/4", "2071", "early 2071", "Monday", "1/2/71-1/5/71", "1/2/71, 1/5/71", "03/04/2071 10:30",
		"03/04/2071 11:30", "1980s", "1980", "winter of 2071", "winter", "the 4th", "Christmas"}
	for i, a := range different {
		for _, b := range different[i+1:] {
			if p.Identity(Date, a) == p.Identity(Date, b) {
				t.Errorf("%q and %q are one", a, b)
			}
		}
	}
	for _, tc := range []struct {
		a, b string
		same bool
	}{{"03/04/2071", "March 4, 2071", true}, {"03/04/71", "March 4, 2071", false}, {"3/4/71", "Mar 4, 71", true}} {
		if (p.Maker.Identity(Date, tc.a) == p.Maker.Identity(Date, tc.b)) != tc.same {
			t.Errorf("of no patient, %q and %q: want one %v", tc.a, tc.b, tc.same)
		}
	}
	for _, tc := range []struct {
		sort Sort
		a, b string
	}{{Phone, "(617) 555-0123", "617.555.0123"}, {Phone, "tel. 617 555 0123", "6175550123"}, {Number, "MRN 12-34/b", "1234B"}} {
		if p.Identity(tc.sort, tc.a) != p.Identity(tc.sort, tc.b) || p.Maker.Identity(tc.sort, tc.a) != p.Maker.Identity(tc.sort, tc.b) {
			t.Errorf("%q and %q are two", tc.a, tc.b)
		}
	}
}

func TestScripts(t *testing.T) {
	p := patient(t, Options{}, mentions(Person, "Анна Петрова", "Ελένη Παππά", "王小明", "김철수", "ליאור כהן"))
	for _, text := range []string{"Анна Петрова", "Ελένη Παππά", "王小明", "김철수", "ליאור כהן"} {
		got := must(t, p, Person, text)
		a, _ := script(text)
		for _, r := range got {
			if b, ok := script(string(r)); ok && a != b {
				t.Errorf("%q became %q, of another script", text, got)
			}
		}
		if got == text {
			t.Errorf("%q stays", text)
		}
	}
	if got, ok := p.Replace("a", Person, "राम"); ok {
		t.Errorf("a script without lists: %q", got)
	}
}

func TestAges(t *testing.T) {
	for text, want := range map[string]string{
		"45": "45", "89": "89", "90": "90+", "93": "90+", "101 years": "90+ years", "93-year-old": "90+-year-old", "ninety-three": "ninety or more",
		"Ninety three years": "Ninety or more years", "one hundred and two": "ninety or more", "eighty-nine": "eighty-nine", "noventa y tres años": "noventa o más años",
		"97 años": "90+ años", "95 meses": "95 meses", "100 days": "100 days", "80s": "80s", "60-65": "60-65", "88-92": "88-90+", "4 1/2": "4 1/2",
		"tres años y diez meses": "tres años y diez meses", "9 y 9 meses de edad": "9 y 9 meses de edad", "cien años": "noventa o más años",
	} {
		if got, ok := in(English).age(text); got != want || !ok {
			t.Errorf("%q became %q, %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"Lund", "45 Lund", "décima década", "1944", "", "-", "44 @"} {
		if got, ok := in(English).age(text); ok {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestNinetiesStayed: of ages over 89 a decade stayed, and the fraction or the months of one that became 90+.
func TestNinetiesStayed(t *testing.T) {
	for text, want := range map[string]string{
		"90s": "90+", "in her 90's": "in her 90+", "in his 90’s": "in his 90+", "mid-90s": "mid-90+", "100s": "90+", "late nineties": "late ninety or more", "Nineties": "Ninety or more",
		"93.5": "90+", "91½": "90+", "91 ½ years": "90+ years", "93 4/12": "90+", "93 years and 4 months": "90+ years", "93 years, 4 months old": "90+ years old",
		"93 y 4 mo 2 days": "90+", "88,93": "88,90+", "93 and a half years": "90+ years", "ninety-three and a half": "ninety or more", "93 años y 4 meses": "90+ años",
		"noventa y tres años y medio": "noventa o más años", "93 años y dos meses": "90+ años", "93 to 95 years": "90+ to 90+ years", "95 años, 3 meses y 2 días": "90+ años",
		"80s": "80s", "in her eighties": "in her eighties", "4 years and 93 days": "4 years and 93 days", "89 years and 4 months": "89 years and 4 months", "93.5 months": "93.5 months", "100.5 days": "100.5 days",
	} {
		lang := English
		if strings.Contains(text, "años") {
			lang = Spanish
		}
		if got, ok := in(lang).age(text); got != want || !ok {
			t.Errorf("%q became %q, %v, want %q", text, got, ok, want)
		}
	}
}

// TestHighAgeOfARelativeInWordsStayed: "93 year old mother" became the tag, but the same in words "ninety-three year old aunt".
func TestHighAgeOfARelativeInWordsStayed(t *testing.T) {
	for _, tc := range []struct {
		lang  Language
		text  string
		keeps bool
	}{
		{English, "ninety-three year old mother", false},
		{English, "one hundred year old mother", false},
		{English, "mother in her nineties", false},
		{English, "93 year old mother", false},
		{English, "eighty-nine year old mother", true},
		{English, "mother in her eighties", true},
		{English, "89 year old mother", true},
		{Spanish, "madre de noventa y tres años", false},
		{Spanish, "madre de cien años", false},
		{Spanish, "madre de ochenta y nueve años", true},
	} {
		p := patient(t, Options{Language: tc.lang}, mentions(Family, tc.text))
		if made, ok := p.Replace("a", Family, tc.text); ok != tc.keeps {
			t.Errorf("%q became %q", tc.text, made)
		}
		if p.HasForm(Family, tc.text) != tc.keeps {
			t.Errorf("%q has the form of a relative: %v", tc.text, !tc.keeps)
		}
	}
}

func TestFamily(t *testing.T) {
	p := patient(t, Options{Language: Spanish}, mentions(Family, "hermano", "dos hijos", "madre Teresa"))
	if got := must(t, p, Family, "dos hijos"); !strings.HasPrefix(got, "dos ") || !strings.HasSuffix(got, "s") || got == "dos hijos" {
		t.Errorf("dos hijos became %q", got)
	}
	if got := must(t, p, Family, "65 años"); got != "65 años" {
		t.Errorf("an age became %q", got)
	}
	if got := strings.Fields(must(t, p, Family, "madre Teresa")); len(got) != 2 || p.lang.kin[fold(got[0])] != "female" || !p.known.female[fold(got[1])] || got[1] == "Teresa" {
		t.Errorf("madre Teresa became %q", got)
	}
	if got, ok := p.Replace("a", Family, "madre Diabética"); ok {
		t.Errorf("with a word that is no name: %q", got)
	}
}

// TestShapes: numbers keep their form, and equal numbers have equal surrogates, however they are split.
func TestShapes(t *testing.T) {
	p := patient(t, Options{}, nil)
	for _, tc := range []struct {
		sort Sort
		text string
	}{
		{Number, "123-45-6789"}, {Number, "AB 1234/x"}, {Number, "٣٤٥٦"}, {Number, "0012"}, {Phone, "(617) 555-1234 ext. 99"}, {Phone, "+34 91 555 12 34"}, {Zip, "02139-1234"},
		{Number, "7"}, {IP, "10.200.3.44"}, {IP, "fe80::1"},
	} {
		got := must(t, p, tc.sort, tc.text)
		if got == tc.text || shapeOf(got) != shapeOf(tc.text) && tc.sort != IP {
			t.Errorf("%q became %q", tc.text, got)
		}
	}
	if a, b := must(t, p, Number, "123-45-6789"), must(t, p, Number, "123456789"); strings.ReplaceAll(a, "-", "") != b {
		t.Errorf("one number became %q and %q", a, b)
	}
	if got := must(t, p, Phone, "(617) 555-1234 ext. 99"); !strings.Contains(got, " ext. ") {
		t.Errorf("the extension became %q", got)
	}
}

func shapeOf(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '9'
		case r >= 'A' && r <= 'Z':
			return 'A'
		case r >= 'a' && r <= 'z':
			return 'a'
		}
		return r
	}, s)
}

func TestPlaces(t *testing.T) {
	p := patient(t, Options{}, append(append(mentions(Hospital, "Gorse Hill Memorial Hospital", "GHMH", "Gorse Hill", "MGH"), mentions(Street, "12 Gorse Street, Apt. 4B")...),
		mentions(URL, "www.gorsehill.org/patients")...))
	full := must(t, p, Hospital, "Gorse Hill Memorial Hospital")
	own, ok := strings.CutSuffix(full, " Memorial Hospital")
	if !ok || own == "Gorse Hill" {
		t.Errorf("the hospital became %q", full)
	}
	if got := must(t, p, Hospital, "Gorse Hill"); got != own {
		t.Errorf("its short name became %q, want %q", got, own)
	}
	initials := ""
	for _, w := range strings.Fields(full) {
		initials += w[:1]
	}
	if got := must(t, p, Hospital, "GHMH"); got != initials {
		t.Errorf("its initials became %q, want %q", got, initials)
	}
	if got, want := must(t, p, URL, "www.gorsehill.org/patients"), "www."+strings.ToLower(strings.ReplaceAll(own, " ", ""))+".org/patients"; got != want {
		t.Errorf("its page became %q, want %q", got, want)
	}
	if got := must(t, p, Street, "12 Gorse Street, Apt. 4B"); !strings.HasSuffix(shapeOf(got), " Aaaaaa, Aaa. 9A") || strings.Contains(got, "Gorse") {
		t.Errorf("the street became %q", got)
	}
	for _, tc := range []struct {
		text string
		list string
	}{{"Springfield", "en-city"}, {"Vermont", "en-state"}, {"VT", "state-abbreviation"}, {"Portugal", "en-country"}} {
		got := must(t, p, Place, "Springfield, "+tc.text)
		got = got[strings.Index(got, ", ")+2:]
		if tc.list == "en-city" {
			continue
		}
		found := false
		for _, e := range p.lists[tc.list].entries {
			found = found || e == got
		}
		if !found || got == tc.text {
			t.Errorf("%q became %q, which is not on the list %s", tc.text, got, tc.list)
		}
	}
}

// TestListRanOut: a list without an entry left was an error, and the note was lost. The values for which there is none left get others that are as distinct.
func TestListRanOut(t *testing.T) {
	some := func(n int, of func(i int) string) (all []string) {
		for i := range n {
			all = append(all, of(i))
		}
		return all
	}
	for _, tc := range []struct {
		lang  Language
		sort  Sort
		lists map[string][]string
		texts []string
		want  string // a pattern that each replacement matches
	}{
		{English, Person, map[string][]string{"en-surname": {"Vega", "Lund", "Birch"}}, []string{"Dr. Ash", "Dr. Birch", "Dr. Cedar", "Dr. Dahl", "Dr. Elm", "Dr. Fir", "Dr. Gale"}, `^Dr\. (Vega|Lund|Vega-Lund|Lund-Vega|\[SURNAME_\d\])$`},
		{English, Department, nil, List("en-department"), `^\[DEPARTMENT_\d+\]$`},
		{English, Department, nil, List("en-department")[:40], `^[A-Z][A-Za-z -]+$`},
		{English, State, nil, List("en-state"), `^([A-Z][A-Za-z ]+|\[STATE_\d+\])$`},
		{English, State, nil, some(676, func(i int) string { return strings.ToUpper(string([]byte{byte('a' + i/26), byte('a' + i%26)})) })[:300], `^[A-Z]{2}$`},
		{English, Country, nil, List("en-country"), `^\[COUNTRY_\d+\]$`},
		{Spanish, City, map[string][]string{"es-city": {"Soria", "Lugo"}}, []string{"Vigo", "Olot", "Jaca", "lugo"}, `(?i)^(Soria|\[CITY_\d\])$`},
		{Spanish, Profession, nil, some(2000, func(i int) string { return word(i) + "ero" }), `^[^\[]+$`},
		{English, Organization, nil, some(300, func(i int) string { return word(i) + " Inc" }), `^[^\[]+ Inc$`},
	} {
		all := mentions(tc.sort, tc.texts...)
		p := patient(t, Options{Language: tc.lang, Lists: tc.lists}, all)
		slices.Reverse(all)
		reversed := patient(t, Options{Language: tc.lang, Lists: tc.lists}, all)
		was := map[string]string{}
		for _, text := range tc.texts {
			made, ok := p.Replace("a", tc.sort, text)
			if !ok || !regexp.MustCompile(tc.want).MatchString(made) {
				t.Errorf("%s: %q became %q, %v", tc.sort, text, made, ok)
			}
			if other := was[fold(made)]; other != "" {
				t.Errorf("%s: %q and %q became %q", tc.sort, other, text, made)
			}
			was[fold(made)] = text
			if again, _ := reversed.Replace("a", tc.sort, text); again != made {
				t.Errorf("%s: in another order %q became %q, not %q", tc.sort, text, again, made)
			}
		}
	}
}

func TestBadOptions(t *testing.T) {
	for _, tc := range []struct {
		opt  Options
		want string
	}{
		{Options{Language: "xx"}, `no surrogates in the language "xx" (have en, es)`},
		{Options{Lists: map[string][]string{"en-names": {"Oda"}}}, `no list "en-names" of surrogates (have `},
		{Options{Lists: map[string][]string{"en-city": {}}}, "list en-city of surrogates is empty"},
		{Options{Lists: map[string][]string{"en-city": {"Oslo", "7"}}}, "list en-city of surrogates: entry 2 has no letter, or a control character"},
	} {
		if _, err := New(tc.opt); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestLists: the lists of surrogates are not empty, and have no duplicates or stray characters.
func TestLists(t *testing.T) {
	for name, l := range builtin().drawn {
		if len(l.entries) < 14 {
			t.Errorf("%s has %d entries", name, len(l.entries))
		}
		for _, e := range l.entries {
			if !utf8.ValidString(e) || strings.ContainsAny(e, "\n=#,") || e != strings.TrimSpace(e) {
				t.Errorf("%s: %q", name, e)
			}
		}
	}
}
