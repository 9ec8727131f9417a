package deid

import (
	"math/rand/v2"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/i2b2"
	"github.com/lethe-deid/lethe/internal/shared"
)

// On MEDDOCAN's training split:
// if a tagger misses one span in five at random, how many of these the net finds, and how much text without PHI it
// mistakes for PHI. (The rules were developed on that split, the other parts of the net were not.)
func TestSafetyNetOnMeddocan(t *testing.T) {
	dir := shared.Path(t, "corpora/meddocan/train/xml")
	types := data.MEDDOCAN
	n, err := NewNet("auto", types)
	if err != nil {
		t.Fatal(err)
	}
	d := &Deidentifier{Net: n}
	chance := rand.New(rand.NewPCG(1, 1))
	missed, caught, wrong, notes := 0, 0, 0, 0
	for doc, err := range i2b2.Read(dir, data.ReadOptions{Types: types}) {
		if err != nil {
			t.Fatal(err)
		}
		notes++
		gold := data.Flatten(doc.Spans)
		var found, left []data.Span
		for _, s := range gold {
			if chance.IntN(5) == 0 {
				left = append(left, s)
			} else {
				found = append(found, s)
			}
		}
		all, err := d.Tag(t.Context(), []*data.Document{{ID: doc.ID, Text: doc.Text, Spans: found}})
		if err != nil {
			t.Fatal(err)
		}
		hit := make([]bool, len(left))
		for _, f := range all[0] {
			any := false
			for i, s := range left {
				if f.Start < s.End && s.Start < f.End {
					hit[i], any = true, true
				}
			}
			for _, s := range found {
				any = any || f.Start < s.End && s.Start < f.End
			}
			if !any {
				wrong++
				if testing.Verbose() {
					t.Logf("%s[%d:%d] %s", doc.ID, f.Start, f.End, f.Type)
				}
			}
		}
		missed += len(left)
		for _, h := range hit {
			if h {
				caught++
			}
		}
	}
	t.Logf("%d notes: %d missed, %d caught; %d wrong", notes, missed, caught, wrong)
	if caught*5 < missed*2 {
		t.Errorf("%d of %d caught, want two in five", caught, missed)
	}
	if wrong*40 > caught {
		t.Errorf("%d of what was found is no PHI, and %d PHI: want one in forty", wrong, caught)
	}
}
