package nn

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// spellings keeps the vectors that the character LSTM made of the tokens seen
// lately, since a vector depends on nothing but the spelling: most tokens of a
// note are not new. When it is full it starts again from nothing.
type spellings struct {
	dim     int
	row     map[string]int
	vectors []float32
	params  []*Param    // what the vectors were computed with,
	values  [][]float32 // and its values then
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

// refresh forgets everything if the parameters are not what they were: to
// compare some 10,000 numbers a batch is cheaper than a rule that whoever
// changes a parameter must remember.
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

// fill copies the vectors it has of words.
func (c *spellings) fill(vectors kernel.Matrix, words [][]int32) {
	for w, chars := range words {
		if r, ok := c.row[spelling(chars)]; ok {
			copy(vectors.Row(w), c.vectors[r*c.dim:])
		}
	}
}

// add keeps the vectors of the fresh words.
func (c *spellings) add(vectors kernel.Matrix, words [][]int32, fresh []int32) {
	for _, w := range fresh {
		c.row[strings.Clone(spelling(words[w]))] = len(c.row)
		c.vectors = append(c.vectors, vectors.Row(int(w))...)
	}
}
