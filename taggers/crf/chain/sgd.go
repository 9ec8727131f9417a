package chain

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// SGD minimizes the same loss as LBFGS by stochastic gradient descent, with one
// sequence per step (Bottou 2010; CRFsuite's l2sgd). The learning rate of step t is r /
// (1 + r λ t), with λ = 2 L2 / the number of sequences. SGD is near the optimum after a
// few passes, but comes closer only slowly.
//
// The highest rate at which training does not diverge depends mainly on the length of
// the sequences. So r is found by trial, as in Bottou's program: of Rate, Rate/2,
// Rate/4 and so on, it is the one that gives the lowest loss after a pass over a
// sample.
type SGD struct {
	L2         float64 // as LBFGS.L2
	Rate       float64 // highest rate to try
	Iterations int     // passes over the sequences
	Seed       uint64  // determines the order of the sequences in each pass
}

var _ Trainer = SGD{}

// Train implements Trainer.
func (o SGD) Train(ctx context.Context, m *Model, sequences []Sequence, report func(Iteration)) error {
	d := newDescent(m, 2*o.L2/float64(max(1, len(sequences))))
	if len(sequences) == 0 {
		return nil
	}
	rate, err := o.calibrate(ctx, d, sequences)
	if err != nil {
		return err
	}
	d.start(rate)
	for epoch := range o.Iterations {
		loss := 0.0
		for _, at := range o.order(epoch, len(sequences)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			loss += d.step(&sequences[at])
		}
		d.restore()
		loss += o.L2 * (floats.Dot(m.Weight, m.Weight) + floats.Dot(m.Transition, m.Transition))
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return errors.New("SGD: the loss is not finite; use a lower rate")
		}
		if report != nil {
			report(Iteration{Number: epoch + 1, Loss: loss})
		}
	}
	return nil
}

// order returns the order of the n sequences in a pass.
func (o SGD) order(epoch, n int) []int { return rand.New(rand.NewPCG(o.Seed, uint64(epoch))).Perm(n) }

// The sample that rates are tried on: sequences with about sampleTokens tokens, but at
// least sampleSequences sequences if there are that many.
const (
	sampleTokens    = 10000
	sampleSequences = 20
	trials          = 20
)

// calibrate finds the rate.
func (o SGD) calibrate(ctx context.Context, d *descent, sequences []Sequence) (float64, error) {
	sample := o.order(-1, len(sequences))
	tokens := 0
	for n, at := range sample {
		if tokens += sequences[at].Len(); tokens >= sampleTokens && n+1 >= sampleSequences {
			sample = sample[:n+1]
			break
		}
	}
	best, least := o.Rate, math.Inf(1)
	rate := o.Rate
	for range trials {
		d.start(rate)
		for _, at := range sample {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			d.step(&sequences[at])
		}
		loss := 0.0
		for _, at := range sample {
			loss += d.loss(&sequences[at])
		}
		switch {
		case loss < least:
			best, least = rate, loss
		case !math.IsInf(least, 1): // a higher rate gave a lower loss
			return best, nil
		}
		rate /= 2
	}
	return best, nil
}

// descent is the state of a training.
type descent struct {
	m      *Model
	w      *worker
	trans  []float64
	lambda float64
	rate   float64 // rate of the first step
	steps  float64
	shrunk float64 // the weights are shrunk*m.Weight, so that one product applies the penalty to all of them
}

func newDescent(m *Model, lambda float64) *descent {
	d := &descent{m: m, lambda: lambda, trans: make([]float64, len(m.Transition))}
	d.w = &worker{marginal: make([]float64, m.Labels), pairs: make([]float64, len(m.Transition))}
	d.start(0)
	return d
}

// start begins with all weights zero.
func (d *descent) start(rate float64) {
	clear(d.m.Weight)
	clear(d.m.Transition)
	d.rate, d.steps, d.shrunk = rate, 0, 1
}

// restore writes the weights into m.Weight.
func (d *descent) restore() {
	floats.Scale(d.shrunk, d.m.Weight)
	d.shrunk = 1
}

// loss returns the loss of one sequence, without the penalty.
func (d *descent) loss(s *Sequence) float64 {
	if s.Len() == 0 {
		return 0
	}
	exp(d.trans, d.m.Transition)
	d.w.sums.computeShrunk(d.m, s, d.trans, nil, nil, d.shrunk)
	return d.w.sums.LogZ - d.w.sums.score(d.m, s.Labels)
}

// step moves the weights against the gradient of one sequence's loss. It returns that
// loss.
func (d *descent) step(s *Sequence) float64 {
	if s.Len() == 0 {
		return 0
	}
	m, w := d.m, d.w
	loss := d.loss(s)
	rate := d.rate / (1 + d.rate*d.lambda*d.steps)
	d.steps++
	d.shrunk *= 1 - rate*d.lambda
	floats.Scale(1-rate*d.lambda, m.Transition)
	for t, y := range s.Labels {
		w.sums.marginal(t, w.marginal)
		w.marginal[y]--
		from, to := s.at(t)
		for _, a := range s.Attributes[from:to] {
			if a >= 0 {
				for f := m.First[a]; f < m.First[a+1]; f++ {
					m.Weight[f] -= rate / d.shrunk * w.marginal[m.Label[f]]
				}
			}
		}
	}
	clear(w.pairs)
	w.sums.addPairs(w.pairs)
	for i, x := range w.pairs {
		m.Transition[i] -= rate * x * d.trans[i]
	}
	for t := 1; t < s.Len(); t++ {
		m.Transition[int(s.Labels[t-1])*m.Labels+int(s.Labels[t])] += rate
	}
	if d.shrunk < 1e-9 {
		d.restore()
	}
	return loss
}
