package tagger

import "github.com/lethe-deid/lethe/nn"

// Predictor labels sentences. It must be used by one goroutine at a time, but any number of
// Predictors may share a network that is not being trained.
type Predictor struct {
	machine     *nn.Machine[Sentence, *model]
	decoder     *nn.Decoder
	transitions *nn.Param // nil without a CRF
	at          []int     // by sentence: its place among those that have tokens
	order       []int32   // the label of each column of the machine's logits
	logits      []float32 // what Logits returned last
	second      []float32 // what read returned last
}

// NewPredictor compiles a machine. legal is as for nn.NewDecoder. Predictors must be created one
// after another.
func (n *Network) NewPredictor(legal func(a, b int) bool) (*Predictor, error) {
	decoder := nn.NewDecoder(n.Sizes.Labels, legal)
	p := &Predictor{decoder: decoder, transitions: n.Get("crf.transitions"), order: decoder.Order(), logits: make([]float32, n.Sizes.Labels)}
	var err error
	p.machine, err = nn.NewMachine[Sentence](n.Params, func(g *nn.Graph) *model { return n.assembleOrder(g, p.order) }, false)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Predict finds the best labels of each sentence, which are empty for a sentence without tokens.
// The labelings are in the order of the sentences. Their functions are valid until the next call.
func (p *Predictor) Predict(sentences []Sentence) ([]nn.Labeling, error) {
	return p.PredictMean(sentences, nil)
}

// PredictMean is Predict with a second reading of some sentences, by their number: as many tokens, with
// other ids. The logits of such a sentence are the means of those of both readings.
func (p *Predictor) PredictMean(sentences []Sentence, again map[int]Sentence) ([]nn.Labeling, error) {
	found := make([]nn.Labeling, len(sentences))
	var some, second []Sentence
	var at, twice []int // by place in some, and in second: the sentence
	p.at = p.at[:0]
	for i, s := range sentences {
		p.at = append(p.at, len(some))
		if len(s.Tokens) == 0 {
			continue
		}
		some, at = append(some, s), append(at, i)
		if other, ok := again[i]; ok {
			second, twice = append(second, other), append(twice, i)
		}
	}
	if len(some) == 0 {
		return found, nil
	}
	read, err := p.read(second)
	if err != nil {
		return nil, err
	}
	if err := p.machine.Run(some); err != nil {
		return nil, err
	}
	model := p.machine.Model
	logits := p.machine.Value(model.logits)
	for _, i := range twice {
		for t := range sentences[i].Tokens {
			mean := logits.Row(model.tokens.Row(p.at[i], t))
			for label, v := range read[:len(mean)] {
				mean[label] = (mean[label] + v) / 2
			}
			read = read[len(mean):]
		}
	}
	for i, l := range p.decoder.Decode(model.tokens, logits, p.transitions) {
		found[at[i]] = l
	}
	return found, nil
}

// read returns the logits of sentences, token by token. They are valid until the next call.
func (p *Predictor) read(sentences []Sentence) ([]float32, error) {
	p.second = p.second[:0]
	if len(sentences) == 0 {
		return nil, nil
	}
	if err := p.machine.Run(sentences); err != nil {
		return nil, err
	}
	logits := p.machine.Value(p.machine.Model.logits)
	for i, s := range sentences {
		for t := range s.Tokens {
			p.second = append(p.second, logits.Row(p.machine.Model.tokens.Row(i, t))...)
		}
	}
	return p.second, nil
}

// Logits returns the logits of a token, one per label: what the CRF or the softmax reads. They are valid
// until the next call of Logits. The sentence is counted among those of the last call of Predict.
func (p *Predictor) Logits(sentence, token int) []float32 {
	model := p.machine.Model
	row := p.machine.Value(model.logits).Row(model.tokens.Row(p.at[sentence], token))
	for i, label := range p.order {
		p.logits[label] = row[i]
	}
	return p.logits
}

// FLOP returns the number of multiplications and additions in the matrix products of all
// predictions.
func (p *Predictor) FLOP() float64 { return p.machine.FLOP() }
