package surrogate

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Mistakes that a reader of some hundred notes noticed.

func inSpanish(t *testing.T, all ...Mention) *Patient {
	t.Helper()
	return patient(t, Options{Language: Spanish}, all)
}

// TestAddressIsNotOfThePerson: eromeroselas@ became a word unrelated to Estefanía Romero Selas.
func TestAddressIsNotOfThePerson(t *testing.T) {
	all := mentions(Person, "Estefanía Romero Selas", "Ros García")
	locals := []string{"eromeroselas", "estefaniaromero", "eromero", "esteromero", "romeroselas", "ers", "romero_est", "estefaniars", "draromero", "DrSelas", "doctora.romero"}
	for _, local := range locals {
		all = append(all, Mention{Note: "a", Sort: Email, Text: local + "@gmail.com"})
	}
	p := inSpanish(t, all...)
	w := strings.Fields(fold(must(t, p, Person, "Estefanía Romero Selas")))
	e, r, s := w[0], w[1], w[2]
	want := []string{e[:1] + r + s, e + r, e[:1] + r, e[:4] + r, r + s, e[:1] + r[:1] + s[:1], r + "_" + e[:3], e + r[:1] + s[:1], "dra" + r, "dr" + s, "doctora." + r}
	for i, local := range locals {
		if got := strings.ToLower(must(t, p, Email, local+"@gmail.com")); got != want[i]+"@gmail.com" {
			t.Errorf("%s@ became %s, want %s@", local, got, want[i])
		}
	}
	if got := must(t, p, Email, "zzzzkw@gmail.com"); strings.Contains(got, "zzz") {
		t.Errorf("what is of nobody became %s", got)
	}
}

// TestTitleOfASurnameSaidNothing: PROCTOR, KHALID became a woman's name, though he is Mr. Proctor elsewhere.
func TestTitleOfASurnameSaidNothing(t *testing.T) {
	for _, tc := range []struct {
		before string
		names  []string
		first  string // whose gender is asked
		list   string // "" if nothing is known
	}{
		{"seen: Mr. ", []string{"PROCTOR, ZHALID", "Proctor"}, "ZHALID", "en-male"},
		{"seen: Mrs. ", []string{"PROCTOR, ZHALID", "Proctor"}, "ZHALID", "en-female"},
		{"seen: Mr. ", []string{"PROCTOR, ZHALID", "Latoya Proctor", "Proctor"}, "ZHALID", "en-male"},
		{"seen: Mr. ", []string{"PROCTOR, ZHALID", "John Proctor", "Proctor"}, "ZHALID", ""},
		{"seen: Mr. ", []string{"PROCTOR, ZHALID", "Oruk Proctor", "Proctor"}, "ZHALID", ""},
	} {
		all := mentions(Person, tc.names...)
		all[len(all)-1].Before = tc.before
		p := patient(t, Options{}, all)
		g := p.names.genderOf(fold(tc.first))
		if want := map[string]int{"en-male": -1, "en-female": 1}[tc.list]; g != want {
			t.Errorf("%v after %q: gender %d, want %d", tc.names, tc.before, g, want)
		}
		if tc.list != "" {
			if w := strings.Fields(must(t, p, Person, tc.names[0])); !p.lists[tc.list].has(w[1]) {
				t.Errorf("%s became %v", tc.names[0], w)
			}
		}
	}
}

// TestHospitalsPageIsOfAnother: www.bvh.org did not become the page of BVH's surrogate.
func TestHospitalsPageIsOfAnother(t *testing.T) {
	p := patient(t, Options{}, append(mentions(Hospital, "Bay View Hospital", "BVH"), mentions(URL, "www.bvh.org")...))
	if got, want := must(t, p, URL, "www.bvh.org"), "www."+strings.ToLower(must(t, p, Hospital, "BVH"))+".org"; got != want {
		t.Errorf("the page became %s, want %s", got, want)
	}
}

// TestWrongGender: José of María José became a man's name, Marc and Maialen anybody's, M.a José "O.y Raimundo".
func TestWrongGender(t *testing.T) {
	p := inSpanish(t, mentions(Person, "María José López Otero", "José María Ruiz", "Ana José Vega")...)
	q := inSpanish(t, mentions(Person, "María José López Otero", "M.a José López", "Mª José López Otero", "Ma. José", "Marc Roca", "Maialen Roca", "Joan Roca", "Paolo Roca", "Zaida Roca")...)
	women := func(p *Patient, names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !p.lists["es-female"].has(n) })
	}
	if w := strings.Fields(must(t, q, Person, "María José López Otero")); !women(q, w[0], w[1]) {
		t.Errorf("María José became %v", w)
	} else {
		for text, want := range map[string]string{"M.a José López": w[0] + " " + w[1] + " " + w[2], "Mª José López Otero": strings.Join(w, " "), "Ma. José": w[0] + " " + w[1]} {
			if got := must(t, q, Person, text); got != want {
				t.Errorf("%s became %q, want %q", text, got, want)
			}
		}
	}
	for text, woman := range map[string]bool{"Marc Roca": false, "Maialen Roca": true, "Joan Roca": false, "Paolo Roca": false, "Zaida Roca": true} {
		if w := strings.Fields(must(t, q, Person, text)); women(q, w[0]) != woman {
			t.Errorf("%s became %v", text, w)
		}
	}
	if w := strings.Fields(must(t, p, Person, "José María Ruiz")); women(p, w[0]) { // he leads here, and one word has one surrogate
		t.Errorf("José María became %v", w)
	}
}

// TestDoctorHadThePatientsSurname: Apellidos: Miguel Vega made the first name of Dr. Miguel Lund a surname.
func TestDoctorHadThePatientsSurname(t *testing.T) {
	p := inSpanish(t, Mention{Note: "a", Sort: Person, Text: "Miguel Vega", Before: "Apellidos: "}, Mention{Note: "a", Sort: Person, Text: "Miguel Lund Roca"})
	w := strings.Fields(must(t, p, Person, "Miguel Lund Roca"))
	if !p.lists["es-male"].has(w[0]) || !p.lists["es-surname"].has(w[1]) {
		t.Errorf("Miguel Lund Roca became %v", w)
	}
}

// TestForeignDoctorHadNoFirstName: of two unknown words, the first is the first name unless a label says otherwise.
func TestForeignDoctorHadNoFirstName(t *testing.T) {
	p := inSpanish(t, mentions(Person, "Zbynek Hrabosz")...)
	if w := strings.Fields(must(t, p, Person, "Zbynek Hrabosz")); !p.lists["es-given"].has(w[0]) || !p.lists["es-surname"].has(w[1]) {
		t.Errorf("became %v", w)
	}
}

func (l *list) has(entry string) bool {
	return slices.ContainsFunc(l.entries, func(e string) bool { return fold(e) == fold(entry) })
}

// TestPostalCodeOfNoProvince: 28035 Madrid became 61590 Cuenca.
func TestPostalCodeOfNoProvince(t *testing.T) {
	p := inSpanish(t, append(mentions(Place, "Madrid", "28035", "28006", "A Coruña", "La Coruña", "Andalucía", "01001"), mentions(Zip, "15001")...)...)
	provinces := builtin().drawn["es-state"].entries
	if len(provinces) != 52 || provinces[27] != "Madrid" || provinces[7] != "Barcelona" || provinces[40] != "Sevilla" || provinces[49] != "Zaragoza" {
		t.Fatal("the provinces are not in the order of their codes")
	}
	for _, tc := range []struct{ place, zip string }{{"Madrid", "28035"}, {"Madrid", "28006"}, {"La Coruña", "15001"}} {
		place, zip := must(t, p, Place, tc.place), must(t, p, Zip, tc.zip)
		if len(zip) != 5 || provinces[digitsOf(zip[:2])-1] != place || zip[:2] == tc.zip[:2] {
			t.Errorf("%s %s became %s %s", tc.zip, tc.place, zip, place)
		}
	}
	if a, b := must(t, p, Place, "A Coruña"), must(t, p, Place, "La Coruña"); a != b {
		t.Errorf("one province became %s and %s", a, b)
	}
	if got := must(t, p, Place, "Andalucía"); !p.lists["es-region"].has(got) {
		t.Errorf("a region became %s", got)
	}
	if a, b := must(t, p, Zip, "28035"), must(t, p, Zip, "28006"); a == b {
		t.Errorf("two codes became %s", a)
	}
}

// TestTelephonesThatCannotBe: an area code began with 1, an exchange with 0, and +34 became another country.
func TestTelephonesThatCannotBe(t *testing.T) {
	en, es := patient(t, Options{}, nil), inSpanish(t)
	for _, tc := range []struct {
		p          *Patient
		text, want string
	}{
		{en, "(617) 555-0123", `^\([2-9]\d\d\) [2-9]\d\d-\d{4}$`}, {en, "1-617-555-0123", `^1-[2-9]\d\d-[2-9]\d\d-\d{4}$`}, {en, "+1 617 555 0123", `^\+1 [2-9]\d\d [2-9]\d\d \d{4}$`},
		{en, "(07) 5550 0123", `^\(0[78]\) \d{4} \d{4}$`}, {en, "+61 2 5550 0123", `^\+61 [23] \d{4} \d{4}$`}, {en, "0491 570 156", `^04\d\d \d{3} \d{3}$`},
		{es, "+34 913 368 000", `^\+34 [89]\d\d \d{3} \d{3}$`}, {es, "633 349 565", `^[67]\d\d \d{3} \d{3}$`}, {es, "913368000", `^[89]\d{8}$`},
	} {
		if got := must(t, tc.p, Phone, tc.text); !regexp.MustCompile(tc.want).MatchString(got) || got == tc.text {
			t.Errorf("%q became %q", tc.text, got)
		}
	}
}

// TestPlacesThatDoNotRead lists the earlier results.
func TestPlacesThatDoNotRead(t *testing.T) {
	en, es := patient(t, Options{}, nil), inSpanish(t)
	for _, tc := range []struct {
		p          *Patient
		sort       Sort
		text, want string
		was        string
	}{
		{es, Street, "C/ Sauceda 3. 1A Esquina San Eloy", `^C/ [^\d]+ \d\. \d[B-Z] [A-ZÁÉÍÓÚ][^\d]+$`, "C/ Manzanos 9. 5Albahaca"},
		{es, Street, "Av. Galaxia 6, esc. 2, 2ºb", `^Av\. .+ \d, esc\. \d, \dº[a-z]$`, "Av. Almendros 1, esc. 8, 8golondrinas"},
		{es, Street, "Plaza del Hospital Civil, s/n", `^Plaza de [A-ZÁÉÍÓÚ].*, s/n$`, "Plaza del Gaviotas, s/n"},
		{es, Street, "Calle de Los Alisos, 10", `^Calle de [A-ZÁÉÍÓÚ]\p{L}+, \d\d$`, "Calle de Los Margaritas, 12"},
		{es, Street, "Av. Colón 255 - 1er Piso, Der", `^Av\. .+ \d{3} - \der Piso, Der$`, "8brezo Piso, Buenavista"},
		{es, Street, "Apartado de Correos 20134", `^Apartado de Correos \d{5}$`, "Narcisos 27348"},
		{es, Street, "Calle 15 e/ A y B", `^Calle \d\d e/ [A-Z] y [A-Z]$`, "Calle 75 e/ Abedules"},
		{es, Street, "Av Bernardo O'Higgins 816", `^Av [^'\d]+ \d{3}$`, "Av Castaños O'Alameda Vieja 293"},
		{es, Street, "Avda. Lund, 23 1oE", `^Avda\. \D+, \d\d \d[A-Za-z]{2}$`, "Avda. Caracolas, 59 6Golondrinas"},
		{es, Hospital, `Hospital de la Defensa "Gómez Ulla"`, `^Hospital de [^"]+ "[^"]+"$`, `Hospital de Pinar Alto"`},
		{es, Hospital, "Hospital 12 de Octubre", `^Hospital \p{Lu}\D+$`, "Hospital 46 de San Saturio"},
		{es, Hospital, "Hospital Virgen de la Salud", `^Hospital (\p{Lu}|de|del|la| )\D+$`, "Hospital Santa Orosia de la Salud"},
		{es, Hospital, "Hospital General", `^Hospital \p{Lu}.+$`, "Santa Centola"},
		{es, Organization, "Instituto de Ojos Lund (IOL)", `^Instituto de \p{Lu}\D+ \([A-Z]{2,}\)$`, "Instituto Plásticos Meseta (HILATURAS TURIA)"},
		{en, Hospital, "St. Agatha Clinic", `^[^.]+ Clinic$`, "St. Saint Osyth Clinic"},
		{en, Hospital, "ISLEVIEW CHILDREN'S HOSPITAL", `^[A-Z ]+ CHILDREN'S HOSPITAL$`, "GREENHAVEN HOSPITAL"},
		{en, Hospital, "Sacred Heart Health Center", `^[^H]+ Health Center$`, "Alder Creek Heart Health Center"},
		{en, Country, "ROMANIA", `^[A-Z -]{4,}$`, "Monaco"},
		{en, Landmark, "Route 9 Overpass", `^Route \d Overpass$`, "Raven Rock 5 Swan River"},
		{en, Organization, "Hobart College", `^[A-Z]\D+ College$`, "Northern Rope College"},
	} {
		got := must(t, tc.p, tc.sort, tc.text)
		if !regexp.MustCompile(tc.want).MatchString(got) || regexp.MustCompile(tc.want).MatchString(tc.was) && tc.was != "Northern Rope College" && tc.was != "Hospital Santa Orosia de la Salud" {
			t.Errorf("%q became %q", tc.text, got)
		}
	}
	if got := must(t, es, Hospital, "Hospital Virgen de la Salud"); strings.Contains(got, "Salud") {
		t.Errorf("part of the name stays: %q", got)
	}
	if got := must(t, es, Hospital, "Hospital Dr. Quintanar"); strings.Contains(got, "Dr. ") {
		t.Errorf("a title stands before no person: %q", got)
	}
	if got := must(t, es, Street, "Calle Dr. Quintanar, 5"); !es.lists["es-surname"].has(strings.TrimSuffix(strings.TrimPrefix(got, "Calle Dr. "), got[len(got)-3:])) {
		t.Errorf("a doctor's street became %q", got)
	}
}

// TestWordsWereNumbers: a note's "homosexual", marked as an identifier, became soyytqouco.
func TestWordsWereNumbers(t *testing.T) {
	p := inSpanish(t)
	for _, text := range []string{"homosexual", "Residente de 5° año", "Lactante", "raza negra"} {
		if got, ok := p.Replace("a", Number, text); ok {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{"ABCD-EFGH", "abc1234", "MRN 1234", "NHC: 77-a", "No. 15"} {
		if got := must(t, p, Number, text); got == text {
			t.Errorf("%q stays", text)
		}
	}
}

// TestRelativesOfAnotherGender: a mother became a "progenitor", a husband a "cónyuge", a twin brother a "novio sobrino".
func TestRelativesOfAnotherGender(t *testing.T) {
	p := inSpanish(t, mentions(Family, "madre", "padre", "hermano gemelo", "primera hija", "padres jóvenes", "varón", "Natalia Roca Vega", "familia")...)
	for text, pattern := range map[string]string{
		"madre": `^\p{L}+a$|^madre$`, "padre": `^\p{L}+o$`, "hermano gemelo": `^(\p{L}+o|padre) gemelo$`, "primera hija": `^primera (\p{L}+a|madre)$`, "padres jóvenes": `^\p{L}+os jóvenes$`,
		"varón": `^varón$`, "Natalia Roca Vega": `^\p{Lu}\p{L}+ \p{Lu}\p{L}+ \p{Lu}\p{L}+$`, "familia": `^familiar|pariente|allegado$`,
	} {
		if got := must(t, p, Family, text); !regexp.MustCompile(pattern).MatchString(got) || got == "Natalia Roca Vega" {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestNamesOfRelativesInLowerCaseBecameTheTag: "su hija rocío" became the tag among surrogates, and so did "hija Mª Luisa".
func TestNamesOfRelativesInLowerCaseBecameTheTag(t *testing.T) {
	for _, tc := range []struct{ before, text, list string }{
		{"avisada su hija ", "rocío", "es-female"},
		{"", "pilar", "es-female"},
		{"hermano ", "iker", "es-male"},
		{"marido: ", "paco", "es-male"},
		{"hija ", "wqarne", "es-female"},
		{"hijo ", "Wqorte", "es-male"},
		{"hija ", "Mª Luisa", "es-female"},
		{"hija ", "diabética", ""},
		{"hija ", "intervenida", ""},
		{"", "wqarne", ""},
		{"", "rocío no pudo acudir a verla", ""},
		{"", "madre diabética", ""},
	} {
		p := inSpanish(t, Mention{Note: "a", Sort: Family, Text: tc.text, Before: tc.before})
		got, ok := p.Replace("a", Family, tc.text)
		if ok != (tc.list != "") {
			t.Errorf("%q behind %q became %q", tc.text, tc.before, got)
			continue
		}
		first, _, _ := strings.Cut(got, " ")
		if ok && (lowerCase(got) != lowerCase(tc.text) || !p.lists[tc.list].has(first)) {
			t.Errorf("%q behind %q became %q", tc.text, tc.before, got)
		}
	}
}

// TestRelativeWithNameInLowerCaseBecameTheTag: the tag came instead of "hija rocío".
func TestRelativeWithNameInLowerCaseBecameTheTag(t *testing.T) {
	p := inSpanish(t, mentions(Family, "hija rocío", "Hermano iker", "mujer pilar y su hermano iker")...)
	for text, list := range map[string]string{"hija rocío": "es-female", "Hermano iker": "es-male", "mujer pilar y su hermano iker": "es-male"} {
		words := strings.Fields(must(t, p, Family, text))
		if name := words[len(words)-1]; len(words) != len(strings.Fields(text)) || !lowerCase(name) || !p.lists[list].has(name) {
			t.Errorf("%q became %q", text, words)
		}
	}
}

// TestInitialsInCapitalsBecameASurname: DOCTOR ABK became DALTON.
func TestInitialsInCapitalsBecameASurname(t *testing.T) {
	p := patient(t, Options{}, mentions(Person, "ABK", "LEE", "Roe", "ROE"))
	if got := must(t, p, Person, "ABK"); len(got) != 3 || got != strings.ToUpper(got) {
		t.Errorf("ABK became %q", got)
	}
	for _, text := range []string{"LEE", "ROE"} {
		if got := must(t, p, Person, text); !p.lists["en-surname"].has(got) {
			t.Errorf("%s became %q", text, got)
		}
	}
}

// TestLeftOfTheOriginal: these stayed: a first name that is also a title, a character that unicode counts as neither digit nor letter, a man's age,
// and a name among the words of addresses.
func TestLeftOfTheOriginal(t *testing.T) {
	for _, c := range []struct {
		sort Sort
		text string
		left string // what may not be left
	}{
		{Person, "Don Lund", "don"}, {Person, "Lund, Don", "don"}, {Person, "Mr. Don Lund", "don"}, {Person, "Md Rahman", "md"}, {Person, "Pa Vang", "pa"},
		{Person, "Oda Lund ②③", "②"}, {Person, "Ⓞⓓⓐ Lund", "ⓓ"}, {Street, "3 Sesame Street ３４", "３４"}, {Username, "oda٣٤", "٣٤"}, {Number, "1②③④", "②"},
		{Age, "93M", "93"}, {Age, "93 m", "93"}, {Age, "95 H", "95"}, {Age, "95's", "95"}, {Family, "mother 00000000093", "93"},
		{IP, "fade:12", "fade"}, {IP, "fade.12", "fade"}, {URL, "http://page.lund.org/page", "page"}, {Email, "kim@page.com", "page"},
	} {
		p := patient(t, Options{}, append(mentions(Person, "Kim Page"), mentions(c.sort, c.text)...))
		if made, ok := p.Replace("a", c.sort, c.text); ok && strings.Contains(strings.ToLower(made), c.left) {
			t.Errorf("%s %q became %q", c.sort, c.text, made)
		}
	}
	p := inSpanish(t, mentions(Person, "Don Pablo Vega", "MD Vega")...)
	for text, want := range map[string]string{"Don Pablo Vega": "Don ", "MD Vega": "MD "} {
		if made := must(t, p, Person, text); !strings.HasPrefix(made, want) {
			t.Errorf("%q became %q", text, made)
		}
	}
	for _, text := range []string{"93 months", "96 h", "in his 80's", "89"} {
		if made := must(t, p, Age, text); made != text {
			t.Errorf("%q became %q", text, made)
		}
	}
}

// TestPortIsHexadecimal: the port of 192.168.1.1:8080 became letters.
func TestPortIsHexadecimal(t *testing.T) {
	p := patient(t, Options{}, nil)
	if made := must(t, p, IP, "192.168.1.1:8080"); !regexp.MustCompile(`^\d{3}\.\d{3}\.\d\.\d:\d+$`).MatchString(made) {
		t.Errorf("became %s", made)
	}
}

// TestBrokenUTF8: "dél" was cut within its é, a short misspelt name within its last letter, and an empty string was capitalized.
func TestBrokenUTF8(t *testing.T) {
	p := inSpanish(t, mentions(Street, "calle dél Oro")...)
	if made := must(t, p, Street, "calle dél Oro"); !utf8.ValidString(made) {
		t.Errorf("the street became %q", made)
	}
	names := mentions(Person, "רחל אברמוביץ", "אברמוביץ", "אברמוביצ")
	names[1].Note = "b"
	p = patient(t, Options{Lists: map[string][]string{"hebrew-surname": {"דן"}}}, names)
	if made := must(t, p, Person, "אברמוביצ"); made != "דןן" {
		t.Errorf("the misspelt name became %q", made)
	}
	p = patient(t, Options{Lists: map[string][]string{"en-surname": {"Иванов"}}}, mentions(Username, "Whatever"))
	if made := must(t, p, Username, "Whatever"); !ascii(made) {
		t.Errorf("the login became %q", made)
	}
	all := append(mentions(Hospital, "Harbor Hospital"), mentions(URL, "www.Harbor.org")...)
	all[0].Aside = true // so that nothing stands for it
	p = patient(t, Options{}, all)
	if made := must(t, p, URL, "www.Harbor.org"); !ascii(made) {
		t.Errorf("the page became %q", made)
	}
}

// TestShortAbbreviationPanicked: the code assumed that every abbreviation has a letter in its second byte.
func TestShortAbbreviationPanicked(t *testing.T) {
	for _, entry := range []string{"A", "ABC", "Ñ", "A1"} {
		if _, err := New(Options{Lists: map[string][]string{"state-abbreviation": {"XY", entry}}}); err == nil || !strings.Contains(err.Error(), "entry 2 is not two letters") {
			t.Errorf("%q: error %v", entry, err)
		}
	}
}

// TestMisspellingsByBruteForce: the search by leftovers finds the same as comparing all pairs of words.
func TestMisspellingsByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := &names{Maker: in(English), count: map[string]int{}, votes: map[string][2]int{}, root: map[string]string{}}
	for range 3000 {
		w := make([]byte, 4+rng.IntN(4))
		for i := range w {
			w[i] = byte('q' + rng.IntN(4))
		}
		n.count[string(w)+"ñ"] += 1 + rng.IntN(3)
	}
	n.misspellings()
	words := slices.SortedFunc(maps.Keys(n.count), func(a, b string) int { return cmp.Or(n.count[b]-n.count[a], strings.Compare(a, b)) })
	want := map[string]string{}
	for i, w := range words {
		for _, v := range words[:i] {
			if want[v] == "" && n.count[v] > n.count[w] && compareWords(v, w) != noSlip {
				want[w] = v
				break
			}
		}
	}
	if len(want) < 100 || !maps.Equal(n.root, want) {
		t.Errorf("%d misspellings, want %d", len(n.root), len(want))
	}
}

// BenchmarkRoster is a note that names thousands of people: time must not grow with the square of their number.
func BenchmarkRoster(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	word := func() string {
		w := []byte("A")
		for range 7 {
			w = append(w, byte('a'+rng.IntN(26)))
		}
		return string(w)
	}
	var all []Mention
	for range 8000 {
		m := Mention{Note: "a", Sort: Person, Text: word() + " " + word(), Aside: true}
		all = append(all, m)
		if rng.IntN(2) == 0 {
			m.Note = "b"
			all = append(all, m)
		}
	}
	m, err := New(Options{Key: []byte("sixteen bytes key")})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p := m.Patient("g", all)
		for _, mention := range all {
			p.Identity(Person, mention.Text)
		}
	}
}

// TestLoginWithAMiddleInitialWasOfNobody: rkblackwood became an unrelated word if the notes had the middle name only as an initial.
func TestLoginWithAMiddleInitialWasOfNobody(t *testing.T) {
	for _, tc := range []struct {
		name, login string
		surname     int // index of the surname among the words of the name
	}{
		{"Rupert K. Blackwood", "rkblackwood", 2}, {"Blackwood, Rupert K.", "rkblackwood", 0}, {"Rupert K. J. Blackwood", "rkjblackwood", 3},
		{"RK Blackwood", "rkblackwood", 1}, {"R. Blackwood", "rblackwood", 1}, {"R.K. Blackwood", "rkblackwood", 2}, {"Rupert K. Blackwood", "rblackwood", 2},
	} {
		p := patient(t, Options{}, append(mentions(Person, tc.name), mentions(Email, tc.login+"@gmail.com")...))
		words := strings.FieldsFunc(strings.ToLower(must(t, p, Person, tc.name)), func(r rune) bool { return strings.ContainsRune(" .,", r) })
		initials := ""
		for i, w := range words {
			switch {
			case i == tc.surname || len(initials) == len(tc.login)-len("blackwood"):
			case len(w) == 2: // RK
				initials += w
			default:
				initials += w[:1]
			}
		}
		if got, want := must(t, p, Email, tc.login+"@gmail.com"), initials+words[tc.surname]+"@gmail.com"; got != want {
			t.Errorf("%s of %s became %s, want %s", tc.login, tc.name, got, want)
		}
	}
}

// TestCountryCodeChanged: +1 802-555-0143 ext. 22 became +8 438-324-4272 ext. 86, and +44 another country's code.
func TestCountryCodeChanged(t *testing.T) {
	for text, want := range map[string]string{
		"+1 802-555-0143 ext. 22":    `^\+1 [2-9]\d\d-[2-9]\d\d-\d{4} ext\. \d\d$`,
		"+44 20 7946 0143":           `^\+44 [1-9]\d \d{4} \d{4}$`,
		"tel. (+44) (0)20 7946 0143": `^tel\. \(\+44\) \(0\)\d\d \d{4} \d{4}$`,
		"0044 20 7946 0143":          `^0044 [1-9]\d \d{4} \d{4}$`,
		"+358 9 1234567":             `^\+358 [1-9] \d{7}$`,
		"+45 12 34 56 78":            `^\+45 [1-9]\d \d\d \d\d \d\d$`, // as long as a number of the United States
		"+39 06 1234 5678":           `^\+39 0\d \d{4} \d{4}$`,
		"+7 495 123-45-67":           `^\+7 [1-9]\d\d \d{3}-\d\d-\d\d$`,
	} {
		if got := must(t, patient(t, Options{}, mentions(Phone, text)), Phone, text); !regexp.MustCompile(want).MatchString(got) || got == text {
			t.Errorf("%s became %s", text, got)
		}
	}
	if got := must(t, patient(t, Options{}, mentions(Phone, "+44 1234")), Phone, "+44 1234"); !regexp.MustCompile(`^\+\d\d \d{4}$`).MatchString(got) {
		t.Errorf("a short number became %s", got)
	}
	p := patient(t, Options{}, mentions(Phone, "44 20 7946 0143", "+44 (20) 79460143", "0044 20 7946 0143"))
	digits := alphanumeric(must(t, p, Phone, "44 20 7946 0143"))
	if plus, zeros := alphanumeric(must(t, p, Phone, "+44 (20) 79460143")), alphanumeric(must(t, p, Phone, "0044 20 7946 0143")); plus != digits || zeros != "00"+digits {
		t.Errorf("one number became %s, %s and %s", digits, plus, zeros)
	}
}

// TestNumberOfOtherCountryWithItsCodeWasAnother: only numbers of the notes' country had one surrogate with and without the code.
func TestNumberOfOtherCountryWithItsCodeWasAnother(t *testing.T) {
	for _, x := range []struct{ without, with, code string }{
		{"55 5555 0143", "+52 5555550143", "52"},
		{"55 5555 0143", "+52 1 55 5555 0143", "521"},
		{"955550143", "+56 9 5555 0143", "56"},
		{"955550143", "0051 955550143", "0051"},
		{"3105550143", "+57 310 555 0143", "57"},
		{"1155550143", "+54 9 11 5555 0143", "549"},
		{"20 7946 0143", "+44 20 7946 0143", "44"},
	} {
		p := inSpanish(t, mentions(Phone, x.without, x.with)...)
		if without, with := alphanumeric(must(t, p, Phone, x.without)), alphanumeric(must(t, p, Phone, x.with)); with != x.code+without || without == alphanumeric(x.without) {
			t.Errorf("%s becomes %s, and %s %s", x.without, without, x.with, with)
		}
	}
	p := inSpanish(t, mentions(Phone, "020 7946 0143", "+44 20 7946 0143")...)
	if without, with := alphanumeric(must(t, p, Phone, "020 7946 0143")), alphanumeric(must(t, p, Phone, "+44 20 7946 0143")); with != "44"+without[1:] {
		t.Errorf("with a zero it becomes %s, and with the code %s", without, with)
	}
}

// One telephone number had up to four surrogates: with the code of the country, without it, and with an extension.
func TestFormsOfOneTelephoneNumber(t *testing.T) {
	p := patient(t, Options{}, mentions(Phone, "617-555-0142", "+1 617-555-0142", "1-617-555-0142", "001 617 555 0142", "(617) 555-0142 ext. 12", "1-617-555-0142 x9", "617-555-0143"))
	want := alphanumeric(must(t, p, Phone, "617-555-0142"))
	for text, form := range map[string]string{"+1 617-555-0142": "^1%s$", "1-617-555-0142": "^1%s$", "001 617 555 0142": "^001%s$", "(617) 555-0142 ext. 12": "^%sEXT[0-9]{2}$", "1-617-555-0142 x9": "^1%sX[0-9]$"} {
		if got := alphanumeric(must(t, p, Phone, text)); !regexp.MustCompile(fmt.Sprintf(form, want)).MatchString(got) {
			t.Errorf("%s becomes %s, and without code and extension %s", text, got, want)
		}
	}
	if got := alphanumeric(must(t, p, Phone, "617-555-0143")); got == want {
		t.Error("two numbers have one surrogate")
	}
	es := inSpanish(t)
	for _, text := range []string{"+34 912 345 678", "0034 912345678", "34-912345678"} {
		if got, want := alphanumeric(must(t, es, Phone, text)), alphanumeric(must(t, es, Phone, "912 345 678")); !strings.HasSuffix(got, "34"+want) {
			t.Errorf("%s becomes %s, and without code %s", text, got, want)
		}
	}
}

// TestWardBecameHalfADepartment: 3W became 2Physical Therapy, and 4 East 6 Wound Care.
func TestWardBecameHalfADepartment(t *testing.T) {
	en, es := patient(t, Options{}, nil), inSpanish(t)
	const compass = "(North|South|East|West|Northeast|Northwest|Southeast|Southwest)"
	for _, tc := range []struct {
		p          *Patient
		text, want string
	}{
		{en, "3W", `^\d[A-Z]$`}, {en, "4 East", `^\d ` + compass + `$`}, {en, "B47", `^[A-Z]\d\d$`}, {en, "7 North", `^\d ` + compass + `$`}, {en, "West 12", `^` + compass + ` \d\d$`},
		{en, "5n", `^\d[a-z]$`}, {en, "11CD", `^\d\d[A-Z][A-Z]$`}, {en, "6NE", `^\d(NW|SE|SW)$`}, {en, "4 B", `^\d [A-Z]$`}, {en, "B-47", `^[A-Z]-\d\d$`}, {en, "Unit 9-A", `^Unit \d-[A-Z]$`},
		{en, "4B EAST", `^\d[A-Z] ` + strings.ToUpper(compass) + `$`}, {en, "5N Gorse Unit", `^\d[A-Z] [A-Z][a-z]+.* Unit$`}, {en, "Gorse 4 East", `^[A-Z][a-z]+.* \d ` + compass + `$`},
		{es, "4 Norte", `^\d (Sur|Este|Oeste|Noreste|Noroeste|Sureste|Suroeste)$`}, {es, "Unidad 3B", `^Unidad \d[A-Z]$`},
	} {
		got := must(t, tc.p, Department, tc.text)
		if !regexp.MustCompile(tc.want).MatchString(got) {
			t.Errorf("%s became %s", tc.text, got)
		}
		was := strings.Fields(tc.text)
		for i, w := range strings.Fields(got) {
			if i < len(was) && w == was[i] && w != "Unit" && w != "Unidad" {
				t.Errorf("of %s, %s stayed", tc.text, w)
			}
		}
	}
	if got := must(t, en, Department, "West Gorse Unit"); regexp.MustCompile(compass).MatchString(got) {
		t.Errorf("a department without a number became %s", got)
	}
}

// Of the beds 1 to 5 of a ward, two became bed 8.
func TestBedsBecameOne(t *testing.T) {
	beds := strings.Fields("1 2 3 4 5 6 7")
	p := patient(t, Options{}, mentions(Room, beds...))
	seen := map[string]string{}
	for _, bed := range beds {
		made := must(t, p, Room, bed)
		if seen[made] != "" {
			t.Errorf("beds %s and %s became %s", seen[made], bed, made)
		}
		seen[made] = bed
	}
}

// The 1st Cavalry became the 2Bluebird.
func TestOrdinalOfARegimentWasLost(t *testing.T) {
	if got := must(t, patient(t, Options{}, mentions(Organization, "1st Cavalry")), Organization, "1st Cavalry"); !regexp.MustCompile(`^[2-9](?:st|nd|rd|th) \pL`).MatchString(got) {
		t.Errorf("1st Cavalry became %s", got)
	}
}

// TestAResultBecameADay: surrogates were invented for results that were taken for dates, as in Jul 21.15 for Jan 8.4.
func TestAResultBecameADay(t *testing.T) {
	for _, tc := range []struct {
		language Language
		value    string
		want     bool // it is a date
	}{
		{English, "Jan 8.4", false},
		{Spanish, "ene 8.4", false},
		{English, "Mon 5 Feb", true},
		{English, "Mon, Feb 5", true},
		{English, "Monday 5 to Wednesday 7 May", true},
		{English, "Jan 8", true},
		{Spanish, "lunes 5 de febrero", true},
	} {
		all := mentions(Date, tc.value)
		_, ok := patient(t, Options{Language: tc.language}, all).Replace("a", Date, tc.value)
		if ok != tc.want {
			t.Errorf("%s is a date: %v, want %v", tc.value, ok, tc.want)
		}
	}
}

// TestAbbreviatedInstitutionWasAnother: C.S. San José became Sierra Clara.S. Costa Serena, HGR No. 1 became HGR Pinar Alto. 5, and Hosp. Reina Sofía another hospital than Hospital Reina Sofía.
func TestAbbreviatedInstitutionWasAnother(t *testing.T) {
	all := []string{"Hospital Reina Sofía", "Hosp. Reina Sofía", "H. Reina Sofía", "H.U. Reina Sofía", "HU Reina Sofía", "Htal. Reina Sofía", "Hosp. Univ. Reina Sofía", "hosp reina sofia", "C.S. San José", "CS San José", "C.E.S.F.A.M. San José", "Clin. San José",
		"HGR No. 1", "C. Lund"}
	p := inSpanish(t, mentions(Hospital, all...)...)
	name := func(text, kind string) string {
		t.Helper()
		rest, ok := strings.CutPrefix(must(t, p, Hospital, text), kind+" ")
		if !ok {
			t.Errorf("%s became %s %s", text, kind, rest)
		}
		return fold(rest)
	}
	reina := name("Hospital Reina Sofía", "Hospital")
	for text, kind := range map[string]string{
		"Hosp. Reina Sofía": "Hosp.", "H. Reina Sofía": "H.", "H.U. Reina Sofía": "H.U.", "HU Reina Sofía": "HU", "Htal. Reina Sofía": "Htal.", "Hosp. Univ. Reina Sofía": "Hosp. Univ.", "hosp reina sofia": "hosp",
	} {
		if got := name(text, kind); got != reina {
			t.Errorf("%s became %s, and the hospital %s", text, got, reina)
		}
	}
	jose := name("C.S. San José", "C.S.")
	for text, kind := range map[string]string{"CS San José": "CS", "C.E.S.F.A.M. San José": "C.E.S.F.A.M.", "Clin. San José": "Clin."} {
		if got := name(text, kind); got != jose {
			t.Errorf("%s became %s, and C.S. %s", text, got, jose)
		}
	}
	if got := must(t, p, Hospital, "HGR No. 1"); !regexp.MustCompile(`^HGR No\. [0-9]$`).MatchString(got) {
		t.Errorf("a number became %s", got)
	}
	if got := must(t, p, Hospital, "C. Lund"); strings.Contains(got, "Lund") {
		t.Errorf("an initial became %s", got)
	}
}
