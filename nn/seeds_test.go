package nn_test

import (
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
)

// Dropout over the axis of sequences needed seeds of its own, and without them silently did nothing.
func TestDropoutOverSequencesUsesTheSeedsOfTheAxis(t *testing.T) {
	var dropped *G.Node
	m, err := nn.NewMachine[line](nn.NewParams(1), func(g *nn.Graph) *finder {
		f := findNames(g)
		ones := g.Embedding("ones", f.words, len(vocabulary), 100, nn.Ones)
		dropped = g.Dropout(g.MaxPool(ones), 0.5, 0)
		f.loss = g.Total(f.loss, G.Must(G.Sum(dropped)))
		return f
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, seeds := range [][]uint64{{1}, nil} {
		if err := m.Run(lines[:1], seeds, 1); err != nil {
			t.Fatal(err)
		}
		if drops := slices.Contains(m.Value(dropped).Data, 0); drops != (seeds != nil) {
			t.Errorf("seeds %v: drops %v", seeds, drops)
		}
	}
}
