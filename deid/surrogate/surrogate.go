// Package surrogate replaces values with invented ones in the same form: a name with a name, a date with a date.
//
// Nothing is stored. A surrogate follows from an HMAC, with a secret key, of the patient, the sort of value, and the value without case, accents and
// separators: the same key gives the same surrogates, and another key gives others. If two values would get the same surrogate, the second in the
// order of the values (not of the notes) gets the next on the list. So does a value that would get a name or word of the patient's originals.
//
// Values that are not understood are not replaced: a surrogate is made only if
// every word of the original is known to be harmless or is itself replaced.
//
// Everything that depends on a language is in a profile: see lang_en.go and lang_es.go.
//
// The forms that are kept are those of Zuccon et al. 2014, section 4.2. Beyond that
// work, values are consistent over the notes of a patient, dates keep their
// intervals, and malformed dates keep their form.
package surrogate

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"hash"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/recent"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// Language is the language of the notes. It determines how ambiguous values are read (whether 3/4 is in March) and which names are invented. Names
// and dates are recognized in all languages. Empty means English.
type Language string

// The languages.
const (
	English Language = "en"
	Spanish Language = "es"
)

// Sort is the kind of value; it determines how its surrogate is made.
type Sort = data.Sort

// The sorts, see package data.
const (
	Person       = data.Person
	Username     = data.Username
	Date         = data.Date
	Age          = data.Age
	Number       = data.Number
	Phone        = data.Phone
	Email        = data.Email
	URL          = data.URL
	IP           = data.IP
	Hospital     = data.Hospital
	Organization = data.Organization
	Department   = data.Department
	Street       = data.Street
	City         = data.City
	State        = data.State
	Country      = data.Country
	Zip          = data.Zip
	Place        = data.Place
	Landmark     = data.Landmark
	Room         = data.Room
	Profession   = data.Profession
	Family       = data.Family
	Sex          = data.Sex
	Other        = data.Other
)

// Options configure a Maker.
type Options struct {
	Key      []byte              // the secret for the HMAC; may be empty if Replace is never called
	Language Language            // language of the notes; default "": English
	Lists    map[string][]string // lists that replace the built-in lists of the same names, see ListNames; default none
}

// A Maker makes surrogates. Several goroutines may use it at once.
type Maker struct {
	*languages
	key    []byte
	lang   *language // language of the notes
	lists  map[string]*list
	read   *recent.Texts[*date]    // dates by text; nil for a text that is none
	parsed [2]*recent.Texts[*date] // by order
	weeks  *recent.Texts[bool]     // whether days recur: see Recurs
}

// Prepare reads the built-in words and lists, for which New would wait.
func Prepare() { builtin() }

// New returns a Maker. The error names an unknown language or list, or a bad entry of a list.
func New(opt Options) (*Maker, error) {
	return builtin().maker(opt)
}

func (l *languages) maker(opt Options) (*Maker, error) {
	lang := l.get(cmp.Or(opt.Language, English))
	if lang == nil {
		return nil, fmt.Errorf("no surrogates in the language %q (have %s)", opt.Language, l.codes())
	}
	lists, err := l.newLists(opt.Lists)
	if err != nil {
		return nil, err
	}
	dates := func() *recent.Texts[*date] { return recent.NewTexts[*date](maxRecent, nil) }
	return &Maker{languages: l, key: opt.Key, lang: lang, lists: lists, read: dates(), parsed: [2]*recent.Texts[*date]{dates(), dates()}, weeks: recent.NewTexts[bool](maxRecent, nil)}, nil
}

// maxRecent bounds what is remembered about dates at about a megabyte.
const maxRecent = 1 << 11

// A Mention is a value in a note.
type Mention struct {
	Note   string // identifier of the note
	Sort   Sort
	Text   string
	Before string // text before it on its line, where a title may tell the gender of a name
	After  string // text after it on its line
	Aside  bool   // the value is not passed to Replace, but no surrogate may repeat it
}

// A Patient makes the surrogates for the notes of one patient. Only one goroutine at a time may use it.
type Patient struct {
	*Maker
	group       string
	mac         hash.Hash         // HMAC-SHA-256 with the key
	originals   map[string]bool   // words and whole values of the notes, folded
	wholes      map[string]bool   // whole values of names and places among them
	taken       map[string]string // the value that a surrogate stands for, by pool and surrogate
	memo        map[string]string // surrogate by pool and value
	exhausted   map[drawing]bool  // no entry of the list is left
	fit         map[drawing][]int // the entries that are no originals: see pair
	numbered    map[string]int    // the last number by pool: see invent
	withoutCode map[string]bool   // the telephone numbers that the notes have without + and 00
	codes       map[string]int    // length of the country code, by the number, of telephone numbers that the notes have with + or 00
	names       *names
	afterKin    map[string]bool // see readRelatives
	places      places
	dates       dates
	mentions    []Mention  // as given, for told
	told        *yearsTold // nil until Year requires it
}

// Patient prepares the surrogates for the notes of one patient from all values in them. The order of the mentions does not matter. Values that are
// not among them can still be replaced, with the remaining surrogates. group identifies the patient.
func (m *Maker) Patient(group string, mentions []Mention) *Patient {
	p := m.Dates(group, mentions)
	p.originals, p.wholes, p.taken, p.memo, p.codes = map[string]bool{}, map[string]bool{}, map[string]string{}, map[string]string{}, map[string]int{}
	p.withoutCode = map[string]bool{}
	p.exhausted, p.fit, p.numbered = map[drawing]bool{}, map[drawing][]int{}, map[string]int{}
	read := map[string]bool{}
	for _, m := range mentions {
		if nameSorts[m.Sort] && len(m.Text) <= longest {
			p.wholes[strings.Trim(strings.Join(strings.Fields(fold(m.Text)), " "), " .,:;()")] = true
		}
		if !read[m.Text] {
			read[m.Text] = true
			p.readOriginal(m.Text)
		}
	}
	mentions = slices.DeleteFunc(slices.Clone(mentions), func(m Mention) bool { return len(m.Text) > longest })
	mentions = ordered(mentions, func(a, b *Mention) int {
		return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Sort, b.Sort), cmp.Compare(a.Note, b.Note), cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After))
	})
	p.readNames(mentions)
	p.readRelatives(mentions)
	p.readPlaces(mentions)
	p.readCodes(mentions)
	mentions = slices.CompactFunc(mentions, func(a, b Mention) bool { return a.Text == b.Text && a.Sort == b.Sort && a.Aside == b.Aside })
	// Names come first, and values that are derived from them last. Within a sort, longer values come first, because others may be parts of them.
	mentions = ordered(mentions, func(a, b *Mention) int {
		return cmp.Or(cmp.Compare(slices.Index(phases, a.Sort), slices.Index(phases, b.Sort)), cmp.Compare(len(b.Text), len(a.Text)))
	})
	for _, mention := range mentions {
		if !mention.Aside && slices.Contains(phases, mention.Sort) {
			p.Replace(mention.Note, mention.Sort, mention.Text)
		}
	}
	return p
}

// Years is Patient for Year and TellsOver89 alone, and fastest: they depend on the dates and ages of the notes, and on no key. The other methods of what it returns must not be used.
func (m *Maker) Years(mentions []Mention) *Patient { return &Patient{Maker: m, mentions: mentions} }

// Dates is Patient for Year, Shift and TellsOver89 alone, and faster. The other methods of what it returns must not be used: the words of the notes
// are not known.
func (m *Maker) Dates(group string, mentions []Mention) *Patient {
	p := &Patient{Maker: m, group: group, mac: hmac.New(sha256.New, m.key), mentions: mentions}
	mentions = slices.DeleteFunc(slices.Clone(mentions), func(m Mention) bool { return len(m.Text) > longest })
	mentions = ordered(mentions, func(a, b *Mention) int { return cmp.Compare(a.Note, b.Note) }) // because the first date of each note counts
	p.readDates(mentions)
	return p
}

// ordered returns the mentions in an order, in which equal ones stay in theirs. It moves numbers, because to move mentions takes several times as long.
func ordered(mentions []Mention, compare func(a, b *Mention) int) []Mention {
	order := make([]int, len(mentions))
	for i := range order {
		order[i] = i
	}
	sorting.By(order, func(a, b int) int { return cmp.Or(compare(&mentions[a], &mentions[b]), a-b) })
	all := make([]Mention, len(mentions))
	for i, from := range order {
		all[i] = mentions[from]
	}
	return all
}

// phases are the sorts whose surrogates are drawn in advance, in this order. The surrogates of other sorts depend only on the value, or on these.
var phases = []Sort{Person, Hospital, Organization, Department, Street, City, State, Country, Zip, Place, Landmark, Room, Profession, Family, Number, Phone,
	Username, Email, URL}

// longest is the maximum length of a value in bytes. Longer ones cannot be a name, date or number.
const longest = 1000

// Replace returns the surrogate of a value in a note. It returns false for a value that it does not understand, such as a date with a name in it or a
// value of more than 1000 bytes.
func (p *Patient) Replace(note string, sort Sort, text string) (string, bool) {
	if len(text) > longest || !strings.ContainsFunc(text, func(r rune) bool { return letterOrMark(r) || unicode.IsDigit(r) }) {
		return "", false
	}
	digitwise := sort == Number || sort == Phone || sort == Zip
	if sort != Age && strings.ContainsFunc(text, func(r rune) bool { return oddSign(r) && (!digitwise || !unicode.IsDigit(r)) }) {
		return "", false
	}
	if day, ok := p.dates.days[dayOfNote{note, sort, text}]; ok {
		return day, day != ""
	}
	made, ok := p.replace(note, sort, text)
	if !ok || !maySame[sort] && fold(made) == fold(text) || made == "" {
		return "", false
	}
	return made, true
}

// oddSign reports whether a character would stay as punctuation although people read it as a digit or letter: ٣, ②, Ⓐ.
func oddSign(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.IsNumber(r) || unicode.Is(unicode.Other_Alphabetic, r) && !unicode.IsMark(r))
}

// maySame are the sorts whose surrogate may equal the value.
var maySame = map[Sort]bool{Date: true, Age: true, Sex: true, Family: true}

func (p *Patient) replace(note string, sort Sort, text string) (string, bool) {
	switch sort {
	case Person:
		return p.person(text)
	case Date:
		return p.date(note, text)
	case Age:
		return p.age(text)
	case Number, Phone, Zip:
		if !p.numeral(text) {
			return "", false
		}
		return p.number(text, sort)
	case Username:
		return p.username(text)
	case Email:
		return p.email(text)
	case URL:
		return p.url(text)
	case IP:
		return p.ip(text)
	case Sex:
		return text, p.isSex(text)
	case Family:
		return p.family(text)
	case Other, "":
		return "", false
	}
	return p.place(text, sort)
}

// Identity returns a string that is the same for all forms of one value of the patient, and different for other values.
func (p *Patient) Identity(sort Sort, text string) string {
	switch {
	case len(text) > longest:
	case sort == Person:
		return p.names.identity(text)
	case sort == State:
		return p.stateIn(text)
	case sort == Date:
		if d, ok := p.parseDate(text, p.dates.order); ok {
			return d.identity(p.dates.latest)
		}
	}
	return p.Maker.Identity(sort, text)
}

// Identity is Patient.Identity without the information of a patient's notes: the words of a name may be in any order, 3/4 is read as usual in the
// language, and years of two digits are not completed.
func (m *Maker) Identity(sort Sort, text string) string {
	switch {
	case len(text) > longest:
	case sort == Person:
		words := strings.FieldsFunc(fold(text), func(r rune) bool { return !letterOrMark(r) && r != '\'' })
		slices.Sort(words)
		return strings.Join(words, " ")
	case sort == Date:
		if d, ok := m.parseDate(text, m.lang.dateOrder); ok {
			return d.identity(0)
		}
	case sort == Number, sort == Phone, sort == Zip:
		if value, _ := m.numberIn(text, sort); value != "" {
			return value
		}
	}
	return strings.Join(strings.Fields(fold(text)), " ")
}

// readOriginal stores a value and its words as originals.
func (p *Patient) readOriginal(text string) {
	whole := strings.Join(strings.Fields(fold(text)), " ")
	p.originals[whole] = true
	for w := range wordsAndPieces(whole) {
		p.originals[w] = true
	}
	if digits := alphanumeric(text); digits != "" {
		p.originals[digits] = true
	}
}

// nameSorts are the sorts whose values are names, even if they are as short as Rye or Li.
var nameSorts = map[Sort]bool{Person: true, Hospital: true, Organization: true, City: true, State: true, Country: true, Place: true, Landmark: true, Street: true,
	Department: true, Profession: true}

// wordsAndPieces yields the words of a folded text, and the pieces and the whole of words with an apostrophe or hyphen: o'brien, brien and
// obrien; mary, ann and maryann.
func wordsAndPieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for field := range strings.FieldsSeq(text) {
			if !strings.ContainsFunc(field, func(r rune) bool { return !letterOrMark(r) }) {
				if !yield(field) {
					return
				}
				continue
			}
			words := strings.FieldsFunc(field, func(r rune) bool { return !letterOrMark(r) && r != '\'' })
			for _, w := range words {
				if !yield(w) {
					return
				}
				if !strings.Contains(w, "'") {
					continue
				}
				for piece := range strings.SplitSeq(w, "'") {
					if len(piece) > 1 && !yield(piece) {
						return
					}
				}
			}
			if joined := strings.ReplaceAll(strings.Join(words, ""), "'", ""); len(words) > 1 || strings.Contains(field, "'") {
				if len(joined) > 3 && !yield(joined) {
					return
				}
			}
		}
	}
}

// original reports whether a surrogate, folded, equals an original or shares a word with one: a word of at least four letters or, for names, of two.
func (p *Patient) original(f string) bool {
	if p.originals[f] {
		return true
	}
	repeats := func(w string) bool {
		return len(w) >= 4 && p.originals[w] || len(w) >= 2 && (p.names.count[w] > 0 || p.wholes[w])
	}
	if !strings.ContainsFunc(f, func(r rune) bool { return !letterOrMark(r) }) { // as in most lists
		return repeats(f)
	}
	for w := range wordsAndPieces(f) {
		if repeats(w) {
			return true
		}
	}
	return false
}
