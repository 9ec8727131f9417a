package safetynet

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// slips are values that are found with one letter or digit wrong. Two words that are one slip apart have a leftover in common: one of them, or what is left of it without one letter.
type slips struct {
	words   []string
	near    map[string][]int  // indices of the words with a leftover
	lengths map[string]uint64 // one bit for each length of the words with a beginning
}

// longestSlip is the maximum number of letters of a word that is searched for with one wrong, because the leftovers take the square of it.
const longestSlip = 60

// add adds a word, which is found only by words with the same beginning; it may be empty.
func (s *slips) add(word, beginning string) {
	n := utf8.RuneCountInString(word)
	if n > longestSlip {
		return
	}
	if s.near == nil {
		s.near, s.lengths = map[string][]int{}, map[string]uint64{}
	}
	s.lengths[beginning] |= 1 << n
	for leftover := range leftovers(word) {
		s.near[leftover] = append(s.near[leftover], len(s.words))
	}
	s.words = append(s.words, word)
}

// find returns the word that was added first among those with this beginning that are equal to a word or one slip apart from it.
func (s *slips) find(word, beginning string) (found string, ok bool) {
	n := utf8.RuneCountInString(word)
	if n > longestSlip+1 || s.lengths[beginning]&(7<<n>>1) == 0 {
		return "", false
	}
	first := len(s.words)
	for leftover := range leftovers(word) {
		for _, i := range s.near[leftover] {
			if i < first && strings.HasPrefix(s.words[i], beginning) && oneEdit(s.words[i], word) {
				first = i
			}
		}
	}
	if first == len(s.words) {
		return "", false
	}
	return s.words[first], true
}

// leftovers yields a word and the word without each of its letters.
func leftovers(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(word) {
			return
		}
		for i, r := range word {
			if !yield(word[:i] + word[i+utf8.RuneLen(r):]) {
				return
			}
		}
	}
}

// oneEdit reports whether two words are equal except for one letter that is wrong, missing, added,
// or swapped with its neighbour.
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
		return true // equal, or different in the last letter only
	}
	return slices.Equal(x[i+1:], y[i+1:]) || x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}
