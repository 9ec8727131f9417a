package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Graph is a Gorgonia graph under construction. Its methods add layers: they take and return
// nodes, so that a node can feed any number of others, and ops of Gorgonia can be used between layers.
//
// The first argument of a layer with parameters is its name, with which the names of its parameters
// begin. Layers of the same name share their parameters.
//
// A layer that does not fit panics. The functions that call the assembly of a network (NewTrainer,
// NewMachine) return that as an error.
type Graph struct {
	*G.ExprGraph
	// Training reports whether the graph is built for training. Otherwise Dropout does nothing, and
	// CRF, SoftmaxLoss and Total return nil, because there are no gold labels.
	Training bool

	params   *Params
	nodes    map[string]*G.Node // of the parameters
	axes     []*Axis
	lookups  []*lookup
	dropouts int
	seeded   bool             // whether the current batch has seeds
	int8     bool             // see Int8
	memory   *lstmMemory      // which all LSTMs of a graph for prediction share
	bypassed map[*G.Node]bool // see pieces
}

// buildError is the panic of a layer that does not fit.
type buildError struct{ error }

// Fail ends the building of the graph with an error that begins with the name of the layer.
func (g *Graph) Fail(layer, format string, args ...any) {
	panic(buildError{fmt.Errorf("layer %s: %w", layer, fmt.Errorf(format, args...))})
}

// firstAxis is the number of rows that stands for the first axis in the shapes of a graph. No
// matrix has as many.
const firstAxis = 1 << 30

// Axis adds a ragged axis. Its name is used in errors and shapes.
func (g *Graph) Axis(name string) *Axis {
	a := &Axis{name: name, size: firstAxis + len(g.axes)}
	g.axes = append(g.axes, a)
	return a
}

// Sequences returns the axis with one row per sequence of a, in the same order.
func (g *Graph) Sequences(a *Axis) *Axis {
	if a.sequences == nil {
		a.sequences = g.Axis("sequences of " + a.name)
		a.sequences.of = a
		a.sequences.sequences = a.sequences // each is a sequence of one row
	}
	return a.sequences
}

// AxisOf returns the axis of the rows of a matrix, or nil if the number of rows is fixed, as it is for
// a parameter.
func (g *Graph) AxisOf(n *G.Node) *Axis {
	if s := n.Shape(); len(s) == 2 && s[0] >= firstAxis && s[0]-firstAxis < len(g.axes) {
		return g.axes[s[0]-firstAxis]
	}
	return nil
}

// Matrix checks that the input of a layer is a matrix of float32 and returns its number of columns.
func (g *Graph) Matrix(layer string, n *G.Node) (columns int) {
	if n == nil {
		g.Fail(layer, "expected a matrix of float32, given none")
	}
	if s := n.Shape(); len(s) == 2 && n.Dtype() == tensor.Float32 {
		return s[1]
	}
	given := g.Shape(n)
	if n.Dtype() != tensor.Float32 {
		given += fmt.Sprintf(" of %v", n.Dtype())
	}
	g.Fail(layer, "expected a matrix of float32, given %s", given)
	return 0
}

// Rows checks that the input of a layer is a matrix of float32 whose rows are a ragged axis. It returns
// the axis and the number of columns.
func (g *Graph) Rows(layer string, n *G.Node) (rows *Axis, columns int) {
	columns = g.Matrix(layer, n)
	if rows = g.AxisOf(n); rows == nil {
		g.Fail(layer, "expected a matrix over a ragged axis, given %s", g.Shape(n))
	}
	return rows, columns
}

// Shape describes the shape of a node for errors, such as [tokens, 100].
func (g *Graph) Shape(n *G.Node) string {
	s := n.Shape()
	switch a := g.AxisOf(n); {
	case len(s) == 0:
		return "a scalar"
	case len(s) == 1:
		return "a vector"
	case a != nil:
		return fmt.Sprintf("[%s, %d]", a.name, s[1])
	case len(s) == 2:
		return fmt.Sprintf("[%d, %d]", s[0], s[1])
	}
	return fmt.Sprintf("a tensor of %d dimensions", len(s))
}

// Param returns the node of a parameter, which is made and initialised if the network does not have
// it yet. Asking for one name twice shares the parameter.
func (g *Graph) Param(name string, rows, cols int, init Init) *G.Node {
	p, err := g.params.get(name, rows, cols, false, init)
	if err != nil {
		g.Fail(name, "%w", err)
	}
	if g.nodes[name] == nil {
		// Each graph has its own header over the shared values.
		value := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(p.Data))
		g.nodes[name] = G.NewMatrix(g.ExprGraph, G.Float32, G.WithShape(rows, cols), G.WithName(name), G.WithValue(value))
	}
	return g.nodes[name]
}

// Apply adds a layer whose output is a matrix [rows, columns].
func (g *Graph) Apply(name string, l Layer, rows *Axis, columns int, in ...*G.Node) *G.Node {
	return g.apply(name, l, tensor.Shape{rows.size, columns}, in)
}

// ApplyScalar adds a layer whose output is a scalar, such as a loss.
func (g *Graph) ApplyScalar(name string, l Layer, in ...*G.Node) *G.Node {
	return g.apply(name, l, tensor.ScalarShape(), in)
}

func (g *Graph) apply(name string, l Layer, shape tensor.Shape, in []*G.Node) *G.Node {
	for _, n := range in {
		if n == nil || !n.IsScalar() {
			g.Matrix(name, n)
		}
	}
	return G.Must(G.ApplyOp(&op{kind: forwardOp, name: name, id: opID.Add(1), layer: l, shape: shape, in: in}, in...))
}

// build calls the assembly of a network and initialises the parameters that it adds.
func build[M any](params *Params, training bool, assembly func(*Graph) M) (g *Graph, model M, err error) {
	before := len(params.list)
	defer func() {
		p := recover()
		if p != nil { // the parameters of a network that was not built would be saved with the others
			params.remove(before)
		}
		switch p := p.(type) {
		case nil:
		case buildError:
			err = fmt.Errorf("nn: %w", p.error)
		default: // Gorgonia panics if it cannot build a graph
			err = fmt.Errorf("nn: building the graph: %v", p)
		}
	}()
	g = &Graph{ExprGraph: G.NewGraph(), Training: training, params: params, nodes: map[string]*G.Node{}, bypassed: map[*G.Node]bool{}}
	if !training {
		g.memory = &lstmMemory{brief: true}
	}
	model = assembly(g)
	params.initialise()
	return g, model, nil
}
