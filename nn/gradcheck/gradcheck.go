// Package gradcheck compares the gradients of a network with finite differences. Every layer needs
// such a test, because its gradient is written by hand.
package gradcheck

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/lethe-deid/lethe/nn"
)

// step is the distance between two of the points at which the loss is computed. With differences
// of sixth order, so large a step keeps the rounding of float32 below the tolerance.
const step = 0.06

// tolerance is the allowed difference, relative to the size of the parameter's gradient, or to
// smallest if that is greater, because smaller gradients consist of rounding errors.
const (
	tolerance = 1e-3
	smallest  = 0.05
)

// Check returns an error that names the first parameter whose gradient for a batch differs from
// finite differences of the loss. seeds, one per example, decide dropout; nil means none.
//
// If params is nil, Check makes the parameters and draws all values from nn.Normal(0.6), because
// ones, zeros, and values so small that a layer is nearly linear hide mistakes. A layer whose gradient
// jumps, such as nn.Graph.MaxPool, passes only if no jump is within 0.18 of the values; leave it out of
// the network with which you check another layer.
func Check[E any, M nn.Model[E]](params *nn.Params, assembly func(*nn.Graph) M, batch []E, seeds []uint64) error {
	if len(batch) == 0 {
		return errors.New("gradcheck: the batch is empty")
	}
	draw := params == nil
	if draw {
		params = nn.NewParams(1)
	}
	m, err := nn.NewMachine[E](params, assembly, true)
	if err != nil {
		return err
	}
	if draw {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, p := range params.All() {
			nn.Normal(0.6)(rng, p)
		}
	}
	loss := func() float64 {
		if e := m.RunSeeded(batch, seeds, 1/float32(len(batch))); e != nil && err == nil {
			err = e
		}
		return m.Loss()
	}
	loss()
	if err != nil {
		return err
	}
	gradients := map[*nn.Param][]float32{}
	for _, p := range params.All() {
		gradients[p] = m.Gradient(p)
	}
	for _, p := range params.All() {
		if e := compare(p, gradients[p], loss); e != nil {
			return e
		}
	}
	return err
}

func compare(p *nn.Param, gradient []float32, loss func() float64) error {
	if gradient == nil {
		return fmt.Errorf("%s: the loss does not depend on it", p.Name)
	}
	var differenceSq, sizeSq float64
	for i := range p.Data {
		at := p.Data[i]
		f := func(k float32) float64 { p.Data[i] = at + k*step; return loss() }
		d := (45*(f(1)-f(-1)) - 9*(f(2)-f(-2)) + (f(3) - f(-3))) / (60 * step)
		p.Data[i] = at
		g := float64(gradient[i])
		differenceSq += (d - g) * (d - g)
		sizeSq += d*d + g*g
	}
	size := math.Sqrt(sizeSq)
	if relative := math.Sqrt(differenceSq) / max(size, smallest); !(relative <= tolerance) {
		return fmt.Errorf("%s: the gradient (norm %.3g) differs from finite differences: expected a relative difference of at most %.2g, given %.2g", p.Name, size, tolerance, relative)
	}
	return nil
}
