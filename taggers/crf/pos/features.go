package pos

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// word has the hashes of a word and its parts, from which features are made.
type word struct {
	lower  string
	known  known
	form   uint64 // the word with its digits replaced with 0
	low    uint64 // form in lower case
	prefix [maxPrefix]uint64
	suffix [maxSuffix]uint64
	shape  uint64 // "Xx", "X", "d", ..., and the sentence's use of capitals
	among  uint64 // the classes that the word can have; for an unknown word, its ending and shape
}

// Maximum length of the parts of a word that are features, in characters.
const (
	maxPrefix = 4
	maxSuffix = 5
)

// style is the use of capitals in a sentence. In a heading all in capitals, they reveal
// nothing about a word.
type style uint64

const (
	mixed style = iota
	upper       // no lower-case letter
	small       // no upper-case letter
)

// outside represents the positions before and after a sentence.
var outside = word{low: 1, shape: 1, among: 1}

// maxFeatures is the maximum number of features of a word.
const maxFeatures = 48

const outsideTag = ^uint16(0)

// read computes the words of a sentence.
func (s *scratch) read(dictionary map[string]known, words []string) {
	s.words, s.tags = s.words[:0], s.tags[:0]
	st := styleOf(words)
	for _, w := range words {
		s.words = append(s.words, newWord(w, dictionary, st))
	}
}

func styleOf(words []string) style {
	capital, little := false, false
	for _, w := range words {
		for _, r := range w {
			capital = capital || unicode.IsUpper(r)
			little = little || unicode.IsLower(r)
		}
		if capital && little {
			return mixed
		}
	}
	switch {
	case little:
		return small
	case capital:
		return upper
	}
	return mixed
}

func newWord(form string, dictionary map[string]known, st style) word {
	w := word{lower: lower(form)}
	w.known = dictionary[w.lower]
	w.form, w.shape = formOf(form, st)
	h, n := uint64(offset), 0
	for _, r := range w.lower {
		h = feed(h, fold(r))
		if n < maxPrefix {
			w.prefix[n] = h
		}
		n++
	}
	w.low = h
	for i := n; i < maxPrefix; i++ {
		w.prefix[i] = 0 // too short: no feature
	}
	h = offset
	rest := w.lower
	for i := range min(n, maxSuffix) {
		r, size := utf8.DecodeLastRuneInString(rest)
		rest = rest[:len(rest)-size]
		h = feed(h, fold(r))
		w.suffix[i] = h
	}
	w.among = w.known.key
	if w.among == 0 {
		w.among = mix(2, w.suffix[min(max(n, 1), 3)-1], w.shape)
	}
	return w
}

// formOf hashes a word as it is written, and its shape, in which a run of upper-case
// letters, lower-case letters or digits is one character each, and everything else
// stays as it is.
func formOf(form string, st style) (hash, shape uint64) {
	hash, shape = offset, feed(offset, rune(st))
	last := rune(-1)
	for _, r := range form {
		hash = feed(hash, fold(r))
		c := r
		switch {
		case unicode.IsUpper(r):
			c = 'X'
		case unicode.IsLetter(r), unicode.IsMark(r):
			c = 'x'
		case unicode.IsDigit(r):
			c = 'd'
		}
		if c != last {
			shape = feed(shape, c)
		}
		last = c
	}
	return hash, shape
}

// fold maps all digits to 0.
func fold(r rune) rune {
	if unicode.IsDigit(r) {
		return '0'
	}
	return r
}

// at returns word i, or outside if there is none.
func (s *scratch) at(i int) *word {
	if i < 0 || i >= len(s.words) {
		return &outside
	}
	return &s.words[i]
}

// tag returns the class of word i, which must precede the current word.
func (s *scratch) tag(i int) uint64 {
	if i < 0 {
		return uint64(outsideTag)
	}
	return uint64(s.tags[i])
}

// features lists the keys of word i's features, following Ratnaparkhi 1996 and Collins
// 2002: the word, its prefixes, suffixes and shape, its neighbours, the classes of the
// words before it, and the classes that the words after it can have.
func (s *scratch) features(i int) {
	w, before, before2, after, after2 := s.at(i), s.at(i-1), s.at(i-2), s.at(i+1), s.at(i+2)
	t1, t2 := s.tag(i-1), s.tag(i-2)
	k := s.keys[:0]
	id := uint64(0)
	add := func(a, b uint64) {
		k = append(k, uint32(mix(id, a, b)>>32))
		id++
	}
	add(0, 0)
	add(w.form, 0)
	add(w.low, 0)
	add(w.shape, 0)
	add(w.among, 0)
	for _, h := range w.prefix {
		add(h, 1)
	}
	for _, h := range w.suffix {
		add(h, 1)
	}
	add(t1, 0)
	add(t1, t2+1)
	add(t1, w.low)
	add(t1, w.among)
	add(t1, after.among)
	add(t1, w.suffix[2])
	add(before.low, 0)
	add(before.low, w.low)
	add(before2.low, 0)
	add(after.low, 0)
	add(after.low, w.low)
	add(after2.low, 0)
	add(before.low, after.low)
	add(after.among, 0)
	add(after.among, w.among)
	add(after.among, after2.among)
	add(before.suffix[2], 0)
	add(after.suffix[2], 0)
	add(before.shape, w.shape)
	add(after.shape, w.shape)
	s.keys = k
}

// The hashes are part of the file format: another hash requires another version.

const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

// feed is FNV-1a over whole characters.
func feed(h uint64, r rune) uint64 { return (h ^ uint64(uint32(r))) * prime }

// mix hashes three numbers into one.
func mix(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(b^0xa0761d6478bd642f^a*0x9e3779b97f4a7c15, c^0xe7037ed1a0b428db)
	h := (hi ^ lo) * 0x8ebc6af09c88c6e3
	return h ^ h>>29
}
