package evaluation

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// source yields numbers, counts how many were requested, and records when it
// ends.
func source(numbers []int, read *atomic.Int64, left *atomic.Bool) iter.Seq2[*int, error] {
	return func(yield func(*int, error) bool) {
		defer left.Store(true)
		for _, n := range numbers {
			read.Add(1)
			if !yield(&n, nil) {
				return
			}
		}
	}
}

func number(n *int) string { return fmt.Sprint(*n) }

// For any order of the two sides, each document appears once, with its match if
// it has one, and no more documents are held than Pairs documents.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfDistinct(rapid.IntRange(0, 40), rapid.ID[int])
		gold, system := numbers.Draw(t, "gold"), numbers.Draw(t, "system")
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(gold)
			slices.Sort(system)
		}
		var read atomic.Int64
		var left [2]atomic.Bool
		var both, goldOnly, systemOnly []int
		for p, err := range Pairs(source(gold, &read, &left[0]), source(system, &read, &left[1]), number) {
			switch {
			case err != nil:
				t.Fatal(err)
			case p.Gold == nil:
				systemOnly = append(systemOnly, *p.System)
			case p.System == nil:
				goldOnly = append(goldOnly, *p.Gold)
			case *p.Gold != *p.System || p.ID != number(p.Gold):
				t.Fatalf("pair %s of %d and %d", p.ID, *p.Gold, *p.System)
			case goldOnly != nil || systemOnly != nil:
				t.Fatal("a pair after what has no match")
			default:
				both = append(both, *p.Gold)
			}
		}
		without := func(a, b []int) (rest []int) {
			for _, n := range a {
				if !slices.Contains(b, n) {
					rest = append(rest, n)
				}
			}
			return rest
		}
		if want := without(gold, system); !slices.Equal(goldOnly, want) {
			t.Errorf("gold alone %v, want %v", goldOnly, want)
		}
		if want := without(system, gold); !slices.Equal(systemOnly, want) {
			t.Errorf("system alone %v, want %v", systemOnly, want)
		}
		common := without(gold, goldOnly)
		slices.Sort(common)
		slices.Sort(both)
		if !slices.Equal(both, common) {
			t.Errorf("pairs %v, want %v", both, common)
		}
	})
}

// Two sources in the same order, each of which may lack documents of the other,
// are read in parallel: between two pairs, at most the documents that are read
// ahead are read, and two for each one that the other side lacks.
func TestPairsHoldFew(t *testing.T) {
	for name, lack := range map[string]func(int) bool{
		"nothing":         func(int) bool { return false },
		"the first ten":   func(n int) bool { return n < 10 },
		"one here, there": func(n int) bool { return n%100 == 50 },
	} {
		var gold, system []int
		for n := range 1000 {
			gold = append(gold, n)
			if !lack(n) {
				system = append(system, n)
			}
		}
		var read atomic.Int64
		var left [2]atomic.Bool
		given := int64(0)
		for p, err := range Pairs(source(gold, &read, &left[0]), source(system, &read, &left[1]), number) {
			if err != nil {
				t.Fatal(err)
			}
			if p.System == nil {
				break
			}
			given += 2
			missing := int64(len(gold) - len(system))
			if held := read.Load() - given; held > 2*(ahead+2)+2*missing {
				t.Fatalf("%s: %d documents in memory", name, held)
			}
		}
		if !left[0].Load() || !left[1].Load() {
			t.Errorf("%s: a source is still being read", name)
		}
	}
}

func TestPairsErrors(t *testing.T) {
	broken := errors.New("broken")
	failing := func(yield func(*int, error) bool) {
		if one := 1; yield(&one, nil) {
			yield(nil, broken)
		}
	}
	var read atomic.Int64
	var left atomic.Bool
	for name, tc := range map[string]struct {
		gold, system iter.Seq2[*int, error]
		want         string
	}{
		"gold":         {failing, source([]int{1, 2}, &read, &left), "broken"},
		"system":       {source([]int{1, 2}, &read, &left), failing, "broken"},
		"gold twice":   {source([]int{1, 1}, &read, &left), source([]int{1, 2, 3}, &read, &left), "gold document 1: duplicate id"},
		"system twice": {source([]int{1, 2, 3}, &read, &left), source([]int{7, 8, 7}, &read, &left), "system document 7: duplicate id"},
	} {
		var errs []error
		for _, err := range Pairs(tc.gold, tc.system, number) {
			if err != nil {
				errs = append(errs, err)
			}
		}
		if len(errs) != 1 || errs[0].Error() != tc.want {
			t.Errorf("%s: errors %v, want %s", name, errs, tc.want)
		}
	}
}
