package models

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/taggers/system"
)

// spelling tells how probable the spelling of a word is among the words of a network: a model of three letters in a row,
// with each different word of the vocabulary counted once.
type spelling struct {
	triples map[[3]rune]float64
	pairs   map[[2]rune]float64
}

// spellingOf learns from the words of a network. Without any, all words are equally probable.
func spellingOf(m *Model) *spelling {
	l := &spelling{map[[3]rune]float64{}, map[[2]rune]float64{}}
	for _, leaf := range system.Leaves(m.Tagger) {
		network, ok := leaf.(interface{ Words() []string })
		if !ok {
			continue
		}
		for _, w := range network.Words() {
			l.each(w, func(t [3]rune) {
				l.triples[t]++
				l.pairs[[2]rune{t[0], t[1]}]++
			})
		}
		break
	}
	return l
}

// each calls do with the triples of a word, which begins and ends with spaces. Case counts as much as accents do: not at all.
// Words with other characters than letters, or of fewer than three, have none.
func (l *spelling) each(word string, do func([3]rune)) {
	if utf8.RuneCountInString(word) < 3 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return
	}
	t := [3]rune{' ', ' ', ' '}
	for _, r := range fold.Fold(word) + " " {
		t = [3]rune{t[1], t[2], r}
		do(t)
	}
}

// score returns the logarithm of the probability of a word, in nats.
func (l *spelling) score(word string) (sum float64) {
	const alphabet = 27
	l.each(word, func(t [3]rune) {
		sum += math.Log((l.triples[t] + 0.1) / (l.pairs[[2]rune{t[0], t[1]}] + 0.1*alphabet))
	})
	return sum
}
