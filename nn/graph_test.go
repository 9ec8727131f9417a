package nn_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/gradcheck"
)

// text has words on one ragged axis, and sequences of letters on another.
type text struct {
	words, labels []int32
	bags          [][]int32 // any number of values per word
	class         int32     // of all words together
	letters       [][]int32 // sequences, of which each word has one
	kinds         [][]int32 // a label for each letter
	spelled       []int32   // the sequence of each word
}

func (e text) Len() int { return len(e.words) }

// The sizes of the tables, and the numbers of labels, kinds and classes.
const vocabularySize, alphabet, values, labels = 5, 4, 3, 3

func randomTexts(rng *rand.Rand, lengths ...int) (batch []text) {
	numbers := func(n int, below int32) (list []int32) {
		for range n {
			list = append(list, rng.Int32N(below))
		}
		return list
	}
	for _, n := range lengths {
		e := text{words: numbers(n, vocabularySize), labels: numbers(n, labels), class: rng.Int32N(labels)}
		sequences := 1 + rng.IntN(3)
		for range sequences {
			length := 1 + rng.IntN(3)
			e.letters, e.kinds = append(e.letters, numbers(length, alphabet)), append(e.kinds, numbers(length, labels))
		}
		e.spelled = numbers(n, int32(sequences))
		for range n {
			e.bags = append(e.bags, numbers(rng.IntN(3), values))
		}
		batch = append(batch, e)
	}
	return batch
}

// inputs are the axes and indices of a network.
type inputs struct {
	words, letters                     *nn.Axis
	word, label, spelled, whole, class *nn.Index // whole is the row of a word's text
	letter, kind                       *nn.Index
	values                             *nn.Bags
	loss                               *G.Node
}

func newInputs(g *nn.Graph) *inputs {
	n := &inputs{words: g.Axis("words"), letters: g.Axis("letters")}
	n.word, n.label, n.spelled, n.whole = n.words.Index(), n.words.Index(), n.words.Index(), n.words.Index()
	n.class, n.values = g.Sequences(n.words).Index(), n.words.Bags()
	n.letter, n.kind = n.letters.Index(), n.letters.Index()
	return n
}

func (n *inputs) Loss() *G.Node { return n.loss }

func (n *inputs) Fill(batch []text, seeds []uint64) {
	n.fillWords(batch, seeds)
	n.fillLetters(batch, seeds)
}

func (n *inputs) fillWords(batch []text, seeds []uint64) {
	n.words.Pack(len(batch), func(i int) int { return len(batch[i].words) })
	n.words.Seeds = seeds
	n.word.Fill(func(i int) []int32 { return batch[i].words })
	n.label.Fill(func(i int) []int32 { return batch[i].labels })
	n.class.Fill(func(i int) []int32 { return []int32{batch[i].class} })
	n.values.Fill(func(i int) [][]int32 { return batch[i].bags })
	n.whole.Fill(func(i int) []int32 { return slices.Repeat([]int32{int32(n.words.Place(i))}, len(batch[i].words)) })
}

func (n *inputs) fillLetters(batch []text, seeds []uint64) {
	var letters, kinds [][]int32
	var drop []uint64
	first := make([]int, len(batch)) // sequence of letters
	for i, e := range batch {
		first[i] = len(letters)
		letters, kinds = append(letters, e.letters...), append(kinds, e.kinds...)
		if seeds != nil {
			for range e.letters {
				drop = append(drop, seeds[i])
			}
		}
	}
	n.letters.Pack(len(letters), func(i int) int { return len(letters[i]) })
	n.letters.Seeds = drop
	n.letter.Fill(func(i int) []int32 { return letters[i] })
	n.kind.Fill(func(i int) []int32 { return kinds[i] })
	n.spelled.Fill(func(i int) (rows []int32) {
		for _, s := range batch[i].spelled {
			rows = append(rows, int32(n.letters.Place(first[i]+int(s))))
		}
		return rows
	})
}

var (
	_ nn.Model[text] = (*inputs)(nil)
	_ nn.Example     = text{}
)

// builder adds layers to a graph at random. Every node that nothing uses gets a loss in the end.
type builder struct {
	*nn.Graph
	*inputs
	rng    *rand.Rand
	pool   []*G.Node // what layers may use
	free   map[*G.Node]bool
	counts map[string]int // of the layers used
}

// randomNetwork returns the assembly of a network with randomLayers random layers. The same seed
// builds the same network.
func randomNetwork(seed uint64, counts map[string]int) func(g *nn.Graph) *inputs {
	return func(g *nn.Graph) *inputs {
		b := &builder{g, newInputs(g), rand.New(rand.NewPCG(seed, 1)), nil, map[*G.Node]bool{}, counts}
		for _, x := range []*G.Node{
			g.Embedding("words", b.word, vocabularySize, 3, nn.Glorot),
			g.Gather(g.Param("letters", alphabet, 2, nn.Glorot), b.letter),
		} {
			b.add(x)
		}
		names := slices.Sorted(maps.Keys(layerKinds))
		for added := 0; added < randomLayers; {
			name := names[b.rng.IntN(len(names))]
			x := b.pool[len(b.pool)-1]
			if b.rng.IntN(2) == 0 { // else a chain grows
				x = b.pool[b.rng.IntN(len(b.pool))]
			}
			if y := layerKinds[name](b, x); y != nil {
				b.add(y)
				counts[name]++
				added++
			}
		}
		b.loss = b.total()
		return b.inputs
	}
}

func (b *builder) add(x *G.Node) {
	b.pool = append(b.pool, x)
	b.free[x] = true
}

// use marks the inputs of a layer.
func (b *builder) use(x ...*G.Node) {
	for _, n := range x {
		delete(b.free, n)
	}
}

// like returns another node with the shape of x, or x itself if there is none.
func (b *builder) like(x *G.Node) *G.Node {
	var found []*G.Node
	for _, n := range b.pool {
		if n.Shape().Eq(x.Shape()) {
			found = append(found, n)
		}
	}
	return found[b.rng.IntN(len(found))]
}

// shared returns one of two names for parameters of this shape, so that many layers share theirs.
func (b *builder) shared(kind string, shape ...int) string {
	return fmt.Sprintf("%s%d.%d", kind, shape, b.rng.IntN(2))
}

func (b *builder) cell() nn.Cell {
	return []nn.Cell{nn.Coupled, nn.Peephole, nn.FullPeephole, nn.Standard}[b.rng.IntN(4)]
}

func width(x *G.Node) int { return x.Shape()[1] }

func (b *builder) param(kind string, rows, cols int) *G.Node {
	return b.Param(b.shared(kind, rows, cols), rows, cols, nn.Glorot)
}

// layerKinds add a layer that takes x, or return nil if x does not fit. MaxPool and LayerNorm are
// missing: their gradients jump, or become steep, where values are close to each other.
var layerKinds = map[string]func(b *builder, x *G.Node) *G.Node{
	"embedding": func(b *builder, _ *G.Node) *G.Node { return b.Embedding("words", b.word, vocabularySize, 3, nn.Glorot) },
	"bags":      func(b *builder, _ *G.Node) *G.Node { return b.Sum(b.param("values", values, 2), b.values) },
	"linear": func(b *builder, x *G.Node) *G.Node {
		b.use(x)
		return b.Linear(b.shared("linear", width(x), 3), x, 3)
	},
	"tanh": func(b *builder, x *G.Node) *G.Node { b.use(x); return b.Tanh(x) },
	"convolution": func(b *builder, x *G.Node) *G.Node {
		b.use(x)
		return b.Convolution(b.shared("convolution", width(x)), x, 3, 2)
	},
	"residual": func(b *builder, x *G.Node) *G.Node {
		b.use(x)
		return b.Add(x, b.Tanh(b.Linear(b.shared("linear", width(x), width(x)), x, width(x))))
	},
	"add three": func(b *builder, x *G.Node) *G.Node {
		y, z := b.like(x), b.like(x)
		b.use(x, y, z)
		return b.Add(x, y, z)
	},
	"concat": func(b *builder, x *G.Node) *G.Node {
		for _, y := range b.pool {
			if y != x && b.AxisOf(y) == b.AxisOf(x) && width(x)+width(y) <= 6 {
				b.use(x, y)
				return b.Concat(x, y)
			}
		}
		return nil
	},
	"lstm": func(b *builder, x *G.Node) *G.Node {
		cell := b.cell()
		b.use(x)
		return b.LSTM(b.shared("lstm "+string(cell), width(x)), x, 2, cell)
	},
	"reverse lstm": func(b *builder, x *G.Node) *G.Node {
		cell := b.cell()
		b.use(x)
		return b.ReverseLSTM(b.shared("lstm "+string(cell), width(x)), x, 2, cell) // the parameters of LSTM
	},
	"bilstm": func(b *builder, x *G.Node) *G.Node {
		cell := b.cell()
		b.use(x)
		return b.BiLSTM(b.shared("bilstm "+string(cell), width(x)), x, 2, cell)
	},
	"last states": func(b *builder, x *G.Node) *G.Node {
		if a := b.AxisOf(x); width(x)%2 != 0 || a != b.words && a != b.letters {
			return nil
		}
		b.use(x)
		return b.LastStates(x)
	},
	"gather": func(b *builder, _ *G.Node) *G.Node { // a word takes a state of its spelling or of its text
		for _, x := range b.pool {
			if width(x)%2 != 0 {
				continue
			}
			switch b.AxisOf(x) {
			case b.letters:
				b.use(x)
				return b.Gather(b.LastStates(x), b.spelled)
			case b.words:
				b.use(x)
				return b.Gather(b.LastStates(x), b.whole)
			}
		}
		return nil
	},
	"dropout": func(b *builder, x *G.Node) *G.Node {
		if a := b.AxisOf(x); a != b.words && a != b.letters {
			return nil
		}
		b.use(x)
		return b.Dropout(x, 0.3, 0.2)
	},
	"softmax":       func(b *builder, x *G.Node) *G.Node { b.use(x); return b.Softmax(x) },
	"stock tanh":    func(b *builder, x *G.Node) *G.Node { b.use(x); return G.Must(G.Tanh(x)) },
	"stock sigmoid": func(b *builder, x *G.Node) *G.Node { b.use(x); return G.Must(G.Sigmoid(x)) },
	"stock square":  func(b *builder, x *G.Node) *G.Node { b.use(x); return G.Must(G.Square(G.Must(G.Tanh(x)))) },
	"stock hadamard": func(b *builder, x *G.Node) *G.Node {
		y := b.like(x)
		b.use(x, y)
		return b.Tanh(G.Must(G.HadamardProd(x, y)))
	},
	"stock add": func(b *builder, x *G.Node) *G.Node {
		y := b.like(x)
		b.use(x, y)
		return G.Must(G.Add(x, y))
	},
	"stock mul": func(b *builder, x *G.Node) *G.Node {
		b.use(x)
		return G.Must(G.Mul(x, b.param("mul", width(x), 3)))
	},
	"stock mul by a sum of parameters": func(b *builder, x *G.Node) *G.Node {
		b.use(x)
		return G.Must(G.Mul(x, G.Must(G.Add(b.param("left", width(x), 2), b.param("right", width(x), 2)))))
	},
	"stock bias": func(b *builder, x *G.Node) *G.Node {
		b.use(x)
		return G.Must(G.BroadcastAdd(x, b.param("bias", 1, width(x)), nil, []byte{0}))
	},
	"stock gate": func(b *builder, x *G.Node) *G.Node { // one number per row
		b.use(x)
		gate := G.Must(G.Sigmoid(G.Must(G.Mul(x, b.param("gate", width(x), 1)))))
		return G.Must(G.BroadcastHadamardProd(x, gate, nil, []byte{1}))
	},
}

// total adds a loss to each node that nothing uses, and joins the losses.
func (b *builder) total() *G.Node {
	var losses []*G.Node
	for _, x := range b.pool {
		if !b.free[x] {
			continue
		}
		name := fmt.Sprintf("loss%d", len(losses))
		logits := b.Linear(name, x, labels)
		crf := b.rng.IntN(2) == 0
		switch b.AxisOf(x) {
		case b.words:
			if crf {
				losses = append(losses, b.CRF(name, logits, b.label))
				continue
			}
			losses = append(losses, b.SoftmaxLoss(logits, b.label))
		case b.letters:
			if crf {
				losses = append(losses, b.CRF("kinds", logits, b.kind)) // may be shared
				continue
			}
			losses = append(losses, b.SoftmaxLoss(logits, b.kind))
		case b.Sequences(b.words):
			losses = append(losses, b.SoftmaxLoss(logits, b.class))
		default:
			sum := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Tanh(logits))))))
			losses = append(losses, G.Must(G.Mul(sum, G.NewConstant(float32(0.5)))))
		}
	}
	return b.Total(losses...)
}

// newParams returns the parameters of a network with values so large that no layer is nearly linear.
func newParams[M nn.Model[text]](t *testing.T, assembly func(*nn.Graph) M) *nn.Params {
	t.Helper()
	params := nn.NewParams(1)
	newMachine(t, params, assembly, true)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, p := range params.All() {
		nn.Normal(0.4)(rng, p)
	}
	return params
}

func newMachine[M nn.Model[text]](t *testing.T, params *nn.Params, assembly func(*nn.Graph) M, training bool) *nn.Machine[text, M] {
	t.Helper()
	m, err := nn.NewMachine[text](params, assembly, training)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// gradients returns the loss of a batch and the gradients by the names of the parameters.
func gradients[M nn.Model[text]](t *testing.T, m *nn.Machine[text, M], params *nn.Params, batch []text, seeds []uint64) (loss float64, all map[string][]float32) {
	t.Helper()
	if err := m.RunSeeded(batch, seeds, 1); err != nil {
		t.Fatal(err)
	}
	all = map[string][]float32{}
	for _, p := range params.All() {
		all[p.Name] = m.Gradient(p)
	}
	return m.Loss(), all
}

const randomNetworks, randomLayers = 12, 12

// batches returns batches of several sizes, and seeds for the longest.
func batches() ([][]text, []uint64) {
	all := randomTexts(rand.New(rand.NewPCG(7, 7)), 2, 4, 1, 3)
	return [][]text{all[2:3], all[:3], all}, []uint64{11, 12, 13, 14}
}

// Layers and ops of Gorgonia in any order: nodes that feed several others, parameters and tables
// with several uses, residuals, several losses over several axes.
func TestGradientsOfRandomGraphs(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(randomNetworks) {
		assembly := randomNetwork(seed, counts)
		params := newParams(t, assembly)
		all, seeds := batches()
		for _, batch := range all[:2] {
			if err := gradcheck.Check(params, assembly, batch, seeds[:len(batch)]); err != nil {
				t.Errorf("graph %d, %d texts: %v", seed, len(batch), err)
			}
		}
	}
	for name := range layerKinds {
		if counts[name] == 0 {
			t.Errorf("no graph has the layer %q", name)
		}
	}
}

// A machine that has computed other batches, larger and smaller, computes the same bits as a new
// one.
func TestMachinesOfRandomGraphsServeAnyBatch(t *testing.T) {
	for seed := range uint64(randomNetworks) {
		assembly := randomNetwork(seed, map[string]int{})
		params := newParams(t, assembly)
		all, seeds := batches()
		old := newMachine(t, params, assembly, true)
		for _, i := range []int{0, 2, 1, 2, 0} {
			batch := all[i]
			want, wantAll := gradients(t, newMachine(t, params, assembly, true), params, batch, seeds[:len(batch)])
			got, gotAll := gradients(t, old, params, batch, seeds[:len(batch)])
			if got != want {
				t.Errorf("graph %d, %d texts: the loss is %v, of a new machine %v", seed, len(batch), got, want)
			}
			for name := range wantAll {
				if !slices.Equal(gotAll[name], wantAll[name]) {
					t.Errorf("graph %d, %d texts: another gradient of %s than that of a new machine", seed, len(batch), name)
				}
			}
		}
	}
}

// The loss and the gradient of a text do not depend on the rest of its batch.
func TestBatchOfARandomGraphIsTheSumOfItsTexts(t *testing.T) {
	for seed := range uint64(randomNetworks) {
		assembly := randomNetwork(seed, map[string]int{})
		params := newParams(t, assembly)
		m := newMachine(t, params, assembly, true)
		all, seeds := batches()
		batch := all[len(all)-1]
		var sum float64
		sums := map[string][]float32{}
		for i := range batch {
			loss, one := gradients(t, m, params, batch[i:i+1], seeds[i:i+1])
			sum += loss
			for name, g := range one {
				sums[name] = plus(sums[name], g)
			}
		}
		loss, whole := gradients(t, m, params, batch, seeds)
		if !(math.Abs(loss-sum) <= 1e-4) {
			t.Errorf("graph %d: the loss of the batch is %v, of its texts %v", seed, loss, sum)
		}
		for name := range whole {
			if d := distance(whole[name], sums[name]); !(d <= 1e-4) {
				t.Errorf("graph %d: the gradient of %s differs by %.2g from the sum over the texts", seed, name, d)
			}
		}
	}
}

// Two workers take the step that one takes, up to rounding.
func TestWorkersOfARandomGraphTakeTheSameStep(t *testing.T) {
	all, _ := batches()
	for seed := range uint64(randomNetworks) {
		assembly := randomNetwork(seed, map[string]int{})
		steps := make([]map[string][]float32, 2)
		for i := range steps {
			steps[i] = step(t, assembly, nn.Optimizer{Method: "sgd", LearningRate: 1, Decay: 1}, i+1, all[len(all)-1])
		}
		for name := range steps[0] {
			if d := distance(steps[1][name], steps[0][name]); !(d <= 1e-4) {
				t.Errorf("graph %d: the step of %s with two workers differs by %.2g", seed, name, d)
			}
		}
	}
}

// step returns by how much one step changes each parameter.
func step[M nn.Model[text]](t *testing.T, assembly func(*nn.Graph) M, opt nn.Optimizer, workers int, batch []text) map[string][]float32 {
	t.Helper()
	params := newParams(t, assembly)
	before := map[string][]float32{}
	for _, p := range params.All() {
		before[p.Name] = slices.Clone(p.Data)
	}
	tr, err := nn.NewTrainer[text](params, assembly, opt, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := tr.Step(batch, 5, 0); err != nil {
		t.Fatal(err)
	}
	for _, p := range params.All() {
		for i, v := range p.Data {
			before[p.Name][i] -= v
		}
	}
	return before
}

// plus returns the sum of two slices; sum may be nil.
func plus(sum, g []float32) []float32 {
	if sum == nil {
		return slices.Clone(g)
	}
	for i, v := range g {
		sum[i] += v
	}
	return sum
}

// distance returns the norm of got-want, relative to that of want or to 0.1 if that is greater. It
// is infinite if the lengths differ.
func distance(got, want []float32) float64 {
	if len(got) != len(want) || len(want) == 0 {
		return math.Inf(1)
	}
	var errSq, sizeSq float64
	for i, w := range want {
		d := float64(got[i]) - float64(w)
		errSq += d * d
		sizeSq += float64(w) * float64(w)
	}
	return math.Sqrt(errSq) / max(math.Sqrt(sizeSq), 0.1)
}

// Machines were built at the same time when several networks were trained side by side, and
// Gorgonia writes to a global variable while it builds a graph: the race detector found it.
func TestMachinesAreBuiltWhileOthersRun(t *testing.T) {
	all, seeds := batches()
	var running sync.WaitGroup
	for seed := range uint64(4) {
		assembly := randomNetwork(seed, map[string]int{})
		running.Go(func() {
			params := nn.NewParams(1)
			for range 3 {
				m, err := nn.NewMachine[text](params, assembly, true)
				if err == nil {
					err = m.RunSeeded(all[1], seeds[:len(all[1])], 1)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
}
