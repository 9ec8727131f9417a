package svm

import (
	"context"
	"fmt"
	"math"
)

// problem is the dual (Fan, Chen and Lin 2005, equation 1): minimise
//
//	½ Σ_ij α_i α_j y_i y_j K_ij - Σ_i α_i  with  0 <= α_i <= bound_i  and  Σ_i y_i α_i = 0.
type problem struct {
	rows           [][]float64
	y, bound       []float64 // y is 1 or -1
	alpha          []float64
	f              []float64 // -y_i times the gradient of α_i, that is y_i - Σ_j y_j α_j K_ij
	gamma, epsilon float64
	kernel         *kernel
}

const (
	// tau replaces a curvature that is not positive (section 2, after equation 9).
	tau = 1e-12
	// checkEvery is the number of steps after which the context is consulted.
	checkEvery = 1000
)

// solve takes steps on two variables until none improves the objective by much.
func (p *problem) solve(ctx context.Context) error {
	limit := max(10_000_000, 100*len(p.rows)) // the limit of LIBSVM
	for step := range limit {
		if step%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		i, j := p.select2()
		if j < 0 {
			return nil
		}
		p.move(i, j)
	}
	return fmt.Errorf("svm: no solution after %d steps: the features may be too large, so scale them", limit)
}

// up reports whether y_i α_i can grow, and low whether it can shrink: I_up and I_low of
// equation 4.
func (p *problem) up(i int) bool {
	return p.y[i] > 0 && p.alpha[i] < p.bound[i] || p.y[i] < 0 && p.alpha[i] > 0
}

func (p *problem) low(i int) bool {
	return p.y[i] > 0 && p.alpha[i] > 0 || p.y[i] < 0 && p.alpha[i] < p.bound[i]
}

// select2 selects the working set (section 2.3, WSS 2): i violates the optimality
// conditions most, and the pair with j promises the greatest decrease of the objective.
// j is -1 if the maximal violation is at most epsilon.
func (p *problem) select2() (i, j int) {
	i, j = -1, -1
	most, least := math.Inf(-1), math.Inf(1) // m(α) and M(α) of equation 6
	for t, f := range p.f {
		if f > most && p.up(t) {
			i, most = t, f
		}
	}
	if i < 0 {
		return i, j
	}
	row := p.kernel.row(i)
	best := 0.0
	for t, f := range p.f {
		if !p.low(t) {
			continue
		}
		least = min(least, f)
		if b := most - f; b > 0 {
			if gain := b * b / curvature(row[t]); gain > best {
				j, best = t, gain
			}
		}
	}
	if most-least <= p.epsilon {
		return i, -1
	}
	return i, j
}

// curvature returns K_ii + K_jj - 2 K_ij, or tau if that is not positive. The RBF kernel
// of a row with itself is 1.
func curvature(k float64) float64 {
	if a := 2 - 2*k; a > 0 {
		return a
	}
	return tau
}

// move minimises the objective over y_i α_i, which grows, and y_j α_j, which shrinks by
// the same amount.
func (p *problem) move(i, j int) {
	ki, kj := p.kernel.row(i), p.kernel.row(j)
	by := (p.f[i] - p.f[j]) / curvature(ki[j])
	by = min(by, p.room(i, p.y[i]), p.room(j, -p.y[j]))
	p.shift(i, p.y[i], by)
	p.shift(j, -p.y[j], by)
	for t := range p.f {
		p.f[t] -= by * (ki[t] - kj[t])
	}
}

// room returns how far α_i can move in a direction, 1 or -1.
func (p *problem) room(i int, direction float64) float64 {
	if direction > 0 {
		return p.bound[i] - p.alpha[i]
	}
	return p.alpha[i]
}

// shift moves α_i. A variable that takes all its room is exactly at its bound.
func (p *problem) shift(i int, direction, by float64) {
	switch room := p.room(i, direction); {
	case by < room:
		p.alpha[i] += direction * by
	case direction > 0:
		p.alpha[i] = p.bound[i]
	default:
		p.alpha[i] = 0
	}
}

// bias returns b of the decision value Σ_i y_i α_i K(x_i, x) + b: the mean of f over the
// variables between their bounds, which are on the margin. If there are none, it returns
// the middle of the interval that the optimality conditions leave.
func (p *problem) bias() float64 {
	var sum float64
	free := 0
	most, least := math.Inf(-1), math.Inf(1)
	for i, f := range p.f {
		up, low := p.up(i), p.low(i)
		if up && low {
			sum += f
			free++
		}
		if up {
			most = max(most, f)
		}
		if low {
			least = min(least, f)
		}
	}
	if free > 0 {
		return sum / float64(free)
	}
	return (most + least) / 2
}

// model keeps the rows with an α.
func (p *problem) model() *Model {
	m := &Model{Gamma: p.gamma, Bias: p.bias()}
	for i, a := range p.alpha {
		if a > 0 {
			m.Vectors = append(m.Vectors, append([]float64{}, p.rows[i]...))
			m.Coefficients = append(m.Coefficients, p.y[i]*a)
		}
	}
	return m
}
