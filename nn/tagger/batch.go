package tagger

import (
	"fmt"
	"unsafe"

	"github.com/lethe-deid/lethe/nn"
)

// batch contains the axes and indices of the network: the tokens of the sentences and the distinct ones among
// them, and, if there is a character part, the characters of these. Each distinct token is encoded only once,
// because its vectors depend on nothing else.
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

	seen     map[token]int32
	index    map[word]int32 // of distinct tokens; not in prediction, where it costs more than the few tokens that it finds
	distinct []word
	wordID   []int32 // of each distinct token
	fresh    []int32 // indices of those to encode
	cached   []int32 // of each distinct token: where the cache has its vector, or -1
}

// word is a distinct token. In training the id is 0, because only the characters matter.
type word struct {
	spelling string // see spelling
	id       int32
}

// address is where the characters of a token are. Many tokens share them, and are known to be
// spelled the same without comparing these.
type address struct {
	first *int32
	n     int32
}

// token is an occurrence of a word, which is the same for most of them.
type token struct {
	address
	id int32
}

// Fill implements nn.Model.
func (b *batch) Fill(sentences []Sentence, seeds []uint64) {
	b.tokens.Pack(len(sentences), func(i int) int { return len(sentences[i].Tokens) })
	b.tokens.Seeds = seeds
	if b.words == nil {
		b.ids.Fill(func(i int) []int32 { return sentences[i].Tokens })
	}
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
		b.wordIDs.Fill(func(i int) []int32 { return b.wordID[i : i+1] })
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
		b.seen, b.index = map[token]int32{}, map[word]int32{}
	}
	clear(b.seen)
	clear(b.index)
	b.distinct, b.wordID, b.fresh, b.cached = b.distinct[:0], b.wordID[:0], b.fresh[:0], b.cached[:0]
	numbers = make([][]int32, len(sentences))
	all := make([]int32, b.tokens.Rows())
	for _, i := range b.tokens.Order() {
		s := &sentences[i]
		n := len(s.Tokens)
		if b.characters != nil && len(s.Characters) != n {
			panic(fmt.Errorf("the characters of %d tokens for the %d tokens of sentence %d", len(s.Characters), n, i))
		}
		numbers[i], all = all[:n:n], all[n:]
		for t := range n {
			var characters []int32
			var at token
			if b.characters != nil {
				characters = s.Characters[t]
				at.first, at.n = unsafe.SliceData(characters), int32(len(characters))
			}
			if b.words != nil {
				at.id = s.Tokens[t]
			}
			w, ok := b.seen[at]
			if !ok {
				w = b.add(word{spelling(characters), at.id}, at.address)
				b.seen[at] = w
			}
			numbers[i][t] = w
		}
	}
	return numbers
}

// add returns the index of a distinct token, which is new if the batch does not have it. The characters are at an address.
func (b *batch) add(x word, at address) int32 {
	w := int32(len(b.distinct))
	row := int32(-1)
	if b.cache != nil {
		row = b.cache.find(x.spelling, at)
	} else {
		if w, ok := b.index[x]; ok {
			return w
		}
		b.index[x] = w
	}
	if row < 0 {
		b.fresh = append(b.fresh, w)
	}
	b.distinct, b.wordID, b.cached = append(b.distinct, x), append(b.wordID, x.id), append(b.cached, row)
	return w
}

// spelling returns a token's characters as a map key that shares their memory. Clone it if it must
// outlive the batch.
func spelling(characters []int32) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(characters))), 4*len(characters))
}

// characters returns the characters of a distinct token.
func (w word) characters() []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.StringData(w.spelling))), len(w.spelling)/4)
}
