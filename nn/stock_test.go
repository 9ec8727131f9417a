package nn_test

import (
	"fmt"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/gradcheck"
)

// Ops of Gorgonia between layers have the right gradient for a batch of any size, down to one row,
// and for matrices of one column. Reshape is part of most gradients of broadcasts, and once
// insisted on the number of rows that stands for an axis.
func TestOpsOfGorgoniaBetweenLayers(t *testing.T) {
	must := G.Must
	for name, f := range map[string]func(g *nn.Graph, x *G.Node) *G.Node{
		"tanh":      func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Tanh(x)) },
		"sigmoid":   func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Sigmoid(x)) },
		"square":    func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Square(x)) },
		"cube":      func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Cube(x)) },
		"exp":       func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Exp(x)) },
		"log":       func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Log(must(G.Exp(x)))) },
		"sqrt":      func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Sqrt(must(G.Exp(x)))) },
		"neg":       func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Neg(x)) },
		"softplus":  func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Softplus(x)) },
		"hadamard":  func(g *nn.Graph, x *G.Node) *G.Node { return must(G.HadamardProd(x, must(G.Tanh(x)))) },
		"by itself": func(g *nn.Graph, x *G.Node) *G.Node { return must(G.HadamardProd(x, x)) },
		"div":       func(g *nn.Graph, x *G.Node) *G.Node { return must(G.HadamardDiv(x, must(G.Exp(x)))) },
		"add":       func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Add(x, must(G.Tanh(x)))) },
		"to itself": func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Add(x, x)) },
		"sub":       func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Sub(x, must(G.Tanh(x)))) },
		"mul": func(g *nn.Graph, x *G.Node) *G.Node {
			return must(G.Mul(x, g.Param("w", width(x), 3, nn.Glorot)))
		},
		"mul by a transposed parameter": func(g *nn.Graph, x *G.Node) *G.Node {
			return must(G.Mul(x, must(G.Transpose(g.Param("w", 3, width(x), nn.Glorot), 1, 0))))
		},
		"mul by a constant": func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Mul(x, G.NewConstant(float32(0.5)))) },
		"mul by a scalar":   func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Mul(x, must(G.Mean(must(G.Square(x)))))) },
		"add a scalar":      func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Add(x, must(G.Sum(must(G.Square(x)))))) },
		"bias": func(g *nn.Graph, x *G.Node) *G.Node {
			return must(G.BroadcastAdd(x, g.Param("b", 1, width(x), nn.Glorot), nil, []byte{0}))
		},
		"scale of columns": func(g *nn.Graph, x *G.Node) *G.Node {
			return must(G.BroadcastHadamardProd(x, g.Param("b", 1, width(x), nn.Glorot), nil, []byte{0}))
		},
		"scale of rows": func(g *nn.Graph, x *G.Node) *G.Node {
			return must(G.BroadcastHadamardProd(x, must(G.Mul(x, g.Param("w", width(x), 1, nn.Glorot))), nil, []byte{1}))
		},
		"concat":  func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Concat(1, x, must(G.Tanh(x)))) },
		"columns": func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Slice(x, nil, G.S(0, 2))) },
		"reshape": func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Reshape(x, x.Shape())) },
		"product of columns": func(g *nn.Graph, x *G.Node) *G.Node {
			return must(G.Mul(x, must(G.Mul(must(G.Transpose(x, 1, 0)), x))))
		},
		"sum":            func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Sum(must(G.Square(x)))) },
		"mean":           func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Mean(must(G.Square(x)))) },
		"sum of rows":    func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Sum(must(G.Square(must(G.Sum(x, 0)))))) },
		"sum of columns": func(g *nn.Graph, x *G.Node) *G.Node { return must(G.Sum(must(G.Square(must(G.Sum(x, 1)))))) },
	} {
		for _, columns := range []int{1, 3} {
			if name == "columns" && columns == 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, columns), func(t *testing.T) {
				assembly := func(g *nn.Graph) *inputs {
					in := newInputs(g)
					y := f(g, g.Linear("in", g.Embedding("table", in.word, vocabularySize, columns, nn.Glorot), columns))
					if in.loss = y; !y.IsScalar() {
						in.loss = g.CRF("crf", g.Linear("out", y, labels), in.label)
					}
					return in
				}
				params := newParams(t, assembly)
				one := []text{{words: []int32{1}, labels: []int32{2}, bags: make([][]int32, 1), letters: [][]int32{{0}}, kinds: [][]int32{{0}}, spelled: []int32{0}}}
				all, _ := batches()
				for _, batch := range [][]text{one, all[1]} {
					if err := gradcheck.Check(params, assembly, batch, nil); err != nil {
						t.Errorf("%d texts: %v", len(batch), err)
					}
				}
			})
		}
	}
}
