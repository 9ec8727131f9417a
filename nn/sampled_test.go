package nn_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/gradcheck"
)

// walk is a sequence of states and the class to predict at each.
type walk struct{ states, classes []int32 }

func (w walk) Len() int { return len(w.states) }

// classifier predicts a class from the vector of a state.
type classifier struct {
	axis           *nn.Axis
	states, target *nn.Index
	loss           *G.Node
}

func (c *classifier) Fill(batch []walk, seeds []uint64) {
	c.axis.Pack(len(batch), func(i int) int { return len(batch[i].states) })
	c.axis.Seeds = seeds
	c.states.Fill(func(i int) []int32 { return batch[i].states })
	c.target.Fill(func(i int) []int32 { return batch[i].classes })
}

func (c *classifier) Loss() *G.Node { return c.loss }

// newClassifier returns the assembly of a classifier of 5 states whose loss is made of the vectors.
func newClassifier(loss func(g *nn.Graph, x *G.Node, target *nn.Index) *G.Node) func(g *nn.Graph) *classifier {
	return func(g *nn.Graph) *classifier {
		c := &classifier{axis: g.Axis("steps")}
		c.states, c.target = c.axis.Index(), c.axis.Index()
		c.loss = loss(g, g.Embedding("states", c.states, 5, 4, nn.Normal(0.6)), c.target)
		return c
	}
}

func sampled(classes, samples int) func(g *nn.Graph) *classifier {
	return newClassifier(func(g *nn.Graph, x *G.Node, target *nn.Index) *G.Node {
		return g.SampledSoftmax("out", x, target, classes, samples)
	})
}

func randomWalks(classes int, lengths ...int) (walks []walk) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range lengths {
		var w walk
		for range n {
			w.states = append(w.states, rng.Int32N(5))
			w.classes = append(w.classes, min(rng.Int32N(int32(classes)), rng.Int32N(int32(classes))))
		}
		walks = append(walks, w)
	}
	return walks
}

func scatter(p *nn.Params) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, p := range p.All() {
		nn.Normal(0.6)(rng, p)
	}
}

func compile(t *testing.T, p *nn.Params, assembly func(*nn.Graph) *classifier, training bool) *nn.Machine[walk, *classifier] {
	t.Helper()
	m, err := nn.NewMachine[walk](p, assembly, training)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func loss(t *testing.T, m *nn.Machine[walk, *classifier], batch []walk, seeds ...uint64) float64 {
	t.Helper()
	if err := m.RunSeeded(batch, seeds, 1); err != nil {
		t.Fatal(err)
	}
	return m.Loss()
}

// For a given set of samples the loss is smooth, also where a target is among the samples, and where
// one class is the target of several rows. Two layers share the parameters.
func TestSampledSoftmaxGradient(t *testing.T) {
	twice := newClassifier(func(g *nn.Graph, x *G.Node, target *nn.Index) *G.Node {
		return g.Total(g.SampledSoftmax("out", x, target, 12, 4), g.SampledSoftmax("out", g.Tanh(x), target, 12, 5))
	})
	for name, assembly := range map[string]func(*nn.Graph) *classifier{"sampled": sampled(12, 4), "all": sampled(7, 9), "twice": twice} {
		p := nn.NewParams(1)
		compile(t, p, assembly, true)
		scatter(p)
		if err := gradcheck.Check(p, assembly, randomWalks(7, 3, 1, 9), []uint64{7, 8, 9}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// With enough samples, and without training, the loss is that of a softmax over all classes.
func TestFullSoftmax(t *testing.T) {
	batch := randomWalks(9, 4, 100, 2)
	p := nn.NewParams(1)
	all := compile(t, p, sampled(9, 5), true)
	scatter(p)
	exact := compile(t, p, sampled(9, 2), false)
	if err := exact.Run(batch); err != nil {
		t.Fatal(err)
	}
	want := crossEntropy(p, batch)
	if got := loss(t, all, batch, 1, 2, 3); math.Abs(got-want) > 1e-5*want {
		t.Errorf("with samples for all classes: %v, want %v", got, want)
	}
	if got := float64(exact.Value(exact.Model.loss).Data[0]); math.Abs(got-want) > 1e-5*want {
		t.Errorf("without training: %v, want %v", got, want)
	}
}

// crossEntropy computes the loss from its definition.
func crossEntropy(p *nn.Params, batch []walk) (sum float64) {
	states, w, b := p.Get("states"), p.Get("out.W"), p.Get("out.b")
	for _, s := range batch {
		for t, state := range s.states {
			logit := func(class int) float64 {
				z := float64(b.Data[class])
				for j := range w.Cols {
					z += float64(states.Data[int(state)*w.Cols+j] * w.Data[class*w.Cols+j])
				}
				return z
			}
			var z float64
			for class := range w.Rows {
				z += math.Exp(logit(class))
			}
			sum += (math.Log(z) - logit(int(s.classes[t]))) / float64(len(s.states))
		}
	}
	return sum
}

// The correction makes up for the sampling: if all classes are equally frequent and have the same
// logit, the gradients cancel out over many samples. Without a correction, the biases of the first
// classes, which are drawn most often, would have a gradient of more than 5.
func TestSampledSoftmaxIsUnbiased(t *testing.T) {
	const classes, batches = 400, 1000
	all := walk{make([]int32, classes), make([]int32, classes)}
	for class := range all.classes {
		all.classes[class] = int32(class)
	}
	p := nn.NewParams(1)
	m := compile(t, p, sampled(classes, 60), true)
	clear(p.Get("out.W").Data)
	mean := make([]float64, classes)
	for seed := range uint64(batches) {
		loss(t, m, []walk{all}, seed)
		for class, g := range m.Gradient(p.Get("out.b")) {
			mean[class] += float64(g) * classes / batches
		}
	}
	for _, band := range [][2]int{{0, 1}, {1, 10}, {10, 100}, {100, classes}} {
		sum := 0.0
		for _, g := range mean[band[0]:band[1]] {
			sum += g / float64(band[1]-band[0])
		}
		if math.Abs(sum) > 0.05 {
			t.Errorf("the mean gradient of the classes %v is %.3f", band, sum)
		}
	}
}

func TestSamplesFollowTheSeeds(t *testing.T) {
	batch := randomWalks(400, 30)
	m := compile(t, nn.NewParams(1), sampled(400, 20), true)
	first := loss(t, m, batch, 1)
	if other := loss(t, m, batch, 2); other == first {
		t.Error("another seed gives the same loss")
	}
	if again := loss(t, m, batch, 1); again != first {
		t.Error("the same seed gives another loss")
	}
}

// A step changes the rows of the targets and samples of all workers, and no others.
func TestSampledSoftmaxChangesFewRows(t *testing.T) {
	const classes, samples = 400, 10
	opt := nn.Optimizer{Method: "adam", LearningRate: 0.1, Decay: 1}
	p := nn.NewParams(1)
	trainer, err := nn.NewTrainer[walk](p, sampled(classes, samples), opt, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	w, b := p.Get("out.W"), p.Get("out.b")
	before := slices.Clone(w.Data)
	batch := []walk{{[]int32{0, 1}, []int32{390, 391}}, {[]int32{2}, []int32{391}}}
	if _, err := trainer.Step(batch, 5, 0); err != nil {
		t.Fatal(err)
	}
	changed := map[int]bool{}
	for class := range classes {
		row := slices.Equal(w.Data[class*w.Cols:][:w.Cols], before[class*w.Cols:][:w.Cols])
		if row != (b.Data[class] == 0) {
			t.Errorf("class %d: W and b do not change together", class)
		}
		if !row {
			changed[class] = true
		}
	}
	if n := len(changed); !changed[390] || !changed[391] || n < samples || n > 2*samples+2 {
		t.Errorf("%d rows changed, among them those of the targets: %v, %v", n, changed[390], changed[391])
	}
}

func TestSampledSoftmaxThatDoesNotFit(t *testing.T) {
	for _, assembly := range []func(*nn.Graph) *classifier{sampled(1, 1), sampled(10, 0)} {
		if _, err := nn.NewMachine[walk](nn.NewParams(1), assembly, true); err == nil {
			t.Error("no error")
		}
	}
}
