package tagger

import (
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/internal/intern"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// spellings is a layer for prediction that uses the vectors of recent tokens again. A vector depends
// only on the spelling, and most tokens of a note are not new. The input has the vectors of the
// fresh tokens, the output those of all distinct tokens of the batch.
type spellings struct {
	batch *batch
	cache *cache
	known *vectors          // those of the batch
	at    map[address]int32 // rows that were found, by memory, which it keeps; it is searched faster
	out   []float32
}

// cache has the vectors of recent tokens, which all predictors of a network share.
type cache struct {
	dim    int
	most   int // number of vectors, at most maxSpellings
	net    *nn.Params
	mu     sync.RWMutex
	latest *vectors
	params []*nn.Param // the parameters that the vectors were computed with,
	values [][]float32 // and their values at that time
}

// vectors are those of some spellings. They only grow; when there are too many or the parameters have changed, others
// take their place, while a predictor may keep these until its next batch.
type vectors struct {
	rows   *intern.Table                       // their numbers, from 1; guarded by the cache's mutex. A row that is in it never changes, and is read without it
	blocks [maxSpellings / blockRows][]float32 // which do not move, so that they are read while others are written
}

const (
	// maxSpellings bounds a cache at about 8 MB with the paper's dimensions.
	maxSpellings = 1 << 14
	blockRows    = 1 << 8
)

func newCache(dim int, net *nn.Params) *cache { return &cache{dim: dim, most: maxSpellings, net: net} }

// current returns the vectors for the next batch. They are new ones if the parameters have changed. Comparing some 10,000
// numbers per batch is cheaper than a rule that every change of a parameter must call a function.
func (c *cache) current() *vectors {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.params == nil {
		for _, p := range c.net.All() {
			if strings.HasPrefix(p.Name, "character_") {
				c.params, c.values = append(c.params, p), append(c.values, slices.Clone(p.Data))
			}
		}
	}
	fits := c.latest != nil && c.latest.rows.Len() < c.most
	for i, p := range c.params {
		if !kernel.SameBits(p.Data, c.values[i]) {
			copy(c.values[i], p.Data)
			fits = false
		}
	}
	if !fits {
		c.latest = &vectors{rows: intern.New()}
	}
	return c.latest
}

// find returns the row of the vector of a spelling, or -1.
func (c *cache) find(v *vectors, key string) int32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return int32(v.rows.Find(key)) - 1
}

// at returns the vector in a row that find returned.
func (c *cache) at(v *vectors, row int32) []float32 {
	return v.blocks[row/blockRows][int(row%blockRows)*c.dim:][:c.dim]
}

// add stores the vectors of spellings that are not among v, as many as there is room for.
func (c *cache) add(v *vectors, n int, spelling func(i int) (key string, vector []float32)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range n {
		if v.rows.Len() >= c.most {
			return
		}
		key, vector := spelling(i)
		row := int32(v.rows.Len())
		n, err := v.rows.Add(key)
		if err != nil {
			panic(err) // of more than 4 GiB, which so few spellings do not have
		}
		if n != uint32(row)+1 { // it was there
			continue
		}
		if row%blockRows == 0 {
			v.blocks[row/blockRows] = make([]float32, blockRows*c.dim)
		}
		copy(c.at(v, row), vector)
	}
}

func newSpellings(b *batch, cache *cache) *spellings {
	return &spellings{batch: b, cache: cache, at: map[address]int32{}}
}

// refresh chooses the vectors for the next batch.
func (c *spellings) refresh() {
	if known := c.cache.current(); known != c.known || len(c.at) >= maxSpellings {
		c.known = known
		clear(c.at)
	}
}

// find returns the row of the vector of a spelling at an address, or -1.
func (c *spellings) find(key string, at address) int32 {
	if r, ok := c.at[at]; ok {
		return r
	}
	r := c.cache.find(c.known, key)
	if r >= 0 {
		c.at[at] = r
	}
	return r
}

// Forward implements nn.Layer.
func (c *spellings) Forward(in []kernel.Matrix) kernel.Matrix {
	b, dim := c.batch, c.cache.dim
	c.out = slices.Grow(c.out[:0], len(b.distinct)*dim)[:len(b.distinct)*dim]
	out := kernel.NewMatrix(len(b.distinct), dim, c.out)
	for w, r := range b.cached {
		if r >= 0 {
			copy(out.Row(w), c.cache.at(c.known, r))
		}
	}
	for i, w := range b.fresh {
		copy(out.Row(int(w)), in[0].Row(b.characters.Place(i)))
	}
	c.cache.add(c.known, len(b.fresh), func(i int) (string, []float32) {
		w := int(b.fresh[i])
		return b.distinct[w].spelling, out.Row(w)
	})
	return out
}

// Backward is not called, because training has no cache.
func (c *spellings) Backward([]kernel.Matrix, kernel.Matrix, kernel.Matrix, []kernel.Matrix) {
	panic("spellings have no gradient")
}
