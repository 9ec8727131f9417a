package rules

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

// A set of some types finds what it would find alone, whether the text was searched before or not, and what is done with
// a result does not change the next one.
func TestRecentTextsHaveTheSameMatches(t *testing.T) {
	const text = "Seen 3/4/2016 by Dr. Roe, call 555-555-1234, aged 45 years old, in Boston, MA 02114."
	set, err := Builtin("english")
	if err != nil {
		t.Fatal(err)
	}
	alone := func(types ...string) []data.Span {
		var spans []data.Span
		for _, r := range set.rules {
			for _, typ := range types {
				if r.typ == typ {
					spans = append(spans, spansOf(newScan([]rule{r}).search(text))...)
				}
			}
		}
		return data.Disjoint(spans)
	}
	dates := set.Only([]string{"DATE", "PHONE"})
	for range 2 {
		if diff := cmp.Diff(alone("DATE", "PHONE"), dates.Spans(text)); diff != "" {
			t.Error(diff)
		}
		matches := set.Find(text)
		if len(matches) < 4 {
			t.Fatalf("%d matches", len(matches))
		}
		clear(matches)
		if diff := cmp.Diff(alone(set.Types()...), set.Spans(text)); diff != "" {
			t.Error(diff)
		}
	}
	if _, ok := set.scan.recent.get(digestOf(text)); !ok || dates.scan != set.scan {
		t.Error("the text would be searched again")
	}
}

// However many texts are searched, and however much is found in them, no more than maxRecent matches are kept.
func TestRecentMatchesAreBounded(t *testing.T) {
	var r recent
	var all sync.WaitGroup
	for i := range uint64(4) {
		all.Go(func() {
			for n := range uint64(40) {
				text := digest{i, n}
				matches := make([]Match, maxRecent/20+n)
				matches[0].Start = int(i)
				r.put(text, matches)
				r.put(text, matches[:1]) // kept only if the others have been displaced
				if found, ok := r.get(text); ok && found[0].Start != int(i) {
					t.Error("the matches of another text")
				}
			}
		})
	}
	all.Wait()
	r.put(digest{9, 9}, make([]Match, maxRecent))
	size := 0
	for _, text := range r.order {
		found, ok := r.get(text)
		if !ok {
			t.Error("a text without matches")
		}
		size += len(found) + 1
	}
	if size != r.size || size > maxRecent || size < maxRecent/2 || len(r.found) != len(r.order) {
		t.Errorf("%d texts, %d results, %d matches, counted as %d", len(r.order), len(r.found), size, r.size)
	}
}
