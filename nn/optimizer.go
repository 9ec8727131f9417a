package nn

import (
	"errors"
	"fmt"
	"math"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Optimizer says how gradients change parameters. Start from DefaultOptimizer, because method,
// learning rate and decay have no valid zero value. The later settings are left out of files if they
// have their defaults.
type Optimizer struct {
	Method       string    `yaml:"method"`                                  // sgd (default, the paper's), adam, adamw, adadelta or rmsprop
	LearningRate float64   `yaml:"learning_rate"`                           // step size, positive; default 0.005, the reference's (for adadelta 1 is usual)
	Decay        float64   `yaml:"decay"`                                   // factor of the learning rate after each epoch, in (0, 1]; default 1: none
	Schedule     Schedule  `yaml:"schedule,omitempty" json:",omitzero"`     // a further factor of the learning rate; default: constant
	Momentum     float64   `yaml:"momentum,omitempty" json:",omitzero"`     // for sgd: share of the last step that is repeated, in [0, 1); default 0: none
	Nesterov     bool      `yaml:"nesterov,omitempty" json:",omitzero"`     // for sgd with momentum: Nesterov's; default false: Polyak's
	Betas        []float64 `yaml:"betas,omitempty,flow" json:",omitzero"`   // for adam and adamw: decay of the averages of the gradient and of its square, each in [0, 1); default 0.9 and 0.999
	WeightDecay  float64   `yaml:"weight_decay,omitempty" json:",omitzero"` // for sgd and adamw: share of the weights, times the learning rate, that an update takes away; 0.01 is usual for adamw, which requires it; default 0
	ClipValue    float64   `yaml:"clip_value"`                              // each gradient value is clipped to [-ClipValue, ClipValue]; default 5, the reference's; 0: off
	ClipNorm     float64   `yaml:"clip_norm"`                               // the whole gradient is scaled to at most this norm; default 0: off
	Average      float64   `yaml:"average"`                                 // decay per update of the moving average of the weights, which then serves as the model, in [0, 1); default 0: no average
}

// DefaultOptimizer returns the settings of the reference implementation.
func DefaultOptimizer() Optimizer {
	return Optimizer{Method: "sgd", LearningRate: 0.005, Decay: 1, ClipValue: 5}
}

// Validate returns an error that names the first invalid key.
func (o Optimizer) Validate() error {
	if _, ok := rules[o.Method]; !ok {
		return fmt.Errorf("method: %q is not sgd, adam, adamw, adadelta or rmsprop", o.Method)
	}
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	share := func(x float64) bool { return x >= 0 && x < 1 }
	switch {
	case !positive(o.LearningRate):
		return fmt.Errorf("learning_rate: %v is not a positive number", o.LearningRate)
	case !(o.Decay > 0 && o.Decay <= 1):
		return fmt.Errorf("decay: %v is not in (0, 1]", o.Decay)
	case o.ClipValue != 0 && !positive(o.ClipValue):
		return fmt.Errorf("clip_value: %v is negative or not a number", o.ClipValue)
	case !share(o.Average):
		return fmt.Errorf("average: %v is not in [0, 1)", o.Average)
	case o.ClipNorm != 0 && !positive(o.ClipNorm):
		return fmt.Errorf("clip_norm: %v is negative or not a number", o.ClipNorm)
	case !share(o.Momentum):
		return fmt.Errorf("momentum: %v is not in [0, 1)", o.Momentum)
	case o.Momentum > 0 && o.Method != "sgd":
		return fmt.Errorf("momentum: is only for sgd, not for %s", o.Method)
	case o.Nesterov && o.Momentum == 0:
		return errors.New("nesterov: requires momentum")
	case o.Betas != nil && o.Method != "adam" && o.Method != "adamw":
		return fmt.Errorf("betas: are only for adam and adamw, not for %s", o.Method)
	case o.Betas != nil && !(len(o.Betas) == 2 && share(o.Betas[0]) && share(o.Betas[1])):
		return fmt.Errorf("betas: %v is not a list of two numbers in [0, 1)", o.Betas)
	case o.WeightDecay != 0 && !positive(o.WeightDecay):
		return fmt.Errorf("weight_decay: %v is negative or not a number", o.WeightDecay)
	case o.WeightDecay != 0 && o.Method != "sgd" && o.Method != "adamw":
		return fmt.Errorf("weight_decay: is only for sgd and adamw, not for %s", o.Method)
	case o.WeightDecay*o.LearningRate >= 1:
		return fmt.Errorf("weight_decay: %v times the learning rate %v is not below 1: an update would take all weights away", o.WeightDecay, o.LearningRate)
	case o.WeightDecay == 0 && o.Method == "adamw":
		return errors.New("weight_decay: is required by adamw, for which 0.01 is usual; without it, the method is adam")
	}
	if err := o.Schedule.Validate(); err != nil {
		return fmt.Errorf("schedule.%w", err)
	}
	return nil
}

// betas returns the decay of Adam's two averages.
func (o Optimizer) betas() (first, second float64) {
	if o.Betas == nil {
		return 0.9, 0.999
	}
	return o.Betas[0], o.Betas[1]
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
	adamEpsilon            = 1e-8
	rmsDecay, rmsEpsilon   = 0.999, 1e-8
	deltaRho, deltaEpsilon = 0.95, 1e-6
)

// rules makes the rule of each method.
var rules = map[string]func(Optimizer) rule{
	"sgd": sgdRule, "adam": adamRule, "adamw": decayed(adamRule), "rmsprop": rmspropRule, "adadelta": adadeltaRule,
}

// decayed returns a rule with decoupled weight decay (Loshchilov and Hutter 2019, algorithms 1 and 2,
// line 12, where the schedule's factor is the whole learning rate, as in PyTorch). Unlike an L2 penalty,
// it does not pass through the averages of the gradient. All parameters decay, but of a table of
// embeddings only the rows that the step uses.
func decayed(without func(Optimizer) rule) func(Optimizer) rule {
	return func(o Optimizer) rule {
		r := without(o)
		return rule{r.states, func(w, g []float32, s [][]float32, rate float64, step int) {
			kernel.Axpy(w, -float32(rate*o.WeightDecay), w)
			r.update(w, g, s, rate, step)
		}}
	}
}

func sgdRule(o Optimizer) rule {
	switch {
	case o.WeightDecay > 0:
		plain := o
		plain.WeightDecay = 0
		return decayed(func(Optimizer) rule { return sgdRule(plain) })(o)
	case o.Momentum > 0:
		return momentumRule(float32(o.Momentum), o.Nesterov)
	}
	return rule{0, func(w, g []float32, _ [][]float32, rate float64, _ int) {
		kernel.Axpy(w, -float32(rate), g)
	}}
}

// momentumRule returns gradient descent with momentum (Sutskever et al. 2013, equations 1 to 4), in the
// form of PyTorch, where the velocity is a sum of gradients that the learning rate of the current step
// multiplies: v = momentum v + g. Nesterov's step is momentum v + g, Polyak's is v. Rows of a table of
// embeddings that a step does not use keep their velocity and are not moved by it.
func momentumRule(momentum float32, nesterov bool) rule {
	return rule{1, func(w, g []float32, s [][]float32, rate float64, _ int) {
		v, r := s[0], float32(rate)
		for i := range w {
			v[i] = momentum*v[i] + g[i]
			if nesterov {
				w[i] -= r * (g[i] + momentum*v[i])
			} else {
				w[i] -= r * v[i]
			}
		}
	}}
}

// adamRule returns algorithm 1 of Kingma and Ba 2015. Rows of the token embedding that a step does not
// use keep their moments, as in PyTorch's SparseAdam.
func adamRule(o Optimizer) rule {
	beta1, beta2 := o.betas()
	new1, new2 := float32(1-beta1), float32(1-beta2)
	return rule{2, func(w, g []float32, s [][]float32, rate float64, step int) {
		m, v := s[0], s[1]
		r := float32(rate * math.Sqrt(1-math.Pow(beta2, float64(step))) / (1 - math.Pow(beta1, float64(step))))
		eps := float32(adamEpsilon * math.Sqrt(1-math.Pow(beta2, float64(step))))
		for i := range w {
			m[i] += new1 * (g[i] - m[i])
			v[i] += new2 * (g[i]*g[i] - v[i])
			w[i] -= r * m[i] / (float32(math.Sqrt(float64(v[i]))) + eps)
		}
	}}
}

// rmspropRule returns the method of Tieleman and Hinton 2012, lecture 6.5.
func rmspropRule(Optimizer) rule {
	return rule{1, func(w, g []float32, s [][]float32, rate float64, _ int) {
		v, r := s[0], float32(rate)
		for i := range w {
			v[i] = rmsDecay*v[i] + (1-rmsDecay)*g[i]*g[i]
			w[i] -= r * g[i] / float32(math.Sqrt(float64(v[i])+rmsEpsilon))
		}
	}}
}

// adadeltaRule returns algorithm 1 of Zeiler 2012.
func adadeltaRule(Optimizer) rule {
	return rule{2, func(w, g []float32, s [][]float32, rate float64, _ int) {
		v, d, r := s[0], s[1], float32(rate)
		for i := range w {
			v[i] = deltaRho*v[i] + (1-deltaRho)*g[i]*g[i]
			dx := -float32(math.Sqrt((float64(d[i])+deltaEpsilon)/(float64(v[i])+deltaEpsilon))) * g[i]
			d[i] = deltaRho*d[i] + (1-deltaRho)*dx*dx
			w[i] += r * dx
		}
	}}
}
