package encoder

import (
	"github.com/lethe-deid/lethe/checkpoints/huggingface"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// embeddings makes the first states of tokens.
type embeddings struct {
	words        kernel.Matrix
	positions    kernel.Matrix // without rows: none
	types        kernel.Matrix // of which only type 0 is used; without rows: none
	pad          int32         // the token whose row of positions this is too, and after which those of the others follow; -1: none
	norm         *norm
	projection   *linear // nil: none
	projectFirst bool    // before the norm
}

// set sets the states of tokens, of which rows are the rows of the positions.
func (e *embeddings) set(states kernel.Matrix, tokens, rows []int32, s *scratch) {
	sum := states
	if e.projection != nil {
		sum = s.input.matrix(states.Rows, e.words.Cols)
	}
	for i, token := range tokens {
		row := sum.Row(i)
		copy(row, e.words.Row(int(token)))
		if e.types.Rows > 0 {
			kernel.Add(row, e.types.Row(0))
		}
		if e.positions.Rows > 0 {
			kernel.Add(row, e.positions.Row(int(rows[i])))
		}
	}
	if !e.projectFirst {
		e.norm.apply(sum)
	}
	if e.projection != nil {
		e.projection.set(states, sum)
	}
	if e.projectFirst {
		e.norm.apply(states)
	}
}

// convolution adds an activated convolution of other states to states and normalises the sum (He et al.
// 2021, appendix A.6).
type convolution struct {
	linear     *linear // of the states of width tokens, one after another
	width      int     // odd
	activation func(dst, src []float32)
	norm       *norm
}

// add adds the convolution of rows [from, to) of the input to the states, which are those of these rows.
// positions are those of all rows in their sequences: what is outside of the sequence is zero.
func (c *convolution) add(states, input kernel.Matrix, positions []int32, from int, s *scratch) {
	hidden := input.Cols
	near := s.input.zeroed(states.Rows, c.width*hidden)
	for i := range states.Rows {
		for k := range c.width {
			offset := k - c.width/2
			r := from + i + offset
			if r >= 0 && r < input.Rows && positions[r] == positions[from+i]+int32(offset) {
				copy(near.Row(i)[k*hidden:], input.Row(r))
			}
		}
	}
	out := s.output.matrix(states.Rows, hidden)
	c.linear.set(out, near)
	c.activation(out.Data, out.Data)
	kernel.Add(states.Data, out.Data)
	c.norm.apply(states)
}

// linear is x·W + b.
type linear struct {
	weight interface{ AddMul(c, a kernel.Matrix) } // adds a·W to c
	bias   []float32                               // nil: none
}

// set sets y to x·W + b.
func (l *linear) set(y, x kernel.Matrix) {
	for i := range y.Rows {
		clear(y.Row(i))
	}
	l.add(y, x)
}

// add adds x·W + b to y.
func (l *linear) add(y, x kernel.Matrix) {
	if l.bias != nil {
		for i := range y.Rows {
			kernel.Add(y.Row(i), l.bias)
		}
	}
	l.weight.AddMul(y, x)
}

// norm is layer normalization, or nil, which leaves everything as it is.
type norm struct {
	gain, bias []float32
	epsilon    float32
}

// apply normalises each row of x.
func (n *norm) apply(x kernel.Matrix) {
	if n != nil {
		n.set(x, x)
	}
}

// set sets each row of y to the normalised row of x.
func (n *norm) set(y, x kernel.Matrix) {
	for i := range x.Rows {
		if n != nil {
			kernel.Normalize(y.Row(i), x.Row(i), n.gain, n.bias, n.epsilon)
		} else {
			copy(y.Row(i), x.Row(i))
		}
	}
}

// activations are functions of single values, which may be computed in place.
var activations = map[huggingface.Activation]func(dst, src []float32){
	huggingface.GELU:     kernel.Gelu,
	huggingface.GELUTanh: kernel.GeluTanh,
	huggingface.SiLU:     kernel.Silu,
	huggingface.Tanh:     kernel.Tanh,
	huggingface.ReLU: func(dst, src []float32) {
		for i, v := range src {
			dst[i] = max(v, 0)
		}
	},
}

// buffer is a matrix whose memory is used again.
type buffer []float32

// matrix returns a matrix with arbitrary content.
func (b *buffer) matrix(rows, columns int) kernel.Matrix {
	if n := rows * columns; cap(*b) < n {
		*b = make([]float32, n)
	}
	return kernel.NewMatrix(rows, columns, (*b)[:rows*columns])
}

// zeroed returns a matrix of zeros.
func (b *buffer) zeroed(rows, columns int) kernel.Matrix {
	m := b.matrix(rows, columns)
	clear(m.Data)
	return m
}
