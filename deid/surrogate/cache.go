package surrogate

import (
	"strings"
	"sync"
)

// A cache keeps what was found out about recent texts, because each is asked about several times, and notes have many texts in common. The
// values must not be changed. A full cache is cleared.
type cache[V any] struct {
	mu sync.Mutex
	of map[string]V
}

// maxCached bounds a cache of dates at about a megabyte.
const maxCached = 1 << 11

// get returns the value of a text, which find finds if it is not in the cache. find receives a copy, because the text may share the memory of a whole note.
func (c *cache[V]) get(text string, find func(text string) V) V {
	c.mu.Lock()
	v, ok := c.of[text]
	c.mu.Unlock()
	if ok {
		return v
	}
	text = strings.Clone(text)
	v = find(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.of) >= maxCached || c.of == nil {
		c.of = map[string]V{}
	}
	c.of[text] = v
	return v
}
