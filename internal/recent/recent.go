// Package recent remembers what was found out about words. Most words of a text are among the few thousand most
// frequent ones, and a table of these fits into the cache of a core, unlike most of the tables that they are looked up in.
package recent

import "hash/maphash"

// Words has a value for each of the words that were looked up last. Only one goroutine at a time may use it.
type Words[V any] struct {
	seed    maphash.Seed
	entries [1 << 14]entry[V]
}

type entry[V any] struct {
	length uint8
	text   [longest]byte
	value  V
}

// longest is the maximum length of a word that is remembered, in bytes.
const longest = 15

// New returns a table without words.
func New[V any]() *Words[V] { return &Words[V]{seed: maphash.MakeSeed()} }

// At returns the place of a word's value, and whether the value was set before. Otherwise the caller must set it before the
// next call: the place is that of another word. It is nil for a word that is too long or empty.
func (w *Words[V]) At(word string) (value *V, known bool) {
	if len(word) > longest || word == "" {
		return nil, false
	}
	e := &w.entries[maphash.String(w.seed, word)%uint64(len(w.entries))]
	if string(e.text[:e.length]) == word {
		return &e.value, true
	}
	e.length = uint8(copy(e.text[:], word))
	return &e.value, false
}
