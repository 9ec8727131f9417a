package nn

import (
	"cmp"
	"fmt"
	"math"
)

// Trainer trains a network on minibatches. It divides each batch among workers and sums their
// gradients in a fixed order, so the same seed and number of workers produce the same bits.
type Trainer struct {
	net      *Network
	opt      Optimizer
	rule     rule
	machines []*machine // one per worker
	crew     *crew
	freeze   bool
	step     int // updates done
	state    [][][]float32
	rowState [][]float32
	average  *average
	sums     [][]float32 // gradient of each parameter, summed over all workers
	rows     rowSums
}

// NewTrainer compiles one machine per worker. freeze keeps the token embedding unchanged. Close the
// trainer after use.
func NewTrainer(net *Network, opt Optimizer, workers int, freeze bool) (*Trainer, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	t := &Trainer{net: net, opt: opt, rule: rules[opt.Method], freeze: freeze || net.table == nil}
	for range max(1, workers) {
		m, err := newMachine(net, true)
		if err != nil {
			return nil, err
		}
		t.machines = append(t.machines, m)
	}
	for _, p := range net.params {
		t.state = append(t.state, t.newState(len(p.Data)))
	}
	if !t.freeze {
		t.rowState = t.newState(len(net.table.Data))
	}
	if opt.Average > 0 {
		t.average = newAverage(net, t.freeze)
	}
	t.crew = newCrew(len(t.machines))
	return t, nil
}

// SwapAverage exchanges the network's weights and their moving average. Call it before using the
// network, and again before the next step. Without an average it does nothing.
func (t *Trainer) SwapAverage() {
	if t.average != nil {
		t.average.swap()
	}
}

func (t *Trainer) newState(n int) (s [][]float32) {
	for range t.rule.states {
		s = append(s, make([]float32, n))
	}
	return s
}

// State returns what a later Trainer needs, besides the network, to continue to the same bits: the
// number of updates so far, and the optimizer's memory as named matrices. Both may be read and
// written in place.
func (t *Trainer) State() (step *int, memory []*Param) {
	add := func(p *Param, state [][]float32) {
		for i, s := range state {
			memory = append(memory, &Param{fmt.Sprintf("%s.%s%d", p.Name, t.opt.Method, i), p.Rows, p.Cols, s})
		}
	}
	for i, p := range t.net.params {
		add(p, t.state[i])
	}
	if !t.freeze {
		add(t.net.table, t.rowState)
	}
	if t.average != nil {
		for i, p := range t.average.params {
			memory = append(memory, &Param{p.Name + ".average", p.Rows, p.Cols, t.average.values[i]})
		}
	}
	return &t.step, memory
}

// Step does one update on a minibatch. The gradient is the mean of the gradients of its sentences
// (section 3.3; the paper trains with one sentence per batch). seed decides dropout; epoch, from 0,
// decides the decay of the learning rate. Step returns the mean loss. It fails if the loss or the
// gradient is not finite.
func (t *Trainer) Step(sentences []Sentence, seed uint64, epoch int) (loss float64, err error) {
	if len(sentences) == 0 {
		return 0, nil
	}
	scale := 1 / float32(len(sentences))
	shares := deal(sentences, len(t.machines))
	losses, errs := make([]float64, len(shares)), make([]error, len(shares))
	t.crew.each(func(w int) {
		if w >= len(shares) {
			return
		}
		share, seeds := make([]Sentence, len(shares[w])), make([]uint64, len(shares[w]))
		for i, at := range shares[w] {
			s := splitmix(seed + uint64(at))
			share[i], seeds[i] = sentences[at], s.next()
		}
		losses[w], errs[w] = t.machines[w].train(share, seeds, scale)
	})
	for w := range shares {
		loss += losses[w]
		err = cmp.Or(err, errs[w])
	}
	if err != nil {
		return 0, err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, fmt.Errorf("the loss is %v after %d updates: try a lower learning rate", loss, t.step)
	}
	if err := t.apply(t.machines[:len(shares)], t.opt.LearningRate*math.Pow(t.opt.Decay, float64(epoch))); err != nil {
		return loss, fmt.Errorf("%w after %d updates: try a lower learning rate", err, t.step)
	}
	return loss, nil
}

// FLOP returns the number of multiplications and additions in the matrix products of all steps.
func (t *Trainer) FLOP() (sum float64) {
	for _, m := range t.machines {
		sum += m.flop
	}
	return sum
}

// Close ends the workers. The trainer cannot be used afterwards.
func (t *Trainer) Close() { t.crew.close() }

// deal divides the sentences among the workers: the longest first, each to the worker with the
// fewest tokens so far. Every worker gets at least one.
func deal(sentences []Sentence, workers int) [][]int {
	var by packing
	order := by.pack(len(sentences), func(i int) int { return len(sentences[i].Tokens) })
	shares, load := make([][]int, min(workers, len(sentences))), make([]int, workers)
	for _, i := range order {
		least := 0
		for w := range shares {
			if load[w] < load[least] {
				least = w
			}
		}
		shares[least] = append(shares[least], i)
		load[least] += len(sentences[i].Tokens)
	}
	return shares
}
