package pos

// weights are the averaged and rounded weights of the perceptron: for each feature, its
// weights for some of the classes.
type weights struct {
	classes int
	slots   []uint64 // open-addressing hash table: key<<32 | index in cells, or 0 for a free slot
	cells   []cell   // by feature: a head, whose class is the number of cells after it, and those cells, sorted by class
}

type cell struct {
	class  uint16
	weight int16
}

// newWeights makes room for n features with this many cells in all.
func newWeights(classes, n, cells int) weights {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return weights{classes: classes, slots: make([]uint64, size), cells: make([]cell, 1, 1+n+cells)} // index 0 is unused
}

// put adds a new feature. A feature with weights for many classes gets a cell for every
// class, so that add finds a class without a search.
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

// at returns the cells of the feature in a slot.
func (w *weights) at(slot uint64) []cell {
	place := int(uint32(slot))
	return w.cells[place+1:][:w.cells[place].class]
}

// add adds up the weights of the features for the classes in of, or for all classes if
// of is empty; only those scores are valid afterwards. It first fetches the slots of
// all features, because the processor overlaps independent memory accesses.
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
