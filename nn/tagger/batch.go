package tagger

import (
	"fmt"
	"math/bits"
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

	seen     occurrences
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

// occurrences maps the tokens of a batch to their words, several times as fast as a map. It is a hash table with open
// addressing, at most half full. It keeps the characters of tokens of earlier batches until others take their slots.
type occurrences struct {
	slots []occurrence
	round uint32 // slots of other rounds are free
}

type occurrence struct {
	token token
	word  int32
	round uint32
}

// start empties the table and makes room for this many tokens.
func (o *occurrences) start(tokens int) {
	if size := 2 << bits.Len(uint(tokens)); size > len(o.slots) {
		o.slots, o.round = make([]occurrence, size), 0
	}
	o.round++
	if o.round == 0 { // after 2^32 batches
		clear(o.slots)
		o.round = 1
	}
}

// find returns the slot of a token, and whether the token is in it; otherwise the slot is free.
func (o *occurrences) find(t token) (at *occurrence, ok bool) {
	hash := (uint64(uintptr(unsafe.Pointer(t.first))) ^ uint64(uint32(t.id))<<24) * 0x9e3779b97f4a7c15
	mask := uint64(len(o.slots) - 1)
	for i := hash >> 32 & mask; ; i = (i + 1) & mask {
		switch at = &o.slots[i]; {
		case at.round != o.round:
			return at, false
		case at.token == t:
			return at, true
		}
	}
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
		b.index = map[word]int32{}
	}
	b.seen.start(b.tokens.Rows())
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
			slot, ok := b.seen.find(at)
			if !ok {
				*slot = occurrence{at, b.add(word{spelling(characters), at.id}, at.address), b.seen.round}
			}
			numbers[i][t] = slot.word
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
