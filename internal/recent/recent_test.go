package recent

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A word that is known has the value that was set for it last, whatever other words share its place.
func TestValueIsThatOfTheWord(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w, hits := New[string](), 0
	for range 100000 {
		word := strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(20)) + string(rune('a'+rng.IntN(500)))
		value, known := w.At(word)
		switch {
		case len(word) > longest:
			if value != nil || known {
				t.Fatalf("%q has a place", word)
			}
		case known:
			if hits++; *value != word {
				t.Fatalf("%q has the value of %q", word, *value)
			}
		default:
			*value = strings.Clone(word)
		}
	}
	if hits < 1000 {
		t.Errorf("only %d words were known", hits)
	}
	if value, known := w.At(""); value != nil || known {
		t.Error("the empty word has a place")
	}
}
