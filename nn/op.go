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

// Layer is a function of matrices with its gradient. It may own buffers: what Forward returns is
// valid until the next call. A layer must not change its inputs. Parameters are inputs like any
// other; whatever else changes from batch to batch, such as labels, it reads from an Index or Axis.
type Layer interface {
	// Forward computes the output, [rows of its axis, columns], or [1, 1] if it is a scalar.
	Forward(in []kernel.Matrix) kernel.Matrix
	// Backward adds the gradient of each input to din, which has zeros, given the inputs and the
	// output of the last Forward and the gradient of the output.
	Backward(in []kernel.Matrix, out, dout kernel.Matrix, din []kernel.Matrix)
}

// A layer enters the graph as three kinds of op: one forward op, one backward op that computes the
// gradients of all inputs at once and returns a dummy scalar, and per input one pick op that
// returns the gradient of the input. G.Grad arranges them, together with the ops of Gorgonia that
// stand between.
//
// The design avoids these traps of Gorgonia 0.9:
//
//   - Ops with equal 32-bit hashes are merged, so every op writes a unique id.
//   - A panic inside Do kills the process if a machine of Gorgonia runs it, so every Do recovers.
//   - Unless CallsExtern is false, a machine of Gorgonia preallocates a buffer for the output.

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
	layer Layer
	shape tensor.Shape // of the value
	in    []*G.Node    // nil for pick; their types determine the op's type
	pick  int
	grads *gradients // set by backward, read by pick
}

// gradients contains the gradients that a backward op computes, one per input of its layer.
type gradients struct {
	buffers []buffer
	of      []kernel.Matrix
}

func (g *gradients) zeroed(in []kernel.Matrix) []kernel.Matrix {
	if g.buffers == nil {
		g.buffers, g.of = make([]buffer, len(in)), make([]kernel.Matrix, len(in))
	}
	for i, m := range in {
		g.of[i] = g.buffers[i].zeroed(m.Rows, m.Cols)
	}
	return g.of
}

var opID atomic.Uint64

func nodeType(s tensor.Shape) hm.Type {
	if s.IsScalar() {
		return tensor.Float32
	}
	return G.TensorType{Dims: 2, Of: tensor.Float32}
}

func (o *op) Arity() int {
	if o.kind == pickOp {
		return 1
	}
	return len(o.in)
}

func (o *op) Type() hm.Type {
	if o.kind == pickOp {
		return hm.NewFnType(tensor.Float32, nodeType(o.shape))
	}
	types := make([]hm.Type, 0, len(o.in)+1)
	for _, n := range o.in {
		types = append(types, nodeType(n.Shape()))
	}
	return hm.NewFnType(append(types, nodeType(o.shape))...)
}

func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) { return o.shape.Clone(), nil }

// run computes the op. The value of a backward op is a dummy.
func (o *op) run(in []kernel.Matrix) kernel.Matrix {
	switch o.kind {
	case forwardOp:
		return o.layer.Forward(in)
	case backwardOp: // of the inputs of forward, its output, and the gradient of the output
		n := len(in) - 2
		o.layer.Backward(in[:n], in[n], in[n+1], o.grads.zeroed(in[:n]))
		return zero
	}
	return o.grads.of[o.pick]
}

var zero = kernel.NewMatrix(1, 1, make([]float32, 1))

func (o *op) Do(values ...G.Value) (v G.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("nn: %s: %v", o, p)
		}
	}()
	in := make([]kernel.Matrix, len(values))
	for i, v := range values {
		in[i] = toMatrix(v)
	}
	return toValue(o.run(in), o.shape.IsScalar()), nil
}

// toMatrix views a value as a matrix; a scalar becomes 1x1.
func toMatrix(v G.Value) kernel.Matrix {
	switch v := v.(type) {
	case *tensor.Dense:
		if data, ok := v.Data().([]float32); ok && v.Dims() == 2 {
			s := v.Shape()
			return kernel.NewMatrix(s[0], s[1], data)
		}
		if x, ok := v.Data().(float32); ok {
			return kernel.NewMatrix(1, 1, []float32{x})
		}
	case *G.F32:
		return kernel.NewMatrix(1, 1, []float32{float32(*v)})
	}
	panic(fmt.Sprintf("a %T of shape %v is not a matrix of float32", v, v.Shape()))
}

// toValue wraps a dense matrix in a new tensor header, without copying.
func toValue(m kernel.Matrix, scalar bool) G.Value {
	if scalar {
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
	back := &op{kind: backwardOp, name: o.name, id: opID.Add(1), layer: o.layer, shape: tensor.ScalarShape(), grads: new(gradients)}
	back.in = append(append(G.Nodes{}, inputs...), output, grad) // the output is an input so that forward runs first
	node, err := G.ApplyOp(back, back.in...)
	if err != nil {
		return nil, err
	}
	var picks G.Nodes
	for i, n := range inputs {
		p, err := G.ApplyOp(&op{kind: pickOp, name: o.name, id: opID.Add(1), shape: n.Shape(), pick: i, grads: back.grads}, node)
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
