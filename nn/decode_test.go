package nn_test

import (
	"fmt"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
)

func classify(g *nn.Graph, x *G.Node) *G.Node { return g.Linear("y", g.MaxPool(x), 2) }

// A decoder once panicked with slice bounds out of range.
func TestDecoderNamesShapesThatDoNotFit(t *testing.T) {
	m, params := machine(t, classify)
	if err := m.Run(examples(1, 3, 2)); err != nil {
		t.Fatal(err)
	}
	f := m.Model
	texts, unaries := f.graph.Sequences(f.elements), m.Value(f.y)
	for want, decode := range map[string]func(){
		"nn: decoder: expected unaries [5, 2] for the axis elements, given [2, 2]": func() { nn.NewDecoder(2, nil).Decode(f.elements, unaries, nil) },
		"nn: decoder: expected unaries [2, 3] for the axis sequences of elements, given [2, 2]": func() {
			nn.NewDecoder(3, nil).Decode(texts, unaries, nil)
		},
		"nn: decoder: expected transitions [4, 4], given [1, 2]": func() { nn.NewDecoder(2, nil).Decode(texts, unaries, params.Get("y.b")) },
	} {
		func() {
			defer func() {
				if p := recover(); fmt.Sprint(p) != want {
					t.Errorf("%v, want %s", p, want)
				}
			}()
			decode()
		}()
	}
}

// Over the axis of sequences, each sequence has one label, the class with the highest score.
func TestDecoderClassifiesSequences(t *testing.T) {
	m, _ := machine(t, classify)
	batch := examples(4, 3, 2, 7, 1)
	if err := m.Run(batch); err != nil {
		t.Fatal(err)
	}
	f := m.Model
	seen := map[int32]bool{}
	for i, l := range nn.NewDecoder(2, nil).Decode(f.graph.Sequences(f.elements), m.Value(f.y), nil) {
		scores := m.Value(f.y).Row(f.elements.Place(i))
		if want := int32(slices.Index(scores, slices.Max(scores))); !slices.Equal(l.Labels, []int32{want}) {
			t.Errorf("sequence %d: labels %v, want %d", i, l.Labels, want)
		}
		seen[l.Labels[0]] = true
	}
	if len(seen) != 2 {
		t.Errorf("only the classes %v: the test cannot fail", seen)
	}
}
