package nn

import (
	"math"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Predictor labels sentences. It must be used by one goroutine at a time, but any number of
// Predictors may share a network that is not being trained.
type Predictor struct {
	machine   *machine
	crf       kernel.Matrix // the network's transitions; zeros without a CRF
	forbidden []bool        // of each transition
	trans     kernel.Matrix // crf with -Inf where forbidden; viterbi adds these
	lattice   lattice
	viterbi   viterbi
}

// NewPredictor compiles a machine. legal reports whether label b may follow label a, where a is
// Labels before the first token and b is Labels+1 after the last; nil allows all. It must allow at
// least one path for every sentence. Predictors must be created one after another.
func NewPredictor(net *Network, legal func(a, b int) bool) (*Predictor, error) {
	m, err := newMachine(net, false)
	if err != nil {
		return nil, err
	}
	k := net.Sizes.Labels
	size := (k + 2) * (k + 2)
	p := &Predictor{machine: m, forbidden: make([]bool, size), trans: kernel.NewMatrix(k+2, k+2, make([]float32, size))}
	if net.transitions != nil {
		p.crf = net.transitions.matrix()
	} else {
		p.crf = kernel.NewMatrix(k+2, k+2, make([]float32, size))
	}
	for a := range k + 1 {
		for b := range k + 2 {
			p.forbidden[a*(k+2)+b] = legal != nil && b != k && !legal(a, b)
		}
	}
	return p, nil
}

// Labeling contains the labels of one sentence.
type Labeling struct {
	Labels []int32
	// Probability returns the probability that tokens [from, to) have exactly these labels, summed
	// over all labels of the other tokens: the CRF's marginal, or without a CRF the product of the
	// probabilities of the tokens. It is valid until the next Predict.
	Probability func(from, to int) float64
	// Marginal returns the probability of one label at one token. It is valid until the next
	// Predict.
	Marginal func(token int, label int32) float64
}

// Predict finds the best labels of each sentence, which are empty for a sentence without tokens.
// The labelings are in the order of the sentences.
func (p *Predictor) Predict(sentences []Sentence) ([]Labeling, error) {
	found := make([]Labeling, len(sentences))
	var some []Sentence
	var at []int
	for i, s := range sentences {
		if len(s.Tokens) > 0 {
			some, at = append(some, s), append(at, i)
		}
	}
	if len(some) == 0 {
		return found, nil
	}
	logits, err := p.machine.predict(some)
	if err != nil {
		return nil, err
	}
	for i, v := range p.crf.Data { // copied each time, because a trainer may have changed them
		if p.forbidden[i] {
			v = float32(math.Inf(-1))
		}
		p.trans.Data[i] = v
	}
	pk := &p.machine.batch.tokens
	p.lattice.run(pk, logits, p.crf) // with transitions of 0 it is a softmax at each token
	for s, i := range p.machine.batch.order {
		y := p.viterbi.best(pk, s, logits, p.trans)
		other := make([]int32, len(y))
		found[at[i]] = Labeling{
			y, func(from, to int) float64 { return p.lattice.probability(pk, s, y, from, to) },
			func(t int, label int32) float64 {
				other[t] = label
				return p.lattice.probability(pk, s, other, t, t+1)
			},
		}
	}
	return found, nil
}

// FLOP returns the number of multiplications and additions in the matrix products of all
// predictions.
func (p *Predictor) FLOP() float64 { return p.machine.flop }
