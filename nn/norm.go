package nn

import (
	"math"

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
	dnormal []float32 // of one row
}

func (l *layerNorm) Forward(in []kernel.Matrix) kernel.Matrix {
	x, gain, bias := in[0], in[1].Data, in[2].Data
	normal, out := l.normal.resize(x.Rows, x.Cols), l.out.resize(x.Rows, x.Cols)
	l.inverse = l.inverse[:0]
	for r := range x.Rows {
		mean, inverse := moments(x.Row(r))
		l.inverse = append(l.inverse, inverse)
		n, o := normal.Row(r), out.Row(r)
		for j, v := range x.Row(r) {
			n[j] = (v - mean) * inverse
			o[j] = n[j]*gain[j] + bias[j]
		}
	}
	return out
}

// moments returns the mean of a row and the inverse of its standard deviation.
func moments(row []float32) (mean, inverse float32) {
	var sum, squares float64
	for _, v := range row {
		sum += float64(v)
	}
	m := sum / float64(len(row))
	for _, v := range row {
		squares += (float64(v) - m) * (float64(v) - m)
	}
	return float32(m), float32(1 / math.Sqrt(squares/float64(len(row))+normEpsilon))
}

func (l *layerNorm) Backward(in []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	gain, dgain, dbias := in[1].Data, din[1].Data, din[2].Data
	normal := l.normal.resize(dout.Rows, dout.Cols)
	l.dnormal = append(l.dnormal[:0], gain...)
	size := float32(dout.Cols)
	for r := range dout.Rows {
		n, d := normal.Row(r), dout.Row(r)
		var sum, along float32 // of the gradient of the normalised row, and of its product with the row
		for j, v := range d {
			dgain[j] += v * n[j]
			dbias[j] += v
			l.dnormal[j] = v * gain[j]
			sum += l.dnormal[j]
			along += l.dnormal[j] * n[j]
		}
		dx := din[0].Row(r)
		for j, v := range l.dnormal {
			dx[j] += l.inverse[r] * (v - (sum+n[j]*along)/size)
		}
	}
}
