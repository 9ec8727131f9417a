package attack

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func TestAlign(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := make([]string, rng.IntN(9)), make([]string, rng.IntN(9))
		for _, s := range [][]string{a, b} {
			for i := range s {
				s[i] = string(rune('a' + rng.IntN(3)))
			}
		}
		// The length of the longest common subsequence, by the definition.
		best := make([][]int, len(a)+1)
		for i := range best {
			best[i] = make([]int, len(b)+1)
		}
		for i := range a {
			for j := range b {
				if best[i+1][j+1] = max(best[i][j+1], best[i+1][j]); a[i] == b[j] {
					best[i+1][j+1] = best[i][j] + 1
				}
			}
		}
		kept, ok := align(a, b)
		if !ok {
			t.Fatal("not aligned")
		}
		n, last := 0, -1
		for i, j := range kept {
			if j < 0 {
				continue
			}
			if j <= last || a[i] != b[j] {
				t.Fatalf("align(%v, %v) = %v, which is no common subsequence", a, b, kept)
			}
			n, last = n+1, j
		}
		if want := best[len(a)][len(b)]; n != want {
			t.Fatalf("align(%v, %v) has length %d, want %d", a, b, n, want)
		}
	}
}

func TestLeaks(t *testing.T) {
	original := func(id, text string, values ...string) *data.Document {
		doc := &data.Document{ID: id, Text: text}
		for at := 0; len(values) > 0; values = values[1:] {
			at += index(text[at:], values[0])
			doc.Spans = append(doc.Spans, data.Span{Start: at, End: at + len(values[0]), Type: "PATIENT", Score: 1})
		}
		return doc
	}
	released := func(id, text string) *data.Document { return &data.Document{ID: id, Text: text} }
	leaks, err := Leaks([]*data.Document{
		original("1", "Oda Lund saw Ann Roe, and Lund left.", "Oda Lund", "Ann Roe", "Lund"),
		original("2", "Seen by K. Vega", "K. Vega"),
		original("3", "d/w K", "K"),
	}, []*data.Document{
		released("1", "Mia Berg saw Ann Roe, and Lund left."),
		released("2", "Seen by K. Soto"),
		released("3", "d/w K"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Leak{
		{"1", data.Span{Start: 13, End: 20, Type: "PATIENT", Score: 1}},
		{"1", data.Span{Start: 26, End: 30, Type: "PATIENT", Score: 1}},
		{"3", data.Span{Start: 4, End: 5, Type: "PATIENT", Score: 1}},
	}
	if diff := cmp.Diff(want, leaks); diff != "" {
		t.Error(diff)
	}
	if _, err := Leaks(nil, []*data.Document{released("9", "")}); err == nil {
		t.Error("no error for a note without an original")
	}
}

func index(text, value string) int {
	i := 0
	for ; text[i:i+len(value)] != value; i++ {
	}
	return i
}

func TestCompare(t *testing.T) {
	leaks := []Leak{
		{Note: "1", Span: data.Span{Start: 0, End: 4, Type: "DATE"}},
		{Note: "1", Span: data.Span{Start: 8, End: 12, Type: "DATE"}},
		{Note: "2", Span: data.Span{Start: 0, End: 4, Type: "PATIENT"}},
	}
	suspects := []Suspect{
		{Note: "1", Span: data.Span{Start: 2, End: 10, Type: "DATE"}},   // both
		{Note: "2", Span: data.Span{Start: 4, End: 6, Type: "PATIENT"}}, // only beside
		{Note: "3", Span: data.Span{Start: 0, End: 4, Type: "AGE"}},
	}
	got := Compare(suspects, leaks)
	want := Score{All: Count{Suspects: 3, Leaks: 3, Hits: 2, Right: 1}, ByType: map[string]*Count{
		"DATE": {Suspects: 1, Leaks: 2, Hits: 2, Right: 1}, "PATIENT": {Suspects: 1, Leaks: 1}, "AGE": {Suspects: 1},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r, ok := got.All.Recall(); r != 2./3 || !ok {
		t.Error(r, ok)
	}
	if _, ok := got.ByType["AGE"].Recall(); ok {
		t.Error("recall without leaks")
	}
}

// TestLeaksOfAnotherNote is that of a note with the ID of another one: comparing them took memory without limit.
func TestLeaksOfAnotherNote(t *testing.T) {
	var a, b strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&a, "a%d ", i)
		fmt.Fprintf(&b, "b%d ", i)
	}
	_, err := Leaks([]*data.Document{{ID: "1", Text: a.String()}}, []*data.Document{{ID: "1", Text: b.String()}})
	if err == nil || !strings.Contains(err.Error(), "probably not the same note") {
		t.Errorf("error %v", err)
	}
}
