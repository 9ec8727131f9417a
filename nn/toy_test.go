package nn_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/gradcheck"
)

// example is a sequence of rows of the table of a toy, with a class for each.
type example struct{ rows, classes []int32 }

func (e example) Len() int { return len(e.rows) }

const (
	toyRows    = 9 // of the table
	toyColumns = 5
	toyClasses = 3
)

// examples returns random sequences of these lengths.
func examples(seed uint64, lengths ...int) (batch []example) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, n := range lengths {
		var e example
		for range n {
			e.rows, e.classes = append(e.rows, rng.Int32N(toyRows)), append(e.classes, rng.Int32N(toyClasses))
		}
		batch = append(batch, e)
	}
	return batch
}

// toy classifies with the layers under test, whose input x, [elements, toyColumns], has rows of a
// table, and whose output has a row for each element or each sequence.
type toy struct {
	graph         *nn.Graph
	elements      *nn.Axis
	rows, classes *nn.Index
	perSequence   bool
	x, y, loss    *G.Node
}

func newToy(layers func(g *nn.Graph, x *G.Node) *G.Node) func(*nn.Graph) *toy {
	return func(g *nn.Graph) *toy {
		m := &toy{graph: g, elements: g.Axis("elements")}
		m.rows = m.elements.Index()
		m.x = g.Gather(g.Param("table", toyRows, toyColumns, nn.Glorot), m.rows)
		m.y = layers(g, m.x)
		axis := g.AxisOf(m.y)
		m.perSequence = axis != m.elements
		m.classes = axis.Index()
		m.loss = g.SoftmaxLoss(g.Linear("logits", m.y, toyClasses), m.classes)
		return m
	}
}

func (m *toy) Fill(batch []example, seeds []uint64) {
	m.elements.Pack(len(batch), func(i int) int { return len(batch[i].rows) })
	m.elements.Seeds = seeds
	m.rows.Fill(func(i int) []int32 { return batch[i].rows })
	m.classes.Fill(func(i int) []int32 {
		if m.perSequence {
			return batch[i].classes[:1]
		}
		return batch[i].classes
	})
}

func (m *toy) Loss() *G.Node { return m.loss }

// machine returns a machine of the toy and its parameters, which have random values that are large
// enough that no layer is nearly linear.
func machine(t *testing.T, layers func(g *nn.Graph, x *G.Node) *G.Node) (*nn.Machine[example, *toy], *nn.Params) {
	t.Helper()
	params := nn.NewParams(1)
	m, err := nn.NewMachine[example](params, newToy(layers), true)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for _, p := range params.All() {
		nn.Normal(0.6)(rng, p)
	}
	return m, params
}

// checkGradients compares the gradients of the layers with finite differences for batches of
// sequences of different lengths, after edit has changed the parameters, unless it is nil. It also
// checks that a machine that has seen other batches computes the same gradients.
func checkGradients(t *testing.T, layers func(g *nn.Graph, x *G.Node) *G.Node, edit func(*nn.Params)) {
	t.Helper()
	used, params := machine(t, layers)
	if edit != nil {
		edit(params)
	}
	for _, lengths := range [][]int{{1}, {2}, {3, 7, 1, 7, 2}, {1, 1}, {12}} {
		batch := examples(3, lengths...)
		if err := gradcheck.Check(params, newToy(layers), batch, nil); err != nil {
			t.Errorf("sequences of lengths %v: %v", lengths, err)
		}
		fresh, err := nn.NewMachine[example](params, newToy(layers), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*nn.Machine[example, *toy]{used, fresh} {
			if err := m.Run(batch); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range params.All() {
			if !slices.Equal(used.Gradient(p), fresh.Gradient(p)) {
				t.Errorf("sequences of lengths %v: %s has another gradient after other batches", lengths, p.Name)
			}
		}
	}
}
