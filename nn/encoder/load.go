package encoder

import (
	"fmt"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/checkpoints/huggingface"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// loader reads the tensors of a network. After an error it reads nothing more, and returns nothing that
// can be used.
type loader struct {
	architecture
	config  huggingface.Config
	weights Weights
	int8    bool
	used    map[string]bool // the names of the tensors that were read
	err     error
}

// fail keeps the first error.
func (l *loader) fail(format string, arguments ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, arguments...)
	}
}

// embeddings reads the tables of embeddings.
func (l *loader) embeddings() embeddings {
	c := l.config
	e := embeddings{pad: -1, projectFirst: l.projectFirst, words: l.matrix(l.words+".weight", c.VocabularySize, c.EmbeddingSize)}
	if l.positions != "" && (c.ModelType != "deberta-v2" || c.DeBERTa.PositionBiasedInput) {
		e.positions = l.matrix(l.positions+".weight", c.Positions, c.EmbeddingSize)
	}
	if l.shifted {
		e.pad = int32(c.PadToken)
	}
	if l.types != "" && c.TypeVocabulary > 0 {
		e.types = l.matrix(l.types+".weight", c.TypeVocabulary, c.EmbeddingSize)
	}
	normed := c.EmbeddingSize
	if l.projectFirst {
		normed = c.HiddenSize
	}
	e.norm = l.norm(l.embeddingNorm, normed)
	if c.EmbeddingSize != c.HiddenSize {
		e.projection = l.linear(l.projection, c.EmbeddingSize, c.HiddenSize, !l.projectFirst)
	}
	return e
}

// network reads the layers.
func (l *loader) network() []layer {
	c := l.config
	attentionBias, feedBias := c.ModernBERT.AttentionBias, c.ModernBERT.MLPBias
	if c.ModelType != "modernbert" {
		attentionBias, feedBias = true, true
	}
	wide := c.Intermediate
	if l.gated {
		wide *= 2
	}
	terms := 1 // of the products of queries and keys: content, and relative positions
	var positions kernel.Matrix
	var bucket []int32
	if c.ModelType == "deberta-v2" {
		positions, bucket = l.relativePositions()
		for _, is := range []bool{c.DeBERTa.ContentToPosition, c.DeBERTa.PositionToContent} {
			if is {
				terms++
			}
		}
	}
	global, local := l.rotations()

	var network []layer
	for i := range c.Layers {
		prefix := fmt.Sprintf("%s%d.", l.layers, i)
		n := layer{window: -1}
		if !l.normFirst || i > 0 {
			n.attentionNorm = l.norm(prefix+l.attentionNorm, c.HiddenSize)
		}
		var names []string
		for _, name := range l.heads {
			names = append(names, prefix+name)
		}
		weight, bias := l.affine(names, c.HiddenSize, 3*c.HiddenSize, attentionBias)
		if l.err != nil {
			return nil
		}
		factor := float32(1 / math.Sqrt(float64(terms*c.HiddenSize/c.Heads)))
		for r := range weight.Rows {
			scale(weight.Row(r)[:c.HiddenSize], factor)
		}
		if bias != nil {
			scale(bias[:c.HiddenSize], factor)
		}
		if bucket != nil {
			n.relative = l.relative(prefix, positions, bucket, weight, bias, factor)
		}
		if c.ModelType == "modernbert" {
			if n.rotation = global; !c.ModernBERT.Global[i] {
				n.rotation, n.window = local, c.ModernBERT.Window/2
			}
		}
		n.heads = l.prepare(weight, bias)
		n.out = l.linear(prefix+l.out, c.HiddenSize, c.HiddenSize, attentionBias)
		n.feedNorm = l.norm(prefix+l.feedNorm, c.HiddenSize)
		n.up = l.linear(prefix+l.up, c.HiddenSize, wide, feedBias)
		n.down = l.linear(prefix+l.down, c.Intermediate, c.HiddenSize, feedBias)
		network = append(network, n)
	}
	return network
}

// rotations computes the rotations of ModernBERT's layers.
func (l *loader) rotations() (global, local *rotation) {
	c := l.config
	if c.ModelType != "modernbert" {
		return nil, nil
	}
	size := c.HiddenSize / c.Heads
	return newRotation(size, c.ModernBERT.GlobalTheta), newRotation(size, c.ModernBERT.LocalTheta)
}

// maxRelative is the greatest number of positions for relative attention, which makes a table of them
// that is not a tensor.
const maxRelative = 1 << 20

// relativePositions reads DeBERTa's table of relative positions, which all layers share. bucket is nil if
// attention is not relative.
func (l *loader) relativePositions() (table kernel.Matrix, bucket []int32) {
	c := l.config.DeBERTa
	var norm *norm
	if c.NormRelative {
		norm = l.norm("encoder.LayerNorm", l.config.HiddenSize)
	}
	if !c.RelativeAttention {
		return kernel.Matrix{}, nil
	}
	span := c.MaxRelativePositions
	if c.PositionBuckets > 0 {
		span = c.PositionBuckets
	}
	if n := l.config.Positions; n > maxRelative {
		l.fail("max_position_embeddings: is %d, but relative attention supports up to %d", n, maxRelative)
	}
	if n := c.PositionBuckets; n > 0 && (n < 4 || n/2 >= c.MaxRelativePositions-1) {
		l.fail("position_buckets: %d do not fit max_relative_positions, which is %d", n, c.MaxRelativePositions)
	}
	table = l.matrix("encoder.rel_embeddings.weight", 2*span, l.config.HiddenSize)
	if l.err != nil {
		return kernel.Matrix{}, nil
	}
	norm.apply(table)
	return table, buckets(l.config.Positions, c.PositionBuckets, c.MaxRelativePositions)
}

// relative computes the keys and queries of relative positions of a layer from their table. weight and bias
// are those of the queries, keys and values of content.
func (l *loader) relative(prefix string, table kernel.Matrix, bucket []int32, weight kernel.Matrix, bias []float32, factor float32) *relative {
	c, hidden := l.config.DeBERTa, l.config.HiddenSize
	r := &relative{bucket: bucket}
	project := func(name string, content int, factor float32) kernel.Matrix {
		w, b := weight.Columns(content*hidden, (content+1)*hidden), bias[content*hidden:(content+1)*hidden]
		if !c.ShareKeys {
			if w, b = l.affine([]string{prefix + name}, hidden, hidden, true); l.err != nil {
				return kernel.Matrix{}
			}
			scale(w.Data, factor)
			scale(b, factor)
		}
		projected, turned := kernel.NewMatrix(table.Rows, hidden, make([]float32, table.Rows*hidden)), kernel.NewMatrix(hidden, table.Rows, make([]float32, table.Rows*hidden))
		(&linear{kernel.Pack(w), b}).set(projected, table)
		kernel.Transpose(turned, projected)
		return turned
	}
	if c.ContentToPosition {
		r.keys = project("attention.self.pos_key_proj", 1, 1)
	}
	if c.PositionToContent {
		r.queries = project("attention.self.pos_query_proj", 0, factor)
	}
	return r
}

// convolution reads DeBERTa's convolution. It returns nil if there is none.
func (l *loader) convolution() *convolution {
	c, hidden := l.config.DeBERTa, l.config.HiddenSize
	if l.config.ModelType != "deberta-v2" || c.ConvKernel == 0 {
		return nil
	}
	weights, bias := l.tensor("encoder.conv.conv.weight", hidden, hidden, c.ConvKernel), l.tensor("encoder.conv.conv.bias", hidden)
	norm := l.norm("encoder.conv.LayerNorm", hidden)
	if l.err != nil {
		return nil
	}
	w := kernel.NewMatrix(c.ConvKernel*hidden, hidden, make([]float32, len(weights)))
	for out := range hidden {
		for in := range hidden {
			for k := range c.ConvKernel {
				w.Row(k*hidden + in)[out] = weights[(out*hidden+in)*c.ConvKernel+k]
			}
		}
	}
	return &convolution{l.prepare(w, bias), c.ConvKernel, activations[c.ConvActivation], norm}
}

// head reads the classifier and what is before it.
func (l *loader) head(e *Encoder) {
	c := l.config
	if l.finalNorm != "" {
		e.finalNorm = l.norm(l.finalNorm, c.HiddenSize)
	}
	if l.dense != "" {
		e.dense = l.linear(l.dense, c.HiddenSize, c.HiddenSize, c.ModernBERT.ClassifierBias)
		e.denseNorm = l.norm(l.denseNorm, c.HiddenSize)
		e.denseActivation = activations[c.ModernBERT.ClassifierActivation]
	}
	e.classifier = l.linear("classifier", c.HiddenSize, len(c.Labels), true)
	if _, ok := l.weights.Shape("crf.transitions"); ok {
		e.transitions = l.transitions()
	}
}

// transitions reads a CRF with the names of pytorch-crf, into the layout of nn.Graph.CRF.
func (l *loader) transitions() kernel.Matrix {
	k := len(l.config.Labels)
	between, start, end := l.matrix("crf.transitions", k, k), l.tensor("crf.start_transitions", k), l.tensor("crf.end_transitions", k)
	if l.err != nil {
		return kernel.Matrix{}
	}
	m := kernel.NewMatrix(k+2, k+2, make([]float32, (k+2)*(k+2)))
	for i := range k {
		copy(m.Row(i), between.Row(i))
		m.Row(i)[k+1] = end[i]
	}
	copy(m.Row(k), start)
	return m
}

// linear reads a linear layer.
func (l *loader) linear(name string, inputs, outputs int, biased bool) *linear {
	return l.prepare(l.affine([]string{name}, inputs, outputs, biased))
}

// affine reads linear layers of the same inputs as one, with their outputs side by side: the weights
// [inputs, outputs], and the bias, which is nil if the layers have none.
func (l *loader) affine(names []string, inputs, outputs int, biased bool) (weight kernel.Matrix, bias []float32) {
	each := outputs / len(names)
	for i, name := range names {
		w := l.matrix(name+".weight", each, inputs)
		if biased {
			bias = append(bias, l.tensor(name+".bias", each)...)
		}
		if l.err != nil {
			return kernel.Matrix{}, nil
		}
		if i == 0 {
			weight = kernel.NewMatrix(inputs, outputs, make([]float32, inputs*outputs))
		}
		kernel.Transpose(weight.Columns(i*each, (i+1)*each), w)
	}
	return weight, bias
}

// prepare makes a layer of weights [inputs, outputs].
func (l *loader) prepare(weight kernel.Matrix, bias []float32) *linear {
	switch {
	case l.err != nil:
		return nil
	case l.int8:
		return &linear{kernel.Quantize(weight), bias}
	}
	return &linear{kernel.Pack(weight), bias}
}

// norm reads a norm. Only those of ModernBERT may have no bias.
func (l *loader) norm(name string, size int) *norm {
	n := &norm{gain: l.tensor(name+".weight", size), epsilon: float32(l.config.NormEpsilon)}
	if l.config.ModelType != "modernbert" || l.config.ModernBERT.NormBias {
		n.bias = l.tensor(name+".bias", size)
	} else if l.err == nil {
		n.bias = make([]float32, size)
	}
	return n
}

func (l *loader) matrix(name string, rows, columns int) kernel.Matrix {
	data := l.tensor(name, rows, columns)
	if l.err != nil {
		return kernel.Matrix{}
	}
	return kernel.NewMatrix(rows, columns, data)
}

// tensor returns the numbers of a tensor, which must have this shape.
func (l *loader) tensor(name string, shape ...int) []float32 {
	if l.err != nil {
		return nil
	}
	found, ok := l.weights.Shape(name)
	switch {
	case !ok:
		l.fail("tensor %q is missing", name)
		return nil
	case !slices.Equal(found, shape):
		l.fail("tensor %q: the shape is %v, but config.json requires %v", name, found, shape)
		return nil
	}
	l.used[name] = true
	t, err := l.weights.Tensor(name)
	if err != nil {
		l.err = err
		return nil
	}
	return t.Data
}

// checkUnused refuses tensors that were not read, because the network that they belong to is another one. A
// DeBERTa that does not use its table of positions may have one.
func (l *loader) checkUnused() {
	for _, name := range l.weights.Names() {
		if !l.used[name] && name != deberta.positions+".weight" {
			l.fail("tensor %q has no place in a network with this config.json", name)
		}
	}
}

func scale(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}
