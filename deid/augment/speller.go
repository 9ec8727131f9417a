package augment

import (
	"math/rand/v2"
	"strings"
	"unicode"
)

// A speller invents words that are spelt like names: a Markov chain over letters whose
// next letter depends on the two or three before. A sequence of letters that it has
// produced is always one that it has learned, so it always has a next letter.
type speller struct {
	next map[string][]rune // letters that follow, as often as they do; 0 ends the word
}

const (
	minSpelt = 3 // letters of an invented word
	maxSpelt = 12
	context  = 3    // letters that the next one depends on
	blur     = 0.15 // share of letters that depend on one letter less
	foreign  = 0.06 // share of words in which a letter may become one of another language
	accented = 0.12 // share of words in which a letter may get an accent
)

// newSpeller learns from the words in lists. They must contain a word of at least minSpelt
// letters.
func newSpeller(lists ...[]string) *speller {
	s := &speller{map[string][]rune{}}
	for _, list := range lists {
		for _, entry := range list {
			for word := range strings.FieldsFuncSeq(entry, func(r rune) bool { return !unicode.IsLetter(r) }) {
				s.learn(strings.ToLower(word))
			}
		}
	}
	return s
}

func (s *speller) learn(word string) {
	letters := []rune(strings.Repeat(" ", context) + word)
	for i := context; i <= len(letters); i++ {
		next := rune(0)
		if i < len(letters) {
			next = letters[i]
		}
		for n := 1; n <= context; n++ {
			before := string(letters[i-n : i])
			s.next[before] = append(s.next[before], next)
		}
	}
}

// spell invents a word with a capital.
func (s *speller) spell(rng *rand.Rand) string {
	letters := []rune(strings.Repeat(" ", context))
	for len(letters) < context+maxSpelt {
		n := context
		if rng.Float64() < blur {
			n--
		}
		all := s.next[string(letters[len(letters)-n:])]
		next := all[rng.IntN(len(all))]
		if next == 0 && len(letters) >= context+minSpelt {
			break
		} else if next == 0 { // too short: begin again
			letters = letters[:context]
			continue
		}
		letters = append(letters, next)
	}
	return decorate(letters[context:], rng)
}

// decorate capitalizes a word and adds accents.
func decorate(letters []rune, rng *rand.Rand) string {
	letters[0] = unicode.ToUpper(letters[0])
	replace := func(pairs string) {
		at := rng.IntN(len(letters))
		for p := []rune(pairs); len(p) > 1; p = p[2:] {
			if p[0] == letters[at] {
				letters[at] = p[1]
				return
			}
		}
	}
	if rng.Float64() < accented {
		replace("aáeéiíoóuúnñAÁEÉIÍOÓUÚ")
	}
	if rng.Float64() < foreign {
		replace("aāeēiīoōuūsştţzžhḩdḑcčgğlłnńAĀCÇOŌSŞTŢ")
	}
	return string(letters)
}
