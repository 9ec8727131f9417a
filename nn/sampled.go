package nn

import (
	"math"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// SampledSoftmax is the cross-entropy of the target classes given the logits x.Wᵀ + b, averaged over
// the rows of a sequence and summed over the sequences, as for SoftmaxLoss: a scalar. x is [rows, d].
// Use it if there are so many classes that computing all logits would take too long, such as the
// words of a language model. The parameters are name.W [classes, d], initialised by Glorot, and name.b
// [classes, 1], initialised to zeros. Like tables of embeddings, they stay outside of the graph, so
// that only the rows of the targets and of the samples have a gradient.
//
// In training, the softmax of a row is over its target and the classes that are sampled for the
// batch, the same for all rows; a sample that is the target of a row is left out in that row.
// Classes must be numbered by falling frequency, because class c is drawn with the probability
// log((c+2)/(c+1)) / log(classes+1), which is that of Zipf's law, until samples different classes
// are drawn. To make up for the sampling, the logarithm of the probability that
// a class is among the samples is subtracted from its logit, also for the target (Bengio and Senécal
// 2008; Jean et al. 2015, section 3.2). The Seeds of the axis of x decide the samples.
//
// With at least half as many samples as classes, and in a graph that is not built for training, the
// softmax is over all classes and the loss is exact.
func (g *Graph) SampledSoftmax(name string, x *G.Node, targets *Index, classes, samples int) *G.Node {
	axis, d := g.Rows(name, x)
	g.sameAxis(name, x, targets)
	if classes < 2 || samples < 1 {
		g.Fail(name, "expected at least 2 classes and 1 sample, given %d and %d", classes, samples)
	}
	t := classTable{axis: axis, targets: targets, w: g.lookup(name+".W", classes, d, Glorot), b: g.lookup(name+".b", classes, 1, Zeros)}
	if !g.Training {
		return g.ApplyScalar(name, &fullSoftmax{classTable: t}, x, t.w.tap, t.b.tap)
	}
	l := &sampledSoftmax{classTable: t, samples: samples, stream: splitmix(len(g.lookups)), column: make([]int32, classes)}
	l.stream = splitmix(l.stream.next())
	return g.ApplyScalar(name, l, x, t.w.tap, t.b.tap)
}

// classTable is the parameters of a softmax over many classes, and its targets.
type classTable struct {
	axis    *Axis
	targets *Index
	w, b    *lookup
	sum     float64 // the loss
}

// Exact returns the loss before the graph rounds it to float32.
func (t *classTable) Exact() float64 { return t.sum }

// mean returns the weight of each row in the loss.
func (t *classTable) mean(weights []float32) []float32 {
	weights = slices.Grow(weights[:0], t.axis.rows)[:t.axis.rows]
	for s, n := range t.axis.lengths {
		for i := range n {
			weights[t.axis.row(s, i)] = 1 / float32(n)
		}
	}
	return weights
}

// sampledSoftmax has the inputs x and the two taps.
type sampledSoftmax struct {
	classTable
	samples int
	stream  splitmix
	drawn   []int32   // the samples of the batch
	column  []int32   // by class: 1 + its index in drawn, or 0
	tries   int       // draws that it took to get them; 0 if they are all classes
	rows    buffer    // of W: those of the samples, then those of the targets
	z       buffer    // of each row: the logits of the samples and, last, of the target; then their gradients
	weights []float32 // of each row in the loss
	dw, db  buffer
}

func (l *sampledSoftmax) Forward(in []kernel.Matrix) kernel.Matrix {
	x, b := in[0], l.b.table.Data
	l.draw()
	n := len(l.drawn)
	targets := l.targets.below(len(l.column))
	l.w.ids = append(append(l.w.ids[:0], l.drawn...), targets...)
	l.b.ids = l.w.ids
	w := l.rows.resize(len(l.w.ids), x.Cols)
	l.w.copyRows(w)
	offsets := make([]float32, n)
	for j, class := range l.drawn {
		offsets[j] = b[class] - l.correction(class)
	}
	z := l.z.resize(x.Rows, n+1)
	for r, class := range targets {
		copy(z.Row(r), offsets)
		z.Row(r)[n] = kernel.Dot(x.Row(r), w.Row(n+r)) + b[class] - l.correction(class)
	}
	kernel.AddMulNT(z.Columns(0, n), x, w.Slice(0, n))
	l.weights = l.mean(l.weights)
	l.sum = 0
	for r, class := range targets {
		row := z.Row(r)
		if j := l.column[class]; j > 0 {
			row[j-1] = removed
		}
		target := float64(row[n])
		l.sum += float64(l.weights[r]) * (softmax(row, row) - target)
	}
	return scalar(l.sum)
}

// removed is a logit whose exponential is 0.
const removed = -1e30

// draw samples classes for the batch.
func (l *sampledSoftmax) draw() {
	for _, class := range l.drawn {
		l.column[class] = 0
	}
	l.drawn, l.tries = l.drawn[:0], 0
	classes := len(l.column)
	add := func(class int) {
		if l.column[class] == 0 {
			l.drawn = append(l.drawn, int32(class))
			l.column[class] = int32(len(l.drawn))
		}
	}
	if 2*l.samples >= classes {
		for class := range classes {
			add(class)
		}
		return
	}
	rng := l.stream
	if seeds := l.axis.Seeds; len(seeds) > 0 {
		rng ^= splitmix(seeds[0])
	}
	for len(l.drawn) < l.samples {
		u := float64(rng.next()>>11) / (1 << 53)
		add(min(int(math.Exp(u*math.Log(float64(classes+1))))-1, classes-1))
		l.tries++
	}
}

// correction returns the logarithm of the probability that a class is among the samples.
func (l *sampledSoftmax) correction(class int32) float32 {
	if l.tries == 0 {
		return 0
	}
	p := math.Log1p(1/float64(class+1)) / math.Log(float64(len(l.column)+1))
	return float32(math.Log(-math.Expm1(float64(l.tries) * math.Log1p(-p))))
}

func (l *sampledSoftmax) Backward(in []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	x, n := in[0], len(l.drawn)
	z, w := l.z.resize(x.Rows, n+1), l.rows.resize(len(l.w.ids), x.Cols)
	dw, db := l.dw.zeroed(len(l.w.ids), x.Cols), l.db.zeroed(len(l.w.ids), 1)
	l.w.dout, l.b.dout = dw, db
	for r := range x.Rows {
		row, weight := z.Row(r), dout.Data[0]*l.weights[r]
		for j, p := range row {
			row[j] = weight * p
		}
		row[n] -= weight
		kernel.Add(db.Data[:n], row[:n])
		db.Data[n+r] = row[n]
		kernel.Axpy(dw.Row(n+r), row[n], x.Row(r))
		kernel.Axpy(din[0].Row(r), row[n], w.Row(n+r))
	}
	dz := z.Columns(0, n)
	kernel.AddMul(din[0], dz, w.Slice(0, n))
	kernel.AddMulTN(dw.Slice(0, n), dz, x)
}

func (l *sampledSoftmax) work() (forward, backward float64) {
	f := 2 * float64(l.axis.rows) * float64(len(l.drawn)*l.w.table.Cols)
	return f, 2 * f
}

// fullSoftmax has the inputs x and the two taps.
type fullSoftmax struct {
	classTable
	z       buffer
	weights []float32
}

// fullRows is how many rows are computed at a time, which bounds the memory.
const fullRows = 64

func (l *fullSoftmax) Forward(in []kernel.Matrix) kernel.Matrix {
	l.weights = l.mean(l.weights)
	l.sum = 0
	targets := l.targets.below(l.w.table.Rows)
	for from := 0; from < in[0].Rows; from += fullRows {
		x := in[0].Slice(from, min(from+fullRows, in[0].Rows))
		z := l.z.resize(x.Rows, l.w.table.Rows)
		for r := range z.Rows {
			copy(z.Row(r), l.b.table.Data)
		}
		kernel.AddMulNT(z, x, l.w.table.matrix())
		for r := range z.Rows {
			row := z.Row(r)
			target := float64(row[targets[from+r]])
			l.sum += float64(l.weights[from+r]) * (softmax(row, row) - target)
		}
	}
	return scalar(l.sum)
}

// Backward is not called, because only a graph for training has gradients.
func (l *fullSoftmax) Backward([]kernel.Matrix, kernel.Matrix, kernel.Matrix, []kernel.Matrix) {
	panic("the full softmax has no gradient")
}

func (l *fullSoftmax) work() (forward, backward float64) {
	f := 2 * float64(l.axis.rows) * float64(len(l.w.table.Data))
	return f, 0
}
