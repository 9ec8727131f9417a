package ensemble

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lethe-deid/lethe/data"
)

// believes is a tagger with these estimates for every note.
type believes []data.Estimate

func (believes) Tag(context.Context, []*data.Document) ([][]data.Span, error) { panic("not used") }

func (b believes) Estimate(_ context.Context, docs []*data.Document) ([][]data.Estimate, error) {
	return slices.Repeat([][]data.Estimate{b}, len(docs)), nil
}

func token(start, end int, chances ...data.Chance) data.Estimate {
	return data.Estimate{Start: start, End: end, Chances: chances}
}

func TestMean(t *testing.T) {
	// John, Smith MD of Salem.
	// 0   4 6     12 15 18   23
	sure := believes{
		token(0, 4, data.Chance{Type: "NAME", Begin: 0.9}), token(4, 5, data.Chance{Type: "NAME", Inside: 0.6}),
		token(6, 11, data.Chance{Type: "NAME", Begin: 0.2, Inside: 0.7}), token(12, 14), token(15, 17), token(18, 23, data.Chance{Type: "CITY", Begin: 0.4}), token(23, 24),
	}
	other := believes{
		token(0, 5, data.Chance{Type: "NAME", Begin: 0.8}), // another tokenizer
		token(6, 11, data.Chance{Type: "NAME", Begin: 0.1, Inside: 0.3}), token(12, 14), token(15, 17),
		token(18, 24, data.Chance{Type: "CITY", Begin: 0.5}, data.Chance{Type: "NAME", Begin: 0.1}),
	}
	for name, c := range map[string]struct {
		members []Member
		taggers []data.Tagger
		want    []string
		doubts  []string
	}{
		"one member": {
			members("a"), []data.Tagger{sure},
			[]string{"NAME 0-11 0.6"}, []string{"CITY 18-23 0.4"},
		},
		"tokens of two tokenizers": { // the comma: inside with (0.6 + 0.8) / 2; Smith: (0.7 + 0.3) / 2; Salem: 0.45, with the full stop a part of the second member's token
			members("a", "b"), []data.Tagger{sure, other},
			[]string{"NAME 0-11 0.5"}, []string{"CITY 18-23 0.5", "CITY 23-24 0.3"},
		},
		"rules have an opinion only of what they find": {
			members("a", "rules"), []data.Tagger{sure, parse(t, "CITY 18-23 1")},
			[]string{"NAME 0-11 0.6", "CITY 18-23 0.7"}, nil,
		},
		"a span that is less probable than not is left out": {
			members("a"), []data.Tagger{believes{token(0, 4, data.Chance{Type: "NAME", Begin: 0.4}, data.Chance{Type: "CITY", Begin: 0.3})}},
			nil, []string{"NAME 0-4 0.7"},
		},
		"a member for some types has no opinion of others": {
			[]Member{{Name: "a"}, {Name: "b", Types: []string{"CITY"}}}, []data.Tagger{sure, other},
			[]string{"NAME 0-11 0.6"}, []string{"CITY 18-23 0.45", "CITY 23-24 0.25"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found, doubts, err := New(Config{Method: Mean, Members: c.members}, c.taggers).Probe(t.Context(), []*data.Document{{Text: text}}, 0.2)
			if err != nil {
				t.Fatal(err)
			}
			near := cmp.Options{cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty()}
			if diff := cmp.Diff([]data.Span(parse(t, c.want...)), found[0], near); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]data.Span(parse(t, c.doubts...)), doubts[0], near); diff != "" {
				t.Errorf("doubts (-want +got):\n%s", diff)
			}
		})
	}
}

// A span that no member begins, although all are certain of it, made decode panic.
func TestDecodeWithoutABeginning(t *testing.T) {
	for n := range 4 {
		var cells []cell
		for i := range n {
			cells = append(cells, cell{start: 2 * i, end: 2*i + 1, types: map[string]belief{"A": {inside: 1}}})
		}
		if spans := decode(cells); len(spans) > 1 {
			t.Errorf("%d cells: %v", n, spans)
		}
	}
}

// The labels that decode finds are at least as probable as any others.
func TestDecodeIsTheMostProbable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	types := []string{"A", "B"}
	for range 200 {
		cells := make([]cell, 1+r.IntN(5))
		for i := range cells {
			x := cell{start: 2 * i, end: 2*i + 1, types: map[string]belief{}, outside: 0.98 * r.Float64()}
			rest := 1 - x.outside
			for _, typ := range types {
				p := rest * r.Float64()
				rest -= p
				inside := p * r.Float64()
				x.types[typ] = belief{p - inside, inside}
			}
			cells[i] = x
		}
		best := math.Inf(-1)
		var search func(i int, before string, sum float64)
		search = func(i int, before string, sum float64) {
			if i == len(cells) {
				best = max(best, sum)
				return
			}
			search(i+1, "", sum+math.Log(cells[i].outside))
			for _, typ := range types {
				search(i+1, typ, sum+math.Log(cells[i].types[typ].begin))
				if typ == before {
					search(i+1, typ, sum+math.Log(cells[i].types[typ].inside))
				}
			}
		}
		search(0, "", 0)
		got := 0.0
		spans := viterbi(cells)
		for _, x := range cells {
			k := slices.IndexFunc(spans, func(s data.Span) bool { return s.Start <= x.start && x.end <= s.End })
			switch {
			case k < 0:
				got += math.Log(x.outside)
			case spans[k].Start == x.start:
				got += math.Log(x.types[spans[k].Type].begin)
			default:
				got += math.Log(x.types[spans[k].Type].inside)
			}
		}
		if math.Abs(got-best) > 1e-9 {
			t.Fatalf("log probability %v, the best is %v", got, best)
		}
	}
}
