package tagger

import (
	"strings"
	"testing"
)

// Sizes of a part that the network does not have were refused, and the error did not say which size was
// wrong.
func TestImpossibleSizes(t *testing.T) {
	for want, edit := range map[string]func(*Config, *Sizes){
		"": func(*Config, *Sizes) {},
		"sizes: Labels is 0: at least 1 is required":             func(_ *Config, s *Sizes) { s.Labels = 0 },
		"sizes: Tokens is 0: at least 1 is required":             func(_ *Config, s *Sizes) { s.Tokens = 0 },
		"sizes: Characters is -1: at least 1 is required":        func(_ *Config, s *Sizes) { s.Characters = -1 },
		"sizes: Features.Values[1] is 0: at least 1 is required": func(_ *Config, s *Sizes) { s.Features = Features{Values: []int{2, 0}, Dimension: 3} },
		"sizes: Features.Dimension is 0: at least 1 is required": func(_ *Config, s *Sizes) { s.Features.Values = []int{2} },
		"sizes: Features.Dropout is 1, which is not in [0, 1)":   func(_ *Config, s *Sizes) { s.Features.Dropout = 1 },
	} {
		cfg, sizes := DefaultConfig(), Sizes{Characters: 10, Tokens: 10, Labels: 2}
		edit(&cfg, &sizes)
		got := ""
		if _, err := New(cfg, sizes, 1); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("error %q, want %q", got, want)
		}
	}
	cfg := DefaultConfig()
	cfg.Characters = NoCharacters
	if _, err := New(cfg, Sizes{Tokens: 10, Labels: 2}, 1); err != nil {
		t.Errorf("without characters: %v", err)
	}
	cfg = DefaultConfig()
	cfg.TokenEmbedding = 0
	if _, err := New(cfg, Sizes{Characters: 10, Labels: 2}, 1); err != nil {
		t.Errorf("without tokens: %v", err)
	}
}

// An id beyond its table was reported as a failed instruction of the graph.
func TestIDsOutOfRange(t *testing.T) {
	cfg := DefaultConfig()
	net, err := New(cfg, Sizes{Characters: 10, Tokens: 10, Labels: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := net.NewPredictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tokens, characters []int32
		want               string
	}{
		{[]int32{3}, []int32{9}, ""},
		{[]int32{54}, []int32{9}, "54"},
		{[]int32{3}, []int32{-2}, "-2"},
	} {
		_, err := p.Predict([]Sentence{{Tokens: c.tokens, Characters: [][]int32{c.characters}}})
		if c.want == "" && err == nil {
			continue
		}
		t.Log(err)
		if err == nil || strings.Contains(err.Error(), "PC ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ids %v, %v: error %v", c.tokens, c.characters, err)
		}
	}
}
