package tagger

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// spellings is a layer for prediction that caches the vectors of recent tokens. A vector depends
// only on the spelling, and most tokens of a note are not new. The input has the vectors of the
// fresh tokens, the output those of all distinct tokens of the batch. A full cache is cleared.
type spellings struct {
	batch   *batch
	dim     int
	row     map[string]int32
	vectors []float32
	out     []float32
	net     *nn.Params
	params  []*nn.Param // the parameters that the vectors were computed with,
	values  [][]float32 // and their values at that time
}

// maxSpellings bounds a cache at about 10 MB with the paper's dimensions.
const maxSpellings = 1 << 15

func newSpellings(b *batch, dim int, net *nn.Params) *spellings {
	return &spellings{batch: b, dim: dim, row: map[string]int32{}, net: net}
}

// refresh clears the cache if the parameters have changed. Comparing some 10,000 numbers per batch
// is cheaper than a rule that every change of a parameter must call a function.
func (c *spellings) refresh() {
	if c.params == nil {
		for _, p := range c.net.All() {
			if strings.HasPrefix(p.Name, "character_") {
				c.params, c.values = append(c.params, p), append(c.values, slices.Clone(p.Data))
			}
		}
	}
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

// find returns the row of the vector of a spelling, or -1. A nil cache has none.
func (c *spellings) find(key string) int32 {
	if c == nil {
		return -1
	}
	if r, ok := c.row[key]; ok {
		return r
	}
	return -1
}

// Forward implements nn.Layer.
func (c *spellings) Forward(in []kernel.Matrix) kernel.Matrix {
	b := c.batch
	c.out = slices.Grow(c.out[:0], len(b.distinct)*c.dim)[:len(b.distinct)*c.dim]
	out := kernel.NewMatrix(len(b.distinct), c.dim, c.out)
	for w, r := range b.cached {
		if r >= 0 {
			copy(out.Row(w), c.vectors[int(r)*c.dim:])
		}
	}
	for i, w := range b.fresh {
		v := in[0].Row(b.characters.Place(i))
		copy(out.Row(int(w)), v)
		if key := b.distinct[w].spelling; c.find(key) < 0 { // two fresh ones may differ in their ids alone
			c.row[strings.Clone(key)] = int32(len(c.row))
			c.vectors = append(c.vectors, v...)
		}
	}
	return out
}

// Backward is not called, because training has no cache.
func (c *spellings) Backward([]kernel.Matrix, kernel.Matrix, kernel.Matrix, []kernel.Matrix) {
	panic("spellings have no gradient")
}
