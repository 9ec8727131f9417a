package trees

import "fmt"

// Sizes of the sets of triggers.
const (
	tokenWindow  = 3 // tokens on each side (the paper's "three preceding and three subsequent tokens")
	phraseWindow = 6 // tokens after a phrase (the paper's "wider window")
	maxGram      = 3 // words of a trigram
)

// clue is something about the words at or around a token that can be a cue: the word
// that precedes it, for example. A value of a clue is the key of up to three words.
type clue struct {
	name string
	// collect calls put with the values at the phrases of a text.
	collect func(x *stretch, put func(key uint64))
	// at calls put with the values at a token. There can be several, which are then not
	// distinguished by their position.
	at func(x *stretch, t int, put func(key uint64))
}

// clues returns the clues of some sets of triggers, and those that all models have.
func clues(sets []string) []clue {
	all := affixes()
	for _, set := range sets {
		all = append(all, triggers(set)...)
	}
	return all
}

// affixes returns the paper's "common phrase suffixes", the last words of phrases, and
// the first words, which are their counterpart in languages such as Spanish ("Hospital
// de ...").
func affixes() []clue {
	own := func(x *stretch, t int, put func(uint64)) { x.key(t, t+1, put) }
	return []clue{
		{"last", func(x *stretch, put func(uint64)) { x.ends(func(_, to int) { x.key(to-1, to, put) }) }, own},
		{"first", func(x *stretch, put func(uint64)) { x.ends(func(from, _ int) { x.key(from, from+1, put) }) }, own},
	}
}

// triggers returns the clues of a set.
func triggers(set string) []clue {
	var all []clue
	switch set {
	case TokenTriggers:
		for offset := -tokenWindow; offset <= tokenWindow; offset++ {
			if offset != 0 {
				all = append(all, neighbour(offset))
			}
		}
	case PhraseTriggers:
		all = append(all, after())
	case TrigramTriggers:
		for n := 1; n <= maxGram; n++ {
			all = append(all, gram("before", -n, 0), gram("after", 1, 1+n))
		}
	}
	return all
}

// neighbour is the word at an offset from a token of a phrase.
func neighbour(offset int) clue {
	at := func(x *stretch, t int, put func(uint64)) { x.key(t+offset, t+offset+1, put) }
	return clue{fmt.Sprintf("token%+d", offset), func(x *stretch, put func(uint64)) {
		for t, class := range x.gold.classes {
			if class != 0 {
				at(x, t, put)
			}
		}
	}, at}
}

// after is a word among those after a phrase, at any position.
func after() clue {
	return clue{"phrase", func(x *stretch, put func(uint64)) {
		x.ends(func(_, to int) {
			for t := to; t < to+phraseWindow; t++ {
				x.key(t, t+1, put)
			}
		})
	}, func(x *stretch, t int, put func(uint64)) {
		for offset := 1; offset <= phraseWindow; offset++ {
			x.key(t+offset, t+offset+1, put)
		}
	}}
}

// gram is the sequence of words directly before or after a phrase: [from, to) from the
// first or last token of it.
func gram(side string, from, to int) clue {
	return clue{fmt.Sprintf("%s-%d", side, to-from), func(x *stretch, put func(uint64)) {
		x.ends(func(first, end int) {
			t := first
			if from > 0 {
				t = end - 1
			}
			x.key(t+from, t+to, put)
		})
	}, func(x *stretch, t int, put func(uint64)) { x.key(t+from, t+to, put) }}
}

// keyBits is the number of bits of a word in a key. A vocabulary has fewer words than
// maxWords, so that they can count it.
const (
	keyBits  = 21
	maxWords = 1<<keyBits - 1
)

// ends calls f with the borders of all phrases.
func (x *stretch) ends(f func(from, to int)) {
	for _, p := range x.gold.phrases {
		f(p.from, p.to)
	}
}

// key calls put with the key of words [from, to), unless one is unknown or beyond the
// text.
func (x *stretch) key(from, to int, put func(key uint64)) {
	if from < 0 || to > len(x.ids) {
		return
	}
	key := uint64(0)
	for _, id := range x.ids[from:to] {
		if id == unknown {
			return
		}
		key = key<<keyBits | uint64(id+1)
	}
	put(key)
}

// keyWords returns the numbers of the words of a key.
func keyWords(key uint64) []int32 {
	var ids []int32
	for ; key > 0; key >>= keyBits {
		ids = append([]int32{int32(key&(1<<keyBits-1)) - 1}, ids...)
	}
	return ids
}
