package nn

import (
	"cmp"
	"slices"
	"unsafe"
)

// packing stores sequences of different lengths time-major without padding. The sequences are
// sorted by falling length, so that at time t the first active[t] of them have a token. Their rows
// start at offset[t].
type packing struct {
	active, offset []int
	rows           int
}

// pack computes the layout and returns the order: place s contains sequence order[s].
func (p *packing) pack(n int, length func(i int) int) (order []int) {
	order = make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length(b), length(a)) })
	p.active, p.offset, p.rows = p.active[:0], p.offset[:0], 0
	for t := 0; n > 0; t++ {
		for n > 0 && length(order[n-1]) <= t {
			n--
		}
		if n > 0 {
			p.active, p.offset = append(p.active, n), append(p.offset, p.rows)
			p.rows += n
		}
	}
	return order
}

// row returns the row of time t of the sequence in place s.
func (p *packing) row(s, t int) int { return p.offset[t] + s }

// batch is the input of a machine: sentences packed by length and, packed likewise, the characters
// of their distinct tokens. Each distinct token is computed only once, because its vector depends
// only on its characters.
type batch struct {
	sentences []Sentence
	order     []int    // place -> sentence
	seeds     []uint64 // of each sentence, for dropout; nil: no dropout
	scale     float32  // weight of each sentence's loss

	tokens packing
	ids    []int32 // token id of each row

	words   [][]int32 // the distinct tokens' characters
	word    []int32   // index into words of each token row
	fresh   []int32   // indices of the words to compute, in the order of chars
	chars   packing   // packing of the fresh words
	charIDs []int32   // character id of each row of chars
}

// set fills the batch with sentences. known, unless nil, reports whether the vector of a spelling
// is already known and need not be computed.
func (b *batch) set(sentences []Sentence, seeds []uint64, scale float32, withChars bool, known func(spelling string) bool) {
	b.sentences, b.seeds, b.scale = sentences, seeds, scale
	b.order = b.tokens.pack(len(sentences), func(i int) int { return len(sentences[i].Tokens) })
	b.ids = slices.Grow(b.ids[:0], b.tokens.rows)[:b.tokens.rows]
	for s, i := range b.order {
		for t, id := range sentences[i].Tokens {
			b.ids[b.tokens.row(s, t)] = id
		}
	}
	if withChars {
		b.setChars(known)
	}
}

func (b *batch) setChars(known func(string) bool) {
	index := make(map[string]int32, b.tokens.rows)
	b.word = slices.Grow(b.word[:0], b.tokens.rows)[:b.tokens.rows]
	b.words, b.fresh = b.words[:0], b.fresh[:0]
	for s, i := range b.order {
		for t, chars := range b.sentences[i].Characters {
			key := spelling(chars)
			w, ok := index[key]
			if !ok {
				w = int32(len(b.words))
				index[key] = w
				b.words = append(b.words, chars)
				if known == nil || !known(key) {
					b.fresh = append(b.fresh, w)
				}
			}
			b.word[b.tokens.row(s, t)] = w
		}
	}
	order := b.chars.pack(len(b.fresh), func(i int) int { return len(b.words[b.fresh[i]]) })
	for i, at := range order {
		order[i] = int(b.fresh[at])
	}
	b.charIDs = slices.Grow(b.charIDs[:0], b.chars.rows)[:b.chars.rows]
	for s, w := range order {
		b.fresh[s] = int32(w)
		for t, id := range b.words[w] {
			b.charIDs[b.chars.row(s, t)] = id
		}
	}
}

// last returns the row of the last character of the fresh token in place s.
func (b *batch) last(s int) int { return b.chars.row(s, len(b.words[b.fresh[s]])-1) }

// spelling returns a token's characters as a map key that shares their memory. Clone it if it must
// outlive the batch.
func spelling(chars []int32) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(chars))), 4*len(chars))
}
