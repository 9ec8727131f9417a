package net

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// how says in what forms a value is looked for.
type how int

const (
	notAtAll how = iota
	asPhrase     // its words, in order
	asNumber     // its letters and digits, however they are parted
	asName       // its words in any order, and each of them alone where it has a capital
)

// Lengths below which a value is not looked for, since it stands in notes for other
// things: a lone word, of letters; the digits and letters of a number; a
// value with one letter or digit wrong.
const (
	minWord   = 3
	minPlace  = 4
	minNumber = 5
	minFuzzy  = 5
)

// patterns are values to look for.
type patterns struct {
	fuzzy   bool                // one edit may part a word from the text
	phrases map[string][]phrase // by their first word
	numbers map[string]string   // without what parts them: the type
	heads   map[string]bool     // what numbers begin with, up to headSize bytes
	longest int                 // of the numbers, in bytes
	parts   map[string]string   // of names: the type
	list    []string            // the keys of parts that are long enough to be fuzzy
	letters map[string]bool     // what parts begin with: their initials
	numeric []phrase            // the numbers that are long enough to be fuzzy
	seen    map[string]bool     // phrases that are there already
}

const headSize = 3

type phrase struct {
	words []string
	typ   string
}

func (p *patterns) add(text, typ string, how how) {
	var words []string
	size, digits := 0, false
	for _, w := range split(text, 0, len(text), nil) {
		words = append(words, w.fold)
		size += utf8.RuneCountInString(w.fold)
		digits = digits || w.digits
	}
	if len(words) == 0 {
		return
	}
	switch how {
	case notAtAll:
		return
	case asName:
		for _, w := range words {
			if utf8.RuneCountInString(w) >= minWord && !inNames[w] {
				if p.parts == nil {
					p.parts, p.letters = map[string]string{}, map[string]bool{}
				}
				_, letter := utf8.DecodeRuneInString(w)
				p.letters[w[:letter]] = true
				if _, ok := p.parts[w]; !ok {
					p.parts[w] = typ
					if len(w) >= minFuzzy {
						p.list = append(p.list, w)
					}
				}
			}
		}
	case asNumber:
		if digits && size >= minNumber || size >= 2*minNumber {
			number := strings.Join(words, "")
			if p.numbers == nil {
				p.numbers, p.heads = map[string]string{}, map[string]bool{}
			}
			if _, ok := p.numbers[number]; ok {
				return
			}
			p.numbers[number] = typ
			for n := range headSize + 1 {
				p.heads[number[:min(n, len(number))]] = true
			}
			p.longest = max(p.longest, len(number))
			if p.fuzzy && digits && size > minNumber {
				p.numeric = append(p.numeric, phrase{[]string{number}, typ})
			}
		}
	case asPhrase:
		if size < minPlace || digits && size < minNumber {
			return
		}
		if p.phrases == nil {
			p.phrases, p.seen = map[string][]phrase{}, map[string]bool{}
		}
		key := strings.Join(words, " ")
		if p.seen[key] {
			return
		}
		p.seen[key] = true
		p.phrases[words[0]] = append(p.phrases[words[0]], phrase{words, typ})
	}
}

// inNames are words within names that say nothing of whose they are.
var inNames = set(`de del la las los el y e i da do dos das van von der den ter ten le les du di san santa saint st al bin ibn abu
	mr mrs ms miss dr dra doctor doctora sr sra srta don dona prof professor jr sr md do rn np pa phd ii iii iv mother father
	january february march april may june july august september october november december
	enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// find looks for the patterns.
func (p *patterns) find(words []word, source Source) []Finding {
	var found []Finding
	hit := func(first, last int, typ string) {
		found = append(found, Finding{data.Span{Start: words[first].start, End: words[last].end, Type: typ, Score: 1}, source})
	}
	for i := range words {
		for _, ph := range p.phrases[words[i].fold] {
			if last, ok := ph.at(words, i); ok && (len(ph.words) > 1 || words[i].capitalized || words[i].digits) {
				hit(i, last, ph.typ)
			}
		}
		if last, typ, ok := p.number(words, i); ok {
			hit(i, last, typ)
		}
		if p.fuzzy && words[i].digits {
			for _, number := range p.numeric {
				if oneEdit(words[i].fold, number.words[0]) {
					hit(i, i, number.typ)
				}
			}
		}
	}
	p.names(words, hit)
	return found
}

// at says whether the phrase stands at word i, and where its last word is.
func (ph phrase) at(words []word, i int) (int, bool) {
	for k, want := range ph.words {
		if i+k >= len(words) || words[i+k].fold != want || k > 0 && words[i+k].gap < 0 {
			return 0, false
		}
	}
	return i + len(ph.words) - 1, true
}

// number says whether words from i on, parted or not, are a number, and the longest
// such.
func (p *patterns) number(words []word, i int) (last int, typ string, ok bool) {
	if p.numbers == nil || !p.heads[words[i].fold[:min(headSize, len(words[i].fold))]] {
		return 0, "", false
	}
	joined := words[i].fold
	for k := i; len(joined) <= p.longest; joined += words[k].fold {
		if t, found := p.numbers[joined]; found {
			last, typ, ok = k, t, true
		}
		if k++; k == len(words) || words[k].gap < 0 {
			break
		}
	}
	return last, typ, ok
}

// names looks for the parts of names: several beside one another, in any order and
// writing, or one with a capital that stands nowhere without.
func (p *patterns) names(words []word, hit func(first, last int, typ string)) {
	if len(p.parts) == 0 {
		return
	}
	var lower map[string]bool // parts that the note has as common words
	for i := 0; i < len(words); i++ {
		typ, ok := p.part(words[i])
		if !ok {
			continue
		}
		last, parts := i, 1
		for k := i + 1; k < len(words) && words[k].gap >= 0; k++ {
			if _, ok := p.part(words[k]); ok {
				last = k
				parts++
			} else if !inNames[words[k].fold] && utf8.RuneCountInString(words[k].fold) > 1 { // an initial may stand between
				break
			}
		}
		if parts == 1 {
			if lower == nil {
				lower = map[string]bool{}
				for _, w := range words {
					if !w.capitalized && !w.digits {
						lower[w.fold] = true
					}
				}
			}
			if !words[i].capitalized || lower[words[i].fold] {
				continue
			}
		}
		first := i
		for first > 0 && words[first].gap >= 0 && p.initial(words[first-1]) {
			first--
		}
		for last+1 < len(words) && words[last+1].gap >= 0 && p.initial(words[last+1]) && (words[last+1].dot || words[last+1].comma) {
			last++ // Lund, O. or Lund O., but not "Lund. O2 sat"
		}
		hit(first, last, typ)
		i = last
	}
}

// initial says whether a word may be one of a name that is looked for.
func (p *patterns) initial(w word) bool {
	return w.capitalized && p.letters[w.fold] && utf8.RuneCountInString(w.fold) == 1
}

// part says whether a word is part of a name, and of which type.
func (p *patterns) part(w word) (string, bool) {
	if w.digits {
		return "", false
	}
	if typ, ok := p.parts[w.fold]; ok {
		return typ, true
	}
	if p.fuzzy && w.capitalized && len(w.fold) >= minFuzzy {
		if i := slices.IndexFunc(p.list, func(part string) bool { return part[0] == w.fold[0] && oneEdit(part, w.fold) }); i >= 0 {
			return p.parts[p.list[i]], true
		}
	}
	return "", false
}

// oneEdit says whether two words are equal but for one letter that is wrong, missing,
// too many, or in the place of its neighbour.
func oneEdit(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) < len(y) {
		return slices.Equal(x[i:], y[i+1:])
	}
	if i >= len(x)-1 {
		return true // equal, or but for the last
	}
	return slices.Equal(x[i+1:], y[i+1:]) || x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}
