package nn

import (
	"math"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// valueGrad passes a parameter and its gradient to Gorgonia's solvers.
type valueGrad struct{ value, grad *tensor.Dense }

func (v valueGrad) Value() G.Value         { return v.value }
func (v valueGrad) Grad() (G.Value, error) { return v.grad, nil }

// SGD, Adam and RMSProp take the same steps as Gorgonia's solvers, which are not used because their
// state cannot be saved.
func TestRulesAgainstGorgonia(t *testing.T) {
	const n, rate = 50, 0.01
	for name, solver := range map[string]G.Solver{
		"sgd":     G.NewVanillaSolver(G.WithLearnRate(rate)),
		"adam":    G.NewAdamSolver(G.WithLearnRate(rate), G.WithBeta1(0.9), G.WithBeta2(0.999), G.WithEps(adamEpsilon)),
		"rmsprop": G.NewRMSPropSolver(G.WithLearnRate(rate), G.WithRho(rmsDecay), G.WithEps(rmsEpsilon)),
	} {
		ours, theirs := make([]float32, n), make([]float32, n)
		for i := range n {
			ours[i] = float32(math.Sin(float64(i)))
			theirs[i] = ours[i]
		}
		r := rules[name](Optimizer{})
		var state [][]float32
		for range r.states {
			state = append(state, make([]float32, n))
		}
		weights := tensor.New(tensor.WithShape(1, n), tensor.WithBacking(theirs))
		for step := 1; step <= 20; step++ {
			g := make([]float32, n)
			for i := range g {
				g[i] = float32(math.Cos(float64(i*step))) * 0.3
			}
			r.update(ours, g, state, rate, step)
			pair := valueGrad{weights, tensor.New(tensor.WithShape(1, n), tensor.WithBacking(g))}
			if err := solver.Step([]G.ValueGrad{pair}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range ours {
			if math.Abs(float64(ours[i]-theirs[i])) > 2e-5 {
				t.Fatalf("%s: weight %d is %v, with Gorgonia's solver %v", name, i, ours[i], theirs[i])
			}
		}
	}
}

// Adadelta computed by hand in float64 (Zeiler 2012, algorithm 1).
func TestAdadelta(t *testing.T) {
	w, state := []float32{1}, [][]float32{{0}, {0}}
	x, e, d := 1.0, 0.0, 0.0
	for step := 1; step <= 30; step++ {
		g := math.Sin(float64(step)) + 0.2
		rules["adadelta"](Optimizer{}).update(w, []float32{float32(g)}, state, 1, step)
		e = 0.95*e + 0.05*g*g
		dx := -math.Sqrt(d+1e-6) / math.Sqrt(e+1e-6) * g
		d = 0.95*d + 0.05*dx*dx
		x += dx
	}
	if math.Abs(float64(w[0])-x) > 1e-5 {
		t.Errorf("after 30 steps %v, want %v", w[0], x)
	}
}

// Clipping by value limits each value; clipping by norm keeps the direction.
func TestClip(t *testing.T) {
	one := part{0, 1}
	start := func() *updater {
		return &updater{
			dense:  []*dense{{sum: []float32{3, -4}}},
			tables: []*table{{Param: &Param{Cols: 2}, rows: rowSums{cols: 2, ids: []int32{7}, sum: []float32{0, 12}}}},
		}
	}
	values := func(u *updater) (all []float32) {
		for g := range u.gradients(one) {
			all = append(all, g...)
		}
		return all
	}
	u := start()
	u.opt.ClipValue = 3.5
	u.clipValue(one)
	if g := values(u); !slices.Equal(g, []float32{3, -3.5, 0, 3.5}) {
		t.Errorf("by value: %v", g)
	}
	u = start()
	factor, err := shrink([]float64{u.square(part{0, 2}), u.square(part{1, 2})}, 6.5)
	if err != nil {
		t.Fatal(err)
	}
	u.scale(one, factor)
	if g := values(u); !slices.Equal(g, []float32{1.5, -2, 0, 6}) {
		t.Errorf("by norm: %v", g)
	}
	if factor, err := shrink([]float64{4}, 3); factor != 1 || err != nil {
		t.Errorf("a small gradient is scaled by %v, %v", factor, err)
	}
	u.tables[0].rows.sum[0] = 1e30 // its square overflows float32, which once made the update vanish
	if _, err := shrink([]float64{u.square(one)}, 6.5); err == nil {
		t.Error("an infinite norm is no error")
	}
}
