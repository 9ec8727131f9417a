package subword

import (
	"cmp"
	"slices"
	"strings"
)

// lookup finds the strings of a set that a text begins with. The strings are sorted, so that those with a given beginning are a range,
// which gets smaller with each byte of the text. It needs much less memory than a trie, and is as fast for vocabularies.
type lookup struct {
	sorted []string
	ids    []int32
	first  [257]int32 // the strings that begin with byte c are sorted[first[c]:first[c+1]]
}

// newLookup makes a lookup of strings, none of which is empty, and their ids. It changes the slices. Of equal strings, the one with the
// smallest id is kept.
func newLookup(keys []string, ids []int32) *lookup {
	type entry struct {
		key string
		id  int32
	}
	entries := make([]entry, len(keys))
	for i, key := range keys {
		entries[i] = entry{key, ids[i]}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) })
	n := 0
	for i, e := range entries {
		if i == 0 || e.key != entries[i-1].key {
			keys[n], ids[n] = e.key, e.id
			n++
		}
	}
	l := &lookup{sorted: slices.Clip(keys[:n]), ids: slices.Clip(ids[:n])}
	for c, i := 0, 0; c <= 256; c++ {
		for i < n && int(keys[i][0]) < c {
			i++
		}
		l.first[c] = int32(i)
	}
	return l
}

// walk is a position in a lookup after some bytes of a text.
type walk struct {
	l         *lookup
	low, high int
	depth     int
}

func (l *lookup) start() walk { return walk{l: l, high: len(l.sorted)} }

// next takes a byte of the text. It returns the id of the string that ends with it, or none, and whether longer strings are possible.
func (w *walk) next(c byte) (id int32, more bool) {
	l := w.l
	if w.depth == 0 {
		w.low, w.high = int(l.first[c]), int(l.first[int(c)+1])
	} else {
		w.low = bound(l.sorted, w.low, w.high, w.depth, int(c))
		if w.low < w.high && l.sorted[w.low][w.depth] == c {
			w.high = bound(l.sorted, w.low, w.high, w.depth, int(c)+1)
		} else {
			w.high = w.low
		}
	}
	w.depth++
	id = none
	if w.low < w.high && len(l.sorted[w.low]) == w.depth {
		id = l.ids[w.low]
		w.low++
	}
	return id, w.low < w.high
}

// bound returns the first string of a range whose byte at depth is at least c.
func bound(sorted []string, low, high, depth, c int) int {
	for low < high {
		middle := int(uint(low+high) >> 1)
		if int(sorted[middle][depth]) < c {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// longest returns the longest string that a text begins with, by its id and length, or none and 0.
func (l *lookup) longest(s string) (id int32, n int) {
	id = none
	w := l.start()
	for i := 0; i < len(s); i++ {
		found, more := w.next(s[i])
		if found != none {
			id, n = found, i+1
		}
		if !more {
			break
		}
	}
	return id, n
}
