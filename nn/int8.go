package nn

import "github.com/lethe-deid/lethe/nn/kernel"

// Int8 makes LSTM and Linear layers that are added later multiply with weights and inputs rounded to
// integers of 8 bits: see kernel.Int8. It has no effect in a graph for training.
func (g *Graph) Int8() { g.int8 = !g.Training }

// weights are the right factor of products, as they are or as integers of 8 bits.
type weights struct {
	int8   bool
	factor kernel.Factor

	from    []float32 // what was rounded
	rounded *kernel.Int8
}

// weights returns weights that are rounded if the layer's are to be.
func (g *Graph) weights() weights { return weights{int8: g.int8} }

// set takes the weights for all products until the next call. They are rounded again only if they have changed.
func (w *weights) set(m kernel.Matrix) {
	switch {
	case !w.int8:
		w.factor.Set(m)
	case w.rounded == nil || !kernel.SameBits(w.from, m.Data):
		w.from, w.rounded = append(w.from[:0], m.Data...), kernel.Quantize(m)
	}
}

// addMul adds x·w to z.
func (w *weights) addMul(z, x kernel.Matrix) {
	if w.int8 {
		w.rounded.AddMul(z, x)
	} else {
		w.factor.AddMul(z, x)
	}
}
