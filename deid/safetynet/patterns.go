package safetynet

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// how is the way in which a value is searched for.
type how int

const (
	notAtAll how = iota
	asPhrase     // its words, in order
	asNumber     // its letters and digits, whatever separates them unless they are few: see longNumber
	asName       // its words in any order, and each of them alone
)

// howOf returns the way in which values of a sort are searched for.
func howOf(sort data.Sort) how {
	switch sort {
	case data.Person:
		return asName
	case data.Username, data.Number, data.Phone, data.Email, data.URL, data.IP:
		return asNumber
	case data.Age, data.Profession, data.Family, data.Sex, data.Other: // "67" and "woman" have other meanings in a note, too
		return notAtAll
	}
	return asPhrase
}

// Minimum lengths of values to search for, because shorter ones occur in notes with other meanings:
// of a part of a name, in letters (shorter parts are found only after a title or beside another
// part); of a place; of a number, in digits and letters; of a part of a name with one letter wrong;
// of the two parts of a name in one word.
const (
	minWord   = 3
	minPlace  = 4
	minNumber = 5
	minFuzzy  = 5
	// longNumber is the number of digits and letters from which a number is searched for with other separators than its own, and with
	// one digit wrong. Shorter ones are too much like other numbers: 129/60 is a blood pressure, and no 12960.
	longNumber = 7
	minJoined  = 7
)

// Patterns are values to search for. They are safe for concurrent use.
type Patterns struct {
	types     *data.TypeSet // of the values
	language  func(text string) string
	known     bool                // also match one wrong letter, and initials
	phrases   map[string][]phrase // keys are the first words
	days      map[string]string   // types of days and months in digits, such as 5/30
	numbers   map[string]numeral  // keys are the numbers without separators
	longest   int                 // length of the longest number, in bytes
	parts     map[string][]string // keys are parts of names; values are the types, usually one
	particles map[string]bool     // words such as van with which names begin
	similar   slips               // the keys of parts that are long enough for fuzzy matching
	logins    map[string]login    // keys are logins composed of names, without separators
	written   map[string]bool     // names whose logins have been added
	letters   map[string]bool     // initials of the parts
	initials  map[string]string   // keys are the initials of whole names; values are the types
	numeric   slips               // the numbers that are long enough for fuzzy matching
	seen      map[string]bool     // phrases that have been added
	mates     map[string]mates    // parts of names that are not found alone
	keys      starts              // of the phrases, parts and logins
	heads     starts              // of the numbers, and of the words that they begin with
}

// starts tells by the first two bytes of a word whether it may be among those that were added. It excludes most words of a note, several times as fast as
// a map does.
type starts [16]uint64

// newStarts returns the starts of some words.
func newStarts(words ...string) *starts {
	s := &starts{}
	for _, word := range words {
		s.add(word)
	}
	return s
}

func (s *starts) add(word string) {
	i, bit := startOf(word)
	s[i] |= bit
}

func (s *starts) has(word string) bool {
	i, bit := startOf(word)
	return s[i]&bit != 0
}

func startOf(word string) (i int, bit uint64) {
	n := 0
	for _, b := range []byte(word[:min(2, len(word))]) {
		n = n*31 + int(b)
	}
	return n / 64 % len(starts{}), 1 << (n % 64)
}

type numeral struct {
	typ   string
	parts [][]string // the words of each way in which it was written, if it is short
}

type phrase struct {
	words   []string
	typ     string
	place   bool // it is a place or an institution
	acronym bool // it is the name of an institution, in a few capitals
}

// longest is the maximum length of a value in bytes, as in package surrogate. Longer ones are no name and no number, and are not searched for.
const longest = 1000

// value is a text that is searched for.
type value struct {
	all    []word
	size   int // in letters and digits
	digits bool
}

// valueOf returns the value of a text, without words if it is too long.
func valueOf(text string) (v value) {
	if len(text) > longest {
		return v
	}
	v.all = split(text)
	for _, w := range v.all {
		v.size += utf8.RuneCountInString(w.fold)
		v.digits = v.digits || w.digits
	}
	return v
}

// searched reports whether the value is long enough to search for it in this way.
func (v value) searched(how how) bool {
	switch how {
	case asName:
		return len(v.all) > 0
	case asNumber:
		return v.digits && v.size >= minNumber || v.size >= 2*minNumber
	case asPhrase:
		return v.size >= minPlace && (!v.digits || v.size >= minNumber)
	}
	return false
}

func (v value) words() []string {
	words := make([]string, len(v.all))
	for i, w := range v.all {
		words[i] = w.fold
	}
	return words
}

func (p *Patterns) add(text string, v value, typ string, how how) {
	switch searched := v.searched(how); {
	case how == asPhrase && !searched && len(v.all) == 2 && isDayAndMonth(text):
		if p.days == nil {
			p.days = map[string]string{}
		}
		p.days[text] = typ
	case !searched:
	case how == asName:
		p.addName(v.words(), typ)
		p.addMates(v.all, typ)
		p.addLogins(text, v.all, typ)
	case how == asNumber:
		p.addNumber(v.words(), typ, p.known && v.digits && v.size >= longNumber)
	default:
		p.addPhrase(v, typ)
	}
}

func (p *Patterns) addName(words []string, typ string) {
	if p.parts == nil {
		p.parts, p.particles, p.letters, p.initials = map[string][]string{}, map[string]bool{}, map[string]bool{}, map[string]string{}
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		if inNames[w] && !titles[w] {
			p.particles[w] = true
		}
		return inNames[w]
	})
	for _, w := range words {
		if n := utf8.RuneCountInString(w); n > 1 {
			p.addPart(w, typ)
		}
		p.letters[initial(w)] = true
	}
	if len(words) < 2 {
		return
	}
	// Oda Lund and Lund, Oda are the same name, joined as odalund and lundoda.
	for _, order := range [][]string{words, append(words[1:len(words):len(words)], words[0])} {
		first, last := order[0], order[len(order)-1]
		if joined := first + last; utf8.RuneCountInString(joined) >= minJoined && utf8.RuneCountInString(first) > 1 && utf8.RuneCountInString(last) > 1 {
			p.addPart(joined, typ)
		}
		if p.known {
			var all strings.Builder
			for _, w := range order {
				all.WriteString(initial(w))
			}
			p.initials[all.String()], p.initials[initial(first)+initial(last)] = typ, typ
		}
	}
}

func (p *Patterns) addPart(w, typ string) {
	if slices.Contains(p.parts[w], typ) {
		return
	}
	p.keys.add(w)
	p.parts[w] = append(p.parts[w], typ)
	if len(p.parts[w]) == 1 && p.known && utf8.RuneCountInString(w) >= minFuzzy {
		p.similar.add(w, initial(w))
	}
}

func (p *Patterns) addNumber(words []string, typ string, fuzzy bool) {
	if p.numbers == nil {
		p.numbers = map[string]numeral{}
	}
	joined := strings.Join(words, "")
	n, ok := p.numbers[joined]
	if !ok {
		n.typ = typ
	}
	if utf8.RuneCountInString(joined) < longNumber && !slices.ContainsFunc(n.parts, func(parts []string) bool { return slices.Equal(parts, words) }) {
		n.parts = append(n.parts, words)
	}
	p.numbers[joined] = n
	if ok {
		return
	}
	for n := range 3 {
		p.heads.add(joined[:min(n, len(joined))])
	}
	p.longest = max(p.longest, len(joined))
	if fuzzy {
		p.numeric.add(joined, "")
	}
}

// is reports whether words are the number. A short one must have no separators, be divided as where it was found or is known, or by white space into equal parts
// (889 912).
func (n numeral) is(words []word) bool {
	size, together, grouped := 0, true, true
	for i, w := range words {
		size += utf8.RuneCountInString(w.fold)
		if i > 0 {
			together = together && w.start == words[i-1].end
			grouped = grouped && w.blank && len(w.fold) == len(words[0].fold)
		}
	}
	return size >= longNumber || together || grouped ||
		slices.ContainsFunc(n.parts, func(parts []string) bool {
			return slices.EqualFunc(parts, words, func(part string, w word) bool { return part == w.fold })
		})
}

func (p *Patterns) addPhrase(v value, typ string) {
	if p.phrases == nil {
		p.phrases, p.seen = map[string][]phrase{}, map[string]bool{}
	}
	words := v.words()
	if key := strings.Join(words, " "); !p.seen[key] {
		p.seen[key] = true
		p.keys.add(words[0])
		ph := phrase{words: words, typ: typ, place: p.isPlaceType(typ)}
		ph.acronym = ph.place && len(words) == 1 && v.all[0].capitals && v.size <= maxAcronym && p.isInstitution(typ)
		p.phrases[words[0]] = append(p.phrases[words[0]], ph)
	}
}

// initial returns the first letter of a word.
func initial(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	return w[:n]
}

// inNames are words within names that do not identify a person.
var inNames = union(particles, wordlists.Set(`y e i do das ter ten le les du san santa saint st abu
	mr mrs ms miss mx dr dra doctor doctora sr sra srta don dona prof professor jr md rn np pa phd ii iii iv mother father`))

// months are parts of names only beside other parts: May Black, but not May 6.
var months = sync.OnceValue(func() map[string]bool { return foldedEntries("en-months", "es-months") })

// doctors are the titles of clinicians.
var doctors = wordlists.Set("dr drs dra dras dres doctor doctora md nurse rn prof professor profesor profesora")

// IsDoctor reports whether a folded word is the title of a clinician.
func IsDoctor(word string) bool { return doctors[word] }

// isTitle reports whether a folded word precedes names.
func isTitle(word string) bool { return titleStarts.has(word) && titles[word] }

// titleStarts are those of titles.
var titleStarts = func() (all starts) {
	for title := range titles {
		all.add(title)
	}
	return all
}()

// titles precede names.
var titles = union(doctors, wordlists.Set("mr mrs ms miss mx master sr sra srta srs don dona pt patient paciente"))

// Find returns the occurrences of the patterns in a text outside of covered, which is sorted and
// disjoint. The spans are sorted, and may overlap; their score is 1.
func (p *Patterns) Find(text string, covered []data.Span) []data.Span {
	if p == nil || p.phrases == nil && p.numbers == nil && p.parts == nil && p.days == nil {
		return nil
	}
	buffer := buffers.Get().(*[]word)
	defer buffers.Put(buffer)
	language := sync.OnceValue(func() string { return p.language(text) })
	frequent := func(folded string) bool { return wordlists.FrequentIn(language(), folded) }
	var found []data.Span
	for from := 0; from < len(text); {
		to := windowEnd(text, from)
		words := appendWords((*buffer)[:0], text, from, to, covered)
		found = append(found, p.outsideTerms(text, words, append(p.find(words, frequent), p.besideCovered(text, words, covered)...))...)
		clear(words) // the words are parts of the text
		*buffer = words
		from = to
	}
	data.SortSpans(found)
	return found
}

// outsideTerms returns those of the spans among the words of a text that are not in a fixed term. Known values count there, too.
func (p *Patterns) outsideTerms(text string, words []word, found []data.Span) []data.Span {
	if p.known || len(found) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(s data.Span) bool {
		first, _ := slices.BinarySearchFunc(words, s.Start, func(w word, at int) int { return w.end - at })
		last, _ := slices.BinarySearchFunc(words, s.End, func(w word, at int) int { return w.end - at })
		return data.Covered(s, termsOf(text, words[max(0, first-wordsOfTerm):min(len(words), last+wordsOfTerm)]))
	})
}

// wordsOfTerm is how many words on either side of a span are searched for fixed terms.
const wordsOfTerm = 12

// buffers are memory for the words of a text.
var buffers = sync.Pool{New: func() any { return new([]word) }}

// find is Find for some words. frequent reports whether one is frequent in the language of the text.
func (p *Patterns) find(words []word, frequent func(folded string) bool) []data.Span {
	var found []data.Span
	hit := func(first, last int, typ string) {
		found = append(found, data.Span{Start: words[first].start, End: words[last].end, Type: typ, Score: 1})
	}
	lower := lazyLower(words)
	for i, w := range words {
		if p.keys.has(w.fold) {
			for _, ph := range p.phrases[w.fold] {
				last, ok := ph.at(words, i)
				if ok && ph.counts(words, i, last, lower, p.known) {
					hit(i, last, ph.typ)
				}
			}
		}
		if last, typ, ok := p.number(words, i); ok {
			hit(i, last, typ)
		}
		if w.digits && !w.measured {
			if number, ok := p.numeric.find(w.fold, ""); ok {
				hit(i, i, p.numbers[number].typ)
			}
		}
		if typ, ok := p.dayAndMonth(words, i); ok {
			hit(i, i+1, typ)
		}
		if last, typ, ok := p.login(words, i); ok {
			hit(i, last, typ)
		}
		if p.behindInitial(words, i) {
			hit(i, i+1, p.mates[words[i+1].fold].typ)
		}
		if last, typ, ok := p.initialsAt(words, i); ok {
			hit(i, last, typ)
			if last > i { // the last full stop belongs to the initials
				found[len(found)-1].End++
			}
		}
	}
	p.names(words, lower, frequent, hit)
	return found
}

// at reports whether the phrase begins at word i, and returns the index of its last word.
func (ph phrase) at(words []word, i int) (int, bool) {
	for k, want := range ph.words {
		if i+k >= len(words) || words[i+k].fold != want || k > 0 && words[i+k].gap < 0 {
			return 0, false
		}
	}
	return i + len(ph.words) - 1, true
}

// number reports whether the words from i on, separated or not, form a number, and returns the end
// of the longest.
func (p *Patterns) number(words []word, i int) (last int, typ string, ok bool) {
	if p.numbers == nil || !p.heads.has(words[i].fold) {
		return 0, "", false
	}
	var memory [64]byte
	joined := append(memory[:0], words[i].fold...)
	for k := i; len(joined) <= p.longest; joined = append(joined, words[k].fold...) {
		if n, found := p.numbers[string(joined)]; found && !words[k].measured && n.is(words[i:k+1]) {
			last, typ, ok = k, n.typ, true
		}
		if k++; k == len(words) || words[k].gap < 0 {
			break
		}
	}
	return last, typ, ok
}

// isDayAndMonth reports whether a text is a day and a month in digits, one of which can only be the day, such as 5/30. What might be a fraction or a
// score, such as 4/5, is none.
func isDayAndMonth(text string) bool {
	first, second, ok := strings.Cut(text, "/")
	a, notFirst := strconv.Atoi(first)
	b, notSecond := strconv.Atoi(second)
	return ok && notFirst == nil && notSecond == nil && min(a, b) > 0 && min(a, b) <= 12 && max(a, b) > 12 && max(a, b) <= 31
}

// dayAndMonth reports whether words i and i+1 are a day and a month that were replaced elsewhere.
func (p *Patterns) dayAndMonth(words []word, i int) (typ string, ok bool) {
	if p.days == nil || i+1 >= len(words) || words[i+1].sep != '/' || words[i].sep == '/' || i+2 < len(words) && words[i+2].sep == '/' ||
		words[i+1].measured || slices.ContainsFunc(words[max(0, i-3):i], func(w word) bool { return scales[w.fold] }) {
		return "", false
	}
	typ, ok = p.days[words[i].fold+"/"+words[i+1].fold]
	return typ, ok
}

// scales lists words before a score that looks like a day and a month.
var scales = wordlists.Set("gcs moca mmse mms score scale apgar glasgow minimental puntuacion escala epds phq gad nihss fast barthel")

// initialsAt finds the initials of a whole name: single capitals with full stops (O.L.), or, after
// a title or a word for the patient, one word in capitals (pt OL).
func (p *Patterns) initialsAt(words []word, i int) (last int, typ string, ok bool) {
	if len(p.initials) == 0 || !words[i].capitalized || i > 0 && words[i].gap == 1 && words[i-1].dot && isLetter(words[i-1]) {
		return 0, "", false // in the middle of other initials
	}
	if w := words[i]; w.titled && w.capitals && utf8.RuneCountInString(w.fold) <= 4 {
		typ, ok = p.initials[w.fold]
		return i, typ, ok
	}
	all := ""
	for k := i; k < len(words) && isLetter(words[k]) && words[k].dot && (k == i || words[k].gap >= 0 && words[k].gap <= 2); k++ {
		all += words[k].fold
		last = k
	}
	if last == i {
		return 0, "", false
	}
	typ, ok = p.initials[all]
	return last, typ, ok
}

// isLetter reports whether a word is a single capital.
func isLetter(w word) bool { return w.capitalized && utf8.RuneCountInString(w.fold) == 1 }

// names searches for the parts of names: several beside each other, in any order and case, or a
// single one that cannot be an ordinary word here.
func (p *Patterns) names(words []word, lower, frequent func(folded string) bool, hit func(first, last int, typ string)) {
	if len(p.parts) == 0 {
		return
	}
	for i := 0; i < len(words); i++ {
		types, ok := p.part(words[i], false)
		if !ok {
			continue
		}
		last, certain := i, certainPart(words[i])
		parts := [][]string{types}
		seen := []string{words[i].fold}
		for k := i + 1; k < len(words) && words[k].inName && !slices.Contains(seen, words[k].fold); k++ {
			if more, ok := p.part(words[k], last == k-1 && words[k].gap == 1 && certain); ok {
				last = k
				parts, seen = append(parts, more), append(seen, words[k].fold)
				certain = certain || certainPart(words[k])
			} else if p.isMate(words[k], seen) {
				last = k
				parts, seen, certain = append(parts, []string{p.mates[words[k].fold].typ}), append(seen, words[k].fold), true
			} else if !p.particles[words[k].fold] && !p.isInitial(words[k]) { // particles and initials may be between parts
				break
			}
		}
		first, initials := p.before(words, i)
		switch {
		case len(parts) > 1 && certain:
		case len(parts) == 1 && (alone(words, i, lower, frequent) || initials && words[i].capitalized):
		default:
			continue
		}
		if isEponym(words, i, last, p.known) {
			continue
		}
		for last+1 < len(words) && words[last+1].inName && p.isInitial(words[last+1]) && (words[last+1].dot || words[last+1].comma && !shorthandAt(words, last+1)) {
			last++ // Lund, O. or Lund O., but not "Lund. O2 sat" or "Lund, L breast"
		}
		hit(first, last, p.whose(parts, i > 0 && words[i].titled && doctors[words[i-1].fold]))
		i = last
	}
}

// shorthandAt reports whether word i is medical shorthand because of the words after it.
func shorthandAt(words []word, i int) bool {
	next := ""
	if i+2 < len(words) {
		next = words[i+2].fold
	}
	return i+1 < len(words) && words[i+1].gap == 1 && !words[i+1].capitalized && Shorthand(words[i].fold, words[i+1].fold, next)
}

// Shorthand reports whether a letter before two words, all folded, is medical shorthand and not the initial of a name: L hand, A fib.
func Shorthand(letter, word, next string) bool {
	switch letter {
	case "l", "r", "b": // left, right, both
		return wordlists.Body("en", word) && next != "nurse" || word == "sided" || word == "side" && !strings.HasPrefix(next, "effect")
	case "d", "i": // derecho, izquierdo
		return wordlists.Body("es", word) && !wordlists.Body("en", word) || word == "lado"
	case "a", "v":
		return word == "fib" || word == "flutter" || word == "tach"
	}
	return false
}

// before returns the first word of a name whose first part is word i, including the initials, the
// particles and the D' before it. It also reports whether there are initials.
func (p *Patterns) before(words []word, i int) (first int, initials bool) {
	for first = i; first > 0 && words[first].inName; first-- {
		switch w := words[first-1]; {
		case p.isInitial(w):
			initials = true
		case p.particles[w.fold] && words[first].gap == 1:
		case words[first].elided && utf8.RuneCountInString(w.fold) == 1 && p.letters[w.fold]: // d'Angelo
		default:
			return first, initials
		}
	}
	return first, initials
}

// whose returns the type of most parts of a name. If types are equally frequent, the type of a
// clinician wins after a doctor's title, and another type otherwise.
func (p *Patterns) whose(parts [][]string, doctor bool) string {
	count := map[string]int{}
	best := parts[0][0]
	clinician := func(typ string) bool { return p.types.Describe(typ).Clinician }
	for _, types := range parts {
		for _, typ := range types {
			count[typ]++
			if more := count[typ] - count[best]; more > 0 || more == 0 && clinician(best) != doctor && clinician(typ) == doctor {
				best = typ
			}
		}
	}
	return best
}

// certainPart reports whether a part of a name beside another part is not an ordinary word: "long"
// and "will" may be next to each other in lower case.
func certainPart(w word) bool {
	return w.capitalized && !months()[w.fold] || !wordlists.Common(w.fold) && !months()[w.fold]
}

// alone reports whether a single part of a name is the name. An ordinary word (long) is the name
// only with a capital, and only if the note does not contain it in lower case. A frequent word is
// the name only with a capital that is not due to the beginning of a sentence or a line of
// capitals, or before a possessive s. After a title, any part is the name.
func alone(words []word, i int, lower, frequent func(folded string) bool) bool {
	w := words[i]
	switch {
	case w.titled && w.capitalized:
		return true
	case utf8.RuneCountInString(w.fold) < minWord || months()[w.fold], w.capitals && w.fold == "had": // hospital a domicilio
		return false
	case !wordlists.Common(w.fold):
		return true
	case i > 0 && w.capitalized && w.gap == 1 && words[i-1].capitalized && !wordlists.Common(words[i-1].fold): // GUILLERMO BONE
		return true
	}
	return w.capitalized && !lower(w.fold) && (!w.first && !w.capitals || !frequent(w.fold) || !w.capitals && isOwner(words, i))
}

// isOwner reports whether a possessive s follows word i.
func isOwner(words []word, i int) bool {
	return i+1 < len(words) && words[i+1].elided && words[i+1].fold == "s" && !words[i+1].capitalized
}

// lazyLower returns a function that reports whether a word occurs in lower case. The words are
// indexed on the first call.
func lazyLower(words []word) func(string) bool {
	var lower map[string]bool
	return func(folded string) bool {
		if lower == nil {
			lower = map[string]bool{}
			for _, w := range words {
				if !w.capitalized && !w.digits {
					lower[w.fold] = true
				}
			}
		}
		return lower[folded]
	}
}

// isInitial reports whether a word may be an initial of one of the names.
func (p *Patterns) isInitial(w word) bool { return isLetter(w) && p.letters[w.fold] }

// part reports whether a word is part of a name, and returns its types. A short word requires a
// capital unless it is beside another part.
func (p *Patterns) part(w word, beside bool) ([]string, bool) {
	if w.digits {
		return nil, false
	}
	if p.keys.has(w.fold) {
		if types, ok := p.parts[w.fold]; ok {
			return types, w.capitalized || beside || utf8.RuneCountInString(w.fold) >= minWord
		}
		if plural, ok := strings.CutSuffix(w.fold, "s"); ok && w.capitalized && len(plural) >= minWord { // the Lunds
			if types, ok := p.parts[plural]; ok && !wordlists.Common(w.fold) {
				return types, true
			}
		}
	}
	if n := utf8.RuneCountInString(w.fold); p.known && n >= minFuzzy && (w.capitalized || n > minFuzzy) {
		if part, ok := p.similar.find(w.fold, initial(w.fold)); ok && !wordlists.Common(w.fold) {
			return p.parts[part], true
		}
	}
	return nil, false
}
