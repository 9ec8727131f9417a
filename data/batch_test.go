package data

import (
	"fmt"
	"slices"
	"testing"
)

// TestBatches divides items with n notes of a patient into batches. If n is 0,
// the item is one note without a patient.
func TestBatches(t *testing.T) {
	type item struct {
		patient string
		notes   int
	}
	size := func(i item) BatchSize { return BatchSize{First: i.patient, Last: i.patient, Notes: i.notes} }
	items := func(patients ...int) []item {
		var all []item
		for p, n := range patients {
			if n == 0 {
				all = append(all, item{"", 1})
			}
			all = append(all, slices.Repeat([]item{{fmt.Sprint(p), 1}}, n)...)
		}
		return all
	}
	for name, c := range map[string]struct {
		items []item
		want  []int
	}{
		"nothing":               {nil, nil},
		"within a batch":        {items(100, 100), []int{200}},
		"over its end":          {items(200, 100, 3), []int{300, 3}},
		"just at its end":       {items(200, 56, 3), []int{256, 3}},
		"nobody's":              {items(append(make([]int, 300), 2)...), []int{256, 46}},
		"more than the stretch": {items(batchNotes*batchStretch + 1), []int{batchNotes * batchStretch, 1}},
		"nobody's, then one's":  {items(append(make([]int, 255), 2, 0)...), []int{257, 1}},
		"without notes":         {make([]item, batchItems+1), []int{batchItems, 1}},
	} {
		var got []int
		for batch := range Batches(slices.Values(c.items), size) {
			got = append(got, len(batch))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: batches of %v items, want %v", name, got, c.want)
		}
	}
}

func TestBatchesBoundMemory(t *testing.T) {
	half := func(int) BatchSize { return BatchSize{Notes: 1, Bytes: batchBytes / 2} }
	var got []int
	for batch := range Batches(slices.Values(make([]int, 5)), half) {
		got = append(got, len(batch))
	}
	if want := []int{2, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("batches of %v items, want %v", got, want)
	}
}
