package nn

import (
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Int8 makes LSTM and Linear layers that are added later multiply with weights and inputs rounded to
// integers of 8 bits: see kernel.Int8. It has no effect in a graph for training.
func (g *Graph) Int8() { g.int8 = !g.Training }

// rounded is weights as integers of 8 bits. A nil pointer stands for weights that are not rounded.
type rounded struct {
	from   []float32
	factor *kernel.Int8
}

// rounded returns weights that are to be rounded, or nil.
func (g *Graph) rounded() *rounded {
	if !g.int8 {
		return nil
	}
	return &rounded{}
}

// set takes the weights for all products until the next call. They are rounded again only if they have changed.
func (r *rounded) set(weights kernel.Matrix) {
	if r.factor == nil || !slices.Equal(r.from, weights.Data) {
		r.from, r.factor = append(r.from[:0], weights.Data...), kernel.Quantize(weights)
	}
}

// multiply adds x·w to z, with w rounded unless r is nil.
func multiply(z, x, w kernel.Matrix, r *rounded) {
	if r == nil {
		kernel.AddMul(z, x, w)
		return
	}
	r.set(w)
	r.factor.AddMul(z, x)
}
