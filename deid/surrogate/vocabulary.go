package surrogate

import "strings"

// set is a set of words, folded.
type set map[string]bool

// vocabulary has the words of each kind, of one language or of all together.
type vocabulary []set

// wordKind names a set of words that the algorithm uses. A language fills it with the
// section of the same name of its file of words, or leaves it empty.
type wordKind int

var kindNames []string

func kind(name string) wordKind {
	kindNames = append(kindNames, name)
	return wordKind(len(kindNames) - 1)
}

// Dates.
var (
	dateFillers     = kind("date fillers")         // may be in a date without changing its meaning; any other word makes the date unreadable, because it might be a name
	dateArticles    = kind("date articles")        // fillers that do not distinguish one date from another
	dateJoins       = kind("date joins")           // between two dates
	dateLists       = kind("date lists")           // those of dateJoins that list dates; the others form a range
	dayJoins        = kind("day joins")            // between two days of one month
	withinDates     = kind("words within dates")   // between the day, month and year of one date
	beforeYears     = kind("before years")         // announce a year of two digits
	beforeHighYears = kind("before years over 31") // announce a year of two digits that is no day
	periods         = kind("periods")              // parts of a month or a year, which ordinal numbers count: the 2nd week of May
	ordinalWords    = kind("ordinals in words")    // which do
	beforeDays      = kind("before days")          // announce a day that stands alone
	beforeDecades   = kind("before decades")       // announce a decade
	holidayTails    = kind("holiday tails")        // turn the name of a holiday into that of another day
)

// Names of persons.
var (
	nameTitles         = kind("titles") // stay where they are in a name
	femaleTitles       = kind("women's titles")
	maleTitles         = kind("men's titles")
	ambiguousTitles    = kind("ambiguous titles")          // titles that do not tell the gender in this language
	titlesBehind       = kind("titles behind names")       // titles only if they do not come first
	titlesAtEnds       = kind("titles at the ends")        // titles only if they come first or last
	menInDoubles       = kind("men in double names")       // women in some languages, but men before a hyphen and a man's name: Jean-Paul
	likeTitles         = kind("first names like titles")   // titles and particles that are first names where the notes show it
	namesNotTitles     = kind("names rather than titles")  // titles of another language that are names in this one
	uncapitalizedNames = kind("names in lower case")       // first names, unless written in capitals: Md Rahman
	surnameTitles      = kind("titles before surnames")    // tell that a name of one word is a surname
	courtesyTitles     = kind("titles before first names") // tell that it is a first name: Don
	secondFirstNames   = kind("second first names")        // follow another first name: Mary Beth
	initialTitles      = kind("titles of one letter")      // titles at the beginning of a name: D. Pablo
	initialJoins       = kind("joins of one letter")       // between two surnames
	smallInitialJoins  = kind("small joins of one letter") // likewise, in lower case only
	coupleJoins        = kind("couple joins")              // show that the next title belongs to a couple: Mr. and Mrs.
	loginTitles        = kind("login titles")              // may begin a login: drlund
	particles          = kind("particles")                 // may be between the words of a name
	widows             = kind("widows")                    // stay in a name before a sure particle: Vda. de Lund
	sureParticles      = kind("sure particles")            // particles that are never names themselves
	surnameLabels      = kind("surname labels")            // labels of a form
	firstNameLabels    = kind("first name labels")
	fullNameLabels     = kind("full name labels") // end like one of the others but announce a whole name
	womanWords         = kind("women")            // say that somebody is a woman
	manWords           = kind("men")
	neutralWords       = kind("patients") // whose article tells the gender: la paciente
	womanArticles      = kind("women's articles")
	manArticles        = kind("men's articles")
	womanPronouns      = kind("she")
	manPronouns        = kind("he")
	articlePronouns    = kind("pronouns or articles")      // pronouns that are also articles once accents are gone
	possessives        = kind("possessives")               // endings after which the next words refer to somebody else
	betweenKinAndName  = kind("between relative and name") // her son, named Dr. Kim Lund
	kinBeforeSurnames  = kind("relatives before surnames") // whom notes may call by the surname
	femaleEndings      = kind("women's endings")           // last letters of first names that tell the gender
	maleEndings        = kind("men's endings")
	sexes              = kind("sexes")            // values of the sort Sex
	familyWords        = kind("with relatives")   // do not tell who a relative is
	femaleKin          = kind("female relatives") // relatives that the language's rules would put into another class
	maleKin            = kind("male relatives")
	bothKin            = kind("relatives")
	allKin             = kind("several relatives")
)

// Numbers, ages and addresses of the internet.
var (
	labels       = kind("number labels") // may accompany a number, and stay
	phoneWords   = kind("phone words")   // likewise with a telephone number
	ageWords     = kind("age words")     // may accompany an age
	nineties     = kind("nineties")      // a decade of ages over 89
	halves       = kind("halves")        // of a year, behind a number of years
	beforeHalves = kind("before halves")
	shortUnits   = kind("short units")  // units of time too short for 90 of them to be a high age
	numberJoins  = kind("number joins") // within a number in words: noventa y tres
	mailHosts    = kind("mail hosts")   // domains of public mail hosts; they stay
	webWords     = kind("web words")    // words of addresses that stay
)

// Places and institutions.
var (
	particlesOfPlaces   = kind("place particles") // may stand within a unit, or between a unit and what stays
	openers             = kind("place openers")   // the particles that a unit may begin with
	articles            = kind("place articles")
	leadingArticles     = kind("leading articles")      // do not distinguish one place from another at its beginning
	saints              = kind("saints")                // particles that count among the initials of an original
	saintsInFull        = kind("saints in full")        // likewise of a surrogate
	compassWords        = kind("compass")               // say which of several wards or wings is meant, beside a number: 4 East
	ordinalEnds         = kind("ordinal ends")          // follow a number and stay: 1er, 2do
	personTitles        = kind("place titles")          // announce that a place is called after a person: Hospital Dr. Lund
	ofPlaces            = kind("called after places")   // institutions that are named after places rather than like companies
	hospitalKinds       = kind("hospital kinds")        // possible kinds of an institution without a name of its own
	streetWords         = kind("streets")               // mark a place as a street
	streetHeads         = kind("heads of streets")      // announce a name at the beginning of a part of an address, and stay there
	numberedInStreet    = kind("numbered in street")    // stay in a street before a number: Flat 3
	beforeNumberedRoads = kind("before numbered roads") // stay before a word for a road or box with a number: County Road 210
	numberedRoads       = kind("numbered roads")        // these words
	partsOfHouses       = kind("parts of houses")       // say where in a house a door is: Ground Floor Flat
	behindNumbers       = kind("behind numbers in street")
	institutionAcronyms = kind("acronyms of institutions") // stay in capitals at the beginning of the name: CAP Puerto Claro
	alsoCities          = kind("states and cities")        // states with the name of a city
	alsoPlaces          = kind("places with first names")  // first names of gender.txt that are just as often places
)

// keptIn are, by sort, the words that describe the kind of a place. They stay.
var keptIn = map[Sort]wordKind{
	Hospital: kind("kept in hospital"), Organization: kind("kept in organization"), Department: kind("kept in department"), Street: kind("kept in street"),
	Room: kind("kept in room"), Landmark: kind("kept in landmark"), City: kind("kept in city"),
}

// readVocabulary reads a file of words.
func readVocabulary(text string) vocabulary {
	sections := sections(text)
	v := make(vocabulary, len(kindNames))
	for k, name := range kindNames {
		v[k] = set{}
		for _, word := range sections[name] {
			v[k][word] = true
		}
		delete(sections, name)
	}
	for name := range sections {
		panic("the algorithm has no use for words of the kind " + name)
	}
	return v
}

// add adds the words of another vocabulary.
func (v vocabulary) add(other vocabulary) {
	for k, words := range other {
		for word := range words {
			v[k][word] = true
		}
	}
}

// kept reports whether a word stays in the places of a sort.
func (v vocabulary) kept(sort Sort, word string) bool {
	k, ok := keptIn[sort]
	return ok && v[k][word]
}

// withoutArticle removes a leading article from folded text.
func (v vocabulary) withoutArticle(text string) string {
	if first, rest, ok := strings.Cut(text, " "); ok && v[leadingArticles][first] {
		return rest
	}
	return text
}

// sections reads a text of sections that begin with "= " and a name and list entries between commas.
func sections(text string) map[string][]string {
	all := map[string][]string{}
	_, text, _ = strings.Cut(text, "= ")
	for section := range strings.SplitSeq(text, "\n= ") {
		name, entries, _ := strings.Cut(section, "\n")
		for entry := range strings.SplitSeq(strings.Join(strings.Fields(entries), " "), ",") {
			if entry = strings.TrimSpace(entry); entry != "" {
				all[name] = append(all[name], entry)
			}
		}
	}
	return all
}
