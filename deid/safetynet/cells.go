package safetynet

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file tells whether a cell of a table looks like a value of its column.

// maxCell is the maximum length of a value.
const maxCell = 80

// values are tests of the values of a column, by its type.
var values = map[string]func(string) bool{
	"DATE": isDay, day: isDay, "PATIENT": isName, "DOCTOR": isName, "MEDICALRECORD": isIdentifier, "IDNUM": isIdentifier,
	"PHONE": func(s string) bool {
		return phoneCell.MatchString(s) && digits(s) >= 3 && (digits(s) >= 7 || !strings.ContainsAny(s, "-./"))
	},
	"STREET": func(s string) bool { return streetCell.MatchString(s) },
	"CITY":   isName,
	"ZIP":    func(s string) bool { return zipCell.MatchString(s) },
	"AGE":    func(s string) bool { return over89Cell.MatchString(s) },
	ranges:   isRange,
	test:     func(s string) bool { return testCell.MatchString(s) },
}

var (
	dayCell    = lazyregexp.New(`^([0-9]{1,2})[/-]([0-9]{1,2})(?:[/-](?:[0-9]{2}|[0-9]{4}))?(?:[ ,T]+[0-9]{1,2}:[0-9]{2}.{0,9})?$`)
	dottedCell = lazyregexp.New(`^([0-9]{1,2})\.([0-9]{1,2})\.(?:[0-9]{2}|[0-9]{4})?$`)
	isoCell    = lazyregexp.New(`^[0-9]{4}[/-]([0-9]{1,2})[/-]([0-9]{1,2})(?:[ T].{0,20})?$`)
	monthCell  = lazyregexp.New(`^(?i:[0-9]{1,2}(?:st|nd|rd|th)?[ -]?(?:de )?` + wordlists.Month + `\.?(?:[ ,-]+(?:de )?(?:[0-9]{2}|[0-9]{4}))?|` + wordlists.Month + `\.?[ -][0-9]{1,2}(?:st|nd|rd|th)?(?:[ ,-]+[0-9]{4})?|` +
		wordlists.Month + `\.?[ -](?:de )?(?:19|20)[0-9]{2})$`)
	identifier   = lazyregexp.New(`^#?[A-Za-z]{0,6}[-.]?[0-9]+(?:[./ -]?[0-9A-Za-z]+){0,8}$`)
	otherCode    = lazyregexp.New(`^(?:[0-9]+\.[0-9]+|[A-Z][0-9]{2}\.[0-9A-Z]+|(?i:[cpgmn]\..*)|(?:19|20)[0-9]{2}(?:[-/](?:19|20)?[0-9]{2})?)$`)
	phoneCell    = lazyregexp.New(`^(?i:(?:\+|\()?[0-9][0-9 ()./+-]{2,22}(?:[ ,]*(?:x|ext\.?|#)[ ]?[0-9]{1,6})?|(?:x|ext\.?|#)[ ]?[0-9]{3,6})$`)
	streetCell   = lazyregexp.New(`^(?:[0-9]+[A-Za-z]? \p{L}.*|\p{L}+[./ ]+\p{L}{3,}.*[ ,º°/.][0-9].*)$`)
	rangeCell    = lazyregexp.New(`^[(\[]?(?:([0-9]{1,3}(?:[.,][0-9]{1,3})?) ?[-–] ?([0-9]{1,3}(?:[.,][0-9]{1,3})?)|[<>≤≥] ?[0-9]{1,5}(?:[.,][0-9]{1,3})?)(?: ?\p{L}{1,6}(?:/\p{L}{1,5})?| ?%)?[)\]]?$`)
	testCell     = lazyregexp.New(`^(?:[A-Z]{2,4}[0-9]{0,2}|[A-Z]{1,2}[0-9][A-Z0-9]{0,2})$`)
	clockCell    = lazyregexp.New(`^(?:[01][0-9]|2[0-3])[0-5][0-9]$`)
	amountCell   = lazyregexp.New(`^[0-9]{1,3}$`)
	yearCell     = lazyregexp.New(`^(?:19|20)[0-9]{2}$`)
	zipCell      = lazyregexp.New(`^(?:[0-9]{4,5}(?:-[0-9]{4})?|[ABCEGHJ-NPRSTVXY][0-9][A-Z] ?[0-9][A-Z][0-9]|[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2})$`)
	over89Cell   = lazyregexp.New(`^(?:[MFVHmfvh][ /,-]{1,3})?[>≥~]?=? ?(?:9[0-9]|1[01][0-9])(?:[.,][0-9])?\+? ?(?i:y|yo|y/o|yrs?|years?|years old|a|años)?\.?(?:[ /,-]{0,3}(?i:m|f|v|h|male|female|mujer|var[óo]n|hombre))?$`)
	personTitles = lazyregexp.New(`^(?:(?:RN|CNM|CNA|CRNA|FNP|LPN|LVN|NP)[ ]+)?(?i:(?:drs?|dras?|mr|mrs|ms|miss|prof|doc|rev|pastor|rabbi|coach|nurse|sr|sra|srta|d|dña|doña|don|lic|enf|n\.p|r\.n|m\.d|mother|father|son|daughter|wife|husband|sister|brother|aunt|uncle|partner|madre|padre|hij[oa]|herman[oa]|abuel[oa]|espos[oa]|t[ií][oa])\b\.?[ ]+)*`)
	credential   = lazyregexp.New(`, (?i:mr|mrs|ms|miss)\.?$|,? (?:M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?(?:-C)?|Ph\.?D\.?|LPN|LVN|RPh|APRN|CNM|BSN|MSN|FNP|DNP|PharmD|RT|PT|OT|SLP|RD|LCSW|EMT|CNA|CRNA|DUE|TCAE|MIR)(?:[ ,].*)?$`)
	shortNumber  = lazyregexp.New(`^[0-9]{1,3}(?:[.,][0-9]{1,2})?$`)
	tabletCell   = lazyregexp.New(`^(?:1/[2348]|[23]/[34])(?: ?(?i:comp(?:rimidos?)?|tabs?|tablets?|c))?$`)
	timeAfter    = lazyregexp.New(`,? [0-9]{1,2}:?[0-9]{2}(?:h| ?[ap]m)?$`)
	nameCell     = lazyregexp.New(`^\p{Lu}[\p{L}'’.-]*(?:,? (?:de|del|la|las|los|van|von|der|den|da|dos|y|i|al|el|bin|\p{Lu}[\p{L}'’.-]*)| ?[/&+] ?\p{Lu}[\p{L}'’.-]*){0,5}$`)
)

// isDay reports whether a value is a date with a day or a month. A fraction such as 3/2 is one in a column of dates.
func isDay(s string) bool {
	for _, form := range []*lazyregexp.Regexp{dayCell, dottedCell, isoCell} {
		if m := form.FindStringSubmatch(s); m != nil {
			a, b := number(m[1]), number(m[2])
			return min(a, b) >= 1 && min(a, b) <= 12 && max(a, b) <= 31
		}
	}
	return monthCell.MatchString(s)
}

func number(digits string) (n int) {
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	return n
}

func digits(s string) (n int) {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}

// isRange reports whether a value is a range of results, which begins with its lower number.
func isRange(s string) bool {
	m := rangeCell.FindStringSubmatch(s)
	if m == nil || m[1] == "" {
		return m != nil
	}
	low, err := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
	high, err2 := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64)
	zero := func(s string) bool { return len(s) > 1 && s[0] == '0' && s[1] != '.' && s[1] != ',' } // as in a date
	return err == nil && err2 == nil && low < high && !zero(m[1]) && !zero(m[2])
}

func isIdentifier(s string) bool {
	return identifier.MatchString(s) && digits(s) >= 4 && !isDay(s) && !otherCode.MatchString(s)
}

// withoutTitle cuts titles, credentials and a time off a name.
func withoutTitle(text string, c cell) cell {
	c.start += len(personTitles.FindString(text[c.start:c.end]))
	if m := timeAfter.FindStringIndex(text[c.start:c.end]); m != nil && m[0] > 0 {
		c.end = c.start + m[0]
	}
	if m := credential.FindStringIndex(text[c.start:c.end]); m != nil && m[0] > 0 {
		c.end = c.start + m[0]
	}
	return c
}

// isName reports whether a value is a name: words in capitals, of which one is neither a common word nor one of a
// profession or the like, nor an abbreviation.
func isName(s string) bool {
	if !nameCell.MatchString(s) {
		return false
	}
	words := strings.Fields(s)
	if noName()[fold.Fold(s)] || len(words) > 1 && slices.ContainsFunc(words, func(word string) bool { return roles()[fold.Fold(word)] }) {
		return false
	}
	return slices.ContainsFunc(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }), func(word string) bool {
		folded := fold.Fold(word)
		short := utf8.RuneCountInString(word) <= 3 && strings.ToUpper(word) == word
		return utf8.RuneCountInString(word) > 1 && !short && !wordlists.Common(folded) && !noName()[folded]
	})
}

// bare returns a name without titles and credentials.
func bare(name string) string {
	c := withoutTitle(name, cell{0, len(name)})
	return name[c.start:c.end]
}

// isEmpty reports whether a cell stands for a value that there is not.
func isEmpty(s string) bool { return !strings.ContainsFunc(s, isAlnum) || noName()[fold.Fold(s)] }

// isListedName reports whether a value may be a name although its words are ordinary ones: each is also a name.
func isListedName(s string) bool {
	if !nameCell.MatchString(s) || isEmpty(s) && !ordinarySurnames[fold.Fold(s)] {
		return false
	}
	return !slices.ContainsFunc(strings.FieldsFunc(s, noLetter), func(word string) bool {
		return utf8.RuneCountInString(word) > 1 && !isParticle(word) && !ordinarySurnames[fold.Fold(word)] && !surrogate.IsFirstName(word) && !surrogate.IsSurname(word)
	})
}

// ordinarySurnames are frequent surnames that are ordinary words.
var ordinarySurnames = wordlists.Set(`ash baker banks barber bell berry best bird bishop black blue bond booth brown bush butler carpenter carter case chase church cook cooper cross curry drake fields fish fisher flowers ford
	forest fox frost garden gardener glass gold golden good grace gray green grey hall hand hart head hill hunt hunter jolly judge justice kidd king knight lake lane light little long love marsh marshall mason miller
	mills moon moss noble page palmer park parks penny pike pool poole porter potter powers price quick reed rice rich rivers root rose sample sharp shepherd short silver singer small snow sparks spring steel stone
	strong summers swan sweet taylor temple turner wall walker ward waters wells west white wild winter wise wolf wood woods young
	blanco bravo calle campo campos castillo cano cruz delgado dorado flores fuentes guerra hierro iglesias leal llano lobo luna marin mora moreno monte montes navarro nieto paz pino prado prieto ramos rey reyes rico rios
	rojo rubio salas santos serrano sierra soto torre torres valle vega vidal vera villa`)

// hasGivenName reports whether a word of a name is a first name and nothing else.
func hasGivenName(s string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(s, noLetter), isGiven)
}

// maxCellWords is the maximum number of words of a cell that is not a name by its heading.
const maxCellWords = 3

// mayBeWords reports whether a cell below a heading such as Event may be no name: it is one word that is no name of a person alone, or up to three
// known words that are not a first name and a surname.
func mayBeWords(s string) bool {
	if bare(s) != s || hasDay(s) {
		return false
	}
	words := strings.Fields(s)
	if len(words) == 1 {
		return !slices.ContainsFunc(wordsOf(s), func(word string) bool {
			return (surrogate.IsFirstName(word) || surrogate.IsSurname(word)) && !isKnownWord(word)
		})
	}
	return len(words) <= maxCellWords && areWords(s) && (!surrogate.IsFirstName(words[0]) || !surrogate.IsSurname(words[len(words)-1]))
}

// areWords reports whether all words of a cell are known, and it is no date, whose digits are known as well.
func areWords(s string) bool {
	return !hasDay(s) && !slices.ContainsFunc(wordsOf(s), func(word string) bool { return !isKnownWord(word) })
}

// hasDay reports whether a cell may be a date or have one without a year, of which two numbers with a point are none.
func hasDay(s string) bool {
	return isDay(s) || slices.ContainsFunc(dayMonthsIn(s), func(v dayMonth) bool { return v.sep != '.' })
}

// isKnownWord reports whether a word is an ordinary one, an eponym, a thing that is also called like a person, or an abbreviation.
func isKnownWord(word string) bool {
	folded := fold.Fold(word)
	return wordlists.Common(folded) || wordlists.Eponym(folded) || noName()[folded] || alsoThings[folded] || inCells[folded] || utf8.RuneCountInString(word) < 3 || testCell.MatchString(word)
}

// isOrdinary reports whether a cell is one ordinary word.
func isOrdinary(s string) bool {
	return utf8.RuneCountInString(s) > 2 && wordlists.Common(fold.Fold(s)) && mayBeWords(s)
}

// inCells are words of tables that are in no list.
var inCells = wordlists.Set("appy bath botox chole depo epi gram kosher lap laps lipids neb nebs pap puree stent")

// wordsOf returns the runs of letters and digits of a value.
func wordsOf(s string) []string {
	return strings.FieldsFunc(s, isSeparator)
}

// roles has words for people by what they do, folded.
var roles = sync.OnceValue(func() map[string]bool {
	return union(foldedEntries("en-medical-specialties", "es-medical-specialties", "en-profession-hints", "es-profession-hints"), wordlists.Set("nurse physio educator navigator coordinator technician agency voicemail clinic team unit ward department"))
})

// noName has words and phrases that stand in columns of names and are none, folded.
var noName = sync.OnceValue(func() map[string]bool {
	return union(foldedEntries("en-medical-specialties", "es-medical-specialties", "en-professions", "es-professions", "en-kinship", "es-kinship", "en-connectives", "es-connectives",
		"en-medical-titles", "es-medical-titles", "en-months", "es-months", "en-weekdays", "es-weekdays", "en-profession-hints", "es-profession-hints", "en-ambiguous-drugs", "es-ambiguous-drugs",
		"en-ambiguous-diseases", "es-ambiguous-diseases", "en-ambiguous-words", "es-ambiguous-words"), wordlists.Set("vacant self unassigned unknown none empty same tbd varies various hospitalist intensivist nocturnist locum cardiothoracic ortho neuro agency stepdown telehealth "+
		"voicemail float pool walker rollator ambulated n/a total totals subtotal average mean totales media suma transferred discharged refused declined cancelled pending day night free libre vacia vacio ninguno ninguna desconocido desconocida pendiente guardia hospitalaria urgencias"))
})
