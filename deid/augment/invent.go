package augment

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// An inventor invents values without end: package surrogate makes them in the form of
// the originals, from lists of names that are composed anew for each cast. Half of the
// words in these names are from the lists of package surrogate, the others are spelt by
// a model of how names are spelt.
type inventor struct {
	types    *data.TypeSet
	language surrogate.Language
	speller  *speller
	known    map[string][]string // entries of package surrogate, by list
}

func newInventor(types *data.TypeSet) (*inventor, error) {
	v := &inventor{types: types, language: surrogate.Language(types.Language), known: map[string][]string{}}
	if _, err := surrogate.New(surrogate.Options{Language: v.language}); err != nil {
		return nil, err
	}
	if v.language == "" {
		v.language = surrogate.English
	}
	for _, name := range surrogate.ListNames() {
		if kind, ok := strings.CutPrefix(name, string(v.language)+"-"); ok {
			v.known[kind] = surrogate.List(name)
		}
	}
	var countries []string // in any language, because notes quote other languages
	for _, name := range wordlists.Names() {
		if strings.HasSuffix(name, "-countries") {
			countries = append(countries, wordlists.Entries(name)...)
		}
	}
	v.known["country"] = slices.DeleteFunc(countries, func(c string) bool { return utf8.RuneCountInString(c) < 4 })
	latin := func(r rune) bool { return unicode.Is(unicode.Latin, r) || !unicode.IsLetter(r) }
	foreign := func(word string) bool { return strings.ContainsFunc(word, func(r rune) bool { return !latin(r) }) }
	v.speller = newSpeller(slices.DeleteFunc(surrogate.NameWords(), foreign), slices.Concat(v.known["city"], v.known["surname"]))
	return v, nil
}

// Numbers of entries of the lists of a cast, and shares of what is drawn.
const (
	castNames   = 1500 // of each list
	knownWords  = 0.5  // words from the lists of package surrogate
	wordForWord = 0.35 // institutions and places whose capitalized words are all replaced, rather than the name as a whole
	keptWord    = 0.7  // of their words that are ordinary words, such as Hospital; see wordlists.Common
)

// A cast is the names that occur in one copy of the notes.
type cast struct {
	*inventor
	maker *surrogate.Maker
}

func (v *inventor) cast(rng *rand.Rand, seed uint64) (*cast, error) {
	lists := map[string][]string{}
	composers := v.composers(rng)
	for _, kind := range slices.Sorted(maps.Keys(composers)) { // in a fixed order, because all draw from rng
		if v.known[kind] == nil {
			continue
		}
		name := string(v.language) + "-" + kind
		for range castNames {
			lists[name] = append(lists[name], composers[kind]())
		}
	}
	key := binary.BigEndian.AppendUint64([]byte("lethe augment 1 "), seed)
	maker, err := surrogate.New(surrogate.Options{Key: key, Language: v.language, Lists: lists})
	return &cast{v, maker}, err
}

// composers returns, for each list, a function that draws an entry.
func (v *inventor) composers(rng *rand.Rand) map[string]func() string {
	word := func(kind string) string {
		if known := v.known[kind]; rng.Float64() < knownWords && len(known) > 0 {
			return known[rng.IntN(len(known))]
		}
		return v.speller.spell(rng)
	}
	// form fills one of several forms.
	form := func(forms ...string) func() string {
		return func() string {
			var b strings.Builder
			for _, r := range forms[rng.IntN(len(forms))] {
				switch r {
				case '1':
					b.WriteString(word([]string{"female", "male"}[rng.IntN(2)]))
				case '2':
					b.WriteString(word("surname"))
				case '3':
					b.WriteString(word("city"))
				case '4':
					b.WriteString(strings.ToUpper(v.speller.spell(rng)))
				default:
					b.WriteRune(r)
				}
			}
			return b.String()
		}
	}
	places := formsOf[v.language]
	return map[string]func() string{
		"female": func() string { return word("female") }, "male": func() string { return word("male") },
		"given": func() string { return word("given") }, "unisex": func() string { return word("unisex") },
		"surname": func() string { return word("surname") },
		"city":    form(places.city...), "state": form(places.city...), "region": form(places.city...),
		"street":       form(places.street...),
		"hospital":     form(places.hospital...),
		"organization": form(places.organization...),
		"country":      func() string { return v.known["country"][rng.IntN(len(v.known["country"]))] },
	}
}

// placeForms are the forms of names of places, which differ from language to language. 1 stands for a given name, 2 for a surname,
// 3 for a place, and 4 for a word in capitals.
type placeForms struct{ city, street, hospital, organization []string }

var formsOf = map[surrogate.Language]placeForms{
	surrogate.Spanish: {
		city:         []string{"3", "3", "3", "3", "3", "3 3", "2", "3 de 3", "3 de la 2", "3 del 3", "San 1", "Santa 1", "San 1 de 3", "Villa 2", "El 3", "La 3", "3-3", "Los 2", "3 la 2"},
		street:       []string{"2", "2", "2 2", "1 2", "1 2 2", "de la 2", "del 3", "3", "Doctor 2", "Dr. 2 2", "San 1", "de 3", "3 y 2", "2 de 3"},
		hospital:     []string{"3", "2", "1 2", "2 2", "de 3", "de la 2", "3 de 3", "Virgen de la 2", "San 1", "Santa 1", "Dr. 2", "Dr. 1 2 2", "3 3", "del 3", "Infanta 1", "3-2"},
		organization: []string{"3", "2", "2 2", "de 3", "4", "3 S.A.", "2 Farma", "Laboratorios 2", "2 & 2", "1 2", "3 de 3", "2 Medical", "2-2", "Grupo 2"},
	},
	surrogate.English: {
		city:         []string{"3", "3", "3", "3", "3 3", "2", "Saint 1", "3 Heights", "Port 3", "New 3", "3-3", "Mount 2", "2 Falls", "North 3"},
		street:       []string{"2", "2", "2 2", "1 2", "3", "Old 3", "Saint 1", "North 2", "2 Hill"},
		hospital:     []string{"3", "2", "1 2", "2 2", "Saint 1", "Mount 2", "3 Valley", "2-2", "Our Lady of 3"},
		organization: []string{"3", "2", "2 2", "4", "2 Inc.", "2 & 2", "2 Brothers", "3 Foods", "1 2", "2-2"},
	},
}

// typed is a value with its type.
type typed struct{ typ, value string }

// invented are the sorts of values that are invented.
var invented = []data.Sort{data.Person, data.Username, data.Number, data.Phone, data.Email, data.URL, data.IP, data.Hospital, data.Organization, data.Department,
	data.Street, data.City, data.State, data.Country, data.Zip, data.Place, data.Landmark, data.Room}

// values draws which values of a note are replaced and returns their replacements.
// Forms of one value, such as the name of a person in full and in an e-mail address,
// remain so if they are all drawn.
func (c *cast) values(d *data.Document, spans []data.Span, rate float64, rng *rand.Rand) map[typed]string {
	if c == nil || rate == 0 || len(spans) == 0 {
		return nil
	}
	sortOf := map[string]data.Sort{}
	var mentions []surrogate.Mention
	for _, s := range spans {
		sort := c.types.SortOf(s.Type)
		sortOf[s.Type] = sort
		mentions = append(mentions, surrogate.Mention{Note: d.ID, Sort: sort, Text: d.Text[s.Start:s.End], Aside: !slices.Contains(invented, sort)})
	}
	patient := c.maker.Patient(d.ID, mentions)
	made := map[typed]string{}
	drawn := map[typed]bool{}
	for _, s := range spans {
		v, sort := typed{s.Type, d.Text[s.Start:s.End]}, sortOf[s.Type]
		if drawn[v] {
			continue
		}
		drawn[v] = true
		if rng.Float64() >= rate || !slices.Contains(invented, sort) {
			continue
		}
		if wordwise(sort) && rng.Float64() < wordForWord {
			made[v] = c.wordForWord(v.value, sort, rng)
		} else if text, ok := patient.Replace(d.ID, sort, v.value); ok { // otherwise the value stays
			made[v] = text
		}
	}
	return made
}

func wordwise(sort data.Sort) bool {
	return sort == data.Hospital || sort == data.Organization || sort == data.Street || sort == data.Place || sort == data.City
}

// wordForWord replaces the capitalized words of a name, and its digits. Some words that
// describe an institution or a street stay.
func (c *cast) wordForWord(value string, sort data.Sort, rng *rand.Rand) string {
	var b strings.Builder
	for at := 0; at < len(value); {
		end := at
		for end < len(value) {
			r, size := utf8.DecodeRuneInString(value[end:])
			if !unicode.IsLetter(r) && !unicode.IsMark(r) {
				break
			}
			end += size
		}
		if end == at {
			r, size := utf8.DecodeRuneInString(value[at:])
			if r >= '0' && r <= '9' {
				b.WriteByte(byte('0' + rng.IntN(10)))
			} else {
				b.WriteString(value[at : at+size])
			}
			at += size
			continue
		}
		old := value[at:end]
		first, _ := utf8.DecodeRuneInString(old)
		switch describes := sort != data.Place && sort != data.City && wordlists.Common(fold.Fold(old)); {
		case !unicode.IsUpper(first), utf8.RuneCountInString(old) < 3, describes && rng.Float64() < keptWord:
			b.WriteString(old)
		case old == strings.ToUpper(old):
			b.WriteString(strings.ToUpper(c.speller.spell(rng)))
		case rng.Float64() < knownWords:
			known := c.known[[]string{"city", "surname"}[rng.IntN(2)]]
			b.WriteString(known[rng.IntN(len(known))])
		default:
			b.WriteString(c.speller.spell(rng))
		}
		at = end
	}
	return b.String()
}
