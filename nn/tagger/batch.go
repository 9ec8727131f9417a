package tagger

import (
	"unsafe"

	"github.com/lethe-deid/lethe/nn"
)

// batch contains the axes and indices of the network: the tokens of the sentences and, if there is
// a character part, the characters of their distinct tokens. Each distinct token is encoded only
// once, because its vector depends only on its characters.
type batch struct {
	tokens    *nn.Axis
	ids, gold *nn.Index // over tokens: rows of the token embedding, and labels

	features []*nn.Bags // over tokens: the values of each family

	words        *nn.Axis  // nil in training; the distinct tokens, one row each
	wordIDs      *nn.Index // over words: rows of the token embedding
	characters   *nn.Axis  // nil without a character part; of the distinct tokens or, in prediction, those whose vector is not cached
	characterIDs *nn.Index // over characters: rows of the character embedding
	word         *nn.Index // over tokens: its distinct token or, in training, the row of its vector
	cache        *spellings

	index    map[word]int32
	distinct []word
	fresh    []int32 // indices of those to encode
	cached   []int32 // of each distinct token: where the cache has its vector, or -1
}

// word is a token that is encoded once. Two tokens of the same characters count as one only if they share the
// memory of these, as those of taggers/ann do, because comparing the characters of all tokens takes longer. In training
// the id is 0.
type word struct {
	first *int32 // the first of its characters
	n     int32  // number of characters
	id    int32
}

// Fill implements nn.Model.
func (b *batch) Fill(sentences []Sentence, seeds []uint64) {
	b.tokens.Pack(len(sentences), func(i int) int { return len(sentences[i].Tokens) })
	b.tokens.Seeds = seeds
	b.ids.Fill(func(i int) []int32 { return sentences[i].Tokens })
	if seeds != nil || len(sentences) > 0 && sentences[0].Labels != nil {
		b.gold.Fill(func(i int) []int32 { return sentences[i].Labels })
	}
	for family, bags := range b.features {
		bags.Fill(func(i int) [][]int32 { return sentences[i].Features[family] })
	}
	if b.words != nil || b.characters != nil {
		b.fillWords(sentences)
	}
}

func (b *batch) fillWords(sentences []Sentence) {
	if b.cache != nil {
		b.cache.refresh()
	}
	numbers := b.number(sentences)
	if b.characters != nil {
		b.characters.Pack(len(b.fresh), func(i int) int { return len(b.distinct[b.fresh[i]].characters()) })
		b.characterIDs.Fill(func(i int) []int32 { return b.distinct[b.fresh[i]].characters() })
	}
	if b.words != nil {
		b.words.Pack(len(b.distinct), func(int) int { return 1 })
		b.wordIDs.Fill(func(i int) []int32 { return []int32{b.distinct[i].id} })
	} else { // all are fresh: their vectors are in the order in which they are packed
		for _, list := range numbers {
			for t, w := range list {
				list[t] = int32(b.characters.Place(int(w)))
			}
		}
	}
	b.word.Fill(func(i int) []int32 { return numbers[i] })
}

// number finds the distinct tokens and the fresh ones among them, and returns the index of each
// token of each sentence.
func (b *batch) number(sentences []Sentence) (numbers [][]int32) {
	if b.index == nil {
		b.index = map[word]int32{}
	}
	clear(b.index)
	b.distinct, b.fresh, b.cached = b.distinct[:0], b.fresh[:0], b.cached[:0]
	numbers = make([][]int32, len(sentences))
	all := make([]int32, b.tokens.Rows())
	for _, i := range b.tokens.Order() {
		s := &sentences[i]
		n := len(s.Tokens)
		numbers[i], all = all[:n:n], all[n:]
		for t := range n {
			var key word
			if b.characters != nil {
				key.first, key.n = unsafe.SliceData(s.Characters[t]), int32(len(s.Characters[t]))
			}
			if b.words != nil {
				key.id = s.Tokens[t]
			}
			w, ok := b.index[key]
			if !ok {
				w = int32(len(b.distinct))
				b.index[key] = w
				b.distinct = append(b.distinct, key)
				at := b.cache.find(key.characters())
				if at < 0 {
					b.fresh = append(b.fresh, w)
				}
				b.cached = append(b.cached, at)
			}
			numbers[i][t] = w
		}
	}
	return numbers
}

// characters returns the characters of the token.
func (w word) characters() []int32 { return unsafe.Slice(w.first, w.n) }
