package ann

import (
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/intern"
	"github.com/lethe-deid/lethe/nn/tagger"
)

// encoder turns tokens into ids. It remembers the ids of recent tokens, because most tokens
// of a note are not new. Only one goroutine at a time may use it.
type encoder struct {
	vocabulary *vocabulary
	known      *intern.Table
	places     []place // of the known tokens
	blocks     [][]int32
	memory     *memory // of the sentences that it encodes; nil allocates it for each
}

// place is the id of a known token, and where its characters are. It has no pointers, through which the garbage collector would go.
type place struct {
	token           int32
	block, from, to uint32
}

// blockSize is the number of characters for which an encoder allocates memory at a time.
const blockSize = 1 << 14

// ids are the ids of a token and of its characters. They do not change.
type ids struct {
	token      int32
	characters []int32
}

// maxKnown bounds the memory of an encoder at a few megabytes. A full one is cleared.
const maxKnown = 1 << 15

func newEncoder(v *vocabulary) *encoder { return &encoder{vocabulary: v, known: intern.New()} }

// encode returns the ids of tokens of a document. With memory, they are valid until it is cleared.
func (e *encoder) encode(doc *data.Document, tokens []data.Token) tagger.Sentence {
	s := tagger.Sentence{Tokens: e.memory.numbers(len(tokens)), Characters: e.memory.lists(len(tokens))}
	for i, token := range tokens {
		x := e.ids(doc.Text[token.Start:token.End])
		s.Tokens[i], s.Characters[i] = x.token, x.characters
	}
	return s
}

func (e *encoder) ids(form string) ids {
	if n := e.known.Find(form); n > 0 {
		at := e.places[n-1]
		return ids{at.token, e.blocks[at.block][at.from:at.to:at.to]}
	}
	token := e.vocabulary.token(form)
	if len(form) > maxCharacters { // these are rare and take more memory
		return ids{token, e.vocabulary.spelling(nil, form)}
	}
	if e.known.Len() >= maxKnown {
		e.known, e.places, e.blocks = intern.New(), e.places[:0], nil // sentences may still have the old blocks
	}
	last := len(e.blocks) - 1
	if last < 0 || cap(e.blocks[last])-len(e.blocks[last]) < maxCharacters {
		e.blocks = append(e.blocks, make([]int32, 0, blockSize))
		last++
	}
	from := len(e.blocks[last])
	block := e.vocabulary.spelling(e.blocks[last], form)
	e.blocks[last] = block
	if _, err := e.known.Add(form); err != nil {
		panic(err) // of more than 4 GiB, which so few tokens do not have
	}
	e.places = append(e.places, place{token, uint32(last), uint32(from), uint32(len(block))})
	return ids{token, block[from:len(block):len(block)]}
}

// memory lends slices until it is cleared, so that tagging many notes allocates little. A nil pointer allocates each slice.
type memory struct {
	free     []int32
	freeList [][]int32
	all      []int32
	allLists [][]int32
}

// clear takes back all slices.
func (m *memory) clear() { m.free, m.freeList = m.all, m.allLists }

// numbers returns n zeros.
func (m *memory) numbers(n int) []int32 {
	if m == nil {
		return make([]int32, n)
	}
	return lend(&m.free, &m.all, n)
}

// lists returns n empty slices.
func (m *memory) lists(n int) [][]int32 {
	if m == nil {
		return make([][]int32, n)
	}
	return lend(&m.freeList, &m.allLists, n)
}

// lend returns n zero values of what is free. If too few are free, it allocates a new block of at least twice the size; slices that were
// lent before stay valid.
func lend[T any](free, all *[]T, n int) []T {
	if n > len(*free) {
		*all = make([]T, max(n, 2*len(*all)))
		*free = *all
	}
	part := (*free)[:n:n]
	*free = (*free)[n:]
	clear(part)
	return part
}
