package rules

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// The rules that come with Lethe find and correct the same without the trials of tests, also if several goroutines compile them.
func TestRulesThatCompileLazilyFindTheSame(t *testing.T) {
	for _, name := range []string{"english", "spanish", "liu2017", "anonym", "net/english", "net/spanish"} {
		raw, err := os.ReadFile("sets/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		want, err := newSet(name, raw, false)
		if err != nil {
			t.Fatal(err)
		}
		set, err := newSet(name, raw, true)
		if err != nil {
			t.Fatal(err)
		}
		var in file
		if err := strictyaml.Decode(name, raw, &in); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, r := range in.Rules {
			texts = append(append(texts, r.Match...), r.Not...)
		}
		for _, c := range in.Corrections {
			texts = append(append(texts, c.Match...), c.Not...)
		}
		var all sync.WaitGroup
		for part := range 4 {
			all.Go(func() {
				for i := part; i < len(texts); i += 4 {
					text := strings.NewReplacer("«", "", "»", "").Replace(texts[i])
					found := want.Find(text)
					if got := set.Find(text); !slices.Equal(got, found) {
						t.Errorf("%s: example %d: %v, want %v", name, i, got, found)
					}
					spans := wordsAs(text, want.Types()[i%len(want.Types())])
					if got, want := set.Correct(text, spans), want.Correct(text, spans); !slices.Equal(got, want) {
						t.Errorf("%s: example %d: corrected %v, want %v", name, i, got, want)
					}
				}
			})
		}
		all.Wait()
	}
}

// wordsAs returns a span of a type for each word of a text.
func wordsAs(text, typ string) (spans []data.Span) {
	at := 0
	for word := range strings.FieldsSeq(text) {
		start := at + strings.Index(text[at:], word)
		at = start + len(word)
		spans = append(spans, data.Span{Start: start, End: at, Type: typ, Score: 1})
	}
	return spans
}
