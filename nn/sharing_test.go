package nn_test

import (
	"math"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/gradcheck"
)

var sgd = nn.Optimizer{Method: "sgd", LearningRate: 1, Decay: 1}

// sumOfParameters is a network in which the gradients of two parameters are one node of the graph.
func sumOfParameters(g *nn.Graph) *inputs {
	in := newInputs(g)
	x := g.Embedding("table", in.word, vocabularySize, 3, nn.Glorot)
	w := G.Must(G.Add(g.Param("left", 3, labels, nn.Glorot), g.Param("right", 3, labels, nn.Glorot)))
	in.loss = g.CRF("crf", G.Must(G.Mul(x, w)), in.label)
	return in
}

// gathered is one in which they are one gradient of a layer.
func gathered(g *nn.Graph) *inputs {
	in := newInputs(g)
	table := G.Must(G.Add(g.Param("left", vocabularySize, labels, nn.Glorot), g.Param("right", vocabularySize, labels, nn.Glorot)))
	in.loss = g.CRF("crf", g.Gather(table, in.word), in.label)
	return in
}

// reshaped is one in which one gradient is another view of the memory of the other.
func reshaped(g *nn.Graph) *inputs {
	in := newInputs(g)
	left := g.Param("left", vocabularySize, labels, nn.Glorot)
	table := G.Must(G.Add(left, G.Must(G.Reshape(g.Param("right", labels, vocabularySize, nn.Glorot), left.Shape()))))
	in.loss = g.CRF("crf", g.Gather(table, in.word), in.label)
	return in
}

// The sums over workers and the clipping change gradients in place. A parameter must not change the
// gradient of another one.
func TestGradientsThatShareMemory(t *testing.T) {
	for name, assembly := range map[string]func(g *nn.Graph) *inputs{"product": sumOfParameters, "gather": gathered, "reshape": reshaped} {
		t.Run(name, func(t *testing.T) { checkSteps(t, assembly) })
	}
}

// checkSteps compares a step of each parameter with its clipped gradient.
func checkSteps(t *testing.T, assembly func(g *nn.Graph) *inputs) {
	t.Helper()
	params := newParams(t, assembly)
	all, seeds := batches()
	batch := all[2]
	if err := gradcheck.Check(params, assembly, batch, nil); err != nil {
		t.Error(err)
	}
	m := newMachine(t, params, assembly, true)
	if err := m.RunSeeded(batch, seeds, 1/float32(len(batch))); err != nil {
		t.Fatal(err)
	}
	want := map[string][]float32{}
	var square float64
	for _, p := range params.All() {
		want[p.Name] = m.Gradient(p)
		for _, v := range want[p.Name] {
			square += float64(v) * float64(v)
		}
	}
	const limit = 0.2
	byValue, byNorm := sgd, sgd
	byValue.ClipValue, byNorm.ClipNorm = limit, math.Sqrt(square)/2
	for _, c := range []struct {
		opt  nn.Optimizer
		clip func(v float32) float32
	}{
		{sgd, func(v float32) float32 { return v }},
		{byValue, func(v float32) float32 { return max(-limit, min(v, limit)) }},
		{byNorm, func(v float32) float32 { return v / 2 }},
	} {
		for workers := 1; workers <= 2; workers++ {
			for name, got := range step(t, assembly, c.opt, workers, batch) {
				var clipped []float32
				for _, v := range want[name] {
					clipped = append(clipped, c.clip(v))
				}
				if d := distance(got, clipped); !(d <= 1e-4) {
					t.Errorf("%+v, %d workers: the step of %s differs from its gradient by %.2g", c.opt, workers, name, d)
				}
			}
		}
	}
}

// Dropout returns its input itself if nothing is dropped.
func TestDropoutWithoutSeeds(t *testing.T) {
	assembly := func(p float64) func(g *nn.Graph) *inputs {
		return func(g *nn.Graph) *inputs {
			in := newInputs(g)
			x := g.Linear("l", g.Embedding("table", in.word, vocabularySize, 3, nn.Glorot), 3)
			y := g.Tanh(g.Dropout(g.Dropout(x, p, 0), p, p))
			in.loss = g.CRF("crf", g.Add(x, y, G.Must(G.Sigmoid(g.Dropout(y, p, 0)))), in.label)
			return in
		}
	}
	with, without := assembly(0.5), assembly(0)
	params := newParams(t, with)
	all, seeds := batches()
	batch := all[2]
	if err := gradcheck.Check(params, with, batch, nil); err != nil {
		t.Error(err)
	}
	m := newMachine(t, params, with, true)
	dropped, _ := gradients(t, m, params, batch, seeds)
	got, gotAll := gradients(t, m, params, batch, nil)
	want, wantAll := gradients(t, newMachine(t, params, without, true), params, batch, nil)
	if got != want || dropped == want {
		t.Errorf("the loss is %v with dropout, %v without seeds, and %v without dropout", dropped, got, want)
	}
	for name := range wantAll {
		if !slices.Equal(gotAll[name], wantAll[name]) {
			t.Errorf("%s has another gradient without dropout", name)
		}
	}
}

// Each dropout of a network drops values of its own, and the first drops what the seed decides, however
// many others there are.
func TestDropoutsOfANetworkDiffer(t *testing.T) {
	var dropped []*G.Node
	assembly := func(count int) func(g *nn.Graph) *inputs {
		return func(g *nn.Graph) *inputs {
			in, losses := newInputs(g), []*G.Node(nil)
			x := g.Embedding("table", in.word, vocabularySize, 3, nn.Glorot)
			dropped = nil
			for range count {
				dropped = append(dropped, g.Dropout(x, 0.5, 0))
				losses = append(losses, g.SoftmaxLoss(dropped[len(dropped)-1], in.label))
			}
			in.loss = g.Total(losses...)
			return in
		}
	}
	params := newParams(t, assembly(1))
	all, seeds := batches()
	values := func(count int) (list [][]float32) {
		m := newMachine(t, params, assembly(count), true)
		if err := m.RunSeeded(all[2], seeds, 1); err != nil {
			t.Fatal(err)
		}
		for _, n := range dropped {
			list = append(list, slices.Clone(m.Value(n).Data))
		}
		return list
	}
	three := values(3)
	if slices.Equal(three[0], three[1]) || slices.Equal(three[1], three[2]) || slices.Equal(three[0], three[2]) {
		t.Error("two dropouts drop the same values")
	}
	if !slices.Equal(three[0], values(1)[0]) {
		t.Error("the first dropout drops other values if there are more")
	}
}

// withLetters is a network with a loss over the words, and losses behind all layers over letters.
func withLetters(g *nn.Graph) *inputs {
	in := newInputs(g)
	x := g.Embedding("letters", in.letter, alphabet, 4, nn.Glorot)
	for _, cell := range []nn.Cell{nn.Coupled, nn.Peephole, nn.FullPeephole, nn.Standard} {
		x = g.BiLSTM(string(cell), x, 2, cell)
	}
	x = g.Dropout(g.Concat(x, g.Tanh(x), g.Convolution("convolution", x, 3, 2)), 0.2, 0.2)
	x = G.Must(G.Sigmoid(G.Must(G.Mul(x, g.Param("mul", 10, 3, nn.Glorot)))))
	x = G.Must(G.BroadcastAdd(x, g.Param("bias", 1, 3, nn.Glorot), nil, []byte{0}))
	x = g.Softmax(g.Add(x, G.Must(G.HadamardProd(x, x))))
	last := g.LastStates(g.Linear("states", x, 4))
	words := g.SoftmaxLoss(g.Linear("logits", g.Embedding("words", in.word, vocabularySize, 3, nn.Glorot), labels), in.label)
	in.loss = g.Total(words, g.CRF("crf", x, in.kind), g.SoftmaxLoss(x, in.kind), G.Must(G.Sum(G.Must(G.Square(last)))))
	return in
}

// A batch may have no rows on one of its axes, as if all spellings of a batch were known. Tensors of
// Gorgonia cannot be empty, and the CRF once failed.
func TestAnAxisWithoutRows(t *testing.T) {
	params := newParams(t, withLetters)
	all, seeds := batches()
	full, empty := all[2], slices.Clone(all[2])
	for i := range empty {
		empty[i].letters, empty[i].kinds, empty[i].spelled = nil, nil, nil
	}
	m := newMachine(t, params, func(g *nn.Graph) *wordsOnly { return &wordsOnly{withLetters(g)} }, true)
	want, wantAll := gradients(t, m, params, full, seeds)
	_, emptyAll := gradients(t, m, params, empty, seeds)
	for name, g := range emptyAll {
		zero := !slices.ContainsFunc(g, func(v float32) bool { return v != 0 })
		if words := name == "words" || name == "logits.W" || name == "logits.b"; zero == words || len(g) != len(params.Get(name).Data) {
			t.Errorf("without letters, the gradient of %s is %v", name, g)
		}
	}
	got, gotAll := gradients(t, m, params, full, seeds)
	if got != want {
		t.Errorf("after a batch without letters, the loss is %v instead of %v", got, want)
	}
	for name := range wantAll {
		if !slices.Equal(gotAll[name], wantAll[name]) {
			t.Errorf("after a batch without letters, %s has another gradient", name)
		}
	}
	p := newMachine(t, params, func(g *nn.Graph) *wordsOnly { return &wordsOnly{withLetters(g)} }, false)
	for _, batch := range [][]text{empty, full, nil} {
		if err := p.Run(batch); err != nil {
			t.Errorf("prediction: %v", err)
		}
	}
}

// wordsOnly does not use the spellings of words.
type wordsOnly struct{ *inputs }

func (m *wordsOnly) Fill(batch []text, seeds []uint64) {
	for i := range batch {
		if len(batch[i].spelled) == 0 {
			m.fillWords(batch, seeds)
			m.letters.Pack(0, nil)
			none := func(int) []int32 { return nil }
			m.letter.Fill(none)
			m.kind.Fill(none)
			m.letters.Seeds = []uint64{}
			return
		}
	}
	m.inputs.Fill(batch, seeds)
}

// Parameters that the loss does not depend on have no gradient and no place in the optimizer, and
// their nodes are not computed. Values of such nodes were once those of another node.
func TestPartsThatTheLossDoesNotDependOn(t *testing.T) {
	var unused, used *G.Node
	assembly := func(g *nn.Graph) *inputs {
		in := newInputs(g)
		x := g.Embedding("table", in.word, vocabularySize, 3, nn.Glorot)
		unused = g.Concat(g.LSTM("unused", x, 3, nn.Coupled), g.Embedding("unused table", in.word, vocabularySize, 3, nn.Glorot))
		used = g.Linear("logits", x, labels)
		in.loss = g.SoftmaxLoss(used, in.label)
		return in
	}
	params := newParams(t, assembly)
	all, _ := batches()
	batch := all[2]
	p := newMachine(t, params, assembly, false)
	if err := p.Run(batch); err != nil {
		t.Fatal(err)
	}
	if v := p.Value(unused); v.Rows != 10 || v.Cols != 6 {
		t.Errorf("prediction computes [%d, %d], want [10, 6]", v.Rows, v.Cols)
	}
	if g := p.Gradient(params.Get("table")); g != nil {
		t.Errorf("prediction has the gradient %v", g)
	}

	m := newMachine(t, params, assembly, true)
	_, all2 := gradients(t, m, params, batch, nil)
	if v := m.Value(unused); v.Rows != 0 || len(v.Data) != 0 {
		t.Errorf("a node that is not computed has the value [%d, %d]", v.Rows, v.Cols)
	}
	if v := m.Value(used); v.Rows != 10 || v.Cols != labels {
		t.Errorf("the logits are [%d, %d]", v.Rows, v.Cols)
	}
	adam := nn.Optimizer{Method: "adam", LearningRate: 0.1, Decay: 1, Average: 0.9}
	changes := step(t, assembly, adam, 2, batch)
	for _, p := range params.All() {
		depends := slices.Contains([]string{"table", "logits.W", "logits.b"}, p.Name)
		if (all2[p.Name] != nil) != depends {
			t.Errorf("the gradient of %s is %v", p.Name, all2[p.Name])
		}
		if changed := slices.ContainsFunc(changes[p.Name], func(v float32) bool { return v != 0 }); changed != depends {
			t.Errorf("a step changes %s: %v", p.Name, changed)
		}
	}
	tr, err := nn.NewTrainer[text](params, assembly, adam, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, memory := tr.State(); len(memory) != 3*3 { // two moments and the average
		t.Errorf("the optimizer has %d matrices, want 9", len(memory))
	}
}

// Networks that share parameters: one is trained, while another one, with layers of its own, is
// used.
func TestTwoNetworksOnTheSameParams(t *testing.T) {
	encoder := func(g *nn.Graph, in *inputs) *G.Node {
		return g.BiLSTM("encoder", g.Embedding("table", in.word, vocabularySize, 3, nn.Glorot), 2, nn.Coupled)
	}
	tagger := func(g *nn.Graph) *inputs {
		in := newInputs(g)
		in.loss = g.CRF("crf", g.Linear("logits", encoder(g, in), labels), in.label)
		return in
	}
	var class *G.Node
	classifier := func(g *nn.Graph) *inputs {
		in := newInputs(g)
		class = g.Linear("class", g.LastStates(encoder(g, in)), labels)
		in.loss = g.SoftmaxLoss(class, in.class)
		return in
	}
	build := func() *nn.Params {
		params := nn.NewParams(1)
		newMachine(t, params, tagger, true)
		newMachine(t, params, classifier, true)
		return params
	}
	params, again := build(), build()
	values := map[float32]bool{}
	for i, p := range params.All() {
		if q := again.All()[i]; p.Name != q.Name || !slices.Equal(p.Data, q.Data) {
			t.Errorf("%s has other values with the same seed", p.Name)
		}
		if first := p.Data[0]; first != 0 {
			if values[first] {
				t.Errorf("%s starts with the values of another parameter", p.Name)
			}
			values[first] = true
		}
	}

	all, _ := batches()
	old := newMachine(t, params, classifier, false)
	node := class
	tr, err := nn.NewTrainer[text](params, tagger, sgd, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	var before []float32
	for i := range 3 {
		if err := old.Run(all[2]); err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(old.Value(node).Data)
		fresh := newMachine(t, params, classifier, false)
		if err := fresh.Run(all[2]); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, fresh.Value(class).Data) {
			t.Errorf("after %d steps, a machine made earlier computes other values", i)
		}
		if slices.Equal(got, before) {
			t.Errorf("step %d did not change what the other network computes", i)
		}
		before = got
		if _, err := tr.Step(all[2], uint64(i), 0); err != nil {
			t.Fatal(err)
		}
	}
}

// The rate of a parameter is a factor of the learning rate.
func TestRates(t *testing.T) {
	rates := map[string]float64{"table": 0.5, "left": 0, "right": 2, "crf.transitions": 1}
	all, _ := batches()
	want := step(t, sumOfParameters, sgd, 1, all[2])
	params := newParams(t, sumOfParameters)
	tr, err := nn.NewTrainer[text](params, sumOfParameters, sgd, 1, func(param string) float64 { return rates[param] })
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	before := map[string][]float32{}
	for _, p := range params.All() {
		before[p.Name] = slices.Clone(p.Data)
	}
	if _, err := tr.Step(all[2], 5, 0); err != nil {
		t.Fatal(err)
	}
	for _, p := range params.All() {
		for i, v := range p.Data {
			if got, want := float64(before[p.Name][i]-v), rates[p.Name]*float64(want[p.Name][i]); !(math.Abs(got-want) <= 1e-5) {
				t.Errorf("%s[%d] changes by %v, want %v", p.Name, i, got, want)
			}
		}
	}
}

// The sequences of sequences are the sequences, since each has one row.
func TestLastStatesOfLastStates(t *testing.T) {
	assembly := func(times int) func(g *nn.Graph) *inputs {
		return func(g *nn.Graph) *inputs {
			in := newInputs(g)
			x := g.Embedding("table", in.word, vocabularySize, 2, nn.Glorot)
			for range times {
				x = g.LastStates(x)
			}
			in.loss = g.SoftmaxLoss(g.Linear("class", x, labels), in.class)
			return in
		}
	}
	params := newParams(t, assembly(1))
	all, _ := batches()
	want, _ := gradients(t, newMachine(t, params, assembly(1), true), params, all[2], nil)
	got, _ := gradients(t, newMachine(t, params, assembly(3), true), params, all[2], nil)
	if got != want {
		t.Errorf("the loss is %v, want %v", got, want)
	}
}
