package surrogate

import (
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// familyWords say nothing of who a relative is.
var familyWords = wordSet(`maternal paternal identical adopted deceased late first second degree one side family relative relatives
	materno materna maternos maternas paterno paterna paternos paternas mayor mayores menor menores ambos ambas otro otra otros otras su sus mi rama grado primer primero
	primera segundo segunda varon varones mujer mujeres fallecido fallecida joven jovenes sano sana sanos sanas directo directos vivo viva gemelo gemela masculino femenino neonato miembros`)

// family puts another relative of the same number and grammatical gender in the
// place of each, and leaves numbers, ages and what else is in closed lists. It is
// false if any other word is there, unless it begins with a first name: then it is one's.
func (p *Patient) family(text string) (string, bool, error) {
	if s, ok, err := age(text); ok {
		return s, true, err
	}
	for _, lang := range []Language{p.lang, other(p.lang)} {
		kin := kinship(lang)
		var b strings.Builder
		known, words := true, false
		for _, t := range tokens(text) {
			_, number := numberWords[t.word]
			switch class := kin[t.word]; {
			case class != "":
				s, err := p.draw("family", t.word, &list{string(lang) + "-kinship", strings.Fields(relatives[lang][class])})
				if err != nil {
					return "", false, nil // every word of its class stands in the notes
				}
				b.WriteString(likeCase(s, t.text))
				words = true
			case t.word == "" && (!t.num || len(t.text) < 3 && t.n < 90), number, familyWords[t.word], ageWords[t.word]:
				b.WriteString(t.text)
				words = words || familyWords[t.word]
			default:
				known = false
			}
		}
		if words && known {
			return b.String(), true, nil
		}
	}
	if first, _, _ := strings.Cut(fold(strings.TrimSpace(text)), " "); p.known.given(first) && !lowerCase(text) {
		return p.person(text)
	}
	return "", false, nil
}

// relatives are the words that are put there, by gender and number, each class for its own.
var relatives = map[Language]map[string]string{
	English: {
		"female": "mother sister daughter aunt grandmother niece wife", "male": "father brother son uncle grandfather nephew husband",
		"plural": "brothers sisters sons daughters aunts uncles nephews nieces", "one": "sibling cousin relative parent child", "many": "siblings cousins relatives parents children",
	},
	Spanish: {
		"female": "madre hermana hija tía abuela prima sobrina esposa cuñada suegra nieta", "male": "padre hermano hijo tío abuelo primo sobrino esposo cuñado suegro nieto",
		"females": "hermanas hijas tías abuelas primas sobrinas cuñadas nietas", "males": "hermanos hijos tíos abuelos primos sobrinos cuñados nietos padres",
		"one": "familiar pariente allegado", "many": "familiares parientes allegados",
	},
}

// kin is the class of each word for a relative.
type kin map[string]string

var kinships = map[Language]func() kin{English: sync.OnceValue(func() kin { return newKin(English) }), Spanish: sync.OnceValue(func() kin { return newKin(Spanish) })}

func kinship(lang Language) kin { return kinships[lang]() }

var (
	femaleKin = wordSet("mom mommy mum ex-wife widow girlfriend fiancee grandma godmother madre mujer exmujer nuera mama")
	maleKin   = wordSet("dad daddy widower boyfriend fiance grandpa godfather padre marido exmarido yerno papa tutor cuidador progenitor")
	bothKin   = wordSet("conyuge pareja familia familiar pariente spouse partner parent child sibling relative family guardian caregiver caretaker friend neighbor roommate grandchild grandparent twin")
	allKin    = wordSet("familiares parientes progenitores parents children siblings relatives grandchildren grandparents")
)

func newKin(lang Language) kin {
	k := kin{}
	for class, words := range relatives[lang] {
		for _, w := range strings.Fields(words) {
			k[fold(w)] = class
		}
	}
	for _, w := range wordlists.Entries(string(lang) + "-kinship") {
		f := fold(w)
		if strings.Contains(f, " ") || k[f] != "" || f == "gemelo" || f == "gemela" {
			continue
		}
		switch {
		case femaleKin[f]:
			k[f] = "female"
		case maleKin[f]:
			k[f] = "male"
		case bothKin[f]:
			k[f] = "one"
		case allKin[f]:
			k[f] = "many"
		case lang == English && strings.HasSuffix(f, "s"):
			k[f] = "plural"
		case lang == English && (strings.Contains(f, "mother") || strings.Contains(f, "daughter") || strings.Contains(f, "sister") || strings.Contains(f, "aunt")):
			k[f] = "female"
		case lang == English:
			k[f] = "male"
		case strings.HasSuffix(f, "as"):
			k[f] = "females"
		case strings.HasSuffix(f, "s"):
			k[f] = "males"
		case strings.HasSuffix(f, "a"):
			k[f] = "female"
		default:
			k[f] = "male"
		}
	}
	return k
}
