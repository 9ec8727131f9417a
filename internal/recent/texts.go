package recent

import (
	"hash/maphash"
	"sync"
)

// Texts remembers what was found out about the texts that it was asked about last, because each part of the program asks about the same text.
// The texts themselves are not kept. Several goroutines may use it at once.
type Texts[V any] struct {
	most  int
	size  func(V) int
	mu    sync.Mutex
	of    map[digest]V
	order []digest // as they were added
	used  int
}

// digest stands for a text. With 128 bits that nobody can foresee, no two texts have the same one.
type digest [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// NewTexts returns a Texts without texts. The sizes of the values that it keeps add up to at most most. The size of a value must be positive, and
// is 1 if size is nil.
func NewTexts[V any](most int, size func(V) int) *Texts[V] {
	if size == nil {
		size = func(V) int { return 1 }
	}
	return &Texts[V]{most: most, size: size, of: map[digest]V{}}
}

// Get returns the value of a text, which find returns if it is not known. The value must not be changed, and should not share the memory of
// a text that is longer.
func (t *Texts[V]) Get(text string, find func() V) V {
	key := digest{maphash.String(seeds[0], text), maphash.String(seeds[1], text)}
	t.mu.Lock()
	v, ok := t.of[key]
	t.mu.Unlock()
	if ok {
		return v
	}
	v = find()
	t.mu.Lock()
	defer t.mu.Unlock()
	size := t.size(v)
	if _, ok := t.of[key]; ok || size > t.most { // another goroutine was faster, or it does not fit
		return v
	}
	t.of[key] = v
	t.order = append(t.order, key)
	for t.used += size; t.used > t.most; t.order = t.order[1:] {
		t.used -= t.size(t.of[t.order[0]])
		delete(t.of, t.order[0])
	}
	return v
}
