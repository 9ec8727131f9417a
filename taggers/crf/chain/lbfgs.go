package chain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// LBFGS minimizes the negative log-likelihood with an L2 penalty,
//
//	-Σ log p(y|x) + L2 Σ w²,
//
// with the limited-memory BFGS method (Nocedal 1980), as CRFsuite's trainer of the same
// name does.
type LBFGS struct {
	L2         float64 // weight of the penalty; CRFsuite's c2
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
		c.report(Iteration{n, at.F})
	}
	if n >= c.period && c.losses[n-c.period]-at.F < c.delta*math.Abs(at.F) {
		return optimize.FunctionConvergence
	}
	return optimize.NotTerminated
}
