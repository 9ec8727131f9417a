package nn

import (
	"math"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// layer is one fused op of the graph with its hand-written gradient. A layer owns its buffers:
// results of forward and backward are valid until the next call. Inputs are parameters and the
// outputs of lower layers. The batch comes through a pointer, because its shape changes from run to
// run.
type layer interface {
	forward(in []kernel.Matrix) kernel.Matrix
	// backward returns the gradient of every input, given the gradient of the output.
	backward(in []kernel.Matrix, dout kernel.Matrix) []kernel.Matrix
}

// grads contains one zeroed gradient matrix per input of a layer.
type grads struct {
	buffers []buffer
	out     []kernel.Matrix
}

func (g *grads) zeroed(in []kernel.Matrix) []kernel.Matrix {
	if g.buffers == nil {
		g.buffers = make([]buffer, len(in))
	}
	g.out = g.out[:0]
	for i, m := range in {
		g.out = append(g.out, g.buffers[i].zeroed(m.Rows, m.Cols))
	}
	return g.out
}

// split takes the matrices of one direction off the front of a list of inputs, in the order of
// lstmParams.list.
func split(cell kernel.Cell, in []kernel.Matrix) (lstmWeights, []kernel.Matrix) {
	if cell == kernel.Peephole {
		return lstmWeights{w: in[0], b: in[1], p: in[2]}, in[3:]
	}
	return lstmWeights{w: in[0], b: in[1], c0: in[2], h0: in[3]}, in[4:]
}

// charLSTM is the character-based token encoder (section 2.2.2). The inputs are the character
// embedding and the parameters of the two directions. The output has, for each token, [last forward
// h ; last backward h]. The last state of the backward direction is the state after reading the
// first character.
type charLSTM struct {
	batch    *batch
	cache    *spellings // nil in training
	units    int
	fw, bw   lstm
	x, h, dh buffer
	dx       buffer
	vectors  buffer // of the distinct tokens, and in backward their gradients
	out      buffer
	grads    grads
}

func (l *charLSTM) forward(in []kernel.Matrix) kernel.Matrix {
	b, vectors := l.batch, l.vectors.resize(len(l.batch.words), 2*l.units)
	if l.cache != nil {
		l.cache.fill(vectors, b.words)
	}
	if len(b.fresh) > 0 {
		l.encode(in, vectors)
	}
	if l.cache != nil {
		l.cache.add(vectors, b.words, b.fresh)
	}
	out := l.out.resize(b.tokens.rows, 2*l.units)
	for r, w := range b.word {
		copy(out.Row(r), vectors.Row(int(w)))
	}
	return out
}

// encode computes the vectors of the fresh tokens.
func (l *charLSTM) encode(in []kernel.Matrix, vectors kernel.Matrix) {
	b, embedding := l.batch, in[0]
	x := l.x.resize(b.chars.rows, embedding.Cols)
	for r, id := range b.charIDs {
		copy(x.Row(r), embedding.Row(int(id)))
	}
	h := l.h.resize(b.chars.rows, 2*l.units)
	pf, rest := split(l.fw.cell, in[1:])
	pb, _ := split(l.bw.cell, rest)
	l.fw.forward(&b.chars, x, pf, h.Columns(0, l.units))
	l.bw.forward(&b.chars, x, pb, h.Columns(l.units, 2*l.units))
	for s, w := range b.fresh {
		v := vectors.Row(int(w))
		copy(v[:l.units], h.Row(b.last(s))[:l.units])
		copy(v[l.units:], h.Row(b.chars.row(s, 0))[l.units:])
	}
}

func (l *charLSTM) backward(in []kernel.Matrix, dout kernel.Matrix) []kernel.Matrix {
	b, g := l.batch, l.grads.zeroed(in)
	x, h := l.x.resize(b.chars.rows, in[0].Cols), l.h.resize(b.chars.rows, 2*l.units)
	dh, dx := l.dh.zeroed(b.chars.rows, 2*l.units), l.dx.zeroed(b.chars.rows, in[0].Cols)
	dv := l.vectors.zeroed(len(b.words), 2*l.units)
	for r, w := range b.word {
		kernel.Add(dv.Row(int(w)), dout.Row(r))
	}
	for s, w := range b.fresh {
		d := dv.Row(int(w))
		kernel.Add(dh.Row(b.last(s))[:l.units], d[:l.units])
		kernel.Add(dh.Row(b.chars.row(s, 0))[l.units:], d[l.units:])
	}
	pf, rest := split(l.fw.cell, in[1:])
	pb, _ := split(l.bw.cell, rest)
	gf, restG := split(l.fw.cell, g[1:])
	gb, _ := split(l.bw.cell, restG)
	l.fw.backward(&b.chars, x, pf, h.Columns(0, l.units), dh.Columns(0, l.units), gf, dx)
	l.bw.backward(&b.chars, x, pb, h.Columns(l.units, 2*l.units), dh.Columns(l.units, 2*l.units), gb, dx)
	for r, id := range b.charIDs {
		kernel.Add(g[0].Row(int(id)), dx.Row(r))
	}
	return g
}

// tokenEmbedding looks token vectors up. Its graph input is a dummy scalar, the tap. The table
// never enters the graph, so that no gradient of its full size is ever allocated. The gradient of
// the rows in use is left in rows, one per token.
type tokenEmbedding struct {
	batch *batch
	table *Param
	out   buffer
	rows  kernel.Matrix
	keep  buffer
}

func (l *tokenEmbedding) forward([]kernel.Matrix) kernel.Matrix {
	out := l.out.resize(l.batch.tokens.rows, l.table.Cols)
	table := l.table.matrix()
	for r, id := range l.batch.ids {
		copy(out.Row(r), table.Row(int(id)))
	}
	return out
}

func (l *tokenEmbedding) backward(in []kernel.Matrix, dout kernel.Matrix) []kernel.Matrix {
	l.rows = l.keep.resize(dout.Rows, dout.Cols)
	for r := range dout.Rows {
		copy(l.rows.Row(r), dout.Row(r))
	}
	return []kernel.Matrix{{}}
}

// concatDropout joins its inputs, the character part first. It drops each value with probability p,
// scaling the others by 1/(1-p), and each token as a whole with probability word. The seed of a
// sentence alone decides what is dropped.
type concatDropout struct {
	batch *batch
	p     float64
	word  float64
	mask  buffer // 0 or 1/(1-p)
	out   buffer
	grads grads
}

func (l *concatDropout) drops() bool { return l.batch.seeds != nil && (l.p > 0 || l.word > 0) }

func (l *concatDropout) forward(in []kernel.Matrix) kernel.Matrix {
	width := 0
	for _, m := range in {
		width += m.Cols
	}
	out := l.out.resize(in[0].Rows, width)
	for r := range out.Rows {
		row := out.Row(r)
		for _, m := range in {
			row = row[copy(row, m.Row(r)):]
		}
	}
	if !l.drops() {
		return out
	}
	mask := l.mask.resize(out.Rows, width)
	threshold, word := int64(l.p*(1<<16)), uint64(l.word*(1<<32))
	scale := math.Float32bits(float32(1 / (1 - l.p)))
	keep := func(bits uint64) float32 { // without a branch, which would be mispredicted half the time
		return math.Float32frombits(scale & uint32((threshold-1-int64(bits&0xffff))>>63))
	}
	for s, i := range l.batch.order {
		rng := splitmix(l.batch.seeds[i])
		for t := range l.batch.sentences[i].Tokens {
			row := mask.Row(l.batch.tokens.row(s, t))
			if rng.next()>>32 < word {
				clear(row)
				continue
			}
			for ; len(row) >= 4; row = row[4:] { // a draw has 16 bits for each of four values
				bits := rng.next()
				row[0], row[1], row[2], row[3] = keep(bits), keep(bits>>16), keep(bits>>32), keep(bits>>48)
			}
			if len(row) > 0 {
				bits := rng.next()
				for j := range row {
					row[j] = keep(bits >> (16 * j))
				}
			}
		}
	}
	kernel.Multiply(out.Data, mask.Data)
	return out
}

func (l *concatDropout) backward(in []kernel.Matrix, dout kernel.Matrix) []kernel.Matrix {
	g := l.grads.zeroed(in)
	dropped, mask := l.drops(), kernel.Matrix{}
	if dropped {
		mask = l.mask.resize(dout.Rows, dout.Cols)
	}
	for r := range dout.Rows {
		from := 0
		for _, m := range g {
			row := m.Row(r)
			copy(row, dout.Row(r)[from:])
			if dropped {
				kernel.Multiply(row, mask.Row(r)[from:])
			}
			from += len(row)
		}
	}
	return g
}

// tokenLSTM is the bidirectional LSTM of the label prediction layer (section
// 2.2.3): input x [tokens, d] and both directions' parameters, output
// [tokens, 2 units].
type tokenLSTM struct {
	batch  *batch
	units  int
	fw, bw lstm
	out    buffer
	grads  grads
}

func (l *tokenLSTM) forward(in []kernel.Matrix) kernel.Matrix {
	out := l.out.resize(in[0].Rows, 2*l.units)
	pf, rest := split(l.fw.cell, in[1:])
	pb, _ := split(l.bw.cell, rest)
	l.fw.forward(&l.batch.tokens, in[0], pf, out.Columns(0, l.units))
	l.bw.forward(&l.batch.tokens, in[0], pb, out.Columns(l.units, 2*l.units))
	return out
}

func (l *tokenLSTM) backward(in []kernel.Matrix, dout kernel.Matrix) []kernel.Matrix {
	g, h := l.grads.zeroed(in), l.out.resize(in[0].Rows, 2*l.units)
	pf, rest := split(l.fw.cell, in[1:])
	pb, _ := split(l.bw.cell, rest)
	gf, restG := split(l.fw.cell, g[1:])
	gb, _ := split(l.bw.cell, restG)
	l.fw.backward(&l.batch.tokens, in[0], pf, h.Columns(0, l.units), dout.Columns(0, l.units), gf, g[0])
	l.bw.backward(&l.batch.tokens, in[0], pb, h.Columns(l.units, 2*l.units), dout.Columns(l.units, 2*l.units), gb, g[0])
	return g
}

// linear is x.W + b, optionally followed by tanh: inputs x, W, b.
type linear struct {
	tanh  bool
	out   buffer
	dz    buffer
	wT    buffer
	grads grads
}

func (l *linear) forward(in []kernel.Matrix) kernel.Matrix {
	x, w, bias := in[0], in[1], in[2]
	out := l.out.resize(x.Rows, w.Cols)
	for r := range out.Rows {
		copy(out.Row(r), bias.Data)
	}
	kernel.AddMul(out, x, w)
	if l.tanh {
		kernel.Tanh(out.Data, out.Data)
	}
	return out
}

func (l *linear) backward(in []kernel.Matrix, dout kernel.Matrix) []kernel.Matrix {
	g, dz := l.grads.zeroed(in), dout
	if l.tanh {
		y := l.out.resize(dout.Rows, dout.Cols)
		dz = l.dz.resize(dout.Rows, dout.Cols)
		for i, v := range y.Data {
			dz.Data[i] = dout.Data[i] * (1 - v*v)
		}
	}
	addMulTransposed(g[0], dz, in[1], l.wT.transposed(in[1], dz.Rows))
	kernel.AddMulTN(g[1], in[0], dz)
	for r := range dz.Rows {
		kernel.Add(g[2].Data, dz.Row(r))
	}
	return g
}

// splitmix is the splitmix64 generator (Steele, Lea and Flood 2014). Its whole stream follows from
// one 64-bit seed, so no state has to be saved.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
