package data

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// someDocuments draws documents, some of them without a known patient.
func someDocuments(t *rapid.T) []*Document {
	var docs []*Document
	for i := range rapid.IntRange(2, 30).Draw(t, "documents") {
		patient := rapid.SampledFrom([]string{"", "p", "q", "r"}).Draw(t, "patient")
		docs = append(docs, &Document{ID: fmt.Sprintf("d%02d", i), Patient: patient})
	}
	return docs
}

// checkParts fails unless the parts contain every document once, in the original
// order, and no group is in two parts.
func checkParts(t *rapid.T, docs []*Document, parts [][]*Document, byPatient bool) {
	var all []*Document
	home := map[string]int{}
	for i, part := range parts {
		if len(part) == 0 {
			t.Fatalf("part %d is empty", i)
		}
		if !slices.IsSortedFunc(part, func(a, b *Document) int { return slices.Index(docs, a) - slices.Index(docs, b) }) {
			t.Fatalf("part %d is out of order", i)
		}
		for _, d := range part {
			if j, ok := home[d.Group()]; byPatient && ok && j != i {
				t.Fatalf("group %s is in parts %d and %d", d.Group(), j, i)
			}
			home[d.Group()] = i
		}
		all = append(all, part...)
	}
	slices.SortFunc(all, func(a, b *Document) int { return slices.Index(docs, a) - slices.Index(docs, b) })
	if !slices.Equal(all, docs) {
		t.Fatal("the parts are not the documents")
	}
}

func groupCount(docs []*Document, byPatient bool) int {
	if !byPatient {
		return len(docs)
	}
	seen := map[string]bool{}
	for _, d := range docs {
		seen[d.Group()] = true
	}
	return len(seen)
}

func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := someDocuments(t)
		byPatient := rapid.Bool().Draw(t, "by patient")
		k := rapid.IntRange(-1, 12).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed")
		parts, err := Folds(docs, k, byPatient, seed)
		if n := groupCount(docs, byPatient); k < 2 || k > n {
			if err == nil {
				t.Fatalf("%d folds of %d groups: no error", k, n)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(parts) != k {
			t.Fatalf("%d parts, want %d", len(parts), k)
		}
		checkParts(t, docs, parts, byPatient)
		if !byPatient {
			for _, part := range parts {
				if len(part) < len(docs)/k || len(part) > (len(docs)+k-1)/k {
					t.Fatalf("a part of %d of %d documents in %d folds", len(part), len(docs), k)
				}
			}
		}
		again, _ := Folds(docs, k, byPatient, seed)
		for i := range parts {
			if !slices.Equal(parts[i], again[i]) {
				t.Fatal("the same seed gave other parts")
			}
		}
	})
}

func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := someDocuments(t)
		byPatient := rapid.Bool().Draw(t, "by patient")
		fraction := rapid.Float64Range(0.01, 0.99).Draw(t, "fraction")
		seed := rapid.Uint64().Draw(t, "seed")
		kept, held, err := Split(docs, fraction, byPatient, seed)
		if groupCount(docs, byPatient) < 2 {
			if err == nil {
				t.Fatal("one group split in two: no error")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkParts(t, docs, [][]*Document{kept, held}, byPatient)
		if want := fraction * float64(len(docs)); !byPatient && math.Abs(float64(len(held))-want) > 1 {
			t.Fatalf("%d documents held, want about %.1f", len(held), want)
		}
		_, again, _ := Split(docs, fraction, byPatient, seed)
		if !slices.Equal(held, again) {
			t.Fatal("the same seed gave other parts")
		}
	})
	for _, fraction := range []float64{0, 1, -0.5, math.NaN(), math.Inf(1)} {
		if _, _, err := Split([]*Document{{ID: "a"}, {ID: "b"}}, fraction, false, 1); err == nil {
			t.Errorf("fraction %v: no error", fraction)
		}
	}
}

// Other seeds must give other parts, or the seed would mean nothing.
func TestSeedMatters(t *testing.T) {
	var docs []*Document
	for i := range 40 {
		docs = append(docs, &Document{ID: fmt.Sprint(i)})
	}
	_, one, _ := Split(docs, 0.5, false, 1)
	_, two, _ := Split(docs, 0.5, false, 2)
	foldsOne, _ := Folds(docs, 2, false, 1)
	foldsTwo, _ := Folds(docs, 2, false, 2)
	if slices.Equal(one, two) || slices.Equal(foldsOne[0], foldsTwo[0]) {
		t.Error("two seeds gave the same parts")
	}
}

// A sample is a subset of each larger one with the same seed, keeps the
// documents' order, and has all documents of each group with at most one
// exception.
func TestSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := someDocuments(t)
		byPatient, seed := rapid.Bool().Draw(t, "by patient"), rapid.Uint64().Draw(t, "seed")
		var smaller []*Document
		for n := 1; n <= len(docs); n++ {
			sample, err := Sample(docs, n, byPatient, seed)
			if err != nil || len(sample) != n {
				t.Fatalf("%d documents, error %v", len(sample), err)
			}
			if !slices.IsSortedFunc(sample, func(a, b *Document) int { return slices.Index(docs, a) - slices.Index(docs, b) }) {
				t.Fatal("out of order")
			}
			for _, d := range smaller {
				if !slices.Contains(sample, d) {
					t.Fatalf("%s is in the sample of %d, not in that of %d", d.ID, n-1, n)
				}
			}
			cut := map[string]bool{}
			for _, d := range docs {
				for _, e := range sample {
					if byPatient && d.Group() == e.Group() && !slices.Contains(sample, d) {
						cut[d.Group()] = true
					}
				}
			}
			if len(cut) > 1 {
				t.Fatalf("a sample of %d holds a part of %d groups", n, len(cut))
			}
			smaller = sample
		}
	})
	for _, n := range []int{-1, 0, 3} {
		if _, err := Sample(make([]*Document, 2), n, false, 1); err == nil {
			t.Errorf("no error for %d of 2", n)
		}
	}
	var docs []*Document
	for i := range 40 {
		docs = append(docs, &Document{ID: fmt.Sprint(i)})
	}
	a, _ := Sample(docs, 20, false, 1)
	b, _ := Sample(docs, 20, false, 2)
	if slices.Equal(a, b) {
		t.Error("two seeds give one sample")
	}
}
