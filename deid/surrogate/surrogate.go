// Package surrogate invents values that stand in the place of real ones: a name
// for a name, a date for a date, in the same form.
//
// Nothing is stored. What a surrogate is follows from an HMAC under a secret
// key of the patient, the sort of value, and the value without case, accents
// and separators: the same key gives the same surrogates, another key others.
// Of two values that would be given one surrogate, the second in the order of
// the values (not of the notes) is given the next of the list; so is one
// that would be given a name or word that is an original of the patient's.
//
// What is not understood is not replaced: a surrogate is made only where
// every word of the original is known to be harmless or is itself replaced.
//
// The module for this in Zuccon et al. 2014, section 4.2, is the model of the
// forms that are kept; that values are consistent over the notes of a patient,
// that dates keep intervals and malformed dates their form, goes beyond it.
package surrogate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// Language says in which language notes are, for what is ambiguous: whether
// 3/4 is in March, and whose names to invent. Names and dates are understood in
// both.
type Language string

// The languages.
const (
	English Language = "en"
	Spanish Language = "es"
)

// Sort is the kind of value that is replaced; it decides how its surrogate is made.
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

// Options of a Maker.
type Options struct {
	Key      []byte              // the secret; may be empty if there is nothing to Replace
	Language Language            // empty means English
	Lists    map[string][]string // in the place of the built-in lists of these names, see ListNames
}

// A Maker makes surrogates. It is not changed by use.
type Maker struct {
	key   []byte
	lang  Language
	lists map[string]*list
	known *known
}

// New checks the options.
func New(opt Options) (*Maker, error) {
	lang := cmp.Or(opt.Language, English)
	if calendars[lang] == nil {
		return nil, fmt.Errorf("no surrogates in the language %q (have en, es)", lang)
	}
	lists, err := newLists(opt.Lists)
	if err != nil {
		return nil, err
	}
	return &Maker{key: opt.Key, lang: lang, lists: lists, known: knownNames()}, nil
}

// A Mention is a value of a note that is to be replaced.
type Mention struct {
	Note   string // identifier of the note
	Sort   Sort
	Text   string
	Before string // some of the text before it on its line: a title there tells the gender of a name
	After  string // some of the text after it on its line
	Aside  bool   // is not going to be given to Replace; no surrogate may repeat it
}

// A Patient makes the surrogates of one patient's notes. It serves one
// goroutine at a time.
type Patient struct {
	*Maker
	group     string
	originals map[string]bool   // words and whole values of the notes, folded
	wholes    map[string]bool   // whole values of names and places among them
	taken     map[string]string // what a surrogate stands for, by pool and surrogate
	memo      map[string]string // surrogate by pool and value
	names     *names
	places    places
	dates     dates
}

// Patient begins the notes of one patient, with all values in them. Their
// order plays no part. Values that are not among them can be replaced later, and are
// given what is left.
func (m *Maker) Patient(group string, mentions []Mention) *Patient {
	p := &Patient{Maker: m, group: group, originals: map[string]bool{}, wholes: map[string]bool{}, taken: map[string]string{}, memo: map[string]string{}}
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
	slices.SortStableFunc(mentions, func(a, b Mention) int { return cmp.Compare(a.Note, b.Note) })
	p.readDates(mentions) // the first date of a note: before they are sorted by value
	slices.SortFunc(mentions, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Sort, b.Sort), cmp.Compare(a.Note, b.Note), cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After))
	})
	p.readNames(mentions)
	p.readPlaces(mentions)
	mentions = slices.CompactFunc(mentions, func(a, b Mention) bool { return a.Text == b.Text && a.Sort == b.Sort && a.Aside == b.Aside })
	// Names first and what is made from them last; and of each sort longer values
	// first, since others may be parts of them.
	slices.SortStableFunc(mentions, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(slices.Index(phases, a.Sort), slices.Index(phases, b.Sort)), cmp.Compare(len(b.Text), len(a.Text)))
	})
	for _, mention := range mentions {
		if !mention.Aside && slices.Contains(phases, mention.Sort) {
			_, _, _ = p.Replace(mention.Note, mention.Sort, mention.Text) // an error comes again when its place is known
		}
	}
	return p
}

// phases are the sorts whose surrogates are drawn beforehand, in this order. The
// others' depend on nothing but the value, or on these.
var phases = []Sort{Person, Hospital, Organization, Department, Street, City, State, Country, Zip, Place, Landmark, Room, Profession, Family, Number, Phone,
	Username, Email, URL}

// longest is how many bytes a value has at most; what is longer is no name, date or number, and not understood.
const longest = 1000

// Replace returns the surrogate of a value of a note. It is false for a value
// that is not understood, such as a date with a name in it, or one of more than 1000 bytes. An error says that a
// list has run out.
func (p *Patient) Replace(note string, sort Sort, text string) (string, bool, error) {
	if len(text) > longest || !strings.ContainsFunc(text, func(r rune) bool { return letterOrMark(r) || unicode.IsDigit(r) }) {
		return "", false, nil
	}
	digitwise := sort == Number || sort == Phone || sort == Zip
	if sort != Age && strings.ContainsFunc(text, func(r rune) bool { return oddSign(r) && (!digitwise || !unicode.IsDigit(r)) }) {
		return "", false, nil
	}
	made, ok, err := p.replace(note, sort, text)
	if err != nil || !ok || !maySame[sort] && fold(made) == fold(text) || made == "" {
		return "", false, err
	}
	return made, true, nil
}

// oddSign says that a sign would be taken for punctuation, and stay, and yet is read as a digit or letter: ٣, ②, Ⓐ.
func oddSign(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.IsNumber(r) || unicode.Is(unicode.Other_Alphabetic, r) && !unicode.IsMark(r))
}

// maySame are the sorts that may leave a value as it is.
var maySame = map[Sort]bool{Date: true, Age: true, Sex: true, Family: true}

func (p *Patient) replace(note string, sort Sort, text string) (string, bool, error) {
	switch sort {
	case Person:
		return p.person(text)
	case Date:
		return p.date(note, text)
	case Age:
		return age(text)
	case Number, Phone, Zip:
		if !numeral(text) {
			return "", false, nil
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
		return text, sexes[fold(strings.Trim(text, " .:"))], nil
	case Family:
		return p.family(text)
	case Other, "":
		return "", false, nil
	}
	return p.place(text, sort)
}

var sexes = wordSet(`m f h v male female man woman men women boy girl gentleman lady masculine feminine hombre mujer hombres mujeres varon varones hembra nino
	nina ninos ninas chico chica masculino masculina femenino femenina anciano anciana senor senora caballero muchacho muchacha joven lactante`)

// Identity is equal for two values of a patient that are the same but for their form.
func (p *Patient) Identity(sort Sort, text string) string {
	switch {
	case len(text) > longest:
	case sort == Person:
		return p.names.identity(text)
	case sort == State:
		return p.stateIn(text)
	case sort == Date:
		if d, ok := parseDate(text, p.lang, p.dates.order); ok {
			return d.identity(p.dates.latest)
		}
	}
	return p.Maker.Identity(sort, text)
}

// Identity is that of a value whose patient does not matter: of names, the parts
// in any order; of dates, 3/4 as the language has it, and two digits of a year no more than these.
func (m *Maker) Identity(sort Sort, text string) string {
	switch {
	case len(text) > longest:
	case sort == Person:
		words := strings.FieldsFunc(fold(text), func(r rune) bool { return !letterOrMark(r) && r != '\'' })
		slices.Sort(words)
		return strings.Join(words, " ")
	case sort == Date:
		if d, ok := parseDate(text, m.lang, usualOrder(m.lang)); ok {
			return d.identity(0)
		}
	case sort == Number, sort == Phone, sort == Zip:
		if value, _ := numberIn(text, sort); value != "" {
			return value
		}
	}
	return strings.Join(strings.Fields(fold(text)), " ")
}

// readOriginal remembers a value's words.
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

// nameSorts are the sorts whose values are names, be they as short as Rye or Li.
var nameSorts = map[Sort]bool{Person: true, Hospital: true, Organization: true, City: true, State: true, Country: true, Place: true, Landmark: true, Street: true,
	Department: true, Profession: true}

// wordsAndPieces are the words of a folded text, and those that an apostrophe or hyphen joins: o'brien, brien and obrien, mary, ann and maryann.
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

// original reports whether a surrogate would repeat one of the originals, a word of four or more letters of one, or any word of a name.
func (p *Patient) original(surrogate string) bool {
	f := fold(surrogate)
	if p.originals[f] {
		return true
	}
	repeats := func(w string) bool {
		return len(w) >= 4 && p.originals[w] || len(w) >= 2 && (p.names.count[w] > 0 || p.wholes[w])
	}
	if !strings.ContainsFunc(f, func(r rune) bool { return !letterOrMark(r) }) { // most entries of lists
		return repeats(f)
	}
	for w := range wordsAndPieces(f) {
		if repeats(w) {
			return true
		}
	}
	return false
}
