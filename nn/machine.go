package nn

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// machine is one compiled graph of a network: the logits, and for training the loss and its
// gradients. It shares the network's parameters, serves every batch, and must be used by one
// goroutine at a time. Machines must be built one after another, because building races on a global
// variable of Gorgonia.
type machine struct {
	net    *Network
	batch  *batch
	vm     G.VM
	logits *op
	loss   interface{ value() float64 } // nil in prediction
	grads  []*G.Node
	table  *tokenEmbedding // nil without token vectors
	cache  *spellings      // nil in training, and without the character part
	flop   float64         // see work
}

// newMachine builds and compiles the graph; train adds loss and gradients.
func newMachine(net *Network, train bool) (m *machine, err error) {
	defer func() { // Gorgonia panics if it cannot build a graph
		if p := recover(); p != nil {
			err = fmt.Errorf("nn: building the graph: %v", p)
		}
	}()
	cfg := net.Config
	cell, err := cfg.Cell.kernel()
	if err != nil {
		return nil, err
	}
	m = &machine{net: net, batch: &batch{}}
	g := G.NewGraph()
	nodes := map[*Param]*G.Node{}
	input := func(params ...*Param) (list []*G.Node) {
		for _, p := range params {
			// Each machine has its own header over the shared values, because it sets the
			// header's engine.
			value := tensor.New(tensor.WithShape(p.Rows, p.Cols), tensor.WithBacking(p.Data))
			nodes[p] = G.NewMatrix(g, G.Float32, G.WithShape(p.Rows, p.Cols), G.WithName(p.Name), G.WithValue(value))
			list = append(list, nodes[p])
		}
		return list
	}
	directions := func(l bilstm) []*Param { return append(l.forward.list(), l.backward.list()...) }

	var shared *lstmMemory
	if !train {
		shared = &lstmMemory{}
	}
	direction := func(reverse bool) lstm {
		if train {
			return lstm{cell, reverse, &lstmMemory{}}
		}
		return lstm{cell, reverse, shared}
	}

	var parts []*G.Node
	width := 0
	if u := cfg.CharacterLSTM; u > 0 {
		if !train {
			m.cache = newSpellings(net)
		}
		l := &charLSTM{batch: m.batch, cache: m.cache, units: u, fw: direction(false), bw: direction(true)}
		x, _ := apply("character_lstm", l, 2*u, input(append([]*Param{net.charEmbedding}, directions(net.chars)...)...)...)
		parts, width = append(parts, x), width+2*u
	}
	var tap *G.Node
	if d := cfg.TokenEmbedding; d > 0 {
		tap = G.NewScalar(g, G.Float32, G.WithName("tap"), G.WithValue(float32(0)))
		m.table = &tokenEmbedding{batch: m.batch, table: net.table}
		x, _ := apply("token_embedding", m.table, d, tap)
		parts, width = append(parts, x), width+d
	}
	x, _ := apply("concat_dropout", &concatDropout{batch: m.batch, p: cfg.Dropout, word: cfg.WordDropout}, width, parts...)
	if u := cfg.TokenLSTM; u > 0 {
		l := &tokenLSTM{batch: m.batch, units: u, fw: direction(false), bw: direction(true)}
		x, _ = apply("token_lstm", l, 2*u, append([]*G.Node{x}, input(directions(net.tokens)...)...)...)
	}
	if d := cfg.Hidden; d > 0 {
		x, _ = apply("hidden", &linear{tanh: true}, d, append([]*G.Node{x}, input(net.hidden.w, net.hidden.b)...)...)
	}
	x, m.logits = apply("logits", &linear{}, net.Sizes.Labels, append([]*G.Node{x}, input(net.logits.w, net.logits.b)...)...)
	if !train {
		m.vm = G.NewTapeMachine(g)
		return m, nil
	}

	var loss *G.Node
	if cfg.CRF {
		l := &crfLoss{batch: m.batch}
		loss, _ = apply("crf_loss", l, 0, x, input(net.transitions)[0])
		m.loss = l
	} else {
		l := &softmaxLoss{batch: m.batch}
		loss, _ = apply("softmax_loss", l, 0, x)
		m.loss = l
	}
	var wrt []*G.Node
	for _, p := range net.params {
		wrt = append(wrt, nodes[p])
	}
	if tap != nil {
		wrt = append(wrt, tap)
	}
	if m.grads, err = G.Grad(loss, wrt...); err != nil {
		return nil, fmt.Errorf("nn: gradients: %w", err)
	}
	m.vm = G.NewTapeMachine(g)
	return m, nil
}

// run computes the current batch.
func (m *machine) run() error {
	m.flop += m.work()
	m.vm.Reset() // otherwise a second run silently does nothing
	if err := runTape(m.vm); err != nil {
		return fmt.Errorf("nn: %w", err)
	}
	return nil
}

// train computes the loss and the gradients of sentences. Each sentence is weighted by scale, and
// its seed decides dropout. The gradients are valid until the next call.
func (m *machine) train(sentences []Sentence, seeds []uint64, scale float32) (loss float64, err error) {
	m.batch.set(sentences, seeds, scale, m.net.Config.CharacterLSTM > 0, nil)
	if err := m.run(); err != nil {
		return 0, err
	}
	return m.loss.value(), nil
}

// work returns the number of multiplications and additions in the matrix products of the batch.
// Each of the two products of the backward pass costs as much as the forward product.
func (m *machine) work() float64 {
	cfg, k := m.net.Config, float64(m.net.Sizes.Labels)
	cell, _ := cfg.Cell.kernel()
	lstm := func(in, units int) float64 { return 2 * float64((in+units)*cell.Gates()*units) }
	chars, tokens, width := 0.0, 0.0, cfg.TokenEmbedding
	if cfg.CharacterLSTM > 0 {
		chars = lstm(cfg.CharacterEmbedding, cfg.CharacterLSTM)
		width += 2 * cfg.CharacterLSTM
	}
	if cfg.TokenLSTM > 0 {
		tokens += lstm(width, cfg.TokenLSTM)
		width = 2 * cfg.TokenLSTM
	}
	if cfg.Hidden > 0 {
		tokens += float64(width * cfg.Hidden)
		width = cfg.Hidden
	}
	tokens += float64(width) * k
	products := chars*float64(m.batch.chars.rows) + tokens*float64(m.batch.tokens.rows)
	crf := 2 * k * k * float64(m.batch.tokens.rows) // alpha and beta
	if m.loss != nil {
		products *= 3
		crf *= 1.5 // and the pairs
		if !cfg.CRF {
			crf = 0
		}
	}
	return 2 * (products + crf)
}

// gradient returns the gradient of net.params[i].
func (m *machine) gradient(i int) kernel.Matrix { return toMatrix(m.grads[i].Value()) }

// predict computes the logits of the sentences; place s of the packing contains sentence order[s].
// The logits are valid until the next call.
func (m *machine) predict(sentences []Sentence) (logits kernel.Matrix, err error) {
	var known func(string) bool
	if m.cache != nil {
		m.cache.refresh()
		known = m.cache.known
	}
	m.batch.set(sentences, nil, 1, m.cache != nil, known)
	if err := m.run(); err != nil {
		return kernel.Matrix{}, err
	}
	return *m.logits.last, nil
}
