package synth

import (
	"math/rand/v2"
	"strings"
	"sync"
	"unicode"
)

// sounds composes new words that sound like those of a list, by a Markov chain: each letter depends
// on the two before it. A model that is trained on them cannot learn a list of names by heart.
type sounds map[[2]rune][]rune // by the last two letters: those that follow; 0 is the border of a word

// soundsOf returns a function that reads the plain words of a rule at its first use.
func soundsOf(list *choice) func() sounds {
	return sync.OnceValue(func() sounds {
		s := sounds{}
		for _, n := range list.of {
			word, _ := n.(literal)
			if strings.ContainsAny(string(word), " -'/") || word == "" {
				continue
			}
			var last [2]rune
			for _, r := range strings.ToLower(string(word)) {
				s[last] = append(s[last], r)
				last = [2]rune{last[1], r}
			}
			s[last] = append(s[last], 0)
		}
		return s
	})
}

// word returns a new word of 4 to 11 letters with a capital.
func (s sounds) word(r *rand.Rand) string {
	for range 50 {
		var word []rune
		var last [2]rune
		for len(word) < 12 {
			next := pick(r, s[last])
			if next == 0 {
				break
			}
			word = append(word, next)
			last = [2]rune{last[1], next}
		}
		if len(word) > 3 && len(word) < 12 {
			word[0] = unicode.ToUpper(word[0])
			return string(word)
		}
	}
	return "Anders"
}
