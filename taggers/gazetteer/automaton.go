package gazetteer

import (
	"errors"
	"math"
	"math/bits"

	"github.com/lethe-deid/lethe/internal/intern"
)

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
	outputs      [][]output
	longestEntry int // number of words of the longest entry
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

// builder makes an automaton of entries.
type builder struct {
	*automaton
	ending *sets    // sets of the lists with an entry that ends at a node
	ends   []uint32 // by node: the number of its set
	// Entries of several words, which lack their last word:
	rest   []uint32 // the other words of these entries, one entry after the other
	begins []uint32 // by entry: where its words begin, then where the last one ends
	lists  []uint16 // by entry
	at     []uint32 // by entry: the node that it has reached
}

// newBuilder begins an automaton of entries with about this many bytes.
func newBuilder(fold Fold, bytes int) *builder {
	words := bytes / wordSize
	a := &automaton{fold: fold, words: intern.NewFor(words, bytes)}
	a.first, a.parent, a.label = make([]uint32, 1, words+1), make([]uint32, 1, words+1), make([]uint32, 1, words+1)
	return &builder{automaton: a, ending: newSets(), ends: make([]uint32, 1, words+1), begins: make([]uint32, 1)}
}

// wordSize is the bytes of a list for each distinct word in it.
const wordSize = 9

// errTooLarge is the error for lists whose parts cannot be numbered.
var errTooLarge = errors.New("the lists are too large")

// add adds an entry of a list. Nodes are added depth by depth, so that they are numbered breadth first: those for the last words now, the others
// by build.
func (b *builder) add(words []uint32, list uint16) error {
	last := len(words) - 1
	for b.words.Len() >= len(b.first) {
		b.first = append(b.first, 0)
	}
	node, err := b.below(0, words[last])
	if err != nil {
		return err
	}
	if last == 0 {
		b.ends[node] = b.ending.with(b.ends[node], list)
		return nil
	}
	if len(b.rest)+last > math.MaxUint32 {
		return errTooLarge
	}
	b.rest = append(b.rest, words[:last]...)
	b.begins, b.lists, b.at = append(b.begins, uint32(len(b.rest))), append(b.lists, list), append(b.at, node)
	return nil
}

// below returns the child of a node for a word, which is made if there is none.
func (b *builder) below(parent, word uint32) (uint32, error) {
	if node := b.child(parent, word); node != 0 {
		return node, nil
	}
	if len(b.parent) == math.MaxInt32 {
		return 0, errTooLarge
	}
	node := uint32(len(b.parent))
	b.parent, b.label, b.ends = append(b.parent, parent), append(b.label, word), append(b.ends, 0)
	b.place(node)
	return node, nil
}

// build completes the automaton. It leaves out entries that are also in a list that filters names for their list, and all entries of the lists
// from visible on.
func (b *builder) build(filters [][]uint16, visible int) error {
	b.table = make([]uint32, 1<<bits.Len(uint(len(b.rest)+len(b.rest)/3))) // at most three quarters of it will be full
	levels := []int{1, len(b.parent)}                                      // the first node of each depth
	active := make([]uint32, len(b.lists))
	for i := range active {
		active[i] = uint32(i)
	}
	for depth := uint32(1); len(active) > 0; depth++ {
		on := active[:0]
		for _, i := range active {
			at := b.begins[i+1] - depth
			node, err := b.below(b.at[i], b.rest[at])
			if err != nil {
				return err
			}
			b.at[i] = node
			if at == b.begins[i] {
				b.ends[node] = b.ending.with(b.ends[node], b.lists[i])
			} else {
				on = append(on, i)
			}
		}
		active = on
		levels = append(levels, len(b.parent))
	}
	b.link()
	b.emit(levels, b.ends, b.ending, filters, visible)
	return nil
}

// place adds a node to the hash table.
func (a *automaton) place(node uint32) {
	if a.parent[node] == 0 {
		a.first[a.label[node]] = node
		return
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
	key   uint64            // of the last call, which is often that of the next one
	set   uint32            // and its result
}

func newSets() *sets {
	return &sets{lists: make([][]uint16, 1), known: map[string]uint32{"": 0}, added: map[uint64]uint32{}}
}

// with returns the set with one more list.
func (s *sets) with(set uint32, list uint16) uint32 {
	k := uint64(set)<<16 | uint64(list)
	if s.key == k && s.set != 0 {
		return s.set
	}
	id, ok := s.added[k]
	if !ok {
		id = s.add(set, list)
		s.added[k] = id
	}
	s.key, s.set = k, id
	return id
}

// add is with for a set and a list that are new.
func (s *sets) add(set uint32, list uint16) uint32 {
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
	return id
}
