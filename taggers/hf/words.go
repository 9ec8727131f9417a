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

// markOfWords is the subword that SentencePiece puts before some words, where it replaces the space. In training, it is the
// first subword of the word.
const markOfWords = "\u2581"

// align assigns subwords to words. Both are sorted and without overlaps. Every subword belongs to exactly one of the
// words returned, in order, unless there are no words at all. Words that share a subword are one word. Words
// without a subword are left out. mark is the ID of markOfWords, or negative if there is none.
func align(tokens []data.Token, subwords []subword.Token, mark int32) []word {
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
		if n := len(words); n > 0 && words[n-1].to > next { // the last subword of the word before
			words[n-1].End, words[n-1].to = t.End, last
			continue
		}
		first := next
		if next > 0 && subwords[next-1].ID == mark && (len(words) == 0 || words[len(words)-1].to < next) {
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
