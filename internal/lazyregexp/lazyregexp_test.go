package lazyregexp

import (
	"regexp"
	"slices"
	"sync"
	"testing"
)

// An expression finds what the one of package regexp finds, for several goroutines at once.
func TestFindsWhatRegexpFinds(t *testing.T) {
	const expression, text = `(\pL)(\d+)`, "a1 b23 c"
	re, want := New(expression), regexp.MustCompile(expression)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if re.String() != expression || !re.MatchString(text) || re.MatchString("c") || !re.Match([]byte(text)) {
				t.Error("another match")
			}
			if !slices.Equal(re.FindStringSubmatchIndex(text), want.FindStringSubmatchIndex(text)) || !slices.Equal(re.FindAllString(text, -1), want.FindAllString(text, -1)) {
				t.Error("another place")
			}
		})
	}
	all.Wait()
}

// In tests, a broken expression panics where it is made.
func TestBrokenExpressionsAreNoticed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a broken expression was accepted")
		}
	}()
	New("(")
}
