// Package intern numbers distinct strings. For hundreds of thousands of words, it
// requires less than half of the memory and time of a map[string]uint32 with a
// slice of its keys: for 400,000 words of eight bytes, 10 MB instead of 24 MB.
package intern

import (
	"errors"
	"hash/maphash"
	"math"
	"slices"
	"strings"
)

// Table numbers distinct strings from 1 in the order in which they are added. It
// is safe for concurrent reading.
type Table struct {
	text strings.Builder // all strings, concatenated; String returns a view, which stays valid while it grows
	ends []uint32        // string i is text[ends[i-1]:ends[i]]
	// The hash table, with open addressing: the slots' tags, which are parts of hashes or 0 if a slot is free, and the numbers of their strings. Strings
	// with other tags need not be compared, and looking at tags alone, which a processor's cache can hold, is most of the work.
	tags []uint8
	ids  []uint32
	seed maphash.Seed
}

// New returns an empty table.
func New() *Table { return NewFor(0, 0) }

// NewFor returns an empty table with room for this many strings with this many bytes. It can hold more than that.
func NewFor(strings, bytes int) *Table {
	size := 1 << 6
	for full(strings, size) {
		size *= 2
	}
	t := &Table{ends: make([]uint32, 1, strings+1), tags: make([]uint8, size), ids: make([]uint32, size), seed: maphash.MakeSeed()}
	t.text.Grow(bytes)
	return t
}

// full reports whether a hash table must grow, which is at three quarters.
func full(strings, slots int) bool { return 4*strings > 3*slots }

// Len returns the number of strings.
func (t *Table) Len() int { return len(t.ends) - 1 }

// String returns the string with a number from 1 to Len.
func (t *Table) String(id uint32) string { return t.text.String()[t.ends[id-1]:t.ends[id]] }

// Find returns the number of a string, or 0 if the table does not contain it.
func (t *Table) Find(s string) uint32 {
	if at := t.slot(s, t.hash(s)); t.tags[at] != 0 {
		return t.ids[at]
	}
	return 0
}

// Add returns the number of a string. If the table does not contain the string,
// Add inserts it with the number Len. It returns an error if the table would
// exceed 4 GiB.
func (t *Table) Add(s string) (uint32, error) {
	hash := t.hash(s)
	at := t.slot(s, hash)
	if t.tags[at] != 0 {
		return t.ids[at], nil
	}
	if t.text.Len()+len(s) > math.MaxUint32 {
		return 0, errors.New("more than 4 GiB of words")
	}
	t.text.WriteString(s)
	t.ends = append(t.ends, uint32(t.text.Len()))
	id := uint32(t.Len())
	t.tags[at], t.ids[at] = tag(hash), id
	if full(t.Len(), len(t.tags)) {
		t.grow()
	}
	return id, nil
}

func (t *Table) hash(s string) uint64 { return maphash.String(t.seed, s) }

// tag returns the part of a hash that does not determine its slot.
func tag(hash uint64) uint8 { return uint8(hash>>57) | 1<<7 }

// slot returns the position of a string's number or, if it is absent, the
// position where it belongs.
func (t *Table) slot(s string, hash uint64) uint64 {
	mask := uint64(len(t.tags) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if x := t.tags[at]; x == 0 || x == tag(hash) && t.String(t.ids[at]) == s {
			return at
		}
	}
}

// grow doubles the hash table.
func (t *Table) grow() {
	size := 2 * len(t.tags)
	t.tags, t.ids = make([]uint8, size), make([]uint32, size)
	mask := uint64(size - 1)
	for id := range uint32(t.Len()) {
		hash := t.hash(t.String(id + 1))
		at := hash & mask
		for t.tags[at] != 0 {
			at = (at + 1) & mask
		}
		t.tags[at], t.ids[at] = tag(hash), id+1
	}
}

// Trim releases memory that was reserved for more strings, unless it is little.
func (t *Table) Trim() {
	if all := t.text.String(); t.text.Cap()-len(all) > len(all)/16 {
		t.text = strings.Builder{}
		t.text.Grow(len(all))
		t.text.WriteString(all)
	}
	if cap(t.ends)-len(t.ends) > len(t.ends)/16 {
		t.ends = slices.Clip(slices.Clone(t.ends))
	}
}
