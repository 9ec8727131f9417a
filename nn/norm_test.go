package nn_test

import (
	"math"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
)

func TestLayerNormGradients(t *testing.T) {
	for name, layers := range map[string]func(g *nn.Graph, x *G.Node) *G.Node{
		"alone":    func(g *nn.Graph, x *G.Node) *G.Node { return g.LayerNorm("norm", x) },
		"residual": func(g *nn.Graph, x *G.Node) *G.Node { return g.Tanh(g.Add(x, g.LayerNorm("norm", x))) },
		"shared":   func(g *nn.Graph, x *G.Node) *G.Node { return g.LayerNorm("norm", g.LayerNorm("norm", x)) },
	} {
		t.Run(name, func(t *testing.T) { checkGradients(t, layers, nil) })
	}
}

// Compares the layer with the formula in float64.
func TestLayerNorm(t *testing.T) {
	m, params := machine(t, func(g *nn.Graph, x *G.Node) *G.Node { return g.LayerNorm("norm", x) })
	for j := range toyColumns { // a row of equal values has variance 0
		params.Get("table").Data[j] = 7
	}
	batch := examples(1, 4, 9, 1)
	batch[0].rows[0] = 0
	if err := m.Run(batch); err != nil {
		t.Fatal(err)
	}
	x, y := m.Value(m.Model.x), m.Value(m.Model.y)
	gain, bias := params.Get("norm.g").Data, params.Get("norm.b").Data
	for r := range x.Rows {
		var mean, variance float64
		for _, v := range x.Row(r) {
			mean += float64(v) / toyColumns
		}
		for _, v := range x.Row(r) {
			variance += math.Pow(float64(v)-mean, 2) / toyColumns
		}
		for j, v := range x.Row(r) {
			want := float64(gain[j])*(float64(v)-mean)/math.Sqrt(variance+1e-5) + float64(bias[j])
			if got := float64(y.Row(r)[j]); math.Abs(got-want) > 1e-5 {
				t.Fatalf("row %d, column %d: %v, want %v", r, j, got, want)
			}
		}
	}
}

// A new layer only normalises: its gain is 1 and its bias 0.
func TestLayerNormStartsWithoutEffect(t *testing.T) {
	params := nn.NewParams(1)
	layers := func(g *nn.Graph, x *G.Node) *G.Node { return g.LayerNorm("norm", x) }
	if _, err := nn.NewMachine[example](params, newToy(layers), true); err != nil {
		t.Fatal(err)
	}
	for j := range toyColumns {
		if g, b := params.Get("norm.g").Data[j], params.Get("norm.b").Data[j]; g != 1 || b != 0 {
			t.Errorf("column %d: gain %v and bias %v", j, g, b)
		}
	}
}

func TestLayersThatDoNotFit(t *testing.T) {
	for want, layers := range map[string]func(g *nn.Graph, x *G.Node) *G.Node{
		"layer norm: expected at least two columns, given [elements, 1]": func(g *nn.Graph, x *G.Node) *G.Node {
			return g.LayerNorm("norm", g.Linear("one", x, 1))
		},
		"layer cnn: expected a width of at least one element, given 0": func(g *nn.Graph, x *G.Node) *G.Node {
			return g.Convolution("cnn", x, 0, 2)
		},
		"layer cnn: expected at least one unit, given 0": func(g *nn.Graph, x *G.Node) *G.Node { return g.Convolution("cnn", x, 3, 0) },
		"layer max_pool: expected a matrix over a ragged axis, given [2, 2]": func(g *nn.Graph, x *G.Node) *G.Node {
			return g.MaxPool(g.Param("p", 2, 2, nn.Zeros))
		},
	} {
		if _, err := nn.NewMachine[example](nn.NewParams(1), newToy(layers), true); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
