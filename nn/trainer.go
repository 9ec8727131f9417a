package nn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Example is one element of a batch, such as a sentence.
type Example interface {
	// Len returns how long its computation takes relative to other examples, such as its number of
	// tokens. Workers share a batch by it.
	Len() int
}

// Trainer trains a network on minibatches. It divides each batch among workers and sums their
// gradients in a fixed order, so the same seed and number of workers produce the same bits.
type Trainer[E Example] struct {
	machines []*machine // one per worker
	fill     []func(batch []E, seeds []uint64)
	update   *updater
}

// NewTrainer calls assembly once per worker, of which there is at least one, to build the network whose
// parameters are in params, or are added to it. rate returns the factor of the learning rate for a
// parameter; 0 freezes the parameter, and without the function (nil) all factors are 1. Close the
// trainer after use.
func NewTrainer[E Example, M Model[E]](params *Params, assembly func(*Graph) M, opt Optimizer, workers int, rate func(param string) float64) (*Trainer[E], error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	t := &Trainer[E]{}
	for range max(1, workers) {
		m, err := NewMachine[E](params, assembly, true)
		if err != nil {
			return nil, err
		}
		t.machines, t.fill = append(t.machines, m.machine), append(t.fill, m.Model.Fill)
	}
	t.update = newUpdater(params, t.machines, opt, rate)
	return t, nil
}

// SwapAverage exchanges the network's weights and their moving average. Call it before using the
// network, and again before the next step. Without an average it does nothing.
func (t *Trainer[E]) SwapAverage() {
	if t.update.average != nil {
		t.update.average.swap()
	}
}

// SetRate sets the factor of the learning rate for the next steps, such as Schedule.At. It is 1 at first.
func (t *Trainer[E]) SetRate(factor float64) { t.update.factor = factor }

// FreezeRows leaves rows of a table of embeddings as they are: those for which frozen, which has a value per row, is
// true. It does nothing for a parameter that is not trained.
func (t *Trainer[E]) FreezeRows(table *Param, frozen []bool) {
	for _, u := range t.update.tables {
		if u.Param == table {
			u.frozen = frozen
		}
	}
}

// State returns what a later Trainer needs, besides the parameters, to continue to the same bits:
// the number of updates so far, and the optimizer's memory as named matrices. Both may be read and
// written in place.
func (t *Trainer[E]) State() (step *int, memory []*Param) { return t.update.state() }

// Step does one update on a minibatch. The gradient is the mean of the gradients of its examples
// (Dernoncourt et al. 2016 train by gradient descent, their program with one sentence per batch). seed
// decides
// dropout; epoch, from 0, decides the decay of the learning rate. Step returns the mean loss. Without
// examples it does nothing. It fails, and changes nothing, if the loss or, with ClipNorm, the norm of the gradient is not finite.
func (t *Trainer[E]) Step(examples []E, seed uint64, epoch int) (loss float64, err error) {
	if len(examples) == 0 {
		return 0, nil
	}
	scale := 1 / float32(len(examples))
	shares := deal(examples, len(t.machines))
	errs := make([]error, len(shares))
	t.update.crew.each(func(w int) {
		if w >= len(shares) {
			return
		}
		share, seeds := make([]E, len(shares[w])), make([]uint64, len(shares[w]))
		for i, at := range shares[w] {
			s := splitmix(seed + uint64(at))
			share[i], seeds[i] = examples[at], s.next()
		}
		t.machines[w].scale, t.machines[w].graph.seeded = scale, true
		errs[w] = t.machines[w].run(func() { t.fill[w](share, seeds) })
	})
	if err := cmp.Or(errs...); err != nil {
		return 0, err
	}
	for w := range shares {
		loss += t.machines[w].Loss()
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, fmt.Errorf("the loss is %v after %d updates: try a lower learning rate", loss, t.update.step)
	}
	if err := t.update.apply(t.machines[:len(shares)], epoch); err != nil {
		return loss, fmt.Errorf("%w after %d updates: try a lower learning rate", err, t.update.step)
	}
	return loss, nil
}

// FLOP returns the number of multiplications and additions in the matrix products of all steps.
func (t *Trainer[E]) FLOP() (sum float64) {
	for _, m := range t.machines {
		sum += m.FLOP()
	}
	return sum
}

// Close ends the workers. The trainer cannot be used afterwards.
func (t *Trainer[E]) Close() { t.update.crew.close() }

// deal divides the examples among the workers: the longest first, each to the worker with the least
// to do so far. Every worker gets at least one.
func deal[E Example](examples []E, workers int) [][]int {
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(examples[b].Len(), examples[a].Len()) })
	shares, load := make([][]int, min(workers, len(examples))), make([]int, workers)
	for _, i := range order {
		least := 0
		for w := range shares {
			if load[w] < load[least] {
				least = w
			}
		}
		shares[least] = append(shares[least], i)
		load[least] += examples[i].Len()
	}
	return shares
}
