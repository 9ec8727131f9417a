package nn

import (
	"cmp"
	"slices"
	"unsafe"
)

// packing lays sequences of different lengths out time-major without padding:
// sequences are sorted by falling length, so that at time t the first active[t]
// of them are alive, and their rows stand together from offset[t].
type packing struct {
	active, offset []int
	rows           int
}

// pack returns the layout, and the order: place s holds sequence order[s].
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

// row is the row of time t of the sequence in place s.
func (p *packing) row(s, t int) int { return p.offset[t] + s }

// batch is what a machine computes: sentences packed by length, and below them
// the distinct tokens' characters, packed likewise. The vector of a token's
// characters depends on nothing else, so each distinct one is computed once.
type batch struct {
	sentences []Sentence
	order     []int    // place -> sentence
	seeds     []uint64 // of each sentence, for dropout; nil: no dropout
	scale     float32  // weight of each sentence's loss

	tokens packing
	ids    []int32 // token id of each row

	chars   packing
	charIDs []int32 // character id of each row of chars
	last    []int32 // of each distinct token: row of its last character
	word    []int32 // of each token row: which distinct token, by place in chars
}

func (b *batch) set(sentences []Sentence, seeds []uint64, scale float32, withChars bool) {
	b.sentences, b.seeds, b.scale = sentences, seeds, scale
	b.order = b.tokens.pack(len(sentences), func(i int) int { return len(sentences[i].Tokens) })
	b.ids = slices.Grow(b.ids[:0], b.tokens.rows)[:b.tokens.rows]
	for s, i := range b.order {
		for t, id := range sentences[i].Tokens {
			b.ids[b.tokens.row(s, t)] = id
		}
	}
	if withChars {
		b.setChars()
	}
}

func (b *batch) setChars() {
	var words [][]int32
	index := make(map[string]int32, b.tokens.rows)
	b.word = slices.Grow(b.word[:0], b.tokens.rows)[:b.tokens.rows]
	for s, i := range b.order {
		for t, chars := range b.sentences[i].Characters {
			key := unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(chars))), 4*len(chars)) // only lives as long as words
			w, ok := index[key]
			if !ok {
				w = int32(len(words))
				index[key] = w
				words = append(words, chars)
			}
			b.word[b.tokens.row(s, t)] = w
		}
	}
	order := b.chars.pack(len(words), func(i int) int { return len(words[i]) })
	place := make([]int32, len(words))
	b.charIDs = slices.Grow(b.charIDs[:0], b.chars.rows)[:b.chars.rows]
	b.last = slices.Grow(b.last[:0], len(words))[:len(words)]
	for s, i := range order {
		place[i] = int32(s)
		for t, id := range words[i] {
			b.charIDs[b.chars.row(s, t)] = id
		}
		b.last[s] = int32(b.chars.row(s, len(words[i])-1))
	}
	for r, w := range b.word {
		b.word[r] = place[w]
	}
}
