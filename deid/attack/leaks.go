package attack

import (
	"fmt"
	"slices"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// Leak is a value that is left in a released note: its place there, and the type of the gold span.
type Leak struct {
	Note string `json:"note"`
	data.Span
}

// Leaks finds the gold values of the originals that are left in the released notes, which have the same IDs. Outside of PHI, the notes are the same,
// so a value is left if all of its words are in the longest common subsequence of the words of both notes (Myers 1986). Parts of values
// do not count, because invented values share words with them, such as Street. It is an error if a released note has no original, or one that is
// altogether different.
func Leaks(originals, released []*data.Document) ([]Leak, error) {
	byID := make(map[string]*data.Document, len(originals))
	for _, doc := range originals {
		byID[doc.ID] = doc
	}
	var leaks []Leak
	for _, doc := range released {
		original := byID[doc.ID]
		if original == nil {
			return nil, fmt.Errorf("note %q has no original", doc.ID)
		}
		left, ok := leaksOf(original, doc)
		if !ok {
			return nil, fmt.Errorf("note %q differs from its original in more than %d words: they are probably not the same note", doc.ID, maxDifferences)
		}
		leaks = append(leaks, left...)
	}
	return leaks, nil
}

func leaksOf(original, released *data.Document) (leaks []Leak, ok bool) {
	before, after := words(original.Text), words(released.Text)
	texts := func(doc *data.Document, tokens []data.Token) []string {
		out := make([]string, len(tokens))
		for i, t := range tokens {
			out[i] = doc.Text[t.Start:t.End]
		}
		return out
	}
	kept, ok := align(texts(original, before), texts(released, after))
	if !ok {
		return nil, false
	}
	for _, s := range original.Spans {
		first, last := -1, -1 // words of the released note
		for i, w := range before {
			if w.Start >= s.End || s.Start >= w.End {
				continue
			}
			if kept[i] < 0 {
				first = -1
				break
			}
			if first < 0 {
				first = kept[i]
			}
			last = kept[i]
		}
		if first >= 0 {
			leaks = append(leaks, Leak{released.ID, data.Span{Start: after[first].Start, End: after[last].End, Type: s.Type, Score: 1}})
		}
	}
	return leaks, true
}

// words returns the runs of letters and digits of a text.
func words(text string) (tokens []data.Token) {
	start := -1
	for i, r := range text {
		switch in := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r); {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			tokens, start = append(tokens, data.Token{Start: start, End: i}), -1
		}
	}
	if start >= 0 {
		tokens = append(tokens, data.Token{Start: start, End: len(text)})
	}
	return tokens
}

// maxDifferences is the most words that may differ between a note and its original. A note of ten thousand words seldom has as many values.
const maxDifferences = 5000

// align returns for each word of a the index of the same word of b in a longest common subsequence, or -1, by the greedy algorithm of Myers
// (1986), figure 2. Its memory grows with the square of the number of differences, so texts with more than maxDifferences are not
// compared as wholes: ok is false.
func align(a, b []string) (kept []int, ok bool) {
	kept = make([]int, len(a))
	for i := range kept {
		kept[i] = -1
	}
	most := len(a) + len(b)
	reached := make([]int, 2*most+3) // by diagonal x - y, from -most-1: the greatest x so far
	at := func(k int) *int { return &reached[k+most+1] }
	// down reports whether the furthest path of d differences to a diagonal ends with a word of b.
	down := func(d, k int) bool { return k == -d || k != d && *at(k - 1) < *at(k + 1) }
	var history [][]int // by number of differences: reached on the diagonals -d-1 to d+1 before
	for d := 0; d <= min(most, maxDifferences); d++ {
		history = append(history, slices.Clone(reached[most-d:most+d+3]))
		for k := -d; k <= d; k += 2 {
			x := *at(k - 1) + 1
			if down(d, k) {
				x = *at(k + 1)
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			*at(k) = x
			if x >= len(a) && x-k >= len(b) {
				for ; d >= 0; d-- { // backwards along the path
					copy(reached[most-d:], history[d])
					from := k - 1
					if down(d, k) {
						from = k + 1
					}
					start := *at(from)
					if d == 0 {
						start = 0
					}
					for ; x > max(start, 0) && x-k > max(start-from, 0); x-- {
						kept[x-1] = x - 1 - k
					}
					x, k = start, from
				}
				return kept, true
			}
		}
	}
	return nil, false
}
