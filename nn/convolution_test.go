package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
)

func TestConvolutionGradients(t *testing.T) {
	for width := 1; width <= 5; width++ {
		t.Run(fmt.Sprintf("width %d", width), func(t *testing.T) {
			checkGradients(t, func(g *nn.Graph, x *G.Node) *G.Node { return g.Tanh(g.Convolution("cnn", x, width, 4)) }, nil)
		})
	}
	t.Run("two widths and a residual", func(t *testing.T) {
		checkGradients(t, func(g *nn.Graph, x *G.Node) *G.Node {
			two := g.Concat(g.Convolution("narrow", x, 2, 2), g.Convolution("wide", x, 3, toyColumns-2))
			return g.Tanh(g.Add(x, g.Tanh(two)))
		}, nil)
	})
}

// Compares the layer with its formula, element by element in float64.
func TestConvolution(t *testing.T) {
	const filters = 4
	for width := 1; width <= 6; width++ {
		m, params := machine(t, func(g *nn.Graph, x *G.Node) *G.Node { return g.Convolution("cnn", x, width, filters) })
		batch := examples(1, 4, 9, 1, 2, 4)
		if err := m.Run(batch); err != nil {
			t.Fatal(err)
		}
		table, w, b := params.Get("table").Data, params.Get("cnn.W").Data, params.Get("cnn.b").Data
		for i, e := range batch {
			for at := range e.rows {
				for f := range filters {
					want := float64(b[f])
					for k := range width {
						if from := at + k - (width-1)/2; from >= 0 && from < len(e.rows) {
							for j := range toyColumns {
								want += float64(table[int(e.rows[from])*toyColumns+j]) * float64(w[(k*toyColumns+j)*filters+f])
							}
						}
					}
					if got := float64(m.Value(m.Model.y).Row(m.Model.elements.Row(i, at))[f]); math.Abs(got-want) > 1e-5 {
						t.Fatalf("width %d, sequence %d, element %d, filter %d: %v, want %v", width, i, at, f, got, want)
					}
				}
			}
		}
	}
}

// The differences change a value by up to 0.18. The values of a column are 0.3 apart, so that none
// becomes the maximum instead of another.
func separate(params *nn.Params) {
	rng := rand.New(rand.NewPCG(4, 4))
	for j := range toyColumns {
		for r, place := range rng.Perm(toyRows) {
			params.Get("table").Data[r*toyColumns+j] = 0.3 * (float32(place) - toyRows/2)
		}
	}
}

func TestMaxPoolGradients(t *testing.T) {
	for name, layers := range map[string]func(g *nn.Graph, x *G.Node) *G.Node{
		"alone":    func(g *nn.Graph, x *G.Node) *G.Node { return g.MaxPool(x) },
		"branches": func(g *nn.Graph, x *G.Node) *G.Node { return g.Concat(g.MaxPool(x), g.Tanh(g.MaxPool(g.Tanh(x)))) },
	} {
		t.Run(name, func(t *testing.T) { checkGradients(t, layers, separate) })
	}
}

// Compares the layer with the maximum over each sequence. Of equal maxima, the first has the
// gradient.
func TestMaxPool(t *testing.T) {
	m, _ := machine(t, func(g *nn.Graph, x *G.Node) *G.Node { return g.MaxPool(x) })
	batch := examples(1, 4, 9, 1, 2, 4)
	if err := m.Run(batch); err != nil {
		t.Fatal(err)
	}
	x, y := m.Value(m.Model.x), m.Value(m.Model.y)
	for i, e := range batch {
		for j := range toyColumns {
			want := float32(math.Inf(-1))
			for at := range e.rows {
				want = max(want, x.Row(m.Model.elements.Row(i, at))[j])
			}
			if got := y.Row(m.Model.elements.Place(i))[j]; got != want {
				t.Errorf("sequence %d, column %d: %v, want %v", i, j, got, want)
			}
		}
	}
}

// Two rows of the table are equal, and one sequence has both: the first has the whole gradient.
func TestMaxPoolOfEqualValues(t *testing.T) {
	m, params := machine(t, func(g *nn.Graph, x *G.Node) *G.Node { return g.MaxPool(x) })
	table := params.Get("table")
	copy(table.Data[toyColumns:2*toyColumns], table.Data[:toyColumns])
	if err := m.Run([]example{{rows: []int32{1, 0}, classes: []int32{0, 0}}}); err != nil {
		t.Fatal(err)
	}
	for j, d := range m.Gradient(table)[:2*toyColumns] {
		if first := j >= toyColumns; (d != 0) != first {
			t.Errorf("row %d has the gradient %v", j/toyColumns, d)
		}
	}
}
