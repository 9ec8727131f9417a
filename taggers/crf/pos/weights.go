package pos

// weights are the perceptron's, averaged and rounded: for each feature some
// classes and what it says for or against them.
type weights struct {
	slots    []uint64 // hash table by open addressing: key<<32 | place in cells, or 0 where free
	cells    []cell   // of each feature a head, whose class is a count, and so many cells
	features int
}

type cell struct {
	class  uint16
	weight int16
}

// newWeights makes room for n features with so many cells in all.
func newWeights(n, cells int) weights {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return weights{slots: make([]uint64, size), cells: make([]cell, 1, 1+n+cells)} // place 0 is nobody's
}

// put adds a feature that is not there yet.
func (w *weights) put(key uint32, cells []cell) {
	mask := uint32(len(w.slots) - 1)
	i := key & mask
	for w.slots[i] != 0 {
		i = (i + 1) & mask
	}
	w.slots[i] = uint64(key)<<32 | uint64(len(w.cells))
	w.cells = append(append(w.cells, cell{class: uint16(len(cells))}), cells...)
	w.features++
}

// at are the cells of the feature in a slot.
func (w *weights) at(slot uint64) []cell {
	place := int(uint32(slot))
	return w.cells[place+1:][:w.cells[place].class]
}

// add sums up what features say. Where a feature would be is fetched for all of
// them first: the memory answers many such questions at once.
func (w *weights) add(keys []uint32, found []uint64, scores []int32) {
	mask := uint32(len(w.slots) - 1)
	for i, key := range keys {
		found[i] = w.slots[key&mask]
	}
	for i, key := range keys {
		slot := found[i]
		for at := key; slot != 0 && uint32(slot>>32) != key; {
			at++
			slot = w.slots[at&mask]
		}
		if slot == 0 {
			continue
		}
		for _, c := range w.at(slot) {
			scores[c.class] += int32(c.weight)
		}
	}
}
