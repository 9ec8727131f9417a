package tagger

import (
	"bytes"
	"slices"
	"strings"
	"unsafe"

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
	at      map[address]int32 // the same for those that were found, whose memory it keeps; it is searched faster
	vectors []float32
	out     []float32
	net     *nn.Params
	params  []*nn.Param // the parameters that the vectors were computed with,
	values  [][]float32 // and their values at that time
}

// maxSpellings bounds a cache at about 10 MB with the paper's dimensions.
const maxSpellings = 1 << 15

func newSpellings(b *batch, dim int, net *nn.Params) *spellings {
	return &spellings{batch: b, dim: dim, row: map[string]int32{}, at: map[address]int32{}, net: net}
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
		if !bytes.Equal(bytesOf(p.Data), bytesOf(c.values[i])) {
			c.clear()
			copy(c.values[i], p.Data)
		}
	}
	if max(len(c.row), len(c.at)) >= maxSpellings {
		c.clear()
	}
}

// bytesOf returns the memory of numbers, which is compared much faster than these.
func bytesOf(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

func (c *spellings) clear() {
	clear(c.row)
	clear(c.at)
	c.vectors = c.vectors[:0]
}

// find returns the row of the vector of a spelling at an address, or -1.
func (c *spellings) find(key string, at address) int32 {
	if r, ok := c.at[at]; ok {
		return r
	}
	r, ok := c.row[key]
	if !ok {
		return -1
	}
	c.at[at] = r
	return r
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
		key := b.distinct[w].spelling
		if _, ok := c.row[key]; !ok { // two fresh ones may have the same
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
