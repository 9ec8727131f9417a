package tagger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
)

// Language is a forward and a backward language model (Peters et al. 2017, section 2.3) over the
// layers of a Network that need no labels: the character encoder, the token embedding and the first
// token BiLSTM. They have the same parameters as in the Network, so that a Network can start from them.
//
// The forward LSTM of the token BiLSTM predicts the next token of each token, the backward LSTM the
// previous one. Only the first token BiLSTM is part of the model: in a second one, each direction
// reads both directions of the first, and would see the token that it must predict. For the same reason
// there is no layer normalisation, which is over both directions.
type Language struct {
	network *Network // of which only the layers named above exist
	classes int
	samples int
	*nn.Params
}

// Passage is a sequence of tokens with the classes of their neighbours. A class is a frequent word,
// or stands for all other words or for the border of a text. Lower classes should be more frequent:
// see nn.Graph.SampledSoftmax.
type Passage struct {
	Sentence         // its Labels are the classes of the tokens that follow each token
	Previous []int32 // the classes of the tokens before each token
}

// NewLanguage creates a language model that predicts one of this many classes. In training, each
// update computes the probabilities of this many sampled classes only.
func NewLanguage(cfg Config, sizes Sizes, classes, samples int, seed uint64) (*Language, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if len(cfg.TokenLSTM.layers()) == 0 {
		return nil, fmt.Errorf("token_lstm: 0, but a language model needs a token LSTM")
	}
	l := &Language{&Network{Config: cfg, Sizes: sizes, Params: nn.NewParams(seed)}, classes, samples, nil}
	l.Params = l.network.Params
	_, err := nn.NewMachine[Passage](l.Params, l.assemble, false) // which makes the parameters
	return l, err
}

// outputs is the softmax of the language model, which is the same for both directions, as in Peters
// et al. 2018, section 3.1.
const outputs = "language"

// Shared returns the parameters that the language model and the network have in common.
func (l *Language) Shared() []*nn.Param {
	return slices.DeleteFunc(l.All(), func(p *nn.Param) bool { return strings.HasPrefix(p.Name, outputs+".") })
}

// TokenEmbedding returns the token table, or nil if there is none.
func (l *Language) TokenEmbedding() *nn.Param { return l.network.TokenEmbedding() }

// NewTrainer returns a trainer, see nn.NewTrainer. The loss of a passage is the cross-entropy of both
// directions, in nats per token.
func (l *Language) NewTrainer(opt nn.Optimizer, workers int, rate func(param string) float64) (*nn.Trainer[Passage], error) {
	return nn.NewTrainer[Passage](l.Params, l.assemble, opt, workers, rate)
}

// languageModel is the language model on one graph.
type languageModel struct {
	model
	previous          *nn.Index
	forward, backward *G.Node // losses
}

// Fill implements nn.Model.
func (m *languageModel) Fill(passages []Passage, seeds []uint64) {
	sentences := make([]Sentence, len(passages))
	for i, p := range passages {
		sentences[i] = p.Sentence
	}
	m.model.Fill(sentences, seeds)
	m.previous.Fill(func(i int) []int32 { return passages[i].Previous })
}

func (l *Language) assemble(g *nn.Graph) *languageModel {
	m, cfg := &languageModel{}, l.network.Config
	x, _ := l.network.input(g, &m.model)
	m.previous = m.tokens.Index()
	units := cfg.TokenLSTM.layers()[0]
	forward := g.LSTM("token_lstm.forward", x, units, cfg.Cell)
	backward := g.ReverseLSTM("token_lstm.backward", x, units, cfg.Cell)
	m.forward = g.SampledSoftmax(outputs, forward, m.gold, l.classes, l.samples)
	m.backward = g.SampledSoftmax(outputs, backward, m.previous, l.classes, l.samples)
	m.loss = g.Total(m.forward, m.backward)
	return m
}

// Scorer computes the exact cross-entropy of text. It must be used by one goroutine at a time.
type Scorer struct {
	machine *nn.Machine[Passage, *languageModel]
}

// NewScorer compiles a machine.
func (l *Language) NewScorer() (*Scorer, error) {
	m, err := nn.NewMachine[Passage](l.Params, l.assemble, false)
	return &Scorer{m}, err
}

// scorerTokens is how many tokens are scored at a time, unless a passage is longer.
const scorerTokens = 1024

// Score returns the cross-entropy of each direction in nats, summed over the tokens of the passages.
// The perplexity is e to the power of the cross-entropy per token.
func (s *Scorer) Score(passages []Passage) (forward, backward float64, err error) {
	sorted := slices.Clone(passages)
	slices.SortStableFunc(sorted, func(a, b Passage) int { return cmp.Compare(a.Len(), b.Len()) })
	model := s.machine.Model
	for len(sorted) > 0 {
		n := sorted[0].Len()
		some := 1
		for some < len(sorted) && sorted[some].Len() == n && (some+1)*n <= scorerTokens {
			some++
		}
		if err := s.machine.Run(sorted[:some]); err != nil {
			return 0, 0, err
		}
		// The loss is a mean over the tokens of each passage, and all of them have n.
		forward += float64(n) * float64(s.machine.Value(model.forward).Data[0])
		backward += float64(n) * float64(s.machine.Value(model.backward).Data[0])
		sorted = sorted[some:]
	}
	return forward, backward, nil
}
