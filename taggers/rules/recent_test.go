package rules

import (
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
	set.scan.recent.Get(text, func() []Match {
		t.Error("the text would be searched again")
		return nil
	})
	if dates.scan != set.scan {
		t.Error("the text would be searched again for dates")
	}
}
