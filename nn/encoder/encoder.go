// Package encoder computes the scores of labels for sequences of subwords with the networks that Hugging
// Face's transformers calls BERT, RoBERTa, XLM-RoBERTa, CamemBERT, DistilBERT, ELECTRA, DeBERTa-v2 (which
// is also v3) and ModernBERT, with a head for token classification. It cannot train.
//
// The tokens of all sequences are the rows of one matrix, without padding. A layer consists of functions
// of blocks of rows, and of attention, which is a function of one head of one sequence. The cores share
// both. The scores of a sequence have the same bits in any batch, and with any number of workers.
package encoder

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/checkpoints/huggingface"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// Weights are the tensors of a network, by the names of huggingface.Folder.
type Weights interface {
	Tensor(name string) (checkpoints.Tensor, error)
	Shape(name string) (shape []int, ok bool)
	Names() []string // those of all tensors that can change the scores
}

// Options says how a network is computed.
type Options struct {
	Int8    bool // multiplies bytes instead of float32, which is faster and less exact
	Workers int  // cores to use; 0 stands for all
}

// Scores are the logits of a sequence, [tokens, labels].
type Scores = kernel.Matrix

// Encoder is a network. Several goroutines can use it at the same time.
type Encoder struct {
	hidden, headSize, intermediate int // numbers in a state, in a head of it, and between the linear layers of the feed-forward network
	limit, labels, workers         int

	embeddings embeddings
	layers     []layer
	normFirst  bool                     // see architecture
	gated      bool                     // see architecture
	activation func(dst, src []float32) // of the feed-forward network

	convolution     *convolution // after the first layer; nil: none
	finalNorm       *norm        // nil: none
	dense           *linear      // nil: none
	denseActivation func(dst, src []float32)
	denseNorm       *norm
	classifier      *linear
	transitions     kernel.Matrix // without rows if there is no CRF

	passes sync.Pool // of *pass
}

// layer is a layer of the network.
type layer struct {
	attentionNorm *norm
	heads         *linear   // to queries, which it scales, keys and values, side by side
	window        int       // the greatest distance of two tokens that see each other; -1: any
	rotation      *rotation // nil: none
	relative      *relative // nil: none
	out           *linear
	feedNorm      *norm
	up, down      *linear
}

// New reads the weights of a network, whose configuration is that of a huggingface.Folder. Errors name the
// tensor or the key of config.json that does not fit.
func New(c huggingface.Config, w Weights, o Options) (*Encoder, error) {
	a, ok := architectures[c.ModelType]
	if !ok {
		return nil, fmt.Errorf("model_type: %q is not one of %s", c.ModelType, strings.Join(slices.Sorted(maps.Keys(architectures)), ", "))
	}
	l := &loader{architecture: a, config: c, weights: w, used: map[string]bool{}}
	e := &Encoder{
		hidden: c.HiddenSize, headSize: c.HiddenSize / c.Heads, intermediate: c.Intermediate, limit: c.Positions, labels: len(c.Labels), workers: o.Workers,
		normFirst: a.normFirst, gated: a.gated, activation: activations[c.Activation],
	}
	e.embeddings = l.embeddings()
	l.int8 = o.Int8
	e.layers = l.network()
	l.int8 = false // few products are outside of the layers
	e.convolution = l.convolution()
	l.head(e)
	l.checkUnused()
	if l.err != nil {
		return nil, l.err
	}
	if a.shifted {
		e.limit -= c.PadToken + 1
	}
	if e.workers < 1 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	e.passes.New = func() any { return &pass{scratch: make([]scratch, e.workers)} }
	return e, nil
}

// Limit returns the length of the longest sequence, which counts special tokens.
func (e *Encoder) Limit() int { return e.limit }

// Transitions returns the transitions of a CRF [labels+2, labels+2] in the layout of nn.Graph.CRF: the score
// of label j after label i is in row i, START is row labels, and END is column labels+1. ok is false if the
// network has no CRF.
func (e *Encoder) Transitions() (transitions kernel.Matrix, ok bool) {
	return e.transitions, e.transitions.Rows > 0
}

// maxRows is the number of tokens that are computed at once, except in a longer sequence. Memory grows
// with it.
const maxRows = 4096

// Logits returns the scores of sequences of tokens, with the special tokens. A sequence that is longer than
// Limit is an error, and so is a token that is not in the vocabulary.
func (e *Encoder) Logits(sequences [][]int32) ([]Scores, error) {
	total := 0
	for i, tokens := range sequences {
		if len(tokens) > e.limit {
			return nil, fmt.Errorf("sequence %d has %d tokens, but the network has positions for %d", i, len(tokens), e.limit)
		}
		for j, token := range tokens {
			if token < 0 || int(token) >= e.embeddings.words.Rows {
				return nil, fmt.Errorf("sequence %d: token %d has the id %d, but the vocabulary has %d", i, j, token, e.embeddings.words.Rows)
			}
		}
		total += len(tokens)
	}
	logits := kernel.NewMatrix(total, e.labels, make([]float32, total*e.labels))
	scores := make([]Scores, len(sequences))
	p := e.passes.Get().(*pass)
	defer e.passes.Put(p)
	p.reset()
	done := 0
	for i, tokens := range sequences {
		if n := len(p.tokens); n > 0 && n+len(tokens) > maxRows {
			e.run(p, logits.Slice(done, done+n))
			done += n
			p.reset()
		}
		first := done + len(p.tokens)
		p.append(tokens, e.embeddings.pad)
		scores[i] = kernel.NewMatrix(len(tokens), e.labels, logits.Data[first*e.labels:(first+len(tokens))*e.labels])
	}
	e.run(p, logits.Slice(done, total))
	for i, s := range scores {
		for _, v := range s.Data {
			if v-v != 0 {
				return nil, fmt.Errorf("sequence %d: a score is %v, because the weights of the network are too large", i, v)
			}
		}
	}
	return scores, nil
}

// pass is the memory that it takes to compute some sequences.
type pass struct {
	tokens    []int32
	positions []int32 // of the tokens in their sequences
	rows      []int32 // of the tokens in the table of positions
	starts    []int   // of the sequences, and the end
	scratch   []scratch

	statesBuffer, firstBuffer, projectedBuffer, foundBuffer buffer

	states    kernel.Matrix // [tokens, hidden]
	first     kernel.Matrix // the states before the first layer, for a convolution
	projected kernel.Matrix // queries, keys and values
	found     kernel.Matrix // by the heads of attention
}

// scratch is the memory of a worker.
type scratch struct {
	input, output, wide  buffer // of blocks of rows
	angles, keys, scores buffer
	byKey, byQuery       buffer
	keyPositions         kernel.Matrix // see relative
}

// reset removes the sequences.
func (p *pass) reset() {
	p.tokens, p.positions, p.rows, p.starts = p.tokens[:0], p.positions[:0], p.rows[:0], append(p.starts[:0], 0)
}

// append adds a sequence. pad is as in embeddings.
func (p *pass) append(tokens []int32, pad int32) {
	row := pad
	for i, token := range tokens {
		p.tokens, p.positions = append(p.tokens, token), append(p.positions, int32(i))
		if token == pad {
			p.rows = append(p.rows, pad)
		} else {
			row++
			p.rows = append(p.rows, row)
		}
	}
	p.starts = append(p.starts, len(p.tokens))
}

// run sets the logits of the tokens.
func (e *Encoder) run(p *pass, logits kernel.Matrix) {
	rows := len(p.tokens)
	if rows == 0 {
		return
	}
	p.states, p.projected, p.found = p.statesBuffer.matrix(rows, e.hidden), p.projectedBuffer.matrix(rows, 3*e.hidden), p.foundBuffer.matrix(rows, e.hidden)
	if e.convolution != nil {
		p.first = p.firstBuffer.matrix(rows, e.hidden)
	}
	e.rows(p, func(from, to int, s *scratch) {
		states := p.states.Slice(from, to)
		e.embeddings.set(states, p.tokens[from:to], p.rows[from:to], s)
		if e.convolution != nil {
			copy(p.first.Slice(from, to).Data, states.Data)
		}
		e.project(p, &e.layers[0], from, to, s)
	})
	heads := e.hidden / e.headSize
	for i := range e.layers {
		l := &e.layers[i]
		e.share(p, heads*(len(p.starts)-1), func(task int, s *scratch) {
			from, to := p.starts[task/heads], p.starts[task/heads+1]
			l.attend(p.found.Slice(from, to), p.projected.Slice(from, to), task%heads, e.headSize, s)
		})
		e.rows(p, func(from, to int, s *scratch) {
			e.finish(p, l, from, to, s)
			if i == 0 && e.convolution != nil {
				e.convolution.add(p.states.Slice(from, to), p.first, p.positions, from, s)
			}
			if i+1 < len(e.layers) {
				e.project(p, &e.layers[i+1], from, to, s)
			} else {
				e.classify(logits.Slice(from, to), p.states.Slice(from, to), s)
			}
		})
	}
}

// project sets the queries, keys and values of rows.
func (e *Encoder) project(p *pass, l *layer, from, to int, s *scratch) {
	input, projected := p.states.Slice(from, to), p.projected.Slice(from, to)
	if e.normFirst {
		states := input
		input = s.input.matrix(states.Rows, states.Cols)
		l.attentionNorm.set(input, states)
	}
	l.heads.set(projected, input)
	if l.rotation != nil {
		for i := range projected.Rows {
			l.rotation.turn(projected.Row(i)[:2*e.hidden], p.positions[from+i], s)
		}
	}
}

// finish computes what follows the attention of a layer, for some rows.
func (e *Encoder) finish(p *pass, l *layer, from, to int, s *scratch) {
	states := p.states.Slice(from, to)
	l.out.add(states, p.found.Slice(from, to))
	input := states
	if e.normFirst {
		input = s.input.matrix(states.Rows, states.Cols)
		l.feedNorm.set(input, states)
	} else {
		l.attentionNorm.apply(states)
	}
	columns := e.intermediate
	if e.gated {
		columns *= 2
	}
	wide := s.wide.matrix(states.Rows, columns)
	l.up.set(wide, input)
	for i := range wide.Rows {
		row := wide.Row(i)[:e.intermediate]
		e.activation(row, row)
		if e.gated {
			kernel.Multiply(row, wide.Row(i)[e.intermediate:])
		}
	}
	l.down.add(states, wide.Columns(0, e.intermediate))
	if !e.normFirst {
		l.feedNorm.apply(states)
	}
}

// classify sets the logits of rows.
func (e *Encoder) classify(logits, states kernel.Matrix, s *scratch) {
	e.finalNorm.apply(states)
	if e.dense != nil {
		out := s.output.matrix(states.Rows, states.Cols)
		e.dense.set(out, states)
		e.denseActivation(out.Data, out.Data)
		e.denseNorm.apply(out)
		states = out
	}
	e.classifier.set(logits, states)
}

// blockRows is the number of rows that a worker processes at a time, so that what one step writes is
// in the cache when the next one reads it.
const blockRows = 64

// rows calls f for blocks of all rows.
func (e *Encoder) rows(p *pass, f func(from, to int, s *scratch)) {
	rows := len(p.tokens)
	blocks := (rows + blockRows - 1) / blockRows
	blocks = min(rows, (blocks+e.workers-1)/e.workers*e.workers) // as many for each worker
	e.share(p, blocks, func(n int, s *scratch) { f(n*rows/blocks, (n+1)*rows/blocks, s) })
}

// share calls f for the tasks [0, n), each by the first worker that is free.
func (e *Encoder) share(p *pass, n int, f func(task int, s *scratch)) {
	var next atomic.Int64
	work := func(s *scratch) {
		for {
			task := int(next.Add(1)) - 1
			if task >= n {
				return
			}
			f(task, s)
		}
	}
	var others sync.WaitGroup
	for w := 1; w < min(e.workers, n); w++ {
		others.Go(func() { work(&p.scratch[w]) })
	}
	work(&p.scratch[0])
	others.Wait()
}
