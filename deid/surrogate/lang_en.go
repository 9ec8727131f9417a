package surrogate

import (
	"slices"
	"strings"
	"unicode"

	fakedata "github.com/brianvoe/gofakeit/v7/data"

	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

var english = profile{
	code:  English,
	words: listText("en-words.txt"),
	lists: listText("en.txt"),
	entries: func() map[string][]string {
		return map[string][]string{
			"state": wordlists.Entries("en-states"), "country": wordlists.Entries("en-countries"), "profession": wordlists.Entries("en-professions"),
			// gofakeit's names (MIT licence) have all origins found in the United
			// States.
			"given":   fakedata.Person["first"],
			"surname": slices.DeleteFunc(slices.Clone(fakedata.Person["last"]), misprint),
		}
	},
	states: listText("en-states.txt"), stateLists: []string{"en-states"}, countryLists: []string{"en-countries"}, abbreviationLists: []string{"en-state-abbreviations"},
	countries: map[string]string{
		"us": "usa", "usa": "usa", "america": "usa", "united states": "usa", "the united states": "usa", "united states of america": "usa",
		"uk": "uk", "united kingdom": "uk", "the united kingdom": "uk", "great britain": "uk", "britain": "uk", "england": "uk",
		"holland": "netherlands", "the netherlands": "netherlands", "netherlands": "netherlands", "uae": "uae", "united arab emirates": "uae",
	},

	dateOrder: monthFirst,
	months: []string{
		"January February March April May June July August September October November December",
		"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
	},
	weekdays: []string{
		"Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
		"Sundays Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays",
		"Sun Mon Tue Wed Thu Fri Sat",
		"Suns Mons Tues Weds Thurs Fris Sats",
	},
	seasons: []string{
		"winter spring summer fall",
		"winter spring summer autumn",
	},
	variants:       map[string]string{"sept": "sep", "tues": "tue", "thur": "thu", "thurs": "thu", "weds": "wed"},
	weekdayLetters: []string{"Sun Mon Tue Wed Thu Fri Sat", "Su M Tu W Th F Sa", "S M T W T F S"},
	dayLetters:     []string{"su", "m mo", "t tu", "w we", "t th r", "f fr", "sa"},
	schedules: schedules(`(?i:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)`,
		`(DAYs?(?: ?[/,&–-] ?DAYs?|, ?& ?DAYs?|,? (?i:and) DAYs?| DAYs?)+|(?i:mon|tues|wednes|thurs|fri|satur|sun)(?i:days))\b`,
		cued{`\b(?i:every|each|except)(?: (?i:other|second|alternate|on))? (DAYs?(?:,? (?i:and) DAYs?|, DAYs?|/DAYs?)*)\b`, []string{"every", "each", "except"}},
		cued{`\b(?i:weekly|(?:once|twice|three times) a week|(?:every|each) week|q)(?: (?i:on)|:)? \(?(DAYs?(?:,? (?i:and) DAYs?|, DAYs?|/DAYs?)*)\b`, []string{"week", "q"}},
		cued{`\b((?i:(?:mon|tues|wednes|thurs|fri|satur|sun)days)(?:(?:,? (?i:and) |, |/)(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)days))*)\b`, []string{"days"}},
		cued{`\b(?i:(?:ha?emo)?dialysis|HD|iHD)(?:(?: (?i:days?|schedule|sessions))?(?: (?i:on|is|are))?:? (DAYs?(?:(?:, ?|,? (?i:and) |/|-|,? & )DAYs?){2,3}))\b`, []string{"dialysis", "hd"}},
		cued{`\b((?i:mon(?:day)?[–-]fri(?:day)?)|MWF|M[/-]W[/-]F|TTS|T-Th-Sa?t?|TThSa?|T/Th?/Sa?t?(?:/Su?n?)?|TuThSa|Tu/Th/Sa|MTWTh?F)\b`, []string{"-fri", "–fri", "mwf", "m/w", "m-w", "tts", "t-th", "tths", "t/t", "tuth", "tu/th", "mtwt"}},
		`\b(DAY(?:/DAY){2,6})\b`),
	datedAfter: lazyregexp.New(`^(?: (?i:ago|last|past|this)\b|,? *(?:the )?(?:[0-9]{1,2}(?:[/-][0-9]|\.[0-9]{1,2}\.|st|nd|rd|th)|(?:[0-9]{1,2} )?(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:19|20)[0-9]{2}))`),
	holidays:   listText("en-holidays.txt"),
	monthDay:   "%[2]s %[1]d",
	beforeYear: ", ",
	ordinals:   []string{"st", "nd", "rd", "th"},
	ordinal:    englishOrdinal,

	relatives: map[string]string{
		"female": "mother sister daughter aunt grandmother niece wife", "male": "father brother son uncle grandfather nephew husband",
		"plural": "brothers sisters sons daughters aunts uncles nephews nieces", "one": "sibling cousin relative parent child", "many": "siblings cousins relatives parents children",
	},
	kinLists: []string{"en-kinship"},
	kinRules: []kinRule{
		{lazyregexp.New(`s$`), "plural"}, {lazyregexp.New(`mother|daughter|sister|aunt`), "female"}, {lazyregexp.New(``), "male"},
	},

	numbers: []numberWords{
		{0, 1, "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"},
		{20, 10, "twenty thirty forty fifty sixty seventy eighty ninety"},
		{40, 0, "fourty"}, {100, 0, "hundred"},
	},
	ninetyOrMore: "ninety or more",
	phones: []phonePlan{
		{code: "1", length: 10, notFirst: "01", digits: []phoneDigit{ // United States
			{at: 0, from: 2, n: 8}, // of the area code
			{at: 3, from: 2, n: 8}, // of the exchange
		}},
		{code: "61", trunk: "0", length: 9, notFirst: "01569", digits: []phoneDigit{ // Australia: the area codes, and 4 for mobile telephones
			{at: 0, was: "23", from: 2, n: 2},
			{at: 0, was: "4", from: 4, n: 1},
			{at: 0, was: "78", from: 7, n: 2},
		}},
	},
}

// misprint reports whether a name of gofakeit is misprinted: Hilll, OReilly.
func misprint(name string) bool {
	return strings.Contains(name, "lll") || len(name) > 2 && name[0] == 'O' && unicode.IsUpper(rune(name[1]))
}

// englishOrdinal returns the suffix of an ordinal number: 1st, 22nd, 13th.
func englishOrdinal(n int) string {
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}
