package tagger

import (
	"math"
	"testing"
)

func TestOccurrences(t *testing.T) {
	one, two := []int32{1, 2}, []int32{1, 2}
	keys := []token{{}, {id: 1}, {address: address{&one[0], 2}}, {address: address{&one[0], 2}, id: 1}, {address: address{&one[0], 1}}, {address: address{&two[0], 2}}}
	var o occurrences
	for round := range 6 {
		o.start(len(keys) << (10 * (round % 2))) // it grows, and stays large
		if round == 3 {
			o.round = math.MaxUint32
			o.start(len(keys))
		}
		for i, key := range keys {
			slot, ok := o.find(key)
			if ok {
				t.Fatalf("round %d: key %d is there", round, i)
			}
			*slot = occurrence{key, int32(i), o.round}
		}
		for i, key := range keys {
			if slot, ok := o.find(key); !ok || slot.word != int32(i) {
				t.Errorf("round %d: key %d: %v, %v", round, i, slot, ok)
			}
		}
	}
}

// Thousands of tokens, of which many have the same place in the table.
func TestManyOccurrences(t *testing.T) {
	var o occurrences
	all := make([]int32, 5000)
	o.start(len(all))
	for i := range all {
		key := token{address{&all[i], 1}, int32(i % 3)}
		slot, ok := o.find(key)
		if ok {
			t.Fatalf("%d is there", i)
		}
		*slot = occurrence{key, int32(i), o.round}
	}
	for i := range all {
		if slot, ok := o.find(token{address{&all[i], 1}, int32(i % 3)}); !ok || slot.word != int32(i) {
			t.Fatalf("%d: %v, %v", i, slot, ok)
		}
	}
}
