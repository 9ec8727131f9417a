package chain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// LBFGS minimizes the negative log-likelihood with an L2 penalty,
//
//	-Σ log p(y|x) + L2 Σ w²,
//
// by the limited-memory BFGS method (Nocedal 1980), as CRFsuite's trainer of that
// name does.
type LBFGS struct {
	L2         float64 // of the penalty; CRFsuite's c2
	Iterations int     // at most
	// The training ends when the last Period iterations have lowered the loss by
	// less than Delta of it.
	Delta   float64
	Period  int
	Workers int // goroutines; the bits depend on their number
}

var _ Trainer = LBFGS{}

// Train implements Trainer.
func (o LBFGS) Train(ctx context.Context, m *Model, sequences []Sequence, report func(Iteration)) error {
	f := newObjective(m, sequences, o.L2, max(1, o.Workers))
	stop := &improvement{delta: o.Delta, period: o.Period, report: report}
	start := slices.Concat(m.Weight, m.Transition)
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
	settings := &optimize.Settings{MajorIterations: o.Iterations, Converger: stop}
	result, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{Store: 6, Linesearcher: &optimize.MoreThuente{DecreaseFactor: 1e-4}})
	if e := ctx.Err(); e != nil {
		return e
	}
	// A line search that finds no lower loss has come as far as float64 goes.
	if lineSearch := errors.Is(err, optimize.ErrLinesearcherFailure) || errors.Is(err, optimize.ErrNoProgress); err != nil && !lineSearch {
		return fmt.Errorf("L-BFGS: %w", err)
	}
	if result == nil || math.IsNaN(result.F) || math.IsInf(result.F, 0) {
		return errors.New("L-BFGS: the loss is not finite")
	}
	copy(m.Weight, result.X)
	copy(m.Transition, result.X[len(m.Weight):])
	return nil
}

// improvement ends a training that has become slow.
type improvement struct {
	delta  float64
	period int
	losses []float64
	report func(Iteration)
}

func (c *improvement) Init(int) { c.losses = nil }

func (c *improvement) Converged(at *optimize.Location) optimize.Status {
	c.losses = append(c.losses, at.F)
	n := len(c.losses) - 1 // the first is the start
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

// objective is the loss and its gradient: the expected less the observed counts
// of each feature (Sutton and McCallum 2012, section 5.1.1).
type objective struct {
	m         *Model // whose weights are those asked about
	sequences []Sequence
	l2        float64
	observed  []float64 // counts of the features, then of the transitions
	workers   []*worker
	last      []float64 // where value was last asked for, and what it found
	loss      float64
	grad      []float64
}

// worker is a part of the sequences, and the memory for it.
type worker struct {
	sequences []Sequence
	grad      []float64 // expected counts of the features, then of the transitions
	pairs     []float64
	marginal  []float64
	sums      sums
	loss      float64
}

func newObjective(m *Model, sequences []Sequence, l2 float64, workers int) *objective {
	n := len(m.Weight) + len(m.Transition)
	f := &objective{
		m: &Model{m.Labels, m.First, m.Label, make([]float64, len(m.Weight)), make([]float64, len(m.Transition))}, sequences: sequences,
		l2: l2, observed: make([]float64, n), grad: make([]float64, n),
	}
	tokens := 0
	for i := range sequences {
		tokens += sequences[i].Len()
		f.observe(&sequences[i])
	}
	for range workers { // each gets about as many tokens
		w := &worker{grad: make([]float64, n), pairs: make([]float64, len(m.Transition)), marginal: make([]float64, m.Labels)}
		for size := 0; len(sequences) > 0 && (size < tokens/workers+1 || len(f.workers) == workers-1); sequences = sequences[1:] {
			size += sequences[0].Len()
			w.sequences = append(w.sequences, sequences[0])
		}
		f.workers = append(f.workers, w)
	}
	return f
}

// observe counts the features of the sequence with its own labels.
func (f *objective) observe(s *Sequence) {
	m := f.m
	for t, y := range s.Labels {
		from, to := s.at(t)
		for k := from; k < to; k++ {
			if a := s.Attributes[k]; a >= 0 {
				if i, ok := slices.BinarySearch(m.Label[m.First[a]:m.First[a+1]], y); ok {
					f.observed[int(m.First[a])+i]++
				}
			}
		}
		if t > 0 {
			f.observed[len(m.Weight)+int(s.Labels[t-1])*m.Labels+int(y)]++
		}
	}
}

func (f *objective) value(x []float64) float64 {
	if f.last == nil || !slices.Equal(f.last, x) {
		f.evaluate(x)
	}
	return f.loss
}

func (f *objective) gradient(grad, x []float64) {
	f.value(x)
	copy(grad, f.grad)
}

func (f *objective) evaluate(x []float64) {
	f.last = append(f.last[:0], x...)
	copy(f.m.Weight, x)
	copy(f.m.Transition, x[len(f.m.Weight):])
	trans := make([]float64, len(f.m.Transition))
	exp(trans, f.m.Transition)
	var wg sync.WaitGroup
	for _, w := range f.workers {
		wg.Go(func() { w.evaluate(f.m, trans) })
	}
	wg.Wait()
	f.loss = f.l2 * floats.Dot(x, x)
	for i := range f.grad {
		f.grad[i] = 2*f.l2*x[i] - f.observed[i]
	}
	for _, w := range f.workers { // in this order, for the same bits
		f.loss += w.loss
		floats.Add(f.grad, w.grad)
	}
}

func (w *worker) evaluate(m *Model, trans []float64) {
	clear(w.grad)
	clear(w.pairs)
	w.loss = 0
	for i := range w.sequences {
		s := &w.sequences[i]
		if s.Len() == 0 {
			continue
		}
		w.sums.compute(m, s, trans, nil, nil)
		w.loss += w.sums.LogZ - w.sums.score(m, s.Labels)
		w.sums.addPairs(w.pairs)
		for t := range s.Len() {
			w.sums.marginal(t, w.marginal)
			w.expect(m, s, t)
		}
	}
	for i, x := range w.pairs {
		w.grad[len(m.Weight)+i] += x * trans[i]
	}
}

// expect adds the expected counts of a token's features.
func (w *worker) expect(m *Model, s *Sequence, t int) {
	from, to := s.at(t)
	for k := from; k < to; k++ {
		a := s.Attributes[k]
		if a < 0 {
			continue
		}
		f, g := m.First[a], m.First[a+1]
		grad := w.grad[f:g]
		for i, l := range m.Label[f:g] {
			grad[i] += w.marginal[l]
		}
	}
}
