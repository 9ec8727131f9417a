package pos

// weights are the perceptron's, averaged and rounded: for each feature some
// classes and what it says for or against them.
type weights struct {
	classes int
	slots   []uint64 // hash table by open addressing: key<<32 | place in cells, or 0 where free
	cells   []cell   // of each feature a head, whose class is a count, and so many cells, sorted by class
}

type cell struct {
	class  uint16
	weight int16
}

// newWeights makes room for n features with so many cells in all.
func newWeights(classes, n, cells int) weights {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return weights{classes: classes, slots: make([]uint64, size), cells: make([]cell, 1, 1+n+cells)} // place 0 is nobody's
}

// put adds a feature that is not there yet. One that speaks of many classes gets
// a cell for every class, so that add finds some without looking at the others.
func (w *weights) put(key uint32, cells []cell) {
	mask := uint32(len(w.slots) - 1)
	i := key & mask
	for w.slots[i] != 0 {
		i = (i + 1) & mask
	}
	w.slots[i] = uint64(key)<<32 | uint64(len(w.cells))
	if len(cells) <= w.classes/8 {
		w.cells = append(append(w.cells, cell{class: uint16(len(cells))}), cells...)
		return
	}
	w.cells = append(w.cells, cell{class: uint16(w.classes)})
	for c := range w.classes {
		next := cell{class: uint16(c)}
		if len(cells) > 0 && cells[0].class == next.class {
			next, cells = cells[0], cells[1:]
		}
		w.cells = append(w.cells, next)
	}
}

// at are the cells of the feature in a slot.
func (w *weights) at(slot uint64) []cell {
	place := int(uint32(slot))
	return w.cells[place+1:][:w.cells[place].class]
}

// add sums up what features say of some classes, or of all if there are none:
// only these scores are of use then. Where a feature would be is fetched for all
// of them first: the memory answers many such questions at once.
func (w *weights) add(keys []uint32, found []uint64, of []uint16, scores []int32) {
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
		cells := w.at(slot)
		if len(of) > 0 && len(cells) == w.classes {
			for _, c := range of {
				scores[c] += int32(cells[c].weight)
			}
			continue
		}
		for _, c := range cells {
			scores[c.class] += int32(c.weight)
		}
	}
}
