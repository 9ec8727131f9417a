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

	words        *nn.Axis  // the distinct tokens of a batch for prediction, one row each
	characters   *nn.Axis  // of the distinct tokens or, in prediction, those whose vector is not cached
	characterIDs *nn.Index // over characters: rows of the character embedding
	word         *nn.Index // over tokens: the row of its vector
	cache        *spellings

	distinct [][]int32 // the characters of the distinct tokens
	fresh    []int32   // indices of those to encode
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
	if b.characters != nil {
		b.fillCharacters(sentences)
	}
}

func (b *batch) fillCharacters(sentences []Sentence) {
	if b.cache != nil {
		b.cache.refresh()
	}
	numbers := b.number(sentences)
	b.characters.Pack(len(b.fresh), func(i int) int { return len(b.distinct[b.fresh[i]]) })
	b.characterIDs.Fill(func(i int) []int32 { return b.distinct[b.fresh[i]] })
	if b.cache != nil {
		b.words.Pack(len(b.distinct), func(int) int { return 1 })
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
	index := make(map[string]int32, b.tokens.Rows())
	b.distinct, b.fresh = b.distinct[:0], b.fresh[:0]
	numbers = make([][]int32, len(sentences))
	all := make([]int32, b.tokens.Rows())
	for _, i := range b.tokens.Order() {
		n := len(sentences[i].Characters)
		numbers[i], all = all[:n:n], all[n:]
		for t, characters := range sentences[i].Characters {
			key := spelling(characters)
			w, ok := index[key]
			if !ok {
				w = int32(len(b.distinct))
				index[key] = w
				b.distinct = append(b.distinct, characters)
				if b.cache == nil || !b.cache.known(key) {
					b.fresh = append(b.fresh, w)
				}
			}
			numbers[i][t] = w
		}
	}
	return numbers
}

// spelling returns a token's characters as a map key that shares their memory. Clone it if it must
// outlive the batch.
func spelling(characters []int32) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(characters))), 4*len(characters))
}
