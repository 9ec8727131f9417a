package nn

import (
	"math"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// LayerNorm shifts and scales each row of x [rows, d] to mean 0 and variance 1, multiplies it by a
// gain and adds a bias (Ba et al. 2016, section 3): the output is [rows, d]. d must be at least 2,
// because a single value has no variance. The parameters are name.g [1, d], the gain, initialised
// to ones, and name.b [1, d], initialised to zeros.
func (g *Graph) LayerNorm(name string, x *G.Node) *G.Node {
	rows, d := g.Rows(name, x)
	if d < 2 {
		g.Fail(name, "expected at least two columns, given %s", g.Shape(x))
	}
	gain, bias := g.Param(name+".g", 1, d, Ones), g.Param(name+".b", 1, d, Zeros)
	return g.Apply(name, &layerNorm{}, rows, d, x, gain, bias)
}

// normEpsilon is added to the variance, so that rows of equal values cause no division by zero.
const normEpsilon = 1e-5

// layerNorm has the inputs x, gain and bias.
type layerNorm struct {
	normal  buffer    // x with mean 0 and variance 1
	inverse []float32 // 1 / standard deviation of each row
	out     buffer
	ones    []float32 // for sums of rows
	d       []float32 // of one row
}

func (l *layerNorm) Forward(in []kernel.Matrix) kernel.Matrix {
	x, gain, bias := in[0], in[1].Data, in[2].Data
	normal, out := l.normal.resize(x.Rows, x.Cols), l.out.resize(x.Rows, x.Cols)
	if l.ones == nil {
		l.ones, l.d = slices.Repeat([]float32{1}, x.Cols), make([]float32, x.Cols)
	}
	l.inverse = l.inverse[:0]
	size := float32(x.Cols)
	for r := range x.Rows {
		n, o := normal.Row(r), out.Row(r)
		copy(n, x.Row(r))
		kernel.Axpy(n, -kernel.Dot(n, l.ones)/size, l.ones)
		inverse := float32(1 / math.Sqrt(float64(kernel.Dot(n, n)/size)+normEpsilon))
		l.inverse = append(l.inverse, inverse)
		for j := range n {
			n[j] *= inverse
			o[j] = n[j]*gain[j] + bias[j]
		}
	}
	return out
}

func (l *layerNorm) Backward(in []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	normal, size := l.normal.resize(dout.Rows, dout.Cols), float32(dout.Cols)
	for r := range dout.Rows {
		n, dx, inverse := normal.Row(r), din[0].Row(r), l.inverse[r]
		copy(l.d, dout.Row(r))
		kernel.Add(din[2].Data, l.d)
		kernel.Multiply(l.d, n)
		kernel.Add(din[1].Data, l.d)
		copy(l.d, dout.Row(r))
		kernel.Multiply(l.d, in[1].Data) // the gradient of n, from which its mean and its part along n are taken
		kernel.Axpy(dx, inverse, l.d)
		kernel.Axpy(dx, -inverse*kernel.Dot(l.d, l.ones)/size, l.ones)
		kernel.Axpy(dx, -inverse*kernel.Dot(l.d, n)/size, n)
	}
}
