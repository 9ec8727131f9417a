package data

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Units by which documents are split, drawn, tested or read.
const (
	ByDocument = "document" // each document by itself
	ByPatient  = "patient"  // all documents of one patient together
)

// CheckBy returns an error for any unit except ByDocument and ByPatient.
func CheckBy(by string) error {
	if by != ByDocument && by != ByPatient {
		return fmt.Errorf("%q is not %s or %s", by, ByDocument, ByPatient)
	}
	return nil
}

// Folds divides the documents into k parts of nearly equal size for
// cross-validation. With byPatient, documents of one group (see Document.Group)
// stay in one part. The same seed gives the same parts, and documents keep their
// order within a part. Folds returns an error if k is less than 2 or greater than
// the number of groups.
func Folds(docs []*Document, k int, byPatient bool, seed uint64) ([][]*Document, error) {
	groups, order := groupsOf(docs, byPatient)
	if k < 2 || k > len(order) {
		what := "documents"
		if byPatient {
			what = "patients"
		}
		return nil, fmt.Errorf("%d folds require as many %s, but there are only %d", k, what, len(order))
	}
	shuffle(order, rand.NewPCG(seed, 0x666f6c6473))
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

// Split divides the documents into two parts, neither of them empty. About the
// given fraction of them (0 < fraction < 1) is in the result held, and the rest is
// in the result kept. With byPatient, documents of one group (see Document.Group)
// stay in one part. The same seed gives the same parts. Split returns an error if
// fraction is not between 0 and 1, or if there are fewer than two groups.
func Split(docs []*Document, fraction float64, byPatient bool, seed uint64) (kept, held []*Document, err error) {
	if !(fraction > 0 && fraction < 1) {
		return nil, nil, fmt.Errorf("split fraction %v is not between 0 and 1", fraction)
	}
	groups, order := groupsOf(docs, byPatient)
	if len(order) < 2 {
		return nil, nil, fmt.Errorf("cannot split %d group(s) of documents in two", len(order))
	}
	shuffle(order, rand.NewPCG(seed, 0x73706c6974))
	want := fraction * float64(len(docs))
	isHeld, n := map[int]bool{}, 0
	for i, g := range order[:len(order)-1] {
		if i > 0 && float64(n)+float64(len(groups[g]))/2 > want {
			break
		}
		for _, k := range groups[g] {
			isHeld[k] = true
		}
		n += len(groups[g])
	}
	for i, d := range docs {
		if isHeld[i] {
			held = append(held, d)
		} else {
			kept = append(kept, d)
		}
	}
	return kept, held, nil
}

// Sample draws n of the documents, which keep their order. For the same seed, a
// smaller sample is a subset of each larger one. With byPatient, whole groups are
// drawn one after another (only the last one may be cut), so that a sample has as
// many documents per patient as the corpus. Sample returns an error if n is
// less than 1 or exceeds the number of documents.
func Sample(docs []*Document, n int, byPatient bool, seed uint64) ([]*Document, error) {
	if n < 1 || n > len(docs) {
		return nil, fmt.Errorf("cannot draw %d of %d documents", n, len(docs))
	}
	groups, order := groupsOf(docs, byPatient)
	shuffle(order, rand.NewPCG(seed, 0x73616d706c65))
	var drawn []int
	for _, g := range order {
		drawn = append(drawn, groups[g]...)
	}
	drawn = drawn[:n]
	slices.Sort(drawn)
	sample := make([]*Document, n)
	for k, i := range drawn {
		sample[k] = docs[i]
	}
	return sample, nil
}

// groupsOf returns the documents of each group, and the groups in order of
// appearance. Without byPatient, each document is its own group.
func groupsOf(docs []*Document, byPatient bool) (groups map[string][]int, order []string) {
	groups = map[string][]int{}
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
	return groups, order
}

func shuffle(order []string, source rand.Source) {
	rand.New(source).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
}
