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
		if err := m.RunSeeded(lines[:1], seeds, 1); err != nil {
			t.Fatal(err)
		}
		if drops := slices.Contains(m.Value(dropped).Data, 0); drops != (seeds != nil) {
			t.Errorf("seeds %v: drops %v", seeds, drops)
		}
	}
}

// A network that forgot the seeds trained without dropout.
func TestForgottenSeedsAreAnError(t *testing.T) {
	m, err := nn.NewMachine[line](nn.NewParams(1), func(g *nn.Graph) *forgetful { return &forgetful{findNames(g)} }, true)
	if err != nil {
		t.Fatal(err)
	}
	want := "nn: forward of dropout: the Seeds of the axis tokens were not set for this batch"
	if err := m.RunSeeded(lines[:1], []uint64{1}, 1); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := m.Run(lines[:1]); err != nil {
		t.Errorf("a batch without seeds: %v", err)
	}
}

type forgetful struct{ *finder }

func (f *forgetful) Fill(batch []line, _ []uint64) { f.finder.Fill(batch, nil) }
