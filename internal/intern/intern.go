// Package intern numbers distinct strings. For hundreds of thousands of words, it
// requires half of the memory and time of a map[string]uint32 with a
// slice of its keys: for 400,000 words of eight bytes, 13 MB instead of 24 MB.
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
	text  strings.Builder // all strings, concatenated; String returns a view, which stays valid while it grows
	ends  []uint32        // string i is text[ends[i-1]:ends[i]]
	slots []slot          // hash table with open addressing
	seed  maphash.Seed
}

// slot is the place of a string in the hash table. Most strings that differ have other hashes, so that they need not be
// compared.
type slot struct {
	hash uint32
	id   uint32 // the string's number, or 0 if the slot is free
}

// New returns an empty table.
func New() *Table {
	return &Table{ends: make([]uint32, 1), slots: make([]slot, 1<<6), seed: maphash.MakeSeed()}
}

// Len returns the number of strings.
func (t *Table) Len() int { return len(t.ends) - 1 }

// String returns the string with a number from 1 to Len.
func (t *Table) String(id uint32) string { return t.text.String()[t.ends[id-1]:t.ends[id]] }

// Find returns the number of a string, or 0 if the table does not contain it.
func (t *Table) Find(s string) uint32 { return t.slots[t.slot(s, t.hash(s))].id }

// Add returns the number of a string. If the table does not contain the string,
// Add inserts it with the number Len. It returns an error if the table would
// exceed 4 GiB.
func (t *Table) Add(s string) (uint32, error) {
	hash := t.hash(s)
	at := t.slot(s, hash)
	if id := t.slots[at].id; id != 0 {
		return id, nil
	}
	if t.text.Len()+len(s) > math.MaxUint32 {
		return 0, errors.New("more than 4 GiB of words")
	}
	t.text.WriteString(s)
	t.ends = append(t.ends, uint32(t.text.Len()))
	id := uint32(t.Len())
	t.slots[at] = slot{hash, id}
	if 4*t.Len() > 3*len(t.slots) {
		t.grow()
	}
	return id, nil
}

func (t *Table) hash(s string) uint32 { return uint32(maphash.String(t.seed, s)) }

// slot returns the position of a string's number or, if it is absent, the
// position where it belongs.
func (t *Table) slot(s string, hash uint32) uint32 {
	mask := uint32(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if x := t.slots[at]; x.id == 0 || x.hash == hash && t.String(x.id) == s {
			return at
		}
	}
}

// grow doubles the hash table.
func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, x := range old {
		if x.id == 0 {
			continue
		}
		at := x.hash & mask
		for t.slots[at].id != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = x
	}
}

// Trim releases memory that was reserved for more strings.
func (t *Table) Trim() {
	all := t.text.String()
	t.text = strings.Builder{}
	t.text.Grow(len(all))
	t.text.WriteString(all)
	t.ends = slices.Clip(slices.Clone(t.ends))
}
