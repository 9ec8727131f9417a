package augment

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// The speller invents words of letters, with a capital and of limited length. The same random
// numbers give the same words, and most words are new.
func TestSpeller(t *testing.T) {
	v, err := newInventor(data.MEDDOCAN)
	if err != nil {
		t.Fatal(err)
	}
	words := func(seed uint64) []string {
		rng := rand.New(rand.NewPCG(1, seed))
		all := make([]string, 2000)
		for i := range all {
			all[i] = v.speller.spell(rng)
		}
		return all
	}
	first := words(1)
	if !slices.Equal(words(1), first) {
		t.Error("the same random numbers give other words")
	}
	distinct := map[string]bool{}
	for _, w := range slices.Concat(first, words(2)) {
		distinct[w] = true
		if n := utf8.RuneCountInString(w); n < minSpelt || n > maxSpelt {
			t.Errorf("%q has %d letters", w, n)
		}
		for i, r := range w {
			if !unicode.IsLetter(r) || (i == 0) != unicode.IsUpper(r) {
				t.Errorf("%q: %q is not a letter in the right case", w, r)
			}
		}
	}
	if len(distinct) < 3000 {
		t.Errorf("%d distinct words of 4000", len(distinct))
	}
}

// A word that is too short is never the result, although the speller has learned only one that
// begins like it.
func TestSpellerBeginsAgain(t *testing.T) {
	s := newSpeller([]string{"de", "del", "O\u2019Dell 12"})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		if w := s.spell(rng); utf8.RuneCountInString(w) < minSpelt {
			t.Fatalf("%q is too short", w)
		}
	}
}
