package hf

import (
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/subword"
)

// word is a word of a note with its subwords.
type word struct {
	data.Token
	first    int // the subword that decides its label
	from, to int // the range of its subwords; white space before a word and what follows it belong to it
}

// align assigns subwords to the words of a text. Both are sorted and without overlaps. Every subword belongs to exactly one of
// the words returned, in order, unless there are no words at all. Words that share a subword are one word. Words
// without a subword are left out.
func align(text string, tokens []data.Token, subwords []subword.Token) []word {
	var words []word
	next := 0 // first subword that does not end before the word
	for _, t := range tokens {
		for next < len(subwords) && subwords[next].End <= t.Start {
			next++
		}
		last := next
		for last < len(subwords) && subwords[last].Start < t.End {
			last++
		}
		if last == next {
			continue
		}
		end := 0 // of the word before
		if n := len(words); n > 0 {
			if end = words[n-1].to; end > next { // its last subword
				words[n-1].End, words[n-1].to = t.End, last
				continue
			}
		}
		first := next
		if next > end && isSpace(text, subwords[:next], t.Start) {
			first--
		}
		words = append(words, word{t, first, next, last})
	}
	for i := range words {
		if i == 0 {
			words[i].from = 0
		} else {
			words[i].from = words[i-1].to
		}
	}
	if n := len(words); n > 0 {
		words[n-1].to = len(subwords)
	}
	return words
}

// isSpace reports whether the last of some subwords is the space before a word that begins at start. Byte pair encoding and
// SentencePiece count it as the first subword of the word if it is not joined to the letters. SentencePiece also inserts one
// at the beginning of a text.
func isSpace(text string, subwords []subword.Token, start int) bool {
	last := len(subwords) - 1
	s := subwords[last]
	inserted := s.Start == s.End && (last == 0 || subwords[last-1].End < s.Start)
	return s.End == start && (inserted || text[s.Start:s.End] == " ")
}
