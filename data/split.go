package data

import (
	"fmt"
	"math/rand/v2"
)

// Folds deals the documents into k parts of nearly equal size, for
// cross-validation. Documents of one group (see Document.Group) stay in one
// part when byPatient is set. The same seed gives the same parts; inside a part
// the documents keep their order.
func Folds(docs []*Document, k int, byPatient bool, seed uint64) ([][]*Document, error) {
	groups, order := map[string][]int{}, []string{}
	for i, d := range docs {
		g := fmt.Sprint(i)
		if byPatient {
			g = d.Group()
		}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], i)
	}
	if k < 2 || k > len(order) {
		return nil, fmt.Errorf("cannot deal %d groups of documents into %d folds", len(order), k)
	}
	rng := rand.New(rand.NewPCG(seed, 0x666f6c6473))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	fold := make([]int, len(docs)) // fold of each document
	size := make([]int, k)
	for _, g := range order {
		smallest := 0
		for f := range size {
			if size[f] < size[smallest] {
				smallest = f
			}
		}
		size[smallest] += len(groups[g])
		for _, i := range groups[g] {
			fold[i] = smallest
		}
	}
	parts := make([][]*Document, k)
	for i, d := range docs {
		parts[fold[i]] = append(parts[fold[i]], d)
	}
	return parts, nil
}

// Split parts the documents in two: about fraction of them (0 < fraction < 1)
// in held, the rest in kept, whole groups at a time when byPatient is set.
// Neither part is empty.
func Split(docs []*Document, fraction float64, byPatient bool, seed uint64) (kept, held []*Document, err error) {
	if !(fraction > 0 && fraction < 1) {
		return nil, nil, fmt.Errorf("split fraction %v is not between 0 and 1", fraction)
	}
	groups, order := map[string]int{}, []string{}
	group := func(i int) string {
		if byPatient {
			return docs[i].Group()
		}
		return fmt.Sprint(i)
	}
	for i := range docs {
		g := group(i)
		if groups[g] == 0 {
			order = append(order, g)
		}
		groups[g]++
	}
	if len(order) < 2 {
		return nil, nil, fmt.Errorf("cannot split %d group(s) of documents in two", len(order))
	}
	rng := rand.New(rand.NewPCG(seed, 0x73706c6974))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	want := fraction * float64(len(docs))
	isHeld, n := map[string]bool{}, 0
	for i, g := range order[:len(order)-1] {
		if i > 0 && float64(n)+float64(groups[g])/2 > want {
			break
		}
		isHeld[g] = true
		n += groups[g]
	}
	for i, d := range docs {
		if isHeld[group(i)] {
			held = append(held, d)
		} else {
			kept = append(kept, d)
		}
	}
	return kept, held, nil
}
