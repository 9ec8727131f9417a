package pos

// weights are the perceptron's, averaged and rounded: for each feature some
// classes and what it says for or against them.
type weights struct {
	slots []slot // hash table by open addressing
	cells []cell
}

type slot struct {
	key   uint32
	first uint32 // cells[first:first+count]
	count uint16 // 0 where free
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
	return weights{slots: make([]slot, size), cells: make([]cell, 0, cells)}
}

// put adds a feature that is not there yet.
func (w *weights) put(key uint32, cells []cell) {
	mask := uint32(len(w.slots) - 1)
	i := key & mask
	for w.slots[i].count > 0 {
		i = (i + 1) & mask
	}
	w.slots[i] = slot{key: key, first: uint32(len(w.cells)), count: uint16(len(cells))}
	w.cells = append(w.cells, cells...)
}

// add sums up what features say.
func (w *weights) add(keys []uint32, scores []int32) {
	mask := uint32(len(w.slots) - 1)
	for _, key := range keys {
		for i := key & mask; w.slots[i].count > 0; i = (i + 1) & mask {
			if s := w.slots[i]; s.key == key {
				for _, c := range w.cells[s.first : s.first+uint32(s.count)] {
					scores[c.class] += int32(c.weight)
				}
				break
			}
		}
	}
}
