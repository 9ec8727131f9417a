package main

import (
	"math/rand/v2"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/deid/net"
	"github.com/lethe-deid/lethe/internal/shared"
)

// On MEDDOCAN's training split:
// were a tagger to miss one span in five, drawn at random, how many of them the net
// catches, and how much it takes for PHI that is none. (The rules were made on that split,
// the rest was not.)
func TestSafetyNetOnMeddocan(t *testing.T) {
	dir := shared.Path(t, "corpora/meddocan/train/xml")
	types, err := data.LookupTypeSet("meddocan")
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNet("auto", types)
	if err != nil {
		t.Fatal(err)
	}
	chance := rand.New(rand.NewPCG(1, 1))
	missed, caught, wrong, notes := 0, 0, map[net.Source]int{}, 0
	right := map[net.Source]int{}
	for doc, err := range i2b2.Read(dir, types) {
		if err != nil {
			t.Fatal(err)
		}
		notes++
		gold := data.Flatten(doc.Spans)
		var found, left []data.Span
		var removed []net.Removed
		for _, s := range gold {
			if chance.IntN(5) == 0 {
				left = append(left, s)
				continue
			}
			found = append(found, s)
			removed = append(removed, net.Removed{Text: doc.Text[s.Start:s.End], Type: s.Type})
		}
		hit := make([]bool, len(left))
		for _, f := range n.Scan(doc.Text, found, n.Originals(removed), nil) {
			any := false
			for i, s := range left {
				if f.Start < s.End && s.Start < f.End {
					hit[i], any = true, true
				}
			}
			if any {
				right[f.Source]++
			} else {
				wrong[f.Source]++
			}
		}
		missed += len(left)
		for _, h := range hit {
			if h {
				caught++
			}
		}
	}
	t.Logf("%d notes: %d missed, %d caught; right %v, wrong %v", notes, missed, caught, right, wrong)
	if caught*5 < missed*2 {
		t.Errorf("%d of %d caught, want two in five", caught, missed)
	}
	if all := wrong[net.Original] + wrong[net.Formulaic]; all*40 > caught {
		t.Errorf("%d of what was found is no PHI, and %d PHI: want one in forty", all, caught)
	}
}
