package nn

import (
	"fmt"
	"math"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Optimizer says how gradients change parameters. Start from DefaultOptimizer, because method,
// learning rate and decay have no valid zero value.
type Optimizer struct {
	Method       string  `yaml:"method"`        // sgd (default, the paper's), adam, adadelta or rmsprop
	LearningRate float64 `yaml:"learning_rate"` // step size, positive; default 0.005, the reference's (for adadelta 1 is usual)
	Decay        float64 `yaml:"decay"`         // factor of the learning rate after each epoch, in (0, 1]; default 1: none
	ClipValue    float64 `yaml:"clip_value"`    // each gradient value is clipped to [-ClipValue, ClipValue]; default 5, the reference's; 0: off
	ClipNorm     float64 `yaml:"clip_norm"`     // the whole gradient is scaled to at most this norm; default 0: off
	Average      float64 `yaml:"average"`       // decay per update of the moving average of the weights, which then serves as the model, in [0, 1); default 0: no average
}

// DefaultOptimizer returns the settings of the reference implementation.
func DefaultOptimizer() Optimizer {
	return Optimizer{Method: "sgd", LearningRate: 0.005, Decay: 1, ClipValue: 5}
}

// Validate returns an error that names the first invalid key.
func (o Optimizer) Validate() error {
	if _, ok := rules[o.Method]; !ok {
		return fmt.Errorf("method: %q is not sgd, adam, adadelta or rmsprop", o.Method)
	}
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	switch {
	case !positive(o.LearningRate):
		return fmt.Errorf("learning_rate: %v is not a positive number", o.LearningRate)
	case !(o.Decay > 0 && o.Decay <= 1):
		return fmt.Errorf("decay: %v is not in (0, 1]", o.Decay)
	case o.ClipValue != 0 && !positive(o.ClipValue):
		return fmt.Errorf("clip_value: %v is negative or not a number", o.ClipValue)
	case !(o.Average >= 0 && o.Average < 1):
		return fmt.Errorf("average: %v is not in [0, 1)", o.Average)
	case o.ClipNorm != 0 && !positive(o.ClipNorm):
		return fmt.Errorf("clip_norm: %v is negative or not a number", o.ClipNorm)
	}
	return nil
}

// rule updates values w by their gradients g. Each state has one value per value of w. rate is the
// learning rate, and step counts from 1.
//
// Gorgonia's solvers are not used, because they hide their state, so that no run could be resumed
// to the same bits, do not support sparse rows, and lack Adadelta. The tests compare Adam, RMSProp
// and SGD with them.
type rule struct {
	states int
	update func(w, g []float32, s [][]float32, rate float64, step int)
}

const (
	adamBeta1, adamBeta2, adamEpsilon = 0.9, 0.999, 1e-8
	rmsDecay, rmsEpsilon              = 0.999, 1e-8
	deltaRho, deltaEpsilon            = 0.95, 1e-6
)

var rules = map[string]rule{
	"sgd": {0, func(w, g []float32, _ [][]float32, rate float64, _ int) {
		kernel.Axpy(w, -float32(rate), g)
	}},
	// Kingma and Ba 2015, algorithm 1. Rows of the token embedding that a step
	// does not use keep their moments, as in PyTorch's SparseAdam.
	"adam": {2, func(w, g []float32, s [][]float32, rate float64, step int) {
		m, v := s[0], s[1]
		r := float32(rate * math.Sqrt(1-math.Pow(adamBeta2, float64(step))) / (1 - math.Pow(adamBeta1, float64(step))))
		eps := float32(adamEpsilon * math.Sqrt(1-math.Pow(adamBeta2, float64(step))))
		for i := range w {
			m[i] += (1 - adamBeta1) * (g[i] - m[i])
			v[i] += (1 - adamBeta2) * (g[i]*g[i] - v[i])
			w[i] -= r * m[i] / (float32(math.Sqrt(float64(v[i]))) + eps)
		}
	}},
	// Tieleman and Hinton 2012, lecture 6.5.
	"rmsprop": {1, func(w, g []float32, s [][]float32, rate float64, _ int) {
		v, r := s[0], float32(rate)
		for i := range w {
			v[i] = rmsDecay*v[i] + (1-rmsDecay)*g[i]*g[i]
			w[i] -= r * g[i] / float32(math.Sqrt(float64(v[i])+rmsEpsilon))
		}
	}},
	// Zeiler 2012, algorithm 1.
	"adadelta": {2, func(w, g []float32, s [][]float32, rate float64, _ int) {
		v, d, r := s[0], s[1], float32(rate)
		for i := range w {
			v[i] = deltaRho*v[i] + (1-deltaRho)*g[i]*g[i]
			dx := -float32(math.Sqrt((float64(d[i])+deltaEpsilon)/(float64(v[i])+deltaEpsilon))) * g[i]
			d[i] = deltaRho*d[i] + (1-deltaRho)*dx*dx
			w[i] += r * dx
		}
	}},
}
