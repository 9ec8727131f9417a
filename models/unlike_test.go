package models

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// knows is a tagger that finds nothing and knows only some words.
type knows map[string]bool

func (k knows) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	return make([][]data.Span, len(docs)), nil
}
func (k knows) Knows(token string) bool { return k[strings.ToLower(token)] }

func TestUnlike(t *testing.T) {
	usual := &operating.Usual{Unknown: 0.1, Doubt: 0.1, Spans: 100, Tokens: 100}
	m := &Model{Tagger: knows{"seen": true, "with": true, "pain": true, "chest": true, "today": true}, usual: usual}
	m.usualOnce.Do(func() {})
	known := strings.Repeat("seen today with chest pain. ", 10)
	spans := func(n int, score float64) (all []data.Span) {
		for i := range n {
			all = append(all, data.Span{Start: 28 * (i % 10), End: 28*(i%10) + 1, Score: score})
		}
		return all
	}
	for _, c := range []struct {
		name, text string
		found      []data.Span
		want       []string
	}{
		{"usual", known, spans(4, 0.95), nil},
		{"half of the words unknown", known + strings.Repeat("vizsgálat eredmény ", 20), nil, []string{UnknownWords}},
		{"unknown words inside of spans only", known + "Vizsgálat Eredmény", []data.Span{{Start: len(known), End: len(known) + 20, Score: 1}}, nil},
		{"low scores", known, spans(4, 0.6), []string{LowScores}},
		{"two spans with low scores", known, spans(2, 0.6), nil},
		{"many spans", known, spans(10, 1), []string{ManySpans}},
		{"long", strings.Repeat(known, 4), nil, []string{Length}},
		{"another script", known + strings.Repeat("αβγδε ", 20), nil, []string{UnknownWords, Script}},
		{"short and unknown", "vizsgálat eredmény", nil, nil},
		{"empty", "", nil, nil},
	} {
		if got := m.Unlike(c.text, c.found); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
