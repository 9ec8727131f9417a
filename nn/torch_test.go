package nn

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// What PyTorch 2.15.0 does, computed in float64 by scripts/peers/optimizers/constants.py.
var (
	torchWeights = map[string][]float64{
		"sgd":           {-0.06, 0.839852159107, 0.911080186431, 0.144081050927, -0.755819205418},
		"sgd, momentum": {-0.362825696739, 0.852319005594, 0.922123318915, 0.155173653714, -0.744180272852},
		"sgd, Nesterov": {-0.386543127066, 0.849615377815, 0.922623489311, 0.156729332016, -0.744459205208},
		"adam":          {-0.199999993333, 0.84731560123, 0.936742748356, 0.160454656225, -0.731124443103},
		"adam, betas":   {-0.199999993333, 0.84427088059, 0.93257595883, 0.157159427259, -0.735657867789},
		"adamw":         {-0.198111345101, 0.830592996863, 0.918273700843, 0.15736047443, -0.716556622046},
		"adamw, betas":  {-0.190779033091, 0.763759937014, 0.843853213717, 0.142448349032, -0.665287904918},
		"adadelta":      {-0.093751340856, 0.837594355869, 0.915127761051, 0.145843735408, -0.754678372992},
	}
	torchRates = map[string][]float64{
		"step":            {1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125, 0.125},
		"plateau":         {1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.125, 0.125},
		"linear":          {1, 0.925, 0.85, 0.775, 0.7, 0.625, 0.55, 0.475, 0.4, 0.325, 0.25, 0.175},
		"cosine":          {1, 0.98466662183, 0.939711431703, 0.868198051534, 0.775, 0.666468570296, 0.55, 0.433531429704, 0.325, 0.231801948466, 0.160288568297, 0.11533337817},
		"warm-up":         {0.25, 0.5, 0.75, 1, 1, 1},
		"warm-up, cosine": {0.333333333333, 0.666666666667, 1, 1, 0.969846310393, 0.883022221559, 0.75, 0.586824088833, 0.413175911167, 0.25, 0.116977778441, 0.030153689607},
	}
)

// The optimizers take the steps of PyTorch's. RMSProp is compared with Gorgonia's instead, because
// PyTorch adds epsilon outside of the root.
func TestOptimizersAgainstPyTorch(t *testing.T) {
	settings := map[string]Optimizer{
		"sgd":           {Method: "sgd", LearningRate: 0.01},
		"sgd, momentum": {Method: "sgd", LearningRate: 0.01, Momentum: 0.9},
		"sgd, Nesterov": {Method: "sgd", LearningRate: 0.01, Momentum: 0.9, Nesterov: true},
		"adam":          {Method: "adam", LearningRate: 0.01},
		"adam, betas":   {Method: "adam", LearningRate: 0.01, Betas: []float64{0.8, 0.95}},
		"adamw":         {Method: "adamw", LearningRate: 0.01, WeightDecay: 0.1},
		"adamw, betas":  {Method: "adamw", LearningRate: 0.01, WeightDecay: 0.5, Betas: []float64{0.8, 0.95}},
		"adadelta":      {Method: "adadelta", LearningRate: 1},
	}
	if len(settings) != len(torchWeights) {
		t.Fatalf("%d settings for %d results", len(settings), len(torchWeights))
	}
	for name, want := range torchWeights {
		o := settings[name]
		o.Decay = 1
		if err := o.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := rules[o.Method](o)
		w, g := make([]float32, len(want)), make([]float32, len(want))
		for i := range w {
			w[i] = float32(math.Sin(float64(i)))
		}
		var states [][]float32
		for range r.states {
			states = append(states, make([]float32, len(w)))
		}
		for step := 1; step <= 20; step++ {
			for i := range g {
				g[i] = float32(0.3 * math.Cos(float64(i*step)))
			}
			r.update(w, g, states, o.LearningRate, step)
		}
		for i, v := range w {
			if !(math.Abs(float64(v)-want[i]) <= 2e-6) {
				t.Errorf("%s: weight %d is %v, in PyTorch %v", name, i, v, want[i])
			}
		}
	}
}

// The schedules have PyTorch's rates. Its patience counts the epochs that are tolerated, and its warm-up
// begins at a given factor, which here is one update of the warm-up.
func TestSchedulesAgainstPyTorch(t *testing.T) {
	scores := []float64{0.1, 0.2, 0.2, 0.15, 0.19, 0.3, 0.3, 0.3, 0.2, 0.1, 0.2, 0.25}
	var better []bool
	for i, s := range scores {
		better = append(better, i == 0 || s > slices.Max(scores[:i]))
	}
	settings := map[string]Schedule{
		"step":            {Method: "step", Every: 3, Factor: 0.5},
		"plateau":         {Method: "plateau", Patience: 2, Factor: 0.5},
		"linear":          {Method: "linear", Floor: 0.1},
		"cosine":          {Method: "cosine", Floor: 0.1},
		"warm-up":         {Warmup: 4},
		"warm-up, cosine": {Warmup: 3, Method: "cosine"},
	}
	if len(settings) != len(torchRates) {
		t.Fatalf("%d settings for %d results", len(settings), len(torchRates))
	}
	for name, want := range torchRates {
		s := settings[name]
		if err := s.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for epoch, rate := range want {
			if got := s.At(Progress{Done: float64(epoch), Update: 1, Epochs: 12, Better: better[:epoch]}); !(math.Abs(got-rate) <= 1e-7) {
				t.Errorf("%s, epoch %d: factor %v, in PyTorch %v", name, epoch, got, rate)
			}
		}
	}
}

// Within an epoch, the warm-up, linear and cosine change with each update; the others do not.
func TestSchedulesWithinAnEpoch(t *testing.T) {
	for _, c := range []struct {
		s          Schedule
		done, want float64
	}{
		{Schedule{}, 3.7, 1},
		{Schedule{Warmup: 0.5}, 0, 0.2},
		{Schedule{Warmup: 0.5}, 0.3, 0.8},
		{Schedule{Warmup: 0.5}, 0.45, 1},
		{Schedule{Warmup: 0.5}, 0.5, 1},
		{Schedule{Method: "step", Every: 2}, 1.99, 1},
		{Schedule{Method: "step", Every: 2}, 2, 0.1},
		{Schedule{Method: "step", Every: 1, Floor: 0.05}, 3, 0.05},
		{Schedule{Method: "linear"}, 2.5, 0.75},
		{Schedule{Method: "linear", Warmup: 2}, 4, 0.75},
		{Schedule{Method: "linear", Warmup: 2}, 1, 0.55},
		{Schedule{Method: "cosine"}, 2.5, (1 + math.Sqrt(0.5)) / 2},
		{Schedule{Method: "cosine", Floor: 0.5}, 10, 0.5},
		{Schedule{Method: "plateau", Patience: 1, Warmup: 3}, 2, 0.7},
		{Schedule{Method: "plateau", Patience: 1, Warmup: 2}, 2, 0.01},
	} {
		if got := c.s.At(Progress{Done: c.done, Update: 0.1, Epochs: 10, Better: []bool{false, false, true, false, false}}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v after %v epochs: %v, want %v", c.s, c.done, got, c.want)
		}
	}
}

func TestValidateOptimizer(t *testing.T) {
	for want, edit := range map[string]func(*Optimizer){
		"":                             func(*Optimizer) {},
		"method:":                      func(o *Optimizer) { o.Method = "Adam" },
		"momentum: 1 is not in [0, 1)": func(o *Optimizer) { o.Momentum = 1 },
		"momentum: is only for sgd, not for adam":                        func(o *Optimizer) { o.Method, o.Momentum = "adam", 0.9 },
		"nesterov: requires momentum":                                    func(o *Optimizer) { o.Nesterov = true },
		"betas: are only for adam and adamw, not for sgd":                func(o *Optimizer) { o.Betas = []float64{0.9, 0.99} },
		"betas: [0.9] is not a list of two numbers in [0, 1)":            func(o *Optimizer) { o.Method, o.Betas = "adam", []float64{0.9} },
		"betas: [0.9 NaN] is not":                                        func(o *Optimizer) { o.Method, o.Betas = "adam", []float64{0.9, math.NaN()} },
		"weight_decay: -1 is negative":                                   func(o *Optimizer) { o.WeightDecay = -1 },
		"weight_decay: is only for sgd and adamw, not for adam":          func(o *Optimizer) { o.Method, o.WeightDecay = "adam", 0.1 },
		"weight_decay: is required by adamw":                             func(o *Optimizer) { o.Method = "adamw" },
		"weight_decay: 300 times the learning rate 0.005 is not below 1": func(o *Optimizer) { o.WeightDecay = 300 },
		`schedule.method: "exponential" is not`:                          func(o *Optimizer) { o.Schedule.Method = "exponential" },
		"schedule.warmup: -1 is negative":                                func(o *Optimizer) { o.Schedule.Warmup = -1 },
		"schedule.factor: 1 is not in (0, 1)":                            func(o *Optimizer) { o.Schedule = Schedule{Method: "step", Factor: 1, Every: 1} },
		"schedule.factor: is only for the method step or plateau, not":   func(o *Optimizer) { o.Schedule = Schedule{Method: "linear", Factor: 0.5} },
		"schedule.every: 0 is not positive":                              func(o *Optimizer) { o.Schedule.Method = "step" },
		"schedule.every: is only for the method step":                    func(o *Optimizer) { o.Schedule.Every = 2 },
		"schedule.patience: 0 is not positive":                           func(o *Optimizer) { o.Schedule.Method = "plateau" },
		"schedule.patience: is only for the method plateau, not for":     func(o *Optimizer) { o.Schedule = Schedule{Method: "cosine", Patience: 2} },
		"schedule.floor: is only for":                                    func(o *Optimizer) { o.Schedule.Floor = 0.1 },
		"schedule.floor: NaN is not in [0, 1)":                           func(o *Optimizer) { o.Schedule = Schedule{Method: "cosine", Floor: math.NaN()} },
	} {
		o := DefaultOptimizer()
		edit(&o)
		got := ""
		if err := o.Validate(); err != nil {
			got = err.Error()
		}
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("error %q, want %q", got, want)
		}
	}
}
