// Package tagger is the recurrent network of Dernoncourt et al. 2016 as an assembly of the layers of
// package nn: character BiLSTM and token embedding, dropout, token BiLSTM, a tanh layer, logits, and
// a linear-chain CRF. Config describes its variants. It works on ids; taggers/ann converts documents
// to and from them.
package tagger

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/nn"
)

// Sizes are the dimensions that depend on the data.
type Sizes struct {
	Characters int // size of the alphabet; row 0 stands for unknown characters
	Tokens     int // size of the vocabulary; row 0 stands for unknown tokens
	Labels     int
	Features   Features
}

// check returns an error about the first size that the network cannot have. Sizes of parts that it does
// not have do not matter.
func (s Sizes) check(cfg Config) error {
	least := func(name string, n int, needed bool) error {
		if needed && n < 1 {
			return fmt.Errorf("sizes: %s is %d: at least 1 is required", name, n)
		}
		return nil
	}
	f := s.Features
	if err := cmp.Or(
		least("Labels", s.Labels, true),
		least("Tokens", s.Tokens, cfg.TokenEmbedding > 0),
		least("Characters", s.Characters, cfg.ReadsCharacters()),
		least("Features.Dimension", f.Dimension, len(f.Values) > 0),
	); err != nil {
		return err
	}
	for i, n := range f.Values {
		if err := least(fmt.Sprintf("Features.Values[%d]", i), n, true); err != nil {
			return err
		}
	}
	if !(f.Dropout >= 0 && f.Dropout < 1) {
		return fmt.Errorf("sizes: Features.Dropout is %v, which is not in [0, 1)", f.Dropout)
	}
	return nil
}

// Features are inputs of the network besides tokens and characters (Huang et al. 2015; Liu et al.
// 2017, section 3.5). Each value of a family has a vector; a token takes the sum of the vectors of
// its values.
type Features struct {
	Values    []int   // number of values of each family; none: no features
	Dimension int     // of the vector of a value
	Output    bool    // join the vectors to the output of the token LSTM, not to its input
	Dropout   float64 // probability that a token's values of a family are dropped, in [0, 1)
}

// Sentence is one sequence in ids.
type Sentence struct {
	Tokens     []int32   // rows of the token embedding, one per token
	Characters [][]int32 // rows of the character embedding, at least one per token; unused without the character part
	Labels     []int32   // gold label of each token; nil in prediction
	// Features are the values of each token by family; nil if the network has none.
	Features [][][]int32 `json:",omitempty"`
}

// Len returns the number of tokens.
func (s Sentence) Len() int { return len(s.Tokens) }

// Network contains the parameters of a network. Any number of Predictors may read it at once, but
// not while a trainer changes it.
type Network struct {
	Config Config
	Sizes  Sizes
	*nn.Params

	spellings *cache // nil without a character part
}

// New creates a network with Glorot-uniform matrices and zero biases, like the reference (initial
// states are matrices of one row). Config.TokenScale and EmbeddingRange are the only exceptions. The
// same seed produces the same network.
func New(cfg Config, sizes Sizes, seed uint64) (*Network, error) {
	return build(cfg, sizes, nn.NewParams(seed))
}

// NewGiven creates a network that uses the memory of the given tensors. Its method Fill tells whether they fit the network.
func NewGiven(cfg Config, sizes Sizes, tensors []checkpoints.Tensor) (*Network, error) {
	return build(cfg, sizes, nn.NewGivenParams(tensors))
}

func build(cfg Config, sizes Sizes, params *nn.Params) (*Network, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := sizes.check(cfg); err != nil {
		return nil, err
	}
	n := &Network{Config: cfg, Sizes: sizes, Params: params}
	_, err := nn.NewMachine[Sentence](n.Params, n.assemble, false) // which makes the parameters
	return n, err
}

// TokenVectors is the name of the token table.
const TokenVectors = "token_embedding"

// TokenEmbedding returns the token table [Tokens, TokenEmbedding], or nil if there is none.
func (n *Network) TokenEmbedding() *nn.Param { return n.Get(TokenVectors) }

// NewTrainer returns a trainer, see nn.NewTrainer.
func (n *Network) NewTrainer(opt nn.Optimizer, workers int, rate func(param string) float64) (*nn.Trainer[Sentence], error) {
	return nn.NewTrainer[Sentence](n.Params, n.assemble, opt, workers, rate)
}

// model is the network on one graph.
type model struct {
	batch
	logits *G.Node
	loss   *G.Node
}

func (m *model) Loss() *G.Node { return m.loss }

// assemble builds the network.
func (n *Network) assemble(g *nn.Graph) *model { return n.assembleOrder(g, nil) }

// assembleOrder is assemble with the logits in an order of the labels, unless it is nil. In training it must be nil, because the loss reads labels.
func (n *Network) assembleOrder(g *nn.Graph, order []int32) *model {
	m := &model{}
	x := n.encoder(g, m)
	if order != nil {
		m.logits = g.LinearOrder("logits", x, order)
	} else {
		m.logits = g.Linear("logits", x, n.Sizes.Labels)
	}
	if n.Config.CRF {
		m.loss = g.CRF("crf", m.logits, m.gold)
	} else {
		m.loss = g.SoftmaxLoss(m.logits, m.gold)
	}
	return m
}

// encoder is everything below the logits.
func (n *Network) encoder(g *nn.Graph, m *model) *G.Node {
	cfg := n.Config
	x, features := n.input(g, m)
	if cfg.Int8 {
		g.Int8()
	}
	x = n.tokenLSTMs(g, x)
	if n.Sizes.Features.Output {
		x = g.Concat(append([]*G.Node{x}, features...)...)
	}
	if cfg.Hidden > 0 {
		x = g.Tanh(g.Linear("hidden", x, cfg.Hidden))
	}
	return x
}

// input returns what the first token BiLSTM reads, the vectors of each token with dropout, and the
// features, which are part of it unless they are read after the BiLSTMs.
func (n *Network) input(g *nn.Graph, m *model) (x *G.Node, features []*G.Node) {
	cfg := n.Config
	m.tokens = g.Axis("tokens")
	m.ids, m.gold = m.tokens.Index(), m.tokens.Index()
	parts := n.words(g, m)
	features = n.features(g, m)
	if !n.Sizes.Features.Output {
		parts = append(parts, features...)
	}
	return g.Dropout(g.Concat(parts...), cfg.Dropout, cfg.WordDropout), features
}

// tokenLSTMs stacks the token BiLSTMs. From the second on, each reads the output of the one before
// through dropout and, if it has as many units, adds that output to its own: a residual connection,
// as in Prakash et al. 2016. Layer normalisation follows the sum.
func (n *Network) tokenLSTMs(g *nn.Graph, x *G.Node) *G.Node {
	cfg := n.Config
	for i, units := range cfg.TokenLSTM.layers() {
		number, in := "", x // the first has no number, as in models of earlier versions
		if i > 0 {
			number, in = fmt.Sprint(i+1), g.Dropout(x, cfg.Dropout, 0)
		}
		h := g.BiLSTM("token_lstm"+number, in, units, cfg.Cell)
		if i > 0 && units == cfg.TokenLSTM[i-1] {
			h = g.Add(x, h)
		}
		if cfg.LayerNorm {
			h = g.LayerNorm("token_norm"+number, h)
		}
		x = h
	}
	return x
}

// words returns the vectors of each token that follow from the token alone: that of its characters and that
// of the token table. In prediction each distinct token of a batch has one row, which all its uses take.
func (n *Network) words(g *nn.Graph, m *model) (parts []*G.Node) {
	cfg, ids := n.Config, m.ids
	m.word = m.tokens.Index()
	if !g.Training {
		m.words = g.Axis("words")
		m.wordIDs = m.words.Index()
		ids = m.wordIDs
	}
	if cfg.ReadsCharacters() {
		parts = append(parts, n.characters(g, m))
	}
	if cfg.TokenEmbedding > 0 {
		parts = append(parts, g.Embedding(TokenVectors, ids, n.Sizes.Tokens, cfg.TokenEmbedding, n.initTokens))
	}
	if !g.Training {
		parts = []*G.Node{g.Gather(g.Concat(parts...), m.word)}
	}
	return parts
}

// characters is the character-based token encoder. Each distinct token of a batch is encoded once. In training
// the rows of the result are the tokens, which take the vectors of their spellings, and in prediction the distinct
// tokens. The names of all its parameters begin with character_, by which spellings finds them.
func (n *Network) characters(g *nn.Graph, m *model) *G.Node {
	cfg := n.Config
	m.characters = g.Axis("characters")
	m.characterIDs = m.characters.Index()
	table := g.Param("character_embedding", n.Sizes.Characters, cfg.CharacterEmbedding, cfg.table())
	x := g.Gather(table, m.characterIDs)
	if cfg.Characters == CharacterCNN { // tanh is monotonic, so it can follow the maximum
		x = g.Tanh(g.MaxPool(g.Convolution("character_cnn", x, cfg.CharacterWidth, cfg.CharacterFilters)))
	} else {
		x = g.LastStates(g.BiLSTM("character_lstm", x, cfg.CharacterLSTM, cfg.Cell))
	}
	if g.Training {
		return g.Gather(x, m.word)
	}
	if n.spellings == nil {
		n.spellings = newCache(cfg.characters(), n.Params)
	}
	m.cache = newSpellings(&m.batch, n.spellings)
	return g.Apply("spellings", m.cache, m.words, cfg.characters(), x)
}

// table draws a table of characters or of the values of a family.
func (c Config) table() nn.Init {
	if c.EmbeddingRange > 0 {
		return nn.Uniform(c.EmbeddingRange)
	}
	return nn.Glorot
}

// features returns the vectors of each family.
func (n *Network) features(g *nn.Graph, m *model) (families []*G.Node) {
	f := n.Sizes.Features
	for i, values := range f.Values {
		bags := m.tokens.Bags()
		m.features = append(m.features, bags)
		table := g.Param(fmt.Sprintf("features.%d", i), values, f.Dimension, n.Config.table())
		families = append(families, g.Dropout(g.Sum(table, bags), 0, f.Dropout))
	}
	return families
}

// initTokens draws the token table. With a scale it first draws what it would be without, so that
// the seeds of earlier versions keep their networks.
func (n *Network) initTokens(rng *rand.Rand, p *nn.Param) {
	nn.Glorot(rng, p)
	if s := n.Config.TokenScale; s > 0 {
		nn.Normal(s)(rng, p)
	}
}
