package chain

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// SGD minimizes the loss of LBFGS by stochastic gradient descent, a sequence a
// step (Bottou 2010; CRFsuite's l2sgd): the rate of step t is
// Rate / (1 + Rate λ t), with λ = 2 L2 / the number of sequences. It is near the
// optimum after a few passes, and takes long to come closer.
type SGD struct {
	L2         float64 // as LBFGS.L2
	Rate       float64 // of the first step
	Iterations int     // passes over the sequences
	Seed       uint64  // decides their order in each pass
}

var _ Trainer = SGD{}

// Train implements Trainer.
func (o SGD) Train(ctx context.Context, m *Model, sequences []Sequence, report func(Iteration)) error {
	clear(m.Weight)
	clear(m.Transition)
	if len(sequences) == 0 {
		return nil
	}
	lambda := 2 * o.L2 / float64(len(sequences))
	shrunk := 1.0 // the weights are shrunk*m.Weight, so that the penalty of all of them is one product
	restore := func() { floats.Scale(shrunk, m.Weight); shrunk = 1 }
	w := &worker{marginal: make([]float64, m.Labels), pairs: make([]float64, len(m.Transition))}
	trans := make([]float64, len(m.Transition))
	steps := 0.0
	for epoch := range o.Iterations {
		loss := 0.0
		for _, at := range rand.New(rand.NewPCG(o.Seed, uint64(epoch))).Perm(len(sequences)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			s := &sequences[at]
			if s.Len() == 0 {
				continue
			}
			rate := o.Rate / (1 + o.Rate*lambda*steps)
			steps++
			exp(trans, m.Transition)
			w.sums.computeShrunk(m, s, trans, shrunk)
			loss += w.sums.LogZ - w.sums.score(m, s.Labels)
			shrunk *= 1 - rate*lambda
			floats.Scale(1-rate*lambda, m.Transition)
			w.step(m, s, trans, rate, rate/shrunk)
			if shrunk < 1e-9 {
				restore()
			}
		}
		restore()
		loss += o.L2 * (floats.Dot(m.Weight, m.Weight) + floats.Dot(m.Transition, m.Transition))
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return errors.New("SGD: the loss is not finite: take a lower rate")
		}
		if report != nil {
			report(Iteration{epoch + 1, loss})
		}
	}
	return nil
}

// step moves the weights against the gradient of one sequence's loss.
func (w *worker) step(m *Model, s *Sequence, trans []float64, rate, stateRate float64) {
	for t, y := range s.Labels {
		w.sums.marginal(t, w.marginal)
		w.marginal[y]--
		from, to := s.at(t)
		for k := from; k < to; k++ {
			if a := s.Attributes[k]; a >= 0 {
				for f := m.First[a]; f < m.First[a+1]; f++ {
					m.Weight[f] -= stateRate * w.marginal[m.Label[f]]
				}
			}
		}
	}
	clear(w.pairs)
	w.sums.addPairs(w.pairs)
	for i, x := range w.pairs {
		m.Transition[i] -= rate * x * trans[i]
	}
	for t := 1; t < s.Len(); t++ {
		m.Transition[int(s.Labels[t-1])*m.Labels+int(s.Labels[t])] += rate
	}
}
