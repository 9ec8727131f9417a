package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// randomSentences makes sentences of the given lengths, with repeated tokens
// and characters.
func randomSentences(rng *rand.Rand, s Sizes, lengths ...int) []Sentence {
	var out []Sentence
	for _, n := range lengths {
		var sent Sentence
		for range n {
			chars := make([]int32, 1+rng.IntN(4))
			for i := range chars {
				chars[i] = rng.Int32N(int32(s.Characters))
			}
			sent.Tokens = append(sent.Tokens, rng.Int32N(int32(s.Tokens)))
			sent.Characters = append(sent.Characters, chars)
			sent.Labels = append(sent.Labels, rng.Int32N(int32(s.Labels)))
		}
		out = append(out, sent)
	}
	return out
}

// small returns a network with every part and few enough parameters to check all of them.
func small(cell Cell) Config {
	return Config{CharacterEmbedding: 3, CharacterLSTM: 2, TokenEmbedding: 4, TokenLSTM: 3, Hidden: 4, Dropout: 0.3, CRF: true, Cell: cell}
}

var smallSizes = Sizes{Characters: 5, Tokens: 7, Labels: 4}

// variants returns networks with each kind of cell and without each part.
func variants() map[string]Config {
	v := map[string]Config{"coupled": small("coupled"), "peephole": small("peephole"), "standard": small("standard")}
	edit := func(name string, f func(*Config)) {
		c := small("coupled")
		f(&c)
		v[name] = c
	}
	edit("no characters", func(c *Config) { c.CharacterLSTM = 0 })
	edit("no token vectors", func(c *Config) { c.TokenEmbedding = 0 })
	edit("no token LSTM", func(c *Config) { c.TokenLSTM = 0 })
	edit("no hidden layer", func(c *Config) { c.Hidden = 0 })
	edit("word dropout", func(c *Config) { c.WordDropout = 0.3 })
	edit("no CRF", func(c *Config) { c.CRF = false })
	return v
}

// Compares the gradient of every parameter with finite differences, for sentences of mixed lengths
// in one machine, one after another and in one batch, with dropout on. The difference of sixth
// order keeps the rounding of float32 below the tolerance. The tolerance is relative to the
// parameter's gradient, or to 0.05 if that is greater, because smaller gradients consist of
// rounding errors.
func TestGradients(t *testing.T) {
	for name, cfg := range variants() {
		t.Run(name, func(t *testing.T) {
			net, err := New(cfg, smallSizes, 3)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(5, 6))
			for _, p := range net.Params() { // larger than Glorot's, so that no layer is nearly linear
				for i := range p.Data {
					p.Data[i] = float32(rng.NormFloat64()) * 0.6
				}
			}
			m, err := newMachine(net, true)
			if err != nil {
				t.Fatal(err)
			}
			all := randomSentences(rng, smallSizes, 1, 2, 30)
			for _, batch := range [][]Sentence{all[:1], all[1:2], all[2:], all} {
				seeds := []uint64{1, 2, 3}[:len(batch)]
				checkGradients(t, net, m, func() float64 {
					loss, err := m.train(batch, seeds, 1/float32(len(batch)))
					if err != nil {
						t.Fatal(err)
					}
					return loss
				})
			}
		})
	}
}

func checkGradients(t *testing.T, net *Network, m *machine, loss func() float64) {
	t.Helper()
	loss()
	grads := map[*Param][]float32{}
	for i, p := range net.params {
		grads[p] = slices.Clone(m.gradient(i).Data)
	}
	if net.table != nil {
		rows := make([]float32, len(net.table.Data))
		for r, id := range m.batch.ids {
			for j, v := range m.table.rows.Row(r) {
				rows[int(id)*net.table.Cols+j] += v
			}
		}
		grads[net.table] = rows
	}
	for _, p := range net.Params() {
		var errSq, sizeSq float64
		for i := range p.Data {
			const h = 0.06
			at := p.Data[i]
			f := func(k float32) float64 { p.Data[i] = at + k*h; return loss() }
			d := (45*(f(1)-f(-1)) - 9*(f(2)-f(-2)) + (f(3) - f(-3))) / (60 * h)
			p.Data[i] = at
			errSq += (d - float64(grads[p][i])) * (d - float64(grads[p][i]))
			sizeSq += d*d + float64(grads[p][i])*float64(grads[p][i])
		}
		size := math.Sqrt(sizeSq)
		if rel := math.Sqrt(errSq) / max(size, 0.05); rel > 1e-3 {
			t.Errorf("%s: gradient differs from finite differences by %.2g of its size %.3g", p.Name, rel, size)
		}
	}
}

// The loss and gradient of a sentence do not depend on the rest of its batch.
func TestBatchIsSumOfItsSentences(t *testing.T) {
	for name, cfg := range variants() {
		net, _ := New(cfg, smallSizes, 3)
		m, err := newMachine(net, true)
		if err != nil {
			t.Fatal(err)
		}
		batch := randomSentences(rand.New(rand.NewPCG(8, 8)), smallSizes, 3, 1, 9, 4, 9)
		seeds := []uint64{10, 11, 12, 13, 14}
		var sum float64
		sums := make([][]float64, len(net.params))
		for i := range batch {
			loss, err := m.train(batch[i:i+1], seeds[i:i+1], 1)
			if err != nil {
				t.Fatal(err)
			}
			sum += loss
			for j := range net.params {
				for k, v := range m.gradient(j).Data {
					if k == len(sums[j]) {
						sums[j] = append(sums[j], 0)
					}
					sums[j][k] += float64(v)
				}
			}
		}
		loss, err := m.train(batch, seeds, 1)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(loss-sum) > 1e-4 {
			t.Errorf("%s: loss of the batch is %v, of its sentences %v", name, loss, sum)
		}
		for j, p := range net.params {
			for k, v := range m.gradient(j).Data {
				if math.Abs(float64(v)-sums[j][k]) > 1e-4 {
					t.Fatalf("%s: gradient %s[%d] of the batch is %v, of its sentences %v", name, p.Name, k, v, sums[j][k])
				}
			}
		}
	}
}

// Gorgonia's trap 1: two ops with equal hashes are merged. Two machines, and two layers of one kind
// in a machine, must stay separate.
func TestOpsOfOneKindAreNotMerged(t *testing.T) {
	a := &op{kind: forwardOp, name: "same", id: opID.Add(1)}
	b := &op{kind: forwardOp, name: "same", id: opID.Add(1)}
	if a.Hashcode() == b.Hashcode() {
		t.Error("two ops of one name have one hash")
	}
}

// Trap 2: a panic inside an op would kill the process. An id outside of the table causes one.
func TestPanicInsideAnOpIsAnError(t *testing.T) {
	net, _ := New(small("coupled"), smallSizes, 1)
	p, err := NewPredictor(net, nil)
	if err != nil {
		t.Fatal(err)
	}
	bad := Sentence{Tokens: []int32{99}, Characters: [][]int32{{1}}}
	if _, err := p.Predict([]Sentence{bad}); err == nil {
		t.Error("no error for an id beyond the table")
	}
	good := Sentence{Tokens: []int32{1}, Characters: [][]int32{{1}}}
	if _, err := p.Predict([]Sentence{good}); err != nil {
		t.Errorf("the machine cannot be used after an error: %v", err)
	}
}

// Trap 3: a second run without a reset does nothing. Also, no state of one batch may affect the
// next.
func TestMachineIsReusable(t *testing.T) {
	net, _ := New(small("coupled"), smallSizes, 1)
	p, _ := NewPredictor(net, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	long, short := randomSentences(rng, smallSizes, 20, 7, 13), randomSentences(rng, smallSizes, 2)
	logits := func(batch []Sentence) []float32 {
		if _, err := p.Predict(batch); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(p.machine.logits.last.Data)
	}
	first := logits(short)
	logits(long)
	if again := logits(short); !slices.Equal(first, again) {
		t.Error("the same batch has other logits after a longer one")
	}
}

// Trap 6: a machine that an op can reach is never freed.
func TestMachinesAreFreed(t *testing.T) {
	cfg := small("coupled")
	cfg.TokenEmbedding = 1000 // 4 MB of activations per machine
	net, _ := New(cfg, smallSizes, 1)
	batch := randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 1000)
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	use := func() {
		p, err := NewPredictor(net, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Predict(batch); err != nil {
			t.Fatal(err)
		}
	}
	use()
	before := heap()
	for range 30 {
		use()
	}
	if after := heap(); after > before+40<<20 {
		t.Errorf("30 unreachable machines keep %d MB", (after-before)>>20)
	}
}

// Two trainers with one seed reach the same bits, and so does one that takes over the other's state
// halfway.
func TestTrainingIsReproducibleAndResumable(t *testing.T) {
	for method := range rules {
		for _, workers := range []int{1, 2} {
			opt := DefaultOptimizer()
			opt.Method = method
			if workers == 2 {
				opt.Average = 0.9
			}
			if method != "sgd" {
				opt.ClipNorm = 1
			}
			batch := randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 5, 3, 8, 1)
			start := func() (*Network, *Trainer) {
				net, _ := New(small("coupled"), smallSizes, 7)
				tr, err := NewTrainer(net, opt, workers, false)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(tr.Close)
				return net, tr
			}
			steps := func(tr *Trainer, from, to int) {
				for i := from; i < to; i++ {
					if _, err := tr.Step(batch, uint64(i), 0); err != nil {
						t.Fatal(err)
					}
				}
			}
			a, ta := start()
			steps(ta, 0, 10)
			b, tb := start()
			steps(tb, 0, 5)
			c, tc := start() // takes over from b
			for i, p := range c.Params() {
				copy(p.Data, b.Params()[i].Data)
			}
			stepB, memoryB := tb.State()
			stepC, memoryC := tc.State()
			*stepC = *stepB
			for i, m := range memoryC {
				copy(m.Data, memoryB[i].Data)
			}
			steps(tc, 5, 10)
			for i, p := range a.Params() {
				if !slices.Equal(p.Data, c.Params()[i].Data) {
					t.Errorf("%s, %d workers: %s is not the same", method, workers, p.Name)
				}
			}
		}
	}
}

// The average is computed over the weights after each step, and swapping twice changes nothing.
// With two workers it once included rows of the token embedding that the other worker had not yet
// updated.
func TestAverage(t *testing.T) {
	sizes := smallSizes
	sizes.Tokens = 3000
	opt := DefaultOptimizer()
	opt.Average, opt.LearningRate = 0.8, 0.1
	for _, workers := range []int{1, 2} {
		net, _ := New(small("coupled"), sizes, 7)
		tr, _ := NewTrainer(net, opt, workers, false)
		want := map[*Param][]float64{}
		for _, p := range net.Params() {
			for _, v := range p.Data {
				want[p] = append(want[p], float64(v))
			}
		}
		for step := 1; step <= 20; step++ {
			batch := randomSentences(rand.New(rand.NewPCG(1, uint64(step))), sizes, 200, 300, 150)
			if _, err := tr.Step(batch, uint64(step), 0); err != nil {
				t.Fatal(err)
			}
			d := min(0.8, float64(1+step)/float64(10+step))
			for _, p := range net.Params() {
				for i, v := range p.Data {
					want[p][i] = d*want[p][i] + (1-d)*float64(v)
				}
			}
		}
		before := slices.Clone(net.logits.w.Data)
		tr.SwapAverage()
		for _, p := range net.Params() {
			for i, v := range p.Data {
				if math.Abs(float64(v)-want[p][i]) > 1e-5 {
					t.Fatalf("%d workers: the average of %s[%d] is %v, want %v", workers, p.Name, i, v, want[p][i])
				}
			}
		}
		if slices.Equal(before, net.logits.w.Data) {
			t.Error("the average is the weights themselves")
		}
		tr.SwapAverage()
		if !slices.Equal(before, net.logits.w.Data) {
			t.Error("swapping twice changes the weights")
		}
		tr.Close()
	}
}

// Running in place produces the same bits as Gorgonia's own RunAll.
func TestTapeInPlaceIsRunAll(t *testing.T) {
	net, _ := New(small("coupled"), smallSizes, 7)
	m, err := newMachine(net, true)
	if err != nil {
		t.Fatal(err)
	}
	batch := randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 5, 3, 8, 1)
	loss, err := m.train(batch, make([]uint64, len(batch)), 1)
	if err != nil {
		t.Fatal(err)
	}
	var gradients [][]float32
	for i := range net.params {
		gradients = append(gradients, slices.Clone(m.gradient(i).Data))
	}
	m.vm.Reset()
	if err := m.vm.RunAll(); err != nil {
		t.Fatal(err)
	}
	if again := m.loss.value(); again != loss || loss == 0 {
		t.Errorf("the loss is %v, with RunAll %v", loss, again)
	}
	for i, p := range net.params {
		if !slices.Equal(gradients[i], m.gradient(i).Data) {
			t.Errorf("%s: another gradient", p.Name)
		}
	}
}

// A frozen token embedding does not change, and everything else does.
func TestFreeze(t *testing.T) {
	net, _ := New(small("coupled"), smallSizes, 7)
	tr, _ := NewTrainer(net, DefaultOptimizer(), 1, true)
	before := map[string][]float32{}
	for _, p := range net.Params() {
		before[p.Name] = slices.Clone(p.Data)
	}
	for i := range 3 {
		if _, err := tr.Step(randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 30), uint64(i), 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range net.Params() {
		if same := slices.Equal(before[p.Name], p.Data); same != (p.Name == "token_embedding") {
			t.Errorf("%s unchanged: %v", p.Name, same)
		}
	}
}

func TestTrainingLearns(t *testing.T) {
	for name, cfg := range variants() {
		net, _ := New(cfg, smallSizes, 7)
		opt := DefaultOptimizer()
		opt.Method, opt.LearningRate = "adam", 0.02
		tr, err := NewTrainer(net, opt, 2, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(tr.Close)
		batch := randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 6, 6, 6, 6, 6, 6)
		for _, s := range batch { // the label depends on the token and on its last character
			for i := range s.Labels {
				s.Labels[i] = s.Tokens[i] % 4
				s.Characters[i] = []int32{s.Tokens[i] % 5, s.Tokens[i] / 5}
			}
		}
		var first, last float64
		for i := range 300 {
			loss, err := tr.Step(batch, uint64(i), 0)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = loss
			}
			last = loss
		}
		if last > first/3 {
			t.Errorf("%s: the loss fell from %.3f only to %.3f", name, first, last)
		}
	}
}

func TestValidate(t *testing.T) {
	for i, c := range []func(*Config){
		func(c *Config) { c.Dropout = 1 }, func(c *Config) { c.Dropout = math.NaN() }, func(c *Config) { c.Cell = "gru" },
		func(c *Config) { c.Hidden = -1 }, func(c *Config) { c.CharacterEmbedding = 0 },
		func(c *Config) { c.CharacterLSTM, c.TokenEmbedding = 0, 0 },
	} {
		cfg := DefaultConfig()
		c(&cfg)
		if cfg.Validate() == nil {
			t.Errorf("config %d is accepted", i)
		}
	}
	for i, c := range []func(*Optimizer){
		func(o *Optimizer) { o.Method = "" }, func(o *Optimizer) { o.LearningRate = 0 }, func(o *Optimizer) { o.Decay = 1.1 },
		func(o *Optimizer) { o.ClipNorm = math.Inf(1) }, func(o *Optimizer) { o.ClipValue = -1 },
	} {
		opt := DefaultOptimizer()
		c(&opt)
		if opt.Validate() == nil {
			t.Errorf("optimizer %d is accepted", i)
		}
	}
}

func BenchmarkTrain(b *testing.B) {
	for _, size := range []int{1, 16} {
		b.Run(fmt.Sprintf("batch%d", size), func(b *testing.B) {
			net, _ := New(DefaultConfig(), Sizes{100, 20000, 89}, 1)
			tr, _ := NewTrainer(net, DefaultOptimizer(), 1, false)
			batch := randomSentences(rand.New(rand.NewPCG(1, 1)), net.Sizes, slices.Repeat([]int{30}, size)...)
			for b.Loop() {
				if _, err := tr.Step(batch, 1, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(30*size*b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
