package nn

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"sync/atomic"

	"github.com/chewxy/hm"
	_ "go4.org/unsafe/assume-no-moving-gc" // pins a newer version, because the one that Gorgonia requires panics on Go 1.26
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// A layer enters the graph as three kinds of op: one forward op, one backward op that computes the
// gradients of all inputs at once and returns a dummy scalar, and per input one pick op that
// returns the gradient of the input. Shapes in the graph are nominal, (1, columns): the real shapes
// come with each batch, so one compiled machine serves every length.
//
// The design avoids these traps of Gorgonia 0.9:
//
//   - Ops with equal 32-bit hashes are merged, so every op writes a unique id.
//   - A panic inside Do kills the process, so every Do recovers.
//   - Unless CallsExtern is false, a buffer of the nominal shape is preallocated.
//   - If an op can reach the machine that runs it, neither is ever freed.
//   - RunAll computes on another thread: see tape.go.

type opKind string

const (
	forwardOp  opKind = "forward"
	backwardOp opKind = "backward"
	pickOp     opKind = "gradient"
)

// op implements gorgonia.SDOp for the three kinds.
type op struct {
	kind  opKind
	name  string
	id    uint64
	layer layer
	cols  int       // columns of the value; 0: a scalar
	in    []*G.Node // nil for pick; their types determine the op's type
	pick  int
	grads *[]kernel.Matrix // set by backward, read by pick
	last  *kernel.Matrix   // forward's output, for the caller of the machine
}

var opID atomic.Uint64

// apply adds a layer to the graph: a matrix node with the given number of columns, or a scalar if
// cols is 0.
func apply(name string, l layer, cols int, in ...*G.Node) (*G.Node, *op) {
	o := &op{kind: forwardOp, name: name, id: opID.Add(1), layer: l, cols: cols, in: in, last: new(kernel.Matrix)}
	return G.Must(G.ApplyOp(o, in...)), o
}

func nodeType(cols int) hm.Type {
	if cols == 0 {
		return tensor.Float32
	}
	return G.TensorType{Dims: 2, Of: tensor.Float32}
}

func columns(n *G.Node) int {
	if n.IsScalar() {
		return 0
	}
	return n.Shape()[1]
}

func (o *op) Arity() int {
	if o.kind == pickOp {
		return 1
	}
	return len(o.in)
}

func (o *op) Type() hm.Type {
	if o.kind == pickOp {
		return hm.NewFnType(tensor.Float32, nodeType(o.cols))
	}
	types := make([]hm.Type, 0, len(o.in)+1)
	for _, n := range o.in {
		types = append(types, nodeType(columns(n)))
	}
	return hm.NewFnType(append(types, nodeType(o.cols))...)
}

func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) {
	if o.cols == 0 {
		return tensor.ScalarShape(), nil
	}
	return tensor.Shape{1, o.cols}, nil
}

func (o *op) Do(values ...G.Value) (v G.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("nn: %s: %v", o, p)
		}
	}()
	if o.kind == pickOp {
		return toValue((*o.grads)[o.pick], o.cols), nil
	}
	in := make([]kernel.Matrix, len(values))
	for i, v := range values {
		in[i] = toMatrix(v)
	}
	if o.kind == forwardOp {
		*o.last = o.layer.forward(in)
		return toValue(*o.last, o.cols), nil
	}
	// The inputs of a backward op are the inputs of forward, its output, and the output's gradient.
	*o.grads = o.layer.backward(in[:len(in)-2], in[len(in)-1])
	return G.NewF32(0), nil
}

// toMatrix views a value as a matrix; a scalar becomes 1x1.
func toMatrix(v G.Value) kernel.Matrix {
	switch v := v.(type) {
	case *tensor.Dense:
		if data, ok := v.Data().([]float32); ok {
			s := v.Shape()
			return kernel.NewMatrix(s[0], s[1], data)
		}
		return kernel.NewMatrix(1, 1, []float32{v.Data().(float32)})
	case *G.F32:
		return kernel.NewMatrix(1, 1, []float32{float32(*v)})
	}
	panic(fmt.Sprintf("a %T is not a matrix", v))
}

// toValue wraps a dense matrix in a new tensor header, without copying.
func toValue(m kernel.Matrix, cols int) G.Value {
	if cols == 0 {
		if m.Rows == 0 {
			return G.NewF32(0)
		}
		return G.NewF32(m.Data[0])
	}
	return tensor.New(tensor.WithShape(m.Rows, m.Cols), tensor.WithBacking(m.Data))
}

func (o *op) DiffWRT(inputs int) []bool {
	all := make([]bool, inputs)
	for i := range all {
		all[i] = true
	}
	return all
}

func (o *op) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	if o.kind != forwardOp {
		return nil, fmt.Errorf("nn: %s has no second derivative", o)
	}
	back := &op{kind: backwardOp, name: o.name, id: opID.Add(1), layer: o.layer, grads: new([]kernel.Matrix)}
	back.in = append(append(G.Nodes{}, inputs...), output, grad) // the output is an input so that forward runs first
	node, err := G.ApplyOp(back, back.in...)
	if err != nil {
		return nil, err
	}
	var picks G.Nodes
	for i, n := range inputs {
		p, err := G.ApplyOp(&op{kind: pickOp, name: o.name, id: opID.Add(1), cols: columns(n), pick: i, grads: back.grads}, node)
		if err != nil {
			return nil, err
		}
		picks = append(picks, p)
	}
	return picks, nil
}

func (o *op) ReturnsPtr() bool     { return true }
func (o *op) CallsExtern() bool    { return false }
func (o *op) OverwritesInput() int { return -1 }
func (o *op) String() string       { return fmt.Sprintf("%s of %s", o.kind, o.name) }

func (o *op) WriteHash(h hash.Hash) {
	fmt.Fprintf(h, "lethe %s ", o.name)
	_ = binary.Write(h, binary.LittleEndian, o.id) // writing to a hash never fails
}

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

var _ G.SDOp = (*op)(nil)
