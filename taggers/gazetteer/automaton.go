package gazetteer

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/lethe-deid/lethe/internal/intern"
)

// full reports whether a hash table must grow, which is at three quarters.
func full(n int, table []uint32) bool { return 4*n > 3*len(table) }

// automaton is the automaton of Aho and Corasick (1975), Algorithms 2 and 3, over words instead of characters, for the entries of the lists read
// backwards. Nodes are numbered breadth first from 0, the root, so that a node's failure link leads to a node with a lower number.
type automaton struct {
	fold   Fold
	words  *intern.Table
	first  []uint32 // by word: the root's child for that word, 0 for none
	parent []uint32 // by node
	label  []uint32 // by node: the word on the edge from its parent
	table  []uint32 // open hash table of the nodes below these, by parent and word
	fail   []uint32 // by node: the node of its longest proper suffix (in reading order of the text, its longest proper prefix)
	out    []uint32 // by node: index in outputs
	// outputs has sets of entries that begin where a node is reached, with the longest of each list. Most nodes share theirs with others. The first
	// is empty.
	outputs [][]output
}

type output struct {
	list   uint16
	length uint16 // in words
}

func (a *automaton) slot(parent, word uint32) uint64 {
	mask := uint64(len(a.table) - 1)
	at := (uint64(parent)<<32 | uint64(word)) * 0x9e3779b97f4a7c15 >> (64 - bits.TrailingZeros(uint(len(a.table))))
	for ; ; at = (at + 1) & mask {
		if n := a.table[at]; n == 0 || a.parent[n] == parent && a.label[n] == word {
			return at
		}
	}
}

// child returns the child of a node for a word, or 0 if there is none.
func (a *automaton) child(node, word uint32) uint32 {
	if node == 0 {
		return a.first[word]
	}
	return a.table[a.slot(node, word)]
}

// step is the automaton's transition.
func (a *automaton) step(node, word uint32) uint32 {
	if word == 0 {
		return 0
	}
	for {
		if next := a.child(node, word); next != 0 || node == 0 {
			return next
		}
		node = a.fail[node]
	}
}

// longest returns the length of the list's longest entry that begins at the node and fits; 0 if there is none.
func (a *automaton) longest(node uint32, list uint16, fits func(length int) bool) int {
	for ; node != 0; node = a.fail[node] {
		length := 0
		for _, o := range a.outputs[a.out[node]] {
			if o.list == list {
				length = int(o.length)
			}
		}
		if length == 0 || fits(length) {
			return length
		}
	}
	return 0
}

// entries is the input of an automaton: the words of each entry, and its list.
type entries struct {
	words []uint32
	ends  []int // entry i has the words from ends[i-1] (0 for the first) to ends[i]
	lists []uint16
}

func (e *entries) entry(i int) []uint32 {
	if i == 0 {
		return e.words[:e.ends[0]]
	}
	return e.words[e.ends[i-1]:e.ends[i]]
}

// build makes the automaton of entries. It leaves out entries that are also in a list that filters names for their list, and all entries of the lists
// from visible on.
func (a *automaton) build(e *entries, filters [][]uint16, visible int) error {
	a.first = make([]uint32, a.words.Len()+1)
	a.parent, a.label = make([]uint32, 1), make([]uint32, 1)
	a.table = make([]uint32, 1<<10)
	ending := newSets() // sets of the lists with an entry that ends at a node
	ends := make([]uint32, 1)
	levels := []int{1} // the first node of each depth

	// Nodes are added depth by depth, so that they are numbered breadth first.
	active := make([]uint32, len(e.lists))
	at := make([]uint32, len(e.lists)) // by entry: the node it has reached
	for i := range active {
		active[i] = uint32(i)
	}
	for depth := 0; len(active) > 0; depth++ {
		on := active[:0]
		for _, i := range active {
			entry := e.entry(int(i))
			word := entry[len(entry)-1-depth]
			node := a.child(at[i], word)
			if node == 0 {
				if len(a.parent) == math.MaxInt32 {
					return fmt.Errorf("the lists are too large")
				}
				node = uint32(len(a.parent))
				a.parent, a.label, ends = append(a.parent, at[i]), append(a.label, word), append(ends, 0)
				a.place(node)
			}
			at[i] = node
			if len(entry) == depth+1 {
				ends[node] = ending.with(ends[node], e.lists[i])
			} else {
				on = append(on, i)
			}
		}
		active = on
		levels = append(levels, len(a.parent))
	}
	a.link()
	a.emit(levels, ends, ending, filters, visible)
	return nil
}

// place adds a node to the hash table.
func (a *automaton) place(node uint32) {
	if a.parent[node] == 0 {
		a.first[a.label[node]] = node
		return
	}
	if full(len(a.parent), a.table) {
		a.table = make([]uint32, 2*len(a.table))
		for n := uint32(1); n < node; n++ {
			if a.parent[n] != 0 {
				a.table[a.slot(a.parent[n], a.label[n])] = n
			}
		}
	}
	a.table[a.slot(a.parent[node], a.label[node])] = node
}

// link sets the failure links (Algorithm 3).
func (a *automaton) link() {
	a.fail = make([]uint32, len(a.parent))
	for n := range a.parent {
		if a.parent[n] != 0 {
			a.fail[n] = a.step(a.fail[a.parent[n]], a.label[n])
		}
	}
}

// emit sets the outputs. For the lists whose entries end at a node, the output is the node's depth, for others the output of its failure link.
func (a *automaton) emit(levels []int, ends []uint32, ending *sets, filters [][]uint16, visible int) {
	type key struct{ fail, ends, depth uint32 }
	known := map[key]uint32{}
	a.outputs = make([][]output, 1)
	a.out = make([]uint32, len(a.parent))
	depth := 0
	for n := 1; n < len(a.parent); n++ {
		for n >= levels[depth] {
			depth++
		}
		inherited := a.out[a.fail[n]]
		if ends[n] == 0 {
			a.out[n] = inherited
			continue
		}
		k := key{inherited, ends[n], uint32(depth)}
		id, ok := known[k]
		if !ok {
			id = a.output(inherited, ending.lists[ends[n]], filters, visible, depth)
			known[k] = id
		}
		a.out[n] = id
	}
}

func (a *automaton) output(inherited uint32, lists []uint16, filters [][]uint16, visible, depth int) uint32 {
	var own []output
	has := map[uint16]bool{}
	for _, l := range lists {
		has[l] = true
	}
	for _, l := range lists {
		drop := int(l) >= visible
		if !drop {
			for _, f := range filters[l] {
				drop = drop || has[f]
			}
		}
		if !drop {
			own = append(own, output{l, uint16(depth)})
		}
	}
	if len(own) == 0 {
		return inherited
	}
	// Both are in the order of the lists.
	var all []output
	old := a.outputs[inherited]
	for len(own) > 0 || len(old) > 0 {
		switch {
		case len(old) == 0 || len(own) > 0 && own[0].list < old[0].list:
			all, own = append(all, own[0]), own[1:]
		case len(own) == 0 || old[0].list < own[0].list:
			all, old = append(all, old[0]), old[1:]
		default: // the node's own entry is longer
			all, own, old = append(all, own[0]), own[1:], old[1:]
		}
	}
	a.outputs = append(a.outputs, all)
	return uint32(len(a.outputs) - 1)
}

// sets numbers sets of lists, starting with 0 for the empty set.
type sets struct {
	lists [][]uint16 // ascending
	known map[string]uint32
	added map[uint64]uint32 // from a set and a list to the set with that list
}

func newSets() *sets {
	return &sets{lists: make([][]uint16, 1), known: map[string]uint32{"": 0}, added: map[uint64]uint32{}}
}

// with returns the set with one more list.
func (s *sets) with(set uint32, list uint16) uint32 {
	k := uint64(set)<<16 | uint64(list)
	if id, ok := s.added[k]; ok {
		return id
	}
	var lists []uint16
	key := make([]byte, 0, 16)
	place := func(l uint16) {
		lists = append(lists, l)
		key = append(key, byte(l), byte(l>>8))
	}
	todo := true
	for _, l := range s.lists[set] {
		if todo && list <= l {
			place(list)
			todo = false
		}
		if l != list {
			place(l)
		}
	}
	if todo {
		place(list)
	}
	id, ok := s.known[string(key)]
	if !ok {
		id = uint32(len(s.lists))
		s.lists = append(s.lists, lists)
		s.known[string(key)] = id
	}
	s.added[k] = id
	return id
}
