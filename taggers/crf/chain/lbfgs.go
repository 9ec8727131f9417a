package chain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// LBFGS minimizes the negative log-likelihood with an L1 and an L2 penalty,
//
//	-Σ log p(y|x) + L1 Σ |w| + L2 Σ w²,
//
// with the limited-memory BFGS method (Nocedal 1980) or, with an L1 penalty, OWL-QN (Andrew
// and Gao 2007), as CRFsuite's trainer of the same name does. An L1 penalty makes many
// weights exactly 0.
type LBFGS struct {
	L1         float64 // weight of the L1 penalty; CRFsuite's c1
	L2         float64 // weight of the L2 penalty; CRFsuite's c2
	Iterations int     // maximum number of iterations
	// Training ends when the last Period iterations have lowered the loss by less than
	// this share of it.
	Delta   float64
	Period  int
	Workers int // goroutines; the last bits of the weights depend on their number
}

var _ Trainer = LBFGS{}

// Train implements Trainer.
func (o LBFGS) Train(ctx context.Context, m *Model, sequences []Sequence, report func(Iteration)) error {
	merged := merge(m, sequences)
	f := merged.objective(sequences, o.L2, max(1, o.Workers))
	if o.L1 > 0 {
		return o.trainSparse(ctx, m, merged, f, report)
	}
	stop := &improvement{delta: o.Delta, period: o.Period, report: report}
	start := make([]float64, len(merged.Weight)+len(merged.Transition))
	problem := optimize.Problem{
		Func: f.value,
		Grad: f.gradient,
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	// The start counts as an iteration.
	settings := &optimize.Settings{MajorIterations: o.Iterations + 1, Converger: stop}
	result, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{Store: 6, Linesearcher: &optimize.MoreThuente{DecreaseFactor: 1e-4}})
	if e := ctx.Err(); e != nil {
		return e
	}
	// If the line search finds no lower loss, training has reached the precision of
	// float64.
	if lineSearch := errors.Is(err, optimize.ErrLinesearcherFailure) || errors.Is(err, optimize.ErrNoProgress); err != nil && !lineSearch {
		return fmt.Errorf("L-BFGS: %w", err)
	}
	if result == nil || math.IsNaN(result.F) || math.IsInf(result.F, 0) {
		return errors.New("L-BFGS: the loss is not finite")
	}
	merged.spread(result.X, m)
	return nil
}

// improvement ends a training whose loss hardly falls any more.
type improvement struct {
	delta  float64
	period int
	losses []float64
	report func(Iteration)
}

func (c *improvement) Init(int) { c.losses = nil }

func (c *improvement) Converged(at *optimize.Location) optimize.Status {
	c.losses = append(c.losses, at.F)
	n := len(c.losses) - 1 // the first entry is the loss at the start
	if n == 0 {
		return optimize.NotTerminated
	}
	if c.report != nil {
		c.report(Iteration{Number: n, Loss: at.F})
	}
	if c.slow() {
		return optimize.FunctionConvergence
	}
	return optimize.NotTerminated
}

// slow reports whether the last iterations have hardly lowered the loss.
func (c *improvement) slow() bool {
	n := len(c.losses) - 1
	return n >= c.period && c.losses[n-c.period]-c.losses[n] < c.delta*math.Abs(c.losses[n])
}

// trainSparse trains with an L1 penalty.
func (o LBFGS) trainSparse(ctx context.Context, m *Model, merged *merged, f *objective, report func(Iteration)) error {
	q := &owlqn{value: f.value, gradient: f.gradient, penalty: merged.penalty(o.L1)}
	stop := &improvement{delta: o.Delta, period: o.Period, losses: []float64{f.value(make([]float64, len(q.penalty)))}}
	x, err := q.minimize(ctx, func(x []float64, loss float64) bool {
		stop.losses = append(stop.losses, loss)
		n := len(stop.losses) - 1
		if report != nil {
			report(Iteration{Number: n, Loss: loss, NonZero: merged.nonZero(x)})
		}
		return n >= o.Iterations || stop.slow()
	})
	if err != nil {
		return err
	}
	merged.spread(x, m)
	return nil
}
