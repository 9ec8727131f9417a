package chain

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
)

// owlqn minimizes a function with an L1 penalty,
//
//	f(x) + Σ c_i |x_i|,
//
// with OWL-QN (Andrew and Gao 2007), as CRFsuite does. The penalty has no derivative where a weight is
// 0, and leaves many weights exactly there. So each step stays within the orthant of the current point,
// in which the penalty is linear; L-BFGS models the curvature of f alone.
type owlqn struct {
	value    func(x []float64) float64
	gradient func(into, x []float64)
	penalty  []float64 // c, by weight

	x, grad []float64 // the current point, and the gradient of f
	loss    float64
	pseudo  []float64 // pseudo-gradient of the whole function
	memory  []step    // the last steps, the newest last
}

// step is how a step changed x and the gradient of f.
type step struct {
	dx, dgrad []float64
	inverse   float64 // 1 / (dx · dgrad)
}

// Andrew and Gao 2007, section 3; the constants are those of the implementation that CRFsuite uses.
const (
	memorySteps = 6
	decrease    = 1e-4 // γ of the line search
	shrink      = 0.5  // β of the line search
	trialSteps  = 40
)

// minimize starts at zero and calls done after each iteration, until it returns true. It returns the
// best point.
func (o *owlqn) minimize(ctx context.Context, done func(x []float64, loss float64) bool) ([]float64, error) {
	n := len(o.penalty)
	o.x, o.grad, o.pseudo = make([]float64, n), make([]float64, n), make([]float64, n)
	o.loss = o.total(o.x)
	o.gradient(o.grad, o.x)
	direction, next, grad := make([]float64, n), make([]float64, n), make([]float64, n)
	for {
		if math.IsNaN(o.loss) || math.IsInf(o.loss, 0) {
			return nil, errors.New("OWL-QN: the loss is not finite")
		}
		o.setPseudo()
		o.setDirection(direction)
		length := floats.Norm(direction, 2)
		if length == 0 {
			return o.x, nil
		}
		scale := 1.0
		if len(o.memory) == 0 {
			scale = 1 / length
		}
		loss, err := o.search(ctx, next, direction, scale)
		if err != nil {
			return nil, err
		}
		if loss >= o.loss { // the precision of float64 is reached
			return o.x, nil
		}
		o.gradient(grad, next)
		o.remember(next, grad)
		copy(o.x, next)
		copy(o.grad, grad)
		o.loss = loss
		if done(o.x, loss) {
			return o.x, nil
		}
	}
}

// total returns the function with the penalty.
func (o *owlqn) total(x []float64) float64 {
	sum := 0.0
	for i, w := range x {
		sum += o.penalty[i] * math.Abs(w)
	}
	return o.value(x) + sum
}

// setPseudo sets the pseudo-gradient (section 3.2, equation 4): of the two one-sided derivatives at a
// weight of 0, the one along which the function falls, if any.
func (o *owlqn) setPseudo() {
	for i, w := range o.x {
		g, c := o.grad[i], o.penalty[i]
		switch {
		case w > 0 || w == 0 && g < -c:
			o.pseudo[i] = g + c
		case w < 0 || w == 0 && g > c:
			o.pseudo[i] = g - c
		default:
			o.pseudo[i] = 0
		}
	}
}

// setDirection sets the direction of L-BFGS for the pseudo-gradient (Nocedal 1980), without the
// components that would go up.
func (o *owlqn) setDirection(d []float64) {
	for i, g := range o.pseudo {
		d[i] = -g
	}
	factors := make([]float64, len(o.memory))
	for k := len(o.memory) - 1; k >= 0; k-- {
		s := o.memory[k]
		factors[k] = s.inverse * floats.Dot(s.dx, d)
		floats.AddScaled(d, -factors[k], s.dgrad)
	}
	if k := len(o.memory) - 1; k >= 0 {
		s := o.memory[k]
		floats.Scale(1/(s.inverse*floats.Dot(s.dgrad, s.dgrad)), d)
	}
	for k, s := range o.memory {
		floats.AddScaled(d, factors[k]-s.inverse*floats.Dot(s.dgrad, d), s.dx)
	}
	for i, g := range o.pseudo {
		if d[i]*g >= 0 {
			d[i] = 0
		}
	}
}

// search sets next to the first point along the direction, each half as far as the one before, that
// lowers the function sufficiently. Weights that would leave the orthant become 0. It returns the
// function there; if no point is better, at least the current value.
func (o *owlqn) search(ctx context.Context, next, direction []float64, scale float64) (loss float64, err error) {
	for range trialSteps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		expected := 0.0
		for i, w := range o.x {
			orthant := w
			if w == 0 {
				orthant = -o.pseudo[i]
			}
			if next[i] = w + scale*direction[i]; next[i]*orthant <= 0 {
				next[i] = 0
			}
			expected += o.pseudo[i] * (next[i] - w)
		}
		if loss := o.total(next); loss <= o.loss+decrease*expected {
			return loss, nil
		}
		scale *= shrink
	}
	return o.loss, nil
}

// remember adds a step to the memory. A step along which f is not curved upwards would spoil it.
func (o *owlqn) remember(x, grad []float64) {
	s := step{dx: make([]float64, len(x)), dgrad: make([]float64, len(x))}
	if len(o.memory) == memorySteps { // reuse the memory of the oldest
		s = o.memory[0]
		o.memory = append(o.memory[:0], o.memory[1:]...)
	}
	floats.SubTo(s.dx, x, o.x)
	floats.SubTo(s.dgrad, grad, o.grad)
	curvature := floats.Dot(s.dx, s.dgrad)
	if s.inverse = 1 / curvature; curvature > 0 {
		o.memory = append(o.memory, s)
	}
}
