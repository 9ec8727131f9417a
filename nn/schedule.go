package nn

import (
	"fmt"
	"math"
	"slices"
)

// Schedule says how the learning rate changes in the course of a training. It is a factor of
// Optimizer.LearningRate, which follows from how much of the training is done, so a resumed training
// needs nothing but that to continue. The zero value is a constant rate.
type Schedule struct {
	Method   string  `yaml:"method,omitempty" json:",omitzero"`   // step, plateau, linear or cosine; default "": constant
	Warmup   float64 `yaml:"warmup,omitempty" json:",omitzero"`   // epochs, or a part of one, over which the rate rises linearly from 0 (Goyal et al. 2017, section 2.2); default 0
	Factor   float64 `yaml:"factor,omitempty" json:",omitzero"`   // for step and plateau: factor of the rate at each step or plateau, in (0, 1); default 0: 0.1, as in PyTorch
	Every    int     `yaml:"every,omitempty" json:",omitzero"`    // for step: epochs from one step to the next; required
	Patience int     `yaml:"patience,omitempty" json:",omitzero"` // for plateau: epochs without a better score on dev after which the rate falls; required
	Floor    float64 `yaml:"floor,omitempty" json:",omitzero"`    // factor below which the rate does not fall, in [0, 1); default 0
}

// Validate returns an error that names the first invalid key.
func (s Schedule) Validate() error {
	only := func(key string, methods string) error {
		if s.Method == "" {
			return fmt.Errorf("%s: is only for the method %s", key, methods)
		}
		return fmt.Errorf("%s: is only for the method %s, not for %s", key, methods, s.Method)
	}
	steps := s.Method == "step" || s.Method == "plateau"
	switch {
	case s.Method != "" && !steps && s.Method != "linear" && s.Method != "cosine":
		return fmt.Errorf("method: %q is not step, plateau, linear or cosine", s.Method)
	case !(s.Warmup >= 0) || math.IsInf(s.Warmup, 0):
		return fmt.Errorf("warmup: %v is negative or not a number", s.Warmup)
	case s.Factor != 0 && !(s.Factor > 0 && s.Factor < 1):
		return fmt.Errorf("factor: %v is not in (0, 1)", s.Factor)
	case s.Factor != 0 && !steps:
		return only("factor", "step or plateau")
	case s.Every < 0 || s.Method == "step" && s.Every == 0:
		return fmt.Errorf("every: %d is not positive", s.Every)
	case s.Every > 0 && s.Method != "step":
		return only("every", "step")
	case s.Patience < 0 || s.Method == "plateau" && s.Patience == 0:
		return fmt.Errorf("patience: %d is not positive", s.Patience)
	case s.Patience > 0 && s.Method != "plateau":
		return only("patience", "plateau")
	case !(s.Floor >= 0 && s.Floor < 1):
		return fmt.Errorf("floor: %v is not in [0, 1)", s.Floor)
	case s.Floor > 0 && s.Method == "":
		return only("floor", "step, plateau, linear or cosine")
	}
	return nil
}

// Progress is how much of a training is done.
type Progress struct {
	Done   float64 // epochs, with the part of the current one
	Update float64 // the part of an epoch that the next update is
	Epochs int     // maximum number of epochs of the training, at least 1
	Better []bool  // by epoch, for plateau: whether its score on dev was better than all before
}

// At returns the factor of the learning rate for the next update: see Trainer.SetRate. With t epochs
// done of T, of which W are the warm-up, and updates of u epochs, it is
//
//	warm-up, t < W:  min(1, (t+u) / W), times the value of the method at W
//	step:            factor^⌊t / every⌋
//	plateau:         factor^n after n plateaus
//	linear:          floor + (1 - floor) (1 - (t-W) / (T-W))
//	cosine:          floor + (1 - floor) (1 + cos(π (t-W) / (T-W))) / 2
//
// The last is equation 5 of Loshchilov and Hutter 2017 without restarts.
func (s Schedule) At(p Progress) float64 {
	if p.Done < s.Warmup {
		reached := min(1, (p.Done+p.Update)/s.Warmup)
		p.Done, p.Better = s.Warmup, nil
		return reached * s.decay(p)
	}
	return s.decay(p)
}

// decay returns the factor without the warm-up.
func (s Schedule) decay(p Progress) float64 {
	part := 1.0 // of the epochs after the warm-up
	if rest := float64(p.Epochs) - s.Warmup; rest > 0 {
		part = min(1, (p.Done-s.Warmup)/rest)
	}
	factor := s.Factor
	if factor == 0 {
		factor = 0.1
	}
	switch s.Method {
	case "step":
		return max(s.Floor, math.Pow(factor, math.Floor(p.Done/float64(s.Every))))
	case "plateau":
		return max(s.Floor, math.Pow(factor, float64(s.plateaus(p.Better))))
	case "linear":
		return s.Floor + (1-s.Floor)*(1-part)
	case "cosine":
		return s.Floor + (1-s.Floor)*(1+math.Cos(math.Pi*part))/2
	}
	return 1
}

// plateaus returns the number of times that Patience epochs in a row were not better than all before.
// After each, counting begins anew. Epochs before the first that was scored do not count.
func (s Schedule) plateaus(better []bool) (n int) {
	waited := 0
	for _, b := range better[max(0, slices.Index(better, true)):] {
		if waited++; b {
			waited = 0
		} else if waited == s.Patience {
			waited = 0
			n++
		}
	}
	return n
}
