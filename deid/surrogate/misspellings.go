package surrogate

import (
	"cmp"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"
)

// misspellings finds words that are one slip away from a more frequent word and are not known names.
func (n *names) misspellings() {
	words := slices.SortedFunc(maps.Keys(n.count), func(a, b string) int { return cmp.Or(cmp.Compare(n.count[b], n.count[a]), cmp.Compare(a, b)) })
	near := map[string][]int{} // correctly spelt words, by the leftovers of a slip (see leftovers)
	for i, w := range words {
		if length := utf8.RuneCountInString(w); length < 5 || length > 50 {
			continue
		}
		left := leftovers(w)
		if !n.known.given(w) && !n.known.surname[w] {
			first := len(words)
			for _, l := range left {
				for _, k := range near[l] {
					if v := words[k]; k < first && n.count[v] > n.count[w] && compareWords(v, w) != noSlip {
						first = k
					}
				}
			}
			if first < len(words) {
				n.root[w] = words[first]
				continue
			}
		}
		for _, l := range left {
			near[l] = append(near[l], i)
		}
	}
	for w := range n.root { // a misspelt word has the role of the correct one
		delete(n.votes, w)
	}
}

// leftovers lists a word and the word without each of its runes. Words that are one slip apart have a leftover in common.
func leftovers(word string) []string {
	all := []string{word}
	for i, r := range word {
		all = append(all, word[:i]+word[i+utf8.RuneLen(r):])
	}
	return all
}

// slip is one error of typing.
type slip int

const (
	noSlip slip = iota
	omitted
	inserted
	exchanged
	swapped
)

// compareWords returns the slip that turns meant into typed; noSlip if there is none or it takes more than one.
func compareWords(meant, typed string) slip {
	s, _ := slipOf(meant, typed)
	return s
}

// slipOf returns the result of compareWords and the index of the slip in the runes of meant.
func slipOf(meant, typed string) (slip, int) {
	a, b := []rune(meant), []rune(typed)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	same := func(x, y []rune) bool { return slices.Equal(x, y) }
	switch {
	case len(b) == len(a)-1 && same(a[i+1:], b[i:]):
		return omitted, i
	case len(b) == len(a)+1 && same(a[i:], b[i+1:]):
		return inserted, i
	case len(a) != len(b) || i == len(a):
	case same(a[i+1:], b[i+1:]):
		return exchanged, i
	case i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && same(a[i+2:], b[i+2:]):
		return swapped, i
	}
	return noSlip, 0
}

// misspell makes a slip in another word, at about the same place.
func misspell(word string, s slip, at int) string {
	r := []rune(word)
	if len(r) < 3 {
		return word + string(r[len(r)-1:])
	}
	i := min(max(at, 1), len(r)-2)
	switch s {
	case omitted:
		return string(slices.Delete(r, i, i+1))
	case inserted:
		return string(slices.Insert(r, i, r[i]))
	case exchanged:
		with := 'e'
		if unicode.ToLower(r[i]) == 'e' {
			with = 'a'
		}
		r[i] = with
	case swapped:
		for j := i; j+1 < len(r); j++ {
			if r[j] != r[j+1] {
				r[j], r[j+1] = r[j+1], r[j]
				return string(r)
			}
		}
		return string(slices.Delete(r, i, i+1))
	}
	return string(r)
}
