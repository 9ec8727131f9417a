package surrogate

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// profile is everything that the algorithm knows about a language. A new language is a value of this type in a file of its own, with its lists. An
// empty field switches off its function; only code, lists, months, monthDay, beforeYear and relatives are required.
//
// The words of all languages are recognized in all notes, because notes quote other languages. Where languages disagree, as in the order of a date,
// the language of the notes decides.
type profile struct {
	code  Language
	words func() string // sections of folded words, see wordKind

	// Surrogates: sections of the lists of requiredLists, and of unisex first names and regions if there are any.
	lists   func() string
	entries func() map[string][]string // further entries, by list

	// Places.
	states            func() string     // lines with a state in full, a colon, and its abbreviations
	stateLists        []string          // names of wordlists of states,
	countryLists      []string          // of countries,
	abbreviationLists []string          // and of abbreviations of states
	provinces         map[string]string // other names of states of the list, folded
	provinceCodes     bool              // the first two digits of a postal code number the states of the list
	countries         map[string]string // one name for the names of one country, folded
	kindFirst         bool              // Hospital Lund rather than Lund Hospital
	contractions      map[string]string // a preposition with an article, and without
	streetDate        string            // the word within a date that is the name of a street: 12 de Octubre

	// Dates. Words stand between blanks, in several styles; the first is the full form.
	dateOrder      order
	months         []string
	otherMonths    []string           // likewise of languages that notes of this language quote, without those that are the same in it
	elisions       []string           // styles of months before which "de" becomes "d'" if they begin with a vowel
	weekdays       []string           // from Sunday
	seasons        []string           // from winter
	variants       map[string]string  // other spellings, folded
	weekdayLetters []string           // styles of weekdays without anything between them (MWF), longest first
	dayLetters     []string           // letters for each weekday, from Sunday, in lists such as M/W/F; folded
	workdays       *lazyregexp.Regexp // Monday to Friday in letters
	schedules      []schedule         // days of the week that recur: see Maker.Recurs
	datedAfter     *lazyregexp.Regexp // what shows, after a day of the week, that it is that of an event
	yearAfterMonth bool               // two digits after a month in words are a year
	holidays       func() string      // lines with the names of a holiday, a colon and its rule; see holiday.in
	monthDay       string             // format of a date without year, from the number of the day and the name of the month
	beforeYear     string             // text between such a date and a year
	ordinals       []string           // suffixes of ordinal numbers,
	ordinal        func(int) string   // and the one of a number

	endings map[string]func(int) string // likewise endings of the days of a month in a language that notes of this language quote

	// Names.
	twoSurnames bool // the last two words of a full name are surnames
	shortNames  []shortName

	shortSurnames map[string]string // abbreviations of surnames, and the surnames; folded

	// Professions.
	professionGender func(first string) int // grammatical gender of one by its first word, folded: 1 for women, -1 for men, 0 for both

	// Relatives, by class. There is one class for each gender and number that a word can have.
	relatives map[string]string // surrogates; the classes female, male, one and many are required
	kinLists  []string          // names of wordlists of relatives
	kinRules  []kinRule         // classes of other words for relatives; the first that matches counts
	notKin    []string          // words of kinLists that are not relatives

	// Numbers.
	numbers      []numberWords
	ninetyOrMore string
	phones       []phonePlan // the first that fits a number applies
}

// numberWords are words for consecutive numbers, the first of which is from, with a distance of step.
type numberWords struct {
	from, step int
	words      string
}

// kinRule is the class of the words for relatives that match a pattern.
type kinRule struct {
	pattern *lazyregexp.Regexp
	class   string
}

// shortName is an abbreviation of a first name before another.
type shortName struct {
	pattern *lazyregexp.Regexp
	name    string // folded
}

// phonePlan describes the telephone numbers of a country.
type phonePlan struct {
	code     string // of the country; it stays
	trunk    string // precedes a number without the code; it stays, and may be empty
	length   int    // digits without the code or the trunk prefix
	notFirst string // digits that no number begins with after the trunk prefix
	digits   []phoneDigit
}

// phoneDigit restricts the digit at an index of a number without the code to n digits from from.
type phoneDigit struct {
	at      int
	was     string // digits that this applies to; empty for all
	from, n int
}

// language is a profile prepared for use.
type language struct {
	profile
	words          vocabulary
	calendar       *calendar
	kin            map[string]string // class of each word for a relative
	kinSurrogates  map[string]*list  // of each class
	states         *stateTable       // nil if there is none
	female, male   set               // first names
	weekdayLetters []*forms
	dayLists       *dayLists // nil if there are no letters for weekdays
}

// languages combines several languages.
type languages struct {
	all          []*language
	words        vocabulary // of all languages
	drawn        map[string]*list
	known        *known
	numbers      map[string]numberWord
	ordinals     map[string]func(int) string // by suffix
	endings      map[string]func(int) string // of days in dates, by ending
	countries    map[string]string           // one name for the names of one country
	contractions map[string]string
	places       *placesKnown
}

// numberWord is a number in words.
type numberWord struct {
	value int
	lang  *language
}

// builtin has the languages of the package. For a further language, add its profile here.
var builtin = sync.OnceValue(func() *languages { return newLanguages(english, spanish) })

// newLanguages prepares profiles. If a word has meanings in several languages, the first language counts.
func newLanguages(profiles ...profile) *languages {
	l := &languages{words: readVocabulary(""), drawn: map[string]*list{}, numbers: map[string]numberWord{},
		ordinals: map[string]func(int) string{}, endings: map[string]func(int) string{}, countries: map[string]string{}, contractions: map[string]string{}}
	addSections(l.drawn, "", listText("scripts.txt")())
	for _, p := range profiles {
		lang := newLanguage(p)
		l.all = append(l.all, lang)
		l.words.add(lang.words)
		l.addLists(p)
		for _, n := range p.numbers {
			for i, word := range strings.Fields(n.words) {
				if _, ok := l.numbers[word]; !ok {
					l.numbers[word] = numberWord{n.from + i*n.step, lang}
				}
			}
		}
		for _, suffix := range p.ordinals {
			l.ordinals[suffix] = p.ordinal
		}
		maps.Copy(l.endings, p.endings)
		maps.Copy(l.countries, p.countries)
		maps.Copy(l.contractions, p.contractions)
	}
	l.known = newKnown(l)
	l.places = newPlacesKnown(l)
	return l
}

// requiredLists are the lists that each language must have.
var requiredLists = strings.Fields("female male surname city state country street hospital organization department landmark profession")

// addLists puts the surrogates of a language on the lists.
func (l *languages) addLists(p profile) {
	prefix := string(p.code) + "-"
	addSections(l.drawn, prefix, p.lists())
	// First names for unknown genders, and for when those of one gender are used up.
	for _, gender := range []string{"female", "male"} {
		if names := l.drawn[prefix+gender]; names != nil {
			addEntries(l.drawn, prefix+"given", names.entries)
		}
	}
	if p.entries != nil {
		for name, entries := range p.entries() {
			addEntries(l.drawn, prefix+name, entries)
		}
	}
	for _, name := range requiredLists {
		if l.drawn[prefix+name] == nil {
			panic("no list " + prefix + name + " of surrogates")
		}
	}
	for _, from := range p.abbreviationLists {
		for _, abbreviation := range wordlists.Entries(from) {
			if len(abbreviation) == 2 && strings.ToUpper(abbreviation) == abbreviation {
				addEntries(l.drawn, abbreviations, []string{abbreviation})
			}
		}
	}
}

func newLanguage(p profile) *language {
	lang := &language{profile: p, words: readVocabulary(p.words()), calendar: newCalendar(p), female: set{}, male: set{}}
	if p.states != nil {
		lang.states = newStateTable(string(p.code)+"-state", p.states())
	}
	for _, style := range p.weekdayLetters {
		lang.weekdayLetters = append(lang.weekdayLetters, &forms{field: fieldWeekday, words: strings.Fields(style)})
	}
	lang.dayLists = newDayLists(lang)
	lang.kin = newKin(lang)
	lang.kinSurrogates = map[string]*list{}
	for class, words := range p.relatives {
		addEntries(lang.kinSurrogates, class, strings.Fields(words))
		lang.kinSurrogates[class].name = string(p.code) + "-kinship"
	}
	return lang
}

// get returns the language with a code; nil if there is none.
func (l *languages) get(code Language) *language {
	if i := slices.IndexFunc(l.all, func(lang *language) bool { return lang.code == code }); i >= 0 {
		return l.all[i]
	}
	return nil
}

// codes lists the languages for a message.
func (l *languages) codes() string {
	var codes []string
	for _, lang := range l.all {
		codes = append(codes, string(lang.code))
	}
	return strings.Join(codes, ", ")
}

// from lists the languages, beginning with the one in which a value is most likely written.
func (l *languages) from(first *language) []*language {
	all := []*language{first}
	for _, lang := range l.all {
		if lang != first {
			all = append(all, lang)
		}
	}
	return all
}
