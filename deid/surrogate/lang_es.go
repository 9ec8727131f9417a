package surrogate

import (
	"strings"

	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

var spanish = profile{
	code:  Spanish,
	words: listText("es-words.txt"),
	lists: listText("es.txt"),
	entries: func() map[string][]string {
		return map[string][]string{"country": wordlists.Entries("es-countries"), "profession": wordlists.Entries("es-professions")}
	},
	stateLists: []string{"es-provinces", "es-regions"}, countryLists: []string{"es-countries"},
	provinces: map[string]string{
		"a coruna": "la coruna", "coruna": "la coruna", "araba": "alava", "alacant": "alicante", "illes balears": "baleares", "islas baleares": "baleares",
		"bizkaia": "vizcaya", "castello": "castellon", "girona": "gerona", "gipuzkoa": "guipuzcoa", "las palmas de gran canaria": "las palmas", "lleida": "lerida",
		"nafarroa": "navarra", "ourense": "orense", "tenerife": "santa cruz de tenerife",
	},
	provinceCodes: true,
	countries: map[string]string{
		"estados unidos": "usa", "eeuu": "usa", "ee uu": "usa", "reino unido": "uk", "gran bretana": "uk", "inglaterra": "uk",
		"paises bajos": "netherlands", "holanda": "netherlands", "emiratos arabes unidos": "uae",
	},
	kindFirst:    true,
	contractions: map[string]string{"del": "de"},
	streetDate:   "de",

	dateOrder: dayFirst,
	months: []string{
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul ago sep oct nov dic",
	},
	elisions: []string{"gener febrer març abril maig juny juliol agost setembre octubre novembre desembre"}, // Catalan
	otherMonths: []string{
		"xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro",   // Galician
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", // Portuguese
		// Basque, in its cases: the month, of, in and, in the heading of a letter, the month with its day.
		"urtarrila otsaila martxoa apirila maiatza ekaina uztaila abuztua iraila urria azaroa abendua",
		"urtarrilaren otsailaren martxoaren apirilaren maiatzaren ekainaren uztailaren abuztuaren irailaren urriaren azaroaren abenduaren",
		"urtarrilean otsailean martxoan apirilean maiatzean ekainean uztailean abuztuan irailean urrian azaroan abenduan",
		"urtarrilak otsailak martxoak apirilak maiatzak ekainak uztailak abuztuak irailak urriak azaroak abenduak",
		"urtarrileko otsaileko martxoko apirileko maiatzeko ekaineko uztaileko abuztuko iraileko urriko azaroko abenduko",
		"urtarriletik otsailetik martxotik apiriletik maiatzetik ekainetik uztailetik abuztutik irailetik urritik azarotik abendutik",
	},
	weekdays: []string{
		"domingo lunes martes miércoles jueves viernes sábado",
		"domingos lunes martes miércoles jueves viernes sábados",
		"dom lun mar mié jue vie sáb",
		"domingo luns martes mércores xoves venres sábado",                    // Galician
		"diumenge dilluns dimarts dimecres dijous divendres dissabte",         // Catalan
		"igandea astelehena asteartea asteazkena osteguna ostirala larunbata", // Basque
		"igandean astelehenean asteartean asteazkenean ostegunean ostiralean larunbatean",
	},
	seasons:        []string{"invierno primavera verano otoño"},
	variants:       map[string]string{"setiembre": "septiembre", "sept": "sep", "set": "sep"},
	yearAfterMonth: true,
	dayLetters:     []string{"d do", "l lu", "m ma", "m x mi", "j ju", "v vi", "s sa"},
	workdays:       lazyregexp.New(`L ?[-–] ?V|L a V`),
	schedules: schedules(`(?i:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bados?|domingos?|lun|mar|mi[ée]|jue|vie|s[áa]b|dom)`,
		`(DAY(?:(?:, ?|,? (?i:y|e) |/|-)DAY)+)\b`,
		cued{`\b(?i:cada|todos los|descansa(?:ndo|r)?|excepto|salvo|menos)(?: (?i:los))? (DAY(?:(?:, | (?i:y|e) )DAY)*)\b`, []string{"cada", "todos los", "descansa", "excepto", "salvo", "menos"}},
		cued{`\b(?i:semanal(?:es)?|cada semana|(?:una|1|dos|2|tres|3) ve(?:z|ces) (?:por|a la) semana)(?: (?i:los)|:| \()? ?(DAY(?:(?:, | (?i:y|e) |/)DAY)*)\b`, []string{"semana"}},
		cued{`\b(?:[Ll]os|LOS) ((?:lunes|LUNES|martes|MARTES|mi[ée]rcoles|MI[ÉE]RCOLES|jueves|JUEVES|viernes|VIERNES|s[áa]bados?|S[ÁA]BADOS?|domingos?|DOMINGOS?)(?:(?:, | (?i:y|e|y los) )(?:lunes|LUNES|martes|MARTES|mi[ée]rcoles|MI[ÉE]RCOLES|jueves|JUEVES|viernes|VIERNES|s[áa]bados?|S[ÁA]BADOS?|domingos?|DOMINGOS?))*)\b`, []string{"los "}}, // Domingos is a surname
		cued{`\b(?i:(?:hemo)?di[áa]lisis|HD)(?: (?i:los))?:? (DAY(?:(?:, |,? (?i:y|e) |/|-)DAY){2,3})\b`, []string{"lisis", "hd"}},
		cued{`\b(?i:(lunes a viernes))\b`, []string{"lunes a viernes"}},
		`\b(DAY(?:/DAY){2,6})\b`),
	datedAfter: lazyregexp.New(`^,? *(?:d[ií]as? )?(?:[0-9]{1,2}\b|(?i:pasad|[úu]ltim|próxim))`),
	holidays:   listText("es-holidays.txt"),
	monthDay:   "%[1]d de %[2]s",
	beforeYear: " de ",
	endings:    basqueEndings,

	twoSurnames: true,
	shortNames: []shortName{
		{lazyregexp.New(`^(?:M\.[ªa]|[Mm]ª\.?|[Mm][Aa]\.)`), "maria"},
	},
	shortSurnames: map[string]string{
		"fdez": "fernandez", "fdz": "fernandez", "frdez": "fernandez", "fernz": "fernandez", "ferndez": "fernandez",
		"mtez": "martinez", "mtnez": "martinez", "mnez": "martinez", "mtz": "martinez", "martnez": "martinez",
		"glez": "gonzalez", "gzlez": "gonzalez", "gonzlez": "gonzalez", "gzalez": "gonzalez", "glz": "gonzalez", "gzlz": "gonzalez",
		"hdez": "hernandez", "hdz": "hernandez", "hernz": "hernandez", "herndez": "hernandez", "hrdez": "hernandez",
		"rguez": "rodriguez", "rdguez": "rodriguez", "rodguez": "rodriguez", "rdrguez": "rodriguez", "rdgz": "rodriguez", "rdz": "rodriguez", "rgz": "rodriguez",
		"pz": "perez", "prz": "perez", "sz": "sanchez", "schez": "sanchez", "snchez": "sanchez", "snz": "sanchez",
		"dguez": "dominguez", "domguez": "dominguez", "dgz": "dominguez", "gtez": "gutierrez", "gtrez": "gutierrez", "gutz": "gutierrez",
		"jmnez": "jimenez", "jmez": "jimenez", "jnez": "jimenez", "vzquez": "vazquez", "vqez": "vazquez", "vzqz": "vazquez", "lpz": "lopez", "lpez": "lopez",
		"gcia": "garcia", "alvz": "alvarez", "alvrez": "alvarez",
	},

	professionGender: spanishProfession,

	relatives: map[string]string{
		"female": "madre hermana hija tía abuela prima sobrina esposa cuñada suegra nieta", "male": "padre hermano hijo tío abuelo primo sobrino esposo cuñado suegro nieto",
		"females": "hermanas hijas tías abuelas primas sobrinas cuñadas nietas", "males": "hermanos hijos tíos abuelos primos sobrinos cuñados nietos padres",
		"one": "familiar pariente allegado", "many": "familiares parientes allegados",
	},
	kinLists: []string{"es-kinship"},
	kinRules: []kinRule{
		{lazyregexp.New(`as$`), "females"}, {lazyregexp.New(`s$`), "males"}, {lazyregexp.New(`a$`), "female"}, {lazyregexp.New(``), "male"},
	},
	notKin: []string{"gemelo", "gemela"},

	numbers: []numberWords{
		{0, 1, `cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve
			veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve`},
		{30, 10, "treinta cuarenta cincuenta sesenta setenta ochenta noventa"},
		{1, 0, "un una"}, {21, 0, "veintiun veintiuna"}, {100, 0, "cien ciento"},
	},
	ninetyOrMore: "noventa o más",
	phones: []phonePlan{{code: "34", length: 9, digits: []phoneDigit{
		{at: 0, was: "67", from: 6, n: 2}, // of mobile telephones
		{at: 0, was: "89", from: 8, n: 2},
	}}},
}

var (
	professionOfBoth = lazyregexp.New(`(?:ista|peuta|iatra|guardia|policia|guarda|guia|logopeda|modelo|piloto)$`)
	professionOfMen  = lazyregexp.New(`(?:o|or|on|in|barman|sastre|cura|monje|sacerdote)$`)
)

// spanishProfession returns the grammatical gender of a profession by its ending: enfermera, peón, dentista.
func spanishProfession(first string) int {
	switch {
	case professionOfBoth.MatchString(first):
		return 0
	case professionOfMen.MatchString(first):
		return -1
	case strings.HasSuffix(first, "a"), first == "actriz":
		return 1
	}
	return 0
}

// basqueEndings are the endings of numbers that are days of a month: martxoaren 5ean, 6an, 11n; 5etik, 6tik.
var basqueEndings = map[string]func(int) string{
	"ean": basqueOn, "an": basqueOn, "n": basqueOn,
	"etik": basqueEnding("tik"), "tik": basqueEnding("tik"), "era": basqueEnding("ra"), "ra": basqueEnding("ra"), "eko": basqueEnding("ko"), "ko": basqueEnding("ko"),
}

// basqueOn returns the ending of the day on which something happens.
func basqueOn(n int) string {
	if n%20 == 11 { // hamaika ends with an a
		return "n"
	}
	return basqueEnding("an")(n)
}

// basqueEnding returns an ending that has an e before it if the word for the number ends with a consonant: bat, bost, hamar, hamabost.
func basqueEnding(ending string) func(int) string {
	return func(n int) string {
		if n%5 == 0 && n != 20 || n%20 == 1 {
			return "e" + ending
		}
		return ending
	}
}
