package nn

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// spellings caches the vectors that the character LSTM computed for recent tokens. A vector depends
// only on the spelling, and most tokens of a note are not new. A full cache is cleared.
type spellings struct {
	dim     int
	row     map[string]int
	vectors []float32
	params  []*Param    // the parameters that the vectors were computed with,
	values  [][]float32 // and their values at that time
}

// maxSpellings bounds a cache at about 10 MB with the paper's dimensions.
const maxSpellings = 1 << 15

func newSpellings(net *Network) *spellings {
	c := &spellings{dim: 2 * net.Config.CharacterLSTM, row: map[string]int{}}
	c.params = append([]*Param{net.charEmbedding}, append(net.chars.forward.list(), net.chars.backward.list()...)...)
	for _, p := range c.params {
		c.values = append(c.values, slices.Clone(p.Data))
	}
	return c
}

// refresh clears the cache if the parameters have changed. Comparing some 10,000 numbers per batch
// is cheaper than a rule that every change of a parameter must call a function.
func (c *spellings) refresh() {
	for i, p := range c.params {
		if !slices.Equal(p.Data, c.values[i]) {
			c.clear()
			copy(c.values[i], p.Data)
		}
	}
	if len(c.row) >= maxSpellings {
		c.clear()
	}
}

func (c *spellings) clear() {
	clear(c.row)
	c.vectors = c.vectors[:0]
}

func (c *spellings) known(key string) bool { _, ok := c.row[key]; return ok }

// fill copies the cached vectors of words.
func (c *spellings) fill(vectors kernel.Matrix, words [][]int32) {
	for w, chars := range words {
		if r, ok := c.row[spelling(chars)]; ok {
			copy(vectors.Row(w), c.vectors[r*c.dim:])
		}
	}
}

// add caches the vectors of the fresh words.
func (c *spellings) add(vectors kernel.Matrix, words [][]int32, fresh []int32) {
	for _, w := range fresh {
		c.row[strings.Clone(spelling(words[w]))] = len(c.row)
		c.vectors = append(c.vectors, vectors.Row(int(w))...)
	}
}
