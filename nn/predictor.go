package nn

import (
	"math"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Predictor labels sentences. It is used by one goroutine at a time; any number
// of them may share a network that nobody trains.
type Predictor struct {
	machine *machine
	trans   kernel.Matrix // what viterbi adds: the CRF's scores, and -Inf where a path is not allowed
	lattice lattice
	crf     kernel.Matrix
}

// NewPredictor compiles a machine. legal says whether label b may follow label
// a, where a is Labels before the first token and b is Labels+1 after the last;
// nil allows all. It must leave a path open. Predictors must be made one after
// another.
func NewPredictor(net *Network, legal func(a, b int) bool) (*Predictor, error) {
	m, err := newMachine(net, false)
	if err != nil {
		return nil, err
	}
	k := net.Sizes.Labels
	p := &Predictor{machine: m, trans: kernel.NewMatrix(k+2, k+2, make([]float32, (k+2)*(k+2)))}
	p.crf = p.trans
	if net.transitions != nil {
		p.crf = net.transitions.matrix()
	}
	p.trans = kernel.NewMatrix(k+2, k+2, append([]float32{}, p.crf.Data...))
	for a := range k + 1 {
		for b := range k + 2 {
			if legal != nil && b != k && !legal(a, b) {
				p.trans.Row(a)[b] = float32(math.Inf(-1))
			}
		}
	}
	return p, nil
}

// Labeling is the labels found for one sentence.
type Labeling struct {
	Labels []int32
	// Probability is that of the labels of tokens [from, to) being just these,
	// summed over whatever the other tokens have: the CRF's marginal, or without
	// a CRF the product of the tokens' own. Valid until the next Predict.
	Probability func(from, to int) float64
}

// Predict finds the best labels of each sentence. A sentence without tokens
// has none.
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
	pk := &p.machine.batch.tokens
	p.lattice.run(pk, logits, p.crf) // with transitions of 0 it is a softmax at each token
	for s, i := range p.machine.batch.order {
		y := viterbi(p.lattice.sentence(pk, s), p.trans)
		found[at[i]] = Labeling{y, func(from, to int) float64 { return p.lattice.probability(pk, s, y, from, to) }}
	}
	return found, nil
}
