package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// similarity is computed from the words themselves rather than from hashes.
func similarity(a, b string) float64 {
	sets := [2]map[string]bool{}
	for i, text := range []string{a, b} {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
		sets[i] = map[string]bool{}
		n := min(3, len(words))
		for k := range len(words) - n + 1 {
			sets[i][strings.Join(words[k:k+n], " ")] = true
		}
	}
	both := 0
	for s := range sets[0] {
		if sets[1][s] {
			both++
		}
	}
	return float64(both) / float64(len(sets[0])+len(sets[1])-both)
}

func overlap(t *testing.T, splits ...[]*data.Document) []Overlap {
	t.Helper()
	c := New(Options{})
	for i, docs := range splits {
		s := c.Split(fmt.Sprint(i))
		for _, d := range docs {
			s.Add(d, nil)
		}
	}
	return c.Report().Overlaps
}

// The number of notes of dev_hard that are nearly the same as one of dev is that of all comparisons.
func TestNearOfMEDDOCAN(t *testing.T) {
	dev := corpus(t, "brat", "corpora", "meddocan", "dev", "brat")
	hard := corpus(t, "brat", "corpora", "meddocan", "dev_hard", "brat")
	want := 0
	for _, h := range hard {
		if slices.ContainsFunc(dev, func(d *data.Document) bool { return d.ID == h.ID && similarity(d.Text, h.Text) >= Threshold }) {
			want++
		}
	}
	got := overlap(t, dev, hard)
	if len(got) != 1 || got[0].Near != want || got[0].Same != 0 || want == 0 {
		t.Errorf("%+v, want %d", got, want)
	}
}
