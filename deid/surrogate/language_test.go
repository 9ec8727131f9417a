package surrogate

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// esperanto is a third language, as it would be in a file of its own.
var esperanto = profile{
	code: "eo",
	words: func() string {
		return `
= titles
sinjoro, sinjorino

= women's titles
sinjorino

= men's titles
sinjoro

= date fillers
la, de, a

= words within dates
de, la

= age words
jaroj, monatoj

= short units
monatoj

= kept in hospital
hospitalo

= kept in street
strato`
	},
	lists: func() string {
		return `
= female
Lumina, Roza, Stela

= male
Fabelo, Ardo, Ventolo

= surname
Montano, Riverano, Kampano, Stonano, Arbaro

= city
Verdurbo, Blankurbo

= state
Nordio, Sudio

= country
Esperantio, Volapukio

= street
Betula, Pina

= hospital
Espera, Suna

= organization
Stelaro, Lunaro

= department
Kora, Pulma

= landmark
Lago, Monto

= profession
bakisto, instruisto`
	},
	dateOrder:  dayFirst,
	months:     []string{"januaro februaro marto aprilo majo junio julio aŭgusto septembro oktobro novembro decembro"},
	weekdays:   []string{"dimanĉo lundo mardo merkredo ĵaŭdo vendredo sabato"},
	holidays:   func() string { return "Kristnasko: 12-25" },
	monthDay:   "la %[1]d-a de %[2]s",
	beforeYear: " ",

	twoSurnames: true,
	shortNames:  []shortName{{lazyregexp.New(`^Lum\.`), "lumina"}},
	kindFirst:   true,

	relatives:    map[string]string{"female": "patrino fratino", "male": "patro frato", "one": "parenco", "many": "parencoj"},
	numbers:      []numberWords{{1, 1, "unu du tri"}, {80, 10, "okdek naudek"}},
	ninetyOrMore: "naŭdek aŭ pli",
	phones:       []phonePlan{{code: "99", length: 6, digits: []phoneDigit{{at: 0, from: 4, n: 1}}}},
}

// TestThirdLanguage: a profile is everything that a language requires.
func TestThirdLanguage(t *testing.T) {
	m, err := newLanguages(english, spanish, esperanto).maker(Options{Language: "eo", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	all := append(mentions(Person, "Sinjorino Zuzana Orfo Belko", "Zuzana", "Lum. Zuzana Orfo Belko"), mentions(Family, "patrino")...)
	all = append(all, mentions(Date, "3 aprilo 2071", "3/4/2071")...)
	p := m.Patient("p", all)
	name := strings.Fields(must(t, p, Person, "Sinjorino Zuzana Orfo Belko"))
	if name[0] != "Sinjorino" || !m.lists["eo-female"].has(name[1]) || !m.lists["eo-surname"].has(name[2]) || !m.lists["eo-surname"].has(name[3]) {
		t.Errorf("the name became %v", name)
	}
	if got := strings.Fields(must(t, p, Person, "Lum. Zuzana Orfo Belko")); !m.lists["eo-female"].has(got[0]) {
		t.Errorf("the abbreviated name became %v", got)
	}
	for _, tc := range []struct {
		sort          Sort
		text, pattern string
	}{
		{Date, "3 aprilo 2071", `^[0-9]{1,2} (januaro|februaro|marto|aprilo|majo|junio|julio|aŭgusto|septembro|oktobro|novembro|decembro) 20[67][0-9]$`},
		{Date, "April 3, 2071", `^[A-Z][a-z]+ [0-9]+, 20[67][0-9]$`}, {Date, "3 de abril de 2071", `^[0-9]+ de [a-z]+ de 20[67][0-9]$`},
		{Date, "Kristnasko", `^La [0-9]+-a de [a-zŭ]+$`},
		{Age, "naŭdek tri jaroj", "^naŭdek aŭ pli jaroj$"}, {Age, "naŭdek monatoj", "^naŭdek monatoj$"}, {Age, "ninety-one", "^ninety or more$"},
		{Family, "patrino", "^fratino$"}, {Family, "mother", "^(sister|daughter|aunt|grandmother|niece|wife)$"},
		{Phone, "+99 412345", `^\+99 4[0-9]{5}$`}, {Hospital, "Hospitalo Roko", "^Hospitalo (Espera|Suna)$"}, {Street, "Roko strato 12", "^(Betula|Pina) strato [1-9][0-9]$"},
		{State, "Rokio", "^(Nordio|Sudio)$"}, {Zip, "12345", "^[0-9]{5}$"},
	} {
		if got := must(t, p, tc.sort, tc.text); !regexp.MustCompile(tc.pattern).MatchString(got) {
			t.Errorf("%s %q became %q, want %s", tc.sort, tc.text, got, tc.pattern)
		}
	}
	if a, b := must(t, p, Date, "3 aprilo 2071"), must(t, p, Date, "3/4/2071"); p.Identity(Date, a) != p.Identity(Date, b) {
		t.Errorf("one date became %q and %q", a, b)
	}
	if _, err := New(Options{Language: "eo"}); err == nil || err.Error() != `no surrogates in the language "eo" (have en, es)` {
		t.Errorf("error %v", err)
	}
}

// TestWordRules has an example for each rule: a name in a language, and the word to which the rule applies.
func TestWordRules(t *testing.T) {
	examples := map[string]struct {
		lang       Language
		name, word string
	}{
		"the only word":               {English, "Doctor", "doctor"},
		"nickname":                    {English, `Oda "Sir" Lund`, "sir"},
		"name rather than title":      {English, "Don Lund", "don"},
		"name unless in capitals":     {English, "Md Rahman", "md"},
		"title":                       {English, "Dr. Oda Lund", "dr"},
		"relative":                    {English, "sister Oda Lund", "sister"},
		"known first name":            {English, "Oda Maria Lund", "maria"},
		"word before a comma":         {English, "van der Le, Oda", "le"},
		"particle in lower case":      {English, "Oda la Lund", "la"},
		"sure particle":               {English, "Oda Ter Lund", "ter"},
		"widow":                       {Spanish, "Rosa Zubi Vda. de Lund", "vda"},
		"particle before a particle":  {English, "VAN DER BERG, ANNA", "van"},
		"particle after a particle":   {Spanish, "Oda De La Lund", "la"},
		"particle of a known surname": {English, "Van Dyke", "van"},
		"first name like a title":     {English, "Junior Miller", "junior"},
	}
	for _, rule := range wordRules {
		example, ok := examples[rule.name]
		if !ok {
			t.Errorf("no example for the rule %q", rule.name)
			continue
		}
		n := &names{Maker: in(example.lang), behind: map[string]set{"van": {"dyke": true}}, firsts: set{"junior": true}}
		all := n.cutName(example.name)
		words := n.indices(all, nameWord)
		for k, i := range words {
			w := wordOfName{n, all, words, k}
			first := wordRules[max(0, slices.IndexFunc(wordRules, func(r wordRule) bool { return r.applies(w) }))]
			if first.stays {
				all[i].kind = nameStays
			}
			if w.word() == example.word && first.name != rule.name {
				t.Errorf("%s in %q: the rule %q applies, want %q", example.word, example.name, first.name, rule.name)
			}
		}
	}
}

// TestRoleRules has an example for each rule, with the roles of its words: g for a first name, f for a surname.
func TestRoleRules(t *testing.T) {
	examples := map[string]struct {
		lang        Language
		name, roles string
	}{
		"surname before a comma": {English, "Lund, Oda M.", "fgg"},
		"single initial":         {English, "O.", "g"},
		"initials":               {English, "O.M.L.", "ggf"},
		"first name alone":       {English, "Maria", "g"},
		"surname alone":          {English, "Dr. Maria", "f"},
		"two surnames":           {Spanish, "Núñez Vega", "ff"},
		"two surnames last":      {Spanish, "Ana María Núñez Vega", "ggff"},
		"two first names":        {Spanish, "María José", "gg"},
		"double first name":      {English, "Mary Beth", "gg"},
		"surname first":          {English, "Gomez Maria", "fg"},
		"surname last":           {English, "Oda Belko-Lund", "gff"},
	}
	for _, rule := range roleRules {
		example, ok := examples[rule.name]
		if !ok {
			t.Errorf("no example for the rule %q", rule.name)
			continue
		}
		n := &names{Maker: in(example.lang)}
		all, _ := n.parse(example.name)
		shape := n.shapeOf(all, "")
		if first := roleRules[slices.IndexFunc(roleRules, func(r roleRule) bool { return r.applies(shape) })]; first.name != rule.name {
			t.Errorf("%q: the rule %q applies, want %q", example.name, first.name, rule.name)
		}
		got := ""
		for _, i := range shape.words {
			got += map[role]string{given: "g", family: "f"}[all[i].role]
		}
		if got != example.roles {
			t.Errorf("%q: roles %s, want %s", example.name, got, example.roles)
		}
	}
}

// TestCutRules has an example for each rule, with the pieces into which the place is split: units in brackets, numbers in braces.
func TestCutRules(t *testing.T) {
	examples := map[string]struct {
		sort       Sort
		place, cut string
	}{
		"date":       {Street, "Calle 12 de Octubre", "Calle [Octubre]"},
		"ordinal":    {Street, "Gorse, 2do", "[Gorse], {2}do"},
		"door":       {Street, "Gorse 1oE", "[Gorse] {1}{oE}"},
		"number":     {Street, "12 Gorse Street B", "{12} [Gorse] Street {B}"},
		"ward":       {Department, "Gorse 4B East", "[Gorse] {4}{B} East"},
		"unit":       {Hospital, "Hospital La Paz", "Hospital [La Paz]"},
		"what stays": {Hospital, "General Hospital", "General Hospital"},
	}
	for _, rule := range cutRules {
		example, ok := examples[rule.name]
		if !ok {
			t.Errorf("no example for the rule %q", rule.name)
			continue
		}
		p := patient(t, Options{}, nil)
		got := ""
		for _, piece := range p.split(example.place, example.sort) {
			switch {
			case piece.key != "":
				got += "[" + piece.text + "]"
			case piece.num:
				got += "{" + piece.text + "}"
			default:
				got += piece.text
			}
		}
		if got != example.cut {
			t.Errorf("%q is cut into %q, want %q", example.place, got, example.cut)
		}
		c := &placeCutter{Patient: p, sort: example.sort, tokens: tokens(example.place)}
		applied := false
		for ; c.i < len(c.tokens) && !applied; c.i++ {
			k := slices.IndexFunc(cutRules, func(r cutRule) bool { d := *c; return r.cut(&d) })
			applied = cutRules[k].name == rule.name
		}
		if !applied {
			t.Errorf("%q: the rule %q does not apply", example.place, rule.name)
		}
	}
}
